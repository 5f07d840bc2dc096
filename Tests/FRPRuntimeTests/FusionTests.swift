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
    w.core.inputs = [CoreInput(name: "x", type: .int, isEvent: false, node: x, span: .none)]
    var nodes = [x]
    for _ in 0..<length {
      let sum = w.prim(.add, .int, w.add(.read(nodes[nodes.count - 1]), .int), w.int(1))
      nodes.append(w.behavior(.lift(sum), .int))
    }
    for place in [shownInside, length].compactMap({ $0 }) {
      w.core.outputs.append(
        CoreOutput(name: "o\(place)", type: .int, isEvent: false, node: nodes[place], span: .none))
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
}
