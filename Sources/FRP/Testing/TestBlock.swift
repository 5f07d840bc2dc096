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
    case given(input: String, value: Expression, every: Expression?, with: [Named])
    case answer(operation: String, parameters: String, value: Expression, every: Expression?, with: [Named])
    case expectAt(Expression, at: Expression, equals: Expression, within: Expression?, source: String)
    case expectMarbles(Expression, marbles: Expression, every: Expression, with: [Named])
  }

  /// An expression of a test.
  struct Expression: Sendable {
    enum Part: Sendable {
      /// A text as it is written, from this offset of the program's file on.
      case text(String, at: Int32)
      /// An operation whose calls are looked at: `calls(Http.post)`.
      case calls(String)
    }
    var parts: [Part]
    /// Where it stands in the program's file.
    var place: Span

    /// Whether it looks at calls.
    var hasCalls: Bool { parts.contains { if case .calls = $0 { true } else { false } } }
    /// As it is written.
    var text: String {
      parts.map { part in
        switch part {
        case .text(let text, _): text
        case .calls(let operation): "calls(\(operation))"
        }
      }.joined()
    }
  }

  struct Named: Sendable {
    var letter: String
    var value: Expression
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

  /// The lanes whose marbles and moments are written out; `seconds` reads a duration.
  package func lanes(_ seconds: (String) -> Double?) -> [Lane] {
    steps.compactMap { step in
      switch step {
      case .given(let input, let value, let every?, let with):
        lane(input, value.text, every: seconds(every.text), with)
      case .expectMarbles(let subject, let marbles, let every, let with):
        lane(subject.text, marbles.text, every: seconds(every.text), with)
      default: nil
      }
    }
  }

  private func lane(_ subject: String, _ marbles: String, every: Double?, _ named: [Named]) -> Lane? {
    guard let every, marbles.hasPrefix("\""), marbles.hasSuffix("\""), marbles.count > 2,
      let lane = MarbleLane(String(marbles.dropFirst().dropLast()))
    else { return nil }
    let values = Dictionary(named.map { ($0.letter, $0.value.text) }) { first, _ in first }
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

  private func text(_ expr: ExprID) -> String { sources.text(tree.span(expr)) }

  private func expression(_ expr: ExprID) -> TestBlock.Expression {
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
    func part(_ start: Int32, _ end: Int32) -> TestBlock.Expression.Part {
      .text(sources.text(Span(file: whole.file, start: Int(start), end: Int(end))), at: start)
    }
    var parts: [TestBlock.Expression.Part] = []
    var end = whole.start
    for place in places.sorted(by: { $0.span.start < $1.span.start }) {
      parts += [part(end, place.span.start), .calls(place.operation)]
      end = place.span.end
    }
    return TestBlock.Expression(parts: parts + [part(end, whole.end)], place: whole)
  }

  private func named(_ fields: [RecordField]) -> [TestBlock.Named] {
    fields.map { TestBlock.Named(letter: $0.name.text, value: expression($0.value)) }
  }

  func step(_ step: TestStep) -> TestBlock.Step {
    switch step {
    case .given(let input, let value, let every, let with, _):
      .given(input: input.text, value: expression(value), every: every.map(expression), with: named(with))
    case .answer(let callee, let parameters, let value, let every, let with, _):
      .answer(
        operation: text(callee),
        parameters: parameters.isEmpty
          ? "" : "(" + parameters.map { sources.text(tree.span($0)) }.joined(separator: ", ") + ")",
        value: expression(value), every: every.map(expression), with: named(with))
    case .expectAt(let value, let at, let equals, let within, let span):
      .expectAt(
        expression(value), at: expression(at), equals: expression(equals), within: within.map(expression),
        source: sources.text(span))
    case .expectMarbles(let value, let marbles, let every, let with, _):
      .expectMarbles(
        expression(value), marbles: expression(marbles), every: expression(every), with: named(with))
    }
  }
}
