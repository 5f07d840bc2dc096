// A session at the prompt: a program that grows, and that runs while somebody types.
//
// - An entry is a definition, an expression, or a command that begins with `:`.
// - A definition is a transaction: it is taken only if the whole program still checks.
// - The run is a simulation and a log of what happened. Undo, and going back in time, live through the log again.

import FRP
import FRPBase
import FRPSyntax
import Glibc

final class ReplSession {
  let source: any LineSource
  let console: Console
  let hasColours: Bool
  /// The files and the host that every program of this session is compiled with.
  let surroundings: Surroundings
  var current: ReplProgram
  var simulation: Simulation?
  var log: [ReplEvent] = []
  /// What was taken back.
  var undone: [ReplUndone] = []
  /// Runs that were left for another time, the last one last.
  var moves: [ReplMove] = []
  var checkpoints: [ReplCheckpoint] = []
  var checkpointing = ReplCheckpointing()
  /// Bytes of an occurrence that is kept; of a longer one it is said that it is.
  var recordsAtMost = ReplOptions.shownBytes
  /// When the last one was made as time went on, and how many seconds that took.
  var checkpointed = (moment: 0.0, cost: 0.0)
  /// Where the session began, if that was `:restore`: nothing is known of what was before.
  var restored: ReplCheckpoint?
  /// What was sent before that, in the session that wrote it.
  var earlierPushes: [ReplEvent] = []
  /// Definitions that were not taken because of what depends on them.
  var refused: [ReplItem] = []
  /// Definitions that wait for a name.
  var pending: [ReplPending] = []
  var clock = ReplClock()
  /// The moment of time 0, in seconds since 1970; 0 where time is simulated from the start.
  var epoch = CivilMoment.present.value
  /// Of `Random`.
  var seed: UInt64 = 0
  var live = ReplLive()
  var isOver = false
  var hasFailed = false
  /// Whether a fault is told in a sentence.
  var isBrief = false
  /// Why the program that was to begin last does not.
  var refusal: SimulationError?
  /// What the instant was undone for in which the run's program was to start.
  var faultOfStart: Diagnostic?
  /// Pushes that are to come, in the order of their times.
  var planned: ReplPlan = []
  var files: [String] = []
  var faultsShown = 0
  /// What every definition has shown.
  var trace: [String: ReplTrace] = [:]
  var marks: [String: ReplMark] = [:]
  /// The file of `:record`.
  var recording: String?
  var options = ReplOptions()
  /// Definitions that wait for an event, and how often that had occurred.
  var scheduled: [(event: String, items: [ReplItem], count: Int)] = []
  /// In a session of the past: what is looked at, and how much of the log has happened.
  var extra: ReplItem?
  /// The names of the definition that it belongs to; nil if it is always there.
  var companions: [String]?
  var lived = 0
  /// Where everything that is shown is kept as well, while somebody wants it.
  var captured: [(name: String, occurrence: Occurrence)]?
  /// Whether values that definitions begin with are kept there, too.
  var keepsStarts = false
  var tour: ReplTour?
  var entries = ReplEntries()
  /// `test` blocks that were typed or loaded, for `:save`.
  private(set) var tests: [(name: String, text: String)] = []
  /// The last expression, if the run's program does not have it: see ReplApart.swift.
  var expressionApart: ReplItem?
  /// Expressions before the last one, the newest first: `it1`, `it2`, …
  var pastExpressions: [String] = []
  var adjusting: ReplAdjusting?
  /// What keys send while a program is played, by their names.
  var bindings: [String: ReplBinding] = [:]
  /// Whether a pipe holds prompts before its entries, so that other lines are answers.
  var isTranscript = false
  /// Those of the host that are under way.
  lazy var tasks = HostTasks()
  /// What was said to be missing, as the flags that grant it.
  var toldFlags: Set<String> = []
  /// Whether it is a recording: nothing is done in the world.
  var isRecorded = false
  /// What the present entry did.
  var deed = ReplDeed()

