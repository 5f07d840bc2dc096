// Definitions, group by group.
//
//        Γ, f1: t1, …, fn: tn ⊢ ei : ti    at a level above Γ's, for each i
//   ──────────────────────────────────────────────────────────────── (group)
//        Γ, f1: ∀g.t1, …, fn: ∀g.tn ⊢ …      g: what lies above Γ's level
//
// All definitions of a group share one list of generics, so that a use inside the group has the identity as its
// instance. Overloaded uses whose first argument the callers decide go into the scheme.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  /// Overloaded uses that one scheme may leave open; more is a program that grows exponentially.
  static let maximalOverloads = 200

  func checkGroup(_ items: [ItemID]) {
    let isOutermost = pending.count == 1
    let start = progress
    store.level += 1
    store.steps = 0
    if items.count > 1 { openGroups += 1 }
    pending.append([])
    for item in items { groupOfItem[item] = ownUsesToCompare.count }
    ownUsesToCompare.append([])
    var scopes: [ItemID: [String: Ty]] = [:]
    for item in items {
      typeVariables.append([:])
      prepare(item)
      scopes[item] = typeVariables.removeLast()
    }
    var failed: Set<ItemID> = []
    for item in items {
      let before = (problems.count + nameProblems.count, missedNames)
      typeVariables.append(scopes[item] ?? [:])
      checkBody(item)
      typeVariables.removeLast()
      if missedNames > before.1 { missesNames.insert(item) }
      if problems.count + nameProblems.count > before.0 || missedNames > before.1 || damaged.contains(item) {
        failed.insert(item)
      }
    }
    if compareOwnUses(ownUsesToCompare.removeLast()) { failed.formUnion(items) }
    solveReady()
    store.level -= 1
    if items.count > 1 { openGroups -= 1 }
    finishGroup(items, failed)
    if isOutermost { setAside(since: start) }
  }

  /// Gives a definition the types its annotations say, and open ones elsewhere.
  private func prepare(_ item: ItemID) {
    guard case .definition(let definition) = tree[item] else { return }
    module = names.moduleOfItem[item] ?? module
    let result = definition.type.map { annotation($0) }
    switch definition.binder {
    case .value(let pattern):
      let type = result?.type ?? store.fresh()
      monomorphic[item] = type
      if result != nil { annotated.insert(item) }
      if result?.isBehavior == true { behaviorAnnotations.insert(pattern) }
      checkPattern(pattern, type, subject: nil)
    case .function(_, let parameters):
      var types: [Ty] = []
      for parameter in parameters {
        let declared = parameter.type.map { annotation($0) }
        if declared?.isBehavior == true { behaviorAnnotations.insert(parameter.pattern) }
        types.append(declared?.type ?? store.fresh())
      }
      let resultType = result?.type ?? store.fresh()
      parameterTypes[item] = (types, resultType)
      monomorphic[item] = store.function(types, resultType)
      if result != nil, parameters.allSatisfy({ $0.type != nil }) { annotated.insert(item) }
    }
  }

  private func checkBody(_ item: ItemID) {
    guard case .definition(let definition) = tree[item], store.budget.exceeded == nil else { return }
    lastItem = item
    module = names.moduleOfItem[item] ?? module
    var needed = monomorphic[item] ?? TypeStore.error
    var name: String?
    if case .function(let function, let parameters) = definition.binder, let types = parameterTypes[item] {
      for (parameter, type) in zip(parameters, types.parameters) { checkPattern(parameter.pattern, type, subject: nil) }
      needed = types.result
      name = function.text
    } else if case .value(let pattern) = definition.binder, case .name(let text) = tree[pattern] {
      name = text
    }
    if let written = definition.type {
      check(definition.body, needed, .annotation(tree.span(written), name: name))
    } else {
      let before = problems.count
      let type = infer(definition.body)
      if problems.count > before {
        _ = store.unify(expected: needed, actual: type)
        solveReady()
      } else {
        require(definition.body, type, is: needed, .recursion(name ?? "", tree.span(item)))
      }
    }
  }

  // MARK: Generalising

  private func finishGroup(_ items: [ItemID], _ failed: Set<ItemID>) {
    let waiting = pending.removeLast()
    noteEffects(items)
    keepOneType(items)
    let kept = settle(waiting, reachableFrom: items.compactMap { monomorphic[$0] })
    // What is made of a mistake is one: who uses it is not to be blamed, either.
    let isMadeOfMistake = waiting.contains { index in
      if let first = firstParameter(index), case .error = store[first] { true } else { false }
    }
    var generics: [GenericID] = []
    for item in items { if let type = monomorphic[item] { store.generalise(type, into: &generics) } }
    var open: [SchemeOverload] = []
    for index in kept {
      store.generalise(overloads[index].function, into: &generics)
      let overload = overloads[index]
      open.append(SchemeOverload(rows: overload.rows, function: overload.function, lambdas: overload.lambdas))
      overloads[index].isSolved = true
    }
    noteDecodings(generics)
    items.forEach(noteAnswer)
    let instance = generics.map { store.add(.generic($0)) }
    for item in items {
      let type = monomorphic.removeValue(forKey: item) ?? TypeStore.error
      let isBroken =
        (!failed.isEmpty || isMadeOfMistake) && !annotated.contains(item)
        || isTooBig(type, item, overloadCount: open.count)
      schemes[item] =
        isBroken ? brokenScheme(item) : OpenScheme(generics: generics, type: type, overloads: open)
      if isBroken { breakBinders(item) }
      for use in ownUses.removeValue(forKey: item) ?? [] { setInstance(use, instance) }
    }
  }

  /// Which generics are what some text is decoded to: a use that leaves them open is ambiguous.
  private func noteDecodings(_ generics: [GenericID]) {
    if decodings.isEmpty { return }
    let own = Set(generics)
    for decoding in decodings {
      var work = [(type: decoding.type, kind: decoding.kind)]
      while let (type, kind) = work.popLast() {
        let inner: Decoding.Kind = kind == .answer ? .part : kind
        switch store[type] {
        case .generic(let id):
          if own.contains(id), (decodingGenerics[id] ?? .answer) == .answer { decodingGenerics[id] = kind }
        // A record's other fields may stay open: then there are none.
        case .record(let fields, let tail): work += store.row(fields, tail).fields.map { ($0.type, inner) }
        // Where nothing says what an `Err` is, it is an Error.
        case .nominal(.result, let parts) where kind == .answer: work += [(parts[0], .part), (parts[1], .answer)]
        default: work += store.parts(type).map { ($0, inner) }
        }
      }
    }
  }

  /// Which generics of a host's operation are what it brings: those that no argument decides.
  private func noteAnswer(_ item: ItemID) {
    guard tree.modules[module.index].isHost, let type = monomorphic[item] else { return }
    var (taken, given): ([Ty], Ty) = ([], type)
    while case .function(let parameters, let result) = store[given] { (taken, given) = (taken + parameters, result) }
    let decided = Set(taken.flatMap(genericParts))
    for id in genericParts(given) where !decided.contains(id) { decodingGenerics[id] = .answer }
  }

  private func genericParts(_ type: Ty) -> [GenericID] {
    if case .generic(let id) = store[type] { return [id] }
    return store.parts(type).flatMap(genericParts)
  }

  private func setInstance(_ use: ExprID, _ instance: [Ty]) {
    switch resolutions[use.index] {
    case .binder(let pattern, _): resolutions[use.index] = .binder(pattern, instance)
    case .function(let item, _): resolutions[use.index] = .function(item, instance: instance)
    default: break
    }
  }

  private func isTooBig(_ type: Ty, _ item: ItemID, overloadCount: Int) -> Bool {
    let (size, depth) = store.measure(type)
    if size <= store.maximalSize, depth <= TypeStore.maximalDepth, overloadCount <= Self.maximalOverloads {
      return false
    }
    report(.tooBig(nameSpan(item), name: definedName(item)), at: nameSpan(item))
    return true
  }

  /// A definition with a mistake fits everything, so that its users are not blamed; its number of parameters is known.
  private func brokenScheme(_ item: ItemID) -> OpenScheme {
    guard case .definition(let definition) = tree[item], case .function(_, let parameters) = definition.binder else {
      return OpenScheme(generics: [], type: TypeStore.error)
    }
    let type = store.function(parameters.map { _ in TypeStore.error }, TypeStore.error)
    return OpenScheme(generics: [], type: type)
  }

  private func breakBinders(_ item: ItemID) {
    for pattern in names.bindersOfDefinition[item] ?? [] { patternTypes[pattern.index] = TypeStore.error }
  }

  /// What remains of overloaded uses when their group is done: those that the callers decide. The others get the
  /// default of numbers, belong to an outer group, or are ambiguous.
  private func settle(_ waiting: [Int], reachableFrom types: [Ty]) -> [Int] {
    var rest = handOutward(waiting.filter { !overloads[$0].isSolved })
    settleLambdas(&rest)
    var reached: Set<Ty> = []
    for type in types { reached.formUnion(store.openVariables(type)) }
    var kept: [Int] = []
    var changed = true
    while changed {
      changed = false
      rest = rest.filter { index in
        guard let first = firstParameter(index), reached.contains(store.find(first)) else { return true }
        kept.append(index)
        for type in store.openVariables(overloads[index].function) where reached.insert(type).inserted {
          changed = true
        }
        return false
      }
    }
    settleAlone(rest)
    return kept.filter { !overloads[$0].isSolved }.sorted()
  }

  /// Leaves uses to the outer group whose first argument that group knows; gives the others. It decides once for all uses,
  /// so nothing of such a use may become general here.
  private func handOutward(_ waiting: [Int]) -> [Int] {
    var rest = waiting
    var count = -1
    while count != rest.count, !pending.isEmpty {
      count = rest.count
      rest = rest.filter { index in
        guard let first = firstParameter(index), let variable = store.variable(first), variable.level <= store.level
        else { return true }
        store.lower(overloads[index].function)
        pending[pending.count - 1].append(index)
        return false
      }
    }
    return rest
  }

  /// Gives numbers their default, then looks at what is left: what a number decides does not depend on which use was met
  /// first.
  func settleAlone(_ indices: [Int]) {
    var isNews = true
    while isNews {
      isNews = false
      for index in indices where !overloads[index].isSolved {
        guard let first = firstParameter(index), let variable = store.variable(first) else {
          solve(index)
          continue
        }
        if variable.classes.contains(.num), variable.rigid == nil {
          _ = store.unify(expected: TypeStore.int, actual: first)
          solveReady()
          isNews = true
        }
      }
    }
    let unused = indices.filter { !overloads[$0].isSolved && !settleUnused($0) }
    for index in unused where !overloads[index].isSolved { reportAmbiguous(index) }
  }

  /// Nothing says which row is meant; where the call around it is wrong, that is why.
  func reportAmbiguous(_ index: Int) {
    overloads[index].isSolved = true
    let overload = overloads[index]
    let span = tree.span(overload.site)
    let isWithinProblem = reported.contains { $0.file == span.file && $0.start <= span.start && span.end <= $0.end }
    if isWithinProblem { return }
    report(.ambiguous(overload.site, name: overload.name, containers: containers(overload.rows)), at: span)
  }

  func firstParameter(_ index: Int) -> Ty? {
    if case .function(let parameters, _) = store[overloads[index].function] { return parameters.first }
    return nil
  }

  func containers(_ rows: [Int]) -> [String] {
    var seen: Set<String> = []
    return rows.map { Builtins.all[$0].container }.filter { seen.insert($0).inserted }
  }

  // MARK: Names of definitions

  func definedName(_ item: ItemID) -> String? {
    guard case .definition(let definition) = tree[item] else { return nil }
    switch definition.binder {
    case .function(let name, _): return name.text
    case .value(let pattern):
      if case .name(let text) = tree[pattern] { return text }
      return nil
    }
  }

  func nameSpan(_ item: ItemID) -> Span {
    switch tree[item] {
    case .definition(let definition):
      switch definition.binder {
      case .function(let name, _): return name.span
      case .value(let pattern): return tree.span(pattern)
      }
    case .input(let name, _, _, _), .type(let name, _, _), .alias(let name, _, _), .importModule(let name):
      return name.span
    case .output, .test: return tree.span(item)
    }
  }
}
