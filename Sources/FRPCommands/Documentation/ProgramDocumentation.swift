// What is known of a program that its readers may want: definitions with types, what they are in time, their comments,
// examples that were run, who uses whom, tests that were run.

import FRP
import FRPBase
import FRPRuntime
import FRPSema
import FRPSyntax

struct ProgramDocumentation {
  struct Entry {
    enum Sort: String, CaseIterable {
      case input, output, definition, function, type

      var title: String {
        switch self {
        case .input: "Inputs"
        case .output: "Outputs"
        case .definition: "Definitions"
        case .function: "Functions"
        case .type: "Types"
        }
      }
    }

    var name: String
    var sort: Sort
    /// As programs write it; empty for a type.
    var type: String
    /// `event`, `step`, `continuous`, `constant`; empty for functions and types.
    var time: String
    /// Its `///` lines, without those that speak to pages (`@range`).
    var documentation: String
    var line: Int
    var source: String
    /// Where that stands, in bytes.
    var range: Range<Int>
    var uses: [String] = []
    var usedBy: [String] = []
    var examples: [DocExample] = []
  }

  /// The file, without its folder.
  let title: String
  /// The comment that the file begins with.
  let description: String
  private(set) var entries: [Entry] = []
  private(set) var tests: [TestResult] = []
  let graph: DependencyGraph
  let source: Source

  /// Whether anything has a comment of its own.
  var isCommented: Bool { entries.contains { !$0.documentation.isEmpty } }

