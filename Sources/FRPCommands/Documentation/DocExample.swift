// Examples in `///` comments: code that is run in the program it is written in, and what came of it.
//
// In: a block of code of a comment. Out: for each expression its value, what is wrong, pictures.
// Rules
// - Definitions of an example are added to the program, for this example. An expression is looked at when the program starts;
//   what moves or happens is run for five seconds and drawn. `// value` behind an expression says what it must be.
// - Steps of a test (`given`, `expect`) are one test.

import FRP
import FRPBase
import FRPRuntime
import FRPSyntax

struct DocExample {
  /// An expression and what it was.
  struct Shown {
    var source: String
    var value: String
    var expected: String?
  }

  /// What is wrong, in a sentence.
  struct Problem {
    var text: String
    /// The line of the comment where that begins.
    var line: String?

    init(_ text: String, in code: String? = nil) {
      self.text = text
      line = code?.split(separator: "\n").first.map(String.init)
    }
  }

  var source: String
  var shown: [Shown] = []
  var problems: [Problem] = []
  /// As SVG.
  var pictures: [String] = []

  /// How long what moves or happens is run.
  private static let length = 5.0
  private static let looks = 200

  /// Runs a block of a comment.
  init(_ code: String, in source: Source, _ surroundings: Surroundings, limits: Limits = Limits()) {
    self.source = code
    var definitions: [String] = []
    var steps: [String] = []
    for statement in Self.statements(of: code) {
      if LanePicture.isStep(statement.code[...]) {
        steps.append(statement.code)
      } else if statement.isDefinition {
        definitions.append(statement.code)
      } else {
        shown.append(Shown(source: statement.code, value: "", expected: statement.comment))
      }
    }
    let text = String(decoding: source.bytes, as: UTF8.self) + "\n" + definitions.map { $0 + "\n" }.joined()
    if !steps.isEmpty { test(steps, Source(name: source.name, text: text), surroundings) }
    if !shown.isEmpty { look(Source(name: source.name, text: text), surroundings, limits) }
  }

  // MARK: Reading

  private struct Statement {
    var code: String
    /// What stands behind `//` at its end.
    var comment: String?
    var isDefinition: Bool
  }

  private static func statements(of code: String) -> [Statement] {
    grouped(code.split(separator: "\n", omittingEmptySubsequences: true)[...]).compactMap(statement)
  }

  /// Statements begin at the margin, outside of brackets. One whose brackets are never closed ends where another may begin.
  private static func grouped(_ lines: ArraySlice<Substring>) -> [String] {
    func goesOn(_ line: Substring) -> Bool {
      [" ", "|>", ")", "]", "}", "else"].contains { line.hasPrefix($0) }
    }
    var groups: [[Substring]] = []
    for line in lines {
      if let last = groups.last, goesOn(line) || depth(of: last.joined(separator: "\n")) > 0 {
        groups[groups.count - 1].append(line)
      } else {
        groups.append([line])
      }
    }
    let texts = groups.map { $0.joined(separator: "\n") }
    guard let last = groups.last, depth(of: texts[texts.count - 1]) > 0,
      let next = last.dropFirst().firstIndex(where: { !goesOn($0) })
    else { return texts }
    return texts.dropLast() + [last[..<next].joined(separator: "\n")] + grouped(last[next...])
  }

  private static func depth(of text: String) -> Int {
    Parser.grammarTokens(SourceFile(name: "", text: text)).reduce(0) { depth, token in
      ["(", "[", "{"].contains(token.text) ? depth + 1 : [")", "]", "}"].contains(token.text) ? depth - 1 : depth
    }
  }

  /// Nil for what is a comment alone.
  private static func statement(_ text: String) -> Statement? {
    let tokens = Parser.grammarTokens(SourceFile(name: "", text: text)).filter { $0.end > $0.start }
    guard let end = tokens.map(\.end).max() else { return nil }
    let bytes = Array(text.utf8)
    let rest = String(decoding: bytes[min(end, bytes.count)...], as: UTF8.self).drop { $0 == " " }
    let comment = rest.hasPrefix("//") ? String(rest.dropFirst(2).drop { $0 == " " }) : nil
    var depth = 0
    var isDefinition = ["input", "output", "type", "alias", "import"].contains(tokens.first?.text)
    for token in tokens {
      if ["(", "[", "{"].contains(token.text) { depth += 1 }
      if [")", "]", "}"].contains(token.text) { depth -= 1 }
      if token.text == "=", depth == 0 { isDefinition = true }
    }
    return Statement(
      code: String(decoding: bytes[..<end], as: UTF8.self), comment: comment.flatMap { $0.isEmpty ? nil : $0 },
      isDefinition: isDefinition)
  }

  // MARK: Running

  private mutating func test(_ steps: [String], _ source: Source, _ surroundings: Surroundings) {
    let text =
      String(decoding: source.bytes, as: UTF8.self) + "test \"an example\" {\n"
      + steps.map { "  \($0.replacing("\n", with: "\n  "))\n" }.joined() + "}\n"
    let source = Source(name: source.name, text: text)
    guard let test = TestBlock.all(in: source).last else {
      problems.append(Problem("its steps cannot be read as a test", in: steps.first))
      return
    }
    let result = test.run(in: source, modules: surroundings.modules, host: surroundings.modules(for: source))
    problems += result.failures.map { Problem($0, in: steps.first) }
    if result.passed, let picture = LanePicture.picture(of: test) { pictures.append(picture) }
  }

