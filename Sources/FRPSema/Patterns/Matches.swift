// Every match covers all values (E0504), every arm can be reached (W0505), and patterns that cannot be chosen among
// (in definitions and parameters) cannot fail (E0507).
//
// In:  a typed program, also one with errors: what they touch is left out.
// Out: diagnostics.
// Rules: an arm with a guard covers nothing. What is covered by an arm that catches everything needs no search.

import FRPBase
import FRPCore
import FRPSyntax

func checkMatches(_ program: TypedProgram) -> [Diagnostic] {
  var checker = MatchChecker(program: program, space: Space(program: program))
  for (index, expr) in program.tree.exprs.enumerated() {
    if case .match(let subject, let arms) = expr { checker.check(ExprID(index), subject, arms) }
    for pattern in program.tree.patternsWithoutChoice(of: ExprID(index)) {
      checker.checkIrrefutable(pattern, "a parameter")
    }
  }
  for item in program.tree.items {
    guard case .definition(let definition) = item else { continue }
    switch definition.binder {
    case .value(let pattern): checker.checkIrrefutable(pattern, "a definition")
    case .function(let name, let parameters):
      for (place, parameter) in parameters.enumerated() {
        checker.checkIrrefutable(parameter.pattern, "a parameter") { head(program, name.text, parameters, place) }
      }
    }
  }
  return checker.diagnostics
}

/// `fact(x) = match x`, of a function of which a parameter is chosen among.
private func head(_ program: TypedProgram, _ name: String, _ parameters: [Parameter], _ chosen: Int) -> String {
  var texts = parameters.map { program.sources.text(program.tree.span($0.pattern)) }
  let free = ["x", "y", "value"].first { !texts.contains($0) } ?? "argument"
  texts[chosen] = free
  return "\(name)(\(texts.joined(separator: ", "))) = match \(free)"
}

private struct MatchChecker {
  let program: TypedProgram
  let space: Space
  var diagnostics: [Diagnostic] = []

  mutating func check(_ id: ExprID, _ subject: ExprID, _ arms: [MatchArm]) {
    let shapes = arms.map { space.shape($0.pattern) }
    let subjectType = program.exprTypes[subject.index]
    if case .error = program[subjectType] { return }
    let types = [TypeAt(type: subjectType, scope: nil)]
    guard !arms.isEmpty, shapes.allSatisfy({ $0.map { space.fits($0, types[0]) } ?? false }) else { return }
    if isPlain(arms, shapes) { return }
    var rows = ArmRows()
    var usefulness = Usefulness(space)
    for (index, shape) in shapes.enumerated() {
      guard let shape else { continue }
      let above = rows.overlapping(shape)
      if !usefulness.isUseful([shape], after: above.map { [$0.shape] }, types: types) {
        redundant(arms, index, rows: above, shape: shape, types: types)
      } else if case .either(let list) = shape {
        checkAlternatives(arms[index].pattern, list, above: above.map { [$0.shape] }, types: types)
      }
      if arms[index].guardExpr == nil { rows.append(shape, arm: index) }
    }
    // Too much work to find an arm that is never reached is no reason to refuse the match.
    var gaps = Usefulness(space)
    let missing = gaps.missing(rows.all.map { [$0.shape] }, types).compactMap(\.first)
    if gaps.isExhausted {
      tooComplex(id)
    } else if !missing.isEmpty {
      gap(id, subject, missing: missing, arms: arms)
    }
  }

  /// A long table: literals, each once, then a name or `_`. Nothing is missing and nothing redundant.
  private func isPlain(_ arms: [MatchArm], _ shapes: [Shape?]) -> Bool {
    var seen: Set<Shape> = []
    for (index, shape) in shapes.enumerated() {
      guard let shape, arms[index].guardExpr == nil, seen.insert(shape).inserted else { return false }
      if shape == .anything { return index == shapes.count - 1 }
      guard case .constructor(let form, _) = shape else { return false }
      switch form {
      case .int, .float, .string: break
      default: return false
      }
    }
    return false
  }

