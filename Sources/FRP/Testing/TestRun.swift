// Runs a `test` block under the simulated clock.
//
// In:  a program's source and one of its tests. Out: what failed, in words that can be pasted back.
// Rules
// - The test's expressions become outputs of a copy of the program: `probe0`, `probe1`, … (`ProgramCopy`). What is wrong with
//   them is told at their places in the file (`TestMistakes`), by `frp check` as well.
// - They are read once at the start for what is plain (marble texts, durations, values of letters); then the program
//   runs again with the inputs the test gives.
// - Probes are looked at only when the test asks, at its moments or at the start: nothing is located for their sake. Lanes are
//   pushed as outputs are. What a probe shows at a moment is its value just after all that happens then, be it located or not.
// - Of a behavior a lane shows the changes; its first character, if it is no `-`, the start value.
// - A lane ends with its last moment, whatever else the test looks at later.
// - `calls(Http.post)` is an input of the copy, which gets the arguments of each call as it begins. `given Http.get(url) = …` is a
//   definition of the copy, which the host's module is told to ask.
// - What is compared with a value has that value's type: `None` and `[]` need nothing around them. So the copy is made
//   twice: what is looked at alone, which tells the types, and then everything.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// What one test came to.
public struct TestResult: Sendable {
  /// As it is written after `test`.
  public var name: String
  /// The line it begins on, from 1.
  public var line: Int
  /// Empty if the test passed; each is a paragraph of lines.
  public var failures: [String]
  /// Whether every expectation held.
  public var passed: Bool { failures.isEmpty }
}

extension TestBlock {
  /// Runs this test of a program with what a host adds. Nothing waits: time is simulated, and tasks of the host never end.
  public func run(in source: Source, modules: ModuleFiles = .none, host: [HostModule] = []) -> TestResult {
    var run = TestRun(self, source, host)
    let failures = run.failures(modules)
    return TestResult(name: name, line: line, failures: failures)
  }
}

/// Why a test cannot be run; shown as a failure.
private struct TestProblem: Error { var text: String }

struct TestRun {
  let block: TestBlock
  let source: Source
  let host: [HostModule]
  var limits = CheckLimits()
  private let prefix: String
  private(set) var probes: [Probe] = []
  private var givens: [Given] = []
  private var moments: [Moment] = []
  private(set) var lanes: [Lane] = []
  private var answers: [TestAnswer] = []
  /// The operations whose calls are looked at.
  private var watched: [String] = []
  /// What the copies have besides probes: the inputs of `watched`, and the definitions that answer.
  private var preamble: [ProgramCopy.Line] = []
  private var answerNames: [String: String] = [:]

  /// An output of the copy.
  struct Probe {
    var parts: [ProgramCopy.Part]
    /// As it is written.
    var text: String
    var place: Span
  }
  /// Probes are named by their numbers.
  struct Letters {
    var letters: [(letter: Character, probe: Int)]
  }
  private struct Given {
    var input: String
    var value: Int
    var every: Int?
    var letters: Letters
  }
  private struct Moment {
    var subject: Int
    var at: Int
    var equals: Int
    /// Whether they are equal, or (`isNear`) by how much they may differ.
    var judge: Int
    var isNear: Bool
    var source: String
  }
  struct Lane {
    var subject: Int
    var subjectText: String
    var marbles: Int
    var every: Int
    var everyText: String
    var letters: Letters
  }

  init(_ block: TestBlock, _ source: Source, _ host: [HostModule]) {
    self.block = block
    self.source = source
    self.host = host
    let text = String(decoding: source.bytes, as: UTF8.self)
    var prefix = "probe"
    while text.contains(prefix) { prefix += "x" }
    self.prefix = prefix
    for step in block.steps { add(step) }
  }

  // MARK: The copy of the program

  private mutating func probe(_ expression: TestBlock.Expression) -> Int {
    probe(parts(expression), expression.text, at: expression.place)
  }

  private mutating func probe(_ parts: [ProgramCopy.Part], _ text: String, at place: Span) -> Int {
    probes.append(Probe(parts: parts, text: text, place: place))
    return probes.count - 1
  }

  /// What stands in the copy for an expression.
  private mutating func parts(_ expression: TestBlock.Expression) -> [ProgramCopy.Part] {
    expression.parts.map { part in
      switch part {
      case .text(let text, let place): return .written(text, at: place)
      case .calls(let operation):
        if !watched.contains(operation) { watched.append(operation) }
        return .made(calls(operation))
      }
    }
  }

