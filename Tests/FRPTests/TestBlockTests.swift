import FRPBase
import FRPCore
import FRPGraph
import FRPTestFiles
import Testing

@testable import FRP
@testable import FRPCommands

/// `test` blocks as a user meets them: what a failure says, that it can be pasted back, and that the examples pass.
@Suite struct TestBlockTests {
  static let goldens = Files.names(in: root + "/Tests/Golden/tests").filter { $0.hasSuffix(".frp") }

  /// What is said about tests that fail, file by file.
  @Test(arguments: goldens)
  func failuresReadAsExpected(name: String) throws {
    let path = "\(root)/Tests/Golden/tests/\(name)"
    let said = frp("test", path).out.replacing(path, with: name)
    let difference = TestFiles.difference(said, from: path.dropLast(3) + "txt")
    #expect(difference == nil)
  }

  /// A lane that was shown, pasted in the place of the one that was expected, passes.
  @Test(arguments: goldens)
  func whatWasShownCanBePastedBack(name: String) throws {
    let path = "\(root)/Tests/Golden/tests/\(name)"
    let program = String(decoding: try Files.contents(of: path), as: UTF8.self)
    let said = frp("test", path).out.split(separator: "\n").map { $0.drop { $0 == " " } }
    let definitions = program.split(separator: "\n").prefix { !$0.hasPrefix("test ") }.joined(separator: "\n")
    let blocks = program.split(separator: "test \"").dropFirst()
    var pasted = 0
    var title = ""
    for (index, line) in said.enumerated() {
      if line.hasPrefix("FAIL  ") { title = String(line.dropFirst(6).prefix { $0 != "(" }.dropLast(2)) }
      // Of a long lane only a part was shown.
      guard line.hasPrefix("actual    \""), !line.contains("…"),
        let block = blocks.first(where: { $0.hasPrefix(title + "\"") })
      else { continue }
      let givens = block.split(separator: "\n").filter { $0.contains("given ") }.joined(separator: "\n")
      let subject = said[index - 2]
      let text = "\(definitions)\ntest \"again\" {\n\(givens)\n\(subject) == \(line.dropFirst(10))\n}\n"
      let folder = TemporaryFolder()
      let result = frp("test", try folder.file(text, name))
      #expect(result.code == 0, "\(text)\(result.out)\(result.err)")
      pasted += 1
    }
    #expect(pasted > 2 || said.contains { $0.hasPrefix("… and ") })
  }

  /// What is looked at once a test has the value that an output would have, also at a limit that is met at this very moment.
  @Test func whatIsSampledIsWhatHoldsJustAfter() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      input go: Event<Int>
      x = integral(0.57)
      slides = integral(if slides < 1.0 then 1.0 else -1.0)
      test "at a limit" {
        given go = "--1" every 1s
        expect time at 2s == 2.0
        expect (time > 2.0, time >= 2.0, time < 2.0, time <= 2.0) at 2s == (true, true, false, false)
        expect (floor(time), ceil(time), floor(-time), ceil(-time)) at 2s == (2, 3, -3, -2)
        expect round(time) at 2500ms == 3
        expect time at 2500ms == 2.5
        expect (x >= 57.0) at 100s == true
        expect (slides < 1.0, slides <= 1.0, floor(slides), ceil(slides)) at 3s == (false, true, 1, 1)
        expect [ceil(time) + fold(go, 0, (+))] at 2s == [4]
      }

