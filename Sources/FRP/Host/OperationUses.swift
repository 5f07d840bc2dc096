// What a program asks of the world, read from its text: which operations it calls, and what is known of their arguments
// before it runs.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// A call of an operation that acts on the world, as it stands in a program.
public struct OperationUse: Sendable, Hashable {
  /// A text argument, as far as it is known before the program runs.
  public enum Text: Sendable, Hashable {
    /// It is this text.
    case known(String)
    /// It begins like this; the rest is computed.
    case begins(String)
    /// It is no text.
    case other

    /// What is known of its beginning.
    public var beginning: String {
      switch self {
      case .known(let text), .begins(let text): text
      case .other: ""
      }
    }

    /// All of it, where that is known.
    public var whole: String? { if case .known(let text) = self { text } else { nil } }
  }

  /// `Http.get`
  public var name: String
  /// In order.
  public var arguments: [Text]
  /// Where it is called, in the main file; 0 elsewhere.
  public var line: Int
}

extension Program {
  /// Warnings for what is called with literals that make it fail whenever it is computed. Cost: linear in the program.
  static func faultyLiterals(_ plan: Plan, _ host: HostTable) -> [Diagnostic] {
    var reader = UseReader(core: plan.core)
    reader.collect(plan.isLive)
    var found: [Diagnostic] = []
    func tell(_ reason: String, _ argument: CoreExprID, _ call: Span, _ label: String) {
      let literal = plan.core.span(reader.bound(argument))
      let span = literal.isNone || literal.file != FileID(0) ? call : literal
      if span.isNone || span.file != FileID(0) || found.contains(where: { $0.span == span }) { return }
      found.append(Diagnostic(.faultyLiteral, reason, at: span, label: label))
    }
    for pattern in reader.patterns {
      guard let text = reader.text(pattern.text).whole, let flaw = RegexFlaw(of: text) else { continue }
      tell(flaw.message, pattern.text, pattern.span, "this faults whenever it is computed")
    }
    for (index, node) in plan.core.nodes.enumerated() where plan.isLive[index] {
      guard case .every(let period, _) = node.op, case .float(let seconds) = plan.core[reader.bound(period)],
        seconds <= 0
      else { continue }
      tell("ticks need a duration above zero", period, node.span, "this faults as soon as it begins")
    }
    for call in reader.calls where host.functions.indices.contains(call.function) {
      let function = host.functions[call.function]
      guard let refusal = function.refusal, let reason = refusal(call.arguments(function.parameters.count, reader))
      else { continue }
      tell(reason, call.argument, call.span, "this ends with that `Err` as soon as it begins")
    }
    return found
  }

  /// The calls of operations of the world in what runs, in the order of their lines; definitions are put in for their
  /// names. Cost: linear in the program.
  public var worldUses: [OperationUse] {
    guard let plan else { return [] }
    var reader = UseReader(core: plan.core)
    reader.collect(plan.isLive)
    var seen: Set<OperationUse> = []
    let uses = reader.calls.compactMap { call -> OperationUse? in
      guard host.functions.indices.contains(call.function), host.functions[call.function].isOfWorld else { return nil }
      let function = host.functions[call.function]
      let span = call.span
      let isMain = !span.isNone && span.file == FileID(0)
      return OperationUse(
        name: "\(function.module).\(function.name)", arguments: call.arguments(function.parameters.count, reader),
        line: isMain ? sources[span.file].position(at: Int(span.start)).line : 0)
    }
    return uses.filter { seen.insert($0).inserted }.sorted { ($0.line, $0.name) < ($1.line, $1.name) }
  }
}

extension Prim {
  /// Whether its second argument is a regular expression.
  fileprivate var takesPattern: Bool {
    switch self {
    case .regexMatches, .regexContains, .regexFind, .regexFindAll, .regexReplace, .regexReplaceWith, .regexSplit: true
    default: false
    }
  }
}

private struct UseReader {
  struct Call {
    var function: Int
    var argument: CoreExprID
    var span: Span

    func arguments(_ count: Int, _ reader: UseReader) -> [OperationUse.Text] {
      if count == 0 { return [] }
      if count == 1 { return [reader.text(argument)] }
      guard case .construct(_, let parts) = reader.core[reader.bound(argument)], parts.count == count else {
        return Array(repeating: .other, count: count)
      }
      return parts.map { reader.text($0) }
    }
  }

  let core: CoreProgram
  var calls: [Call] = []
  /// Patterns of regular expressions, and where they are used.
  var patterns: [(text: CoreExprID, span: Span)] = []
  /// What locals are bound to.
  private var values: [LocalID: CoreExprID] = [:]

  init(core: CoreProgram) {
    self.core = core
    for case .suspend(let bindings, _) in core.exprs {
      for binding in bindings { values[binding.local] = binding.value }
    }
  }

  /// The calls in the expressions of nodes that run, and in the functions they call.
  mutating func collect(_ isLive: [Bool]) {
    var pending = core.nodes.indices.filter { isLive[$0] }.flatMap { core.nodes[$0].op.expressions }
    var seen: Set<CoreExprID> = []
    while let expr = pending.popLast() {
      guard seen.insert(expr).inserted else { continue }
      if case .prim(.hostCall, let parts) = core[expr], case .int(let function) = core[parts[0]] {
        calls.append(Call(function: function, argument: parts[1], span: core.span(expr)))
      }
      if case .prim(let prim, let parts) = core[expr], prim.takesPattern, parts.count > 1 {
        patterns.append((parts[1], core.span(expr)))
      }
      if case .call(let function, _) = core[expr] { pending.append(core[function].body) }
      core[expr].forEachChild { pending.append($0) }
    }
  }

  /// What an expression stands for: names replaced by what they are bound to.
  func bound(_ expr: CoreExprID) -> CoreExprID {
    var expr = expr
    for _ in 0..<1000 {
      switch core[expr] {
      case .local(let local):
        guard let value = values[local] else { return expr }
        expr = value
      case .suspend(_, let body): expr = body
      case .read(let node):
        guard case .lift(let value) = core[node].op else { return expr }
        expr = value
      default: return expr
      }
    }
    return expr
  }

  func text(_ root: CoreExprID, depth: Int = 0) -> OperationUse.Text {
    let expr = bound(root)
    if depth > 100 { return .begins("") }
    switch core[expr] {
    case .string(let text): return .known(text)
    case .prim(.append, let parts), .prim(.concatStrings, let parts): return joined(parts, depth)
    case .prim(.show, let parts) where core.type(parts[0]) == .string: return text(parts[0], depth: depth + 1)
    case .prim(.show, let parts):
      if case .int(let number) = core[bound(parts[0])] { return .known("\(number)") }
      return .begins("")
    default: return core.type(expr) == .string ? .begins("") : .other
    }
  }

  private func joined(_ parts: [CoreExprID], _ depth: Int) -> OperationUse.Text {
    var all = ""
    for part in parts {
      switch text(part, depth: depth + 1) {
      case .known(let text): all += text
      case .begins(let text): return .begins(all + text)
      case .other: return .other
      }
    }
    return .known(all)
  }
}
