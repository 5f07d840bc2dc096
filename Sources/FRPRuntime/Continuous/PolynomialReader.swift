// Whether an expression is a polynomial in time, as long as no instant touches what it reads: and if so, which.
//
// In: a core expression, the frame it stands in, the polynomials of the integrals it may read.
// Out: its polynomial in the seconds since `origin`, or nil where it is anything else (then the stepper does the
// work).
// Rules: nothing here faults or runs code; whatever is not understood is "not a polynomial". Work is bounded.

import FRPCore
import FRPGraph

struct PolynomialReader {
  let core: CoreProgram
  let layout: Layout
  /// The clock time that polynomials count from.
  let origin: Double
  /// Knows which slots hold no value but a fault.
  let machine: Machine
  /// By address of an integral's slot in `new`: its polynomial, if it is known by now.
  var integrals: [Address: Polynomial] = [:]
  /// Parts of expressions that may still be looked at.
  private var budget = 0
  private var bindings: [LocalID: Value] = [:]

  private enum Value {
    case number(Polynomial)
    case whole(Int)
    case truth(Bool)
    /// A variant, record or tuple on the heap.
    case object(Word, TypeID)
  }

  private static let mostParts = 400
  private static let deepest = 60

  init(core: CoreProgram, layout: Layout, machine: Machine, origin: Double) {
    self.core = core
    self.layout = layout
    self.machine = machine
    self.origin = origin
  }

  /// The polynomial of a Float expression of `scope`, whose frame's `new` array is at `base`.
  mutating func polynomial(_ expr: CoreExprID, _ base: Address, scope: ScopeID) -> Polynomial? {
    budget = PolynomialReader.mostParts
    bindings.removeAll(keepingCapacity: true)
    guard case .number(let result)? = value(expr, base, depth: Int(layout.depths[scope.index]), level: 0),
      result.isFinite
    else {
      return nil
    }
    return result
  }

  private mutating func value(_ id: CoreExprID, _ base: Address, depth: Int, level: Int) -> Value? {
    budget -= 1
    if budget < 0 || level > PolynomialReader.deepest { return nil }
    switch core[id] {
    case .float(let x): return .number(Polynomial(x))
    case .int(let n): return .whole(n)
    case .bool(let b): return .truth(b)
    case .local(let local): return self.local(local, base, depth: depth)
    case .read(let node): return read(node, base, depth: depth, level: level)
    case .prim(let prim, let arguments): return apply(prim, arguments, base: base, depth: depth, level: level)
    case .conditional(let condition, let then, let otherwise):
      guard case .truth(let holds)? = value(condition, base, depth: depth, level: level + 1) else { return nil }
      return value(holds ? then : otherwise, base, depth: depth, level: level + 1)
    case .suspend(let list, let body):
      for binding in list { bindings[binding.local] = value(binding.value, base, depth: depth, level: level + 1) }
      return value(body, base, depth: depth, level: level + 1)
    case .call(let function, let arguments): return call(function, arguments, base: base, depth: depth, level: level)
    case .field(let whole, let index, let tag):
      return field(whole, index, tag: tag, base: base, depth: depth, level: level)
    case .hasTag(let whole, let tag):
      guard case .object(let word, _)? = value(whole, base, depth: depth, level: level + 1) else { return nil }
      return .truth(word.tag == tag)
    default: return nil
    }
  }

  private func word(_ word: Word, _ type: TypeID) -> Value? {
    switch core.types[type] {
    case .float: return .number(Polynomial(word.float))
    case .int: return .whole(word.int)
    case .bool: return .truth(word.bool)
    case .variant, .record, .tuple: return .object(word, type)
    default: return nil
    }
  }

  private func home(_ base: Address, from depth: Int, to target: Int) -> Address {
    var base = base
    for _ in 0..<max(0, depth - target) { base = base[0].address }
    return base
  }

  private func local(_ local: LocalID, _ base: Address, depth: Int) -> Value? {
    guard let scope = core.localScopes[local.index] else { return bindings[local] }
    let frame = home(base, from: depth, to: Int(layout.depths[scope.index]))
    return word(frame[Int(layout.parameterSlots[local.index])], core.localTypes[local.index])
  }

