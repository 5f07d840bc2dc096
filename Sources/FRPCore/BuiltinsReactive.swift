// The operators that make events and behaviors. Equations are those of section 2 of the language.

/// The operators of sections 2 and 6 of the language that make nodes.
public enum ReactiveOperator: String, Hashable, Sendable, CaseIterable {
  // Sources.
  case time, start, end, never, every, dateEvery, after
  // Event to event.
  case map, filter, filterMap, scan, mapAccum, merge, take, drop, takeWhile, takeThrough, dropWhile, takeUntil,
    dropUntil
  case once, distinct, unique, indexed, pairwise, zip, both, except, spill, coalesce, buffer, bufferEvery, batch
  case bufferUntil, partition, gate
  // Time.
  case delay, debounce, debounceUntil, throttle, throttleUntil, audit, auditUntil, window, summary
  // Event to behavior.
  case hold, fold, count, countBy, sumBy
  // Behavior to event.
  case changes, updates, when, sample
  // Continuous.
  case integral, integralFrom, derivative, delayBehavior
  // Dynamic.
  case switchTo, flatMapLatest, flatMap, keyed, keyedUntil, groupBy, groupUntil, each
  // Tasks.
  case perform, listen, await
  /// What the test of a program sees of it; tests give it an input in its place.
  case calls
}

extension Builtins {
  static let reactive: [Builtin] =
    sources + eventToEvent + timed + eventToBehavior + behaviorToEvent + continuous + dynamic

  private static let sources: [Builtin] = [
    Builtin(
      "time", in: "Time", "Behavior<Float>", .reactive(.time), [],
      "Seconds since the program started. Where the lines of inputs say when they happened (`frp run --time`), since the first of them, or since `--from`: 1.5 is then one and a half seconds of their time. `Date.epoch + time` is the moment.",
      equation: "time (t) = t"),
    Builtin(
      "start", in: "Event", "Event<()>", .reactive(.start), [], "Occurs once, when the program starts."),
    Builtin(
      "end", in: "Event", "Event<()>", .reactive(.end), [],
      "Occurs once, at the last instant: all inputs have ended, or the run is stopped."),
    Builtin("never", in: "Event", "Event<a>", .reactive(.never), [], "Never occurs.", equation: "never = []"),
    Builtin(
      "every", in: "Event", "(=Float) -> Event<()>", .reactive(.every), ["period"],
      "Occurs at d, 2d, 3d … after its scope's start. In the function of groupBy or keyed that is the group's first occurrence: ticks that all groups share are defined outside of it, and `Date.every` ticks at whole minutes of the calendar.",
      equation: "every(d) = [(k·d, ()) | k = 1, 2, …]"),
    Builtin(
      "every", in: "Date", isBare: false, "(=Float) -> Event<()>", .reactive(.dateEvery), ["period"],
      "Occurs at the multiples of d since 1970 (UTC) that come after its scope's start: Date.every(1min) at whole minutes, Date.every(24h) at midnight, whenever the data begins and in every group alike. Where nobody says which moment time 0 is (`Date.epoch`), they count from that.",
      equation: "Date.every(d) = [(t, ()) | Date.epoch + t = k·d, k whole, t after the scope's start]"),
    Builtin(
      "after", in: "Event", "(=Float) -> Event<()>", .reactive(.after), ["delay"],
      "Occurs once, d seconds after its scope's start.", equation: "after(d) = [(d, ())]"),
  ]

