// The pure operations of the machine. A `Prim` is generic; the types of its arguments and result, which are known at
// every use, decide which instruction or routine runs it.

public enum Prim: UInt16, Hashable, Sendable, CaseIterable {
  // Operators. Arithmetic is Int or Float by type; overflow and non-finite results are faults.
  case add, subtract, multiply, divide, remainder, negate
  case equal, notEqual, less, lessEqual, greater, greaterEqual
  case not
  /// Lazy in the second argument.
  case and, or
  /// `++` of strings or lists.
  case append
  /// `a..b`.
  case range
  /// Any data as text, as `"{x}"` shows it: a String as itself, everything else as source.
  case show
  /// Concatenation of any number of strings (interpolation).
  case concatStrings
  /// A list from its elements; elements of type List where `spreadMask` of the expression says so are spliced.
  case makeList

  // Numbers (more below the line, by subject).
  case div, toFloat, abs, min, max, sqrt, sin, cos, tan, asin, acos, atan, atan2, exp, log, pow
}
