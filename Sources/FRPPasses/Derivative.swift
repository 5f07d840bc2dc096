// `derivative`, exactly: by differentiating the expression. It is done when the whole graph is known, so that integrals
// which refer to one another have their rates.
//
// In: the graph, and the nodes that wait for a derivative (`pendingDerivatives`). Out: the graph with theirs; a problem for each
// that has none.
// Rules: the derivative of a shared behavior is a shared behavior. d time = 1, d integral(r) = r, d step = 0, and the rules of
// calculus; at a kink the right-hand side is taken (section 2 of the language, "one-sided values").
//
// Derivatives of derivatives stay small: what was made once is made never again, each expression is differentiated once,
// and d (x / y) = (dx - (x / y) dy) / y mentions the quotient itself. So the n-th derivative of a product or quotient has
// about n² parts, where writing it out takes 3^n.

import FRPBase
import FRPCore

extension Draft {
  mutating func resolveDerivatives() {
    var work = Differentiation(draft: taken())
    work.run()
    self = work.draft
  }
}

private struct Differentiation {
  struct Key: Hashable {
    var expr: CoreExprID
    var scope: ScopeID
  }
  enum Form: Hashable {
    case number(UInt64)
    case prim(Prim, [CoreExprID])
    case conditional(CoreExprID, CoreExprID, CoreExprID)
  }
  var draft: Draft
  /// By expression; nil where the derivative is zero.
  var known: [Key: CoreExprID?] = [:]
  var made: [Form: CoreExprID] = [:]
  /// By behavior: the behavior that is its derivative.
  var nodes: [NodeID: NodeID] = [:]
  /// By behavior: the expression that reads it first; all others are differentiated as that one.
  var reads: [NodeID: CoreExprID] = [:]
  /// Whether behaviors may be continuous, as far as that was asked.
  var varying: [NodeID: Bool] = [:]
  /// Whether expressions read such a behavior.
  var varyingExprs: [CoreExprID: Bool] = [:]

  mutating func run() {
    for pending in draft.pendingDerivatives where draft.budget.exceeded == nil {
      draft.context.scope = draft.core[pending.node].scope
      draft.context.definition = draft.core[pending.node].definition
      let span = draft.core[pending.node].span
      let expr = differentiate(pending.of, span) ?? draft.add(.float(0), .float, span)
      draft.core.nodes[pending.node.index].op = .lift(expr)
    }
  }

  /// The derivative of a Float expression; nil where it is zero, so that sums and products stay small.
  private mutating func differentiate(_ expr: CoreExprID, _ span: Span) -> CoreExprID? {
    if !draft.facts(expr).isVarying { return nil }
    var expr = expr
    if case .read(let node) = draft.core[expr] {
      expr = reads[node] ?? expr
      reads[node] = expr
    }
    let key = Key(expr: expr, scope: draft.context.scope)
    if let known = known[key] { return known }
    guard draft.budget.spend() else { return nil }
    let result = newDerivative(expr, span)
    known[key] = .some(result)
    return result
  }

  private mutating func newDerivative(_ expr: CoreExprID, _ span: Span) -> CoreExprID? {
    switch draft.core[expr] {
    case .read(let node): return differentiate(node, expr, at: span)
    case .conditional(let test, let then, let otherwise):
      return chosen(test, differentiate(then, span), differentiate(otherwise, span), span)
    case .prim(let prim, let arguments): return differentiate(prim, arguments, whole: expr, at: span)
    case .field(let base, let index, let tag): return differentiateField(base, index, tag: tag, at: span)
    case .call, .apply, .suspend:
      if let body = draft.writtenOutWholly(expr) { return differentiate(body, span) }
      draft.report(.cannotDifferentiate(draft.firstRead(expr), nil), at: span)
      return nil
    default:
      draft.report(.cannotDifferentiate(draft.firstRead(expr), nil), at: span)
      return nil
    }
  }

