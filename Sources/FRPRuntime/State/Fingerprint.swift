// Whether an expression of one program says the same as one of another: by what it is made of, not by the numbers that
// nodes, functions, variables and types happen to have.

import FRPCore
import FRPGraph

extension CoreProgram {
  /// A hash of an expression. Definitions it reads count by name, functions it calls by name, variables by the order in
  /// which they are met. With `hostFunction`, which says what the number of a function of the host means, what is lifted and called within counts as
  /// it is written. Cost: linear; no recursion.
  func fingerprint(_ root: CoreExprID, whole hostFunction: ((Int) -> String)? = nil) -> UInt64 {
    var hash = TextHash()
    var seen: [CoreExprID: Int] = [:]
    var locals: [LocalID: Int] = [:]
    var pending = [root]
    while let id = pending.popLast() {
      if let number = seen[id] {
        hash.mix(0xFF as UInt8)
        hash.mix(UInt64(number))
        continue
      }
      seen[id] = seen.count
      let mark = pending.count
      if let hostFunction, let (text, parts) = meaning(self[id], hostFunction) {
        hash.mix(text)
        pending += parts
      } else {
        mix(self[id], into: &hash, locals: &locals)
        self[id].forEachChild { pending.append($0) }
      }
      hash.mix(UInt64(pending.count - mark))
      pending[mark...].reverse()
    }
    return hash.value
  }

  /// What stands for an expression that is only a name, and what it is of.
  private func meaning(_ expr: CoreExpr, _ hostFunction: (Int) -> String) -> (text: String, parts: [CoreExprID])? {
    switch expr {
    case .read(let node):
      guard case .lift(let value) = self[node].op else { return nil }
      return ("lift", [value])
    case .call(let function, let arguments): return ("call", [self[function].body] + arguments)
    case .prim(.hostCall, let parts):
      guard parts.count == 2, case .int(let number) = self[parts[0]] else { return nil }
      return (hostFunction(number), [parts[1]])
    default: return nil
    }
  }

  private func mix(_ expr: CoreExpr, into hash: inout TextHash, locals: inout [LocalID: Int]) {
    func number(_ local: LocalID) -> UInt64 {
      if let known = locals[local] { return UInt64(known) }
      locals[local] = locals.count
      return UInt64(locals.count - 1)
    }
    func note(_ kind: UInt8, _ word: UInt64 = 0) {
      hash.mix(kind)
      hash.mix(word)
    }
    switch expr {
    case .unit: note(1)
    case .bool(let value): note(2, value ? 1 : 0)
    case .int(let value): note(3, UInt64(bitPattern: Int64(value)))
    case .float(let value): note(4, value.bitPattern)
    case .string(let text):
      note(5)
      hash.mix(text)
    case .local(let local): note(6, number(local))
    case .read(let node):
      note(7)
      hash.mix(self[node].definition)
      hash.mix(slopes[node] == nil ? self[node].op.name : "derivative")
    case .call(let function, _):
      note(8)
      hash.mix(self[function].name)
    case .apply: note(9)
    case .prim(let prim, _): note(10, UInt64(prim.rawValue))
    case .list(_, let spreads):
      note(11)
      for spread in spreads { hash.mix(spread ? 1 : 0 as UInt8) }
    case .lambda(let lambda):
      note(12)
      for parameter in lambda.parameters { hash.mix(number(parameter)) }
    case .construct(let tag, _): note(13, UInt64(tag))
    case .field(_, let index, let tag): note(14, UInt64(index) << 16 | UInt64(tag))
    case .hasTag(_, let tag): note(15, UInt64(tag))
    case .conditional: note(16)
    case .update(_, let fields):
      note(17)
      for field in fields { hash.mix(UInt64(field.index)) }
    case .suspend(let bindings, _):
      note(18)
      for binding in bindings { hash.mix(number(binding.local)) }
    case .thunk(let local): note(19, number(local))
    case .unreachable, .placeholder: note(20)
    }
  }
}

extension Plan {
  /// Whether the sink of an output has another task than that of the same output in another program: with another function, another path, or
  /// written otherwise in what it calls. What it reads counts by name. False where one of the two has none.
  public func hasOtherSink(_ output: String, than former: Plan) -> Bool {
    guard let now = sinkTask(output), let before = former.sinkTask(output) else { return false }
    return core.fingerprint(now.body, whole: hostSignature)
      != former.core.fingerprint(before.body, whole: former.hostSignature)
  }

  private func sinkTask(_ output: String) -> CoreLambda? {
    for binding in bindings {
      guard case .sink(output) = binding.kind, case .perform(_, _, let task) = core[binding.node].op else { continue }
      return task
    }
    return nil
  }
}
