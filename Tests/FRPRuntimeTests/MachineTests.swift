import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Testing

/// Hand-written core programs through the compiler and the machine.
struct MachineTests {
  @Test func arithmeticAndComparison() throws {
    var w = CoreWriter()
    let (x, ex) = w.local("x", .int)
    let (y, ey) = w.local("y", .int)
    let two = w.int(2)
    let one = w.int(1)
    let product = w.prim(.multiply, .int, ex, two)
    let sum = w.prim(.add, .int, product, one)
    let test = w.prim(.greater, .bool, sum, ey)
    let session = Session(w.core, [CoreLambda([x, y], test)])
    #expect(try session.run(0, Word(int: 3), Word(int: 6)) == 1)
    #expect(try session.run(0, Word(int: 3), Word(int: 7)) == 0)
    #expect(session.listing() == [.multiplyIntK, .addIntK, .lessInt, .result])
  }

  @Test func overflowNamesItsPlace() throws {
    var w = CoreWriter()
    let (x, ex) = w.local("x", .int)
    let big = w.int(Int.max)
    let sum = w.prim(.add, .int, ex, big)
    let session = Session(w.core, [CoreLambda([x], sum)])
    #expect(try session.run(0, 0).int == Int.max)
    let fault = session.fault(0, 1)
    #expect(fault?.kind == .overflow)
    #expect(fault?.span == w.core.span(sum))
  }

  @Test(arguments: [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (Int.min, 1, Int.min, 0)])
  func divisionRoundsDown(x: Int, y: Int, quotient: Int, rest: Int) throws {
    var w = CoreWriter()
    let (a, ea) = w.local("a", .int)
    let (b, eb) = w.local("b", .int)
    let quotients = w.prim(.div, .int, ea, eb)
    let rests = w.prim(.remainder, .int, ea, eb)
    let session = Session(w.core, [CoreLambda([a, b], quotients), CoreLambda([a, b], rests)])
    #expect(try session.run(0, Word(int: x), Word(int: y)).int == quotient)
    #expect(try session.run(1, Word(int: x), Word(int: y)).int == rest)
    #expect(session.fault(0, 1, 0)?.kind == .divisionByZero)
    #expect(session.fault(0, Word(int: .min), Word(int: -1))?.kind == .overflow)
    #expect(try session.run(1, Word(int: .min), Word(int: -1)).int == 0)
  }

  @Test func floatsStayFinite() throws {
    var w = CoreWriter()
    let (a, ea) = w.local("a", .float)
    let (b, eb) = w.local("b", .float)
    let product = w.prim(.multiply, .float, ea, eb)
    let quotient = w.prim(.divide, .float, ea, eb)
    let root = w.prim(.sqrt, .float, ea)
    let session = Session(w.core, [product, quotient, root].map { CoreLambda([a, b], $0) })
    #expect(try session.run(0, Word(float: 3), Word(float: 4)).float == 12)
    #expect(session.fault(0, Word(float: 1e300), Word(float: 1e300))?.kind == .notFinite)
    #expect(session.fault(1, Word(float: 1), Word(float: 0))?.kind == .divisionByZero)
    #expect(session.fault(2, Word(float: -1))?.kind == .notFinite)
    #expect(try session.run(2, Word(float: 9)).float == 3)
  }

  /// `loop(n, s) = if n == 0 then s else loop(n - 1, s + n)`
  @Test func tailCallsRunInConstantSpace() throws {
    var w = CoreWriter()
    let (n, en) = w.local("n", .int)
    let (s, es) = w.local("s", .int)
    let loop = w.function("loop", [n, s], .int) { w, me in
      let zero = w.int(0)
      let one = w.int(1)
      let test = w.prim(.equal, .bool, en, zero)
      let next = w.prim(.subtract, .int, en, one)
      let sum = w.prim(.add, .int, es, en)
      let again = w.add(.call(me, [next, sum]), .int)
      return w.conditional(test, es, again)
    }
    let (m, em) = w.local("m", .int)
    let zero = w.int(0)
    let call = w.add(.call(loop, [em, zero]), .int)
    let session = Session(w.core, [CoreLambda([m], call)], stackWords: 4096)
    #expect(try session.run(0, Word(int: 1_000_000)).int == 500_000_500_000)
    session.machine.stepsLeft = 1000
    #expect(session.fault(0, Word(int: 1_000_000))?.kind == .limit(.steps))
    session.machine.stepsLeft = 1000
    #expect(try session.run(0, Word(int: 100)).int == 5050)
  }

