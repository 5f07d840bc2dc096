// Laws about runs (time shifted, looked at, replayed), about types, and about the text.

import FRPBase
import FRPCore
import FRPModel
import FRPSema
import FRPSyntax

extension Law {
  /// Lifting leaves one choice open: a function without memory may be put in where it is called, or be called with the
  /// values of each moment. Both ways are taken, for the functions of a program and some more.
  static let coherent = Law("functions without memory may be called or put in", section: 4) { seed in
    let program = withFunctions(Generator.program(seed: seed), seed)
    guard let trace = TraceLine.parse(program.traceText), let putIn = Compiled(program.source).core,
      let called = Compiled(program.source, calls: .calls).core
    else { return .broken("does not compile: \(Compiled(program.source).problems)\n\(program.source)") }
    guard putIn.functions.count < called.functions.count else { return .broken("nothing to choose\n\(program.source)") }
    guard let wanted = Engine.run(putIn, trace, sample: 0.1), let got = Engine.run(called, trace, sample: 0.1) else {
      return .broken("does not run\n\(program.source)")
    }
    return same(wanted, got) { program.source + program.traceText }
  }

  /// A program with functions that read a behavior, call one another and themselves, and are called with events' values
  /// and behaviors, in scopes, as functions of functions, and with parts of data.
  private static func withFunctions(_ program: GeneratedProgram, _ seed: UInt64) -> GeneratedProgram {
    var random = Random(seed: seed ^ 0xCA11)
    let (e, s) = (random.pick(program.names(events: true)), random.pick(program.names(events: true)))
    let behaviors = program.names(events: false)
    let b = behaviors.isEmpty ? "1" : random.pick(behaviors)
    return program.adding(
      [
        ("long(x)", "size(\"{x}{\(b)}\")"),
        ("pick(x, y)", "if long(x) % 2 == 0 then (x, long(y)) else (y, long(x))"),
        ("deep(n, x)", "if n <= 0 then \"{x}\" else deep(n - 1, x) ++ \"{\(b)}\""),
        ("twice(f, x)", "f(f(x))"), ("l1", "pick(\(b), \(b))"), ("l2", "\(e) |> map(x => pick(x, x))"),
        ("l3", "deep(long(\(b)) % 3, \(b))"), ("l4", "\(e) |> scan(0, (n, x) => (n + long(deep(2, x))) % 1000)"),
        ("l5", "\(e) |> flatMap(x => \(s) |> take(2) |> map(y => pick(\"{x}\", \"{y}\")))"),
        ("l6", "[\(b), \(b)] |> map(x => long((x, \(b))))"), ("l7", "\(e) |> map(long) |> hold(0)"),
        ("l8", "\(e) |> map(x => twice(y => deep(1, y), \"{x}\"))"),
        ("l9", "\(e) |> filter(x => Tuple.second(pick(x, x)) > long(\(b))) |> count"),
      ], outputs: ["l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9"])
  }

  /// Comparisons of a continuous behavior: put in, on the parameter of a function that calls itself, over a list in the
  /// program, over one that changes. All are located, at the same moments.
  static let located = Law("a comparison is located wherever it stands", section: 4) { seed in
    let equal = ["c0", "c1", "c2", "c3", "c4"]
    let program = Generator.hybrid(seed: seed).adding(
      [
        ("over(q, n)", "if n <= 0 then 0 else (if q > toFloat(n) * 0.5 - 1.0 then 1 else 0) + over(q, n - 1)"),
        ("overList(qs, q)", "match qs { [] => 0; [l, ...rest] => (if q > l then 1 else 0) + overList(rest, q) }"),
        ("limits", "tick |> fold([-0.5, 0.0, 0.5], (ls, _) => reverse(ls))"),
        ("c0", "changes((if x > -0.5 then 1 else 0) + (if x > 0.0 then 1 else 0) + (if x > 0.5 then 1 else 0))"),
        ("c1", "changes(over(x, 3))"), ("c2", "changes(overList([-0.5, 0.0, 0.5], x))"),
        ("c3", "changes([0.0, -0.5, 0.5] |> count(l => x > l))"), ("c4", "changes(limits |> count(l => x > l))"),
      ], outputs: Set(equal))
    guard let run = run(program, sample: nil) else { return .broken("does not compile\n\(program.source)") }
    let lines = equal.map { name in run.lines.filter { $0.name == name } }
    if lines[0].isEmpty { return .skipped }
    for (name, other) in zip(equal, lines).dropFirst() {
      let renamed = other.map { ModelLine(seconds: $0.seconds, name: "c0", json: $0.json) }
      if let difference = Expectations.difference(lines[0], renamed) {
        return verdict("\(name): \(difference)", program)
      }
    }
    return .holds
  }

