// Collection within an instant: what one instant may allocate is bounded by nothing but what is alive, and whoever holds a
// word while code runs holds it still.

import FRPBase
import FRPRuntime
import Testing

@testable import FRP

@Suite struct InsideTests {
  /// Runs an event input `n` of the program once under a limit, and gives what was shown. On a thread of its own: what other tests
  /// have left on the stack of a thread that they share may point to where this heap has its lists, which then stay.
  private func run(_ program: String, megabytes: Int) -> [String] {
    onLargeStack {
      var limits = Limits()
      limits.heapBytes = megabytes << 20
      guard let session = Session(program, limits: limits) else { return [] }
      session.reactor.checksInvariants = false
      session.reactor.start()
      session.at(1, ("n", "1"))
      return session.lines
    }
  }

  private static let programs: [(expression: String, shows: String, megabytes: Int)] = [
    // 8 kB are alive, 240 MB made.
    ("fold(1..30000, List.repeat(0, 1000), (m, q) => set(m, q % 1000, q)) |> sum", "29500500", 4),
    // Prepends: 144 MB made.
    ("fold(1..6000, [], (l, q) => [q] ++ l) |> size", "6000", 4),
    // A map, with a copy of the way to each new entry: 150 MB made, 4.8 alive.
    ("fold(1..100000, Map.empty, (m, q) => set(m, q, q)) |> size", "100000", 20),
    // A tail-recursive loop.
    ("loop(3000, [0])", "3001", 4),
    // Calls that wait for one another.
    ("deep(2000)", "2001000", 8),
    // Functions called by routines: the entries of a map, keys, comparisons, parts.
    ("sum(Map.values(Map.map(Map.fromList(1..200 |> List.map(i => (i, i))), (k, v) => heavy(k) + v)))", "120100", 4),
    ("1..200 |> List.sortBy(i => -heavy(i) - i) |> List.take(1) |> sum", "200", 4),
    ("1..60 |> List.sortWith((x, y) => heavy(x) + y < heavy(y) + x) |> List.take(1) |> sum", "60", 4),
    ("size(1..200 |> List.distinctBy(i => heavy(i) + i % 7))", "7", 4),
    ("1..200 |> List.flatMap(i => [heavy(i), i]) |> sum", "120100", 4),
    ("size(1..200 |> List.map(i => \"{heavy(i)} {i}\") |> List.filter(t => heavy(size(t)) == 500))", "200", 4),
    // No call and no loop between two large lists: what is refused is done again after a collection. One list more than is alive fits: a
    // word that the stack has left may keep it.
    (
      "size(List.repeat(q, 300000)) + size(List.repeat(q, 300001)) + size(List.repeat(q, 300002)) "
        + "+ size(List.repeat(q, 300003)) + size(List.repeat(q, 300004))", "1500010", 10
    ),
  ]

  private static func program(_ expression: String) -> String {
    """
    loop(i: Int, l: List<Int>): Int = if i == 0 then size(l) else loop(i - 1, [i] ++ l)
    deep(i: Int): Int = if i == 0 then 0 else { l = List.repeat(i, 200); i + deep(i - 1) + size(l) - 200 }
    heavy(i: Int): Int = fold(1..20, List.repeat(i, 500), (l, k) => set(l, k, k)) |> size
    input n: Event<Int>
    output x = n |> map(q => \(expression))
    """
  }

  @Test(arguments: programs.indices) func whatIsAliveCounts(_ place: Int) {
    let (expression, shows, megabytes) = Self.programs[place]
    #expect(run(Self.program(expression), megabytes: megabytes) == ["1.0 x \(shows)"])
  }

  @Test func whatIsAliveAndTooMuchFaults() {
    let lines = run(Self.program("fold(1..1000000, [], (l, k) => l ++ [[k]]) |> size"), megabytes: 8)
    #expect(lines == ["1.0 ! x: the memory limit is exhausted"])
  }

