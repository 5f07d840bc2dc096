// Where the names of a text stand and what each means, for editors.
//
// In:  the tree and what resolution found out. Out: every name that is written in it, in order of place.
// Rules: the binders of later alternatives of a pattern are those of the first; `{x}` of a pattern stands for the field and
// for what it binds, which is the occurrence. What has no meaning (an unknown name) is no occurrence.

import FRPBase
import FRPCore
import FRPSyntax

/// What a name means.
package enum NameTarget: Hashable, Sendable {
  /// What a value definition, a parameter or a branch of a match binds.
  case binder(PatternID)
  /// A function, an input, a type or an alias.
  case item(ItemID)
  case constructor(NominalID, tag: Int)
  /// Rows of the table of built-ins; several where its first argument chooses.
  case builtin([Int])
  case builtinType(String)
  case module(String)
}

/// A name where it is written.
package struct NameOccurrence: Sendable {
  package var span: Span
  package var target: NameTarget
  /// Whether the name is made here.
  package var isDefinition = false
  /// Whether it is `{x}` of a pattern, which is short for `{x: x}`.
  package var isShorthand = false
  /// The expression that it is, if it is one.
  package var expr: ExprID?
}

/// A name that nothing defines, with what could be meant.
package struct UnresolvedName: Sendable {
  package var expr: ExprID
  package var span: Span
  /// What can be seen from there by its bare name, built-ins aside; nearest scopes first.
  package var visible: [(name: String, target: NameTarget)]
}

struct OccurrenceFinder {
  let tree: Tree
  let table: NameTable
  private var found: [NameOccurrence] = []
  private var modules: [FileID: ModuleID] = [:]

  init(_ tree: Tree, _ table: NameTable) {
    self.tree = tree
    self.table = table
    for (index, module) in tree.modules.enumerated() { modules[module.file] = ModuleID(index) }
  }

  /// Cost: linear in the tree, and sorting.
  static func all(_ tree: Tree, _ table: NameTable) -> [NameOccurrence] {
    var finder = OccurrenceFinder(tree, table)
    for index in tree.exprs.indices { finder.visit(ExprID(index)) }
    let shorthands = finder.shorthands()
    for index in tree.patterns.indices { finder.visit(PatternID(index), shorthands) }
    for index in tree.typeExprs.indices { finder.visit(TypeExprID(index)) }
    for index in tree.items.indices { finder.visit(ItemID(index)) }
    var seen: Set<Span> = []
    return finder.found.sorted { a, b in
      (a.span.file.raw, a.span.start, a.isDefinition ? 0 : 1) < (b.span.file.raw, b.span.start, b.isDefinition ? 0 : 1)
    }.filter { $0.span.end > $0.span.start && seen.insert($0.span).inserted }
  }

  /// Names that nothing defines.
  static func unresolved(_ tree: Tree, _ table: NameTable) -> [UnresolvedName] {
    let finder = OccurrenceFinder(tree, table)
    return table.unknowns.map { expr, unknown in
      let visible = unknown.candidates.compactMap { name, reference in
        finder.target(reference).map { (name: name, target: $0) }
      }
      return UnresolvedName(expr: expr, span: unknown.name.span, visible: visible)
    }.sorted { $0.span.start < $1.span.start }
  }

  private func target(_ reference: Reference) -> NameTarget? {
    switch reference {
    case .none, .reported: nil
    case .binder(let pattern): .binder(canonical(pattern))
    case .function(let item), .input(let item): .item(item)
    case .builtin(let rows): .builtin(rows)
    case .constructor(let nominal, let tag): .constructor(nominal, tag: tag)
    }
  }

  private func canonical(_ pattern: PatternID) -> PatternID { table.alternativeBinders[pattern] ?? pattern }

  private mutating func add(_ span: Span, _ target: NameTarget?, isDefinition: Bool = false, expr: ExprID? = nil) {
    guard let target, !span.isNone else { return }
    found.append(NameOccurrence(span: span, target: target, isDefinition: isDefinition, expr: expr))
  }

  private mutating func visit(_ id: ExprID) {
    let target = target(table.references[id.index])
    switch tree[id] {
    case .name, .constructor: add(tree.span(id), target, expr: id)
    case .qualified(let module, let name):
      add(module.span, .module(module.text))
      add(name.span, target, expr: id)
    default: break
    }
  }

  /// The places of names that are short for a field and what it binds.
  private func shorthands() -> Set<Span> {
    var spans: Set<Span> = []
    for case .record(let fields) in tree.patterns {
      for field in fields where tree.span(field.pattern) == field.name.span { spans.insert(field.name.span) }
    }
    return spans
  }

  private mutating func visit(_ id: PatternID, _ shorthands: Set<Span>) {
    switch tree[id] {
    case .name(let text) where !text.isEmpty:
      add(tree.span(id), .binder(canonical(id)), isDefinition: canonical(id) == id)
      found[found.count - 1].isShorthand = shorthands.contains(tree.span(id))
    case .constructor(let module, let name, _):
      if let module { add(module.span, .module(module.text)) }
      if let home = table.constructorPatterns[id] { add(name.span, .constructor(home.nominal, tag: home.tag)) }
    default: break
    }
  }

  private mutating func visit(_ id: TypeExprID) {
    guard case .named(let module, let name, _) = tree[id], let home = modules[name.span.file] else { return }
    if let module {
      add(module.span, .module(module.text))
      guard let imported = table.scopes[home.index].imports[module.text] ?? nil else { return }
      add(name.span, target(table.scopes[imported.index].types[name.text]?.reference))
    } else if let own = table.scopes[home.index].types[name.text] {
      add(name.span, target(own.reference))
    } else if NameTable.builtinTypes.contains(name.text) {
      add(name.span, .builtinType(name.text))
    }
  }

  private func target(_ reference: TypeReference?) -> NameTarget? {
    switch reference {
    case .nominal(let id):
      let place = id.index - NameTable.builtinNominals
      return table.nominalItems.indices.contains(place) ? .item(table.nominalItems[place]) : nil
    case .alias(let item): return .item(item)
    case nil: return nil
    }
  }

  private mutating func visit(_ id: ItemID) {
    switch tree[id] {
    case .definition(let definition):
      if case .function(let name, _) = definition.binder { add(name.span, .item(id), isDefinition: true) }
    case .input(let name, _, _, _), .alias(let name, _, _): add(name.span, .item(id), isDefinition: true)
    case .type(let name, _, let constructors):
      add(name.span, .item(id), isDefinition: true)
      guard let place = table.nominalItems.firstIndex(of: id) else { return }
      for (tag, constructor) in constructors.enumerated() {
        let nominal = NominalID(NameTable.builtinNominals + place)
        add(constructor.name.span, .constructor(nominal, tag: tag), isDefinition: true)
      }
    case .importModule(let name): add(name.span, .module(name.text))
    case .output(let names): for name in names { add(name.span, global(name)) }
    case .test(_, let steps):
      for case .given(let input, _, _, _, _) in steps { add(input.span, global(input)) }
    }
  }

  private func global(_ name: Name) -> NameTarget? {
    guard let module = modules[name.span.file] else { return nil }
    if let own = table.scopes[module.index].values[name.text] { return target(own.reference) }
    return Builtins.byBareName[name.text].map { .builtin($0) }
  }
}
