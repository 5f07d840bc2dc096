// Rows of the table: numbers, and functions of any data. Results that overflow, or are no finite number, are faults.

extension Builtins {
  static let arithmetic: [Builtin] = [
    Builtin(
      "abs", in: "Math", "Num n => (n) -> n", .data(.abs), ["x"], "The size of a number, without its sign.",
      Example("abs(-3)", "3"), Example("abs(2.5)", "2.5")),
    Builtin(
      "min", in: "Math", "Ord o => (o, o) -> o", .data(.min), ["a", "b"], "The smaller of two.",
      Example("min(3, 2)", "2"), Example(#"min("b", "a")"#, #""a""#)),
    Builtin(
      "max", in: "Math", "Ord o => (o, o) -> o", .data(.max), ["a", "b"], "The larger of two.",
      Example("max(3.0, 2.5)", "3.0")),
    Builtin(
      "clamp", in: "Math", "Ord o => (o, o, o) -> o", .data(.clamp), ["x", "low", "high"],
      "x, but never below low or above high; low above high is a fault.",
      Example("clamp(12, 0, 10)", "10"), Example("clamp(0.5, 0.0, 1.0)", "0.5")),
    Builtin(
      "sign", in: "Math", "Num n => (n) -> n", .data(.sign), ["x"], "-1, 0 or 1, as x is negative, zero or positive.",
      Example("sign(-7)", "-1"), Example("sign(0.5)", "1.0")),
    Builtin(
      "div", in: "Math", "(Int, Int) -> Int", .data(.div), ["a", "b"],
      "The quotient, rounded down; by 0 is a fault.", Example("div(7, 2)", "3"), Example("div(-7, 2)", "-4")),
    Builtin(
      "mod", in: "Math", "Num n => (n, n) -> n", .data(.mod), ["a", "b"],
      "The remainder with b's sign, of Ints (as %) or of Floats; by 0 is a fault.",
      Example("mod(-7, 2)", "1"), Example("mod(5.5, 2.0)", "1.5")),
    Builtin(
      "pow", in: "Math", "Num n => (n, n) -> n", .data(.pow), ["base", "exponent"],
      "A power; a negative exponent of Ints is a fault.", Example("pow(2, 10)", "1024"),
      Example("pow(2.0, 0.5)", "1.4142135623730951")),
    Builtin(
      "gcd", in: "Math", "(Int, Int) -> Int", .data(.gcd), ["a", "b"], "The greatest common divisor, never negative.",
      Example("gcd(12, 18)", "6")),
    Builtin(
      "lcm", in: "Math", "(Int, Int) -> Int", .data(.lcm), ["a", "b"], "The least common multiple, never negative.",
      Example("lcm(4, 6)", "12")),
    Builtin(
      "isEven", in: "Math", "(Int) -> Bool", .data(.isEven), ["n"], "Whether 2 divides n.", Example("isEven(4)", "true")
    ),
    Builtin(
      "isOdd", in: "Math", "(Int) -> Bool", .data(.isOdd), ["n"], "Whether 2 does not divide n.",
      Example("isOdd(-3)", "true")),
  ]

  static let rounding: [Builtin] = [
    Builtin(
      "toFloat", in: "Math", "(Int) -> Float", .data(.toFloat), ["n"], "The Int as a Float.",
      Example("toFloat(3)", "3.0")),
    Builtin(
      "round", in: "Math", "(Float) -> Int", .data(.round), ["x"],
      "The nearest Int; halves go away from zero. Out of range is a fault.",
      Example("round(2.5)", "3"), Example("round(-2.5)", "-3")),
    Builtin(
      "floor", in: "Math", "(Float) -> Int", .data(.floor), ["x"], "The largest Int not above x.",
      Example("floor(-0.5)", "-1")),
    Builtin(
      "ceil", in: "Math", "(Float) -> Int", .data(.ceil), ["x"], "The smallest Int not below x.",
      Example("ceil(1.2)", "2")),
    Builtin(
      "truncate", in: "Math", "(Float) -> Int", .data(.truncate), ["x"], "x without its fraction.",
      Example("truncate(-1.9)", "-1")),
    Builtin(
      "lerp", in: "Math", "(Float, Float, Float) -> Float", .data(.lerp), ["from", "to", "part"],
      "The point between two numbers: from at part 0.0, to at 1.0.", Example("lerp(10.0, 20.0, 0.25)", "12.5")),
  ]

  static let trigonometry: [Builtin] = [
    Builtin("pi", in: "Math", "Float", .data(.pi), [], "Half a turn in radians.", Example("pi", "3.141592653589793")),
    Builtin(
      "tau", in: "Math", isBare: false, "Float", .data(.tau), [], "A whole turn in radians.",
      Example("Math.tau", "6.283185307179586")),
    Builtin(
      "e", in: "Math", isBare: false, "Float", .data(.e), [], "The base of natural logarithms.",
      Example("Math.e", "2.718281828459045")),
    Builtin(
      "sqrt", in: "Math", "(Float) -> Float", .data(.sqrt), ["x"], "The square root; of a negative x, a fault.",
      Example("sqrt(9.0)", "3.0")),
    Builtin(
      "cbrt", in: "Math", "(Float) -> Float", .data(.cbrt), ["x"], "The cube root.", Example("cbrt(-27.0)", "-3.0")),
    Builtin(
      "hypot", in: "Math", "(Float, Float) -> Float", .data(.hypot), ["x", "y"], "The length of the vector (x, y).",
      Example("hypot(3.0, 4.0)", "5.0")),
    Builtin("sin", in: "Math", "(Float) -> Float", .data(.sin), ["angle"], "The sine.", Example("sin(0.0)", "0.0")),
    Builtin("cos", in: "Math", "(Float) -> Float", .data(.cos), ["angle"], "The cosine.", Example("cos(0.0)", "1.0")),
    Builtin("tan", in: "Math", "(Float) -> Float", .data(.tan), ["angle"], "The tangent.", Example("tan(0.0)", "0.0")),
    Builtin(
      "asin", in: "Math", "(Float) -> Float", .data(.asin), ["x"], "The angle in -pi/2…pi/2 with this sine.",
      Example("asin(1.0)", "1.5707963267948966")),
    Builtin(
      "acos", in: "Math", "(Float) -> Float", .data(.acos), ["x"], "The angle in 0…pi with this cosine.",
      Example("acos(1.0)", "0.0")),
    Builtin(
      "atan", in: "Math", "(Float) -> Float", .data(.atan), ["x"], "The angle in -pi/2…pi/2 with this tangent.",
      Example("atan(1.0)", "0.7853981633974483")),
    Builtin(
      "atan2", in: "Math", "(Float, Float) -> Float", .data(.atan2), ["y", "x"],
      "The angle of the point (x, y), in -pi…pi.", Example("atan2(1.0, -1.0)", "2.356194490192345")),
    Builtin(
      "toRadians", in: "Math", "(Float) -> Float", .data(.toRadians), ["degrees"], "Degrees as radians.",
      Example("toRadians(180.0)", "3.141592653589793")),
    Builtin(
      "toDegrees", in: "Math", "(Float) -> Float", .data(.toDegrees), ["radians"], "Radians as degrees.",
      Example("toDegrees(pi)", "180.0")),
    Builtin(
      "exp", in: "Math", "(Float) -> Float", .data(.exp), ["x"], "e to the power of x.", Example("exp(0.0)", "1.0")),
    Builtin(
      "log", in: "Math", "(Float) -> Float", .data(.log), ["x"], "The natural logarithm; of 0 or less, a fault.",
      Example("log(1.0)", "0.0")),
    Builtin(
      "log2", in: "Math", "(Float) -> Float", .data(.log2), ["x"], "The logarithm to base 2.",
      Example("log2(8.0)", "3.0")),
    Builtin(
      "log10", in: "Math", "(Float) -> Float", .data(.log10), ["x"], "The logarithm to base 10.",
      Example("log10(1000.0)", "3.0")),
  ]

  static let bits: [Builtin] = [
    Builtin(
      "and", in: "Bits", isBare: false, "(Int, Int) -> Int", .data(.bitAnd), ["a", "b"], "The bits that both have.",
      Example("Bits.and(12, 10)", "8")),
    Builtin(
      "or", in: "Bits", isBare: false, "(Int, Int) -> Int", .data(.bitOr), ["a", "b"], "The bits that either has.",
      Example("Bits.or(12, 10)", "14")),
    Builtin(
      "xor", in: "Bits", isBare: false, "(Int, Int) -> Int", .data(.bitXor), ["a", "b"],
      "The bits that exactly one has.",
      Example("Bits.xor(12, 10)", "6")),
    Builtin(
      "not", in: "Bits", isBare: false, "(Int) -> Int", .data(.bitNot), ["a"], "All 64 bits turned over.",
      Example("Bits.not(0)", "-1")),
    Builtin(
      "shiftLeft", in: "Bits", isBare: false, "(Int, Int) -> Int", .data(.shiftLeft), ["a", "places"],
      "The bits moved up; what leaves at the top is lost.", Example("Bits.shiftLeft(1, 10)", "1024")),
    Builtin(
      "shiftRight", in: "Bits", isBare: false, "(Int, Int) -> Int", .data(.shiftRight), ["a", "places"],
      "The bits moved down; the sign stays.", Example("Bits.shiftRight(-8, 1)", "-4")),
  ]

  static let anyData: [Builtin] = [
    Builtin(
      "toString", in: "Data", "Show a => (a) -> String", .data(.show), ["x"],
      "A String as itself, all other data as source.", Example("toString([1, 2])", #""[1, 2]""#)),
    Builtin("identity", in: "Data", "(a) -> a", .data(.identity), ["x"], "Its argument.", Example("identity(3)", "3")),
    Builtin(
      "compare", in: "Data", "Eq a => (a, a) -> Int", .data(.compare), ["a", "b"],
      "-1, 0 or 1, as a comes before b, equals it, or comes after it in the order of all data.",
      Example("compare(1, 2)", "-1"), Example("compare(Some(1), None)", "1")),
    Builtin(
      "first", in: "Tuple", isBare: false, "((a, b)) -> a", .data(.tupleFirst), ["pair"], "The first of a pair.",
      Example(#"Tuple.first((1, "a"))"#, "1")),
    Builtin(
      "second", in: "Tuple", isBare: false, "((a, b)) -> b", .data(.tupleSecond), ["pair"], "The second of a pair.",
      Example(#"Tuple.second((1, "a"))"#, #""a""#)),
    Builtin(
      "swap", in: "Tuple", isBare: false, "((a, b)) -> (b, a)", .data(.tupleSwap), ["pair"], "The pair turned around.",
      Example("Tuple.swap((1, true))", "(true, 1)")),
  ]
}