  private mutating func equality(_ a: TestBlock.Expression, _ b: TestBlock.Expression) -> Int {
    let parts = [.made("(")] + parts(a) + [.made(") == (")] + parts(b) + [.made(")")]
    return probe(parts, "(\(a.text)) == (\(b.text))", at: a.place.union(b.place))
  }

  /// The input that gets the calls of an operation.
  private func calls(_ operation: String) -> String { "\(prefix)Calls\(operation.replacing(".", with: "_"))" }

  private mutating func letters(_ named: [TestBlock.Named]) -> Letters {
    Letters(letters: named.compactMap { field in field.letter.first.map { ($0, probe(field.value)) } })
  }

  private mutating func add(_ step: TestBlock.Step) {
    switch step {
    case .given(let input, let value, let every, let with):
      givens.append(Given(input: input, value: probe(value), every: every.map { probe($0) }, letters: letters(with)))
    case .answer(let operation, let parameters, let value, let every, let with):
      let lane = every.map { (marbles: probe(value), every: probe($0), named: with) }
      answers.append(TestAnswer(operation: operation, parameters: parameters, value: value, lane: lane))
    case .expectAt(let subject, let at, let equals, let within, let source):
      moments.append(
        Moment(
          subject: probe(subject), at: probe(at), equals: probe(equals),
          judge: within.map { probe($0) } ?? equality(subject, equals),
          isNear: within != nil, source: source))
    case .expectMarbles(let subject, let marbles, let every, let with):
      lanes.append(
        Lane(
          subject: probe(subject), subjectText: subject.text, marbles: probe(marbles), every: probe(every),
          everyText: every.text, letters: letters(with)))
    }
  }

  func name(_ probe: Int) -> String { "\(prefix)\(probe)" }

  func program(_ modules: ModuleFiles) -> (program: Program, copy: ProgramCopy) {
    let subjects = copy(Set(moments.map(\.subject) + lanes.map(\.subject)), [:], modules)
    let typed = copy(Set(probes.indices), types(subjects.program), modules)
    guard typed.program.hasErrors else { return typed }
    // A type that cannot be written is no mistake of the test's.
    let untyped = copy(Set(probes.indices), [:], modules)
    return untyped.program.hasErrors ? typed : untyped
  }

  /// The program with some probes, in their order.
  private func copy(
    _ chosen: Set<Int>, _ types: [Int: String], _ modules: ModuleFiles
  ) -> (program: Program, copy: ProgramCopy) {
    var copy = ProgramCopy(source)
    for line in preamble { copy.add(line) }
    for (number, probe) in probes.enumerated() where chosen.contains(number) {
      let type = types[number].map { ": Behavior<\($0)>" } ?? ""
      let parts = [.made("output \(name(number))\(type) = (")] + probe.parts + [.made(")")]
      copy.add(ProgramCopy.Line(parts: parts, place: probe.place))
    }
    let sampled = Set(probes.indices).subtracting(lanes.map(\.subject))
    let program = Program(
      copy.source, modules: modules, host: host, limits: limits, answers: answerNames,
      sampled: Set(sampled.map(name)))
    return (program, copy)
  }

  /// Finds out what the program calls, and makes the definitions that answer.
  mutating func prepare(_ modules: ModuleFiles) throws {
    if answers.isEmpty, watched.isEmpty { return }
    let program = copy([], [:], modules).program
    if program.hasErrors { return }
    let place = probes.first?.place ?? .none
    for operation in watched {
      if program.host.number(of: operation) == nil { throw TestProblem(text: "there is no operation `\(operation)`") }
      let input = "input \(calls(operation)): Event<\(program.uses(of: operation)?.arguments ?? "Json")>"
      preamble.append(ProgramCopy.Line(parts: [.made(input)], place: place))
    }
    let plain = try lanesOfAnswers(modules)
    var definitions: [ProgramCopy.Line] = []
    for (number, answer) in answers.enumerated() {
      if program.host.number(of: answer.operation) == nil {
        throw TestProblem(text: "there is no operation `\(answer.operation)`")
      }
      let name = "\(prefix)Answer\(number)"
      answerNames[answer.operation] = name
      definitions.append(
        answer.definition(
          name, parameters: program.host.parameterList(of: answer.operation),
          moments: try moments(of: answer, plain), item: program.uses(of: answer.operation)?.gives ?? ""))
    }
    preamble += definitions
  }

