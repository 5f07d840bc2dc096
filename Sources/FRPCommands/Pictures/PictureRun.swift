// The run behind `frp plot` and `frp marble`: a program in simulated time, and what some names of it show.
//
// In: the flags of `run`. Out: for each name its occurrences, its changes, or its values at even times, as JSON.
// Rules
// - A name that is no output, and any expression, becomes an output of the program for this run.
// - Without --for, a program without inputs runs for ten seconds; else what comes in decides, and the run is made twice where
//   that is possible: once to see how long it is, once to look at what is continuous.

import FRP
import FRPBase

/// Why there is no picture, after saying so.
struct NoPicture: Error { var code: ExitCode }

struct PictureRun {
  /// What one name shows.
  struct Lane {
    enum Kind { case event, step, continuous }
    var title: String
    var name: String
    var kind: Kind
    /// Whether it is another at every moment, be it a number or not.
    var varies = false
    var shown: [(time: Double, json: String)] = []
  }

  var lanes: [Lane] = []
  /// Seconds.
  var end = 0.0
  /// Knows how values are written.
  var reader: Simulation
  /// What the run said: pictures of a run with faults are shown, too.
  var code: ExitCode

  /// The most bytes of values that are kept.
  static let most = 64 << 20
  /// How many times what is continuous is looked at.
  static let looks = 800

  init(_ invocation: Invocation, _ console: Console) throws(NoPicture) {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands.first ?? "-"
    var options = try Self.options(invocation, console)
    guard var source = ProgramFile.read(path, reporter) else { throw NoPicture(code: .wrongUsage) }
    do { try RunCommand.connect(options, in: &source) } catch {
      throw NoPicture(code: Usage.report(error, console))
    }
    let wanted = Array(invocation.operands.dropFirst())
    let program = try Self.program(source, wanted, in: invocation.surroundings, reporter: reporter)
    let names = wanted.isEmpty ? program.value.outputs.map { ($0.name, $0.name) } : program.names
    guard let reader = try? Simulation(program.value) else { throw NoPicture(code: .programHasErrors) }
    self.reader = reader
    for (title, name) in names {
      guard let output = program.value.outputs.first(where: { $0.name == name }) else { continue }
      let varies = program.value.isContinuous(output: name)
      let kind: Lane.Kind = output.isEvent ? .event : varies && output.type == "Float" ? .continuous : .step
      lanes.append(Lane(title: title, name: name, kind: kind, varies: varies))
    }
    if options.end == nil, program.value.inputs.isEmpty { options.end = 10_000_000_000 }
    let readsPipe =
      options.trace == "-" || options.trace == nil && !program.value.inputs.isEmpty && options.inputs.isEmpty
      || options.inputs.contains { $0.path == "-" }
    let isCurved = lanes.contains { $0.kind == .continuous }
    if options.end == nil, isCurved, !readsPipe {
      var first = options
      first.sample = 3_600_000_000_000
      let text = Self.run(program.value, first, reporter: reporter, isInputTaken: path == "-").text
      options.end = Int(max(Self.last(of: text), 0.001) * 1e9)
    }
    options.sample = options.sample ?? options.end.map { max(1_000, $0 / Self.looks) }
    let (text, code) = Self.run(program.value, options, reporter: reporter, isInputTaken: path == "-")
    self.code = code
    if code == .wrongUsage || code == .programHasErrors { throw NoPicture(code: code) }
    take(text)
    end = options.end.map { Double($0) / 1e9 } ?? max(Self.last(of: text), 1e-3)
  }

  private static func options(_ invocation: Invocation, _ console: Console) throws(NoPicture) -> RunOptions {
    do {
      var options = try RunOptions(invocation)
      options.isVirtual = true
      options.format = .jsonl
      options.outputs = []
      (options.world, options.isConfined) = (nil, false)
      return options
    } catch {
      throw NoPicture(code: Usage.report(error, console))
    }
  }

