// A run that goes on where its last process ended: the state that was kept, then what came after it, line by line.
//
// Rules
// - What comes from the journal happens as it happened: outputs are made again, and passed over where they were handed over.
//   No call begins meanwhile. What is still under way then begins again.
// - Time stands still between two processes. With `--downtime elapse` it has gone on: what was missed is due at its own moments.

import FRP
import FRPBase
import FRPIO
import FRPRuntime
import FRPWorld

extension Runner {
  /// How the run began, and what of it is no state of the program: as a JSON object. From there on outputs go where `options` say.
  func journalled(going options: RunOptions) -> String {
    let outputs = sinks.outputs
    let begun = Recorder.run(simulation, seed: options.seed)
    let set = JSONParts.object(begun)?.first { $0.name == "set" }?.json ?? "{}"
    let columns = outputs.columns.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\(jsonString($0.value))" }
    let shown = sinks.shownTexts.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\(jsonString($0.value))" }
    let served = served.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\($0.value)" }
    return begun.dropLast()
      + ",\"name\":\(jsonString(simulation.name ?? "")),\"sample\":\(nextSampleNumber(options)),\"shown\":{\(shown.joined(separator: ","))},\"outputs\":\(Recorder.numbers(outputs.positions)),"
      + "\"columns\":{\(columns.joined(separator: ","))},\"ways\":\(options.ways),\"begun\":\(options.begunWith ?? set),"
      + "\"numbered\":\(numbered.json(simulation.tasks)),"
      + "\"served\":{\(served.joined(separator: ","))},\"taken\":\(Recorder.numbers(taken)),\"digests\":\(Recorder.numbers(digests))}"
  }

  /// Which sample is the next one, where there are samples as `options` say from now on.
  private func nextSampleNumber(_ options: RunOptions) -> Int64 {
    RunOptions.sampleNumber(
      every: Int64(options.samplePeriod), after: sampleNumber > 0 ? (sampleNumber - 1) &* period : nil,
      at: reactor.now.nanoseconds)
  }

  /// Begins a run whose journal is empty.
  func begin(_ journal: Journal, at moment: CivilMoment?) throws(PortProblem) {
    if let moment { simulation.epoch = moment.value }
    simulation.name = Self.newName
    try journal.keep(JournalState(self))
    self.journal = journal
    journal.follow(self)
    start()
  }

  /// A name that no other run has.
  private static var newName: String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Lives through what the journal has, up to its end. Whether the run had ended by itself.
  func recover(_ journal: Journal, from kept: JournalState) throws(PortProblem) -> Bool {
    isRecovering = true
    defer { isRecovering = false }
    prepare()
    let made = kept.outputs.positions["-"] ?? 0
    journal.releasedAtCommit = max(made, try released(journal, after: kept.batch))
    sinks.goOn(from: made, released: journal.releasedAtCommit)
    var hasEnded = false
    if kept.state == nil {
      if let epoch = kept.field("epoch").flatMap(Double.init) { simulation.epoch = epoch }
      reactor.start()
      hasValues = stop == nil
      checkForStop()
    } else {
      hasValues = true
      sampleNumber = kept.field("sample").flatMap(Int64.init) ?? 0
      let shown = kept.field("shown").flatMap(JSONParts.object) ?? []
      sinks.shownTexts = Dictionary(shown.compactMap { field in JSONParts.string(field.json).map { (field.name, $0) } })
      {
        first, _ in first
      }
    }
    showAtOnce(kept.field("shownAtOnce").flatMap(JSONParts.array) ?? [])
    (taken, digests) = (kept.numbers("taken"), kept.numbers("digests"))
    numbered = ServedNumbers(kept.field("numbered") ?? "", simulation.tasks)
    for (path, json) in kept.field("served").flatMap(JSONParts.object) ?? [] { served[path] = json }
    let entry = Codec.TraceLine(reactor.heap)
    do throws(IOError) {
      try journal.store.forEachBatch(after: kept.batch) { (number, lines) throws(IOError) in
        service?.beginning("going on from the journal: batch \(number) of \(journal.store.last)")
        for line in lines.split(separator: 0x0A) where interruption == nil {
          guard let moment = JournalMoment(line) else { throw IOError("batch \(number) has a line that is none") }
          if moment.key == "@end" { hasEnded = true }
          try again(line, moment, entry, number)
        }
      }
    } catch {
      sinks.drop()
      throw PortProblem(message: "--journal \(journal.path): \(error.message)", code: .programHasErrors)
    }
    return hasEnded
  }