  /// `sum(n) = if n == 0 then 0 else n + sum(n - 1)`
  @Test func deepRecursionIsAFault() throws {
    var w = CoreWriter()
    let (n, en) = w.local("n", .int)
    let sum = w.function("sum", [n], .int) { w, me in
      let zero = w.int(0)
      let test = w.prim(.equal, .bool, en, zero)
      let one = w.int(1)
      let next = w.prim(.subtract, .int, en, one)
      let rest = w.add(.call(me, [next]), .int)
      return w.conditional(test, zero, w.prim(.add, .int, en, rest))
    }
    let (m, em) = w.local("m", .int)
    let call = w.add(.call(sum, [em]), .int)
    let session = Session(w.core, [CoreLambda([m], call)], stackWords: 1 << 20)
    #expect(try session.run(0, Word(int: 50_000)).int == 1_250_025_000)
    #expect(session.fault(0, Word(int: 10_000_000))?.kind == .limit(.stack))
    #expect(try session.run(0, Word(int: 10)).int == 55)
  }

  @Test func branchesAreLazyAndSharedValuesAreComputedOnce() throws {
    var w = CoreWriter()
    let (x, ex) = w.local("x", .int)
    let zero = w.int(0)
    let hundred = w.int(100)
    let quotient = w.prim(.div, .int, hundred, ex)
    let isZero = w.prim(.equal, .bool, ex, zero)
    let safe = w.conditional(isZero, zero, quotient)
    let logic = w.prim(.and, .bool, w.prim(.notEqual, .bool, ex, zero), w.prim(.less, .bool, quotient, hundred))
    let session = Session(w.core, [CoreLambda([x], safe), CoreLambda([x], logic)])
    #expect(try session.run(0, 0).int == 0)
    #expect(try session.run(0, 7).int == 14)
    #expect(try session.run(1, 0) == 0)
    #expect(try session.run(1, 7) == 1)
    #expect(try session.run(1, 1) == 0)
  }

  /// x1 = if c then x0 * 3 - 1 else x0 * 5 + x0, and so on: each level mentions the one below in both branches.
  @Test func sharedBranchesDoNotMultiplyCode() throws {
    var w = CoreWriter()
    let (x, ex) = w.local("x", .int)
    var value = ex
    var expected = 3
    let modulus = w.int(1_000_003)
    for level in 0..<60 {
      let k = w.int(level * 7)
      let test = w.prim(.less, .bool, w.prim(.remainder, .int, value, w.int(100)), k)
      let a = w.prim(.subtract, .int, w.prim(.multiply, .int, value, w.int(3)), w.int(1))
      let b = w.prim(.add, .int, w.prim(.multiply, .int, value, w.int(5)), value)
      value = w.prim(.remainder, .int, w.conditional(test, a, b), modulus)
      expected = (expected % 100 < level * 7 ? expected * 3 - 1 : expected * 5 + expected) % 1_000_003
    }
    // Used only in branches: subroutines.
    var lazy = w.prim(.multiply, .int, w.prim(.add, .int, value, ex), w.prim(.add, .int, value, value))
    for level in 0..<60 {
      let test = w.prim(.less, .bool, ex, w.int(level))
      lazy = w.conditional(
        test, w.prim(.remainder, .int, w.prim(.add, .int, lazy, ex), modulus),
        w.prim(.remainder, .int, w.prim(.subtract, .int, lazy, w.int(1)), modulus))
    }
    var result = (expected + 3) * (expected + expected)
    for level in 0..<60 {
      result = ((3 < level ? result + 3 : result - 1) % 1_000_003 + 1_000_003) % 1_000_003
    }
    let session = Session(w.core, [CoreLambda([x], value), CoreLambda([x], lazy)])
    #expect(try session.run(0, 3).int == expected)
    #expect(try session.run(1, 3).int == result)
    #expect(session.listing(0).count < 1000)
    #expect(session.listing(1).count < 2000)
  }

  @Test func closuresCaptureAndApply() throws {
    var w = CoreWriter()
    let (x, ex) = w.local("x", .int)
    let (y, ey) = w.local("y", .int)
    let body = w.prim(.add, .int, ex, ey)
    let type = w.core.types.intern(.function([.int], .int))
    let closure = w.add(.lambda(CoreLambda([y], body)), type)
    let ten = w.int(10)
    let applied = w.add(.apply(closure, [ten]), .int)
    let session = Session(w.core, [CoreLambda([x], closure), CoreLambda([x], applied)])
    let function = try session.run(0, 5)
    #expect(try session.machine.apply(function, 7).int == 12)
    #expect(try session.run(1, 5).int == 15)
  }

