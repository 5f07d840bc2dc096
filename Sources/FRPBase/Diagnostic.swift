// What the compiler has to say, as data. `DiagnosticText.swift` and `DiagnosticJSON.swift` turn it into output.

/// How bad what a message says is.
public enum Severity: String, Sendable {
  /// The program cannot be run; of a fault: the instant was undone.
  case error
  /// It can.
  case warning
  /// It is only said.
  case note
}

/// A secondary place with its own short text ("`clicks` is declared as an Event here").
public struct Label: Sendable, Hashable {
  /// The place.
  public var span: Span
  /// What is said of it.
  public var text: String
  /// A place with its text.
  public init(_ span: Span, _ text: String) {
    self.span = span
    self.text = text
  }
}

/// A way out. `code` can be pasted; `edit` says where it would go when that is known.
public struct Help: Sendable, Hashable {
  /// A change of the text.
  public struct Edit: Sendable, Hashable {
    /// What it takes the place of.
    public var span: Span
    /// What stands there then.
    public var text: String
    /// Whether the edit may be applied without a person looking at it.
    public var isSafe: Bool
    /// A change of a place.
    public init(_ span: Span, _ text: String, isSafe: Bool = false) {
      self.span = span
      self.text = text
      self.isSafe = isSafe
    }
  }
  /// What stands in proposed code where only a person knows what belongs there.
  package static let blank = "…"
  /// What the code does, in a few words: "keep the last one".
  public var text: String
  /// Code that can be pasted.
  public var code: String?
  /// Where the code would go.
  public var edit: Edit?
  /// A way out.
  public init(_ text: String, code: String? = nil, edit: Edit? = nil) {
    self.text = text
    self.code = code
    self.edit = edit
  }
}

/// One message.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// Which message it is; stable.
  public var code: DiagnosticCode
  /// How bad it is.
  public var severity: Severity
  /// What is wrong, in the user's words, with the name involved. No full stop.
  public var reason: String
  /// Of a fault: the definition whose value was computed.
  public var definition: String?
  /// Of a fault: when, in seconds as people write them.
  public var moment: String?
  /// The smallest expression the user must look at.
  public var span: Span
  /// Short text beneath the primary span.
  public var label: String
  /// Other places that have to do with it.
  public var labels: [Label]
  /// What else there is to say, a sentence each.
  public var notes: [String]
  /// Ways out, the likeliest first.
  public var helps: [Help]

  /// A message; its severity is that of its code.
  public init(
    _ code: DiagnosticCode, _ title: String, at span: Span, label: String = "", labels: [Label] = [],
    notes: [String] = [], helps: [Help] = []
  ) {
    self.code = code
    severity = code.severity
    reason = title
    self.span = span
    self.label = label
    self.labels = labels
    self.notes = notes
    self.helps = helps
  }

  /// The reason, and of a fault in which definition, and when: `division by zero in `x`, at 2 s`.
  public var title: String {
    reason + (definition.map { " in `\($0)`" } ?? "") + (moment.map { ", at \($0) s" } ?? "")
  }

  /// One line, without the place: `error[R0101]: division by zero in `x`, at 2 s`.
  public var description: String { "\(severity.rawValue)[\(code)]: \(title)" }
}