  /// delay(e, d) = [(ti + d, ai)]: what comes in later comes out later.
  static let shifted = Law("a delayed input is an input that comes later", section: 2) { seed in
    var random = Random(seed: seed ^ 0xD1)
    let shift = random.pick([100, 250, 1000])
    var program = Generator.program(seed: seed)
    program.definitions = [
      .init(binder: "late", annotation: "", body: Term(.fixed, "e0 |> delay(\(shift)ms)"), names: [])
    ]
    program.outputs = ["late"]
    var later = program
    later.definitions[0].body = Term(.fixed, "e0")
    for line in later.trace.indices { later.trace[line].milliseconds += shift }
    guard let a = run(program, until: 10), let b = run(later, until: 10) else { return .broken("does not compile") }
    if a.lines.isEmpty { return .skipped }
    return verdict(Expectations.difference(a.lines, b.lines), program)
  }

  /// Any two sampling grids give the same events, and the same values at common times: to the last bit.
  static let sampling = Law("frame independence", section: 2) { seed in
    let program = Generator.hybrid(seed: seed)
    guard let core = Compiled(program.source).core, let trace = TraceLine.parse(program.traceText) else {
      return .broken("does not compile\n\(program.source)")
    }
    let isSampled = Set(core.outputs.filter { !$0.isEvent && core[$0.node].isContinuous }.map(\.name))
    var runs: [[ModelLine]] = []
    for grid in [0.1, 0.05, 0.02, 1] as [Double] {
      guard let run = Engine.run(core, trace, sample: grid) else { return .broken("no plan") }
      // What all grids show: every instant, and the samples at whole seconds.
      runs.append(run.lines.filter { !isSampled.contains($0.name) || $0.seconds == $0.seconds.rounded() })
    }
    for other in runs.dropFirst() {
      let name = { (lines: [ModelLine]) in core.outputs.flatMap { output in lines.filter { $0.name == output.name } } }
      if let difference = Expectations.difference(name(runs[0]), name(other)) { return verdict(difference, program) }
    }
    return .holds
  }

  /// The same timed inputs give the same timed outputs: what happened live, written down, happens again.
  static let replay = Law("a recorded run, replayed", section: 1) { seed in
    let program = seed % 8 == 7 ? Generator.hybrid(seed: seed) : Generator.program(seed: seed)
    guard let core = Compiled(program.source).core, let trace = TraceLine.parse(program.traceText),
      let (live, recorded, end) = Engine.live(core, trace, seed: seed),
      let again = Engine.run(core, recorded, until: end, sample: nil)
    else { return .broken("does not compile\n\(program.source)") }
    if live.lines.isEmpty { return .skipped }
    if live.faults.map(\.seconds) != again.faults.map(\.seconds) {
      return verdict("faults at \(live.faults), again at \(again.faults)", program)
    }
    return verdict(Expectations.difference(live.lines, again.lines), program)
  }

  private static func verdict(_ difference: String?, _ program: GeneratedProgram) -> Verdict {
    difference.map { .broken("\($0)\n\(program.source)\(program.traceText)") } ?? .holds
  }

  // MARK: Types

