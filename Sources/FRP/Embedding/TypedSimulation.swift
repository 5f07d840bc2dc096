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

/// An observation under way: it lasts until it is cancelled, or its owner is gone, or the simulation is.
public final class OutputObservation {
  var isCancelled = false
  /// Ends it. Inside the callback: from the next occurrence on.
  public func cancel() { isCancelled = true }
}

/// Somebody who watches an output.
struct Watcher {
  let observation: OutputObservation
  let receive: (Word, Double) -> Void
}

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
  public func send<Value>(_ value: Value, to input: EventInput<Value>) throws(SimulationError) {
    try send(value, port: input.port, isEvent: true)
  }

  /// One occurrence of an input event of `()`.
  public func send(to input: EventInput<FrpUnit>) throws(SimulationError) { try send(FrpUnit(), to: input) }

  /// A new value of an input behavior at the present time. Throws as `send` does.
  public func set<Value>(_ input: BehaviorInput<Value>, to value: Value) throws(SimulationError) {
    try send(value, port: input.port, isEvent: false)
  }

  private func send<Value: FrpConvertible>(_ value: Value, port: PortHandle, isEvent: Bool) throws(SimulationError) {
    let handle = port.program == program.id ? port : try rebound(port, isInput: true, isEvent, Value.frpType)
    let word: Word
    // What a collection must not find half made: nothing runs between here and the instant.
    settle()
    do throws(ConversionFailure) {
      word = try value._word(bridge, handle.type)
    } catch {
      throw .unfit(column: 1, path: error.path, message: "expected \(error.expected), found \(error.found)")
    }
    if inputLog != nil { log(handle.index, word) }
    let before = reactor.faultCount
    reactor.send(port: handle.index, word)
    if reactor.faultCount != before, let lastFault { throw .fault(lastFault) }
  }

  // MARK: Outputs

  /// The present value of an output behavior. Throws `fault` if it has none.
  public func value<Value>(of output: BehaviorOutput<Value>) throws(SimulationError) -> Value {
    let port = output.port
    let handle = port.program == program.id ? port : try rebound(port, isInput: false, false, Value.frpType)
    switch reactor.value(of: handle.index) {
    case .success(let word):
      do throws(ConversionFailure) {
        return try Value._value(word, bridge, handle.type)
      } catch {
        throw .unfit(column: 1, path: error.path, message: "expected \(error.expected), found \(error.found)")
      }
    case .failure(let fault):
      let placed = ReactorFault(
        fault: fault, definition: reactor.definition(of: fault), moment: reactor.now, isAtStart: false)
      throw .fault(program.diagnostic(of: placed))
    }
  }

  /// After a program was replaced: the port of the same name.
  private func rebound(_ port: PortHandle, isInput: Bool, _ isEvent: Bool, _ type: FrpType) throws(SimulationError)
    -> PortHandle
  {
    let index = isInput ? try input(port.name) : try output(port.name)
    let id = isInput ? plan.inputs[index].type : plan.outputs[index].type
    let found = isInput ? plan.inputs[index].isEvent : plan.outputs[index].isEvent
    if let difference = type.difference(plan.core.types, id, isSent: isInput) {
      throw .unfit(
        column: 1, path: difference.path, message: "expected \(difference.expected), found \(difference.found)")
    }
    if found != isEvent { throw .unfit(column: 1, path: "", message: "`\(port.name)` is of another kind") }
    return PortHandle(name: port.name, index: index, type: ValueBridge.ValueType(id: id), program: program.id)
  }

  // MARK: Watching

  /// Calls `body` for every occurrence of an output event, until the observation is cancelled. `body` may send: that
  /// becomes the next micro-step. The simulation holds `body`, and nothing holds the simulation.
  @discardableResult
  public func observe<Value>(_ output: EventOutput<Value>, _ body: @escaping (TimedValue<Value>) -> Void)
    -> OutputObservation
  {
    watch(output.port, body)
  }

  /// Calls `body` for every new value of an output behavior that does not vary between instants; what it is now is
  /// `value(of:)`.
  @discardableResult
  public func observe<Value>(_ output: BehaviorOutput<Value>, _ body: @escaping (TimedValue<Value>) -> Void)
    -> OutputObservation
  {
    watch(output.port, body)
  }

  /// The same for as long as `owner` lives, which is handed to `body`: no cycle of references can come from it.
  @discardableResult
  public func observe<Value, Owner: AnyObject>(
    _ output: EventOutput<Value>, while owner: Owner, _ body: @escaping (Owner, TimedValue<Value>) -> Void
  ) -> OutputObservation { watch(output.port, while: owner, body) }

  /// The same for as long as `owner` lives, which is handed to `body`: no cycle of references can come from it.
  @discardableResult
  public func observe<Value, Owner: AnyObject>(
    _ output: BehaviorOutput<Value>, while owner: Owner, _ body: @escaping (Owner, TimedValue<Value>) -> Void
  ) -> OutputObservation { watch(output.port, while: owner, body) }

  private func watch<Value: FrpConvertible, Owner: AnyObject>(
    _ port: PortHandle, while owner: Owner, _ body: @escaping (Owner, TimedValue<Value>) -> Void
  ) -> OutputObservation {
    let observation = OutputObservation()
    add(port.name, observation) { [weak owner] (value: TimedValue<Value>) in
      if let owner { body(owner, value) } else { observation.cancel() }
    }
    return observation
  }

  private func watch<Value: FrpConvertible>(_ port: PortHandle, _ body: @escaping (TimedValue<Value>) -> Void)
    -> OutputObservation
  {
    let observation = OutputObservation()
    add(port.name, observation, body)
    return observation
  }

  private func add<Value: FrpConvertible>(
    _ name: String, _ observation: OutputObservation, _ body: @escaping (TimedValue<Value>) -> Void
  ) {
    let receive: (Word, Double) -> Void = { [unowned self] word, time in
      guard let output = plan.outputs.first(where: { $0.name == name }) else { return }
      let type = ValueBridge.ValueType(id: output.type)
      if let value = try? Value._value(word, bridge, type) { body(TimedValue(value, at: time)) }
    }
    watchers[name, default: []].append(Watcher(observation: observation, receive: receive))
    hasWatchers = true
  }

  func tellWatchers(_ output: Int, _ word: Word, _ time: Double) {
    let name = plan.outputs[output].name
    if collected != nil, let value = try? bridge.value(word, plan.outputs[output].type) {
      collected?.shown[name, default: []].append(TimedValue(value, at: time))
    }
    guard let list = watchers[name] else { return }
    for watcher in list where !watcher.observation.isCancelled { watcher.receive(word, time) }
    if list.contains(where: \.observation.isCancelled) {
      watchers[name]?.removeAll { $0.observation.isCancelled }
    }
  }

  /// What all outputs show while `body` runs: `changes { $0.advance(by: 1) }`. Continuous behaviors show nothing by
  /// themselves. If `body` throws, what was shown until then is lost.
  public func changes<Failure: Error>(during body: (Simulation) throws(Failure) -> Void) throws(Failure) -> Changes {
    let outer = collected
    let before = hasWatchers
    collected = Changes()
    hasWatchers = true
    defer {
      collected = outer
      hasWatchers = before || !watchers.isEmpty
    }
    try body(self)
    return collected ?? Changes()
  }
}
