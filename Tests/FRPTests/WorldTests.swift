// Programs of the world, without the world: their tests, what they need, and recordings.

import FRP
import FRPTestFiles
import FRPWorld
import Glibc
import Testing

@testable import FRPCommands

private let examples = Files.names(in: root + "/examples/world").filter { $0.hasSuffix(".frp") }

private func source(_ name: String) throws -> Source {
  Source(name: name, bytes: try Files.contents(of: "\(root)/examples/world/\(name)"))
}

@Suite struct WorldTests {
  @Test func thereAreEightExamples() { #expect(examples.count == 8) }

  @Test(arguments: examples)
  func theTestsOfAnExamplePassWithoutTheWorld(_ name: String) throws {
    let text = try source(name)
    let host = try World().modules()
    let tests = TestBlock.all(in: text)
    #expect(!tests.isEmpty)
    for test in tests { #expect(test.run(in: text, host: host).failures == []) }
  }

  @Test(arguments: examples)
  func whatAnExampleNeedsIsReadFromItsText(_ name: String) throws {
    let program = Program(try source(name), host: try World().modules())
    let lines = WorldNeed.all(of: program).map(\.text).joined(separator: "\n")
    let difference = TestFiles.difference(lines + "\n", from: root + "/Tests/Golden/grants/\(name.dropLast(4)).txt")
    #expect(difference == nil)
  }

  /// A source is answered by a lane of what it brings, of whatever type the program uses.
  @Test(arguments: [
    ("x ++ \"!\"", "{a: \"u\", b: \"v\"}", "{a: \"u!\", b: \"v!\"}"), ("x + 1", "{a: 1, b: 2}", "{a: 2, b: 3}"),
    ("x / 2.0", "{a: 1.0, b: 3.0}", "{a: 0.5, b: 1.5}"),
    ("x.n.m", "{a: {n: {m: 1}}, b: {n: {m: 2}}}", "{a: 1, b: 2}"),
    ("match x { Ok(n) => n; Err(_) => 0 }", "{a: Ok(1), b: Err({message: \"no\"})}", "{a: 1, b: 0}"),
    ("x ++ [0]", "{a: [1], b: []}", "{a: [1, 0], b: [0]}"),
    ("Option.withDefault(x, 0) + 1", "{a: Some(1), b: None}", "{a: 2, b: 1}"),
  ])
  func sourcesAreAnsweredByLanes(_ use: String, _ brought: String, _ shown: String) throws {
    let folder = TemporaryFolder()
    for call in ["Ws.messages(\"ws://a\")", "Mqtt.messages(\"mqtt://a\", \"t\")", "Serve.posts(\"/t\")"] {
      let path = try folder.file(
        """
        output y = listen(start, All, _ => \(call)).items |> map(x => \(use))
        test "t" {
          given \(call.prefix { $0 != "(" }) = "-a-b" every 1s with \(brought)
          expect y == "-a-b" every 1s with \(shown)
        }
        """, "lane.frp")
      let result = frp("test", path)
      #expect(result.code == 0, "\(call): \(result.out)\(result.err)")
    }
  }

  /// What a task comes to happens when it is taken, and not when the run last had something to do.
  @Test func whatComesHasItsTime() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      output slept = (start |> perform(All, _ => Process.run("sleep", ["0.2"]) |> map(r => r.status))).results |> map(_ => time)
      input line: Event<String> from Process.lines("sh", ["-c", "sleep 0.3; echo a"])
      output told = line |> map(_ => time)
      output later = delay(line, 100ms) |> map(_ => time)
      """, "times.frp")
    let result = frp("run", path, "--for", "2s", "--format", "jsonl", "--allow-run=sleep", "--allow-run=sh")
    #expect(result.code == 0, "\(result.err)")
    for (name, least) in [("slept", 0.2), ("told", 0.3), ("later", 0.4)] {
      let line = try #require(result.out.split(separator: "\n").first { $0.contains("\"\(name)\":") }, "\(result.out)")
      let time = try #require(Double(line.split(separator: ":").last?.dropLast() ?? ""))
      #expect(time >= least && line.hasPrefix("{\"at\":\(time),"), "\(line)")
    }
  }

  @Test func whatIsMissingIsToldAtOnce() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      input a: Event<String> from Files.tail("\(folder.path)/a.log")
      output b = a to x => Http.post("https://h.example.org/{x}", x) |> map(done)
      done(_: String) = ()
      output c = a to x => Files.append(x, x)
      """, "a.frp")
    let result = frp("run", path)
    #expect(result.code == 2)
    #expect(result.err.contains("read \(folder.path)/a.log   (line 1)"))
    #expect(result.err.contains("net h.example.org:443   (line 2)"))
    #expect(result.err.contains("--allow-net=h.example.org:443 --allow-read=\(folder.path)/a.log"))
    // What is computed is told when it is called.
    #expect(!result.err.contains("line 4"))
  }

