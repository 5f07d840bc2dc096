// The code of a fused chain: its stages one after another, then the function of the operator that takes what they let
// through. A register holds the occurrence on its way; a stage that lets nothing through ends the code with `skip`.

import FRPBase
import FRPCore

/// What a chain's code is made from.
struct Chain {
  var stages: [Stage]
  /// The function of a `scan` or `fold`, of (state, occurrence); nil where the occurrence itself is the result.
  var last: CoreLambda?
  /// The function of a `map` after a `scan`. Then the code leaves the new state where the old one was.
  var tail: CoreLambda?

  /// The parameters of the code: the state, if there is one, then the occurrence.
  var parameterCount: Int { last == nil ? 1 : 2 }
}

extension BodyEmitter {
  /// Writes a chain; gives the emitter that has all of it.
  static func emit(_ chain: Chain, _ store: CodeStore, body: Body) -> BodyEmitter {
    var occurrence = chain.parameterCount - 1
    let other = chain.parameterCount
    // Results of stages go to and fro between two registers above the parameters.
    let floor = chain.parameterCount + 2
    var misses: [Int] = []
    var emitter: BodyEmitter?
    for stage in chain.stages {
      let next = BodyEmitter(store, body.of(stage.lambda), after: emitter, floor: floor)
      for local in stage.lambda.parameters { next.bind(local, to: occurrence) }
      let target = occurrence == other ? other + 1 : other
      misses += next.write(stage.kind, occurrence, target: target)
      if stage.kind != .filter { occurrence = target }
      emitter = next
    }
    let end = BodyEmitter(store, body.of(chain.last ?? CoreLambda([], body.root)), after: emitter, floor: floor)
    var final = end
    if let last = chain.last {
      end.bind(last.parameters[0], to: 0)
      end.bind(last.parameters[1], to: occurrence)
      if let tail = chain.tail {
        let target = occurrence == other ? other + 1 : other
        _ = end.write(.map, occurrence, target: target)
        end.add(.move, 0, target)
        final = BodyEmitter(store, body.of(tail), after: end, floor: floor)
        for local in tail.parameters { final.bind(local, to: target) }
        // Not in tail position: a call there would write its arguments over the new state.
        let shown = target == other ? other + 1 : other
        _ = final.write(.map, target, target: shown)
        final.add(.result, shown)
      } else {
        final.writeBody()
      }
    } else {
      end.add(.result, occurrence)
    }
    if !misses.isEmpty {
      final.land(misses)
      final.add(.skip)
    }
    return final
  }

  /// Writes one stage; gives the jumps that are taken where it lets nothing through.
  private func write(_ kind: Stage.Kind, _ occurrence: Int, target: Int) -> [Int] {
    prepare()
    var misses: [Int] = []
    switch kind {
    case .map: value(graph.root, into: target)
    case .filter: misses = jumps(unless: true, graph.root)
    case .filterMap:
      let option = value(graph.root)
      span = core.span(body.root)
      misses = [add(.unlessTag, option, 1)]
      add(.field, target, option)
    }
    if hasSubroutines {
      let over = add(.jump)
      emitSubroutines()
      land([over])
    }
    return misses
  }
}

extension Body {
  /// A part of a chain.
  fileprivate func of(_ lambda: CoreLambda) -> Body {
    Body(kind: .entry, root: lambda.body, parameters: lambda.parameters, scope: scope, name: name)
  }
}
