import FRPBase
import Testing

@testable import FRPCommands

/// Pictures of programs: what is drawn where, and what reads back.
@Suite final class PictureTests {
  private let folder = TemporaryFolder()

  private func file(_ text: String, _ name: String = "program.frp") throws -> String { try folder.file(text, name) }

  private func count(_ part: String, in text: String) -> Int { text.components(of: part) }

  @Test func stepsAreExactAndBrokenWhereTheyJump() throws {
    let path = try file("output n = every(1s) |> count\noutput beat = every(500ms)\n")
    let svg = frp("plot", path, "--for", "4s", "-o", "-")
    #expect(svg.code == 0 && svg.err.isEmpty)
    // 0 to 3, and 4 at the very end, which has no length.
    #expect(count("<polyline", in: svg.out) == 4)
    #expect(count("<circle", in: svg.out) == 8)
    #expect(svg.out.contains("points=\"70,286 250,286\""))
  }

  /// Whatever the numbers, an axis has several labels, and no two neighbours say the same.
  @Test(arguments: [
    "1234567890.123 + sin(time)", "if time < 1.0 then 0.00000012345 else 0.00000012346", "sin(3.0 * time) * 1e300",
    "sin(3.0 * time) * 1.7e308", "10000000000000000 + floor(time)", "sin(time)", "1e-300 * time",
  ])
  func anAxisHasLabelsThatDiffer(_ value: String) throws {
    let path = try file("output d = \(value)\n", "axis.frp")
    let svg = frp("plot", path, "--for", "5s", "-o", "-").out
    let labels = svg.split(separator: "\n").filter { $0.contains("text-anchor=\"end\"") }.compactMap {
      $0.split(separator: ">").dropFirst().first?.split(separator: "<").first
    }
    #expect(labels.count > 1, "\(labels)")
    #expect(Set(labels).count == labels.count, "\(labels)")
    #expect(!svg.contains("nan") && !svg.contains("inf"))
  }

  @Test func whatIsContinuousIsBrokenAtJumpsOnly() throws {
    let path = try file("output saw = integralFrom(1.0, 0.0, every(1s) |> map(_ => 0.0))\n")
    #expect(count("<polyline", in: frp("plot", path, "--for", "3500ms", "-o", "-").out) == 4)
    let smooth = try file("output wave = sin(10.0 * time)\n", "wave.frp")
    #expect(count("<polyline", in: frp("plot", smooth, "--for", "5s", "-o", "-").out) == 1)
  }

