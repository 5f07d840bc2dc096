// What a simulation remembers outlives its program (reloading) and its process (snapshots).

import FRPBase
import FRPDifferential
@testable import FRPCommands
import FRPRuntime
import Testing

@testable import FRP

private func simulation(_ text: String) throws -> Simulation {
  let compiled = program(text)
  #expect(!compiled.hasErrors, "\(compiled.diagnostics.map(\.title))")
  let simulation = try Simulation(compiled)
  simulation.start()
  return simulation
}

private func program(_ text: String) -> Program { onLargeStack { Program(Source(name: "test.frp", text: text)) } }

@Suite struct EmbeddingReloadTests {
  @Test func stateIsKeptWhenAFunctionChanges() throws {
    let run = try simulation("input clicks: Event<Int>\noutput n = clicks |> fold(0, (s, x) => s + x)")
    try run.send("3", to: "clicks")
    let report = try run.replaceProgram(
      with: program("input clicks: Event<Int>\noutput n = clicks |> fold(0, (s, x) => s + 10 * x)"))
    #expect(report.kept == ["n"])
    #expect(report.restarted.isEmpty && report.new.isEmpty && report.dropped.isEmpty)
    #expect(try run.value(of: "n") == "3")
    try run.send("1", to: "clicks")
    #expect(try run.value(of: "n") == "13")
  }

  /// What stands behind a comment, or on another line, is the same definition.
  @Test func aPatternIsTheSameHoweverItIsLaidOut() throws {
    let values = "= (n |> count, n |> fold(0, (s, x) => s + x))\noutput a = cb\noutput b = cs"
    let run = try simulation("input n: Event<Int>\n(cb, // how many\n  cs) \(values)")
    try run.send("3", to: "n")
    for pattern in ["(cb, cs)", "(cb,cs)", "(\n  cb,\n  cs\n)"] {
      let report = try run.replaceProgram(with: program("input n: Event<Int>\n\(pattern) \(values)"))
      #expect(report.kept == ["(cb, cs)"])
      #expect(report.restarted.isEmpty && report.new.isEmpty && report.dropped.isEmpty)
      #expect(try run.value(of: "b") == "3")
    }
  }

  @Test func anotherStartValueOrTypeBeginsAnew() throws {
    let run = try simulation(
      "input e: Event<Int>\noutput a = e |> hold(0)\noutput b = e |> hold(0)\noutput c = e |> hold(7)")
    try run.send("5", to: "e")
    let report = try run.replaceProgram(
      with: program(
        """
        input e: Event<Int>
        output a = e |> hold(1)
        output b = e |> map(x => "{x}") |> hold("none")
        output d = e |> hold(9)
        """))
    #expect(report.restarted.map(\.name) == ["a", "b"])
    #expect(report.restarted.first?.reason == "its start value is another")
    #expect(report.restarted.last?.reason == "its type was Int and is String")
    #expect(report.new == ["d"])
    #expect(report.dropped == ["c"])
    #expect(try run.value(of: "a") == "1")
    #expect(try run.value(of: "b") == "\"none\"")
    #expect(report.text.contains("restarted: a (its start value is another), b"))
  }

  /// Only what is remembered needs its type: a sum that is shown as a text, a pause of whatever passes.
  @Test func whatIsShownMayHaveAnotherType() throws {
    let text = """
      input e: Event<Int>
      output sums = e |> mapAccum(0, (s, x) => (s + x, s + x))
      output few = e |> throttle(2s)
      output last = e |> debounce(2s)
      """
    let run = try simulation(text)
    try run.send("3", to: "e")
    let next = """
      input e: Event<Int>
      texts = e |> map(x => "{x}")
      output sums = e |> mapAccum(0, (s, x) => (s + x, "{s + x}"))
      output few = texts |> throttle(2s)
      output last = texts |> debounce(2s)
      """
    let report = try run.replaceProgram(with: program(next))
    #expect(report.restarted == [.init(name: "last", reason: "its type was Event<Int> and is Event<String>")])
    let shown = try ["sums", "few"].map { try run.program.events($0, of: String.self) }
    var seen: [String] = []
    let observations = shown.map { run.observe($0) { seen.append($0.value) } }
    defer { withExtendedLifetime(observations) {} }
    run.advance(to: 1)
    try run.send("4", to: "e")
    run.advance(to: 2)
    try run.send("5", to: "e")
    #expect(seen == ["7", "12", "5"])
  }

