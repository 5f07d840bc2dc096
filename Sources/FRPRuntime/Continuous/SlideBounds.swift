// How long a slide certainly goes on: the slopes with which either side drives back to the limit, bounded over a stretch of time
// like what other guards compare (CrossingSearch.swift).
//
// In: a group that slides. Out: by guard of a limit an operation that is above zero where the limit certainly is not left, or
// nothing where that cannot be bounded: then it is looked at.
// Rules
// - A side's slope is the derivative of the limit's difference with the rates that hold on that side: the operations of the
//   difference are differentiated, one by one.
// - Rates that read another limit that slides are a mean by weights that vary: such limits are not bounded.
// - Code runs here, and may collect, so nothing that was read before is kept but operations.

import FRPCore
import FRPGraph

extension ContinuousGroup {
  /// By place among the guards: what is above zero while its limit is not left.
  func boundSlides(_ reader: inout BoundReader) -> [Int: Int32] {
    guard let slides, !slides.isSteady else { return [:] }
    var result: [Int: Int32] = [:]
    for place in slides.limits.indices {
      let limit = slides.limits[place]
      let shown = limit.guards.map { guards[$0].new[guards[$0].slot] }
      let below = slope(slides, place, isAbove: false, &reader)
      let above = below == nil ? nil : slope(slides, place, isAbove: true, &reader)
      for (index, word) in zip(limit.guards, shown) { guards[index].new[guards[index].slot] = word }
      recompute(slides, place)
      guard let below, let above, let back = reader.append(.prim(.negate, above, above, above)),
        let least = reader.append(.prim(.min, below, back, below))
      else { continue }
      result[limit.guards[0]] = least
    }
    reader.forgetValues()
    return result
  }

  /// The steps between a limit's comparisons and the rates.
  private func recompute(_ slides: Slides, _ place: Int) {
    machine.epoch += 1
    for number in slides.classesOf[place] { for step in slides.classes[number].steps { host.recompute(step) } }
  }

  /// The slope of a limit's difference with the rates of one side.
  private func slope(_ slides: Slides, _ place: Int, isAbove: Bool, _ reader: inout BoundReader) -> Int32? {
    say(slides.limits[place], isAbove: isAbove)
    recompute(slides, place)
    let row = guards[slides.limits[place].guards[0]]
    let read = integrals.indices.filter { slides.readers[$0].contains(place) }
    guard read.allSatisfy({ isSteered($0, by: place, alone: slides) }) else { return nil }
    // Code first, then what is read.
    let sides = [(row.leftExpr, row.left), (row.rightExpr, row.right)].map { step($0, $1, row.new) }
    let steps = read.map { index in
      let row = integrals[index]
      return row.isFrozen ? 0 : step(row.rateExpr, row.rate, row.new)
    }
    reader.forgetValues()
    var rates: [Int32: Int32] = [:]
    for (index, step) in zip(read, steps) {
      let integral = integrals[index]
      rates[Int32(index)] =
        step.map { reader.step($0) } ?? reader.operation(integral.rateExpr, integral.new, scope: integral.scope)
    }
    guard let left = side(row.leftExpr, sides[0], row, &reader),
      let right = side(row.rightExpr, sides[1], row, &reader), let a = reader.slope(of: left, rates),
      let b = reader.slope(of: right, rates)
    else { return nil }
    return reader.append(row.isGreater ? .prim(.subtract, a, b, a) : .prim(.subtract, b, a, b))
  }

  /// Whether the rate of an integral is known on either side of a limit: it reads no other limit that slides.
  private func isSteered(_ index: Int, by place: Int, alone slides: Slides) -> Bool {
    slides.classes.allSatisfy { !$0.integrals.contains(index) || $0.limits == [place] }
  }

  /// What reads no continuous behavior is constant, however it is computed.
  private func step(_ expr: CoreExprID, _ code: CodeID, _ base: Address) -> Double? {
    guard host.isStep(expr) else { return nil }
    machine.stepsLeft = host.stepBudget
    return (try? machine.run(code, base: base))?.float
  }

