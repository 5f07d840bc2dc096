// Operations while a call is written out (`PartialEvaluation`): those that decide structure, and functions over lists whose
// elements are known one by one (`ListEquations`). A test of an element that is not known makes a condition of the result.

import FRPBase
import FRPCore

extension Draft {
  mutating func partlyPrim(
    _ prim: Prim, _ operands: [CoreExprID], expr: CoreExprID, frame: Frame
  ) -> CoreExprID? {
    let (type, span) = (core.type(expr), core.span(expr))
    if prim == .and || prim == .or {
      guard let first = partly(operands[0], frame) else { return nil }
      if case .bool(let known) = form(first) { return known == (prim == .and) ? partly(operands[1], frame) : first }
      return partly(operands[1], frame).map { add(.prim(prim, [first, $0]), type, span) }
    }
    guard let values = partly(operands, frame) else { return nil }
    if let known = CoreExpr.folded(prim, values.map { form($0) }) { return constant(known, type, span) }
    if let moved = movedAbout(prim, values, type: type, at: span) { return moved }
    if !frame.isReplacing, values.contains(where: { isContinuousPart($0) }) {
      return overList(prim, values, type: type, at: span) ?? overOption(prim, values, type: type, at: span)
        ?? add(.prim(prim, values), type, span)
    }
    return add(.prim(prim, values), type, span)
  }

  // MARK: Lists that are known one by one

  /// What only moves the elements of a known list about.
  private mutating func movedAbout(
    _ prim: Prim, _ values: [CoreExprID], type: TypeID, at span: Span
  ) -> CoreExprID? {
    guard Self.movingPrims.contains(prim), let first = values.first, let items = elements(of: first) else { return nil }
    partial.left -= items.count
    return moved(prim, items, rest: Array(values.dropFirst()), type: type, at: span)
  }

  private static let movingPrims: Set<Prim> = [
    .listSize, .listIsEmpty, .listReverse, .listHead, .listLast, .append, .listIndexed, .listZip, .listGet, .listTake,
    .listDrop, .listTakeLast, .listDropLast,
  ]

  /// A function over a known list; nil where the list is not known, or the function over it has no equation.
  mutating func overList(_ prim: Prim, _ values: [CoreExprID], type: TypeID, at span: Span) -> CoreExprID? {
    guard Self.listPrims.contains(prim), let first = values.first, let items = elements(of: first) else { return nil }
    return mapped(prim, items, arguments: Array(values.dropFirst()), type: type, at: span)
  }

  private static let listPrims: Set<Prim> = [
    .listMap, .listMapIndexed, .listFilter, .listFilterMap, .listFlatMap, .listFold, .listFoldRight, .listTakeWhile,
    .listDropWhile, .listAny, .listAll, .listCount, .listFind, .listFindIndex, .listPartition,
  ]

  // MARK: Options

  /// What an option holds, to be looked at only where it holds something.
  private mutating func content(of option: CoreExprID, _ type: TypeID, at span: Span) -> CoreExprID {
    let part = field(option, 0, tag: 1, type: type, at: span)
    if case .field = core[part] { exprFacts[part.index].isGuarded = true }
    return part
  }

  private mutating func overOption(
    _ prim: Prim, _ values: [CoreExprID], type: TypeID, at span: Span
  ) -> CoreExprID? {
    guard let option = values.first, let function = values.last, values.count == 2,
      case .function(let parameters, let result) = core.types[core.type(function)], parameters.count == 1
    else { return nil }
    let inner = content(of: option, parameters[0], at: span)
    let isThere = add(.hasTag(option, 1), .bool, span)
    let none = self.option(nil, type, at: span)
    guard prim == .optionMap || prim == .optionFlatMap || prim == .optionFilter,
      let value = applied(function, [inner], type: result, at: span)
    else { return nil }
    let some: CoreExprID
    switch prim {
    case .optionMap: some = self.option(value, type, at: span)
    case .optionFlatMap: some = value
    default: some = add(.conditional(value, then: option, otherwise: none), type, span)
    }
    return add(.conditional(isThere, then: some, otherwise: none), type, span)
  }
}

extension Draft: ListDomain {
  package typealias Piece = (list: CoreExprID, isSpread: Bool)

  package var types: TypeTable { core.types }

  package mutating func constant(_ known: CoreExpr, _ type: TypeID, _ span: Span) -> CoreExprID {
    if case .int(let value) = known { int(value, span) } else { add(known, type, span) }
  }

  package mutating func pair(_ a: CoreExprID, _ b: CoreExprID, type: TypeID, at span: Span) -> CoreExprID {
    add(.construct(tag: 0, [a, b]), type, span)
  }

  package mutating func list(_ items: [CoreExprID], _ type: TypeID, at span: Span) -> CoreExprID {
    add(.list(items, spreads: items.map { _ in false }), type, span)
  }

  package mutating func option(_ content: CoreExprID?, _ type: TypeID, at span: Span) -> CoreExprID {
    add(content.map { .construct(tag: 1, [$0]) } ?? .construct(tag: 0, []), type, span)
  }

  package mutating func operation(_ prim: Prim, _ operands: [CoreExprID], type: TypeID, at span: Span) -> CoreExprID {
    add(.prim(prim, operands), type, span)
  }

  package mutating func conditional(
    _ test: CoreExprID, _ a: CoreExprID, _ b: CoreExprID, _ type: TypeID, _ span: Span
  ) -> CoreExprID? {
    add(.conditional(test, then: a, otherwise: b), type, span)
  }

  package mutating func opened(
    _ option: CoreExprID, _ content: TypeID, at span: Span
  ) -> (isThere: CoreExprID, content: CoreExprID)? {
    (add(.hasTag(option, 1), .bool, span), self.content(of: option, content, at: span))
  }

  package mutating func applied(_ function: CoreExprID, _ arguments: [CoreExprID], at span: Span) -> CoreExprID? {
    guard case .function(_, let result) = core.types[core.type(function)] else { return nil }
    return applied(function, arguments, type: result, at: span)
  }

  package mutating func elements(of list: CoreExprID) -> [CoreExprID]? {
    switch form(list) {
    case .list(let items, let spreads) where !spreads.contains(true): return items
    case .prim(.range, let ends):
      guard let low = int(of: ends[0]), let high = int(of: ends[1]) else { return nil }
      let (length, overflow) = high.subtractingReportingOverflow(low)
      guard !overflow, length < partial.left else { return nil }
      return length < 0 ? [] : (low...high).map { int($0, core.span(list)) }
    default: return nil
    }
  }

  package mutating func int(of item: CoreExprID) -> Int? {
    if case .int(let known) = form(item) { known } else { nil }
  }

  package mutating func piece(_ list: CoreExprID) -> Piece? { (list, true) }

  package mutating func piece(of item: CoreExprID) -> Piece { (item, false) }

  package mutating func joined(_ pieces: [Piece], _ type: TypeID, at span: Span) -> CoreExprID {
    add(.list(pieces.map(\.list), spreads: pieces.map(\.isSpread)), type, span)
  }
}