  /// The one expression of a form.
  private mutating func make(_ form: Form, _ type: TypeID, at span: Span) -> CoreExprID {
    if let known = made[form] { return known }
    // A step of the rules above makes several of these. Where that is too much, the next step ends.
    _ = draft.budget.spend()
    let result =
      switch form {
      case .number(let bits): draft.add(.float(Double(bitPattern: bits)), type, span)
      case .prim(let prim, let operands): draft.add(.prim(prim, operands), type, span)
      case .conditional(let test, let a, let b): draft.add(.conditional(test, then: a, otherwise: b), type, span)
      }
    made[form] = result
    return result
  }

  private mutating func number(_ value: Double, _ span: Span) -> CoreExprID {
    make(.number(value.bitPattern), .float, at: span)
  }

  private mutating func binary(_ prim: Prim, _ a: CoreExprID, _ b: CoreExprID, _ span: Span) -> CoreExprID {
    make(.prim(prim, [a, b]), .float, at: span)
  }

  private mutating func unary(_ prim: Prim, _ a: CoreExprID, at span: Span) -> CoreExprID {
    make(.prim(prim, [a]), .float, at: span)
  }

  /// Nil, which is zero, where both are.
  private mutating func chosen(
    _ test: CoreExprID, _ a: CoreExprID?, _ b: CoreExprID?, _ span: Span
  ) -> CoreExprID? {
    if a == nil && b == nil { return nil }
    return make(.conditional(test, a ?? number(0, span), b ?? number(0, span)), .float, at: span)
  }

  private mutating func sum(_ a: CoreExprID?, _ b: CoreExprID?, at span: Span) -> CoreExprID? {
    guard let a else { return b }
    guard let b else { return a }
    return binary(.add, a, b, span)
  }

  private mutating func product(_ a: CoreExprID?, _ b: CoreExprID, at span: Span) -> CoreExprID? {
    guard let a else { return nil }
    if case .float(1) = draft.core[a] { return b }
    return binary(.multiply, a, b, span)
  }

  private mutating func negated(_ a: CoreExprID?, _ span: Span) -> CoreExprID? {
    a.map { unary(.negate, $0, at: span) }
  }

  /// The rate of an integral as it goes; see `CoreProgram.slopes`.
  private mutating func slope(of integral: NodeID, _ span: Span) -> CoreExprID {
    if let known = draft.core.slopes.first(where: { $0.value == integral }) { return draft.read(known.key, span) }
    let made = draft.core.addNode(
      CoreNode(
        op: .lift(draft.read(integral, span)), scope: draft.core[integral].scope, type: .float,
        span: draft.core[integral].span,
        definition: draft.core[integral].definition))
    draft.core.slopes[made] = integral
    return draft.read(made, span)
  }

  /// Whether a rate may read a comparison of what varies between instants.
  private mutating func mayCompare(_ rate: CoreExprID) -> Bool {
    var seen: Set<CoreExprID> = []
    var seenNodes: Set<NodeID> = []
    var pending = [rate]
    while let expr = pending.popLast() {
      guard draft.exprFacts[expr.index].isVarying, seen.insert(expr).inserted, draft.budget.spend() else { continue }
      if case .prim(let prim, let sides) = draft.core[expr], draft.isLocatable(prim, sides),
        sides.contains(where: { mayVaryBetweenInstants($0) })
      {
        return true
      }
      if case .read(let node) = draft.core[expr], seenNodes.insert(node).inserted {
        switch draft.core[node].op.motion {
        case .lift(let inner), .switched(let inner, _): pending.append(inner)
        case .members, .groups, .chosen: return true
        case .time, .integral, .delayed, .member, .crossing, .step: break
        }
        if !draft.core[node].op.scopes.isEmpty { return true }
      }
      draft.core[expr].forEachChild { pending.append($0) }
    }
    return false
  }

