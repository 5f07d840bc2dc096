// Rows of cost beside those of the table: the ways in which collections are built one by one, what one instant makes,
// windows that slide.

extension CostRow {
  /// All rows, by the test that judges them.
  public static var groups: [(name: String, rows: [CostRow])] {
    [
      ("the table", ofTheTable().rows), ("building", building), ("one instant", oneInstant), ("sliding", sliding),
      ("aggregates of windows", aggregatesOfWindows), ("tasks", manyPartsOfATask),
    ]
  }

  /// What n uses of a collection that grows cost: the ways in which lists, maps and texts are built one by one.
  static var building: [CostRow] {
    let texts = [
      "fold(1..n, [], (l, x) => l ++ [x]) |> size",
      "fold(1..n, [], (l, x) => [x] ++ l) |> size",
      "fold(1..n, [\"\"], (l, x) => [\"{x}\"] ++ l) |> size",
      #"fold(1..n, "", (s, x) => s ++ "a") |> size"#,
      #"fold(1..n, "", (s, x) => "{s}{x}\u{e4}, ") |> size"#,
      #"fold(1..n, ("", 0), ((s, k), x) => if s == "x" then (s, k) else (s ++ "line\n", k + 1)) |> Tuple.second"#,
      #"fold(1..n, String.repeat("a", n), (s, x) => String.drop(s, 1)) |> size"#,
      #"fold(1..n, String.repeat("a\u{e4}", n), (s, x) => String.dropLast(String.drop(s, 1), 1)) |> size"#,
      #"fold(1..n, String.repeat("\u{1F600}", n), (s, x) => String.dropLast(s, 1)) |> size"#,
      #"{ t = String.repeat("a\u{e4}", n); 1..n |> List.map(i => String.get(t, 2 * n - i)) |> size }"#,
      #"{ t = String.repeat("\u{1F600}", n); 1..n |> List.map(i => String.slice(t, i, i + 2)) |> size }"#,
      #"fold(1..n, ("\u{e4}", 0), ((s, k), x) => { t = s ++ "\u{e4}"; (t, k + String.size(t)) }) |> Tuple.second"#,
      #"fold(1..n, ("\u{915}", 0), ((s, k), x) => { t = s ++ "\u{915}\u{93f}"; (t, k + String.size(t)) }) |> Tuple.second"#,
      #"fold(1..n, (String.repeat("\u{e4}", n), 0), ((s, k), x) => { t = s ++ "\u{e4}";"#
        + #" (t, k + size(String.get(t, n + x - 2) |> withDefault(""))) }) |> Tuple.second"#,
      #"fold(1..n, String.repeat(" a", n), (s, x) => String.trimStart(String.drop(s, 1))) |> size"#,
      "fold(1..n, Map.empty, (m, x) => Map.set(m, x * 7919 % n, x)) |> size",
      "fold(1..n, 1..n, (l, x) => List.drop(l, 1)) |> size",
      "fold(1..n, 1..n |> List.map(i => (i, i)) |> Map.fromList, (m, x) => Map.remove(m, x)) |> size",
      "fold(1..n, Set.empty, (s, x) => Set.union(s, Set.fromList([x]))) |> size",
      "fold(1..n, Map.empty, (m, x) => Map.union(Map.fromList([(x, x)]), m)) |> size",
      "fold(1..n, Set.fromList(1..n), (s, x) => Set.difference(s, Set.fromList([x]))) |> size",
      "fold(1..n, (0, Map.empty), ((s, m), x) => (s + Map.getOr(m, x - 1, 0), Map.set(m, x, x % 7))) |> Tuple.first",
      // Characters of several scalars, in scripts without blanks, found whole and not.
      #"String.split(String.repeat("\u{1F600}", n), "\u{1F600}") |> size"#,
      #"String.replace(String.repeat("\u{1F469}\u{200D}\u{1F469}", n), "\u{1F469}", "x") |> String.size"#,
      #"String.contains("e" ++ String.repeat("\u{301}", n), "\u{301}")"#,
      #"Regex.findAll(String.repeat("a", n), "a*b|a") |> size"#,
      #"Regex.findAll(String.repeat("a", n), "a*?b|a") |> size"#,
      #"1..n |> List.map(i => Regex.find("line {i} x", "(\\w+) (\\d+) (\\w)")) |> size"#,
      #"List.map(1..n, i => "a") |> String.join("") |> String.size"#,
      #"List.map(1..n, i => "key {i % 20000}") |> List.countBy(k => k) |> size"#,
      #"Csv.decode(Csv.encode(1..n |> List.map(i => {k: i % 50, v: i}))) |> withDefault([{k: 0, v: 0}])"#
        + " |> List.groupBy(r => r.k) |> size",
      "1..n |> List.map(i => [i, i]) |> List.distinct |> size",
      "(1..n |> List.map(i => [i])) == (1..n |> List.map(i => [i]))",
    ]
    return texts.map { CostRow(name: "\($0.prefix(60))", text: $0, isReactive: false) }
  }

