// Random data: literals, expressions, functions of one moment. Every expression is well typed by construction.

/// Which behaviors an expression may read.
enum Reads {
  /// None: start values and other plain things.
  case none
  /// Those defined before: in a cycle through these there would be no past.
  case earlier
  /// All of the program: in the function of an event operator, which looks at the past.
  case all
}

struct Binding {
  var name: String
  var sort: Sort
  /// Defined later than where we are: only what looks at the past may mention it.
  var isLater = false
  /// Plain, known once (a scope's parameter), or bound point by point.
  var isPlain = false
}

/// Names in sight.
struct Names {
  var bindings: [Binding] = []
  /// Whether what remembers may stand here.
  var allowsMemory = true
  /// How many scopes out the program is.
  var scopeDepth = 0

  func adding(_ name: String, _ sort: Sort, isPlain: Bool = false) -> Names {
    var copy = self
    copy.bindings.removeAll { $0.name == name }
    copy.bindings.append(Binding(name: name, sort: sort, isPlain: isPlain))
    return copy
  }

  /// Where point-wise names are in sight: nothing may remember.
  var pointwise: Names {
    var copy = self
    copy.allowsMemory = false
    return copy
  }
}

extension Generator {
  mutating func literal(_ type: DataSort) -> String {
    switch type {
    case .unit: return "()"
    case .int:
      return random.oneIn(20) ? "\(random.pick([9_223_372_036_854_775_807, 1_000_000_007]))" : "\(random.within(0...7))"
    case .bool: return random.pick(["true", "false"])
    case .string:
      return random.pick(["\"\"", "\"a\"", "\"b\"", "\"ab c\"", "\"é\"", "\"12\"", "\"-3.5\"", "\" Ab,b \""])
    case .float: return random.pick(["0.0", "0.5", "1.0", "2.5", "100.0"])
    case .record: return "{a: \(literal(.int)), b: \(literal(.string))}"
    case .shape: return random.pick(["Dot", "Num(\(literal(.int)))", "Both(\(literal(.int)), \(literal(.bool)))"])
    case .option(let a): return random.oneIn(3) ? "None" : "Some(\(literal(a)))"
    case .list(let a): return "[\((0..<random.below(4)).map { _ in literal(a) }.joined(separator: ", "))]"
    case .pair(let a, let b): return "(\(literal(a)), \(literal(b)))"
    case .result(let a, let e): return random.oneIn(3) ? "Err(\(literal(e)))" : "Ok(\(literal(a)))"
    case .set(let a):
      return "Set.fromList([\((0..<random.below(4)).map { _ in literal(a) }.joined(separator: ", "))])"
    case .json:
      return random.pick([
        "Json.Null", "Json.Int(2)", "Json.Float(2.5)", "Json.String(\"a\")", "Json.Bool(true)", "Json.of([1, 2])",
        "Json.of({a: 1, b: None})", "Json.List([Json.Null])",
      ])
    case .map(let a): return random.oneIn(2) ? "Map.empty" : "Map.fromList([(\(literal(.int)), \(literal(a)))])"
    }
  }

  /// A name of a data type; its term has the sort of data.
  func candidates(_ type: DataSort, _ names: Names, _ reads: Reads) -> [String] {
    names.bindings.compactMap { binding in
      switch binding.sort {
      case .data(type): return reads == .none && !binding.isPlain ? nil : binding.name
      case .behavior(type):
        if reads == .none || binding.isLater && reads == .earlier { return nil }
        return binding.name
      default: return nil
      }
    }
  }

