// Machine code of quick codes: an instruction is a few of the processor's, with the registers of the window in the processor's
// as far as these go, and slots where they lie. Whatever the quick loop gives nil for leaves (see NativeEmitter.swift).

#if arch(x86_64)
  import FRPGraph

  extension NativeEmitter {
    /// Registers of the window that have one of the processor's; the others lie on the stack.
    private static let homes: [Register] = [.rsi, .rdi, .r8, .r9, .r10, .r11]
    /// Bytes of the stack for the others; what is pushed before and this make it even.
    static let stackBytes = 8 * (Machine.quickRegisters + 1)

    /// Where a register of the window lies. rax, rcx and rdx are for every instruction to use.
    @inline(__always)
    func home(_ number: Int) -> Place {
      // Of what is no register of the window nobody asks where it is.
      number >= 0 && number < NativeEmitter.homes.count
        ? Place(NativeEmitter.homes[number]) : Place(at: .rsp, 8 * number)
    }

    /// Writes a code whose parameters are in place, and whose slots lie `base` words from those after the instant. Its result
    /// is in rax; `skips` go where it lets nothing through. False, and something has been written, where an instruction has no machine code.
    mutating func write(_ start: UnsafePointer<Instr>, base: Int, isFilterMap: Bool = false) -> Bool {
      self.base = base
      self.isFilterMap = isFilterMap
      doubled = nil
      places.removeAll()
      jumps.removeAll()
      ends.removeAll()
      var place = 0
      var furthest = 0
      while true {
        places.append(assembler.count)
        let instr = start[place]
        let jumpsBefore = jumps.count
        let plain = instr.op.plain
        guard write(instr, plain ?? instr.op, plain == nil ? home(Int(instr.a)) : Place(.rax), at: place) else {
          return false
        }
        if jumps.count > jumpsBefore { furthest = max(furthest, jumps[jumps.count - 1].target) }
        if plain != nil || instr.op == .result || instr.op == .skip || instr.op == .jump {
          if place >= furthest { break }
          if instr.op != .skip, instr.op != .jump { ends.append(assembler.jump()) }
        }
        place += 1
      }
      for jump in jumps.buffer {
        // Codes jump forward only.
        if jump.target >= places.count { return false }
        assembler.patch(jump.from, to: places[jump.target])
      }
      if !ends.isEmpty { doubled = nil }
      for end in ends.buffer { assembler.patch(end) }
      return true
    }

    private func slot(_ number: Int32) -> Place { word(Int(number) + base) }

    /// Jumps to where an instruction says, seen from `place`.
    private mutating func jump(if condition: Assembler.Condition? = nil, _ distance: Int32, at place: Int) {
      jumps.append((assembler.jump(if: condition), place + Int(distance)))
    }

    /// One instruction.
    private mutating func write(_ instr: Instr, _ op: Op, _ target: Place, at place: Int) -> Bool {
      let (x, y) = (home(Int(instr.b)), home(Int(instr.c)))
      switch op {
      case .move: copy(target, x)
      case .small: setNumber(target, Int(instr.b))
      case .constant:
        guard let word = constant(instr.b) else { return false }
        setNumber(target, Int(bitPattern: UInt(word)))
      case .slot: copy(target, slot(instr.b))
      case .field:
        assembler.move(.rax, x)
        copy(target, Place(at: .rax, 8 * (Int(instr.c) + 1)))
      case .hasTag:
        findTag(x)
        assembler.apply(.compare, Place(.rcx), number: instr.c)
        set(target, if: .equal)
      case .not:
        assembler.move(.rax, x)
        assembler.apply(.xor, Place(.rax), number: 1)
        assembler.move(target, .rax)
      case .result: assembler.move(.rax, home(Int(instr.a)))
      case .skip: skips.append(assembler.jump())
      case .giveConstruct where isFilterMap && instr.d == 1:
        // What would be wrapped for the caller to unwrap is what it shows.
        assembler.move(.rax, x)
        wrapped.append(assembler.jump())
      case .construct, .giveConstruct: return construct(instr, target)
      default:
        return writeOfInts(instr, op, target, x, y) || writeOfFloats(instr, op, target, x, y)
          || writeJump(instr, op, at: place)
      }
      return true
    }

    private mutating func copy(_ target: Place, _ source: Place) {
      if target == source { return }
      let register = target.isMemory ? .rax : target.register
      assembler.move(register, source)
      assembler.move(target, register)
    }

    private mutating func setNumber(_ target: Place, _ number: Int) {
      let register = target.isMemory ? .rax : target.register
      assembler.move(register, number: number)
      assembler.move(target, register)
    }

    private mutating func set(_ target: Place, if condition: Assembler.Condition) {
      assembler.set(.rax, if: condition)
      assembler.move(target, .rax)
    }

    /// Puts a variant's tag into rcx.
    private mutating func findTag(_ value: Place) {
      assembler.move(.rax, value)
      assembler.move(.rcx, value)
      assembler.shift(.right, .rcx, by: 1)
      assembler.testLowestBit(.rax)
      let isImmediate = assembler.jump(if: .notEqual)
      assembler.move(.rcx, Place(at: .rax, 0))
      assembler.shift(.right, .rcx, by: 8)
      assembler.keepLow16(.rcx)
      assembler.patch(isImmediate)
    }

    /// target = an object of the d words from b; leaves where there is no room for it in the chunk at hand.
    private mutating func construct(_ instr: Instr, _ target: Place) -> Bool {
      guard let header = constant(instr.c) else { return false }
      makesObjects = true
      let count = Int(instr.d)
      assembler.move(.rcx, context(\.heap))
      assembler.move(.rax, Place(at: .rcx, MemoryLayout<HeapState>.offset(of: \.top) ?? 0))
      assembler.address(.rdx, Place(at: .rax, 8 * (count + 1)))
      assembler.apply(.compare, .rdx, Place(at: .rcx, MemoryLayout<HeapState>.offset(of: \.end) ?? 0))
      leave(if: .above)
      assembler.move(Place(at: .rcx, MemoryLayout<HeapState>.offset(of: \.top) ?? 0), .rdx)
      assembler.move(.rcx, number: Int(bitPattern: UInt(header)))
      assembler.move(Place(at: .rax, 0), .rcx)
      for field in 0..<count {
        let value = home(Int(instr.b) + field)
        let register = value.isMemory ? .rcx : value.register
        assembler.move(register, value)
        assembler.move(Place(at: .rax, 8 * (field + 1)), register)
      }
      assembler.move(target, .rax)
      return true
    }

    // MARK: Int

    private mutating func writeOfInts(_ instr: Instr, _ op: Op, _ target: Place, _ x: Place, _ y: Place) -> Bool {
      switch op {
      case .addInt: checked(target, x, y) { $0.apply(.add, $1, y) }
      case .addIntK: checked(target, x) { $0.apply(.add, Place($1), number: instr.c) }
      case .addIntSlots:
        let other = slot(instr.c)
        checked(target, slot(instr.b)) { $0.apply(.add, $1, other) }
      case .addIntSlot:
        let other = slot(instr.c)
        checked(target, x) { $0.apply(.add, $1, other) }
      case .addIntSlotK: checked(target, slot(instr.b)) { $0.apply(.add, Place($1), number: instr.c) }
      case .subtractInt: checked(target, x, y) { $0.apply(.sub, $1, y) }
      case .subtractIntK: checked(target, x) { $0.apply(.sub, Place($1), number: instr.c) }
      case .multiplyInt: checked(target, x, y) { $0.multiply($1, y) }
      case .multiplyIntK: product(target, x, instr.c)
      case .multiplyIntSlotK: product(target, slot(instr.b), instr.c)
      case .negateInt: checked(target, x) { $0.apply(.negate, Place($1)) }
      case .reverseSubtractIntK:
        assembler.move(.rax, number: Int(instr.c))
        assembler.apply(.sub, .rax, x)
        leave(if: .overflow)
        assembler.move(target, .rax)
      case .absInt:
        assembler.move(.rcx, x)
        assembler.move(.rax, Place(.rcx))
        assembler.apply(.negate, Place(.rax))
        leave(if: .overflow)
        assembler.move(.rax, Place(.rcx), if: .negative)
        assembler.move(target, .rax)
      case .minInt: choose(target, x, y, second: .less)
      case .maxInt: choose(target, x, y, second: .greater)
      case .maskIntK:
        assembler.move(.rax, x)
        assembler.apply(.and, Place(.rax), number: instr.c)
        assembler.move(target, .rax)
      case .divideInt, .remainderInt: divide(target, x, y, isQuotient: op == .divideInt)
      case .divideIntK, .remainderIntK: divide(target, x, by: Int(instr.c), isQuotient: op == .divideIntK)
      default:
        guard let condition = testOfInts(op, x, y, instr.c) else { return false }
        set(target, if: condition)
      }
      return true
    }

    /// target = x, then what an operation makes of it that may overflow. What it reads besides, a register, must not be written before.
    private mutating func checked(
      _ target: Place, _ x: Place, _ y: Place? = nil, _ operation: (inout Assembler, Register) -> Void
    ) {
      let register = target.isMemory || target == y ? .rax : target.register
      assembler.move(register, x)
      operation(&assembler, register)
      leave(if: .overflow)
      assembler.move(target, register)
    }

    private mutating func product(_ target: Place, _ x: Place, _ number: Int32) {
      let register = target.isMemory ? .rax : target.register
      assembler.multiply(register, x, number: number)
      leave(if: .overflow)
      assembler.move(target, register)
    }

    /// target = y if it is so beside x, else x.
    private mutating func choose(_ target: Place, _ x: Place, _ y: Place, second: Assembler.Condition) {
      assembler.move(.rax, x)
      assembler.move(.rcx, y)
      assembler.apply(.compare, .rcx, Place(.rax))
      assembler.move(.rax, Place(.rcx), if: second)
      assembler.move(target, .rax)
    }

    /// Compares Ints as a comparison says, and gives the condition under which it holds.
    private mutating func testOfInts(_ op: Op, _ x: Place, _ y: Place, _ number: Int32) -> Assembler.Condition? {
      let condition: Assembler.Condition
      switch op {
      case .equalInt, .equalIntK: condition = .equal
      case .notEqualInt, .notEqualIntK: condition = .notEqual
      case .lessInt, .lessIntK: condition = .less
      case .lessEqualInt, .lessEqualIntK: condition = .lessOrEqual
      case .greaterIntK: condition = .greater
      case .greaterEqualIntK: condition = .greaterOrEqual
      default: return nil
      }
      if op.shape.reads == .bAndC {
        let register = x.isMemory ? .rax : x.register
        assembler.move(register, x)
        assembler.apply(.compare, register, y)
      } else {
        assembler.apply(.compare, x, number: number)
      }
      return condition
    }

    // MARK: Float

    private mutating func writeOfFloats(_ instr: Instr, _ op: Op, _ target: Place, _ x: Place, _ y: Place) -> Bool {
      switch op {
      case .addFloat: float(target, x, .add, y)
      case .subtractFloat: float(target, x, .subtract, y)
      case .multiplyFloat: float(target, x, .multiply, y)
      case .divideFloat: float(target, x, .divide, y)
      case .addFloatSlots: float(target, slot(instr.b), .add, slot(instr.c))
      case .multiplyFloatSlots: float(target, slot(instr.b), .multiply, slot(instr.c))
      case .addFloatSlot: float(target, x, .add, slot(instr.c))
      case .giveAddThreeFloatSlots:
        assembler.load(float: 0, slot(instr.a))
        assembler.apply(.add, slot(instr.b))
        assembler.apply(.add, slot(instr.c))
        finish(target)
      case .addFloatK: return float(target, x, .add, number: instr.c)
      case .subtractFloatK: return float(target, x, .subtract, number: instr.c)
      case .multiplyFloatK: return float(target, x, .multiply, number: instr.c)
      case .divideFloatK: return float(target, x, .divide, number: instr.c)
      case .multiplyFloatSlotK: return float(target, slot(instr.b), .multiply, number: instr.c)
      case .reverseSubtractFloatK, .reverseDivideFloatK:
        guard load(float: 0, number: instr.c) else { return false }
        apply(op == .reverseSubtractFloatK ? .subtract : .divide, x)
        finish(target)
      case .squareRoot:
        assembler.load(float: 0, x)
        assembler.clear(float: 1)
        assembler.compare(float: 1, 0)
        leave(if: .above)
        assembler.load(float: 1, x)
        assembler.apply(.squareRoot, nil)
        assembler.store(.rax, float: 0)
        assembler.move(target, .rax)
      case .negateFloat, .absFloat:
        assembler.move(.rax, x)
        if op == .negateFloat { assembler.flipSign(.rax) } else { assembler.clearSign(.rax) }
        assembler.move(target, .rax)
      case .minFloat, .maxFloat:
        load(x, y)
        if op == .minFloat { assembler.compare(float: 0, 1) } else { assembler.compare(float: 1, 0) }
        assembler.move(.rax, x)
        assembler.move(.rax, y, if: .above)
        assembler.move(target, .rax)
      case .toFloat:
        assembler.clear(float: 0)
        assembler.convert(x)
        assembler.store(.rax, float: 0)
        assembler.move(target, .rax)
      default:
        guard let test = test(instr, op, x, y) else { return false }
        assembler.set(.rax, if: test)
        if test == .equal || test == .notEqual {
          // Equal is also what is no number.
          assembler.set(.rcx, if: test == .equal ? .ordered : .unordered)
          assembler.apply(test == .equal ? .and : .or, .rax, Place(.rcx))
        }
        assembler.move(target, .rax)
      }
      return true
    }

    /// Compares Floats as a comparison or a jump says, and gives the condition under which it holds.
    private mutating func test(_ instr: Instr, _ op: Op, _ x: Place, _ y: Place) -> Assembler.Condition? {
      switch op {
      case .equalFloat, .notEqualFloat, .lessFloat, .lessEqualFloat: load(x, y)
      case .lessFloatK, .lessEqualFloatK, .greaterFloatK, .greaterEqualFloatK:
        assembler.load(float: 0, x)
        guard load(float: 1, number: instr.c) else { return nil }
      default: return nil
      }
      switch op {
      case .lessFloat, .lessFloatK, .lessEqualFloat, .lessEqualFloatK: assembler.compare(float: 1, 0)
      default: assembler.compare(float: 0, 1)
      }
      switch op {
      case .equalFloat: return .equal
      case .notEqualFloat: return .notEqual
      case .lessFloat, .lessFloatK, .greaterFloatK: return .above
      default: return .aboveOrEqual
      }
    }

    private mutating func load(_ x: Place, _ y: Place) {
      assembler.load(float: 0, x)
      assembler.load(float: 1, y)
    }

    private mutating func load(float register: UInt8, number: Int32) -> Bool {
      guard let word = constant(number) else { return false }
      assembler.move(.rcx, number: Int(bitPattern: UInt(word)))
      assembler.load(float: register, Place(.rcx))
      return true
    }

    private mutating func apply(_ operation: Assembler.OfFloats, _ y: Place) {
      if y.isMemory { return assembler.apply(operation, y) }
      assembler.load(float: 1, y)
      assembler.apply(operation, nil)
    }

    private mutating func float(_ target: Place, _ x: Place, _ operation: Assembler.OfFloats, _ y: Place) {
      assembler.load(float: 0, x)
      apply(operation, y)
      finish(target)
    }

    private mutating func float(_ target: Place, _ x: Place, _ operation: Assembler.OfFloats, number: Int32) -> Bool {
      assembler.load(float: 0, x)
      guard load(float: 1, number: number) else { return false }
      assembler.apply(operation, nil)
      finish(target)
      return true
    }

    /// target = the Float that was computed, which must be finite.
    private mutating func finish(_ target: Place) {
      assembler.store(.rax, float: 0)
      let start = assembler.count
      assembler.double(.rcx, .rax)
      assembler.apply(.compare, .rcx, infinity())
      leave(if: .aboveOrEqual)
      assembler.move(target, .rax)
      doubled = target == Place(.rax) ? start : nil
    }

    // MARK: Jumps

    private mutating func writeJump(_ instr: Instr, _ op: Op, at place: Int) -> Bool {
      let (x, y) = (home(Int(instr.a)), home(Int(instr.b)))
      switch op {
      case .jump: jump(instr.a, at: place)
      case .jumpIf, .jumpUnless:
        assembler.apply(.compare, x, number: 0)
        jump(if: op == .jumpIf ? .notEqual : .equal, instr.c, at: place)
      case .unlessTag:
        findTag(x)
        assembler.apply(.compare, Place(.rcx), number: instr.b)
        jump(if: .notEqual, instr.c, at: place)
      default:
        guard let comparison = op.comparison else { return false }
        if let condition = testOfInts(comparison, x, y, instr.b) {
          jump(if: condition.opposite, instr.c, at: place)
        } else {
          return writeJumpOfFloats(instr, comparison, x, y, at: place)
        }
      }
      return true
    }

    private mutating func writeJumpOfFloats(
      _ instr: Instr, _ comparison: Op, _ x: Place, _ y: Place, at place: Int
    ) -> Bool {
      // Constants are the third operand of comparisons, and the second of jumps.
      let asComparison = Instr(comparison, 0, Int(instr.a), Int(instr.b))
      guard let test = test(asComparison, comparison, x, y) else { return false }
      if test == .notEqual {
        let isNoNumber = assembler.jump(if: .unordered)
        jump(if: .equal, instr.c, at: place)
        assembler.patch(isNoNumber)
        return true
      }
      jump(if: test.opposite, instr.c, at: place)
      if test == .equal { jump(if: .unordered, instr.c, at: place) }
      return true
    }
  }
#endif