      """, "limits.frp")
    let result = frp("test", path)
    #expect(result.code == 0, "\(result.out)")
  }

  /// What is an output as well is what the output shows, also where what it rounds touches its limit at this very moment.
  @Test func anOutputIsLookedAtAsItShows() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      x = integralFrom(v, 1.0, never)
      v = integralFrom(-4.0 * x, 0.0, never)
      output shown = floor(x)
      test "a swing begins at its limit" {
        expect shown at 0s == 0
        expect (shown + 1, [shown]) at 0s == (1, [0])
        expect shown at 1s == -1
      }

      """, "swing.frp")
    #expect(frp("run", path, "--virtual", "--for", "0s").out == "0\n")
    let result = frp("test", path)
    #expect(result.code == 0, "\(result.out)")
  }

  /// Nothing is located for what is only looked at.
  @Test func nothingIsLocatedForWhatIsSampled() throws {
    let outputs = ["round(1000.0 * sin(time))", "sin(time) > 0.5", "[floor(time), 1]", "if time < 2.0 then 1 else 2"]
    let lines = outputs.enumerated().map { "output o\($0) = \($1)\n" }
    let source = Source(name: "sampled.frp", text: lines.joined())
    func located(_ sampled: Set<String>) throws -> Int {
      let program = Program(source, modules: .none, host: [], limits: CheckLimits(), answers: [:], sampled: sampled)
      return try #require(program.plan).core.nodes.count { if case .crossing = $0.op { true } else { false } }
    }
    let all = try located([])
    #expect(all > 4)
    #expect(try located(["o1"]) == all - 1)
    #expect(try located(["o0", "o1", "o2", "o3"]) == 0)
  }

  /// What is said of tests that cannot run is said of the file's own text, by `frp check` and editors as well.
  @Test func mistakesOfTestsAreFoundBeforeTheyRun() throws {
    let folder = TemporaryFolder()
    let text = """
      input d: Behavior<Float> = 1.0
      output x = floor(time)
      test "what changes" {
        expect changes(x) == "-1-2" every 500ms
      }
      test "what is known once" {
        expect (every(d) |> count) at 1s == 1
      }
      test "what is sound" {
        expect x at 1s == 1
      }

      """
    let path = try folder.file(text, "p.frp")
    let checked = frp("check", path, "--error-format", "short")
    // Evaluation comes before what is said of time.
    #expect(checked.code == 1 && checked.err.contains("p.frp:7:17: error[E0402]"), "\(checked.err)")
    #expect(frp("run", path, "--virtual", "--for", "1s").code == 0)
    let tested = frp("test", path)
    #expect(tested.out.contains("p.frp:4:10\n") && tested.out.contains("p.frp:7:17\n"), "\(tested.out)")
    #expect(!tested.out.contains("probe") && tested.out.hasSuffix("1 passed, 2 failed\n"), "\(tested.out)")
    let analysis = Analysis(SourceFile(name: path, text: text), Surroundings())
    #expect(analysis.isClean && analysis.diagnostics.map(\.code.rawValue) == ["E0402"])
  }

  /// A lane of what changes all the time is an error, and what is proposed in its place is a lane that holds.
  @Test(arguments: [
    #"time == "012" every 1s"#, #"integral(2.0) == "-24" every 1s"#, #"(time, 1) == "-a" every 1s with {a: (1.0, 1)}"#,
    #"{a: time} == "a" every 1s with {a: {a: 0.0}}"#, #""{time}" == "-a" every 1s + 1s with {a: "2.0"}"#,
    #"(time == 2.0) == "fft" every 1s"#,
  ])
  func lanesOfWhatMovesAreToldWhatToWrite(lane: String) throws {
    let text = "output x = time\ntest \"t\" {\n  expect \(lane)\n}\n"
    let mistakes = TestBlock.mistakes(in: Source(name: "lane.frp", text: text))
    #expect(mistakes.map(\.code) == [.continuousChanges])
    let edit = try #require(mistakes.first?.helps.first?.edit)
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(Int(edit.span.start)..<Int(edit.span.end), with: Array(edit.text.utf8))
    let mended = Source(name: "lane.frp", bytes: bytes)
    #expect(TestBlock.mistakes(in: mended).isEmpty)
    let failures = TestBlock.all(in: mended).flatMap { $0.run(in: mended).failures }
    #expect(failures.isEmpty, "\(failures)")
  }

  /// Where calls are looked at or answered, a test has a copy of its own, and places in it are found as well.
  @Test func mistakesBesideCallsAreFound() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      input go: Event<String>
      output got = (go |> perform(All, url => Http.get(url))).results |> map(r => isOk(r))
      test "calls" {
        given go = "-a" every 1s
        given Http.get(url) = Task.succeed("{floor(time)}")
        expect calls(Http.get) |> map(u => (u, changes(floor(time)) |> count)) == "-" every 1s
      }
      test "before the calls" {
        given go = "-a" every 1s
        expect (changes(floor(time)) |> count, calls(Http.get) |> count) at 1s == (1, 0)
      }

      """, "calls.frp")
    let places = frp("check", path, "--error-format", "short").err.split(separator: "\n").filter { $0.contains("E0") }
    #expect(places.count == 2 && places[0].contains(":6:42:") && places[1].contains(":10:11:"), "\(places)")
  }

  @Test func testsOfTheExamplesPass() {
    let examples = Files.names(in: root + "/examples").filter { $0.hasSuffix(".frp") }.map { "\(root)/examples/\($0)" }
    let result = frp(["test"] + examples)
    #expect(result.code == 0, "\(result.out)\(result.err)")
    #expect(result.out.split(separator: "\n").count > 12)
  }
}
