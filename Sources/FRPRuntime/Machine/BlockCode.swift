// Code of Floats, run for many moments at once: each operation takes all moments of a block before the next one runs.
//
// In:  the codes of a pulled behavior and of those that it pulls, of one frame, where they are straight lines of
//      operations on Floats. Out: the values of a block, the same to the last bit as one by one; or nothing, where one
//      of them is no Float, and then they must be computed one by one to say which.

import FRPCore
import FRPGraph

final class BlockCode {
  /// Moments of a block.
  static let lanes = 64
  private static let mostRegisters = 64

  /// One operation on registers of a block each.
  private struct Step {
    var op: Op
    var target: Int
    var x: Int
    var y: Int
  }

  private var steps: [Step] = []
  /// Registers that are the same for all moments: constants, and slots of step behaviors.
  private var constants: [(register: Int, value: Double)] = []
  private var slots: [(register: Int, slot: Int)] = []
  private var result = 0
  private var registerCount = 1
  /// By slot: the register of a pulled behavior that has been computed.
  private var pulled: [Int: Int] = [:]
  /// How many codes are run for a moment; each counts as a step.
  private(set) var codeCount = 0
  private let memory: UnsafeMutablePointer<Double>

  /// Register 0 holds the clock. `isClock` says which slots show it.
  init?(_ machine: Machine, code: Int, isClock: (Int) -> Bool) {
    memory = .allocate(capacity: (BlockCode.mostRegisters + 1) * BlockCode.lanes)
    guard let register = add(machine, code, isClock: isClock) else { return nil }
    result = register
  }

  deinit { memory.deallocate() }

  // MARK: Making it

  private func register() -> Int? {
    registerCount += 1
    return registerCount <= BlockCode.mostRegisters ? registerCount - 1 : nil
  }

  private func constant(_ machine: Machine, _ place: Int32) -> Int? {
    guard let register = register() else { return nil }
    constants.append((register, machine.state.pointee.constants[Int(place)].float))
    return register
  }

  /// Adds a code; gives the register of its result.
  private func add(_ machine: Machine, _ code: Int, isClock: (Int) -> Bool) -> Int? {
    codeCount += 1
    let entry = machine.code.entries[code]
    var held: [Int32: Int] = [:]
    for instr in machine.code.instructions[Int(entry.start)..<Int(entry.start + entry.count)] {
      switch instr.op {
      case .result: return held[instr.a]
      case .resultPulled:
        guard let register = held[instr.a] else { return nil }
        pulled[Int(instr.b)] = register
        return register
      case .move: held[instr.a] = held[instr.b]
      case .constant: held[instr.a] = constant(machine, instr.b)
      case .slot: held[instr.a] = slot(Int(instr.b), isClock)
      case .pull:
        guard instr.d == 0, let register = pull(machine, instr, isClock: isClock) else { return nil }
        held[instr.a] = register
      default:
        guard let register = operation(machine, instr, held: held) else { return nil }
        held[instr.a] = register
      }
    }
    return nil
  }

  private func slot(_ slot: Int, _ isClock: (Int) -> Bool) -> Int? {
    if isClock(slot) { return 0 }
    guard let register = register() else { return nil }
    slots.append((register, slot))
    return register
  }

  private func pull(_ machine: Machine, _ instr: Instr, isClock: (Int) -> Bool) -> Int? {
    if isClock(Int(instr.b)) { return 0 }
    if let known = pulled[Int(instr.b)] { return known }
    let code = Int(machine.state.pointee.pullCode[Int(instr.c)])
    return code >= 0 && codeCount < BlockCode.mostRegisters ? add(machine, code, isClock: isClock) : nil
  }

