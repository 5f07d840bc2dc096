import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Testing

/// A sum that is kept up to date by what has changed is the sum of all, faults included.
struct SumTests {
  /// Inputs of one type, and their sum: of a list, or with `+`.
  func sum(_ width: Int, _ type: TypeID, chain: Bool) -> CoreProgram {
    var w = CoreWriter()
    let nodes = (0..<width).map { port in
      let start = type == .int ? w.int(0) : w.float(0)
      return w.behavior(.inputBehavior(port: port, start: start), type)
    }
    w.core.inputs = nodes.map { CorePort(name: "x\($0.index)", type: type, isEvent: false, node: $0, span: .none) }
    let terms = nodes.map { w.add(.read($0), type) }
    let list = w.core.types.list(type)
    let total =
      chain
      ? terms.dropFirst().reduce(terms[0]) { w.prim(.add, type, $0, $1) }
      : w.prim(.listSum, type, w.add(.list(terms, spreads: terms.map { _ in false }), list))
    let node = w.behavior(.lift(total), type)
    w.core.outputs = [CorePort(name: "total", type: type, isEvent: false, node: node, span: .none)]
    return w.core
  }

  /// What a run shows: values, and "fault" where an instant was undone.
  func run(_ plan: Plan, _ instants: [[(port: Int, value: Word)]]) -> [String] {
    let reactor = Reactor(plan: plan)
    var shown: [String] = []
    reactor.observer = { _, changes in for change in changes { shown.append("\(change.value)") } }
    reactor.faultObserver = { shown.append("fault: \($0.fault)") }
    reactor.start()
    for instant in instants { reactor.send(instant) }
    return shown
  }

  /// Mostly one input an instant, sometimes many; sometimes numbers near the ends of the range.
  func instants(_ count: Int, _ width: Int, _ word: (inout Dice) -> Word) -> [[(port: Int, value: Word)]] {
    var random = Dice(state: 42)
    return (0..<count).map { _ in
      let size = random.below(10) == 0 ? random.below(3 * width) + 1 : random.below(3) + 1
      return (0..<size).map { _ in (port: random.below(width), value: word(&random)) }
    }
  }

  @Test(arguments: [false, true])
  func sumsOfIntsAgreeAndFaultAlike(chain: Bool) throws {
    let core = sum(12, .int, chain: chain)
    let fast = try Plan(core, .all)
    #expect(fast.templates[0].entries.contains { $0.kind == .sum })
    let script = instants(3_000, 12) { random in
      let small = Word(int: random.below(2_001) - 1_000)
      switch random.below(24) {
      case 0: return Word(int: Int.max - random.below(2_000))
      case 1: return Word(int: Int.min + random.below(2_000))
      default: return small
      }
    }
    let wanted = run(try Plan(core, .none), script)
    #expect(run(fast, script) == wanted)
    #expect(wanted.contains { $0.hasPrefix("fault") } && wanted.contains { !$0.hasPrefix("fault") })
  }

  @Test(arguments: [false, true])
  func sumsOfFloatsKeepTheirOrder(chain: Bool) throws {
    let core = sum(12, .float, chain: chain)
    let script = instants(3_000, 12) { random in
      let value = Double(random.below(2_001) - 1_000) / 7
      switch random.below(24) {
      case 0: return Word(float: value * 1e16)
      case 1: return Word(float: -0.0)
      case 2: return Word(float: random.below(2) == 0 ? 1.7e308 : -1.7e308)
      default: return Word(float: value)
      }
    }
    let wanted = run(try Plan(core, .none), script)
    #expect(run(try Plan(core, .all), script) == wanted)
    #expect(wanted.contains { $0.hasPrefix("fault") })
  }
}

/// Dice64.
struct Dice {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
