// References and calls.
//
//   f : (t1, …, tn) -> t, ei : ti  ⊢  f(e1, …, en) : t           x |> f(a) is f(x, a), x |> f is f(x)
//
// Arguments that are lambdas are checked after the others, which by then say most about the lambdas' parameters.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  struct Argument {
    var expr: ExprID
    /// Its type, where it is inferred already (the left side of a pipe).
    var type: Ty?
  }

  // MARK: References

  /// f : ∀g.t ∈ Γ  ⊢  f : t[fresh/g]
  func inferReference(_ id: ExprID) -> Ty {
    if names.unknowns[id] != nil {
      reportUnknown(id, needed: nil)
      return TypeStore.error
    }
    switch names.references[id.index] {
    case .none, .reported:
      missedNames += 1
      return TypeStore.error
    case .input(let item):
      resolutions[id.index] = .input(item)
      return inputs[item]?.type ?? TypeStore.error
    case .binder(let pattern): return useBinder(id, pattern)
    case .function(let item):
      guard let scheme = schemes[item] else {
        resolutions[id.index] = .function(item, instance: [])
        ownUses[item, default: []].append(id)
        return monomorphic[item] ?? TypeStore.error
      }
      let map = instantiate(scheme, id)
      resolutions[id.index] = .function(item, instance: scheme.generics.map { map[$0] ?? TypeStore.error })
      return store.substitute(scheme.type, map)
    case .constructor(let nominal, let tag): return useConstructor(id, nominal, tag: tag)
    case .builtin(let rows): return useBuiltin(id, rows)
    }
  }

  private func useBinder(_ id: ExprID, _ pattern: PatternID) -> Ty {
    resolutions[id.index] = .binder(pattern, [])
    guard let item = names.definitionOfBinder[pattern] else { return patternTypes[pattern.index] }
    guard let scheme = schemes[item] else {
      ownUses[item, default: []].append(id)
      return patternTypes[pattern.index]
    }
    noteUse(of: item, at: id)
    let map = instantiate(scheme, id)
    resolutions[id.index] = .binder(pattern, scheme.generics.map { map[$0] ?? TypeStore.error })
    return store.substitute(patternTypes[pattern.index], map)
  }

  /// Fresh variables for a scheme's generics; its open overloaded uses become uses of this place.
  private func instantiate(_ scheme: OpenScheme, _ id: ExprID) -> [GenericID: Ty] {
    let map = store.freshVariables(for: scheme.generics)
    for generic in scheme.generics {
      if let kind = decodingGenerics[generic], let type = map[generic] {
        decodings.append(Decoding(call: id, type: type, kind: kind))
      }
    }
    for overload in scheme.overloads {
      let name = overload.rows.first.map { Builtins.all[$0].name } ?? ""
      wait(
        Overload(
          rows: overload.rows, function: store.substitute(overload.function, map), name: name, site: id, callee: nil,
          arguments: [], lambdas: overload.lambdas))
    }
    return map
  }

  private func useConstructor(_ id: ExprID, _ nominal: NominalID, tag: Int) -> Ty {
    if isDamaged(nominal) { return TypeStore.error }
    resolutions[id.index] = .constructor(nominal, tag: tag)
    let declared = nominals[nominal.index]
    let map = store.freshVariables(for: declared.generics)
    let own = store.add(.nominal(nominal, declared.generics.map { map[$0] ?? TypeStore.error }))
    let fields = declared.cases[tag].fields.map { store.substitute($0, map) }
    return fields.isEmpty ? own : store.function(fields, own)
  }

  /// A built-in that is not called at once: `time`, `fold(0.0, max)`.
  private func useBuiltin(_ id: ExprID, _ rows: [Int]) -> Ty {
    resolutions[id.index] = .builtin(rows: rows)
    guard let count = rows.compactMap({ Signature.all[$0].parameters?.count }).first else {
      return rows.first.map { store.instantiate(Signature.all[$0]).result } ?? TypeStore.error
    }
    let fitting = rows.filter { Signature.all[$0].parameters?.count == count }
    resolutions[id.index] = .builtin(rows: fitting)
    let signature = fitting.count == 1 ? Signature.all[fitting[0]] : skeleton(of: fitting, count: count)
    let use = store.instantiate(signature)
    let type = store.function(use.parameters ?? [], use.result)
    if fitting.count == 1, isDecoder(fitting[0]) { decodings.append(Decoding(call: id, type: use.result)) }
    if fitting.count > 1 {
      wait(
        Overload(
          rows: fitting, function: type, name: Builtins.all[fitting[0]].name, site: id, callee: id, arguments: []))
    }
    return type
  }

  // MARK: Calls

  func inferPipe(_ id: ExprID, _ left: ExprID, leftType: Ty, right: ExprID) -> Ty {
    let first = Argument(expr: left, type: leftType)
    switch tree[right] {
    case .call(let callee, let arguments):
      let type = inferCall(id, callee, arguments: [first] + arguments.map { Argument(expr: $0) })
      exprTypes[right.index] = type
      return type
    default: return inferCall(id, right, arguments: [first])
    }
  }

  func inferCall(_ id: ExprID, _ callee: ExprID, arguments: [Argument]) -> Ty {
    let target = bare(callee)
    if names.unknowns[target] == nil, case .builtin(let rows) = names.references[target.index],
      rows.contains(where: { Signature.all[$0].parameters != nil })
    {
      let type = inferBuiltinCall(id, target, all: rows, arguments: arguments)
      var outer = callee
      while outer != target, case .paren(let inner) = tree[outer] {
        exprTypes[outer.index] = exprTypes[target.index]
        outer = inner
      }
      return type
    }
    let problemsBefore = problems.count
    let type = infer(callee)
    let fact = calleeFact(callee, type)
    switch store[type] {
    case .function(let parameters, let result):
      guard parameters.count == arguments.count else {
        arguments.forEach(giveUp)
        if parameters.count < arguments.count, mayLackParameters(callee) { return TypeStore.error }
        report(
          .arity(
            call: id, callee: fact, expected: [parameters.count], arguments: arguments.map(\.expr), subject: nil,
            isCurried: takes(result, arguments.count - parameters.count)),
          at: tree.span(id))
        return TypeStore.error
      }
      checkArguments(arguments, parameters, fact: fact, call: id, group: openGroup(ofCallee: callee))
      return result
    case .variable(let index)
    where store.variables[index].rigid == nil && Head.function.allows(store.variables[index].classes):
      let types = arguments.map(typeOf)
      let result = store.fresh()
      return require(callee, type, is: store.function(types, result), .callee) ? result : TypeStore.error
    case .error:
      let told = problems.count
      arguments.forEach(giveUp)
      // What is given to `e.pipe(map(f))` lacks nothing but the pipe.
      if case .field(_, let name) = tree[bare(callee)], name.text == "pipe" { problems.removeSubrange(told...) }
      return TypeStore.error
    default:
      arguments.forEach(giveUp)
      // What is wrong within it is why it is none: `xs |> size > 0`.
      if problems.count == problemsBefore {
        report(
          .notAFunction(callee, show(type), arguments: arguments.count, isVarying: looksVarying(callee)),
          at: tree.span(callee))
      }
      return TypeStore.error
    }
  }

  /// Whether it is a function of so many parameters.
  private func takes(_ type: Ty, _ count: Int) -> Bool {
    if case .function(let parameters, _) = store[type] { count > 0 && parameters.count == count } else { false }
  }

  private func typeOf(_ argument: Argument) -> Ty { argument.type ?? infer(argument.expr) }

  /// Infers an argument of a call that is wrong, or calls what is: nobody will say what is open in it.
  func giveUp(_ argument: Argument) {
    store.spoil(typeOf(argument))
    solveReady()
  }

  func checkArguments(
    _ arguments: [Argument], _ parameters: [Ty], fact: CalleeFact, call: ExprID, from start: Int = 0,
    group: Int? = nil
  ) {
    for isLast in [false, true] {
      for index in arguments.indices.dropFirst(start) where isLambda(arguments[index].expr) == isLast {
        let argument = arguments[index]
        let reason = Reason.argument(index, of: fact, call: call)
        if waits(argument, parameter: parameters[index], reason: reason, group: group) { continue }
        if let type = argument.type {
          require(argument.expr, type, is: parameters[index], reason)
        } else {
          check(argument.expr, parameters[index], reason)
        }
      }
    }
  }

  func calleeFact(_ callee: ExprID, _ type: Ty) -> CalleeFact {
    let target = bare(callee)
    let text = sources.text(tree.span(target))
    switch names.references[target.index] {
    case .function(let item):
      var parameters: [String] = []
      if case .definition(let definition) = tree[item], case .function(_, let list) = definition.binder {
        parameters = list.map { parameter in
          if case .name(let name) = tree[parameter.pattern] { name } else { "" }
        }
      }
      return CalleeFact(name: text, kind: .function, declaration: nameSpan(item), parameters: parameters)
    case .binder(let pattern): return CalleeFact(name: text, kind: .value, declaration: tree.span(pattern))
    case .builtin(let rows):
      return CalleeFact(name: text, kind: .builtin, parameters: rows.first.map { Builtins.all[$0].parameters } ?? [])
    case .constructor(let nominal, let tag):
      let form = nominals[nominal.index].cases[tag]
      var fact = constructorFact(Name(form.name, tree.span(target)), form)
      fact.name = text
      return fact
    case .input, .none, .reported: return CalleeFact(name: text, kind: .value)
    }
  }

  /// A constructor with labelled arguments: `Rect(w: 1.0, h: 2.0)`, in any order.
  func inferLabelledCall(_ id: ExprID, _ callee: ExprID, arguments: [(label: Name, value: ExprID)]) -> Ty {
    let type = infer(callee)
    let fact = calleeFact(callee, type)
    guard case .constructor(let nominal, let tag) = names.references[bare(callee).index] else {
      for argument in arguments { _ = infer(argument.value) }
      if let first = arguments.first, !store.isError(type) {
        report(.patternLabel(first.label, fact, known: []), at: first.label.span)
      }
      return TypeStore.error
    }
    let form = nominals[nominal.index].cases[tag]
    let labels = form.labels ?? []
    guard case .function(let fields, let result) = store[type] else {
      for argument in arguments { _ = infer(argument.value) }
      if store.isError(type) { return TypeStore.error }
      report(.patternLabel(arguments.first?.label ?? Name("", tree.span(id)), fact, known: labels), at: tree.span(id))
      return TypeStore.error
    }
    var given: Set<Int> = []
    for argument in arguments {
      guard let place = labels.firstIndex(of: argument.label.text) else {
        report(.patternLabel(argument.label, fact, known: labels), at: argument.label.span)
        _ = infer(argument.value)
        continue
      }
      if !given.insert(place).inserted { nameProblems.append(.fieldTwice(argument.label, first: tree.span(id))) }
      check(argument.value, fields[place], .argument(place, of: fact, call: id))
    }
    if given.count < fields.count, arguments.allSatisfy({ labels.contains($0.label.text) }) {
      report(
        .arity(
          call: id, callee: fact, expected: [fields.count], arguments: arguments.map(\.value), subject: nil,
          isCurried: false),
        at: tree.span(id))
    }
    return result
  }
}