  init(_ source: any LineSource, _ console: Console, _ surroundings: Surroundings = Surroundings()) {
    self.source = source
    self.console = console
    self.surroundings = surroundings
    current = ReplProgram(items: [], in: surroundings)
    hasColours = source.isInteractive && console.wantsColor(nil)
    rebuild(until: 0)
  }

  // MARK: The loop

  /// Reads and answers entries until the end.
  func run() -> ExitCode {
    if source.isInteractive {
      ReplInterrupt.watch()
      show(fit(banner, console.width(nil)))
      if !surroundings.host.isEmpty { show(wrappedToFit(hostSummary)) }
      readConfiguration()
    }
    while !isOver {
      switch source.read(prompt, self) {
      case .end: isOver = true
      case .interrupted:
        ReplInterrupt.clear()
        putNumberBack()
        dropPlanned()
      case .edit(let text): editEntry(text)
      case .text(let text):
        enter(text)
        goOnWithTasks()
        awaitTasks()
        ReplInterrupt.clear()
      }
    }
    source.close()
    if source.isInteractive { ReplInterrupt.leave() }
    return hasFailed && !source.isInteractive ? .programHasErrors : .success
  }

  private var banner: String {
    "frp \(VersionCommand.version) · a prompt in a running program · :help, :tour, :quit"
  }

  private var prompt: String {
    let words = options.prompt.prefix { $0 != " " }
    let rest = options.prompt.dropFirst(words.count)
    return hasColours && !rest.isEmpty
      ? "\u{1}\u{1B}[1;34m\u{1}\(words)\u{1}\u{1B}[0m\u{1}\(rest)" : options.prompt
  }

  func show(_ text: String) {
    if text.isEmpty { return }
    if live.isPlaying { live.held = live.held.suffix(100) + [text] } else { source.show(text) }
  }

  /// One entry, as typed; what was pasted may hold several.
  func enter(_ text: String) {
    let entries = parts(ofPasted: text)
    guard entries.count > 1 else { return enterOne(entries.first ?? "", asTyped: text) }
    if source.isInteractive, !text.hasPrefix(" ") { remember(trimmed(text)) }
    for entry in entries where !isOver && !ReplInterrupt.isPressed {
      // What begins with a blank is not remembered by itself.
      enterOne(entry, asTyped: " " + entry)
      goOnWithTasks()
    }
  }

  private func enterOne(_ entry: String, asTyped text: String) {
    if entry.isEmpty { return }
    ReplInterrupt.clear()
    advance()
    if ReplInterrupt.clear() { stopClock() }
    live.expression = nil
    if source.isInteractive, !text.hasPrefix(" ") { remember(entry) }
    deed = ReplDeed()
    defer {
      adjusting = nil
      goOnWithTour(deed)
    }
    if isFarewell(entry) {
      isOver = true
    } else if let topic = helpTopic(entry) {
      help(topic)
    } else if entry.hasPrefix(":") {
      command(entry)
    } else if entry.hasPrefix("?") {
      ask(trimmed(String(entry.dropFirst())))
    } else {
      evaluate(entry)
    }
  }

  func fail(_ text: String) {
    hasFailed = true
    deed.hasFailed = true
    show(wrappedToFit(text))
  }

  // MARK: Definitions and expressions

  private func evaluate(_ text: String) {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    let parsed = Parser.parseEntry(file, in: sources, into: &tree)
    if !parsed.diagnostics.isEmpty {
      let hint = hintOfCommand(text) ?? hintOfContinuation(text)
      return fail(render(parsed.diagnostics, sources) + (hint.map { "\n" + $0 } ?? ""))
    }
    var found: [(id: ItemID, item: ReplItem)] = []
    for part in parsed.parts {
      guard case .item(let id) = part else { continue }
      if case .test(let name, _) = tree[id] {
        keep(test: name, textOfTest(id, tree, sources))
        show("test \(jsonString(name)) is kept   (:save FILE writes it, frp test FILE runs it)")
        continue
      }
      if case .output(let names) = tree[id] { return showOutputs(names.map(\.text)) }
      found.append((id, item(id, tree, sources)))
    }
    if !found.isEmpty { define(withComments(found, tree, sources)) }
    for part in parsed.parts {
      if case .expr(let expr) = part { evaluate(expression: sources.text(tree.span(expr))) }
    }
  }

