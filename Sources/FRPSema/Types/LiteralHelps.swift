// What is meant by literals as other languages have them: `[1..9]`, `[1, 3..9]`, `"{x} of %d" % x`.

import FRPBase
import FRPSyntax

extension Rendering {
  /// A range that stands in a list is one element of it.
  func rangeInList(_ fact: MismatchFact) -> Help? {
    if case .element(let index, _, _) = fact.reason, let expr = fact.expr, let range = range(expr) {
      return steps(expr, range, index: index)
    }
    guard fact.actual.head == .list, let list = listOfRange(before: fact.expr),
      fact.actual.content == [.int] || fact.actual.content == [.list],
      case .list(let elements) = tree[list], case .item(let item) = elements[0], let text = source(item)
    else { return nil }
    return Help("a range is a list by itself", code: text, edit: Help.Edit(tree.span(list), "(\(text))"))
  }

  private func range(_ expr: ExprID) -> (first: ExprID, last: ExprID)? {
    if case .binary(.range, let first, let last, _) = tree[expr] { (first, last) } else { nil }
  }

  /// The last list with nothing but a range in it before an expression, where it is not far: so many mistakes stay linear.
  private func listOfRange(before expr: ExprID?) -> ExprID? {
    let end = expr?.index ?? tree.exprs.count
    for index in (max(0, end - 500)..<max(0, end + 1)).reversed() where index < tree.exprs.count {
      guard case .list(let elements) = tree.exprs[index], elements.count == 1, case .item(let item) = elements[0],
        range(item) != nil, tree.exprSpans[index].file == expr.map({ tree.span($0).file })
      else { continue }
      return ExprID(index)
    }
    return nil
  }

  /// `[1, 3..9]`: every second number. Of what is no such row of numbers, the elements of the range.
  private func steps(_ expr: ExprID, _ range: (first: ExprID, last: ExprID), index: Int) -> Help? {
    // A list comes after its elements, and there are few of these.
    for place in tree.exprs.indices.dropFirst(expr.index).prefix(200) {
      guard case .list(let elements) = tree.exprs[place], elements.indices.contains(index),
        case .item(expr) = elements[index], let text = source(expr)
      else { continue }
      if elements.count == 2, case .item(let start) = elements[0], let first = number(start),
        let second = number(range.first), let last = number(range.last), let step = difference(first, second)
      {
        let count = (last - first) / step
        let start = first == 0 ? "" : "\(first) + "
        let code = "0..\(max(count, 0)) |> map(i => \(start)\(step < 0 ? "i * (\(step))" : "i * \(step)"))"
        return Help("numbers in steps", code: code, edit: Help.Edit(tree.span(ExprID(place)), "(\(code))"))
      }
      return Help("the elements of the range", code: "...\(text)", edit: Help.Edit(tree.span(expr), "...\(text)"))
    }
    return nil
  }

  /// A small Int as it stands.
  private func number(_ expr: ExprID) -> Int? {
    switch tree[expr] {
    case .int(let value) where (-1_000_000_000...1_000_000_000).contains(value): value
    case .unary(.negate, let operand): number(operand).map { -$0 }
    default: nil
    }
  }

  private func difference(_ first: Int, _ second: Int) -> Int? { first == second ? nil : second - first }

  /// `"%d of" % n`: a value is put into a text where it stands.
  func formatted(_ fact: MismatchFact) -> Help? {
    guard case .operand(.remainder, let expr, true) = fact.reason, fact.actual.head == .string,
      case .binary(_, let left, let right, _) = tree[expr], case .string = tree[left], let text = source(left),
      let value = source(right)
    else { return nil }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    let form = parts.last?.prefix { "-+ .0123456789".contains($0) }.count ?? 0
    guard parts.count == 2, let letter = parts[1].dropFirst(form).first, letter.isLetter, !value.hasPrefix("(") else {
      return Help("values are put into a text in braces", code: "\"{name}: {value}\"")
    }
    let code = "\(parts[0]){\(value)}\(parts[1].dropFirst(form + 1))"
    return Help("values are put into a text in braces", code: code, edit: Help.Edit(tree.span(expr), code))
  }

  /// `[1] + [2]`
  func addedLists(_ fact: MismatchFact) -> Help? {
    guard case .operand(.add, let whole, _) = fact.reason, fact.actual.head == .list,
      case .binary(_, let left, let right, _) = tree[whole], let a = listText(left), let b = listText(right)
    else { return nil }
    let code = "\(a) ++ \(b)"
    return Help("lists are joined with `++`", code: code, edit: Help.Edit(tree.span(whole), code))
  }

  /// What is joined to a list, as one.
  private func listText(_ expr: ExprID) -> String? {
    switch tree[expr] {
    case .int, .float, .string: source(expr).map { "[\($0)]" }
    default: source(expr)
    }
  }
}
