// Types of the layers below that an application meets: so that `import FRP` is enough.

@_exported import struct FRPBase.CheckLimits
@_exported import struct FRPBase.Diagnostic
@_exported import enum FRPBase.DiagnosticCode
@_exported import struct FRPBase.FileID
@_exported import struct FRPBase.Help
@_exported import struct FRPBase.Label
@_exported import struct FRPBase.LineColumn
@_exported import enum FRPBase.Severity
@_exported import struct FRPBase.SourceFile
@_exported import struct FRPBase.SourceMap
@_exported import struct FRPBase.Span
@_exported import class FRPRuntime.Interrupter
@_exported import struct FRPRuntime.Limits
import FRPBase
import FRPRuntime

extension Program {
  /// The errors and warnings as people read them, with the lines they point at.
  public var report: String { renderText(diagnostics, sources: sources) }

  /// One diagnostic of this program in words, with its places: a fault of a run of it, or one of `diagnostics`.
  public func report(on diagnostic: Diagnostic) -> String { renderText(diagnostic, sources: sources) }

  /// The same as a JSON object without a line break, as `frp check --json` has it: code, message, file, span, helps; of a
  /// fault also in which definition it was, and when.
  public func json(of diagnostic: Diagnostic) -> String { renderJSON(diagnostic, sources: sources) }
}

extension Simulation {
  /// What went wrong so far, in words, oldest first; at most a hundred are kept.
  public var faultMessages: [String] { faults.map(\.title) }

  /// What went wrong last, in words; empty if nothing has.
  package var lastFaultMessage: String { lastFault?.title ?? "" }

  /// Bytes of values and scopes in use, garbage included.
  public var usedBytes: Int { reactor.liveBytes }
}
