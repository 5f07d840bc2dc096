// Lists of a map's entries that have a name, or that were made element by element, are seen as what they are.
//
// In:  a core program. Out: the same program, in which what can be kept up to date with a map (`topBy`, `median`, `sum`, …, see
//      decision 0024) stands beside the map: `entries = Map.toList(m)` is put in where it is looked at, `map` and `filter` of a list
//      of entries become those of the map, and `ranked = sortBy(l, f)` is put in where its first are taken.
// Rules
// - Only what costs what has changed is put in: the map is a behavior, or made of one by `map` and `filter`. Computing that twice,
//   where the name has other uses, costs the changes twice.
// - What nobody names any more does not run.

import FRPCore

struct EntryLists {
  private var core: CoreProgram
  /// By expression: the list it was found to be, or nil.
  private var known: [CoreExprID: EntryList?] = [:]

  static func named(_ core: CoreProgram) -> CoreProgram {
    var lists = EntryLists(core: core)
    for index in core.exprs.indices {
      guard case .prim(let prim, let arguments) = core.exprs[index], let list = arguments.first,
        let better = lists.better(list, for: prim)
      else { continue }
      lists.core.exprs[index] = .prim(prim, [better] + arguments.dropFirst())
    }
    return lists.core
  }

  /// A list of the entries or values of a map.
  private struct EntryList {
    var map: CoreExprID
    var lists: Prim
    /// Whether it is written elsewhere, or otherwise.
    var isNew: Bool
    /// Whether functions were moved to the map.
    var isMapped = false
  }

  private init(core: CoreProgram) { self.core = core }

  /// What to give a prim instead of a list; nil where that is the list itself.
  private mutating func better(_ list: CoreExprID, for prim: Prim) -> CoreExprID? {
    if prim == .listTake {
      guard case .prim(.listSortBy, let sorted) = core[behind(list)], isClosed(sorted[1]) else { return nil }
      let inner = better(sorted[0], for: .listTopBy)
      if inner == nil, behind(list) == plain(list) { return nil }
      // A list that is no map's is sorted once, under its name.
      guard inner != nil || entryList(sorted[0]) != nil else { return nil }
      return core.add(.prim(.listSortBy, [inner ?? sorted[0], sorted[1]]), core.type(list), core.span(behind(list)))
    }
    guard prim.takesEntries, let found = entryList(list), found.isNew, !found.isMapped || prim.takesMapped else {
      return nil
    }
    return core.add(.prim(found.lists, [found.map]), core.type(list), core.span(list))
  }

  private mutating func entryList(_ expr: CoreExprID) -> EntryList? {
    if let found = known[expr] { return found }
    known[expr] = .some(nil)
    let found = makeEntryList(expr)
    known[expr] = .some(found)
    return found
  }

  private mutating func makeEntryList(_ expr: CoreExprID) -> EntryList? {
    let place = behind(expr)
    guard case .prim(let prim, let arguments) = core[place] else { return nil }
    switch prim {
    case .mapToList, .mapValues:
      return isKept(arguments[0]) ? EntryList(map: arguments[0], lists: prim, isNew: place != plain(expr)) : nil
    case .listMap, .listFilter:
      guard let inner = entryList(arguments[0]), isClosed(arguments[1]),
        case .map(let key, let value) = core.types[core.type(inner.map)],
        case .function(_, let result) = core.types[core.type(arguments[1])]
      else { return nil }
      let span = core.span(place)
      let ofPairs = inner.lists == .mapToList
      let function = ofPairs ? core.ofEntry(arguments[1], .mapToList, key, value) : arguments[1]
      if prim == .listFilter {
        let filter: Prim = ofPairs ? .mapFilter : .mapFilterValues
        let map = core.add(.prim(filter, [inner.map, function]), core.type(inner.map), span)
        return EntryList(map: map, lists: inner.lists, isNew: true, isMapped: true)
      }
      let type = core.types.intern(.map(key, result))
      let map = core.add(.prim(ofPairs ? .mapMap : .mapMapValues, [inner.map, function]), type, span)
      return EntryList(map: map, lists: .mapValues, isNew: true, isMapped: true)
    default: return nil
    }
  }

  /// Whether a map costs what has changed.
  private func isKept(_ map: CoreExprID) -> Bool {
    switch core[plain(map)] {
    case .read: return true
    case .prim(.mapMap, let parts), .prim(.mapMapValues, let parts), .prim(.mapFilter, let parts),
      .prim(.mapFilterValues, let parts):
      return isKept(parts[0]) && isClosed(parts[1])
    default: return false
    }
  }

  /// An expression without `.suspend` around it that binds nothing.
  private func plain(_ expr: CoreExprID) -> CoreExprID {
    var expr = expr
    while case .suspend(let bindings, let body) = core[expr], bindings.isEmpty { expr = body }
    return expr
  }

  /// What an expression is where names of behaviors that are computed are replaced by what they are computed by.
  private func behind(_ expr: CoreExprID) -> CoreExprID {
    var expr = plain(expr)
    while case .read(let node) = core[expr], !core[node].isContinuous, case .lift(let value) = core[node].op {
      expr = plain(value)
    }
    return expr
  }

  private func isClosed(_ function: CoreExprID) -> Bool {
    if case .lambda(let lambda) = core[plain(function)] { core.isClosed(lambda) } else { false }
  }
}

extension CoreProgram {
  /// Whether a function names no local from outside of it.
  func isClosed(_ lambda: CoreLambda) -> Bool {
    var (bound, named) = (Set(lambda.parameters), Set<LocalID>())
    visit(lambda.body) { expr in
      switch self[expr] {
      case .local(let local), .thunk(let local): named.insert(local)
      case .lambda(let inner): bound.formUnion(inner.parameters)
      case .suspend(let list, _): bound.formUnion(list.map(\.local))
      default: break
      }
      return .enter
    }
    return named.isSubset(of: bound)
  }

  /// A function of key and value that is another of what `list` (`mapToList`, `mapValues` or `mapKeys`) makes of them.
  mutating func ofEntry(_ function: CoreExprID, _ list: Prim, _ key: TypeID, _ value: TypeID) -> CoreExprID {
    guard case .function(_, let result) = types[type(function)] else { return function }
    let span = span(function)
    let (k, v) = (addLocal("key", key), addLocal("value", value))
    let (keyRead, valueRead) = (add(.local(k), key, span), add(.local(v), value, span))
    let element =
      switch list {
      case .mapKeys: keyRead
      case .mapValues: valueRead
      default: add(.construct(tag: 0, [keyRead, valueRead]), types.intern(.tuple([key, value])), span)
      }
    let body = add(.apply(function, [element]), result, span)
    return add(.lambda(CoreLambda([k, v], body)), types.intern(.function([key, value], result)), span)
  }
}

extension Prim {
  /// Whether it is worth making another map of the one whose entries it is given, element by element: for few entries that takes
  /// longer than making a list.
  fileprivate var takesMapped: Bool {
    switch self {
    case .listCount, .listAny, .listAll: false
    default: true
    }
  }
}