  @Test func whatIsThereIsTheStartValue() throws {
    let folder = TemporaryFolder()
    let file = try folder.file("{\"limit\": 7, \"other\": 1}", "c.json")
    let path = try folder.file(
      "input c: Behavior<{limit: Int}> = {limit: 1} from Files.value(\"\(file)\")\noutput limit = c.limit\n", "c.frp")
    #expect(frp("run", path, "--for", "10ms", "--allow-read=\(file)").out == "7\n")
    #expect(frp("run", path, "--for", "10ms", "--virtual").out == "1\n")
    #expect(frp("run", path, "--for", "10ms", "--in", "c=none").out == "1\n")
  }

  @Test func anotherSourceAndSinkTakeThePlaceOfThoseInTheText() throws {
    let folder = TemporaryFolder()
    let log = try folder.file("a\nbb\n", "in.txt")
    let path = try folder.file(
      "input l: Event<String> from Files.tail(\"/nowhere\")\noutput n = l |> map(x => size(x))\n", "s.frp")
    let out = "\(folder.path)/out.txt"
    let result = frp(
      "run", path, "--in", "l=Files.lines(\"\(log)\")", "--out", "n=x => Files.append(\"\(out)\", \"{x};\")",
      "--allow-read=\(log)", "--allow-write=\(out)")
    #expect(result.code == 0)
    #expect(result.out == "1\n2\n")
    #expect(String(decoding: try Files.contents(of: out), as: UTF8.self) == "1;2;")
  }

  @Test func anInputIsWaitedForWhileItsSourceIsUnderWay() throws {
    let folder = TemporaryFolder()
    let path = try folder.file("input a: Event<String>\noutput r = a\n", "w.frp")
    let listed = frp("run", path, "--in", "a=Source.fromList([(20ms, \"x\"), (20ms, \"y\")])")
    #expect(listed.out == "x\ny\n")
    // Also while it waits to be opened again.
    let none = "\(folder.path)/none"
    let again = frp(
      "run", path, "--in", "a=Files.lines(\"\(none)\") |> reconnect(n => if n < 3 then Some(20ms) else None)",
      "--allow-read=\(none)")
    #expect(again.err.contains("the source of `a` has ended: no such file"))
  }

  @Test func aSinkThatFailsIsTold() throws {
    let folder = TemporaryFolder()
    let log = try folder.file("a\nb\n", "in.txt")
    let path = try folder.file(
      "input l: Event<String> from Files.lines(\"\(log)\")\noutput n = l to x => Files.append(\"/{x}\", x)\n", "f.frp")
    let result = frp("run", path, "--allow-read=\(log)")
    #expect(result.code == 3)
    #expect(result.err.contains("the sink of `n`: not granted: write /a"))
    #expect(result.out == "a\nb\n")
  }

  @Test func aRecordingRunsAgainWithoutTheWorld() throws {
    let folder = TemporaryFolder()
    let log = try folder.file("1\nx\n3\n", "in.txt")
    let path = try folder.file(
      """
      input l: Event<Int> from Files.lines("\(log)") |> filterMap(toInt)
      read = l |> perform(All, n => Files.read("\(folder.path)/{n}.json") |> map(x => x + n))
      output sum = read.results |> map(r => match r { Ok(n) => "{n}"; Err(e) => e.message })
      output last = l |> hold(0)
      """, "r.frp")
    _ = try folder.file("40", "1.json")
    let recording = "\(folder.path)/r.jsonl"
    let live = frp("run", path, "--format", "jsonl", "--record", recording, "--allow-read=\(folder.path)")
    #expect(live.code == 0)
    #expect(live.out.contains("\"sum\":\"41\""))
    let again = frp("run", path, "--format", "jsonl", "--trace", recording)
    #expect(again.out == live.out)
    #expect(again.code == 0)
  }

