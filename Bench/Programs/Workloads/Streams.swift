// Workloads of events: W1 a short chain, W2 a long one, W5 one input with a thousand outputs, W6 switching to new inner
// streams, W7 groups by key.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime

extension Workload {
  static var streams: [Workload] {
    [
      Workload(
        name: "W1", title: "map, filter, map, scan", events: 400_000, must: 60, goal: 25,
        program: { try FedProgram(chain, .one, .lastInt) }, loop: { chainLoop() }),
      Workload(
        name: "W1c", title: "the same, 1,000 at once", events: 400, counted: 20, units: 1000,
        program: { try FedProgram(chain, .blocks, .lastInt) }, loop: { chainLoop(block: 1000) }),
      Workload(
        name: "W1b", title: "the same through typed ports", events: 400_000,
        program: { try TypedProgram(chain) }, loop: { chainLoop() }),
      Workload(
        name: "W2", title: "1,000 maps in a chain", events: 5_000, must: 15_000, goal: 1_800,
        program: { try FedProgram(longChain(1000), .one, .lastInt) }, loop: { longChainLoop(1000) }),
      Workload(
        name: "W5", title: "1 input, 1,000 observed maps", events: 1_000, must: 35_000, goal: 15_000,
        program: { try FedProgram(fan(1000), .one, .sumOfInts) }, loop: { fanLoop(1000) }),
      Workload(
        name: "W6", title: "switch to a new inner stream of two", events: 50_000, must: 250, goal: 60,
        program: { try FedProgram(switching, .one, .sumOfInts) },
        loop: {
          Loop(0) { sum, events in
            for index in events { sum += 2 * opaque(index) + 1 }
          } outcome: {
            Double($0)
          }
        }),
      Workload(
        name: "W7", title: "1,000 string keys, running sums", events: 100_000, counted: 40_000, must: 120, goal: 60,
        program: { try KeyedProgram() }, loop: { keyedLoop() }),
    ]
  }

  // MARK: W1

  static let chain = """
    input x: Event<Int>
    output total = x |> map(n => n + 1) |> filter(n => n % 2 == 0) |> map(n => n * 3) |> scan(0, (sum, n) => sum + n)

    """

  static func chainLoop(block: Int = 1) -> any Work {
    Loop(0) { total, events in
      for index in events.lowerBound * block..<events.upperBound * block {
        let next = opaque(index) + 1
        if next % 2 == 0 { total += next * 3 }
      }
    } outcome: {
      Double($0)
    }
  }

  // MARK: W2

  static func longChain(_ length: Int) -> String {
    var text = "input x0: Event<Int>\n"
    for index in 1..<length { text += "x\(index) = x\(index - 1) |> map(n => n + 1)\n" }
    return text + "output last = x\(length - 1) |> map(n => n + 1)\n"
  }

  static func longChainLoop(_ length: Int) -> any Work {
    Loop(0) { last, events in
      for index in events {
        var value = index
        for _ in 0..<length { value = opaque(value) + 1 }
        last = value
      }
    } outcome: {
      Double($0)
    }
  }

  // MARK: W5

  static func fan(_ width: Int) -> String {
    (0..<width).reduce("input x: Event<Int>\n") { $0 + "output y\($1) = x |> map(n => n + \($1))\n" }
  }

  static func fanLoop(_ width: Int) -> any Work {
    Loop(0.0) { total, events in
      for index in events {
        var sum = 0
        for place in 0..<width { sum += opaque(index + place) }
        total += Double(sum)
      }
    } outcome: {
      $0
    }
  }

  // MARK: W6

  /// What a scope makes starts after the occurrence that made it: the inner stream's two values come in the next
  /// micro-step.
  static let switching = """
    input x: Event<Int>
    output inner = x |> flatMapLatest(v => {
      now = after(0s)
      merge(now |> map(_ => v), now |> map(_ => v + 1))
    })

    """

  // MARK: W7

  static let keys = (0..<1000).map { "key\($0)" }

  static func keyedLoop() -> any Work {
    struct Groups {
      var sums: [String: Double] = [:]
      var total = 0.0
    }
    let keys = keys
    return Loop(Groups()) { groups, events in
      for index in events {
        let key = keys[index &* 7919 % 1000]
        let sum = groups.sums[key, default: 0] + Double(index % 100) * 0.5
        groups.sums[key] = sum
        groups.total += sum
      }
    } outcome: {
      $0.total
    }
  }
}

/// W1 as an embedder writes it: typed handles, and an observation.
private final class TypedProgram: Work {
  private let simulation: Simulation
  private let input: EventInput<Int>
  private let last: UnsafeMutablePointer<Int>
  private var next = 0

  init(_ text: String) throws {
    let program = Program(Source(name: "bench", text: text))
    simulation = try Simulation(program)
    input = try program.eventInput("x", of: Int.self)
    last = .allocate(capacity: 1)
    last.initialize(to: 0)
    simulation.start()
    let last = last
    simulation.observe(try program.events("total", of: Int.self)) { last.pointee = $0.value }
  }

  deinit { last.deallocate() }

  func take(_ count: Int) {
    for index in next..<next + count {
      do throws(SimulationError) { try simulation.send(index, to: input) } catch { last.pointee = -1 }
    }
    next += count
  }

  var result: Double { Double(last.pointee) }
}

/// W7: a record of a key and a number for each event; both are made for the event, as a decoder would.
private final class KeyedProgram: ProgramWork {
  private let bytes: [UInt8]
  private let ends: [Int]

  init() throws {
    bytes = Workload.keys.flatMap { Array($0.utf8) }
    ends = Workload.keys.reduce(into: []) { ends, key in ends.append((ends.last ?? 0) + key.utf8.count) }
    try super.init(
      """
      input entries: Event<{key: String, value: Float}>
      output sums = entries
        |> keyed(.key, (key, own) => own |> scan(0.0, (sum, e) => sum + e.value) |> map(sum => (key, sum)))

      """, .sumOfSeconds)
  }

  override func take(_ count: Int) {
    let heap = reactor.heap
    let type = reactor.plan.inputs[0].type
    bytes.withUnsafeBufferPointer { bytes in
      ends.withUnsafeBufferPointer { ends in
        for index in next..<next + count {
          let key = index &* 7919 % 1000
          let text = Bytes(rebasing: bytes[(key == 0 ? 0 : ends[key - 1])..<ends[key]])
          do throws(Fault) {
            let value = Word(float: Double(index % 100) * 0.5)
            reactor.send(port: 0, try heap.construct(type, tag: 0, try heap.string(text), value))
          } catch { seen.pointee.sum = .nan }
        }
      }
    }
    next += count
  }
}