  private func operation(_ machine: Machine, _ instr: Instr, held: [Int32: Int]) -> Int? {
    guard let x = held[instr.b] else { return nil }
    switch instr.op {
    case .negateFloat, .absFloat, .squareRoot, .sine, .cosine, .exponential, .logarithm: return step(instr.op, x, x)
    case .addFloat, .subtractFloat, .multiplyFloat, .divideFloat, .minFloat, .maxFloat:
      guard let y = held[instr.c] else { return nil }
      return step(instr.op, x, y)
    case .addFloatK, .subtractFloatK, .multiplyFloatK, .divideFloatK, .reverseSubtractFloatK, .reverseDivideFloatK:
      guard let (op, isReversed) = instr.op.withRegister, let y = constant(machine, instr.c) else { return nil }
      return isReversed ? step(op, y, x) : step(op, x, y)
    default: return nil
    }
  }

  private func step(_ op: Op, _ x: Int, _ y: Int) -> Int? {
    guard let target = register() else { return nil }
    steps.append(Step(op: op, target: target, x: x, y: y))
    return target
  }

  // MARK: Running it

  /// The values at the first moments `start + step`, `start + 2 step`, … (nanoseconds), as many as there is room for in
  /// `values`, which is a block at most; false where one of them is no Float.
  func run(_ base: Address, start: Int64, step: Int64, _ values: UnsafeMutableBufferPointer<Double>) -> Bool {
    for lane in 0..<BlockCode.lanes {
      // Beyond the last moment nobody looks; there the clock stands.
      let moment = min(lane, values.count - 1) + 1
      memory[lane] = Moment(nanoseconds: start + Int64(moment) * step).seconds
    }
    for (register, value) in constants { fill(register, value) }
    for (register, slot) in slots { fill(register, base[slot].float) }
    fill(BlockCode.mostRegisters, 0)
    for step in steps { run(step) }
    let wrong = memory + BlockCode.mostRegisters * BlockCode.lanes
    let shown = memory + result * BlockCode.lanes
    for lane in values.indices {
      if wrong[lane] != 0 { return false }
      values[lane] = shown[lane]
    }
    return true
  }

  private func fill(_ register: Int, _ value: Double) {
    (memory + register * BlockCode.lanes).update(repeating: value, count: BlockCode.lanes)
  }

  private func run(_ step: Step) {
    let target = memory + step.target * BlockCode.lanes
    let x = memory + step.x * BlockCode.lanes
    let y = memory + step.y * BlockCode.lanes
    switch step.op {
    case .addFloat: for lane in 0..<BlockCode.lanes { target[lane] = x[lane] + y[lane] }
    case .subtractFloat: for lane in 0..<BlockCode.lanes { target[lane] = x[lane] - y[lane] }
    case .multiplyFloat: for lane in 0..<BlockCode.lanes { target[lane] = x[lane] * y[lane] }
    case .divideFloat: for lane in 0..<BlockCode.lanes { target[lane] = x[lane] / y[lane] }
    case .minFloat: for lane in 0..<BlockCode.lanes { target[lane] = y[lane] < x[lane] ? y[lane] : x[lane] }
    case .maxFloat: for lane in 0..<BlockCode.lanes { target[lane] = y[lane] > x[lane] ? y[lane] : x[lane] }
    case .negateFloat: for lane in 0..<BlockCode.lanes { target[lane] = -x[lane] }
    case .absFloat: for lane in 0..<BlockCode.lanes { target[lane] = x[lane].magnitude }
    case .squareRoot: for lane in 0..<BlockCode.lanes { target[lane] = x[lane].squareRoot() }
    case .sine: for lane in 0..<BlockCode.lanes { target[lane] = Elementary.sin(x[lane]) }
    case .cosine: for lane in 0..<BlockCode.lanes { target[lane] = Elementary.cos(x[lane]) }
    case .exponential: for lane in 0..<BlockCode.lanes { target[lane] = Elementary.exp(x[lane]) }
    default: for lane in 0..<BlockCode.lanes { target[lane] = Elementary.log(x[lane]) }
    }
    // Zero times an infinity or a NaN is a NaN, which stays.
    let wrong = memory + BlockCode.mostRegisters * BlockCode.lanes
    for lane in 0..<BlockCode.lanes { wrong[lane] += target[lane] * 0 }
  }
}
