import FRPDifferential
import FRPModel
import Testing

/// Outputs of which only the last value is wanted wait for the end (`Plan.deferring`), and nobody can tell: the last values are
/// the same, and so is what goes wrong, where and when.
@Suite struct DeferredOutputTests {
  /// An output, whether it waits, and how many instants fault.
  static let outputs: [(text: String, waits: Bool, faults: Int)] = [
    ("c |> Map.toList |> sortBy(((_, n)) => -n)", true, 0),
    ("entries |> sortBy(((k, n)) => (n, k)) |> take(3)", true, 0),
    ("entries |> map(((k, n)) => \"{k}: {n}\") |> join(\", \")", true, 0), ("size(entries)", true, 0),
    // A function that faults for some entry does so in its instant.
    ("entries |> sortBy(((_, n)) => div(60, n - 3))", false, 6),
    ("c |> Map.toList |> sortBy(((_, n)) => div(60, n - 3))", true, 6),
    ("c |> Map.map(n => div(60, n - 3)) |> Map.toList |> reverse", true, 6),
    ("c |> Map.values |> map(n => div(60, n - 3)) |> sort", true, 6),
    ("g |> Map.map((k, n) => div(60, k + n - 9)) |> Map.keys", true, 1),
    // So does what it reads.
    ("[rest, last]", true, 1), ("if last > 100 then rest else 1", false, 0), ("div(60, last - 4)", false, 1),
    ("sum(Map.values(c))", false, 0), ("toFloat(last) / 2.0", false, 0),
    // Something looks at it before.
    ("seen |> map(x => size(text)) |> hold(0)", false, 0), ("\"{text}{size(changes(text) |> window(1s))}\"", true, 0),
    ("text", true, 0), ("(text, [text])", true, 0), ("last", false, 0), ("seen", false, 0),
    ("time + toFloat(last)", false, 0),
    ("if last > 3 then \"{v}\" else text", true, 0), ("e |> switch(0, x => count(e)) |> (n => [n])", true, 0),
    ("[attempt(div(60, last - 4))]", true, 0), ("deep(last)", false, 0), ("twice(last)", true, 0),
  ]

  static let program = """
    input e: Event<Int>
    input v: Behavior<Int> = 1
    c = e |> countBy(x => x % 5)
    g = e |> groupBy(x => x, (_, es) => count(es))
    entries = Map.toList(c)
    seen = e |> filter(x => x > 2)
    last = e |> hold(0)
    rest = div(60, last - 4)
    text = "{last} and {v}"
    deep(n) = if n <= 0 then [0] else [n, ...deep(n - 1)]
    twice(x) = [x, x]

    """

  @Test(arguments: outputs.indices)
  func sameAtTheEnd(index: Int) throws {
    let (text, waits, faults) = Self.outputs[index]
    let core = try #require(Compiled(Self.program + "output r = \(text)\noutput other = e |> count").core, "\(text)")
    var lines: [String] = []
    for (place, x) in [1, 2, 4, 3, 7, 1, 0, 2, 8, 1, 6, 3, 9, 2, 5, 12].enumerated() {
      lines.append("{\"at\": \(Double(place) * 0.4), \"e\": \(x)}")
      if place % 5 == 4 { lines.append("{\"at\": \(Double(place) * 0.4 + 0.1), \"v\": \(place)}") }
    }
    let trace = try #require(TraceLine.parse(lines.joined(separator: "\n")))
    let wanted = try #require(Engine.last(core, trace, isDeferred: false))
    let got = try #require(Engine.last(core, trace, isDeferred: true))
    #expect(got.deferred == (waits ? 1 : 0), "\(text)")
    #expect(wanted.run.faults.count == faults, "\(text): \(wanted.run.faults)")
    expectSame(wanted.run, wanted.shown, got.run, got.shown, text)
  }

  /// Random programs, with outputs made of what they define.
  @Test func randomProgramsEndAlike() throws {
    var deferred = 0
    for seed in UInt64(0)..<80 {
      let program = Generator.program(seed: seed)
      let behaviors = program.names(events: false)
      let more = behaviors.prefix(4).enumerated().map {
        ("w\($0)", "[\($1), \(behaviors[behaviors.count - 1 - $0])] |> map(x => \"{x}\")")
      }
      let other = program.adding(more, outputs: Set(more.map(\.0) + program.outputs))
      guard let core = Compiled(other.source).core, let trace = TraceLine.parse(other.traceText),
        let wanted = Engine.last(core, trace, isDeferred: false), let got = Engine.last(core, trace, isDeferred: true)
      else { continue }
      // A limit strikes what is computed.
      if wanted.run.hasMetLimit || got.run.hasMetLimit { continue }
      deferred += got.deferred
      expectSame(wanted.run, wanted.shown, got.run, got.shown, "seed \(seed)\n\(other.source)\(other.traceText)")
    }
    #expect(deferred > 40)
  }

  private func expectSame(
    _ wanted: ModelRun, _ wantedLast: [String: String], _ got: ModelRun, _ gotLast: [String: String], _ what: String
  ) {
    #expect(gotLast == wantedLast, "\(what)")
    #expect(
      got.faults.map { "\($0.seconds) \($0.message) \($0.definition)" }
        == wanted.faults.map { "\($0.seconds) \($0.message) \($0.definition)" }, "\(what)")
  }
}
