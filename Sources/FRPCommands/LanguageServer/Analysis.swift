// One text, compiled once: diagnostics, and the checker's facts as editors ask for them.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax

final class Analysis {
  let file: SourceFile
  /// Of the program; where it has no errors, of its tests as well.
  private(set) lazy var diagnostics: [Diagnostic] =
    isClean
    ? ofProgram + surroundings.mistakesOfTests(in: Source(name: file.name, bytes: file.bytes)) : ofProgram
  private let ofProgram: [Diagnostic]
  let sources: SourceMap
  let facts: ProgramFacts?
  /// Whether there are no errors.
  let isClean: Bool
  /// The names of the main file, in order of place.
  private(set) lazy var names: [NameOccurrence] = allNames.filter { $0.span.file == FileID(0) }
  /// Those of the modules as well.
  private(set) lazy var allNames: [NameOccurrence] = facts?.occurrences ?? []
  /// What definitions are in time; empty where there are errors.
  private(set) lazy var times: [PatternID: DefinitionTime] =
    isClean
    ? onLargeStack { [typed] in
      typed?.times(budget: CheckBudget(surroundings.limits, bytes: sources.byteCount)) ?? [:]
    } : [:]
  private lazy var aliases: [(text: String, name: String)] = facts?.aliasTexts ?? []
  private let surroundings: Surroundings
  /// Where targets are made.
  private lazy var definitions: [NameTarget: NameOccurrence] = Dictionary(
    allNames.filter(\.isDefinition).map { ($0.target, $0) }
  ) { first, _ in first }
  /// What the main file defines at its margin.
  private lazy var topLevel: [String: NameTarget] = Dictionary(
    (typed?.tree.modules.first?.items ?? []).flatMap { declared(by: $0) }.map { ($0.name.text, $0.target) }
  ) { first, _ in first }

  init(_ file: SourceFile, _ surroundings: Surroundings) {
    self.file = file
    self.surroundings = surroundings
    var learnt: ProgramFacts?
    let program = surroundings.compile(Source(name: file.name, bytes: file.bytes), learns: { learnt = $0 })
    ofProgram = program.diagnostics
    sources = program.sources
    facts = learnt
    isClean = !program.hasErrors
  }

  var typed: TypedProgram? { facts?.program }

  // MARK: Names

