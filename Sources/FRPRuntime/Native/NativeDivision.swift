// Division of Ints, rounded down, in machine code. By a number that is known it is a multiplication with 2^k over that number
// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).

#if arch(x86_64)
  extension NativeEmitter {
    /// The quotient, or the remainder, which has the divisor's sign.
    mutating func divide(_ target: Place, _ x: Place, _ y: Place, isQuotient: Bool) {
      assembler.move(.rcx, y)
      assembler.test(.rcx)
      leave(if: .equal)
      divideByRCX(target, x, isQuotient: isQuotient)
    }

    /// The same by a number.
    mutating func divide(_ target: Place, _ x: Place, by number: Int, isQuotient: Bool) {
      if number == 0 {
        leave()
      } else if number < 0 {
        assembler.move(.rcx, number: number)
        divideByRCX(target, x, isQuotient: isQuotient)
      } else if number & (number - 1) == 0 {
        assembler.move(.rax, x)
        if isQuotient {
          assembler.shift(.arithmeticRight, .rax, by: number.trailingZeroBitCount)
        } else {
          assembler.apply(.and, Place(.rax), number: Int32(truncatingIfNeeded: number - 1))
        }
        assembler.move(target, .rax)
      } else {
        divideByPositive(target, x, number, isQuotient: isQuotient)
      }
    }

    /// The divisor, which is not zero, is in rcx.
    private mutating func divideByRCX(_ target: Place, _ x: Place, isQuotient: Bool) {
      assembler.move(.rax, x)
      // The processor's division faults where the quotient overflows.
      assembler.apply(.compare, Place(.rcx), number: -1)
      let isOther = assembler.jump(if: .notEqual)
      if isQuotient {
        assembler.apply(.negate, Place(.rax))
        leave(if: .overflow)
      } else {
        assembler.move(.rdx, number: 0)
      }
      let isNegated = assembler.jump()
      assembler.patch(isOther)
      assembler.extendSign()
      assembler.apply(.divide, Place(.rcx))
      // Where there is a rest of the other sign, the quotient rounded down is one less.
      assembler.test(.rdx)
      let isExact = assembler.jump(if: .equal)
      if isQuotient {
        assembler.apply(.xor, .rdx, Place(.rcx))
        let isDown = assembler.jump(if: .notNegative)
        assembler.apply(.sub, Place(.rax), number: 1)
        assembler.patch(isDown)
      } else {
        assembler.move(.rax, Place(.rdx))
        assembler.apply(.xor, .rax, Place(.rcx))
        let isDown = assembler.jump(if: .notNegative)
        assembler.apply(.add, .rdx, Place(.rcx))
        assembler.patch(isDown)
      }
      assembler.patch(isExact)
      assembler.patch(isNegated)
      assembler.move(target, isQuotient ? .rax : .rdx)
    }

    private mutating func divideByPositive(_ target: Place, _ x: Place, _ number: Int, isQuotient: Bool) {
      let (factor, bits) = NativeEmitter.reciprocal(number)
      assembler.move(.rcx, x)
      assembler.move(.rax, number: factor)
      assembler.apply(.multiplyWide, Place(.rcx))
      assembler.apply(.add, .rdx, Place(.rcx))
      assembler.shift(.arithmeticRight, .rdx, by: bits)
      // One more for a negative number, which gives the quotient towards zero, and its rest.
      assembler.move(.rax, Place(.rcx))
      assembler.shift(.arithmeticRight, .rax, by: 63)
      assembler.apply(.sub, .rdx, Place(.rax))
      assembler.multiply(.rax, Place(.rdx), number: Int32(truncatingIfNeeded: number))
      assembler.apply(.sub, .rcx, Place(.rax))
      assembler.move(.rax, Place(.rcx))
      assembler.shift(.arithmeticRight, .rax, by: 63)
      if isQuotient {
        assembler.apply(.add, .rdx, Place(.rax))
      } else {
        assembler.apply(.and, Place(.rax), number: Int32(truncatingIfNeeded: number))
        assembler.apply(.add, .rcx, Place(.rax))
      }
      assembler.move(target, isQuotient ? .rdx : .rcx)
    }

    /// For a number of at least 2: the factor without its highest bit, of 2^64, and how far to shift.
    static func reciprocal(_ number: Int) -> (factor: Int, bits: Int) {
      let bits = Int.bitWidth - (number - 1).leadingZeroBitCount - 1
      return (Int(bitPattern: UInt(number).dividingFullWidth((1 << UInt(bits), 0)).quotient &+ 1), bits)
    }
  }
#endif
