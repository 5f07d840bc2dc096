// Types of the layers below that an application meets: so that `import FRP` is enough.

import FRPBase
import FRPRuntime

/// What a run may use; every field says what it counts. Meeting a limit undoes the instant, and the run goes on.
public typealias Limits = FRPRuntime.Limits

/// An error, a warning or a fault, with its place: data until somebody prints it.
public typealias Diagnostic = FRPBase.Diagnostic

extension Program {
  /// The errors and warnings as people read them, with the lines they point at.
  public var report: String { renderText(diagnostics, sources: sources) }
}

extension Simulation {
  /// What went wrong so far, in words, oldest first; at most a hundred are kept.
  public var faultMessages: [String] { faults.map(\.title) }

  /// Bytes of values and scopes in use, garbage included.
  public var usedBytes: Int { reactor.liveBytes }
}
