// Functions that are defined case by case, as elsewhere: `fact 0 = 1` above `fact n = n * fact (n - 1)`. All lines that
// begin with the name are one mistake, told at the first; what is proposed is one definition with `match`.

import FRPBase

/// A line of that kind.
private struct Equation {
  /// The tokens of each pattern.
  var patterns: [Range<Int>]
  var body: Range<Int>
}

extension Parser {
  /// Reports such lines; what they were to define, or nil where there are none.
  mutating func foreignEquations() -> Item? {
    guard !failed, current == .lowerName, token().blankAfter else { return nil }
    if let guarded = guardedEquation() { return guarded }
    guard let first = equation(statementStart, limit) else { return nil }
    var all = [first]
    var end = limit
    while let next = equation(after: end), next.patterns.count == first.patterns.count {
      all.append(next)
      end = next.body.upperBound
    }
    // `f (x) = …` is a definition of this language, and of `f x y = …` alone less need be said.
    let isForeign = all.contains { equation in
      let isCall = equation.patterns.count == 1 && layout.tokens[equation.patterns[0].lowerBound].kind == .leftParen
      return isCall ? variant(equation.patterns[0]) != nil : !equation.patterns.allSatisfy(isName)
    }
    guard isForeign else { return nil }
    told = end
    let patterns = span(
      Int(layout.tokens[first.patterns[0].lowerBound].start),
      Int(layout.tokens[first.body.lowerBound - 2].end))
    report(
      Diagnostic(
        .foreignHabit, "a function is defined once, and `match` tells its cases apart", at: patterns,
        label: "patterns stand in the cases of a `match`", helps: [oneDefinition(all, to: end)]))
    return damagedDefinition(statementStart)
  }

  /// `sign x | x > 0 = 1`: names, and a condition behind a bar.
  private mutating func guardedEquation() -> Item? {
    var bar = statementStart + 1
    while bar < limit, [.lowerName, .wildcard].contains(layout.tokens[bar].kind) { bar += 1 }
    guard bar > statementStart + 1, bar + 1 < limit, layout.tokens[bar].kind == .bar,
      let equal = (bar + 1..<limit).first(where: { layout.tokens[$0].kind == .equal })
    else { return nil }
    let names = (statementStart + 1..<bar).map { text($0) }.joined(separator: ", ")
    let code = "\(text(statementStart))(\(names)) = if \(written(bar + 1, equal)) then … else …"
    report(
      Diagnostic(
        .foreignHabit, "what a function gives under a condition is chosen by `if`", at: tokenSpan(bar),
        helps: [Help("write", code: code)]))
    return damagedDefinition(statementStart)
  }

  private func isName(_ pattern: Range<Int>) -> Bool {
    pattern.count == 1 && [.lowerName, .wildcard].contains(layout.tokens[pattern.lowerBound].kind)
  }

  /// The equation that begins a statement; nil if that is something else.
  private func equation(_ start: Int, _ end: Int) -> Equation? {
    var position = start + 1
    var patterns: [Range<Int>] = []
    while position < end {
      let begin = position
      // `async f(x) = …` has a call there.
      if !layout.tokens[begin - 1].blankAfter, layout.tokens[begin].kind != .equal { return nil }
      switch layout.tokens[position].kind {
      case .lowerName, .upperName, .wildcard, .int, .float, .trueWord, .falseWord: position += 1
      case .leftParen, .leftBracket, .leftBrace:
        guard let after = layout.afterClose(position) else { return nil }
        position = after
      case .stringBegin:
        guard let after = (position..<end).first(where: { layout.tokens[$0].kind == .stringEnd }) else { return nil }
        position = after + 1
      default:
        guard layout.tokens[position].kind == .equal, !patterns.isEmpty, position + 1 < end else { return nil }
        return Equation(patterns: patterns, body: position + 1..<end)
      }
      patterns.append(begin..<position)
    }
    return nil
  }

