import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Testing

/// Chains of cheap definitions run as one code, and nobody can tell.
struct FusionTests {
  /// x, then `length` definitions each one more than the last, the end shown.
  func chain(_ length: Int, shownInside: Int? = nil) -> (CoreProgram, [NodeID]) {
    var w = CoreWriter()
    let start = w.int(0)
    let x = w.behavior(.inputBehavior(port: 0, start: start), .int)
    w.core.inputs = [CorePort(name: "x", type: .int, isEvent: false, node: x, span: .none)]
    var nodes = [x]
    for _ in 0..<length {
      let sum = w.prim(.add, .int, w.add(.read(nodes[nodes.count - 1]), .int), w.int(1))
      nodes.append(w.behavior(.lift(sum), .int))
    }
    for place in [shownInside, length].compactMap({ $0 }) {
      w.core.outputs.append(
        CorePort(name: "o\(place)", type: .int, isEvent: false, node: nodes[place], span: .none))
    }
    return (w.core, nodes)
  }

  @Test func onlyTheEndOfAChainRuns() throws {
    let (core, nodes) = chain(10)
    let plan = try Plan(core)
    #expect(nodes.filter { plan.isLive[$0.index] } == [nodes[0], nodes[10]])
    let reactor = Reactor(plan: plan)
    var shown: [Int] = []
    reactor.observer = { _, changes in for change in changes { shown.append(change.value.int) } }
    reactor.start()
    reactor.send([(port: 0, value: Word(int: 32))])
    #expect(shown == [10, 42])
  }

  @Test func longChainsAreCutAndShownDefinitionsStay() throws {
    let (core, nodes) = chain(500, shownInside: 250)
    let plan = try Plan(core)
    let running = nodes.filter { plan.isLive[$0.index] }.count
    #expect(running > 10 && running < 60)
    let reactor = Reactor(plan: plan)
    var shown: [Int] = []
    reactor.observer = { _, changes in for change in changes { shown.append(change.value.int) } }
    reactor.start()
    reactor.send([(port: 0, value: Word(int: 1))])
    #expect(shown == [250, 500, 251, 501])
  }

  /// x |> map(first) |> map(second) |> filter(keep) |> scan(0, +), the end shown.
  func events(_ optimisations: Optimisations) throws -> (Plan, shown: [Int], faults: Int) {
    var w = CoreWriter()
    let eventType = w.core.types.event(.int)
    let x = w.behavior(.inputEvent(port: 0), eventType)
    w.core.inputs = [CorePort(name: "x", type: .int, isEvent: true, node: x, span: .none)]
    let (a, readA) = w.local("a", .int)
    let inverse = w.behavior(.map(x, CoreLambda([a], w.prim(.div, .int, w.int(100), readA))), eventType)
    let (b, _) = w.local("b", .int)
    let one = w.behavior(.map(inverse, CoreLambda([b], w.int(1))), eventType)
    let (c, readC) = w.local("c", .int)
    let kept = w.behavior(.filter(one, CoreLambda([c], w.prim(.less, .bool, readC, w.int(2)))), eventType)
    let (s, readS) = w.local("s", .int)
    let (d, readD) = w.local("d", .int)
    let start = w.int(0)
    let sum = w.behavior(.scan(kept, start: start, CoreLambda([s, d], w.prim(.add, .int, readS, readD))), eventType)
    w.core.outputs = [CorePort(name: "sum", type: .int, isEvent: true, node: sum, span: .none)]
    let plan = try Plan(w.core, optimisations)
    let reactor = Reactor(plan: plan)
    var shown: [Int] = []
    reactor.observer = { _, changes in for change in changes { shown.append(change.value.int) } }
    reactor.start()
    for value in [5, 0, 7] { reactor.send(port: 0, Word(int: value)) }
    return (plan, shown, reactor.faultCount)
  }

  @Test func chainsOfEventsAreOneEntryAndStayStrict() throws {
    let fused = try events(.all)
    #expect(fused.0.templates[0].entries.count == 2)
    let plain = try events(.none)
    #expect(plain.0.templates[0].entries.count == 5)
    // Nobody looks at what the first function gives, but it is computed, and faults at 0.
    for run in [fused, plain] { #expect(run.shown == [1, 2] && run.faults == 1) }
  }

  /// Depth costs no stack, fused or not.
  @Test(arguments: [Optimisations.all, .none], [false, true])
  func chainsOfAHundredThousandAreRight(optimisations: Optimisations, ofEvents: Bool) throws {
    let length = 100_000
    var w = CoreWriter()
    let eventType = w.core.types.event(.int)
    let start = w.int(0)
    var last =
      ofEvents
      ? w.behavior(.inputEvent(port: 0), eventType) : w.behavior(.inputBehavior(port: 0, start: start), .int)
    w.core.inputs = [CorePort(name: "x", type: .int, isEvent: ofEvents, node: last, span: .none)]
    let one = w.int(1)
    for _ in 0..<length {
      if ofEvents {
        let (n, readN) = w.local("n", .int)
        last = w.behavior(.map(last, CoreLambda([n], w.prim(.add, .int, readN, one))), eventType)
      } else {
        last = w.behavior(.lift(w.prim(.add, .int, w.add(.read(last), .int), one)), .int)
      }
    }
    w.core.outputs = [CorePort(name: "last", type: .int, isEvent: ofEvents, node: last, span: .none)]
    let reactor = Reactor(plan: try Plan(w.core, optimisations))
    var shown: [Int] = []
    reactor.observer = { _, changes in for change in changes { shown.append(change.value.int) } }
    reactor.start()
    reactor.send(port: 0, Word(int: 5))
    #expect(shown == (ofEvents ? [length + 5] : [length, length + 5]))
    #expect(reactor.faultCount == 0)
  }
}
