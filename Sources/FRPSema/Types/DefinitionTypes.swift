// What a checked program's definitions are, for prompts and editors: names, types as text, and who mentions whom.

import FRPCore
import FRPSyntax

/// How a definition can be looked at.
package enum DefinitionKind: Sendable {
  case function, event, data
  /// Structure that holds events or functions: only its parts can be looked at.
  case hidden
}

extension TypedProgram {
  /// The main file's definitions in order, with their types. Cost: linear.
  package func definitions() -> [(name: String, type: String, kind: DefinitionKind)] {
    var result: [(name: String, type: String, kind: DefinitionKind)] = []
    for item in tree.modules.first?.items ?? [] {
      guard case .definition(let definition) = tree[item] else { continue }
      switch definition.binder {
      case .function(let name, _):
        result.append((name.text, schemes[item].map { describe($0, of: item) } ?? "?", .function))
      case .value(let pattern):
        tree.forEachName(in: pattern) { name, id in
          let type = patternTypes[id.index]
          let kind = kind(of: type)
          // Functions keep what their users decide; of events and data the compiled program knows more.
          let scheme = kind == .function || kind == .hidden ? schemes[item] : nil
          let text = scheme.map { describe(Scheme(generics: $0.generics, type: type), of: item) } ?? describe(type)
          result.append((name, text, kind))
        }
      }
    }
    return result
  }

  /// For each top-level name of the main file, the definitions that mention it. A parameter of that name is another.
  package func uses() -> [String: [String]] {
    var result: [String: [String]] = [:]
    let items = Set(tree.modules.first?.items ?? [])
    for item in tree.modules.first?.items ?? [] {
      guard case .definition(let definition) = tree[item] else { continue }
      let users: [String]
      switch definition.binder {
      case .function(let name, _): users = [name.text]
      case .value(let pattern):
        var names: [String] = []
        tree.forEachName(in: pattern) { name, _ in names.append(name) }
        users = names
      }
      tree.walk(definition.body) { expr in
        if case .name(let mentioned) = tree[expr], isTopLevel(resolutions[expr.index], items) {
          for user in users where !(result[mentioned]?.contains(user) ?? false) {
            result[mentioned, default: []].append(user)
          }
        }
        return true
      }
    }
    return result
  }

  private func isTopLevel(_ resolution: Resolution, _ items: Set<ItemID>) -> Bool {
    switch resolution {
    case .input(let item), .function(let item, _): items.contains(item)
    case .binder(let pattern, _): definitionOfBinder[pattern].map(items.contains) ?? false
    case .none, .builtin, .constructor: false
    }
  }

  func kind(of type: Ty) -> DefinitionKind {
    switch self[type] {
    case .event(let payload): return isData(payload, 0) ? .event : .hidden
    case .function: return .function
    default: return isData(type, 0) ? .data : .hidden
    }
  }

  private func isData(_ type: Ty, _ depth: Int) -> Bool {
    if depth > 40 { return true }
    switch self[type] {
    case .event, .function, .task, .error: return false
    case .list(let a): return isData(a, depth + 1)
    case .map(let k, let v): return isData(k, depth + 1) && isData(v, depth + 1)
    case .nominal(let id, _) where nominals[id.index].isOpaque: return false
    case .tuple(let all), .nominal(_, let all): return all.allSatisfy { isData($0, depth + 1) }
    case .record(let fields, _): return fields.allSatisfy { isData($0.type, depth + 1) }
    default: return true
    }
  }
}
