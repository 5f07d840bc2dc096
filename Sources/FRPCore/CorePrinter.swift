// The core as text, for tests and for people who work on the compiler.

extension CoreProgram {
  /// The whole program: scopes with their nodes, then functions. Cost: linear, but shared expressions are printed at
  /// each use.
  public func describe() -> String {
    var lines: [String] = []
    for (index, scope) in scopes.enumerated() {
      let parameters = scope.parameters.map { "l\($0.raw)" }.joined(separator: ", ")
      let parent = scope.parent.map { " in \($0.raw)" } ?? ""
      lines.append("scope \(index)(\(parameters))\(parent)")
      for node in scope.nodes { lines.append("  n\(node.raw) \(describe(node))") }
      if !scope.results.isEmpty {
        lines.append("  results \(scope.results.map { "n\($0.raw)" }.joined(separator: ", "))")
      }
    }
    for (index, function) in functions.enumerated() {
      let parameters = function.parameters.map { "l\($0.raw)" }.joined(separator: ", ")
      lines.append("function f\(index) \(function.name)(\(parameters)) = \(describe(function.body))")
    }
    for output in outputs { lines.append("output \(output.name) = n\(output.node.raw)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// One node: its definition, kind, operation and expressions.
  public func describe(_ id: NodeID) -> String {
    let node = self[id]
    var parts: [String] = node.op.nodeOperands.map { "n\($0.raw)" }
    node.op.forEachExpr { expr, moment in parts.append("\(moment): \(describe(expr))") }
    parts += node.op.scopes.map { "scope \($0.raw)" }
    let label = Mirror(reflecting: node.op).children.first?.label ?? "\(node.op)"
    let kind = node.isContinuous ? " continuous" : ""
    return "\(node.definition): \(types.describe(node.type))\(kind) = \(label)(\(parts.joined(separator: "; ")))"
  }

  public func describe(_ id: CoreExprID) -> String {
    func list(_ all: [CoreExprID]) -> String { all.map(describe).joined(separator: ", ") }
    switch self[id] {
    case .unit: return "()"
    case .bool(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .float(let value): return "\(value)"
    case .string(let value): return "\"\(value)\""
    case .local(let local): return localIsLazy[local.index] ? "force l\(local.raw)" : "l\(local.raw)"
    case .thunk(let local): return "thunk l\(local.raw)"
    case .read(let node): return "n\(node.raw)"
    case .call(let function, let all): return "f\(function.raw)(\(list(all)))"
    case .apply(let callee, let all): return "(\(describe(callee)))(\(list(all)))"
    case .prim(let prim, let all): return "\(prim)(\(list(all)))"
    case .list(let all, let spreads):
      let items = zip(all, spreads).map { ($1 ? "..." : "") + describe($0) }
      return "[\(items.joined(separator: ", "))]"
    case .lambda(let lambda):
      return "\\\(lambda.parameters.map { "l\($0.raw)" }.joined(separator: " ")) -> \(describe(lambda.body))"
    case .construct(let tag, let all): return "#\(tag)(\(list(all)))"
    case .field(let base, let index, let tag): return "\(describe(base)).\(tag):\(index)"
    case .hasTag(let base, let tag): return "\(describe(base)) is #\(tag)"
    case .conditional(let test, let a, let b): return "if \(describe(test)) then \(describe(a)) else \(describe(b))"
    case .update(let base, let fields):
      return "{\(describe(base)) | \(fields.map { "\($0.index): \(describe($0.value))" }.joined(separator: ", "))}"
    case .suspend(let bindings, let body):
      return
        "let lazy \(bindings.map { "l\($0.local.raw) = \(describe($0.value))" }.joined(separator: ", ")) in \(describe(body))"
    case .unreachable: return "unreachable"
    case .placeholder: return "?"
    }
  }
}