  @Test func listLoopsInPlace() throws {
    var w = CoreWriter()
    let list = w.core.types.list(.int)
    let function = w.core.types.intern(.function([.int], .int))
    let (n, en) = w.local("n", .int)
    let range = w.prim(.range, list, w.int(1), en)
    // Invariant, heavy: must be moved out of the loop, and not be computed for an empty list.
    let inner = w.prim(.listSum, .int, range)
    let (x, ex) = w.local("x", .int)
    let mapped = w.prim(
      .listMap, list, range, w.add(.lambda(CoreLambda([x], w.prim(.multiply, .int, ex, ex))), function))
    let (k, ek) = w.local("k", .int)
    let even = w.prim(.equal, .bool, w.prim(.remainder, .int, ek, w.int(2)), w.int(0))
    let filtered = w.prim(.listFilter, list, mapped, w.add(.lambda(CoreLambda([k], even)), function))
    let (s, es) = w.local("s", .int)
    let (v, ev) = w.local("v", .int)
    let folded = w.prim(
      .listFold, .int, filtered, w.int(0),
      w.add(.lambda(CoreLambda([s, v], w.prim(.add, .int, es, ev))), function))
    let (c, ec) = w.local("c", .int)
    let any = w.prim(
      .listAny, .bool, range, w.add(.lambda(CoreLambda([c], w.prim(.greater, .bool, ec, w.int(9)))), function))
    _ = inner
    let session = Session(w.core, [CoreLambda([n], folded), CoreLambda([n], any)])
    #expect(try session.run(0, 10).int == 4 + 16 + 36 + 64 + 100)
    #expect(try session.run(0, 0).int == 0)
    #expect(try session.run(1, 9) == 0)
    #expect(try session.run(1, 10) == 1)
  }

  /// suspend l = 1 / x in f where f = y => if y == 0 then 0 else l
  @Test func suspendedComputationsAreLazyAndShared() throws {
    var w = CoreWriter()
    let (x, ex) = w.local("x", .int)
    let (l, el) = w.local("l", .int, isLazy: true)
    let (y, ey) = w.local("y", .int)
    let zero = w.int(0)
    let value = w.prim(.div, .int, w.int(100), ex)
    let body = w.conditional(w.prim(.equal, .bool, ey, zero), zero, w.prim(.add, .int, el, ey))
    let type = w.core.types.intern(.function([.int], .int))
    let closure = w.add(.lambda(CoreLambda([y], body)), type)
    let root = w.add(.suspend([(local: l, value: value)], closure), type)
    let session = Session(w.core, [CoreLambda([x], root)])
    let function = try session.run(0, 0)
    #expect(try session.machine.apply(function, 0).int == 0)
    #expect(throws: Fault.self) { try session.machine.apply(function, 1) }
    let other = try session.run(0, 20)
    #expect(try session.machine.apply(other, 1).int == 6)
    #expect(try session.machine.apply(other, 2).int == 7)
  }

  @Test func lazyParametersOfFunctions() throws {
    var w = CoreWriter()
    let (a, ea) = w.local("a", .int)
    let (b, eb) = w.local("b", .int, isLazy: true)
    let zero = w.int(0)
    let one = w.int(1)
    // f(a, lazy b) = if a == 0 then 0 else if a == 1 then b + b else f(a - 1, b)
    let f = w.function("f", [a, b], .int) { w, me in
      let next = w.prim(.subtract, .int, ea, one)
      let again = w.add(.call(me, [next, w.add(.thunk(b), .int)]), .int)
      return w.conditional(
        w.prim(.equal, .bool, ea, zero), zero,
        w.conditional(w.prim(.equal, .bool, ea, one), w.prim(.add, .int, eb, eb), again))
    }
    let (x, ex) = w.local("x", .int)
    let (n, en) = w.local("n", .int)
    let (l, _) = w.local("l", .int, isLazy: true)
    let value = w.prim(.div, .int, w.int(100), ex)
    let call = w.add(.call(f, [en, w.add(.thunk(l), .int)]), .int)
    let root = w.add(.suspend([(local: l, value: value)], call), .int)
    let session = Session(w.core, [CoreLambda([x, n], root)])
    #expect(try session.run(0, 0, 0).int == 0)
    #expect(try session.run(0, 5, 1).int == 40)
    #expect(try session.run(0, 5, 9).int == 40)
    #expect(session.fault(0, 0, 9)?.kind == .divisionByZero)
  }

