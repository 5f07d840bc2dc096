// Programs about one thing: chains of event operators whose functions call functions that stay calls, because they call
// themselves. A chain is fused into one piece of code, in which a call must leave alone what the rest of it needs.

package struct CallChains {
  private var random: Random

  /// The program of a seed, with a trace.
  package static func program(_ seed: UInt64) -> GeneratedProgram {
    var chains = CallChains(random: Random(seed: seed))
    return chains.make(seed)
  }

  private static let header = [
    "input e0: Event<Int>", "input e1: Event<Int>", "input b0: Behavior<Int> = 2",
    "last(r: Int, x: Int): Int = if r <= 0 then x % 1000 else last(r - 1, x * 3 + 1)",
    "deep(r: Int, x: Int): Int = if r <= 0 then x % 1000 else 1 + deep(r - 1, x * 2)",
    "fits(r: Int, x: Int): Bool = if r <= 0 then x % 5 != 0 else fits(r - 1, x + 2)",
    "some(r: Int, x: Int): Option<Int> = if r <= 0 then (if x % 7 == 0 then None else Some(x)) else some(r - 1, x + 1)",
    "text(r: Int, s: String): String = if r <= 0 then s else text(r - 1, \"{r}{s}\")",
    "list(r: Int, s: List<Int>): List<Int> = if r <= 0 then s else list(r - 1, [r, ...takeLast(s, 3)])",
    "even(n: Int): Bool = if n <= 0 then true else odd(n - 1)",
    "odd(n: Int): Bool = if n <= 0 then false else even(n - 1)",
  ]

  /// Of `x` and `b0`.
  private static let numbers = [
    "last(2, x)", "last(b0, x)", "deep(2, x)", "deep(b0, x + b0)", "x", "x + 1", "last(1, 4)", "7",
    "if fits(1, x) then last(1, x) else x", "match some(1, x) { Some(y) => last(1, y); None => 3 }",
    "size(list(2, [x]))", "size(text(2, \"{x}\"))", "sum(list(b0, [x, 1]))", "{ y = last(1, x); y + deep(1, y) }",
    "[x, 2] |> map(y => last(1, y)) |> sum", "list(2, [x]) |> fold(0, (t, y) => last(1, t + y))",
  ]
  private static let tests = [
    "fits(2, x)", "even(x % 9)", "x % 3 != 0", "fits(b0, x)", "!even(x % 4)", "fits(1, last(1, x))", "true",
  ]
  private static let options = [
    "some(1, x)", "some(b0, x)", "if fits(1, x) then Some(last(1, x)) else None", "Some(x)",
  ]
  /// Of `s`, an Int, and `x`.
  private static let steps = [
    "last(1, s + x)", "s + x", "deep(1, s) + x % 10", "if fits(1, x) then s else last(1, x)", "last(b0, s)",
  ]
  private static let operators = [
    "map(x => N)", "map(x => N)", "filter(x => T)", "filterMap(x => O)", "scan(0, (s, x) => S)",
    "scan(3, (s, x) => S) |> map(x => N)",
    "scan(\"\", (s, x) => text(1, takeLast(\"{s}{x}\", 4))) |> map(t => size(text(2, t)))",
    "scan([], (s, x) => list(1, take([x, ...s], 4))) |> map(l => sum(list(2, l)))",
    "scan([], (s, x) => take([x, ...s], 4)) |> map(l => list(2, l)) |> map(l => sum(l))",
    "takeWhile(x => fits(2, x) || x < 900)", "dropWhile(x => T)", "pairwise |> map((p, x) => last(1, p + x))",
    "coalesce((s, x) => S)", "buffer(2) |> map(l => sum(list(1, l)))",
    "map(x => [x, 1, 2] |> distinctBy(x => N) |> sum)",
    "flatMapLatest(y => e1 |> map(x => N))", "flatMap(y => e1 |> take(2) |> map(x => last(1, x + y)))",
    "keyed(x => x % 2, (k, es) => es |> scan(0, (s, x) => S) |> map(x => N))",
  ]
  private static let ends = [
    "", "", " |> hold(0)", " |> fold(0, (s, x) => S)", " |> fold([], (s, x) => list(1, take([x, ...s], 3)))",
  ]

  private mutating func make(_ seed: UInt64) -> GeneratedProgram {
    let definitions = (0..<3).map { index in
      GeneratedProgram.Definition(binder: "d\(index)", annotation: "", body: Term(.fixed, chain()), names: [])
    }
    return GeneratedProgram(
      seed: seed, header: Self.header, definitions: definitions, outputs: ["d0", "d1", "d2"], trace: trace())
  }

  private mutating func chain() -> String {
    var text = random.pick(["e0", "e1", "merge(e0, e1)"])
    for _ in 0..<random.within(1...4) { text += " |> \(filled(random.pick(Self.operators)))" }
    return text + filled(random.pick(Self.ends))
  }

  private mutating func filled(_ template: String) -> String {
    var text = ""
    for character in template {
      switch character {
      case "N": text += random.pick(Self.numbers)
      case "T": text += random.pick(Self.tests)
      case "O": text += random.pick(Self.options)
      case "S": text += random.pick(Self.steps)
      default: text.append(character)
      }
    }
    return text
  }

  private mutating func trace() -> [(milliseconds: Int, values: [String])] {
    (1...9).map { index in
      var values: [String] = []
      for (name, most) in [("e0", 12), ("e1", 12), ("b0", 4)] where !random.oneIn(3) {
        values.append("\"\(name)\": \(random.below(most))")
      }
      return (index * 100, values)
    }
  }
}
