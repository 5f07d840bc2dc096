// A session at the prompt: a program that grows, and that runs while somebody types.
//
// - An entry is a definition, an expression, or a command that begins with `:`.
// - A definition is a transaction: it is taken only if the whole program still checks.
// - The run is a simulation and a log of what was pushed. Undo, and going back in time, run the log again.

import FRP
import FRPBase
import FRPSyntax
import Glibc

/// Something that was sent into the program at some time.
struct ReplEvent {
  var time: Double
  var values: [(name: String, json: String)]
}

/// What `:undo` goes back to.
struct ReplState {
  var items: [ReplItem]
  var log: [ReplEvent]
  var title: String
}

final class ReplSession {
  let source: any LineSource
  let console: Console
  let hasColours: Bool
  var current = ReplProgram(items: [])
  var simulation: Simulation?
  var log: [ReplEvent] = []
  var undone: [ReplState] = []
  var done: [ReplState] = []
  /// Definitions that wait for a name.
  var pending: [(item: ReplItem, missing: [String])] = []
  var clock = ReplClock()
  var live = ReplLive()
  var isOver = false
  var hasFailed = false
  /// Pushes that are to come, in the order of their times.
  var planned: [ReplEvent] = []
  var files: [String] = []
  var faultsShown = 0

  init(_ source: any LineSource, _ console: Console) {
    self.source = source
    self.console = console
    hasColours = source.isInteractive && console.wantsColor(nil)
    rebuild(until: 0)
  }

  // MARK: The loop

  /// Reads and answers entries until the end.
  func run() -> ExitCode {
    if source.isInteractive { show(banner) }
    while !isOver {
      switch source.read(prompt, self) {
      case .end: isOver = true
      case .interrupted: continue
      case .text(let text): enter(text)
      }
    }
    source.close()
    return hasFailed && !source.isInteractive ? .programHasErrors : .success
  }

  private var banner: String {
    "frp \(VersionCommand.version) · a prompt in a running program · :help, :tour, :quit"
  }

  private var prompt: String {
    hasColours ? "\u{1}\u{1B}[1;34m\u{1}frp>\u{1}\u{1B}[0m\u{1} " : "frp> "
  }

  func show(_ text: String) {
    if !text.isEmpty { source.show(text) }
  }

  /// One entry, as typed.
  func enter(_ text: String) {
    let entry = trimmed(text)
    if entry.isEmpty { return }
    advance()
    live.expression = nil
    if source.isInteractive, !text.hasPrefix(" ") {
      source.remember(entry)
      ReplHistory.append(entry, console)
    }
    switch entry {
    case "exit", "quit": isOver = true
    case "help": command(":help")
    default:
      if entry.hasPrefix(":") { command(entry) } else { evaluate(entry) }
    }
  }

  func fail(_ text: String) {
    hasFailed = true
    show(text)
  }

  // MARK: Definitions and expressions

  private func evaluate(_ text: String) {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    let parsed = Parser.parseEntry(file, in: sources, into: &tree)
    if !parsed.diagnostics.isEmpty { return fail(render(parsed.diagnostics, sources)) }
    for part in parsed.parts {
      switch part {
      case .expr(let expr): evaluate(expression: sources.text(tree.span(expr)))
      case .item(let id): define(item(id, tree, sources))
      }
    }
  }

  func item(_ id: ItemID, _ tree: Tree, _ sources: SourceMap) -> ReplItem {
    var item = ReplItem(names: [], text: sources.text(tree.span(id)))
    switch tree[id] {
    case .definition(let definition):
      switch definition.binder {
      case .function(let name, _): item.names = [name.text]
      case .value(let pattern): item.names = names(in: pattern, tree)
      }
      if definition.isOutput, item.text.hasPrefix("output") {
        item.text = trimmed(String(item.text.dropFirst("output".count)))
      }
    case .input(let name, _, _):
      item.names = [name.text]
      item.isInput = true
    case .type(let name, _, _), .alias(let name, _, _), .importModule(let name): item.names = [name.text]
    case .output, .test: break
    }
    return item
  }

  private func names(in pattern: PatternID, _ tree: Tree) -> [String] {
    switch tree[pattern] {
    case .name(let name): [name]
    case .alias(let inner, let name): names(in: inner, tree) + names(in: name, tree)
    case .tuple(let all), .list(let all, _, _): all.flatMap { names(in: $0, tree) }
    case .record(let fields): fields.flatMap { names(in: $0.pattern, tree) }
    case .constructor(_, _, let arguments): arguments.flatMap { names(in: $0.pattern, tree) }
    default: []
    }
  }

