// Functions and tasks of a host: types from closures, faults with both places, cancelling, snapshots, replay.

import FRPBase
import FRPRuntime
import Foundation
import Synchronization
import Testing

@testable import FRP

private func compiled(_ text: String, _ modules: HostModule...) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text), host: modules)
  try #require(!program.hasErrors, "\(program.report)")
  return program
}

private func started(_ program: Program) throws -> Simulation {
  let run = try Simulation(program)
  run.start()
  return run
}

private let geo = HostModule("Geo", help: "Places.") {
  $0.function("distance", "x", "y", help: "How far it is to the origin.") { (x: Double, y: Double) in
    (x * x + y * y).squareRoot()
  }
  $0.function("double") { (n: Int) in n * 2 }
  $0.function("label") { (name: String, tags: [String], zip: Int?) in
    "\(name) \(tags.joined(separator: "+")) \(zip.map(String.init) ?? "-")"
  }
  $0.function("origin") { 0.5 }
  $0.function("check", help: "Throws below 0.") { (n: Int) throws in
    if n < 0 { throw FrpError("\(n) is below 0") }
    return n
  }
  $0.function("same") { (value: FrpValue) in value }
  $0.function("forget") { (value: FrpValue) in FrpUnit() }
}

@Suite struct HostFunctionTests {
  @Test func closuresAreCalledWithTheirTypes() throws {
    let program = try compiled(
      """
      input x: Behavior<Float> = 3.0
      input names: Event<String>
      output far = Geo.distance(x, 4.0) + Geo.origin
      output twice = [1, 2, 3] |> map(Geo.double)
      output labels = names |> map(n => Geo.label(n, ["a", "b"], if n == "x" then None else Some(9))) |> hold("")
      """, geo)
    let run = try started(program)
    #expect(try run.value(of: "far") == "5.5")
    try run.set("x", to: "0.0")
    #expect(try run.value(of: "far") == "4.5")
    #expect(try run.value(of: "twice") == "[2,4,6]")
    try run.send("\"x\"", to: "names")
    #expect(try run.value(of: "labels") == "\"x a+b -\"")
    try run.send("\"y\"", to: "names")
    #expect(try run.value(of: "labels") == "\"y a+b 9\"")
  }