  /// Everything of one instant: its occurrences, new groups among them.
  static var oneInstant: [CostRow] {
    let texts = [
      "keyed(x => x, (k, es) => es) |> count", "groupBy(x => x, (k, es) => es |> count) |> Map.size",
      "groupBy(x => x % 100, (k, es) => es |> count) |> Map.size", "flatMap(x => after(1h)) |> count",
      "window(1h) |> size",
      "delay(1h) |> count", "buffer(10) |> count", "distinct |> count", "map(x => (x, 1)) |> pairwise |> count",
    ]
    return texts.map {
      CostRow(name: "spill |> \($0)", text: "go |> map(n => 1..n) |> spill |> \($0)", isReactive: false)
    }
  }

  /// Windows and buffers that slide: something comes and something goes at each instant; equal values, too.
  static var sliding: [CostRow] {
    let texts = [
      "e |> window(300ms) |> size", "e |> map(_ => ()) |> window(300ms) |> changes |> count",
      "e |> map(x => x % 2) |> window(300ms) |> changes |> count",
      "e |> map(_ => [1, 2]) |> window(300ms) |> changes |> count",
      "e |> buffer(div(WIDTH, 2), 1) |> count",
      "e |> map(x => \"{x}\") |> buffer(div(WIDTH, 2), 3) |> map(l => size(l)) |> count",
    ]
    return texts.map { text in
      CostRow(name: text, text: text.replacing("300ms", with: "toFloat(WIDTH) * 0.0005"), isReactive: true)
    }
  }

  /// Aggregates of a window, at each change, and of lists that grow: what has come and gone, not what is in it.
  static var aggregatesOfWindows: [CostRow] {
    let parts = [
      "sum", "map(toFloat) |> sum", "map(toFloat) |> mean", "map(x => toFloat(x) * 0.1) |> variance",
      "map(toFloat) |> median", "map(x => toFloat(x % 97)) |> quantile(0.9)", "map(x => x % 97) |> minimum", "maximum",
      "topBy(5, x => x % 97)", "map(x => \"{x}\") |> size", "size",
    ]
    let texts =
      parts.flatMap { ["e |> window(1h) |> \($0)", "e |> window(toFloat(WIDTH) * 0.0005) |> \($0)"] } + [
        "e |> fold([], (l, x) => l ++ [x]) |> sum",
        "e |> summary(1h, x => (x, x), ((a, b), (c, d)) => (a + c, max(b, d)))",
        "e |> groupUntil(x => x, (k, es) => (es |> count, es |> delay(10ms))) |> Map.size",
        "e |> keyedUntil(x => x, (k, es) => (es, es |> delay(10ms))) |> count",
        "e |> countBy(x => x * 7919 % WIDTH) |> Map.size",
        "merge(e, e |> map(x => x - 1)) |> countBy(x => x) |> Map.size",
        "e |> sumBy(x => x % 1000, x => x) |> Map.size",
      ]
    return texts.map { CostRow(name: $0, text: $0, isReactive: true, size: 2_000) }
  }

  /// A task of many parts ends from its last to its first, and many tasks end in one instant.
  static var manyPartsOfATask: [CostRow] {
    let texts = [
      "(e |> take(1) |> perform(All, _ => Task.all(1..WIDTH |> List.map(i => Task.after(toFloat(WIDTH + 1 - i), i)))))"
        + ".results |> count",
      "(e |> perform(All, x => Task.after(3600.0, x))).results |> count",
      "(e |> perform(Queue, x => Task.after(0.0001, x))).results |> count",
      "(e |> keyed(x => x, (k, es) => (es |> perform(All, x => Task.after(3600.0, x))).results)) |> count",
    ]
    return texts.map { CostRow(name: $0, text: $0, isReactive: true, size: 300) }
  }
}
