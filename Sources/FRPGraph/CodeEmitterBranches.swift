// Conditionals, conditions as jumps, tails, and functions compiled in place.

import FRPBase
import FRPCore

/// A comparison that is one instruction.
struct SimpleTest {
  var op: Op
  var left: Int
  /// The second operand, or nil for a constant.
  var right: Int?
  var constant = 0
}

extension BodyEmitter {
  private func expression(_ item: Int) -> CoreExpr? {
    guard case .expr(let id) = graph.items[item].key else { return nil }
    return core[id]
  }

  /// Whether an item's value may be computed in place by jumps: nobody else needs it.
  private func isPrivate(_ item: Int) -> Bool {
    graph.items[item].uses <= 1 && graph.items[item].role == .plain
  }

  // MARK: Conditions

  /// The single instruction for a comparison of scalars, or for its opposite.
  func simpleTest(_ item: Int, negated: Bool = false) -> SimpleTest? {
    guard case .prim(let prim, let arguments)? = expression(item), arguments.count == 2,
      var comparison = Comparison(prim)
    else { return nil }
    if negated { comparison = comparison.inverse }
    let left = operand(item, 0)
    let right = operand(item, 1)
    switch core.type(arguments[0]) {
    case .unit, .bool, .int:
      if case .expr(let id) = graph.items[right].key, case .int(let k) = core[id], Int32(exactly: k) != nil {
        return SimpleTest(op: comparison.intConstant, left: left, constant: k)
      }
      if case .expr(let id) = graph.items[left].key, case .int(let k) = core[id], Int32(exactly: k) != nil {
        return SimpleTest(op: comparison.mirrored.intConstant, left: right, constant: k)
      }
      return registers(comparison, left, right: right) { $0.int }
    case .float:
      if let op = comparison.floatConstant, let k = constantOperand(right) {
        return SimpleTest(op: op, left: left, constant: k)
      }
      if let op = comparison.mirrored.floatConstant, let k = constantOperand(left) {
        return SimpleTest(op: op, left: right, constant: k)
      }
      return registers(comparison, left, right: right) { $0.float }
    case .string:
      guard comparison.isEquality else { return nil }
      return SimpleTest(op: comparison == .equal ? .equalString : .notEqualString, left: left, right: right)
    default: return nil
    }
  }

  private func registers(_ comparison: Comparison, _ left: Int, right: Int, op: (Comparison) -> Op?)
    -> SimpleTest?
  {
    if let op = op(comparison) { return SimpleTest(op: op, left: left, right: right) }
    return op(comparison.mirrored).map { SimpleTest(op: $0, left: right, right: left) }
  }

  /// Jumps that are taken unless the item is true (if `wanted`; else unless it is false). What follows runs otherwise.
  func jumps(unless wanted: Bool, _ item: Int) -> [Int] {
    let outer = span
    defer { span = outer }
    guard isPrivate(item), case .expr(let id) = graph.items[item].key else { return [plainJump(wanted, item)] }
    if !core.span(id).isNone { span = core.span(id) }
    switch core[id] {
    case .prim(.not, _): return jumps(unless: !wanted, operand(item, 0))
    case .prim(.and, _): return wanted ? bothJumps(item, true) : eitherJumps(item, true)
    case .prim(.or, _): return wanted ? eitherJumps(item, false) : bothJumps(item, false)
    case .hasTag(_, let tag) where wanted:
      let mark = mark()
      let source = value(operand(item, 0))
      release(mark)
      return [add(.unlessTag, source, tag)]
    default:
      guard let test = simpleTest(item, negated: !wanted), let jump = test.op.unless else {
        return [plainJump(wanted, item)]
      }
      let mark = mark()
      let a = value(test.left)
      let b = test.right.map { value($0) } ?? test.constant
      release(mark)
      return [add(jump, a, b)]
    }
  }

  private func plainJump(_ wanted: Bool, _ item: Int) -> Int {
    let mark = mark()
    let source = value(item)
    release(mark)
    return add(wanted ? .jumpUnless : .jumpIf, source)
  }

