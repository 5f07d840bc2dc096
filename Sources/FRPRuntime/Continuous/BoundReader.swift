// Which operations an expression of continuous time consists of, as long as no instant touches what it reads.
//
// In: a core expression, the frame it stands in, the integrals of its group.
// Out: a tape that bounds it over any stretch of time, or nil where that cannot be.
// Rules:
// - Steps are constants: what they choose is chosen here, and calls that they end are written out.
// - Records and variants that are put together in sight are followed through fields and matches.
// - Nothing here faults or runs code; work is bounded. What is not understood cannot be bounded.

import FRPCore
import FRPGraph

struct BoundReader {
  let core: CoreProgram
  let layout: Layout
  let machine: Machine
  /// By address of an integral's slot in `new`: its row.
  let integrals: [Address: Int]
  /// Whether the rates of integrals are what their expressions say: nothing slides or stands still.
  let hasPlainRates: Bool
  private(set) var tape = BoundTape()
  private var budget = 0
  private var bindings: [LocalID: Value] = [:]
  private var time: Int32?
  private var known: [Place: Value?] = [:]
  /// Functions whose body is being read: what it says depends on their arguments.
  private var calls = 0

  private struct Place: Hashable {
    var expr: CoreExprID
    var base: Address
  }

  private indirect enum Value {
    case constant(Double)
    case whole(Int)
    case truth(Bool)
    /// What varies: a Float or an Int.
    case number(Int32)
    /// A Bool that varies.
    case open(Int32)
    /// A variant, record or tuple on the heap.
    case object(Word, TypeID)
    /// One that is put together in sight, with those parts that are understood.
    case made(tag: Int, [Value?])
    case function(CoreLambda)
  }

  private static let mostParts = 4_000
  private static let deepest = 60

  init(
    core: CoreProgram, layout: Layout, machine: Machine, integrals: [Address: Int], hasPlainRates: Bool
  ) {
    self.core = core
    self.layout = layout
    self.machine = machine
    self.integrals = integrals
    self.hasPlainRates = hasPlainRates
  }

  /// Forgets the tape.
  mutating func start() {
    tape = BoundTape()
    time = nil
    known.removeAll(keepingCapacity: true)
    bindings.removeAll(keepingCapacity: true)
    budget = BoundReader.mostParts
  }

  /// The operation that computes a Float expression of `scope`, whose frame's `new` array is at `base`.
  mutating func operation(_ expr: CoreExprID, _ base: Address, scope: ScopeID) -> Int32? {
    value(expr, base, Int(layout.depths[scope.index]), 0).flatMap { number($0) }
  }

  mutating func constant(_ value: Double) -> Int32? { tape.append(.constant(value)) }

  private mutating func number(_ value: Value) -> Int32? {
    switch value {
    case .number(let operation): return operation
    case .constant(let x): return constant(x)
    case .whole(let n) where n.magnitude < 1 << 53: return constant(Double(n))
    default: return nil
    }
  }

  private mutating func truth(_ value: Value) -> Int32? {
    switch value {
    case .open(let operation): return operation
    case .truth(let holds): return constant(holds ? 1 : 0)
    default: return nil
    }
  }

  // MARK: Expressions

  private mutating func value(_ id: CoreExprID, _ base: Address, _ depth: Int, _ level: Int) -> Value? {
    let place = Place(expr: id, base: base)
    if calls == 0, let known = known[place] { return known }
    budget -= 1
    if budget < 0 || level > BoundReader.deepest { return nil }
    let result = newValue(id, base, depth, level)
    if calls == 0 { known[place] = .some(result) }
    return result
  }

