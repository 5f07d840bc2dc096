// What programs about scopes are made of: operators with holes, and what stands outside of scopes. What a hole's letter
// means is written at `fill` in Nestings.swift.

/// What the programs of one sort are made of.
struct NestingTables: Sendable {
  var header: [String]
  /// Definitions outside of all scopes; only those that are used are written.
  var outer: [(name: String, text: String)]
  /// What stands for events and behaviors as a rule, and now and then.
  var commonEvents: [String]
  var events: [String]
  var commonBehaviors: [String]
  var behaviors: [String]
  /// What may fault.
  var risks: [String]
  /// Operators with holes.
  var eventOperators: [String]
  var behaviorOperators: [String]
  var durations: [String]
  /// What a group is made by, beside its occurrence.
  var behaviorKey: String
  /// Keys, and lists whose elements are keys.
  var keys: [String]
  var lists: [String]
  /// Ways to make an event of a behavior, X.
  var asEvents: [String]
  /// What an input or a literal may be.
  var numbers: [String]
  /// Of what events carry and behaviors are.
  var type: DataSort
  /// How two behaviors are compared for being the same.
  var equality: String
  /// Whether behaviors have changes.
  var hasChanges: Bool
  /// When the trace ends, in milliseconds, if not with its last occurrence.
  var end: Int?

  var all: [(text: String, isEvent: Bool)] {
    eventOperators.map { ($0, true) } + behaviorOperators.map { ($0, false) }
  }
}

extension NestingTables {
  /// Programs about Ints that change in steps.
  static let steps = NestingTables(
    header: [
      "input e0: Event<Int>", "input e1: Event<Int>", "input b0: Behavior<Int> = 0", "input b1: Behavior<Int> = 1",
      "input c0: Behavior<Bool> = false",
    ],
    outer: outer, commonEvents: ["e0", "e1", "changes(b0)"], events: events,
    commonBehaviors: ["b0", "b1", "(b0 + b1)"], behaviors: behaviors,
    risks: ["outerRisk", "div(6, b0)", "div(4, b1)"], eventOperators: eventOperators,
    behaviorOperators: behaviorOperators, durations: ["0ms", "100ms", "200ms"],
    behaviorKey: "B",
    keys: ["x => x", "x => x % 2", "_ => 0"],
    lists: ["distinct([B, B])"], asEvents: ["changes(X)", "sample(X, E)"], numbers: ["0", "1", "2"], type: .int,
    equality: "==", hasChanges: true)

  private static let outer = [
    (name: "outerHold", text: "e0 |> hold(0)"),
    (name: "outerFold", text: "e1 |> fold(1, (s, a) => (s + a + b0) % 5)"),
    (name: "outerSum", text: "b0 + b1"),
    (name: "outerChoice", text: "if c0 then outerHold else b1"),
    (name: "outerTurn", text: "e1 |> switch(b0, _ => b1)"),
    (name: "outerSoonAfter", text: "Behavior.delay(b0, 0ms)"),
    (name: "outerDelayed", text: "Behavior.delay(outerSum, 100ms)"),
    (name: "outerOpen", text: "e1 |> switch({b: b0, e: e0}, x => {b: b1, e: e1 |> map(y => x + y)})"),
    (name: "outerGroups", text: "sum(Map.values(e0 |> groupBy(x => x, (k, es) => es |> count)))"),
    (name: "outerMembers", text: "sum(each(distinct([b0, b1]), y => y, y => e0 |> fold(0, (s, a) => s + a)))"),
    (name: "outerRisk", text: "div(6, b0)"),
    (name: "outerMap", text: "e0 |> map(x => x + b1)"),
    (name: "outerChanges", text: "changes(outerSum)"),
    (name: "outerScan", text: "e1 |> scan(0, (s, a) => (s + a + b1) % 7)"),
    (name: "outerWhen", text: "when(b1 > b0) |> map(_ => 3)"),
    (name: "outerSoon", text: "e0 |> delay(0ms)"),
    (name: "outerTask", text: "e0 |> perform(All, x => Task.after(100ms, x))"),
  ]

  private static let events = [
    "outerMap", "outerChanges", "outerScan", "outerWhen", "outerSoon", "outerOpen.e", "changes(b1)", "merge(e0, e1)",
    "(outerTask.results |> filterMap(ok))",
  ]

