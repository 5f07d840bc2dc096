// What programs about continuous time are made of: what moves, with jumps at located moments and at inputs, and operators
// with holes. What a hole's letter means is written at `fill` in Nestings.swift.

extension NestingTables {
  /// Programs about Floats that move. Nothing in them faults: when faults come is not compared in continuous time. Keys
  /// and members are no moments at which outputs are sampled: rounding decides on which side of those a crossing is.
  static let motions = NestingTables(
    header: [
      "input e0: Event<Float>", "input e1: Event<Float>", "input b0: Behavior<Float> = 0.2",
      "input b1: Behavior<Float> = 1.0", "input c0: Behavior<Bool> = false",
    ],
    outer: outer, commonEvents: ["e0", "e1", "beat"], events: events, commonBehaviors: ["time", "saw", "swing", "b0"],
    behaviors: behaviors, risks: ["(saw + 0.3)"], eventOperators: eventOperators,
    behaviorOperators: behaviorOperators, durations: ["0ms", "100ms", "270ms"],
    behaviorKey: "if B > 0.72 then 1.03 else 0.53",
    keys: [
      "x => if x > 0.72 then 1.03 else 0.53", "_ => 0.53",
    ],
    lists: [
      "(if C then [0.53] else [0.53, 1.53])", "[0.53, 1.53]",
      "(E |> scan([], (l, x) => distinct([if x > 0.72 then 1.53 else 0.53] ++ l)) |> hold([1.03]))",
    ],
    asEvents: ["sample(X, E)", "sample(X, every(300ms))", "(when(X > B) |> map(_ => B))"],
    numbers: ["0.57", "1.02", "1.51"],
    type: .float, equality: "<=", hasChanges: false, end: 1_700)

  private static let outer = [
    (name: "saw", text: "integralFrom(1.0 + 0.3 * time, 0.0, when(saw > 0.6) |> map(_ => 0.1))"),
    (name: "swing", text: "integralFrom(speed, 0.3, never)"),
    (name: "speed", text: "integralFrom(-6.0 * swing, 1.1, e1)"),
    (name: "pushed", text: "integralFrom(b0 - 0.4, 0.5, e0)"),
    (name: "scaled", text: "b1 * time"),
    (name: "choice", text: "if c0 then saw else pushed"),
    (name: "parts", text: "if saw > 0.4 then swing else 1.0 - time"),
    (name: "turned", text: "e1 |> switch(saw, x => integral(x - 0.3))"),
    (name: "late", text: "Behavior.delay(saw, 200ms)"),
    (name: "lateChoice", text: "Behavior.delay(choice, 130ms)"),
    (name: "fast", text: "integral(parts)"),
    (name: "beat", text: "when(saw > 0.5) |> map(_ => swing)"),
    (name: "crossed", text: "when(swing > 0.0) |> map(_ => saw)"),
    (name: "ticks", text: "every(230ms) |> map(_ => saw)"),
    (name: "lateBeat", text: "beat |> delay(150ms)"),
    (name: "arrived", text: "when(late > 0.45) |> map(_ => late)"),
  ]

  private static let events = [
    "crossed", "ticks", "lateBeat", "arrived", "merge(e0, beat)", "changes(b1)", "(start |> map(_ => 1.0))",
  ]

  private static let behaviors = [
    "scaled", "choice", "parts", "turned", "late", "lateChoice", "fast", "pushed", "(saw + time)",
    "(swing * saw)", "(e0 |> hold(0.5))", "speed", "(if saw > swing then 1.0 else 0.0)", "sin(4.0 * time)",
  ]

  private static let eventOperators = [
    "(E |> map(x => x + B))", "(when(B > B) |> map(_ => B))", "(when(B >= P) |> map(_ => B))",
    "(when(C) |> map(_ => B))", "sample(B, E)", "(E |> gate(C))", "(E |> scan(P, (s, a) => s * 0.5 + a + B))",
    "(E |> delay(T) |> map(x => x + B))", "(after(T) |> map(_ => B))", "(E |> filter(x => x <= B))",
    "changes(if C then P else 0.1)", "(changes(C) |> map(x => if x then B else 7.0))", "(E |> takeUntil(when(B > P)))",
    "(E |> dropUntil(when(B > B)))", "(when(B > P) |> flatMap(_ => after(T) |> map(_ => B)))",
    "(E |> debounce(T) |> map(_ => B))", "(E |> throttle(T))",
    "(E |> flatMapLatest(x => when(integral(1.0) > 0.3) |> map(_ => B)))", "(E |> takeWhile(_ => C))",
    "((E |> perform(Latest, x => Task.after(T, x + B))).results |> filterMap(ok))",
    "{ N = E |> switch({b: B, e: E}, x => {b: B, e: E}); sample(N.b, merge(N.e, E)) }",
    "(when(Behavior.delay(B, T) > B) |> map(_ => B))", "(when(integral(B) > 0.2) |> map(_ => B))",
  ]

  private static let behaviorOperators = [
    "integral(B)", "integralFrom(B, P, E)", "{ N = integralFrom(B - N, P, E); N }",
    "{ N = integralFrom(1.0, 0.0, when(N > 0.45) |> map(_ => P * 0.1)); N }", "Behavior.delay(B, T)",
    "Behavior.delay(Behavior.delay(B, T), T)", "(E |> switch(B, _ => B))",
    "(E |> switch(B, x => integral(B + x)))", "(E |> switch(B, _ => Behavior.delay(B, T)))", "(if C then B else B)",
    "(if C then integral(B) else Behavior.delay(B, T))", "(E |> map(x => x + B) |> hold(P))",
    "(E |> fold(P, (s, a) => s * 0.5 + a + B))",
    "sum(each(if C then [0.53] else [0.53, 2.03], y => y, y => integral(y * B)))",
    "sum(each([0.53, 2.03], y => y, y => integralFrom(y - B, P, E)))",
    // Keys are coarse: which of two neighboring Floats a located moment gives is nobody's business.
    "sum(Map.values(E |> groupBy(x => round(3.3 * x), (k, es) => integralFrom(B, toFloat(k), es))))",
    "(B + B)", "(B * B)",
    "(if B > B then 1.0 else 0.0)", "integral(if C then 1.0 else -1.0)", "integral(if B > B then B else -1.0)",
    "(match find([0.5, 1.0], y => y < B) { Some(y) => y; None => B })",
    "{ N = Behavior.delay(integral(1.0 - N), 100ms); N }", "{ N = integral(1.0 - Behavior.delay(N, T)); N }",
    "{ N = integralFrom(B, P, when(Behavior.delay(N, T) > 0.7) |> map(_ => 0.1)); N }",
    "integral(Behavior.delay(B, T))",
  ]
}
