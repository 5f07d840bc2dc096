// Operations while a call is written out (`PartialEvaluation`): those that decide structure, and functions over lists
// whose elements are known one by one. Each list function is its equation.

import FRPBase
import FRPCore

extension Draft {
  mutating func partlyPrim(
    _ prim: Prim, _ operands: [CoreExprID], _ expr: CoreExprID, _ frame: Frame
  ) -> CoreExprID? {
    let (type, span) = (core.type(expr), core.span(expr))
    if prim == .and || prim == .or {
      guard let first = partly(operands[0], frame) else { return nil }
      if case .bool(let known) = form(first) { return known == (prim == .and) ? partly(operands[1], frame) : first }
      return partly(operands[1], frame).map { add(.prim(prim, [first, $0]), type, span) }
    }
    guard let values = partly(operands, frame) else { return nil }
    if let known = CoreExpr.folded(prim, values.map { form($0) }) { return constant(known, type, span) }
    if let moved = moved(prim, values, type, span) { return moved }
    if !frame.isReplacing, values.contains(where: { isContinuousPart($0) }) {
      return overList(prim, values, type, span) ?? overOption(prim, values, type, span)
        ?? add(.prim(prim, values), type, span)
    }
    return add(.prim(prim, values), type, span)
  }

  // MARK: Lists that are known one by one

  private mutating func elements(_ list: CoreExprID) -> [CoreExprID]? {
    switch form(list) {
    case .list(let items, let spreads) where !spreads.contains(true): return items
    case .prim(.range, let ends):
      guard case .int(let low) = form(ends[0]), case .int(let high) = form(ends[1]) else { return nil }
      let (length, overflow) = high.subtractingReportingOverflow(low)
      guard !overflow, length < partial.left else { return nil }
      return length < 0 ? [] : (low...high).map { int($0, core.span(list)) }
    default: return nil
    }
  }

  private mutating func list(_ items: [CoreExprID], _ type: TypeID, _ span: Span) -> CoreExprID {
    add(.list(items, spreads: items.map { _ in false }), type, span)
  }

  private mutating func optional(_ item: CoreExprID?, _ type: TypeID, _ span: Span) -> CoreExprID {
    add(item.map { .construct(tag: 1, [$0]) } ?? .construct(tag: 0, []), type, span)
  }

  /// What only moves the elements of a known list about.
  private mutating func moved(_ prim: Prim, _ values: [CoreExprID], _ type: TypeID, _ span: Span) -> CoreExprID? {
    guard Self.movingPrims.contains(prim), let first = values.first, let items = elements(first) else { return nil }
    partial.left -= items.count
    switch prim {
    case .listSize: return int(items.count, span)
    case .listIsEmpty: return add(.bool(items.isEmpty), .bool, span)
    case .listReverse: return list(items.reversed(), type, span)
    case .listHead: return optional(items.first, type, span)
    case .listLast: return optional(items.last, type, span)
    case .append: return elements(values[1]).map { list(items + $0, type, span) }
    case .listIndexed:
      guard case .list(let pair) = core.types[type] else { return nil }
      return list(
        items.enumerated().map { add(.construct(tag: 0, [int($0.offset, span), $0.element]), pair, span) }, type, span)
    case .listZip:
      guard case .list(let pair) = core.types[type], let others = elements(values[1]) else { return nil }
      return list(zip(items, others).map { add(.construct(tag: 0, [$0, $1]), pair, span) }, type, span)
    default:
      guard values.count == 2, case .int(let count) = form(values[1]) else { return nil }
      let some = max(0, count)
      switch prim {
      case .listGet: return optional(items.indices.contains(count) ? items[count] : nil, type, span)
      case .listTake: return list(Array(items.prefix(some)), type, span)
      case .listDrop: return list(Array(items.dropFirst(some)), type, span)
      case .listTakeLast: return list(Array(items.suffix(some)), type, span)
      default: return list(Array(items.dropLast(some)), type, span)
      }
    }
  }

  private static let movingPrims: Set<Prim> = [
    .listSize, .listIsEmpty, .listReverse, .listHead, .listLast, .append, .listIndexed, .listZip, .listGet, .listTake,
    .listDrop, .listTakeLast, .listDropLast,
  ]

  /// A function over a known list; nil where the list is not known, or the function over it has no such equation.
  mutating func overList(_ prim: Prim, _ values: [CoreExprID], _ type: TypeID, _ span: Span) -> CoreExprID? {
    guard Self.listPrims.contains(prim), let first = values.first, let items = elements(first),
      let function = values.last, case .function(_, let result) = core.types[core.type(function)]
    else { return nil }
    switch prim {
    case .listFold, .listFoldRight:
      var state = values[1]
      for item in prim == .listFold ? items : items.reversed() {
        guard let next = applied(function, [state, item], type, span) else { return nil }
        state = next
      }
      return state
    case .listMapIndexed:
      var all: [CoreExprID] = []
      for (index, item) in items.enumerated() {
        guard let value = applied(function, [int(index, span), item], result, span) else { return nil }
        all.append(value)
      }
      return list(all, type, span)
    default:
      var all: [CoreExprID] = []
      for item in items {
        guard let value = applied(function, [item], result, span) else { return nil }
        all.append(value)
      }
      return joined(prim, items, all, type, span)
    }
  }

