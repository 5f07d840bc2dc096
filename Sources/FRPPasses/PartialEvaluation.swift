// Writing out calls whose result is a step. "A call is the function's body with the arguments put in" (section 4), but a
// function that calls itself, and a lambda over a list, are called with values: their comparisons stand on parameters,
// which the solver cannot follow. Where such a call depends on time between instants, it is evaluated here as far as its
// structure is known: `steps(time, 2)` is `(if time > 1.0 then 1 else 0) + …`, `[1.0, 2.0] |> any(l => time > l)` is
// `time > 1.0 || time > 2.0`. If nothing but comparisons depends on time then, that is what the call means.
//
// In: the finished graph with its kinds. Out: the same, with such calls written out; true if there were some.
// Rules:
// - Nothing is computed but what cannot fault and decides structure; everything else stays an expression.
// - Work is bounded. What is too large, or has no end, stays a call; then it is sampled, and to ask for its changes is an
//   error that says so. A list that is only known while the program runs is the matter of `MemberComparisons`.

import FRPBase
import FRPCore

/// What is known while one call is written out.
struct PartialEvaluation {
  /// What names stand for. Names are unique, so entering a function again takes a new frame.
  final class Frame {
    enum Binding {
      case value(CoreExprID)
      case later(CoreExprID, Frame)
    }
    var bindings: [LocalID: Binding] = [:]
    var memo: [CoreExprID: CoreExprID] = [:]
    /// In the body of a lambda that stays one, names are replaced and nothing else.
    var isReplacing = false
  }
  struct Call: Hashable {
    var function: FunctionID
    var arguments: [CoreExprID]
  }
  var calls: [Call: CoreExprID] = [:]
  /// Calls that are being written out: one that needs itself has no end.
  var running: Set<Call> = []
  var depth = 0
  /// Expressions that may still be looked at.
  var left = PartialEvaluation.most
  var ints: [Int: CoreExprID] = [:]
  var heads: [CoreExprID: CoreExprID] = [:]
  /// Whether every call of what varies is written out, not only of what varies between instants.
  var isWhole = false

  static let most = 20_000
  static let deepest = 300
}

extension Draft {
  /// Replaces every call that turns out to be a step.
  mutating func writeOutSteps() -> Bool {
    var found = false
    // By scope: behaviors share expressions.
    var memos: [ScopeID: [CoreExprID: CoreExprID]] = [:]
    for index in 0..<core.nodes.count {
      var isChanged = false
      context.scope = core.nodes[index].scope
      let op = core.nodes[index].op.mapExprs { expr, moment in
        guard moment == .new || moment == .rate, isContinuous(expr) else { return expr }
        let result = rewrite(expr, &memos[context.scope, default: [:]]) { draft, candidate in
          draft.writtenOut(candidate)
        }
        isChanged = isChanged || result != expr
        return result
      }
      if isChanged {
        core.nodes[index].op = op
        found = true
      }
    }
    return found
  }

  /// A call that is a step when it is written out; itself where there is nothing to gain below; nil to go on below, also
  /// to the sides of comparisons: what a match takes out of a call is part of the same value that it looks at.
  mutating func writtenOut(_ candidate: CoreExprID) -> CoreExprID? {
    guard isContinuous(candidate) else { return facts(candidate).isVarying ? nil : candidate }
    if let part = stepPart(candidate) { return part }
    switch core[candidate] {
    case .call, .apply, .suspend: break
    case .prim(_, let operands):
      guard operands.contains(where: { if case .function = core.types[core.type($0)] { true } else { false } }) else {
        return nil
      }
    case .field(let whole, _, _), .hasTag(let whole, _): guard isOpaque(whole) else { return nil }
    case .lambda: return candidate
    default: return nil
    }
    if isPointwise(candidate) || writingOut > Self.mostWritingOut { return nil }
    let marks = (core.exprs.count, core.localTypes.count, core.nodes.count)
    partial = PartialEvaluation()
    defer {
      writingOut += PartialEvaluation.most - partial.left
      partial = PartialEvaluation()
    }
    if let result = partly(candidate, PartialEvaluation.Frame()), !stillMoves(result) { return result }
    partial = PartialEvaluation()
    if let result = overMembers(candidate) { return result }
    core.forget(expressions: marks.0, locals: marks.1)
    exprFacts.removeLast(exprFacts.count - marks.0)
    continuity.forget(from: marks.0)
    rounded.forget(expressions: marks.0, nodes: marks.2)
    return nil
  }

  /// Whether an expression varies between instants; while outputs are rounded, whether it would if what it rounds did not.
  mutating func stillMoves(_ expr: CoreExprID) -> Bool { rounded.isAtWork ? moves(expr) : isContinuous(expr) }

  /// A call as its body, whatever comes out; nil where it has no end. The kinds need not be known yet.
  mutating func writtenOutWholly(_ call: CoreExprID) -> CoreExprID? {
    if writingOut > Self.mostWritingOut { return nil }
    partial = PartialEvaluation()
    partial.isWhole = true
    defer {
      writingOut += PartialEvaluation.most - partial.left
      partial = PartialEvaluation()
    }
    guard let result = partly(call, PartialEvaluation.Frame()) else { return nil }
    switch core[result] {
    case .call, .apply, .suspend: return nil
    default: return result
    }
  }

