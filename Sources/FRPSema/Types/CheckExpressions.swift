// One rule an expression form.
//
//   infer(e)            the type of e
//   check(e, t, why)    e must have type t, for a reason; forms with parts hand t on to them
//
// Rules are written `premises ⊢ conclusion` above each function. Behaviors have the types of their values.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  func infer(_ id: ExprID) -> Ty {
    guard guardian.enter() else {
      report(.tooDeep(tree.span(id)), at: tree.span(id))
      return TypeStore.error
    }
    defer { guardian.leave() }
    if !store.budget.spend() { return TypeStore.error }
    let type = inferForm(id)
    exprTypes[id.index] = type
    if store.isError(type) { store.errorsMet += 1 }
    return type
  }

  private func inferForm(_ id: ExprID) -> Ty {
    switch tree[id] {
    case .missing: return TypeStore.error
    case .int: return store.fresh(.num)
    case .float, .duration: return TypeStore.float
    case .bool: return TypeStore.bool
    case .unit: return TypeStore.unit
    case .string(let parts): return inferString(id, parts)
    case .name, .constructor, .qualified: return inferReference(id)
    case .field(let record, let name): return inferField(id, record, name: name)
    case .fieldFunction(let name): return inferFieldFunction(name)
    case .operatorFunction(let op): return inferOperatorFunction(op)
    case .call(let callee, let arguments):
      return inferCall(id, callee, arguments: arguments.map { Argument(expr: $0) })
    case .callLabelled(let callee, let arguments): return inferLabelledCall(id, callee, arguments: arguments)
    case .pipe, .binary: return inferSpine(id)
    case .unary(let op, let operand): return inferUnary(id, op, operand: operand)
    case .conditional(let condition, let then, let otherwise):
      return inferConditional(id, condition, then: then, otherwise: otherwise, expectation: nil)
    case .match(let subject, let arms): return inferMatch(id, subject, arms: arms, expectation: nil)
    case .lambda(let parameters, let body): return inferLambda(id, parameters, body: body)
    case .tuple(let elements): return store.add(.tuple(elements.map(infer)))
    case .paren(let inner): return infer(inner)
    case .list(let elements): return inferList(elements, nil)
    case .record(let fields): return store.record(unique(fields).map { ($0.name.text, infer($0.value)) })
    case .update(let base, let fields): return inferUpdate(base, fields)
    case .block(let items, let result):
      checkBlock(id, items)
      return infer(result)
    }
  }

  func check(_ id: ExprID, _ expected: Ty, _ reason: Reason) {
    guard guardian.enter() else {
      report(.tooDeep(tree.span(id)), at: tree.span(id))
      return
    }
    defer { guardian.leave() }
    exprTypes[id.index] = expected
    let isOpen = store.isOpen(expected)
    switch tree[id] {
    case .paren(let inner): check(inner, expected, reason)
    case .conditional(let condition, let then, let otherwise) where !isOpen:
      _ = inferConditional(id, condition, then: then, otherwise: otherwise, expectation: (expected, reason))
    case .match(let subject, let arms) where !isOpen:
      _ = inferMatch(id, subject, arms: arms, expectation: (expected, reason))
    case .block(let items, let result):
      checkBlock(id, items)
      check(result, expected, reason)
    case .lambda(let parameters, let body): checkLambda(id, parameters, body: body, expected: expected, reason: reason)
    case .list(let elements):
      if case .list(let element) = store[expected] {
        _ = inferList(elements, (element, reason))
      } else {
        require(id, infer(id), is: expected, reason)
      }
    case .tuple(let elements): checkTuple(id, elements, expected: expected, reason: reason)
    case .record(let fields): checkRecord(id, fields, expected: expected, reason: reason)
    case .name where names.unknowns[id] != nil: reportUnknown(id, needed: expected)
    default:
      let type = infer(id)
      require(id, type, is: expected, reason)
    }
  }

  typealias Expectation = (type: Ty, reason: Reason)

  func check(_ id: ExprID, _ expectation: Expectation?) -> Ty {
    guard let expectation else { return infer(id) }
    check(id, expectation.type, expectation.reason)
    return expectation.type
  }

  // MARK: Text

  /// ei : ti, each Show  ⊢  "…{ei}…" : String
  private func inferString(_ id: ExprID, _ parts: [StringPart]) -> Ty {
    for case .expr(let part) in parts {
      let type = infer(part)
      demand(.show, part, type: type, reason: .interpolation(id))
    }
    return TypeStore.string
  }

  // MARK: Records

  /// e : {x: t | r}  ⊢  e.x : t
  private func inferField(_ id: ExprID, _ record: ExprID, name: Name) -> Ty {
    let type = infer(record)
    return fieldType(name, of: type, record: record, whole: id)
  }

  private func fieldType(_ name: Name, of type: Ty, record: ExprID?, whole: ExprID? = nil) -> Ty {
    if name.text.isEmpty { return TypeStore.error }
    switch store[type] {
    case .error: return TypeStore.error
    case .variable:
      let field = store.fresh()
      let row = store.record([(name.text, field)], tail: store.fresh())
      if let record, !require(record, type, is: row, .field(name, whole)) { return TypeStore.error }
      if record == nil { _ = store.unify(expected: row, actual: type) }
      return field
    case .record(let fields, let tail):
      let row = store.row(fields, tail)
      if let found = TypeStore.field(name.text, in: row.fields) { return found.type }
      if let tail = row.tail, store.isError(tail) { return TypeStore.error }
      if row.tail != nil {
        let field = store.fresh()
        let wanted = store.record([(name.text, field)], tail: store.fresh())
        if store.unify(expected: wanted, actual: type) == nil {
          solveReady()
          return field
        }
      }
      noteCause(of: name.span, [type])
      report(.unknownField(name, in: show(type), record: record), at: name.span)
      return TypeStore.error
    default:
      if let record, isEvent(type) {
        let wanted = store.record([(name.text, store.fresh())], tail: store.fresh())
        require(record, type, is: wanted, .field(name, whole))
      } else {
        noteCause(of: name.span, [type])
        report(.unknownField(name, in: show(type), record: record), at: name.span)
      }
      return TypeStore.error
    }
  }

  func isEvent(_ type: Ty) -> Bool {
    if case .event = store[type] { return true }
    return false
  }

  /// ⊢ .x : ({x: t | r}) -> t
  private func inferFieldFunction(_ name: Name) -> Ty {
    if name.text.isEmpty { return TypeStore.error }
    let field = store.fresh()
    return store.function([store.record([(name.text, field)], tail: store.fresh())], field)
  }

  private func unique(_ fields: [RecordField]) -> [RecordField] {
    var seen: Set<String> = []
    return fields.filter { field in
      let isNew = seen.insert(field.name.text).inserted
      if !isNew { _ = infer(field.value) }
      return isNew
    }
  }

  private func checkRecord(_ id: ExprID, _ fields: [RecordField], expected: Ty, reason: Reason) {
    guard case .record(let declared, let tail) = store[expected] else {
      require(id, infer(id), is: expected, reason)
      return
    }
    let row = store.row(declared, tail)
    let list = unique(fields)
    let names = Set(list.map(\.name.text))
    let known = Set(row.fields.map(\.name))
    let extra = row.tail == nil ? list.filter { !$0.name.text.isEmpty && !known.contains($0.name.text) } : []
    let isWhole = !names.contains("")
    let missing = isWhole ? row.fields.filter { !names.contains($0.name) } : []
    if !extra.isEmpty || !missing.isEmpty {
      let lacking = missing.map { (name: $0.name, text: show($0.type).text) }
      report(
        .recordFields(id, extra: extra.map(\.name), missing: lacking, expected: show(expected), reason),
        at: extra.first?.name.span ?? tree.span(id))
    }
    var types: [RecordFieldType] = []
    for field in list {
      if let need = TypeStore.field(field.name.text, in: row.fields) {
        check(field.value, need.type, .part(.field(need.name), reason))
        types.append(need)
      } else {
        types.append((field.name.text, infer(field.value)))
      }
    }
    if row.tail != nil, missing.isEmpty { require(id, store.record(types), is: expected, reason) }
  }

  /// e : {a: {b: t | r} | s}, v : t  ⊢  {...e, a.b: v} : the type of e
  private func inferUpdate(_ base: ExprID, _ fields: [UpdateField]) -> Ty {
    let type = infer(base)
    for field in fields {
      var current = type
      for name in field.path {
        if isEvent(current) {
          _ = fieldType(name, of: current, record: base)
          current = TypeStore.error
        } else {
          current = fieldType(name, of: current, record: nil)
        }
      }
      if let last = field.path.last { check(field.value, current, .newValue(last)) }
    }
    return type
  }

  // MARK: Lists and tuples

  /// ei : t  ⊢  [e1, …, en] : List<t>;   e : List<t>  for  ...e
  private func inferList(_ elements: [ListElement], _ expectation: Expectation?) -> Ty {
    var element = expectation?.type
    var first: Span?
    let items = elements.compactMap { if case .item(let item) = $0 { item } else { nil } }
    let model = expectation == nil && items.count == elements.count ? model(among: items) : nil
    for index in elements.indices.leading(with: model) {
      switch elements[index] {
      case .item(let expr):
        let reason = first.map { Reason.element(index, first: $0, isModel: model != nil) }
        let outer = expectation.map { Reason.part(.content(of: "List"), $0.reason) }
        if let known = element, let why = outer ?? reason, !store.isError(known) {
          check(expr, known, why)
        } else {
          element = infer(expr)
        }
        if first == nil { first = tree.span(expr) }
      case .spread(let expr):
        let known = element ?? store.fresh()
        element = known
        check(expr, store.list(known), .spread)
        if first == nil { first = tree.span(expr) }
      }
    }
    return store.list(element ?? store.fresh())
  }

  private func checkTuple(_ id: ExprID, _ elements: [ExprID], expected: Ty, reason: Reason) {
    if case .tuple(let types) = store[expected], types.count == elements.count {
      for (index, element) in elements.enumerated() { check(element, types[index], .part(.element(index), reason)) }
    } else {
      require(id, infer(id), is: expected, reason)
    }
  }

  // MARK: Choices

  /// c : Bool, a : t, b : t  ⊢  if c then a else b : t
  private func inferConditional(
    _ id: ExprID, _ condition: ExprID, then: ExprID, otherwise: ExprID, expectation: Expectation?
  ) -> Ty {
    check(condition, TypeStore.bool, .condition(id))
    let type = check(then, expectation)
    if let expectation {
      check(otherwise, type, expectation.reason)
      return type
    }
    if store.isError(type) { return infer(otherwise) }
    check(otherwise, type, .otherwise(then: tree.span(then)))
    return type
  }

  /// e : s, pi : s, gi : Bool, ei : t  ⊢  match e { pi if gi => ei } : t
  private func inferMatch(_ id: ExprID, _ subject: ExprID, arms: [MatchArm], expectation: Expectation?) -> Ty {
    var subjectType = infer(subject)
    if !demand(.value, subject, type: subjectType, reason: .subject(id)) { subjectType = TypeStore.error }
    var result = expectation
    let model = expectation == nil ? model(among: arms.map(\.body)) : nil
    for arm in arms.indices.leading(with: model).map({ arms[$0] }) {
      checkPattern(arm.pattern, subjectType, subject: tree.span(subject))
      if let guardExpr = arm.guardExpr { check(guardExpr, TypeStore.bool, .guardCondition) }
      if let known = result {
        check(arm.body, known.type, known.reason)
      } else {
        let type = infer(arm.body)
        if !store.isError(type) { result = (type, .arm(first: tree.span(arm.body), isModel: model != nil)) }
      }
    }
    return result?.type ?? TypeStore.error
  }

  // MARK: Functions and blocks

  /// pi : ti ⊢ e : t   ⊢   (p1, …, pn) => e : (t1, …, tn) -> t
  private func inferLambda(_ id: ExprID, _ parameters: [PatternID], body: ExprID) -> Ty {
    let types = parameters.map { pattern in
      let type = store.fresh()
      checkPattern(pattern, type, subject: nil)
      return type
    }
    return useOfLambda(id, store.function(types, infer(body)), count: parameters.count)
  }

  /// As above, and: (p1, …, pn) => e, n > 1, is a function of one tuple where a function of one parameter is needed.
  private func checkLambda(
    _ id: ExprID, _ parameters: [PatternID], body: ExprID, expected: Ty, reason: Reason
  ) {
    guard case .function(let needed, let result) = store[expected] else {
      require(id, infer(id), is: expected, reason)
      return
    }
    var types = needed
    if needed.count == 1, parameters.count > 1, let parts = tupleParts(needed[0], parameters.count) {
      tupleLambdas.insert(id)
      types = parts
    } else if needed.count != parameters.count {
      report(.lambdaArity(id, expected: needed.map(show), actual: parameters.count, reason), at: tree.span(id))
      // Of what its parameters are nothing more is said.
      for pattern in parameters { checkPattern(pattern, TypeStore.error, subject: nil) }
      _ = infer(body)
      return
    }
    for (pattern, type) in zip(parameters, types) { checkPattern(pattern, type, subject: nil) }
    check(body, result, .lambdaResult(reason))
  }

  /// The types of a tuple's parts, made one if it is open; nil if it cannot be such a tuple.
  func tupleParts(_ type: Ty, _ count: Int) -> [Ty]? {
    if case .tuple(let parts) = store[type] { return parts.count == count ? parts : nil }
    let parts = (0..<count).map { _ in store.fresh() }
    return store.unify(expected: store.add(.tuple(parts)), actual: type) == nil ? parts : nil
  }

  private func checkBlock(_ id: ExprID, _ items: [ItemID]) {
    for group in names.blockGroups[id] ?? [] { checkGroup(group) }
  }
}
