// Bringing a code table into the machine: constants become words, routines are looked up, arrays become raw memory.

import FRPBase
import FRPCore
import FRPGraph

extension Machine {
  static func load(
    _ code: CodeTable, _ heap: Heap, stack: Address, stackWords: Int, hasQuickLoop: Bool
  ) -> MachineState {
    let codes = UnsafeMutablePointer<LoadedCode>.allocate(capacity: max(1, code.entries.count))
    let instructions = UnsafeMutablePointer<Instr>.allocate(capacity: max(1, code.instructions.count))
    instructions.initialize(from: code.instructions, count: code.instructions.count)
    for (index, entry) in code.entries.enumerated() {
      (codes + index).initialize(
        to: LoadedCode(
          start: UnsafePointer(instructions + Int(entry.start)), registers: entry.registers,
          parameters: entry.parameters, quick: nil))
    }
    let quickInstructions = hasQuickLoop ? loadQuick(code, codes) : nil
    let constants = Address.allocateWords(code.constants.count)
    for (index, constant) in code.constants.enumerated() {
      switch constant {
      case .word(let word): constants[index] = word
      case .closure(let place):
        let info = code.closures[place]
        constants[index] = heap.permanentObject(info.header, UInt64(info.code.index))
      case .string(let text): constants[index] = heap.permanentString(Array(text.utf8))
      }
    }
    let calls = UnsafeMutablePointer<PrimCall>.allocate(capacity: max(1, code.calls.count))
    calls.initialize(from: code.calls, count: code.calls.count)
    let pullCode = UnsafeMutablePointer<Int32>.allocate(capacity: max(1, code.pullCode.count))
    pullCode.initialize(from: code.pullCode, count: code.pullCode.count)
    let closures = UnsafeMutablePointer<ClosureInfo>.allocate(capacity: max(1, code.closures.count))
    closures.initialize(from: code.closures, count: code.closures.count)
    return MachineState(
      codes: codes, heap: heap.state, constants: constants, instructions: instructions,
      quickInstructions: quickInstructions, calls: calls, routines: routineTable(),
      pullCode: pullCode, closures: closures, top: stack, stackEnd: stack + stackWords - 64,
      stepsLeft: Int.max, epoch: 1, poisonCount: 0, nesting: 0, nestingLimit: 1000)
  }

  /// The quick codes, one after another.
  private static func loadQuick(_ code: CodeTable, _ codes: UnsafeMutablePointer<LoadedCode>)
    -> UnsafeMutablePointer<Instr>?
  {
    var all: [Instr] = []
    var starts: [(index: Int, start: Int)] = []
    for (index, entry) in code.entries.enumerated() where isQuick(code, entry) {
      starts.append((index, all.count))
      all += QuickCode.folded(code.instructions[Int(entry.start)..<Int(entry.start + entry.count)])
    }
    if all.isEmpty { return nil }
    let memory = UnsafeMutablePointer<Instr>.allocate(capacity: all.count)
    memory.initialize(from: all, count: all.count)
    for (index, start) in starts { codes[index].quick = UnsafePointer(memory + start) }
    return memory
  }

  private static func routineTable() -> UnsafeMutablePointer<Routine> {
    let table = UnsafeMutablePointer<Routine>.allocate(capacity: RoutineTable.routines.count)
    for (index, routine) in RoutineTable.routines.enumerated() {
      (table + index).initialize(to: routine ?? missing)
    }
    return table
  }

  /// In place of a routine that does not exist.
  private static let missing: Routine = { (_, arguments) throws(Fault) -> Word in
    throw Fault(.message, "`\(arguments.call.prim)` does not work at run time yet", at: arguments.call.span)
  }
}

