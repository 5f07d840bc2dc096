// Expressions as a list of operations on Taylor models: made once, evaluated for any stretch of time.
//
// In: operations in the order of evaluation, each naming earlier ones; the models of the integrals.
// Out: the model of each operation. Nothing allocates.

import FRPCore

struct BoundTape {
  enum Operation {
    case constant(Double)
    /// The clock, so many seconds ago.
    case time(shift: Double)
    /// A row of the group's integrals.
    case integral(Int32)
    /// What an integral was; its row is -1 where it is not the group's any more.
    case past(Int32, row: Int32, shift: Double)
    /// Whether the clock is past a moment.
    case isAfter(Double)
    case prim(Prim, Int32, Int32, Int32)
    /// The first says which of the others.
    case choose(Int32, Int32, Int32)
  }

  private(set) var operations: [Operation] = []
  private var histories: [IntegralHistory] = []

  mutating func append(_ operation: Operation) -> Int32 {
    operations.append(operation)
    return Int32(operations.count - 1)
  }

  mutating func place(of history: IntegralHistory) -> Int32 {
    if let place = histories.firstIndex(where: { $0 === history }) { return Int32(place) }
    histories.append(history)
    return Int32(histories.count - 1)
  }

  /// The operations that some of them need, these among them, in their order.
  func needed(for wanted: some Sequence<Int>) -> [Int32] {
    var isNeeded = [Bool](repeating: false, count: operations.count)
    for index in wanted { isNeeded[index] = true }
    var result: [Int32] = []
    for index in operations.indices.reversed() where isNeeded[index] {
      result.append(Int32(index))
      switch operations[index] {
      case .constant, .time, .integral, .past, .isAfter: break
      case .prim(_, let a, let b, let c), .choose(let a, let b, let c):
        isNeeded[Int(a)] = true
        isNeeded[Int(b)] = true
        isNeeded[Int(c)] = true
      }
    }
    return result.reversed()
  }

  /// What an operation is a sum of, each with its factor: what cancels out in the sum leaves the errors of these.
  func terms(of wanted: Int32) -> [Term] {
    var result: [Term] = []
    var pending = [Term(place: wanted, factor: 1)]
    while let term = pending.popLast(), result.count + pending.count < Term.most {
      func add(_ place: Int32, _ factor: Double = 1) {
        pending.append(Term(place: place, factor: factor.magnitude * term.factor))
      }
      switch operations[Int(term.place)] {
      case .prim(.add, let a, let b, _), .prim(.subtract, let a, let b, _):
        add(a)
        add(b)
      case .prim(.negate, let a, _, _), .prim(.identity, let a, _, _): add(a)
      case .prim(.multiply, let a, let b, _):
        if case .constant(let factor) = operations[Int(a)] {
          add(b, factor)
        } else if case .constant(let factor) = operations[Int(b)] {
          add(a, factor)
        } else {
          result.append(term)
        }
      default: result.append(term)
      }
    }
    return result
  }

  struct Term {
    var place: Int32
    var factor: Double
    /// More are not told apart.
    static let most = 64
  }

  /// Writes the models of some operations over `middle` ± `half` seconds.
  func evaluate(
    _ needed: [Int32], _ group: ContinuousGroup, middle: Double, half: Double,
    into models: UnsafeMutablePointer<TaylorModel>
  ) {
    for place in needed {
      let index = Int(place)
      switch operations[index] {
      case .constant(let value): models[index] = TaylorModel(value)
      case .time(let shift): models[index] = TaylorModel(clock: middle, half, shift: shift)
      case .integral(let row): models[index] = group.model(ofIntegral: Int(row), middle, half: half)
      case .past(let history, let row, let shift):
        models[index] = group.model(of: histories[Int(history)], row: Int(row), middle: middle - shift, half: half)
      case .isAfter(let moment):
        models[index] = TaylorModel(middle - half >= moment ? 1 : 0, middle + half <= moment ? 0 : 1)
      case .choose(let test, let a, let b):
        models[index] = .choice(models[Int(test)], models[Int(a)], models[Int(b)])
      case .prim(let prim, let a, let b, let c):
        models[index] = TaylorModel.apply(prim, models[Int(a)], models[Int(b)], models[Int(c)])
      }
    }
  }
}

