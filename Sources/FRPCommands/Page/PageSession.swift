// What runs behind a page: the prompt's session with one text as its program, and that text's history.
//
// In:  what whoever looks at the page does. Out: the messages of README.md, as JSON.

import FRP
import FRPBase
import FRPCore
import FRPGraph

/// Where the words of a page's session go: what could not be done is told.
final class PageWords: LineSource {
  let isInteractive = false
  private var said: [String] = []
  private static let most = 50

  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead { .end }
  func show(_ text: String) { if said.count < Self.most { said.append(text) } }
  func replaceLast(_ text: String) {}
  func remember(_ entry: String) {}
  func prefill(_ text: String) {}
  func close() {}

  /// What was said since the last time.
  func take() -> [String] {
    defer { said = [] }
    return said
  }
}

final class PageSession {
  let session: ReplSession
  let words: PageWords
  /// The file's name, for people and for messages.
  let name: String
  private(set) var text: PageText
  /// Where the text comes from and may be saved; nil for a lesson, a recording and what is no file.
  var file: PageFile?
  /// Why the text that was to be the program last is none.
  private(set) var refusal = ""
  /// What the text that was refused last imports.
  private(set) var refusedImports: [String] = []
  /// The text that was asked about last, until one is taken.
  private var checked: PageText?
  /// How it came to be, oldest first, and what was taken back, with the texts after it.
  private var former: [PageChange] = []
  private var undone: [PageChange] = []
  private var aside: Aside?
  /// Of what is longer it is said that it is.
  static let mostBytesOfOccurrence = 64 << 10
  /// Counts whatever changes the past, so that what is known of it is looked at anew.
  private(set) var revision = 0

  private init(_ name: String, _ text: String, in session: ReplSession, words: PageWords) {
    (self.name, self.session, self.words) = (name, session, words)
    session.checkpointing = .often
    session.recordsAtMost = Self.mostBytesOfOccurrence
    session.isBrief = true
    self.text = PageText(text, name: name, session)
  }

  /// Starts a program. Throws what is wrong with it.
  convenience init(
    name: String, text: String, _ console: Console, _ surroundings: Surroundings
  ) throws(PageProblem) {
    let words = PageWords()
    self.init(name, text, in: ReplSession(words, console, surroundings), words: words)
    if self.text.hasErrors { throw .errors(self.text) }
    guard start(self.text) else {
      throw .said(words.take().joined(separator: "\n"))
    }
    session.captured = []
  }

  /// A run that was recorded, at its end. Throws what is wrong with its program.
  convenience init(
    name: String, _ recording: PageRecording, _ console: Console, _ surroundings: Surroundings
  ) throws(PageProblem) {
    let words = PageWords()
    let text = String(decoding: recording.texts[0].bytes, as: UTF8.self)
    self.init(name, text, in: ReplSession(words, console, surroundings), words: words)
    if self.text.hasErrors { throw .errors(self.text) }
    do throws(SimulationError) {
      try recording.happen(in: session, session.compiled(self.text.items, modules: self.text.modules), name)
    } catch { throw .said("frp: the recording cannot be shown: \(error.message)") }
    session.captured = []
  }

  /// Starts what may be no program yet: it then runs as soon as it is one.
  convenience init(draft text: String, name: String, _ console: Console, _ surroundings: Surroundings) {
    let words = PageWords()
    self.init(name, text, in: ReplSession(words, console, surroundings), words: words)
    if self.text.hasErrors || !start(self.text) { _ = start(PageText("", name: name, session)) }
    session.captured = []
  }

  enum PageProblem: Error {
    case errors(PageText)
    case said(String)
  }

  // MARK: The text

  /// Makes the program anew of the same text: what it imports is another.
  func renew() -> String { retry(text.text) }

  /// The same of another text, which was refused.
  func retry(_ source: String) -> String {
    checked = nil
    return edit(source, by: PageFile.author)
  }