  /// Whether a value that varies comes out of a call: its parts may be steps.
  private func isOpaque(_ root: CoreExprID) -> Bool {
    var expr = root
    while true {
      switch core[expr] {
      case .field(let whole, _, _): expr = whole
      case .read(let node):
        guard core[node].isContinuous, case .lift(let inner) = core[node].op, inner != expr else { return false }
        expr = inner
      case .call, .apply, .suspend: return true
      default: return false
      }
    }
  }

  /// All of a program's calls together are given so much work.
  private static let mostWritingOut = 200_000

  // MARK: Expressions

  typealias Frame = PartialEvaluation.Frame

  /// What an expression is where the names of a frame stand for what they do; nil where that has no end.
  mutating func partly(_ expr: CoreExprID, _ frame: Frame) -> CoreExprID? {
    if let known = frame.memo[expr] { return known }
    partial.left -= 1
    guard partial.left > 0, budget.spend(), let result = partlyNew(expr, frame) else { return nil }
    if facts(expr).isGuarded, case .field = core[result] { exprFacts[result.index].isGuarded = true }
    frame.memo[expr] = result
    return result
  }

  private mutating func partlyNew(_ expr: CoreExprID, _ frame: Frame) -> CoreExprID? {
    let (type, span) = (core.type(expr), core.span(expr))
    switch core[expr] {
    case .unit, .bool, .float, .string, .read, .placeholder, .unreachable: return expr
    case .int(let value): return int(value, span)
    case .local(let local), .thunk(let local): return named(local, expr, frame: frame)
    case .call(let function, let arguments):
      guard let values = partly(arguments, frame) else { return nil }
      if !frame.isReplacing, values.contains(where: { isContinuousPart($0) }) { return entered(function, values) }
      return kept(function, values, type: type, at: span)
    case .apply(let callee, let arguments):
      guard let function = partly(callee, frame), let values = partly(arguments, frame) else { return nil }
      return frame.isReplacing
        ? add(.apply(function, values), type, span) : applied(function, values, type: type, at: span)
    case .prim(let prim, let operands): return partlyPrim(prim, operands, expr: expr, frame: frame)
    case .list(let items, let spreads): return partlyList(items, spreads, type: type, at: span, frame: frame)
    case .lambda(let lambda):
      let inner = Frame()
      inner.isReplacing = true
      inner.bindings = frame.bindings
      return partly(lambda.body, inner).map { add(.lambda(CoreLambda(lambda.parameters, $0)), type, span) }
    case .construct(let tag, let parts):
      return partly(parts, frame).map { add(.construct(tag: tag, $0), type, span) }
    case .field(let base, let index, let tag):
      return partly(base, frame).map { field($0, index, tag: tag, type: type, at: span) }
    case .hasTag(let base, let tag):
      guard let value = partly(base, frame) else { return nil }
      if case .construct(let known, _) = form(value) { return add(.bool(known == tag), .bool, span) }
      return add(.hasTag(value, tag), .bool, span)
    case .conditional(let test, let then, let otherwise):
      guard let condition = partly(test, frame) else { return nil }
      if case .bool(let holds) = form(condition) { return partly(holds ? then : otherwise, frame) }
      guard let a = partly(then, frame), let b = partly(otherwise, frame) else { return nil }
      return add(.conditional(condition, then: a, otherwise: b), type, span)
    case .update(let base, let fields):
      guard let value = partly(base, frame), let parts = partly(fields.map(\.value), frame) else { return nil }
      return updated(value, zip(fields, parts).map { ($0.index, $1) }, type: type, at: span)
    case .suspend(let bindings, let body):
      for binding in bindings { frame.bindings[binding.local] = .later(binding.value, frame) }
      return partly(body, frame)
    }
  }

  mutating func partly(_ all: [CoreExprID], _ frame: Frame) -> [CoreExprID]? {
    var result: [CoreExprID] = []
    for expr in all {
      guard let value = partly(expr, frame) else { return nil }
      result.append(value)
    }
    return result
  }

  private mutating func named(_ local: LocalID, _ expr: CoreExprID, frame: Frame) -> CoreExprID? {
    switch frame.bindings[local] {
    case nil: return expr
    case .value(let value): return value
    case .later(let value, let home):
      guard let result = partly(value, home) else { return nil }
      frame.bindings[local] = .value(result)
      return result
    }
  }

  /// One expression for each number, so that calls at the same numbers are seen to be the same.
  mutating func int(_ value: Int, _ span: Span) -> CoreExprID {
    if let known = partial.ints[value] { return known }
    let made = add(.int(value), .int, span)
    partial.ints[value] = made
    return made
  }