extension TaylorModel {
  /// The clock, so many seconds ago.
  init(clock middle: Double, _ half: Double, shift: Double) {
    self.init(middle - shift)
    t1 = half
    if shift > 0 { rest = 0x1p-52 * (middle.magnitude + shift) }
  }

  /// A polynomial, `s` ± `half` seconds from where it counts from.
  init(_ polynomial: Polynomial, _ s: Double, _ half: Double) {
    self.init(polynomial[polynomial.degree])
    var power = polynomial.degree
    while power > 0 {
      power -= 1
      climb(s, half, plus: polynomial[power])
    }
    rest += 0x1p-50 * polynomial.size(at: s.magnitude + half)
  }

  /// A step's dense output, at the fractions `x` ± `reach` of the step. It is never known to stand still: rounding may hold it on
  /// its way to a limit that it never reaches.
  init(_ rows: SIMD8<Double>, _ x: Double, _ reach: Double) {
    self.init(rows[7])
    var size = rows[7].magnitude
    for power in (0..<7).reversed() {
      // By the fraction of the step and by what is left of it, in turn.
      let isRising = power & 1 == 0
      climb(isRising ? x : 1 - x, isRising ? reach : -reach, plus: rows[power])
      size += rows[power].magnitude
    }
    rest += 0x1p-50 * size
    if reach > 0, spread == 0 { t1 = 1e-300 }
  }

  /// Whatever one of two is.
  static func either(_ a: TaylorModel, _ b: TaylorModel) -> TaylorModel { choice(TaylorModel(0, 1), a, b) }

  /// As it is, unless it has run over.
  var orUnknown: TaylorModel { size < .infinity ? self : .unknown(isTotal: false) }
}

extension ContinuousGroup {
  /// What an integral can have been over `middle` ± `half` seconds. Its pieces may begin and end a little sooner or later:
  /// what is delayed jumps at whole nanoseconds.
  func model(of history: IntegralHistory, row: Int, middle: Double, half: Double) -> TaylorModel {
    let (low, high) = (middle - half, middle + half)
    let slack = BoundReader.slack
    let present = row >= 0 ? newestPiece(row) : nil
    func forEachPiece(_ visit: (IntegralPiece) -> Void) {
      history.forEachPiece(from: low - slack, to: high + slack, visit: visit)
      if let present, present.end > present.start, present.end >= low - slack, present.start <= high + slack {
        visit(present)
      }
    }
    var whole: IntegralPiece?
    forEachPiece { if whole == nil, $0.start <= low + slack, $0.end >= high - slack { whole = $0 } }
    var result: TaylorModel?
    if let whole {
      var model = whole.model(middle, half)
      forEachPiece { if $0.start != whole.start { model.rest += whole.step(to: $0, within: 2 * slack) } }
      result = model.orUnknown
    } else {
      forEachPiece { piece in
        let part = piece.range(low, high)
        result = result.map { .either($0, part) } ?? part
      }
    }
    if let result { return result }
    return row < 0 ? TaylorModel(history.value(at: middle, before: false)) : .unknown(isTotal: false)
  }
}

extension IntegralPiece {
  /// What it can be over `middle` ± `half` seconds, also a little before and after it.
  func model(_ middle: Double, _ half: Double) -> TaylorModel {
    switch course {
    case .polynomial(let polynomial, let origin): TaylorModel(polynomial, middle - origin, half).orUnknown
    case .step(let start, let end, _, let rows):
      TaylorModel(rows, (middle - start) / (end - start), half / (end - start)).orUnknown
    }
  }

  /// The range of the part that lies in a stretch.
  func range(_ from: Double, _ to: Double) -> TaylorModel {
    let (low, high) = (max(start, from), min(end, to))
    let bounds = model(low / 2 + max(low, high) / 2, max(0, high - low) / 2).bounds
    return TaylorModel(bounds.low, bounds.high)
  }

  /// How far a neighbor may be from this one where they meet, a little before and after.
  func step(to neighbor: IntegralPiece, within slack: Double) -> Double {
    let border = neighbor.start < start ? start : end
    let own = model(border, slack).bounds
    let other = neighbor.range(border - slack, border + slack).bounds
    return max(own.high, other.high) - min(own.low, other.low)
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