  private static let eventToEvent: [Builtin] = [
    Builtin(
      "map", in: "Event", "(Event<a>, (a) -> b) -> Event<b>", .reactive(.map), ["event", "f"],
      "Each occurrence through f; behaviors that f mentions are read just before the occurrence.",
      equation: "map(e, f) = [(ti, f(ti)(ai))]"),
    Builtin(
      "filter", in: "Event", "(Event<a>, (a) -> Bool) -> Event<a>", .reactive(.filter), ["event", "keep"],
      "The occurrences for which keep holds.", equation: "filter(e, p) = those for which p(ti)(ai)"),
    Builtin(
      "filterMap", in: "Event", "(Event<a>, (a) -> Option<b>) -> Event<b>", .reactive(.filterMap), ["event", "f"],
      "The contents of every Some that f gives."),
    Builtin(
      "scan", in: "Event", "(Event<a>, =b, (b, a) -> b) -> Event<b>", .reactive(.scan), ["event", "start", "step"],
      "The running result of step, at every occurrence.",
      equation: "scan(e, x0, f) = [(ti, f(...f(x0, a1)..., ai))]"),
    Builtin(
      "mapAccum", in: "Event", "(Event<a>, =s, (s, a) -> (s, b)) -> Event<b>", .reactive(.mapAccum),
      ["event", "start", "step"], "step gives what it remembers, and what is shown, at every occurrence.",
      equation: "mapAccum(e, s0, f) = [(ti, bi)] where (si, bi) = f(s(i-1), ai)"),
    Builtin(
      "merge", in: "Event", "(Event<a>, Event<a>...) -> Event<a>", .reactive(.merge), ["first", "others"],
      "The occurrences of all; in one instant those of the first come first.",
      equation: "merge(a, b) = both, by time; in one instant first those of a, then those of b"),
    Builtin(
      "take", in: "Event", "(Event<a>, =Int) -> Event<a>", .reactive(.take), ["event", "count"],
      "The first n occurrences."),
    Builtin(
      "drop", in: "Event", "(Event<a>, =Int) -> Event<a>", .reactive(.drop), ["event", "count"],
      "All but the first n occurrences."),
    Builtin(
      "takeWhile", in: "Event", "(Event<a>, (a) -> Bool) -> Event<a>", .reactive(.takeWhile), ["event", "keep"],
      "The occurrences before the first that fails."),
    Builtin(
      "takeThrough", in: "Event", "(Event<a>, (a) -> Bool) -> Event<a>", .reactive(.takeThrough), ["event", "keep"],
      "The occurrences before the first that fails, and that one.",
      equation: "takeThrough(e, p) = takeWhile(e, p), and the first for which not p(ti)(ai)"),
    Builtin(
      "dropWhile", in: "Event", "(Event<a>, (a) -> Bool) -> Event<a>", .reactive(.dropWhile), ["event", "skip"],
      "The occurrences from the first that fails on."),
    Builtin(
      "takeUntil", in: "Event", "(Event<a>, Event<b>) -> Event<a>", .reactive(.takeUntil), ["event", "stop"],
      "The occurrences before the instant of stop's first occurrence."),
    Builtin(
      "dropUntil", in: "Event", "(Event<a>, Event<b>) -> Event<a>", .reactive(.dropUntil), ["event", "start"],
      "The occurrences from the instant of start's first occurrence on."),
    Builtin("once", in: "Event", "(Event<a>) -> Event<a>", .reactive(.once), ["event"], "The first occurrence."),
    Builtin(
      "distinct", in: "Event", "Eq a => (Event<a>) -> Event<a>", .reactive(.distinct), ["event"],
      "Drops what equals the occurrence before it."),
    Builtin(
      "unique", in: "Event", "Eq k => (Event<a>, (a) -> k) -> Event<a>", .reactive(.unique), ["event", "key"],
      "Drops what has a key that came before. Keeps every key; with `keyedUntil` they can be forgotten.",
      equation: "unique(e, key) = [(ti, ai) where no j < i has key(aj) == key(ai)]"),
    Builtin(
      "indexed", in: "Event", "(Event<a>) -> Event<(Int, a)>", .reactive(.indexed), ["event"],
      "Each occurrence with its number, from 0.", equation: "indexed(e) = [(ti, (i - 1, ai))]"),
    Builtin(
      "pairwise", in: "Event", "(Event<a>) -> Event<(a, a)>", .reactive(.pairwise), ["event"],
      "Each occurrence with the one before it."),
    Builtin(
      "zip", in: "Event", "(Event<a>, Event<b>) -> Event<(a, b)>", .reactive(.zip), ["first", "second"],
      "The n-th of one with the n-th of the other, when both are there."),
    Builtin(
      "zip", in: "Event", "(Event<a>, Event<b>, Event<c>) -> Event<(a, b, c)>", .reactive(.zip),
      ["first", "second", "third"], "The n-th of each, when all three are there."),
    Builtin(
      "zip", in: "Event", "(Event<a>, Event<b>, Event<c>, Event<d>) -> Event<(a, b, c, d)>", .reactive(.zip),
      ["first", "second", "third", "fourth"], "The n-th of each, when all four are there."),
    Builtin(
      "both", in: "Event", "(Event<a>, Event<b>) -> Event<(a, b)>", .reactive(.both), ["first", "second"],
      "Pairs of what the two have in one instant, n-th with n-th; what has no partner there is dropped.",
      equation: "both(a, b) = [(t, (ai, bi)) for the i-th of a and of b at t]"),
    Builtin(
      "except", in: "Event", "(Event<a>, Event<b>) -> Event<a>", .reactive(.except), ["event", "other"],
      "The occurrences in instants in which the other has none.",
      equation: "except(a, b) = [(t, ai) where b has none at t]"),
    Builtin(
      "spill", in: "Event", "(Event<List<a>>) -> Event<a>", .reactive(.spill), ["event"],
      "Each element of each list, in order, in the same instant."),
    Builtin(
      "coalesce", in: "Event", "(Event<a>, (a, a) -> a) -> Event<a>", .reactive(.coalesce), ["event", "join"],
      "The occurrences of one instant, folded into one."),
    Builtin(
      "buffer", in: "Event", "(Event<a>, =Int) -> Event<List<a>>", .reactive(.buffer), ["event", "count"],
      "Every n occurrences as one list. A count below 1 counts as 1."),
    Builtin(
      "buffer", in: "Event", "(Event<a>, =Int, =Int) -> Event<List<a>>", .reactive(.bufferEvery),
      ["event", "count", "step"],
      "The last n occurrences as a list, at every step-th, from the n-th on. A count or step below 1 counts as 1.",
      equation: "buffer(e, n, step) = [(tk, [a(k-n+1), …, ak]) | k = n, n + step, n + 2·step, …]"),
    Builtin(
      "batch", in: "Event", "(Event<a>, Event<b>) -> Event<List<a>>", .reactive(.batch), ["event", "ticks"],
      "At each tick the occurrences since the last tick; those of the tick's own instant belong to the next list."),
    Builtin(
      "bufferUntil", in: "Event", "(Event<a>, Event<b>) -> Event<List<a>>", .reactive(.bufferUntil), ["event", "end"],
      "At each occurrence of end the occurrences since the last one, those of the same instant included.",
      equation: "bufferUntil(e, end) = [(tk, [ai | (ti, ai) in e, t(k-1) < ti <= tk]) | (tk, _) in end]"),
    Builtin(
      "partition", in: "Event", "(Event<a>, (a) -> Bool) -> (Event<a>, Event<a>)", .reactive(.partition),
      ["event", "test"], "The occurrences for which test holds, and the others."),
    Builtin(
      "gate", in: "Event", "(Event<a>, Behavior<Bool>) -> Event<a>", .reactive(.gate), ["event", "open"],
      "The occurrences at which open holds."),
  ]