extension MachineState {
  func unload(_ code: CodeTable) {
    codes.deallocate()
    constants.release()
    instructions.deallocate()
    quickInstructions?.deallocate()
    calls.deallocate()
    routines.deinitialize(count: RoutineTable.routines.count)
    routines.deallocate()
    pullCode.deallocate()
    closures.deinitialize(count: code.closures.count)
    closures.deallocate()
  }
}

// What the loop leaves to functions.
extension Machine {
  @inline(never)
  func constructWide(_ instr: Instr, _ fields: Address, header: Address) throws(Fault) -> Word {
    let count = Int(instr.d)
    let masks = (count + 63) / 64
    let object = try heap.allocate(1 + count + masks)
    object[0] = header[0]
    (object + 1).update(from: fields, count: count)
    (object + 1 + count).update(from: header + 1, count: masks)
    return Word(object)
  }

  @inline(__always)
  func makeClosure(_ index: Int, _ captures: Address) throws(Fault) -> Word {
    let info = state.pointee.closures + index
    let count = Int(info.pointee.captures)
    let masks = info.pointee.wideMask.count
    let object = try heap.allocate(2 + count + masks)
    object[0] = info.pointee.header
    object[1] = UInt64(info.pointee.code.index)
    for index in 0..<count { object[index + 2] = captures[index] }
    for index in 0..<masks { object[2 + count + index] = info.pointee.wideMask[index] }
    return Word(object)
  }

  @inline(__always)
  func makeThunk(_ index: Int, _ captures: Address) throws(Fault) -> Word {
    let info = state.pointee.closures + index
    let count = Int(info.pointee.captures)
    let masks = info.pointee.wideMask.count
    let object = try heap.allocate(3 + count + masks)
    object[0] = info.pointee.header
    object[1] = UInt64(info.pointee.code.index + 1)
    object[2] = 0
    for index in 0..<count { object[index + 3] = captures[index] }
    for index in 0..<masks { object[3 + count + index] = info.pointee.wideMask[index] }
    return Word(object)
  }

  func makeThunk(of value: Word, isReference: Bool) throws(Fault) -> Word {
    let object = try heap.allocate(3)
    object[0] = Header.fields(tag: 0, count: 2, mask: isReference ? 2 : 0).bits
    object[1] = 0
    object[2] = value
    return Word(object)
  }

  /// A suspended computation that is done, or that has faulted if the slot has.
  func makeCell(of slot: Address, isReference: Bool) throws(Fault) -> Word {
    guard let fault = poison(at: slot) else { return try makeThunk(of: slot.pointee, isReference: isReference) }
    return try makeCell(of: fault)
  }

  /// The same of a pulled behavior, which is computed now: later it may show something else.
  func makeCell(pulling node: Int, slot: Int, _ base: Address, top: Address, isReference: Bool) throws(Fault) -> Word {
    let before = state.pointee.top
    state.pointee.top = top
    defer { state.pointee.top = before }
    let value: Word
    do throws(Fault) {
      value =
        hasThreadStack
        ? try pull(NodeID(node), slot: slot, base: base)
        : try onAnotherStack { () throws(Fault) in try pull(NodeID(node), slot: slot, base: base) }
    } catch {
      if error.kind.endsTheInstant { throw error }
      return try makeCell(of: error)
    }
    if let fault = poison(at: base + slot) { return try makeCell(of: fault) }
    return try makeThunk(of: value, isReference: isReference)
  }

  private func makeCell(of fault: Fault) throws(Fault) -> Word {
    let object = try heap.allocate(3)
    object[0] = Header.fields(tag: 0, count: 2, mask: 0).bits | Header.faultCell
    object[1] = CellState.faults
    object[2] = try cells.place(of: fault)
    return Word(object)
  }

  /// Keeps the value and forgets what it was computed from.
  @inline(__always)
  func finishThunk(_ thunk: Address, _ value: Word) {
    for index in 2..<max(2, Header(bits: thunk[0]).fieldCount) { thunk[index + 1] = 0 }
    thunk[1] = 0
    thunk[2] = value
  }
}