  private func side(_ expr: CoreExprID, _ step: Double?, _ row: GuardRow, _ reader: inout BoundReader) -> Int32? {
    if let step { return reader.step(step) }
    return host.isStep(expr) ? nil : reader.operation(expr, row.new, scope: row.scope)
  }
}

extension BoundReader {
  /// The derivative of an operation along the flow, with these rates by row of an integral; nil where it has no rule.
  mutating func slope(of wanted: Int32, _ rates: [Int32: Int32]) -> Int32? {
    budget = BoundReader.mostParts
    var slopes: [Int32: Int32] = [:]
    for index in tape.needed(for: [Int(wanted)]) {
      guard let slope = slope(of: tape.operations[Int(index)], index, slopes, rates) else { return nil }
      slopes[index] = slope
    }
    return slopes[wanted]
  }

  private mutating func slope(
    of operation: BoundTape.Operation, _ place: Int32, _ slopes: [Int32: Int32], _ rates: [Int32: Int32]
  ) -> Int32? {
    switch operation {
    case .constant: return append(.constant(0))
    case .time: return append(.constant(1))
    case .integral(let row): return rates[row]
    case .past, .isAfter: return nil
    case .choose(let test, let a, let b):
      guard let a = slopes[a], let b = slopes[b] else { return nil }
      return append(.choose(test, a, b))
    case .prim(let prim, let a, let b, _):
      switch prim {
      // Their own slopes are nobody's: what they are made of is kept for what chooses by them.
      case .less, .lessEqual, .greater, .greaterEqual, .equal, .notEqual, .not, .and, .or: return append(.constant(0))
      default:
        guard let da = slopes[a], let db = slopes[b] else { return nil }
        return slope(prim, a, b, da, db, place)
      }
    }
  }

  /// The rules of derivatives, for `result` = `prim(a, b)`.
  private mutating func slope(
    _ prim: Prim, _ a: Int32, _ b: Int32, _ da: Int32, _ db: Int32, _ result: Int32
  ) -> Int32? {
    switch prim {
    case .add, .subtract: return append(.prim(prim, da, db, da))
    case .negate: return append(.prim(.negate, da, da, da))
    case .multiply:
      guard let x = product(da, b), let y = product(a, db) else { return nil }
      return append(.prim(.add, x, y, x))
    case .divide:
      guard let x = product(result, db), let y = append(.prim(.subtract, da, x, da)) else { return nil }
      return append(.prim(.divide, y, b, y))
    case .sqrt:
      guard let twice = append(.prim(.add, result, result, result)) else { return nil }
      return append(.prim(.divide, da, twice, da))
    case .sin: return append(.prim(.cos, a, a, a)).flatMap { product($0, da) }
    case .cos:
      return append(.prim(.sin, a, a, a)).flatMap { product($0, da) }.flatMap { append(.prim(.negate, $0, $0, $0)) }
    case .exp: return product(result, da)
    case .abs:
      guard let zero = append(.constant(0)), let isAbove = append(.prim(.greater, a, zero, a)),
        let turned = append(.prim(.negate, da, da, da))
      else { return nil }
      return append(.choose(isAbove, da, turned))
    case .min, .max:
      guard let isFirst = append(.prim(prim == .min ? .less : .greater, a, b, a)) else { return nil }
      return append(.choose(isFirst, da, db))
    case .log: return append(.prim(.divide, da, a, da))
    case .hypot:
      guard let x = product(a, da), let y = product(b, db), let sum = append(.prim(.add, x, y, x)) else { return nil }
      return append(.prim(.divide, sum, result, sum))
    // Their jumps are located (the pass *kinks*).
    case .mod:
      if case .constant(0) = tape.operations[Int(db)] { return da }
      return nil
    case .toFloat, .round: return append(.constant(0))
    default: return nil
    }
  }

  private mutating func product(_ a: Int32, _ b: Int32) -> Int32? { append(.prim(.multiply, a, b, a)) }
}
