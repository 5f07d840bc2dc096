// What a built-in or an operator costs at n and at ten times n: none of them may take more than n log n.
//
// In: a text of the language that takes n, or an event of n occurrences. Out: what running it at a size cost, in units that
// are the same on a busy machine as on an idle one: steps and words (here), or machine instructions (FRPBench --growth).

import FRP
import FRPBase
import FRPCore
import FRPRuntime

public struct CostRow: Sendable {
  public var name: String
  /// Of what is reactive an expression of `e`, an event of n Ints, with `WIDTH` for n; else of `n`, or of an event `go` of one n.
  public var text: String
  public var isReactive: Bool
  /// The smaller of both sizes.
  public var size: Int

  public init(name: String, text: String, isReactive: Bool, size: Int = 500) {
    self.name = name
    self.text = text
    self.isReactive = isReactive
    self.size = size
  }

  /// Ten times as much of what is linear costs 10 times as much, of n log n about 13 times, of a square 100 times.
  public static let most = 25.0

  /// A run of a row, compiled and started.
  public struct Run {
    private let row: CostRow
    private let count: Int
    private let simulation: Simulation
    private let limits: Limits
    public private(set) var steps = 0
    public private(set) var words = 0

    /// Throws where the row does not compile.
    public init(_ row: CostRow, _ count: Int) throws {
      self.row = row
      self.count = count
      var limits = Limits()
      limits.heapBytes = 1 << 40
      self.limits = limits
      simulation = try Simulation(Program(Source(name: "cost.frp", text: row.source(count))), limits: limits)
      // What is allocated is counted, so nothing is given back.
      let heap = simulation.reactor.heap
      heap.collectAlways = false
      heap.collectInside = false
      heap.threshold = 1 << 40
      // In a debug build they look at all that is alive.
      simulation.reactor.checksInvariants = false
      simulation.start()
      simulation.reactor.observer = nil
    }

    /// Sends what the row is about; the first fault, if there is one.
    public mutating func take() -> String? {
      let reactor = simulation.reactor
      if row.isReactive {
        for number in 1...count {
          advance(to: Int64(number) * 1_000_000)
          let before = begin()
          reactor.send(port: 0, Word(int: number))
          note(since: before)
        }
        advance(to: 3 * 3600 * 1_000_000_000)
      } else {
        let before = begin()
        reactor.send(port: 0, Word(int: count))
        note(since: before)
      }
      return simulation.faults.first?.title
    }

    /// Instant by instant, since steps are granted anew for each.
    private mutating func advance(to time: Int64) {
      let reactor = simulation.reactor
      var isMore = true
      while isMore {
        let before = begin()
        isMore = reactor.advanceOnce(to: time)
        note(since: before)
      }
    }

    private func begin() -> Int {
      simulation.reactor.machine.stepsLeft = limits.stepsPerInstant
      return simulation.reactor.heap.usedBytes
    }

    private mutating func note(since before: Int) {
      steps += limits.stepsPerInstant - simulation.reactor.machine.stepsLeft
      words += (simulation.reactor.heap.usedBytes - before) / 8
    }
  }

  private func source(_ count: Int) -> String {
    let input = isReactive ? "input e: Event<Int>\n" : "input go: Event<Int>\n"
    let text = text.replacing("WIDTH", with: "\(count)")
    let isWhole = isReactive || text.contains("go |>")
    return input + "output r = " + (isWhole ? text : "go |> map(n => \(text))") + "\n"
  }
}
