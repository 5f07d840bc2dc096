import FRP
import FRPCore
import FRPGraph
import FRPRuntime
import Testing

/// Runs of a program with inputs `e` and `n`.
enum OptimisedRuns {
  /// What a program shows, with windows that grow, slide, are emptied, and see several occurrences in an instant.
  static func lines(_ text: String, _ optimisations: Optimisations, collectAlways: Bool) -> [String] {
    let program = Program(Source(name: "test.frp", text: text))
    guard let core = program.plan?.core, let plan = try? Plan(core, optimisations) else {
      Issue.record("does not compile: \(text) \(program.diagnostics.map(\.title))")
      return []
    }
    let reactor = Reactor(plan: plan)
    reactor.heap.collectAlways = collectAlways
    let codec = Codec(reactor.heap)
    var lines: [String] = []
    reactor.observer = { moment, changes in
      for change in changes {
        var out = StringBuilder()
        do throws(Fault) { try codec.encodeJSON(change.value, plan.outputs[change.output].type, to: &out) } catch {}
        lines.append("\(moment.seconds) \(String(decoding: out.view, as: UTF8.self))")
      }
    }
    reactor.faultObserver = { lines.append("\($0.moment.seconds) \($0.fault.text)") }
    reactor.start()
    var random: UInt64 = 11
    func below(_ limit: UInt64) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33 % limit)
    }
    var now: Int64 = 0
    for number in 0..<900 {
      now += Int64(below(30)) * 1_000_000 + (number % 300 == 299 ? 3_000_000_000 : 0)
      reactor.advance(to: now)
      reactor.send((0..<(below(8) == 0 ? 4 : 1)).map { _ in (port: 0, value: Word(int: below(1_000))) })
      if below(60) == 0 { reactor.send(port: 1, Word(int: below(3))) }
    }
    return lines
  }
}

/// What the library keeps of lists that slide changes nothing that can be seen: every program runs with it and without.
struct SlidingListTests {
  static let aggregates = [
    "sum(w)", "w |> map(x => x * 7919) |> sum", "w |> map(toFloat) |> sum", "w |> map(x => toFloat(x) / 7.0) |> mean",
    "w |> map(x => toFloat(x) * 0.1) |> variance", "w |> map(toFloat) |> median",
    "[0.0, 0.1, 0.5, 0.95, 1.0] |> map(q => w |> map(toFloat) |> quantile(q))", "minimum(w)", "maximum(w)",
    "w |> map(x => if x > 3 then 0.0 else -0.0) |> minimum", "w |> map(x => if x > 3 then 0.0 else -0.0) |> maximum",
    "w |> countBy(x => x % 7)", "w |> countBy(x => \"{x % 40}\")", "w |> countBy(x => (x % 3, x % 2 == 0))",
    "w |> countBy(x => if x % 3 == 0 then 0.0 else -0.0)", "w |> countBy(x => div(100, x % 50))",
    "w |> countBy(x => x % (n + 2))", "w |> groupBy(x => x % 7)", "w |> map(x => \"{x}\") |> groupBy(size)",
    "w |> groupBy(x => \"{x % 40}\") |> mapValues(size)", "w |> groupBy(x => div(100, x % 50)) |> Map.size",
    "w |> topBy(3, x => x % 5)", "w |> topBy(3, x => toFloat(x % 5))", "w |> topBy(3, x => \"{x % 5}\")",
    "w |> map(x => (x, x)) |> topBy(2, ((x, _)) => x % 3)", "w |> map(x => \"{x}\") |> join(\",\")",
    "w |> map(x => x * n) |> sum", "w |> topBy(2, x => x % (n + 2))", "size(w)",
    "w |> List.takeLast(20) |> sum", "w |> map(x => div(100, x % 50)) |> sum", "w |> topBy(1, x => div(100, x % 50))",
    "w |> filter(x => x % 3 == 0)", "w |> filter(x => x % 3 == n) |> map(toFloat) |> median",
    "w |> count(x => x > 500)",
    "w |> any(x => x % 97 == n)", "w |> all(x => x < 990)", "w |> any(x => div(100, x % 50) > 40)",
    "w |> all(x => div(100, x % 30) < 60)", "w |> count(x => div(100, x % 50) > 40)",
    "w |> filter(x => div(9, x % 50) > 4) |> size",
    "w |> map(x => x * n) |> filter(x => x > 300) |> sum",
    "w |> map(x => \"{x}\") |> filter(t => size(t) > 2) |> join(\"\")",
    "w |> map(x => if x % 40 == 0 then 9223372036854775807 else x) |> sum",
  ]

  @Test(arguments: SlidingListTests.aggregates)
  func sameAsWithout(aggregate: String) {
    let program = "input e: Event<Int>\ninput n: Behavior<Int> = 1\nw = e |> window(2s)\noutput r = \(aggregate)\n"
    for collectAlways in [false, true] {
      let without = OptimisedRuns.lines(program, .all.subtracting(.slidingLists), collectAlways: collectAlways)
      #expect(without.count > 2)
      #expect(OptimisedRuns.lines(program, .all, collectAlways: collectAlways) == without)
      #expect(OptimisedRuns.lines(program, .slidingLists, collectAlways: collectAlways) == without)
    }
  }

  @Test func inScopesAndEvents() {
    let texts = [
      "e |> groupBy(x => x % 3, (_, es) => es |> window(2s) |> map(toFloat) |> median)",
      "e |> map(x => (x, quantile(w |> map(toFloat), 0.5)))",
      "e |> fold([], (l, x) => l ++ [x % 9]) |> maximum", "e |> buffer(100, 1) |> map(l => l |> map(toFloat) |> mean)",
      "e |> fold([0], (l, x) => (l ++ [div(x, x % 9)]) |> List.takeLast(90)) |> sum",
    ]
    for text in texts {
      let program = "input e: Event<Int>\ninput n: Behavior<Int> = 1\nw = e |> window(2s)\noutput r = \(text)\n"
      for collectAlways in [false, true] {
        let without = OptimisedRuns.lines(program, .all.subtracting(.slidingLists), collectAlways: collectAlways)
        #expect(!without.isEmpty)
        #expect(OptimisedRuns.lines(program, .all, collectAlways: collectAlways) == without)
      }
    }
  }
}