  private mutating func newValue(_ id: CoreExprID, _ base: Address, _ depth: Int, _ level: Int) -> Value? {
    switch core[id] {
    case .float(let x): return .constant(x)
    case .int(let n): return .whole(n)
    case .bool(let b): return .truth(b)
    case .local(let local): return self.local(local, base, depth)
    case .read(let node): return read(node, base, depth, level)
    case .prim(let prim, let arguments): return apply(prim, arguments, base, depth, level)
    case .conditional(let condition, let then, let otherwise):
      guard let test = value(condition, base, depth, level + 1) else { return nil }
      if case .truth(let holds) = test { return value(holds ? then : otherwise, base, depth, level + 1) }
      guard case .open(let choice) = test, let a = value(then, base, depth, level + 1),
        let b = value(otherwise, base, depth, level + 1)
      else { return nil }
      return choose(choice, a, b)
    case .suspend(let list, let body):
      for binding in list { bindings[binding.local] = value(binding.value, base, depth, level + 1) }
      return value(body, base, depth, level + 1)
    case .call(let function, let arguments):
      return call(core[function].parameters, core[function].body, arguments, base, depth, level)
    case .lambda(let lambda): return .function(lambda)
    case .apply(let function, let arguments):
      guard case .function(let lambda)? = value(function, base, depth, level + 1) else { return nil }
      return call(lambda.parameters, lambda.body, arguments, base, depth, level)
    case .construct(let tag, let parts):
      return .made(tag: tag, parts.map { value($0, base, depth, level + 1) })
    case .field(let whole, let index, let tag): return field(whole, index, tag, base, depth, level)
    case .hasTag(let whole, let tag):
      switch value(whole, base, depth, level + 1) {
      case .object(let word, _)?: return .truth(word.tag == tag)
      case .made(let own, _)?: return .truth(own == tag)
      default: return nil
      }
    default: return nil
    }
  }

  /// One of two, while it is open which.
  private mutating func choose(_ test: Int32, _ a: Value, _ b: Value) -> Value? {
    if case .made(let tag, let parts) = a, case .made(tag, let others) = b, parts.count == others.count {
      var both: [Value?] = []
      for (part, other) in zip(parts, others) {
        guard let part, let other else {
          both.append(nil)
          continue
        }
        both.append(choose(test, part, other))
      }
      return .made(tag: tag, both)
    }
    if let x = truth(a), let y = truth(b) { return tape.append(.choose(test, x, y)).map { .open($0) } }
    guard let x = number(a), let y = number(b) else { return nil }
    return tape.append(.choose(test, x, y)).map { .number($0) }
  }