  /// A run in which the marbles of answers can be looked at; nil if none has any.
  private func lanesOfAnswers(_ modules: ModuleFiles) throws -> Simulation? {
    let probes = answers.flatMap { answer in answer.lane.map { [$0.marbles, $0.every] } ?? [] }
    if probes.isEmpty { return nil }
    let program = copy(Set(probes), [:], modules).program
    if program.hasErrors { return nil }
    let plain = try Simulation(program)
    plain.isAnswered = { _ in false }
    plain.start()
    return plain
  }

  private func moments(
    of answer: TestAnswer, _ plain: Simulation?
  ) throws -> [(nanoseconds: Int64, letters: [Character])] {
    guard let lane = answer.lane, let plain else { return [] }
    let marbles = try marbles(plain, lane.marbles)
    let every = try duration(plain, lane.every, columns: marbles.length)
    return marbles.moments.map { (every * Int64($0.column), $0.letters) }
  }

  /// The types of what is compared with something that has one.
  private func types(_ program: Program) -> [Int: String] {
    var types: [Int: String] = [:]
    func type(of probe: Int) -> String? { program.outputs.first { $0.name == name(probe) }?.type }
    for moment in moments { types[moment.equals] = type(of: moment.subject) }
    for lane in lanes { for letter in lane.letters.letters { types[letter.probe] = type(of: lane.subject) } }
    for given in givens {
      let input = program.inputs.first { $0.name == given.input }
      for letter in given.letters.letters { types[letter.probe] = input?.type }
      if given.every == nil, input?.isEvent == false { types[given.value] = input?.type }
    }
    return types
  }

  // MARK: Running

  mutating func failures(_ modules: ModuleFiles) -> [String] {
    do {
      try prepare(modules)
      let (program, copy) = program(modules)
      let mistakes = mistakes(of: program, copy)
      if !mistakes.isEmpty { return [renderText(mistakes, sources: program.sources)] }
      return try TestText.limited(run(program)).map(withoutProbes)
    } catch let error as TestProblem {
      return [error.text]
    } catch {
      return [withoutProbes(Self.words(error))]
    }
  }

  private func run(_ program: Program) throws -> [String] {
    let plain = try Simulation(program)
    plain.isAnswered = { _ in false }
    plain.start()
    if let fault = plain.faults.first { return [fault.title] }
    let (start, sends) = try inputs(plain)
    let simulation = try Simulation(program, settings: start)
    simulation.isAnswered = { _ in false }
    watch(simulation)
    for lane in lanes where try isEvent(program, lane.subject) { try simulation.record(name(lane.subject)) }
    for lane in lanes where try !isEvent(program, lane.subject) { try simulation.record(name(lane.subject)) }
    simulation.start()
    var failures: [String] = []
    var times = Set(sends.keys)
    var ends: [Int64] = []
    for moment in moments { times.insert(try self.moment(plain, moment.at)) }
    for lane in lanes { ends.append(try end(plain, lane)) }
    for time in times.union(ends).sorted() {
      if sends[time] != nil { simulation.reactor.inputDue = time }
      simulation.reactor.advance(to: time)
      if let list = sends[time] { try simulation.send(list) }
      simulation.reactor.advance(through: time)
      failures += try check(moments.filter { try self.moment(plain, $0.at) == time }, simulation)
    }
    for lane in lanes { failures += try check(lane, plain, simulation) }
    failures += simulation.faults.prefix(3).map(\.title)
    return failures
  }

  /// Gives the calls of the operations that are looked at to their inputs: in the micro-step after they begin.
  private func watch(_ simulation: Simulation) {
    if watched.isEmpty { return }
    func tell(_ operation: String, _ arguments: [FrpValue]) {
      guard watched.contains(operation) else { return }
      let json = arguments.count == 1 ? arguments[0].json : arguments.isEmpty ? "null" : FrpValue.list(arguments).json
      try? simulation.send(json, to: calls(operation))
    }
    simulation.callAnswered = tell
    simulation.taskBegan = { tell($0.name, $0.arguments) }
  }

