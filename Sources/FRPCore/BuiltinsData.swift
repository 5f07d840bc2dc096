// Data functions of the table of built-ins.

extension Builtins {
  static let data: [Builtin] = numbers

  static let numbers: [Builtin] = [
    Builtin(
      "sqrt", in: "Math", "(Float) -> Float", .data(.sqrt), ["x"], "The square root; a negative x is a fault.",
      Example("sqrt(9.0)", "3.0"))
  ]
}
