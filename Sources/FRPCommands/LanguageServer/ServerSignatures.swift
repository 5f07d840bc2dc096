// What the call around the cursor takes.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax

extension LanguageServer {
  func signatures(_ document: Document, _ params: JSONObject) -> JSONTree {
    let offset = offset(params.object("position"), in: document.file)
    let tokens = Parser.grammarTokens(document.file).filter { $0.end > $0.start && $0.start < offset }
    guard let open = CallAround.open(tokens), open > 0 else { return nil }
    let callee = tokens[open - 1]
    let analysis = analysis(document)
    guard let name = analysis.name(at: callee.end), Int(name.span.end) == callee.end else { return nil }
    let isPiped = CallAround.isPiped(tokens, callee: open - 1)
    let active = CallAround.commas(tokens, after: open) + (isPiped ? 1 : 0)
    let found = signatures(of: name, analysis)
    if found.isEmpty { return nil }
    return [
      "signatures": .array(found.map(Self.tree)), "activeSignature": 0, "activeParameter": .int(active),
    ]
  }

  struct Signature {
    var label: String
    var parameters: [String]
    var documentation: String
  }

  private static func tree(_ signature: Signature) -> JSONTree {
    [
      "label": .text(signature.label),
      "documentation": ["kind": "markdown", "value": .text(signature.documentation)],
      "parameters": .array(signature.parameters.map { ["label": .text($0)] }),
    ]
  }

  private func signatures(of name: NameOccurrence, _ analysis: Analysis) -> [Signature] {
    switch name.target {
    case .builtin(let rows): return rows.map { Self.signature(Builtins.all[$0]) }
    case .item, .binder, .constructor:
      guard let type = analysis.type(of: name.target), analysis.isFunction(name.target) || isConstructor(name.target)
      else { return [] }
      let names = parameterNames(name.target, analysis)
      let text = analysis.sources.text(name.span)
      return [Self.signature(text, type, names: names, words: analysis.documentation(of: name.target) ?? "")]
    case .module, .builtinType: return []
    }
  }

  private func isConstructor(_ target: NameTarget) -> Bool {
    if case .constructor = target { return true }
    return false
  }

  /// What a function calls its parameters.
  private func parameterNames(_ target: NameTarget, _ analysis: Analysis) -> [String] {
    guard case .item(let item) = target, let tree = analysis.typed?.tree, case .definition(let definition) = tree[item],
      case .function(_, let parameters) = definition.binder
    else { return [] }
    return parameters.map { analysis.sources.text(tree.span($0.pattern)) }
  }

  /// Of a built-in: `debounce(event: Event<a>, duration: =Float)`.
  static func signature(_ row: Builtin) -> Signature {
    let name = row.isBare ? row.name : "\(row.container).\(row.name)"
    return signature(name, row.signature, names: row.parameters, words: row.summary)
  }

  private static func signature(_ name: String, _ type: String, names: [String], words: String) -> Signature {
    guard let (types, result) = SignatureText.parameters(of: type) else {
      return Signature(label: "\(name): \(type)", parameters: [], documentation: words)
    }
    let parameters = types.enumerated().map { index, type in
      names.indices.contains(index) && names[index] != type ? "\(names[index]): \(type)" : type
    }
    return Signature(
      label: "\(name)(\(parameters.joined(separator: ", "))) -> \(result)", parameters: parameters, documentation: words
    )
  }
}

/// The call whose brackets are open at the end of some tokens.
enum CallAround {
  /// The bracket of the call: the innermost that is open, if it is round and stands right behind a name.
  static func open(_ tokens: [GrammarToken]) -> Int? {
    var depth = 0
    for index in tokens.indices.reversed() {
      switch tokens[index].text {
      case ")", "]", "}": depth += 1
      case "(", "[", "{":
        if depth > 0 {
          depth -= 1
          continue
        }
        guard tokens[index].text == "(", index > 0, ["LOWER", "UPPER"].contains(tokens[index - 1].name),
          tokens[index - 1].end == tokens[index].start
        else { return nil }
        return index
      default: break
      }
    }
    return nil
  }

  /// The commas of a bracket itself.
  static func commas(_ tokens: [GrammarToken], after open: Int) -> Int {
    var depth = 0
    var count = 0
    for token in tokens[(open + 1)...] {
      switch token.text {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "," where depth == 0: count += 1
      default: break
      }
    }
    return count
  }

  /// Whether something is piped into the name: `x |> f`, `x |> List.map`.
  static func isPiped(_ tokens: [GrammarToken], callee: Int) -> Bool {
    var first = callee
    while first >= 2, tokens[first - 1].text == ".", tokens[first - 2].name == "UPPER" { first -= 2 }
    return first > 0 && tokens[first - 1].text == "|>"
  }
}
