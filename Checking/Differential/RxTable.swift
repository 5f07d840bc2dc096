// RxJS in our words: a table from operators to expressions, and one from JavaScript functions to lambdas. What is
// missing here is listed in `Tests/Conformance/rx_differs.txt` with the rule of the language that decides it.
//
// `$` is the stream the operator is called on, `$0`, `$1` … its arguments.

enum RxTable {
  /// Which overload of a JavaScript function is meant.
  enum Payload { case string, int, other }

  static let operators: [String: String] = [
    "auditTime": "$ |> audit($0ms)",
    "buffer": "$ |> batch($0)",
    "bufferTime": "$ |> batch(every($0ms))",
    // Lists of $0, a new one opened at every $1.
    "bufferCount":
      "$ |> scan({n: 0, xs: []}, (s, x) => {n: s.n + 1, xs: if s.n % $1 == 0 then [x] else s.xs ++ [x]}) |> filter(s => (s.n - 1) % $1 == $0 - 1) |> map(.xs)",
    "concat": "$", "concatWith": "$", "defaultIfEmpty": "$", "endWith": "$", "share": "$", "shareReplay": "$",
    "tap": "$",
    "repeat": "$", "retry": "$", "onErrorResumeNext": "$",
    "debounceTime": "$ |> debounce($0ms)",
    "delay": "$ |> delay($0ms)",
    "distinct":
      "$ |> scan({seen: [], new: None}, (s, x) => if contains(s.seen, x) then {...s, new: None} else {seen: s.seen ++ [x], new: Some(x)}) |> filterMap(.new)",
    "distinctUntilChanged": "$ |> distinct",
    "distinctUntilChangedBy":
      "$ |> scan({last: None, new: None}, (s, x) => match s.last { Some(y) if same(y, x) => {...s, new: None}; _ => {last: Some(x), new: Some(x)} }) |> filterMap(.new)",
    "elementAt": "$ |> drop($0) |> once",
    "every": "$ |> filter(x => !test(x)) |> once |> map(_ => false)",
    "filter": "$ |> filter(test)",
    "find": "$ |> filter(test) |> once",
    "findIndex":
      "$ |> scan({n: -1, hit: false}, (s, x) => {n: s.n + 1, hit: test(x)}) |> filter(.hit) |> once |> map(.n)",
    "first": "$ |> once",
    "firstWhere": "$ |> filter(test) |> once",
    "firstIndex": "$ |> drop(2) |> once",
    "groupBy": "$ |> keyed(test, (k, es) => es |> once |> map(_ => k))",
    "isEmpty": "$ |> once |> map(_ => false)",
    "map": "$ |> map(test)",
    "mapTo": "$ |> map(_ => $0)",
    "mergeWith": "merge($, $0)",
    "pairwise": "$ |> pairwise",
    "raceWith":
      "merge($ |> map(x => (1, x)), $0 |> map(x => (2, x))) |> scan({first: 0, now: None}, (s, e) => match e { (n, x) => {first: if s.first == 0 then n else s.first, now: if s.first == 0 || s.first == n then Some(x) else None} }) |> filterMap(.now)",
    "sample": "$ |> batch($0) |> filterMap(last)",
    "sampleTime": "$ |> batch(every($0ms)) |> filterMap(last)",
    "skip": "$ |> drop($0)",
    "skipLast":
      "$ |> scan([], (xs, x) => takeLast(xs ++ [x], max($0, 0) + 1)) |> filter(xs => size(xs) > max($0, 0)) |> filterMap(head)",
    "skipWhile": "$ |> dropWhile(test)",
    "skipWhileIndex": "$ |> drop(2)",
    "startWith": "merge(start |> map(_ => $0), $)",
    "take": "$ |> take($0)",
    "takeUntil": "$ |> takeUntil($0)",
    "takeWhile": "$ |> takeWhile(test)",
    "takeWhileIndex": "$ |> take(2)",
    "throttleTime": "$ |> throttle($0ms)",
    "timestamp": "$ |> map(x => {value: x, timestamp: round(time * 1000.0)})",
    "timestampOnly": "$ |> map(_ => round(time * 1000.0))",
    "timeInterval":
      "$ |> map(x => {value: x, at: round(time * 1000.0)}) |> scan({value: None, at: 0, interval: 0}, (s, x) => {value: Some(x.value), at: x.at, interval: x.at - s.at}) |> filterMap(s => Option.map(s.value, v => {value: v, interval: s.interval}))",
    "timeIntervalOnly":
      "$ |> map(_ => round(time * 1000.0)) |> scan({at: 0, interval: 0}, (s, t) => {at: t, interval: t - s.at}) |> map(.interval)",
    "timeout": "$ |> takeUntil(merge(start, $ |> map(_ => ())) |> debounce($0ms))",
    "timeoutFirst": "$ |> takeUntil(after($0ms) |> takeUntil($))",
    "timer": "after($0ms) |> map(_ => 0)",
    "timerEvery": "merge(after($0ms), after($0ms) |> flatMap(_ => every($1ms))) |> scan(-1, (n, _) => n + 1)",
    "scan": "$ |> scan($1, test)",
    "dematerialize": "$ |> filterMap(n => match n { N(x) => Some(x); _ => None })",
  ]

  /// Functions of JavaScript, for strings and for numbers.
  static func lambda(_ text: String, _ payload: Payload) -> String? {
    let isString = payload == .string
    switch text {
    case "() => true": return "_ => true"
    case "() => false", "() => undefined": return "_ => false"
    case "x => +x % 5 === 0", "x => x % 5 === 0":
      return isString ? "x => match toInt(x) { Some(n) => n % 5 == 0; None => false }" : "x => x % 5 == 0"
    case "x => +x % 2 === 1", "x => x % 2 === 1":
      return isString ? "x => match toInt(x) { Some(n) => n % 2 == 1; None => false }" : "x => x % 2 == 1"
    case "x => x + '!'": return "x => \"{x}!\""
    case "v => +v < 4": return "x => match toInt(x) { Some(n) => n < 4; None => false }"
    case "x => 10 * +x": return "x => 10 * withDefault(toInt(x), 0)"
    case "x => x": return "x => x"
    case "value => value === 'a'": return "x => x == \"a\""
    case "value => value === 'b'": return isString ? "x => x == \"b\"" : "_ => false"
    case "value => value === 1": return "x => x == 1"
    case "value => value === 7": return "x => x == 7"
    case "v => v !== 'd'", "value => value !== 'd'": return "x => x != \"d\""
    case "value => value % 3": return "x => x % 3"
    case "(acc, x) => acc + ' ' + x": return "(s, x) => s ++ \" \" ++ x"
    case "(acc, x) => acc.concat(x)": return "(xs, x) => xs ++ [x]"
    case "val => val.toLowerCase().trim()": return "x => trim(lower(x))"
    case "([x, y]) => x + y": return "(x, y) => x ++ y"
    case "(x, y) => x + y", "(a, b) => '' + a + b": return isString ? "(x, y) => x ++ y" : "(x, y) => x + y"
    case "(x, y) => y % 2 === 0": return "(_, y) => y % 2 == 0"
    case "(x, y, z) => x + y + z": return "(x, y, z) => x ++ y ++ z"
    case "(r0, r1, r2) => [r0, r1, r2]": return "(x, y, z) => [x, y, z]"
    case let prime where prime.hasPrefix("i => { if (+i <= 1)"):
      return "x => match toInt(x) { Some(n) => n > 1 && all(2..n - 1, d => n % d != 0); None => false }"
    default: return nil
    }
  }
}
