// Many occurrences of one input, one after the other, in one call.
//
// Rules
// - The same as to send each: each has an instant of its own, observers are told after each, and what it causes happens
//   before the next.
// - Ends with the first that fails, as a loop of `try send` would, and says how many have happened before it.
// - What is a word of the machine (Int, Double, Bool, `()`) goes in blocks; anything else is made when its turn comes,
//   since what the heap holds may move between instants.

import FRPCore
import FRPRuntime

/// Why not all of many values were sent.
public struct SendingManyFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// How many have happened before the one that failed: its place among the values.
  public var taken: Int
  /// What the one that failed would have thrown by itself.
  public var error: SimulationError

  /// A failure of the value at place `taken`.
  public init(taken: Int, error: SimulationError) {
    self.taken = taken
    self.error = error
  }

  /// The error's sentence, with the place.
  public var description: String { "value \(taken + 1): \(error.message)" }
}

extension Simulation {
  /// Occurrences of an input event at the present time, in this order, each in an instant of its own: the same as to send
  /// each by itself, in less time. Throws what the first that fails throws, with its place; those after it are not sent.
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == Bool)
  public func send<Value>(many values: [Value], to input: EventInput<Value>) throws(SendingManyFailure) {
    let (index, type): (Int, ValueBridge.ValueType)
    do throws(SimulationError) {
      (index, type) = try place(of: input.port, isInput: true, isEvent: true, Value.frpType)
    } catch { throw SendingManyFailure(taken: 0, error: error) }
    if wiring.pointee.isLogging || bridge.isReference(type) { return try sendEach(values, input) }
    // What waits already happens before the first, as it does where that is sent by itself.
    if withReactor({ $0.hasCaused }) { settle() }
    var taken = 0
    var problem: SimulationError?
    withUnsafeTemporaryAllocation(of: Word.self, capacity: Self.blockLength) { block in
      while taken < values.count, problem == nil { problem = send(block, of: values, index, type, &taken) }
    }
    if let problem { throw SendingManyFailure(taken: taken, error: problem) }
  }

  /// How many words go to the engine at once: as many as lie on the stack.
  private static var blockLength: Int { 128 }

  /// Sends the next block of values; what was wrong with the first of them that failed.
  @inline(__always)
  private func send<Value: FrpConvertible>(
    _ block: UnsafeMutableBufferPointer<Word>, of values: [Value], _ port: Int, _ type: ValueBridge.ValueType,
    _ taken: inout Int
  ) -> SimulationError? {
    let count = min(block.count, values.count - taken)
    var made = 0
    var unfit: ConversionFailure?
    wiring.pointee.bridge._withUnsafeGuaranteedRef { bridge in
      do throws(ConversionFailure) {
        while made < count {
          block[made] = try values[taken + made]._word(bridge, type)
          made += 1
        }
      } catch { unfit = error }
    }
    var sent = 0
    let reception = withReactor {
      $0.send(port: port, many: UnsafeBufferPointer(rebasing: block[..<made]), as: type.id, taken: &sent)
    }
    taken += sent
    if reception != .taken { return failure(nil) }
    return unfit.map(SimulationError.unfit)
  }

  /// The same one by one.
  private func sendEach<Value>(_ values: [Value], _ input: EventInput<Value>) throws(SendingManyFailure) {
    for (place, value) in values.enumerated() {
      do throws(SimulationError) {
        try send(value, to: input)
      } catch { throw SendingManyFailure(taken: place, error: error) }
    }
  }
}

extension Session {
  /// Occurrences of an input event, now, in this order, each in an instant of its own. Waits before the first of them while
  /// a consumer holds the program back; throws as `Simulation.send(many:to:)` does.
  public func send<Value>(many values: [Value], to input: EventInput<Value>) async throws(SendingManyFailure) {
    var failure: SendingManyFailure?
    do throws(SimulationError) {
      try await take { (simulation) throws(SimulationError) in
        do throws(SendingManyFailure) {
          try simulation.send(many: values, to: input)
        } catch { failure = error }
      }
    } catch { throw SendingManyFailure(taken: 0, error: error) }
    if let failure { throw failure }
  }
}
