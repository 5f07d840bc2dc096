// Workloads of behaviors: W3 a diamond, W4 a thousand inputs summed, W5b one input shown a thousand times, W8 a grid, W16 a
// thousand lifts of ten kinds, W17 a thousand lifts of what seldom changes.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime

extension Workload {
  static var behaviors: [Workload] {
    [
      Workload(
        name: "W3", title: "diamond, one emission", events: 400_000, must: 100, goal: 45,
        program: { try Diamond() }, loop: { diamondLoop() }),
      Workload(
        name: "W3c", title: "the same, 1,000 at once", events: 400, counted: 20, units: 1000,
        program: { try FedProgram(diamond, .blocks, .lastInt) }, loop: { diamondLoop(block: 1000) }),
      Workload(
        name: "W4", title: "1,000 inputs summed, one set", events: 20_000, must: 400, goal: 150,
        program: { try FedProgram(summed(1000), .ints(1000), .lastInt) }, loop: { summedLoop(1000) }),
      Workload(
        name: "W5b", title: "1 input behavior, shown 1,000 times", events: 1_000,
        program: { try FedProgram(shown(1000), .one, .sumOfInts) }, loop: { fanLoop(1000) }),
      Workload(
        name: "W8", title: "grid of 100 x 10 cells", events: 2_000, must: 30_000, goal: 12_000,
        program: { try FedProgram(grid(layers: 100), .floats(10), .outputs) }, loop: { gridLoop(layers: 100) }),
      Workload(
        name: "W16", title: "1,000 lifts of ten kinds", events: 2_000,
        program: { try FedProgram(mixed(layers: 100), .one, .outputs) }, loop: { mixedLoop(layers: 100) }),
      Workload(
        name: "W17", title: "1,000 lifts of what seldom changes", events: 20_000,
        program: { try FedProgram(sparse(1000), .one, .outputs) }, loop: { sparseLoop(1000) }),
    ]
  }

  // MARK: W3

  /// Starts below 0, so that event 0 is a change like all others.
  static let diamond = """
    input x: Behavior<Int> = -1
    a = x * 2
    b = x + 1
    output c = a + b

    """

  static func diamondLoop(block: Int = 1) -> any Work {
    Loop(0) { last, events in
      for index in events.lowerBound * block..<events.upperBound * block {
        let x = opaque(index)
        last = opaque(x * 2) + opaque(x + 1)
      }
    } outcome: {
      Double($0)
    }
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

extension Workload {
  // MARK: W16

  static func mixed(layers: Int) -> String {
    var text = (0..<10).reduce("input x: Behavior<Int> = -1\n") { $0 + "c0_\($1) = x + \($1)\n" }
    for layer in 1...layers {
      for cell in 0..<10 {
        let (a, b) = ("c\(layer - 1)_\(cell)", "c\(layer - 1)_\((cell + 1) % 10)")
        let kinds = [
          "(\(a) + \(b)) % 1009", "(\(a) - \(b)) % 1013", "\(b) + \(a) * 3 % 997", "max(\(a), \(b)) - 1",
          "min(\(a), \(b)) + 2", "(\(a) + 7) * 2 % 1021", "if \(a) < \(b) then \(b) - \(a) else \(a)",
          "abs(\(a) - \(b))",
          "\(a) * \(b) % 991", "\(b) - \(a)",
        ]
        text += "c\(layer)_\(cell) = \(kinds[cell])\n"
      }
    }
    return (0..<10).reduce(text) { $0 + "output y\($1) = toFloat(c\(layers)_\($1))\n" }
  }

  static func mixedLoop(layers: Int) -> any Work {
    func remainder(_ a: Int, _ b: Int) -> Int { a % b < 0 ? a % b + b : a % b }
    return Loop([Int](repeating: 0, count: 11)) { c, events in
      for index in events {
        for cell in 0..<10 { c[cell] = opaque(index) + cell }
        for _ in 0..<layers {
          c[10] = c[0]
          c[0] = remainder(c[0] + c[1], 1009)
          c[1] = remainder(c[1] - c[2], 1013)
          c[2] = c[3] + remainder(c[2] * 3, 997)
          c[3] = max(c[3], c[4]) - 1
          c[4] = min(c[4], c[5]) + 2
          c[5] = remainder((c[5] + 7) * 2, 1021)
          c[6] = c[6] < c[7] ? c[7] - c[6] : c[6]
          c[7] = abs(c[7] - c[8])
          c[8] = remainder(c[8] * c[9], 991)
          c[9] = c[10] - c[9]
        }
      }
    } outcome: {
      Double($0.prefix(10).reduce(0, +))
    }
  }

  // MARK: W17

  /// One event in 500 changes what is shown.
  static func sparse(_ width: Int) -> String {
    (0..<width).reduce("input x: Behavior<Int> = -1\nlevel = x - x % 500\n") {
      $0 + "output y\($1) = toFloat(level * \($1))\n"
    }
  }

  static func sparseLoop(_ width: Int) -> any Work {
    Loop((level: -500, sum: 0.0)) { state, events in
      for index in events where index - index % 500 != state.level {
        state.level = index - index % 500
        state.sum = 0
        for place in 0..<width { state.sum += Double(opaque(state.level) * place) }
      }
    } outcome: {
      $0.sum
    }
  }
}

/// W3; besides the result, `c` must change exactly once an event.
private final class Diamond: ProgramWork {
  init() throws { try super.init(Workload.diamond, .lastInt) }

  override func take(_ count: Int) {
    let reactor = reactor
    for index in next..<next + count { reactor.send(port: 0, Word(int: index)) }
    next += count
  }

  override var result: Double { seen.pointee.count == next ? super.result : .nan }
}
