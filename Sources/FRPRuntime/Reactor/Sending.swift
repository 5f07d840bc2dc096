// What hosts send, looked at first: whether there is such a port, of that type, and whether the run goes on. And many
// occurrences at once, which are instants one after the other.

import FRPCore

/// What became of something that a host has sent.
public enum Reception: Sendable {
  /// It has happened.
  case taken
  /// There is no such port.
  case noPort
  /// The port has another type, or is of another kind.
  case otherType
  /// The run has not started, or is over.
  case notNow
  /// Its instant faulted, and was undone.
  case faulted
}

extension Reactor {
  /// The type of the values of an input that there is.
  public func type(ofInput port: Int) -> TypeID { inputs[port].type }

  /// The type of the values of an output that there is.
  public func type(ofOutput port: Int) -> TypeID { outputs[port].type }

  /// Whether values of a type, or of the input's own, can be sent to an input now.
  @inline(__always)
  public func maySend(_ port: Int, as type: TypeID?) -> Reception {
    if port < 0 || port >= inputCount { return .noPort }
    if let type, inputs[port].type != type { return .otherType }
    return isOver || !hasStarted ? .notNow : .taken
  }

  /// Whether an output behavior of a type, or of any, can be read now.
  public func mayRead(_ port: Int, as type: TypeID?) -> Reception {
    if port < 0 || port >= outputCount { return .noPort }
    if outputs[port].isEvent || (type != nil && outputs[port].type != type) { return .otherType }
    return hasStarted ? .taken : .notNow
  }

  /// `send` of a value of a type that the port may not have.
  public func send(port: Int, _ value: Word, as type: TypeID) -> Reception {
    let reception = maySend(port, as: type)
    if reception != .taken { return reception }
    let before = faultCount
    send(port: port, value)
    return faultCount == before ? .taken : .faulted
  }

  /// Many values for one input at the present time, one after the other: each has an instant of its own, and all that it
  /// causes happens before the next. Ends with the first whose instant faults, or where the run is over; `taken` is how
  /// many have happened before that. The values are no references. Inside a callback they become part of the next
  /// micro-step together, as if each had been sent there.
  public func send(port: Int, many values: UnsafeBufferPointer<Word>, as type: TypeID, taken: inout Int) -> Reception {
    taken = 0
    let reception = maySend(port, as: type)
    if reception != .taken { return reception }
    let before = faultCount
    while true {
      let straight = runDirect(port, many: UnsafeBufferPointer(rebasing: values[taken...]))
      taken += straight
      if straight > 0, hasCaused {
        while runCaused() {}
        if faultCount != before {
          // What the last of them has caused, as if it had been sent by itself.
          taken -= 1
          return .faulted
        }
      }
      if taken == values.count { return .taken }
      if isOver { return .notNow }
      send(port: port, values[taken])
      if faultCount != before { return .faulted }
      taken += 1
    }
  }
}
