// Lists that stay open (rule 5): what is known of them element by element at compile time. The built-ins that only
// move elements about keep them open, so that `[a, b] |> indexed |> map((i, e) => …)` works where a and b are events,
// and `1..3 |> map(n => every(toFloat(n)))` makes three events. Options take part, since `head` and `get` give them.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  /// Lists of plain data up to this length stay open when they are moved about.
  private static let openLimit = 64
  /// `a..b` is written out up to this length where that is needed.
  private static let rangeLimit = 4096

  /// Whether a value has structure that data could not have: events, or functions with memory.
  func mustStayOpen(_ value: StaticValue) -> Bool {
    if !budget.spend() { return false }
    return switch value {
    case .event, .variant: true
    case .closure(let closure): isReactive(closure)
    case .record(let fields, let type): holdsEvents(type) || fields.contains { mustStayOpen($0.value) }
    case .tuple(let parts, let type), .list(let parts, let type):
      holdsEvents(type) || parts.contains(where: mustStayOpen)
    case .data, .error: false
    }
  }

  /// A built-in of data applied to what is known part by part; nil where it is to be an expression.
  mutating func applyToOpen(
    _ builtin: Builtin, _ arguments: [StaticValue], _ result: TypeID, at span: Span
  ) -> StaticValue? {
    switch builtin.container {
    case "List": return applyToOpenList(builtin, arguments, result, at: span)
    case "Option": return applyToOpenOption(builtin.name, arguments, result, at: span)
    default: return nil
    }
  }

  // MARK: Lists

  private mutating func applyToOpenList(
    _ builtin: Builtin, _ arguments: [StaticValue], _ result: TypeID, at span: Span
  ) -> StaticValue? {
    guard let first = arguments.first else { return nil }
    if case .list(let elements, _) = first, builtin.name == "size" {
      return constant(.int(elements.count), .int, span)
    }
    let isNeeded = arguments.contains(where: mustStayOpen)
    let limit = isNeeded ? Self.rangeLimit : Self.moving.contains(builtin.name) ? Self.openLimit : 0
    guard let elements = elements(of: first, writingOut: limit) else { return nil }
    if isNeeded || elements.count <= Self.openLimit,
      let moved = moved(builtin.name, elements, arguments, result, at: span)
    {
      return moved
    }
    return isNeeded ? computed(builtin.name, elements, arguments, result, at: span) : nil
  }

  /// The elements of a list that is known one by one; a range is written out up to a length.
  private mutating func elements(of value: StaticValue, writingOut limit: Int) -> [StaticValue]? {
    if case .list(let elements, _) = value { return elements }
    guard limit > 0, case .data(let expr) = value, case .prim(.range, let ends) = core[known(expr)],
      case .int(let low) = core[ends[0]], case .int(let high) = core[ends[1]]
    else { return nil }
    let (length, overflow) = high.subtractingReportingOverflow(low)
    guard !overflow, length < limit else { return nil }
    let span = core.span(expr)
    return length < 0 ? [] : (low...high).map { constant(.int($0), .int, span) }
  }

  private static let moving: Set<String> = [
    "reverse", "indexed", "zip", "take", "drop", "takeLast", "dropLast", "filter",
  ]

  /// The built-ins that only move elements about.
  private mutating func moved(
    _ name: String, _ elements: [StaticValue], _ arguments: [StaticValue], _ result: TypeID, at span: Span
  ) -> StaticValue? {
    switch name {
    case "reverse": return .list(elements.reversed(), result)
    case "indexed":
      guard case .list(let pair) = core.types[result] else { return nil }
      return .list(
        elements.enumerated().map { .tuple([constant(.int($0.offset), .int, span), $0.element], pair) }, result)
    case "zip":
      guard arguments.count == 2, let others = self.elements(of: arguments[1], writingOut: Self.rangeLimit),
        case .list(let pair) = core.types[result]
      else { return nil }
      return .list(zip(elements, others).map { .tuple([$0, $1], pair) }, result)
    case "concat":
      var all: [StaticValue] = []
      for case .list(let inner, _) in elements where spendList(inner.count) { all += inner }
      return elements.allSatisfy { if case .list = $0 { true } else { false } } ? .list(all, result) : nil
    case "take", "drop", "takeLast", "dropLast":
      guard arguments.count == 2, case .data(let amount) = arguments[1], case .int(let count) = core[amount] else {
        return nil
      }
      let some = max(0, count)
      switch name {
      case "take": return .list(Array(elements.prefix(some)), result)
      case "drop": return .list(Array(elements.dropFirst(some)), result)
      case "takeLast": return .list(Array(elements.suffix(some)), result)
      default: return .list(Array(elements.dropLast(some)), result)
      }
    case "filter" where elements.allSatisfy(isLiteral): return filtered(elements, by: arguments[1], result, at: span)
    default: return nil
    }
  }

  /// The built-ins that apply a function, or give one element: only where the elements or the function need it.
  private mutating func computed(
    _ name: String, _ elements: [StaticValue], _ arguments: [StaticValue], _ result: TypeID, at span: Span
  ) -> StaticValue? {
    switch name {
    case "map": return .list(elements.map { apply(arguments[1], [$0], at: span) }, result)
    case "fold": return elements.reduce(arguments[1]) { apply(arguments[2], [$0, $1], at: span) }
    case "flatMap":
      var all: [StaticValue] = []
      for element in elements {
        let made = apply(arguments[1], [element], at: span)
        guard let inner = self.elements(of: made, writingOut: Self.rangeLimit), spendList(inner.count) else {
          return nil
        }
        all += inner
      }
      return .list(all, result)
    case "filterMap":
      var all: [StaticValue] = []
      for element in elements {
        switch option(apply(arguments[1], [element], at: span)) {
        case .some(let content): if let content { all.append(content) }
        case nil: return nil
        }
      }
      return .list(all, result)
    case "filter": return filtered(elements, by: arguments[1], result, at: span)
    case "any", "all":
      let operation = name == "any" ? BinaryOp.or : .and
      let tests = elements.map { apply(arguments[1], [$0], at: span) }
      guard let first = tests.first else { return constant(.bool(name == "all"), .bool, span) }
      return tests.dropFirst().reduce(first) { binary(operation, $0, $1, .bool, span) }
    case "isEmpty": return constant(.bool(elements.isEmpty), .bool, span)
    case "head": return someOrNone(elements.first, result, at: span)
    case "last": return someOrNone(elements.last, result, at: span)
    case "get":
      guard case .data(let place) = arguments[1], case .int(let index) = core[place] else { return nil }
      return someOrNone(elements.indices.contains(index) ? elements[index] : nil, result, at: span)
    default: return nil
    }
  }

  /// The elements that hold, if that is known of every one.
  private mutating func filtered(
    _ elements: [StaticValue], by test: StaticValue, _ result: TypeID, at span: Span
  ) -> StaticValue? {
    var all: [StaticValue] = []
    for element in elements {
      guard case .data(let answer) = apply(test, [element], at: span), case .bool(let isIn) = core[answer] else {
        return nil
      }
      if isIn { all.append(element) }
    }
    return .list(all, result)
  }

  private func isLiteral(_ value: StaticValue) -> Bool {
    guard case .data(let expr) = value else { return false }
    switch core[expr] {
    case .int, .string, .bool: return true
    default: return false
    }
  }

  // MARK: Options

  private static let someTag = 1

  private mutating func someOrNone(_ content: StaticValue?, _ type: TypeID, at span: Span) -> StaticValue {
    guard let content else { return constant(.construct(tag: 0, []), type, span) }
    return construct(Self.someTag, [content], type, at: span)
  }

  /// What an option holds, where it is known whether it holds something.
  private func option(_ value: StaticValue) -> StaticValue?? {
    switch value {
    case .variant(let tag, let parts, _): return .some(tag == Self.someTag ? parts.first : nil)
    case .data(let expr):
      guard case .construct(let tag, let parts) = core[expr] else { return nil }
      return .some(tag == Self.someTag ? parts.first.map { .data($0) } : nil)
    default: return nil
    }
  }

  private mutating func applyToOpenOption(
    _ name: String, _ arguments: [StaticValue], _ result: TypeID, at span: Span
  ) -> StaticValue? {
    guard arguments.contains(where: mustStayOpen), let first = arguments.first, let content = option(first) else {
      return nil
    }
    switch name {
    case "withDefault": return content ?? arguments[1]
    case "map":
      return someOrNone(content.map { apply(arguments[1], [$0], at: span) }, result, at: span)
    case "flatMap": return content.map { apply(arguments[1], [$0], at: span) } ?? someOrNone(nil, result, at: span)
    case "isSome": return constant(.bool(content != nil), .bool, span)
    default: return nil
    }
  }
}
