// Sending to and reading from a simulation by typed handles, and watching its outputs.
//
// Int, Double and Bool cross as the machine word they are; a String is copied once; everything else goes by `FrpValue`.

import FRPCore
import FRPGraph
import FRPRuntime

/// A value with the moment at which it came.
public struct TimedValue<Value: Sendable>: Sendable {
  /// The value.
  public var value: Value
  /// Seconds since the start.
  public var time: Double

  /// A value with its moment, in seconds.
  public init(_ value: Value, at time: Double) {
    self.value = value
    self.time = time
  }
}

extension TimedValue: Equatable where Value: Equatable {}
extension TimedValue: Hashable where Value: Hashable {}

/// What outputs have shown during a stretch of work: see `Simulation.changes(during:)`.
public struct Changes: Sendable {
  var shown: [String: [TimedValue<FrpValue>]] = [:]

  /// Whether nothing was shown.
  public var isEmpty: Bool { shown.isEmpty }

  /// The occurrences of an output event, oldest first.
  public func occurrences<Value>(of output: EventOutput<Value>) -> [TimedValue<Value>] { values(output.port.name) }

  /// The values that an output behavior got, oldest first.
  public func values<Value>(of output: BehaviorOutput<Value>) -> [TimedValue<Value>] { values(output.port.name) }

  /// Whether an output behavior got another value.
  public func changed<Value>(_ output: BehaviorOutput<Value>) -> Bool { shown[output.port.name] != nil }

  private func values<Value: FrpConvertible>(_ name: String) -> [TimedValue<Value>] {
    (shown[name] ?? []).compactMap { item in
      (try? Value(frpValue: item.value)).map { TimedValue($0, at: item.time) }
    }
  }
}

extension Simulation {
  // MARK: Inputs