  /// The equation of the same function that the next item is.
  private func equation(after end: Int) -> Equation? {
    guard end + 1 < layout.tokens.count, layout.tokens[end].kind == .lowerName, text(end) == text(statementStart),
      layout.tokens[end].blankAfter, let place = layout.itemStarts.firstPlace(of: end)
    else { return nil }
    let starts = layout.itemStarts
    return equation(end, place + 1 < starts.count ? starts[place + 1] : layout.tokens.count - 1)
  }

  // MARK: - What is proposed

  private func oneDefinition(_ all: [Equation], to end: Int) -> Help {
    let name = text(statementStart)
    let parameters = parameters(all)
    let subject = parameters.count == 1 ? parameters[0] : "(\(parameters.joined(separator: ", ")))"
    let heads = all.map { equation in
      let patterns = equation.patterns.map(patternText)
      return patterns.count == 1 ? patterns[0] : "(\(patterns.joined(separator: ", ")))"
    }
    let head = "\(name)(\(parameters.joined(separator: ", "))) = match \(subject)"
    let bodies = all.map { written($0.body.lowerBound, $0.body.upperBound) }
    let arms = zip(heads, bodies).map { "\($0) => \($1)" }
    let code = "\(head) { \(arms.joined(separator: "; ")) }"
    if code.count <= 90, !code.contains("\n") {
      let place = span(Int(layout.tokens[statementStart].start), Int(layout.tokens[end - 1].end))
      return Help("write", code: code, edit: Help.Edit(place, "\(head) {\n  \(arms.joined(separator: "\n  "))\n}"))
    }
    let short = heads.prefix(3).map { "\($0) => \(Help.blank)" } + (heads.count > 3 ? [Help.blank] : [])
    return Help("write", code: "\(head) { \(short.joined(separator: "; ")) }")
  }

  /// A name for each parameter: one that a case has for it.
  private func parameters(_ all: [Equation]) -> [String] {
    var names: [String] = []
    for place in all[0].patterns.indices {
      let own = all.map { $0.patterns[place] }.last { layout.tokens[$0.lowerBound].kind == .lowerName && $0.count == 1 }
      let name = own.map { text($0.lowerBound) } ?? ["x", "y", "z"].first { !names.contains($0) } ?? "x\(place)"
      names.append(names.contains(name) ? "\(name)\(place)" : name)
    }
    return names
  }

  /// A pattern as it is written here: `(Some x)` is `Some(x)`, `(first:rest)` is `[first, ...rest]`.
  private func patternText(_ pattern: Range<Int>) -> String {
    let whole = written(pattern.lowerBound, pattern.upperBound)
    if let variant = variant(pattern) { return variant }
    guard layout.tokens[pattern.lowerBound].kind == .leftParen, pattern.count == 5 else { return whole }
    let inner = pattern.lowerBound + 1..<pattern.upperBound - 1
    let kinds = inner.map { layout.tokens[$0].kind }
    if kinds[1] == .colon, [.lowerName, .wildcard].contains(kinds[2]) {
      let rest = kinds[2] == .wildcard ? "" : text(inner.lowerBound + 2)
      return "[\(text(inner.lowerBound)), ...\(rest)]"
    }
    return whole
  }
}

extension Parser {
  /// `(Some x)` as it is written here; nil where it is something else.
  private func variant(_ pattern: Range<Int>) -> String? {
    guard pattern.count > 3, layout.tokens[pattern.lowerBound].kind == .leftParen else { return nil }
    let inner = pattern.lowerBound + 1..<pattern.upperBound - 1
    guard layout.tokens[inner.lowerBound].kind == .upperName,
      inner.dropFirst().allSatisfy({ [.lowerName, .wildcard, .int].contains(layout.tokens[$0].kind) })
    else { return nil }
    return "\(text(inner.lowerBound))(\(inner.dropFirst().map { text($0) }.joined(separator: ", ")))"
  }
}

extension [Int] {
  /// The place of a number in a list that rises.
  fileprivate func firstPlace(of number: Int) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == number ? low : nil
  }
}
