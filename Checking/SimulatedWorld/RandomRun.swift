// A random program with a journal on a simulated machine. What its files must have nobody knows beforehand; but the journal has all that came
// from outside, with its moments, so the same program over these lines in simulated time, undisturbed, says it.
//
// What must hold besides: the lines of each input are in the journal, each once, in their order.

import FRPBase
import FRPCommands
import FRPDifferential
import FRPIO

package struct RandomRun {
  private let machine: Machine
  private let program: GeneratedProgram
  /// Whether it is one of what moves, and goes on after its inputs.
  private let lasts: Bool
  /// By input, what its file has.
  private let inputs: [(name: String, lines: [String])]
  /// By number: the lines of each batch of the journal.
  private var batches: [Int: [UInt8]] = [:]
  /// The moment of time 0 as the run began, as JSON: the journal's lines say only what it became after a pause.
  private var epoch: String?
  /// Whether the journal has forgotten what nobody had read.
  private var isIncomplete = false
  /// Whether the run ended before it read anything.
  private var faultedAtStart = false
  private var version = 0
  /// The output that is shown on the standard output; the others are files.
  private let shown: String?
  private var reader = OutputReader()

  private init(seed: UInt64, tellsAll: Bool) {
    machine = Machine(seed: seed, tellsAll: tellsAll)
    let moving = seed % 8 == 1 ? Generator.hybrid(seed: seed) : Generator.wideHybrid(seed: seed)
    // What is delayed is found again to the solver's accuracy, and not to the last bit.
    lasts = seed % 4 == 1 && !moving.source.contains("delay(")
    program = lasts ? moving : Generator.program(seed: seed)
    shown = machine.random.oneIn(2) ? machine.random.pick(program.outputs) : nil
    var lines: [String: [String]] = [:]
    for value in program.trace.flatMap(\.values) {
      let parts = value.dropFirst().split(separator: "\": ", maxSplits: 1)
      lines[String(parts[0]), default: []].append(String(parts[1]))
    }
    inputs = lines.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// What is wrong, and what happened before; nil where nothing is. On a large stack.
  package static func problem(seed: UInt64, tellsAll: Bool = false, _ tally: inout Tally) -> String? {
    var run = RandomRun(seed: seed, tellsAll: tellsAll)
    run.machine.tally = tally
    let problem = run.run()
    tally = run.machine.tally
    if !tellsAll, problem == nil { return nil }
    return "\(run.program.source)\n\(run.machine.story.joined(separator: "\n"))\n\(problem ?? "all as it should be")"
  }

  private mutating func run() -> String? {
    machine.disk.put(program.source, "app.frp")
    for input in inputs { machine.disk.put(input.lines.joined(separator: "\n") + "\n", "\(input.name).jsonl") }
    let disturbed = machine.random.within(1...5)
    var calls = 300
    // Another two: one to end, and one that says so.
    for number in 0..<disturbed + 2 {
      let isDisturbed = number < disturbed
      machine.faults = isDisturbed && machine.random.oneIn(2) ? .some(&machine.random) : .none
      // What moves goes on with a changed text from where it is, in steps of its own.
      if isDisturbed, number > 0, !lasts, machine.random.oneIn(4) { change() }
      let ending = isDisturbed ? Ending.any(within: calls, &machine.random) : nil
      machine.tell("process \(number + 1)\(isDisturbed ? "" : ", undisturbed")")
      let (code, said) = machine.run(words, ending: ending)
      calls = max(100, machine.calls)
      reader.receive(machine.shown, isExact: !machine.isDead && code.isWrittenDown(said))
      if let problem = machine.problem { return problem }
      faultedAtStart = faultedAtStart || said.contains("a fault at the start ends the run")
      // What a full disk has kept from its files is written by the next process.
      if !machine.isDead, said.contains("has ended at"), !said.contains("cannot write") { return compare() }
      if !machine.isDead, code != .success, code != .terminated, said.isEmpty {
        return "it ends with \(code.rawValue), and says nothing"
      }
      // Another text has nothing to go on with.
      if !machine.isDead, said.contains("has ended: another text") { return nil }
      if !machine.isDead, faultedAtStart, said.contains("cannot go on with what the journal has") { return nil }
      machine.restart(afterCrash: machine.isDead && ending?.1 == .crashed)
      read()
    }
    return "the undisturbed run does not end"
  }

  private mutating func change() {
    version += 1
    machine.tally.changedTexts += 1
    machine.disk.put("// version \(version)\n\(program.source)", "app.frp")
    machine.tell("the text of the program is changed")
  }

  private var words: [String] {
    var words = ["run", "/world/app.frp", "--journal", "/world/kept"] + time
    for input in inputs { words += ["--in", "\(input.name)=jsonl:/world/\(input.name).jsonl"] }
    if version > 0 { words.append("--upgrade") }
    return words + outputs { $0 == shown ? "-" : "/world/\($0).txt" }
  }

  private var time: [String] { lasts ? ["--for", "2s"] : [] }

  private func outputs(_ path: (String) -> String) -> [String] {
    program.outputs.flatMap { ["--out", "\($0)=jsonl:\(path($0))"] }
  }

  // MARK: The journal

  /// Reads what the journal has, from a copy of the disk: reading it writes to it.
  private mutating func read() {
    let (kept, faults) = (machine.disk, machine.faults)
    (machine.disk, machine.faults) = (kept.copy(), .none)
    defer { (machine.disk, machine.faults) = (kept, faults) }
    let known = batches
    var epoch = epoch
    let found = machine.process(ending: nil) { () -> [Int: [UInt8]]? in
      do throws(IOError) {
        let store = try JournalStore("/world/kept")
        guard let point = try store.point() else { return [:] }
        let run = JSONParts.object(String(decoding: point.parts["run"] ?? [], as: UTF8.self))
        epoch = epoch ?? run?.first { $0.name == "epoch" }?.json
        // What stood there and is gone was of no batch for certain.
        var found = known.filter { $0.key <= store.last }
        let first = found.keys.max().map { min($0, store.last) } ?? 0
        try store.forEachBatch(after: min(first, point.batch)) { (number, lines) throws(IOError) in
          found[number] = lines
        }
        return found
      } catch { return nil }
    }
    self.epoch = epoch
    isIncomplete = isIncomplete || found == nil
    batches = found ?? known
  }

  /// The lines that came, without how the journal counts.
  private var recording: [String] {
    batches.sorted { $0.key < $1.key }.flatMap {
      String(decoding: $0.value, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    .filter { !$0.contains(",\"@commit\":") && !$0.contains(",\"@run\":") }
  }

  private mutating func compare() -> String? {
    read()
    if isIncomplete || batches.count != batches.keys.max() ?? 0 { return nil }
    machine.tally.compared += 1
    let recording = recording
    for input in inputs where !faultedAtStart {
      let count = recording.count { $0.contains(",\"\(input.name)\":") }
      if count != input.lines.count { return "\(input.name): the journal has \(count) lines of \(input.lines.count)" }
    }
    machine.disk.put(
      "{\"at\":0,\"@run\":{\"seed\":0,\"epoch\":\(epoch ?? "0"),\"set\":{}}}\n" + recording.joined(separator: "\n")
        + "\n",
      "all.jsonl")
    machine.tell("the same in simulated time")
    machine.faults = machine.faults.harmless
    _ = machine.run(
      ["replay", "/world/app.frp", "/world/all.jsonl", "--quiet"] + time + outputs { "/world/again-\($0).txt" })
    for output in program.outputs {
      let again = machine.disk.text("again-\(output).txt")
      let look = { (text: String?) in
        text == again
          ? nil : "\(output): \(text ?? "")\nand undisturbed: \(again ?? "")\n\(recording.joined(separator: "\n"))"
      }
      if let problem = output == shown ? reader.problem(look) : look(machine.disk.text("\(output).txt")) {
        return problem
      }
    }
    return nil
  }
}