  @Test func itsTypesAreCheckedAgainstTheUse() {
    let program = Program(
      Source(
        name: "test.frp", text: "output far = Geo.distance(1, \"a\")\noutput b = Geo.far(1)\noutput c = Geography.x"),
      host: [geo])
    #expect(
      program.diagnostics.map(\.code) == [.typeMismatch, .unknownMember, .moduleNotImported], "\(program.report)")
    #expect(program.report.contains("Float"))
  }

  @Test func importIsAllowedAndFilesAreHidden() throws {
    let program = Program(
      Source(name: "test.frp", text: "import Geo\nimport Other\noutput n = Other.quadruple(2)"),
      modules: ModuleFiles(read: { path in
        path == "Other.frp" ? Array("quadruple(n) = Geo.double(Geo.double(n))".utf8) : Array("x = 1".utf8)
      }), host: [geo])
    #expect(program.diagnostics.map(\.code) == [.unusedDefinition], "\(program.report)")
    #expect(try started(program).value(of: "n") == "8")
  }

  @Test func valuesOfAnyTypePassThrough() throws {
    let program = try compiled(
      """
      type Shape = Dot | Box(w: Float)
      input shape: Event<Shape>
      output same = shape |> map(s => Geo.same(s)) |> hold(Dot)
      output pair = paired(Geo.same((1, "a")))
      paired(p: (Int, String)) = p
      """,
      geo)
    let run = try started(program)
    try run.send("{\"Box\":{\"w\":2}}", to: "shape")
    #expect(try run.value(of: "same") == "{\"Box\":{\"w\":2.0}}")
    #expect(try run.value(of: "pair") == "[1,\"a\"]")
  }

  @Test func throwingIsAFaultThatShowsBothPlaces() throws {
    let program = try compiled(
      "input n: Event<Int>\nchecked = n |> map(k => 1 + Geo.check(k))\noutput last = checked |> hold(0)", geo)
    let run = try started(program)
    try run.send("1", to: "n")
    #expect(throws: SimulationError.self) { try run.send("-5", to: "n") }
    #expect(try run.value(of: "last") == "2")
    let fault = try #require(run.faults.first)
    #expect(fault.code == .hostFailure)
    #expect(fault.title == "`Geo.check` failed: -5 is below 0 in `checked`, at 0 s")
    #expect(program.sources.text(fault.span) == "Geo.check(k)")
    #expect(fault.labels.map { program.sources.text($0.span) } == ["check"])
    #expect(fault.notes.contains { $0.contains("HostTests.swift:") })
    try run.send("7", to: "n")
    #expect(try run.value(of: "last") == "8")
  }

  @Test func aResultOfTheWrongShapeIsAFault() throws {
    let program = try compiled("input n: Event<Int>\noutput s: Event<String> = n |> map(k => Geo.same(k))", geo)
    let run = try started(program)
    #expect(throws: SimulationError.self) { try run.send("1", to: "n") }
    #expect(run.faultMessages.first?.contains("expected String, found an Int") == true, "\(run.faultMessages)")
  }

  @Test func collectionsDoNotDisturbCalls() throws {
    let program = try compiled(
      "input n: Event<Int>\noutput all = n |> fold([], (l, k) => l ++ [Geo.label(\"n{k}\", [\"{k}\"], Some(k))])", geo)
    let run = try started(program)
    run.reactor.heap.collectAlways = true
    for value in 0..<50 { try run.send("\(value)", to: "n") }
    #expect(try run.value(of: "all").contains("\"n49 49 49\"]"))
  }

  @Test func functionsAreDocumented() throws {
    #expect(
      geo.interface.hasPrefix("// Places.\n/// How far it is to the origin.\ndistance(x: Float, y: Float): Float\n"))
    let other = HostModule("Geo", interface: geo.interface)
    #expect(other.functions.map(\.signature) == geo.functions.map(\.signature))
    #expect(other.functions.map(\.help) == geo.functions.map(\.help))
    let program = try compiled("input x: Event<Float>\noutput far = x |> map(v => Geo.distance(v, v))", other)
    let run = try started(program)
    #expect(throws: SimulationError.self) { try run.send("1.0", to: "x") }
    #expect(run.faultMessages.first?.contains("nobody provides `Geo.distance` here") == true)
    let broken = Program(
      Source(name: "t.frp", text: "output x = 1"), host: [HostModule("Geo", interface: "what(is this")])
    #expect(broken.hasErrors)
  }

  /// What takes nothing may be declared with parentheses, and is then called with them.
  @Test func parenthesesMayBeEmpty() throws {
    let counted = HostModule(
      "Count", interface: "/// The next.\nnext(): Int\nname: String\nsum(a: Int, b: Int,): Int\nfetch( ): Task<Int>\n"
    ) { name, arguments in name == "name" ? "\"n\"" : name == "next" ? "\(arguments.utf8.count)" : "7" }
    #expect(counted.mistakes == [])
    #expect(
      counted.functions.map(\.signature).prefix(3) == ["next(): Int", "name: String", "sum(a: Int, b: Int): Int"])
    #expect(HostModule("Count", interface: counted.interface).interface == counted.interface)
    let text = """
      input n: Event<Int>
      output a = Count.next()
      output b = n |> map(k => k + Count.next()) |> hold(0)
      output c = Count.sum(1, 2)
      output d = Count.name
      f = Count.next
      output e = f()
      q = n |> perform(All, k => Count.fetch())
      output g = q.results |> filterMap(ok) |> hold(0)
      """
    let run = try started(try compiled(text, counted))
    try run.send("40", to: "n")
    #expect(try ["a", "b", "c", "d", "e"].map { try run.value(of: $0) } == ["2", "42", "7", "\"n\"", "2"])
    #expect(run.tasks.map(\.arguments) == [[]])
    try run.end(run.tasks[0].id, json: "5")
    #expect(try run.value(of: "g") == "5")
    final class Idle: HostUnderway { func cancel() {} }
    let jobs = HostModule("Jobs") { $0.operation("ping(): Task<Int>") { _ in { _ in Idle() } } }
    #expect(jobs.mistakes == [] && jobs.interface == "ping(): Task<Int>\n")
  }
}