  @Test func namesNeedBeNoOutputsAndExpressionsWillDo() throws {
    let path = try file("ticks = every(1s)\noutput n = ticks |> count\n")
    let lanes = frp("marble", path, "ticks", "ticks |> map(_ => n)", "--for", "3s")
    #expect(
      lanes.out
        == """
        ticks                == "-xxx" every 1s
        ticks |> map(_ => n) == "-012" every 1s

        """)
    #expect(frp("plot", path, "tick").err.contains("did you mean `ticks`?"))
    // What is wrong with an expression is told without a place, and a name, that nobody has written.
    let wrong = frp("marble", path, "ticks |> foo")
    #expect(wrong.code == 1 && wrong.err.contains("`ticks |> foo` cannot be drawn: nothing is called `foo`"))
    let function = frp("plot", path, "x => x + 1")
    #expect(function.err.contains("`x => x + 1` cannot be drawn: ") && !function.err.contains("plotted"))
  }

  @Test func lanesReadBackAsTests() throws {
    let text = "input clicks: Event<Int>\noutput sums = clicks |> scan(0, (a, b) => a + b)\n"
    let path = try file(text)
    let trace = try file("{\"at\":0.5,\"clicks\":3}\n{\"at\":1,\"clicks\":40}\n{\"at\":1,\"clicks\":5}\n", "t.jsonl")
    let lane = frp("marble", path, "--trace", trace).out
    let test = "test \"it\" {\n  given clicks = \"-C[DE]\" every 500ms with {C: 3, D: 40, E: 5}\n  expect \(lane)}\n"
    let result = frp("test", try file(text + test, "tested.frp"))
    #expect(result.code == 0, "\(result.out)\(result.err)")
  }

  @Test func withoutForTheInputsDecide() throws {
    let path = try file("input n: Event<Float>\noutput level = n |> hold(0.0)\noutput way = integral(level)\n")
    let trace = try file("{\"at\":1,\"n\":2}\n{\"at\":3,\"n\":0}\n", "t.jsonl")
    let svg = frp("plot", path, "--trace", trace, "-o", "-").out
    #expect(svg.contains(">3s</text>") && !svg.contains(">3.5s</text>"))
    #expect(count("<polyline", in: svg) == 3)
  }

  @Test func theGraphSaysTypesAndWhatLooksBack() throws {
    let path = try file(
      "input clicks: Event<Int>\noutput n = clicks |> fold(0, (s, x) => s + x)\nbig = n > 3\noutput up = when(big)\n")
    #expect(
      frp("graph", path).out
        == """
        clicks : Event<Int>, input
        n      : Int, step, output  <- clicks before
        big    : Bool, step         <- n
        up     : Event<()>, output  <- big before

        """)
    let dot = frp("graph", path, "--as", "dot").out
    #expect(dot.contains("label = \"big : Bool\"") && dot.contains("[style = dashed]"))
    let near = frp("graph", path, "--focus", "clicks", "--as", "json").out
    #expect(near.contains("{\"from\":\"n\",\"to\":\"big\",\"looksAtPast\":false}"))
    #expect(frp("graph", path, "--focus", "bog").err.contains("did you mean `--focus big`?"))
    let svg = frp("graph", path, "--as", "svg").out
    #expect(count("<rect class=\"box\"", in: svg) == 4)
  }

  @Test func aRunGivesTheGraphRates() throws {
    let path = try file("input n: Event<Int>\neven = n |> filter(n => n % 2 == 0)\noutput all = even |> count\n")
    let trace = try file((1...20).map { "{\"at\":\($0 * 2),\"n\":\($0)}\n" }.joined(), "t.jsonl")
    #expect(
      frp("graph", path, "--trace", trace).out
        == """
        n    : Event<Int>, input, 0.5/s
        even : Event<Int>, 0.25/s         <- n
        all  : Int, step, output, 0.25/s  <- even before

        """)
    let flags = ["graph", path, "--trace", trace, "--as"]
    #expect(count("\"rate\":0.25}", in: frp(flags + ["json"]).out) == 2)
    #expect(frp(flags + ["svg"]).out.contains("Event&lt;Int&gt; · 0.25/s"))
    #expect(frp(flags + ["dot"]).out.contains("even : Event<Int>, 0.25/s"))
    #expect(frp(flags + ["mermaid"]).out.contains("even : Event<Int>, 0.25/s"))
    let still = frp("graph", path, "--trace", try file("", "none.jsonl"))
    #expect(still.err.contains("no time passes") && !still.out.contains("/s"))
  }

  @Test func aConditionIsAnEventWhateverItWatches() throws {
    let path = try file("x = integral(1.0)\ny = 2.0 * x\nhit = when(y > 1.0)\noutput n = hit |> count\n")
    #expect(frp("graph", path).out.contains("hit : Event<()>"))
  }

  @Test func picturesOfMarkupHoldNone() throws {
    let path = try file("output s = every(1s) |> map(_ => \"<b>&\")\n")
    let svg = frp("marble", path, "--for", "2s", "-o", "-").out
    #expect(svg.contains("&quot;&lt;b&gt;&amp;&quot;") && !svg.contains("<b>"))
  }

  @Test func whatCannotBeDrawnIsSaidBeforeAnythingRuns() throws {
    let path = try file("output s = \"a text\"\n")
    #expect(frp("plot", path).code == 2)
    #expect(frp("plot", path, "-o", "a.jpg").err.contains("--output a.svg"))
    let old = try file("old", "old.svg")
    #expect(frp("plot", path, "nobody", "-o", old).code != 0)
    #expect(try Files.contents(of: old) == Array("old".utf8))
    let new = old.replacing("old.svg", with: "new.svg")
    #expect(frp("plot", path, "nobody", "-o", new).code != 0 && !Files.exists(new))
    #expect(frp("plot", path, "-o", "/nowhere/a.svg").code == 3)
    #expect(frp("marble", try file("output t = time\n", "t.frp")).err.contains("`frp plot` draws it"))
    let records = frp("marble", try file("output t = [time]\noutput n = every(1s) |> count\n", "l.frp"), "--for", "2s")
    #expect(records.err.contains("`t` varies all the time, and has no marbles") && records.out.hasPrefix("n == "))
  }

  @Test func runsDifferByWhatIsBeyondTheTolerance() throws {
    let before = try file("{\"at\":0,\"x\":1.0}\n{\"at\":0,\"y\":[\"1.0\",2]}\n{\"at\":1,\"x\":2.0}\n", "a.jsonl")
    let after = try file(
      "{\"at\":0,\"y\":[\"1.0\",2.0000001]}\n{\"at\":0,\"x\":1.0}\n{\"at\":1,\"x\":2.5}\n{\"at\":2,\"z\":null}\n",
      "b.jsonl")
    let strict = frp("diff", before, after)
    #expect(strict.code == 1)
    #expect(
      strict.out
        == """
        x: line 3 and 3: 2.0 at 1.0 s, then 2.5
        y: line 2 and 1: ["1.0",2] at 0.0 s, then ["1.0",2.0000001]
        z: line 4: null at 2.0 s is new

        """)
    #expect(frp("diff", before, after, "--tolerance", "1e-6").out.split(separator: "\n").count == 2)
    #expect(frp("diff", before, before).code == 0)
    #expect(!DiffCommand.isSame("[\"1.0\"]", "[\"1.0000001\"]", within: 0.1))
    #expect(frp("diff", before, try file("nothing\n", "c.jsonl")).err.contains("line 1: no `at`"))
    #expect(frp("diff", before, after, "--tolerance", "much").code == 2)
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func components(of part: String) -> Int {
    var count = 0
    var rest = self[...]
    while let found = rest.firstRange(of: part) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
