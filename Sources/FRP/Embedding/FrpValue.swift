// Values and types of the language as Swift sees them, free of any simulation.
//
// Most programs never meet them: typed handles (Handles.swift) convert Swift types by themselves. They are what is left
// where a type is known only at run time, and what conformances of one's own are written with.

import FRPBase

import FRPRuntime

/// A value of the language.
public enum FrpValue: Sendable, Hashable {
  /// `()`.
  case unit
  /// A Bool.
  case bool(Bool)
  /// An Int.
  case integer(Int)
  /// A Float, finite.
  case number(Double)
  /// A String.
  case text(String)
  /// A list, or a tuple.
  case list([FrpValue])
  /// A record, by the names of its fields.
  case record([String: FrpValue])
  /// A map, its keys in their order.
  case map([Entry])
  /// A variant: `Some`, `Ok`, or one of the program's own, with its fields in order.
  case tagged(String, [FrpValue])

  /// A key of a map with its value.
  public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: FrpValue
    /// What the map has for it.
    public var value: FrpValue
    /// A key with its value.
    public init(_ key: FrpValue, _ value: FrpValue) {
      self.key = key
      self.value = value
    }
  }

  /// What it is, for messages: `an Int`.
  var kind: String {
    switch self {
    case .unit: "()"
    case .bool: "a Bool"
    case .integer: "an Int"
    case .number: "a Float"
    case .text: "a String"
    case .list: "a list"
    case .record: "a record"
    case .map: "a map"
    case .tagged(let name, _): name
    }
  }
}

/// What a Swift type is in the language; compared with the type of a port when a handle is made.
public indirect enum FrpType: Sendable, Hashable {
  /// `()`, `Bool`, `Int`, `Float`, `String`.
  case unit, bool, integer, number, text
  /// A list of such elements.
  case list(FrpType)
  /// A map from such keys to such values.
  case map(FrpType, FrpType)
  /// A tuple of these.
  case tuple([FrpType])
  /// The fields that are needed; the program's record may have more if only read.
  case record([String: FrpType])
  /// A record of at least these fields: what is known of a Codable type that cannot be probed to its end.
  case partial([String: FrpType])
  /// `None`, or `Some` of this.
  case option(FrpType)
  /// `Ok` of the first, or `Err` of the second.
  case result(FrpType, FrpType)
  /// A Codable enum, or another type that only values show: asked with an example of each case that the program has.
  case coded(CodedCases)
  /// Decided value by value.
  case any

  /// As a program writes it; `_` for what is decided value by value.
  public var text: String {
    switch self {
    case .unit: "()"
    case .bool: "Bool"
    case .integer: "Int"
    case .number: "Float"
    case .text: "String"
    case .list(let element): "List<\(element.text)>"
    case .map(let key, let value): "Map<\(key.text), \(value.text)>"
    case .tuple(let elements): "(\(elements.map(\.text).joined(separator: ", ")))"
    case .record(let fields):
      "{\(fields.sorted { $0.key < $1.key }.map { "\(fieldText($0.key)): \($0.value.text)" }.joined(separator: ", "))}"
    case .partial(let fields):
      "{\(fields.sorted { $0.key < $1.key }.map { "\(fieldText($0.key)): \($0.value.text), " }.joined())…}"
    case .option(let value): "Option<\(value.text)>"
    case .result(let value, let error): "Result<\(value.text), \(error.text)>"
    case .coded, .any: "_"
    }
  }
}

/// A value that does not fit a type.
public struct ConversionFailure: Error, Sendable, Hashable {
  /// Where in the value: `.author[2]`; empty at the top.
  public var path: String
  /// What should have been there, as a type or in words.
  public var expected: String
  /// What was there.
  public var found: String

  /// A failure at a place of a value.
  public init(path: String = "", expected: String, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// The same failure of a part, seen from the whole.
  public func inside(_ step: String) -> ConversionFailure {
    ConversionFailure(path: step + path, expected: expected, found: found)
  }

  /// What a codec has found, which says both in one.
  init(problem: DecodeProblem?) {
    let parts = problem?.message.parts(separatedBy: ", found ", maxSplits: 1) ?? []
    let expected = parts.first.map(String.init) ?? "a value that fits"
    self.init(
      path: problem?.path ?? "", expected: expected.hasPrefix("expected ") ? String(expected.dropFirst(9)) : expected,
      found: parts.count > 1 ? String(parts[1]) : "another")
  }

  /// `at .x: expected Int, found a String`
  public var message: String { "\(path.isEmpty ? "" : "at \(path): ")expected \(expected), found \(found)" }
}

/// The same as its `message`.
extension ConversionFailure: CustomStringConvertible {
  public var description: String { message }
}