  /// What a program shows as it takes over from another one; what cannot be read any more is nothing that it shows.
  private func showAtOnce(_ lines: [String]) {
    for line in lines {
      guard let (name, json) = JSONParts.object(line)?.first,
        let (output, value) = simulation.value(json, ofOutput: name)
      else { continue }
      sinks.show(output, value, at: reactor.now.seconds)
    }
  }

  /// What a signal ends the process with while the run is not yet where it was. Nothing of it is kept: the journal has it.
  var interruption: ExitCode? { stop?.isSignal == true ? stop : nil }

  /// Ends the process before the run has gone on.
  func giveUp() {
    sinks.drop()
    sinks.close()
    signals?.stop()
  }

  /// How much of the standard output was handed over before the last commit.
  private func released(_ journal: Journal, after batch: Int) throws(PortProblem) -> Int {
    var released = 0
    do throws(IOError) {
      try journal.store.forEachBatch(after: max(batch, journal.store.last - 1)) { (_, lines) throws(IOError) in
        guard let line = lines.split(separator: 0x0A).last, let moment = JournalMoment(line) else { return }
        released = moment.commit("released").flatMap(Int.init) ?? released
      }
    } catch { throw PortProblem(message: "--journal \(journal.path): \(error.message)", code: .programHasErrors) }
    return released
  }

  /// One line happens again, at its time.
  private func again(
    _ line: ArraySlice<UInt8>, _ moment: JournalMoment, _ entry: Codec.TraceLine, _ number: Int
  ) throws(IOError) {
    advance(to: moment.nanoseconds)
    switch moment.key {
    case "@run", "@end": break
    case "@begun":
      if let (path, json) = moment.served { served[path] = json }
    // Where no state could be made, none was.
    case "@state": _ = try? simulation.settleForSnapshot()
    case "@epoch": if let epoch = moment.value.flatMap(Double.init) { simulation.epoch = epoch }
    case "@commit":
      for (name, json) in moment.commit("taken").flatMap(JSONParts.object) ?? [] { taken[name] = Int(json) }
      for (name, json) in moment.commit("digests").flatMap(JSONParts.object) ?? [] { digests[name] = Int(json) }
    case "@opened", "@retrying", "@arrived", "@ended":
      guard let found = Recording.line(line), let id = found.id,
        let task = simulation.tasks.first(where: { $0.id == id }),
        let report = Recording.report(found, of: id, simulation)
      else { break }
      happen(report, task)
    default:
      let isRead: Bool
      do throws(Fault) {
        isRead = try line.withUnsafeBufferPointer { (bytes) throws(Fault) in
          try codec.decodeTrace(bytes, simulation.ports, into: entry)
        }
      } catch { throw IOError(error.text) }
      if !isRead { throw IOError("batch \(number) has a value that does not fit: \(codec.problem?.message ?? "")") }
      reactor.send(entry)
    }
    checkForStop()
  }

  /// The lines that were taken before are passed over, where they stand in files. Nothing begins meanwhile: it would not be
  /// written down. Throws where a file is another one.
  func passOver(_ sources: inout [InputSource]) throws(PortProblem) {
    isRecovering = true
    defer { isRecovering = false }
    for index in sources.indices {
      sources[index].taken = taken[sources[index].input] ?? 0
      guard sources[index].isFile else { continue }
      for _ in 0..<sources[index].taken {
        service?.beginning("passing over what was read of `\(sources[index].input)`")
        guard let line = waitForLine(&sources[index]) else { break }
        sources[index].digest(line)
        // The header of CSV says what the cells of the others are. What is odd about these was told when they were taken.
        if sources[index].format == .csv { _ = sources[index].decode(line, codec) }
        _ = codec.takeOddity()
      }
      // Journals of older versions say nothing of what the lines were.
      if let digest = digests[sources[index].input], digest != sources[index].digest, stop == nil {
        throw PortProblem(
          message: "\(sources[index].name) is not what was read of `\(sources[index].input)`: its first "
            + "\(sources[index].taken) lines are others. Put it back, or bring what is new through a pipe: "
            + "tail -n +1 -F \(sources[index].name) | frp run …", code: .wrongUsage)
      }
    }
  }

  /// The run is recovered: from now on it is live.
  func goOn(_ journal: Journal, elapsing: Bool) {
    self.journal = journal
    journal.follow(self)
    let present = CivilMoment.present.value
    var now = reactor.now.nanoseconds
    if elapsing {
      now = max(now, Clock.nanoseconds(present - simulation.epoch))
    } else {
      simulation.epoch = present - Double(now) / 1e9
      journal.add("@epoch", "\(simulation.epoch)")
    }
    clock = RealClock(from: Int(now))
    numbered.forgetEnded(simulation.tasks)
    options.world?.goOn(after: numbered.past)
    // All that it serves is there before somebody can ask for it; what is under way may be newer.
    forgetUnserved(simulation.program)
    for (path, json) in served { options.world?.serve(path, json: json) }
    tasks?.follow(simulation)
    options.world?.open()
  }

