// Name resolution.
//
// In:  the tree of all modules.
// Out: `NameTable`: what every name means, and definitions in groups by who refers to whom; problems.
// Rules: a program's definition hides a built-in; inner names hide outer ones; the definitions of a file, and those of
// a block, see each other whatever their order; twice in one scope is E0203.

import FRPBase
import FRPCore
import FRPSyntax

struct Resolver {
  let tree: Tree
  var table: NameTable
  var problems: [NameProblem] = []
  var guardian = DepthGuard()

  var module = ModuleID.main
  /// Visible local names, the innermost last.
  private var locals: [String: [(reference: Reference, span: Span)]] = [:]
  /// Names each open local scope added.
  private var frames: [[String]] = []
  /// What the definitions around this place refer to, the innermost last.
  private var dependencyStack: [[ItemID]] = []
  /// Whether a line of a test is at hand, which knows `calls`.
  private var isInTest = false
  /// Local names of the top-level definition at hand whose scope has ended.
  private var ended: [String: Span] = [:]
  /// The same for definitions in blocks, in the whole file.
  private var endedDefinitions: [String: Span] = [:]

  init(_ tree: Tree) {
    self.tree = tree
    table = NameTable(references: Array(repeating: .none, count: tree.exprs.count))
  }

  static func resolve(_ tree: Tree) -> (table: NameTable, problems: [NameProblem]) {
    var resolver = Resolver(tree)
    resolver.declareModules()
    resolver.walkModules()
    return (resolver.table, resolver.problems)
  }

  // MARK: Files

  private mutating func walkModules() {
    var definitions: [ItemID] = []
    for (index, file) in tree.modules.enumerated() {
      module = ModuleID(index)
      for item in file.items {
        ended = [:]
        switch tree[item] {
        case .definition(let definition):
          definitions.append(item)
          walkDefinition(item)
          if let sink = definition.sink { walkOutside { $0.walk(sink) } }
        case .input(_, _, let start, let source):
          for part in [start, source].compactMap({ $0 }) { walkOutside { $0.walk(part) } }
        case .test(_, let steps): walkOutside { resolver in steps.forEach { resolver.walk($0) } }
        case .output(let names): names.forEach { markUsed($0.text) }
        case .type, .alias, .importModule: break
        }
      }
    }
    table.groups = stronglyConnected(definitions) { table.dependencies[$0] ?? [] }
  }

  private mutating func walkOutside(_ body: (inout Resolver) -> Void) {
    dependencyStack.append([])
    body(&self)
    for item in dependencyStack.removeLast() { table.used.insert(item) }
  }

  private mutating func markUsed(_ name: String) {
    switch table.scopes[module.index].values[name]?.reference {
    case .function(let item), .input(let item): table.used.insert(item)
    case .binder(let pattern): if let item = table.definitionOfBinder[pattern] { table.used.insert(item) }
    default: break
    }
  }

  private mutating func walk(_ step: TestStep) {
    isInTest = true
    defer { isInTest = false }
    switch step {
    case .given(let input, let value, let every, let with, _):
      markUsed(input.text)
      walk(value)
      if let every { walk(every) }
      with.forEach { walk($0.value) }
    case .answer(let callee, let parameters, let value, let every, let with, _):
      walk(callee)
      inScope { resolver in
        resolver.bind(parameters)
        resolver.walk(value)
      }
      if let every { walk(every) }
      with.forEach { walk($0.value) }
    case .expectAt(let value, let at, let equals, let within, _):
      [value, at, equals].forEach { walk($0) }
      if let within { walk(within) }
    case .expectMarbles(let value, let marbles, let every, let with, _):
      [value, marbles, every].forEach { walk($0) }
      with.forEach { walk($0.value) }
    }
  }

  // MARK: Definitions

  private mutating func walkDefinition(_ item: ItemID) {
    guard case .definition(let definition) = tree[item] else { return }
    dependencyStack.append([])
    if case .function(_, let parameters) = definition.binder {
      inScope { resolver in
        resolver.bind(parameters.map(\.pattern))
        resolver.walk(definition.body)
      }
    } else {
      walk(definition.body)
    }
    let found = dependencyStack.removeLast()
    var seen: Set<ItemID> = []
    let unique = found.filter { seen.insert($0).inserted }
    table.dependencies[item] = unique
    for target in unique where target != item { table.used.insert(target) }
    if !dependencyStack.isEmpty { dependencyStack[dependencyStack.count - 1] += unique }
  }

  private mutating func inScope(_ body: (inout Resolver) -> Void) {
    frames.append([])
    body(&self)
    for name in frames.removeLast() { _ = locals[name]?.popLast() }
  }

  private mutating func add(local name: String, _ reference: Reference, at span: Span, isDefinition: Bool = false) {
    locals[name, default: []].append((reference, span))
    if !frames.isEmpty { frames[frames.count - 1].append(name) }
    if isDefinition { endedDefinitions[name] = span } else { ended[name] = span }
  }

