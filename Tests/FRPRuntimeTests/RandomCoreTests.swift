import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Testing

/// Random core expressions, with much sharing, through the compiler and through an evaluator that could not be simpler.
struct RandomCoreTests {
  @Test(arguments: 0..<8) func machineAgreesWithTheReference(block: Int) throws {
    for seed in 0..<250 {
      var writer = RandomWriter(seed: UInt64(block * 1000 + seed))
      let (lambda, core) = writer.program()
      let session = Session(core, [lambda])
      session.machine.heap.collectAlways = true
      for round in 0..<6 {
        session.machine.stepsLeft = 200_000
        let arguments = [round - 2, round * 3 - 4]
        let expected = Reference(core).run(lambda, arguments)
        let actual: Reference.Value?
        do throws(Fault) {
          let word = try session.run(0, Word(int: arguments[0]), Word(int: arguments[1]))
          actual = read(word, core.type(lambda.body), session.machine, core)
        } catch { actual = nil }
        if actual != expected {
          Issue.record(
            "seed \(block * 1000 + seed), arguments \(arguments): \(show(actual)), expected \(show(expected))")
          return
        }
        session.machine.heap.collect { _ in }
      }
    }
  }

  func show(_ value: Reference.Value?) -> String { value.map { "\($0)" } ?? "fault" }

  func read(_ word: Word, _ type: TypeID, _ machine: Machine, _ core: CoreProgram) -> Reference.Value {
    switch core.types[type] {
    case .int: return .int(word.int)
    case .bool: return .bool(word.bool)
    case .list(let element): return .list(ListView(word).map { read($0, element, machine, core) })
    case .variant: return word == .none ? .object(0, []) : .object(word.tag, [read(word.field(0), .int, machine, core)])
    case .tuple(let types):
      return .object(0, types.enumerated().map { read(word.field($0.offset), $0.element, machine, core) })
    default: return .int(0)
    }
  }
}

/// Evaluates core expressions by their meaning: lazily, by name, with a memo for each set of bound variables.
final class Reference {
  indirect enum Value: Equatable {
    case int(Int)
    case bool(Bool)
    case list([Value])
    case object(Int, [Value])
    case function(CoreLambda, Frame)
    case suspended(CoreExprID, Frame)
    static func == (a: Value, b: Value) -> Bool {
      switch (a, b) {
      case (.int(let x), .int(let y)): return x == y
      case (.bool(let x), .bool(let y)): return x == y
      case (.list(let x), .list(let y)): return x == y
      case (.object(let t, let x), .object(let u, let y)): return t == u && x == y
      default: return false
      }
    }
  }
  final class Frame {
    var locals: [LocalID: Value]
    var suspended: [LocalID: CoreExprID]
    var memo: [CoreExprID: Value] = [:]
    init(_ locals: [LocalID: Value], _ suspended: [LocalID: CoreExprID]) {
      self.locals = locals
      self.suspended = suspended
    }
  }
  struct Failure: Error {}

  let core: CoreProgram
  init(_ core: CoreProgram) { self.core = core }

  func run(_ lambda: CoreLambda, _ arguments: [Int]) -> Value? {
    let frame = Frame([:], [:])
    for (local, value) in zip(lambda.parameters, arguments) { frame.locals[local] = .int(value) }
    return try? evaluate(lambda.body, frame)
  }

  func evaluate(_ id: CoreExprID, _ frame: Frame) throws -> Value {
    if let known = frame.memo[id] { return known }
    let value = try compute(id, frame)
    frame.memo[id] = value
    return value
  }

  func int(_ id: CoreExprID, _ frame: Frame) throws -> Int {
    guard case .int(let value) = try evaluate(id, frame) else { throw Failure() }
    return value
  }
  func bool(_ id: CoreExprID, _ frame: Frame) throws -> Bool {
    guard case .bool(let value) = try evaluate(id, frame) else { throw Failure() }
    return value
  }

  func apply(_ function: Value, _ arguments: [Value]) throws -> Value {
    guard case .function(let lambda, let frame) = function else { throw Failure() }
    let inner = Frame(frame.locals, frame.suspended)
    for (local, value) in zip(lambda.parameters, arguments) { inner.locals[local] = value }
    return try evaluate(lambda.body, inner)
  }

