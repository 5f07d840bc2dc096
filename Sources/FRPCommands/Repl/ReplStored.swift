// `:snapshot` and `:restore`: a session's definitions with all that they remember, in a file. And `:at`: a definition
// that waits for an occurrence, so that music or a game changes on the beat.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  private static let header = "frp session 2\n"

  /// The file: a header, the definitions as a list of JSON texts on one line, what was pushed as a list of a trace's lines
  /// on the next, then the snapshot's bytes.
  func snapshot(_ path: String) {
    advance()
    guard let simulation else { return }
    do throws(SimulationError) {
      let bytes = try simulation.snapshot().bytes
      let texts = "[" + current.itemsAsCompiled.map { jsonString($0.whole()) }.joined(separator: ",") + "]\n"
      let pushed = "[" + allPushes.map { trimmed(traceLine($0)) }.joined(separator: ",") + "]\n"
      guard writeFile(path, Array((Self.header + texts + pushed).utf8) + bytes) else {
        return fail("\(path) cannot be written")
      }
      show("\(path): \(current.size) at \(seconds(simulation.now))")
    } catch { fail("no snapshot: \(words(error))") }
  }

  func restore(_ path: String) {
    guard let bytes = contents(of: path) else { return }
    let header = Array(Self.header.utf8)
    guard bytes.starts(with: header), let end = bytes[header.count...].firstIndex(of: 0x0A),
      let texts = JSONParts.array(String(decoding: bytes[header.count..<end], as: UTF8.self))?.map(JSONParts.string),
      let second = bytes[(end + 1)...].firstIndex(of: 0x0A),
      let lines = JSONParts.array(String(decoding: bytes[(end + 1)..<second], as: UTF8.self))
    else { return fail("\(path) is no session; :load reads programs, :restore what :snapshot wrote") }
    let items = texts.flatMap { $0.map(self.items) ?? [] }
    let next = compiled(items)
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    do throws(SimulationError) {
      let snapshot = try Snapshot(bytes: Array(bytes[(second + 1)...]))
      let run = try Simulation(next.program, limits: Self.limits)
      run.epoch = epoch
      try run.restore(snapshot)
      begin(run, next, snapshot, path)
      earlierPushes = lines.compactMap(pushed)
    } catch { fail("\(path): \(words(error))") }
  }

  /// What is restored is where the session begins: nothing before it can be undone, and what was pending is dropped.
  private func begin(_ run: Simulation, _ program: ReplProgram, _ snapshot: Snapshot, _ path: String) {
    (simulation, current, trace) = (run, program, [:])
    epoch = run.epoch
    (undone, pending, planned) = ([], [], [])
    log = [
      ReplEvent(
        time: snapshot.time, items: program.items, modules: program.modules, title: path, isBeginning: true)
    ]
    restored = ReplCheckpoint(count: 0, time: snapshot.time, program: program, snapshot: snapshot, trace: [:])
    checkpoints = []
    (marks, moves) = ([:], [])
    faultsShown = 0
    recordAll()
    clock.set(to: snapshot.time)
    show("\(path): \(program.size), going on from \(seconds(snapshot.time))")
  }

  /// What was sent so far, before `:restore`, too.
  var allPushes: [ReplEvent] { earlierPushes + pushes }

  /// A line of a trace.
  private func pushed(_ line: String) -> ReplEvent? {
    guard let fields = JSONParts.object(line), fields.first?.name == "at", let at = Double(fields[0].json), at.isFinite,
      at >= 0
    else { return nil }
    return ReplEvent(time: at, values: fields.dropFirst().map { ($0.name, $0.json) })
  }

  /// The definitions of a text that is known to hold some.
  private func items(_ text: String) -> [ReplItem] {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    let parsed = Parser.parseEntry(file, in: sources, into: &tree)
    let found = parsed.parts.compactMap { part -> (id: ItemID, item: ReplItem)? in
      if case .item(let id) = part { (id, item(id, tree, sources)) } else { nil }
    }
    return withComments(found, tree, sources)
  }

  // MARK: On the beat

  /// `EVENT DEFINITION`: the definition is taken when the event occurs next.
  func takeAt(_ text: String) {
    var words = ReplWords(text)
    let event = words.next()
    let entry = trimmed(words.rest)
    guard let known = current.name(event) else { return fail(unknownName(event)) }
    guard known.kind == .event else { return fail("\(event) is no event; write :at EVENT DEFINITION") }
    if entry.isEmpty || entry.hasPrefix(":") { return fail("Write :at \(event) DEFINITION") }
    let items = items(entry)
    if items.isEmpty { return fail("\(entry) defines nothing; write :at \(event) speed = 2") }
    let next = program(with: items)
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    scheduled.append((event, items, trace[event]?.count ?? 0))
    show("\(items.flatMap(\.names).joined(separator: ", ")) changes when \(event) occurs")
  }

  /// Takes what waited for something that has occurred.
  func takeScheduled() {
    collect()
    let due = scheduled.filter { (trace[$0.event]?.count ?? 0) > $0.count }
    if due.isEmpty { return }
    scheduled.removeAll { (trace[$0.event]?.count ?? 0) > $0.count }
    for (_, items, _) in due { define(items) }
  }
}
