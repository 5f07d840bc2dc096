// The quick loop: short codes that only compute with numbers, run without a frame of their own.
//
// In:  a code of numbers, fields, small objects, jumps forward and slots (`Machine.isQuick` says which). Out: its value,
//      or nil where it cannot go on: an overflow, a division by zero, a slot that has faulted, no room, no steps left.
//      Such codes change nothing but pulled slots, so the loop in Loop.swift then runs them again from the start and
//      says what went wrong and where.
// It exists because most codes are two or three instructions long, and entering the big loop costs more than they do.

import FRPBase
import FRPCore
import FRPGraph

extension Machine {
  /// Words that a quick code may use above the top of the stack; see `stackEnd` in Loading.swift.
  static let quickRegisters = 48

  /// How many pulled behaviors the quick loop computes within one another.
  static let quickNesting = 32

  /// Whether a code can run in the quick loop.
  static func isQuick(_ code: CodeTable, _ entry: CodeEntry) -> Bool {
    if Int(entry.registers) > quickRegisters { return false }
    for place in Int(entry.start)..<Int(entry.start + entry.count) where !isQuick(code.instructions[place].op) {
      return false
    }
    return true
  }

  private static func isQuick(_ op: Op) -> Bool {
    switch op {
    case .move, .small, .constant, .slot, .field, .result, .skip, .addInt, .addIntK, .subtractInt, .subtractIntK,
      .multiplyInt, .multiplyIntK, .divideIntK, .remainderIntK, .reverseSubtractIntK, .negateInt, .minInt, .maxInt,
      .addFloat, .addFloatK, .subtractFloat, .subtractFloatK, .multiplyFloat, .multiplyFloatK, .divideFloatK,
      .negateFloat, .toFloat, .equalInt, .notEqualInt, .lessInt, .lessEqualInt, .equalIntK, .notEqualIntK, .lessIntK,
      .lessEqualIntK, .greaterIntK, .greaterEqualIntK, .equalFloat, .lessFloat, .lessEqualFloat, .lessFloatK,
      .lessEqualFloatK, .greaterFloatK, .greaterEqualFloatK, .not, .jump, .jumpIf, .jumpUnless, .unlessEqualInt,
      .unlessNotEqualInt, .unlessLessInt, .unlessLessEqualInt, .unlessEqualIntK, .unlessNotEqualIntK, .unlessLessIntK,
      .unlessLessEqualIntK, .unlessGreaterIntK, .unlessGreaterEqualIntK, .unlessLessFloat, .unlessLessEqualFloat,
      .unlessTag, .hasTag, .construct, .divideFloat, .squareRoot, .sine, .cosine, .exponential, .logarithm, .pull,
      .resultPulled:
      return true
    default: return false
    }
  }

  /// A pulled behavior of the same frame whose code is quick, too; nil where it is not, or many are under way.
  @inline(never)
  private static func quickPull(
    _ s: UnsafeMutablePointer<MachineState>, _ i: Instr, _ r: Address, _ base: Address
  ) -> Word? {
    let slot = base + Int(i.b)
    if i.d != 0 || s.pointee.poisonCount != 0 { return nil }
    if slot[1] == s.pointee.epoch { return slot[0] }
    let code = Int(s.pointee.pullCode[Int(i.c)])
    let window = r + Int(i.a) + CodeTable.callHeader
    guard code >= 0, let inner = s.pointee.codes[code].quick, s.pointee.quickDepth < quickNesting,
      window + quickRegisters <= s.pointee.stackEnd
    else { return nil }
    s.pointee.quickDepth &+= 1
    defer { s.pointee.quickDepth &-= 1 }
    return quick(s, inner, window, base)
  }