  func keep(test name: String, _ text: String) {
    tests.removeAll { $0.name == name }
    tests.append((name, text))
  }

  /// A test with the comments right above it.
  func textOfTest(_ id: ItemID, _ tree: Tree, _ sources: SourceMap) -> String {
    let span = tree.span(id)
    let start = startOfTest(id, tree, sources)
    return sources.text(Span(file: span.file, start: start, end: Int(span.end)))
  }

  private func startOfTest(_ id: ItemID, _ tree: Tree, _ sources: SourceMap) -> Int {
    let span = tree.span(id)
    let bytes = sources.files[Int(span.file.raw)].bytes
    var start = Int(span.start)
    while start > 0, bytes[start - 1] == UInt8(ascii: "\n") {
      let above = bytes[..<(start - 1)]
      let line = (above.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
      guard trimmed(String(decoding: above[line...], as: UTF8.self)).hasPrefix("//") else { break }
      start = line
    }
    return start
  }

  /// Definitions with the comments that stand between them. Those in a test and right above it are the test's.
  func withComments(_ items: [(id: ItemID, item: ReplItem)], _ tree: Tree, _ sources: SourceMap) -> [ReplItem] {
    var result = items.map(\.item)
    guard let first = items.first else { return [] }
    var bytes = sources.files[Int(tree.span(first.id).file.raw)].bytes
    for (index, other) in tree.items.enumerated() {
      guard case .test = other else { continue }
      let id = ItemID(index)
      for place in startOfTest(id, tree, sources)..<Int(tree.span(id).end) { bytes[place] = UInt8(ascii: " ") }
    }
    func lines(_ start: Int, _ end: Int) -> [String] {
      start >= end
        ? []
        : String(decoding: bytes[start..<end], as: UTF8.self).split(
          separator: "\n", omittingEmptySubsequences: false
        )
        .map { trimmed(String($0)) }
    }
    var end = 0
    for (index, (id, _)) in items.enumerated() {
      let gap = lines(end, Int(tree.span(id).start))
      if index > 0, let behind = gap.first, behind.hasPrefix("//") { result[index - 1].comments.behind = behind }
      result[index].comments.above = gap.dropFirst(index > 0 ? 1 : 0).filter { $0.hasPrefix("//") }
      end = Int(tree.span(id).end)
    }
    let rest = lines(end, bytes.count)
    if let behind = rest.first, behind.hasPrefix("//") { result[result.count - 1].comments.behind = behind }
    result[result.count - 1].comments.below = rest.dropFirst().filter { $0.hasPrefix("//") }
    return result
  }

  func item(_ id: ItemID, _ tree: Tree, _ sources: SourceMap) -> ReplItem {
    var item = ReplItem(names: [], text: sources.text(tree.span(id)))
    switch tree[id] {
    case .definition(let definition):
      switch definition.binder {
      case .function(let name, _): item.names = [name.text]
      case .value(let pattern): tree.forEachName(in: pattern) { name, _ in item.names.append(name) }
      }
      if definition.isOutput, definition.sink == nil, item.text.hasPrefix("output") {
        item.text = trimmed(String(item.text.dropFirst("output".count)))
      }
    case .input(let name, _, _, _):
      item.names = [name.text]
      item.isInput = true
    case .type(let name, _, _), .alias(let name, _, _): item.names = [name.text]
    case .importModule(let name): (item.names, item.folder) = ([name.text], ReplModules.presentFolder)
    case .output, .test: break
    }
    return item
  }

  /// Says why definitions are not taken; where only their dependents break, what can be done.
  func refuse(_ items: [ReplItem], _ program: ReplProgram) {
    guard liesInDependents(program.errors, items) else {
      fail(render(program.errors, program.program.sources))
      let hints = items.flatMap { hintsOfNames($0.text) }
      return hints.forEach { show(wrappedToFit($0)) }
    }
    refused = items
    let broken = spoken(itemsWithErrors(program))
    fail("\(spoken(items)) is not redefined: \(broken) could not go on   (:force takes it, and \(broken) waits)")
    show(render(program.errors, program.program.sources))
  }

  /// How sentences call them: an `output` of what is defined elsewhere and a test have no names.
  private func spoken(_ items: [ReplItem]) -> String {
    let names = items.flatMap { item in
      item.names.isEmpty ? ["`\(trimmed(String(item.text.prefix { $0 != "\n" && $0 != "{" })))`"] : item.names
    }
    return names.joined(separator: ", ")
  }

  /// `:force`: takes what was refused; what breaks waits for another definition.
  func force() {
    guard !refused.isEmpty else { return fail("nothing was refused because of what depends on it") }
    let items = refused
    refused = []
    var dropped: [ReplItem] = []
    var next = program(with: items)
    while !next.errors.isEmpty {
      let broken = itemsWithErrors(next).filter { !items.contains($0) }
      if broken.isEmpty { return fail(render(next.errors, next.program.sources)) }
      dropped += broken
      let kept = next.items.filter { !broken.contains($0) }
      next = compiled(kept, first: items.map(\.text), modules: next.modules)
    }
    take(items, next)
    let names = items.flatMap(\.names)
    for item in dropped { pending.append(ReplPending(item: item, missing: names)) }
    if !dropped.isEmpty {
      show("\(dropped.flatMap(\.names).joined(separator: ", ")) waits for another \(names.joined(separator: ", "))")
    }
  }

  private func showOutputs(_ names: [String]) {
    if let unknown = names.first(where: { current.name($0) == nil }) { return fail(unknownName(unknown)) }
    show((names.map { describe($0) } + ["at a prompt every definition is an output"]).joined(separator: "\n"))
  }

  /// The present program with these definitions in place of those of the same names.
  func program(with items: [ReplItem]) -> ReplProgram {
    let names = Set(items.flatMap(\.names))
    let kept = current.items.filter { names.isDisjoint(with: $0.names) }
    let reads = items.contains { $0.folder != nil }
    return program(of: kept + items, first: items.map(\.text), modules: reads ? ReplModules() : nil)
  }

  func take(_ items: [ReplItem], _ next: ReplProgram) {
    let names = items.flatMap(\.names)
    let inputs = current.names.filter { $0.isInput && names.contains($0.name) }
    let isRedefinition = current.items.contains { !Set(names).isDisjoint(with: $0.names) }
    guard let report = accept(next, title: names.joined(separator: ", ")) else { return }
    deed.defined = names.compactMap { current.name($0) }
    log[log.count - 1].woken = pending.filter { items.contains($0.item) }
    pending.removeAll { !Set(names).isDisjoint(with: $0.item.names) }
    if names.count == 1 {
      showWithValue(names[0])
    } else {
      let shown = names.prefix(20).map { rowOf($0) }
      show((shown + (names.count > 20 ? ["… \(names.count - 20) more; :list shows all"] : [])).joined(separator: "\n"))
    }
    if isRedefinition { show(rewired(names, report)) } else { showLosses(report) }
    for input in inputs where current.name(input.name)?.isInput == false {
      let command = input.kind == .event ? "push" : "set"
      show("\(input.name) was an input: :undo, and then :\(command) \(input.name) VALUE, gives it a value instead")
    }
    tellWhatIsMissing()
  }

  /// `speed redefined · rewired: pos · state kept: pos, n · restarted: lap (its type is another)`.
  private func rewired(_ names: [String], _ report: ReloadReport) -> String {
    let users = names.flatMap { current.dependents(of: $0) }.filter { !names.contains($0) && $0 != "it" }
    var parts = ["\(names.joined(separator: ", ")) redefined"]
    if !users.isEmpty { parts.append("rewired: \(several(users))") }
    let kept = report.kept.filter { $0 != "it" }
    if !kept.isEmpty { parts.append("state kept: \(several(kept))") }
    let restarted = lost(report.restarted)
    if !restarted.isEmpty { parts.append("restarted: \(restarted)") }
    return parts.joined(separator: " · ")
  }

  /// What could not go on although nothing of it was redefined.
  private func showLosses(_ report: ReloadReport) {
    let restarted = lost(report.restarted)
    if !restarted.isEmpty { show("restarted: \(restarted)") }
  }

  /// Makes a compiled program the running one; nil if it faults at once, and then nothing has changed.
  @discardableResult
  func accept(_ next: ReplProgram, title: String) -> ReloadReport? {
    checkpoint()
    // What was compiled with something put first, for its messages, is compiled as the session has it.
    let isInOrder = next.texts == next.items.map(\.text)
    guard let report = run(isInOrder ? next : compiled(next.items, modules: next.modules)) else { return nil }
    keepChange(current.items, title: title)
    undone = []
    return report
  }

  /// Runs another program in place of the present one, unless what begins with it faults.
  private func run(_ next: ReplProgram) -> ReloadReport? {
    let old = current
    // To become another program and then the one before again would lose what neither goes on with.
    if let trial = apart(next), let fault = looking(at: trial.run, of: next, { faultOfConstants(old) }) {
      refuse(.fault(fault), next)
      return nil
    }
    switch exchange(next) {
    case .success(let report):
      guard let fault = faultOfConstants(old) else { return report }
      exchange(old)
      refuse(.fault(fault), next)
    case .failure(let error): refuse(error, next)
    }
    return nil
  }

  func refuse(_ error: SimulationError, _ next: ReplProgram) {
    refusal = error
    if ReplInterrupt.isPressed { return fail("stopped; nothing has changed") }
    guard case .fault(let fault) = error else { return fail(words(error)) }
    fail(isBrief ? brief(fault) : render([fault], next.program.sources))
  }

  /// What is wrong with a new constant, for ever; a behavior may have a value later.
  func faultOfConstants(_ old: ReplProgram) -> Diagnostic? {
    guard let simulation else { return nil }
    let known = Set(old.items.map(\.text))
    let new = Set(current.items.filter { !known.contains($0.text) }.flatMap(\.names))
    for name in current.names where name.kind == .constant && new.contains(name.name) {
      let found: SimulationError? = ReplInterrupt.guarding(simulation) {
        do throws(SimulationError) {
          _ = try simulation.value(of: name.name, atMost: ReplOptions.shownBytes)
          return nil
        } catch { return error }
      }
      if case .fault(let fault) = found { return untimed(placed(fault)) }
    }
    return nil
  }

  /// A constant is wrong at any time, and where nothing is taken nothing ends.
  private func untimed(_ fault: Diagnostic) -> Diagnostic {
    var fault = fault
    fault.notes = []
    fault.moment = nil
    if fault.definition == "it" { fault.definition = nil }
    return fault
  }

  /// The same fault as a fresh run of the present program meets it: that names the place best. What else is wrong there,
  /// such as an input without a value, is another matter.
  private func placed(_ fault: Diagnostic) -> Diagnostic {
    guard !ReplInterrupt.isPressed, let fresh = newRun(current.program) else {
      return fault
    }
    ReplInterrupt.guarding(fresh) { fresh.start() }
    return fresh.faults.first { $0.reason == fault.reason } ?? fault
  }

  func evaluate(expression: String) {
    if let known = current.name(expression), known.kind != .hidden, expression != "it" || expressionApart == nil {
      deed.looked = (known.kind, expression)
      return look(at: known)
    }
    let item = spelledOut([ReplItem(names: ["it"], text: Self.itPrefix + expression.replacingLineBreaks())])[0]
    let next = program(with: [item])
    if !next.errors.isEmpty {
      explain(next, expression)
      if let hint = hintOfCommand(expression) { show(hint) }
      return
    }
    if live.sampling?.name == "it" { live.sampling = nil }
    if adjusting == nil, lookApart(next, item) { return tellWhatIsMissing() }
    let last = adjusting.map(\.lastExpression) ?? lastExpression
    guard let report = run(next) else { return }
    showLosses(report)
    expressionApart = nil
    if let last { keepExpression(last) }
    if let known = current.name("it") {
      deed.looked = (known.kind, trimmed(expression))
      look(at: known)
    }
    tellWhatIsMissing()
  }

  /// Shows a value; on a terminal a behavior is a row that follows it, an event is followed by its occurrences.
  private func look(at known: ReplName) {
    live.lastRow = ""
    live.lastDrawn = 0
    live.followed = nil
    switch known.kind {
    case .behavior where source.isInteractive:
      live.expression = known.name
      // The row of a behavior is cut at the edge of the screen.
      live.partlyShown = known.name
    case .event:
      show(describe(known.name))
      live.followed = known.name
    default: showWithValue(known.name)
    }
  }

  /// `:show all`, or `:show NAME`: a value to its end.
  func showWhole(_ text: String) {
    guard let name = text == "all" && current.name("all") == nil ? live.partlyShown : text else {
      return fail("nothing was shown in part; write :show NAME")
    }
    guard let known = current.name(name) else { return fail(unknownName(name)) }
    guard known.kind == .behavior || known.kind == .constant else { return show(describe(name)) }
    advance()
    show(value(name, atMost: .max).text)
  }

  // MARK: Words

  /// `n : Behavior<Int> = 3`.
  func describe(_ name: String) -> String {
    guard let known = current.name(name) else {
      return current.items.contains { $0.names.contains(name) } ? "\(name) defined" : "nothing is called \(name)"
    }
    if let head = headOfValue(known) { return "\(head) = \(value(name))" }
    let head = name == "it" ? "" : "\(name) "
    switch known.kind {
    case .event where known.isInput:
      return "\(head): \(known.type)   push with  :push \(name)" + (known.type == "Event<()>" ? "" : " VALUE")
    case .behavior: return "\(head): \(known.type)   no value yet; give it one with  :set \(name) VALUE"
    default: return "\(head): \(known.type)"
    }
  }

  /// `n : Behavior<Int>` of a name that has a value.
  func headOfValue(_ known: ReplName) -> String? {
    let isAwaited = known.kind == .behavior && known.isInput
    guard known.kind == .constant || known.kind == .behavior,
      !isAwaited || (try? simulation?.value(of: known.name, atMost: 1)) != nil
    else { return nil }
    return (known.name == "it" ? "" : "\(known.name) ") + ": \(known.type)"
  }

  /// The present value as source, in part where it is long, or why there is none.
  func value(_ name: String) -> String { value(name, atMost: ReplOptions.shownBytes).text }

  /// The same, of about so many bytes; if that is not all, how much there is.
  func value(_ name: String, atMost limit: Int) -> (text: String, rest: ValueSize?) {
    guard let simulation else { return ("?", nil) }
    do throws(SimulationError) {
      let found: Result<(text: String, rest: ValueSize?), SimulationError> = ReplInterrupt.guarding(simulation) {
        do throws(SimulationError) {
          return .success(try simulation.source(of: name, atMost: limit))
        } catch { return .failure(error) }
      }
      return try found.get()
    } catch .fault where ReplInterrupt.isPressed {
      return ("stopped", nil)
    } catch .fault(let fault) {
      return ("no value: \(fault.title)", nil)
    } catch {
      return ("?", nil)
    }
  }
}