  func compute(_ id: CoreExprID, _ frame: Frame) throws -> Value {
    switch core[id] {
    case .int(let value): return .int(value)
    case .bool(let value): return .bool(value)
    case .local(let local):
      if case .suspended(let expr, let home)? = frame.locals[local] { return try evaluate(expr, home) }
      if let value = frame.locals[local] { return value }
      guard let expr = frame.suspended[local] else { throw Failure() }
      return try evaluate(expr, frame)
    case .suspend(let bindings, let body):
      for binding in bindings { frame.suspended[binding.local] = binding.value }
      return try evaluate(body, frame)
    case .lambda(let lambda): return .function(lambda, frame)
    case .thunk(let local):
      if let value = frame.locals[local] { return value }
      guard let expr = frame.suspended[local] else { throw Failure() }
      return .suspended(expr, frame)
    case .call(let id, let arguments):
      let inner = Frame([:], [:])
      for (local, argument) in zip(core[id].parameters, arguments) {
        inner.locals[local] = try evaluate(argument, frame)
      }
      return try evaluate(core[id].body, inner)
    case .apply(let function, let arguments):
      return try apply(try evaluate(function, frame), try arguments.map { try evaluate($0, frame) })
    case .conditional(let c, let a, let b): return try evaluate(try bool(c, frame) ? a : b, frame)
    case .construct(let tag, let fields): return .object(tag, try fields.map { try evaluate($0, frame) })
    case .field(let value, let index, _):
      guard case .object(_, let fields) = try evaluate(value, frame), index < fields.count else { throw Failure() }
      return fields[index]
    case .hasTag(let value, let tag):
      guard case .object(let own, _) = try evaluate(value, frame) else { throw Failure() }
      return .bool(own == tag)
    case .update(let value, let changes):
      guard case .object(let tag, var fields) = try evaluate(value, frame) else { throw Failure() }
      for change in changes { fields[change.index] = try evaluate(change.value, frame) }
      return .object(tag, fields)
    case .list(let elements, let spreads):
      var result: [Value] = []
      for (element, isSpread) in zip(elements, spreads) {
        let value = try evaluate(element, frame)
        if isSpread, case .list(let more) = value { result += more } else { result.append(value) }
      }
      return .list(result)
    case .prim(let prim, let arguments): return try compute(prim, arguments, frame)
    default: throw Failure()
    }
  }

  func compute(_ prim: Prim, _ arguments: [CoreExprID], _ frame: Frame) throws -> Value {
    func checked(_ result: (partialValue: Int, overflow: Bool)) throws -> Value {
      if result.overflow { throw Failure() }
      return .int(result.partialValue)
    }
    switch prim {
    case .and: return .bool(try bool(arguments[0], frame) ? try bool(arguments[1], frame) : false)
    case .or: return .bool(try bool(arguments[0], frame) ? true : try bool(arguments[1], frame))
    case .not: return .bool(!(try bool(arguments[0], frame)))
    case .listMap, .listFilter, .listFold, .listAny, .listAll, .listCount, .optionMap, .optionFlatMap, .append:
      return try higher(prim, try arguments.map { try evaluate($0, frame) })
    default: break
    }
    let x = try int(arguments[0], frame)
    if prim == .negate { return try checked(0.subtractingReportingOverflow(x)) }
    let y = try int(arguments[1], frame)
    switch prim {
    case .add: return try checked(x.addingReportingOverflow(y))
    case .subtract: return try checked(x.subtractingReportingOverflow(y))
    case .multiply: return try checked(x.multipliedReportingOverflow(by: y))
    case .div, .remainder:
      if y == 0 || (x == .min && y == -1) { throw Failure() }
      let rest = ((x % y) + y) % y
      return .int(prim == .div ? (x - rest) / y : rest)
    case .min: return .int(Swift.min(x, y))
    case .max: return .int(Swift.max(x, y))
    case .equal: return .bool(x == y)
    case .notEqual: return .bool(x != y)
    case .less: return .bool(x < y)
    case .lessEqual: return .bool(x <= y)
    case .greater: return .bool(x > y)
    case .greaterEqual: return .bool(x >= y)
    default: throw Failure()
    }
  }