  /// Runs a quick code; nil where it must be run again by `execute`.
  @inline(never)
  static func quick(
    _ s: UnsafeMutablePointer<MachineState>, _ start: UnsafePointer<Instr>, _ r: Address, _ base: Address
  ) -> Word? {
    s.pointee.stepsLeft &-= 1
    if s.pointee.stepsLeft < 0 {
      s.pointee.stepsLeft &+= 1
      return nil
    }
    let constants = s.pointee.constants
    var pc = start
    while true {
      let i = pc.pointee
      pc += 1
      switch i.op {
      case .move: r[Int(i.a)] = r[Int(i.b)]
      case .small: r[Int(i.a)] = Word(int: Int(i.b))
      case .constant: r[Int(i.a)] = constants[Int(i.b)]
      case .slot:
        if s.pointee.poisonCount != 0 { return nil }
        r[Int(i.a)] = base[Int(i.b)]
      case .addIntSlots:
        if s.pointee.poisonCount != 0 { return nil }
        let (value, overflow) = base[Int(i.b)].int.addingReportingOverflow(base[Int(i.c)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .addIntSlot:
        if s.pointee.poisonCount != 0 { return nil }
        let (value, overflow) = r[Int(i.b)].int.addingReportingOverflow(base[Int(i.c)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .addIntSlotK:
        if s.pointee.poisonCount != 0 { return nil }
        let (value, overflow) = base[Int(i.b)].int.addingReportingOverflow(Int(i.c))
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .multiplyIntSlotK:
        if s.pointee.poisonCount != 0 { return nil }
        let (value, overflow) = base[Int(i.b)].int.multipliedReportingOverflow(by: Int(i.c))
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .addFloatSlots:
        if s.pointee.poisonCount != 0 { return nil }
        let value = base[Int(i.b)].float + base[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .multiplyFloatSlots:
        if s.pointee.poisonCount != 0 { return nil }
        let value = base[Int(i.b)].float * base[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .addFloatSlot:
        if s.pointee.poisonCount != 0 { return nil }
        let value = r[Int(i.b)].float + base[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .multiplyFloatSlotK:
        if s.pointee.poisonCount != 0 { return nil }
        let value = base[Int(i.b)].float * constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .field: r[Int(i.a)] = r[Int(i.b)].field(Int(i.c))
      case .hasTag: r[Int(i.a)] = Word(bool: r[Int(i.b)].tag == Int(i.c))
      case .construct:
        let count = Int(i.d)
        let object = s.pointee.heap.pointee.top
        if count >= s.pointee.heap.pointee.end - object { return nil }
        s.pointee.heap.pointee.top = object + (count &+ 1)
        object[0] = constants[Int(i.c)]
        let fields = r + Int(i.b)
        for index in 0..<count { object[index &+ 1] = fields[index] }
        r[Int(i.a)] = Word(object)
      case .result: return r[Int(i.a)]
      case .skip:
        s.pointee.hasSkipped = true
        return 0
      case .addInt:
        let (value, overflow) = r[Int(i.b)].int.addingReportingOverflow(r[Int(i.c)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .addIntK:
        let (value, overflow) = r[Int(i.b)].int.addingReportingOverflow(Int(i.c))
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .subtractInt:
        let (value, overflow) = r[Int(i.b)].int.subtractingReportingOverflow(r[Int(i.c)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .subtractIntK:
        let (value, overflow) = r[Int(i.b)].int.subtractingReportingOverflow(Int(i.c))
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .multiplyInt:
        let (value, overflow) = r[Int(i.b)].int.multipliedReportingOverflow(by: r[Int(i.c)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .multiplyIntK:
        let (value, overflow) = r[Int(i.b)].int.multipliedReportingOverflow(by: Int(i.c))
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .divideIntK:
        guard i.c != 0, let value = Arithmetic.divide(r[Int(i.b)].int, Int(i.c)) else { return nil }
        r[Int(i.a)] = Word(int: value)
      case .remainderIntK:
        let divisor = Int(i.c)
        if divisor <= 0 { return nil }
        if divisor & (divisor &- 1) == 0 {
          // The remainder has the divisor's sign.
          r[Int(i.a)] = r[Int(i.b)] & Word(int: divisor &- 1)
        } else {
          r[Int(i.a)] = Word(int: Arithmetic.remainder(r[Int(i.b)].int, divisor))
        }
      case .reverseSubtractIntK:
        let (value, overflow) = Int(i.c).subtractingReportingOverflow(r[Int(i.b)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .negateInt:
        let (value, overflow) = 0.subtractingReportingOverflow(r[Int(i.b)].int)
        if overflow { return nil }
        r[Int(i.a)] = Word(int: value)
      case .minInt: r[Int(i.a)] = Word(int: min(r[Int(i.b)].int, r[Int(i.c)].int))
      case .maxInt: r[Int(i.a)] = Word(int: max(r[Int(i.b)].int, r[Int(i.c)].int))
      case .addFloat:
        let value = r[Int(i.b)].float + r[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .addFloatK:
        let value = r[Int(i.b)].float + constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .subtractFloat:
        let value = r[Int(i.b)].float - r[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .subtractFloatK:
        let value = r[Int(i.b)].float - constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .multiplyFloat:
        let value = r[Int(i.b)].float * r[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .multiplyFloatK:
        let value = r[Int(i.b)].float * constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .divideFloatK:
        let value = r[Int(i.b)].float / constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .divideFloat:
        let value = r[Int(i.b)].float / r[Int(i.c)].float
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .squareRoot:
        let x = r[Int(i.b)].float
        if x < 0 { return nil }
        r[Int(i.a)] = Word(float: x.squareRoot())
      case .sine:
        let value = Elementary.sin(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .cosine:
        let value = Elementary.cos(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .exponential:
        let value = Elementary.exp(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .logarithm:
        let value = Elementary.log(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { return nil }
        r[Int(i.a)] = Word(float: value)
      case .pull:
        guard let value = quickPull(s, i, r, base) else { return nil }
        r[Int(i.a)] = value
      case .resultPulled:
        let value = r[Int(i.a)]
        base[Int(i.b)] = value
        base[Int(i.b) + 1] = s.pointee.epoch
        return value
      case .negateFloat: r[Int(i.a)] = Word(float: -r[Int(i.b)].float)
      case .toFloat: r[Int(i.a)] = Word(float: Double(r[Int(i.b)].int))
      case .equalInt: r[Int(i.a)] = Word(bool: r[Int(i.b)] == r[Int(i.c)])
      case .notEqualInt: r[Int(i.a)] = Word(bool: r[Int(i.b)] != r[Int(i.c)])
      case .lessInt: r[Int(i.a)] = Word(bool: r[Int(i.b)].int < r[Int(i.c)].int)
      case .lessEqualInt: r[Int(i.a)] = Word(bool: r[Int(i.b)].int <= r[Int(i.c)].int)
      case .equalIntK: r[Int(i.a)] = Word(bool: r[Int(i.b)].int == Int(i.c))
      case .notEqualIntK: r[Int(i.a)] = Word(bool: r[Int(i.b)].int != Int(i.c))
      case .lessIntK: r[Int(i.a)] = Word(bool: r[Int(i.b)].int < Int(i.c))
      case .lessEqualIntK: r[Int(i.a)] = Word(bool: r[Int(i.b)].int <= Int(i.c))
      case .greaterIntK: r[Int(i.a)] = Word(bool: r[Int(i.b)].int > Int(i.c))
      case .greaterEqualIntK: r[Int(i.a)] = Word(bool: r[Int(i.b)].int >= Int(i.c))
      case .equalFloat: r[Int(i.a)] = Word(bool: r[Int(i.b)].float == r[Int(i.c)].float)
      case .lessFloat: r[Int(i.a)] = Word(bool: r[Int(i.b)].float < r[Int(i.c)].float)
      case .lessEqualFloat: r[Int(i.a)] = Word(bool: r[Int(i.b)].float <= r[Int(i.c)].float)
      case .lessFloatK: r[Int(i.a)] = Word(bool: r[Int(i.b)].float < constants[Int(i.c)].float)
      case .lessEqualFloatK: r[Int(i.a)] = Word(bool: r[Int(i.b)].float <= constants[Int(i.c)].float)
      case .greaterFloatK: r[Int(i.a)] = Word(bool: r[Int(i.b)].float > constants[Int(i.c)].float)
      case .greaterEqualFloatK: r[Int(i.a)] = Word(bool: r[Int(i.b)].float >= constants[Int(i.c)].float)
      case .not: r[Int(i.a)] = r[Int(i.b)] ^ 1
      case .jump: pc += Int(i.a) &- 1
      case .jumpIf: if r[Int(i.a)] != 0 { pc += Int(i.c) &- 1 }
      case .jumpUnless: if r[Int(i.a)] == 0 { pc += Int(i.c) &- 1 }
      case .unlessEqualInt: if r[Int(i.a)] != r[Int(i.b)] { pc += Int(i.c) &- 1 }
      case .unlessNotEqualInt: if r[Int(i.a)] == r[Int(i.b)] { pc += Int(i.c) &- 1 }
      case .unlessLessInt: if !(r[Int(i.a)].int < r[Int(i.b)].int) { pc += Int(i.c) &- 1 }
      case .unlessLessEqualInt: if !(r[Int(i.a)].int <= r[Int(i.b)].int) { pc += Int(i.c) &- 1 }
      case .unlessEqualIntK: if r[Int(i.a)].int != Int(i.b) { pc += Int(i.c) &- 1 }
      case .unlessNotEqualIntK: if r[Int(i.a)].int == Int(i.b) { pc += Int(i.c) &- 1 }
      case .unlessLessIntK: if !(r[Int(i.a)].int < Int(i.b)) { pc += Int(i.c) &- 1 }
      case .unlessLessEqualIntK: if !(r[Int(i.a)].int <= Int(i.b)) { pc += Int(i.c) &- 1 }
      case .unlessGreaterIntK: if !(r[Int(i.a)].int > Int(i.b)) { pc += Int(i.c) &- 1 }
      case .unlessGreaterEqualIntK: if !(r[Int(i.a)].int >= Int(i.b)) { pc += Int(i.c) &- 1 }
      case .unlessLessFloat: if !(r[Int(i.a)].float < r[Int(i.b)].float) { pc += Int(i.c) &- 1 }
      case .unlessLessEqualFloat: if !(r[Int(i.a)].float <= r[Int(i.b)].float) { pc += Int(i.c) &- 1 }
      case .unlessTag: if r[Int(i.a)].tag != Int(i.b) { pc += Int(i.c) &- 1 }
      default: return nil
      }
    }
  }
}