  @Test func anInputBeginsWithItsNewStartValue() throws {
    let text = "input g: Behavior<Float> = 9.5\ninput h: Behavior<Int> = 1\noutput twice = g * 2.0\noutput same = h"
    let run = try simulation(text)
    try run.send("3.0", to: "g")
    try run.send("7", to: "h")
    let report = try run.replaceProgram(with: program(text.replacing("9.5", with: "1.5")))
    #expect(report.restarted == [.init(name: "g", reason: "its start value is another")])
    #expect(report.kept == ["h"])
    #expect(try run.value(of: "twice") == "3.0")
    #expect(try run.value(of: "same") == "7")
  }

  @Test func timersAndWhatWaitsGoOn() throws {
    let text = """
      input e: Event<Int>
      late = e |> delay(2s)
      ticks = every(1s) |> count
      quiet = e |> debounce(3s)
      output all = merge(late, quiet) |> fold([], (l, x) => l ++ [x])
      output ticks
      """
    let run = try simulation(text)
    run.advance(to: 1.5)
    try run.send("7", to: "e")
    let report = try run.replaceProgram(with: program(text + "\noutput double = ticks * 2"))
    #expect(report.restarted.isEmpty)
    #expect(run.now == 1.5)
    run.advance(to: 3.5)
    #expect(try run.value(of: "all") == "[7]")
    run.advance(to: 4.5)
    #expect(try run.value(of: "all") == "[7,7]")
    #expect(try run.value(of: "double") == "8")
  }

  @Test func scopesKeepWhatTheyRemember() throws {
    let text = """
      input e: Event<(String, Int)>
      input names: Behavior<List<String>> = ["a", "b"]
      output totals = e |> groupBy(((k, _)) => k, (k, es) => es |> fold(0, (s, (_, x)) => s + x))
      output counts = each(names, n => n, n => e |> filter(((k, _)) => k == n) |> count)
      output last = e |> switch(0, ((_, x)) => e |> fold(x, (s, (_, y)) => s + y))
      """
    let run = try simulation(text)
    for value in ["[\"a\",1]", "[\"b\",2]", "[\"a\",3]"] { try run.send(value, to: "e") }
    let before = try ["totals", "counts", "last"].map { try run.value(of: $0) }
    let report = try run.replaceProgram(with: program(text + "\noutput many = size(totals)"))
    #expect(report.restarted.isEmpty, "\(report)")
    #expect(try ["totals", "counts", "last"].map { try run.value(of: $0) } == before)
    try run.send("[\"a\",10]", to: "e")
    #expect(try run.value(of: "totals") == "{\"a\":14,\"b\":2}")
    #expect(try run.value(of: "counts") == "[3,1]")
    #expect(try run.value(of: "many") == "2")
  }

  @Test func integralsGoOnAndInputsKeepTheirValues() throws {
    let run = try simulation(
      "input v: Behavior<Float> = 1.0\noutput x = integral(v)\noutput hit = when(x >= 10.0) |> count")
    try run.set("v", to: "2.0")
    run.advance(to: 3)
    let next = "input v: Behavior<Float> = 1.0\noutput x = integral(-v)\noutput hit = when(x >= 10.0) |> count"
    #expect(try run.replaceProgram(with: program(next)).restarted.isEmpty)
    #expect(try run.value(of: "x") == "6.0")
    run.advance(to: 4)
    #expect(try run.value(of: "x") == "4.0")
  }

