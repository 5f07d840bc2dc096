// The loop: one `switch` over raw pointers. No allocation but in the heap, no reference counts, no existentials.
//
// `r` is the window of the running call, `base` its frame, `pc` the next instruction. Every fault leaves through a cold
// function that looks up the place. Steps are counted at calls and loop turns, so straight code costs nothing.

import FRPBase
import FRPCore
import FRPGraph

/// Writes the three words before a window.
@inline(__always)
private func link(_ window: Address, _ back: UnsafePointer<Instr>, caller: Address, base: Address) {
  window[-3] = Word(UInt(bitPattern: back))
  window[-2] = Word(caller)
  window[-1] = Word(base)
}

extension Machine {
  /// Runs a code with its arguments in `window`. What is above the window is free.
  func execute(_ code: Int, _ window: Address, start: Address) throws(Fault) -> Word {
    let s = state
    let heap = heap
    let loaded = s.pointee.codes[code]
    if window + Int(loaded.registers) > s.pointee.stackEnd { throw Fault.stack }
    s.pointee.stepsLeft &-= 1
    if s.pointee.stepsLeft < 0 { try takeSlice(window) }
    window[-3] = 0
    var pc = loaded.start
    var r = window
    var base = start
    while true {
      let i = pc.pointee
      pc += 1
      switch i.op {
      case .move:
        r[Int(i.a)] = r[Int(i.b)]
      case .small:
        r[Int(i.a)] = Word(int: Int(i.b))
      case .constant:
        r[Int(i.a)] = s.pointee.constants[Int(i.b)]
      case .slot:
        let slot = base + Int(i.b)
        if s.pointee.poisonCount != 0, let poison = poisonFault(slot) { throw poison }
        r[Int(i.a)] = slot.pointee
      case .outer:
        var frame = base
        for _ in 0..<i.b { frame = frame[0].address }
        r[Int(i.a)] = Word(frame)
      case .slotFrom:
        let slot = r[Int(i.c)].address + Int(i.b)
        if s.pointee.poisonCount != 0, let poison = poisonFault(slot) { throw poison }
        r[Int(i.a)] = slot.pointee
      case .pull:
        let frame = i.d == 0 ? base : r[Int(i.d) - 1].address
        let slot = frame + Int(i.b)
        let code = Int(s.pointee.pullCode[Int(i.c)])
        if slot[1] != s.pointee.epoch, code == MachineState.asksReactor {
          do throws(Fault) {
            try askReactor(Int(i.c), slot, base: frame, top: r + Int(i.a))
          } catch { throw fault(error, pc) }
        }
        if slot[1] == s.pointee.epoch || code < 0 {
          if s.pointee.poisonCount != 0, let poison = poisonFault(slot) { throw poison }
          r[Int(i.a)] = slot[0]
          continue
        }
        let target = s.pointee.codes[code]
        let window = r + Int(i.a) + Layout.callHeader
        if window + Int(target.registers) > s.pointee.stackEnd { throw fault(.stack, pc) }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, window) }
        // The way back leads to this instruction, which then finds the slot up to date.
        link(window, pc - 1, caller: r, base: base)
        r = window
        base = frame
        pc = target.start
      case .capture:
        r[Int(i.a)] = r[Int(i.c)].field(Int(i.b) + 1)
      case .addInt:
        let (value, overflow) = r[Int(i.b)].int.addingReportingOverflow(r[Int(i.c)].int)
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .addIntK:
        let (value, overflow) = r[Int(i.b)].int.addingReportingOverflow(Int(i.c))
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .subtractInt:
        let (value, overflow) = r[Int(i.b)].int.subtractingReportingOverflow(r[Int(i.c)].int)
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .subtractIntK:
        let (value, overflow) = r[Int(i.b)].int.subtractingReportingOverflow(Int(i.c))
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .multiplyInt:
        let (value, overflow) = r[Int(i.b)].int.multipliedReportingOverflow(by: r[Int(i.c)].int)
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .multiplyIntK:
        let (value, overflow) = r[Int(i.b)].int.multipliedReportingOverflow(by: Int(i.c))
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .divideInt:
        let divisor = r[Int(i.c)].int
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        guard let value = Arithmetic.divide(r[Int(i.b)].int, divisor) else { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .remainderInt:
        let divisor = r[Int(i.c)].int
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        r[Int(i.a)] = Word(int: Arithmetic.remainder(r[Int(i.b)].int, divisor))
      case .divideIntK:
        let divisor = Int(i.c)
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        guard let value = Arithmetic.divide(r[Int(i.b)].int, divisor) else { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .remainderIntK:
        let divisor = Int(i.c)
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        r[Int(i.a)] = Word(int: Arithmetic.remainder(r[Int(i.b)].int, divisor))
      case .reverseSubtractIntK:
        let (value, overflow) = Int(i.c).subtractingReportingOverflow(r[Int(i.b)].int)
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .negateInt:
        let (value, overflow) = 0.subtractingReportingOverflow(r[Int(i.b)].int)
        if overflow { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: value)
      case .absInt:
        let value = r[Int(i.b)].int
        if value == Int.min { throw fault(.overflow, pc) }
        r[Int(i.a)] = Word(int: abs(value))
      case .minInt:
        r[Int(i.a)] = Word(int: min(r[Int(i.b)].int, r[Int(i.c)].int))
      case .maxInt:
        r[Int(i.a)] = Word(int: max(r[Int(i.b)].int, r[Int(i.c)].int))
      case .addFloat:
        let value = r[Int(i.b)].float + r[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .addFloatK:
        let value = r[Int(i.b)].float + s.pointee.constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .subtractFloat:
        let value = r[Int(i.b)].float - r[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .subtractFloatK:
        let value = r[Int(i.b)].float - s.pointee.constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .multiplyFloat:
        let value = r[Int(i.b)].float * r[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .multiplyFloatK:
        let value = r[Int(i.b)].float * s.pointee.constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .divideFloat:
        let divisor = r[Int(i.c)].float
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        let value = r[Int(i.b)].float / divisor
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .divideFloatK:
        let value = r[Int(i.b)].float / s.pointee.constants[Int(i.c)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .remainderFloat:
        let divisor = r[Int(i.c)].float
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        r[Int(i.a)] = Word(float: Arithmetic.remainder(r[Int(i.b)].float, divisor))
      case .reverseSubtractFloatK:
        let value = s.pointee.constants[Int(i.c)].float - r[Int(i.b)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .reverseDivideFloatK:
        let divisor = r[Int(i.b)].float
        if divisor == 0 { throw fault(.divisionByZero, pc) }
        let value = s.pointee.constants[Int(i.c)].float / divisor
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .negateFloat:
        r[Int(i.a)] = Word(float: -r[Int(i.b)].float)
      case .absFloat:
        r[Int(i.a)] = Word(float: r[Int(i.b)].float.magnitude)
      case .minFloat:
        let x = r[Int(i.b)].float
        let y = r[Int(i.c)].float
        r[Int(i.a)] = Word(float: y < x ? y : x)
      case .maxFloat:
        let x = r[Int(i.b)].float
        let y = r[Int(i.c)].float
        r[Int(i.a)] = Word(float: y > x ? y : x)
      case .squareRoot:
        let x = r[Int(i.b)].float
        if x < 0 { throw fault(.squareRootOfNegative, pc) }
        r[Int(i.a)] = Word(float: x.squareRoot())
      case .sine:
        let value = Elementary.sin(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .cosine:
        let value = Elementary.cos(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .exponential:
        let value = Elementary.exp(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .logarithm:
        let value = Elementary.log(r[Int(i.b)].float)
        if !(value.magnitude < .infinity) { throw fault(.logarithm(of: r[Int(i.b)].float), pc) }
        r[Int(i.a)] = Word(float: value)
      case .toFloat:
        r[Int(i.a)] = Word(float: Double(r[Int(i.b)].int))
      case .multiplyAddFloat:
        // Rounded twice, as the program says; an infinite product stays infinite.
        let value = r[Int(i.b)].float * r[Int(i.c)].float + r[Int(i.d)].float
        if !(value.magnitude < .infinity) { throw fault(.notFinite, pc) }
        r[Int(i.a)] = Word(float: value)
      case .equalInt:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int == r[Int(i.c)].int)
      case .notEqualInt:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int != r[Int(i.c)].int)
      case .lessInt:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int < r[Int(i.c)].int)
      case .lessEqualInt:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int <= r[Int(i.c)].int)
      case .equalIntK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int == Int(i.c))
      case .notEqualIntK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int != Int(i.c))
      case .lessIntK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int < Int(i.c))
      case .lessEqualIntK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int <= Int(i.c))
      case .greaterIntK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int > Int(i.c))
      case .greaterEqualIntK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].int >= Int(i.c))
      case .equalFloat:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float == r[Int(i.c)].float)
      case .notEqualFloat:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float != r[Int(i.c)].float)
      case .lessFloat:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float < r[Int(i.c)].float)
      case .lessEqualFloat:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float <= r[Int(i.c)].float)
      case .lessFloatK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float < s.pointee.constants[Int(i.c)].float)
      case .lessEqualFloatK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float <= s.pointee.constants[Int(i.c)].float)
      case .greaterFloatK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float > s.pointee.constants[Int(i.c)].float)
      case .greaterEqualFloatK:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].float >= s.pointee.constants[Int(i.c)].float)
      case .equalString:
        r[Int(i.a)] = Word(bool: heap.equalStrings(r[Int(i.b)], r[Int(i.c)]))
      case .notEqualString:
        r[Int(i.a)] = Word(bool: !heap.equalStrings(r[Int(i.b)], r[Int(i.c)]))
      case .equal:
        r[Int(i.a)] = Word(bool: heap.equal(r[Int(i.b)], r[Int(i.c)], type: TypeID(Int(i.d))))
      case .notEqual:
        r[Int(i.a)] = Word(bool: !heap.equal(r[Int(i.b)], r[Int(i.c)], type: TypeID(Int(i.d))))
      case .less:
        r[Int(i.a)] = Word(bool: heap.compare(r[Int(i.b)], r[Int(i.c)], type: TypeID(Int(i.d))) < 0)
      case .lessEqual:
        r[Int(i.a)] = Word(bool: heap.compare(r[Int(i.b)], r[Int(i.c)], type: TypeID(Int(i.d))) <= 0)
      case .not:
        r[Int(i.a)] = r[Int(i.b)] ^ 1
      case .jump:
        pc += Int(i.a) - 1
      case .jumpIf:
        if r[Int(i.a)] != 0 { pc += Int(i.c) - 1 }
      case .jumpUnless:
        if r[Int(i.a)] == 0 { pc += Int(i.c) - 1 }
      case .unlessEqualInt:
        if !(r[Int(i.a)].int == r[Int(i.b)].int) { pc += Int(i.c) - 1 }
      case .unlessNotEqualInt:
        if !(r[Int(i.a)].int != r[Int(i.b)].int) { pc += Int(i.c) - 1 }
      case .unlessLessInt:
        if !(r[Int(i.a)].int < r[Int(i.b)].int) { pc += Int(i.c) - 1 }
      case .unlessLessEqualInt:
        if !(r[Int(i.a)].int <= r[Int(i.b)].int) { pc += Int(i.c) - 1 }
      case .unlessEqualIntK:
        if !(r[Int(i.a)].int == Int(i.b)) { pc += Int(i.c) - 1 }
      case .unlessNotEqualIntK:
        if !(r[Int(i.a)].int != Int(i.b)) { pc += Int(i.c) - 1 }
      case .unlessLessIntK:
        if !(r[Int(i.a)].int < Int(i.b)) { pc += Int(i.c) - 1 }
      case .unlessLessEqualIntK:
        if !(r[Int(i.a)].int <= Int(i.b)) { pc += Int(i.c) - 1 }
      case .unlessGreaterIntK:
        if !(r[Int(i.a)].int > Int(i.b)) { pc += Int(i.c) - 1 }
      case .unlessGreaterEqualIntK:
        if !(r[Int(i.a)].int >= Int(i.b)) { pc += Int(i.c) - 1 }
      case .unlessEqualFloat:
        if !(r[Int(i.a)].float == r[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessNotEqualFloat:
        if !(r[Int(i.a)].float != r[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessLessFloat:
        if !(r[Int(i.a)].float < r[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessLessEqualFloat:
        if !(r[Int(i.a)].float <= r[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessLessFloatK:
        if !(r[Int(i.a)].float < s.pointee.constants[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessLessEqualFloatK:
        if !(r[Int(i.a)].float <= s.pointee.constants[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessGreaterFloatK:
        if !(r[Int(i.a)].float > s.pointee.constants[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessGreaterEqualFloatK:
        if !(r[Int(i.a)].float >= s.pointee.constants[Int(i.b)].float) { pc += Int(i.c) - 1 }
      case .unlessEqualString:
        if !(heap.equalStrings(r[Int(i.a)], r[Int(i.b)])) { pc += Int(i.c) - 1 }
      case .unlessTag:
        if !(r[Int(i.a)].tag == Int(i.b)) { pc += Int(i.c) - 1 }
      case .switchTag:
        let tag = r[Int(i.b)].tag
        if tag >= Int(i.d) { throw fault(.unreachable, pc) }
        pc += tag
      case .hasTag:
        r[Int(i.a)] = Word(bool: r[Int(i.b)].tag == Int(i.c))
      case .field:
        r[Int(i.a)] = r[Int(i.b)].field(Int(i.c))
      case .construct:
        let count = Int(i.d)
        do throws(Fault) {
          let object = try heap.allocate(count + 1)
          object[0] = s.pointee.constants[Int(i.c)]
          let fields = r + Int(i.b)
          for index in 0..<count { object[index + 1] = fields[index] }
          r[Int(i.a)] = Word(object)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .constructWide:
        do throws(Fault) {
          r[Int(i.a)] = try constructWide(i, r + Int(i.b), header: s.pointee.constants + Int(i.c))
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .copyObject:
        do throws(Fault) {
          r[Int(i.a)] = Word(try heap.copy(r[Int(i.b)]))
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .setField:
        r[Int(i.a)].address[Int(i.c) + 1] = r[Int(i.b)]
      case .makeList:
        do throws(Fault) {
          r[Int(i.a)] = try heap.list(r + Int(i.b), Int(i.c), references: i.d != 0)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .appendElement:
        do throws(Fault) {
          r[Int(i.a)] = try append(r[Int(i.b)], r[Int(i.c)], references: i.d != 0)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .appendList:
        do throws(Fault) {
          r[Int(i.a)] = try append(r[Int(i.b)], list: r[Int(i.c)], references: i.d != 0)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .concatStrings:
        do throws(Fault) {
          r[Int(i.a)] = try concatenate(r + Int(i.b), Int(i.c))
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .closure:
        do throws(Fault) {
          r[Int(i.a)] = try makeClosure(Int(i.c), r + Int(i.b))
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .suspend:
        do throws(Fault) {
          r[Int(i.a)] = try makeThunk(Int(i.c), r + Int(i.b))
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .suspended:
        do throws(Fault) {
          r[Int(i.a)] = try makeThunk(of: r[Int(i.b)], isReference: i.d != 0)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .cell:
        let slot = (i.c == 0 ? base : r[Int(i.c) - 1].address) + Int(i.b)
        do throws(Fault) {
          r[Int(i.a)] = try makeCell(of: slot, isReference: i.d != 0)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .pulledCell:
        let frame = i.d < 2 ? base : r[Int(i.d) / 2 - 1].address
        do throws(Fault) {
          r[Int(i.a)] = try makeCell(
            pulling: Int(i.c), slot: Int(i.b), frame, top: r + Int(i.a), isReference: i.d & 1 != 0)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .forceThunk:
        let thunk = r[Int(i.b)].address
        if thunk[1] == 0 {
          r[Int(i.a)] = thunk[2]
          continue
        }
        if thunk[1] == CellState.faults { throw cells.fault(thunk[2]) }
        let target = s.pointee.codes[Int(thunk[1]) - 1]
        let window = r + Int(i.c) + Layout.callHeader
        if window + Int(target.registers) > s.pointee.stackEnd { throw fault(.stack, pc) }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, window) }
        window[0] = Word(thunk)
        link(window, pc, caller: r, base: base)
        r = window
        pc = target.start
      case .call:
        let target = s.pointee.codes[Int(i.c)]
        let window = r + Int(i.b) + Layout.callHeader
        if window + Int(target.registers) > s.pointee.stackEnd { throw fault(.stack, pc) }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, window) }
        link(window, pc, caller: r, base: base)
        r = window
        pc = target.start
      case .tailCall:
        let target = s.pointee.codes[Int(i.c)]
        let window = r
        if window + Int(target.registers) > s.pointee.stackEnd { throw fault(.stack, pc) }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, window) }
        let arguments = r + Int(i.b)
        for index in 0..<Int(i.d) { r[index] = arguments[index] }
        pc = target.start
      case .apply:
        let function = r[Int(i.c)]
        let target = s.pointee.codes[Int(function.field(0))]
        let window = r + Int(i.b) + Layout.callHeader
        if window + Int(target.registers) > s.pointee.stackEnd { throw fault(.stack, pc) }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, window) }
        window[Int(i.d)] = function
        link(window, pc, caller: r, base: base)
        r = window
        pc = target.start
      case .tailApply:
        let function = r[Int(i.c)]
        let target = s.pointee.codes[Int(function.field(0))]
        let window = r
        if window + Int(target.registers) > s.pointee.stackEnd { throw fault(.stack, pc) }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, window) }
        let arguments = r + Int(i.b)
        for index in 0..<Int(i.d) { r[index] = arguments[index] }
        r[Int(i.d)] = function
        pc = target.start
      case .routine:
        let call = s.pointee.calls + Int(i.c)
        let arguments = Arguments(r + Int(i.b), of: call)
        let top = s.pointee.top
        s.pointee.top = r + Int(i.b) + Int(call.pointee.argumentCount)
        do throws(Fault) {
          r[Int(i.a)] = try s.pointee.routines[Int(call.pointee.prim.rawValue)](self, arguments)
          s.pointee.top = top
        } catch {
          s.pointee.top = top
          // The host is not asked twice.
          if call.pointee.prim == .hostCall || !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .result:
        let value = r[Int(i.a)]
        guard let back = UnsafePointer<Instr>(bitPattern: UInt(r[-3])) else { return value }
        pc = back
        base = Address(bitPattern: UInt(r[-1])).unsafelyUnwrapped
        r = r[-2].address
        r[Int(pc[-1].a)] = value
      case .skip:
        s.pointee.hasSkipped = true
        return 0
      case .resultPulled:
        let value = r[Int(i.a)]
        base[Int(i.b)] = value
        base[Int(i.b) + 1] = s.pointee.epoch
        guard let back = UnsafePointer<Instr>(bitPattern: UInt(r[-3])) else { return value }
        pc = back
        base = Address(bitPattern: UInt(r[-1])).unsafelyUnwrapped
        r = r[-2].address
      case .resultThunk:
        let value = r[Int(i.a)]
        finishThunk(r[0].address, value)
        guard let back = UnsafePointer<Instr>(bitPattern: UInt(r[-3])) else { return value }
        pc = back
        base = Address(bitPattern: UInt(r[-1])).unsafelyUnwrapped
        r = r[-2].address
        r[Int(pc[-1].a)] = value
      case .clear:
        for index in 0..<Int(i.b) { r[Int(i.a) + index] = 0 }
      case .force:
        if r[Int(i.a)] == 0 {
          r[Int(i.b)] = Word(UInt(bitPattern: pc))
          pc += Int(i.c) - 1
        }
      case .forced:
        r[Int(i.a)] = 1
        pc = UnsafePointer<Instr>(bitPattern: UInt(r[Int(i.b)])).unsafelyUnwrapped
      case .iterate:
        let list = ListView(r[Int(i.b)])
        r[Int(i.a)] = Word(UInt(bitPattern: list.start))
        r[Int(i.a) + 1] = Word(UInt(bitPattern: list.start + list.count))
      case .next:
        let place = r[Int(i.b)]
        if place == r[Int(i.b) + 1] {
          pc += Int(i.c) - 1
          continue
        }
        s.pointee.stepsLeft &-= 1
        if s.pointee.stepsLeft < 0 { try takeSlice(pc, r) }
        r[Int(i.a)] = place.address.pointee
        r[Int(i.b)] = place &+ 8
      case .build:
        do throws(Fault) {
          let capacity = Int(r[Int(i.b) + 1] &- r[Int(i.b)]) / 8
          let buffer = try heap.allocate(capacity + 2)
          buffer[0] = Header.other(i.d != 0 ? .references : .words, payload: capacity + 1).bits
          buffer[1] = 0
          r[Int(i.a)] = Word(buffer)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .push:
        let buffer = r[Int(i.a)].address
        let count = buffer[1]
        buffer[Int(count) + 2] = r[Int(i.b)]
        buffer[1] = count &+ 1
      case .built:
        do throws(Fault) {
          r[Int(i.a)] = try heap.list(adopting: r[Int(i.b)].address)
        } catch {
          if !canTryAgain(error, pc, window: r) { throw fault(error, pc) }
          pc -= 1
        }
      case .unreachable, .maskIntK, .giveAddInt, .giveAddIntK, .giveMultiplyIntK, .giveAddFloat, .giveMultiplyFloat,
        .giveAddIntSlots, .giveAddFloatSlots, .giveAddIntSlot, .giveAddFloatSlot, .giveAddIntSlotK,
        .giveMultiplyIntSlotK, .giveConstruct, .giveAddThreeFloatSlots, .addIntSlots, .addFloatSlots,
        .multiplyFloatSlots, .addIntSlot, .addFloatSlot, .addIntSlotK,
        .multiplyIntSlotK, .multiplyFloatSlotK:
        throw fault(.unreachable, pc)
      }
    }
  }
}
