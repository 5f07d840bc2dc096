// Snapshots and the host: whose tasks go on under which numbers, and which hosts a snapshot can be restored with.

import FRPBase
import FRPCore
import Testing

@testable import FRP
@testable import FRPRuntime

private func compiled(_ text: String, _ host: HostModule) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text), host: [host])
  try #require(!program.hasErrors, "\(program.report)")
  return program
}

@Suite struct SnapshotHostTests {
  private static let asking = """
    input q: Event<Int>
    r = q |> perform(All, n => Http.get("x{n}") |> map(s => s + n))
    output got = r.results |> filterMap(ok)
    output busy = r.busy
    """
  private static let http = HostModule("Http", interface: "get(url: String): Task<a>")

  /// A log that began at a snapshot names tasks by the numbers that they had.
  @Test func tasksKeepTheirNumbers() throws {
    let program = try compiled(Self.asking, Self.http)
    func shown(_ run: Simulation) throws -> [String] {
      try run.occurrences(of: "got").map { "\($0.time): \($0.json)" }
    }
    let run = try Simulation(program)
    try run.record("got")
    run.start()
    for (time, value) in [(1.0, "10"), (2.0, "20")] {
      run.advance(to: time)
      try run.send(value, to: "q")
    }
    run.advance(to: 3)
    try run.end(1, json: "1")
    let snapshot = try run.snapshot()
    #expect(try shown(run) == ["3.0: 11"])
    run.beginLog()
    run.advance(to: 4)
    try run.send("30", to: "q")
    run.advance(to: 5)
    try run.end(2, json: "2")
    run.advance(to: 6)
    try run.end(3, json: "3")
    #expect(try shown(run) == ["5.0: 22", "6.0: 33"])

    let again = try Simulation(program)
    try again.restore(try Snapshot(bytes: snapshot.bytes))
    #expect(again.tasks.map(\.id) == [2])
    #expect(try again.snapshot() == snapshot)
    try again.record("got")
    try again.replay(run.log)
    #expect(try shown(again) == ["5.0: 22", "6.0: 33"])
    #expect(again.tasks.isEmpty)
    // The same in a run that has tasks of its own under way: they are cancelled.
    try again.send("40", to: "q")
    #expect(again.tasks.map(\.id) == [4])
    try again.restore(snapshot)
    #expect(again.tasks.map(\.id) == [2])
    try again.replay(run.log)
    #expect(try shown(again) == ["5.0: 22", "6.0: 33"])
  }

  private static func jobs(_ more: (inout HostModule) -> Void) -> HostModule {
    var module = HostModule("Jobs")
    more(&module)
    module.function("double") { (n: Int) in 2 * n }
    module.task("fetch", "path") { (path: String) async throws in [path, path] }
    return module
  }

  private static let using = """
    input path: Event<String>
    input n: Event<Int>
    job = path |> perform(All, p => Jobs.fetch(p) |> Task.map(l => (l, p)) |> timeout(60s))
    waiting = path |> perform(Queue, p => Jobs.fetch(p))
    output got = merge(job.results |> map(r => "{r}"), waiting.results |> map(r => "{r}")) |> fold([], (l, t) => l ++ [t])
    output sum = n |> fold(0, (s, k) => s + Jobs.double(k))
    output later = n |> scan(x => x, (f, k) => x => f(x) + k) |> map(f => f(1)) |> hold(0)
    """