private let jobs = HostModule("Jobs") {
  $0.task("fetch", "path") { (path: String) async throws in
    if path == "bad" { throw FrpError("no such path") }
    return "<\(path)>"
  }
  $0.task("count") { (list: [Int]) async in list.count }
  $0.task("ping") { () async in 1 }
  $0.task("forever") { () async throws in
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
}

private let fetching = """
  input path: Event<String>
  job = path |> perform(Latest, p => Jobs.fetch(p) |> map(t => t ++ "!"))
  output got = job.results |> map(r => match r { Ok(t) => t; Err(e) => "error: " ++ e.message }) |> hold("")
  output busy = job.busy
  """

@Suite struct HostTaskTests {
  @Test func tasksAreDoneByTheHost() async throws {
    let run = try started(try compiled(fetching, jobs))
    try run.send("\"a\"", to: "path")
    #expect(try run.value(of: "busy") == "true")
    #expect(run.tasks.map(\.name) == ["Jobs.fetch"])
    #expect(run.tasks.map(\.arguments) == [[.text("a")]])
    for task in run.tasks { try run.end(task.id, with: await task.run()) }
    #expect(try run.value(of: "got") == "\"<a>!\"")
    #expect(try run.value(of: "busy") == "false")
    try run.send("\"bad\"", to: "path")
    for task in run.tasks { try run.end(task.id, with: await task.run()) }
    #expect(try run.value(of: "got") == "\"error: no such path\"")
  }

  @Test func aNewOneCancelsTheOld() throws {
    let run = try started(try compiled(fetching, jobs))
    var cancelled: [Int] = []
    run.taskCancelled = { cancelled.append($0) }
    try run.send("\"a\"", to: "path")
    try run.send("\"b\"", to: "path")
    #expect(cancelled == [1])
    #expect(run.tasks.map(\.id) == [2])
    try run.end(1, with: .success(.text("late")))
    #expect(try run.value(of: "got") == "\"\"")
    #expect(throws: SimulationError.self) { try run.end(2, with: .success(.integer(3))) }
    try run.end(2, with: .success(.text("B")))
    #expect(try run.value(of: "got") == "\"B!\"")
  }

  @Test func wordsAndReferencesComeBack() throws {
    let program = try compiled(
      """
      input go: Event<List<Int>>
      many = go |> perform(All, l => Jobs.count(l))
      one = go |> perform(All, l => Task.all([Jobs.ping, Jobs.count(l)]) |> timeout(5s))
      output counts = many.results |> filterMap(ok) |> fold([], (l, n) => l ++ [n])
      output both = one.results |> filterMap(ok) |> hold([])
      """, jobs)
    let run = try started(program)
    run.reactor.heap.collectAlways = true
    try run.send("[1,2,3]", to: "go")
    try run.send("[4]", to: "go")
    for (task, value) in zip(run.tasks, [3, 1, 3, 1, 1, 1]) { try run.end(task.id, with: .success(.integer(value))) }
    #expect(try run.value(of: "counts") == "[3,1]")
    #expect(try run.value(of: "both") == "[1,1]")
  }

  @Test func snapshotsKeepTasksUnderWay() throws {
    let program = try compiled(fetching, jobs)
    let run = try started(program)
    try run.send("\"a\"", to: "path")
    let snapshot = try run.snapshot()
    let next = try Simulation(program)
    try next.restore(snapshot)
    #expect(next.tasks.map(\.arguments) == [[.text("a")]])
    let task = try #require(next.tasks.first)
    try next.end(task.id, with: .success(.text("x")))
    #expect(try next.value(of: "got") == "\"x!\"")
  }

  private static func asking(_ more: String) -> String {
    """
    input path: Event<String>
    input list: Event<List<Int>>
    plain = path |> perform(All, p => Jobs.fetch(p) |> timeout(60s))
    waiting = list |> perform(Queue, l => Jobs.count(l))
    output got = merge(plain.results |> map(r => "{r}"), waiting.results |> map(r => "{r}")) |> fold([], (l, t) => l ++ [t])
    \(more)
    """
  }

  @Test func tasksGoOnInAnotherProgram() throws {
    let first = try compiled(Self.asking("output a = 1"), jobs)
    // Another host, other numbers of functions and types, another text around the same definitions.
    let other = HostModule("Jobs") {
      $0.task("other") { (list: [String]) async in list.count }
      $0.task("count", "list") { (list: [Int]) async in list.count }
      $0.task("fetch", "path") { (path: String) async throws in path }
    }
    let second = try compiled("output zero = [(1, \"x\", 2.0)]\n" + Self.asking("output b = [1.0]"), other)
    let run = try started(first)
    run.reactor.heap.collectAlways = true
    var cancelled: [Int] = []
    var begun: [Int] = []
    run.taskCancelled = { cancelled.append($0) }
    run.taskBegan = { begun.append($0.id) }
    try run.send("\"a\"", to: "path")
    try run.send("[1,2]", to: "list")
    try run.send("[3]", to: "list")
    #expect(begun == [1, 2])
    let report = try run.replaceProgram(with: second)
    #expect(report.restarted.isEmpty, "\(report.text)")
    #expect(cancelled.isEmpty && begun == [1, 2])
    #expect(run.tasks.map(\.id) == [1, 2])
    try run.end(1, with: .success(.text("A")))
    try run.end(2, with: .success(.integer(2)))
    // The one that waited begins now, with the new program's function.
    #expect(begun == [1, 2, 3])
    #expect(run.tasks.map(\.arguments) == [[.list([.integer(3)])]])
    try run.end(3, with: .success(.integer(1)))
    #expect(try run.value(of: "got") == "[\"Ok(\\\"A\\\")\",\"Ok(2)\",\"Ok(1)\"]")
  }

  /// The task, the function that it comes from or what that calls: a sink that is another has never had the value that there is. How a text is laid
  /// out, and what it calls things, are no difference.
  @Test func aSinkThatIsAnotherGetsThePresentValue() throws {
    func text(_ sink: String, _ more: String = "") throws -> Program {
      try compiled("input path: Event<String>\noutput last = path |> hold(\"\") to \(sink)\n\(more)", jobs)
    }
    let run = try started(try text("p => Jobs.fetch(p)"))
    try run.send("\"a\"", to: "path")
    var begun: [[FrpValue]] = []
    run.taskBegan = { begun.append($0.arguments) }
    func endAll() throws {
      run.advance(by: 1)
      while let task = run.tasks.first {
        try run.end(task.id, with: .success(task.name == "Jobs.count" ? .integer(1) : .text("")))
        run.advance(by: 1)
      }
    }
    func asked(_ sink: String, _ more: String = "") throws -> [[FrpValue]] {
      try endAll()
      begun = []
      try run.replaceProgram(with: text(sink, more))
      try endAll()
      return begun
    }
    #expect(try asked("q =>\n  Jobs.fetch(q)").isEmpty)
    #expect(try asked("get", "get(p: String): Task<String> = Jobs.fetch(p)").isEmpty)
    let get = "get(p: String): Task<String> = Jobs.fetch(\"{p}{more}\")\nmore = "
    #expect(try asked("get", get + "\"x\"") == [[.text("ax")]])
    #expect(try asked("get", get + "\"y\"") == [[.text("ay")]])
    #expect(try asked("get", get + "\"y\"\noutput z = more").isEmpty)
    #expect(try asked("p => Jobs.count([size(p)])") == [[.list([.integer(1)])]])
  }

  @Test func tasksOfAnotherSignatureAreCancelled() throws {
    let other = HostModule("Jobs") {
      $0.task("fetch", "path", "again") { (path: String, again: Bool) async throws in path }
      $0.task("count", "list") { (list: [Int]) async in list.count }
    }
    let first = try compiled(
      "input path: Event<String>\njob = path |> perform(All, p => Jobs.fetch(p))\noutput got = job.results", jobs)
    let second = try compiled(
      "input path: Event<String>\njob = path |> perform(All, p => Jobs.fetch(p, true))\noutput got = job.results", other
    )
    let run = try started(first)
    var cancelled: [Int] = []
    run.taskCancelled = { cancelled.append($0) }
    try run.send("\"a\"", to: "path")
    let report = try run.replaceProgram(with: second)
    #expect(report.restarted.map(\.reason) == ["a task was under way"])
    #expect(cancelled == [1] && run.tasks.isEmpty)
  }

  /// What waits in a queue holds code of the old program, too.
  @Test func waitingTasksWithFunctionsBeginAnew() throws {
    func text(_ more: String) -> String {
      more
        + "input n: Event<Int>\njob = n |> perform(Queue, k => Task.after(1s, k) |> Task.map(x => x * 10))\noutput got = job.results"
    }
    let run = try started(try compiled(text("")))
    for value in 1...3 { try run.send("\(value)", to: "n") }
    let report = try run.replaceProgram(with: compiled(text("output f = [1] |> map(x => x + 1) |> map(x => x - 1)\n")))
    #expect(report.restarted.map(\.name) == ["job"])
    try run.record("got")
    run.advance(by: 10)
    #expect(try run.occurrences(of: "got").isEmpty)
  }

  @Test func aReplayNeedsNoHost() async throws {
    let program = try compiled(fetching + "\noutput late = path |> delay(1s) |> hold(\"\")", jobs)
    let run = try Simulation(program)
    run.beginLog()
    for name in ["got", "busy", "late"] { try run.record(name) }
    run.start()
    for (place, path) in ["a", "bad", "c"].enumerated() {
      run.advance(to: Double(place))
      try run.send("\"\(path)\"", to: "path")
      run.advance(by: 0.25)
      if place != 1 { for task in run.tasks { try run.end(task.id, with: await task.run()) } }
    }
    run.finish()
    let again = try Simulation(program)
    for name in ["got", "busy", "late"] { try again.record(name) }
    try again.replay(run.log)
    for name in ["got", "busy", "late"] {
      let wanted = try run.occurrences(of: name)
      #expect(wanted.count > 1)
      #expect(try again.occurrences(of: name) == wanted)
    }
  }

  /// Says how its operations are called.
  private final class Feed: HostUnderway {
    let calls = Mutex<[String]>([])
    func cancel() {}

    var module: HostModule {
      HostModule("Feed") { module in
        module.operation("words(name: String): Source<String>") { call in
          self.calls.withLock { $0.append("\(call.text(0)): \(call.isReconnected)") }
          return { _ in self }
        }
      }
    }
  }

  /// A source that goes on by itself says how it stands, and a replay goes the same way. Where the program has a `reconnect`, it
  /// hears that.
  @Test func aSourceThatGoesOnByItself() throws {
    let feed = Feed()
    let program = try compiled(
      """
      alone = start |> listen(All, _ => Feed.words("alone") |> map(w => w) |> filterMap(w => Some(w)))
      led = start |> listen(All, _ => Feed.words("led") |> map(w => w) |> reconnect(n => Some(1s)) |> map(w => w))
      output state = alone.state
      output words = merge(alone.items, led.items)
      """, feed.module)
    let run = try Simulation(program)
    run.beginLog()
    try run.record("state")
    run.start()
    #expect(feed.calls.withLock { $0.sorted() } == ["alone: false", "led: true"])
    let task = try #require(run.tasks.first { $0.arguments == [.text("alone")] }).id
    let retrying = HostReport.retrying("it ended")
    for report in [.opened, retrying, .retrying("refused"), .opened, retrying, .item(.value(.text("a")))] {
      run.advance(by: 1)
      try run.take(report, of: task)
    }
    let states = try run.occurrences(of: "state")
    #expect(try run.value(of: "state") == "\"Open\"")
    let said = "\(states)".split(separator: "Retrying").count - 1
    #expect(states.count == 7 && said == 3, "\(states)")
    let log = try JSONDecoder().decode(InputLog.self, from: JSONEncoder().encode(run.log))
    let again = try Simulation(program)
    try again.record("state")
    try again.replay(log)
    #expect(try again.occurrences(of: "state") == states)
  }

  /// What an observer sends shares its micro-step with what the program itself causes there.
  private static let answering = """
    input n: Event<Int>
    input back: Event<Int>
    input level: Behavior<Int> = 0
    input path: Event<String>
    output seen = merge(n, soon |> map(k => k + 1000)) |> filter(k => k < 3000)
    soon = n |> delay(0s)
    output order = merge(soon |> map(k => "soon {k}"), back |> map(k => "back {k} at {level}"), n |> map(k => "n {k}"))
      |> fold([], (l, t) => l ++ [t])
    job = path |> perform(All, p => Jobs.fetch(p))
    output got = merge(job.results |> map(r => "{r}"), soon |> map(k => "after {k}")) |> fold("", (a, b) => a ++ b)
    """

  /// Sends and ends tasks from inside of callbacks.
  private func answer(_ run: Simulation, _ program: Program) throws {
    let back = try program.eventInput("back", of: Int.self)
    let level = try program.behaviorInput("level", of: Int.self)
    run.observe(try program.events("seen", of: Int.self)) { seen in
      try? run.send(seen.value * 10, to: back)
      if seen.value % 2 == 0 { try? run.send([("back", "7"), ("back", "8")]) }
      try? run.set(level, to: seen.value)
      if let task = run.tasks.first { try? run.end(task.id, with: .success(.text("<\(seen.value)>"))) }
    }
    run.observe(try program.behavior("order", of: [String].self)) { order in
      if order.value.count == 3 { try? run.send("-1", to: "back") }
    }
  }

  @Test func whatObserversSendIsReplayedWhereItWas() throws {
    let program = try compiled(Self.answering, jobs)
    let outputs = ["seen", "order", "got"]
    let run = try Simulation(program)
    run.reactor.heap.collectAlways = true
    run.beginLog()
    for name in outputs { try run.record(name) }
    try answer(run, program)
    run.start()
    try run.send("\"a\"", to: "path")
    try run.send([("n", "1"), ("n", "2")])
    run.advance(by: 1)
    try run.send("\"b\"", to: "path")
    for value in 3...5 { try run.send("\(value)", to: "n") }
    run.finish()
    #expect(run.log.entries.contains { if case .answer = $0 { true } else { false } })
    let wanted = try outputs.map { try run.occurrences(of: $0) }
    let log = try JSONDecoder().decode(InputLog.self, from: JSONEncoder().encode(run.log))
    #expect(log == run.log)
    for isObserved in [false, true] {
      let again = try Simulation(program)
      again.beginLog()
      for name in outputs { try again.record(name) }
      // What they send in a replay is not taken: it stands in the log.
      if isObserved { try answer(again, program) }
      try again.replay(log)
      #expect(try outputs.map { try again.occurrences(of: $0) } == wanted)
      #expect(again.log == log)
    }
  }

  /// A log of a live run says which moment time 0 was; one of old, without that, is read.
  @Test func aReplayHasTheEpochOfItsLog() throws {
    let program = try compiled(
      "input n: Event<Int>\noutput day = n |> map(_ => Date.format(Date.epoch + time, \"yyyy-MM-dd\"))")
    let run = try Simulation(program)
    run.epoch = 1_767_323_045.6
    run.beginLog()
    run.start()
    try run.send("1", to: "n")
    let log = try JSONDecoder().decode(InputLog.self, from: JSONEncoder().encode(run.log))
    let again = try Simulation(program)
    try again.record("day")
    try again.replay(log)
    #expect(try again.occurrences(of: "day").map(\.json) == ["\"2026-01-02\""])
    let old = try JSONDecoder().decode(InputLog.self, from: Data("{\"entries\":[],\"end\":0}".utf8))
    #expect(old.epoch == nil)
  }

  @Test func aReplayGoesOnFromASnapshot() throws {
    let program = try compiled(Self.answering, jobs)
    let run = try started(program)
    try answer(run, program)
    try run.send("1", to: "n")
    let snapshot = try run.snapshot()
    run.beginLog()
    for value in 2...4 {
      run.advance(by: 0.5)
      try run.send("\(value)", to: "n")
    }
    let again = try Simulation(program)
    try again.restore(snapshot)
    try again.replay(run.log)
    #expect(try again.value(of: "order") == run.value(of: "order"))
    #expect(try again.snapshot() == run.snapshot())
  }

  @Test func aLogOfAnotherProgramIsRefused() throws {
    let run = try Simulation(try compiled(Self.answering, jobs))
    run.beginLog()
    try answer(run, run.program)
    run.start()
    try run.send("1", to: "n")
    let other = try Simulation(try compiled("input n: Event<Int>\noutput seen = n"))
    #expect(throws: SimulationError.unknownPort(name: "back", near: nil)) { try other.replay(run.log) }
  }

  @Test func aSessionRunsThemAndCancelsThem() async throws {
    let ended = Mutex<[String]>([])
    let module = HostModule("Jobs") {
      $0.task("slow") { (n: Int) async throws in
        do {
          try await Task.sleep(for: n > 100 ? .seconds(3600) : .milliseconds(1))
        } catch {
          ended.withLock { $0.append("cancelled \(n)") }
          throw error
        }
        return n * 10
      }
    }
    let program = try compiled(
      """
      input n: Event<Int>
      job = n |> perform(Latest, k => Jobs.slow(k))
      output got = job.results |> filterMap(ok)
      """, module)
    let n = try program.eventInput("n", of: Int.self)
    let got = try program.events("got", of: Int.self)
    let session = try Session(program)
    try await session.send(1000, to: n)
    let stream = await session.occurrences(of: got)
    try await session.send(7, to: n)
    var values: [Int] = []
    for await value in stream {
      values.append(value.value)
      break
    }
    #expect(values == [70])
    try await session.send(2000, to: n)
    await session.close()
    for _ in 0..<2000 where ended.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(ended.withLock { $0.sorted() } == ["cancelled 1000", "cancelled 2000"])
  }
}
