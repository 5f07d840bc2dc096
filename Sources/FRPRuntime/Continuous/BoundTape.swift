// An expression as a list of operations on Taylor models: made once, evaluated for any stretch of time.
//
// In: operations in the order of evaluation, each naming earlier ones; the models of the integrals.
// Out: the model of each operation. Nothing allocates.

import FRPCore

struct BoundTape {
  enum Operation {
    case constant(Double)
    case time
    /// A row of the group's integrals.
    case integral(Int32)
    case prim(Prim, Int32, Int32, Int32)
    /// The first says which of the others.
    case choose(Int32, Int32, Int32)
  }

  var operations: [Operation] = []

  /// Expressions of more operations are not bounded.
  static let most = 1_000

  mutating func append(_ operation: Operation) -> Int32? {
    guard operations.count < BoundTape.most else { return nil }
    operations.append(operation)
    return Int32(operations.count - 1)
  }

  /// Writes the models of all operations over `middle` ± `half` seconds.
  func evaluate(
    _ group: ContinuousGroup, _ middle: Double, _ half: Double, into models: UnsafeMutablePointer<TaylorModel>
  ) {
    for (index, operation) in operations.enumerated() {
      switch operation {
      case .constant(let value): models[index] = TaylorModel(value)
      case .time:
        var time = TaylorModel(middle)
        time.t1 = half
        models[index] = time
      case .integral(let row): models[index] = group.model(ofIntegral: Int(row), middle, half)
      case .choose(let test, let a, let b):
        models[index] = .choice(models[Int(test)], models[Int(a)], models[Int(b)])
      case .prim(let prim, let a, let b, let c):
        models[index] = TaylorModel.apply(prim, models[Int(a)], models[Int(b)], models[Int(c)])
      }
    }
  }
}

extension TaylorModel {
  /// A function of numbers or truths, one of `Prim.boundable`.
  static func apply(_ prim: Prim, _ a: TaylorModel, _ b: TaylorModel, _ c: TaylorModel) -> TaylorModel {
    switch prim {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .negate: -a
    case .abs: a.magnitude
    case .min: lesser(a, b)
    case .max: greater(a, b)
    case .clamp: a.clamped(b, c)
    case .lerp: a * (TaylorModel(1) - c) + b * c
    case .hypot: hypot(a, b)
    case .sqrt: a.squareRoot
    case .cbrt: a.cubeRoot
    case .pow: power(a, b)
    case .exp: a.exponential
    case .log: a.logarithm
    case .log2: a.logarithm.scaled(1.4426950408889634)
    case .log10: a.logarithm.scaled(0.4342944819032518)
    case .sin: a.sine
    case .cos: a.cosine
    case .tan: a.tangent
    case .asin: a.arcsine
    case .acos: TaylorModel(1.5707963267948966) - a.arcsine
    case .atan: a.arctangent
    case .atan2: angle(a, b)
    case .toRadians: a.scaled(0.017453292519943295)
    case .toDegrees: a.scaled(57.29577951308232)
    case .floor: a.rounded(.down)
    case .ceil: a.rounded(.up)
    case .truncate: a.rounded(.towardZero)
    case .round: a.rounded(.toNearestOrAwayFromZero)
    case .div: (a / b).rounded(.down)
    case .remainder, .mod: remainder(a, b)
    case .sign: a.sign
    case .less: (a - b).isBelowZero
    case .lessEqual: (a - b).isAtMostZero
    case .greater: (b - a).isBelowZero
    case .greaterEqual: (b - a).isAtMostZero
    case .equal: (a - b).isEqualZero
    case .notEqual: (a - b).isEqualZero.negation
    case .not: a.negation
    case .and: choice(a, b, TaylorModel(0))
    case .or: choice(a, TaylorModel(1), b)
    case .toFloat, .identity: a
    default: .unknown(isTotal: false)
    }
  }
}
