// Runs in simulated time: a trace, or no trace at all (--virtual).

import FRP
import FRPBase
import FRPRuntime
import Glibc

extension InputSource {
  /// Whether lines come whose time is the run's.
  fileprivate var isWithoutTime: Bool { isOpen && timeField == nil }
}

extension Runner {
  /// Runs a trace: every line is one instant, at its own time; one that holds nothing but a time lets all of it run.
  func runTrace(_ descriptor: Int32, name: String) {
    var lines = LineReader(descriptor: descriptor)
    var last: Int64 = 0
    var good = 0
    var origin = traceOrigin
    // Where the first line says which moment is 0, the start waits for it.
    if let origin { start(at: origin) }
    defer { complaints.addGood(good, of: name) }
    let entry = Codec.TraceLine(reactor.heap)
    let end = options.end.map(Int64.init) ?? Clock.never
    while stop == nil {
      guard let line = lines.next() else {
        if lines.isAtEnd { break }
        waitForInput(descriptor)
        if stop != nil { break }
        if case .failed(let error) = lines.fill() {
          reporter.failure("cannot read `\(name)`: \(SystemError(code: error).message)")
          self.end(with: .wrongUsage)
        }
        continue
      }
      if takeRecorded(line, lines, name, &last) || takeEpoch(line, lines) || read(line, &lines, name, entry) == false {
        continue
      }
      let time: Int64
      switch clockTime(entry, &origin) {
      case .success(let found) where found >= last: time = found
      case .success:
        skip(lines, name, "its `at` lies before that of an earlier line")
        continue
      case .failure(let problem):
        skip(lines, name, problem.message)
        continue
      }
      good += 1
      if !reactor.hasStarted { start(at: origin ?? recordedEpoch) }
      if time > end { break }
      last = time
      if !entry.ports.isEmpty { reactor.inputDue = time }
      advance(to: time)
      if stop == nil { happen(entry, at: time) }
      checkForStop()
    }
    if stop == nil, !reactor.hasStarted { start(at: recordedEpoch) }
    if stop == nil, end != Clock.never { advance(to: end) }
    drainSimulated()
  }

  private func happen(_ entry: Codec.TraceLine, at time: Int64) {
    if entry.ports.isEmpty { closeTime(time) } else { reactor.send(entry) }
  }

  /// A line of a recording about a call: what it reports happens at its time. False for a line of inputs.
  private func takeRecorded(
    _ line: LineReader.Line, _ lines: borrowing LineReader, _ name: String, _ last: inout Int64
  ) -> Bool {
    guard case .text(let range) = line, recording != nil || lines.lineNumber == 1,
      let found = Recording.line(lines[range])
    else { return false }
    guard let recording else {
      if found.kind != "@run" { return false }
      reporter.failure("a recording is looked through before it is run, so it is read from a file: `\(name)` is none")
      end(with: .wrongUsage)
      return true
    }
    let time = Clock.nanoseconds(found.at)
    if found.kind == "@run" || time < last { return true }
    if !reactor.hasStarted { start(at: recordedEpoch) }
    last = time
    advance(to: time)
    if stop == nil {
      switch found.kind {
      case "@epoch": if let epoch = Double(found.call) { simulation.epoch = epoch }
      case "@state": _ = try? simulation.settleForSnapshot()
      default:
        if !happen(found, of: recording), found.kind != "@begun" { recording.later.append(found) }
      }
    }
    checkForStop()
    return true
  }

  /// What a line reports happens, to a call that has begun; false where it has not.
  private func happen(_ line: Recording.Line, of recording: Recording) -> Bool {
    guard let (id, report) = recording.report(line, simulation),
      let task = simulation.tasks.first(where: { $0.id == id })
    else { return false }
    happen(report, task)
    return true
  }

  /// What a recording has of calls that `end` begins.
  func happenAtEnd() {
    guard let recording else { return }
    for line in recording.later where happen(line, of: recording) {
      reactor.advance(to: reactor.now.nanoseconds)
      checkForStop()
    }
  }

  /// A line of a trace is skipped as a whole.
  private func skip(_ lines: borrowing LineReader, _ name: String, _ message: String) {
    skip(BadLine(source: name, line: lines.lineNumber, column: 0, path: "", message: message))
  }