  private func word(_ word: Word, _ type: TypeID) -> Value? {
    switch core.types[type] {
    case .float: return .constant(word.float)
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

  private func local(_ local: LocalID, _ base: Address, _ depth: Int) -> Value? {
    guard let scope = core.localScopes[local.index] else { return bindings[local] }
    let frame = home(base, from: depth, to: Int(layout.depths[scope.index]))
    return word(frame[Int(layout.parameterSlots[local.index])], core.localTypes[local.index])
  }

  private mutating func read(_ id: NodeID, _ base: Address, _ depth: Int, _ level: Int) -> Value? {
    let node = core[id]
    let target = Int(layout.depths[node.scope.index])
    let frame = home(base, from: depth, to: target)
    switch node.op {
    case .time:
      time = time ?? tape.append(.time)
      return time.map { .number($0) }
    case .integral:
      return integrals[frame + layout.slot(id)].flatMap { tape.append(.integral(Int32($0))) }.map { .number($0) }
    case .lift(let expr) where node.isContinuous:
      guard let integral = core.slopes[id] else { return outside(expr, frame, target, level + 1) }
      guard hasPlainRates, case .integral(let rate, _, _) = core[integral].op else { return nil }
      return outside(rate, frame, target, level + 1)
    default:
      let slot = frame + layout.slot(id)
      return node.isContinuous || machine.poison(at: slot) != nil ? nil : word(slot.pointee, node.type)
    }
  }

  /// What a behavior of its own says: no argument of a function that is being read is in it.
  private mutating func outside(_ expr: CoreExprID, _ frame: Address, _ depth: Int, _ level: Int) -> Value? {
    let saved = calls
    calls = 0
    defer { calls = saved }
    return value(expr, frame, depth, level)
  }

  private mutating func call(
    _ parameters: [LocalID], _ body: CoreExprID, _ arguments: [CoreExprID], _ base: Address, _ depth: Int, _ level: Int
  ) -> Value? {
    var values: [Value?] = []
    for argument in arguments {
      if case .thunk(let local) = core[argument] {
        values.append(self.local(local, base, depth))
      } else {
        values.append(value(argument, base, depth, level + 1))
      }
    }
    // A function that calls itself has its arguments back afterwards.
    let saved = bindings
    for (parameter, value) in zip(parameters, values) { bindings[parameter] = value }
    calls += 1
    defer {
      calls -= 1
      bindings = saved
    }
    return value(body, base, depth, level + 1)
  }

  /// A field of what is put together in sight, or of what lies on the heap.
  private mutating func field(
    _ whole: CoreExprID, _ index: Int, _ tag: Int, _ base: Address, _ depth: Int, _ level: Int
  ) -> Value? {
    if case .construct(_, let fields) = core[whole] {
      return index < fields.count ? value(fields[index], base, depth, level + 1) : nil
    }
    switch value(whole, base, depth, level + 1) {
    case .made(tag, let parts)?: return index < parts.count ? parts[index] : nil
    case .object(let object, let type)? where object.isObject && object.tag == tag:
      return word(object.field(index), machine.heap.shapes.fieldType(type, tag: tag, index))
    default: return nil
    }
  }

  // MARK: Operators

  private mutating func apply(
    _ prim: Prim, _ arguments: [CoreExprID], _ base: Address, _ depth: Int, _ level: Int
  ) -> Value? {
    switch prim {
    case .pi: return .constant(3.141592653589793)
    case .tau: return .constant(6.283185307179586)
    case .e: return .constant(2.718281828459045)
    default: break
    }
    guard let first = arguments.first, let a = value(first, base, depth, level + 1) else { return nil }
    if prim == .tupleFirst || prim == .tupleSecond {
      guard case .made(_, let parts) = a, parts.count == 2 else { return nil }
      return parts[prim == .tupleFirst ? 0 : 1]
    }
    if case .truth(let holds) = a, prim == .and || prim == .or, arguments.count == 2 {
      return holds == (prim == .and) ? value(arguments[1], base, depth, level + 1) : a
    }
    guard Prim.boundable.contains(prim), arguments.count <= 3 else { return nil }
    let b = arguments.count > 1 ? value(arguments[1], base, depth, level + 1) : a
    let c = arguments.count > 2 ? value(arguments[2], base, depth, level + 1) : a
    guard let b, let c else { return nil }
    if let constant = BoundReader.constant(prim, a, b) { return constant }
    if let x = truth(a) {
      guard prim == .and || prim == .or || prim == .not || prim == .equal || prim == .notEqual, let y = truth(b) else {
        return nil
      }
      return tape.append(.prim(prim, x, y, x)).map { .open($0) }
    }
    guard let x = number(a), let y = number(b), let z = number(c),
      let result = tape.append(.prim(prim, x, y, z))
    else { return nil }
    switch prim {
    case .less, .lessEqual, .greater, .greaterEqual, .equal, .notEqual: return .open(result)
    default: return .number(result)
    }
  }

  /// Of steps, as the machine would compute it; nil where that takes more than a line.
  private static func constant(_ prim: Prim, _ a: Value, _ b: Value) -> Value? {
    switch (a, b) {
    case (.constant(let x), .constant(let y)):
      switch prim {
      case .add: return .constant(x + y)
      case .subtract: return .constant(x - y)
      case .multiply: return .constant(x * y)
      case .negate: return .constant(-x)
      case .divide: return y == 0 ? nil : .constant(x / y)
      default: return compare(prim, x, y)
      }
    case (.whole(let x), .whole(let y)):
      switch prim {
      case .add: return .whole(x &+ y)
      case .subtract: return .whole(x &- y)
      case .toFloat: return .constant(Double(x))
      default: return compare(prim, x, y)
      }
    case (.truth(let x), .truth(let y)):
      switch prim {
      case .not: return .truth(!x)
      case .equal: return .truth(x == y)
      case .notEqual: return .truth(x != y)
      default: return nil
      }
    default: return nil
    }
  }

  private static func compare<T: Comparable>(_ prim: Prim, _ a: T, _ b: T) -> Value? {
    switch prim {
    case .less: return .truth(a < b)
    case .lessEqual: return .truth(a <= b)
    case .greater: return .truth(a > b)
    case .greaterEqual: return .truth(a >= b)
    case .equal: return .truth(a == b)
    case .notEqual: return .truth(a != b)
    default: return nil
    }
  }
}
