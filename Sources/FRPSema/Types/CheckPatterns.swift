// Patterns: `p : t` binds names at the types that t gives them.
//
//   x : t binds x: t         C(p1, …, pn) : T   where C : (t1, …, tn) -> T, pi : ti
//   {x: p} : {x: s | r}, p : s               [p, ...q] : List<t>, p : t, q : List<t>
//   p | q : t, both binding the same names at the same types

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  /// `subject` is the place of what is matched, if it has one.
  func checkPattern(_ id: PatternID, _ type: Ty, subject: Span?) {
    guard guardian.enter() else {
      report(.tooDeep(tree.span(id)), at: tree.span(id))
      return
    }
    defer { guardian.leave() }
    patternTypes[id.index] = type
    func fits(_ found: Ty) {
      require(expr: nil, span: tree.span(id), actual: found, expected: type, reason: .pattern(subject: subject))
    }
    switch tree[id] {
    case .missing, .wildcard, .name: break
    case .int:
      let number = store.fresh(.num)
      fits(number)
    case .float: fits(TypeStore.float)
    case .bool: fits(TypeStore.bool)
    case .unit: fits(TypeStore.unit)
    case .string: fits(TypeStore.string)
    case .tuple(let elements): checkTuplePattern(id, elements, type: type, subject: subject)
    case .record(let fields):
      let types = fields.map { _ in store.fresh() }
      var seen: Set<String> = []
      let row = zip(fields, types).filter { seen.insert($0.0.name.text).inserted }.map { ($0.name.text, $1) }
      let wanted = store.record(row, tail: store.fresh())
      fits(wanted)
      for (field, fieldType) in zip(fields, types) { checkPattern(field.pattern, fieldType, subject: subject) }
    case .list(let elements, let rest, _):
      let element = elementType(of: type)
      fits(store.list(element))
      for inner in elements { checkPattern(inner, element, subject: subject) }
      if case .rest(let binder?) = rest { checkPattern(binder, store.list(element), subject: subject) }
    case .alternatives(let list):
      for alternative in list { checkPattern(alternative, type, subject: subject) }
      for alternative in list.dropFirst() { joinBinders(alternative) }
    case .alias(let inner, let binder):
      checkPattern(inner, type, subject: subject)
      checkPattern(binder, type, subject: subject)
    case .constructor(_, let name, let arguments):
      checkConstructorPattern(id, name, arguments: arguments, type: type, subject: subject)
    }
  }

  private func elementType(of type: Ty) -> Ty {
    if case .list(let element) = store[type] { return element }
    return store.fresh()
  }

  private func checkTuplePattern(_ id: PatternID, _ elements: [PatternID], type: Ty, subject: Span?) {
    var parts = elements.map { _ in store.fresh() }
    if case .tuple(let known) = store[type], known.count == elements.count {
      parts = known
    } else {
      require(
        expr: nil, span: tree.span(id), actual: store.add(.tuple(parts)), expected: type,
        reason: .pattern(subject: subject))
    }
    for (element, part) in zip(elements, parts) { checkPattern(element, part, subject: subject) }
  }

  private func joinBinders(_ id: PatternID) {
    for (binder, canonical) in bindersBelow(id) {
      require(
        expr: nil, span: tree.span(binder), actual: patternTypes[binder.index], expected: patternTypes[canonical.index],
        reason: .pattern(subject: tree.span(canonical)))
    }
  }

  /// The binders of a later alternative, each with that of the first.
  private func bindersBelow(_ id: PatternID) -> [(PatternID, PatternID)] {
    var found: [(PatternID, PatternID)] = []
    var work = [id]
    while let next = work.popLast() {
      if let canonical = names.alternativeBinders[next] { found.append((next, canonical)) }
      work += subpatterns(next)
    }
    return found.sorted { $0.0.raw < $1.0.raw }
  }

  func subpatterns(_ id: PatternID) -> [PatternID] {
    switch tree[id] {
    case .missing, .wildcard, .name, .int, .float, .bool, .unit, .string: return []
    case .constructor(_, _, let arguments): return arguments.map(\.pattern)
    case .tuple(let list), .alternatives(let list): return list
    case .record(let fields): return fields.map(\.pattern)
    case .list(let list, .rest(let rest?), _): return list + [rest]
    case .list(let list, _, _): return list
    case .alias(let a, let b): return [a, b]
    }
  }

  private typealias PatternArgument = (label: Name?, pattern: PatternID)

  private func checkConstructorPattern(
    _ id: PatternID, _ name: Name, arguments: [PatternArgument], type: Ty, subject: Span?
  ) {
    guard let found = names.constructorPatterns[id], !isDamaged(found.nominal) else {
      missedNames += 1
      for argument in arguments { checkPattern(argument.pattern, TypeStore.error, subject: subject) }
      return
    }
    let nominal = nominals[found.nominal.index]
    let form = nominal.cases[found.tag]
    let map = store.freshVariables(for: nominal.generics)
    let own = store.add(.nominal(found.nominal, nominal.generics.map { map[$0] ?? TypeStore.error }))
    let fits = require(expr: nil, span: tree.span(id), actual: own, expected: type, reason: .pattern(subject: subject))
    let fieldTypes = form.fields.map { fits ? store.substitute($0, map) : TypeStore.error }
    let places = places(arguments, form, at: tree.span(id), name: name)
    var fieldPatterns: [PatternID?] = Array(repeating: nil, count: form.fields.count)
    for (argument, place) in zip(arguments, places) {
      checkPattern(argument.pattern, place.map { fieldTypes[$0] } ?? TypeStore.error, subject: subject)
      if let place { fieldPatterns[place] = argument.pattern }
    }
    constructorPatterns[id] = ConstructorPattern(nominal: found.nominal, tag: found.tag, fieldPatterns: fieldPatterns)
  }

  /// Which field each argument of a constructor pattern is; reports what does not fit.
  private func places(
    _ arguments: [PatternArgument], _ form: Nominal.Case, at span: Span, name: Name
  ) -> [Int?] {
    let fact = constructorFact(name, form)
    if arguments.contains(where: { $0.label != nil }) {
      return arguments.enumerated().map { index, argument in
        guard let label = argument.label else { return index < form.fields.count ? index : nil }
        if let place = form.labels?.firstIndex(of: label.text) { return place }
        report(.patternLabel(label, fact, known: form.labels ?? []), at: label.span)
        return nil
      }
    }
    if arguments.count != form.fields.count {
      report(
        .constructorPatternArity(span, fact, expected: form.fields.count, actual: arguments.count), at: span)
    }
    return arguments.indices.map { $0 < form.fields.count ? $0 : nil }
  }

  func constructorFact(_ name: Name, _ form: Nominal.Case) -> CalleeFact {
    let declaration = names.scopes[module.index].constructors[name.text]?.span
    return CalleeFact(name: name.text, kind: .constructor, declaration: declaration, parameters: form.labels ?? [])
  }
}
