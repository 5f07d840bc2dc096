// Colours by meaning: constants, behaviors and events apart, and what the lexer knows anyway.

import FRPBase
import FRPSema
import FRPSyntax

/// The protocol's kinds of tokens that are used; their order is the legend.
enum TokenKindOfProtocol: String, CaseIterable {
  case namespace, type, typeParameter, parameter, variable, property, enumMember, event, function, keyword, comment,
    string, number, `operator`
}

/// Behaviors that vary between instants have a modifier of their own; constants are read-only.
enum TokenModifier: String, CaseIterable {
  case definition, readonly, defaultLibrary, continuous
}

extension LanguageServer {
  func semanticTokens(_ document: Document) -> JSONTree {
    let tokens = Self.colouredTokens(document.file, analysis(document), earlier: document.good)
    return ["data": .array(encoded(tokens, in: document.file).map { .int($0) })]
  }

  /// The tokens of a text, in order; of one with mistakes, `earlier` is the last that had none.
  static func colouredTokens(_ file: SourceFile, _ analysis: Analysis, earlier: Analysis? = nil) -> [ColouredToken] {
    var tokens: [ColouredToken] = []
    var names: [Int32: NameOccurrence] = [:]
    for name in analysis.names { names[name.span.start] = name }
    for token in Parser.grammarTokens(file) where token.end > token.start {
      if let name = names[Int32(token.start)], Int(name.span.end) == token.end {
        tokens.append(coloured(name, token, in: analysis, earlier: earlier))
      } else if let kind = Self.kind(token) {
        tokens.append(ColouredToken(start: token.start, end: token.end, kind: kind))
      }
    }
    for comment in analysis.typed?.tree.modules.first?.comments ?? [] {
      tokens.append(ColouredToken(start: Int(comment.span.start), end: Int(comment.span.end), kind: .comment))
    }
    return tokens.sorted { $0.start < $1.start }
  }

  struct ColouredToken {
    var start: Int
    var end: Int
    var kind: TokenKindOfProtocol
    var modifiers: [TokenModifier] = []
  }

  private static func coloured(
    _ name: NameOccurrence, _ token: GrammarToken, in analysis: Analysis, earlier: Analysis?
  ) -> ColouredToken {
    var result = ColouredToken(start: token.start, end: token.end, kind: .variable)
    switch name.target {
    case .module: result.kind = .namespace
    case .constructor: result.kind = .enumMember
    case .builtinType: (result.kind, result.modifiers) = (.type, [.defaultLibrary])
    case .binder, .item, .builtin:
      result.kind = kind(name.target, analysis)
      if case .builtin = name.target { result.modifiers.append(.defaultLibrary) }
      let time = analysis.time(of: name.target) ?? (analysis.isClean ? nil : earlier?.time(ofName: token.text))
      if result.kind == .variable, time == .constant { result.modifiers.append(.readonly) }
      if result.kind == .variable, time == .continuous { result.modifiers.append(.continuous) }
    }
    if name.isDefinition { result.modifiers.append(.definition) }
    return result
  }

  private static func kind(_ target: NameTarget, _ analysis: Analysis) -> TokenKindOfProtocol {
    if case .item(let item) = target, let tree = analysis.typed?.tree {
      switch tree[item] {
      case .type, .alias: return .type
      default: break
      }
    }
    if analysis.isEvent(target) { return .event }
    if analysis.isFunction(target) { return .function }
    return analysis.isParameter(target) ? .parameter : .variable
  }

  private static func kind(_ token: GrammarToken) -> TokenKindOfProtocol? {
    switch token.name {
    case "INT", "FLOAT", "DURATION": .number
    case "TEXT_BEGIN", "TEXT_PIECE", "TEXT_END": .string
    case "QUOTED": .property
    case "LOWER", "UPPER": nil
    case "|>", "=>", "->", "..", "++", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "!", "±":
      .operator
    default: ReplSyntax.words.contains(token.text) ? .keyword : nil
    }
  }

  /// Five numbers a token: lines and characters from the one before, its length, kind and modifiers. A token of several
  /// lines is one for each.
  private func encoded(_ tokens: [ColouredToken], in file: SourceFile) -> [Int] {
    var out: [Int] = []
    var last = TextPosition(line: 0, character: 0)
    for token in tokens {
      for (start, end) in Self.lines(token, in: file) {
        let place = file.textPosition(at: start, encoding)
        let stop = file.textPosition(at: end, encoding)
        let isSameLine = place.line == last.line
        // What overlaps the token before is a part of it.
        if place.line < last.line || isSameLine && place.character < last.character { continue }
        let bits = token.modifiers.reduce(0) { bits, modifier in
          bits | 1 << (TokenModifier.allCases.firstIndex(of: modifier) ?? 0)
        }
        out += [
          place.line - last.line, isSameLine ? place.character - last.character : place.character,
          stop.character - place.character, TokenKindOfProtocol.allCases.firstIndex(of: token.kind) ?? 0, bits,
        ]
        last = place
      }
    }
    return out
  }

  private static func lines(_ token: ColouredToken, in file: SourceFile) -> [(start: Int, end: Int)] {
    let first = file.editorLineIndex(at: token.start)
    let last = file.editorLineIndex(at: max(token.start, token.end - 1))
    return (first...last).compactMap { line in
      let bytes = file.editorLineBytes(line)
      let start = max(token.start, bytes.startIndex)
      let end = min(token.end, bytes.endIndex)
      return start < end ? (start, end) : nil
    }
  }
}