  /// Decodes a line of a trace; false if there is nothing in it, or it does not fit.
  private func read(
    _ line: LineReader.Line, _ lines: inout LineReader, _ name: String, _ entry: Codec.TraceLine
  ) -> Bool {
    guard case .text(let range) = line else {
      skip(lines, name, "the line is too long")
      return false
    }
    let bytes = lines[range]
    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return false }
    do throws(Fault) {
      if try codec.decodeTrace(bytes, simulation.ports, into: entry) {
        if let oddity = codec.takeOddity() { complaints.add(oddity, of: name, line: lines.lineNumber) }
        return true
      }
    } catch {
      skip(lines, name, error.text)
      return false
    }
    skip(BadLine(source: name, line: lines.lineNumber, codec.problem))
    return false
  }

  // MARK: Where a trace begins

  /// Why a line has no time in this run.
  private struct NoTime: Error { var message: String }

  /// Which moment a recording says its start was.
  private var recordedEpoch: CivilMoment? { recording?.epoch.flatMap { CivilMoment($0) } }

  /// The moment 0, where --from says it; nil while the first line decides.
  private var traceOrigin: CivilMoment? {
    if case .moment(let moment)? = options.from { moment } else { nil }
  }

  /// Years that nobody simulates on purpose, in seconds: where `at` counts from 1970, the first line is the start.
  private static let farStart = 100_000_000.0

  /// Whether a trace's first line is `{"epoch":1767323045.6}`, which says which moment its `at` counts from.
  private func takeEpoch(_ line: LineReader.Line, _ lines: borrowing LineReader) -> Bool {
    guard lines.lineNumber == 1, case .text(let range) = line else { return false }
    let parts = JSONParts.object(String(decoding: lines[range], as: UTF8.self)) ?? []
    guard parts.count == 1, parts[0].name == "epoch", let moment = Double(parts[0].json).flatMap({ CivilMoment($0) })
    else { return false }
    if options.from == nil { start(at: moment) }
    return true
  }

  /// The time of a line in the run, in nanoseconds.
  private func clockTime(_ entry: Codec.TraceLine, _ origin: inout CivilMoment?) -> Result<Int64, NoTime> {
    let beyond = NoTime(message: "its `at` lies beyond 292 years")
    let seconds = entry.time ?? 0
    if origin == nil, options.from == nil, reactor.hasStarted || seconds < Self.farStart {
      let time = Clock.nanoseconds(seconds)
      return time == Clock.never ? .failure(beyond) : .success(time)
    }
    guard let moment = CivilMoment(seconds) else { return .failure(beyond) }
    if origin == nil, options.from == nil {
      reporter.note("the trace begins at \(Int(seconds)) s, which is made the start; --from 0 simulates what is before")
    }
    origin = origin ?? moment
    guard let origin, let time = moment.nanoseconds(since: origin) else { return .failure(beyond) }
    return time < 0 ? .failure(NoTime(message: "its `at` lies before that of --from")) : .success(Int64(time))
  }

  /// Simulated time without a trace: lines of inputs all happen at 0, one each by turns, then time runs to --for, or for
  /// ever.
  func runSimulated(_ sources: inout [InputSource]) {
    readAll(&sources)
    if stop != nil { return }
    if let end = options.end {
      advance(to: Int64(end))
      return
    }
    if !sources.isEmpty { return drainSimulated() }
    while stop == nil {
      let due = reactor.nextDue?.nanoseconds
      guard let next = [due, nextSample].compactMap({ $0 }).min() else { return }
      advance(to: next)
      closeTime(next)
      takeSamples(through: next)
    }
  }

  /// One line each by turns. What is not a file is waited for, since nothing else tells whose turn it is.
  func readAll(_ sources: inout [InputSource]) {
    while stop == nil, sources.contains(where: \.isWithoutTime) {
      for index in sources.indices where stop == nil && sources[index].isWithoutTime {
        sources[index].isOpen = takeValue(&sources[index])
      }
    }
  }

  /// Lets the next line happen that says something; false at the end.
  private func takeValue(_ source: inout InputSource) -> Bool {
    while let line = waitForLine(&source) { if take(line, from: &source) { return true } }
    return false
  }

  /// The next line; nil at the end, or if the run must stop.
  func waitForLine(_ source: inout InputSource) -> LineReader.Line? {
    while true {
      if let line = source.lines.next() { return line }
      if source.lines.isAtEnd { return nil }
      waitForInput(source.lines.descriptor)
      if stop != nil { return nil }
      fill(&source)
    }
  }

  /// Reads a block. What cannot be read is no end of the input: the run ends, and one with a journal can go on.
  func fill(_ source: inout InputSource) {
    if case .failed(let error) = source.lines.fill() {
      reporter.failure("cannot read `\(source.name)`: \(SystemError(code: error).message)")
      end(with: .wrongUsage)
    }
  }

  /// Lets a line happen now; false for a header or a blank line, which say nothing.
  func take(_ line: LineReader.Line, from source: inout InputSource) -> Bool {
    switch decoded(line, &source) {
    case .value(let value):
      recorder?.record(source.port, value)
      reactor.send(port: source.port, value)
    case .nothing: return false
    case .skipped: break
    }
    checkForStop()
    return true
  }

  /// What a line came to.
  enum Decoded {
    case value(Word)
    case nothing, skipped
  }

  /// Decodes a line; what is wrong with it is told.
  func decoded(_ line: LineReader.Line, _ source: inout InputSource) -> Decoded {
    let result = source.decode(line, codec)
    // What is odd about a line that does not fit is not told beside that.
    if let oddity = codec.takeOddity(), !result.isSkipped {
      complaints.add(oddity, of: source.name, line: source.lines.lineNumber)
    }
    switch result {
    case .value(let value): return .value(value)
    case .nothing: return .nothing
    case .bad(let line): skip(line)
    case .fault(let fault):
      skip(BadLine(source: source.name, line: source.lines.lineNumber, column: 0, path: "", message: fault.text))
    }
    return .skipped
  }
}
