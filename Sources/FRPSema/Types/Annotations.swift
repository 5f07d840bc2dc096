// Types as written become types; aliases are expanded, declared variants get their constructors.
//
// In:  `TypeExpr`.
// Out: `Ty`. `Behavior<T>` is T; lower-case names are rigid variables in annotations (the same name means the same
//      variable inside a definition) and parameters in declarations.

import FRPBase
import FRPCore
import FRPSyntax

enum AliasState {
  case working
  /// The alias of no parameters, or its body over generics that stand for the parameters.
  case done(parameters: [GenericID], Ty)
}

extension Checker {
  /// The types every program has, then the program's own, by `NominalID`.
  func declareNominals() {
    func builtin(_ name: String, _ parameters: Int, cases: ([Ty]) -> [(String, [Ty])]) {
      let (ids, types) = newGenerics((0..<parameters).map { ["a", "e"][$0] })
      nominals.append(
        Nominal(
          name: name, generics: ids,
          cases: cases(types).map { Nominal.Case(name: $0.0, labels: nil, fields: $0.1) }, span: .none))
    }
    builtin("Option", 1) { [("None", []), ("Some", [$0[0]])] }
    builtin("Result", 2) { [("Ok", [$0[0]]), ("Err", [$0[1]])] }
    builtin("Policy", 0) { _ in
      PolicyCase.names.dropLast().map { ($0, $0 == "Limit" ? [TypeStore.int] : []) }
    }
    builtin("Json", 0) { _ in
      let json = store.add(.nominal(.json, []))
      let fields: [[Ty]] = [
        [], [TypeStore.bool], [TypeStore.int], [TypeStore.float], [TypeStore.string], [store.list(json)],
        [store.add(.map(TypeStore.string, json))],
      ]
      return Array(zip(JsonCase.names, fields))
    }
    builtin("Set", 1) { _ in [] }
    builtin("Source", 1) { _ in [] }
    builtin("Link", 0) { _ in
      LinkCase.names.map { ($0, $0 == "Retrying" ? [TypeStore.string] : []) }
    }
    builtin("Secret", 0) { _ in [] }
    markOpaque(.source)
    for item in names.nominalItems {
      guard case .type(let name, let parameters, let constructors) = tree[item] else { continue }
      findMissingVariables(item, name, parameters: parameters, constructors: constructors)
      let (ids, _) = newGenerics(parameters.map(\.text))
      nominals.append(Nominal(name: name.text, generics: ids, cases: [], span: name.span))
    }
    nominalNames = nominals.map(\.name)
    for (place, item) in zip(nominals.indices.dropFirst(NameTable.builtinNominals), names.nominalItems) {
      nominalNames[place] = shownName(nominals[place].name, item)
    }
    for (index, item) in names.nominalItems.enumerated() { fill(NameTable.builtinNominals + index, item) }
    findGrowingTypes()
    findOpaque()
    aliasNames.add("Error", store.record([("message", TypeStore.string)]), in: store)
  }

  /// What messages call a declared type: with its module where another module has one of that name.
  private func shownName(_ name: String, _ item: ItemID) -> String {
    let home = names.moduleOfItem[item] ?? .main
    if home == .main || names.scopes.count(where: { $0.types[name] != nil }) < 2 { return name }
    return "\(tree.modules[home.index].name).\(name)"
  }

  /// What stands before the constructors of a type in the module under work.
  func qualifier(of id: NominalID) -> String {
    let place = id.index - NameTable.builtinNominals
    if place < 0 { return "" }
    let home = names.moduleOfItem[names.nominalItems[place]] ?? .main
    return home == module || tree.modules[home.index].isHost ? "" : "\(tree.modules[home.index].name)."
  }

  /// Whether a type's declaration has a syntax error, or lacks its variables.
  func isDamaged(_ id: NominalID) -> Bool {
    let place = id.index - NameTable.builtinNominals
    if place < 0 { return false }
    return damaged.contains(names.nominalItems[place]) || isWithoutVariables.contains(names.nominalItems[place])
  }

  /// `type Tree = Leaf | Node(Tree<a>)`: one report for all that follows from the missing `<a>`.
  private func findMissingVariables(
    _ item: ItemID, _ name: Name, parameters: [Name], constructors: [ConstructorDeclaration]
  ) {
    guard parameters.isEmpty else { return }
    var missing: [Name] = []
    var pending = Array(constructors.flatMap(\.fields).map(\.type).reversed())
    while let next = pending.popLast() {
      switch tree[next] {
      case .variable(let variable):
        if !missing.contains(where: { $0.text == variable.text }) { missing.append(variable) }
      case .named(_, _, let arguments): pending += arguments.reversed()
      case .tuple(let parts): pending += parts.reversed()
      case .record(let fields): pending += fields.map(\.type).reversed()
      case .function(let arguments, let result): pending += [result] + arguments.reversed()
      case .unit, .missing: break
      }
    }
    if missing.isEmpty { return }
    isWithoutVariables.insert(item)
    nameProblems.append(.missingVariables(name, missing))
  }