  private mutating func bind(_ patterns: [PatternID]) {
    for binder in binders(of: patterns) {
      add(local: binder.name, .binder(binder.pattern), at: tree.span(binder.pattern))
    }
  }

  // MARK: Expressions

  private mutating func walk(_ id: ExprID) {
    guard guardian.enter() else {
      problems.append(.tooDeep(tree.span(id)))
      return
    }
    defer { guardian.leave() }
    switch tree[id] {
    case .missing, .int, .float, .duration, .bool, .unit, .fieldFunction, .operatorFunction: break
    case .name(let text): refer(id, text)
    case .constructor(let text): referConstructor(id, Name(text, tree.span(id)))
    case .qualified(let module, let name): referQualified(id, module, name: name)
    case .string(let parts):
      for case .expr(let part) in parts { walk(part) }
    case .field(let inner, _), .unary(_, let inner), .paren(let inner): walk(inner)
    case .call(let callee, let arguments):
      walk(callee)
      arguments.forEach { walk($0) }
    case .callLabelled(let callee, let arguments):
      walk(callee)
      arguments.forEach { walk($0.value) }
    case .pipe, .binary: walkSpine(id)
    case .conditional(let condition, let then, let otherwise): [condition, then, otherwise].forEach { walk($0) }
    case .tuple(let elements): elements.forEach { walk($0) }
    case .list(let elements):
      for element in elements {
        switch element {
        case .item(let inner), .spread(let inner): walk(inner)
        }
      }
    case .record(let fields):
      checkTwice(fields.map(\.name))
      fields.forEach { walk($0.value) }
    case .update(let base, let fields):
      walk(base)
      fields.forEach { walk($0.value) }
    case .lambda(let parameters, let body):
      inScope { resolver in
        resolver.bind(parameters)
        resolver.walk(body)
      }
    case .match(let scrutinee, let arms):
      walk(scrutinee)
      for arm in arms {
        inScope { resolver in
          resolver.bind([arm.pattern])
          if let guardExpr = arm.guardExpr { resolver.walk(guardExpr) }
          resolver.walk(arm.body)
        }
      }
    case .block(let items, let result): walkBlock(id, items, result: result)
    }
  }

  /// Chains of operators and pipes lean to the left and can be long.
  private mutating func walkSpine(_ id: ExprID) {
    var rights: [ExprID] = []
    var current = id
    loop: while true {
      switch tree[current] {
      case .binary(_, let left, let right, _), .pipe(let left, let right):
        rights.append(right)
        current = left
      default: break loop
      }
    }
    walk(current)
    for right in rights.reversed() { walk(right) }
  }

  private mutating func walkBlock(_ id: ExprID, _ items: [ItemID], result: ExprID) {
    let definitions = items.filter { if case .definition = tree[$0] { true } else { false } }
    table.localDefinitions += definitions
    inScope { resolver in
      resolver.declareBlock(definitions)
      for item in definitions { resolver.walkDefinition(item) }
      resolver.table.blockGroups[id] = stronglyConnected(definitions) { resolver.table.dependencies[$0] ?? [] }
      resolver.walk(result)
    }
  }

  private mutating func declareBlock(_ items: [ItemID]) {
    var seen: [String: Span] = [:]
    for item in items {
      table.moduleOfItem[item] = module
      for (name, reference, span) in names(of: item) {
        if let first = seen[name] {
          problems.append(.duplicate(Name(name, span), first: first, isParameter: false))
          continue
        }
        seen[name] = span
        if let outer = locals[name]?.last { table.hidden.append((Name(name, span), outer.span)) }
        add(local: name, reference, at: span, isDefinition: true)
      }
    }
  }

  // MARK: Names

  private mutating func refer(_ id: ExprID, _ text: String) {
    if let reference = lookUp(text) {
      table.references[id.index] = reference
      note(reference)
    } else if text.isEmpty {
      table.references[id.index] = .reported
    } else {
      let isSearched = table.unknowns.count < 200
      table.unknowns[id] = UnknownName(
        name: Name(text, tree.span(id)), candidates: isSearched ? visibleNames() : [],
        ended: ended[text] ?? endedDefinitions[text], isSearched: isSearched)
    }
  }

  private func lookUp(_ text: String) -> Reference? {
    if let local = locals[text]?.last { return local.reference }
    if let own = table.scopes[module.index].values[text] { return own.reference }
    if isInTest, text == "calls", let row = Builtins.namedByHosts[text] { return .builtin([row]) }
    if tree.modules[module.index].isHost, let row = Builtins.namedByHosts[text] { return .builtin([row]) }
    return Builtins.byBareName[text].map { .builtin($0) }
  }

  private mutating func note(_ reference: Reference) {
    guard !dependencyStack.isEmpty else { return }
    switch reference {
    case .function(let item), .input(let item): dependencyStack[dependencyStack.count - 1].append(item)
    case .binder(let pattern):
      if let item = table.definitionOfBinder[pattern] { dependencyStack[dependencyStack.count - 1].append(item) }
    case .none, .reported, .builtin, .constructor: break
    }
  }

