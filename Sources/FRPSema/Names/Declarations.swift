// What the files declare, and what patterns bind: the part of resolution that fills scopes.

import FRPBase
import FRPCore
import FRPSyntax

extension Resolver {
  /// Fills the scopes: types and constructors of every module, then imports, then values, whose patterns name
  /// constructors.
  mutating func declareModules() {
    table.scopes = tree.modules.map { _ in ModuleScope() }
    eachItem { resolver, item in
      resolver.table.moduleOfItem[item] = resolver.module
      resolver.declareTypes(item)
    }
    eachItem { resolver, item in
      guard case .importModule(let name) = resolver.tree[item] else { return }
      let target = resolver.tree.modules.firstIndex { $0.name == name.text }
      resolver.table.scopes[resolver.module.index].imports[name.text] = .some(target.map { ModuleID($0) })
    }
    for (target, file) in tree.modules.enumerated() where file.isHost {
      for index in tree.modules.indices where !tree.modules[index].isHost {
        table.scopes[index].imports[file.name] = .some(ModuleID(target))
      }
      table.scopes[target].imports[ModuleLoader.mainAsHost] = .some(.main)
    }
    eachItem { resolver, item in
      for (name, reference, span) in resolver.names(of: item) { resolver.declare(value: name, reference, at: span) }
    }
  }

  private mutating func eachItem(_ body: (inout Resolver, ItemID) -> Void) {
    for (index, file) in tree.modules.enumerated() {
      module = ModuleID(index)
      for item in file.items { body(&self, item) }
    }
  }

  private mutating func declareTypes(_ item: ItemID) {
    switch tree[item] {
    case .type(let name, _, let constructors):
      let id = NominalID(NameTable.builtinNominals + table.nominalItems.count)
      table.nominalItems.append(item)
      declare(type: name, .nominal(id))
      for (tag, constructor) in constructors.enumerated() { declare(constructor.name, id, tag: tag) }
    case .alias(let name, _, _): declare(type: name, .alias(item))
    case .definition, .input, .output, .importModule, .test: break
    }
  }

  private mutating func declare(value name: String, _ reference: Reference, at span: Span) {
    if let first = table.scopes[module.index].values[name] {
      problems.append(.duplicate(Name(name, span), first: first.span, isParameter: false))
      return
    }
    table.scopes[module.index].values[name] = (reference, span)
    table.scopes[module.index].valueOrder.append(name)
  }

  private mutating func declare(type name: Name, _ reference: TypeReference) {
    if let first = table.scopes[module.index].types[name.text] {
      problems.append(.duplicate(name, first: first.span, isParameter: false))
      return
    }
    table.scopes[module.index].types[name.text] = (reference, name.span)
  }

  private mutating func declare(_ name: Name, _ nominal: NominalID, tag: Int) {
    if let first = table.scopes[module.index].constructors[name.text] {
      problems.append(.duplicate(name, first: first.span, isParameter: false))
      return
    }
    table.scopes[module.index].constructors[name.text] = (nominal, tag, name.span)
  }

  /// The names a definition or input binds.
  mutating func names(of item: ItemID) -> [(String, Reference, Span)] {
    switch tree[item] {
    case .input(let name, _, _, _): return [(name.text, .input(item), name.span)]
    case .definition(let definition):
      switch definition.binder {
      case .function(let name, _): return [(name.text, .function(item), name.span)]
      case .value(let pattern):
        let list = binders(of: [pattern])
        table.bindersOfDefinition[item] = list.map(\.pattern)
        for binder in list { table.definitionOfBinder[binder.pattern] = item }
        return list.map { ($0.name, .binder($0.pattern), tree.span($0.pattern)) }
      }
    default: return []
    }
  }

  typealias Binder = (name: String, pattern: PatternID)

  /// All names that patterns bind, left to right; resolves their constructors on the way. A name that is bound twice
  /// is reported.
  mutating func binders(of patterns: [PatternID]) -> [Binder] {
    var list: [Binder] = []
    for pattern in patterns { collect(pattern, into: &list) }
    var seen: [String: PatternID] = [:]
    return list.filter { binder in
      if let first = seen[binder.name] {
        problems.append(
          .duplicate(Name(binder.name, tree.span(binder.pattern)), first: tree.span(first), isParameter: true))
        return false
      }
      seen[binder.name] = binder.pattern
      return true
    }
  }

  private mutating func collect(_ id: PatternID, into list: inout [Binder]) {
    guard guardian.enter() else {
      problems.append(.tooDeep(tree.span(id)))
      return
    }
    defer { guardian.leave() }
    switch tree[id] {
    case .missing, .wildcard, .int, .float, .bool, .unit, .string: break
    case .name(let text): if !text.isEmpty { list.append((text, id)) }
    case .constructor(let moduleName, let name, let arguments):
      if let found = findConstructor(module: moduleName, name) { table.constructorPatterns[id] = found }
      for argument in arguments { collect(argument.pattern, into: &list) }
    case .tuple(let elements): for element in elements { collect(element, into: &list) }
    case .record(let fields):
      checkTwice(fields.map(\.name))
      for field in fields { collect(field.pattern, into: &list) }
    case .list(let elements, let rest, let restIndex):
      if elements.count == 1, case .none = rest, let parts = barBeforeRest(elements[0]) {
        // Both names are known, so that nothing else is said of them.
        for part in parts { collect(part, into: &list) }
        return
      }
      for (index, element) in elements.enumerated() {
        if index == restIndex, case .rest(let binder?) = rest { collect(binder, into: &list) }
        collect(element, into: &list)
      }
      if restIndex >= elements.count, case .rest(let binder?) = rest { collect(binder, into: &list) }
    case .alternatives(let alternatives): collectAlternatives(alternatives, into: &list)
    case .alias(let inner, let binder):
      collect(inner, into: &list)
      collect(binder, into: &list)
    }
  }

  /// The parts of the only element of a list, where they are meant as its first one and its rest, which is reported.
  private mutating func barBeforeRest(_ element: PatternID) -> [PatternID]? {
    guard case .alternatives(let parts) = tree[element], parts.count == 2, case .name(let text) = tree[parts[1]],
      !binders(of: [parts[0]]).contains(where: { $0.name == text })
    else { return nil }
    let rest = Name(text, tree.span(parts[1]))
    problems.append(.barBeforeRest(tree.span(element), first: tree.span(parts[0]), rest: rest))
    return parts
  }

  /// Each alternative binds the same names; those of the first stand for all.
  private mutating func collectAlternatives(_ alternatives: [PatternID], into list: inout [Binder]) {
    guard let head = alternatives.first else { return }
    let first = binders(of: [head])
    list += first
    for alternative in alternatives.dropFirst() {
      let other = binders(of: [alternative])
      for binder in other {
        if let canonical = first.first(where: { $0.name == binder.name }) {
          table.alternativeBinders[binder.pattern] = canonical.pattern
        } else {
          problems.append(.notInAllAlternatives(Name(binder.name, tree.span(binder.pattern)), missing: tree.span(head)))
        }
      }
      for binder in first where !other.contains(where: { $0.name == binder.name }) {
        problems.append(
          .notInAllAlternatives(Name(binder.name, tree.span(binder.pattern)), missing: tree.span(alternative)))
      }
    }
  }

  /// Reports fields that are given twice.
  mutating func checkTwice(_ names: [Name]) {
    var seen: [String: Span] = [:]
    for name in names where !name.text.isEmpty {
      if let first = seen[name.text] {
        problems.append(.fieldTwice(name, first: first))
      } else {
        seen[name.text] = name.span
      }
    }
  }
}