  private mutating func differentiate(_ node: NodeID, _ expr: CoreExprID, at span: Span) -> CoreExprID? {
    switch draft.core[node].op.motion {
    case .time: return number(1, span)
    case .integral(let rate): return mayCompare(rate) ? slope(of: node, span) : rate
    case .lift(let inner):
      if let known = nodes[node] { return draft.read(known, span) }
      if let integral = draft.core.slopes[node], case .integral(let rate, _, _) = draft.core[integral].op {
        return differentiate(rate, span)
      }
      guard mayVaryBetweenInstants(node) else { return nil }
      let made = draft.core.addNode(
        CoreNode(
          op: .lift(inner), scope: draft.core[node].scope, type: .float, span: draft.core[node].span,
          definition: draft.core[node].definition))
      nodes[node] = made
      let derivative = differentiate(inner, span) ?? number(0, span)
      draft.core.nodes[made.index].op = .lift(derivative)
      return draft.read(made, span)
    case .delayed(let inner, let by):
      let subject = draft.read(inner, span)
      guard let derivative = differentiate(subject, span) else { return nil }
      let rate = draft.lift(derivative, span)
      return differentiatedDelay(rate, by, node: node, at: span)
    case .switched, .chosen, .member, .members, .groups:
      if !mayVaryBetweenInstants(node) { return nil }
      draft.report(.cannotDifferentiate(node, nil), at: span)
      return nil
    case .crossing, .step: return nil
    }
  }

  /// The derivative of a delayed behavior: 0 until the delay has passed, then the delayed derivative.
  private mutating func differentiatedDelay(
    _ rate: NodeID, _ by: CoreExprID, node: NodeID, at span: Span
  ) -> CoreExprID {
    let delayed = draft.read(draft.addNode(.delayBehavior(rate, by: by), .float, at: span), span)
    let passed = draft.addNode(.after(by), draft.core.types.event(.unit), at: span)
    let state = CoreLambda([draft.core.addLocal("", .unit)], draft.add(.bool(true), .bool, span))
    let isPast = draft.addNode(.map(passed, state), draft.core.types.event(.bool), at: span)
    let held = draft.addNode(.hold(isPast, start: draft.add(.bool(false), .bool, span)), .bool, at: span)
    return make(.conditional(draft.read(held, span), delayed, number(0, span)), .float, at: span)
  }

  /// Whether a node may be continuous; a quick answer that may say yes too often.
  private mutating func mayVaryBetweenInstants(_ node: NodeID) -> Bool {
    var asked = Asked()
    return remembered(mayVary(node, &asked), asked)
  }

  private mutating func mayVaryBetweenInstants(_ expr: CoreExprID) -> Bool {
    var asked = Asked()
    return remembered(mayVary(expr, &asked), asked)
  }

  /// What is being asked about: behaviors may go round in circles through delays.
  private struct Asked {
    var nodes: Set<NodeID> = []
    var exprs: Set<CoreExprID> = []
  }

  /// Where nothing was found, nothing that was looked at varies either.
  private mutating func remembered(_ answer: Bool, _ asked: Asked) -> Bool {
    if answer { return true }
    for node in asked.nodes { varying[node] = false }
    for expr in asked.exprs { varyingExprs[expr] = false }
    return false
  }

  private mutating func mayVary(_ node: NodeID, _ asked: inout Asked) -> Bool {
    if let known = varying[node] { return known }
    guard asked.nodes.insert(node).inserted, draft.budget.spend() else { return false }
    let answer: Bool
    switch draft.core[node].op.motion {
    case .time, .integral, .switched, .chosen, .member, .members, .groups: answer = true
    case .lift(let expr): answer = mayVary(expr, &asked)
    case .delayed(let inner, _): answer = mayVary(inner, &asked)
    case .crossing, .step: answer = false
    }
    if answer { varying[node] = true }
    return answer
  }

  private mutating func mayVary(_ expr: CoreExprID, _ asked: inout Asked) -> Bool {
    guard draft.exprFacts[expr.index].isVarying else { return false }
    if let known = varyingExprs[expr] { return known }
    guard asked.exprs.insert(expr).inserted, draft.budget.spend() else { return false }
    var answer = false
    if case .read(let node) = draft.core[expr] { answer = mayVary(node, &asked) }
    draft.core[expr].forEachChild { answer = answer || mayVary($0, &asked) }
    if answer { varyingExprs[expr] = true }
    return answer
  }