  private func newGenerics(_ names: [String]) -> ([GenericID], [Ty]) {
    var ids: [GenericID] = []
    for name in names {
      ids.append(GenericID(store.generics.count))
      store.generics.append(([], name))
    }
    return (ids, ids.map { store.add(.generic($0)) })
  }

  private func fill(_ index: Int, _ item: ItemID) {
    guard case .type(_, let parameters, let constructors) = tree[item] else { return }
    module = names.moduleOfItem[item] ?? .main
    if isWithoutVariables.contains(item) {
      // What is wrong was said once; its parts and uses are not judged.
      nominals[index].cases = constructors.map { constructor in
        Nominal.Case(
          name: constructor.name.text,
          labels: constructor.fields.first?.label == nil ? nil : constructor.fields.map { $0.label?.text ?? "" },
          fields: constructor.fields.map { _ in TypeStore.error })
      }
      return
    }
    typeVariables.append(scope(parameters, nominals[index].generics))
    nominals[index].cases = constructors.map { constructor in
      let isLabelled = constructor.fields.first?.label != nil
      return Nominal.Case(
        name: constructor.name.text, labels: isLabelled ? constructor.fields.map { $0.label?.text ?? "" } : nil,
        fields: constructor.fields.map { convert($0.type, .declaration) })
    }
    typeVariables.removeLast()
  }

  private func scope(_ parameters: [Name], _ ids: [GenericID]) -> [String: Ty] {
    var result: [String: Ty] = [:]
    for (parameter, id) in zip(parameters, ids) where result[parameter.text] == nil {
      result[parameter.text] = store.add(.generic(id))
    }
    return result
  }

  /// Marks the types whose values hold functions, events or tasks, directly or through others.
  private func findOpaque() {
    var changed = true
    while changed {
      changed = false
      for (index, nominal) in nominals.enumerated() {
        let id = NominalID(index)
        if store.opaqueNominals.contains(id) { continue }
        if nominal.cases.contains(where: { $0.fields.contains { store.require(.eq, $0) != nil } }) {
          markOpaque(id)
          changed = true
        }
      }
    }
  }

  private func markOpaque(_ id: NominalID) {
    store.opaqueNominals.insert(id)
    nominals[id.index].isOpaque = true
  }

  enum AnnotationMode { case annotation, declaration, port }

  /// The type of an annotation, and whether it is a `Behavior<…>`.
  func annotation(_ id: TypeExprID, _ mode: AnnotationMode = .annotation) -> (type: Ty, isBehavior: Bool) {
    if case .named(nil, let name, let arguments) = tree[id], name.text == "Behavior", arguments.count == 1 {
      return (convert(arguments[0], mode), true)
    }
    return (convert(id, mode), false)
  }

  func convert(_ id: TypeExprID, _ mode: AnnotationMode) -> Ty {
    guard guardian.enter() else {
      report(.tooDeep(tree.typeExprSpans[id.index]), at: tree.span(id))
      return TypeStore.error
    }
    defer { guardian.leave() }
    switch tree[id] {
    case .missing: return TypeStore.error
    case .unit: return TypeStore.unit
    case .variable(let name): return variable(name, mode)
    case .tuple(let elements): return store.add(.tuple(elements.map { convert($0, mode) }))
    case .record(let fields): return recordType(fields, mode)
    case .function(let parameters, let result):
      let list = parameters.map { convert($0, mode) }
      return store.function(list, convert(result, mode))
    case .named(let moduleName, let name, let arguments):
      return named(moduleName, name, arguments: arguments.map { convert($0, mode) })
    }
  }

  private func recordType(_ fields: [(name: Name, type: TypeExprID)], _ mode: AnnotationMode) -> Ty {
    var seen: [String: Span] = [:]
    var list: [RecordFieldType] = []
    for field in fields {
      let type = convert(field.type, mode)
      if let first = seen[field.name.text] {
        nameProblems.append(.fieldTwice(field.name, first: first))
      } else {
        seen[field.name.text] = field.name.span
        list.append((field.name.text, type))
      }
    }
    return store.record(list)
  }

  private func variable(_ name: Name, _ mode: AnnotationMode) -> Ty {
    for scope in typeVariables.reversed() {
      if let known = scope[name.text] { return known }
    }
    if mode != .annotation || typeVariables.isEmpty {
      nameProblems.append(.unknownTypeVariable(name))
      return TypeStore.error
    }
    let new = store.fresh(rigid: name.text)
    typeVariables[typeVariables.count - 1][name.text] = new
    return new
  }

