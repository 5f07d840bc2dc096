// The laws of the language, as properties of random programs. A law takes a seed and says whether it holds there.

import FRPBase
import FRPCore
import FRPModel

package struct Law: Sendable {
  package enum Verdict: Sendable, Equatable {
    case holds
    /// The program of this seed has nothing the law speaks of.
    case skipped
    case broken(String)
  }

  package let name: String
  /// The section of the language that gives it.
  package let section: Int
  package let verdict: @Sendable (UInt64) -> Verdict

  package init(_ name: String, section: Int, _ verdict: @escaping @Sendable (UInt64) -> Verdict) {
    self.name = name
    self.section = section
    self.verdict = verdict
  }

  package static let all: [Law] =
    [
      both(rewriting("a definition put in for its name", section: 1) { $0.inlined(&$1) }, named),
      both(rewriting("a call replaced by the function's body", section: 4) { $0.unfolded(&$1) }, called),
      rewriting("other forms of the same", section: 4, needsTheSame: false) { $0.recast(&$1) },
      rewriting("definitions in another order", section: 1) { $0.shuffled(&$1) },
      coherent, located, shifted, due, sampling, alone, replay, blocks, regions, principal, believed, printed, ordered,
    ] + pairs

  /// A law that says two things; it holds where one does, and neither is broken.
  private static func both(_ a: Law, _ b: Law) -> Law {
    Law(a.name, section: a.section) { seed in
      let first = a.verdict(seed)
      if case .broken = first { return first }
      let second = b.verdict(seed)
      return second == .skipped ? first : second
    }
  }

  // MARK: Rewriting

  /// A change that keeps the meaning: the same lines, and faults at the same times. Where it may need more of its data or
  /// less (`needsTheSame`), that holds until only one of the two faults: what is not needed does not fault.
  private static func rewriting(
    _ name: String, section: Int, needsTheSame: Bool = true,
    _ change: @escaping @Sendable (GeneratedProgram, inout Random) -> GeneratedProgram?
  ) -> Law {
    Law(name, section: section) { seed in
      let program = Generator.program(seed: seed)
      var random = Random(seed: seed ^ 0x5EED)
      guard let changed = change(program, &random), changed.source != program.source else { return .skipped }
      guard var wanted = run(program) else { return .broken("does not compile\n\(program.source)") }
      let compiled = Compiled(changed.source)
      // Where a type was written beside a name, it may be open without it.
      if compiled.diagnostics.contains(where: { [DiagnosticCode.ambiguousType, .mixedNumbers].contains($0.code) }) {
        return .skipped
      }
      guard var got = run(changed) else { return .broken("does not compile: \(compiled.problems)\n\(changed.source)") }
      if !needsTheSame, let parted = firstFaultOfOne(wanted, got) {
        wanted.forget(from: parted)
        got.forget(from: parted)
      }
      return same(wanted, got) { "\(program.source)\(program.traceText)---\n\(changed.source)" }
    }
  }

  /// The same lines, and faults at the same times; `programs` is what is shown otherwise. Limits count work, which may
  /// differ.
  static func same(_ wanted: ModelRun, _ got: ModelRun, _ programs: () -> String) -> Verdict {
    if wanted.faults.contains(where: isLimit) || got.faults.contains(where: isLimit) { return .skipped }
    if let difference = Expectations.difference(wanted.lines, got.lines) {
      return .broken("\(difference)\n\(programs())")
    }
    if wanted.faults.map(\.seconds) != got.faults.map(\.seconds) {
      return .broken("faults at \(wanted.faults), then at \(got.faults)\n\(programs())")
    }
    return .holds
  }

  /// When, for the first time, one of two runs faulted and the other did not.
  private static func firstFaultOfOne(_ a: ModelRun, _ b: ModelRun) -> Double? {
    let (a, b) = (a.faults.map(\.seconds), b.faults.map(\.seconds))
    let same = zip(a, b).prefix { $0 == $1 }.count
    return [a, b].filter { $0.count > same }.map { $0[same] }.min()
  }

  private static func isLimit(_ fault: (seconds: Double, message: String, definition: String)) -> Bool {
    fault.message.contains("limit")
  }

  static func run(_ program: GeneratedProgram, until: Double? = nil, sample: Double? = 0.1) -> ModelRun? {
    guard let core = Compiled(program.source).core, let trace = TraceLine.parse(program.traceText) else { return nil }
    return Engine.run(core, trace, until: until, sample: sample)
  }

  // MARK: Pairs of expressions that are the same

  /// Definitions to add to a program, and the pairs of them that must show the same.
  private struct Pairs {
    var definitions: [(name: String, text: String)]
    var equal: [(String, String)]
  }

  /// `make` gets an event, another event and a behavior of the program.
  private static func equal(
    _ name: String, section: Int, _ make: @escaping @Sendable (String, String, String) -> Pairs
  ) -> Law {
    Law(name, section: section) { seed in
      let program = Generator.program(seed: seed)
      var random = Random(seed: seed ^ 0xFACE)
      let events = program.names(events: true)
      let behaviors = program.names(events: false)
      let pairs = make(random.pick(events), random.pick(events), behaviors.isEmpty ? "1" : random.pick(behaviors))
      let changed = program.adding(pairs.definitions, outputs: Set(pairs.equal.flatMap { [$0.0, $0.1] }))
      guard let run = run(changed) else {
        return .broken("does not compile: \(Compiled(changed.source).problems)\n\(changed.source)")
      }
      var isSilent = true
      for (left, right) in pairs.equal {
        func lines(_ name: String) -> [ModelLine] {
          run.lines.filter { $0.name == name }.map { ModelLine(seconds: $0.seconds, name: "", json: $0.json) }
        }
        if let difference = Expectations.difference(lines(left), lines(right)) {
          return .broken("\(left) and \(right): \(difference)\n\(changed.source)\(changed.traceText)")
        }
        if lines(left).count > 1 { isSilent = false }
      }
      return isSilent ? .skipped : .holds
    }
  }

  private static let pairs: [Law] = [
    parted, cut, partitioned, merged, mapped, folded, readBefore, delayed, pieces, joined, changed, apart,
  ]

  /// Names that are used several times, of lifts that read one another and of events that may run as one.
  private static let named = equal("a name is its definition", section: 1) { e, s, b in
    let (size, texts, few) = ("size(\"{\(b)}\")", "\(e) |> map(x => \"{x}\")", "\(e) |> filter(x => \"{x}\" < \"5\")")
    return Pairs(
      definitions: [
        ("n", size), ("m", "n * 2 + \(size)"), ("l1", "m + n"), ("l2", "(\(size) * 2 + \(size)) + \(size)"),
        ("t", texts), ("l3", "t |> map(t => t ++ \"!\") |> hold(\"\")"),
        ("l4", "\(texts) |> map(t => t ++ \"!\") |> hold(\"\")"),
        ("l5", "merge(t, \(s) |> map(x => \"{x}\"))"), ("l6", "merge(\(texts), \(s) |> map(x => \"{x}\"))"),
        ("f", few), ("l7", "f |> map(x => (x, \(b)))"), ("l8", "\(few) |> map(x => (x, \(b)))"),
        ("l9", "f |> count"), ("l10", "\(few) |> count"),
      ], equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6"), ("l7", "l8"), ("l9", "l10")])
  }

  /// Functions of two events, of an event and a behavior, of two behaviors.
  private static let called = equal("a call is the body", section: 4) { e, s, b in
    Pairs(
      definitions: [
        ("g1(p, q)", "merge(p |> map(x => \"a{x}\"), q |> map(x => \"b{x}\"))"), ("l1", "g1(\(e), \(s))"),
        ("l2", "merge(\(e) |> map(x => \"a{x}\"), \(s) |> map(x => \"b{x}\"))"),
        ("g2(p, q)", "p |> fold([], (all, x) => takeLast(all ++ [\"{x}{q}\"], 2))"), ("l3", "g2(\(e), \(b))"),
        ("l4", "\(e) |> fold([], (all, x) => takeLast(all ++ [\"{x}{\(b)}\"], 2))"),
        ("g3(p, q)", "\"{p}-{q}\""), ("l5", "g3(\(b), \(e) |> count)"), ("l6", "\"{\(b)}-{\(e) |> count}\""),
      ], equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6")])
  }

  private static let parted = equal("takeUntil and dropUntil part an event", section: 6) { e, s, _ in
    Pairs(
      definitions: [
        ("l1", e), ("l2", "merge(\(e) |> takeUntil(\(s)), \(e) |> dropUntil(\(s)))"),
        ("l3", "\(e) |> takeUntil(\(s)) |> takeUntil(\(s))"), ("l4", "\(e) |> takeUntil(\(s))"),
        ("l5", "\(e) |> dropUntil(\(s)) |> takeUntil(\(s))"), ("l6", "never"),
      ], equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6")])
  }

  private static let cut = equal("take and drop, takeWhile and dropWhile part an event", section: 6) { e, _, b in
    Pairs(
      definitions: [
        ("l1", e), ("l2", "merge(\(e) |> take(2), \(e) |> drop(2))"),
        ("fits(x)", "toString((x, \(b))) < \"(3\""),
        ("l3", "merge(\(e) |> takeWhile(x => fits(x)), \(e) |> dropWhile(x => fits(x)))"),
      ], equal: [("l1", "l2"), ("l1", "l3")])
  }

  private static let partitioned = equal("partition is filter, twice", section: 6) { e, _, b in
    Pairs(
      definitions: [
        ("fits(x)", "toString((x, \(b))) < \"(3\""), ("(l1, l2)", "\(e) |> partition(x => fits(x))"),
        ("l3", "\(e) |> filter(x => fits(x))"), ("l4", "\(e) |> filter(x => !fits(x))"),
      ], equal: [("l1", "l3"), ("l2", "l4")])
  }

  private static let merged = equal("merge keeps every occurrence, in order", section: 2) { a, b, _ in
    Pairs(
      definitions: [
        ("x", "\(a) |> map(v => \"{v}\")"), ("y", "\(b) |> map(v => \"{v}\")"),
        ("l1", "merge(x |> map(v => [v]), y |> map(v => [v])) |> coalesce((p, q) => p ++ q)"),
        ("l2", "merge(merge(x, never), y) |> map(v => [v]) |> coalesce((p, q) => p ++ q)"),
        ("l3", "merge(x |> filter(_ => false), merge(x, y)) |> count"), ("n1", "x |> count"), ("n2", "y |> count"),
        ("l4", "n1 + n2"), ("l5", "l1 |> spill"), ("l6", "merge(x, y)"),
        ("l7", "merge(x |> map(v => [(0, v)]), y |> map(v => [(1, v)])) |> coalesce((p, q) => p ++ q)"),
        ("l8", "l7 |> map(all => all |> sortBy(each => Tuple.first(each)))"),
      ], equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6"), ("l7", "l8")])
  }

  private static let mapped = equal("map keeps identity and composition", section: 2) { e, _, b in
    Pairs(
      definitions: [
        ("f(x)", "(x, \(b))"), ("g(x)", "{it: x, at: time, now: \(b)}"), ("l1", e), ("l2", "\(e) |> map(x => x)"),
        ("l3", "\(e) |> map(x => f(x)) |> map(x => g(x))"), ("l4", "\(e) |> map(x => g(f(x)))"),
      ], equal: [("l1", "l2"), ("l3", "l4")])
  }

  private static let folded = equal("fold is scan held", section: 2) { e, _, b in
    Pairs(
      definitions: [
        ("step(s, x)", "takeLast(s ++ [\"{x}{\(b)}\"], 3)"), ("l1", "\(e) |> fold([], (s, x) => step(s, x))"),
        ("l2", "\(e) |> scan([], (s, x) => step(s, x)) |> hold([])"), ("l3", "\(e) |> count"),
        ("l4", "\(e) |> fold(0, (n, _) => n + 1)"),
      ], equal: [("l1", "l2"), ("l3", "l4")])
  }

  private static let readBefore = equal("behaviors are read just before, and seen just after", section: 2) { e, _, b in
    Pairs(
      definitions: [
        ("l1", "sample(\(b), \(e))"), ("l2", "\(e) |> map(_ => \(b))"), ("one", "\(e) |> coalesce((x, _) => x)"),
        ("n", "one |> count"), ("l3", "one |> map(_ => n)"), ("l4", "one |> scan(-1, (k, _) => k + 1)"),
        // One instruction, which the engine runs in a loop of its own.
        ("l5", "one |> map(_ => n + 1)"), ("l6", "one |> scan(0, (k, _) => k + 1)"),
      ], equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6")])
  }

  private static let delayed = equal("delays add up", section: 2) { e, _, _ in
    Pairs(
      definitions: [
        ("l1", "\(e) |> delay(200ms) |> delay(300ms)"), ("l2", "\(e) |> delay(500ms)"),
        (
          "pipe(e)",
          "e |> map(x => [x]) |> scan([], (s, x) => takeLast(s ++ x, 3)) |> pairwise |> drop(1) |> distinct"
        ),
        ("l3", "pipe(\(e) |> delay(250ms))"), ("l4", "pipe(\(e)) |> delay(250ms)"),
      ], equal: [("l1", "l2"), ("l3", "l4")])
  }

  private static let pieces = equal("pieces are what was cut", section: 6) { e, s, _ in
    Pairs(
      definitions: [
        ("l1", e), ("l2", "\(e) |> buffer(1) |> spill"), ("l3", "\(e) |> pairwise |> map((_, x) => x)"),
        ("l4", "\(e) |> drop(1)"), ("l5", "\(e) |> once"), ("l6", "\(e) |> take(1)"),
        ("l7", "zip(\(e), \(e)) |> map(p => Tuple.first(p))"), ("l8", "\(e) |> gate(true)"),
        ("l9", "\(e) |> distinct |> distinct"), ("l10", "\(e) |> distinct"),
        ("l11", "\(e) |> keyed(_ => 0, (_, es) => es)"), ("l12", "\(e) |> flatMap(x => \(s) |> map(_ => x)) |> once"),
        ("l13", "\(e) |> bufferUntil(\(e)) |> spill"), ("l14", "\(e) |> buffer(1, 1) |> spill"),
        ("l15", "\(e) |> indexed |> map((_, x) => x)"), ("l16", "\(e) |> mapAccum(0, (n, x) => (n + 1, x))"),
        ("l17", "both(\(e), \(e)) |> map(p => Tuple.first(p))"), ("l18", "except(\(e), never)"),
        ("l19", "\(e) |> keyedUntil(_ => 0, (_, es) => (es, es))"),
        ("l20", "merge(both(\(e), \(s)) |> map(_ => ()), except(\(e), \(s)) |> map(_ => ())) |> coalesce((x, _) => x)"),
        ("l21", "\(e) |> map(_ => ()) |> coalesce((x, _) => x)"),
        ("l22", "\(e) |> takeThrough(_ => false)"), ("l23", "\(e) |> takeThrough(_ => true)"),
        ("l24", "\(e) |> unique(_ => 0)"), ("l25", "\(e) |> buffer(2, 1)"),
        ("l26", "\(e) |> pairwise |> map((x, y) => [x, y])"), ("l27", "\(e) |> throttle(_ => \(e))"),
        ("l28", "\(e) |> coalesce((x, _) => x)"),
      ],
      equal: [
        ("l1", "l14"), ("l1", "l15"), ("l1", "l16"), ("l1", "l17"), ("l1", "l18"), ("l1", "l19"), ("l20", "l21"),
        ("l22", "l6"), ("l23", "l1"), ("l24", "l6"), ("l25", "l26"), ("l27", "l28"),

        ("l1", "l2"), ("l3", "l4"), ("l5", "l6"), ("l1", "l7"), ("l1", "l8"), ("l9", "l10"), ("l1", "l11"),
        ("l1", "l13"),
      ])
  }

  /// What is joined as it comes and goes is the fold of what is in the window; totals are those of the groups.
  private static let joined = equal("a summary is the fold of the window", section: 6) { e, s, _ in
    let x = "\(e) |> indexed |> map((n, _) => [n])"
    return Pairs(
      definitions: [
        ("l1", "\(x) |> summary(700ms, x => x, (p, q) => p ++ q) |> Option.withDefault([])"),
        ("l2", "concat(window(\(x), 700ms))"),
        ("l3", "\(e) |> countBy(x => \"{x}\")"), ("l4", "\(e) |> groupBy(x => \"{x}\", (_, es) => count(es))"),
        ("l5", "\(x) |> sumBy(l => List.size(l), l => sum(l))"),
        ("l6", "\(x) |> groupBy(l => List.size(l), (_, es) => es |> fold(0, (n, l) => n + sum(l)))"),
        ("l7", "\(e) |> debounce(_ => after(350ms))"), ("l8", "\(e) |> debounce(350ms)"),
        ("l9", "\(e) |> audit(_ => after(350ms))"), ("l10", "\(e) |> audit(350ms)"),
        ("l11", "\(e) |> groupUntil(x => \"{x}\", (_, es) => (count(es), never))"),
      ],
      equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6"), ("l7", "l8"), ("l9", "l10"), ("l11", "l4")])
  }

  private static let changed = equal("what changes is seen to change", section: 2) { e, _, b in
    Pairs(
      definitions: [
        ("h", "\(e) |> map(x => \"{x}\") |> hold(\"\")"), ("l1", "h"), ("l2", "changes(h) |> hold(\"\")"),
        ("l3", "Behavior.delay(h, 300ms)"), ("l4", "changes(h) |> delay(300ms) |> hold(\"\")"),
        ("l5", "\(e) |> switch(\(b), _ => \(b))"), ("l6", b),
      ], equal: [("l1", "l2"), ("l3", "l4"), ("l5", "l6")])
  }

  /// Of pairs that move: shown by a `switch`, in a part, and chosen by a condition.
  private static let apart = equal("a part is what it would be by itself", section: 2) { e, s, b in
    let counted = "\(s) |> fold(0, (n, _) => n + 1)"
    return Pairs(
      definitions: [
        ("first", "\(s) |> count"), ("(l1, x)", "\(e) |> switch((first, time), _ => (\(counted), integral(1.0)))"),
        ("l2", "\(e) |> switch(first, _ => \(counted))"), ("l3", "x"),
        ("l4", "\(e) |> switch(time, _ => integral(1.0))"),
        ("look", "if l1 % 2 == 0 then {n: l1, it: (x, \(b))} else {n: -l1, it: (time, \(b))}"),
        ("l5", "look.n"), ("l6", "if l2 % 2 == 0 then l2 else -l2"), ("l7", "match look { {it: (_, it)} => it }"),
        ("l8", b),
        ("l9", "changes(l5)"), ("l10", "changes(l6)"),
        ("l11", "\(s) |> map(_ => match look { {n, it: (y, _)} => (n, y) })"),
        ("l12", "\(s) |> map(_ => if l2 % 2 == 0 then (l2, l4) else (-l2, time))"),
        ("state", "\(e) |> switch(None, _ => Some((\(counted), integral(1.0))))"),
        ("l13", "match state { Some((n, _)) => n; None => -1 }"), ("l14", "\(e) |> switch(-1, _ => \(counted))"),
        ("l15", "if isSome(state) then changes(l13) |> count else 0"),
        ("l16", "if l14 >= 0 then changes(l14) |> count else 0"),
      ],
      equal: [
        ("l1", "l2"), ("l3", "l4"), ("l5", "l6"), ("l7", "l8"), ("l9", "l10"), ("l11", "l12"), ("l13", "l14"),
        ("l15", "l16"),
      ])
  }
}

extension ModelRun {
  fileprivate mutating func forget(from seconds: Double) {
    lines.removeAll { $0.seconds >= seconds }
    faults.removeAll { $0.seconds >= seconds }
  }
}
