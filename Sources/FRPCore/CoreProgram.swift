// The typed core language: what a checked program means. Two layers:
//
// - *Expressions*: pure, monomorphic, point-wise. They read behaviors at the moment they are evaluated. They form a
//   DAG in one arena: an expression that is used twice is one id, computed at most once where it is needed (lazily, so
//   that a fault in what is not needed does not happen).
// - *Nodes*: events and behaviors, each in a *scope*. Scope 0 is the program. A child scope is a template: it is
//   stamped out each time its owner (`switch`, `flatMap`, `keyed`, `groupBy`, `each`, `choose`) makes a new instance.
//
// Calls of functions with memory have been replaced by their bodies; what is left of functions is point-wise.
// After checking there are no user errors left.

import FRPBase

public struct CoreExprID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

public struct NodeID: Hashable, Sendable, Comparable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
  public static func < (a: NodeID, b: NodeID) -> Bool { a.raw < b.raw }
}

public struct ScopeID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
  public static let program = ScopeID(0)
}

/// A variable of the core: a lambda's or function's parameter, or a scope's parameter.
public struct LocalID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

/// A point-wise function of the program at one choice of types; it may be recursive.
public struct FunctionID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

public enum CoreExpr: Sendable {
  case unit
  case bool(Bool)
  case int(Int)
  case float(Double)
  case string(String)
  case local(LocalID)
  /// The value of a behavior node at the moment of evaluation. Inside a lambda that is the moment the lambda's value
  /// is made (it is captured), unless the lambda is a node's own function, which is entered at the occurrence.
  case read(NodeID)
  case call(FunctionID, [CoreExprID])
  /// Applies a function value.
  case apply(CoreExprID, [CoreExprID])
  case prim(Prim, [CoreExprID])
  /// A list display; `spreads[i]` says that item i is itself a list to be spliced in.
  case list([CoreExprID], spreads: [Bool])
  case lambda(CoreLambda)
  /// A tuple or record (tag 0, fields in order of memory), or a variant's constructor.
  case construct(tag: Int, [CoreExprID])
  /// Field `index` of a tuple or record, or of a variant that is known to have tag `tag`.
  case field(CoreExprID, index: Int, tag: Int)
  /// Whether a variant has this tag.
  case hasTag(CoreExprID, Int)
  /// Lazy in both branches.
  case conditional(CoreExprID, then: CoreExprID, otherwise: CoreExprID)
  /// A record like the first with some fields (by index) replaced.
  case update(CoreExprID, [(index: Int, value: CoreExprID)])
  /// Binds *lazy* locals (`CoreProgram.localIsLazy`) around `body`: each expression is evaluated at most once, when a
  /// `.local` that names it is first evaluated; a lambda in `body` captures the suspended computation itself.
  case suspend([(local: LocalID, value: CoreExprID)], CoreExprID)
  /// The suspended computation of a lazy local, not its value: how it is handed to a lazy parameter of a function.
  case thunk(LocalID)
  /// What no checked program reaches.
  case unreachable
  /// The value of a definition that is asked for while it is being made; none is left when it has been made.
  case placeholder(isPlain: Bool)
}

/// A function with its parameters; point-wise.
public struct CoreLambda: Sendable {
  public var parameters: [LocalID]
  public var body: CoreExprID
  public init(_ parameters: [LocalID], _ body: CoreExprID) {
    self.parameters = parameters
    self.body = body
  }
}

public struct CoreFunction: Sendable {
  public var name: String
  public var parameters: [LocalID]
  /// Set once the body is elaborated (a recursive function is used before that).
  public var body: CoreExprID
  public var type: TypeID
  public init(name: String, parameters: [LocalID], body: CoreExprID, type: TypeID) {
    self.name = name
    self.parameters = parameters
    self.body = body
    self.type = type
  }
}

public struct CoreNode: Sendable {
  public var op: NodeOp
  public var scope: ScopeID
  /// `.event(a)` for events, the value's type for behaviors.
  public var type: TypeID
  /// Where it was written, for faults and `:why`.
  public var span: Span
  /// The definition it belongs to.
  public var definition: String
  /// Behaviors only: whether it varies between instants (and so is pulled, not pushed).
  public var isContinuous: Bool
  public init(op: NodeOp, scope: ScopeID, type: TypeID, span: Span, definition: String) {
    self.op = op
    self.scope = scope
    self.type = type
    self.span = span
    self.definition = definition
    isContinuous = false
  }
}

/// A template of nodes. What a scope's instance owns lives and ends with it.
public struct CoreScope: Sendable {
  public var parent: ScopeID?
  /// Plain values given at the start.
  public var parameters: [LocalID]
  /// In order of creation; dependencies may point forward (cycles through memory).
  public var nodes: [NodeID] = []
  /// What the owner reads: nodes of this or an outer scope. One, except below `choose` and `switchOpen`.
  public var results: [NodeID] = []
  public init(parent: ScopeID?, parameters: [LocalID]) {
    self.parent = parent
    self.parameters = parameters
  }
}