  /// `a && b` wanted true, or `a || b` wanted false: either operand can miss.
  private func bothJumps(_ item: Int, _ wanted: Bool) -> [Int] {
    var result = jumps(unless: wanted, operand(item, 0))
    inRegion(branch(item, 1)) { result += jumps(unless: wanted, operand(item, 1)) }
    return result
  }

  /// `a && b` wanted false, or `a || b` wanted true: the first operand can decide for going on.
  private func eitherJumps(_ item: Int, _ decided: Bool) -> [Int] {
    let goOn = jumps(unless: decided, operand(item, 0))
    var result: [Int] = []
    inRegion(branch(item, 1)) { result = jumps(unless: !decided, operand(item, 1)) }
    land(goOn)
    return result
  }

  // MARK: Conditionals

  /// `if`, `&&`, `||` as values.
  func conditional(_ item: Int, _ target: Int?) -> Int {
    let result = target ?? allocate()
    switch expression(item) {
    case .prim(let prim, _)?:
      // The result register is written before the second operand is computed, so it must not be one it reads.
      let other = jumps(unless: prim == .and, operand(item, 0))
      inRegion(branch(item, 1)) { _ = value(operand(item, 1), into: result) }
      let end = add(.jump)
      land(other)
      add(.small, result, prim == .and ? 0 : 1)
      land([end])
    default:
      let other = jumps(unless: true, operand(item, 0))
      inRegion(branch(item, 1)) { _ = value(operand(item, 1), into: result) }
      let end = add(.jump)
      land(other)
      inRegion(branch(item, 2)) { _ = value(operand(item, 2), into: result) }
      land([end])
    }
    return result
  }

  // MARK: Tails

  /// Computes an item and gives it as the body's result; calls reuse the window.
  func tail(_ item: Int) {
    let outer = span
    defer { span = outer }
    if isPrivate(item), case .expr(let id) = graph.items[item].key {
      if !core.span(id).isNone { span = core.span(id) }
      switch core[id] {
      case .conditional:
        let other = jumps(unless: true, operand(item, 0))
        inRegion(branch(item, 1)) { tail(operand(item, 1)) }
        land(other)
        inRegion(branch(item, 2)) { tail(operand(item, 2)) }
        return
      case .prim(.and, _), .prim(.or, _): return tailLogic(item, isAnd: core[id].isAnd)
      case .call(let function, let arguments) where canTailCall:
        let first = callWindow(item, function)
        add(.tailCall, 0, first, store.function(function).index, d: arguments.count)
        return
      case .apply(_, let arguments) where canTailCall:
        let function = value(operand(item, 0))
        let first = window(self.arguments(item, from: 1))
        add(.tailApply, 0, first, function, d: arguments.count)
        return
      default: break
      }
    }
    give(value(item))
  }

  private func tailLogic(_ item: Int, isAnd: Bool) {
    let other = jumps(unless: isAnd, operand(item, 0))
    inRegion(branch(item, 1)) { tail(operand(item, 1)) }
    land(other)
    give(small(isAnd ? 0 : 1, nil))
  }

  private var canTailCall: Bool {
    switch body.kind {
    case .entry, .function, .closure: return true
    case .thunk, .pulled: return false
    }
  }

  private func give(_ register: Int) {
    switch body.kind {
    case .entry, .function, .closure: add(.result, register)
    case .thunk: add(.resultThunk, register)
    case .pulled(let slot): add(.resultPulled, register, slot)
    }
  }

  // MARK: Functions compiled in place

  func inlined(
    _ item: Int, _ id: CoreExprID, prim: Prim, arguments: [CoreExprID], lambda: CoreLambda, target: Int?
  ) -> Int {
    let before = mark()
    let result: Int
    switch prim {
    case .listMap, .listFilter: result = build(item, id, lambda: lambda, keepsIf: prim == .listFilter)
    case .listFold: result = fold(item, lambda)
    case .listCount, .listAny, .listAll: result = search(item, prim, lambda: lambda)
    default: result = branchOnTag(item, id, prim: prim, arguments: arguments, lambda: lambda)
    }
    release(before)
    let place = target ?? allocate()
    if place != result { add(.move, place, result) }
    return place
  }