  /// Whether a start value is the same is told by what it is made of.
  @Test func startValuesOfEveryForm() throws {
    let text = """
      input e: Event<Int>
      collatz(n) = if n == 1 then 0 else 1 + collatz(if n % 2 == 0 then div(n, 2) else 3 * n + 1)
      base = {x: collatz(837799), y: [collatz(97)]}
      output a = e |> hold(collatz(871))
      output b = e |> fold({...base, x: 3}, (p, k) => {...p, x: p.x + k})
      output c = e |> fold([1, 2] |> map(k => k + collatz(703)), (xs, k) => [k, ...xs])
      output d = e |> fold(k => k, (f, k) => y => f(y) + k) |> (f => f(1))
      """
    let run = try simulation(text)
    for value in [5, 7] { try run.send("\(value)", to: "e") }
    let names = ["a", "b", "c", "d"]
    let shown = try names.map(run.value)
    #expect(shown == ["7", #"{"x":15,"y":[118]}"#, "[7,5,171,172]", "13"])
    let report = try run.replaceProgram(with: program("output more = size(c)\n" + text))
    #expect(["a", "b", "c"].allSatisfy(report.kept.contains) && report.restarted.map(\.name) == ["d"], "\(report)")
    #expect(report.restarted.first?.reason == "it holds functions")
    #expect(try names.map(run.value) == shown.dropLast() + ["1"])
    let other = text.replacing("871", with: "872").replacing("x: 3}", with: "x: 4}").replacing("k + c", with: "k - c")
    let second = try run.replaceProgram(with: program(other))
    #expect(second.restarted.map(\.name).sorted() == names, "\(second)")
  }

  @Test func choicesOfSeveralThingsGoOn() throws {
    let text = """
      input e: Event<Int>
      input turn: Event<Int>
      view = switch(turn, {n: e |> count, up: e}, k => {n: e |> count, up: e |> map(x => x + k)})
      output n = view.n
      output sum = view.up |> fold(0, (s, x) => s + x)
      """
    let run = try simulation(text)
    try run.send("5", to: "e")
    for (number, expected) in [(1, ["2", "10"]), (2, ["1", "115"])] {
      #expect(try run.replaceProgram(with: program(text + "\noutput m\(number) = n")).restarted.isEmpty)
      try run.send("5", to: "e")
      #expect(try ["n", "sum"].map(run.value) == expected)
      try run.send("100", to: "turn")
    }
  }

  @Test func tasksUnderWayGoOn() throws {
    let text = """
      input go: Event<Int>
      job = go |> perform(Latest, x => Task.after(2s, x) |> timeout(5s))
      output got = job.results |> filterMap(ok) |> hold(0)
      output busy = job.busy
      """
    let run = try simulation(text)
    try run.send("4", to: "go")
    run.advance(to: 1)
    #expect(try run.replaceProgram(with: program(text + "\noutput more = got + 1")).restarted.isEmpty)
    #expect(try run.value(of: "busy") == "true")
    run.advance(to: 2)
    #expect(try run.value(of: "more") == "5")
    #expect(try run.value(of: "busy") == "false")
  }

  @Test func tasksThatWaitGoOn() throws {
    let text = """
      input go: Event<String>
      job = go |> perform(Queue, x => Task.after(2s, x ++ "!") |> timeout(5s))
      output got = job.results |> filterMap(ok) |> fold("", (++))
      """
    let run = try simulation(text)
    for name in ["a", "b", "c"] { try run.send("\"\(name)\"", to: "go") }
    run.advance(to: 1)
    #expect(try run.replaceProgram(with: program(text + "\noutput more = size(got)")).restarted.isEmpty)
    run.advance(to: 10)
    #expect(try run.value(of: "got") == "\"a!b!c!\"")
    // What waits for a function of the other program cannot go on.
    let other = text.replacing("|> timeout(5s)", with: "|> Task.map(y => y ++ y)")
    let next = try simulation(other)
    for name in ["a", "b"] { try next.send("\"\(name)\"", to: "go") }
    let report = try next.replaceProgram(with: program(other + "\noutput more = size(got)"))
    #expect(report.restarted.map(\.name) == ["job"], "\(report)")
    next.advance(to: 10)
    #expect(try next.value(of: "got") == "\"\"")
  }

