// What `frp journal DIR --export` has written, as the past of a page.
//
// Rules
// - It begins from the state of the recorded program, which the page's own program, in which every definition can be looked at,
//   takes over as a changed text does. From there what came happens again.
// - Nothing is done in the world: a call has the end that is recorded, or none. Time stands still at the recording's end.

import FRP
import FRPBase

/// A recorded run: its program, how it began, and what came.
struct PageRecording {
  let texts: [(name: String, bytes: [UInt8])]
  private let begins: Recording
  private let state: [UInt8]?
  private let lines: [ArraySlice<UInt8>]

  /// Nil where the bytes are none.
  init?(_ bytes: [UInt8]) {
    lines = bytes.split(separator: 0x0A)
    guard let first = lines.first.flatMap({ Recording.line($0) }), first.kind == "@run",
      let fields = JSONParts.object(first.call),
      let texts = fields.first(where: { $0.name == "texts" }).flatMap({ JSONParts.array($0.json) })
    else { return nil }
    self.texts = texts.compactMap { text in
      guard let parts = JSONParts.array(text)?.map(JSONParts.string), parts.count == 2, let name = parts[0],
        let content = parts[1]
      else { return nil }
      return (name, Array(content.utf8))
    }
    begins = Recording(Array(lines[0]))
    state = fields.first { $0.name == "state" }.map { Self.bytes(ofHexadecimal: $0.json.utf8.dropFirst().dropLast()) }
    if self.texts.isEmpty || self.texts.count != texts.count { return nil }
  }

  private static func bytes(ofHexadecimal digits: some Collection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      let value = digit & 15 &+ (digit >= 0x61 ? 9 : 0)
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    return bytes
  }

  /// The recorded program at the recording's beginning; or another one, which begins with the run where it does, and else takes over the
  /// state that is recorded.
  private func begun(_ surroundings: Surroundings, with other: Program? = nil) throws(SimulationError) -> Simulation {
    let recorded = JournalState(texts: texts, state: nil, run: "").compile(surroundings)
    let run = try Simulation(
      state == nil ? other ?? recorded : recorded, limits: ReplSession.limits, seed: begins.seed ?? 0,
      settings: Dictionary(begins.settings.map { ($0.name, $0.json) }) { first, _ in first })
    run.epoch = begins.epoch ?? 0
    guard let state else {
      run.start()
      return run
    }
    try run.restore(Snapshot(bytes: state))
    if let other { _ = try run.replaceProgram(with: other) }
    return run
  }

  /// Makes it what a session has lived through; `program` is its text as that session has it.
  func happen(in session: ReplSession, _ program: ReplProgram, _ name: String) throws(SimulationError) {
    let run = try begun(session.surroundings)
    let other = try begun(session.surroundings, with: program.program)
    let base = try other.snapshot()
    (session.seed, session.epoch, session.isRecorded) = (begins.seed ?? 0, other.epoch, true)
    session.log = [ReplEvent(time: base.time, items: program.items, title: name, isBeginning: true)]
    session.restored = ReplCheckpoint(count: 0, time: base.time, program: program, snapshot: base, trace: [:])
    session.clock.pause(true)
    session.clock.set(to: base.time)
    session.rebuild(until: base.time)
    var end = base.time
    for (number, line) in lines.enumerated().dropFirst() {
      guard let fields = JSONParts.object(String(decoding: line, as: UTF8.self)),
        let time = fields.first(where: { $0.name == "at" }).flatMap({ Double($0.json) }), time >= end
      else { throw Self.misfit(number, "is none of a recording") }
      end = time
      run.advance(to: time)
      guard let event = event(line, fields, at: time, in: run) else { continue }
      try happen(event, in: run, number)
      session.log.append(event)
      session.repeatEvent(session.log.count - 1)
      session.collect()
      session.checkpointIfDue()
    }
    session.simulation?.advance(to: end)
    session.collect()
    session.clock.set(to: end)
  }

  /// Throws where a line has no input's value: what follows from the others would not be what was recorded.
  private func happen(_ event: ReplEvent, in run: Simulation, _ number: Int) throws(SimulationError) {
    if event.values.isEmpty { return event.happen(in: run) { _ in true } }
    do throws(SimulationError) { try run.send(event.values) } catch {
      switch error {
      case .unfit, .unknownPort: throw Self.misfit(number, "does not fit: \(error.message)")
      // An instant that faults is undone, as it was.
      default: break
      }
    }
  }

  private static func misfit(_ number: Int, _ what: String) -> SimulationError {
    .unfit(column: 1, path: "", message: "line \(number + 1) \(what)")
  }

  /// What a line says; nil where that is nothing.
  private func event(
    _ line: ArraySlice<UInt8>, _ fields: [(name: String, json: String)], at time: Double, in run: Simulation
  ) -> ReplEvent? {
    guard let found = Recording.line(line) else {
      let values = fields.filter { $0.name != "at" }
      return values.isEmpty ? nil : ReplEvent(time: time, values: values)
    }
    if found.kind == "@epoch" { return ReplEvent(time: time, epoch: Double(found.call)) }
    if found.kind == "@state" { return ReplEvent(time: time, isState: true) }
    guard let id = found.id, let report = Recording.report(found, of: id, run) else { return nil }
    return HostHappening(id, report, of: run).map { ReplEvent(time: time, happening: $0) }
  }
}
