// The pure operations on numbers and any data, and the way to the others. What each means stands in its row of
// `Builtins*.swift`; here it is done the plainest way.
//
// Not covered by the model: CSV, Regex, Random, Format, Date, Json.decode, Json.as. `unsupported` names what a program asked for.

import FRPCore
import Glibc

extension Model {
  func primitive(
    _ prim: Prim, _ arguments: [CoreExprID], _ id: CoreExprID, _ environment: Environment
  ) throws -> ModelValue {
    if prim == .and || prim == .or {
      let first = try bool(evaluate(arguments[0], environment))
      return first == (prim == .or) ? .bool(first) : try evaluate(arguments[1], environment)
    }
    let values = try evaluateAll(arguments, environment)
    let types = arguments.map { core.type($0) }
    if let result = try arithmetic(prim, values) { return result }
    if let result = try anyData(prim, values, types, core.type(id)) { return result }
    if let result = try jsonFunction(prim, values, types, core.type(id)) { return result }
    if let result = try listFunction(prim, values, core.type(id)) { return result }
    if let result = try listOrder(prim, values) { return result }
    if let result = try textFunction(prim, values) { return result }
    if let result = try mapFunction(prim, values) { return result }
    if let result = try optionFunction(prim, values) { return result }
    if let result = try taskFunction(prim, values) { return result }
    throw ModelFault("unsupported: \(prim)")
  }

  // MARK: Numbers

  private func checked(_ result: (partialValue: Int, overflow: Bool)) throws -> ModelValue {
    if result.overflow { throw ModelFault("overflow") }
    return .int(result.partialValue)
  }

  /// No Float is ever infinite or not a number.
  private func finite(_ x: Double) throws -> ModelValue {
    if x.isFinite { return .float(x) }
    throw ModelFault("not a finite number")
  }

  func add(_ a: ModelValue, _ b: ModelValue) throws -> ModelValue {
    if case .int(let x) = a, case .int(let y) = b { return try checked(x.addingReportingOverflow(y)) }
    return try finite(float(a) + float(b))
  }

  func multiply(_ a: ModelValue, _ b: ModelValue) throws -> ModelValue {
    if case .int(let x) = a, case .int(let y) = b { return try checked(x.multipliedReportingOverflow(by: y)) }
    return try finite(float(a) * float(b))
  }

  /// Rounds down; the remainder has the divisor's sign.
  private func divided(_ x: Int, _ y: Int) throws -> (quotient: Int, remainder: Int) {
    if y == 0 { throw ModelFault("division by zero") }
    if y == -1 {
      if x == .min { throw ModelFault("overflow") }
      return (-x, 0)
    }
    let remainder = x % y
    if remainder != 0, (remainder < 0) != (y < 0) { return (x / y - 1, remainder + y) }
    return (x / y, remainder)
  }

  private func arithmetic(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    switch prim {
    case .add: return try add(v[0], v[1])
    case .multiply: return try multiply(v[0], v[1])
    case .subtract:
      if case .int(let x) = v[0] { return try checked(x.subtractingReportingOverflow(int(v[1]))) }
      return try finite(float(v[0]) - float(v[1]))
    case .negate:
      if case .int(let x) = v[0] { return try checked(0.subtractingReportingOverflow(x)) }
      return .float(-(try float(v[0])))
    case .divide:
      if try float(v[1]) == 0 { throw ModelFault("division by zero") }
      return try finite(float(v[0]) / float(v[1]))
    case .div: return .int(try divided(int(v[0]), int(v[1])).quotient)
    case .remainder, .mod:
      if case .int(let x) = v[0] {
        if try int(v[1]) == -1 { return .int(0) }
        return .int(try divided(x, int(v[1])).remainder)
      }
      return try floatRemainder(float(v[0]), float(v[1]))
    case .abs:
      if case .int(let x) = v[0] { return x < 0 ? try checked(0.subtractingReportingOverflow(x)) : .int(x) }
      return .float(try float(v[0]).magnitude)
    case .sign:
      if case .int(let x) = v[0] { return .int(x.signum()) }
      let x = try float(v[0])
      return .float(x == 0 ? 0 : (x < 0 ? -1 : 1))
    case .toFloat: return .float(Double(try int(v[0])))
    case .round: return try whole(float(v[0]).rounded())
    case .floor: return try whole(float(v[0]).rounded(.down))
    case .ceil: return try whole(float(v[0]).rounded(.up))
    case .truncate: return try whole(float(v[0]).rounded(.towardZero))
    case .shiftLeft: return .int(try int(v[0]) << int(v[1]))
    case .shiftRight: return .int(try int(v[0]) >> int(v[1]))
    case .isEven: return .bool(try int(v[0]) & 1 == 0)
    case .isOdd: return .bool(try int(v[0]) & 1 == 1)
    case .gcd: return try checked(commonDivisor(int(v[0]), int(v[1])))
    case .lcm:
      let (x, y) = (try int(v[0]), try int(v[1]))
      if x == 0 || y == 0 { return .int(0) }
      let divisor = commonDivisor(x, y).partialValue
      guard case .int(let product) = try checked((x / divisor).multipliedReportingOverflow(by: y)) else { return nil }
      return product < 0 ? try checked(0.subtractingReportingOverflow(product)) : .int(product)
    case .pow:
      if case .int(let x) = v[0] { return try power(x, int(v[1])) }
      return try finite(Glibc.pow(float(v[0]), float(v[1])))
    default: return try floatFunction(prim, v)
    }
  }

