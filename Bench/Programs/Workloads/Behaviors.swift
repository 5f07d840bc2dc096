// Workloads of behaviors: W3 a diamond, W4 a thousand inputs summed, W5b one input shown a thousand times, W8 a grid.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime

extension Workload {
  static var behaviors: [Workload] {
    [
      Workload(
        name: "W3", title: "diamond, one emission", events: 400_000, must: 100, goal: 45,
        program: { try Diamond() },
        loop: {
          Loop(0) { last, events in
            for index in events {
              let x = opaque(index)
              last = opaque(x * 2) + opaque(x + 1)
            }
          } outcome: {
            Double($0)
          }
        }),
      Workload(
        name: "W4", title: "1,000 inputs summed, one set", events: 20_000, must: 400, goal: 150,
        program: { try FedProgram(summed(1000), .ints(1000), .lastInt) }, loop: { summedLoop(1000) }),
      Workload(
        name: "W5b", title: "1 input behavior, shown 1,000 times", events: 1_000,
        program: { try FedProgram(shown(1000), .one, .sumOfInts) }, loop: { fanLoop(1000) }),
      Workload(
        name: "W8", title: "grid of 100 x 10 cells", events: 2_000, must: 30_000, goal: 12_000,
        program: { try FedProgram(grid(layers: 100), .floats(10), .outputs) }, loop: { gridLoop(layers: 100) }),
    ]
  }

  // MARK: W4

  static func summed(_ width: Int) -> String {
    let inputs = (0..<width).map { "input x\($0): Behavior<Int> = 0\n" }
    return inputs.joined() + "output total = sum([\((0..<width).map { "x\($0)" }.joined(separator: ", "))])\n"
  }

  static func summedLoop(_ width: Int) -> any Work {
    struct Inputs {
      var values: [Int]
      var total = 0
    }
    return Loop(Inputs(values: [Int](repeating: 0, count: width))) { inputs, events in
      for index in events {
        inputs.values[index % width] = opaque(index)
        var total = 0
        for value in inputs.values { total += value }
        inputs.total = opaque(total)
      }
    } outcome: {
      Double($0.total)
    }
  }

  // MARK: W5b

  static func shown(_ width: Int) -> String {
    // Starts below 0, so that event 0 is a change like all others.
    (0..<width).reduce("input x: Behavior<Int> = -1\n") { $0 + "output y\($1) = x + \($1)\n" }
  }

  // MARK: W8

  static func grid(layers: Int) -> String {
    var text = (0..<10).reduce("") { $0 + "input c0_\($1): Behavior<Float> = 0.0\n" }
    for layer in 1...layers {
      for cell in 0..<10 {
        let before = [(cell + 9) % 10, cell, (cell + 1) % 10].map { "c\(layer - 1)_\($0)" }
        text += "\(layer == layers ? "output " : "")c\(layer)_\(cell) = \(before.joined(separator: " + "))\n"
      }
    }
    return text
  }

  static func gridLoop(layers: Int) -> any Work {
    let cells = [Double](repeating: 0, count: (layers + 1) * 10)
    return Loop(cells) { cells, events in
      cells.withUnsafeMutableBufferPointer { cells in
        for index in events {
          cells[index % 10] = Double(opaque(index % 1000))
          for layer in 1...layers {
            let below = (layer - 1) * 10
            for cell in 0..<10 {
              let sides = cells[below + (cell == 0 ? 9 : cell - 1)] + cells[below + cell]
              cells[below + 10 + cell] = sides + cells[below + (cell == 9 ? 0 : cell + 1)]
            }
          }
        }
      }
    } outcome: {
      $0.suffix(10).reduce(0, +)
    }
  }
}

/// W3; besides the result, `c` must change exactly once an event.
private final class Diamond: ProgramWork {
  init() throws {
    // Starts below 0, so that event 0 is a change like all others.
    try super.init(
      """
      input x: Behavior<Int> = -1
      a = x * 2
      b = x + 1
      output c = a + b

      """, .lastInt)
  }

  override func take(_ count: Int) {
    let reactor = reactor
    for index in next..<next + count { reactor.send(port: 0, Word(int: index)) }
    next += count
  }

  override var result: Double { seen.pointee.count == next ? super.result : .nan }
}