  /// What a host has besides does not matter, though it gives functions and types other numbers.
  @Test func aHostMayHaveMore() throws {
    let few = try compiled(Self.using, Self.jobs { _ in })
    let many = try compiled(
      Self.using,
      Self.jobs {
        $0.function("origin") { (x: Double, name: String) in [name: (FrpValue.number(x))] }
        $0.task("other") { (list: [[String]]) async in list.count }
      })
    for (program, other) in [(few, many), (many, few)] {
      let run = try Simulation(program)
      run.start()
      for value in ["a", "b"] { try run.send("\"\(value)\"", to: "path") }
      for value in [5, 6] { try run.send("\(value)", to: "n") }
      let next = try Simulation(other)
      try next.restore(try Snapshot(bytes: run.snapshot().bytes))
      #expect(next.tasks.map(\.id) == [1, 2, 3] && run.tasks.map(\.name) == next.tasks.map(\.name))
      #expect(next.tasks.map(\.arguments) == run.tasks.map(\.arguments))
      for one in [run, next] {
        for task in 1...4 { try one.end(task, with: .success(.list([.text("<\(task)>")]))) }
        try one.send("7", to: "n")
      }
      for name in ["got", "sum", "later"] { #expect(try next.value(of: name) == run.value(of: name)) }
      #expect(try next.value(of: "sum") == "36" && next.value(of: "later") == "19")
    }
  }

  /// A function that the program uses must be the same.
  @Test func whatIsUsedMustBeThere() throws {
    let run = try Simulation(try compiled(Self.using, Self.jobs { _ in }))
    run.start()
    let snapshot = try run.snapshot()
    let other = HostModule("Jobs") {
      $0.function("double") { (n: Int) in 2 * n }
      $0.task("fetch", "path") { (path: String) async throws in [path.count] }
    }
    let next = try Simulation(try compiled(Self.using, other))
    #expect(throws: SimulationError.unusableSnapshot("it is of another program")) { try next.restore(snapshot) }
  }

  /// Help texts, modules that the program does not name, and where they stand among its own files.
  @Test func whatIsNotUsedDoesNotMatter() throws {
    let text = """
      import Share
      input level: Behavior<Int> = 0
      input n: Event<Int>
      input k: Behavior<Int> = 1
      share = Share.of(level)
      f = x => if x > 5 then share else x
      later = n |> map(_ => f) |> hold(x => x)
      output value = later(k)
      output sum = n |> fold(0, (s, k) => s + Jobs.double(k))
      """
    let files = ModuleFiles(read: { $0 == "Share.frp" ? Array("of(n: Int): Int = div(100, n)".utf8) : nil })
    func compiled(_ host: [HostModule]) throws -> Program {
      let program = Program(Source(name: "test.frp", text: text), modules: files, host: host)
      try #require(!program.hasErrors, "\(program.report)")
      return program
    }
    let other = HostModule("Other", help: "Nothing of it is used.") { $0.function("one") { (n: Int) in "\(n)" } }
    let few = try compiled([Self.jobs { _ in }])
    let many = try compiled([
      other, HostModule("Jobs", help: "Said otherwise.") { $0.function("double", help: "New.") { (n: Int) in 2 * n } },
    ])
    for (program, next) in [(few, many), (many, few)] {
      let run = try Simulation(program)
      run.start()
      // A function value keeps what faulted in it, with its place in the module.
      try run.send("7", to: "n")
      let snapshot = try Snapshot(bytes: run.snapshot().bytes)
      let again = try Simulation(next, restoring: snapshot)
      #expect(try again.value(of: "sum") == "14" && again.snapshot() == snapshot)
      let faults = [run, again].map { run in
        guard let error = #expect(throws: SimulationError.self, performing: { try run.set("k", to: "9") }),
          case .fault(let diagnostic) = error
        else { return "" }
        #expect(diagnostic.reason == "division by zero")
        return renderText([diagnostic], sources: run.program.sources)
      }
      #expect(faults[0] == faults[1] && faults[0].contains("Share.frp:1:"))
    }
  }

  /// A snapshot that 0.2 wrote while it was not yet released, and what it goes on to.
  @Test func aSnapshotOfAnEarlierVersionRestores() throws {
    let folder = "\(root)/Tests/Golden/snapshots"
    let shop = HostModule("Shop") { $0.task("find", "name") { (name: String) async in name } }
    let program = try Program(contentsOf: "\(folder)/orders.frp", host: [shop])
    try #require(!program.hasErrors, "\(program.report)")
    let run = try Simulation(program)
    run.start()
    try run.set("rate", to: "2.0")
    for (time, item) in [(1.0, "tea"), (2.5, "milk"), (4.0, "tea")] {
      run.advance(to: time)
      try run.send("{\"Placed\":{\"item\":\"\(item)\",\"price\":\(time)}}", to: "order")
      try run.send("\"\(item)\"", to: "pick")
    }
    let kept = try Snapshot(bytes: try Source(contentsOf: "\(folder)/orders.snapshot").bytes)
    let again = try Simulation(program, restoring: kept)
    for one in [run, again] {
      try one.end(1, json: "\"first\"")
      one.advance(to: 25)
    }
    #expect(again.tasks.map(\.id) == run.tasks.map(\.id) && again.now == 25)
    for output in program.outputs { #expect(try again.value(of: output.name) == run.value(of: output.name)) }
  }

  // MARK: Sources

  private static let feed = HostModule("Feed") { module in
    final class Silent: HostUnderway { func cancel() {} }
    module.operation("words(name: String): Source<String>") { _ in { _ in Silent() } }
  }

  /// Whatever a source of the host has said last is what a restored run shows, until it says something else.
  @Test func aSourceStandsAsItStood() throws {
    let program = try compiled(
      """
      input q: Event<Int>
      l = q |> listen(Latest, n => Feed.words("{n}") |> reconnect(k => Some(2s)))
      output state = l.state
      output words = l.items |> count
      """, Self.feed)
    let run = try Simulation(program)
    run.start()
    try run.send("1", to: "q")
    var shown: [String] = []
    let reports: [HostReport] = [
      .retrying("refused"), .opened, .item(.value(.text("a"))), .retrying(""), .ended(.failure(FrpError("cut"))),
    ]
    for report in [nil] + reports {
      if let report { try run.take(report, of: #require(run.tasks.first).id) }
      run.advance(by: 0.5)
      let snapshot = try run.snapshot()
      let next = try Simulation(program, restoring: try Snapshot(bytes: snapshot.bytes))
      try next.record("state")
      #expect(try next.value(of: "state") == run.value(of: "state") && next.snapshot() == snapshot)
      try shown.append(run.value(of: "state"))
      // It has said that already.
      if case .opened? = report { try next.take(.opened, of: #require(next.tasks.first).id) }
      #expect(try next.occurrences(of: "state").isEmpty && next.tasks.map(\.id) == run.tasks.map(\.id))
    }
    #expect(
      shown == [
        #""Opening""#, #"{"Retrying":"refused"}"#, #""Open""#, #""Open""#, #"{"Retrying":""}"#, #"{"Retrying":"cut"}"#,
      ])
  }

  /// That is not believed either.
  @Test func aSourceThatCannotStandSoIsRefused() throws {
    let program = try compiled(
      """
      input q: Event<Int>
      output state = (q |> listen(Latest, n => Feed.words("{n}"))).state
      output busy = (q |> perform(All, n => Task.after(1s, n))).busy
      """, Self.feed)
    let run = try Simulation(program)
    run.start()
    try run.send("1", to: "q")
    try run.take(.retrying("cut"), of: #require(run.tasks.first).id)
    let image = try run.snapshot().image
    let nodes = image.root.nodes
    let source = try #require(nodes.firstIndex { $0.runs.first?.link != nil })
    let task = try #require(nodes.firstIndex { !$0.runs.isEmpty && $0.runs[0].link == nil })
    func restored(_ node: Int, _ link: LinkImage) throws -> String {
      var changed = image
      changed.root.nodes[node].runs[0].link = link
      return try Simulation(program, restoring: Snapshot(changed)).value(of: "state")
    }
    let text = try #require(nodes[source].runs[0].link).text
    let impossible: [(Int, LinkImage)] = [
      (source, LinkImage(link: .idle)), (source, LinkImage(link: .retrying)),
      (source, LinkImage(link: .retrying, text: 3)), (source, LinkImage(link: .retrying, text: 8000)),
      (source, LinkImage(link: .retrying, text: nodes[source].runs[0].steps[0].task)),
      (source, LinkImage(link: .open, text: text)), (task, LinkImage(link: .open)),
    ]
    for (node, link) in impossible {
      #expect(throws: SimulationError.self, "\(link)") { _ = try restored(node, link) }
    }
    #expect(try restored(source, LinkImage(link: .retrying, text: text)) == #"{"Retrying":"cut"}"#)
    #expect(try restored(source, LinkImage(link: .open)) == #""Open""#)
  }

  /// Snapshots did not say how sources stand: then that is known of lists, and of others when they say it.
  @Test func aSourceOfAnEarlierVersionGoesOn() throws {
    let folder = "\(root)/Tests/Golden/snapshots"
    let program = try Program(contentsOf: "\(folder)/sources.frp")
    let run = try Simulation(program)
    run.start()
    try run.send("7", to: "go")
    run.advance(to: 1.2)
    let kept = try Snapshot(bytes: try Source(contentsOf: "\(folder)/sources.snapshot").bytes)
    let again = try Simulation(program, restoring: kept)
    #expect(try run.value(of: "lostState") == #"{"Retrying":"it ended"}"#)
    #expect(try again.value(of: "lostState") == #""Opening""# && again.value(of: "openState") == #""Open""#)
    for one in [run, again] { one.advance(to: 25) }
    for output in program.outputs { #expect(try again.value(of: output.name) == run.value(of: output.name)) }
  }

  // MARK: Sessions

  private static let clocked = """
    input q: Event<Int>
    r = merge(start |> map(_ => 0), q) |> perform(All, n => Http.get("x{n}") |> map(s => s + n))
    output got = r.results |> filterMap(ok) |> hold(-1)
    output ticks = every(1s) |> count
    """

  @Test func aSessionGoesOnAtTheTimeOfASnapshot() async throws {
    let calls = Calls()
    let module = HostModule("Http") {
      $0.task("get") { (url: String) async in
        calls.add(url)
        return url.utf8.count
      }
    }
    let program = try compiled(Self.clocked, module)
    let ticks = try program.behavior("ticks", of: Int.self)
    let run = try Simulation(program)
    run.start()
    try run.end(1, json: "5")
    run.advance(to: 100.5)
    let snapshot = try run.snapshot()

    // In the place of the start: its instant does not happen again, and time goes on from 100.5.
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    await clock.advance(by: .seconds(7))
    try await session.restore(snapshot)
    #expect(try await session.value(of: ticks) == 100)
    await clock.advance(by: .seconds(2))
    #expect(try await session.value(of: ticks) == 102)
    await session.tasksEnded()
    #expect(calls.all.isEmpty)

    // A session that is made of the snapshot: its time stands still until it is started.
    let made = try Session(program, restoring: snapshot, clock: clock, epoch: 1e9)
    await clock.advance(by: .seconds(4))
    #expect(try await made.value(of: ticks) == 100)
    await clock.advance(by: .seconds(3))
    let later = try await made.snapshot()
    #expect(later.time == 103.5)
    #expect(try await Session(program, restoring: later, clock: clock).value(of: ticks) == 103)
    await made.tasksEnded()
    #expect(calls.all.isEmpty)
    #expect(await made.withSimulation { $0.epoch } == 1e9)

    // The same by way of the simulation, in a session that has started by that: no task of the start is begun.
    let other = try Session(program, clock: clock)
    try await other.withSimulation { run throws(SimulationError) in try run.restore(snapshot) }
    await clock.advance(by: .seconds(3))
    #expect(try await other.value(of: ticks) == 103)
    await other.tasksEnded()
    #expect(calls.all.isEmpty)

    // And at a standstill.
    await other.pause()
    try await other.restore(snapshot)
    await clock.advance(by: .seconds(5))
    #expect(try await other.value(of: ticks) == 100)
    await other.resume()
    await clock.advance(by: .seconds(1))
    #expect(try await other.value(of: ticks) == 101)
  }

  /// Tasks that were under way begin with the session, and what is no snapshot of the program makes none.
  @Test func aSessionIsMadeOfASnapshotOrNotAtAll() async throws {
    let module = HostModule("Http") { $0.task("get") { (url: String) async in url.utf8.count } }
    let program = try compiled(Self.clocked, module)
    let run = try Simulation(program)
    run.start()
    run.advance(to: 2)
    let snapshot = try run.snapshot()
    let got = try program.behavior("got", of: Int.self)
    let session = try Session(program, restoring: snapshot, clock: VirtualClock())
    await session.start()
    await session.tasksEnded()
    #expect(try await session.value(of: got) == 2)
    let other = try compiled(Self.clocked + "\noutput more = got", module)
    #expect(throws: SimulationError.unusableSnapshot("it is of another program")) {
      _ = try Session(other, restoring: snapshot)
    }
    #expect(throws: SimulationError.unusableSnapshot("it is of another program")) {
      _ = try Simulation(other, restoring: snapshot)
    }
  }

  /// A task of before a restore has the number of one that begins with it; what the old one gives is not the new one's.
  @Test func anOldTaskDoesNotEndANewOne() async throws {
    let gate = Gate()
    let module = HostModule("Http") {
      $0.task("get") { (url: String) async in await gate.pass(url) }
    }
    let program = try compiled(Self.asking, module)
    let q = try program.eventInput("q", of: Int.self)
    let got = try program.events("got", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    try await session.send(1, to: q)
    await gate.arrived(1)
    let snapshot = try await session.withSimulation { run throws(SimulationError) in try run.snapshot() }
    let seen = await session.occurrences(of: got)
    try await session.restore(snapshot)
    await gate.arrived(2)
    await gate.open(with: [100, 200])
    var iterator = seen.makeAsyncIterator()
    #expect(await iterator.next()?.value == 201)
    await session.close()
    #expect(await iterator.next() == nil)
  }
}

private final class Calls: @unchecked Sendable {
  private(set) var all: [String] = []
  func add(_ call: String) { all.append(call) }
}

/// Lets callers wait, and gives each its own answer by the order in which they came.
private actor Gate {
  private var waiting: [CheckedContinuation<Int, Never>] = []
  private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func pass(_: String) async -> Int {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      for watcher in watchers where watcher.count <= waiting.count { watcher.continuation.resume() }
      watchers.removeAll { $0.count <= waiting.count }
    }
  }

  func arrived(_ count: Int) async {
    if waiting.count >= count { return }
    await withCheckedContinuation { watchers.append((count, $0)) }
  }

  func open(with answers: [Int]) {
    for (continuation, answer) in zip(waiting, answers) { continuation.resume(returning: answer) }
    waiting = []
  }
}