  private func named(_ moduleName: Name?, _ name: Name, arguments: [Ty]) -> Ty {
    var scope = names.scopes[module.index]
    if let moduleName {
      guard let imported = scope.imports[moduleName.text] else {
        nameProblems.append(.unknownModule(moduleName, name, known: scope.imports.keys.sorted(), isType: false))
        return TypeStore.error
      }
      usedImports[module, default: []].insert(moduleName.text)
      guard let imported else { return TypeStore.error }
      scope = names.scopes[imported.index]
      if scope.types[name.text] == nil {
        nameProblems.append(.notInModule(name, module: moduleName.text, has: scope.types.keys.sorted()))
        return TypeStore.error
      }
    }
    switch scope.types[name.text]?.reference {
    case .nominal(let id):
      if isDamaged(id) { return TypeStore.error }
      return checked(name, arguments, count: nominals[id.index].generics.count) { .nominal(id, $0) }
    case .alias(let item): return alias(item, name, arguments: arguments)
    case nil: return builtinType(name, arguments, scope: scope)
    }
  }

  private func checked(_ name: Name, _ arguments: [Ty], count: Int, make: ([Ty]) -> TypeStore.Node) -> Ty {
    if arguments.count == count { return store.add(make(arguments)) }
    nameProblems.append(.typeArguments(name, expected: count, actual: arguments.count))
    return TypeStore.error
  }

  private func builtinType(_ name: Name, _ arguments: [Ty], scope: ModuleScope) -> Ty {
    switch name.text {
    case "Unit": return checked(name, arguments, count: 0) { _ in .unit }
    case "Bool": return checked(name, arguments, count: 0) { _ in .bool }
    case "Int": return checked(name, arguments, count: 0) { _ in .int }
    case "Float": return checked(name, arguments, count: 0) { _ in .float }
    case "String": return checked(name, arguments, count: 0) { _ in .string }
    case "Error": return checked(name, arguments, count: 0) { _ in .record([("message", TypeStore.string)], tail: nil) }
    case "Policy": return checked(name, arguments, count: 0) { _ in .nominal(.policy, []) }
    case "Json": return checked(name, arguments, count: 0) { _ in .nominal(.json, []) }
    case "Set": return checked(name, arguments, count: 1) { .nominal(.set, $0) }
    case "Source": return checked(name, arguments, count: 1) { .nominal(.source, $0) }
    case "Secret": return checked(name, arguments, count: 0) { _ in .nominal(.secret, []) }
    case "Link": return checked(name, arguments, count: 0) { _ in .nominal(.link, []) }
    case "List": return checked(name, arguments, count: 1) { .list($0[0]) }
    case "Event": return checked(name, arguments, count: 1) { .event($0[0]) }
    case "Task": return checked(name, arguments, count: 1) { .task($0[0]) }
    case "Option": return checked(name, arguments, count: 1) { .nominal(.option, $0) }
    case "Map": return checked(name, arguments, count: 2) { .map($0[0], $0[1]) }
    case "Result": return checked(name, arguments, count: 2) { .nominal(.result, $0) }
    case "Behavior":
      if arguments.count == 1 { return arguments[0] }
      nameProblems.append(.typeArguments(name, expected: 1, actual: arguments.count))
      return TypeStore.error
    default:
      if !name.text.isEmpty {
        nameProblems.append(.unknownType(name, known: scope.types.keys.sorted() + NameTable.builtinTypes))
      }
      return TypeStore.error
    }
  }

  private func alias(_ item: ItemID, _ name: Name, arguments: [Ty]) -> Ty {
    switch aliases[item] {
    case .working:
      nameProblems.append(.aliasOfItself(name))
      aliases[item] = .done(parameters: [], TypeStore.error)
      return TypeStore.error
    case .done(let parameters, let body):
      if store.isError(body) { return body }
      if parameters.count != arguments.count {
        nameProblems.append(.typeArguments(name, expected: parameters.count, actual: arguments.count))
        return TypeStore.error
      }
      return store.substitute(body, Dictionary(uniqueKeysWithValues: zip(parameters, arguments)))
    case nil:
      expandAlias(item)
      return alias(item, name, arguments: arguments)
    }
  }

  /// Converts an alias's body, once; an alias that nobody uses is converted as well, for its mistakes.
  func expandAlias(_ item: ItemID) {
    guard aliases[item] == nil, case .alias(_, let parameters, let body) = tree[item] else { return }
    if damaged.contains(item) {
      aliases[item] = .done(parameters: [], TypeStore.error)
      return
    }
    aliases[item] = .working
    let outer = (module, typeVariables)
    module = names.moduleOfItem[item] ?? .main
    let (ids, _) = newGenerics(parameters.map(\.text))
    typeVariables = [scope(parameters, ids)]
    let type = convert(body, .declaration)
    (module, typeVariables) = outer
    if case .working = aliases[item] { aliases[item] = .done(parameters: ids, type) }
    if case .alias(let name, _, _) = tree[item], ids.isEmpty {
      aliasNames.add(shownName(name.text, item), type, in: store)
    }
  }
}