  /// Values at paths that no part of a program serves are there no more: the text before may have served them.
  func forgetUnserved(_ program: Program) {
    if served.isEmpty { return }
    let uses = program.worldUses.filter { $0.name == Journal.serving }.compactMap(\.arguments.first)
    served = served.filter { path, _ in
      uses.contains { text in text.whole.map { $0 == path } ?? path.hasPrefix(text.beginning) }
    }
  }

  /// Ends the process and not the run.
  func pause(_ journal: Journal, _ code: ExitCode) -> ExitCode {
    options.world?.leave()
    if journal.failure == nil {
      tasks?.dropSources()
      journal.keepState()
    }
    sinks.close()
    journal.commit()
    journal.conclude(self)
    complaints.summarize()
    signals?.stop()
    return saysWhatWasNotWritten || journal.failure != nil ? .fault : code
  }
}

extension RunOptions {
  /// The number of the first sample after the last one that is not before the present moment: what is sampled otherwise than before, or for the
  /// first time, neither shows the past again nor waits until so many samples are over.
  static func sampleNumber(every period: Int64, after last: Int64?, at now: Int64) -> Int64 {
    let coming = now / period + (now % period > 0 ? 1 : 0)
    return max(coming, last.map { $0 / period + 1 } ?? 0)
  }
}

/// When a line of a journal happened, and what it is about: `{"at":1.5,"x":3}`.
struct JournalMoment {
  let nanoseconds: Int64
  let key: String
  private let line: ArraySlice<UInt8>

  /// Nil where it is no such line. The time is read digit by digit: in seconds as a Float it would be rounded after a hundred days.
  /// Everything is about one thing; a call's line is looked into later. Cost: of its beginning.
  init?(_ line: ArraySlice<UInt8>) {
    let found = line.withUnsafeBufferPointer { bytes -> (nanoseconds: Int64, key: String)? in
      var place = Self.opening.count
      guard bytes.count > place, zip(bytes, Self.opening).allSatisfy({ $0 == $1 }),
        let nanoseconds = Self.moment(bytes, &place), place + 2 < bytes.count,
        bytes[place] == UInt8(ascii: ","), bytes[place + 1] == UInt8(ascii: "\"")
      else { return nil }
      let rest = bytes[(place + 2)...]
      guard let end = rest.firstIndex(of: UInt8(ascii: "\"")),
        let key = String(validating: rest[..<end], as: UTF8.self)
      else { return nil }
      return (nanoseconds, key)
    }
    guard let found else { return nil }
    (nanoseconds, key, self.line) = (found.nanoseconds, found.key, line)
  }

  private static let opening = Array("{\"at\":".utf8)

  /// Seconds with up to nine places as nanoseconds; `place` is then behind them.
  private static func moment(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Int64? {
    guard let whole = digits(bytes, &place, atMost: 19) else { return nil }
    var rest: Int64 = 0
    if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
      place += 1
      let first = place
      guard let read = digits(bytes, &place, atMost: 9) else { return nil }
      rest = (place..<first + 9).reduce(read) { value, _ in value * 10 }
    }
    let (scaled, overflows) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? nil : Clock.adding(scaled, rest)
  }

  /// A whole number; nil where there are no digits, or too many.
  private static func digits(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int, atMost most: Int) -> Int64? {
    let first = place
    var value: Int64 = 0
    while place < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[place] {
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(Int64(bytes[place] - UInt8(ascii: "0")))
      if isTooLarge || overflows || place - first == most { return nil }
      (value, place) = (sum, place + 1)
    }
    return place == first ? nil : value
  }

  var value: String? {
    JSONParts.object(String(decoding: line, as: UTF8.self))?.first { $0.name == key }?.json
  }

  /// Of the beginning of a `Serve.value`: the path, and what is given there, as JSON.
  var served: (path: String, json: String)? {
    guard let fields = JSONParts.object(String(decoding: line, as: UTF8.self)),
      fields.contains(where: { $0.name == key && JSONParts.string($0.json) == Journal.serving }),
      let arguments = fields.first(where: { $0.name == "args" }).flatMap({ JSONParts.array($0.json) }),
      let path = arguments.first.flatMap(JSONParts.string), let json = arguments.last
    else { return nil }
    return (path, json)
  }

  /// A field of `@commit`.
  func commit(_ name: String) -> String? {
    value.flatMap(JSONParts.object)?.first { $0.name == name }?.json
  }
}