  private func isEvent(_ program: Program, _ probe: Int) throws -> Bool {
    guard let port = program.outputs.first(where: { $0.name == name(probe) }) else {
      throw TestProblem(text: "this cannot be shown: \(probes[probe].text)")
    }
    return port.isEvent
  }

  // MARK: Plain values

  private func value(_ simulation: Simulation, _ probe: Int) throws -> String { try simulation.value(of: name(probe)) }

  private func moment(_ plain: Simulation, _ probe: Int) throws -> Int64 {
    guard let seconds = Double(try value(plain, probe)), seconds >= 0 else {
      throw TestProblem(text: "`\(probes[probe].text)` is no moment of the test, which begins at 0")
    }
    return Clock.nanoseconds(seconds)
  }

  /// Of a lane, which takes its columns' time.
  private func duration(_ plain: Simulation, _ probe: Int, columns: Int) throws -> Int64 {
    let every = try moment(plain, probe)
    if every <= 0 { throw TestProblem(text: "`every \(probes[probe].text)`: a lane's columns need some time") }
    if every.multipliedReportingOverflow(by: Int64(columns)).overflow {
      throw TestProblem(text: "`every \(probes[probe].text)`: \(columns) columns of it are longer than time goes")
    }
    return every
  }

  private func marbles(_ plain: Simulation, _ probe: Int) throws -> MarbleLane {
    let json = try value(plain, probe)
    guard let lane = MarbleLane(String(json.dropFirst().dropLast())) else {
      throw TestProblem(text: "a bracket of the marbles \(json) is not closed")
    }
    return lane
  }

  private func alphabet(_ plain: Simulation, _ letters: Letters) throws -> [(letter: Character, json: String)] {
    try letters.letters.map { ($0.letter, try value(plain, $0.probe)) }
  }

  private func end(_ plain: Simulation, _ lane: Lane) throws -> Int64 {
    let length = try marbles(plain, lane.marbles).length
    return try duration(plain, lane.every, columns: length) * Int64(max(0, length - 1))
  }

  // MARK: Inputs

  private typealias Sends = [Int64: [(name: String, json: String)]]

  /// Start values of behaviors, and what happens when.
  private func inputs(_ plain: Simulation) throws -> (start: [String: String], sends: Sends) {
    var start: [String: String] = [:]
    var sends: Sends = [:]
    for given in givens {
      guard let port = plain.program.inputs.first(where: { $0.name == given.input }) else {
        throw TestProblem(text: "there is no input `\(given.input)`")
      }
      if given.every == nil, !port.isEvent {
        start[given.input] = try value(plain, given.value)
        continue
      }
      let marbles = try marbles(plain, given.value)
      let every = try given.every.map { try duration(plain, $0, columns: marbles.length) } ?? 100_000_000
      let named = try alphabet(plain, given.letters)
      for moment in marbles.moments {
        for letter in moment.letters {
          let json = named.first { $0.letter == letter }?.json ?? MarbleAlphabet.json(letter, port.type)
          guard let json else {
            throw TestProblem(text: "what is `\(letter)` of `\(given.input)`? write `with {\(letter): …}`")
          }
          sends[every * Int64(moment.column), default: []].append((given.input, json))
        }
      }
    }
    return (start, sends)
  }

  // MARK: Checking

  /// Checks what is expected at the present moment. What must be looked at just after it comes last, and all failures are in the
  /// order of the test.
  private func check(_ moments: [Moment], _ simulation: Simulation) throws -> [String] {
    func isLookedAtJustAfter(_ moment: Moment) throws -> Bool {
      simulation.reactor.isLookedAtJustAfter(try simulation.output(name(moment.judge)))
    }
    var failures: [(place: Int, text: String)] = []
    for isLast in [false, true] {
      let part = try moments.indices.filter { try isLookedAtJustAfter(moments[$0]) == isLast }
      if isLast, !part.isEmpty { simulation.reactor.lookJustAfter() }
      for place in part { failures += try check(moments[place], simulation).map { (place, $0) } }
    }
    return failures.sorted { $0.place < $1.place }.map(\.text)
  }

