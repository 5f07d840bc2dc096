// Lists that stay open (rule 5): what is known of them element by element at compile time. The built-ins that only
// move elements about keep them open, so that `[a, b] |> indexed |> map((i, e) => …)` works where a and b are events,
// and `1..3 |> map(n => every(toFloat(n)))` makes three events. Options take part, since `head` and `get` give them.
// What the functions give is in `ListEquations`; a test of an element must be known here.

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
    case .record(let fields, let type): holdsEvents(type) || mustStayOpen(anyOf: fields.lazy.map(\.value))
    case .tuple(let parts, let type), .list(let parts, let type):
      holdsEvents(type) || mustStayOpen(anyOf: parts)
    case .data, .error: false
    }
  }

  /// A loop, since a method that is passed on takes a copy of the elaborator with it.
  func mustStayOpen(anyOf values: some Sequence<StaticValue>) -> Bool {
    for value in values where mustStayOpen(value) { return true }
    return false
  }

  /// An operation on what is known part by part; nil where it is to be an expression.
  mutating func applyToOpen(
    _ prim: Prim, _ arguments: [StaticValue], type: TypeID, at span: Span
  ) -> StaticValue? {
    guard let first = arguments.first else { return nil }
    let rest = Array(arguments.dropFirst())
    switch prim {
    case .optionWithDefault, .optionMap, .optionFlatMap, .optionIsSome:
      guard mustStayOpen(anyOf: arguments), let content = content(of: first) else { return nil }
      return applyToOption(prim, content, rest: rest, type: type, at: span)
    case .listSize:
      if case .list(let items, _) = first { return moved(prim, items, rest: rest, type: type, at: span) }
      return nil
    case .tupleFirst, .tupleSecond:
      guard mustStayOpen(anyOf: arguments), case .tuple(let parts, _) = first, parts.count == 2 else { return nil }
      return parts[prim == .tupleFirst ? 0 : 1]
    case _ where Self.lists.contains(prim):
      let isNeeded = mustStayOpen(anyOf: arguments)
      let limit = isNeeded ? Self.rangeLimit : Self.moving.contains(prim) ? Self.openLimit : 0
      guard let items = elements(of: first, writingOut: limit),
        isNeeded || items.count <= Self.openLimit && staysOpen(prim, items)
      else { return nil }
      if prim == .listConcat, !items.allSatisfy({ if case .list = $0 { true } else { false } }) { return nil }
      return Self.mapping.contains(prim)
        ? mapped(prim, items, arguments: rest, type: type, at: span)
        : moved(prim, items, rest: rest, type: type, at: span)
    default: return nil
    }
  }

  // MARK: Lists

  /// They only move elements about, so lists of plain data stay open as well.
  private static let moving: Set<Prim> = [
    .listReverse, .listIndexed, .listZip, .listTake, .listDrop, .listTakeLast, .listDropLast, .listFilter,
  ]
  private static let mapping: Set<Prim> = [
    .listMap, .listMapIndexed, .listZipWith, .listFold, .listFoldRight, .listFlatMap, .listFilterMap, .listFilter,
    .listAny, .listAll, .listCount, .listFind, .listFindIndex, .listPartition, .listTakeWhile, .listDropWhile,
  ]
  private static let lists = moving.union(mapping).union([
    .listConcat, .listIsEmpty, .listHead, .listLast, .listGet, .listTail, .listSet, .listChunk,
  ])

  /// Whether a list stays open though it is plain data.
  private func staysOpen(_ prim: Prim, _ items: [StaticValue]) -> Bool {
    switch prim {
    case .listFilter: items.allSatisfy(isLiteral)
    case .listConcat: true
    default: Self.moving.contains(prim)
    }
  }

  private func isLiteral(_ value: StaticValue) -> Bool {
    guard case .data(let expr) = value else { return false }
    switch core[expr] {
    case .int, .string, .bool: return true
    default: return false
    }
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

  // MARK: Options

  private static let someTag = 1

  /// What an option holds, where it is known whether it holds something.
  private func content(of option: StaticValue) -> StaticValue?? {
    switch option {
    case .variant(let tag, let parts, _): return .some(tag == Self.someTag ? parts.first : nil)
    case .data(let expr):
      guard case .construct(let tag, let parts) = core[expr] else { return nil }
      return .some(tag == Self.someTag ? parts.first.map { .data($0) } : nil)
    default: return nil
    }
  }

  private mutating func applyToOption(
    _ prim: Prim, _ content: StaticValue?, rest: [StaticValue], type: TypeID, at span: Span
  ) -> StaticValue {
    switch prim {
    case .optionWithDefault: content ?? rest[0]
    case .optionMap: option(content.map { apply(rest[0], [$0], at: span) }, type, at: span)
    case .optionFlatMap: content.map { apply(rest[0], [$0], at: span) } ?? option(nil, type, at: span)
    default: constant(.bool(content != nil), .bool, span)
    }
  }
}

extension Elaborator: ListDomain {
  var types: TypeTable { core.types }

  mutating func pair(_ a: StaticValue, _ b: StaticValue, type: TypeID, at span: Span) -> StaticValue {
    // A pair is always given; whatever is evaluated next notices that the budget is exhausted.
    _ = budget.spend(bytes: 64)
    return .tuple([a, b], type)
  }

  mutating func list(_ items: [StaticValue], _ type: TypeID, at span: Span) -> StaticValue { .list(items, type) }

  mutating func option(_ content: StaticValue?, _ type: TypeID, at span: Span) -> StaticValue {
    content.map { construct(Self.someTag, [$0], type: type, at: span) } ?? constant(.construct(tag: 0, []), type, span)
  }

  mutating func conditional(
    _ test: StaticValue, _ a: StaticValue, _ b: StaticValue, _ type: TypeID, _ span: Span
  ) -> StaticValue? {
    guard case .data(let expr) = test, case .bool(let holds) = core[expr] else { return nil }
    return holds ? a : b
  }

  mutating func opened(
    _ option: StaticValue, _ type: TypeID, at span: Span
  ) -> (isThere: StaticValue, content: StaticValue)? {
    content(of: option).map { (constant(.bool($0 != nil), .bool, span), $0 ?? .error) }
  }

  mutating func applied(_ function: StaticValue, _ arguments: [StaticValue], at span: Span) -> StaticValue? {
    apply(function, arguments, at: span)
  }

  mutating func elements(of list: StaticValue) -> [StaticValue]? { elements(of: list, writingOut: Self.rangeLimit) }

  mutating func int(of item: StaticValue) -> Int? {
    if case .data(let expr) = item, case .int(let known) = core[expr] { known } else { nil }
  }

  mutating func piece(_ list: StaticValue) -> [StaticValue]? {
    elements(of: list).flatMap { spendList($0.count) ? $0 : nil }
  }

  mutating func piece(of item: StaticValue) -> [StaticValue] { [item] }

  mutating func joined(_ pieces: [[StaticValue]], _ type: TypeID, at span: Span) -> StaticValue {
    .list(Array(pieces.joined()), type)
  }
}
