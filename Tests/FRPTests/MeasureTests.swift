import FRP
import FRPBase
import FRPGraph
import FRPRuntime
import Testing

@testable import FRPCommands

/// What a run takes, by definition; and how long it takes.
@Suite final class MeasureTests {
  private let folder = TemporaryFolder()

  private func file(_ text: String, _ name: String = "program.frp") throws -> String { try folder.file(text, name) }

  private func trace(_ count: Int) throws -> String {
    try file((1...count).map { "{\"at\":\($0),\"n\":\($0)}\n" }.joined(), "n.trace")
  }

  private static let program = """
    input n: Event<Int>
    small = n |> filter(x => x < 3)
    squares = n |> map(x => sum(1..x) * x)
    output kept = squares |> window(1h) |> size
    output perKey = n |> keyed(x => x % 2, (_, own) => own |> scan(0, (s, x) => s + x))
    output few = small |> count

    """

  // MARK: Profiles

  @Test func everyDefinitionHasWhatIsItsOwn() throws {
    let result = frp("profile", try file(Self.program), "--trace", try trace(4), "--by", "steps")
    #expect(
      result.out
        == """
        definition  line   share  runs  instants  shown  steps  words   kept
        squares        3  47.4 %     4         4      4     18     34   16 B
        perKey         5  26.3 %     8         4      4     10      0  528 B
        small          2  10.5 %     4         4      2      4      0   16 B
        kept           4  10.5 %     8         4      4      4     22  288 B
        few            6   5.3 %     2         2      2      2      0   32 B
        n              1   0.0 %     0         0      4      0      0   16 B

        """)
    #expect(result.err == "frp: 6 instants, 38 steps in definitions; reading inputs and writing outputs come on top\n")
  }

  @Test func timeIsSharedByWhatTakesIt() throws {
    let path = try file(
      "input n: Event<Int>\noutput quick = n |> map(x => x + 1)\noutput slow = n |> map(x => sum(1..5000 + x))\n")
    let lines = frp("profile", path, "--trace", try trace(50)).out.split(separator: "\n")
    #expect(lines.count == 4)
    let share = lines[1].split(separator: " ")
    #expect(share[0] == "slow")
    #expect((Double(share[2]) ?? 0) > 80, "\(lines[1])")
  }

  @Test func memoryIsTheOneOfWhoHoldsIt() throws {
    let path = try file(Self.program)
    func kept(_ count: Int) throws -> Int {
      let json = frp("profile", path, "--trace", try trace(count), "--json").out
      let line = json.split(separator: "\n").first { $0.contains("\"kept\"") } ?? ""
      return line.split(separator: ":").last.map { Int($0.prefix { $0.isNumber }) ?? 0 } ?? 0
    }
    let (few, many) = (try kept(10), try kept(1_000))
    #expect(few > 100 && many > few + 8 * 900 && many < few + 8 * 10_000, "\(few), \(many)")
  }

  /// What counts sees what happens, and changes nothing: the same program with everything apart shows the same.
  @Test(arguments: [
    "output a = every(100ms) |> indexed |> map((i, _) => i)\noutput b = a |> switch(0, k => every(30ms) |> fold(k, (n, _) => n + 1))\n",
    "output a = integral(sin(time))\noutput b = when(a > 0.5)\noutput c = b |> count\n",
    "e = every(100ms) |> indexed |> map((i, _) => i)\noutput a = e |> map(i => div(10, i % 3))\noutput b = e |> groupBy(i => i % 4, (_, own) => count(own))\n",
    "e = every(70ms) |> indexed |> map((i, _) => i)\noutput a = e |> hold(0) |> changes |> delay(50ms)\noutput b = [a |> hold(0), 1] |> each(n => n, n => n * 2)\n",
  ])
  func countingChangesNothing(program: String) throws {
    func shown(_ optimisations: Optimisations, counts: Bool) throws -> [String] {
      let program = Surroundings().compile(Source(name: "p.frp", text: program), optimisations: optimisations)
      let simulation = try Simulation(program)
      for output in program.outputs { try simulation.record(output.name) }
      if counts { simulation.reactor.count() }
      simulation.start()
      for step in 1...40 { simulation.advance(to: Double(step) * 0.05) }
      let values = program.outputs.filter { !$0.isEvent }.map { (try? simulation.value(of: $0.name)) ?? "fault" }
      let occurrences = try program.outputs.map { "\(try simulation.occurrences(of: $0.name))" }
      if counts {
        let profile = try #require(simulation.reactor.profile)
        let runs = profile.rows.joined().reduce(0) { $0 + $1.runs } + profile.motion.values.reduce(0) { $0 + $1.runs }
        #expect(runs > 20)
      }
      return occurrences + values + [
        "\(simulation.faults.count) faults", "\(simulation.reactor.instantCount) instants",
      ]
    }
    let plain = try shown(.all, counts: false)
    #expect(try shown(ProfileCommand.apart, counts: true) == plain)
  }

  @Test func whatMovesTogetherIsSharedOut() throws {
    let path = try file(
      "start = every(5s)\nspeed = start |> switch(0.0, _ => integral(1.0))\noutput height = integral(speed)\n")
    let result = frp("profile", path, "--for", "20s", "--json").out
    for name in ["speed", "height"] {
      let line = result.split(separator: "\n").first { $0.contains("\"name\":\"\(name)\"") } ?? ""
      #expect(!line.contains("\"runs\":0") && !line.contains("\"share\":0.0,"), "\(line)")
    }
  }

  @Test func flamesAreAsWideAsWhatTheyTake() throws {
    let svg = frp("profile", try file(Self.program), "--trace", try trace(4), "--by", "steps", "-o", "-").out
    #expect(svg.contains("<title>squares: 47.4 %, 18 steps</title>"))
    #expect(svg.contains("<title>map, line 3: 47.4 %, 18 steps</title>"))
    // Below the definition its `keyed`, below that the scope's own part.
    #expect(svg.contains("<title>keyed, line 5: 26.3 %, 10 steps</title>"))
    #expect(svg.contains("<title>scan, line 5: 10.5 %, 4 steps</title>"))
    #expect(svg.contains("width=\"472.68\""))
  }

  @Test func whatCannotBeProfiledIsSaid() throws {
    let path = try file("output n = every(1s) |> count\n")
    let endless = frp("profile", path)
    #expect(endless.code == 2 && endless.err.contains("would run for ever: say how long with --for 10s"))
    #expect(frp("profile", path + "x").err.contains("did you mean"))
    #expect(frp("profile", try file("n = 1\n", "none.frp"), "--for", "1s").err.contains("write `output`"))
    let unwritable = frp("profile", path, "--for", "1s", "-o", "/nowhere/a.svg")
    #expect(unwritable.code == 3 && unwritable.err.contains("cannot write `/nowhere/a.svg`"))
    let idle = frp("profile", try file("input n: Event<Int>\noutput m = n\n", "idle.frp"))
    #expect(idle.code == 3 && idle.err.contains("nothing ran"))
    let wrong = frp("profile", try file("output n = x\n", "wrong.frp"), "--for", "1s")
    #expect(wrong.code == 1 && wrong.err.contains("E0201"))
  }

  // MARK: Rounds

  @Test func aBenchSaysWhatWasDone() throws {
    let path = try file(Self.program)
    let result = frp("bench", path, "--trace", try trace(4), "--rounds", "3")
    #expect(result.code == 0)
    #expect(result.out.contains("program.frp: 3 rounds of 4 occurrences in 6 instants\n  a run "))
    #expect(result.out.contains(" occurrences a second\n") && result.out.contains("  memory"))
    let tests = try file("output n = 1\ntest \"one\" { expect n at 1s == 1 }\n", "tested.frp")
    let tested = frp("bench", tests, "--rounds", "1", "--json")
    #expect(tested.out.contains("\"rounds\": 1") && tested.err.contains("its test, compiled and run"))
    #expect(frp("bench", path, input: "1\n2\n").out.contains("of 2 occurrences in 4 instants"))
  }

  @Test func twoProgramsTakeTurns() throws {
    let quick = try file("input n: Event<Int>\noutput m = n |> map(x => x + 1)\n", "quick.frp")
    let slow = try file("input n: Event<Int>\noutput m = n |> map(x => sum(1..10000 + x))\n", "slow.frp")
    let result = frp("bench", quick, "--compare", slow, "--trace", try trace(30), "--rounds", "7")
    #expect(result.out.contains("slow.frp takes ") && result.out.contains("times as long as"))
    #expect(result.out.contains("; with 95 % it is ") && result.out.contains("(7 pairs)"))
    let few = frp("bench", quick, "--compare", quick, "--trace", try trace(3), "--rounds", "2")
    #expect(few.out.contains("too few to say how sure that is"))
    #expect(frp("bench", quick, "--compare", slow + "x", "--trace", try trace(3)).code == 2)
    #expect(frp("bench", quick, "--trace", try trace(3), "--rounds", "many").code == 2)
    #expect(frp("bench", try file("output n = every(1s)\n", "endless.frp")).err.contains("would run for ever"))
  }

  @Test func aSpreadIsThatOfItsValues() {
    let spread = Spread((1...10).map { Double($0) }.shuffled())
    #expect(spread.least == 1 && spread.median == 5.5 && spread.lowerQuartile == 3.25 && spread.upperQuartile == 7.75)
    // Of ten, fewer than two heads come in 1.07 % of cases, fewer than three in 5.5 %.
    #expect(spread.interval == 2...9)
    #expect(Spread([1, 2, 3, 4, 5]).interval == nil)
    #expect(Spread([1, 2, 3, 4, 5, 6]).interval == 1...6)
    #expect(Spread([]).median == 0)
  }

  @Test func amountsAreWrittenForPeople() {
    #expect(Amount.time(1_234) == "1.23 µs" && Amount.time(12.34) == "12.3 ns" && Amount.time(5e10) == "50 s")
    #expect(
      Amount.grouped(1_234_567) == "1,234,567" && Amount.grouped(-1_000) == "-1,000" && Amount.grouped(12) == "12")
    #expect(Amount.bytes(9_999) == "9999 B" && Amount.bytes(12_345) == "12 kB" && Amount.percent(0.4567) == "45.7 %")
  }
}
