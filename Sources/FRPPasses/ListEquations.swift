// Functions over lists whose elements are known one by one, each by its equation, once for all that such lists are made of:
// the values that evaluation keeps open (rule 5) and the expressions of a call that is written out. Each of these says which of
// the equations it uses, and when.

import FRPBase
import FRPCore

/// What lists are made of, and the little that their functions need of it. Nil is where something would have to be known.
package protocol ListDomain {
  associatedtype Item
  /// What a list gives to one that is put together of several.
  associatedtype Piece

  var types: TypeTable { get }
  /// An Int or a Bool.
  mutating func constant(_ known: CoreExpr, _ type: TypeID, _ span: Span) -> Item
  mutating func pair(_ a: Item, _ b: Item, type: TypeID, at span: Span) -> Item
  mutating func list(_ items: [Item], _ type: TypeID, at span: Span) -> Item
  mutating func option(_ content: Item?, _ type: TypeID, at span: Span) -> Item
  mutating func operation(_ prim: Prim, _ operands: [Item], type: TypeID, at span: Span) -> Item
  mutating func conditional(_ test: Item, _ a: Item, _ b: Item, _ type: TypeID, _ span: Span) -> Item?
  /// Whether an option holds something, and what: to be looked at only where it does.
  mutating func opened(_ option: Item, _ content: TypeID, at span: Span) -> (isThere: Item, content: Item)?
  mutating func applied(_ function: Item, _ arguments: [Item], at span: Span) -> Item?

  mutating func elements(of list: Item) -> [Item]?
  mutating func int(of item: Item) -> Int?
  mutating func piece(_ list: Item) -> Piece?
  mutating func piece(of item: Item) -> Piece
  mutating func joined(_ pieces: [Piece], _ type: TypeID, at span: Span) -> Item
}

extension ListDomain {
  // MARK: Moving elements about

  /// What only moves the elements of a list about, or gives one of them.
  package mutating func moved(
    _ prim: Prim, _ items: [Item], rest: [Item], type: TypeID, at span: Span
  ) -> Item? {
    switch prim {
    case .listSize: return constant(.int(items.count), type, span)
    case .listIsEmpty: return constant(.bool(items.isEmpty), type, span)
    case .listReverse: return list(items.reversed(), type, at: span)
    case .listHead: return option(items.first, type, at: span)
    case .listLast: return option(items.last, type, at: span)
    case .append: return elements(of: rest[0]).map { list(items + $0, type, at: span) }
    case .listIndexed: return pairs(items.indices.map { constant(.int($0), .int, span) }, items, type: type, at: span)
    case .listZip: return elements(of: rest[0]).flatMap { pairs(items, $0, type: type, at: span) }
    case .listConcat: return spliced(items, type, at: span)
    case .listTail: return tail(items, type, at: span)
    default:
      guard let count = rest.first.flatMap({ int(of: $0) }) else { return nil }
      return rest.count > 1
        ? set(items, count, item: rest[1], type: type, at: span)
        : counted(prim, items, count: count, type: type, at: span)
    }
  }

  private mutating func pairs(_ a: [Item], _ b: [Item], type: TypeID, at span: Span) -> Item? {
    guard case .list(let element) = types[type] else { return nil }
    let all = each(min(a.count, b.count)) { $0.pair(a[$1], b[$1], type: element, at: span) }
    return all.map { list($0, type, at: span) }
  }

  private mutating func counted(_ prim: Prim, _ items: [Item], count: Int, type: TypeID, at span: Span) -> Item? {
    let some = max(0, count)
    switch prim {
    case .listGet: return option(items.indices.contains(count) ? items[count] : nil, type, at: span)
    case .listTake: return list(Array(items.prefix(some)), type, at: span)
    case .listDrop: return list(Array(items.dropFirst(some)), type, at: span)
    case .listTakeLast: return list(Array(items.suffix(some)), type, at: span)
    case .listDropLast: return list(Array(items.dropLast(some)), type, at: span)
    case .listChunk: return chunks(items, count, type: type, at: span)
    default: return nil
    }
  }

  private mutating func set(_ items: [Item], _ index: Int, item: Item, type: TypeID, at span: Span) -> Item? {
    guard items.indices.contains(index) else { return nil }
    var items = items
    items[index] = item
    return list(items, type, at: span)
  }

  private mutating func chunks(_ items: [Item], _ size: Int, type: TypeID, at span: Span) -> Item? {
    guard size > 0, case .list(let chunk) = types[type] else { return nil }
    let starts = stride(from: 0, to: items.count, by: size)
    return list(starts.map { list(Array(items[$0...].prefix(size)), chunk, at: span) }, type, at: span)
  }

  private mutating func tail(_ items: [Item], _ type: TypeID, at span: Span) -> Item? {
    guard case .variant(_, let content) = types[type], let lists = content.first else { return nil }
    return option(items.isEmpty ? nil : list(Array(items.dropFirst()), lists, at: span), type, at: span)
  }

  /// The lists of a list, joined.
  private mutating func spliced(_ lists: [Item], _ type: TypeID, at span: Span) -> Item? {
    var pieces: [Piece] = []
    for list in lists {
      guard let piece = piece(list) else { return nil }
      pieces.append(piece)
    }
    return joined(pieces, type, at: span)
  }

  // MARK: Applying a function to each