  private mutating func look(_ source: Source, _ surroundings: Surroundings, _ limits: Limits) {
    let text = String(decoding: source.bytes, as: UTF8.self)
    var prefix = "example"
    while text.contains(prefix) { prefix += "x" }
    func compiled(_ rows: [Shown]) -> Program {
      let outputs = rows.enumerated().map { "output \(prefix)\($0) = (\($1.source))\n" }
      return surroundings.compile(Source(name: source.name, text: text + outputs.joined()))
    }
    var program = compiled(shown)
    if program.hasErrors {
      keepSound(compiled)
      program = compiled(shown)
      if program.hasErrors { shown = [] }
    }
    func faultOfStart(_ program: Program) -> String? { Self.faultOfStart(program, limits, prefix) }
    if !shown.isEmpty, let fault = faultOfStart(program) {
      keepBeginning(fault) { faultOfStart(compiled($0)) }
      program = compiled(shown)
    }
    guard !shown.isEmpty, let simulation = try? Simulation(program, limits: limits) else { return }
    let names = shown.indices.map { "\(prefix)\($0)" }
    let events = names.filter { name in program.outputs.contains { $0.name == name && $0.isEvent } }
    let moving = names.filter { program.isContinuous(output: $0) }
    for name in events { try? simulation.record(name) }
    simulation.start()
    for (number, name) in names.enumerated() where !events.contains(name) {
      do { shown[number].value = simulation.sourceText(try simulation.value(of: name), name) } catch {
        problems.append(
          Problem("`\(shown[number].source)` faults: \(error.message)", in: shown[number].source))
      }
    }
    if !events.isEmpty || !moving.isEmpty { run(simulation, names, moving: moving, events: events) }
    for row in shown where row.expected.map({ $0 != row.value }) ?? false {
      problems.append(Problem("`\(row.source)` gives \(row.value), not \(row.expected ?? "")", in: row.source))
    }
  }

  /// Drops expressions with errors, so that a mistake in one hides nothing of the others.
  private mutating func keepSound(_ compiled: ([Shown]) -> Program) {
    func error(_ rows: [Shown]) -> String? { compiled(rows).diagnostics.first { $0.severity == .error }?.title }
    // What is wrong with the definitions is wrong everywhere.
    if let title = error([]) {
      problems.append(Problem(title))
      shown = []
    }
    var sound: [Shown] = []
    for row in shown {
      if let title = error([row]) { problems.append(Problem(title, in: row.source)) } else { sound.append(row) }
    }
    shown = sound
  }

  /// What a run ends with as it starts, in a sentence, without the names that are given to expressions here.
  private static func faultOfStart(_ program: Program, _ limits: Limits, _ prefix: String) -> String? {
    guard let run = try? Simulation(program, limits: limits) else { return nil }
    run.start()
    guard run.reactor.isOver, var fault = run.faults.first else { return nil }
    if fault.definition?.hasPrefix(prefix) ?? false { fault.definition = nil }
    fault.moment = nil
    return fault.title
  }

  /// Drops expressions that fault as a run starts, which ends it, so that the others are shown. Where it is none of them alone, nothing is.
  private mutating func keepBeginning(_ fault: String, _ faultOfStart: ([Shown]) -> String?) {
    let found = faultOfStart([]) == nil ? shown.map { faultOfStart([$0]) } : []
    if found.allSatisfy({ $0 == nil }) {
      problems.append(Problem("the program faults at its start: \(fault)", in: shown.first?.source))
      return shown = []
    }
    for (row, fault) in zip(shown, found) {
      if let fault { problems.append(Problem("`\(row.source)` faults: \(fault)", in: row.source)) }
    }
    shown = zip(shown, found).filter { $0.1 == nil }.map(\.0)
  }

  private mutating func run(_ simulation: Simulation, _ names: [String], moving: [String], events: [String]) {
    var samples: [String: [(time: Double, json: String)]] = [:]
    for step in 0...Self.looks {
      let time = Self.length * Double(step) / Double(Self.looks)
      simulation.advance(to: time)
      for name in moving {
        if let json = try? simulation.value(of: name) { samples[name, default: []].append((time, json)) }
      }
    }
    var lanes: [PictureRun.Lane] = []
    var curves: [PlotCurve] = []
    for (number, name) in names.enumerated() {
      let title = shown[number].source
      if let values = samples[name] {
        if let curve = PlotCurve(title: title, samples: values) { curves.append(curve) }
      } else if events.contains(name), let found = try? simulation.occurrences(of: name) {
        let list = found.map { (time: $0.time, json: $0.json) }
        lanes.append(PictureRun.Lane(title: title, name: name, kind: .event, shown: list))
        let words = list.prefix(4).map { "\(simulation.sourceText($0.json, name)) at \($0.time) s" }
        let more = list.count > 4 ? ", and \(list.count - 4) more" : ""
        shown[number].value = words.isEmpty ? "nothing for 5 s" : words.joined(separator: ", ") + more
      }
    }
    if !curves.isEmpty { pictures.append(SVGPlot(curves: curves, marks: [], from: 0, length: Self.length).text) }
    if lanes.contains(where: { !$0.shown.isEmpty }) {
      pictures.append(SVGMarbles(lanes: lanes, length: Self.length) { simulation.sourceText($0, $1) }.text)
    }
  }
}