  /// Takes a definition if the program with it checks; says what became of it.
  func define(_ item: ReplItem) {
    if item.names.isEmpty { return show("at a prompt every definition is an output") }
    let replaced = current.items.filter { !Set($0.names).isDisjoint(with: item.names) }
    let kept = current.items.filter { Set($0.names).isDisjoint(with: item.names) }
    let next = ReplProgram(items: kept + [item], first: item.text)
    if !next.errors.isEmpty { return refuse(item, next, isNew: replaced.isEmpty) }
    accept(next, title: item.names.joined(separator: ", "))
    for name in item.names { show(describe(name)) }
    if !replaced.isEmpty { show(rewired(item.names)) }
    retryPending(item.names)
  }

  private func refuse(_ item: ReplItem, _ next: ReplProgram, isNew: Bool) {
    let errors = next.errors
    let missing = errors.compactMap { $0.code == "E0201" && $0.helps.isEmpty ? next.program.sources.text($0.span) : nil }
    if isNew, missing.count == errors.count {
      pending.append((item, missing))
      return show("\(item.names.joined(separator: ", ")) is pending: it waits for \(missing.joined(separator: ", "))")
    }
    fail(render(errors, next.program.sources))
  }

  private func retryPending(_ names: [String]) {
    let waiting = pending.filter { !Set($0.missing).isDisjoint(with: names) }
    pending.removeAll { !Set($0.missing).isDisjoint(with: names) }
    for entry in waiting { define(entry.item) }
  }

  private func rewired(_ names: [String]) -> String {
    let users = names.flatMap { current.dependents(of: $0) }.filter { !names.contains($0) }
    let title = names.joined(separator: ", ")
    return users.isEmpty ? "\(title) redefined" : "\(title) redefined · rewired: \(users.joined(separator: ", "))"
  }

  /// Makes a compiled program the running one.
  func accept(_ next: ReplProgram, title: String) {
    done.append(ReplState(items: current.items, log: log, title: title))
    if done.count > 200 { done.removeFirst() }
    undone = []
    let old = simulation
    current = ReplProgram(items: next.items)
    continueRun(from: old)
  }

  private func evaluate(expression: String) {
    if let known = current.name(expression), known.kind != .hidden {
      return look(at: known)
    }
    let item = ReplItem(names: ["it"], text: "it = " + expression.replacingLineBreaks())
    let next = ReplProgram(items: current.items.filter { $0.names != ["it"] } + [item], first: item.text)
    if !next.errors.isEmpty {
      return fail(render(next.errors, next.program.sources).replacingOccurrences(of: "it = ", with: ""))
    }
    current = next
    continueRun(from: simulation)
    if let known = current.name("it") { look(at: known) }
  }

  /// Shows a value; on a terminal a behavior is a row that follows it, an event is followed by its occurrences.
  private func look(at known: ReplName) {
    live.lastRow = ""
    live.lastDrawn = 0
    switch known.kind {
    case .behavior where source.isInteractive: live.expression = known.name
    case .event:
      show(describe(known.name))
      live.followed = known.name
    default: show(describe(known.name))
    }
  }

  // MARK: Words

  /// `n : Behavior<Int> = 3`.
  func describe(_ name: String) -> String {
    guard let known = current.name(name) else {
      return current.items.contains { $0.names.contains(name) } ? "\(name) defined" : "nothing is called \(name)"
    }
    let head = name == "it" ? "" : "\(name) "
    switch known.kind {
    case .function, .hidden: return "\(head): \(known.type)"
    case .event:
      if !known.isInput { return "\(head): \(known.type)" }
      return "\(head): \(known.type)   push with  :push \(name)" + (known.type == "Event<()>" ? "" : " VALUE")
    case .constant, .behavior: return "\(head): \(known.type) = \(value(name))"
    }
  }

  /// The present value as source, or why there is none.
  func value(_ name: String) -> String {
    guard let simulation else { return "?" }
    do throws(SimulationError) {
      return try simulation.source(of: name)
    } catch .fault(let fault) {
      return "no value: \(fault.title)"
    } catch {
      return "?"
    }
  }

  func render(_ diagnostics: [Diagnostic], _ sources: SourceMap) -> String {
    let text = renderText(
      diagnostics, sources: sources, style: DiagnosticStyle(width: console.width(nil), color: hasColours))
    // There is one file, the prompt: its name would be noise.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("  prompt:") }
    return lines.joined(separator: "\n").trimmingLines()
  }
}

/// Without blanks and line breaks at both ends.
func trimmed(_ text: String) -> String {
  guard let first = text.firstIndex(where: { !$0.isWhitespace }),
    let last = text.lastIndex(where: { !$0.isWhitespace })
  else { return "" }
  return String(text[first...last])
}

extension String {
  /// Every line but the first is indented, so that it continues a definition.
  func replacingLineBreaks() -> String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
  }

  func replacingOccurrences(of part: String, with other: String) -> String {
    var result = ""
    var rest = self[...]
    while let found = rest.firstRange(of: part) {
      result += rest[..<found.lowerBound] + other
      rest = rest[found.upperBound...]
    }
    return result + rest
  }

  func trimmingLines() -> String {
    var text = self[...]
    while text.hasSuffix("\n") { text = text.dropLast() }
    return String(text)
  }
}