  private mutating func read(_ id: NodeID, _ base: Address, depth: Int, level: Int) -> Value? {
    let node = core[id]
    let target = Int(layout.depths[node.scope.index])
    let frame = home(base, from: depth, to: target)
    if !node.isContinuous {
      let slot = frame + layout.slot(id)
      return core.slopes[id] != nil || machine.poison(at: slot) != nil ? nil : word(slot.pointee, node.type)
    }
    switch node.op.motion {
    case .time: return .number(Polynomial([origin, 1]))
    case .integral: return integrals[frame + layout.slot(id)].map { .number($0) }
    case .lift(let expr): return core.slopes[id] == nil ? value(expr, frame, depth: target, level: level + 1) : nil
    case .delayed, .switched, .members, .groups, .chosen, .member, .crossing, .step: return nil
    }
  }

  private mutating func call(
    _ function: FunctionID, _ arguments: [CoreExprID], base: Address, depth: Int, level: Int
  ) -> Value? {
    let callee = core[function]
    var values: [Value?] = []
    for argument in arguments {
      if case .thunk(let local) = core[argument] {
        values.append(self.local(local, base, depth: depth))
      } else {
        values.append(value(argument, base, depth: depth, level: level + 1))
      }
    }
    // A call in the body may be of the same function, and what it binds is its own.
    let saved = bindings
    defer { bindings = saved }
    for (parameter, value) in zip(callee.parameters, values) { bindings[parameter] = value }
    return value(callee.body, base, depth: depth, level: level + 1)
  }

  /// A field of what is put together in sight, or of what lies on the heap.
  private mutating func field(
    _ whole: CoreExprID, _ index: Int, tag: Int, base: Address, depth: Int, level: Int
  ) -> Value? {
    switch core[whole] {
    case .construct(_, let fields):
      return index < fields.count ? value(fields[index], base, depth: depth, level: level + 1) : nil
    case .read(let id) where core[id].isContinuous:
      guard core.slopes[id] == nil, case .lift(let expr) = core[id].op, level < PolynomialReader.deepest else {
        return nil
      }
      let target = Int(layout.depths[core[id].scope.index])
      return field(expr, index, tag: tag, base: home(base, from: depth, to: target), depth: target, level: level + 1)
    default:
      guard case .object(let object, let type)? = value(whole, base, depth: depth, level: level + 1), object.isObject,
        object.tag == tag
      else { return nil }
      return word(object.field(index), machine.heap.shapes.fieldType(type, tag: tag, index))
    }
  }

  // MARK: Operators

  private mutating func apply(
    _ prim: Prim, _ arguments: [CoreExprID], base: Address, depth: Int, level: Int
  ) -> Value? {
    if prim == .pi { return .number(Polynomial(Double.pi)) }
    guard let first = arguments.first, let a = value(first, base, depth: depth, level: level + 1) else { return nil }
    if arguments.count == 1 { return PolynomialReader.unary(prim, a) }
    guard arguments.count == 2 else { return nil }
    if case .truth(let holds) = a, prim == .and || prim == .or {
      return holds == (prim == .and) ? value(arguments[1], base, depth: depth, level: level + 1) : a
    }
    guard let b = value(arguments[1], base, depth: depth, level: level + 1) else { return nil }
    switch (a, b) {
    case (.number(let x), .number(let y)): return PolynomialReader.binary(prim, x, y)
    case (.whole(let x), .whole(let y)): return prim.compares(x, y).map { .truth($0) }
    case (.truth(let x), .truth(let y)):
      return prim == .equal ? .truth(x == y) : prim == .notEqual ? .truth(x != y) : nil
    default: return nil
    }
  }

  private static func unary(_ prim: Prim, _ a: Value) -> Value? {
    switch (prim, a) {
    case (.negate, .number(let x)): return .number(-x)
    case (.not, .truth(let x)): return .truth(!x)
    case (.toFloat, .whole(let n)): return .number(Polynomial(Double(n)))
    default: return nil
    }
  }

  private static func binary(_ prim: Prim, _ a: Polynomial, _ b: Polynomial) -> Value? {
    switch prim {
    case .add: return .number(a + b)
    case .subtract: return .number(a - b)
    case .multiply: return a.times(b).map { .number($0) }
    case .divide: return a.divided(by: b).map { .number($0) }
    default: return a.isConstant && b.isConstant ? prim.compares(a[0], b[0]).map { .truth($0) } : nil
    }
  }
}

extension Prim {
  /// What a comparison says of two values; nil of anything else.
  func compares<T: Comparable>(_ a: T, _ b: T) -> Bool? {
    switch self {
    case .less: a < b
    case .lessEqual: a <= b
    case .greater: a > b
    case .greaterEqual: a >= b
    case .equal: a == b
    case .notEqual: a != b
    default: nil
    }
  }
}