  private static let timed: [Builtin] = [
    Builtin(
      "delay", in: "Event", "(Event<a>, =Float) -> Event<a>", .reactive(.delay), ["event", "by"],
      "Each occurrence d seconds later.", equation: "delay(e, d) = [(ti + d, ai)]"),
    Builtin(
      "debounce", in: "Event", "(Event<a>, =Float) -> Event<a>", .reactive(.debounce), ["event", "quiet"],
      "An occurrence, once no other has come for d seconds."),
    Builtin(
      "debounce", in: "Event", "(Event<a>, (a) -> Event<b>) -> Event<a>", .reactive(.debounceUntil),
      ["event", "quiet"], "An occurrence, once the event that quiet made of it occurs, if no other came before.",
      equation: "debounce(e, q) = flatMapLatest(e, x => once(q(x)) |> map(_ => x))"),
    Builtin(
      "throttle", in: "Event", "(Event<a>, =Float) -> Event<a>", .reactive(.throttle), ["event", "pause"],
      "The first occurrence, then nothing for less than d seconds."),
    Builtin(
      "throttle", in: "Event", "(Event<a>, (a) -> Event<b>) -> Event<a>", .reactive(.throttleUntil),
      ["event", "pause"],
      "The first occurrence, then nothing until the event that pause made of it occurs; what comes in that instant passes."
    ),
    Builtin(
      "audit", in: "Event", "(Event<a>, =Float) -> Event<a>", .reactive(.audit), ["event", "window"],
      "The first occurrence opens a window of d seconds; at its end the newest comes out."),
    Builtin(
      "audit", in: "Event", "(Event<a>, (a) -> Event<b>) -> Event<a>", .reactive(.auditUntil), ["event", "window"],
      "The first occurrence opens a window; at the event that window made of it the newest comes out. What comes in that "
        + "instant opens the next."),
    Builtin(
      "window", in: "Event", "(Event<a>, =Float) -> Behavior<List<a>>", .reactive(.window), ["event", "length"],
      """
      The occurrences in (t - d, t]. What is d old leaves with what comes at that very time, or after the inputs of that \
      time. The size of it costs O(1); sum, mean, variance, minimum, maximum, median, quantile and topBy of numbers, also of its \
      map, cost O(log n) for each that has come or gone. Read by an event operator it is what was there just before, without the \
      occurrence itself, also as one's own quota: passed = e |> filter(_ => size(window(passed, 1s)) < 3).
      """),
    Builtin(
      "summary", in: "Event", "(Event<a>, =Float, (a) -> b, (b, b) -> b) -> Behavior<Option<b>>",
      .reactive(.summary), ["event", "length", "f", "join"],
      "What f gives of every occurrence in (t - d, t], joined in their order by an associative join; None if there is none. "
        + "Costs amortised O(1) joins an occurrence, however long d is.",
      equation: "summary(e, d, f, join) (t) = Some(f(a1) join … join f(an)) over window(e, d) (t), None if that is []"),
  ]

