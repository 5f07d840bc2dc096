// Whether a row of tokens is a program by the grammar: every rule at every place gives the set of places where it
// may end, remembered. That is complete for a grammar without left recursion, and polynomial.

import FRPSyntax

struct GrammarRecogniser {
  let grammar: Grammar
  let tokens: [GrammarToken]
  private var memo: [String: [Int: [Int]]] = [:]

  init(_ grammar: Grammar, _ tokens: [GrammarToken]) {
    self.grammar = grammar
    self.tokens = tokens
  }

  static func accepts(_ grammar: Grammar, _ tokens: [GrammarToken]) -> Bool {
    var recogniser = GrammarRecogniser(grammar, tokens)
    return recogniser.ends(.rule("File"), [0]).contains(tokens.count)
  }

  private mutating func ends(_ node: GrammarNode, _ starts: [Int]) -> [Int] {
    switch node {
    case .terminal(let text): return starts.compactMap { after($0, text, isName: false) }
    case .rule(let name):
      if ["NEWLINE", "LOWER", "UPPER", "QUOTED", "INT", "FLOAT", "DURATION"].contains(name) || name.hasPrefix("TEXT_") {
        return starts.compactMap { after($0, name, isName: true) }
      }
      var result: Set<Int> = []
      for start in starts { result.formUnion(ends(ofRule: name, start)) }
      return result.sorted()
    case .sequence(let nodes):
      var current = starts
      for node in nodes where !current.isEmpty { current = ends(node, current) }
      return current
    case .choice(let nodes):
      var result: Set<Int> = []
      for node in nodes { result.formUnion(ends(node, starts)) }
      return result.sorted()
    case .optional(let inner): return Set(starts).union(ends(inner, starts)).sorted()
    case .many(let inner):
      var all = Set(starts)
      var frontier = starts
      while !frontier.isEmpty {
        frontier = ends(inner, frontier).filter { all.insert($0).inserted }
      }
      return all.sorted()
    case .range, .words: return []
    }
  }

  private mutating func ends(ofRule name: String, _ start: Int) -> [Int] {
    if let known = memo[name]?[start] { return known }
    guard let node = grammar.rules[name] else { return [] }
    let result = ends(node, [start])
    memo[name, default: [:]][start] = result
    return result
  }

  /// A `NEWLINE` that no rule asks for is a blank.
  private func after(_ start: Int, _ wanted: String, isName: Bool) -> Int? {
    var index = start
    if wanted != "NEWLINE" {
      while index < tokens.count, tokens[index].name == "NEWLINE" { index += 1 }
    }
    guard index < tokens.count else { return nil }
    let token = tokens[index]
    let fits = isName ? token.name == wanted : token.text == wanted && !token.name.hasPrefix("TEXT_")
    return fits ? index + 1 : nil
  }
}
