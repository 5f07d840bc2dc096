// Names that people bring from other languages and libraries, and what they are called here.

import FRPBase

/// What a foreign name means here.
struct OtherName {
  /// The built-in, if it is one.
  var name: String?
  /// What to write, where a name alone does not say it.
  var advice: String?
  init(_ name: String? = nil, _ advice: String? = nil) {
    self.name = name
    self.advice = advice
  }
}

/// What a misspelt foreign name means here, where that is a built-in: after one slip, since two make other words of it
/// (`clicks` is no `clock`). Short names are near to too many.
func nearestOtherName(_ name: String) -> OtherName? {
  if name.count < 5 { return nil }
  let near = nearestNames(name, among: otherNames.filter { $1.name != nil }.keys.sorted(), count: 1).first
  return near.flatMap { editDistance(name, $0, limit: 1) == nil ? nil : otherNames[$0] }
}

/// What other libraries call the policies of `perform`.
let otherPolicies: [String: String] = [
  "Newest": "Latest", "Last": "Latest", "Switch": "Latest", "SwitchMap": "Latest", "Restart": "Latest",
  "Restartable": "Latest", "Cancel": "Latest", "Replace": "Latest", "Recent": "Latest", "MostRecent": "Latest",
  "Every": "All", "Each": "All", "Parallel": "All", "Concurrent": "All", "Merge": "All", "MergeMap": "All",
  "Enqueue": "Queue", "Queued": "Queue", "Concat": "Queue", "ConcatMap": "Queue", "Sequential": "Queue",
  "Sequence": "Queue", "Serial": "Queue", "InOrder": "Queue", "Ordered": "Queue",
  "Drop": "Ignore", "Dropping": "Ignore", "Skip": "Ignore", "Exhaust": "Ignore", "ExhaustMap": "Ignore",
  "First": "Ignore", "Busy": "Ignore", "Oldest": "Ignore",
]

