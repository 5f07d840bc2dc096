// The function around the machine code of a region's entries: where it is entered and left, and how one instant of a row follows another.
//
// Whatever leaves jumps to the first byte. What must be saved is known when all else is written, so the function begins behind it.

#if arch(x86_64)
  import FRPGraph

  extension NativeEmitter {
    /// Gives where it is entered: behind all else, since what must be saved is known then.
    mutating func writeRegion() -> Int {
      let (left, first) = writeLeaving()
      writeInput()
      writeItems()
      writeCommit()
      if !hasOutputsInOrder { writeOutputs() }
      for skip in inputSkips { assembler.patch(skip) }
      let more = calls == 0 ? writeEnd() : nil
      return writeAround(left, first, more)
    }

    /// Where whatever leaves comes. Gives a jump from there, to be patched, and the place behind it.
    mutating func writeLeaving() -> (left: Int, first: Int) {
      assembler.move(.rax, number: 0)
      return (assembler.jump(), assembler.count)
    }

    /// The end and the start of a function. Gives where it is entered: it goes on at `first`.
    mutating func writeAround(_ left: Int, _ first: Int, _ more: (jump: Int, end: Int)? = nil) -> Int {
      assembler.move(.rax, Place(.r14))
      assembler.patch(left)
      let kept = Kept(assembler)
      if kept.bytes > 0 { assembler.apply(.add, Place(.rsp), number: kept.bytes) }
      for register in kept.registers.reversed() { assembler.pop(register) }
      assembler.giveBack()
      if let more { writeNext(first, more) }
      writeZeros()
      return writeStart(kept, first)
    }

    /// What a function keeps on the stack: registers of its caller's, and those of the window that have none of the processor's.
    private struct Kept {
      var registers: [Register] = [.rbx, .r12, .r13, .r14]
      var bytes: Int32 = 0

      init(_ assembler: Assembler) {
        for register in [Register.rbp, .r15] where assembler.uses(register) { registers.append(register) }
        if assembler.uses(.rsp) { bytes = Int32(NativeEmitter.stackBytes) }
        // Calls want it even, with the address to return to.
        if (registers.count + 1 + Int(bytes) / 8) % 2 != 0 { bytes += 8 }
      }
    }

    private mutating func writeStart(_ kept: Kept, _ first: Int) -> Int {
      let start = assembler.count
      for register in kept.registers { assembler.push(register) }
      if kept.bytes > 0 { assembler.apply(.sub, Place(.rsp), number: kept.bytes) }
      assembler.move(.r13, Place(.rdi))
      assembler.move(.rax, Place(.rsi))
      assembler.move(.r14, Place(.rdx))
      assembler.move(.r12, Place(.rcx))
      if calls > 0 { assembler.move(context(\.instant), .rcx) }
      assembler.move(.rbx, context(\.new))
      if kept.registers.contains(.rbp) { assembler.move(.rbp, context(\.cells)) }
      if needsFloats {
        assembler.move(.r15, number: Int(bitPattern: 0xFFDF_FFFF_FFFF_FFFF))
      } else if kept.registers.contains(.r15) {
        assembler.move(.r15, context(\.inputSlot))
      }
      assembler.jump(to: first)
      return start
    }

    /// The end of an instant: jumps to where the next of a row begins, if there is one. What lies before `end` ends the row.
    private mutating func writeEnd() -> (jump: Int, end: Int) {
      assembler.move(.rax, context(\.next))
      assembler.apply(.add, Place(.rax), number: Int32(MemoryLayout<Word>.stride))
      assembler.move(context(\.next), .rax)
      assembler.compare(context(\.end), .rax)
      let jump = assembler.jump(if: .above)
      return (jump, assembler.count)
    }

    /// The next instant of a row; first the observer is told what the one before has shown, and may end the row.
    private mutating func writeNext(_ first: Int, _ more: (jump: Int, end: Int)) {
      assembler.patch(more.jump)
      assembler.apply(.add, Place(.r12), number: 1)
      if region.outputCount > 0 {
        assembler.compare(context(\.changes), .r14)
        let isSilent = assembler.jump(if: .equal)
        assembler.move(.rsi, Place(.r14))
        assembler.move(.r14, context(\.changes))
        assembler.move(.rax, context(\.deliver))
        assembler.test(.rax)
        let isUnheard = assembler.jump(if: .equal)
        assembler.move(.rdi, Place(.r13))
        assembler.call(Place(.rax))
        assembler.test(.rax)
        assembler.jump(if: .equal, to: more.end)
        assembler.patch(isSilent)
        assembler.patch(isUnheard)
      }
      assembler.move(.rax, context(\.next))
      assembler.move(.rax, Place(at: .rax, 0))
      assembler.jump(to: first)
    }

    // MARK: The end

    /// Makes what is new what was, stretch by stretch.
    private mutating func writeCommit() {
      let input = rows[Int(region.input)]
      if input.slot >= 0 { writeCopies([input.slot]) }
      var item = 0
      for stretch in 0..<region.stretchCount {
        let (gate, count) = (Int(region.stretches[stretch].gate), Int(region.stretches[stretch].count))
        let skip = gate < 0 ? nil : jumpUnlessShown(gate)
        let entries = (item..<item + count).map(entry)
        writeCopies(entries.map { rows[$0].slot }.filter { $0 >= 0 }.sorted())
        for entry in entries
        where (rows[entry].work == .sum || rows[entry].work == .scan) && !isLast(entry) {
          let skip = jumpUnlessShown(kept(entry))
          assembler.move(.rax, cell(kept(entry)))
          assembler.move(state(rows[entry].state), .rax)
          assembler.patch(skip)
        }
        if let skip { assembler.patch(skip) }
        item += count
      }
    }

    /// Copies slots, in order, to those before the instant.
    private mutating func writeCopies(_ slots: [Int32]) {
      var place = 0
      while place < slots.count {
        var end = place + 1
        while end < slots.count, slots[end] == slots[end - 1] + 1 { end += 1 }
        writeCopy(slots[place], end - place)
        place = end
      }
    }

    /// Copies neighbours: many in a loop of eight, two by two, and one.
    private mutating func writeCopy(_ first: Int32, _ count: Int) {
      var (slot, left) = (first, count)
      if left >= 32 {
        let turns = left / 8
        assembler.address(.rsi, new(slot))
        assembler.move(.rcx, number: turns)
        let start = assembler.count
        for pair in 0..<4 { copyPair(.rsi, 16 * pair, by: UInt8(pair)) }
        assembler.apply(.add, Place(.rsi), number: 64)
        assembler.apply(.sub, Place(.rcx), number: 1)
        assembler.jump(if: .notEqual, to: start)
        slot += Int32(turns * 8)
        left -= turns * 8
      }
      while left >= 2 {
        copyPair(.rbx, 8 * Int(slot), by: 0)
        slot += 2
        left -= 2
      }
      if left == 1 {
        assembler.move(.rax, new(slot))
        assembler.move(old(slot), .rax)
      }
    }

    private mutating func copyPair(_ base: Register, _ offset: Int, by register: UInt8) {
      assembler.copyPair(Place(at: base, offset - 8 * frameWords), Place(at: base, offset), by: register)
    }
  }
#endif