  /// The types of a program's values, inferred without any annotation of a value; nil if some is open without.
  private static func inferred(_ program: GeneratedProgram) -> [String: SignatureType]? {
    var bare = program
    for index in bare.definitions.indices where bare.definitions[index].isValue {
      bare.definitions[index].annotation = ""
    }
    let compiled = Compiled(bare.source)
    guard compiled.problems.isEmpty, let typed = compiled.typed else { return nil }
    var result: [String: SignatureType] = [:]
    for (name, type, _) in typed.definitions() {
      let signature = Signature(parsing: type)
      // A signature knows no types of a program's own.
      if signature.isWellFormed, signature.parameters == nil, !type.contains("Shape") {
        result[name] = signature.result
      }
    }
    return result
  }

  private static func isInstance(_ sort: Sort, _ type: SignatureType) -> Bool {
    var bindings = Bindings()
    switch (sort, type) {
    case (.event(let data), .event(let inner)): return bindings.match(inner, data)
    case (.behavior(let data), _): return bindings.match(type, data)
    default: return false
    }
  }

  /// What a definition was made to be is an instance of what is inferred for it, without a word of help.
  static let principal = Law("the inferred type is the most general", section: 3) { seed in
    let program = Generator.program(seed: seed)
    guard let types = inferred(program) else { return .skipped }
    for definition in program.definitions where definition.isValue {
      guard let type = types[definition.binder], let sort = definition.names.first?.sort else { continue }
      if !isInstance(sort, type) { return .broken("\(definition.text)\n: \(type)") }
    }
    return .holds
  }

  /// Every annotation that checks is an instance of the inferred type.
  static let believed = Law("no annotation says more than the inferred type", section: 3) { seed in
    var program = Generator.program(seed: seed)
    guard let types = inferred(program) else { return .skipped }
    var random = Random(seed: seed ^ 0x7E)
    let places = program.definitions.indices.filter { types[program.definitions[$0].binder] != nil }
    guard !places.isEmpty else { return .skipped }
    let place = random.pick(places)
    let definition = program.definitions[place]
    guard let type = types[definition.binder], let sort = definition.names.first?.sort else { return .skipped }
    for index in program.definitions.indices where program.definitions[index].isValue {
      program.definitions[index].annotation = ""
    }
    for _ in 0..<4 {
      let data = random.pick(Generator.types + [.int, .list(.float), .map(.int)])
      let other = random.oneIn(4) ? sort.turned(data) : sort.with(data)
      program.definitions[place].annotation = ": \(other.typeName)"
      if Compiled(program.source).problems.isEmpty, !isInstance(other, type) {
        return .broken("\(program.definitions[place].text)\n: \(type)")
      }
    }
    return .holds
  }

  // MARK: Text

  /// What is printed has the same tree, and prints the same again.
  package static let printed = Law("what is printed is the same program", section: 5) { seed in
    let source = Generator.program(seed: seed).source
    guard let once = formatted(source) else { return .broken("is not printed\n\(source)") }
    if tree(source) != tree(once) { return .broken("has another tree\n\(source)---\n\(once)") }
    return formatted(once) == once ? .holds : .broken("is printed in another way\n\(once)")
  }

  private static func formatted(_ source: String) -> String? {
    var sources = SourceMap()
    return Printer.format(sources.add(SourceFile(name: "p", text: source)), in: sources).text
  }

  private static func tree(_ source: String) -> String {
    var sources = SourceMap()
    var tree = Tree()
    let file = sources.add(SourceFile(name: "main", text: source))
    let (module, _) = Parser.parse(file, name: "main", in: sources, into: &tree)
    return TreeDump.dump(tree, module)
  }
}

extension Sort {
  /// The same kind of thing with another type.
  fileprivate func with(_ data: DataSort) -> Sort {
    if case .event = self { return .event(data) }
    return .behavior(data)
  }

  /// The other kind.
  fileprivate func turned(_ data: DataSort) -> Sort {
    if case .event = self { return .behavior(data) }
    return .event(data)
  }

  fileprivate var typeName: String {
    switch self {
    case .event(let data): return "Event<\(data.name)>"
    case .behavior(let data), .data(let data): return "Behavior<\(data.name)>"
    case .fixed: return "()"
    }
  }
}
