// Quick codes, as the quick loop wants them: operands that are slots are read where they are used.
//
// In:  the instructions of a quick code. Out: the same, where there are no jumps with loads of slots that only the next
//      operation needs taken into it; and an operation whose result is that of the code gives it itself. An instruction
//      less is a dispatch less, and most codes are two or three long.

import FRPGraph

enum QuickCode {
  /// The instructions to run; the same where nothing can be taken in.
  static func folded(_ code: ArraySlice<Instr>) -> [Instr] {
    var result = code.map(simpler)
    if !result.contains(where: { $0.op.shape.isJump }) { foldSlots(&result) }
    giveResults(&result)
    return result
  }

  /// The remainder by a power of two has the divisor's sign: it is the lowest bits.
  private static func simpler(_ instr: Instr) -> Instr {
    let divisor = Int(instr.c)
    guard instr.op == .remainderIntK, divisor > 0, divisor & (divisor - 1) == 0 else { return instr }
    return Instr(.maskIntK, Int(instr.a), Int(instr.b), divisor - 1)
  }

  /// What stands before a `result` gives it. The `result` stays where it is: a jump may lead to it.
  private static func giveResults(_ code: inout [Instr]) {
    for place in code.indices.dropLast() where code[place + 1].op == .result && code[place + 1].a == code[place].a {
      if place > 0, code[place].op == .addFloatSlot, code[place - 1].op == .addFloatSlots,
        code[place].b == code[place - 1].a, !code.contains(where: { $0.op.shape.isJump })
      {
        let (two, third) = (code[place - 1], code[place].c)
        code[place - 1] = Instr(.giveAddThreeFloatSlots, Int(two.b), Int(two.c), Int(third))
      } else if let op = code[place].op.giving {
        code[place].op = op
      }
    }
  }

  /// Whether a code is one instruction that `quickOfSlots` runs.
  static func isOfSlots(_ first: Instr) -> Bool {
    switch first.op {
    case .giveAddIntSlots, .giveAddIntSlotK, .giveMultiplyIntSlotK, .giveAddFloatSlots, .giveAddThreeFloatSlots:
      return true
    default: return false
    }
  }

  /// Whether a code of one parameter is one instruction that `quickOfOccurrence` runs: it reads no slot.
  static func isOfOccurrence(_ first: Instr) -> Bool {
    (first.op == .giveAddIntK || first.op == .giveMultiplyIntK) && first.b == 0
  }

  private static func foldSlots(_ result: inout [Instr]) {
    var place = 0
    while place < result.count {
      if let both = pair(result, place) {
        result.replaceSubrange(place..<place + 3, with: [both])
      } else if let one = single(result, place) {
        result.replaceSubrange(place..<place + 2, with: [one])
      }
      place += 1
    }
  }

  /// `slot, slot, operation` on both.
  private static func pair(_ code: [Instr], _ place: Int) -> Instr? {
    guard place + 2 < code.count, code[place].op == .slot, code[place + 1].op == .slot else { return nil }
    let (x, y, use) = (code[place], code[place + 1], code[place + 2])
    guard use.b == x.a, use.c == y.a, x.a != y.a, let op = use.op.ofSlots else { return nil }
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
    if use.c == x.a, use.b != x.a, use.op.shape.reads == .bAndC, let op = use.op.ofSlot {
      return Instr(op, Int(use.a), Int(use.b), Int(x.b))
    }
    if use.b == x.a, use.op.shape.reads == .b, let op = use.op.ofSlot {
      return Instr(op, Int(use.a), Int(x.b), Int(use.c))
    }
    return nil
  }

  /// Whether a register may be read before it is written again. `unless` is what the instruction before has written.
  private static func isRead(_ register: Int32, _ code: [Instr], from start: Int, unless written: Int32) -> Bool {
    if written == register { return false }
    for instr in code[start...] {
      switch instr.op.shape.reads {
      case .nothing: break
      case .a: if instr.a == register { return true }
      case .b: if instr.b == register { return true }
      case .bAndC: if instr.b == register || instr.c == register { return true }
      case .row: if instr.b <= register, register < instr.b + Int32(instr.d) { return true }
      // No slot is taken into a code with jumps.
      case .aAndB, .others: return true
      }
      if instr.a == register { return false }
    }
    return false
  }
}