  private static let listPrims: Set<Prim> = [
    .listMap, .listMapIndexed, .listFilter, .listFilterMap, .listFlatMap, .listFold, .listFoldRight, .listTakeWhile,
    .listDropWhile, .listAny, .listAll, .listCount, .listFind, .listFindIndex, .listPartition,
  ]

  /// The result of a function over a list, from what its function gives for each element.
  private mutating func joined(
    _ prim: Prim, _ items: [CoreExprID], _ all: [CoreExprID], _ type: TypeID, _ span: Span
  ) -> CoreExprID? {
    switch prim {
    case .listMap: return list(all, type, span)
    case .listFlatMap: return add(.list(all, spreads: all.map { _ in true }), type, span)
    case .listFilter: return kept(items, all, type, span)
    case .listFilterMap:
      let none = list([], type, span)
      let parts = all.map { option -> CoreExprID in
        let content = guardedContent(of: option, type, span)
        let isThere = add(.hasTag(option, 1), .bool, span)
        return add(.conditional(isThere, then: list([content], type, span), otherwise: none), type, span)
      }
      return add(.list(parts, spreads: parts.map { _ in true }), type, span)
    case .listAny, .listAll:
      let operation = prim == .listAny ? Prim.or : .and
      guard let last = all.last else { return add(.bool(prim == .listAll), .bool, span) }
      return all.dropLast().reversed().reduce(last) { add(.prim(operation, [$1, $0]), .bool, span) }
    case .listCount:
      let (zero, one) = (int(0, span), int(1, span))
      return all.reduce(zero) {
        add(.prim(.add, [$0, add(.conditional($1, then: one, otherwise: zero), .int, span)]), .int, span)
      }
    case .listFind, .listFindIndex:
      return zip(items.indices, all).reversed().reduce(optional(nil, type, span)) { rest, next in
        let found = optional(prim == .listFind ? items[next.0] : int(next.0, span), type, span)
        return add(.conditional(next.1, then: found, otherwise: rest), type, span)
      }
    case .listTakeWhile, .listDropWhile:
      return zip(items.indices, all).reversed().reduce(list([], type, span)) { rest, next in
        let from =
          prim == .listTakeWhile
          ? add(.list([items[next.0], rest], spreads: [false, true]), type, span)
          : list(Array(items[next.0...]), type, span)
        let (a, b) = prim == .listTakeWhile ? (from, list([], type, span)) : (rest, from)
        return add(.conditional(next.1, then: a, otherwise: b), type, span)
      }
    case .listPartition:
      guard case .tuple(let types) = core.types[type], types.count == 2 else { return nil }
      let others = all.map { add(.prim(.not, [$0]), .bool, span) }
      return add(
        .construct(tag: 0, [kept(items, all, types[0], span), kept(items, others, types[1], span)]), type, span)
    default: return nil
    }
  }

  /// Those of the items for which a test holds.
  private mutating func kept(
    _ items: [CoreExprID], _ tests: [CoreExprID], _ type: TypeID, _ span: Span
  ) -> CoreExprID {
    let none = list([], type, span)
    let parts = zip(items, tests).map {
      add(.conditional($1, then: list([$0], type, span), otherwise: none), type, span)
    }
    return add(.list(parts, spreads: parts.map { _ in true }), type, span)
  }

  // MARK: Options

  private mutating func guardedContent(of option: CoreExprID, _ list: TypeID, _ span: Span) -> CoreExprID {
    guard case .list(let element) = core.types[list] else { return option }
    return content(of: option, element, span)
  }

  /// What an option holds, to be looked at only where it holds something.
  private mutating func content(of option: CoreExprID, _ type: TypeID, _ span: Span) -> CoreExprID {
    let part = field(option, 0, 1, type, span)
    if case .field = core[part] { exprFacts[part.index].isGuarded = true }
    return part
  }

  private mutating func overOption(
    _ prim: Prim, _ values: [CoreExprID], _ type: TypeID, _ span: Span
  ) -> CoreExprID? {
    guard let option = values.first, let function = values.last, values.count == 2,
      case .function(let parameters, let result) = core.types[core.type(function)], parameters.count == 1
    else { return nil }
    let inner = content(of: option, parameters[0], span)
    let isThere = add(.hasTag(option, 1), .bool, span)
    let none = optional(nil, type, span)
    guard prim == .optionMap || prim == .optionFlatMap || prim == .optionFilter,
      let value = applied(function, [inner], result, span)
    else { return nil }
    let some: CoreExprID
    switch prim {
    case .optionMap: some = optional(value, type, span)
    case .optionFlatMap: some = value
    default: some = add(.conditional(value, then: option, otherwise: none), type, span)
    }
    return add(.conditional(isThere, then: some, otherwise: none), type, span)
  }
}
