// `frp run --journal` on a simulated machine: killed, paused, upgraded, with calls that fail, until it has ended; each time looked at.
//
// What must hold, whatever happens
// - A file of an output is the beginning of what an undisturbed run writes, and in the end all of it; what stood there once is written again
//   as it was.
// - Whoever ends with success has done all; else it says why. Nobody waits for what never comes, or goes on for ever.
// - What a database was told under a call's name is in it once, and what was answered is in it.
// - Of a pipe, what was read and not yet kept may be missing; nothing comes twice, and all outputs have seen the same.

import FRPCommands
import FRPDifferential

/// How often something happened, so that one sees what was tried.
package struct Tally {
  package var calls = 0
  package var processes = 0
  package var killed = 0
  package var crashes = 0
  package var terminated = 0
  package var failedCalls = 0
  package var copies = 0
  package var changedTexts = 0
  /// Runs of random programs that were held against the same in simulated time.
  package var compared = 0

  package init() {}

  package var text: String {
    "\(processes) processes, \(calls) calls of the system, \(failedCalls) of them failed; \(killed) processes were killed, \(crashes) lost power, "
      + "\(terminated) heard SIGTERM; \(copies) copies wrote states; \(changedTexts) changed texts; \(compared) random programs were run again"
  }
}

/// One seed's world.
package struct SimulatedWorld {
  private let machine: Machine
  private let scenario: Scenario
  /// The program's texts, which mean the same; the newest last.
  private var texts: [String]
  /// Numbers that came through the pipe to a process.
  private var sent = 0
  /// The output that is shown on the standard output; the others are files.
  private let shown: String?
  private var reader = OutputReader()
  /// By output: what its file had after the process before.
  private var former: [String: String] = [:]
  private var hasLostPower = false

  private init(seed: UInt64, tellsAll: Bool) {
    machine = Machine(seed: seed, tellsAll: tellsAll)
    scenario = Scenario(&machine.random, isStoring: seed % 9 == 5)
    shown =
      machine.random.oneIn(2) ? machine.random.pick(scenario.wanted([]).map(\.output).filter { $0 != "took" }) : nil
    texts = [scenario.program]
  }

  /// What is wrong, and what happened before; nil where nothing is. On a large stack.
  package static func problem(seed: UInt64, tellsAll: Bool = false, _ tally: inout Tally) -> String? {
    var world = SimulatedWorld(seed: seed, tellsAll: tellsAll)
    world.machine.tally = tally
    let problem = world.run()
    tally = world.machine.tally
    if tellsAll || problem != nil {
      return
        "\(world.scenario.name), \(world.scenario.lines.count) lines from a \(world.scenario.way)\n"
        + world.machine.story.joined(separator: "\n") + "\n\(problem ?? "all as it should be")"
    }
    return nil
  }

  private static let paths = (program: "/world/app.frp", input: "/world/x.jsonl", journal: "/world/kept")

  private mutating func run() -> String? {
    if scenario.way == .sender { machine.outside.last = scenario.lines.count }
    if scenario.way == .file { machine.disk.put(scenario.lines.joined(separator: "\n") + "\n", "x.jsonl") }
    machine.disk.put(scenario.program, "app.frp")
    var disturbed = machine.random.below(6)
    var calls = 300
    var number = 0
    var hasEnded = false
    while number <= disturbed {
      let isLast = number == disturbed
      machine.faults = isLast || machine.random.oneIn(3) ? .none : .some(&machine.random)
      if number > 0, !isLast, machine.random.oneIn(4) { change() }
      let ending = isLast ? nil : Ending.any(within: calls, &machine.random)
      machine.tell("process \(number + 1)\(isLast ? ", undisturbed" : "")")
      let (code, said) = process(ending)
      calls = max(100, machine.calls)
      number += 1
      reader.receive(machine.shown, isExact: !machine.isDead && code.isWrittenDown(said))
      if isLast, said.contains("another text cannot go on with it"), texts.count > 1 {
        // What it has still to write is written with the text that it has ended with.
        texts.removeLast()
        machine.disk.put(texts[texts.count - 1], "app.frp")
        disturbed += 1
        continue
      }
      if let problem = machine.problem ?? judge(code, said, isLast: isLast) ?? judgeFiles() { return problem }
      if !machine.isDead, code == .success {
        // Who starts it once more sees nothing new.
        if hasEnded || machine.random.oneIn(2) { return nil }
        hasEnded = true
        disturbed = number
      }
      hasLostPower = hasLostPower || machine.isDead && ending?.1 == .crashed
      machine.restart(afterCrash: machine.isDead && ending?.1 == .crashed)
    }
    return nil
  }

  /// Another text that means the same.
  private mutating func change() {
    machine.tally.changedTexts += 1
    texts.append("// version \(texts.count)\n\(scenario.program)")
    machine.disk.put(texts[texts.count - 1], "app.frp")
    machine.tell("the text of the program is changed")
  }

  private mutating func process(_ ending: (Int, Ending)?) -> (ExitCode, String) {
    var words = ["run", Self.paths.program, "--journal", Self.paths.journal]
    if scenario.way != .sender { words += ["--in", "x=jsonl:\(scenario.way == .pipe ? "-" : Self.paths.input)"] }
    for (output, _) in scenario.wanted([]) {
      words += ["--out", "\(output)=lines:\(output == shown ? "-" : "/world/\(output).txt")"]
    }
    if texts.count > 1, ending == nil || !machine.random.oneIn(4) { words.append("--upgrade") }
    if machine.random.oneIn(4) { words += ["--downtime", "elapse"] }
    if scenario.way == .pipe { send() }
    return machine.run(words, ending: ending)
  }

  /// What has not come yet is on its way, cut anywhere.
  private mutating func send() {
    sent += machine.linesRead(scenario.lines.dropFirst(sent).map { $0.utf8.count + 1 })
    var rest = Array((scenario.lines.dropFirst(sent).joined(separator: "\n") + "\n").utf8)[...]
    if sent == scenario.lines.count { rest = [] }
    var time = machine.present
    machine.arrivals = []
    while !rest.isEmpty {
      time += machine.random.below(machine.random.oneIn(10) ? 2_000_000_000 : 3_000_000)
      let part = rest.prefix(machine.random.within(1...400))
      rest = rest.dropFirst(part.count)
      machine.arrivals.append((time, Array(part)))
    }
    machine.arrivals.reverse()
  }

  // MARK: Judging

  private func judge(_ code: ExitCode, _ said: String, isLast: Bool) -> String? {
    if let problem = machine.outside.problem { return problem }
    let hasEnded = !machine.isDead && code == .success
    let numbers = scenario.way == .file ? Array(1...scenario.lines.count) : taken
    if hasEnded, let problem = judgeCalls(numbers) { return problem }
    if scenario.name == Scenario.storing, let problem = judgeStored(numbers, hasEnded) { return problem }
    if let problem = scenario.way == .sender ? judgeSent(hasEnded) : judgeOrder(numbers) { return problem }
    for (output, wanted) in scenario.wanted(numbers) {
      // Of others than files one knows what was taken once all outputs have it; and files have holes after a loss of power, until all
      // of it is written again.
      if scenario.way != .file || hasLostPower && output != shown, !hasEnded { continue }
      let look = { text in wanted.problem(text, isWhole: hasEnded) }
      let problem = output == shown ? reader.problem(look) : look(machine.disk.text("\(output).txt") ?? "")
      if let problem { return "\(output): \(problem)" }
    }
    if machine.isDead || hasEnded || code == .terminated { return nil }
    if isLast { return "the undisturbed run ends with \(code.rawValue): \(said)" }
    return said.isEmpty ? "it ends with \(code.rawValue), and says nothing" : nil
  }

  /// What stood in a file is written again as it was, but where the machine has forgotten it.
  private mutating func judgeFiles() -> String? {
    for (output, _) in scenario.wanted([]) {
      let (old, new) = (former[output] ?? "", machine.disk.text("\(output).txt") ?? "")
      former[output] = new
      if hasLostPower || old.hasPrefix(new) || new.hasPrefix(old) { continue }
      let count = zip(old.utf8, new.utf8).prefix { $0 == $1 }.count
      return
        "\(output): after \(count) bytes it had \(old.dropFirst(count).prefix(60)), and now \(new.dropFirst(count).prefix(60))"
    }
    return nil
  }

  /// Of a pipe: what is missing was lost with a process.
  private func judgeOrder(_ numbers: [Int]) -> String? {
    zip(numbers, numbers.dropFirst()).contains { $0 >= $1 } ? "took: a number comes twice" : nil
  }

  /// A call that begins again has the key that it had.
  private func judgeCalls(_ numbers: [Int]) -> String? {
    let counts = numbers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for (number, keys) in machine.outside.asked.sorted(by: { $0.key < $1.key }) {
      let count = counts[number % Scenario.offset] ?? 0
      if keys.count > count { return "\(count) calls for \(number) had the keys \(keys.sorted())" }
    }
    return nil
  }

  /// What was taken is kept as often as that; before the end what stands in the journal may be ahead of the file that says what was taken.
  private func judgeStored(_ numbers: [Int], _ hasEnded: Bool) -> String? {
    let kept = machine.look { machine.outside.kept() } ?? [:]
    let counts = numbers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for (number, count) in kept.sorted(by: { $0.key < $1.key }) {
      let plain = number % Scenario.offset
      let most = hasEnded ? counts[plain] ?? 0 : max(1, machine.outside.sent[plain] ?? 0)
      if count > most { return "\(number) is kept \(count) times, and was to be \(most) times" }
    }
    if !hasEnded { return nil }
    for number in numbers.flatMap({ [$0, $0 + Scenario.offset] }) where !machine.outside.refused.contains(number) {
      let (count, wanted) = (kept[number] ?? 0, counts[number % Scenario.offset] ?? 0)
      if count < wanted { return "\(number) is kept \(count) times of \(wanted)" }
    }
    return nil
  }

  /// Of a sender: all has come, and not more often than it was sent.
  private func judgeSent(_ hasEnded: Bool) -> String? {
    let counts = taken.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    if let number = counts.keys.first(where: { counts[$0] ?? 0 > machine.outside.sent[$0] ?? 0 }) {
      return "took: \(number) was taken more often than it was sent"
    }
    if hasEnded, let number = (1...scenario.lines.count).first(where: { counts[$0] == nil }) {
      return "took: \(number) is missing"
    }
    return nil
  }

  /// What the first output says of the numbers that came.
  private var taken: [Int] {
    (machine.disk.text("took.txt") ?? "").split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap
    { Int($0) }
  }
}
