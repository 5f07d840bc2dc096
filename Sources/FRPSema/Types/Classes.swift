// The classes of types that overloaded operators need. A class is a bit on a type variable; when the variable gets a
// type, the type must have it (section 3 of the language).
//
//   Num     Int, Float
//   Ord     Int, Float, String, tuples and lists of them           `<`
//   Eq      all data without functions, events and tasks           `==`
//   Show    the same, for `"{x}"`
//   Append  String, List                                           `++`
//   Value   all but events: what an event or a behavior can carry (there is no Event<Event<a>>)

import FRPCore

/// A set of classes.
package struct ClassSet: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let num = ClassSet(rawValue: 1)
  package static let ord = ClassSet(rawValue: 2)
  package static let eq = ClassSet(rawValue: 4)
  package static let show = ClassSet(rawValue: 8)
  package static let append = ClassSet(rawValue: 16)
  package static let value = ClassSet(rawValue: 32)

  /// The class that a signature calls by that name; the empty set for a name that is none.
  init(named name: String) {
    self = Self.names.first { $0.name == name }?.set ?? []
  }

  static let names: [(set: ClassSet, name: String)] = [
    (.num, "Num"), (.ord, "Ord"), (.eq, "Eq"), (.show, "Show"), (.append, "Append"), (.value, "Value"),
  ]

  /// Its classes, each with the name a signature uses; those implied by others left out.
  var shownNames: [String] {
    var shown = subtracting(.value)
    if contains(.num) || contains(.ord) { shown.subtract([.eq, .show]) }
    if contains(.num) { shown.remove(.ord) }
    if contains(.eq) { shown.remove(.show) }
    return Self.names.filter { shown.contains($0.set) }.map(\.name)
  }
}

extension TypeStore {
  /// Demands that a type has some classes; what stands in the way, if anything does.
  /// Cost: O(nodes of the type), each visited once.
  func require(_ classes: ClassSet, _ type: Ty) -> Mismatch? {
    if classes.isEmpty { return nil }
    epoch += 1
    for (single, _) in ClassSet.names where classes.contains(single) {
      epoch += 1
      if let found = requireOne(single, type) { return found }
    }
    return nil
  }

  private func requireOne(_ single: ClassSet, _ type: Ty) -> Mismatch? {
    let root = find(type)
    if marks[root.index] == epoch { return nil }
    marks[root.index] = epoch
    let failure = Mismatch.noClass(single, root)
    if single == .value {
      if case .event = nodes[root.index] { return failure }
      guard case .variable = nodes[root.index] else { return nil }
    }
    switch nodes[root.index] {
    case .error, .link, .generic: return nil
    case .variable(let index):
      let old = variables[index].classes
      if single == .append && old.contains(.num) || single == .num && old.contains(.append) { return failure }
      if !old.contains(single) {
        variables[index].classes.insert(single)
        ready.append(contentsOf: variables[index].watchers)
      }
      return nil
    case .int, .float: return single == .append ? failure : nil
    case .string: return single == .num ? failure : nil
    case .unit, .bool: return single == .eq || single == .show ? nil : failure
    case .list(let element): return single == .append ? nil : single == .num ? failure : requireOne(single, element)
    case .tuple(let elements):
      return single == .append || single == .num ? failure : requireAll(single, elements)
    case .event, .task, .function: return failure
    case .map(let key, let value): return dataOnly(single) ? requireAll(single, [key, value]) : failure
    case .nominal(.secret, _): return single == .num || single == .ord ? failure : nil
    case .nominal(let id, let arguments):
      if !dataOnly(single) || opaqueNominals.contains(id) { return failure }
      return requireAll(single, arguments)
    case .record(let fields, let tail):
      if !dataOnly(single) { return failure }
      return requireAll(single, fields.map(\.type) + (tail.map { [$0] } ?? []))
    }
  }

  private func dataOnly(_ single: ClassSet) -> Bool { single == .eq || single == .show }

  private func requireAll(_ single: ClassSet, _ types: [Ty]) -> Mismatch? {
    for type in types {
      if let found = requireOne(single, type) { return found }
    }
    return nil
  }
}
