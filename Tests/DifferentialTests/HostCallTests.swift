// Programs that call functions of a host: engine against model, with and without optimisations.

import FRPCore
import FRPDifferential
import FRPModel
import Testing

@Suite struct HostCallTests {
  /// Calls where a value is pushed, lifted, pulled, folded, made once, in a list function, in a scope, and that fault.
  static let programs = [
    "output a = n |> map(k => Host.double(k)) |> fold(0, (x, y) => Host.mixed(x, y))",
    "output b = Host.double(level) + Host.seven",
    "output c = [1, 2, level] |> map(k => Host.mixed(k, level)) |> sum",
    "output d = n |> map(k => Host.positive(k - 2)) |> hold(Host.positive(3))",
    "output e = if level > 2 then Host.positive(level - 3) else 0",
    "output f = n |> flatMapLatest(k => every(0.4s) |> map(_ => Host.mixed(k, level)))",
    "output g = n |> filter(k => Host.double(k) % 4 == 0) |> scan(0, (x, k) => x + Host.positive(k))",
    "output h = Host.half(time)\noutput i = when(Host.half(time) >= 0.6) |> map(_ => Host.half(time))",
    "output j = n |> keyed(k => Host.double(k) % 3, (key, own) => own |> map(k => Host.mixed(key, k)))",
    "f(x) = if x > 1000 then x else f(Host.double(x) + Host.positive(x))\noutput k = n |> map(f)",
  ]

  private static let trace = """
    {"at": 0, "n": 1}
    {"at": 0.5, "level": 3}
    {"at": 1, "n": 4, "level": 2}
    {"at": 1, "n": 2}
    {"at": 1.5, "n": -4}
    {"at": 2, "level": 9}
    {"at": 2.5, "n": 8}
    """

  @Test(arguments: programs) func theEngineCallsTheHostAsTheModelDoes(_ text: String) throws {
    let compiled = Compiled("input n: Event<Int>\ninput level: Behavior<Int> = 1\n" + text, hasHost: true)
    let core = try #require(compiled.core, "\(compiled.problems)")
    let trace = try #require(TraceLine.parse(Self.trace))
    for turn in 0..<10 { #expect(Differential.check(core, trace, until: 3, turn: turn) == nil) }
    let run = try #require(Engine.run(core, trace, until: 3))
    #expect(!run.lines.isEmpty)
    #expect(!run.faults.contains { $0.message.contains("nobody provides") })
    if text.contains("positive") { #expect(!run.faults.isEmpty) }
  }
}