  /// One occurrence of an input event at the present time. Throws `fault` if the instant faulted (it is undone), and
  /// `unfit` for a value that is no value of the port's type.
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == Bool)
  @_specialize(where Value == FrpUnit)
  @_specialize(where Value == String)
  public func send<Value>(_ value: Value, to input: EventInput<Value>) throws(SimulationError) {
    try send(value, port: input.port, isEvent: true)
  }

  /// One occurrence of an input event of `()`.
  public func send(to input: EventInput<FrpUnit>) throws(SimulationError) { try send(FrpUnit(), to: input) }

  /// A new value of an input behavior at the present time. Throws as `send` does.
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == Bool)
  @_specialize(where Value == String)
  public func set<Value>(_ input: BehaviorInput<Value>, to value: Value) throws(SimulationError) {
    try send(value, port: input.port, isEvent: false)
  }

  @inline(__always)
  private func send<Value: FrpConvertible>(_ value: Value, port: PortHandle, isEvent: Bool) throws(SimulationError) {
    let wiring = wiring
    var index = port.index
    var type = port.type
    if port.program != wiring.pointee.program {
      (index, type) = try rebound(port, isInput: true, isEvent, Value.frpType)
    }
    var unfit: ConversionFailure?
    let isFine = wiring.pointee.reactor._withUnsafeGuaranteedRef { reactor in
      if reactor.isOver || !reactor.hasStarted { return false }
      return wiring.pointee.bridge._withUnsafeGuaranteedRef { bridge in
        // What a collection must not find half made: nothing runs between here and the instant.
        if reactor.hasCaused { settle() }
        do throws(ConversionFailure) {
          let word = try value._word(bridge, type)
          if wiring.pointee.isLogging {
            if !takesInputs { return true }
            log(index, word)
          }
          let before = reactor.faultCount
          reactor.send(port: index, word)
          return reactor.faultCount == before
        } catch {
          unfit = error
          return false
        }
      }
    }
    if !isFine { throw failure(unfit) }
  }

  /// Why sending went wrong.
  @inline(never)
  func failure(_ problem: ConversionFailure?) -> SimulationError {
    if let problem { return .unfit(problem) }
    if let whyNotNow { return whyNotNow }
    return lastFault.map(SimulationError.fault) ?? .notBetweenInstants
  }

  /// Lets these happen together, in one instant: `send(together: [clicks.sending(1), level.setting(to: 0.5)])`. Throws as
  /// `send` does; nothing happens if one of them cannot be sent.
  public func send(together values: [SentValue]) throws(SimulationError) {
    if let whyNotNow { throw whyNotNow }
    settle()
    var list: [(port: Int, value: Word)] = []
    for value in values {
      var (index, type) = (value.port.index, value.port.type)
      if value.port.program != wiring.pointee.program {
        (index, type) = try rebound(value.port, isInput: true, value.isEvent, value.type)
      }
      do throws(ConversionFailure) {
        list.append((index, try value.word(bridge, type)))
      } catch {
        throw .unfit(column: 1, path: error.path, message: "`\(value.port.name)`: \(error.message)")
      }
    }
    if !takesInputs { return }
    log(list)
    let before = reactor.faultCount
    reactor.send(list)
    if reactor.faultCount != before { throw failure(nil) }
  }

  // MARK: Outputs

  /// The present value of an output behavior. Throws `fault` if it has none.
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == Bool)
  @_specialize(where Value == String)
  public func value<Value>(of output: BehaviorOutput<Value>) throws(SimulationError) -> Value {
    let wiring = wiring
    let (word, type) = try word(of: output.port, Value.self)
    do {
      return try wiring.pointee.bridge._withUnsafeGuaranteedRef { try Value._value(word, $0, type) }
    } catch {
      throw failure(error as? ConversionFailure)
    }
  }

  /// The present value as the machine has it, and its type.
  @inline(__always)
  private func word<Value: FrpConvertible>(of port: PortHandle, _: Value.Type) throws(SimulationError)
    -> (Word, ValueBridge.ValueType)
  {
    var index = port.index
    var type = port.type
    if port.program != wiring.pointee.program {
      (index, type) = try rebound(port, isInput: false, false, Value.frpType)
    }
    switch wiring.pointee.reactor._withUnsafeGuaranteedRef({ $0.value(of: index) }) {
    case .success(let word): return (word, type)
    case .failure(let fault): throw failure(fault)
    }
  }

  @inline(never)
  private func failure(_ fault: Fault) -> SimulationError {
    .fault(
      program.diagnostic(of: reactor.faultOfLook(fault)))
  }

  /// Where a port is in the program that runs.
  @inline(__always)
  func place(of port: PortHandle, isInput: Bool, isEvent: Bool, _ type: @autoclosure () -> FrpType)
    throws(SimulationError) -> (index: Int, type: ValueBridge.ValueType)
  {
    if port.program == wiring.pointee.program { return (port.index, port.type) }
    return try rebound(port, isInput: isInput, isEvent, type())
  }

  /// After a program was replaced: the port of the same name.
  @inline(never)
  private func rebound(_ port: PortHandle, isInput: Bool, _ isEvent: Bool, _ type: FrpType) throws(SimulationError)
    -> (index: Int, type: ValueBridge.ValueType)
  {
    let index = isInput ? try input(port.name) : try output(port.name)
    let id = isInput ? plan.inputs[index].type : plan.outputs[index].type
    let found = isInput ? plan.inputs[index].isEvent : plan.outputs[index].isEvent
    if let difference = type.difference(plan.core.types, id, isSent: isInput) { throw .unfit(difference) }
    if found != isEvent { throw .unfit(column: 1, path: "", message: "`\(port.name)` is of another kind") }
    return (index, ValueBridge.ValueType(id: id))
  }

  // MARK: Watching

  /// Calls `body` for every occurrence of an output event, until the observation is cancelled. `body` may send: that
  /// becomes the next micro-step. The simulation holds `body`, and nothing holds the simulation.
  @discardableResult
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == Bool)
  @_specialize(where Value == String)
  public func observe<Value>(_ output: EventOutput<Value>, _ body: @escaping (TimedValue<Value>) -> Void)
    -> OutputObservation
  {
    watch(output.port, isEvent: true, OutputObservation(), body)
  }

  /// Calls `body` for every new value of an output behavior that does not vary between instants; what it is now is
  /// `value(of:)`.
  @discardableResult
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == Bool)
  @_specialize(where Value == String)
  public func observe<Value>(_ output: BehaviorOutput<Value>, _ body: @escaping (TimedValue<Value>) -> Void)
    -> OutputObservation
  {
    watch(output.port, isEvent: false, OutputObservation(), body)
  }

  /// The same for as long as `owner` lives, which is handed to `body`: no cycle of references can come from it.
  @discardableResult
  public func observe<Value, Owner: AnyObject>(
    _ output: EventOutput<Value>, while owner: Owner, _ body: @escaping (Owner, TimedValue<Value>) -> Void
  ) -> OutputObservation { watch(output.port, isEvent: true, while: owner, body) }

  /// The same for as long as `owner` lives, which is handed to `body`: no cycle of references can come from it.
  @discardableResult
  public func observe<Value, Owner: AnyObject>(
    _ output: BehaviorOutput<Value>, while owner: Owner, _ body: @escaping (Owner, TimedValue<Value>) -> Void
  ) -> OutputObservation { watch(output.port, isEvent: false, while: owner, body) }

  @inline(__always)
  private func watch<Value: FrpConvertible, Owner: AnyObject>(
    _ port: PortHandle, isEvent: Bool, while owner: Owner, _ body: @escaping (Owner, TimedValue<Value>) -> Void
  ) -> OutputObservation {
    watch(port, isEvent: isEvent, OutputObservation(owner: owner)) { [weak owner] (value: TimedValue<Value>) in
      if let owner { body(owner, value) }
    }
  }

  @inline(__always)
  private func watch<Value: FrpConvertible>(
    _ port: PortHandle, isEvent: Bool, _ observation: OutputObservation,
    _ body: @escaping (TimedValue<Value>) -> Void
  ) -> OutputObservation {
    let watcher = Watcher(port, isEvent: isEvent, Value.frpType, observation) { word, bridge, type, time in
      if let value = try? Value._value(word, bridge, type) { body(TimedValue(value, at: time)) }
    }
    watchers.pointee.add(watcher)
    return observation
  }

  /// Keeps what an output shows for `changes(during:)`.
  @inline(never)
  func collect(_ change: OutputChange, _ time: Double) {
    let output = plan.outputs[change.output]
    if let value = try? bridge.value(change.value, output.type) {
      collected?.shown[output.name, default: []].append(TimedValue(value, at: time))
    }
  }

  /// What all outputs show while `body` runs: `changes { $0.advance(by: 1) }`. Continuous behaviors show nothing by
  /// themselves. If `body` throws, what was shown until then is lost.
  public func changes<Failure: Error>(during body: (Simulation) throws(Failure) -> Void) throws(Failure) -> Changes {
    let outer = collected
    collected = Changes()
    wiring.pointee.isCollecting = true
    defer {
      collected = outer
      wiring.pointee.isCollecting = outer != nil
    }
    try body(self)
    return collected ?? Changes()
  }
}
