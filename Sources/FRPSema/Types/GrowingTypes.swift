// Declared types that contain themselves with ever larger arguments: `type T<a> = A | B(T<List<a>>)` needs T<Int>, T<List<Int>>,
// and so on without an end, and each of them has operations of its own.
//
// In: the cases of all declared types. Out: a problem for each that grows; its parts are not judged.
//
// An argument leads from each type variable in it to the variable that it is given for, and makes it larger unless it is the
// variable itself. A type grows if such a step lies on a cycle.
//
// Source: Kennedy and Pierce, On Decidability of Nominal Subtyping with Variance (FOOL/WOOD 2007): expansive edges.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  /// Cost: linear in the declarations.
  func findGrowingTypes() {
    var edges: [GenericID: [GenericID]] = [:]
    var steps: [(from: GenericID, to: GenericID, nominal: Int)] = []
    for (index, nominal) in nominals.enumerated() where !nominal.generics.isEmpty {
      for part in parts(of: nominal.cases.flatMap(\.fields)) {
        guard case .nominal(let id, let arguments) = store[part] else { continue }
        for (target, argument) in zip(nominals[id.index].generics, arguments) {
          for inner in parts(of: [argument]) {
            guard case .generic(let own) = store[inner] else { continue }
            edges[own, default: []].append(target)
            if inner != argument { steps.append((own, target, index)) }
          }
        }
      }
    }
    if steps.isEmpty { return }
    let groups = stronglyConnected(nominals.flatMap(\.generics)) { edges[$0] ?? [] }
    var group: [GenericID: Int] = [:]
    for (number, members) in groups.enumerated() { for member in members { group[member] = number } }
    for index in Set(steps.filter { group[$0.from] == group[$0.to] }.map(\.nominal)).sorted() {
      nameProblems.append(.growingType(Name(nominals[index].name, nominals[index].span)))
      for number in nominals[index].cases.indices {
        nominals[index].cases[number].fields = nominals[index].cases[number].fields.map { _ in TypeStore.error }
      }
    }
  }

  /// All types within some, these included, each once.
  private func parts(of types: [Ty]) -> [Ty] {
    var (found, seen): ([Ty], Set<Ty>) = (types, [])
    var next = 0
    while next < found.count {
      if seen.insert(found[next]).inserted { found += store.parts(found[next]) }
      next += 1
    }
    return found
  }
}
