// A function over a list that is only known while the program runs, with a comparison of continuous Floats in it: each
// member of the list gets a comparison of its own. `limits |> any(l => time > l)` is
//
//     indexed(limits) |> each((i, l) => i, (i, l) => time > l) |> any(b => b)
//
// and so on for the other functions over lists (see `combined`). In: a call that could not be written out. Out: an
// expression over the results of such an `each`, or nothing where more than these comparisons depends on time.

import FRPBase
import FRPCore

extension Draft {
  mutating func overMembers(_ candidate: CoreExprID) -> CoreExprID? {
    guard case .prim(let prim, let operands) = core[candidate], Self.memberPrims.contains(prim), operands.count == 2,
      case .lambda(let function) = core[operands[1]], function.parameters.count == 1,
      case .list(let element) = core.types[core.type(operands[0])],
      !isContinuous(operands[0]), firstPointwise(operands[0]) == nil, !mayFault(operands[0])
    else { return nil }
    let counts = (core.nodes.count, core.scopes.count)
    let outer = context
    context.definition = ""
    let made = members(of: operands[0], element, function: function, mayFaultInVain: !Self.stoppingPrims.contains(prim))
    context = outer
    guard let made else {
      core.forget(nodes: counts.0, scopes: counts.1)
      return nil
    }
    return combined(
      prim, operands[0], element: element, results: made, type: core.type(candidate), at: core.span(candidate))
  }

  private static let memberPrims: Set<Prim> = [
    .listMap, .listFilter, .listFilterMap, .listFlatMap, .listAny, .listAll, .listCount, .listFind, .listFindIndex,
    .listTakeWhile, .listDropWhile,
  ]
  /// They do not look at all members.
  private static let stoppingPrims: Set<Prim> = [
    .listAny, .listAll, .listFind, .listFindIndex, .listTakeWhile, .listDropWhile,
  ]

  /// What a function gives for each member of a list; nil where that varies between instants.
  private mutating func members(
    of list: CoreExprID, _ element: TypeID, function: CoreLambda, mayFaultInVain: Bool
  ) -> CoreExprID? {
    let span = core.span(function.body)
    let type = core.type(function.body)
    let pair = core.types.intern(.tuple([.int, element]))
    let home = context.scope
    let scope = ScopeID(core.scopes.count)
    core.scopes.append(CoreScope(parent: home, parameters: []))
    context.scope = scope
    let member = read(addNode(.member, pair, at: span), span)
    let frame = Frame()
    frame.bindings[function.parameters[0]] = .value(add(.field(member, index: 1, tag: 0), element, span))
    guard let body = partly(function.body, frame) else { return nil }
    var memo: [CoreExprID: CoreExprID] = [:]
    let result = rewrite(body, &memo) { draft, inner in draft.writtenOut(inner) }
    guard !stillMoves(result), !isPointwise(result), mayFaultInVain || !mayFault(result) else { return nil }
    let shown = addNode(.lift(result), type, at: span)
    core.scopes[scope.index].results = [shown]
    context.scope = home
    let indexed = add(.prim(.listIndexed, [list]), core.types.list(pair), span)
    let local = core.addLocal("", pair)
    let key = CoreLambda([local], add(.field(add(.local(local), pair, span), index: 0, tag: 0), .int, span))
    let all = addNode(.each(indexed, key: key, scope), core.types.list(type), at: span)
    // What is rounded is no step yet.
    for node in [shown, all] { core.nodes[node.index].isContinuous = isContinuous(result) }
    return read(all, span)
  }

  /// The function over the list, from its results for the members.
  private mutating func combined(
    _ prim: Prim, _ list: CoreExprID, element: TypeID, results: CoreExprID, type: TypeID, at span: Span
  ) -> CoreExprID? {
    guard case .list(let result) = core.types[core.type(results)] else { return nil }
    switch prim {
    case .listMap: return results
    case .listFlatMap: return add(.prim(.listConcat, [results]), type, span)
    case .listFilterMap, .listAny, .listAll, .listCount, .listFindIndex:
      return add(.prim(prim, [results, part(of: result, nil, result: result, at: span)]), type, span)
    default:
      let pair = core.types.intern(.tuple([element, result]))
      let pairs = add(.prim(.listZip, [list, results]), core.types.list(pair), span)
      let isOption = prim == .listFind
      let chosenType = isOption ? core.types.option(pair) : core.types.list(pair)
      let chosen = add(.prim(prim, [pairs, part(of: pair, 1, result: result, at: span)]), chosenType, span)
      return add(
        .prim(isOption ? .optionMap : .listMap, [chosen, part(of: pair, 0, result: element, at: span)]), type, span)
    }
  }

  /// The function that takes a part of a pair, or gives back what it gets.
  private mutating func part(of type: TypeID, _ index: Int?, result: TypeID, at span: Span) -> CoreExprID {
    let local = core.addLocal("", type)
    let whole = add(.local(local), type, span)
    let body = index.map { add(.field(whole, index: $0, tag: 0), result, span) } ?? whole
    return add(.lambda(CoreLambda([local], body)), core.types.intern(.function([type], result)), span)
  }
}