  @Test func whatFailsChangesNothing() throws {
    let run = try simulation("input e: Event<Int>\noutput n = e |> hold(1)")
    try run.send("5", to: "e")
    #expect(throws: SimulationError.programHasErrors) { try run.replaceProgram(with: program("output n = y")) }
    #expect(throws: SimulationError.self) {
      try run.replaceProgram(
        with: program("input e: Event<Int>\noutput n = e |> hold(1)\noutput f = e |> hold(div(1, 0))"))
    }
    try run.send("6", to: "e")
    #expect(try run.value(of: "n") == "6")
  }

  @Test func recordedOutputsShowWhatIsAnother() throws {
    let run = try simulation("input e: Event<Int>\noutput n = e |> hold(1)")
    try run.record("n")
    try run.replaceProgram(with: program("input e: Event<Int>\nm = e |> hold(1)\noutput n = m + 1"))
    #expect(try run.occurrences(of: "n") == [Occurrence(time: 0, json: "2")])
  }
}

@Suite struct EmbeddingSnapshotTests {
  /// What stands still since the clock could not get past a moment does so in the restored run as well, until an instant changes
  /// what it reads.
  @Test func whatStandsStillGoesOnStanding() throws {
    let text = """
      input push: Event<Float>
      output x = integralFrom(v, 1.0, never)
      v = integralFrom(-9.81, 0.0, merge(push, hit |> map(_ => -0.5 * v)))
      hit = when(x <= 0.0)
      output hits = hit |> count
      """
    let run = try simulation(text)
    run.advance(to: 2)
    #expect(run.faults.map(\.code) == [.endlessInstant])
    let other = try Simulation(run.program)
    try other.restore(try run.snapshot())
    for one in [run, other] {
      one.advance(to: 3)
      #expect(abs(try #require(Double(one.value(of: "x")))) < 1e-9)
      try one.send("4.0", to: "push")
      one.advance(to: 3.5)
    }
    #expect(other.faults.isEmpty && run.faults.count == 1)
    #expect(try #require(Double(run.value(of: "x"))) > 0.5)
    #expect(try run.snapshot() == other.snapshot())
  }