  /// Alternatives that those before them, or the arms above, already cover.
  private mutating func checkAlternatives(_ id: PatternID, _ list: [Shape], above: [[Shape]], types: [TypeAt]) {
    guard case .alternatives(let patterns) = program.tree[id], patterns.count == list.count else { return }
    var rows = above
    for (pattern, shape) in zip(patterns, list) {
      var usefulness = Usefulness(space)
      if !usefulness.isUseful([shape], after: rows, types: types) {
        diagnostics.append(
          Diagnostic(
            .unreachableArm, "this alternative is never reached", at: program.tree.span(pattern), label: "caught before"
          ))
      }
      rows.append([shape])
    }
  }

  private mutating func tooComplex(_ id: ExprID) {
    diagnostics.append(
      Diagnostic(
        .complexMatch, "this match is too complex to check", at: program.tree.span(id), label: "too many combinations",
        helps: [Help("match on one part after the other, or add a last arm", code: "_ => …")]))
  }

  private mutating func redundant(
    _ arms: [MatchArm], _ index: Int, rows: [ArmRows.Row], shape: Shape, types: [TypeAt]
  ) {
    let span = program.tree.span(arms[index].pattern)
    let alone = rows.first { row in
      var usefulness = Usefulness(space)
      return !usefulness.isUseful([shape], after: [[row.shape]], types: types)
    }
    var labels: [Label] = []
    var helps: [Help] = []
    if let pattern = alone.map({ arms[$0.arm].pattern }) {
      labels = [Label(program.tree.span(pattern), "this already catches it")]
      helps = meantVariant(pattern, of: types[0])
    }
    diagnostics.append(
      Diagnostic(
        .unreachableArm, "this arm is never reached", at: span,
        label: alone == nil ? "the arms above catch all of this" : "caught before", labels: labels, helps: helps))
  }

  /// `red` is a new name that catches everything, where the type has a variant `Red`.
  private func meantVariant(_ pattern: PatternID, of type: TypeAt) -> [Help] {
    guard case .name(let name) = program.tree[pattern], case .nominal(let id, _) = space.node(type).node,
      let tag = program.nominals[id.index].cases.firstIndex(where: { $0.name.lowercased() == name.lowercased() })
    else { return [] }
    let parts = program.nominals[id.index].cases[tag].fields
    let fields = parts.isEmpty ? "" : "(\(parts.map { _ in "_" }.joined(separator: ", ")))"
    let meant = program.constructor(id, tag, in: program.tree.span(pattern).file)
    return [Help("`\(name)` is a new name; for the variant", code: meant + fields)]
  }

  private mutating func gap(_ id: ExprID, _ subject: ExprID, missing: [Shape], arms: [MatchArm]) {
    let printer = ShapePrinter(program: program, file: program.tree.span(id).file)
    let patterns = missing.map(printer.text)
    let hasGuards = arms.contains { $0.guardExpr != nil }
    diagnostics.append(
      Diagnostic(
        .incompleteMatch, "this match does not cover \(enumerated(patterns))", at: program.tree.span(subject),
        label: "values that no arm matches are possible",
        notes: hasGuards ? ["An arm with a guard (`if`) may refuse, so it does not count."] : [],
        helps: [
          Help(
            "add what is missing", code: patterns.map { "\($0) => …" }.joined(separator: "; "),
            edit: insertion(id, patterns, arms: arms))
        ]))
  }

  /// The missing arms, on lines of their own below the last one.
  private func insertion(_ id: ExprID, _ patterns: [String], arms: [MatchArm]) -> Help.Edit? {
    guard let last = arms.last else { return nil }
    let file = program.sources[program.tree.span(id).file]
    let place = program.tree.span(last.body).end
    let start = file.position(at: Int(program.tree.span(last.pattern).start))
    let opening = file.position(at: Int(program.tree.span(id).start))
    let separator = start.line == opening.line ? "; " : "\n" + String(repeating: " ", count: start.column - 1)
    let text = patterns.map { "\(separator)\($0) => …" }.joined()
    return Help.Edit(Span(file: program.tree.span(id).file, start: Int(place), end: Int(place)), text)
  }