  /// What is wrong with examples and tests: sentences, with their lines.
  var problems: [(line: Int, text: String)] {
    let lines = String(decoding: source.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let examples = entries.flatMap { entry in
      entry.examples.flatMap(\.problems).map { problem in
        (Self.line(of: problem, above: entry.line, lines), "an example of `\(entry.name)`: \(problem.text)")
      }
    }
    let failures = tests.filter { !$0.passed }.map { ($0.line, "the test `\($0.name)` fails") }
    return (examples + failures).sorted { $0.0 < $1.0 }
  }

  /// Where in the comment above a definition that is; the definition's line if it is not to be found.
  private static func line(of problem: DocExample.Problem, above line: Int, _ lines: [Substring]) -> Int {
    guard let code = problem.line.map(trimmed) else { return line }
    var (place, found) = (line - 2, line)
    while lines.indices.contains(place), lines[place].hasPrefix("///") {
      let text = trimmed(String(lines[place].dropFirst(3)))
      // What is kept of a statement ends before the comment behind it.
      let rest = trimmed(String(text.dropFirst(code.count)))
      if text.hasPrefix(code), rest.isEmpty || rest.hasPrefix("//") { found = place + 1 }
      place -= 1
    }
    return found
  }

  /// Of a program without errors.
  init(_ source: Source, _ program: Program, in surroundings: Surroundings, limits: Limits = Limits()) {
    self.source = source
    title = source.name.split(separator: "/").last.map(String.init) ?? source.name
    description = Self.opening(source)
    graph = program.graph
    let file = SourceFile(name: source.name, bytes: source.bytes)
    let analysis = Analysis(file, surroundings)
    let outputs = Set(program.outputs.map(\.name))
    for item in analysis.typed?.tree.modules.first?.items ?? [] { add(item, analysis, outputs) }
    addUses()
    for place in entries.indices {
      entries[place].examples = Self.codes(entries[place].documentation).map {
        DocExample($0, in: source, surroundings, limits: limits)
      }
    }
    tests = TestBlock.all(in: source).map { test in
      test.run(in: source, modules: surroundings.modules, host: surroundings.modules(for: source))
    }
  }

  /// The `//` lines that a file begins with.
  private static func opening(_ source: Source) -> String {
    var lines: [Substring] = []
    for line in String(decoding: source.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#!"), lines.isEmpty { continue }
      guard line.hasPrefix("//"), !line.hasPrefix("///") else { break }
      lines.append(line.dropFirst(2).hasPrefix(" ") ? line.dropFirst(3) : line.dropFirst(2))
    }
    return lines.joined(separator: "\n")
  }

  /// The blocks of code in a comment.
  static func codes(_ documentation: String) -> [String] {
    MarkdownText(documentation).blocks.compactMap { block in
      if case .code(let code, let language) = block, language ?? "frp" == "frp" || language == "" { code } else { nil }
    }
  }

  // MARK: Entries

  private mutating func add(_ item: ItemID, _ analysis: Analysis, _ outputs: Set<String>) {
    guard let tree = analysis.typed?.tree else { return }
    let span = tree.span(item)
    let docs = Self.plain(tree.itemDocs[item] ?? "")
    func entry(_ name: String, _ sort: Entry.Sort, type: String, time: String) {
      entries.append(
        Entry(
          name: name, sort: sort, type: type, time: time, documentation: docs,
          line: analysis.file.position(at: Int(span.start)).line, source: analysis.sources.text(span),
          range: Int(span.start)..<Int(span.end)))
    }
    switch tree[item] {
    case .type(let name, _, _), .alias(let name, _, _): entry(name.text, .type, type: "", time: "")
    case .input, .definition:
      for (name, target) in analysis.declared(by: item) {
        let isInput = if case .input = tree[item] { true } else { false }
        let isFunction = analysis.isFunction(target)
        let time = analysis.isEvent(target) ? "event" : isFunction ? "" : analysis.time(of: target)?.rawValue ?? ""
        let sort: Entry.Sort =
          isInput ? .input : outputs.contains(name.text) ? .output : isFunction ? .function : .definition
        entry(name.text, sort, type: analysis.type(of: target) ?? "", time: time)
      }
    case .output, .importModule, .test: break
    }
  }

  /// Lines like `@range 0 10` are for pages.
  private static func plain(_ documentation: String) -> String {
    var lines = documentation.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("@") }
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  private mutating func addUses() {
    let names = graph.definitions
    for arrow in graph.arrows(among: names) {
      for place in entries.indices {
        if entries[place].name == arrow.to { entries[place].uses.append(arrow.from) }
        if entries[place].name == arrow.from { entries[place].usedBy.append(arrow.to) }
      }
    }
  }

  // MARK: JSON

  var json: String {
    let list = entries.map { entry in
      let examples = entry.examples.map(Self.json).joined(separator: ",")
      func names(_ list: [String]) -> String { "[" + list.map(jsonString).joined(separator: ",") + "]" }
      return
        "    {\"name\":\(jsonString(entry.name)),\"sort\":\"\(entry.sort.rawValue)\",\"type\":\(jsonString(entry.type)),"
        + "\"time\":\"\(entry.time)\",\"line\":\(entry.line),\"documentation\":\(jsonString(entry.documentation)),"
        + "\"source\":\(jsonString(entry.source)),\"uses\":\(names(entry.uses)),\"usedBy\":\(names(entry.usedBy)),"
        + "\"examples\":[\(examples)]}"
    }
    let tests = tests.map { "{\"name\":\(jsonString($0.name)),\"line\":\($0.line),\"passed\":\($0.passed)}" }
    return
      "{\n  \"file\": \(jsonString(title)),\n  \"description\": \(jsonString(description)),\n  \"definitions\": [\n"
      + list.joined(separator: ",\n") + "\n  ],\n  \"tests\": [\(tests.joined(separator: ","))]\n}\n"
  }

  private static func json(_ example: DocExample) -> String {
    let shown = example.shown.map { row in
      "{\"source\":\(jsonString(row.source)),\"value\":\(jsonString(row.value))}"
    }
    let problems = example.problems.map { jsonString($0.text) }.joined(separator: ",")
    return
      "{\"source\":\(jsonString(example.source)),\"shown\":[\(shown.joined(separator: ","))],\"problems\":[\(problems)]}"
  }

  // MARK: Markdown

  var markdown: String {
    var out = "# \(title)\n" + (description.isEmpty ? "" : "\n\(description)\n")
    for sort in Entry.Sort.allCases {
      let own = entries.filter { $0.sort == sort }
      if own.isEmpty { continue }
      out += "\n## \(sort.title)\n"
      for entry in own {
        let head = entry.type.isEmpty ? entry.source : "\(entry.name): \(entry.type)"
        out += "\n### `\(entry.name)`\n\n" + head.split(separator: "\n").map { "    \($0)\n" }.joined()
        if !entry.time.isEmpty { out += "\n\(Self.words(entry.time))\n" }
        if !entry.documentation.isEmpty { out += "\n\(entry.documentation)\n" }
        let values = entry.examples.flatMap(\.shown).filter { $0.expected == nil }
        if !values.isEmpty { out += "\n" + values.map { "    \($0.source)   // \($0.value)\n" }.joined() }
      }
    }
    return out
  }

  static func words(_ time: String) -> String {
    switch time {
    case "event": "An event."
    case "step": "A step behavior: it changes only at instants."
    case "continuous": "A continuous behavior: it varies between instants."
    default: "A constant: known once."
    }
  }
}
