#if arch(x86_64)
  import FRPBase
  import FRPCore
  import FRPGraph
  import Glibc
  import Testing

  @testable import FRPRuntime

  /// Machine code beside the interpreter, instruction by instruction: random codes on words where arithmetic has its edges. What
  /// programs show is the law "what runs straight through".
  struct NativeTests {
    /// An event, two behaviors that its `map` reads, and constants.
    private static func reactor() throws -> Reactor {
      var w = CoreWriter()
      let type = w.core.types.event(.int)
      let x = w.behavior(.inputEvent(port: 0), type)
      w.core.inputs = [CorePort(name: "x", type: .int, isEvent: true, node: x, span: .none)]
      let (n, read) = w.local("n", .int)
      var sum = read
      for port in 1...2 {
        let b = w.behavior(.inputBehavior(port: port, start: w.int(0)), .int)
        w.core.inputs.append(CorePort(name: "b\(port)", type: .int, isEvent: false, node: b, span: .none))
        sum = w.prim(.add, .int, sum, w.add(.read(b), .int))
      }
      for number in [1 << 40, Int.max, Int.min] { sum = w.prim(.add, .int, sum, w.int(number)) }
      let y = w.behavior(.map(x, CoreLambda([n], sum)), type)
      w.core.outputs = [CorePort(name: "y", type: .int, isEvent: true, node: y, span: .none)]
      var plan = try Plan(w.core, Optimisations.all.subtracting(.directInputs))
      for float in [0.5, -3, 1e300, 0, -0.0, .leastNonzeroMagnitude] {
        plan.code.constants.append(.word(Word(float: float)))
      }
      let reactor = Reactor(plan: plan)
      reactor.turnsUntilNative = 0
      return reactor
    }

    private static let words: [Word] =
      [0, 1, -1, 2, 3, -7, 10, 63, 1 << 31, 1 << 32, 1 << 62, -(1 << 62), .max, .min, .max - 1, .min + 1].map {
        Word(int: $0)
      }
      + [0.0, -0.0, 0.5, 1, -1, 1e308, -1e308, .leastNonzeroMagnitude, 2.5, .infinity, -.infinity, .nan].map {
        Word(float: $0)
      }

    /// What has machine code and needs no heap.
    private static let operations: [Op] = Op.allCases.filter { op in
      switch op {
      case .field, .hasTag, .unlessTag, .result, .skip, .sine, .cosine, .exponential, .logarithm, .pull, .resultPulled,
        .construct, .equalString, .notEqualString, .unlessEqualString:
        return false
      default: return op.plain == nil && op.shape.codes != .slow
      }
    }

    /// Those at the end of a code.
    private static let ends =
      Op.allCases.filter { $0.plain != nil && $0 != .giveConstruct } + [.skip, .result, .result, .result]

    /// Knuth's, so that a failure comes again.
    private struct Generator: RandomNumberGenerator {
      var state: UInt64
      mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 32 | state << 32
      }
    }

    /// A code that computes something of its parameter, slots and constants.
    private static func code(_ random: inout Generator, slots: [Int], constants: Int, about op: Op) -> [Instr] {
      let offset = Bool.random(using: &random) ? 0 : 40
      let register = { (random: inout Generator) in
        let number = Int.random(in: 0..<8, using: &random)
        return number < 2 ? number : number + (number < 5 ? 0 : offset)
      }
      var code: [Instr] = []
      for number in 1..<8 {
        let target = number < 2 ? number : number + (number < 5 ? 0 : offset)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: code.append(Instr(.small, target, Int.random(in: -9...9, using: &random)))
        case 1: code.append(Instr(.constant, target, Int.random(in: 0..<constants, using: &random)))
        default: code.append(Instr(.slot, target, slots.randomElement(using: &random) ?? 0))
        }
      }
      let count = Int.random(in: 1...3, using: &random)
      for place in 0..<count {
        let op = place == 0 ? op : operations.randomElement(using: &random) ?? op
        code.append(instr(op, &random, slots, constants, left: count - place, register))
      }
      let end = ends.randomElement(using: &random) ?? .result
      code.append(instr(end, &random, slots, constants, left: 0, register))
      // What jumps may lead to.
      code.append(Instr(.result, register(&random)))
      return code
    }

    private static func instr(
      _ op: Op, _ random: inout Generator, _ slots: [Int], _ constants: Int, left: Int,
      _ register: (inout Generator) -> Int
    ) -> Instr {
      let name = "\(op)"
      let (a, b) = (register(&random), register(&random))
      var instr = Instr(op, a, b, register(&random))
      let slot = { (random: inout Generator) in Int32(slots.randomElement(using: &random) ?? 0) }
      let numbers: [Int32] = [0, 1, -1, 2, 7, -7, 10, 64, 1000, 997, .max, .min]
      let number = numbers.randomElement(using: &random) ?? 0
      let constant = Int32.random(in: 0..<Int32(constants), using: &random)
      let isJump = name.hasPrefix("unless") || name.hasPrefix("jump")
      if name == "slot" || name.contains("IntSlotK") || name.contains("FloatSlotK") { instr.b = slot(&random) }
      if name.contains("Slots") { (instr.b, instr.c) = (slot(&random), slot(&random)) }
      if op == .giveAddThreeFloatSlots { instr.a = slot(&random) }
      if name.hasSuffix("IntSlot") || name.hasSuffix("FloatSlot") { instr.c = slot(&random) }
      if op == .small { instr.b = number }
      if op == .constant { instr.b = constant }
      if name.hasSuffix("IntK") || name.hasSuffix("IntSlotK") {
        if isJump { instr.b = number } else { instr.c = number }
      }
      if name.hasSuffix("FloatK") || name.hasSuffix("FloatSlotK") {
        if isJump { instr.b = constant } else { instr.c = constant }
      }
      if op == .jump { instr.a = Int32.random(in: 1...Int32(left + 1), using: &random) }
      if isJump, op != .jump { instr.c = Int32.random(in: 1...Int32(left + 1), using: &random) }
      if op == .maskIntK { instr.c = abs(max(number, -.max)) }
      return instr
    }

    /// Inputs of which none occurs often by itself.
    @Test func manyInputsGetTheirCodeTogether() throws {
      var w = CoreWriter()
      let type = w.core.types.event(.int)
      for port in 0..<50 {
        let x = w.behavior(.inputEvent(port: port), type)
        w.core.inputs.append(CorePort(name: "x\(port)", type: .int, isEvent: true, node: x, span: .none))
        let (n, read) = w.local("n", .int)
        let y = w.behavior(.map(x, CoreLambda([n], w.prim(.add, .int, read, w.int(port)))), type)
        w.core.outputs.append(CorePort(name: "y\(port)", type: .int, isEvent: true, node: y, span: .none))
      }
      let reactor = Reactor(plan: try Plan(w.core, Optimisations.all.subtracting(.directInputs)))
      var sum = 0
      reactor.observer = { _, changes in for change in changes { sum += change.value.int } }
      reactor.start()
      for turn in 0..<50 {
        // The last is used too seldom.
        for port in 0..<49 { reactor.send(port: port, Word(int: turn)) }
      }
      reactor.send(port: 49, 1)
      #expect((0..<49).allSatisfy { reactor.directInputs[$0].alone != nil })
      #expect(reactor.directInputs[49].native == nil)
      #expect(sum == 49 * (0..<50).reduce(0, +) + 50 * (0..<49).reduce(0, +) + 50)
    }

    @Test(arguments: operations.indices)
    func machineCodeDoesWhatTheInterpreterDoes(_ index: Int) throws {
      let reactor = try Self.reactor()
      var differences: [String] = []
      reactor.nativeDiffers = { differences.append($0) }
      reactor.start()
      reactor.send(port: 0, 1)
      // Where there is no room for objects, the interpreter may leave instants that machine code does not.
      _ = try reactor.heap.allocate(1)
      let region = try #require(reactor.directInputs[0].region)
      #expect(reactor.directInputs[0].native != nil)
      let rows = reactor.templates[0].rows
      let row = rows + Int(region.pointee.items[0] >> 1)
      let slots = (1...2).map { Int(rows[Int(reactor.directInputs[$0].input)].slot) }
      var random = Generator(state: UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
      row.pointee.work = .map
      for _ in 0..<40 {
        let code = Self.code(
          &random, slots: slots, constants: reactor.plan.code.constants.count, about: Self.operations[index])
        let memory = UnsafeMutablePointer<Instr>.copy(code)
        defer { memory.deallocate() }
        row.pointee.code = UnsafePointer(memory)
        reactor.directInputs[0].native = reactor.makeNative([region])[0]
        let native = try #require(reactor.directInputs[0].native, "\(code)")
        for _ in 0..<30 {
          region.pointee.leaves = 0
          for slot in slots {
            let word = Self.words.randomElement(using: &random) ?? 0
            (reactor.live.root.pointee.old[slot], reactor.live.root.pointee.new[slot]) = (word, word)
          }
          let word = Self.words.randomElement(using: &random) ?? 0
          reactor.machine.state.pointee.stepsLeft = 1_000
          _ = reactor.runNative(reactor.directInputs, native, word)
          if !differences.isEmpty {
            Issue.record("\(differences) for \(word), \(slots.map { reactor.live.root.pointee.new[$0] }) of \(code)")
            return
          }
        }
      }
    }

    /// Each number that divides, at the edges of what is divided.
    @Test func divisionByNumbers() throws {
      var random = Generator(state: 1)
      for number in Array(2..<300) + [997, 1 << 20, (1 << 20) + 1, 1 << 30, Int(Int32.max)] {
        let (factor, bits) = NativeEmitter.reciprocal(number)
        for _ in 0..<200 {
          let word = Int.random(in: .min ... .max, using: &random) >> Int.random(in: 0..<64, using: &random)
          for x in [word, word / number * number, word / number * number - 1, .max, .min] {
            let quotient = (x.multipliedFullWidth(by: factor).high &+ x) >> bits - (x >> 63)
            #expect(quotient == x / number)
          }
        }
      }
    }

    @Test func codeIsNeverWritableWhereItRuns() throws {
      let memory = try #require(CodeMemory([0xC3]))
      let start = String(unsafeBitCast(memory.function(at: 0), to: UInt.self), radix: 16)
      let file = try #require(fopen("/proc/self/maps", "r"))
      defer { fclose(file) }
      var lines: [String] = []
      var line = [CChar](repeating: 0, count: 4096)
      while fgets(&line, 4096, file) != nil {
        lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
      #expect(lines.contains { $0.contains("r-xp") && $0.hasPrefix(start) })
      #expect(!lines.contains { $0.contains("rwx") })
    }
  }
#endif
