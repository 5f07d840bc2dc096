// Quantifying types and using what was quantified.
//
//   generalise   variables above the group's level become generics, in place
//   instantiate  generics become fresh variables with the same classes

import FRPCore

/// A definition's type as the checker keeps it: with the overloaded uses that its callers decide.
struct OpenScheme {
  var generics: [GenericID]
  var type: Ty
  var overloads: [SchemeOverload] = []
}

/// An overloaded use inside a definition whose first argument's type the definition leaves open.
struct SchemeOverload {
  var rows: [Int]
  /// Parameters and result of the use, over the scheme's generics.
  var function: Ty
  /// The arguments that are literal lambdas of several parameters, with their numbers.
  var lambdas: [Int: Int] = [:]
}

extension TypeStore {
  /// Turns the variables of a type that lie above the current level into generics, adding them to a list in order of
  /// appearance. Cost: O(nodes).
  func generalise(_ type: Ty, into list: inout [GenericID]) {
    epoch += 1
    collect(type) { root, index in
      let id = GenericID(self.generics.count)
      self.generics.append((self.variables[index].classes, self.variables[index].rigid))
      self.nodes[root.index] = .generic(id)
      list.append(id)
    }
  }

  /// Whether a type mentions a variable above the current level that a predicate picks.
  func openVariables(_ type: Ty) -> [Ty] {
    var found: [Ty] = []
    epoch += 1
    collect(type) { root, _ in found.append(root) }
    return found
  }

  /// Makes the variables of a type those of the current level: they do not become general.
  func lower(_ type: Ty) {
    epoch += 1
    collect(type) { _, index in self.variables[index].level = self.level }
  }

  /// Calls a function for each variable above the current level, once, from left to right.
  private func collect(_ type: Ty, _ visit: (Ty, Int) -> Void) {
    let root = find(type)
    if marks[root.index] == epoch { return }
    marks[root.index] = epoch
    if case .variable(let index) = nodes[root.index] {
      if variables[index].level > level { visit(root, index) }
      return
    }
    for part in parts(root) { collect(part, visit) }
  }

  /// Fresh variables for generics, by generic.
  func freshVariables(for list: [GenericID]) -> [GenericID: Ty] {
    var result: [GenericID: Ty] = [:]
    for id in list { result[id] = fresh(generics[Int(id.raw)].classes) }
    return result
  }

  /// A type with generics replaced. Parts without any are shared. Cost: O(nodes).
  func substitute(_ type: Ty, _ map: [GenericID: Ty]) -> Ty {
    if map.isEmpty { return type }
    var known: [Int32: Ty] = [:]
    func visit(_ type: Ty) -> Ty {
      let root = find(type)
      if let result = known[root.raw] { return result }
      var result = root
      switch nodes[root.index] {
      case .generic(let id): result = map[id] ?? root
      case .variable, .link, .error, .unit, .bool, .int, .float, .string: break
      case .list(let a): result = rebuilt(root, [a], new: [visit(a)]) { .list($0[0]) }
      case .event(let a): result = rebuilt(root, [a], new: [visit(a)]) { .event($0[0]) }
      case .task(let a): result = rebuilt(root, [a], new: [visit(a)]) { .task($0[0]) }
      case .map(let k, let v): result = rebuilt(root, [k, v], new: [visit(k), visit(v)]) { .map($0[0], $0[1]) }
      case .tuple(let list): result = rebuilt(root, list, new: list.map(visit)) { .tuple($0) }
      case .nominal(let id, let list): result = rebuilt(root, list, new: list.map(visit)) { .nominal(id, $0) }
      case .function(let list, let last):
        result = rebuilt(root, list + [last], new: (list + [last]).map(visit)) {
          .function(Array($0.dropLast()), $0[$0.count - 1])
        }
      case .record(let fields, let tail):
        let old = fields.map(\.type) + (tail.map { [$0] } ?? [])
        result = rebuilt(root, old, new: old.map(visit)) { new in
          .record(
            zip(fields, new).map { ($0.name, $1) }, tail: tail == nil ? nil : new[new.count - 1])
        }
      }
      known[root.raw] = result
      return result
    }
    return visit(type)
  }

  private func rebuilt(_ root: Ty, _ old: [Ty], new: [Ty], make: ([Ty]) -> Node) -> Ty {
    let isSame = zip(old, new).allSatisfy { find($0) == find($1) }
    return isSame ? root : add(make(new))
  }

  /// A signature's type at fresh variables: its parameters (with as many as a call has) and its result.
  func instantiate(_ signature: Signature, count: Int? = nil) -> (parameters: [Ty]?, result: Ty) {
    var variables: [String: Ty] = [:]
    let list = count.flatMap { signature.parameters(forCount: $0) } ?? signature.parameters
    let parameters = list?.map { instantiate($0.type, signature.classes, variables: &variables) }
    return (parameters, instantiate(signature.result, signature.classes, variables: &variables))
  }

  private func instantiate(
    _ type: SignatureType, _ classes: [String: ClassSet], variables: inout [String: Ty]
  ) -> Ty {
    switch type {
    case .error: return Self.error
    case .unit: return Self.unit
    case .bool: return Self.bool
    case .int: return Self.int
    case .float: return Self.float
    case .string: return Self.string
    case .variable(let name):
      if let known = variables[name] { return known }
      let new = fresh(classes[name] ?? [])
      variables[name] = new
      return new
    case .list(let a): return list(instantiate(a, classes, variables: &variables))
    case .event(let a): return event(instantiate(a, classes, variables: &variables))
    case .task(let a): return add(.task(instantiate(a, classes, variables: &variables)))
    case .map(let k, let v):
      let key = instantiate(k, classes, variables: &variables)
      return add(.map(key, instantiate(v, classes, variables: &variables)))
    case .tuple(let list): return add(.tuple(list.map { instantiate($0, classes, variables: &variables) }))
    case .nominal(let id, let list):
      return add(.nominal(id, list.map { instantiate($0, classes, variables: &variables) }))
    case .record(let fields, let isOpen):
      let list = fields.map { (name: $0.name, type: instantiate($0.type, classes, variables: &variables)) }
      return isOpen ? add(.record(list, tail: fresh([]))) : record(list)
    case .function(let list, let result):
      let parameters = list.map { instantiate($0, classes, variables: &variables) }
      return function(parameters, instantiate(result, classes, variables: &variables))
    }
  }
}
