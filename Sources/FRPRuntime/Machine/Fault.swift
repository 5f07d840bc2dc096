// What goes wrong while a checked program runs. A fault undoes its instant; it is data until somebody prints it.

import FRPBase
import FRPCore

/// Which limit of the host a program ran into.
public enum Limit: String, Hashable, Sendable {
  /// Steps of the machine in one instant.
  case steps
  /// Bytes of the heap.
  case memory
  /// Depth of calls.
  case stack
  /// Live nodes.
  case nodes
  /// Occurrences of one event in one instant.
  case occurrences
  /// Micro-steps at one clock time.
  case microsteps
  /// Occurrences that wait in one queue.
  case queue
  /// Wall time of one instant.
  case time
  /// The host has ended the instant.
  case interruption
}

/// A fault of the running program.
public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case divisionByZero
    case overflow
    /// A Float result that would be infinite or not a number.
    case notFinite
    case indexOutOfRange
    /// Function n of the host; -1 where there is none.
    case hostFailed(Int)
    case limit(Limit)
    /// An input behavior, by its number, that has no value yet.
    case unsetInput(Int)
    /// Anything else; the text says it.
    case message

    /// Whether the instant ends wherever this happens. Any other fault of a lifted value is one only for who needs it.
    var endsTheInstant: Bool {
      switch self {
      case .limit(.steps), .limit(.memory), .limit(.time), .limit(.interruption): true
      default: false
      }
    }
  }

  public var kind: Kind
  /// The smallest expression that faulted; `.none` until the machine knows it.
  public var span: Span
  /// In the user's words, without a full stop.
  public var text: String
  /// Whose value it is, by number, where somebody has kept it; -1 where nobody has. Two faults are the same whoever keeps them.
  var node: Int32 = -1

  public init(_ kind: Kind, _ text: String, at span: Span = .none) {
    self.kind = kind
    self.text = text
    self.span = span
  }

  public static func == (a: Fault, b: Fault) -> Bool { a.kind == b.kind && a.span == b.span && a.text == b.text }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(span)
    hasher.combine(text)
  }

  public var description: String { "Fault(\(kind), \(span), \(text))" }

  /// The same fault, kept as the value of a node if it is of none yet.
  func kept(by node: NodeID) -> Fault {
    if self.node >= 0 { return self }
    var result = self
    result.node = node.raw
    return result
  }

  /// The same fault, placed if it has no place yet.
  public func placed(at span: Span) -> Fault {
    if !self.span.isNone { return self }
    var result = self
    result.span = span
    return result
  }
}

extension Fault {
  public static let divisionByZero = Fault(.divisionByZero, "division by zero")
  public static let overflow = Fault(.overflow, "this Int result does not fit in 64 bits")
  public static let notFinite = Fault(.notFinite, "this Float result is not a finite number")
  static let squareRootOfNegative = Fault(.notFinite, "square root of a negative number")
  static func logarithm(of x: Double) -> Fault {
    Fault(.notFinite, x == 0 ? "logarithm of 0" : "logarithm of a negative number")
  }
  public static let steps = Fault(.limit(.steps), "the step limit of one instant is exhausted")
  static let following = Fault(
    .limit(.steps), "following this integral takes more steps than the host allows for a second of time")
  public static let memory = Fault(.limit(.memory), "the memory limit is exhausted")
  public static let time = Fault(.limit(.time), "this instant takes more time than the host allows")
  public static let interrupted = Fault(.limit(.interruption), "the host has interrupted this instant")
  public static let queue = Fault(.limit(.queue), "more occurrences wait in a queue than the host allows")
  static let unreachable = Fault(.message, "no case matches")
  public static let stack = Fault(.limit(.stack), "stack limit: calls are nested too deeply")
}
