// Random groups of definitions that need each other, with functions as data: in events, lists, options, records, passed on
// and called. Nothing is annotated, and most uses stand before or after what decides their types, by chance. Some
// programs have a mistake. Only the checker looks at them, so it does not matter what they do.

/// Makes a program as its definitions, a line each, to be put in any order.
struct GroupGenerator {
  private indirect enum Shape: Hashable, Sendable {
    case int, bool
    case event(Shape)
    case list(Shape)
    case option(Shape)
    case function([Shape], Shape)
    case pair
    /// `{f: (Int) -> Int, n: Int}`
    case tools
  }

  private static let step = Shape.function([.int], .int)
  private static let ofPair = Shape.function([.pair], .int)
  private static let shapes: [Shape] = [
    .int, .bool, .event(.int), .list(.int), .option(.int), step, .event(step), .list(step), .option(step), .tools,
    .event(.tools), .list(.pair), .event(.pair), .function([.int, .int], .int), .function([step, .int], .int),
    .function([step, .event(.int)], .event(.int)), .function([step, .list(.int)], .list(.int)),
    .function([ofPair, .list(.pair)], .list(.int)), .function([ofPair, .event(.pair)], .event(.int)),
    .function([.tools], .int), .function([.int], step), .function([.event(step)], .event(.int)),
  ]

  private var random: Random
  private var names: [(name: String, shape: Shape)] = []
  private var locals: [(name: String, shape: Shape)] = []
  private var fresh = 0
  /// One in so many expressions is of another shape than it should be; 0: none.
  private var mistakes = 0

  init(seed: UInt64) { random = Random(seed: seed) }

  mutating func definitions() -> [String] {
    if random.oneIn(3) { mistakes = 60 }
    names = (0..<random.within(2...7)).map { ("d\($0)", random.pick(Self.shapes)) }
    return names.map { definition($0.name, $0.shape) }
  }

  private mutating func definition(_ name: String, _ shape: Shape) -> String {
    locals = []
    guard case .function(let parameters, let result) = shape, !random.oneIn(3) else {
      return "\(name) = \(make(shape, 4))"
    }
    let list = parameters.map { bind($0) }
    return "\(name)(\(list.joined(separator: ", "))) = \(make(result, 4))"
  }

  private mutating func bind(_ shape: Shape) -> String {
    fresh += 1
    let name = "x\(fresh)"
    locals.append((name, shape))
    return name
  }

  private mutating func known(_ shape: Shape) -> String? {
    let all = (names + locals + locals).filter { $0.shape == shape }
    return all.isEmpty ? nil : random.pick(all).name
  }

  private mutating func make(_ wanted: Shape, _ depth: Int) -> String {
    var shape = wanted
    if mistakes > 0, random.oneIn(mistakes) { shape = random.pick(Self.shapes) }
    if depth <= 0 || random.oneIn(3), let name = known(shape) { return name }
    if depth > 0, random.oneIn(4), let call = call(of: shape, depth) { return call }
    return form(shape, depth - 1)
  }

  /// A call of a definition or parameter that gives the shape.
  private mutating func call(of shape: Shape, _ depth: Int) -> String? {
    let all = (names + locals).filter {
      if case .function(_, let result) = $0.shape { result == shape } else { false }
    }
    guard !all.isEmpty, case (let name, .function(let parameters, _)) = random.pick(all) else { return nil }
    let arguments = parameters.map { make($0, depth - 2) }
    if random.oneIn(3) {
      return "(\(arguments[0])) |> \(name)" + (arguments.count > 1 ? "(\(arguments[1]))" : "")
    }
    return "\(name)(\(arguments.joined(separator: ", ")))"
  }

  private mutating func form(_ shape: Shape, _ depth: Int) -> String {
    switch shape {
    case .int: return int(depth)
    case .bool:
      return random.pick(["true", "\(make(.int, depth - 1)) > 2", "isEmpty(\(make(.list(.int), depth - 1)))"])
    case .pair: return "(\(make(.int, depth)), \(make(.int, depth)))"
    case .tools: return "{f: \(make(Self.step, depth)), n: \(make(.int, depth))}"
    case .function(let parameters, let result): return lambda(parameters, result, depth)
    case .event(let inner): return container(shape, inner, depth, least: event(inner, depth))
    case .list(let inner): return container(shape, inner, depth, least: "[\(make(inner, depth - 1))]")
    case .option(let inner):
      let least = random.oneIn(2) ? "Some(\(make(inner, depth - 1)))" : "head(\(make(.list(inner), depth - 1)))"
      return container(shape, inner, depth, least: least)
    }
  }

  private mutating func event(_ inner: Shape, _ depth: Int) -> String {
    inner == .int ? "e" : "(e |> map(_ => \(make(inner, depth - 1))))"
  }

  /// `map`, `filter` and so on, of something that may be open.
  private mutating func container(_ whole: Shape, _ inner: Shape, _ depth: Int, least: String) -> String {
    if depth <= 0 { return least }
    let from = random.pick([Shape.int, inner, .pair, Self.step])
    let source: Shape =
      switch whole {
      case .event: .event(from)
      case .list: .list(from)
      default: .option(from)
      }
    switch random.below(5) {
    case 0: return least
    case 1: return "(\(make(whole, depth - 1)) |> filter(\(lambda([inner], .bool, depth - 1))))"
    case 2:
      guard case .event = whole else { return least }
      return "merge(\(make(whole, depth - 1)), \(make(whole, depth - 1)))"
    default: return "(\(make(source, depth - 1)) |> map(\(make(.function([from], inner), depth - 1))))"
    }
  }

  private mutating func int(_ depth: Int) -> String {
    if depth <= 0 { return "\(random.below(9))" }
    switch random.below(9) {
    case 0: return "\(random.below(9))"
    case 1: return "(\(make(.int, depth - 1)) + \(make(.int, depth - 1)))"
    case 2: return "(if \(make(.bool, depth - 1)) then \(make(.int, depth - 1)) else \(make(.int, depth - 1)))"
    case 3: return "size(\(make(.list(random.pick([.int, .pair, Self.step])), depth - 1)))"
    case 4: return "(\(make(.list(Self.step), depth - 1)) |> fold(\(make(.int, 0)), (n, f) => f(n)))"
    case 5: return "(\(make(.event(Self.step), depth - 1)) |> fold(\(random.below(9)), (n, f) => f(n)))"
    case 6: return "\(make(.tools, depth - 1).parenthesized).f(\(make(.int, depth - 1)))"
    case 7: return "\(make(.tools, depth - 1).parenthesized).n"
    default: return "withDefault(\(make(.option(.int), depth - 1)), \(make(.int, 0)))"
    }
  }

  /// A lambda of a pair takes two parameters, or one that it takes apart.
  private mutating func lambda(_ parameters: [Shape], _ result: Shape, _ depth: Int) -> String {
    let mark = locals.count
    defer { locals.removeLast(locals.count - mark) }
    if parameters == [.pair] {
      if random.oneIn(4) { return "(p => match p { (a, b) => a + b })" }
      let (a, b) = (bind(.int), bind(.int))
      return "((\(a), \(b)) => \(make(result, depth - 1)))"
    }
    let list = parameters.map { bind($0) }
    return "((\(list.joined(separator: ", "))) => \(make(result, depth - 1)))"
  }
}

extension String {
  fileprivate var parenthesized: String { allSatisfy { $0.isLetter || $0.isNumber } ? self : "(\(self))" }
}