  private mutating func differentiateField(
    _ base: CoreExprID, _ index: Int, tag: Int, at span: Span
  ) -> CoreExprID? {
    var inner = base
    while case .read(let node) = draft.core[inner], case .lift(let next) = draft.core[node].op { inner = next }
    switch draft.core[inner] {
    case .construct(let other, let parts):
      // A part of another case is not asked for.
      return other == tag && index < parts.count ? differentiate(parts[index], span) : nil
    case .conditional(let test, let then, let otherwise):
      let a = differentiateField(then, index, tag: tag, at: span)
      return chosen(test, a, differentiateField(otherwise, index, tag: tag, at: span), span)
    default:
      if mayVaryBetweenInstants(inner) { draft.report(.cannotDifferentiate(draft.firstRead(base), nil), at: span) }
      return nil
    }
  }

  private mutating func differentiate(
    _ prim: Prim, _ arguments: [CoreExprID], whole: CoreExprID, at span: Span
  ) -> CoreExprID? {
    guard let x = arguments.first else { return nil }
    if prim == .tupleFirst || prim == .tupleSecond {
      return differentiateField(x, prim == .tupleFirst ? 0 : 1, tag: 0, at: span)
    }
    if draft.core.type(x) != .float { return ofOtherData(prim, arguments, whole, at: span) }
    let y = arguments.count > 1 ? arguments[1] : x
    switch prim {
    case .add, .subtract:
      let a = differentiate(x, span)
      let b = differentiate(y, span)
      return sum(a, prim == .add ? b : negated(b, span), at: span)
    case .multiply:
      let a = product(differentiate(x, span), y, at: span)
      return sum(a, product(differentiate(y, span), x, at: span), at: span)
    case .divide:
      let b = product(differentiate(y, span), whole, at: span)
      return sum(differentiate(x, span), negated(b, span), at: span).map { binary(.divide, $0, y, span) }
    case .negate: return negated(differentiate(x, span), span)
    case .min, .max: return extreme(prim, (x, differentiate(x, span)), (y, differentiate(y, span)), span)
    case .abs: return extreme(.max, (x, differentiate(x, span)), opposite(x, span), span)
    case .clamp where arguments.count == 3:
      let low = (value: y, slope: differentiate(y, span))
      let high = (value: arguments[2], slope: differentiate(arguments[2], span))
      let above = extreme(.max, (x, differentiate(x, span)), low, span)
      return extreme(.min, (binary(.max, x, y, span), above), high, span)
    case .lerp where arguments.count == 3: return differentiateLerp(x, y, arguments[2], span)
    case .hypot:
      let a = product(differentiate(x, span), x, at: span)
      return sum(a, product(differentiate(y, span), y, at: span), at: span).map { binary(.divide, $0, whole, span) }
    case .pow: return differentiatePower(x, y, whole: whole, at: span)
    case .atan2: return differentiateAngle(x, y, at: span)
    default:
      if let other = arguments.dropFirst().first(where: { mayVaryBetweenInstants($0) }) {
        draft.report(.cannotDifferentiate(draft.firstRead(other), prim), at: span)
        return nil
      }
      guard let d = differentiate(x, span) else { return nil }
      guard let outer = outerDerivative(prim, x, whole: whole, at: span) else {
        draft.report(.cannotDifferentiate(draft.firstRead(x), prim), at: span)
        return nil
      }
      return product(d, outer, at: span)
    }
  }

  /// What is computed from numbers that only jump, or from data that does not change between instants, has slope 0. Of
  /// other data (a list of continuous numbers) nothing is known.
  private mutating func ofOtherData(
    _ prim: Prim, _ arguments: [CoreExprID], _ whole: CoreExprID, at span: Span
  ) -> CoreExprID? {
    let jumps: [TypeID] = [.int, .bool, .string, .unit]
    let isKnown = arguments.allSatisfy { argument in
      jumps.contains(draft.core.type(argument)) || !mayVaryBetweenInstants(argument)
    }
    if !isKnown { draft.report(.cannotDifferentiate(draft.firstRead(whole), prim), at: span) }
    return nil
  }

