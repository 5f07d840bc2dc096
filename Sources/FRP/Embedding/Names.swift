// Types of the layers below that an application meets: so that `import FRP` is enough.

@_exported import struct FRPBase.CheckLimits
@_exported import struct FRPBase.Diagnostic
@_exported import struct FRPBase.FileID
@_exported import struct FRPBase.Help
@_exported import struct FRPBase.Label
@_exported import struct FRPBase.LineColumn
@_exported import enum FRPBase.Severity
@_exported import struct FRPBase.SourceFile
@_exported import struct FRPBase.SourceMap
@_exported import struct FRPBase.Span
@_exported import struct FRPRuntime.Limits
import FRPBase
import FRPRuntime

extension Program {
  /// The errors and warnings as people read them, with the lines they point at.
  public var report: String { renderText(diagnostics, sources: sources) }
}

extension Simulation {
  /// What went wrong so far, in words, oldest first; at most a hundred are kept.
  public var faultMessages: [String] { faults.map(\.title) }

  /// What went wrong last, in words; empty if nothing has.
  package var lastFaultMessage: String { lastFault?.title ?? "" }

  /// Bytes of values and scopes in use, garbage included.
  public var usedBytes: Int { reactor.liveBytes }
}