  /// Makes a text the program; the message that says what became of it.
  func edit(_ source: String, isTrial: Bool = false, by author: Int? = 0) -> String {
    // What is taken was mostly checked just before.
    let next = checked.flatMap { $0.text == source ? $0 : nil } ?? PageText(source, name: name, session)
    checked = isTrial ? next : nil
    if isTrial { return "{\"is\":\"problems\",\"problems\":\(next.problems)}" }
    if next.hasErrors {
      (refusal, refusedImports) = (next.firstMistake, next.imports)
      return edited(false, "", next.problems)
    }
    _ = words.take()
    session.refusal = nil
    guard let summary = runsNothing ? startAnew(next) : change(next) else {
      let said = words.take().joined(separator: "\n")
      session.hasFailed = false
      refusal = said
      return edited(false, said, next.problems(session.refusal, said))
    }
    former.append(PageChange(before: text, author: author))
    undone = []
    take(next)
    return edited(true, summary, next.problems)
  }

  /// Whether the text has been no program so far.
  private var runsNothing: Bool { session.current.items.isEmpty && !text.items.isEmpty }

  /// A text's definitions as a program; nil, and it is said why, where they are none.
  private func compiled(_ text: PageText) -> ReplProgram? {
    let next = session.compiled(text.items, modules: text.modules)
    if next.errors.isEmpty { return next }
    // Here every definition can be looked at, which is more than the text asks for.
    words.show(session.render(next.errors, next.program.sources))
    return nil
  }

  /// Makes a text the program that the run begins with; false, and it is said why, where it cannot be.
  private func start(_ text: PageText) -> Bool {
    compiled(text).map { session.begin(with: $0, title: name) } ?? false
  }

  /// Begins again, with a text that is the first to be a program.
  private func startAnew(_ text: PageText) -> String? {
    let former = session.log
    session.log = []
    guard start(text) else {
      session.log = former
      return nil
    }
    session.clock.set(to: session.simulation?.now ?? 0)
    return ""
  }