  private static let eventToBehavior: [Builtin] = [
    Builtin(
      "hold", in: "Event", "(Event<a>, =a) -> Behavior<a>", .reactive(.hold), ["event", "start"],
      "The newest occurrence, and start before the first.",
      equation: "hold(e, x0) (t) = the last a with (t', a) in e and t' < t, else x0"),
    Builtin(
      "fold", in: "Event", "(Event<a>, =b, (b, a) -> b) -> Behavior<b>", .reactive(.fold), ["event", "start", "step"],
      "The result of step over all occurrences so far.",
      equation: "fold(e, x0, f) (t) = f(...f(f(x0, a1), a2)..., an) over the (ti, ai) in e with ti < t"),
    Builtin(
      "count", in: "Event", "(Event<a>) -> Behavior<Int>", .reactive(.count), ["event"],
      "How many occurrences there have been."),
    Builtin(
      "countBy", in: "Event", "Eq k => (Event<a>, (a) -> k) -> Behavior<Map<k, Int>>", .reactive(.countBy),
      ["event", "key"], "How many occurrences there have been of each key.",
      equation: "countBy(e, key) = groupBy(e, key, (_, es) => count(es))"),
    Builtin(
      "sumBy", in: "Event", "Num n, Eq k => (Event<a>, (a) -> k, (a) -> n) -> Behavior<Map<k, n>>", .reactive(.sumBy),
      ["event", "key", "value"], "The sum of the values of each key's occurrences.",
      equation: "sumBy(e, key, value) = groupBy(e, key, (_, es) => fold(es, 0, (s, a) => s + value(a)))"),
  ]

  private static let behaviorToEvent: [Builtin] = [
    Builtin(
      "changes", in: "Behavior", "Eq a => (Behavior<a>) -> Event<a>", .reactive(.changes), ["behavior"],
      "The new value, at each instant that changes it.",
      equation: "changes(b) = (t, value just after t) for each instant t where that differs from just before"),
    Builtin(
      "updates", in: "Behavior", "Eq a => (Behavior<a>) -> Event<a>", .reactive(.updates), ["behavior"],
      "The value at the start of the scope, and then the new value at each instant that changes it.",
      equation:
        "updates(b) = (t0, value just after t0) and changes(b) after t0, where t0 is the first instant of the scope"),
    Builtin(
      "when", in: "Behavior", "(Behavior<Bool>) -> Event<()>", .reactive(.when), ["condition"],
      "Occurs where the condition becomes true; crossings of continuous behaviors are located, however short they are; W0406 names those that cannot be bounded.",
      equation:
        "when(c) = (t, ()) where a continuous c crosses from false to true, and (t, n+1) where an instant (t, n) made c true"
    ),
    Builtin(
      "sample", in: "Behavior", "(Behavior<a>, Event<b>) -> Event<a>", .reactive(.sample), ["behavior", "ticks"],
      "The behavior's value just before each tick."),
  ]

  private static let continuous: [Builtin] = [
    Builtin(
      "integral", in: "Behavior", "(Behavior<Float>) -> Behavior<Float>", .reactive(.integral), ["rate"],
      "The integral from the start of the scope. Where a rate depends on a comparison and either outcome drives its "
        + "operands back to their limit, the integral stays there, with the mean of both rates.",
      equation: "integral(b) (t) = the integral of b from the start to t"),
    Builtin(
      "integralFrom", in: "Behavior", "(Behavior<Float>, =Float, Event<Float>) -> Behavior<Float>",
      .reactive(.integralFrom), ["rate", "start", "resets"],
      "The integral from a start value; an occurrence of resets sets it."),
    Builtin(
      "derivative", in: "Behavior", "(Behavior<Float>) -> Behavior<Float>", .reactive(.derivative), ["behavior"],
      "The rate of change, exact for what is built from time and integrals.", equation: "derivative(b) (t) = db/dt"),
    Builtin(
      "delay", in: "Behavior", "(Behavior<a>, =Float) -> Behavior<a>", .reactive(.delayBehavior), ["behavior", "by"],
      "The value d seconds ago; the first value until d has passed."),
  ]

