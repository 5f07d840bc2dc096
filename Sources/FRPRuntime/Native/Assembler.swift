// Machine code of x86-64, written from front to back: the few instructions that the code of regions needs (NativeEmitter.swift).
// Operands of 64 bits, but where it says otherwise. Jumps back know where they go; jumps forward are patched.

#if arch(x86_64)
  /// A register of the processor. Those for Floats have numbers, too; 0 and 1 are enough.
  enum Register: UInt8 {
    case rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15

    var number: UInt8 { rawValue }
  }

  /// A register, or the word at an address that a register and a number give.
  struct Place: Equatable {
    var register: Register
    var offset: Int32 = 0
    var isMemory = false

    init(_ register: Register) { self.register = register }
    init(float number: UInt8) { register = number == 0 ? .rax : .rcx }
    init(at base: Register, _ offset: Int) {
      (register, self.offset, isMemory) = (base, Int32(truncatingIfNeeded: offset), true)
    }
  }

  struct Assembler {
    /// Arithmetic of two operands, by the number that its encodings share.
    enum Arithmetic: UInt8 { case add = 0, or, _2, _3, and, sub, xor, compare }
    /// Operations of one operand: opcode 0xF7.
    enum Unary: UInt8 { case negate = 3, multiplyWide = 5, divide = 7 }
    enum Shift: UInt8 { case left = 4, right = 5, arithmeticRight = 7 }
    /// Of Floats in registers of their own, by opcode.
    enum OfFloats: UInt8 { case squareRoot = 0x51, add = 0x58, multiply = 0x59, subtract = 0x5C, divide = 0x5E }
    /// What a comparison said, by its number in jumps, moves and sets. Comparisons of Floats set the flags of numbers
    /// without sign, and `below` if one is no number.
    enum Condition: UInt8 {
      case overflow = 0, below = 2, aboveOrEqual = 3, equal = 4, notEqual = 5, belowOrEqual = 6, above = 7
      case negative = 8, notNegative = 9, unordered = 10, ordered = 11, less = 12, greaterOrEqual = 13, lessOrEqual = 14
      case greater = 15

      var opposite: Condition { Condition(rawValue: rawValue ^ 1) ?? self }
    }

    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity = 1 << 14
    /// A bit for each register that is an operand's, or the base of one.
    private var used: UInt16 = 0

    init() { start = .allocate(capacity: capacity) }

    func deallocate() { start.deallocate() }

    /// Forgets what was written from a place on.
    mutating func goBack(to place: Int) { count = place }

    /// Whether a register has been an operand, or the base of one; perhaps in what was taken back.
    func uses(_ register: Register) -> Bool { used >> UInt16(register.number) & 1 == 1 }

    // MARK: Bytes

    /// Room for one instruction.
    @inline(__always)
    private mutating func reserve() { if capacity - count < 32 { grow() } }

    @inline(never)
    private mutating func grow() {
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
      larger.update(from: start, count: count)
      start.deallocate()
      start = larger
      capacity *= 2
    }

    @inline(__always)
    private mutating func byte(_ value: UInt8) {
      start[count] = value
      count &+= 1
    }

    @inline(__always)
    private mutating func word<T: FixedWidthInteger>(_ value: T) {
      UnsafeMutableRawPointer(start + count).storeBytes(of: value, as: T.self)
      count &+= MemoryLayout<T>.size
    }

    /// Prefix, opcode (0x0F before its last byte makes it another) and operands: `field` is a register's number, or more of the opcode.
    private mutating func encode(
      _ opcode: UInt16, prefix: UInt8 = 0, isWide: Bool = true, field: UInt8, _ place: Place
    ) {
      reserve()
      var at = UnsafeMutableRawPointer(start + count)
      let add = { (part: UInt8) in
        at.storeBytes(of: part, as: UInt8.self)
        at += 1
      }
      if prefix != 0 { add(prefix) }
      let base = place.register.number
      used |= 1 << UInt16(base)
      let rex = (isWide ? 0x48 : 0x40) | (field >> 3) << 2 | base >> 3
      if rex != 0x40 { add(rex) }
      if opcode > 0xFF { add(0x0F) }
      add(UInt8(truncatingIfNeeded: opcode))
      let low = (field & 7) << 3 | base & 7
      if place.isMemory {
        let isNear = place.offset >= -128 && place.offset < 128
        add((isNear ? 0x40 : 0x80) | low)
        if base & 7 == 4 { add(0x24) }
        at.storeBytes(of: place.offset, as: Int32.self)
        at += isNear ? 1 : 4
      } else {
        add(0xC0 | low)
      }
      count = at - UnsafeMutableRawPointer(start)
    }

    // MARK: Words

    mutating func move(_ target: Register, _ source: Place) {
      if source == Place(target) { return }
      encode(0x8B, field: target.number, source)
    }

    mutating func move(_ target: Place, _ source: Register) {
      if target == Place(source) { return }
      encode(0x89, field: source.number, target)
    }

    mutating func move(_ target: Register, number: Int) {
      if number == 0 { return encode(0x33, isWide: false, field: target.number, Place(target)) }
      if number > 0, number <= Int(UInt32.max) {
        writeShort(0xB8, target)
        word(UInt32(number))
      } else if let small = Int32(exactly: number) {
        move(Place(target), number: small)
      } else {
        reserve()
        byte(0x48 | target.number >> 3)
        byte(0xB8 | target.number & 7)
        word(number)
      }
    }

    mutating func move(_ target: Place, number: Int32) {
      encode(0xC7, field: 0, target)
      word(number)
    }

    mutating func move(_ target: Register, _ source: Place, if condition: Condition) {
      encode(0x0F40 | UInt16(condition.rawValue), field: target.number, source)
    }

    mutating func apply(_ operation: Arithmetic, _ target: Register, _ source: Place) {
      encode(UInt16(operation.rawValue << 3 | 3), field: target.number, source)
    }

    mutating func apply(_ operation: Arithmetic, _ target: Place, number: Int32) {
      let isNear = number >= -128 && number < 128
      encode(isNear ? 0x83 : 0x81, field: operation.rawValue, target)
      if isNear { byte(UInt8(truncatingIfNeeded: number)) } else { word(number) }
    }

    /// Compares what stands at a place with a register.
    mutating func compare(_ x: Place, _ y: Register) { encode(0x39, field: y.number, x) }

    mutating func multiply(_ target: Register, _ source: Place) { encode(0x0FAF, field: target.number, source) }

    mutating func multiply(_ target: Register, _ source: Place, number: Int32) {
      encode(0x69, field: target.number, source)
      word(number)
    }

    /// `multiplyWide`: rdx and rax are rax times the operand. `divide`: rax and rdx are quotient and rest of rdx and rax.
    mutating func apply(_ operation: Unary, _ place: Place) { encode(0xF7, field: operation.rawValue, place) }

    /// rdx is the sign of rax.
    mutating func extendSign() {
      reserve()
      byte(0x48)
      byte(0x99)
    }

    mutating func shift(_ direction: Shift, _ register: Register, by bits: Int) {
      if bits == 0 { return }
      encode(0xC1, field: direction.rawValue, Place(register))
      byte(UInt8(bits))
    }

    /// target = 2 * source
    mutating func double(_ target: Register, _ source: Register) {
      encode(0x8D, field: target.number, Place(source))
      // An address of a base and an index, which are the same register.
      count &-= 1
      byte((target.number & 7) << 3 | 4)
      byte((source.number & 7) << 3 | source.number & 7)
    }

    /// target = 2 * source - 1
    mutating func doubleLessOne(_ target: Register, _ source: Register) {
      double(target, source)
      start[count - 2] |= 0x40
      byte(0xFF)
    }

    /// Sets or flips the sign of a Float's word.
    mutating func clearSign(_ register: Register) {
      encode(0x0FBA, field: 6, Place(register))
      byte(63)
    }

    mutating func flipSign(_ register: Register) {
      encode(0x0FBA, field: 7, Place(register))
      byte(63)
    }

    /// target = address
    mutating func address(_ target: Register, _ place: Place) { encode(0x8D, field: target.number, place) }

    /// Sets the flags by a register's own bits.
    mutating func test(_ register: Register) { encode(0x85, field: register.number, Place(register)) }

    /// The same of its lowest bit.
    mutating func testLowestBit(_ register: Register) {
      encode(0xF6, field: 0, Place(register))
      byte(1)
    }

    /// target = its lowest 16 bits
    mutating func keepLow16(_ target: Register) { encode(0x0FB7, field: target.number, Place(target)) }

    /// register = whether a condition holds. One of the first four.
    mutating func set(_ register: Register, if condition: Condition) {
      encode(0x0F90 | UInt16(condition.rawValue), isWide: false, field: 0, Place(register))
      encode(0x0FB6, isWide: false, field: register.number, Place(register))
    }

    // MARK: Floats, in registers of their own: 0 and 1

    mutating func load(float target: UInt8, _ source: Place) {
      if source.isMemory { return encode(0x0F10, prefix: 0xF2, isWide: false, field: target, source) }
      encode(0x0F6E, prefix: 0x66, field: target, source)
    }

    mutating func store(_ target: Register, float source: UInt8) {
      encode(0x0F7E, prefix: 0x66, field: source, Place(target))
    }

    /// Register 0 = register 0 op what stands at a place, of memory, or in register 1 if there is none.
    mutating func apply(_ operation: OfFloats, _ source: Place?) {
      encode(
        0x0F00 | UInt16(operation.rawValue), prefix: 0xF2, isWide: false, field: 0, source ?? Place(float: 1)
      )
    }

    /// Compares register x with register y.
    mutating func compare(float x: UInt8, _ y: UInt8) {
      encode(0x0F2E, prefix: 0x66, isWide: false, field: x, Place(float: y))
    }

    mutating func clear(float register: UInt8) {
      encode(0x0F57, isWide: false, field: register, Place(float: register))
    }

    /// Register 0 = an Int as a Float.
    mutating func convert(_ source: Place) { encode(0x0F2A, prefix: 0xF2, field: 0, source) }

    /// Copies two words.
    mutating func copyPair(_ target: Place, _ source: Place, by register: UInt8) {
      encode(0x0F10, isWide: false, field: register, source)
      encode(0x0F11, isWide: false, field: register, target)
    }

    // MARK: Elsewhere

    /// A jump back to a place.
    mutating func jump(if condition: Condition? = nil, to target: Int) { patch(jump(if: condition), to: target) }

    /// A jump that is patched; gives what to patch.
    mutating func jump(if condition: Condition? = nil) -> Int {
      reserve()
      if let condition {
        byte(0x0F)
        byte(0x80 | condition.rawValue)
      } else {
        byte(0xE9)
      }
      word(Int32(0))
      return count
    }

    /// Makes a jump go to a place: to the next instruction, if it says nothing else.
    mutating func patch(_ jump: Int, to target: Int? = nil) {
      UnsafeMutableRawPointer(start + jump - 4).storeBytes(
        of: Int32(truncatingIfNeeded: (target ?? count) - jump), as: Int32.self)
    }

    mutating func call(_ function: Place) { encode(0xFF, isWide: false, field: 2, function) }

    /// A call of what was written before.
    mutating func call(_ target: Int) {
      reserve()
      byte(0xE8)
      word(Int32(truncatingIfNeeded: target - count - 4))
    }

    mutating func push(_ register: Register) { writeShort(0x50, register) }

    mutating func pop(_ register: Register) { writeShort(0x58, register) }

    /// An instruction whose opcode has its only register.
    private mutating func writeShort(_ opcode: UInt8, _ register: Register) {
      reserve()
      if register.number > 7 { byte(0x41) }
      byte(opcode | register.number & 7)
    }

    mutating func giveBack() {
      reserve()
      byte(0xC3)
    }
  }
#endif