  /// f(n) = [n] |> sortBy(g) |> size where g = x => if x == 0 then 0 else f(x - 1): each level enters Swift again.
  @Test func functionsCalledByRoutinesNestToALimit() throws {
    var w = CoreWriter()
    let list = w.core.types.list(.int)
    let type = w.core.types.intern(.function([.int], .int))
    let (n, en) = w.local("n", .int)
    let (x, ex) = w.local("x", .int)
    let f = w.function("f", [n], .int) { w, me in
      let zero = w.int(0)
      let again = w.add(.call(me, [w.prim(.subtract, .int, ex, w.int(1))]), .int)
      let body = w.conditional(w.prim(.equal, .bool, ex, zero), zero, again)
      let key = w.add(.lambda(CoreLambda([x], body)), type)
      let sorted = w.prim(.listSortBy, list, w.add(.list([en, en], spreads: [false, false]), list), key)
      return w.prim(.listSize, .int, sorted)
    }
    let (m, em) = w.local("m", .int)
    let call = w.add(.call(f, [em]), .int)
    let session = Session(w.core, [CoreLambda([m], call)])
    #expect(try session.run(0, 5).int == 2)
    session.machine.stepsLeft = 10_000_000
    #expect(session.fault(0, 1_000_000)?.kind == .limit(.stack))
    #expect(try session.run(0, 5).int == 2)
  }

  @Test func recordsVariantsAndUpdates() throws {
    var w = CoreWriter()
    let point = w.core.types.intern(.record([FieldType("name", .string), FieldType("x", .int)]))
    let option = w.core.types.option(point)
    let (x, ex) = w.local("x", .int)
    let name = w.string("héllo")
    let record = w.add(.construct(tag: 0, [name, ex]), point)
    let changed = w.add(.update(record, [(index: 1, value: w.prim(.add, .int, ex, w.int(1)))]), point)
    let some = w.add(.construct(tag: 1, [changed]), option)
    let none = w.add(.construct(tag: 0, []), option)
    let choice = w.conditional(w.prim(.less, .bool, ex, w.int(0)), none, some)
    let test = w.add(.hasTag(choice, 1), .bool)
    let inner = w.add(.field(choice, index: 0, tag: 1), point)
    let result = w.conditional(test, w.add(.field(inner, index: 1, tag: 0), .int), w.int(-1))
    let session = Session(w.core, [CoreLambda([x], result), CoreLambda([x], choice)])
    #expect(try session.run(0, 5).int == 6)
    #expect(try session.run(0, Word(int: -5)).int == -1)
    let a = try session.run(1, 5)
    let b = try session.run(1, 5)
    #expect(session.machine.heap.equal(a, b, type: option))
    #expect(session.machine.heap.compare(Word.none, b, type: option) < 0)
    #expect(session.machine.heap.hash(a, option) == session.machine.heap.hash(b, option))
    #expect(session.machine.heap.swiftString(a.field(0).field(0)) == "héllo")
  }

  @Test func pulledBehaviorsAreComputedOnceAnEpoch() throws {
    var w = CoreWriter()
    let time = w.behavior(.time, .float, continuous: true)
    let step = w.behavior(.inputBehavior(port: 0, start: nil), .float)
    let t = w.add(.read(time), .float)
    let s = w.add(.read(step), .float)
    let product = w.prim(.multiply, .float, t, s)
    let lifted = w.behavior(.lift(product), .float, continuous: true)
    let child = ScopeID(1)
    w.core.scopes.append(CoreScope(parent: .program, parameters: []))
    let parameter = w.core.addLocal("p", .float, scope: child)
    w.core.scopes[1].parameters = [parameter]
    let use = w.prim(
      .add, .float, w.add(.read(lifted), .float), w.add(.local(parameter), .float))
    let layout = Layout(w.core)
    var compiler = CodeCompiler(core: w.core, layout: layout)
    let code = compiler.compile(expression: use, in: child)
    let machine = Machine(code: compiler.code, types: w.core.types)
    let program = UnsafeMutablePointer<UInt64>.allocate(capacity: 16)
    let base = UnsafeMutablePointer<UInt64>.allocate(capacity: 16)
    defer {
      program.deallocate()
      base.deallocate()
    }
    base[0] = Word(program)
    program[layout.slot(time)] = Word(float: 2)
    program[layout.slot(step)] = Word(float: 3)
    program[layout.slot(lifted) + 1] = 0
    base[2] = Word(float: 0.5)
    machine.epoch = 7
    #expect(try machine.run(code, base: base).float == 6.5)
    program[layout.slot(time)] = Word(float: 4)
    #expect(try machine.run(code, base: base).float == 6.5)
    machine.epoch = 8
    #expect(try machine.run(code, base: base).float == 12.5)
    #expect(try machine.pull(lifted, slot: layout.slot(lifted), base: program).float == 12)
    let fault = Fault(.message, "poisoned")
    machine.poison(program + layout.slot(step), fault)
    machine.epoch = 9
    #expect(throws: fault) { try machine.run(code, base: base) }
    machine.cure(program + layout.slot(step))
    #expect(try machine.run(code, base: base).float == 12.5)
  }
}
