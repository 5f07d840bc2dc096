// Which of several values that must have one type says what that is: the first, unless literals of another kind are more. So of
// `[1, "a", "b"]` the number is the one that is named.
//
// In:  the elements of a list, the arms of a `match`, where nothing outside says what they are.
// Out: the place of the first of those that are most; nil where the first is one of them, or no literal.

import FRPBase
import FRPSyntax

private enum LiteralKind: CaseIterable { case number, text, truth }

extension Checker {
  func model(among exprs: [ExprID]) -> Int? {
    guard exprs.count > 2, let first = exprs.first.flatMap(kind) else { return nil }
    var places: [LiteralKind: [Int]] = [:]
    for (place, expr) in exprs.enumerated() { if let kind = kind(expr) { places[kind, default: []].append(place) } }
    let most = places.max { ($0.value.count, -$0.value[0]) < ($1.value.count, -$1.value[0]) }
    guard let most, most.value.count > places[first, default: []].count else { return nil }
    return most.value[0]
  }

  /// Numbers are of one kind: a number without a point can be a Float, too.
  private func kind(_ expr: ExprID) -> LiteralKind? {
    switch tree[bare(expr)] {
    case .int, .float, .duration: .number
    case .string: .text
    case .bool: .truth
    case .unary(.negate, let operand): kind(operand)
    default: nil
    }
  }
}

extension Range<Int> {
  /// One place before all others.
  func leading(with place: Int?) -> [Int] {
    guard let place else { return [Int](self) }
    return [place] + filter { $0 != place }
  }
}
