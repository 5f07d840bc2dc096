// What the editor shows between the lines: types of definitions, parts that fold, tests that can be run.

import FRP
import FRPBase
import FRPSema
import FRPSyntax

extension LanguageServer {
  // MARK: Types

  /// The types of definitions that do not say them.
  func inlayHints(_ document: Document, _ params: JSONObject) -> JSONTree {
    let analysis = analysis(document)
    guard let typed = analysis.typed, let main = typed.tree.modules.first else { return [] }
    let shown = offsets(params.object("range"), in: document.file)
    var hints: [JSONTree] = []
    for item in main.items {
      let span = typed.tree.span(item)
      guard Int(span.start) <= shown.upperBound, shown.lowerBound <= Int(span.end),
        case .definition(let definition) = typed.tree[item]
      else { continue }
      for (offset, type) in missingTypes(definition, of: item, in: analysis, document) {
        hints.append([
          "position": position(offset, in: document.file), "label": .text(": " + Self.short(type)), "kind": 1,
        ])
      }
    }
    return .array(hints)
  }

  /// A hint stands in a line of code, and does not push the rest out of sight.
  private static func short(_ type: String) -> String { type.count <= 60 ? type : type.prefix(59) + "…" }

  private func missingTypes(
    _ definition: Definition, of item: ItemID, in analysis: Analysis, _ document: Document
  ) -> [(offset: Int, type: String)] {
    guard let typed = analysis.typed, definition.type == nil else { return [] }
    switch definition.binder {
    case .value(let pattern):
      guard case .name(let name) = typed.tree[pattern] else { return [] }
      let end = Int(typed.tree.span(pattern).end)
      guard var type = analysis.type(of: .binder(pattern)) else {
        // What cannot be judged now is what it was.
        let earlier = document.good.flatMap { good in good.topLevel(name).flatMap { good.type(of: $0.target) } }
        return earlier.map { [(end, $0)] } ?? []
      }
      // Evaluation says nothing where there are mistakes.
      if !analysis.isClean, let good = document.good, let known = good.topLevel(name),
        let earlier = good.type(of: known.target), earlier == "Behavior<\(type)>" || type.hasPrefix("Num ")
      {
        type = earlier
      }
      return [(end, type)]
    case .function(_, let parameters):
      // Letters of generic types mean something only beside one another.
      guard let scheme = typed.schemes[item], scheme.generics.isEmpty,
        case .function(let types, let result) = typed[scheme.type],
        types.count == parameters.count
      else { return [] }
      var found: [(Int, String)] = zip(parameters, types).compactMap { parameter, type in
        parameter.type == nil
          ? (Int(typed.tree.span(parameter.pattern).end), analysis.named(typed.describe(type))) : nil
      }
      if let end = closing(definition, typed.tree, in: document.file) {
        found.append((end, analysis.named(typed.describe(result))))
      }
      return found
    }
  }

  /// Behind the bracket that closes the parameters.
  private func closing(_ definition: Definition, _ tree: Tree, in file: SourceFile) -> Int? {
    guard case .function(let name, let parameters) = definition.binder else { return nil }
    var offset = parameters.last.map { Int(tree.span($0.pattern).end) } ?? Int(name.span.end)
    if let type = parameters.last?.type { offset = max(offset, Int(tree.span(type).end)) }
    while offset < file.bytes.count, [0x20, 0x2C, 0x0A, 0x0D, 0x09].contains(file.bytes[offset]) { offset += 1 }
    // `f = x => e` has none.
    return offset < file.bytes.count && file.bytes[offset] == 0x29 ? offset + 1 : nil
  }

  // MARK: Folds

  /// Items, and comments, of several lines.
  func folds(_ document: Document) -> JSONTree {
    guard let tree = analysis(document).typed?.tree, let main = tree.modules.first else { return [] }
    var folds: [JSONTree] = []
    func add(_ span: Span, _ kind: String?) {
      let start = document.file.editorLineIndex(at: Int(span.start))
      let end = document.file.editorLineIndex(at: max(Int(span.start), Int(span.end) - 1))
      if start >= end { return }
      var fields: [(name: String, value: JSONTree)] = [("startLine", .int(start)), ("endLine", .int(end))]
      if let kind { fields.append(("kind", .text(kind))) }
      folds.append(.object(fields))
    }
    for item in main.items { add(tree.span(item), nil) }
    for expr in tree.exprs.indices {
      guard tree.exprSpans[expr].file == main.file else { continue }
      switch tree.exprs[expr] {
      case .block, .match, .record, .list: add(tree.exprSpans[expr], nil)
      default: break
      }
    }
    for block in Self.blocks(main.comments, in: document.file) { add(block, "comment") }
    return .array(folds)
  }

  /// Comments on lines that follow one another.
  private static func blocks(_ comments: [Comment], in file: SourceFile) -> [Span] {
    var blocks: [Span] = []
    for comment in comments where comment.ownsLine {
      if let last = blocks.last,
        file.editorLineIndex(at: Int(last.end)) + 1 == file.editorLineIndex(at: Int(comment.span.start))
      {
        blocks[blocks.count - 1] = last.union(comment.span)
      } else {
        blocks.append(comment.span)
      }
    }
    return blocks
  }

  // MARK: Tests

  static let runTest = "frp.runTest"

  /// Above each test, a way to run it.
  func lenses(_ document: Document) -> JSONTree {
    guard let tree = analysis(document).typed?.tree, let main = tree.modules.first else { return [] }
    return .array(
      main.items.compactMap { item -> JSONTree? in
        guard case .test(let name, _) = tree[item] else { return nil }
        return [
          "range": range(tree.span(item), in: document.file),
          "command": [
            "title": "Run test", "command": .text(Self.runTest), "arguments": [.text(document.uri), .text(name)],
          ],
        ]
      })
  }

  /// `frp.runTest` with an address and a test's name: the result is shown, and given back.
  func execute(_ params: JSONObject) throws(Refusal) -> JSONTree {
    guard params.string("command") == Self.runTest else {
      throw Refusal(.invalidParams, "there is no command `\(params.string("command") ?? "")`")
    }
    let words = params.array("arguments").compactMap(JSONParts.string)
    guard words.count == 2, let document = documents[words[0]] else {
      throw Refusal(.invalidParams, "\(Self.runTest) takes the address of an open document and a test's name")
    }
    if !analysis(document).isClean { throw Refusal(.requestFailed, "the program has errors") }
    let source = Source(name: document.path, bytes: document.file.bytes)
    guard let block = TestBlock.all(in: source).first(where: { $0.name == words[1] }) else {
      throw Refusal(.requestFailed, "there is no test `\(words[1])`")
    }
    let around = surroundings
    let result = block.run(in: source, modules: around.modules, host: around.modules(for: source))
    let text = result.passed ? "ok: \(block.name)" : "FAIL: \(block.name)\n" + result.failures.joined(separator: "\n")
    notify("window/showMessage", ["type": result.passed ? 3 : 1, "message": .text(text)])
    return ["passed": .bool(result.passed), "failures": .array(result.failures.map { .text($0) })]
  }
}