/// An input or an output.
public struct CorePort: Sendable {
  public var name: String
  /// The payload's type.
  public var type: TypeID
  public var isEvent: Bool
  public var node: NodeID
  public var span: Span
  /// Of an output behavior: whether it is only looked at now and then, so that nothing is located for its sake.
  public var isSampled = false
  /// Of such a one: whether it would be a step if it were not. What is seen of it is then its value just after the moment.
  public var isStepWhenPushed = false
  public init(name: String, type: TypeID, isEvent: Bool, node: NodeID, span: Span) {
    self.name = name
    self.type = type
    self.isEvent = isEvent
    self.node = node
    self.span = span
  }
}

/// What performs the source of an input or the sink of an output.
public struct CoreBinding: Sendable {
  public enum Kind: Sendable {
    /// Of an input, by its port.
    case source(Int)
    /// Of an output, by its name.
    case sink(String)
  }
  public var kind: Kind
  /// A `perform`.
  public var node: NodeID
  public var span: Span
  public init(_ kind: Kind, _ node: NodeID, span: Span) {
    self.kind = kind
    self.node = node
    self.span = span
  }

  public var isSource: Bool { if case .source = kind { true } else { false } }
}

public struct CoreProgram: Sendable {
  public var sources: SourceMap
  public var types = TypeTable()
  public var exprs: [CoreExpr] = []
  public var exprTypes: [TypeID] = []
  public var exprSpans: [Span] = []
  public var localTypes: [TypeID] = []
  public var localNames: [String] = []
  /// The scope whose parameter a local is; nil for those of lambdas and functions.
  public var localScopes: [ScopeID?] = []
  /// Whether a local is bound to a suspended computation (by `.suspend`, or as a function's lazy parameter).
  public var localIsLazy: [Bool] = []
  public var functions: [CoreFunction] = []
  public var nodes: [CoreNode] = []
  public var scopes: [CoreScope] = [CoreScope(parent: nil, parameters: [])]
  public var inputs: [CorePort] = []
  public var outputs: [CorePort] = []
  public var bindings: [CoreBinding] = []
  /// Lifts of an integral that are not its value but its rate as it goes: while a comparison that the rate reads slides at
  /// its limit, that is the mean rate, and not what the rate's expression says.
  public var slopes: [NodeID: NodeID] = [:]
  /// Behaviors of the program's scope that nobody shows and whose faults count, as those of outputs do.
  public var watched: [NodeID] = []

  public init(sources: SourceMap) { self.sources = sources }

  public subscript(id: CoreExprID) -> CoreExpr { exprs[id.index] }
  public subscript(id: NodeID) -> CoreNode { nodes[id.index] }
  public subscript(id: ScopeID) -> CoreScope { scopes[id.index] }
  public subscript(id: FunctionID) -> CoreFunction { functions[id.index] }
  public func type(_ id: CoreExprID) -> TypeID { exprTypes[id.index] }
  public func span(_ id: CoreExprID) -> Span { exprSpans[id.index] }

  public mutating func add(_ expr: CoreExpr, _ type: TypeID, _ span: Span) -> CoreExprID {
    exprs.append(expr)
    exprTypes.append(type)
    exprSpans.append(span)
    return CoreExprID(exprs.count - 1)
  }

  public mutating func addLocal(_ name: String, _ type: TypeID, scope: ScopeID? = nil, isLazy: Bool = false) -> LocalID
  {
    localTypes.append(type)
    localNames.append(name)
    localScopes.append(scope)
    localIsLazy.append(isLazy)
    return LocalID(localTypes.count - 1)
  }

  /// Takes back the newest expressions and locals, which nothing may name.
  public mutating func forget(expressions: Int, locals: Int) {
    exprs.removeLast(max(0, exprs.count - expressions))
    exprTypes.removeLast(max(0, exprTypes.count - expressions))
    exprSpans.removeLast(max(0, exprSpans.count - expressions))
    localTypes.removeLast(max(0, localTypes.count - locals))
    localNames.removeLast(max(0, localNames.count - locals))
    localScopes.removeLast(max(0, localScopes.count - locals))
    localIsLazy.removeLast(max(0, localIsLazy.count - locals))
  }

  /// Takes back the newest nodes and scopes, which nothing may name but their scopes.
  public mutating func forget(nodes: Int, scopes: Int) {
    self.scopes.removeLast(max(0, self.scopes.count - scopes))
    while self.nodes.count > nodes, let node = self.nodes.popLast() {
      guard node.scope.index < self.scopes.count else { continue }
      self.scopes[node.scope.index].nodes.removeAll { $0.index >= nodes }
    }
  }

  public mutating func addNode(_ node: CoreNode) -> NodeID {
    nodes.append(node)
    let id = NodeID(nodes.count - 1)
    scopes[node.scope.index].nodes.append(id)
    return id
  }
}
