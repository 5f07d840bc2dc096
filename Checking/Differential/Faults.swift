// Faults that programs may have; any other is a hole in the model.

package enum Faults {
  private static let expected = [
    "division by zero", "overflow", "not a finite number", "square root of a negative number", "logarithm of 0",
    "logarithm of a negative number", "out of range", "two members of one key", "size below 1",
    "index out of range", "negative exponent", "low above high", "too long a list", "too many micro-steps",
    "no part of a list",
  ]

  package static func isExpected(_ message: String) -> Bool { expected.contains(message) }
}