  private func floatRemainder(_ x: Double, _ y: Double) throws -> ModelValue {
    if y == 0 { throw ModelFault("division by zero") }
    let remainder = x.truncatingRemainder(dividingBy: y)
    if remainder != 0, (remainder < 0) != (y < 0) { return .float(remainder + y) }
    return .float(remainder)
  }

  func whole(_ x: Double) throws -> ModelValue {
    if let result = Int(exactly: x) { return .int(result) }
    throw ModelFault("out of range")
  }

  private func commonDivisor(_ x: Int, _ y: Int) -> (partialValue: Int, overflow: Bool) {
    var (a, b) = (x.magnitude, y.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    return a > UInt(Int.max) ? (0, true) : (Int(a), false)
  }

  private func power(_ base: Int, _ exponent: Int) throws -> ModelValue {
    if exponent < 0 { throw ModelFault("negative exponent") }
    if base == 0 || base == 1 || base == -1 {
      return .int(exponent == 0 ? 1 : (base == -1 && exponent & 1 == 0 ? 1 : base))
    }
    var result = ModelValue.int(1)
    for _ in 0..<min(exponent, 64) { result = try multiply(result, .int(base)) }
    return result
  }

  private func logarithm(_ x: ModelValue, _ f: (Double) -> Double) throws -> ModelValue {
    let number = try float(x)
    if number <= 0 { throw ModelFault(number == 0 ? "logarithm of 0" : "logarithm of a negative number") }
    return .float(f(number))
  }

  private func floatFunction(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    switch prim {
    case .pi: return .float(.pi)
    case .tau: return .float(2 * .pi)
    case .e: return .float(M_E)
    case .sqrt:
      if try float(v[0]) < 0 { throw ModelFault("square root of a negative number") }
      return .float(try float(v[0]).squareRoot())
    case .cbrt: return try finite(Glibc.cbrt(float(v[0])))
    case .hypot: return try finite(Glibc.hypot(float(v[0]), float(v[1])))
    case .sin: return try finite(Glibc.sin(float(v[0])))
    case .cos: return try finite(Glibc.cos(float(v[0])))
    case .tan: return try finite(Glibc.tan(float(v[0])))
    case .asin: return try finite(Glibc.asin(float(v[0])))
    case .acos: return try finite(Glibc.acos(float(v[0])))
    case .atan: return try finite(Glibc.atan(float(v[0])))
    case .atan2: return try finite(Glibc.atan2(float(v[0]), float(v[1])))
    case .exp: return try finite(Glibc.exp(float(v[0])))
    case .log: return try logarithm(v[0], Glibc.log)
    case .log2: return try logarithm(v[0], Glibc.log2)
    case .log10: return try logarithm(v[0], Glibc.log10)
    case .toRadians: return try finite(float(v[0]) / 180 * .pi)
    case .toDegrees: return try finite(float(v[0]) / .pi * 180)
    case .lerp:
      let part = try float(v[2])
      return try finite(float(v[0]) * (1 - part) + float(v[1]) * part)
    case .bitAnd: return .int(try int(v[0]) & int(v[1]))
    case .bitOr: return .int(try int(v[0]) | int(v[1]))
    case .bitXor: return .int(try int(v[0]) ^ int(v[1]))
    case .bitNot: return .int(~(try int(v[0])))
    default: return nil
    }
  }

  // MARK: Any data

  private func anyData(
    _ prim: Prim, _ v: [ModelValue], _ types: [TypeID], _ result: TypeID
  ) throws -> ModelValue? {
    switch prim {
    case .equal: return .bool(ModelValue.equal(v[0], v[1]))
    case .notEqual: return .bool(!ModelValue.equal(v[0], v[1]))
    case .less: return .bool(ModelValue.order(v[0], v[1]) < 0)
    case .lessEqual: return .bool(ModelValue.order(v[0], v[1]) <= 0)
    case .greater: return .bool(ModelValue.order(v[0], v[1]) > 0)
    case .greaterEqual: return .bool(ModelValue.order(v[0], v[1]) >= 0)
    case .compare: return .int(ModelValue.order(v[0], v[1]))
    case .min: return ModelValue.order(v[1], v[0]) < 0 ? v[1] : v[0]
    case .max: return ModelValue.order(v[1], v[0]) > 0 ? v[1] : v[0]
    case .clamp:
      if ModelValue.order(v[1], v[2]) > 0 { throw ModelFault("low above high") }
      if ModelValue.order(v[0], v[1]) < 0 { return v[1] }
      return ModelValue.order(v[0], v[2]) > 0 ? v[2] : v[0]
    case .not: return .bool(!(try bool(v[0])))
    case .identity, .secretOf: return v[0]
    case .show: return .string(core.types.shown(v[0], types[0]))
    case .concatStrings:
      var text = ""
      for part in v { text += try string(part) }
      return .string(text)
    case .append:
      if case .string(let a) = v[0] { return .string(a + (try string(v[1]))) }
      return .list(try list(v[0]) + list(v[1]))
    case .range:
      let (first, last) = (try int(v[0]), try int(v[1]))
      if first > last { return .list([]) }
      if last.subtractingReportingOverflow(first).partialValue > 1_000_000 { throw ModelFault("too long a list") }
      return .list((first...last).map(ModelValue.int))
    case .tupleFirst, .tupleSecond, .tupleSwap:
      guard case .data(_, let parts) = v[0], parts.count == 2 else { throw ModelFault("not a pair") }
      return prim == .tupleFirst ? parts[0] : (prim == .tupleSecond ? parts[1] : .pair(parts[1], parts[0]))
    case .jsonEncode: return .string(core.types.json(v[0], types[0]))
    default: return nil
    }
  }
}
