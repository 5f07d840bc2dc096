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
  "select": OtherName("filter"), "where": OtherName("filter"), "collect": OtherName("filterMap"),
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
  "throttleLast": OtherName(nil, Advice.lastInTime), "throttleLatest": OtherName(nil, Advice.lastInTime),
  "sampleTime": OtherName(nil, Advice.lastInTime), "windowTime": OtherName(nil, Advice.listInTime),
  "groupedWithin": OtherName(nil, Advice.listInTime),
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
  "auditTime": OtherName("audit"), "interval": OtherName("every"),
  "setInterval": OtherName("every"), "setTimeout": OtherName("after"),
  "timer": OtherName("after"), "bufferCount": OtherName("buffer"),
  "startsWhen": OtherName("when"), "edge": OtherName("when"), "updates": OtherName("changes"),
  "groupByKey": OtherName("groupBy"), "pairWise": OtherName("pairwise"),
  "or": OtherName("merge"), "empty": OtherName("never"), "now": OtherName("time"), "clock": OtherName("time"),
  "nil": OtherName(nil, "what may be absent is an Option: `None`, or `Some(value)`"),
  "none": OtherName(nil, "what may be absent is an Option: `None`, or `Some(value)`"),
  "undefined": OtherName(nil, "what may be absent is an Option: `None`, or `Some(value)`"),
  "subscribe": OtherName(nil, "nothing needs to be subscribed: `output name = value` shows it"),
  "previous": OtherName(nil, "an event operator reads behaviors just before the occurrence: `e |> map(_ => b)`"),
  "removeDuplicates": OtherName("distinct"), "dropRepeats": OtherName("distinct"),
  "skipRepeats": OtherName("distinct"), "filterRepeats": OtherName("distinct"),
  "filterRepeatsE": OtherName("distinct"), "calmE": OtherName("debounce"), "blindE": OtherName("throttle"),
  "snapshotE": OtherName(nil, Advice.mention), "constantE": OtherName(nil, "write `e |> map(_ => x)`"),
  "constantB": OtherName(nil, "a value stands for itself, also where a behavior is needed"),
  "mapE": OtherName("map"), "filterE": OtherName("filter"), "mergeE": OtherName("merge"),
  "switchE": OtherName("flatMapLatest"), "timerE": OtherName("every"), "zeroE": OtherName("never"),
  "tag": OtherName(nil, "write `e |> map(_ => x)`"), "accum": OtherName("scan"), "accumBy": OtherName("scan"),
  "accumHold": OtherName("fold"), "accumHoldBy": OtherName("fold"), "predicate": OtherName("when"),
  "iPre": OtherName(nil, Advice.before), "pre": OtherName(nil, Advice.before),
  "repeatedly": OtherName(nil, "write `every(1s) |> map(_ => x)`"),
  "pSwitch": OtherName("each", "it makes a behavior for each member of a list, and `keyed` an event for each key"),
  "rSwitch": OtherName("switch"), "dSwitch": OtherName("switch"),
  "sliding": OtherName(nil, "write `e |> buffer(3, 1)`"), "grouped": OtherName("buffer"),
  "windowCount": OtherName("buffer"), "mapConcat": OtherName(nil, "write `e |> map(x => [x, x]) |> spill`"),
  "statefulMapConcat": OtherName(nil, "write `e |> mapAccum(0, (sum, x) => (sum + x, [sum, x])) |> spill`"),
  "conflate": OtherName(nil, "nothing waits for what is slower; what comes in a time is `e |> batch(every(1s))`"),
  "mapAsync": OtherName(nil, Advice.tasks), "mapAsyncUnordered": OtherName(nil, Advice.tasks),
  "shareReplay": OtherName(nil, Advice.replay), "replay": OtherName(nil, Advice.replay),
  "publish": OtherName(nil, "a definition is one shared thing already"),
  "multicast": OtherName(nil, "a definition is one shared thing already"),
  "refCount": OtherName(nil, "a definition is one shared thing already"),
  "expand": OtherName(
    nil, "a definition may feed itself, later: `all = merge(e, all |> flatMap(f) |> delay(0s))`"),
  "amb": OtherName(nil, Advice.firstToOccur), "raceWith": OtherName(nil, Advice.firstToOccur),
  "mergeAll": OtherName(
    nil, "a list of events is merged by `fold(never, merge)`, and what makes events is given to `flatMap` at once"),
  "concatAll": OtherName("concat", "of events, what makes them is given to `flatMap` at once"),
  "switchAll": OtherName(nil, Advice.latest), "switchToLatest": OtherName(nil, Advice.latest),
  "bufferToggle": OtherName(nil, "write `opens |> flatMap(_ => e |> bufferUntil(closes) |> once)`"),
  "bufferWhen": OtherName("bufferUntil"),
  "sink": OtherName(nil, "nothing needs to be subscribed: `output name = value` shows it"),
  "assign": OtherName(nil, "a definition holds for ever: `name = value`, and `output name = value` shows it"),
  "race": OtherName(nil, Advice.firstToOccur),
  "timeInterval": OtherName(nil, "write `e |> map(_ => time) |> pairwise |> map((a, b) => b - a)`"),
  "timestamp": OtherName(nil, "write `e |> map(x => (time, x))`"),
]

/// What they are called where they are applied to an event, if that is something else.
let otherNamesOfEvents: [String: OtherName] = [
  "first": OtherName("once"), "nth": OtherName(nil, Advice.nth),
  "at": OtherName(nil, Advice.nth), "elementAt": OtherName(nil, Advice.nth),
  "append": OtherName("merge"), "len": OtherName("count"), "length": OtherName("count"),
  "collect": OtherName("filterMap", Advice.lists), "collectE": OtherName("scan", Advice.accumulating),
  "uniq": OtherName("unique"), "nub": OtherName("unique"),
  "flatten": OtherName("spill", "it gives the elements of lists; what makes events is given to `flatMap` at once"),
]

/// Advice that several names share.
private enum Advice {
  static let mention = "a function given to `map` may mention behaviors: `e |> map(_ => b)`"
  static let lastInTime = "the last one of each second is `e |> batch(every(1s)) |> filterMap(last)`"
  static let listInTime =
    "write `e |> batch(every(1s))`; at every moment, `window(e, 1s)` is what came in the last second"
  static let before =
    "an event operator reads behaviors just before the occurrence, and what a behavior was is `delay(b, 10ms)`"
  static let tasks =
    "write `(e |> perform(Limit(4), x => task)).results`, which come as the tasks end; `Queue` keeps their order"
  static let replay = "a definition is one shared thing already, and `e |> hold(x)` keeps its last occurrence"
  static let firstToOccur =
    "of tasks it is `Task.race`, of events `merge(a |> takeUntil(b |> takeUntil(a)), b |> takeUntil(a |> takeUntil(b)))`"
  static let latest = "what makes events is given to `flatMapLatest` at once: `e |> flatMapLatest(x => every(x))`"
  static let nth = "the third occurrence is `e |> drop(2) |> once`"
  static let lists =
    "with what is remembered it is `scan`, and lists of occurrences are `buffer(n)` and `batch(every(1s))`"
  static let accumulating = "its function is given what it was before, then the occurrence"
}

/// What a name in a module of another language is here.
let otherMembers: [String: String] = [
  "String.fromInt": "toString", "String.fromFloat": "toString", "String.valueOf": "toString",
  "Int.toString": "toString", "Float.toString": "toString", "Int.parse": "toInt", "Int.fromString": "toInt",
  "Float.fromInt": "toFloat", "Float.parse": "toFloat", "Float.fromString": "toFloat",
]
