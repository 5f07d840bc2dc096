// Whether an expression of one program says the same as one of another: by what it is made of, not by the numbers that
// nodes, functions, variables and types happen to have.

import FRPCore

extension CoreProgram {
  /// A hash of an expression. Definitions it reads count by name, functions it calls by name, variables by the order in
  /// which they are met. Cost: linear; no recursion.
  func fingerprint(_ root: CoreExprID) -> UInt64 {
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
      mix(self[id], into: &hash, locals: &locals)
      let mark = pending.count
      self[id].forEachChild { pending.append($0) }
      hash.mix(UInt64(pending.count - mark))
      pending[mark...].reverse()
    }
    return hash.value
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
