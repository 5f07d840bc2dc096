// A host at the prompt and on the command line: its functions run, and everything that explains knows them.

import FRP
import FRPBase
import Foundation
import Synchronization
import Testing

@testable import FRPCommands

private let geo = HostModule("Geo", help: "Places on earth.") {
  $0.function("distance", "from", "to", help: "How far two numbers are apart.") { (a: Int, b: Int) in abs(a - b) }
  $0.function("half", help: "Fails for odd numbers.") { (n: Int) throws in
    if n % 2 != 0 { throw FrpError("\(n) is odd") }
    return n / 2
  }
  $0.function("zone") { "UTC" }
  $0.task("locate", "name", help: "Where it is.") { (name: String) async throws in
    if name.isEmpty { throw FrpError("no name") }
    return name.count
  }
}

/// Does something that waits for tasks of the host on a thread of its own: those need the executor's.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: onLargeStack(body)) }.start()
  }
}

/// What a session answers to each entry.
private func answers(_ entries: [String], host: [HostModule] = [geo]) async -> [String] {
  await onThread {
    let out = Writer()
    var answers: [String] = []
    var rest = entries[...]
    var shown = 0
    let source = PlainSource(
      lines: {
        answers.append(String(out.text.dropFirst(shown)).trimmingLines())
        shown = out.text.count
        return rest.popFirst()
      }, out: out)
    _ = ReplSession(source, Console(input: -1, out: out, err: out), Surroundings(host: host)).run()
    return Array(answers.dropFirst())
  }
}

@Suite struct HostPromptTests {
  @Test func functionsOfTheHostRun() async {
    let said = await answers([
      "Geo.distance(3, 10)", "input n: Event<Int>", "far = n |> map(x => Geo.distance(x, 0)) |> hold(0)", ":push n -4",
      "far", "Geo.zone", "Geo.half(3)", "h = n |> map(x => Geo.half(x)) |> hold(0)", ":push n 5", "h", "1 + 1",
    ])
    #expect(said[0] == ": Int = 7")
    #expect(said[4] == "far : Behavior<Int> = 4")
    #expect(said[5] == ": String = \"UTC\"")
    #expect(said[6].hasPrefix("error[R0103]: `Geo.half` failed: 3 is odd"))
    #expect(said[8].hasPrefix("error[R0103]: `Geo.half` failed: 5 is odd in `h`"))
    #expect(said[8].contains("declares") == false && said[8].contains("this function of the host"))
    #expect(said[9] == "h : Behavior<Int> = 0")
    #expect(said[10] == ": Int = 2")
  }

