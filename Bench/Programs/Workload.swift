// What is measured: a program of the language that takes events, and a loop written by hand that does the same work.
//
// In:  a number of events. Out: a result from each of the two, which must be equal. Events are numbered from 0 and never
// start again, warm-up included, so the result depends on every one of them.

import CMeasure
import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// Something that takes numbered events.
protocol Work: AnyObject {
  /// Takes the next events.
  func take(_ count: Int)
  /// What all events so far have made.
  var result: Double { get }
}

/// One row of the table.
struct Workload {
  /// W1 to W9 as published in the benchmarks' page; a letter marks a variant.
  var name: String
  var title: String
  /// Events of a timed block.
  var events: Int
  /// Events of a block whose instructions are counted; nil for a hundredth. Many where the heap is collected in between.
  var counted: Int?
  /// What one event counts for: 1000 where it stands for a thousand samples.
  var units = 1
  /// Nanoseconds an event that must be reached, and that are the goal.
  var must: Double?
  var goal: Double?
  /// How far the two results may be apart, relatively.
  var tolerance = 0.0
  var program: () throws -> any Work
  var loop: () -> any Work

  /// Events before the first that counts: as many as there are inputs, keys and growing tables to be filled, and until
  /// the heap has been collected for the first time.
  var warmUp: Int { max(2000 / units, events / 2) }

  static var all: [Workload] { (streams + behaviors + samples + handles + cSends).sorted { $0.name < $1.name } }

  /// Those that `names` mentions; all without names. A variant belongs to its workload.
  static func named(_ names: [String]) -> [Workload] {
    names.isEmpty ? all : all.filter { work in names.contains { work.name == $0 } }
  }
}

/// A program of the bench does not compile, or faults: a mistake of the bench or of the language's implementation.
struct BenchFailure: Error {
  var message: String
}

/// What an observer has seen of a program's outputs.
struct Seen {
  var last: Word = 0
  var sum = 0.0
  var count = 0
}

/// How a program is fed.
enum Feed {
  /// Event i is the Int i at the only input.
  case one
  /// Event i is the next thousand Ints at the only input, all at once.
  case blocks
  /// Event i is the Int i at input i % n.
  case ints(Int)
  /// Event i is the Float i % 1000 at input i % n.
  case floats(Int)
}

/// What an observer keeps.
enum Keep {
  case lastInt, lastFloat, sumOfInts
  /// Of pairs.
  case sumOfSeconds
  /// The sum of what the outputs hold at the end.
  case outputs
}

/// A program that runs, with an observer at its outputs.
class ProgramWork: Work {
  let simulation: Simulation
  let reactor: Reactor
  let seen: UnsafeMutablePointer<Seen>
  let keep: Keep
  var next = 0

  init(_ text: String, _ keep: Keep) throws {
    let program = Program(Source(name: "bench", text: text))
    if let problem = program.diagnostics.first(where: { $0.severity == .error }) {
      throw BenchFailure(message: "a program of the bench does not compile: \(problem.title)")
    }
    simulation = try Simulation(program)
    reactor = simulation.reactor
    self.keep = keep
    seen = .allocate(capacity: 1)
    seen.initialize(to: Seen())
    simulation.start()
    observe()
    reactor.faultObserver = { [seen] _ in seen.pointee.sum = .nan }
  }

  deinit { seen.deallocate() }

  private func observe() {
    let seen = seen
    switch keep {
    case .lastInt, .lastFloat, .outputs:
      reactor.observer = { _, changes in
        seen.pointee.count += changes.count
        seen.pointee.last = changes[changes.count - 1].value
      }
    case .sumOfInts:
      reactor.observer = { _, changes in
        var sum = 0
        for change in changes { sum += change.value.int }
        seen.pointee.count += changes.count
        seen.pointee.sum += Double(sum)
      }
    case .sumOfSeconds:
      reactor.observer = { _, changes in
        seen.pointee.count += changes.count
        for change in changes { seen.pointee.sum += change.value.field(1).float }
      }
    }
  }

  func take(_ count: Int) { preconditionFailure("each kind of work says how it is fed") }

  var result: Double {
    if reactor.faultCount > 0 { return .nan }
    switch keep {
    case .lastInt: return Double(seen.pointee.last.int)
    case .lastFloat: return seen.pointee.last.float
    case .sumOfInts, .sumOfSeconds: return seen.pointee.sum
    case .outputs:
      return reactor.plan.outputs.indices.reduce(0.0) { sum, output in
        guard case .success(let word) = reactor.value(of: output) else { return .nan }
        return sum + word.float
      }
    }
  }
}

/// A program fed with numbers.
final class FedProgram: ProgramWork {
  private let feed: Feed
  private var block = [Word](repeating: 0, count: 1000)

  init(_ text: String, _ feed: Feed, _ keep: Keep) throws {
    self.feed = feed
    try super.init(text, keep)
  }

  override func take(_ count: Int) {
    let reactor = reactor
    switch feed {
    case .one:
      for index in next..<next + count { reactor.send(port: 0, Word(int: index)) }
    case .blocks:
      for index in next..<next + count {
        block.withUnsafeMutableBufferPointer { block in
          for place in block.indices { block[place] = Word(int: index * block.count + place) }
          var taken = 0
          _ = reactor.send(port: 0, many: UnsafeBufferPointer(block), as: .int, taken: &taken)
        }
      }
    case .ints(let inputs):
      for index in next..<next + count { reactor.send(port: index % inputs, Word(int: index)) }
    case .floats(let inputs):
      for index in next..<next + count { reactor.send(port: index % inputs, Word(float: Double(index % 1000))) }
    }
    next += count
  }
}

/// A loop over numbered events, around a body that the optimiser cannot look through.
final class Loop<State>: Work {
  private var state: State
  private let body: (inout State, Range<Int>) -> Void
  private let outcome: (State) -> Double
  private var next = 0

  init(_ state: State, _ body: @escaping (inout State, Range<Int>) -> Void, outcome: @escaping (State) -> Double) {
    self.state = state
    self.body = body
    self.outcome = outcome
  }

  func take(_ count: Int) {
    body(&state, next..<next + count)
    next += count
  }

  var result: Double { outcome(state) }
}

/// A number that the optimiser knows nothing about.
@inline(__always)
func opaque(_ value: Int) -> Int { Int(cm_opaque(Int64(value))) }