  private static let behaviors = [
    "outerHold", "outerFold", "outerSum", "outerChoice", "outerTurn", "outerSoonAfter", "outerDelayed", "outerOpen.b",
    "outerGroups", "outerMembers", "(if outerTask.busy then b0 else b1)", "(if c0 then b0 else b1)",
  ]

  private static let eventOperators = [
    "(E |> map(x => x + B))", "(E |> map(_ => B))", "(E |> filter(x => x <= B))",
    "(E |> filterMap(x => if C then Some(x + B) else None))", "(E |> scan(P, (s, a) => (s + a + B) % 9))",
    "merge(E, E)", "(E |> take(1))", "(E |> take(P % 3))", "(E |> drop(1))", "(E |> drop(P % 3))",
    "(E |> takeWhile(x => x <= B))", "(E |> dropWhile(x => x <= B))", "(E |> takeWhile(_ => C))",
    "(E |> dropWhile(_ => C))", "(E |> takeUntil(E))", "(E |> dropUntil(E))", "(E |> once)", "(E |> distinct)",
    "(E |> pairwise |> map((p, q) => p * 10 + q))", "(zip(E, E) |> map((p, q) => p * 10 + q))",
    "(E |> map(x => [x, B]) |> spill)", "(E |> coalesce((p, q) => p * 10 + q + B))",
    "(merge(E, E) |> coalesce((p, q) => p * 10 + q))", "(E |> buffer(2) |> map(sum))", "(E |> batch(E) |> map(sum))",
    "(E |> bufferUntil(E |> filter(x => x % 2 == 0)) |> map(sum))", "(E |> buffer(3, 2) |> map(sum))",
    "(E |> mapAccum(P, (s, a) => ((s + a) % 9, s * 10 + B)))", "(E |> takeThrough(x => x <= B))",
    "(both(E, E) |> map((p, q) => p * 10 + q))", "except(E, E)", "(E |> unique(x => x % 3))",
    "(E |> indexed |> map((n, x) => n * 10 + x))", "updates(B)", "updates(if C then B else B)",
    "(E |> debounce(x => after(T)))", "(E |> throttle(x => E |> filter(y => y > x)))", "(E |> audit(_ => changes(B)))",
    "((E |> perform(Limit(2), x => Task.after(T, x + B))).results |> filterMap(ok))",
    "(E |> keyedUntil(x => x % 2, (k, es) => (es |> map(y => y + k + B), es |> filter(y => y > 1))))",
    "(E |> keyedUntil(x => x % 2, (k, es) => (es |> map(y => y + B), E)))",
    "(E |> gate(C))", "sample(B, E)", "sample(if C then B else B, E)", "(E |> delay(T))", "(E |> debounce(T))",
    "(E |> throttle(T))", "(E |> audit(T))", "(after(T) |> map(_ => B))", "(every(100ms) |> map(_ => B))",
    "(Date.every(100ms) |> map(_ => B))",
    "changes(B)", "changes(if C then B else B)", "(changes(C) |> map(x => if x then B else 7))",
    "(when(C) |> map(_ => B))", "(when(B > B) |> map(_ => B))",
    "((E |> perform(Latest, x => Task.succeed(x + B))).results |> filterMap(ok))",
    "((E |> perform(All, x => Task.after(T, x + B))).results |> filterMap(ok))",
    "((E |> perform(Queue, x => Task.after(T, x + B))).results |> filterMap(ok))",
    "((E |> perform(Ignore, x => Task.after(T, x + B))).results |> filterMap(ok))",
    "((E |> perform(All, x => Task.await(E))).results |> filterMap(ok))",
    "((E |> perform(Latest, x => Task.await(E, y => y > x) |> Task.andThen(y => Task.after(T, y)))).results |> filterMap(ok))",
    "((E |> listen(Latest, x => Source.fromList([(T, x + B), (0s, x)]))).items)",
    "((E |> listen(All, x => Source.fromList([(T, x + B)]) |> Source.map(y => y + x))).items)",
    "((E |> listen(Queue, x => Source.lane([(0s, B), (T, x)]) |> Source.filterMap(y => if y > x then None else Some(y)))).items)",
    "((E |> listen(Ignore, x => Source.fromList([(T, B)]) |> reconnect(n => if x > n then Some(T + 100ms) else None))).ends |> map(_ => B))",
    "(if P > 0 then E else E)", "(if P > 1 then (E |> take(1)) else changes(B))",
    "(E |> map(x => (y => y + x + B)) |> map(f => f(B)))",
    "{ N = E |> switch({b: B, e: E}, x => {b: B, e: E}); merge(changes(N.b), N.e) }",
    "{ N = E |> switch({b: B, e: E}, x => {b: B, e: E}); sample(N.b, merge(N.e, E)) }",
    "{ N = E |> switch({b: B, e: E}, x => {b: B + x, e: E |> map(y => x + y)}); N.e |> gate(N.b > 1) }",
    "(E |> flatMap(x => E |> map(y => x + y)))", "(E |> flatMapLatest(x => changes(B)))",
    "(E |> flatMap(x => after(T) |> map(_ => B + x)))", "(E |> keyed(x => x, (k, es) => es |> map(y => y + k + B)))",
    "(E |> keyed(_ => B, (k, es) => es |> gate(C)))", "{ N = [P, 1, 2] |> map(x => x * x) |> sum; E |> take(N % 4) }",
  ]