  /// A function over a list; `arguments` are what it is given besides, the function last.
  package mutating func mapped(
    _ prim: Prim, _ items: [Item], arguments: [Item], type: TypeID, at span: Span
  ) -> Item? {
    guard let function = arguments.last else { return nil }
    switch prim {
    case .listFold, .listFoldRight:
      var state = arguments[0]
      for item in prim == .listFold ? items : items.reversed() {
        guard let next = applied(function, [state, item], at: span) else { return nil }
        state = next
      }
      return state
    case .listMapIndexed:
      return each(items.count) { $0.applied(function, [$0.constant(.int($1), .int, span), items[$1]], at: span) }
        .map { list($0, type, at: span) }
    case .listZipWith:
      guard let others = elements(of: arguments[0]) else { return nil }
      return each(min(items.count, others.count)) { $0.applied(function, [items[$1], others[$1]], at: span) }
        .map { list($0, type, at: span) }
    case .listMap: return results(function, items, at: span).map { list($0, type, at: span) }
    case .listFlatMap, .listFilter, .listFilterMap: return pieces(prim, items, function: function, type: type, at: span)
    default: return results(function, items, at: span).flatMap { decided(prim, items, tests: $0, type: type, at: span) }
    }
  }

  /// Of so many places. A sequence would be gone through by its witnesses, since who this is for is not known here: that took
  /// a third of the time where lists were long.
  private mutating func each<Result>(_ count: Int, _ make: (inout Self, Int) -> Result?) -> [Result]? {
    var result: [Result] = []
    for place in 0..<count {
      guard let made = make(&self, place) else { return nil }
      result.append(made)
    }
    return result
  }

  private mutating func results(_ function: Item, _ items: [Item], at span: Span) -> [Item]? {
    each(items.count) { $0.applied(function, [items[$1]], at: span) }
  }

  /// What is put together of a list for each element.
  private mutating func pieces(
    _ prim: Prim, _ items: [Item], function: Item, type: TypeID, at span: Span
  ) -> Item? {
    let none = prim == .listFlatMap ? nil : list([], type, at: span)
    return each(items.count) { domain, place in
      let item = items[place]
      guard let result = domain.applied(function, [item], at: span) else { return nil }
      return domain.chosen(prim, item, result: result, none: none, type: type, at: span).flatMap { domain.piece($0) }
    }.map { joined($0, type, at: span) }
  }

  private mutating func chosen(
    _ prim: Prim, _ item: Item, result: Item, none: Item?, type: TypeID, at span: Span
  ) -> Item? {
    guard let none, case .list(let element) = types[type] else { return result }
    if prim == .listFilter { return conditional(result, list([item], type, at: span), none, type, span) }
    guard let (isThere, content) = opened(result, element, at: span) else { return nil }
    return conditional(isThere, list([content], type, at: span), none, type, span)
  }

  /// What is decided by a test of each element.
  private mutating func decided(
    _ prim: Prim, _ items: [Item], tests: [Item], type: TypeID, at span: Span
  ) -> Item? {
    switch prim {
    case .listAny, .listAll:
      guard let last = tests.last else { return constant(.bool(prim == .listAll), type, span) }
      return tests.dropLast().reversed().reduce(last) {
        operation(prim == .listAny ? .or : .and, [$1, $0], type: type, at: span)
      }
    case .listCount:
      let (zero, one) = (constant(.int(0), type, span), constant(.int(1), type, span))
      return tests.reduce(Optional(zero)) { sum, test in
        sum.flatMap { sum in
          conditional(test, one, zero, type, span).map { operation(.add, [sum, $0], type: type, at: span) }
        }
      }
    case .listPartition:
      guard case .tuple(let types) = types[type], types.count == 2 else { return nil }
      let others = tests.map { operation(.not, [$0], type: .bool, at: span) }
      guard let a = kept(items, tests, type: types[0], at: span), let b = kept(items, others, type: types[1], at: span)
      else { return nil }
      return pair(a, b, type: type, at: span)
    default:
      let end = prim == .listFind || prim == .listFindIndex ? option(nil, type, at: span) : list([], type, at: span)
      return zip(items.indices, tests).reversed().reduce(Optional(end)) { rest, next in
        guard let rest, let (holds, fails) = firstDecided(prim, items, place: next.0, rest: rest, type: type, at: span)
        else { return nil }
        return conditional(next.1, holds, fails, type, span)
      }
    }
  }

  /// What comes out where the test of an element holds, and where it does not, if `rest` comes out of those behind it.
  private mutating func firstDecided(
    _ prim: Prim, _ items: [Item], place: Int, rest: Item, type: TypeID, at span: Span
  ) -> (holds: Item, fails: Item)? {
    switch prim {
    case .listFind: return (option(items[place], type, at: span), rest)
    case .listFindIndex: return (option(constant(.int(place), .int, span), type, at: span), rest)
    case .listTakeWhile:
      return piece(rest).map { (joined([piece(of: items[place]), $0], type, at: span), list([], type, at: span)) }
    default: return (rest, list(Array(items[place...]), type, at: span))
    }
  }

  /// Those of the items for which a test holds.
  private mutating func kept(_ items: [Item], _ tests: [Item], type: TypeID, at span: Span) -> Item? {
    let none = list([], type, at: span)
    return each(min(items.count, tests.count)) { domain, place in
      domain.conditional(tests[place], domain.list([items[place]], type, at: span), none, type, span)
        .flatMap { domain.piece($0) }
    }.map { joined($0, type, at: span) }
  }
}