  /// What grows, in place or not, at its end or start, with others that go on from the same list, or from a part of it.
  private static let growing: [(turn: String, shows: String)] = [
    ("[0], (l, k) => [k % 10] ++ List.map(List.take(l, 200), x => x)", "201"),
    ("[0], (l, k) => l ++ [k]", "1201"),
    ("[\"\"], (l, k) => l ++ [\"a {k}\", \"b\"]", "2401"),
    ("[0], (l, k) => [k] ++ l", "1201"),
    ("[\"\"], (l, k) => [\"a {k}\"] ++ l", "1201"),
    ("\"\", (s, k) => s ++ \"a {k % 10}\"", "3600"),
    // What is left off at one end makes room for nothing at the other.
    ("[0], (l, k) => List.drop(l ++ [k, k, k], 1)", "2401"),
    ("[0], (l, k) => List.take([k, k, k] ++ l, 2 * k)", "2400"),
    ("[0], (l, k) => List.take(l ++ [k, k], k)", "1200"),
    ("[0], (l, k) => List.take(l ++ [k], 500) ++ [k]", "501"),
    ("[0], (l, k) => List.drop([k] ++ l, 1) ++ [k]", "1201"),
    // The second to go on from a list copies it.
    ("[0], (l, k) => if size(l ++ [1]) > size(l ++ [2, 3]) then l else l ++ [k]", "1201"),
    ("[0], (l, k) => if size([1] ++ l) > size([2, 3] ++ l) then l else [k] ++ l", "1201"),
    ("\"\", (s, k) => if size(s ++ \"1\") > size(s ++ \"23\") then s else s ++ \"{k % 10}\"", "1200"),
    // What is taken apart, and what grows at one end and is left off at the other.
    ("String.repeat(\"ab\", 1500), (s, k) => String.drop(s, 1)", "1800"),
    ("String.repeat(\"a\u{e4}\", 1500), (s, k) => String.dropLast(String.drop(s, 1), 1)", "600"),
    ("String.repeat(\"a\u{e4}\", 700), (s, k) => String.drop(s ++ \"{k % 10}\", 1)", "1400"),
    // What is counted, and looked at, while it grows.
    ("\"\u{e4}\", (s, k) => if size(s) < 0 then \"\" else s ++ \"\u{e4}{k % 10}\"", "2401"),
    (
      "String.repeat(\"\u{915}\u{93F}\", 300), (s, k) => if String.get(s, size(s) - 200) == None then \"\" else s ++ \"\u{915}\"",
      "1500"
    ),
    // What is looked at in two places at once.
    (
      "String.repeat(\"a\u{e4}\", 900), (s, k) => if String.get(s, k) == None || String.get(s, 1800 - k) == Some(\"b\") then \"\" else s",
      "1800"
    ),
    // Small parts of what is large, kept for later.
    (
      "[[0]], (l, k) => { m = withDefault(last(l), [0]) ++ [k]; List.takeLast(l, 9) ++ [m, List.take(m, 3), List.takeLast(m, 3)] }",
      "12"
    ),
    (
      "[[0]], (l, k) => { m = [k] ++ withDefault(head(l), [0]); [m, List.take(m, 70), List.takeLast(m, 3)] ++ List.take(l, 9) }",
      "12"
    ),
  ]

  /// Neither a collection nor doing again what was refused takes or gives back steps: a limit strikes at the same place however
  /// memory is collected.
  @Test(arguments: growing.indices, [false, true]) func stepsAreCountedAllTheSame(_ place: Int, _ everywhere: Bool) {
    let (turn, shows) = Self.growing[place]
    let program = Self.program("fold(1..q, \(turn)) |> size")
    func steps(_ limit: Int, _ megabytes: Int) -> (left: Int, lines: [String]) {
      onLargeStack {
        var limits = Limits()
        limits.heapBytes = megabytes << 20
        limits.stepsPerInstant = limit
        guard let session = Session(program, limits: limits, collectAlways: everywhere) else { return (0, []) }
        session.reactor.heap.collectInside = everywhere && megabytes == 1
        session.reactor.checksInvariants = false
        session.reactor.start()
        session.at(1, ("n", "1200"))
        return (session.reactor.machine.stepsLeft, session.lines)
      }
    }
    let calm = 10_000_000 - steps(10_000_000, 1000).left
    #expect(calm > 1200)
    #expect(10_000_000 - steps(10_000_000, 1).left == calm)
    #expect(steps(calm, 1).lines == ["1.0 x \(shows)"])
    #expect(steps(calm - 1, 1).lines == ["1.0 ! x: the step limit of one instant is exhausted"])
  }

  /// What queues, states and frames hold when an instant is undone, in which everything has moved several times.
  @Test(arguments: [false, true]) func aFaultAfterCollectionsUndoesAll(_ everywhere: Bool) {
    let program = """
      heavy(i: Int): Int = fold(1..40, List.repeat(i, 9000), (l, k) => set(l, k, k)) |> size
      input n: Event<Int>
      text = n |> map(q => "text {q}")
      last = text |> hold("none")
      all = text |> fold([], (l, t) => l ++ [t])
      pairs = text |> pairwise
      some = text |> buffer(3)
      both = zip(text, text |> drop(1))
      groups = n |> groupBy(q => "g{q % 2}", (k, es) => es |> fold([k], (l, q) => l ++ ["{q}"]))
      late = text |> delay(10s)
      work = n |> map(q => div(heavy(q), q))
      input show: Event<Int>
      output a = show |> map(_ => (last, all, groups))
      output b = pairs
      output c = some
      output d = both
      output e = late
      output f = work
      """
    func lines(_ values: [String]) -> [String] {
      var limits = Limits()
      limits.heapBytes = 4 << 20
      guard let session = Session(program, limits: limits, collectAlways: everywhere) else { return [] }
      session.reactor.heap.collectInside = everywhere
      session.reactor.start()
      for (place, value) in values.enumerated() { session.at(Double(place + 1), ("n", value)) }
      session.at(9, ("show", "1"))
      session.advance(to: 30)
      #expect(session.reactor.heap.collections > 10)
      return session.lines
    }
    let whole = lines(["1", "2", "0", "3", "0", "4"])
    let faults = whole.filter { $0.contains("!") }
    #expect(faults == ["3.0 ! work: division by zero", "5.0 ! work: division by zero"])
    // The same run without what faulted.
    let calm = Session(program)
    calm?.reactor.start()
    for (at, value) in [(1.0, "1"), (2.0, "2"), (4.0, "3"), (6.0, "4")] { calm?.at(at, ("n", value)) }
    calm?.at(9, ("show", "1"))
    calm?.advance(to: 30)
    #expect(whole.filter { !$0.contains("!") } == calm?.lines)
  }
}