  /// Writes a loop over the list in operand 0: `turn` gets the element's register.
  private func loop(_ item: Int, _ parameter: LocalID, prepare: (Int) -> Void, turn: () -> [Int]) {
    let cursor = allocate(2)
    let before = mark()
    let source = value(operand(item, 0))
    release(before)
    add(.iterate, cursor, source)
    prepare(cursor)
    let element = allocate()
    bind(parameter, to: element)
    let start = instructions.count
    let end = add(.next, element, cursor)
    var exits: [Int] = []
    inRegion(branch(item, 1)) { exits = turn() }
    let back = add(.jump)
    instructions[back].a = Int32(start - back)
    land([end] + exits)
  }

  private func build(_ item: Int, _ id: CoreExprID, lambda: CoreLambda, keepsIf: Bool) -> Int {
    let isReference = references(inListOf: core.type(id)) ? 1 : 0
    let result = allocate()
    guard let parameter = lambda.parameters.first else { return result }
    loop(item, parameter, prepare: { add(.build, result, $0, d: isReference) }) {
      if keepsIf {
        let skip = jumps(unless: true, operand(item, 1))
        add(.push, result, home(of: parameter))
        land(skip)
      } else {
        add(.push, result, value(operand(item, 1)), d: isReference)
      }
      return []
    }
    add(.built, result, result, d: isReference)
    return result
  }

  private func fold(_ item: Int, _ lambda: CoreLambda) -> Int {
    let state = allocate()
    guard lambda.parameters.count == 2 else { return state }
    bind(lambda.parameters[0], to: state)
    loop(item, lambda.parameters[1], prepare: { _ in value(operand(item, 1), into: state) }) {
      let next = value(operand(item, 2))
      if next != state { add(.move, state, next) }
      return []
    }
    return state
  }

  private func search(_ item: Int, _ prim: Prim, lambda: CoreLambda) -> Int {
    let result = allocate()
    guard let parameter = lambda.parameters.first else { return result }
    loop(item, parameter, prepare: { _ in add(.small, result, prim == .listAll ? 1 : 0) }) {
      let skip = jumps(unless: prim != .listAll, operand(item, 1))
      var exits: [Int] = []
      if prim == .listCount {
        add(.addIntK, result, result, 1)
      } else {
        add(.small, result, prim == .listAll ? 0 : 1)
        exits = [add(.jump)]
      }
      land(skip)
      return exits
    }
    return result
  }

  /// `map` and `flatMap` of Option and Result: the function's body is a branch.
  private func branchOnTag(
    _ item: Int, _ id: CoreExprID, prim: Prim, arguments: [CoreExprID], lambda: CoreLambda
  ) -> Int {
    let result = allocate()
    guard let parameter = lambda.parameters.first else { return result }
    // Some has tag 1, Ok has tag 0. What else there is has the same form in the result's type.
    let tag = prim == .optionMap || prim == .optionFlatMap ? 1 : 0
    let source = value(operand(item, 0), into: allocate())
    add(.move, result, source)
    let other = add(.unlessTag, source, tag)
    let content = allocate()
    add(.field, content, source, 0)
    bind(parameter, to: content)
    inRegion(branch(item, 1)) {
      let inner = value(operand(item, 1))
      if prim == .optionFlatMap || prim == .resultFlatMap {
        add(.move, result, inner)
      } else {
        let isReference = core.types.isReference(core.type(lambda.body))
        add(.construct, result, inner, store.constant(ObjectHeader.make(tag: tag, references: [isReference])), d: 1)
      }
    }
    land([other])
    return result
  }
}

extension CoreExpr {
  var isAnd: Bool {
    if case .prim(.and, _) = self { return true }
    return false
  }
}