  @Test func whatExplainsKnowsTheHost() async {
    let said = await answers([
      ":doc Geo", ":doc Geo.distance", ":type Geo.distance", ":type Geo.locate", "d = Geo.distance(1, 2)",
      ":info distance", ":source Geo.zone", ":help Geo.half", ":doc distence", "Geo.distence(1, 2)", "distance(1, 2)",
      "Goe.zone", "Geo.distance(1, \"x\")",
    ])
    #expect(
      said[0].hasPrefix("Geo, a module of the host\n  Places on earth.\nGeo.distance : (from: Int, to: Int) -> Int"))
    #expect(said[1].contains("How far two numbers are apart.") && said[1].contains("HostPromptTests.swift:"))
    #expect(said[2] == ": (Int, Int) -> Int")
    #expect(said[3] == ": (String) -> Task<Int>")
    #expect(said[5].hasSuffix("  used by d"))
    #expect(said[6].hasPrefix("Geo.zone : String"))
    #expect(said[7].contains("Fails for odd numbers."))
    #expect(said[8] == "nothing is called distence; did you mean distance?")
    #expect(said[9].contains("`Geo` has no `distence`") && said[9].contains("did you mean:  Geo.distance"))
    #expect(said[10].contains("`distance` is in `Geo`") && said[10].contains("write:  Geo.distance"))
    #expect(said[11].contains("did you mean:") && said[11].contains("Geo.zone"))
    #expect(said[12].contains("Geo (host)") && said[12].contains("is declared here"))
  }

  @Test func namesOfTheHostAreCompleted() {
    let out = Writer()
    let session = ReplSession(
      PlainSource(lines: { nil }, out: out), Console(input: -1, out: out, err: out), Surroundings(host: [geo]))
    let found = ReplCompletion.candidates("x = Geo.", cursor: 8, session)
    #expect(found.names.map(\.name) == ["Geo.distance", "Geo.half", "Geo.locate", "Geo.zone"])
    #expect(found.names[0].note == ": (from: Int, to: Int) -> Int")
    #expect(ReplCompletion.answer("Geo.d", cursor: 5, session).insertion == "istance")
    let conversation = ReplProtocol(Console(input: -1, out: out, err: out), Surroundings(host: [geo]))
    #expect(
      conversation.answer(#"{"do":"complete","text":"Geo.z","cursor":5}"#).hasSuffix(
        #""names":[{"name":"Geo.zone","note":": String"}]}"#))
  }

  @Test func tasksAreDoneAndCanBeUndone() async {
    let begun = Mutex<[String]>([])
    let slow = HostModule("Slow") {
      $0.task("size") { (name: String) async throws -> Int in
        begun.withLock { $0.append(name) }
        if name == "never" { try await Task.sleep(for: .seconds(1000)) }
        return name.count
      }
    }
    let said = await answers(
      [
        ":clock virtual", "input s: Event<String>", "r = s |> perform(Latest, x => Slow.size(x))",
        "n = r.results |> map(e => match e { Ok(k) => k; Err(_) => -1 }) |> hold(0)", ":push s four", "n", "m = n + 1",
        ":undo", "n", ":step 1s", "n", ":push s seven", "n", ":back 500ms", "n",
      ], host: [slow])
    #expect(said[5] == "n : Behavior<Int> = 4")
    #expect(said[8] == "n : Behavior<Int> = 4")
    #expect(said[10] == "n : Behavior<Int> = 4")
    #expect(said[12] == "n : Behavior<Int> = 5")
    #expect(said[14] == "n : Behavior<Int> = 4")
    // Living through it again takes what they came to, and asks nobody twice.
    #expect(begun.withLock { $0 } == ["four", "seven"])
  }

  @Test func aTaskThatIsNoLongerWantedIsCancelled() async throws {
    let cancelled = Mutex(0)
    let slow = HostModule("Slow") {
      $0.task("wait") { (_: Int) async throws -> Int in
        do { try await Task.sleep(for: .seconds(1000)) } catch {
          cancelled.withLock { $0 += 1 }
          throw error
        }
        return 0
      }
    }
    let program = Program(
      Source(
        name: "t.frp",
        text: "input n: Event<Int>\nr = n |> perform(Latest, x => Slow.wait(x))\noutput busy = r.busy"),
      host: [slow])
    let run = try Simulation(program)
    run.start()
    let tasks = HostTasks()
    try run.send("1", to: "n")
    tasks.follow(run)
    #expect(tasks.serials == [1])
    try run.send("2", to: "n")
    tasks.follow(run)
    #expect(tasks.serials == [2])
    while cancelled.withLock({ $0 }) == 0 { await Task.yield() }
    #expect(tasks.take { _, _ in true } == 0)
    #expect(tasks.serials == [2])
  }

  @Test func aRunTakesOverWhatAnotherHasBegun() throws {
    let slow = HostModule("Slow") {
      $0.task("wait") { (n: Int) async throws -> Int in
        try await Task.sleep(for: .seconds(1000))
        return n
      }
    }
    let program = Program(
      Source(
        name: "t.frp", text: "input n: Event<Int>\nr = n |> perform(All, x => Slow.wait(x))\noutput busy = r.busy"),
      host: [slow])
    func run(_ values: [Int]) throws -> Simulation {
      let run = try Simulation(program)
      run.start()
      for value in values { try run.send("\(value)", to: "n") }
      return run
    }
    let tasks = HostTasks()
    let first = try run([1, 2])
    tasks.follow(first)
    #expect(tasks.serials == [1, 2])
    let second = try run([2, 3])
    tasks.follow(second)
    #expect(tasks.serials == [2, 3])
  }

  // MARK: The command line

  /// A folder with files, which goes away.
  private func withFiles(_ files: [String: String], _ body: @escaping @Sendable (String) -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "frp-host-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    await onThread { body(folder.path) }
  }

  @Test func theToolKnowsAHostByItsDeclarations() async throws {
    let program = """
      input a: Event<String>
      r = a |> perform(Latest, x => Geo.locate(x))
      output said = r.results |> map(e => match e { Ok(_) => "ok"; Err(e) => e.message })
      output d = a |> map(x => Geo.distance(size(x), 0))
      test "waits" { expect r.busy at 1s == false }
      """
    try await withFiles([
      "Geo.host": geo.interface, "p.frp": program, "Bad.host": "f(x: Int): Int\n\ng(x: Strin): Int\n",
    ]) {
      folder in
      let host = "\(folder)/Geo.host"
      #expect(frp("check", "\(folder)/p.frp", "--host", host).code == 0)
      #expect(frp("check", "\(folder)/p.frp").err.contains("there is no module `Geo`"))
      #expect(frp("test", "\(folder)/p.frp", "--host", host).out.hasPrefix("ok    waits"))

      let run = frp(
        "run", "\(folder)/p.frp", "--host", host, "--trace", "-", input: "{\"at\": 1, \"a\": \"hello\"}\n")
      #expect(run.code == 3)
      #expect(run.err.contains("`Geo.distance` failed: nobody provides `Geo.distance` here in `d`"))
      #expect(run.err.contains("p.frp:4:26"))
      #expect(run.err.contains("Geo.host:3"))

      #expect(frp("doc", "Geo.distance", "--host", host).out.contains("How far two numbers are apart."))
      #expect(frp("doc", "Geo", "--host", host).out.contains("### `Geo.locate(name)`"))
      #expect(frp("doc", "distence", "--host", host).err.contains("did you mean `distance`?"))
      #expect(frp("eval", "Geo.distance", "--host", host).err.contains("(Int, Int) -> Int"))

      let entries = ":doc Geo\nGeo.zone\n"
      let prompt = frp("repl", "--host", host, input: entries)
      #expect(prompt.out.contains("Geo.distance : (from: Int, to: Int) -> Int\n  How far two numbers are apart."))
      #expect(prompt.out.contains("nobody provides `Geo.zone` here"))
      #expect(!prompt.out.contains("hostCall"))

      let bad = frp("check", "\(folder)/p.frp", "--host", "\(folder)/Bad.host")
      #expect(bad.code == 1)
      #expect(bad.err.contains("Bad.host:3: ") && bad.err.contains("Strin"))
      #expect(frp("repl", "--host", "\(folder)/None.host").code == 2)
    }
  }

  @Test func theToolDoesATaskThatNobodyProvidesAsAnError() async throws {
    let program = """
      input a: Event<String>
      r = a |> perform(Latest, x => Geo.locate(x))
      output said = r.results |> map(e => match e { Ok(_) => "ok"; Err(e) => e.message })
      """
    try await withFiles(["Geo.host": geo.interface, "p.frp": program]) { folder in
      let host = "\(folder)/Geo.host"
      let simulated = frp(
        "run", "\(folder)/p.frp", "--host", host, "--trace", "-", input: "{\"at\": 1, \"a\": \"x\"}\n")
      #expect(simulated.out == "nobody provides `Geo.locate` here\n")
      let live = frp("run", "\(folder)/p.frp", "--host", host, input: "x\n")
      #expect(live.out == "nobody provides `Geo.locate` here\n")
      #expect(live.code == 0)
    }
  }

  /// A command line of the tool with the host in it.
  private static func geoTool(_ words: String..., input: String) -> CommandResult {
    frp(words, input: input, host: [geo])
  }

  @Test func aToolOfOnesOwnRunsProgramsWithItsHost() async throws {
    let program = """
      input a: Event<String>
      r = a |> perform(All, x => Geo.locate(x))
      output n = r.results |> filterMap(ok)
      output d = r.results |> filterMap(ok) |> map(x => Geo.distance(x, 100))
      test "runs in a test" { expect Geo.distance(1, 3) at 0s == 2 }
      """
    try await withFiles(["p.frp": program]) { folder in
      let path = "\(folder)/p.frp"
      let trace = "{\"at\": 1, \"a\": \"four\"}\n{\"at\": 2, \"a\": \"seven\"}\n"
      #expect(
        Self.geoTool("run", path, "--trace", "-", "--format", "jsonl", input: trace).out
          == #"{"at":1.0,"n":4}\#n{"at":1.0,"d":96}\#n{"at":2.0,"n":5}\#n{"at":2.0,"d":95}\#n"#)
      #expect(Self.geoTool("run", path, input: "four\n").out == "n = 4\nd = 96\n")
      #expect(Self.geoTool("test", path, input: "").code == 0)
      #expect(Self.geoTool("eval", "Geo.distance(1, 8)", input: "").out == "7\n")
      #expect(Self.geoTool("repl", input: "Geo.distance(1, 8)\n").out == ": Int = 7\n")
    }
  }
}