  private mutating func updated(
    _ base: CoreExprID, _ fields: [(index: Int, value: CoreExprID)], type: TypeID, at span: Span
  ) -> CoreExprID {
    guard case .construct(let tag, var parts) = form(base) else { return add(.update(base, fields), type, span) }
    for field in fields where field.index < parts.count { parts[field.index] = field.value }
    return add(.construct(tag: tag, parts), type, span)
  }

  mutating func field(_ base: CoreExprID, _ index: Int, tag: Int, type: TypeID, at span: Span) -> CoreExprID {
    if case .construct(let known, let parts) = form(base), known == tag, index < parts.count {
      return parts[index]
    }
    return add(.field(base, index: index, tag: tag), type, span)
  }

  private mutating func partlyList(
    _ items: [CoreExprID], _ spreads: [Bool], type: TypeID, at span: Span, frame: Frame
  ) -> CoreExprID? {
    var parts: [CoreExprID] = []
    var isSpread: [Bool] = []
    for (item, spread) in zip(items, spreads) {
      guard let value = partly(item, frame) else { return nil }
      if spread, case .list(let inner, let innerSpreads) = form(value) {
        parts += inner
        isSpread += innerSpreads
      } else {
        parts.append(value)
        isSpread.append(spread)
      }
    }
    return add(.list(parts, spreads: isSpread), type, span)
  }

  // MARK: Calls

  /// The body of a function at these arguments.
  private mutating func entered(_ function: FunctionID, _ arguments: [CoreExprID]) -> CoreExprID? {
    let call = PartialEvaluation.Call(function: function, arguments: arguments)
    if let known = partial.calls[call] { return known }
    guard partial.depth < PartialEvaluation.deepest, partial.running.insert(call).inserted else { return nil }
    partial.depth += 1
    let frame = Frame()
    for (parameter, value) in zip(core[function].parameters, arguments) { frame.bindings[parameter] = .value(value) }
    let result = partly(core[function].body, frame)
    partial.depth -= 1
    partial.running.remove(call)
    partial.calls[call] = result
    return result
  }

  /// A call that stays one; what it takes suspended is suspended again.
  private mutating func kept(
    _ function: FunctionID, _ values: [CoreExprID], type: TypeID, at span: Span
  ) -> CoreExprID {
    var suspended: [(local: LocalID, value: CoreExprID)] = []
    var passed: [CoreExprID] = []
    for (value, parameter) in zip(values, core[function].parameters) {
      guard core.localIsLazy[parameter.index] else {
        passed.append(value)
        continue
      }
      let fresh = core.addLocal("", core.type(value), isLazy: true)
      suspended.append((fresh, value))
      passed.append(add(.thunk(fresh), core.type(value), span))
    }
    return wrapped(add(.call(function, passed), type, span), in: suspended, type: type, at: span)
  }

  /// A function value at these arguments: its body, if it is known.
  mutating func applied(
    _ function: CoreExprID, _ arguments: [CoreExprID], type: TypeID, at span: Span
  ) -> CoreExprID? {
    let known = head(function)
    switch core[known] {
    case .lambda(let lambda) where lambda.parameters.count == arguments.count:
      guard partial.depth < PartialEvaluation.deepest else { return nil }
      let frame = Frame()
      for (parameter, value) in zip(lambda.parameters, arguments) { frame.bindings[parameter] = .value(value) }
      partial.depth += 1
      defer { partial.depth -= 1 }
      return partly(lambda.body, frame)
    case .conditional(let test, let then, let otherwise):
      guard let a = applied(then, arguments, type: type, at: span),
        let b = applied(otherwise, arguments, type: type, at: span)
      else {
        return nil
      }
      return add(.conditional(test, then: a, otherwise: b), type, span)
    default: return add(.apply(function, arguments), type, span)
    }
  }

  // MARK: What is known

  /// The expression whose outermost form is known, if there is one: behind the name of a definition, or the result of a
  /// call at plain values.
  mutating func head(_ expr: CoreExprID) -> CoreExprID {
    if let known = partial.heads[expr] { return known }
    partial.heads[expr] = expr
    var result = expr
    switch core[expr] {
    case .read(let node):
      if case .lift(let inner) = core[node].op, let value = partly(inner, Frame()) {
        result = head(value)
      }
    case .call(let function, let arguments) where !isContinuousPart(expr):
      if !arguments.contains(where: { if case .thunk = core[$0] { true } else { false } }),
        let value = entered(function, arguments)
      {
        result = head(value)
      }
    case .prim(let prim, let operands):
      if let value = overList(prim, operands, type: core.type(expr), at: core.span(expr)) { result = value }
    default: break
    }
    switch core[result] {
    case .bool, .int, .float, .string, .list, .construct, .lambda: partial.heads[expr] = result
    default: break
    }
    return partial.heads[expr] ?? expr
  }

  /// The outermost form of an expression, as far as it is known.
  mutating func form(_ expr: CoreExprID) -> CoreExpr {
    let known = head(expr)
    return core[known]
  }

  /// Whether calls of an expression are to be written out.
  func isContinuousPart(_ expr: CoreExprID) -> Bool {
    partial.isWhole ? facts(expr).isVarying : isContinuous(expr)
  }
}