  /// The program with the names, and a name for each expression.
  private static func program(
    _ source: Source, _ wanted: [String], in surroundings: Surroundings, reporter: Reporter
  ) throws(NoPicture) -> (value: Program, names: [(title: String, name: String)]) {
    let plain = surroundings.compile(source)
    if plain.hasErrors || wanted.isEmpty {
      if plain.hasErrors { reporter.report(plain.diagnostics, plain.sources) }
      if plain.hasErrors { throw NoPicture(code: .programHasErrors) }
      return (plain, [])
    }
    let known = Set(plain.outputs.map(\.name))
    var text = String(decoding: source.bytes, as: UTF8.self)
    if !text.hasSuffix("\n") { text += "\n" }
    var names: [(title: String, name: String)] = []
    var added: [(title: String, name: String, start: Int)] = []
    for (index, title) in wanted.enumerated() {
      if known.contains(title) {
        names.append((title, title))
        continue
      }
      var name = title
      added.append((title, isName(title) ? title : "plotted\(index + 1)", text.utf8.count))
      if !isName(title) {
        name = "plotted\(index + 1)"
        text += "\(name) = \(title)\n"
      }
      text += "output \(name)\n"
      names.append((title, name))
    }
    let program = surroundings.compile(Source(name: source.name, text: text))
    if program.hasErrors {
      refuse(program, added, source.name, reporter)
      throw NoPicture(code: .programHasErrors)
    }
    return (program, names)
  }

  /// Says what is wrong with what is to be drawn: the program by itself has no errors. A place would be in a text that nobody has written.
  private static func refuse(
    _ program: Program, _ added: [(title: String, name: String, start: Int)], _ file: String, _ reporter: Reporter
  ) {
    let errors = program.diagnostics.filter { $0.severity == .error }
    guard let error = errors.first(where: { !$0.span.isNone && $0.span.file.raw == 0 }),
      let asked = added.last(where: { $0.start <= Int(error.span.start) })
    else { return reporter.report(errors, program.sources) }
    if error.code == .unknownName, program.sources.text(error.span) == asked.title {
      let near = error.helps.first?.code.map { "; did you mean `\($0)`?" } ?? ""
      return reporter.failure("\(file) has no output and no definition `\(asked.title)`\(near)")
    }
    func words(_ text: String) -> String { text.replacing("`\(asked.name)`", with: "`\(asked.title)`") }
    // What would change the line itself names what nobody has written.
    let help = error.helps.first.map { "; " + words($0.text) + ($0.code.map { " `\($0)`" } ?? "") } ?? ""
    let told = help.contains(asked.name) ? "" : help
    reporter.failure("`\(asked.title)` cannot be drawn: \(words(error.title))\(told)")
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
      }
  }

  /// All that a run shows, as lines of JSON.
  private static func run(
    _ program: Program, _ options: RunOptions, reporter: Reporter, isInputTaken: Bool
  ) -> (text: String, code: ExitCode) {
    var console = reporter.console
    console.out = Writer(keepingAtMost: most)
    let code = RunCommand.run(program, options, reporter.writing(to: console), isInputTaken: isInputTaken)
    if console.out.isBroken {
      reporter.note("only the first \(most >> 20) MiB of values are drawn: choose a shorter --for")
    }
    return (console.out.text, code)
  }

  /// The time of the last line.
  private static func last(of text: String) -> Double {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    return lines.last.flatMap { JSONParts.object(String($0)) }?.first { $0.name == "at" }.flatMap { Double($0.json) }
      ?? 0
  }

  private mutating func take(_ text: String) {
    let places = Dictionary(lanes.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
    for line in text.split(separator: "\n") {
      guard let parts = JSONParts.object(String(line)), parts.count == 2, let time = Double(parts[0].json),
        let place = places[parts[1].name]
      else { continue }
      lanes[place].shown.append((time, parts[1].json))
    }
  }
}
