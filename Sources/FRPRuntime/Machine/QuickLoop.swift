// The quick loop itself: see Quick.swift. Inlined where entries run, so that a code of one or two instructions costs
// little more than these.

import FRPBase
import FRPCore
import FRPGraph

extension UnsafePointer where Pointee == Instr {
  @inline(__always) fileprivate var a: Int { Int(pointee.a) }
  @inline(__always) fileprivate var b: Int { Int(pointee.b) }
  @inline(__always) fileprivate var c: Int { Int(pointee.c) }
}

/// Whether a Float is no infinity and no NaN, in as few instructions as it takes.
@inline(__always)
private func isFinite(_ value: Double) -> Bool { value.bitPattern &<< 1 < 0xFFE0_0000_0000_0000 }

@inline(__always)
private func finite(_ value: Double) -> Word? { isFinite(value) ? Word(float: value) : nil }

/// An object of the d words from r[b]; nil where there is no room for it in the chunk at hand.
@inline(__always)
private func construct(_ s: UnsafeMutablePointer<MachineState>, _ i: UnsafePointer<Instr>, r: Address) -> Word? {
  let count = Int(i.pointee.d)
  let object = s.pointee.heap.pointee.top
  if count >= s.pointee.heap.pointee.end - object { return nil }
  s.pointee.heap.pointee.top = object + (count &+ 1)
  object[0] = s.pointee.constants[i.c]
  let fields = r + i.b
  for index in 0..<count { object[index &+ 1] = fields[index] }
  return Word(object)
}

/// A quick code of one instruction on slots (`QuickCode.isOfSlots`), whose step has been taken; nil where it must be run again
/// by `execute`. Nothing may be poisoned.
@inline(__always)
func quickOfSlots(_ i: UnsafePointer<Instr>, base: Address) -> Word? {
  let result: (partialValue: Int, overflow: Bool)
  switch i.pointee.op {
  case .giveAddThreeFloatSlots: return finite(base[i.a].float + base[i.b].float + base[i.c].float)
  case .giveAddFloatSlots: return finite(base[i.b].float + base[i.c].float)
  case .giveAddIntSlots: result = base[i.b].int.addingReportingOverflow(base[i.c].int)
  case .giveAddIntSlotK: result = base[i.b].int.addingReportingOverflow(i.c)
  case .giveMultiplyIntSlotK: result = base[i.b].int.multipliedReportingOverflow(by: i.c)
  default: return nil
  }
  return result.overflow ? nil : Word(int: result.partialValue)
}

/// The same on an occurrence and a number (`QuickCode.isOfOccurrence`).
@inline(__always)
func quickOfOccurrence(_ i: UnsafePointer<Instr>, occurrence: Word) -> Word? {
  let result: (partialValue: Int, overflow: Bool)
  switch i.pointee.op {
  case .giveAddIntK: result = occurrence.int.addingReportingOverflow(i.c)
  case .giveMultiplyIntK: result = occurrence.int.multipliedReportingOverflow(by: i.c)
  default: return nil
  }
  return result.overflow ? nil : Word(int: result.partialValue)
}

/// Takes the step of a code of one instruction; false where none is left.
@inline(__always)
func takesStep(_ s: UnsafeMutablePointer<MachineState>) -> Bool {
  if s.pointee.stepsLeft <= 0 { return false }
  s.pointee.stepsLeft &-= 1
  return true
}