  /// Programs with traces: run whole, and cut at every third line by a snapshot that another simulation restores.
  @Test(arguments: ProgramCase.all(in: "examples") + ProgramCase.all(in: "Tests/Golden/run"))
  func runningOnFromASnapshotIsRunningOn(_ name: String) throws {
    let folder = ProgramCase.all(in: "examples").contains(name) ? "examples" : "Tests/Golden/run"
    guard let bytes = try? Files.contents(of: "\(root)/\(folder)/\(name).frp") else { return }
    let modules = ModuleFiles(read: { try? Files.contents(of: "\(root)/\(folder)/\($0)") })
    let program = onLargeStack { Program(Source(name: "\(name).frp", bytes: bytes), modules: modules) }
    if program.hasErrors { return }
    let trace = (try? Files.contents(of: "\(root)/\(folder)/\(name).trace")) ?? Array("{\"at\":2}\n{\"at\":4}".utf8)
    let lines = trace.split(separator: 0x0A).prefix(60)
    let whole = try play(program, Array(lines), snapshotEvery: nil)
    let cut = try play(program, Array(lines), snapshotEvery: 3)
    guard let whole, let cut else { return }
    #expect(whole.count == cut.count)
    for (a, b) in zip(whole, cut) { #expect(ProgramCase.isNear(Substring(a), Substring(b)), "\(a) is not \(b)") }
  }

  /// What the outputs show, in text; nil if a snapshot cannot be made of this program.
  private func play(_ program: Program, _ lines: [ArraySlice<UInt8>], snapshotEvery step: Int?) throws -> [String]? {
    var run = try Simulation(program)
    var shown: [String] = []
    for output in program.outputs { try run.record(output.name) }
    run.start()
    for (number, line) in lines.enumerated() {
      let entry = Codec.TraceLine(run.reactor.heap)
      let isRead = Array(line).withUnsafeBufferPointer { text in
        (try? run.codec.decodeTrace(text, run.ports, into: entry)) ?? false
      }
      if !isRead { continue }
      run.reactor.advance(to: Clock.nanoseconds(entry.time ?? 0))
      run.reactor.send(entry)
      shown += try Self.shown(run)
      guard let step, number % step == step - 1, !run.reactor.isOver else { continue }
      if Self.delaysContinuous(run) { return nil }
      let next = try Self.resumed(run)
      shown += try Self.shown(run)
      run = next
    }
    run.advance(to: run.now + 3)
    shown += try Self.shown(run)
    return shown
  }

  private static func shown(_ run: Simulation) throws -> [String] {
    try run.program.outputs.flatMap { output in
      try run.occurrences(of: output.name).map { "\(output.name) \($0.time) \($0.json)" }
    }
  }

  private static func delaysContinuous(_ run: Simulation) -> Bool {
    do {
      _ = try run.snapshot()
      return false
    } catch {
      return true
    }
  }

  private static func resumed(_ run: Simulation) throws -> Simulation {
    let snapshot = try run.snapshot()
    let next = try Simulation(run.program)
    for output in run.program.outputs { try next.record(output.name) }
    try next.restore(try Snapshot(bytes: snapshot.bytes))
    if try next.snapshot() != snapshot {
      let place = try Snapshots.difference(run.reactor.image(), next.reactor.image())
      Issue.record("restoring is not the identity: \(place)")
    }
    return next
  }

  /// Everything that remembers.
  private static let operators = [
    "taken = e |> take(7)",
    "dropped = e |> drop(3)",
    "low = e |> takeWhile(x => x < 9)",
    "high = e |> dropWhile(x => x < 9)",
    "early = e |> takeUntil(s)",
    "late = e |> dropUntil(s)",
    "first = s |> once",
    "parts = e |> map(x => x % 2) |> distinct",
    "pairs = e |> pairwise",
    "both = zip(e, s)",
    "threes = e |> buffer(3)",
    "batches = e |> batch(every(250ms))", "untils = e |> bufferUntil(every(250ms))", "slid = e |> buffer(4, 2)",
    "gaps = e |> buffer(2, 5)", "mapped = e |> mapAccum([], (l, x) => (takeLast(l ++ [x], 4), sum(l)))",
    "through = e |> takeThrough(x => x < 9)", "known = e |> unique(x => x % 5)", "numbered = e |> indexed",
    "counts = e |> countBy(x => x % 3)", "totals = e |> sumBy(x => x % 3, x => x)", "shownFirst = updates(level)",
    "best = e |> summary(450ms, x => [x], (a, b) => a ++ b)", "calmBy = e |> debounce(x => after(130ms))",
    "throttledBy = e |> throttle(x => s)", "auditedBy = e |> audit(x => every(210ms))",
    "limited = (e |> perform(Limit(2), x => Task.after(380ms, x))).results",
    "keysUntil = e |> keyedUntil(x => x % 3, (k, es) => (es |> pairwise, es |> filter(x => x % 4 == 0)))",
    "groupsUntil = e |> groupUntil(x => x % 3, (k, es) => (es |> count, after(370ms)))",
    "delayed = e |> delay(220ms)",
    "calm = e |> debounce(130ms)",
    "throttled = e |> throttle(400ms)",
    "audited = e |> audit(300ms)",
    "recent = window(e, 500ms)",
    "sums = e |> scan(0, (+))",
    "shifted = Behavior.delay(level, 150ms)",
    "rises = when(level > 4) |> count",
    "full = when(integralFrom(level |> toFloat, 0.0, s |> map(_ => 0.0)) >= 3.0) |> count",
    "turned = e |> switch(0, x => every(170ms) |> fold(x, (n, _) => n + 1))",
    "inner = e |> flatMap(x => s |> take(2) |> map(_ => x))",
    "newest = e |> flatMapLatest(x => every(90ms) |> map(_ => x) |> take(3))",
    "keys = e |> keyed(x => x % 3, (k, es) => es |> pairwise)",
    "groups = e |> groupBy(x => x % 3, (k, es) => es |> count)",
    "rows = each([level % 3, 5 + level % 2], n => n, n => n * 2 + (changes(level) |> count))",
    "last = (e |> perform(Latest, x => Task.after(260ms, x))).results",
    "answers = (e |> perform(All, x => Task.await(e, y => y > x) |> timeout(600ms))).results",
    "either = (e |> perform(Limit(2), x => Task.race([Task.await(s) |> Task.map(_ => x), Task.await(e)]))).results",
    "linked = (e |> listen(Latest, x => Source.fromList([(80ms, x)]) |> reconnect(n => if n < 3 then Some(150ms) else None))).state",
    "brought = (e |> listen(All, x => Source.fromList([(80ms, x), (90ms, x + 1)]) |> Source.map(y => y * 2))).items",
    "queued = (e |> perform(Queue, x => Task.after(180ms, x) |> timeout(1s))).results",
    #"again = (e |> perform(Ignore, x => Task.after(120ms, x) |> andThen(y => Task.fail("{y}")) |> retry(2))).busy"#,
  ]

  /// The same of what lies in the heap.
  private static let operatorsOnTexts = [
    "same = t |> distinct", "twos = t |> pairwise", "zipped = zip(t, s)", "lists = t |> buffer(3)",
    "lists2 = t |> buffer(3, 1)",
    "accum = t |> mapAccum(\"\", (a, b) => (takeLast(a ++ b, 6), a ++ b))",
    "longest = t |> summary(450ms, x => x, (a, b) => a ++ b)",
    "firsts = t |> unique(x => x)", "pauses = t |> audit(x => after(200ms) |> map(_ => x))",
    "batched = t |> batch(every(250ms))", "slow = t |> delay(220ms)", "quiet = t |> debounce(130ms)",
    "rare = t |> throttle(400ms)", "ends = t |> audit(300ms)", "window2 = window(t, 500ms)",
    "long = t |> scan(\"\", (a, b) => takeLast(a ++ b, 6))", "past = Behavior.delay(t |> hold(\"\"), 150ms)",
    "turns = t |> switch(\"\", x => every(170ms) |> fold(x, (a, _) => a ++ \".\"))",
    "each2 = t |> flatMap(x => s |> take(2) |> map(_ => x))",
    "byText = t |> keyed(x => x, (k, es) => es |> map(x => k ++ x))",
    "held = t |> groupBy(x => x, (k, es) => es |> scan(k, (a, b) => takeLast(a ++ b, 9)) |> hold(k))",
    "shown = each(window(t, 700ms) |> distinct, x => x, x => x ++ x)",
    "lost = (t |> listen(Queue, x => Source.fail(x) |> reconnect(n => if n < 4 then Some(70ms) else None))).state",
    "tried = (t |> listen(Ignore, x => Source.fail(x) |> reconnect(n => if n < 4 then Some(70ms) else None))).ends",
    "waits = (t |> perform(Queue, x => Task.after(180ms, x) |> timeout(1s))).results",
    "whole = (t |> perform(All, x => Task.all([Task.after(180ms, x), Task.after(90ms, x ++ \"!\")]))).results",
    "first2 = (t |> perform(Latest, x => Task.race([Task.after(280ms, x), Task.after(190ms, x ++ \"!\")]))).results",
    "replies = t |> flatMap(x => (after(20ms) |> perform(All, _ => Task.await(t) |> Task.map(y => x ++ y))).results)",
  ]

  /// Whatever an operator remembers: cut after every line, the run shows what it shows in one piece.
  @Test(arguments: operators + operatorsOnTexts + [(operators + operatorsOnTexts).joined(separator: "\noutput ")])
  func allThatOperatorsRememberIsKept(_ definitions: String) throws {
    let inputs = "input e: Event<Int>\ninput s: Event<()>\nlevel = e |> hold(0)\nt = e |> map(x => \"v{x % 4}\")\n"
    let text = inputs + "output " + definitions
    let program = try simulation(text).program
    let times = [50, 100, 300, 310, 450, 600, 900, 950, 1000, 1300, 1310, 1800, 2100, 2150, 2500]
    let lines = times.enumerated().map { place, time in
      let others = place % 4 == 2 ? ", \"s\": null" : ""
      return Array("{\"at\": \(Double(time) / 1000), \"e\": \(place * 5 % 13)\(others)}".utf8)[...]
    }
    let whole = try #require(try play(program, lines, snapshotEvery: nil))
    let cut = try #require(try play(program, lines, snapshotEvery: 1))
    // In one piece, each output shows all it has before the next does.
    for name in program.outputs.map(\.name) {
      let shown = cut.filter { $0.hasPrefix(name + " ") }
      #expect(shown == whole.filter { $0.hasPrefix(name + " ") }, "\(name)")
      #expect(!shown.isEmpty, "\(name)")
    }
  }

  @Test func functionsAndDeepValuesAreKept() throws {
    let text = """
      type Tree = Leaf | Node(Tree, Int)
      input e: Event<Int>
      output n = apply(e |> fold(x => x, (f, k) => y => f(y) + k), 1)
      output depth = e |> fold(Leaf, (t, k) => Node(t, k)) |> sizeOf
      apply(f, x) = f(x)
      sizeOf(t) = match t { Leaf => 0; Node(u, _) => 1 + sizeOf(u) }
      """
    let run = try simulation(text)
    for value in 0..<50 { try run.send("\(value)", to: "e") }
    let next = try Simulation(run.program)
    try next.restore(try run.snapshot())
    #expect(try next.value(of: "n") == run.value(of: "n"))
    #expect(try next.value(of: "depth") == "50")
  }

  /// A record of more fields than one word has marks for.
  @Test func wideRecordsAreKept() throws {
    let fields = (0..<70).map { $0 % 3 == 0 ? "f\($0): \"{k}-\($0)\"" : "f\($0): k + \($0)" }.joined(separator: ", ")
    let text = "input e: Event<Int>\noutput r = e |> scan([], (all, k) => [{\(fields)}, ...all]) |> hold([])\n"
    let run = try simulation(text)
    for value in [3, 100] { try run.send("\(value)", to: "e") }
    let snapshot = try run.snapshot()
    let next = try Simulation(run.program)
    try next.restore(try Snapshot(bytes: snapshot.bytes))
    #expect(try next.snapshot() == snapshot)
    for one in [run, next] { try one.send("-1", to: "e") }
    let shown = try next.value(of: "r")
    #expect(try shown == run.value(of: "r"))
    #expect(shown.contains("\"f69\":\"100-69\"") && shown.contains("\"f68\":71"))
  }

  @Test func otherProgramsAndDamageAreRefused() throws {
    let run = try simulation("input e: Event<Int>\noutput n = e |> hold(1)")
    try run.send("5", to: "e")
    let snapshot = try run.snapshot()
    let other = try simulation("input e: Event<Int>\noutput n = e |> hold(2)")
    #expect(throws: SimulationError.unusableSnapshot("it is of another program")) { try other.restore(snapshot) }
    #expect(try other.value(of: "n") == "2")
    for place in snapshot.bytes.indices {
      var bytes = snapshot.bytes
      bytes[place] ^= 0x10
      #expect(throws: SimulationError.self) { _ = try Snapshot(bytes: bytes) }
    }
    #expect(throws: SimulationError.self) { _ = try Snapshot(bytes: []) }
    let unstarted = try Simulation(run.program)
    #expect(throws: SimulationError.notBetweenInstants) { _ = try unstarted.snapshot() }
  }
}