  private func enumerated(_ patterns: [String]) -> String {
    let quoted = patterns.map { "`\($0)`" }
    guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "" }
    return quoted.dropLast().joined(separator: ", ") + " and " + last
  }

  /// `place`: "a definition", "a parameter". `head` is what a proposal begins with.
  mutating func checkIrrefutable(
    _ pattern: PatternID, _ place: String, within head: () -> String = { "match …" }
  ) {
    switch program.tree[pattern] {
    case .name, .wildcard, .missing: return
    default: break
    }
    let type = TypeAt(type: program.patternTypes[pattern.index], scope: nil)
    guard let shape = space.shape(pattern), space.fits(shape, type) else { return }
    var usefulness = Usefulness(space)
    guard let witness = usefulness.missing([[shape]], [type]).first?.first else { return }
    let text = ShapePrinter(program: program, file: program.tree.span(pattern).file).text(witness)
    let own = program.sources.text(program.tree.span(pattern))
    diagnostics.append(
      Diagnostic(
        .refutablePattern, "this pattern may fail, and \(place) has no other case", at: program.tree.span(pattern),
        label: "does not match `\(text)`",
        helps: [Help("choose with `match`", code: "\(head()) { \(own) => …; _ => … }")]))
  }
}

/// The arms met so far, found by their outermost constructors: an arm of another constructor says nothing about this one.
private struct ArmRows {
  typealias Row = (shape: Shape, arm: Int)
  private(set) var all: [Row] = []
  private var byForm: [Form: [Int]] = [:]
  /// Those of no certain constructor.
  private var others: [Int] = []

  mutating func append(_ shape: Shape, arm: Int) {
    if case .constructor(let form, _) = shape {
      byForm[form, default: []].append(all.count)
    } else {
      others.append(all.count)
    }
    all.append((shape, arm))
  }

  /// The rows that may match something that a shape matches, in order.
  func overlapping(_ shape: Shape) -> [Row] {
    guard case .constructor(let form, _) = shape else { return all }
    return ((byForm[form] ?? []) + others).sorted().map { all[$0] }
  }
}

/// Shapes as source.
struct ShapePrinter {
  let program: TypedProgram
  /// Where it is to stand.
  let file: FileID

  func text(_ shape: Shape) -> String { text(shape, 0) }

  private func text(_ shape: Shape, _ depth: Int) -> String {
    if depth > 8 { return "_" }
    func join(_ parts: [Shape]) -> String { parts.map { text($0, depth + 1) }.joined(separator: ", ") }
    switch shape {
    case .anything: return "_"
    case .either(let list): return list.map { text($0, depth + 1) }.joined(separator: " | ")
    case .list(let prefix, nil): return "[\(join(prefix))]"
    case .list(let prefix, let suffix?):
      let parts = prefix.map { text($0, depth + 1) } + ["..."] + suffix.map { text($0, depth + 1) }
      return "[\(parts.joined(separator: ", "))]"
    case .constructor(let form, let parts):
      switch form {
      case .variant(let id, let tag):
        let name = program.constructor(id, tag, in: file)
        return parts.isEmpty ? name : "\(name)(\(join(parts)))"
      case .tuple: return "(\(join(parts)))"
      case .record(let names): return recordText(names, parts, depth: depth)
      case .unit: return "()"
      case .bool(let value): return "\(value)"
      case .int(let value): return "\(value)"
      case .float(let value): return "\(value)"
      case .string(let value): return "\"\(value)\""
      case .length, .atLeast: return "[…]"
      }
    }
  }

  /// Only the fields that matter.
  private func recordText(_ names: [String], _ parts: [Shape], depth: Int) -> String {
    let fields = zip(names, parts).filter { $0.1 != .anything }
    if fields.isEmpty { return "_" }
    return "{\(fields.map { "\($0): \(text($1, depth + 1))" }.joined(separator: ", "))}"
  }
}
