// W13: an Int through the C library to map, filter and fold, and the result back, beside the bare engine. The functions of
// frp.h are called from here as C would call them. W14 and W14c send 1,000 Ints at a time, from Swift and from C, with the
// result read after each thousand.

import FRP
import FRPC
import FRPRuntime

extension Workload {
  static var cSends: [Workload] {
    [
      Workload(
        name: "W13", title: "an Int by frp_send_int and back, beside the bare engine", events: 400_000,
        program: { try CProgram() }, loop: { bare { try BareProgram() } }),
      Workload(
        name: "W14", title: "Ints by send(many:), beside the bare engine", events: 400, counted: 20, units: 1000,
        program: { try BlockProgram() }, loop: { bare { try BareProgram(block: 1000) } }),
      Workload(
        name: "W14c", title: "Ints by frp_send_ints, beside the bare engine", events: 400, counted: 20, units: 1000,
        program: { try CBlockProgram() }, loop: { bare { try BareProgram(block: 1000) } }),
    ]
  }
}

/// A run of the C library with one input and one output.
class CProgram: Work {
  final var run: UInt64 = 0
  final var next = 0
  final var sum = 0
  private var program: UInt64 = 0

  init(_ text: String = Workload.counted) throws {
    let bytes = Array(text.utf8)
    let isOpen =
      FRPC.compile(nil, 0, bytes, bytes.count, &program) == 0
      && FRPC.open(program, nil, 0, 0, &run) == 0 && FRPC.start(run) == 0
    if !isOpen { throw BenchFailure(message: "the C library does not open the program") }
  }

  deinit {
    _ = FRPC.release(run)
    _ = FRPC.release(program)
  }

  func take(_ count: Int) {
    for index in next..<next + count {
      var total: Int64 = 0
      if FRPC.sendInt(run, 0, Int64(index)) != 0 || FRPC.readInt(run, 0, &total) != 0 { sum = -1 }
      sum &+= Int(total)
    }
    next += count
  }

  var result: Double { Double(sum) }
}

/// The same with a thousand Ints an event.
private final class CBlockProgram: CProgram {
  private var block = [Int64](repeating: 0, count: 1000)

  override func take(_ count: Int) {
    for index in next..<next + count {
      for place in block.indices { block[place] = Int64(index * 1000 + place) }
      var (total, taken): (Int64, Int) = (0, 0)
      if FRPC.sendInts(run, 0, block, block.count, &taken) != 0 || FRPC.readInt(run, 0, &total) != 0 { sum = -1 }
      sum &+= Int(total)
    }
    next += count
  }
}

private final class BlockProgram: Work {
  private let simulation: Simulation
  private let n: EventInput<Int>
  private let total: BehaviorOutput<Int>
  private var block = [Int](repeating: 0, count: 1000)
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
    for index in next..<next + count {
      for place in block.indices { block[place] = index * 1000 + place }
      do {
        try simulation.send(many: block, to: n)
        sum &+= try simulation.value(of: total)
      } catch { sum = -1 }
    }
    next += count
  }

  var result: Double { Double(sum) }
}

/// Sends one record as JSON text and reads it back as JSON text.
final class CTextProgram: CProgram {
  private let text = Array(Reading.text.utf8)
  private var buffer = [UInt8](repeating: 0, count: 200)

  init() throws { try super.init(Workload.records) }

  override func take(_ count: Int) {
    for _ in 0..<count {
      var needed = 0
      if FRPC.sendJSON(run, 0, text, text.count) != 0 || FRPC.readJSON(run, 1, &buffer, buffer.count, &needed) != 0 {
        sum = -1
      }
      sum &+= needed
    }
  }
}