  private func visibleNames() -> [(name: String, reference: Reference)] {
    var result: [(name: String, reference: Reference)] = []
    for (name, stack) in locals.sorted(by: { $0.key < $1.key }) {
      if let last = stack.last { result.append((name, last.reference)) }
    }
    let scope = table.scopes[module.index]
    for name in scope.valueOrder where locals[name]?.isEmpty ?? true {
      if let value = scope.values[name] { result.append((name, value.reference)) }
    }
    return result
  }

  private mutating func referConstructor(_ id: ExprID, _ name: Name) {
    if let found = findConstructor(module: nil, name) {
      table.references[id.index] = .constructor(found.nominal, tag: found.tag)
    } else {
      table.references[id.index] = .reported
    }
  }

  private mutating func referQualified(_ id: ExprID, _ moduleName: Name, name: Name) {
    table.references[id.index] = .reported
    if name.text.first?.isUppercase == true {
      if let found = findConstructor(module: moduleName, name) {
        table.references[id.index] = .constructor(found.nominal, tag: found.tag)
      }
      return
    }
    if let imported = table.scopes[module.index].imports[moduleName.text] {
      table.usedImports[module, default: []].insert(moduleName.text)
      guard let imported else { return }
      let scope = table.scopes[imported.index]
      if let value = scope.values[name.text] {
        table.references[id.index] = value.reference
        note(value.reference)
      } else if tree.modules[imported.index].isHost,
        let rows = Builtins.byQualifiedName["\(moduleName.text).\(name.text)"]
      {
        // A host adds to a built-in module of its name.
        table.references[id.index] = .builtin(rows)
      } else {
        problems.append(.notInModule(name, module: moduleName.text, has: scope.valueOrder))
      }
    } else if let rows = Builtins.byQualifiedName["\(moduleName.text).\(name.text)"] {
      table.references[id.index] = .builtin(rows)
    } else {
      unknownInModule(moduleName, name)
    }
  }

  private mutating func unknownInModule(_ moduleName: Name, _ name: Name) {
    var container = Builtins.documented.filter { $0.container == moduleName.text }.map(\.name)
    if moduleName.text == "Json" { container += JsonCase.names.map { String($0.dropFirst("Json.".count)) } }
    let scope = table.scopes[module.index]
    let isConstructor = scope.constructors[name.text] != nil || NameTable.builtinConstructors[name.text] != nil
    let isType = scope.types[moduleName.text] != nil || NameTable.builtinTypes.contains(moduleName.text)
    if !container.isEmpty, !(isConstructor && isType) {
      problems.append(.notInModule(name, module: moduleName.text, has: container))
    } else {
      var known = Set(Builtins.all.map(\.container))
      known.formUnion(table.scopes[module.index].imports.keys)
      problems.append(
        .unknownModule(moduleName, name, known: known.sorted(), isType: isType && isConstructor))
    }
  }

  /// A constructor that only one of the host's modules has needs no module's name.
  private mutating func hostConstructor(_ name: String) -> (nominal: NominalID, tag: Int)? {
    let homes = tree.modules.indices.filter { tree.modules[$0].isHost && table.scopes[$0].constructors[name] != nil }
    guard homes.count == 1, let found = table.scopes[homes[0]].constructors[name] else { return nil }
    return (found.nominal, found.tag)
  }

  /// A constructor by name; reports one that is unknown.
  mutating func findConstructor(module moduleName: Name?, _ name: Name) -> (nominal: NominalID, tag: Int)? {
    if name.text.isEmpty { return nil }
    if let moduleName {
      guard let imported = table.scopes[module.index].imports[moduleName.text] else {
        if let found = NameTable.qualifiedConstructors["\(moduleName.text).\(name.text)"] { return found }
        unknownInModule(moduleName, name)
        return nil
      }
      table.usedImports[module, default: []].insert(moduleName.text)
      guard let imported else { return nil }
      let scope = table.scopes[imported.index]
      if let found = scope.constructors[name.text] { return (found.nominal, found.tag) }
      problems.append(.notInModule(name, module: moduleName.text, has: scope.constructors.keys.sorted()))
      return nil
    }
    let scope = table.scopes[module.index]
    if let found = scope.constructors[name.text] { return (found.nominal, found.tag) }
    if let found = NameTable.builtinConstructors[name.text] { return found }
    if let found = hostConstructor(name.text) { return found }
    let known = scope.constructors.keys.sorted() + NameTable.builtinConstructors.keys.sorted()
    let homes = scope.imports.keys.sorted().filter { key in
      guard let target = scope.imports[key] ?? nil else { return false }
      return table.scopes[target.index].constructors[name.text] != nil
    }
    problems.append(
      .unknownConstructor(
        name, known: known, modules: homes,
        isType: scope.types[name.text] != nil || NameTable.builtinTypes.contains(name.text)))
    return nil
  }
}
