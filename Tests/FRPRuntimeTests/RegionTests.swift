import FRPBase
import FRPCore
import FRPGraph
import Testing

@testable import FRPRuntime

/// Which inputs have regions, and where these can be passed over. What they show is the law "what runs straight through".
struct RegionTests {
  /// x, `level` = x / 10, 20 lifts of that, all shown; and its `changes`, where `isWatched`.
  private func reactor(_ optimisations: Optimisations = .all, isWatched: Bool = false) throws -> Reactor {
    var w = CoreWriter()
    let x = w.behavior(.inputBehavior(port: 0, start: w.int(0)), .int)
    w.core.inputs = [CorePort(name: "x", type: .int, isEvent: false, node: x, span: .none)]
    let level = w.behavior(.lift(w.prim(.div, .int, w.add(.read(x), .int), w.int(10))), .int)
    for place in 0..<20 {
      let read = w.add(.read(level), .int)
      let node = w.behavior(.lift(w.prim(.add, .int, read, w.int(place))), .int)
      w.core.outputs.append(CorePort(name: "y\(place)", type: .int, isEvent: false, node: node, span: .none))
    }
    if isWatched {
      let node = w.behavior(.changes(level), w.core.types.event(.int))
      w.core.outputs.append(CorePort(name: "z", type: .int, isEvent: true, node: node, span: .none))
    }
    return Reactor(plan: try Plan(w.core, optimisations))
  }

  private func shown(_ reactor: Reactor, _ values: [Int]) -> [[Int]] {
    var shown: [[Int]] = []
    reactor.observer = { _, changes in shown.append(changes.map(\.value.int)) }
    for value in values { reactor.send(port: 0, Word(int: value)) }
    reactor.observer = nil
    return shown
  }

  @Test func whatSeldomChangesIsOneTest() throws {
    let reactor = try reactor()
    reactor.start()
    #expect(reactor.directInputs[0].region == nil)
    #expect(shown(reactor, [3, 25, 27, 9]) == [Array(2..<22), Array(0..<20)])
    let region = try #require(reactor.directInputs[0].region)
    #expect(region.pointee.itemCount == 21 && region.pointee.outputCount == 20)
    let stretches = (0..<region.pointee.stretchCount).map { region.pointee.stretches[$0] }
    #expect(stretches.map(\.count) == [1, 20])
    #expect(stretches[0].gate < 0 && stretches[1].gate == region.pointee.items[0] >> 1)
  }

  @Test func whatHasAnotherOperatorHasNoRegion() throws {
    let reactor = try reactor(isWatched: true)
    reactor.start()
    #expect(shown(reactor, [25, 70]) == [Array(2..<22) + [2], Array(7..<27) + [7]])
    #expect(reactor.directInputs[0].region == nil && reactor.directInputs[0].work == .none)
  }

  /// Where nearly every instant must be run the long way, that is done at once.
  @Test func whatOftenFaultsHasNoRegionAnyMore() throws {
    var w = CoreWriter()
    let type = w.core.types.event(.int)
    let x = w.behavior(.inputEvent(port: 0), type)
    w.core.inputs = [CorePort(name: "x", type: .int, isEvent: true, node: x, span: .none)]
    for (place, prim) in [Prim.add, .div].enumerated() {
      let (n, read) = w.local("n\(place)", .int)
      let node = w.behavior(.map(x, CoreLambda([n], w.prim(prim, .int, w.int(100), read))), type)
      w.core.outputs.append(CorePort(name: "y\(place)", type: .int, isEvent: true, node: node, span: .none))
    }
    let reactor = Reactor(plan: try Plan(w.core))
    reactor.start()
    #expect(shown(reactor, Array(repeating: 0, count: 200) + [5]) == [[105, 20]])
    #expect(reactor.directInputs[0].work == .region && reactor.faultCount == 200)
    #expect(shown(reactor, Array(repeating: 0, count: 200) + [4]) == [[104, 25]])
    #expect(reactor.directInputs[0].work == .none && reactor.faultCount == 400)
  }
}