  func higher(_ prim: Prim, _ values: [Value]) throws -> Value {
    if case .object(let tag, let fields) = values[0] {
      if tag == 0 { return values[0] }
      let result = try apply(values[1], fields)
      return prim == .optionMap ? .object(1, [result]) : result
    }
    guard case .list(let list) = values[0] else { throw Failure() }
    if prim == .append, case .list(let more) = values[1] { return .list(list + more) }
    if prim == .listFold { return try list.reduce(values[1]) { try apply(values[2], [$0, $1]) } }
    if prim == .listMap { return .list(try list.map { try apply(values[1], [$0]) }) }
    let holds: (Value) throws -> Bool = { value in
      guard case .bool(let result) = try self.apply(values[1], [value]) else { throw Failure() }
      return result
    }
    switch prim {
    case .listFilter: return .list(try list.filter(holds))
    case .listAny: return .bool(try list.contains(where: holds))
    case .listAll: return .bool(try list.allSatisfy(holds))
    default: return .int(try list.reduce(0) { try holds($1) ? $0 + 1 : $0 })
    }
  }
}

/// Makes random expressions over two Int parameters.
struct RandomWriter {
  var w = CoreWriter()
  var state: UInt64
  var budget = 60
  /// Expressions in scope, by type.
  var pool: [TypeID: [CoreExprID]] = [:]
  let list: TypeID
  let option: TypeID
  let pair: TypeID
  let function: TypeID
  var lazyFunction = FunctionID(0)

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    list = w.core.types.list(.int)
    option = w.core.types.option(.int)
    pair = w.core.types.intern(.tuple([.int, .bool]))
    function = w.core.types.intern(.function([.int], .int))
    // f(a, lazy b) = if a < 2 then a else b + (if a < 4 then b else f(a - 3, b))
    let (a, ea) = w.local("a", .int)
    let (b, eb) = w.local("b", .int, isLazy: true)
    lazyFunction = w.function("f", [a, b], .int) { w, me in
      let again = w.add(.call(me, [w.prim(.subtract, .int, ea, w.int(3)), w.add(.thunk(b), .int)]), .int)
      let rest = w.conditional(w.prim(.less, .bool, ea, w.int(4)), eb, again)
      return w.conditional(w.prim(.less, .bool, ea, w.int(2)), ea, w.prim(.add, .int, eb, rest))
    }
  }

  /// A call that hands on a suspended computation.
  mutating func lazyCall(_ depth: Int) -> CoreExprID {
    let value = some(.int, depth)
    let (local, _) = w.local("l", .int, isLazy: true)
    let count = w.prim(.min, .int, some(.int, depth), w.int(40))
    let call = w.add(.call(lazyFunction, [count, w.add(.thunk(local), .int)]), .int)
    return w.add(.suspend([(local: local, value: value)], call), .int)
  }

  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  mutating func program() -> (CoreLambda, CoreProgram) {
    let (a, ea) = w.local("a", .int)
    let (b, eb) = w.local("b", .int)
    pool[.int] = [ea, eb]
    for _ in 0..<12 {
      let type = [TypeID.int, .bool, list, option, pair, function][next(6)]
      pool[type, default: []].append(make(type, 3))
    }
    let types = [TypeID.int, .bool, list, option, pair]
    let body = make(types[next(5)], 4)
    return (CoreLambda([a, b], body), w.core)
  }

  /// Something of the type: often what is there already.
  mutating func some(_ type: TypeID, _ depth: Int) -> CoreExprID {
    if let known = pool[type], !known.isEmpty, depth <= 0 || next(3) > 0 { return known[next(known.count)] }
    let made = make(type, depth - 1)
    if next(2) == 0 { pool[type, default: []].append(made) }
    return made
  }

  /// A lambda whose body may use everything in scope.
  mutating func lambda(_ parameters: [TypeID], _ result: TypeID, _ depth: Int) -> CoreExprID {
    let saved = pool
    var locals: [LocalID] = []
    for type in parameters {
      let (local, expr) = w.local("p", type)
      locals.append(local)
      for _ in 0..<3 { pool[type, default: []].append(expr) }
    }
    let body = some(result, depth)
    pool = saved
    let type = w.core.types.intern(.function(parameters, result))
    return w.add(.lambda(CoreLambda(locals, body)), type)
  }

  /// Inside a branch or binder, new expressions may stay there.
  mutating func make(_ type: TypeID, _ depth: Int) -> CoreExprID {
    budget -= 1
    if budget < 0 || depth < 0 { return leaf(type) }
    switch next(12) {
    case 0, 1: return w.conditional(some(.bool, depth - 1), some(type, depth - 1), some(type, depth - 1))
    case 2:
      let saved = pool
      let value = some(type, depth - 1)
      let (local, expr) = w.local("l", type, isLazy: true)
      for _ in 0..<3 { pool[type, default: []].append(expr) }
      var body = make(type, depth - 1)
      if type == .int, next(2) == 0 {
        body = w.add(.apply(lambda([.int], .int, depth - 1), [body]), .int)
        let choice = lambda([.int], .int, depth - 1)
        body = w.add(.apply(w.conditional(some(.bool, 0), choice, lambda([.int], .int, depth)), [body]), .int)
      }
      pool = saved
      return w.add(.suspend([(local: local, value: value)], body), type)
    default: break
    }
    if type == .int { return makeInt(depth) }
    if type == .bool { return makeBool(depth) }
    if type == list { return makeList(depth) }
    if type == option {
      switch next(4) {
      case 0: return w.prim(.optionMap, option, some(option, depth - 1), lambda([.int], .int, depth - 1))
      case 1: return w.prim(.optionFlatMap, option, some(option, depth - 1), lambda([.int], option, depth - 1))
      default: return w.add(.construct(tag: 1, [some(.int, depth - 1)]), option)
      }
    }
    if type == pair {
      if next(3) == 0 {
        return w.add(.update(some(pair, depth - 1), [(index: 0, value: some(.int, depth - 1))]), pair)
      }
      return w.add(.construct(tag: 0, [some(.int, depth - 1), some(.bool, depth - 1)]), pair)
    }
    return lambda([.int], .int, depth - 1)
  }

  mutating func leaf(_ type: TypeID) -> CoreExprID {
    if let known = pool[type], !known.isEmpty { return known[next(known.count)] }
    if type == .int { return w.int(next(9) - 3) }
    if type == .bool { return w.bool(next(2) == 0) }
    if type == list { return w.add(.list([w.int(2), w.int(0)], spreads: [false, false]), list) }
    if type == option { return w.add(.construct(tag: 0, []), option) }
    if type == pair { return w.add(.construct(tag: 0, [w.int(1), w.bool(true)]), pair) }
    let (local, expr) = w.local("p", .int)
    return w.add(.lambda(CoreLambda([local], expr)), function)
  }

  mutating func makeInt(_ depth: Int) -> CoreExprID {
    switch next(10) {
    case 9: return lazyCall(depth - 1)
    case 0: return w.int(next(20) - 8)
    case 1: return w.add(.apply(some(function, depth - 1), [some(.int, depth - 1)]), .int)
    case 2:
      return w.prim(
        .listFold, .int, some(list, depth - 1), some(.int, depth - 1), lambda([.int, .int], .int, depth - 1))
    case 3: return w.prim(.listCount, .int, some(list, depth - 1), lambda([.int], .bool, depth - 1))
    case 4: return w.add(.field(some(pair, depth - 1), index: 0, tag: 0), .int)
    case 5:
      let value = some(option, depth - 1)
      let content = w.add(.field(value, index: 0, tag: 1), .int)
      return w.conditional(w.add(.hasTag(value, 1), .bool), content, some(.int, depth - 1))
    default:
      let prims: [Prim] = [.add, .subtract, .multiply, .div, .remainder, .min, .max]
      return w.prim(prims[next(prims.count)], .int, some(.int, depth - 1), some(.int, depth - 1))
    }
  }

  mutating func makeBool(_ depth: Int) -> CoreExprID {
    switch next(7) {
    case 0: return w.prim(.and, .bool, some(.bool, depth - 1), some(.bool, depth - 1))
    case 1: return w.prim(.or, .bool, some(.bool, depth - 1), some(.bool, depth - 1))
    case 2: return w.prim(.not, .bool, some(.bool, depth - 1))
    case 3:
      return w.prim(next(2) == 0 ? .listAny : .listAll, .bool, some(list, depth - 1), lambda([.int], .bool, depth - 1))
    default:
      let prims: [Prim] = [.equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual]
      return w.prim(prims[next(6)], .bool, some(.int, depth - 1), some(.int, depth - 1))
    }
  }

  mutating func makeList(_ depth: Int) -> CoreExprID {
    switch next(5) {
    case 0: return w.prim(.listMap, list, some(list, depth - 1), lambda([.int], .int, depth - 1))
    case 1: return w.prim(.listFilter, list, some(list, depth - 1), lambda([.int], .bool, depth - 1))
    case 2: return w.prim(.append, list, some(list, depth - 1), some(list, depth - 1))
    default:
      var elements: [CoreExprID] = []
      var spreads: [Bool] = []
      for _ in 0..<next(4) {
        let isSpread = next(3) == 0
        spreads.append(isSpread)
        elements.append(some(isSpread ? list : .int, depth - 1))
      }
      return w.add(.list(elements, spreads: spreads), list)
    }
  }
}
