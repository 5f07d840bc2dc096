// The page of one diagnostic code. The message on a page is not stored: it is what the compiler says about the wrong
// program now. A test holds that every code has a page, that its wrong program gives the code, and that both ways out
// are free of errors.

import FRPBase

/// What people read about one kind of diagnostic: a wrong program, why it is wrong, and ways out.
public struct ExplainPage: Sendable, Hashable {
  /// A way out: what one does, and the program after it.
  public struct WayOut: Sendable, Hashable {
    /// What one does.
    public let text: String
    /// The program after it; it has no errors.
    public let program: String
    init(_ text: String, _ program: String) {
      self.text = text
      self.program = program
    }
  }

  /// The diagnostic's code: `E0301`.
  public let code: DiagnosticCode
  /// What is wrong, in a few words.
  public let title: String
  /// A program that is wrong in this way.
  public let wrong: String
  /// Why that is an error.
  public let why: String
  /// What can be done instead.
  public let waysOut: [WayOut]
  /// Input for run-time codes, as JSON lines of a trace.
  public let trace: String
  /// Whether `wrong` only describes the mistake: it is too large to show, or needs other files or a host.
  public let isSketch: Bool

  init(
    _ code: DiagnosticCode, _ title: String, isSketch: Bool = false, wrong: String, trace: String = "", why: String,
    _ waysOut: WayOut...
  ) {
    self.code = code
    self.title = title
    self.wrong = wrong
    self.trace = trace
    self.isSketch = isSketch
    self.why = why
    self.waysOut = waysOut
  }

  /// The pages of all codes, by subject.
  public static let all: [ExplainPage] = syntax + names + types + time + data + faults

  /// The page of a code, in whatever case it is typed.
  public static func find(_ code: String) -> ExplainPage? {
    DiagnosticCode(rawValue: code.uppercased()).flatMap(find)
  }

  /// The page of a code.
  public static func find(_ code: DiagnosticCode) -> ExplainPage? {
    all.first { $0.code == code }
  }
}

extension Diagnostic {
  /// What there is to read about this kind of diagnostic.
  public var explanation: ExplainPage? { ExplainPage.find(code) }
}
