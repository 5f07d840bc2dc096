// Closing static values into core expressions, and what arguments of operators must be.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  // MARK: Requirements

  /// The behavior node of any value that is data; nil where that was reported.
  mutating func behavior(
    _ value: StaticValue, at span: Span, operatorName: String = ""
  ) -> NodeID? {
    guard let expr = residual(value, at: span) else { return nil }
    if rejectPointwise(expr, operatorName, at: span) { return nil }
    return lift(expr, span)
  }

  /// The event node of a value whose type is an event.
  func event(_ value: StaticValue) -> NodeID? {
    if case .event(let node) = value { return node }
    return nil
  }

  /// The expression of a value that must be known once (start values, durations, counts, policies).
  mutating func plain(_ value: StaticValue, _ what: String, of name: String, at span: Span) -> CoreExprID? {
    guard let expr = residual(value, at: span) else { return nil }
    if facts(expr).isVarying {
      let varying = firstRead(expr)
      report(.mustBePlain(what: "\(what) of `\(name)`", expr, varying: varying, in: context.definition), at: span)
      return nil
    }
    if rejectPointwise(expr, name, at: span) { return nil }
    return expr
  }

  /// Reports an argument of what remembers that depends on a point-wise name; true if it did.
  mutating func rejectPointwise(_ expr: CoreExprID, _ operatorName: String, at span: Span) -> Bool {
    guard let pointwise = firstPointwise(expr) else { return false }
    report(.memoryPointwise(operatorName: operatorName, pointwise), at: span)
    return true
  }

  // MARK: Closing

  /// The core expression of a value that is data; nil (and a report) for events and functions with memory.
  mutating func residual(_ value: StaticValue, at span: Span) -> CoreExprID? {
    residual(value, at: span, Blame(span: span))
  }

  /// The same of an argument that stands at `place`: there it is blamed.
  mutating func residual(_ value: StaticValue, at span: Span, standing place: Span) -> CoreExprID? {
    residual(value, at: span, Blame(span: place))
  }

  /// What is said to be no data: a value at a place, or a part of it.
  private struct Blame {
    var span: Span
    var steps: [ValueStep] = []

    func entering(_ step: ValueStep) -> Blame { Blame(span: span, steps: steps + [step]) }
  }

  private mutating func residual(_ value: StaticValue, at span: Span, _ blame: Blame) -> CoreExprID? {
    if isGivenUp { return nil }
    switch value {
    case .data(let expr): return expr
    case .error: return nil
    case .event(let node):
      report(.eventAsData(node, inside: blame.steps), at: blame.span)
      return nil
    case .tuple(let elements, let type):
      guard let parts = residuals(elements, at: span, blame) else { return nil }
      return add(.construct(tag: 0, parts), type, span)
    case .record(let fields, let type):
      var parts: [CoreExprID] = []
      for field in fields {
        guard let part = residual(field.value, at: span, blame.entering(.field(field.name))) else { return nil }
        parts.append(part)
      }
      return add(.construct(tag: 0, parts), type, span)
    case .list(let elements, let type):
      guard let parts = residuals(elements, at: span, blame) else { return nil }
      if let closed = closedList(parts) { return closed }
      return add(.list(parts, spreads: parts.map { _ in false }), type, span)
    case .variant(let tag, let parts, let type):
      guard let parts = residuals(parts, at: span, blame) else { return nil }
      return add(.construct(tag: tag, parts), type, span)
    case .closure(let closure): return residual(closure, at: span)
    }
  }

  private mutating func residuals(_ values: [StaticValue], at span: Span, _ blame: Blame) -> [CoreExprID]? {
    guard spendList(values.count) else { return nil }
    var result: [CoreExprID] = []
    for (place, value) in values.enumerated() {
      // Most of a long list is data, and needs no way to it.
      let isOpen = if case .data = value { false } else { true }
      guard let expr = residual(value, at: span, isOpen ? blame.entering(.place(place)) : blame) else { return nil }
      result.append(expr)
    }
    return result
  }

  /// A function as a value of the core.
  private mutating func residual(_ closure: Closure, at span: Span) -> CoreExprID? {
    guard case .function(let parameters, _) = core.types[closure.type] else { return nil }
    guard let lambda = lambda(closure, parameters, at: span) else { return nil }
    return draft.wrapped(
      add(.lambda(lambda.lambda), closure.type, span), in: lambda.suspended, type: closure.type, at: span)
  }

  struct MadeLambda {
    var lambda: CoreLambda
    /// Computations from outside that the body shares: to be suspended where the lambda's value is made.
    var suspended: [(local: LocalID, value: CoreExprID)]
  }

  /// A function entered at fresh parameters, as a node's own function: what it shares with the outside stays in
  /// place, since it is entered where it stands.
  mutating func entered(
    _ function: StaticValue, _ parameters: [TypeID], at span: Span
  ) -> CoreLambda? {
    let locals = parameters.map { core.addLocal("", $0) }
    let arguments = locals.map { StaticValue.data(add(.local($0), core.localTypes[$0.index], span)) }
    nameParameters(function, locals)
    let result = apply(function, arguments, at: span)
    guard let body = residual(result, at: span) else { return nil }
    return CoreLambda(locals, body)
  }

  /// Gives locals the names of the parameters they stand for, for messages.
  mutating func nameParameters(_ function: StaticValue, _ locals: [LocalID]) {
    for (name, local) in zip(parameterNames(of: function), locals) {
      if let name { core.localNames[local.index] = name }
    }
  }

  /// What a function calls its parameters; nil for one that it takes apart.
  func parameterNames(of function: StaticValue) -> [String?] {
    guard case .closure(let closure) = function else { return [] }
    var patterns: [PatternID] = []
    switch closure.kind {
    case .lambda(_, let parameters, _) where closure.takesTuple:
      // One parameter stands for all of them.
      let names = parameters.map { program.sources.text(program.tree.span($0)) }
      return ["(\(names.joined(separator: ", ")))"]
    case .lambda(_, let parameters, _): patterns = parameters
    case .function(let item):
      if case .definition(let definition) = program.tree[item], case .function(_, let parameters) = definition.binder {
        patterns = parameters.map(\.pattern)
      }
    default: break
    }
    return patterns.map { if case .name(let name) = program.tree[$0] { name } else { nil } }
  }

  private mutating func lambda(_ closure: Closure, _ parameters: [TypeID], at span: Span) -> MadeLambda? {
    let locals = parameters.map { core.addLocal("", $0) }
    nameParameters(.closure(closure), locals)
    let start = core.exprs.count
    let mark = forced.count
    let arguments = locals.map { StaticValue.data(add(.local($0), core.localTypes[$0.index], span)) }
    let result = apply(.closure(closure), arguments, at: span)
    guard let body = residual(result, at: span) else { return nil }
    var suspended: [(local: LocalID, value: CoreExprID)] = []
    let closed = suspendOutside(body, Outside(before: start, forced[mark...]), suspended: &suspended)
    return MadeLambda(lambda: CoreLambda(locals, closed), suspended: suspended)
  }

  /// Replaces computations that were made outside of the lambda by lazy locals, so that they are done once and not at
  /// every call. Looking something up is cheap and is left alone.
  private mutating func suspendOutside(
    _ root: CoreExprID, _ outside: Outside, suspended: inout [(local: LocalID, value: CoreExprID)]
  ) -> CoreExprID {
    var replaced: [CoreExprID: CoreExprID] = [:]
    var found = suspended
    let result = draft.rewrite(root, &replaced) { draft, expr in
      guard outside.contains(expr) else { return nil }
      if case .local = draft.core[expr] { return expr }
      if draft.isCheap(expr) { return expr }
      let type = draft.core.type(expr)
      let local = draft.core.addLocal("", type, isLazy: true)
      found.append((local, expr))
      return draft.add(.local(local), type, draft.core.span(expr))
    }
    suspended = found
    return result
  }
}

/// Expressions `first..<end` belong to a definition that was declared when there were `born` of them.
struct Forced {
  var first: Int
  var end: Int
  var born: Int
}

/// What was made outside of a function while its body was made, or before: definitions of the blocks around it are made
/// where they are needed first, which may be there.
struct Outside {
  private let start: Int
  /// By place, none in another.
  private var ranges: [Range<Int>] = []

  init(before start: Int, _ forced: ArraySlice<Forced>) {
    self.start = start
    for definition in forced.sorted(by: { ($0.first, $1.end) < ($1.first, $0.end) })
    where definition.born <= start && definition.first >= start && definition.end > definition.first {
      if let last = ranges.last, definition.first < last.upperBound { continue }
      ranges.append(definition.first..<definition.end)
    }
  }

  func contains(_ expr: CoreExprID) -> Bool {
    if expr.index < start { return true }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= expr.index { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(expr.index)
  }
}
