// The function around the machine code of a region's entries: where it is entered and left, and how one instant of a row follows another.
//
// Whatever leaves jumps to the first byte. What must be saved is known when all else is written, so the function begins behind it.

#if arch(x86_64)
  import FRPGraph

  extension NativeEmitter {
    /// Gives where it is entered: behind all else, since what must be saved is known then.
    mutating func writeRegion() -> Int {
      // Whatever leaves comes here.
      assembler.move(.rax, number: 0)
      let left = assembler.jump()
      let first = assembler.count
      writeInput()
      writeItems()
      writeCommit()
      if !hasOutputsInOrder { writeOutputs() }
      for skip in inputSkips { assembler.patch(skip) }
      let more = calls == 0 ? writeEnd() : nil
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
      if kept.registers.contains(.r15) { assembler.move(.r15, number: Int(bitPattern: 0xFFDF_FFFF_FFFF_FFFF)) }
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
  }
#endif