  private static let behaviorOperators = [
    "(E |> hold(P))", "(E |> hold(8))", "(E |> count)", "(E |> fold(P, (s, a) => (s + a + B) % 9))",
    "(E |> fold(0, (s, _) => B))", "sum(window(E, T))", "Behavior.delay(B, T)", "(E |> switch(B, _ => B))",
    "(E |> switch(B, x => B + x))", "(E |> switch(B, x => E |> hold(x)))",
    "(E |> switch(B, x => E |> fold(P, (s, a) => s + a)))", "(if C then B else B)",
    "(match B { 0 => B; 1 => B + 1; _ => (E |> count) })", "(B + B)",
    "(if (E |> perform(All, x => Task.after(T, x))).busy then 1 else B)",
    "(if (E |> perform(Latest, x => Task.succeed(B))).busy then 1 else 0)",
    "(match (E |> listen(Latest, x => Source.fromList([(T, x)]))).state { Idle => 0; Opening => 1; Open => B; Retrying(_) => 3 })",
    "(match (E |> listen(All, x => Source.fail(\"no\") |> reconnect(n => if n < 3 then Some(T) else None))).state { Retrying(m) => size(m) + B; _ => 0 })",
    "sum(each(distinct([B, B]), y => y, y => E |> fold(0, (s, a) => s + a + y)))",
    "sum(each(distinct([B, B]), y => y, y => E |> switch(B, _ => y)))",
    "sum(each([B], _ => 0, y => Behavior.delay(y, T)))",
    "sum(Map.values(E |> groupBy(x => x, (k, es) => es |> hold(P))))",
    "sum(Map.values(E |> groupUntil(x => x % 3, (k, es) => (es |> fold(P, (s, a) => s + a), es |> filter(y => y > 1)))))",
    "sum(Map.values(E |> groupUntil(x => x % 3, (k, es) => (es |> map(y => y + B) |> hold(P), after(T)))))",
    "Result.withDefault(attempt(div(B, B)), B)",
    "(match attempt(E |> fold(P, (s, a) => s + a)) { Ok(x) => x; Err(_) => 3 })",
    "sum(Map.values(E |> countBy(x => x % 2 + B)))", "sum(Map.values(E |> sumBy(x => x % 2, x => x + B)))",
    "(E |> summary(T, x => x + B, (p, q) => p + q) |> Option.withDefault(7))",
    "sum(Map.values(E |> groupBy(x => x, (k, es) => es |> switch(B, _ => B))))",
    "Map.size(E |> groupBy(_ => B, (k, es) => B))", "(E |> map(x => (y => y + x)) |> hold(y => y) |> (f => f(B)))",
    "(E |> switch(y => y, x => (y => y + x)) |> (f => f(B)))",
    "(E |> switch({m: B, n: B}, x => {m: B, n: x}) |> (r => r.m * 10 + r.n))", "(if P > 0 then B else (E |> count))",
    "(if P > 0 then (E |> switch(B, _ => B)) else Behavior.delay(B, T))",
    "{ N = E |> switch({b: B, e: E}, x => {b: B, e: E}); N.e |> fold(0, (s, a) => (s + a + N.b) % 9) }",
    "{ N = E |> map(x => (x + N + B) % 9) |> hold(P); N }", "(if B > B then 1 else 0)",
    "(E |> hold(0) |> (h => if h > 0 then B else h))",
    "{ N = (1..6) |> map(x => x * 2 + P); sum(E |> fold(N, (s, a) => [a, ...s] |> take(4))) }",
    "{ N = [P, 3] |> map(x => x % 2); E |> map(x => [x, B]) |> hold(N) |> sum }",
  ]
}
