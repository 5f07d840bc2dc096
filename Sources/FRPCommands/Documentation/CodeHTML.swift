// Programs as HTML, in the colours of the language server: constants, behaviors and events apart.

import FRP
import FRPBase

/// A text whose names are known.
struct CodeHTML {
  private let bytes: [UInt8]
  private let tokens: [LanguageServer.ColouredToken]

  init(_ bytes: [UInt8], in surroundings: Surroundings) {
    self.bytes = bytes
    let file = SourceFile(name: "part.frp", bytes: bytes)
    tokens = LanguageServer.colouredTokens(file, Analysis(file, surroundings))
  }

  /// A whole program, or a part of one that stands behind `program`: what neither defines has no colour.
  static func html(_ code: String, behind program: [UInt8] = [], in surroundings: Surroundings) -> String {
    var code = code
    while code.hasSuffix("\n") { code.removeLast() }
    let before = program + (program.isEmpty ? [] : [0x0A])
    let text = CodeHTML(before + Array(code.utf8), in: surroundings)
    return text.html(before.count..<text.bytes.count)
  }

  /// A part of the text.
  func html(_ range: Range<Int>) -> String { "<pre class=\"frp\">\(coloured(range))</pre>\n" }

  private func coloured(_ range: Range<Int>) -> String {
    var out = ""
    var end = range.lowerBound
    func text(_ from: Int, to: Int) -> String { SVG.escaped(String(decoding: bytes[from..<to], as: UTF8.self)) }
    for token in tokens where token.start >= end && token.end <= range.upperBound {
      out += text(end, to: token.start)
      let word = text(token.start, to: token.end)
      out += Self.style(token).map { "<span class=\"\($0)\">\(word)</span>" } ?? word
      end = token.end
    }
    return out + text(end, to: range.upperBound)
  }

  private static func style(_ token: LanguageServer.ColouredToken) -> String? {
    switch token.kind {
    case .keyword: "k-word"
    case .comment: "k-comment"
    case .string: "k-text"
    case .number: "k-number"
    case .event: "k-event"
    case .type, .enumMember, .typeParameter, .namespace: "k-type"
    case .function: "k-function"
    case .variable:
      token.modifiers.contains(.readonly) ? "k-constant" : token.modifiers.contains(.continuous) ? "k-moving" : "k-step"
    case .parameter, .property, .operator: nil
    }
  }
}
