// What random programs use of the table of built-ins, as the checker resolved it.

import FRPCore
import FRPSema

package struct Coverage {
  /// By row of `Builtins.all`: in how many programs it is used.
  package private(set) var uses = [Int](repeating: 0, count: Builtins.all.count)

  package init() {}

  package mutating func add(_ compiled: Compiled) {
    guard let typed = compiled.typed else { return }
    var seen: Set<Int> = []
    for resolution in typed.resolutions {
      guard case .builtin(let rows) = resolution, rows.count == 1 else { continue }
      if seen.insert(rows[0]).inserted { uses[rows[0]] += 1 }
    }
  }

  /// The rows that no program uses.
  package var unused: [Builtin] { zip(Builtins.documented, uses).filter { $0.1 == 0 }.map(\.0) }

  /// Why the generator leaves a row out; nil for one that it must use.
  package static func reason(_ builtin: Builtin) -> String? {
    switch builtin.container {
    case "Regex", "Random", "Format", "Csv", "Date":
      return "the model does not know it: a function of text and numbers alone, with examples and edge tests of its own"
    case "Secret": return "what it shows is not what it holds: it has examples"
    case "Json" where builtin.name == "object": return "no generated program has a map with String keys"
    case "Json" where builtin.name == "decode" || builtin.name == "as":
      return "the model does not know it: it needs a type from its use, and has tests of its own"
    default: return nil
    }
  }
}
