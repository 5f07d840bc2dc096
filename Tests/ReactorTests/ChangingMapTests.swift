import FRP
import FRPGraph
import Testing

@testable import FRPRuntime

/// What the library keeps of maps that change a little changes nothing that can be seen.
struct ChangingMapTests {
  static let results = [
    "c |> Map.toList |> topBy(3, ((k, n)) => n)", "c |> Map.toList |> topBy(3, ((k, n)) => toFloat(n) / 3.0)",
    "c |> Map.toList |> topBy(4, ((k, n)) => n % (2 + v))", "c |> Map.values |> topBy(5, n => 0 - n)",
    "c |> Map.toList |> topBy(1000, ((k, n)) => n)", "c |> Map.toList |> topBy(v - 1, ((k, n)) => n)",
    "c |> Map.toList |> topBy(2, ((k, n)) => \"{n}\")", "c |> Map.toList |> topBy(2, ((k, n)) => div(60, n - 7))",
    "c |> Map.toList |> minimumBy(((k, n)) => n)", "c |> Map.toList |> maximumBy(((k, n)) => n)",
    "c |> Map.values |> maximumBy(n => if n > 3 then 0.0 else -0.0)", "c |> Map.values |> sum",
    "c |> Map.map(n => toFloat(n) / 7.0) |> Map.values |> sum", "s |> Map.values |> average",
    "c |> Map.map(n => toFloat(n) / 7.0) |> Map.values |> average",
    "c |> Map.map(n => n * n)", "c |> Map.map((k, n) => \"{k}:{n}\")", "c |> Map.filter(n => n % 2 == v % 2)",
    "c |> Map.filter((k, n) => k < 900 && n % 3 != 0)", "c |> Map.map(n => div(60, n - 7))",
    "c |> Map.map(n => c |> Map.values |> sum |> (s => s + n)) |> Map.values |> sum",
    "g |> Map.map(l => sum(l)) |> Map.toList |> topBy(2, ((k, n)) => n)", "d |> Map.toList |> topBy(3, ((k, n)) => n)",
    "d |> Map.map(n => n + 1)", "Map.keys(d |> Map.filter(n => n % 2 == 0))", "d |> Map.values |> sum",
    "both(c) ++ both(d)", "e |> map(x => c |> Map.toList |> topBy(2, ((k, n)) => n))",
    "sample(t |> topBy(2, ((k, n)) => n), every(500ms))", "c |> Map.toList |> sortBy(((k, n)) => -n) |> take(3)",
    // Several in one, since it is their run that takes the time.
    "(t |> sortBy(((k, n)) => -n) |> take(3), ranked |> take(4), t |> maximumBy(((k, n)) => n % 7), both(c |> Map.filter(n => n > 1)), f |> median, f |> quantile(0.3), Map.values(s) |> median)",
    "(c |> Map.values |> map(n => if n % 3 == 0 then -0.0 else toFloat(n % 2) - 1.0) |> quantile(0.9), [0.0, 0.5, 1.0] |> map(q => f |> quantile(q)), f |> variance, f |> minimum, Map.values(c) |> maximum, c |> Map.values |> map(n => if n > 3 then 0.0 else -0.0) |> minimum, f |> sum)",
    "(t |> map(((k, n)) => n * 2 - k) |> sum, t |> filter(((k, n)) => n % 3 == v) |> map(((k, n)) => k) |> sum, t |> count(((k, n)) => n > 2), Map.values(c) |> any(n => n > 9), Map.values(c) |> all(n => n < 9), Map.values(c) |> count(n => n > v), named |> topBy(2, ((k, n)) => n + k % v))",
    "((size(t), t |> topBy(2, ((k, n)) => n), named |> take(2)), g |> Map.values |> map(sum) |> map(toFloat) |> median, Map.values(d) |> map(toFloat) |> quantile(0.25))",
    "c |> Map.values |> map(n => 60.0 / toFloat(n - 3)) |> median",
    "t |> all(((k, n)) => div(60, n - 3) < 60)",
    "t |> any(((k, n)) => div(60, n - 3) > 20)",
    "t |> count(((k, n)) => div(60, n - 3) > 7)",
    "e |> map(x => (f |> median, named |> topBy(1, ((k, n)) => n)))",
    "c |> Map.toList |> sortBy(((k, n)) => toFloat(n)) |> take(v)",
    "(size(c), c |> Map.values |> sortBy(n => n % 5) |> take(-1))",
  ]

  @Test(arguments: ChangingMapTests.results)
  func sameAsWithout(result: String) {
    let program = """
      input e: Event<Int>
      input n: Behavior<Int> = 1
      v = n
      c = e |> countBy(x => div(x * x, 1000))
      s = e |> sumBy(x => x % 300, toFloat)
      d = e |> fold(Map.empty, (m, x) => if x % 3 == 0 then m |> Map.remove(div(x, 7)) else m |> Map.set(div(x, 5), x))
      g = e |> groupBy(x => x % 100, (_, es) => es |> window(2s))
      t = Map.toList(c)
      f = c |> Map.values |> map(n => toFloat(n) / 7.0)
      ranked = t |> sortBy(((k, n)) => n % 5)
      named = t |> filter(((k, n)) => n != 2)
      both(m) = m |> Map.toList |> topBy(2, ((k, n)) => n)
      output r = \(result)

      """
    for collectAlways in [false, true] {
      let without = OptimisedRuns.lines(program, .all.subtracting(.slidingLists), collectAlways: collectAlways)
      #expect(without.count > 2)
      #expect(OptimisedRuns.lines(program, .all, collectAlways: collectAlways) == without)
      #expect(OptimisedRuns.lines(program, .slidingLists, collectAlways: collectAlways) == without)
    }
  }

  @Test func placesOfTheLargest() {
    var random = Generator(state: 5)
    var plain: [Int64] = (0..<50).map { _ in random.below(40) }
    var keys = PlacedKeys()
    keys.replaceAll(plain)
    for _ in 0..<3_000 {
      let place = Int(random.below(Int64(plain.count + 1)))
      switch random.below(3) {
      case 0:
        let key = random.below(40)
        plain.insert(key, at: place)
        keys.insert(key, at: place)
      case 1 where place < plain.count:
        let removed = keys.remove(at: place)
        #expect(removed == plain.remove(at: place))
      case _ where place < plain.count:
        let key = random.below(40)
        let replaced = keys.replace(at: place, with: key)
        #expect(replaced == plain[place])
        plain[place] = key
      default: break
      }
      let wanted = min(plain.count, Int(random.below(9)))
      var found: [Int] = []
      _ = keys.largest(wanted) { found.append($0) }
      let count = keys.count
      #expect(count == plain.count)
      #expect(found == Array(plain.indices.sorted { (plain[$1], $0) < (plain[$0], $1) }.prefix(wanted)))
    }
  }

  private struct Generator {
    var state: UInt64
    mutating func below(_ limit: Int64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> 33) % limit
    }
  }
}
