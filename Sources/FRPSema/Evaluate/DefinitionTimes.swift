// What the definitions of a program are in time, for editors: evaluation finds it out when each of them is asked for.
//
// In:  a typed program without errors. Out: by binder, constant, step or continuous, and the type where it is known. Functions,
// and structures that hold functions or events, are left out.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

/// What a behavior is in time.
package enum TimeKind: String, Sendable {
  /// Known once.
  case constant
  /// It changes only at instants.
  case step
  /// It varies between instants.
  case continuous
}

/// What evaluation finds out about a definition of data, or an event.
package struct DefinitionTime: Sendable {
  /// Nil for an event.
  package var kind: TimeKind?
  /// The type of its values, or of the event, with what is open of numbers decided.
  package var type: String
}

extension TypedProgram {
  /// What the main file's definitions of data and events are in time; empty where evaluation finds errors, or takes more than `budget`
  /// allows. Cost: that of evaluation and its passes.
  package func times(budget: CheckBudget) -> [PatternID: DefinitionTime] {
    var observed = self
    observed.outputs = []
    let int = Ty(observed.types.count)
    observed.types.append(.int)
    var binders: [PatternID] = []
    for item in tree.modules.first?.items ?? [] {
      guard case .definition(let definition) = tree[item], case .value(let pattern) = definition.binder,
        let generics = schemes[item]?.generics, generics.allSatisfy(isNumber)
      else { continue }
      tree.forEachName(in: pattern) { _, binder in
        switch kind(of: patternTypes[binder.index]) {
        case .data, .event: break
        case .function, .hidden: return
        }
        binders.append(binder)
        observed.outputs.append(
          OutputPort(
            name: "\(binder.raw)", target: .binder(binder, generics.map { _ in int }), span: tree.span(binder)))
      }
    }
    // What is rounded is taken apart later on, for outputs alone.
    var core: CoreProgram?
    _ = elaborate(observed, budget: budget) { pass, shown in
      if pass == "causality" { core = shown }
    }
    guard let core, core.outputs.count == binders.count else { return [:] }
    let found = core.outputs.map { output in
      DefinitionTime(kind: core.time(of: output.node), type: core.types.describe(core[output.node].type))
    }
    return Dictionary(uniqueKeysWithValues: zip(binders, found))
  }

  private func isNumber(_ generic: GenericID) -> Bool {
    let place = Int(generic.raw)
    return genericClasses.indices.contains(place) && genericClasses[place].contains(.num)
  }
}

extension CoreProgram {
  fileprivate func time(of node: NodeID) -> TimeKind? {
    if case .event = types[self[node].type] { return nil }
    if self[node].isContinuous { return .continuous }
    guard case .lift(let expr) = self[node].op else { return .step }
    let isKnown = reads(expr).allSatisfy { read in
      if case .lift(let inner) = self[read].op { reads(inner).isEmpty } else { false }
    }
    return isKnown ? .constant : .step
  }
}
