// The `test` blocks of a program, as text: what a test needs is put into a copy of the program as further outputs, so
// that everything in it means what it means anywhere else.

import FRPBase
import FRPSema
import FRPSyntax

/// One `test` block of a program's main file.
public struct TestBlock: Sendable {
  /// As it is written after `test`.
  public var name: String
  /// 1-based.
  public var line: Int
  var steps: [Step]

  enum Step: Sendable {
    case given(input: String, value: String, every: String?, with: [Named])
    case answer(operation: String, parameters: String, value: String, every: String?, with: [Named])
    case expectAt(String, at: String, equals: String, within: String?, source: String)
    case expectMarbles(String, marbles: String, every: String, with: [Named], source: String)
  }

  /// Around the name of an operation whose calls are looked at: no text of a program has it.
  static let mark = "\u{1}"

  struct Named: Sendable {
    var letter: String
    var value: String
  }
}

extension TestBlock {
  /// The tests of a program's main file, in order. Empty if it cannot be read.
  public static func all(in source: Source) -> [TestBlock] {
    let loaded = ModuleLoader(read: { _ in nil }).load(path: source.name, bytes: source.bytes)
    guard let module = loaded.tree.modules.first else { return [] }
    let reader = BlockReader(tree: loaded.tree, sources: loaded.sources)
    return module.items.compactMap { item in
      guard case .test(let name, let steps) = loaded.tree[item] else { return nil }
      return TestBlock(name: name, line: reader.line(loaded.tree.span(item)), steps: steps.map(reader.step))
    }
  }
}

extension TestBlock {
  /// A lane of a test, given or expected.
  package struct Lane: Sendable {
    /// The input, or the expression.
    package var subject: String
    /// When its values occur, in seconds, each as it is written.
    package var shown: [(time: Double, value: String)]
    /// How long it is, in seconds.
    package var length: Double
  }

  /// Each part of a text, and whether it is an operation whose calls stand there.
  static func parts(_ text: String) -> [(text: String, isCalls: Bool)] {
    text.parts(separatedBy: mark).enumerated().map { (String($1), $0 % 2 == 1) }
  }

  static func written(_ text: String) -> String {
    parts(text).map { $0.isCalls ? "calls(\($0.text))" : $0.text }.joined()
  }

  /// The lanes whose marbles and moments are written out; `seconds` reads a duration.
  package func lanes(_ seconds: (String) -> Double?) -> [Lane] {
    steps.compactMap { step in
      switch step {
      case .given(let input, let value, let every?, let with): lane(input, value, every: seconds(every), with)
      case .expectMarbles(let subject, let marbles, let every, let with, _):
        lane(Self.written(subject), marbles, every: seconds(every), with)
      default: nil
      }
    }
  }

  private func lane(_ subject: String, _ marbles: String, every: Double?, _ named: [Named]) -> Lane? {
    guard let every, marbles.hasPrefix("\""), marbles.hasSuffix("\""), marbles.count > 2,
      let lane = MarbleLane(String(marbles.dropFirst().dropLast()))
    else { return nil }
    let values = Dictionary(named.map { ($0.letter, $0.value) }) { first, _ in first }
    let shown = lane.moments.flatMap { moment in
      moment.letters.map { (Double(moment.column) * every, values[String($0)] ?? String($0)) }
    }
    return Lane(subject: subject, shown: shown, length: Double(lane.length) * every)
  }
}

private struct BlockReader {
  let tree: Tree
  let sources: SourceMap

  func line(_ span: Span) -> Int { sources[span.file].position(at: Int(span.start)).line }

  /// As it is written; `calls(Http.post)` stands as `TestBlock.mark` around the operation's name.
  private func text(_ expr: ExprID) -> String {
    let whole = tree.span(expr)
    var places: [(span: Span, operation: String)] = []
    tree.walk(expr) { part in
      if case .call(let callee, let arguments) = tree[part], case .name("calls") = tree[callee], arguments.count == 1,
        case .qualified(let module, let name) = tree[arguments[0]]
      {
        places.append((tree.span(part), "\(module.text).\(name.text)"))
      }
      return true
    }
    if places.isEmpty { return sources.text(whole) }
    var text = ""
    var end = whole.start
    for place in places.sorted(by: { $0.span.start < $1.span.start }) {
      text += sources.text(Span(file: whole.file, start: Int(end), end: Int(place.span.start)))
      text += TestBlock.mark + place.operation + TestBlock.mark
      end = place.span.end
    }
    return text + sources.text(Span(file: whole.file, start: Int(end), end: Int(whole.end)))
  }

  private func named(_ fields: [RecordField]) -> [TestBlock.Named] {
    fields.map { TestBlock.Named(letter: $0.name.text, value: text($0.value)) }
  }

  func step(_ step: TestStep) -> TestBlock.Step {
    switch step {
    case .given(let input, let value, let every, let with, _):
      .given(input: input.text, value: text(value), every: every.map(text), with: named(with))
    case .answer(let callee, let parameters, let value, let every, let with, _):
      .answer(
        operation: text(callee),
        parameters: parameters.isEmpty
          ? "" : "(" + parameters.map { sources.text(tree.span($0)) }.joined(separator: ", ") + ")",
        value: text(value), every: every.map(text), with: named(with))
    case .expectAt(let value, let at, let equals, let within, let span):
      .expectAt(text(value), at: text(at), equals: text(equals), within: within.map(text), source: sources.text(span))
    case .expectMarbles(let value, let marbles, let every, let with, let span):
      .expectMarbles(
        text(value), marbles: text(marbles), every: text(every), with: named(with), source: sources.text(span))
    }
  }
}