let otherNames: [String: OtherName] = [
  // Lists and strings.
  "length": OtherName("size"), "len": OtherName("size"), "foldl": OtherName("fold"), "reduce": OtherName("fold"),
  "foldLeft": OtherName("fold"), "inject": OtherName("fold"), "foldr": OtherName("foldRight"),
  "select": OtherName("filter"), "where": OtherName("filter"), "collect": OtherName("map"),
  "concatMap": OtherName(
    "flatMap", "of events, `flatMap` runs side by side, and `perform(Queue, …)` performs tasks one after the other"),
  "bind": OtherName("flatMap"), "mapMaybe": OtherName("filterMap"),
  "compactMap": OtherName("filterMap"), "first": OtherName("head", "of events it is `once`"), "nth": OtherName("get"),
  "at": OtherName("get"),
  "elem": OtherName("contains"), "includes": OtherName("contains"), "member": OtherName("contains"),
  "has": OtherName("contains"), "some": OtherName("any"), "every_": OtherName("all"),
  "position": OtherName("findIndex"),
  "sorted": OtherName("sort"), "sortOn": OtherName("sortBy"), "sortUsing": OtherName("sortWith"),
  "enumerate": OtherName("indexed"), "reversed": OtherName("reverse"), "flatten": OtherName("concat"),
  "uniq": OtherName("distinct"), "unique": OtherName("distinct"), "nub": OtherName("distinct"),
  "distinctUntilChanged": OtherName("distinct"), "toUpperCase": OtherName("upper"), "toUpper": OtherName("upper"),
  "uppercase": OtherName("upper"), "upcase": OtherName("upper"), "toLowerCase": OtherName("lower"),
  "toLower": OtherName("lower"), "lowercase": OtherName("lower"), "downcase": OtherName("lower"),
  "strip": OtherName("trim"), "hasPrefix": OtherName("startsWith"), "hasSuffix": OtherName("endsWith"),
  "str": OtherName("toString"), "show": OtherName("toString"), "string": OtherName("toString"),
  "int": OtherName("toInt"), "parseInt": OtherName("toInt"), "float": OtherName("toFloat"),
  "toDouble": OtherName("toFloat"), "parseFloat": OtherName("toFloat"), "fromIntegral": OtherName("toFloat"),
  "intersection": OtherName("intersect"), "avg": OtherName("average"), "chunked": OtherName("chunk"),
  "chunksOf": OtherName("chunk"), "percentile": OtherName("quantile"), "largest": OtherName("topBy"),
  "nlargest": OtherName("topBy"), "stddev": OtherName(nil, "write `variance(xs) |> map(sqrt)`"),
  "stdev": OtherName(nil, "write `variance(xs) |> map(sqrt)`"),
  "std": OtherName(nil, "write `variance(xs) |> map(sqrt)`"),
  "try": OtherName("attempt"), "resample": OtherName(nil, "write `e |> batch(Date.every(1min))`"),
  "maybe": OtherName("withDefault"), "getOrElse": OtherName("withDefault"), "fromMaybe": OtherName("withDefault"),
  "unwrapOr": OtherName("withDefault"), "isJust": OtherName("isSome"), "isNothing": OtherName("isNone"),
  "ceiling": OtherName("ceil"), "modulo": OtherName("mod"), "quot": OtherName("div"), "sqr": OtherName("pow"),
  "append": OtherName(nil, "write `xs ++ [x]`"), "push": OtherName(nil, "write `xs ++ [x]`"),
  "cons": OtherName(nil, "write `[x, ...xs]`"), "not": OtherName(nil, "write `!condition`"),
  "print": OtherName(nil, "a program shows what its outputs hold: `output name = value`"),
  "println": OtherName(nil, "a program shows what its outputs hold: `output name = value`"),
  "skip": OtherName("drop"), "skipWhile": OtherName("dropWhile"), "skipUntil": OtherName("dropUntil"),
  "skipLast": OtherName("dropLast"), "limit": OtherName("take"),
  "filterNot": OtherName(nil, "write `filter(x => !p(x))`"),
  "reject": OtherName(nil, "write `filter(x => !p(x))`"), "orElse": OtherName("withDefault"),
  "isPresent": OtherName("isSome"), "isDefined": OtherName("isSome"), "charAt": OtherName("get"),
  "elementAt": OtherName("get"), "substring": OtherName(nil, "write `text |> drop(from) |> take(count)`"),
  "substr": OtherName(nil, "write `text |> drop(from) |> take(count)`"),
  "slice": OtherName(nil, "write `xs |> drop(from) |> take(count)`"),
  "toArray": OtherName(
    nil, "a list is one already; of the occurrences of an event write `e |> fold([], (xs, x) => xs ++ [x])`"),
  "forEach": OtherName(nil, "a program shows what its outputs hold: `output name = value`"),
  "fst": OtherName("Tuple.first"), "snd": OtherName("Tuple.second"),
  // Reactive libraries.
  "mapTo": OtherName(nil, "write `e |> map(_ => x)`"), "pluck": OtherName(nil, "write `e |> map(.field)`"),
  "tap": OtherName(nil, "a program shows what its outputs hold: `output name = value`"),
  "share": OtherName(nil, "a definition is one shared thing already"),
  "bufferTime": OtherName(nil, "write `e |> batch(every(1s))`"),
  "distinctUntilKeyChanged": OtherName(nil, "write `e |> map(.key) |> distinct`"),
  "delayWhen": OtherName(nil, "write `e |> flatMap(x => after(wait(x)) |> map(_ => x))`"),
  "combineLatest": OtherName(nil, "behaviors combine by themselves: write `a + b`, or `(a, b)` for both"),
  "lift": OtherName(nil, "functions work on behaviors by themselves: write `f(b)`"),
  "lift2": OtherName(nil, "functions work on behaviors by themselves: write `f(a, b)`"),
  "liftA2": OtherName(nil, "functions work on behaviors by themselves: write `f(a, b)`"),
  "withLatestFrom": OtherName(nil, "a function given to `map` may mention behaviors: `e |> map(x => (x, b))`"),
  "snapshot": OtherName(nil, "a function given to `map` may mention behaviors: `e |> map(x => (x, b))`"),
  "attach": OtherName(nil, "a function given to `map` may mention behaviors: `e |> map(x => (x, b))`"),
  "switchMap": OtherName("flatMapLatest"), "switchLatest": OtherName("flatMapLatest"),
  "mergeMap": OtherName("flatMap"), "exhaustMap": OtherName(nil, "write `e |> perform(Ignore, task)`"),
  "stepper": OtherName("hold"), "startWith": OtherName("hold"), "accumB": OtherName("fold"),
  "accumE": OtherName("scan"), "foldp": OtherName("fold"), "accumulate": OtherName("scan"),
  "throttleTime": OtherName("throttle"), "throttleFirst": OtherName("throttle"), "debounceTime": OtherName("debounce"),
  "auditTime": OtherName("audit"), "sampleTime": OtherName("sample"), "interval": OtherName("every"),
  "setInterval": OtherName("every"), "setTimeout": OtherName("after"),
  "timer": OtherName("after"), "bufferCount": OtherName("buffer"), "windowTime": OtherName("window"),
  "startsWhen": OtherName("when"), "edge": OtherName("when"), "updates": OtherName("changes"),
  "groupByKey": OtherName("groupBy"), "pairWise": OtherName("pairwise"),
  "or": OtherName("merge"), "empty": OtherName("never"), "now": OtherName("time"), "clock": OtherName("time"),
  "nil": OtherName(nil, "what may be absent is an Option: `None`, or `Some(value)`"),
  "none": OtherName(nil, "what may be absent is an Option: `None`, or `Some(value)`"),
  "undefined": OtherName(nil, "what may be absent is an Option: `None`, or `Some(value)`"),
  "subscribe": OtherName(nil, "nothing needs to be subscribed: `output name = value` shows it"),
  "previous": OtherName(nil, "an event operator reads behaviors just before the occurrence: `e |> map(_ => b)`"),
]
