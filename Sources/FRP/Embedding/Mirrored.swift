// An output behavior as an observable Swift object, for user interfaces that follow the Observation framework.

import Observation

/// The present value of an output behavior, kept up to date for as long as somebody holds it:
/// `let total = try run.mirror(program.behavior("total", of: Int.self))`, then `total.value` in a view.
@Observable public final class Mirrored<Value: FrpConvertible> {
  /// As the output shows it; of a behavior that varies between instants: as it was when mirroring began.
  public fileprivate(set) var value: Value

  fileprivate init(_ value: Value) { self.value = value }
}

/// The same of a session, on the main actor: `let total = try await session.mirror(total)`, then `total.value` in a view.
@MainActor @Observable public final class SessionMirror<Value: FrpConvertible> {
  /// As the output shows it; of a behavior that varies between instants: as it was when mirroring began.
  public fileprivate(set) var value: Value

  fileprivate init(_ value: Value) { self.value = value }
  fileprivate func show(_ value: Value) { self.value = value }
}

extension Session {
  /// Follows an output behavior. The session does not keep the mirror alive. Throws `fault` if there is no value yet.
  public func mirror<Value>(_ output: BehaviorOutput<Value>) async throws(SimulationError) -> SessionMirror<Value> {
    let mirror = await SessionMirror(try value(of: output))
    observe(output, while: mirror) { mirror, shown in await mirror.show(shown.value) }
    return mirror
  }
}

extension Simulation {
  /// Follows an output behavior. The simulation does not keep the mirror alive. Throws `fault` if there is no value yet.
  public func mirror<Value>(_ output: BehaviorOutput<Value>) throws(SimulationError) -> Mirrored<Value> {
    let mirror = Mirrored(try value(of: output))
    observe(output, while: mirror) { $0.value = $1.value }
    return mirror
  }
}