  /// f' at x, for functions of one argument.
  private mutating func outerDerivative(
    _ prim: Prim, _ x: CoreExprID, whole: CoreExprID, at span: Span
  ) -> CoreExprID? {
    let one = number(1, span)
    switch prim {
    case .sin: return unary(.cos, x, at: span)
    case .cos: return unary(.negate, unary(.sin, x, at: span), at: span)
    case .tan:
      let t = binary(.multiply, whole, whole, span)
      return binary(.add, one, t, span)
    case .exp: return whole
    case .log: return binary(.divide, one, x, span)
    case .log2, .log10:
      let base = number(prim == .log2 ? 0.693147180559945309417 : 2.302585092994045684018, span)
      return binary(.divide, one, binary(.multiply, x, base, span), span)
    case .sqrt: return binary(.divide, number(0.5, span), whole, span)
    case .cbrt:
      return binary(.divide, one, binary(.multiply, number(3, span), binary(.multiply, whole, whole, span), span), span)
    case .atan: return binary(.divide, one, binary(.add, one, binary(.multiply, x, x, span), span), span)
    case .asin, .acos:
      let root = unary(.sqrt, binary(.subtract, one, binary(.multiply, x, x, span), span), at: span)
      let result = binary(.divide, one, root, span)
      return prim == .asin ? result : unary(.negate, result, at: span)
    case .toRadians: return number(.pi / 180, span)
    case .toDegrees: return number(180 / .pi, span)
    case .identity: return one
    default: return nil
    }
  }

  private typealias Moving = (value: CoreExprID, slope: CoreExprID?)

  private mutating func opposite(_ x: CoreExprID, _ span: Span) -> Moving {
    (unary(.negate, x, at: span), negated(differentiate(x, span), span))
  }

  /// The slope of the lesser or the greater of two; where they are equal, that of the one which is so just after.
  private mutating func extreme(_ prim: Prim, _ x: Moving, _ y: Moving, _ span: Span) -> CoreExprID? {
    if x.slope == nil && y.slope == nil { return nil }
    let (a, b) = (x.slope ?? number(0, span), y.slope ?? number(0, span))
    let isFirst = make(.prim(prim == .min ? .less : .greater, [x.value, y.value]), .bool, at: span)
    let isSecond = make(.prim(prim == .min ? .greater : .less, [x.value, y.value]), .bool, at: span)
    return chosen(isFirst, a, chosen(isSecond, b, binary(prim, a, b, span), span), span)
  }

  /// d (a + (b - a) p) = (1 - p) da + p db + (b - a) dp.
  private mutating func differentiateLerp(
    _ a: CoreExprID, _ b: CoreExprID, _ p: CoreExprID, _ span: Span
  ) -> CoreExprID? {
    let first = product(differentiate(a, span), binary(.subtract, number(1, span), p, span), at: span)
    let second = product(differentiate(b, span), p, at: span)
    let third = product(differentiate(p, span), binary(.subtract, b, a, span), at: span)
    return sum(sum(first, second, at: span), third, at: span)
  }

  /// d x^y = y x^(y-1) dx + x^y log(x) dy.
  private mutating func differentiatePower(
    _ x: CoreExprID, _ y: CoreExprID, whole: CoreExprID, at span: Span
  ) -> CoreExprID? {
    let less = binary(.subtract, y, number(1, span), span)
    let slope = binary(.multiply, y, binary(.pow, x, less, span), span)
    let a = product(differentiate(x, span), slope, at: span)
    guard let dy = differentiate(y, span) else { return a }
    let b = binary(.multiply, dy, binary(.multiply, whole, unary(.log, x, at: span), span), span)
    return sum(a, b, at: span)
  }

  /// d atan2(y, x) = (x dy - y dx) / (x² + y²).
  private mutating func differentiateAngle(_ y: CoreExprID, _ x: CoreExprID, at span: Span) -> CoreExprID? {
    let a = product(differentiate(y, span), x, at: span)
    let b = product(differentiate(x, span), y, at: span)
    guard let top = sum(a, negated(b, span), at: span) else { return nil }
    let square = binary(.add, binary(.multiply, x, x, span), binary(.multiply, y, y, span), span)
    return binary(.divide, top, square, span)
  }
}
