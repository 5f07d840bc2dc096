// Calls of built-ins: the row is chosen by the first argument, at once if its type is known.
//
// In:  the rows of a name that fit the number of arguments.
// Out: a type, and a row; or a use that waits (`Overload`) until the first argument's type is known: later in the
//      definition group, or at the callers, when the use has become part of the scheme.
// Rules: while the first argument is open, the others are checked against what all rows have in common.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  func inferBuiltinCall(_ id: ExprID, _ callee: ExprID, all: [Int], arguments: [Argument]) -> Ty {
    let fact = calleeFact(callee, TypeStore.error)
    resolutions[callee.index] = .builtin(rows: all)
    let fitCount = all.filter { Signature.all[$0].parameters(forCount: arguments.count) != nil }
    guard !fitCount.isEmpty else {
      arguments.forEach(giveUp)
      let counts = all.compactMap { Signature.all[$0].parameters?.count }
      var fact = fact
      if let first = arguments.first,
        case .one(let row) = chooseRow(all, head: head(first.type ?? exprTypes[first.expr.index]))
      {
        fact.parameters = Builtins.all[row].parameters
      }
      report(
        .arity(
          call: id, callee: fact, expected: counts, arguments: arguments.map(\.expr),
          subject: arguments.first.map { show($0.type ?? exprTypes[$0.expr.index]) }, isCurried: false),
        at: tree.span(id))
      return TypeStore.error
    }
    var known = arguments
    let rows = byFunctions(fitCount, &known)
    if rows.count == 1 {
      if isOutOfOrder(rows[0], &known), reportOrder(id, rows, arguments: known) { return TypeStore.error }
      return callRow(id, callee, row: rows[0], arguments: known, fact: fact)
    }
    let first = known[0].type ?? infer(known[0].expr)
    known[0].type = first
    if store.isError(first) {
      for argument in known.dropFirst() where !isLambda(argument.expr) { giveUp(argument) }
      return TypeStore.error
    }
    switch chooseRow(rows, head: head(first)) {
    case .one(let row):
      // A container may have a row for functions of one parameter beside one for two (`Map.map`).
      let alike = rows.filter { Builtins.all[$0].container == Builtins.all[row].container }
      let chosen = fitting(alike, &known).first ?? row
      return callRow(id, callee, row: chosen, arguments: known, fact: fact)
    case .many(let many):
      let possible = fitting(many, &known)
      return callOpen(id, callee, rows: possible, arguments: known, fact: fact)
    case .none:
      for index in known.indices.dropFirst() where !isLambda(known[index].expr) {
        if known[index].type == nil { known[index].type = infer(known[index].expr) }
      }
      if reportOrder(id, rows, arguments: known) { return TypeStore.error }
      noteCause(of: tree.span(known[0].expr), [first])
      report(
        .noRow(
          known[0].expr, name: Builtins.all[rows[0]].name, containers: containers(rows), show(first),
          others: known.dropFirst().map(\.expr), looksVarying: looksVarying(known[0].expr),
          declaration: declaration(of: known[0].expr)),
        at: tree.span(known[0].expr))
      return TypeStore.error
    }
  }

  /// Whether the first argument of a row is plainly something else than its subject, as `0` in `hold(0, e)`. Infers
  /// arguments only where that can be.
  private func isOutOfOrder(_ row: Int, _ arguments: inout [Argument]) -> Bool {
    guard arguments.count > 1, let wanted = Signature.all[row].firstHead, wanted == .event || wanted == .list,
      arguments[0].type == nil
    else { return false }
    if !isLambda(arguments[0].expr) {
      switch tree[bare(arguments[0].expr)] {
      case .int, .float, .duration, .string, .bool, .operatorFunction, .fieldFunction: break
      case .name where names.unknowns[bare(arguments[0].expr)] == nil: break
      default: return false
      }
      arguments[0].type = infer(arguments[0].expr)
      if case .open(let classes) = arguments[0].type.map(head) ?? .error, wanted.allows(classes) { return false }
      if arguments[0].type.map(head) == wanted { return false }
    }
    for index in arguments.indices.dropFirst() where !isLambda(arguments[index].expr) {
      arguments[index].type = infer(arguments[index].expr)
    }
    return true
  }

  /// Reports a call whose subject is a later argument; only calls that are written as calls, not pipes.
  private func reportOrder(_ id: ExprID, _ rows: [Int], arguments: [Argument]) -> Bool {
    guard case .call = tree[id] else { return false }
    // An event in the first place is meant to be there, as what it holds.
    if let first = arguments.first?.type, head(first) == .event { return false }
    for index in arguments.indices.dropFirst() {
      guard let type = arguments[index].type else { continue }
      let found = head(type)
      guard let kind = found.container, case .one(let row) = chooseRow(rows, head: found),
        Signature.all[row].firstHead == found
      else { continue }
      // What stands first is no better off there: `merge(buttons, clicks)`.
      if let wanted = Signature.all[row].parameters(forCount: arguments.count), index < wanted.count,
        case .event = wanted[index].type, arguments[0].type.map(head) != .event
      {
        continue
      }
      var others = arguments.map(\.expr)
      others.remove(at: index)
      if index == arguments.count - 1, others.count == 2,
        isLambda(others[0]) || head(arguments[0].type ?? type) == .function
      {
        others.reverse()
      }
      report(
        .subjectNotFirst(
          id, name: Builtins.all[row].name, subject: arguments[index].expr, others: others, kind: kind.lowercased()),
        at: tree.span(id))
      return true
    }
    return false
  }

  private func callRow(
    _ id: ExprID, _ callee: ExprID, row: Int, arguments: [Argument], fact: CalleeFact
  ) -> Ty {
    resolutions[callee.index] = .builtin(rows: [row])
    var fact = fact
    fact.parameters = Builtins.all[row].parameters
    let use = store.instantiate(Signature.all[row], count: arguments.count)
    let parameters = use.parameters ?? []
    exprTypes[callee.index] = store.function(parameters, use.result)
    checkArguments(arguments, parameters, fact: fact, call: id)
    if isDecoder(row) { decodings.append(Decoding(call: id, type: use.result)) }
    // Ticks in the place of its length: what was meant gives an event, so what follows is not to be blamed.
    let isBatch = fact.name == "window" && arguments.count > 1 && head(exprTypes[arguments[1].expr.index]) == .event
    return isBatch ? TypeStore.error : use.result
  }

  /// Whether what a built-in makes is decided by who uses it.
  func isDecoder(_ row: Int) -> Bool {
    if case .data(let prim) = Builtins.all[row].operation {
      [.jsonDecode, .csvDecode, .jsonAs].contains(prim)
    } else {
      false
    }
  }

  /// Of rows of one container that want a function or something else in one place (`debounce`), those that want what is
  /// there.
  private func byFunctions(_ rows: [Int], _ arguments: inout [Argument]) -> [Int] {
    guard rows.count > 1, Set(rows.map { Builtins.all[$0].container }).count == 1 else { return rows }
    func wantsFunction(_ row: Int, _ index: Int) -> Bool {
      guard case .function? = Signature.all[row].parameters(forCount: arguments.count)?[index].type else {
        return false
      }
      return true
    }
    for index in arguments.indices.dropFirst() where Set(rows.map { wantsFunction($0, index) }).count == 2 {
      let isFunction: Bool
      if isLambda(arguments[index].expr) {
        isFunction = true
      } else {
        arguments[index].type = arguments[index].type ?? infer(arguments[index].expr)
        isFunction = arguments[index].type.map(head) == .function
      }
      return rows.filter { wantsFunction($0, index) == isFunction }
    }
    return rows
  }

  /// Rows that a function of one parameter rules out (the first of `Map.map` gives its function two) are left out.
  /// Infers arguments only where that can decide.
  private func fitting(_ rows: [Int], _ arguments: inout [Argument]) -> [Int] {
    var result = rows
    for index in arguments.indices {
      let sizes = result.map { functionSize($0, index, of: arguments.count) }
      guard Set(sizes.compactMap(\.self)).count > 1, takesOne(&arguments[index]) else { continue }
      let kept = zip(result, sizes).filter { $0.1 == nil || $0.1 == 1 }.map(\.0)
      if !kept.isEmpty { result = kept }
    }
    return result
  }

  /// How many parameters the function has that a row wants in a place; nil where it wants something else.
  private func functionSize(_ row: Int, _ index: Int, of count: Int) -> Int? {
    guard case .function(let list, _)? = Signature.all[row].parameters(forCount: count)?[index].type else { return nil }
    return list.count
  }

  /// Whether an argument is a function of one parameter: a literal one, `.field`, or one by its type.
  private func takesOne(_ argument: inout Argument) -> Bool {
    switch tree[bare(argument.expr)] {
    case .lambda(let parameters, _): return parameters.count == 1
    case .fieldFunction: return true
    default: break
    }
    let type = argument.type ?? infer(argument.expr)
    argument.type = type
    guard case .function(let parameters, _) = store[type] else { return false }
    return parameters.count == 1
  }

  /// The first argument is still open: the others are checked against what all rows have in common.
  private func callOpen(
    _ id: ExprID, _ callee: ExprID, rows: [Int], arguments: [Argument], fact: CalleeFact
  ) -> Ty {
    resolutions[callee.index] = .builtin(rows: rows)
    let use = store.instantiate(skeleton(of: rows, count: arguments.count))
    let parameters = use.parameters ?? []
    let type = store.function(parameters, use.result)
    exprTypes[callee.index] = type
    wait(
      Overload(
        rows: rows, function: type, name: fact.name, site: id, callee: callee, arguments: arguments.map(\.expr),
        lambdas: lambdaSizes(arguments)))
    checkArguments(arguments, parameters, fact: fact, call: id)
    return use.result
  }

  // MARK: Waiting and solving

  /// Keeps an overloaded use until its first argument's type is known.
  func wait(_ overload: Overload) {
    let index = overloads.count
    overloads.append(overload)
    pending[pending.count - 1].append(index)
    if let first = firstParameter(index), case .variable = store[first] {
      watch(first, index)
    } else {
      store.ready.append(index)
    }
    solveReady()
  }

  /// Lets a use wait for a type, if that is a variable that it does not wait for already.
  func watch(_ type: Ty, _ index: Int) {
    guard case .variable(let variable) = store[type] else { return }
    if let watched = overloads[index].watched, store.find(watched) == store.find(type) { return }
    overloads[index].watched = type
    store.variables[variable].watchers.append(index)
  }

  /// Chooses rows for all uses whose first argument got a type. Cost: one unification a use.
  func solveReady() {
    if isSolving { return }
    isSolving = true
    defer { isSolving = false }
    while let index = store.ready.popLast() { solve(index) }
  }

  func solve(_ index: Int) {
    if overloads[index].isLambda { return solveLambda(index) }
    let overload = overloads[index]
    guard !overload.isSolved, case .function(let parameters, let result) = store[overload.function],
      let first = parameters.first
    else { return }
    switch chooseRow(overload.rows, head: head(first)) {
    case .many(let rows):
      if store.isError(first) {
        overloads[index].isSolved = true
        store.spoil(overload.function)
      }
      overloads[index].rows = rows
      watch(first, index)
    case .one(let row):
      overloads[index].isSolved = true
      apply(row, overload, parameters: parameters, result: result)
    case .none:
      overloads[index].isSolved = true
      reportNoRow(overload, first)
      store.spoil(overload.function)
    }
  }

  private func reportNoRow(_ overload: Overload, _ first: Ty) {
    let places = containers(overload.rows)
    noteCause(of: tree.span(overload.arguments.first ?? overload.site), [first])
    if let argument = overload.arguments.first {
      report(
        .noRow(
          argument, name: overload.name, containers: places, show(first),
          others: Array(overload.arguments.dropFirst()), looksVarying: looksVarying(argument),
          declaration: declaration(of: argument)), at: tree.span(argument))
    } else {
      report(
        .noRowInside(overload.site, name: overload.name, containers: places, show(first)), at: tree.span(overload.site))
    }
  }

  private func apply(_ row: Int, _ overload: Overload, parameters: [Ty], result: Ty) {
    if let callee = overload.callee { resolutions[callee.index] = .builtin(rows: [row]) }
    let use = store.instantiate(Signature.all[row], count: parameters.count)
    let fact = CalleeFact(name: overload.name, kind: .builtin, parameters: Builtins.all[row].parameters)
    guard let needed = use.parameters, needed.count == parameters.count else { return }
    for (index, pair) in zip(needed, parameters).enumerated() {
      let hasArgument = overload.arguments.indices.contains(index)
      let site = hasArgument ? overload.arguments[index] : overload.site
      if let count = overload.lambdas[index],
        takesApart(hasArgument ? site : nil, count, needed: pair.0, actual: pair.1)
      {
        continue
      }
      let reason = Reason.argument(index, of: fact, call: overload.site)
      if let failure = store.unify(expected: pair.0, actual: pair.1) {
        mismatch(site, tree.span(site), actual: pair.1, expected: pair.0, failure: failure, reason: reason)
        store.spoil(overload.function)
        return
      }
    }
    if let failure = store.unify(expected: use.result, actual: result) {
      mismatch(
        overload.site, tree.span(overload.site), actual: use.result, expected: result, failure: failure,
        reason: .recursion(overload.name, tree.span(overload.site)))
    }
  }

  /// The arguments that are literal lambdas of several parameters, with their numbers.
  private func lambdaSizes(_ arguments: [Argument]) -> [Int: Int] {
    var sizes: [Int: Int] = [:]
    for (index, argument) in arguments.enumerated() {
      if case .lambda(let parameters, _) = tree[bare(argument.expr)], parameters.count > 1 {
        sizes[index] = parameters.count
      }
    }
    return sizes
  }

  /// A lambda of several parameters that was typed before its row was known, and now takes a tuple apart.
  private func takesApart(_ site: ExprID?, _ count: Int, needed: Ty, actual: Ty) -> Bool {
    guard case .function(let one, let result) = store[needed], one.count == 1,
      case .function(let several, let given) = store[actual], several.count == count
    else { return false }
    let tuple = store.add(.tuple(several))
    guard store.unify(expected: one[0], actual: tuple) == nil, store.unify(expected: result, actual: given) == nil
    else {
      return false
    }
    if let site {
      tupleLambdas.insert(bare(site))
      exprTypes[bare(site).index] = needed
    }
    return true
  }
}
