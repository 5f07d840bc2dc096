// Walking and rewriting what operators are made of.

extension NodeOp {
  /// The nodes it names directly (not through expressions), each with how it is fed by it.
  public func forEachOperand(_ visit: (NodeID, OperandRole) -> Void) {
    _ = mapParts(node: { id, role in
      visit(id, role)
      return id
    })
  }

  /// Its expressions, functions' bodies included.
  public func forEachExpression(_ visit: (CoreExprID, ExpressionRole) -> Void) {
    _ = mapParts(expression: { id, role in
      visit(id, role)
      return id
    })
  }

  /// The same, with the moment at which each is evaluated alone.
  public func forEachExpr(_ visit: (CoreExprID, Moment) -> Void) { forEachExpression { visit($0, $1.moment) } }

  /// The nodes it names directly, in order.
  public var nodeOperands: [NodeID] {
    var result: [NodeID] = []
    forEachOperand { id, _ in result.append(id) }
    return result
  }

  /// Its operands in one of these roles.
  public func operands(_ roles: OperandRole...) -> [NodeID] {
    var result: [NodeID] = []
    forEachOperand { id, role in if roles.contains(role) { result.append(id) } }
    return result
  }

  /// The expressions it evaluates, functions' bodies included.
  public var expressions: [CoreExprID] {
    var result: [CoreExprID] = []
    forEachExpression { id, _ in result.append(id) }
    return result
  }

  /// The expressions it evaluates in one of these roles.
  public func expressions(_ roles: ExpressionRole...) -> [CoreExprID] {
    var result: [CoreExprID] = []
    forEachExpression { id, role in if roles.contains(role) { result.append(id) } }
    return result
  }

  /// What is computed once, at the start of the scope, with its name: if the text of that changes, what it began must begin
  /// anew.
  public var identity: [(what: String, expr: CoreExprID)] {
    var result: [(what: String, expr: CoreExprID)] = []
    forEachExpression { id, role in if let what = role.identity { result.append((what, id)) } }
    return result
  }

  /// Its function of the occurrence, if it has one; of an `each` that of the key.
  public var function: CoreLambda? {
    var result: CoreLambda?
    _ = mapParts(function: { f, _ in
      result = f
      return f
    })
    return result
  }

  /// The scopes it owns.
  public var scopes: [ScopeID] {
    var result: [ScopeID] = []
    _ = mapParts(scope: { id in
      result.append(id)
      return id
    })
    return result
  }

  /// The same operation on other nodes.
  public func mapNodes(_ change: (NodeID) -> NodeID) -> NodeOp { mapParts(node: { id, _ in change(id) }) }

  /// The same operation with other expressions, where these show what is *new*, or are rates; all others are kept.
  public func mapExprs(_ change: (CoreExprID, Moment) -> CoreExprID) -> NodeOp {
    mapParts(expression: { id, role in
      switch role {
      case .lift, .first, .list, .rate: change(id, role.moment)
      case .input, .start, .duration, .count, .policy, .choice, .argument, .body, .key, .memberKey, .left, .right: id
      }
    })
  }
}