/// Runs a quick code; nil where it must be run again by `execute`. Nothing may be poisoned.
@inline(__always)
func quickCode(
  _ s: UnsafeMutablePointer<MachineState>, _ start: UnsafePointer<Instr>, r: Address, base: Address
) -> Word? {
  s.pointee.stepsLeft &-= 1
  if s.pointee.stepsLeft < 0 {
    s.pointee.stepsLeft &+= 1
    return nil
  }
  var pc = start
  while true {
    let i = pc
    pc += 1
    switch i.pointee.op {
    case .move: r[i.a] = r[i.b]
    case .small: r[i.a] = Word(int: i.b)
    case .constant: r[i.a] = s.pointee.constants[i.b]
    case .slot:
      r[i.a] = base[i.b]
    case .addIntSlots:
      let (value, overflow) = base[i.b].int.addingReportingOverflow(base[i.c].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .addIntSlot:
      let (value, overflow) = r[i.b].int.addingReportingOverflow(base[i.c].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .addIntSlotK:
      let (value, overflow) = base[i.b].int.addingReportingOverflow(i.c)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .multiplyIntSlotK:
      let (value, overflow) = base[i.b].int.multipliedReportingOverflow(by: i.c)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .addFloatSlots:
      let value = base[i.b].float + base[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .multiplyFloatSlots:
      let value = base[i.b].float * base[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .addFloatSlot:
      let value = r[i.b].float + base[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .multiplyFloatSlotK:
      let value = base[i.b].float * s.pointee.constants[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .field: r[i.a] = r[i.b].field(i.c)
    case .hasTag: r[i.a] = Word(bool: r[i.b].tag == i.c)
    case .construct:
      guard let object = construct(s, i, r: r) else { return nil }
      r[i.a] = object
    case .result: return r[i.a]
    case .skip:
      s.pointee.hasSkipped = true
      return 0
    case .addInt:
      let (value, overflow) = r[i.b].int.addingReportingOverflow(r[i.c].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .addIntK:
      let (value, overflow) = r[i.b].int.addingReportingOverflow(i.c)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .subtractInt:
      let (value, overflow) = r[i.b].int.subtractingReportingOverflow(r[i.c].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .subtractIntK:
      let (value, overflow) = r[i.b].int.subtractingReportingOverflow(i.c)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .multiplyInt:
      let (value, overflow) = r[i.b].int.multipliedReportingOverflow(by: r[i.c].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .multiplyIntK:
      let (value, overflow) = r[i.b].int.multipliedReportingOverflow(by: i.c)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .divideIntK:
      guard i.c != 0, let value = Arithmetic.divide(r[i.b].int, i.c) else { return nil }
      r[i.a] = Word(int: value)
    case .remainderIntK:
      if i.c == 0 { return nil }
      r[i.a] = Word(int: Arithmetic.remainder(r[i.b].int, i.c))
    case .maskIntK: r[i.a] = r[i.b] & Word(int: i.c)
    case .reverseSubtractIntK:
      let (value, overflow) = i.c.subtractingReportingOverflow(r[i.b].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .negateInt:
      let (value, overflow) = 0.subtractingReportingOverflow(r[i.b].int)
      if overflow { return nil }
      r[i.a] = Word(int: value)
    case .minInt: r[i.a] = Word(int: min(r[i.b].int, r[i.c].int))
    case .maxInt: r[i.a] = Word(int: max(r[i.b].int, r[i.c].int))
    case .addFloat:
      let value = r[i.b].float + r[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .addFloatK:
      let value = r[i.b].float + s.pointee.constants[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .subtractFloat:
      let value = r[i.b].float - r[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .subtractFloatK:
      let value = r[i.b].float - s.pointee.constants[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .multiplyFloat:
      let value = r[i.b].float * r[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .multiplyFloatK:
      let value = r[i.b].float * s.pointee.constants[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .divideFloatK:
      let value = r[i.b].float / s.pointee.constants[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .divideFloat:
      let value = r[i.b].float / r[i.c].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .squareRoot:
      let x = r[i.b].float
      if x < 0 { return nil }
      r[i.a] = Word(float: x.squareRoot())
    case .sine:
      let value = Elementary.sin(r[i.b].float)
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .cosine:
      let value = Elementary.cos(r[i.b].float)
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .exponential:
      let value = Elementary.exp(r[i.b].float)
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .logarithm:
      let value = Elementary.log(r[i.b].float)
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .pull:
      guard let value = Machine.quickPull(s, i, r: r, base: base) else { return nil }
      r[i.a] = value
    case .resultPulled:
      let value = r[i.a]
      base[i.b] = value
      base[i.b + 1] = s.pointee.epoch
      return value
    case .negateFloat: r[i.a] = Word(float: -r[i.b].float)
    case .toFloat: r[i.a] = Word(float: Double(r[i.b].int))
    case .equalInt: r[i.a] = Word(bool: r[i.b] == r[i.c])
    case .notEqualInt: r[i.a] = Word(bool: r[i.b] != r[i.c])
    case .lessInt: r[i.a] = Word(bool: r[i.b].int < r[i.c].int)
    case .lessEqualInt: r[i.a] = Word(bool: r[i.b].int <= r[i.c].int)
    case .equalIntK: r[i.a] = Word(bool: r[i.b].int == i.c)
    case .notEqualIntK: r[i.a] = Word(bool: r[i.b].int != i.c)
    case .lessIntK: r[i.a] = Word(bool: r[i.b].int < i.c)
    case .lessEqualIntK: r[i.a] = Word(bool: r[i.b].int <= i.c)
    case .greaterIntK: r[i.a] = Word(bool: r[i.b].int > i.c)
    case .greaterEqualIntK: r[i.a] = Word(bool: r[i.b].int >= i.c)
    case .equalFloat: r[i.a] = Word(bool: r[i.b].float == r[i.c].float)
    case .lessFloat: r[i.a] = Word(bool: r[i.b].float < r[i.c].float)
    case .lessEqualFloat: r[i.a] = Word(bool: r[i.b].float <= r[i.c].float)
    case .lessFloatK: r[i.a] = Word(bool: r[i.b].float < s.pointee.constants[i.c].float)
    case .lessEqualFloatK: r[i.a] = Word(bool: r[i.b].float <= s.pointee.constants[i.c].float)
    case .greaterFloatK: r[i.a] = Word(bool: r[i.b].float > s.pointee.constants[i.c].float)
    case .greaterEqualFloatK: r[i.a] = Word(bool: r[i.b].float >= s.pointee.constants[i.c].float)
    case .not: r[i.a] = r[i.b] ^ 1
    case .jump: pc += i.a &- 1
    case .jumpIf: if r[i.a] != 0 { pc += i.c &- 1 }
    case .jumpUnless: if r[i.a] == 0 { pc += i.c &- 1 }
    case .unlessEqualInt: if r[i.a] != r[i.b] { pc += i.c &- 1 }
    case .unlessNotEqualInt: if r[i.a] == r[i.b] { pc += i.c &- 1 }
    case .unlessLessInt: if !(r[i.a].int < r[i.b].int) { pc += i.c &- 1 }
    case .unlessLessEqualInt: if !(r[i.a].int <= r[i.b].int) { pc += i.c &- 1 }
    case .unlessEqualIntK: if r[i.a].int != i.b { pc += i.c &- 1 }
    case .unlessNotEqualIntK: if r[i.a].int == i.b { pc += i.c &- 1 }
    case .unlessLessIntK: if !(r[i.a].int < i.b) { pc += i.c &- 1 }
    case .unlessLessEqualIntK: if !(r[i.a].int <= i.b) { pc += i.c &- 1 }
    case .unlessGreaterIntK: if !(r[i.a].int > i.b) { pc += i.c &- 1 }
    case .unlessGreaterEqualIntK: if !(r[i.a].int >= i.b) { pc += i.c &- 1 }
    case .unlessLessFloat: if !(r[i.a].float < r[i.b].float) { pc += i.c &- 1 }
    case .unlessLessEqualFloat: if !(r[i.a].float <= r[i.b].float) { pc += i.c &- 1 }
    case .unlessTag: if r[i.a].tag != i.b { pc += i.c &- 1 }
    case .divideInt:
      guard r[i.c] != 0, let value = Arithmetic.divide(r[i.b].int, r[i.c].int) else { return nil }
      r[i.a] = Word(int: value)
    case .remainderInt:
      if r[i.c] == 0 { return nil }
      r[i.a] = Word(int: Arithmetic.remainder(r[i.b].int, r[i.c].int))
    case .absInt:
      let value = r[i.b].int
      if value == Int.min { return nil }
      r[i.a] = Word(int: abs(value))
    case .reverseSubtractFloatK:
      let value = s.pointee.constants[i.c].float - r[i.b].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .reverseDivideFloatK:
      let value = s.pointee.constants[i.c].float / r[i.b].float
      if !isFinite(value) { return nil }
      r[i.a] = Word(float: value)
    case .absFloat: r[i.a] = Word(float: r[i.b].float.magnitude)
    case .minFloat: r[i.a] = r[i.c].float < r[i.b].float ? r[i.c] : r[i.b]
    case .maxFloat: r[i.a] = r[i.c].float > r[i.b].float ? r[i.c] : r[i.b]
    case .notEqualFloat: r[i.a] = Word(bool: r[i.b].float != r[i.c].float)
    case .equalString:
      if Heap.isLong(r[i.b]) { return nil }
      r[i.a] = Word(bool: Heap.sameStrings(r[i.b], r[i.c]))
    case .notEqualString:
      if Heap.isLong(r[i.b]) { return nil }
      r[i.a] = Word(bool: !Heap.sameStrings(r[i.b], r[i.c]))
    case .unlessEqualString:
      if Heap.isLong(r[i.a]) { return nil }
      if !Heap.sameStrings(r[i.a], r[i.b]) { pc += i.c &- 1 }
    case .unlessEqualFloat: if r[i.a].float != r[i.b].float { pc += i.c &- 1 }
    case .unlessNotEqualFloat: if r[i.a].float == r[i.b].float { pc += i.c &- 1 }
    case .unlessLessFloatK: if !(r[i.a].float < s.pointee.constants[i.b].float) { pc += i.c &- 1 }
    case .unlessLessEqualFloatK: if !(r[i.a].float <= s.pointee.constants[i.b].float) { pc += i.c &- 1 }
    case .unlessGreaterFloatK: if !(r[i.a].float > s.pointee.constants[i.b].float) { pc += i.c &- 1 }
    case .unlessGreaterEqualFloatK: if !(r[i.a].float >= s.pointee.constants[i.b].float) { pc += i.c &- 1 }
    case .giveAddInt:
      let (value, overflow) = r[i.b].int.addingReportingOverflow(r[i.c].int)
      return overflow ? nil : Word(int: value)
    case .giveAddIntK:
      let (value, overflow) = r[i.b].int.addingReportingOverflow(i.c)
      return overflow ? nil : Word(int: value)
    case .giveMultiplyIntK:
      let (value, overflow) = r[i.b].int.multipliedReportingOverflow(by: i.c)
      return overflow ? nil : Word(int: value)
    case .giveAddIntSlots:
      let (value, overflow) = base[i.b].int.addingReportingOverflow(base[i.c].int)
      return overflow ? nil : Word(int: value)
    case .giveAddIntSlot:
      let (value, overflow) = r[i.b].int.addingReportingOverflow(base[i.c].int)
      return overflow ? nil : Word(int: value)
    case .giveAddIntSlotK:
      let (value, overflow) = base[i.b].int.addingReportingOverflow(i.c)
      return overflow ? nil : Word(int: value)
    case .giveMultiplyIntSlotK:
      let (value, overflow) = base[i.b].int.multipliedReportingOverflow(by: i.c)
      return overflow ? nil : Word(int: value)
    case .giveAddFloat: return finite(r[i.b].float + r[i.c].float)
    case .giveMultiplyFloat: return finite(r[i.b].float * r[i.c].float)
    case .giveAddFloatSlots: return finite(base[i.b].float + base[i.c].float)
    case .giveAddFloatSlot: return finite(r[i.b].float + base[i.c].float)
    // Where the first sum leaves the range, the second does.
    case .giveAddThreeFloatSlots: return finite(base[i.a].float + base[i.b].float + base[i.c].float)
    case .giveConstruct: return construct(s, i, r: r)
    // Listed, not `default`: so the jump needs no test of its bounds.
    case .outer, .slotFrom, .capture, .remainderFloat, .multiplyAddFloat, .equal, .notEqual, .less, .lessEqual,
      .switchTag, .constructWide, .copyObject, .setField, .makeList, .appendElement, .appendList, .concatStrings,
      .closure, .suspend, .suspended, .cell, .pulledCell, .forceThunk, .call, .tailCall, .apply, .tailApply, .routine,
      .resultThunk,
      .clear,
      .force, .forced, .iterate, .next, .build, .push, .built, .unreachable:
      return nil
    }
  }
}
