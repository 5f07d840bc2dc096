// Quick codes, as the quick loop wants them: operands that are slots are read where they are used.
//
// In:  the instructions of a quick code without jumps. Out: the same with loads of slots, where only the next operation
//      needs them, taken into it. An instruction less is a dispatch less, and most codes are two or three long.

import FRPGraph

enum QuickCode {
  /// The instructions to run; the same where nothing can be taken in.
  static func folded(_ code: ArraySlice<Instr>) -> [Instr] {
    var result = Array(code)
    if result.contains(where: { $0.op.isJump }) { return result }
    var place = 0
    while place < result.count {
      if let both = pair(result, place) {
        result.replaceSubrange(place..<place + 3, with: [both])
      } else if let one = single(result, place) {
        result.replaceSubrange(place..<place + 2, with: [one])
      }
      place += 1
    }
    return result
  }

  /// `slot, slot, operation` on both.
  private static func pair(_ code: [Instr], _ place: Int) -> Instr? {
    guard place + 2 < code.count, code[place].op == .slot, code[place + 1].op == .slot else { return nil }
    let (x, y, use) = (code[place], code[place + 1], code[place + 2])
    guard use.b == x.a, use.c == y.a, x.a != y.a, let op = ofSlots(use.op) else { return nil }
    if isRead(x.a, code, from: place + 3, unless: use.a) || isRead(y.a, code, from: place + 3, unless: use.a) {
      return nil
    }
    return Instr(op, Int(use.a), Int(x.b), Int(y.b))
  }

  /// `slot, operation` where the slot is the second operand, or the only one beside a number.
  private static func single(_ code: [Instr], _ place: Int) -> Instr? {
    guard place + 1 < code.count, code[place].op == .slot else { return nil }
    let (x, use) = (code[place], code[place + 1])
    if isRead(x.a, code, from: place + 2, unless: use.a) { return nil }
    if use.c == x.a, use.b != x.a, let op = ofRegisterAndSlot(use.op) {
      return Instr(op, Int(use.a), Int(use.b), Int(x.b))
    }
    if use.b == x.a, let op = ofSlotAndNumber(use.op) { return Instr(op, Int(use.a), Int(x.b), Int(use.c)) }
    return nil
  }

  private static func ofSlots(_ op: Op) -> Op? {
    switch op {
    case .addInt: return .addIntSlots
    case .addFloat: return .addFloatSlots
    case .multiplyFloat: return .multiplyFloatSlots
    default: return nil
    }
  }

  private static func ofRegisterAndSlot(_ op: Op) -> Op? {
    switch op {
    case .addInt: return .addIntSlot
    case .addFloat: return .addFloatSlot
    default: return nil
    }
  }

  private static func ofSlotAndNumber(_ op: Op) -> Op? {
    switch op {
    case .addIntK: return .addIntSlotK
    case .multiplyIntK: return .multiplyIntSlotK
    case .multiplyFloatK: return .multiplyFloatSlotK
    default: return nil
    }
  }

  /// Whether a register may be read before it is written again. `unless` is what the instruction before has written.
  private static func isRead(_ register: Int32, _ code: [Instr], from start: Int, unless written: Int32) -> Bool {
    if written == register { return false }
    for instr in code[start...] {
      switch instr.op {
      case .small, .constant, .slot, .skip: break
      case .result, .resultPulled: if instr.a == register { return true }
      case .construct: if instr.b <= register, register < instr.b + Int32(instr.d) { return true }
      case .move, .field, .hasTag, .not, .negateInt, .negateFloat, .toFloat, .addIntK, .subtractIntK, .multiplyIntK,
        .divideIntK, .remainderIntK, .reverseSubtractIntK, .addFloatK, .subtractFloatK, .multiplyFloatK, .divideFloatK,
        .equalIntK, .notEqualIntK, .lessIntK, .lessEqualIntK, .greaterIntK, .greaterEqualIntK, .lessFloatK,
        .lessEqualFloatK, .greaterFloatK, .greaterEqualFloatK:
        if instr.b == register { return true }
      default: if instr.b == register || instr.c == register { return true }
      }
      if instr.a == register { return false }
    }
    return false
  }
}

extension Op {
  /// Whether it may go on elsewhere.
  fileprivate var isJump: Bool {
    switch self {
    case .jump, .jumpIf, .jumpUnless, .unlessEqualInt, .unlessNotEqualInt, .unlessLessInt, .unlessLessEqualInt,
      .unlessEqualIntK, .unlessNotEqualIntK, .unlessLessIntK, .unlessLessEqualIntK, .unlessGreaterIntK,
      .unlessGreaterEqualIntK, .unlessLessFloat, .unlessLessEqualFloat, .unlessTag:
      return true
    default: return false
    }
  }
}