  /// Lines that come many at a time are sent to the input without passing through the source, unless something stands between:
  /// they mean the same, also where an instant faults, where text is no text, and in a recording.
  @Test func linesMeanTheSameHoweverTheyCome() throws {
    let folder = TemporaryFolder()
    var lines = (0..<1100).map { "line \($0 % 77)" }
    (lines[2], lines[300], lines[1099]) = ("", "\u{E9}", "")
    let log = try folder.file(lines.joined(separator: "\n") + "\n", "in.txt")
    let end = fopen(log, "a")
    fwrite([0xFF, 0x61] as [UInt8], 1, 2, end)
    fclose(end)
    func text(_ wrapping: String) -> String {
      """
      input l: Event<String> from Files.lines("\(log)")\(wrapping)
      input r: Event<Result<String, Error>> from Files.lines("\(log)")\(wrapping) |> map(x => Ok(x))
      output a = l |> map(x => div(100, size(x)))
      output b = l |> count
      output c = l |> filter(x => !contains(x, "line")) |> map(x => x ++ "!")
      output d = r |> count
      """
    }
    var shown: Set<String> = []
    for (place, wrapping) in ["", " |> map(x => x)", " |> reconnect(_ => None)"].enumerated() {
      let path = try folder.file(text(wrapping), "l\(place).frp")
      let recording = "\(folder.path)/\(place).jsonl"
      for flags in [[], ["--record", recording]] {
        let result = frp(["run", path, "--format", "jsonl", "--allow-read=\(log)"] + flags)
        #expect(result.code == 3 && result.err.contains("division by zero"), "\(result.err)")
        #expect(result.err.contains("Files.lines of `l`: \(log): these bytes are not UTF-8"), "\(result.err)")
        shown.insert(byOutput(result.out))
        if !flags.isEmpty { #expect(frp("replay", path, recording, "--format", "jsonl").out == result.out) }
      }
    }
    #expect(shown.count == 1)
    let only = try #require(shown.first)
    // The two lines that fault are gone, and the one that is no text.
    #expect(only.contains("\"b\":1098") && !only.contains("\"b\":1099") && only.contains("\"d\":1100"))
    #expect(!only.contains("\u{FFFD}") && only.contains("\"c\":\"\u{E9}!\""))
  }

  /// Which of two files is read first is chance.
  private func byOutput(_ out: String) -> String {
    let changes = out.split(separator: "\n").map { $0.drop { $0 != "," } }
    return ["a", "b", "c", "d"].flatMap { name in changes.filter { $0.hasPrefix(",\"\(name)\":") } }.joined(
      separator: "\n")
  }

  /// What arrives has a time after the sample that was shown, or a recording would lead to another order.
  @Test func whatComesAfterASampleIsLater() throws {
    let folder = TemporaryFolder()
    let script = try folder.file("#!/bin/sh\nfor i in $(seq 1 400); do echo $i; sleep 0.0005; done\n", "tick.sh")
    chmod(script, 0o755)
    let path = try folder.file(
      """
      input l: Event<String> from Process.lines("\(script)", [])
      output wave = time
      output n = l |> count
      output level = floor(time * 100.0) + n
      """, "p.frp")
    let recording = "\(folder.path)/r.jsonl"
    let flags = ["--sample", "1ms", "--format", "jsonl", "-q"]
    let live = frp(
      ["run", path, "--allow-run=\(script)", "--record", recording, "--for", "400ms"] + flags)
    #expect(live.out.contains("\"n\":"), "\(live.err)")
    #expect(frp(["replay", path, recording] + flags).out == live.out)
  }

  @Test func aRecordingHasACommandOfItsOwn() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      "input l: Event<Int> from Files.lines(\"none\") |> filterMap(toInt)\noutput s = l\n", "p.frp")
    let recording = try folder.file(
      "{\"at\":0,\"@run\":{\"seed\":0,\"epoch\":0,\"set\":{}}}\n"
        + "{\"at\":1,\"@arrived\":\"Files.lines\",\"args\":[\"none\"],\"n\":1,\"ok\":\"7\"}\n{\"at\":2}\n", "r.jsonl")
    #expect(frp("replay", path, recording, "--format", "jsonl").out == "{\"at\":1.0,\"s\":7}\n")
    #expect(frp("replay", path).err.contains("`frp replay` needs a RECORDING"))
    #expect(frp("replay", path, recording + ".none").err.contains("usage: frp replay "))
    #expect(frp("replay", path, recording, "--virtual").code == 2)
  }

  @Test func whatATextNamesIsToldBeforeTheStartOfAnExpression() throws {
    let folder = TemporaryFolder()
    let file = try folder.file("\"there\"", "a.json")
    let text = "(start |> perform(Queue, _ => Files.read(\"\(file)\"))).results |> map(r => r == Ok(\"there\"))"
    let refused = frp("-e", text)
    #expect(refused.code == 2)
    #expect(refused.err.contains("to grant it: frp -e '\(text)' --allow-read=\(file)"))
    #expect(frp("-e", text, "--allow-read=\(file)").out == "false\n")
  }

  @Test(arguments: examples)
  func anExampleMeansTheSameWhenItIsFormatted(_ name: String) throws {
    let folder = TemporaryFolder()
    let path = try folder.file(String(decoding: source(name).bytes, as: UTF8.self), name)
    #expect(frp("fmt", path).code == 0)
    #expect(frp("fmt", "--check", path).code == 0)
    #expect(frp("test", path).code == 0)
  }

  @Test func thePromptHasTheWorld() throws {
    let folder = TemporaryFolder()
    let log = try folder.file("one\ntwo\n", "in.txt")
    let entries = """
      input l: Event<String> from Files.lines("\(log)")
      plain(t: String) = t
      read = (l |> perform(Queue, _ => Files.read("\(log)"))).results |> map(r => match r { Ok(t) => plain(t); Err(e) => e.message })
      last = read |> hold("nothing")
      :doc Files.tail
      """
    let said = frp("repl", "--allow-read=\(log)", input: entries).out
    #expect(said.contains("l : Event<String>"), "\(said)")
    #expect(said.contains("Files.tail : (path: String) -> Source<String>"), "\(said)")
  }

  @Test func thePromptSaysOnceWhatWasNotGranted() throws {
    let folder = TemporaryFolder()
    let log = try folder.file("", "a.log")
    let file = try folder.file("there", "b")
    let entries = """
      input l: Event<String> from Files.tail("\(log)")
      r = start |> perform(All, _ => Files.read("\(file)"))
      r.results |> map(x => x |> map(t => t ++ ""))
      l
      """
    let said = frp("repl", input: entries).out
    for path in [log, file] {
      #expect(said.split(separator: "\n").count { $0 == "not granted: read \(path)" } == 1, "\(said)")
      #expect(said.contains("to grant it: frp repl --allow-read=\(path)\n"), "\(said)")
    }
    #expect(!frp("repl", "--allow-read=\(folder.path)", input: entries).out.contains("grant"))
  }

  @Test func inVirtualTimeThePromptDoesNothingOfTheWorld() throws {
    let folder = TemporaryFolder()
    let file = try folder.file("there", "a.txt")
    let entries = """
      :clock virtual
      input p: Event<String>
      read = (p |> perform(Queue, x => Files.read(x))).results |> map(r => match r { Ok(t) => plain(t); Err(e) => e.message })
      plain(t: String) = t
      last = read |> hold("nothing")
      :push p "\(file)"
      last
      """
    let said = frp("repl", "--allow-read=\(file)", input: entries).out
    #expect(said.contains("simulated time: nobody answers Files.read"), "\(said)")
  }

  /// What nothing reads of an answer is not decoded: it is said where it is shown all the same, and a part of one is an error
  /// also where a function asks for it.
  @Test(
    arguments: [
      ("output a = r.results", ["W0308"]),
      ("output a = r.results |> filterMap(ok)", ["W0308"]),
      ("output a = r.results |> count", []),
      ("output a = r.busy", []),
      ("output a: Event<Result<(), Error>> = r.results", []),
      ("output a: Event<Result<{max: Int}, Error>> = r.results", []),
      ("output a = r.results |> filterMap(ok) |> map(x => {n: x.max})", ["E0308"]),
      ("output a = s.results", ["E0308"]),
      ("output a: Event<Result<{n: Int}, Error>> = s.results", []),
      ("output a = listen(start, All, _ => Http.lines(\"http://127.0.0.1:1/\")).items", ["W0308"]),
    ])
  func answersThatNothingReads(_ output: String, _ codes: [String]) throws {
    let text = """
      part(u) = Http.get(u) |> map(x => {n: x.max})
      _s = start |> perform(All, _ => part("http://127.0.0.1:1/"))
      _r = start |> perform(All, _ => Http.get("http://127.0.0.1:1/"))

      """ + output.replacing("r.", with: "_r.").replacing("s.results", with: "_s.results")
    let program = Program(Source(name: "a.frp", text: text), host: try World().modules())
    #expect(program.diagnostics.map(\.code.rawValue) == codes)
  }
}