  private func check(_ moment: Moment, _ simulation: Simulation) throws -> [String] {
    let judge = try value(simulation, moment.judge)
    if judge == "true" { return [] }
    let actual = try value(simulation, moment.subject)
    let wanted = try value(simulation, moment.equals)
    if moment.isNear, let a = Double(actual), let b = Double(wanted), let within = Double(judge), abs(a - b) <= within {
      return []
    }
    let output = name(moment.subject)
    let values = TestText.pair(simulation.sourceText(wanted, output), simulation.sourceText(actual, output))
    return ["\(moment.source)\n  expected  \(values.0)\n  actual    \(values.1)"]
  }

  private func check(_ lane: Lane, _ plain: Simulation, _ simulation: Simulation) throws -> [String] {
    let expected = try marbles(plain, lane.marbles)
    if expected.length == 0 {
      throw TestProblem(
        text: "the lane expected of `\(lane.subjectText)` has no moments, so it would hold of anything: `-` is one "
          + "in which nothing occurs")
    }
    let every = try duration(plain, lane.every, columns: expected.length)
    let isEvent = try isEvent(plain.program, lane.subject)
    var seen = try simulation.occurrences(of: name(lane.subject))
    let showsStart = expected.moments.first?.column == 0
    if !isEvent, !showsStart, seen.first?.time == 0 { seen.removeFirst() }
    // What comes later is seen only where another lane is longer.
    let end = every * Int64(max(0, expected.length - 1))
    seen.removeAll { Clock.nanoseconds($0.time) > end }
    let type = plain.program.outputs.first { $0.name == name(lane.subject) }?.type ?? ""
    let output = name(lane.subject)
    let named = try named(lane, plain, simulation, expected, type)
    let base = MarbleAlphabet(named) { letter in
      MarbleAlphabet.json(letter, type).flatMap { try? simulation.canonical($0, of: output) }
    }
    var alphabet = base
    let grid = LaneReport.grid(seen.map { Clock.nanoseconds($0.time) }, every)
    var columns: [(column: Int, letters: [Character])] = []
    for occurrence in seen {
      let column = Int((Double(Clock.nanoseconds(occurrence.time)) / Double(grid.period)).rounded())
      let letter = alphabet.letter(of: occurrence.json)
      if columns.last?.column == column {
        columns[columns.count - 1].letters.append(letter)
      } else {
        columns.append((column, [letter]))
      }
    }
    // Of several letters for one value any will do.
    let letters = Dictionary(named.map { ($0.letter, alphabet.letter(of: $0.json)) }) { first, _ in first }
    let wanted = expected.moments.map { moment in
      (column: moment.column * grid.parts, letters: moment.letters.map { letters[$0] ?? $0 })
    }
    if columns.elementsEqual(wanted, by: { $0.column == $1.column && $0.letters == $1.letters }) { return [] }
    var report = LaneReport(
      subject: lane.subjectText, period: grid.period, everyText: grid.parts == 1 ? lane.everyText : nil,
      expected: wanted, actual: columns, length: max(0, expected.length - 1) * grid.parts + 1,
      values: alphabet.values, alphabet: base
    ) { letter, json in
      let own = MarbleAlphabet.json(letter, type).flatMap { try? simulation.canonical($0, of: output) }
      return own == json ? nil : simulation.sourceText(json, output)
    }
    return [report.text()]
  }

  /// The letters of a lane with the values they stand for, as the program would show them.
  private func named(
    _ lane: Lane, _ plain: Simulation, _ simulation: Simulation, _ expected: MarbleLane, _ type: String
  ) throws -> [(letter: Character, json: String)] {
    var named = try alphabet(plain, lane.letters)
    for letter in Set(expected.moments.flatMap(\.letters)).sorted()
    where !named.contains(where: { $0.letter == letter }) {
      guard let json = MarbleAlphabet.json(letter, type) else {
        throw TestProblem(text: "what is `\(letter)` of `\(lane.subjectText)`? write `with {\(letter): …}`")
      }
      named.append((letter, json))
    }
    let output = name(lane.subject)
    return try named.map { ($0.letter, try simulation.canonical($0.json, of: output)) }
  }

  /// Words about a probe, as words about the test's own expression.
  func withoutProbes(_ text: String) -> String {
    var text = text
    for (number, probe) in probes.enumerated() { text = text.replacing("`\(name(number))`", with: "`\(probe.text)`") }
    return text
  }

  private static func words(_ error: any Error) -> String {
    guard let error = error as? SimulationError else { return "\(error)" }
    return error.message
  }
}