  private static let dynamic: [Builtin] = [
    Builtin(
      "switch", in: "Event", "Open b => (Event<a>, Behavior<b>, (a) -> Behavior<b>) -> Behavior<b>",
      .reactive(.switchTo), ["event", "first", "next"],
      "The first behavior, then the one that next made of the newest occurrence; or the first event, or record of both. Behaviors that "
        + "next mentions go on living in what it makes.",
      equation: "switch(e, b0, f) (t) = b0, then f(a) of the last occurrence before t"),
    Builtin(
      "flatMapLatest", in: "Event", "(Event<a>, (a) -> Event<b>) -> Event<b>", .reactive(.flatMapLatest),
      ["event", "f"],
      "The occurrences of the event that f made of the newest occurrence. A behavior that f mentions goes on living in what it makes; "
        + "one that is to be taken once is handed over: e |> map(x => (x, b)) |> flatMapLatest((x, then) => …)."),
    Builtin(
      "flatMap", in: "Event", "(Event<a>, (a) -> Event<b>) -> Event<b>", .reactive(.flatMap), ["event", "f"],
      "The occurrences of all events that f has made."),
    Builtin(
      "keyed", in: "Event", "Eq k => (Event<a>, (a) -> k, (k, Event<a>) -> Event<b>) -> Event<b>", .reactive(.keyed),
      ["event", "key", "f"],
      "One live event a key, made by f at the key's first occurrence; all of them merged. Behaviors that f mentions go on living in it."
    ),
    Builtin(
      "keyedUntil", in: "Event",
      "Eq k => (Event<a>, (a) -> k, (k, Event<a>) -> (Event<b>, Event<c>)) -> Event<b>", .reactive(.keyedUntil),
      ["event", "key", "f"],
      "As `keyed`; f gives a second event, with whose occurrence the group ends after that instant. The key's next "
        + "occurrence makes a new one."),
    Builtin(
      "groupBy", in: "Event", "Eq k => (Event<a>, (a) -> k, (k, Event<a>) -> Behavior<v>) -> Behavior<Map<k, v>>",
      .reactive(.groupBy), ["event", "key", "f"], "One live behavior a key, made by f at the key's first occurrence."),
    Builtin(
      "groupUntil", in: "Event",
      "Eq k => (Event<a>, (a) -> k, (k, Event<a>) -> (Behavior<v>, Event<b>)) -> Behavior<Map<k, v>>",
      .reactive(.groupUntil), ["event", "key", "f"],
      "As `groupBy`; f gives an event, too, with whose occurrence the group ends and its key leaves the map."),
    Builtin(
      "each", in: "Behavior",
      "Eq k => (Behavior<List<a>>, (a) -> k, (Behavior<a>) -> Behavior<b>) -> Behavior<List<b>>",
      .reactive(.each), ["list", "key", "f"],
      "One live behavior a member, kept by key while the member stays, in the order of the list."),
    Builtin(
      "perform", in: "Event",
      "(Event<a>, =Policy, (a) -> Task<b>) -> {results: Event<Result<b, Error>>, busy: Behavior<Bool>}",
      .reactive(.perform), ["event", "policy", "task"],
      "Performs the task of each occurrence. Where they overlap, `Latest` cancels the old one, `All` runs every one, `Queue` "
        + "one after the other, `Limit(n)` n at a time, and `Ignore` drops occurrences while one is under way."),
    Builtin(
      "listen", in: "Event",
      "(Event<a>, =Policy, (a) -> Source<b>) -> {items: Event<b>, state: Behavior<Link>, ends: Event<Result<(), Error>>}",
      .reactive(.listen), ["event", "policy", "source"],
      "Listens to the source of each occurrence. `items` are the values it brings, `ends` says how sources ended, and `state` "
        + "how the newest that has not ended stands. Where they overlap, the policy says what happens, as for `perform`.",
      equation: "listen(e, p, f).ends = perform(e, p, f).results; items = what brings each of those that are under way"),
    Builtin(
      "await", in: "Task", isBare: false, "(Event<a>) -> Task<a>", .reactive(.await), ["event"],
      "Ends with the event's next occurrence, in the micro-step after it. Of several in one instant it takes the first; a task that "
        + "begins when it ends does not see the others.",
      equation: "await(e), begun at t, ends with Ok(ai) at the first ti > t"),
    Builtin(
      "await", in: "Task", isBare: false, "(Event<a>, (a) -> Bool) -> Task<a>", .reactive(.await), ["event", "accept"],
      "Ends with the event's next occurrence for which accept holds, in the micro-step after it.",
      equation: "await(e, p), begun at t, ends with Ok(ai) at the first ti > t for which p(ai)"),
  ]
}