  /// The name at a place; one that ends there counts.
  func name(at offset: Int) -> NameOccurrence? {
    // The first name that ends at the place or behind it.
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      if Int(names[middle].span.end) < offset { low = middle + 1 } else { high = middle }
    }
    let here = names[low...].prefix(2).filter { Int($0.span.start) <= offset && offset <= Int($0.span.end) }
    return here.last
  }

  /// Where a target is made, in this file or a module.
  func definition(of target: NameTarget) -> NameOccurrence? { definitions[target] }

  /// The main file's definition of a name at its margin.
  func topLevel(_ name: String) -> NameOccurrence? { topLevel[name].flatMap { definitions[$0] } }

  /// The values that an item gives names to.
  func declared(by item: ItemID) -> [(name: Name, target: NameTarget)] {
    guard let typed else { return [] }
    switch typed.tree[item] {
    case .input(let name, _, _, _): return [(name, .item(item))]
    case .definition(let definition):
      switch definition.binder {
      case .function(let name, _): return [(name, .item(item))]
      case .value(let pattern):
        var found: [(name: Name, target: NameTarget)] = []
        typed.tree.forEachName(in: pattern) { found.append((Name($0, typed.tree.span($1)), .binder($1))) }
        return found
      }
    default: return []
    }
  }

  /// The module that a file is.
  func module(of file: FileID) -> Module? { typed?.tree.modules.first { $0.file == file } }

  // MARK: Types

  /// The type of what a name means, as programs write it, with `Behavior<…>` where it varies; nil where nothing is known.
  func type(of target: NameTarget) -> String? { whole(target).map(named) }

  /// A type, records by the names that aliases give them.
  func named(_ type: String) -> String { aliases.reduce(type) { $0.replacing($1.text, with: $1.name) } }

  private func whole(_ target: NameTarget) -> String? {
    guard let typed else { return nil }
    switch target {
    case .binder(let pattern):
      if let known = times[pattern] { return wrapped(known.type, known.kind) }
      let type = typed.patternTypes[pattern.index]
      if case .error = typed[type] { return nil }
      if let item = typed.definitionOfBinder[pattern], let scheme = typed.schemes[item], !scheme.generics.isEmpty {
        return typed.describe(Scheme(generics: scheme.generics, type: type), of: item)
      }
      return typed.describe(type)
    case .item(let item):
      if let input = typed.inputs.first(where: { $0.item == item }) {
        return "\(input.isEvent ? "Event" : "Behavior")<\(typed.describe(input.type))>"
      }
      return typed.schemes[item].map { typed.describe($0, of: item) }
    case .constructor(let nominal, let tag): return constructor(nominal, tag, in: typed)
    case .builtin(let rows): return rows.first.map { Builtins.all[$0].signature }
    case .builtinType, .module: return nil
    }
  }

  private func wrapped(_ type: String, _ time: TimeKind?) -> String {
    time == .step || time == .continuous ? "Behavior<\(type)>" : type
  }

  private func constructor(_ nominal: NominalID, _ tag: Int, in typed: TypedProgram) -> String? {
    guard typed.nominals.indices.contains(nominal.index), typed.nominals[nominal.index].cases.indices.contains(tag)
    else { return nil }
    let owner = typed.nominals[nominal.index]
    let made = owner.cases[tag]
    if made.fields.isEmpty { return owner.name }
    let fields = made.fields.enumerated().map { index, type in
      (made.labels.map { "\($0[index]): " } ?? "") + typed.describe(type)
    }
    return "(\(fields.joined(separator: ", "))) -> \(owner.name)"
  }

  /// What a name is in time; nil for what is no data, and where nothing is known.
  func time(of target: NameTarget) -> TimeKind? {
    switch target {
    case .binder(let pattern): times[pattern]?.kind
    case .item(let item):
      typed?.inputs.contains { $0.item == item && !$0.isEvent } == true ? .step : nil
    case .builtin(let rows):
      rows.allSatisfy { Builtins.all[$0].signature.hasPrefix("Behavior<") } && !rows.isEmpty ? .continuous : nil
    default: nil
    }
  }

  /// What a definition of this name is in time.
  func time(ofName name: String) -> TimeKind? { topLevel[name].flatMap { time(of: $0) } }

  /// Of the rows of an overloaded name, those that its first argument chooses; all where that is not known.
  func meant(_ rows: [Int], by name: NameOccurrence) -> [Int] {
    guard rows.count > 1, let expr = name.expr, let typed,
      case .function(let parameters, _) = typed[typed.exprTypes[expr.index]], let first = parameters.first
    else { return rows }
    let type = typed.describe(first)
    let chosen = rows.filter { SignatureText.takes(Builtins.all[$0].signature, type) }
    return chosen.isEmpty ? rows : chosen
  }

  /// Whether a name means an event.
  func isEvent(_ target: NameTarget) -> Bool {
    guard let typed else { return false }
    switch target {
    case .binder(let pattern):
      if case .event = typed[typed.patternTypes[pattern.index]] { return true }
      return false
    case .item(let item): return typed.inputs.contains { $0.item == item && $0.isEvent }
    case .builtin(let rows): return rows.contains { Builtins.all[$0].signature.hasPrefix("Event<") }
    default: return false
    }
  }

  /// Whether a name means a function.
  func isFunction(_ target: NameTarget) -> Bool {
    guard let typed else { return false }
    switch target {
    case .binder(let pattern):
      if case .function = typed[typed.patternTypes[pattern.index]] { return true }
      return false
    case .item(let item): return typed.schemes[item] != nil
    case .builtin(let rows): return rows.contains { Builtins.all[$0].signature.contains("->") }
    default: return false
    }
  }

  /// Whether a name is a parameter, or bound by a branch of a match.
  func isParameter(_ target: NameTarget) -> Bool {
    if case .binder(let pattern) = target { return typed?.definitionOfBinder[pattern] == nil }
    return false
  }

  /// The smallest expression around a place that has a type.
  func expression(at offset: Int) -> (expr: ExprID, span: Span)? {
    guard let typed else { return nil }
    var best: (expr: ExprID, span: Span)?
    for (index, span) in typed.tree.exprSpans.enumerated()
    where span.file == FileID(0) && Int(span.start) <= offset && offset <= Int(span.end) {
      if case .error = typed[typed.exprTypes[index]] { continue }
      if case .missing = typed.tree.exprs[index] { continue }
      if best.map({ span.end - span.start < $0.span.end - $0.span.start }) ?? true { best = (ExprID(index), span) }
    }
    return best
  }

  /// The `///` lines above what a name means.
  func documentation(of target: NameTarget) -> String? {
    guard let tree = typed?.tree else { return nil }
    switch target {
    case .item(let item): return tree.itemDocs[item]
    case .binder(let pattern): return typed?.definitionOfBinder[pattern].flatMap { tree.itemDocs[$0] }
    default: return nil
    }
  }
}
