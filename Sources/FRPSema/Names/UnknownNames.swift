// Reporting names that nobody defines: what could be meant, those that fit the place first.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  func reportUnknown(_ id: ExprID, needed: Ty?) {
    guard let unknown = names.unknowns[id] else { return }
    missedNames += 1
    if !unknown.isSearched {
      return report(
        .unknownName(unknown, fitting: [], modules: [], isField: false, isOfEvent: false), at: unknown.name.span)
    }
    let found = nearestNames(unknown.name.text, among: unknown.candidates.map(\.name) + builtinNames)
    let capitals = constructors(like: unknown.name.text)
    let fitting = capitals + found.filter { fits($0, unknown, needed: needed) }
    let others = found.filter { !fitting.contains($0) }
    report(
      .unknownName(
        unknown, fitting: fitting + others, modules: modules(with: unknown.name.text), isField: isField(id, unknown),
        isOfEvent: isOfEvent(id)),
      at: unknown.name.span)
  }

  /// Whether a record with a field of that name is piped into it.
  private func isField(_ id: ExprID, _ unknown: UnknownName) -> Bool {
    for case .pipe(let left, id) in tree.exprs where exprTypes.indices.contains(left.index) {
      return show(exprTypes[left.index]).fields.contains { $0.name == unknown.name.text }
    }
    return false
  }

  /// Whether an event is piped into it or into its call, or an input's is given to it.
  private func isOfEvent(_ id: ExprID) -> Bool {
    var function = id
    var isGiven = false
    // A call and a pipe come after their parts, and there are few of these.
    for index in tree.exprs.indices.dropFirst(id.index).prefix(200) {
      switch tree.exprs[index] {
      case .call(function, let arguments):
        if let first = arguments.first, case .input(let item) = names.references[first.index] {
          isGiven = inputs[item].map { head($0.type) } == .event
        }
        function = ExprID(index)
      case .pipe(let left, function):
        return exprTypes.indices.contains(left.index) && head(exprTypes[left.index]) == .event
      default: break
      }
    }
    return isGiven
  }

  /// The modules, imported or built in, that have a name.
  private func modules(with name: String) -> [String] {
    let imported = names.scopes[module.index].imports.sorted { $0.key < $1.key }.compactMap { entry -> String? in
      guard let target = entry.value else { return nil }
      return names.scopes[target.index].values[name] == nil ? nil : entry.key
    }
    var seen: Set<String> = []
    let builtin = Builtins.all.filter { $0.name == name && !$0.isBare }.map(\.container)
    return imported + builtin.filter { seen.insert($0).inserted }
  }

  /// `latest` for `Latest`, `math` for `Math`.
  private func constructors(like name: String) -> [String] {
    let known = names.scopes[module.index].constructors.keys.sorted() + NameTable.builtinConstructors.keys.sorted()
    let modules = Set(Builtins.all.map(\.container)).union(names.scopes[module.index].imports.keys).sorted()
    return (known + modules).filter { $0.lowercased() == name.lowercased() }
  }

  private var builtinNames: [String] {
    var seen: Set<String> = []
    return Builtins.all.filter(\.isBare).map(\.name).filter { seen.insert($0).inserted }
  }

  /// Whether a name's type could be what the place needs, as far as the outermost shape says.
  private func fits(_ name: String, _ unknown: UnknownName, needed: Ty?) -> Bool {
    guard let needed else { return true }
    let wanted = head(needed)
    if case .open(let classes) = wanted { return type(of: name, unknown).map { $0.allows(classes) } ?? true }
    guard let found = type(of: name, unknown) else { return true }
    if case .open(let classes) = found { return wanted.allows(classes) }
    return found == wanted
  }

  private func type(of name: String, _ unknown: UnknownName) -> Head? {
    guard let reference = unknown.candidates.first(where: { $0.name == name })?.reference else { return .function }
    switch reference {
    case .input(let item): return inputs[item].map { head($0.type) }
    case .binder(let pattern): return head(patternTypes[pattern.index])
    case .function, .builtin: return .function
    case .none, .reported, .constructor: return nil
    }
  }
}
