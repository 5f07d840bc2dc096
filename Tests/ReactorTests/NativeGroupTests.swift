#if arch(x86_64)
  import FRPBase
  import FRPCore
  import FRPGraph
  import Testing

  @testable import FRPRuntime

  /// Machine code of groups, and of inputs that share theirs, beside the interpreter: as it runs by itself, and in lockstep.
  struct NativeGroupTests {
    /// Knuth's, so that a failure comes again.
    private struct Generator: RandomNumberGenerator {
      var state: UInt64
      mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 32 | state << 32
      }
    }

    private enum Way { case interpreted, native, lockstep }

    /// What a program shows for a trace, and whether an input's code runs by itself.
    private func run(
      _ source: String, _ trace: [Line], _ way: Way, turnsUntilNative: Int = 0
    ) throws -> (lines: [String], directs: [DirectInput]) {
      let session = try #require(Session(source))
      // Collections come early and late.
      session.reactor.heap.state.pointee.threshold = 1 << 14
      var differences: [String] = []
      if way == .lockstep { session.reactor.nativeDiffers = { differences.append($0) } }
      session.reactor.turnsUntilNative = way == .interpreted ? -1 : turnsUntilNative
      session.reactor.start()
      for line in trace {
        session.advance(to: line.at)
        session.send(line.1)
      }
      #expect(differences == [], "\(source)")
      return (session.lines, (0..<session.reactor.inputCount).map { session.reactor.directInputs[$0] })
    }

    private func compare(_ source: String, _ trace: [Line]) throws {
      let interpreted = try run(source, trace, .interpreted)
      #expect(interpreted.directs[0].native == nil)
      let native = try run(source, trace, .native)
      #expect(native.directs[0].alone != nil, "\(source)")
      #expect(native.lines == interpreted.lines, "\(source)")
      let checked = try run(source, trace, .lockstep)
      #expect(checked.directs[0].native != nil, "\(source)")
      #expect(checked.lines == interpreted.lines, "\(source)")
    }

    /// What the entry of a group computes: numbers that overflow, records, what lets nothing through.
    private static let bodies = [
      "own |> scan(0, (s, e) => s + e.n)",
      "own |> scan(0.0, (s, e) => s * 2.0 + e.x)",
      "own |> scan(1, (s, e) => s * e.n) |> map(s => (key, s))",
      "own |> scan(0.0, (s, e) => s + e.x) |> map(s => {key: key, sum: s, twice: s + s})",
      "own |> map(e => e.n - 3)",
      "own |> map(e => (e.x, key, e.n))",
      "own |> scan({last: 0, most: 0}, (s, e) => {last: e.n, most: max(s.most, e.n)}) |> map(s => s.most - s.last)",
      "own |> scan(0, (s, e) => if e.n > s then e.n else s - 1)",
      "own |> map(e => div(e.n, e.n - 2))",
      "own |> filter(e => e.x < 1.0) |> map(e => e.x / 3.0)",
    ]

    @Test(arguments: bodies, ["key: String", "key: Int"])
    func groupsDoWhatTheInterpreterDoes(_ body: String, _ key: String) throws {
      let source = """
        input es: Event<{\(key), n: Int, x: Float}>
        output o = es |> keyed(.key, (key, own) => \(body))

        """
      var random = Generator(state: 7)
      let texts = ["\"\"", "\"a\"", "\"key 17\"", "\"äöü\""]
      let keys = key.hasSuffix("String") ? texts : ["0", "-1", "9007199254740993"]
      let trace: [Line] = (0..<600).map { place in
        let n: Int = [0, 1, 2, 3, -5, 7, 1 << 40, .max, .min].randomElement(using: &random) ?? 0
        let x: Double = [0.0, -0.0, 0.5, 3, -1e308, 1e308].randomElement(using: &random) ?? 0
        let key = keys.randomElement(using: &random) ?? ""
        return (Double(place / 3), [("es", "{\"key\": \(key), \"n\": \(n), \"x\": \(x)}")])
      }
      try compare(source, trace)
    }

    /// Where a chunk ends, the interpreter goes on in the next.
    @Test func objectsAreMadeWhereThereIsRoom() throws {
      let source = """
        input es: Event<{key: Int, n: Int}>
        output o = es |> keyed(.key, (key, own) => own |> scan(0, (s, e) => s + e.n) |> map(s => {sum: s, key: key}))

        """
      let session = try #require(Session(source))
      session.reactor.turnsUntilNative = 0
      session.reactor.start()
      let heap = session.reactor.heap.state
      session.onChange = { _, _, _ in #expect(heap.pointee.top <= heap.pointee.end) }
      let type = session.plan.inputs[0].type
      for turn in 0..<200 {
        let value = try session.reactor.heap.construct(type, tag: 0, Word(int: turn % 3), Word(int: turn))
        heap.pointee.end = min(heap.pointee.end, heap.pointee.top + turn % 8)
        session.reactor.send(port: 0, value)
      }
      #expect(session.reactor.directInputs[0].alone != nil)
      #expect(session.lines.count == 200)
      #expect(session.lines.last == "0.0 o {\"key\":1,\"sum\":6700}")
    }

    /// Inputs of Ints whose code differs in nothing but where their values are.
    @Test func inputsThatDoTheSameShareTheirCode() throws {
      let count = 40
      let inputs = (0..<count).map { "input x\($0): Behavior<Int> = \($0)\n" }.joined()
      let terms = (0..<count).map { "x\($0)" }.joined(separator: ", ")
      // The first and the last have something of their own.
      let source = inputs + "output total = sum([\(terms)])\noutput own = x0 * 2\noutput most = max(x39, 3)\n"
      var random = Generator(state: 3)
      var trace: [Line] = []
      for turn in 0..<1600 {
        let value: Int = [0, 1, -1, 5, 1 << 20, 1 << 61, .max, .min].randomElement(using: &random) ?? 0
        trace.append((Double(turn), [("x\(turn % count)", "\(turn % 50 == 49 ? value : turn % 7)")]))
      }
      let interpreted = try run(source, trace, .interpreted).lines
      let native = try run(source, trace, .native, turnsUntilNative: 1_000)
      let functions = native.directs.dropFirst().dropLast().compactMap { $0.alone?.function }
      #expect(functions.count > 30)
      #expect(Set(functions.map { unsafeBitCast($0, to: UInt.self) }).count == 1)
      #expect(native.lines == interpreted)
      #expect(try run(source, trace, .lockstep, turnsUntilNative: 1_000).lines == interpreted)
    }
  }
#endif
