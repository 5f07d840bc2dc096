// W12: an Int through a typed handle to map, filter and fold, and the result back, as an embedder writes it. What stands
// in the place of the loop is the bare engine doing the same, so the ratio is what handles cost. W12b reads the result
// by observing it. W12c and W12d send and read a record as a Codable type, beside the same as JSON text; W15 does both with
// JSON text through the C library, beside Swift.

import FRP
import FRPGraph
import FRPRuntime

extension Workload {
  static var handles: [Workload] {
    [
      Workload(
        name: "W12", title: "typed handles, beside the bare engine", events: 400_000,
        program: { try TypedProgram() }, loop: { bare { try BareProgram() } }),
      Workload(
        name: "W12b", title: "observed handles, beside the observed engine", events: 400_000,
        program: { try ObservedProgram() }, loop: { bare(BareObservedProgram.init) }),
      Workload(
        name: "W12c", title: "a Codable record sent, beside JSON text", events: 40_000,
        program: { try RecordSender(asText: false) }, loop: { bare { try RecordSender(asText: true) } }),
      Workload(
        name: "W12d", title: "a Codable record read, beside JSON text", events: 40_000,
        program: { try RecordReader(asText: false) }, loop: { bare { try RecordReader(asText: true) } }),
      Workload(
        name: "W15", title: "a JSON record by frp_send_json and back, beside the same in Swift", events: 40_000,
        program: { try CTextProgram() }, loop: { bare { try TextProgram() } }),
    ]
  }

  static let counted = """
    input n: Event<Int>
    output total = n |> map(x => x * 3) |> filter(x => x % 2 == 0) |> fold(0, (sum, x) => (sum + x) % 1000003)

    """

  static let records = """
    input r: Event<{id: Int, name: String, ok: Bool, x: Float, y: Float}>
    output sum = r |> fold(0, (sum, p) => sum + p.id)
    output last = r |> hold({id: 0, name: "none", ok: false, x: 0.0, y: 0.0})

    """

  /// A program that does not compile agrees with no other.
  static func bare(_ make: () throws -> any Work) -> any Work {
    do { return try make() } catch { return Loop(0, { _, _ in }, outcome: { _ in .nan }) }
  }
}

private final class TypedProgram: Work {
  private let simulation: Simulation
  private let n: EventInput<Int>
  private let total: BehaviorOutput<Int>
  private var next = 0
  private var sum = 0

  init() throws {
    let program = Program(Source(name: "bench", text: Workload.counted))
    n = try program.eventInput("n")
    total = try program.behavior("total")
    simulation = try Simulation(program)
    simulation.start()
  }

  func take(_ count: Int) {
    do {
      for index in next..<next + count {
        try simulation.send(index, to: n)
        sum &+= try simulation.value(of: total)
      }
    } catch {
      sum = -1
    }
    next += count
  }

  var result: Double { Double(sum) }
}

final class BareProgram: Work {
  private let simulation: Simulation
  private let reactor: Reactor
  private let block: Int
  private var next = 0
  private var sum = 0

  /// `block` values are sent before each that is read.
  init(block: Int = 1) throws {
    self.block = block
    simulation = try Simulation(Program(Source(name: "bench", text: Workload.counted)))
    reactor = simulation.reactor
    simulation.start()
  }

  func take(_ count: Int) {
    for index in next..<next + count {
      for place in 0..<block { reactor.send(port: 0, Word(int: index * block + place)) }
      if case .success(let word) = reactor.value(of: 0) { sum &+= word.int }
    }
    next += count
  }

  var result: Double { Double(sum) }
}

/// What observers add up: behind a pointer, so that adding costs the same in both.
private final class Sum {
  let total: UnsafeMutablePointer<Int>

  init() {
    total = .allocate(capacity: 1)
    total.initialize(to: 0)
  }

  deinit { total.deallocate() }
}

private final class ObservedProgram: Work {
  private let simulation: Simulation
  private let n: EventInput<Int>
  private let sum = Sum()
  private var next = 0

  init() throws {
    let program = Program(Source(name: "bench", text: Workload.counted))
    n = try program.eventInput("n")
    simulation = try Simulation(program)
    simulation.start()
    let total = sum.total
    simulation.observe(try program.behavior("total", of: Int.self)) { total.pointee &+= $0.value }
  }

  func take(_ count: Int) {
    do {
      for index in next..<next + count { try simulation.send(index, to: n) }
    } catch {
      sum.total.pointee = -1
    }
    next += count
  }

  var result: Double { Double(sum.total.pointee) }
}

private final class BareObservedProgram: Work {
  private let reactor: Reactor
  private let simulation: Simulation
  private let sum = Sum()
  private var next = 0

  init() throws {
    simulation = try Simulation(Program(Source(name: "bench", text: Workload.counted)))
    reactor = simulation.reactor
    simulation.start()
    let total = sum.total
    reactor.observer = { _, changes in for change in changes { total.pointee &+= change.value.int } }
  }

  func take(_ count: Int) {
    for index in next..<next + count { reactor.send(port: 0, Word(int: index)) }
    next += count
  }

  var result: Double { Double(sum.total.pointee) }
}

struct Reading: FrpCodable {
  var id = 3
  var name = "engine room"
  var ok = true
  var x = 1.5
  var y = -2.25

  static let text = #"{"id":3,"name":"engine room","ok":true,"x":1.5,"y":-2.25}"#
}

/// Sends one record over and over, as a Swift value or as text.
private final class RecordSender: Work {
  private let simulation: Simulation
  private let input: EventInput<Reading>
  private let sum: BehaviorOutput<Int>
  private let asText: Bool

  init(asText: Bool) throws {
    let program = Program(Source(name: "bench", text: Workload.records))
    input = try program.eventInput("r")
    sum = try program.behavior("sum")
    simulation = try Simulation(program)
    self.asText = asText
    simulation.start()
  }

  func take(_ count: Int) {
    let reading = Reading()
    for _ in 0..<count {
      if asText { try? simulation.send(Reading.text, to: "r") } else { try? simulation.send(reading, to: input) }
    }
  }

  var result: Double { (try? simulation.value(of: sum)).map(Double.init) ?? .nan }
}

/// Reads one record over and over, as a Swift value or as text.
private final class RecordReader: Work {
  private let simulation: Simulation
  private let last: BehaviorOutput<Reading>
  private let asText: Bool
  private var right = 0

  init(asText: Bool) throws {
    let program = Program(Source(name: "bench", text: Workload.records))
    last = try program.behavior("last")
    simulation = try Simulation(program)
    self.asText = asText
    simulation.start()
    try simulation.send(Reading.text, to: "r")
  }

  func take(_ count: Int) {
    for _ in 0..<count {
      let isRight =
        asText
        ? (try? simulation.value(of: "last"))?.utf8.count == Reading.text.utf8.count
        : (try? simulation.value(of: last))?.id == 3
      if isRight { right += 1 }
    }
  }

  var result: Double { Double(right) }
}

/// Sends one record as JSON text and reads it back as JSON text.
private final class TextProgram: Work {
  private let simulation: Simulation
  private var size = 0

  init() throws {
    simulation = try Simulation(Program(Source(name: "bench", text: Workload.records)))
    simulation.start()
  }

  func take(_ count: Int) {
    for _ in 0..<count {
      try? simulation.send(Reading.text, to: "r")
      size += (try? simulation.value(of: "last"))?.utf8.count ?? 0
    }
  }

  var result: Double { Double(size) }
}