  /// A data expression. With memory allowed, behaviors made on the spot are among its leaves.
  mutating func data(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term {
    fuel -= 1
    let known = candidates(type, names, reads)
    if fuel <= 0 || random.oneIn(3) {
      if !known.isEmpty, !random.oneIn(5) {
        // The newest names are the parameters of the function at hand.
        return Term(.data(type), random.oneIn(2) ? known[known.count - 1] : random.pick(known))
      }
      if fuel <= 0 { return Term(.data(type), type == .int ? leaf(names, reads) : literal(type)) }
    }
    if names.allowsMemory, reads == .earlier, random.oneIn(6) {
      return Term(.data(type), "(", behavior(type, names), ")")
    }
    if isWide, random.oneIn(4), let form = wideData(type, names, reads) { return form }
    if random.oneIn(8) { return choice(type, names, reads) }
    if random.oneIn(12), let call = call(type, names, reads) { return call }
    if random.oneIn(2), let call = tableCall(type, names, reads) { return call }
    if let made = made(type, names, reads) { return made }
    return known.isEmpty ? Term(.data(type), literal(type)) : Term(.data(type), random.pick(known))
  }

  /// Any name in sight, as an Int.
  private func leaves(_ names: Names, _ reads: Reads) -> [String] {
    let others: [(DataSort, (String) -> String)] = [
      (.bool, { "(if \($0) then 1 else 2)" }), (.string, { "String.size(\($0))" }),
      (.option(.int), { "Option.withDefault(\($0), 5)" }),
      (.list(.int), { "sum(\($0))" }), (.record, { "\($0).a" }), (.float, { "round(\($0))" }),
      (.pair(.int, .bool), { "Tuple.first(\($0))" }),
    ]
    return others.flatMap { type, make in candidates(type, names, reads).map(make) }
  }

  private mutating func leaf(_ names: Names, _ reads: Reads) -> String {
    let all = leaves(names, reads)
    return all.isEmpty || random.oneIn(3) ? literal(.int) : random.pick(all)
  }

  private mutating func choice(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term {
    switch random.below(4) {
    case 0:
      let inner = names.adding("n", .data(.int)).pointwise
      return Term(
        .data(type), "(match ", data(.option(.int), names, reads), " { Some(n) => ", data(type, inner, reads),
        "; None => ", data(type, names.pointwise, reads), " })")
    case 1:
      let inner = names.adding("n", .data(.int)).pointwise
      return Term(
        .data(type), "(match ", data(.shape, names, reads), " { Num(n) if n > 2 => ", data(type, inner, reads),
        "; Both(n, true) => ", data(type, inner, reads), "; _ => ", data(type, names.pointwise, reads), " })")
    case 2:
      let inner = names.adding("p", .data(.int)).adding("q", .data(.bool)).pointwise
      return Term(
        .data(type), "(match ", data(.pair(.int, .bool), names, reads), " { (0, _) => ",
        data(type, names.pointwise, reads), "; (p, q) => ", data(type, inner, reads), " })")
    default:
      return Term(
        .data(type), "(if ", data(.bool, names, reads), " then ", data(type, names, reads), " else ",
        data(type, names, reads), ")")
    }
  }

  private mutating func call(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term? {
    let fitting = functions.filter { $0.result == .data(type) }
    guard !fitting.isEmpty else { return nil }
    let function = random.pick(fitting)
    var term = Term(.data(type), function.prefix)
    for (index, parameter) in function.parameters.enumerated() {
      if index > 0 { term.parts.append(.text(", ")) }
      guard case .data(let inner) = parameter else { return nil }
      term.parts.append(.term(data(inner, names, reads)))
    }
    term.parts.append(.text(")"))
    return term
  }

  private mutating func made(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term? {
    switch type {
    case .unit: return nil
    case .int: return number(names, reads)
    case .bool: return truth(names, reads)
    case .string: return words(names, reads)
    case .float:
      if reads == .all, random.oneIn(4) { return Term(.data(.float), "time") }
      // The bare name does not say what it takes, and neither may a parameter.
      if random.oneIn(3) { return Term(.data(.float), "Math.toFloat(", data(.int, names, reads), ")") }
      let operation = random.pick([" + ", " - ", " * ", " / "])
      return Term(.data(.float), "(", data(.float, names, reads), operation, data(.float, names, reads), ")")
    case .record:
      if random.oneIn(3) {
        return Term(.data(.record), "{...", data(.record, names, reads), ", a: ", data(.int, names, reads), "}")
      }
      return Term(.data(.record), "{a: ", data(.int, names, reads), ", b: ", data(.string, names, reads), "}")
    case .shape:
      if random.oneIn(2) { return Term(.data(.shape), "Num(", data(.int, names, reads), ")") }
      return Term(.data(.shape), "Both(", data(.int, names, reads), ", ", data(.bool, names, reads), ")")
    case .option(let a): return optional(a, names, reads)
    case .list(let a): return list(a, names, reads)
    case .result(let a, let e):
      return random.oneIn(3)
        ? Term(.data(type), "Err(", data(e, names, reads), ")") : Term(.data(type), "Ok(", data(a, names, reads), ")")
    case .pair(let a, let b): return Term(.data(type), "(", data(a, names, reads), ", ", data(b, names, reads), ")")
    case .set(let a):
      return Term(.data(type), "Set.add(", data(type, names, reads), ", ", data(a, names, reads), ")")
    case .json:
      return Term(.data(.json), "Json.of(", data(random.pick(pool.filter { !$0.isOpen }), names, reads), ")")
    case .map(let a):
      return Term(
        .data(type), "Map.set(", data(.map(a), names, reads), ", ", data(.int, names, reads), ", ",
        data(a, names, reads), ")")
    }
  }

  private mutating func number(_ names: Names, _ reads: Reads) -> Term {
    switch random.below(15) {
    case 0, 1, 2, 3:
      let operation = random.pick([" + ", " + ", " - ", " * "])
      return Term(.data(.int), "(", data(.int, names, reads), operation, data(.int, names, reads), ")")
    case 4 where random.oneIn(2):
      // What faults say is not compared; that they are caught is.
      return Term(
        .data(.int), "Result.withDefault(attempt(div(", data(.int, names, reads), ", ", data(.int, names, reads),
        ")), ",
        data(.int, names, reads), ")")
    case 4: return Term(.data(.int), "div(", data(.int, names, reads), ", ", data(.int, names, reads), ")")
    case 5: return Term(.data(.int), "(", data(.int, names, reads), " % ", data(.int, names, reads), ")")
    case 6: return Term(.data(.int), "List.size(", data(.list(.int), names, reads), ")")
    case 7: return Term(.data(.int), "sum(", data(.list(.int), names, reads), ")")
    case 8:
      return Term(
        .data(.int), "Option.withDefault(", data(.option(.int), names, reads), ", ", data(.int, names, reads), ")")
    case 9: return Term(.data(.int), "(", data(.record, names, reads), ").a")
    case 10: return Term(.data(.int), "max(", data(.int, names, reads), ", ", data(.int, names, reads), ")")
    case 11:
      let inner = names.adding("s", .data(.int)).adding("y", .data(.int)).pointwise
      return Term(
        .data(.int), "List.fold(", data(.list(.int), names, reads), ", ", data(.int, names, reads), ", (s, y) => ",
        data(.int, inner, reads), ")")
    case 12: return Term(.data(.int), "(-", data(.int, names, reads), ")")
    case 13:
      depth += 1
      defer { depth -= 1 }
      let inner = names.adding("v\(depth)", .data(.int)).pointwise
      return Term(
        .data(.int), "{ v\(depth) = ", data(.int, names.pointwise, reads), "; ", data(.int, inner, reads), " }")
    default: return Term(.data(.int), "String.size(", data(.string, names, reads), ")")
    }
  }

  private mutating func truth(_ names: Names, _ reads: Reads) -> Term {
    switch random.below(7) {
    case 0, 1:
      let operation = random.pick([" == ", " < ", " >= ", " != "])
      return Term(.data(.bool), "(", data(.int, names, reads), operation, data(.int, names, reads), ")")
    case 2:
      let type = random.pick(pool)
      let known = candidates(type, names, reads)
      if known.isEmpty || type.isOpen { return Term(.data(.bool), "isEven(", data(.int, names, reads), ")") }
      return Term(.data(.bool), "(", random.pick(known), " == ", data(type, names, reads), ")")
    case 3:
      let operation = random.pick([" && ", " || "])
      return Term(.data(.bool), "(", data(.bool, names, reads), operation, data(.bool, names, reads), ")")
    case 4: return Term(.data(.bool), "(!", data(.bool, names, reads), ")")
    case 5:
      return Term(.data(.bool), "List.contains(", data(.list(.int), names, reads), ", ", data(.int, names, reads), ")")
    default: return Term(.data(.bool), "isEven(", data(.int, names, reads), ")")
    }
  }

  private mutating func words(_ names: Names, _ reads: Reads) -> Term {
    switch random.below(4) {
    case 0: return Term(.data(.string), "\"<{", data(random.pick(pool.filter { !$0.isOpen }), names, reads), "}>\"")
    case 1: return Term(.data(.string), "(", data(.string, names, reads), " ++ ", data(.string, names, reads), ")")
    case 2: return Term(.data(.string), "(", data(.record, names, reads), ").b")
    default: return Term(.data(.string), "upper(", data(.string, names, reads), ")")
    }
  }

  /// What may be read in a value of another type.
  private static let readings: [DataSort: [(name: String, source: DataSort)]] = [
    .bool: [("Json.bool", .json)], .int: [("Json.int", .json), ("String.code", .string)],
    .float: [("Json.float", .json), ("String.toFloat", .string)],
    .string: [("Json.text", .json), ("String.fromCode", .int)],
  ]

  private mutating func optional(_ a: DataSort, _ names: Names, _ reads: Reads) -> Term {
    if a == .float, random.oneIn(3) {
      let (name, more) = random.pick([
        ("average", ""), ("mean", ""), ("median", ""), ("variance", ""), ("quantile", ", 0.3"),
      ])
      return Term(.data(.option(.float)), "List.\(name)(", data(.list(.float), names, reads), "\(more))")
    }
    if let readings = Self.readings[a], random.oneIn(8) {
      let (name, source) = random.pick(readings)
      return Term(.data(.option(a)), "\(name)(", data(source, names, reads), ")")
    }
    switch random.below(5) {
    case 0, 1: return Term(.data(.option(a)), "Some(", data(a, names, reads), ")")
    case 2: return Term(.data(.option(a)), "List.head(", data(.list(a), names, reads), ")")
    case 3:
      return Term(.data(.option(a)), "List.get(", data(.list(a), names, reads), ", ", data(.int, names, reads), ")")
    default:
      let inner = names.adding("n", .data(.int)).pointwise
      return Term(
        .data(.option(a)), "Option.map(", data(.option(.int), names, reads), ", n => ", data(a, inner, reads), ")")
    }
  }

  private mutating func list(_ a: DataSort, _ names: Names, _ reads: Reads) -> Term {
    let type = DataSort.list(a)
    if a == .json, random.oneIn(2) {
      return Term(
        .data(type), "Option.withDefault(Json.list(", data(.json, names, reads), "), ", data(type, names, reads), ")")
    }
    switch random.below(7) {
    case 0, 1: return Term(.data(type), "[", data(a, names, reads), ", ", data(a, names, reads), "]")
    case 2: return Term(.data(type), "(", data(type, names, reads), " ++ ", data(type, names, reads), ")")
    case 3: return Term(.data(type), "List.takeLast(", data(type, names, reads), ", \(random.within(1...3)))")
    case 4:
      let inner = names.adding("y", .data(.int)).pointwise
      return Term(.data(type), "List.map(", data(.list(.int), names, reads), ", y => ", data(a, inner, reads), ")")
    case 5:
      let inner = names.adding("y", .data(a)).pointwise
      return Term(.data(type), "List.filter(", data(type, names, reads), ", y => ", data(.bool, inner, reads), ")")
    default:
      if a == .int { return Term(.data(type), "(1..(", data(.int, names, reads), " % 4))") }
      return Term(.data(type), "List.reverse(", data(type, names, reads), ")")
    }
  }
}