  /// Makes a text's definitions the program, which goes on with the state of what is the same; what became of that.
  private func change(_ text: PageText) -> String? {
    guard let next = compiled(text), let report = session.accept(next, title: name) else { return nil }
    let restarted = report.restarted.map { "\($0.name) (\($0.reason))" }
    let parts = [
      report.kept.isEmpty ? "" : "state kept: \(report.kept.joined(separator: ", "))",
      restarted.isEmpty ? "" : "restarted: \(restarted.joined(separator: ", "))",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  private func edited(_ isTaken: Bool, _ summary: String, _ problems: String) -> String {
    "{\"is\":\"edited\",\"isTaken\":\(isTaken),\"summary\":\(jsonString(summary)),\"problems\":\(problems)}"
  }

  private func take(_ next: PageText) {
    text = next
    revision += 1
  }

  /// Takes the last change of the text back that a viewer has made. When that change was, where it was the last of all;
  /// else the text is another from now on.
  func undo(by viewer: Int = 0, among others: Set<Int> = []) -> Double? {
    guard let index = former.lastIndex(where: { $0.isOf(viewer, among: others) }) else { return nil }
    guard index == former.count - 1 else {
      takeBack(index)
      return nil
    }
    let last = former.removeLast()
    undone.append(PageChange(before: text, author: last.author))
    session.undoChange()
    take(last.before)
    return session.undone.last?.time
  }

  /// Takes a change back that others have followed, which stay.
  private func takeBack(_ index: Int) {
    let (before, after) = (former[index].before.text, former[index + 1].before.text)
    guard let next = PageChange.taken(back: before, after, in: text.text) else {
      return session.fail("another page has changed the same lines since")
    }
    _ = edit(next, by: nil)
    guard text.text == next else { return session.fail("without this change the text of the other page is no program") }
    former[index].author = nil
  }

  func canUndo(by viewer: Int, among others: Set<Int>) -> Bool {
    former.contains { $0.isOf(viewer, among: others) }
  }

  func redo() -> Double? {
    guard let next = undone.popLast() else { return nil }
    let time = session.undone.last?.time
    former.append(PageChange(before: text, author: next.author))
    session.redo()
    take(next.before)
    return time
  }

  // MARK: Time

  func pause(_ isPaused: Bool) { session.pause(isPaused) }

  /// One step of a clock that stands still: a sixtieth of a second, or to what is due where nothing moves by itself.
  func step() {
    if !session.clock.isPaused { session.pause(true) }
    let moves = shown.contains { $0.kind == "continuous" }
    session.step(moves || session.simulation?.nextWakeUp == nil ? "\(1 / 60.0)" : "next")
  }

  func setSpeed(_ speed: Double) {
    guard speed > 0, speed <= 1000 else { return }
    session.setSpeed("\(speed)")
  }

  /// A run that another took the place of.
  private struct Aside {
    var mark: ReplMark
    var checkpoints: [ReplCheckpoint]
    var text: PageText
  }

  private var present: Aside {
    Aside(mark: session.mark(at: session.clock.now), checkpoints: session.checkpoints, text: text)
  }

  /// When what is known of the past begins.
  var beginning: Double { session.startOfPast }

  /// Goes on from a moment of the past; what came after it is set aside.
  func goBack(to time: Double) {
    aside = present
    let wasPaused = session.clock.isPaused
    session.goBack(to: max(time, beginning))
    if !wasPaused, session.clock.isPaused { session.pause(false) }
    if session.faultOfStart != nil { tellFaultOfStart() }
    revision += 1
  }

  /// It is told at once: no frame will say so.
  private func tellFaultOfStart() {
    _ = words.take()
    session.hasFailed = true
    session.tellFaultOfStart()
  }

  /// Begins again; what has been is set aside.
  func restart() {
    aside = present
    session.reset()
    if session.faultOfStart != nil { tellFaultOfStart() }
    revision += 1
  }

  /// Brings the run back that was set aside, in place of the present one; false where there is none.
  func recover() -> Bool {
    guard let back = aside else { return false }
    aside = present
    session.takeBeginning(of: back.mark)
    (session.log, session.checkpoints) = (back.mark.log, back.checkpoints)
    session.clock.set(to: back.mark.time)
    session.rebuild(until: back.mark.time)
    session.captured = []
    take(back.text)
    return true
  }

  /// The log of another past becomes that of the run; its first `same` events are those of the run.
  /// What was is set aside.
  func adopt(_ other: (log: [ReplEvent], same: Int), _ next: PageText, by author: Int) {
    aside = present
    session.log = other.log
    session.checkpoints.removeAll { $0.count > other.same }
    session.rebuild(until: session.clock.now)
    session.captured = []
    revision += 1
    guard next.text != text.text else { return }
    former.append(PageChange(before: text, author: author))
    undone = []
    text = next
  }

  // MARK: Names

  /// What can be looked at.
  struct Shown {
    var name: String
    /// As the contract has it: `event`, `step`, `continuous` or `constant`.
    var kind: String
    var isInput: Bool
    var isOutput: Bool
  }

  /// Inputs, outputs in the order of the text, then all other definitions.
  var shown: [Shown] {
    let outputs = Set(text.outputs)
    let all = session.current.names.filter { $0.kind != .function && $0.kind != .hidden }.map { known in
      Shown(
        name: known.name, kind: kind(known), isInput: known.isInput,
        isOutput: outputs.contains(known.name) && !known.isInput)
    }
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    return all.filter(\.isInput) + text.outputs.compactMap { byName[$0] }.filter(\.isOutput)
      + all.filter { !$0.isInput && !$0.isOutput }
  }

  private func kind(_ known: ReplName) -> String {
    switch known.kind {
    case .event: "event"
    case .constant: "constant"
    default: session.current.program.isContinuous(output: known.name) ? "continuous" : "step"
    }
  }

  /// The value of a behavior as JSON, or why it has none.
  static func value(_ name: String, in simulation: Simulation) -> String {
    do throws(SimulationError) {
      let json = try simulation.value(of: name, atMost: 1 << 20)
      return whole(json)
    } catch .fault(let fault) {
      return Self.fault(fault.title)
    } catch {
      return Self.fault(error.message)
    }
  }

  /// JSON that was cut where it grew too long is none: a reason in its place.
  static func whole(_ json: String) -> String { json.hasSuffix("…") ? fault("too long to be shown") : json }

  private static func fault(_ words: String) -> String { "{\"$fault\":\(jsonString(words))}" }

  // MARK: The program, as a message

  /// For a viewer; who looks on together says whose changes are whose.
  func program(isViewer: Bool, for viewer: Int = 0, among others: Set<Int> = []) -> String {
    let shown = shown
    let bound = Set(session.current.program.boundInputs)
    let inputs = shown.filter { $0.isInput && !bound.contains($0.name) }.map(input)
    let outputs = shown.filter(\.isOutput).map(described)
    let definitions = shown.filter { !$0.isInput && !$0.isOutput }.map(described)
    let source = text.text
    let undo = canUndo(by: viewer, among: others)
    return "{\"is\":\"program\",\"name\":\(jsonString(name)),\"text\":\(jsonString(source)),\"isViewer\":\(isViewer),"
      + "\"undo\":\(undo),\"redo\":\(!undone.isEmpty),\"isSaved\":\(isSaved),"
      + "\"keys\":\(source.contains("Page.keys")),\"pointer\":\(source.contains("Page.pointer")),"
      + "\"inputs\":[\(inputs.joined(separator: ","))],\"outputs\":[\(outputs.joined(separator: ","))],"
      + "\"definitions\":[\(definitions.joined(separator: ","))],\"problems\":\(text.problems),\"graph\":\(graph(shown))}"
  }

  /// Whether the text is what stands in its file, as JSON; null where it cannot be written there.
  private var isSaved: String {
    guard let file, file.isWritable else { return "null" }
    return "\(file.text == text.text)"
  }

  private func type(_ name: String) -> String {
    guard let plan = session.current.program.plan, let output = plan.outputs.first(where: { $0.name == name }) else {
      return "\"Unit\""
    }
    return PageTypes(types: plan.core.types).json(output.type)
  }

  /// Whether a name has a Bool, a number or a text, or one of a few cases.
  func isScalar(_ name: String) -> Bool {
    let type = type(name)
    return ["\"Bool\"", "\"Int\"", "\"Float\"", "\"String\""].contains(type) || type.hasPrefix("{\"variants\"")
  }

  private func head(_ shown: Shown) -> String {
    let documentation = text.notes[shown.name]?.documentation ?? ""
    return "\"name\":\(jsonString(shown.name)),\"type\":\(type(shown.name)),\"doc\":\(jsonString(documentation))"
  }

  private func described(_ shown: Shown) -> String { "{\(head(shown)),\"kind\":\"\(shown.kind)\"}" }

  private func input(_ shown: Shown) -> String {
    let notes = text.notes[shown.name]
    let range = notes?.range.map { "[\($0.low),\($0.high)]" } ?? "null"
    var json = "{\(head(shown)),\"isEvent\":\(shown.kind == "event"),\"range\":\(range),"
    json += "\"step\":\(notes?.step.map { "\($0)" } ?? "null")"
    if shown.kind != "event", let simulation = session.simulation,
      let value = try? simulation.value(of: shown.name)
    {
      json += ",\"value\":\(value)"
    }
    return json + "}"
  }

  /// A node a definition; an edge is of the past where all that it stands for are.
  private func graph(_ shown: [Shown]) -> String {
    let whole = session.current.program.graph
    let ids = Dictionary(shown.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var operations: [String: String] = [:]
    for node in whole.nodes where ids[node.definition] != nil { operations[node.definition] = node.operation }
    let nodes = shown.enumerated().map { index, known in
      let place = text.places[known.name] ?? -1 ..< -1
      let type = session.current.name(known.name)?.type ?? ""
      return
        "{\"id\":\(index),\"name\":\(jsonString(known.name)),\"operation\":\(jsonString(operations[known.name] ?? "")),"
        + "\"kind\":\"\(known.kind)\",\"type\":\(jsonString(type)),\"isInput\":\(known.isInput),"
        + "\"isOutput\":\(known.isOutput),\"from\":\(place.lowerBound),\"to\":\(place.upperBound)}"
    }
    var past: [[Int]: Bool] = [:]
    for edge in whole.edges {
      guard let from = ids[whole.nodes[edge.from].definition], let to = ids[whole.nodes[edge.to].definition],
        from != to || edge.looksAtPast
      else { continue }
      past[[from, to]] = (past[[from, to]] ?? true) && edge.looksAtPast
    }
    let edges = past.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
      "{\"from\":\($0.key[0]),\"to\":\($0.key[1]),\"looksAtPast\":\($0.value)}"
    }
    return "{\"nodes\":[\(nodes.joined(separator: ","))],\"edges\":[\(edges.joined(separator: ","))]}"
  }
}

extension Occurrence {
  /// The value as JSON, or why it is not shown.
  var whole: String { PageSession.whole(json) }
}
