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
    for place in Int(entry.start)..<Int(entry.start + entry.count) where code.instructions[place].op.shape.codes != .all
    {
      return false
    }
    return true
  }

  /// A pulled behavior of the same frame whose code is quick, too; nil where it is not, or many are under way.
  @inline(never)
  static func quickPull(
    _ s: UnsafeMutablePointer<MachineState>, _ i: UnsafePointer<Instr>, r: Address, base: Address
  ) -> Word? {
    let slot = base + Int(i.pointee.b)
    if i.pointee.d != 0 { return nil }
    if slot[1] == s.pointee.epoch { return slot[0] }
    let code = Int(s.pointee.pullCode[Int(i.pointee.c)])
    let window = r + Int(i.pointee.a) + Layout.callHeader
    guard code >= 0, let inner = s.pointee.codes[code].quick, s.pointee.quickDepth < quickNesting,
      window + quickRegisters <= s.pointee.stackEnd
    else { return nil }
    s.pointee.quickDepth &+= 1
    defer { s.pointee.quickDepth &-= 1 }
    return quick(s, inner, r: window, base: base)
  }

  /// Runs a quick code; nil where it must be run again by `execute`.
  @inline(never)
  static func quick(
    _ s: UnsafeMutablePointer<MachineState>, _ start: UnsafePointer<Instr>, r: Address, base: Address
  ) -> Word? {
    s.pointee.poisonCount == 0 ? quickCode(s, start, r: r, base: base) : nil
  }
}
