import FRP
import Testing

/// Members of `each` that come and go, many at a time: who stays keeps what it remembers.
@Suite struct MemberTests {
  @Test func whoStaysRemembersHoweverManyGo() throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: """
          input items: Behavior<List<Int>> = []
          input tick: Event<Unit>
          output ages = each(items, x => x, x => tick |> count)
          """))
    let simulation = try Simulation(program)
    simulation.start()
    var state: UInt64 = 7
    func random(_ n: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % n
    }
    var ages: [Int: Int] = [:]
    for round in 0..<300 {
      var items = ages.keys.sorted().filter { _ in random(4) > 0 }
      while items.count < 40 + round % 30 {
        let new = Int(random(500)) - 250
        if !items.contains(new) { items.append(new) }
      }
      ages = Dictionary(uniqueKeysWithValues: items.map { ($0, ages[$0] ?? 0) })
      try simulation.set("items", to: "[\(items.map(String.init).joined(separator: ","))]")
      try simulation.send("null", to: "tick")
      for item in items { ages[item, default: 0] += 1 }
      let expected = "[\(items.map { "\(ages[$0] ?? -1)" }.joined(separator: ","))]"
      #expect(try simulation.value(of: "ages") == expected, "round \(round)")
    }
    #expect(simulation.faults.isEmpty)
  }
}
