// Core expressions -> code. Bodies (of nodes' functions, program functions, function values, suspended computations and
// pulled behaviors) are compiled one after another from a list of what is still wanted, so nothing here recurses from
// one body into the next. Cost: linear in the size of the DAGs.
//
// One body: `BodyGraph` decides where each expression is computed, `BodyEmitter` writes the instructions.

import FRPBase
import FRPCore

/// Compiles the expressions and functions of a program on demand into one `CodeTable`.
public struct CodeCompiler {
  private let store: CodeStore

  /// Where `budget` does not suffice, the code is not whole.
  public init(core: CoreProgram, layout: Layout, _ optimisations: Optimisations = .all, budget: CheckBudget? = nil) {
    store = CodeStore(core, layout, optimisations.contains(.slidingLists), budget)
  }

  /// Everything compiled so far, and all it calls.
  public var code: CodeTable { store.code }

  /// The code of a node's function, entered with its arguments and the base of a frame of `scope`.
  public mutating func compile(_ lambda: CoreLambda, in scope: ScopeID) -> CodeID {
    let id = store.want(
      Body(kind: .entry, root: lambda.body, parameters: lambda.parameters, scope: scope, name: "function"))
    store.compileWanted()
    return id
  }

  /// The code of a fused chain of event operators, entered with an occurrence, or with a state and an occurrence where
  /// there is a `last` function. It gives the result, or skips. With a `tail`, which is applied to what `last` gives, it leaves
  /// what `last` gives in place of the state.
  public mutating func compile(_ stages: [Stage], last: CoreLambda?, tail: CoreLambda?, in scope: ScopeID) -> CodeID {
    let chain = Chain(stages: stages, last: last, tail: tail)
    let root = last?.body ?? stages.last?.lambda.body ?? CoreExprID(0)
    var body = Body(kind: .entry, root: root, parameters: [], scope: scope, name: "function")
    body.chain = chain
    let id = store.want(body)
    store.compileWanted()
    return id
  }

  /// The code of an expression, entered with the base of a frame of `scope`.
  public mutating func compile(expression: CoreExprID, in scope: ScopeID) -> CodeID {
    let id = store.want(Body(kind: .entry, root: expression, parameters: [], scope: scope, name: "expression"))
    store.compileWanted()
    return id
  }

  /// The code that brings a pulled behavior's slot up to the machine's epoch; nil if its node is not a continuous `lift`.
  public mutating func compile(pulled node: NodeID) -> CodeID? {
    let id = store.pullCode(node)
    store.compileWanted()
    return id
  }
}

/// One body still to be compiled.
struct Body {
  enum Kind { case entry, function, closure, thunk, pulled(slot: Int) }
  var kind: Kind
  var root: CoreExprID
  var parameters: [LocalID]
  /// Closures and suspended computations: in order of their words.
  var captures: [Capture] = []
  /// The scope of `base`; nil where there is none.
  var scope: ScopeID?
  var name: String
  /// Of an entry: the chain that it is made from, if any.
  var chain: Chain?
  var id = CodeID(-1)
}

/// The table under construction and what has been asked for.
final class CodeStore {
  let core: CoreProgram
  let layout: Layout
  let captures: CodeCaptures
  private let slides: Bool
  private let budget: CheckBudget?
  var code = CodeTable()
  private var wanted: [Body] = []
  private var words: [UInt64: Int] = [:]
  private var strings: [String: Int] = [:]
  private var functions: [CodeID?]
  private var closureConstants: [Int: Int] = [:]
  private var closures: [Capture: Int] = [:]
  private var lambdas: [Int32: Int] = [:]

  init(_ core: CoreProgram, _ layout: Layout, _ slides: Bool, _ budget: CheckBudget?) {
    self.core = core
    self.layout = layout
    self.slides = slides
    self.budget = budget
    captures = CodeCaptures(core, slides: slides)
    functions = [CodeID?](repeating: nil, count: core.functions.count)
    code.pullCode = [Int32](repeating: -1, count: core.nodes.count)
  }

  func want(_ body: Body) -> CodeID {
    var body = body
    body.id = CodeID(code.entries.count)
    code.entries.append(
      CodeEntry(
        start: 0, count: 0, registers: 0, parameters: Int32(body.chain?.parameterCount ?? body.parameters.count)))
    code.names.append(body.name)
    wanted.append(body)
    return body.id
  }

  func compileWanted() {
    while let body = wanted.popLast() {
      if budget?.exceeded != nil { return }
      let emitter: BodyEmitter
      if let chain = body.chain {
        emitter = BodyEmitter.emit(chain, self, body: body)
        if !spend(emitter.instructions.count) { return }
      } else {
        emitter = BodyEmitter(self, body)
        if !spend(emitter.graph.items.count) { return }
        emitter.emit()
      }
      code.entries[body.id.index].start = Int32(code.instructions.count)
      code.entries[body.id.index].count = Int32(emitter.instructions.count)
      code.entries[body.id.index].registers = Int32(emitter.registerCount)
      code.instructions += emitter.instructions
      code.spans += emitter.spans
    }
  }

  /// Takes the work for writing the code of so many expressions; false once there is none left.
  private func spend(_ count: Int) -> Bool { budget?.spend(2 * count, bytes: 100 * count) ?? true }

  func function(_ id: FunctionID) -> CodeID {
    if let code = functions[id.index] { return code }
    let function = core[id]
    let code = want(
      Body(kind: .function, root: function.body, parameters: function.parameters, scope: nil, name: function.name))
    functions[id.index] = code
    return code
  }

  /// Whether a behavior's slot must be brought up to date before it is read: lifts by their code, what continuous scopes
  /// show by the reactor. All other slots are always kept.
  func isPulled(_ node: NodeID) -> Bool {
    guard core[node].isContinuous else { return false }
    switch core[node].op.motion {
    case .lift: return pullCode(node) != nil
    case .switched, .groups, .members, .chosen, .delayed: return true
    case .time, .integral, .member, .crossing, .step: return false
    }
  }

  /// The code of a pulled behavior that is a lift; nil for others, whose slots are always kept.
  func pullCode(_ node: NodeID) -> CodeID? {
    let known = code.pullCode[node.index]
    if known >= 0 { return CodeID(Int(known)) }
    guard core[node].isContinuous, case .lift(let expression) = core[node].op else { return nil }
    let id = want(
      Body(
        kind: .pulled(slot: layout.slot(node)), root: expression, parameters: [], scope: core[node].scope,
        name: core[node].definition))
    code.pullCode[node.index] = id.raw
    return id
  }

  // MARK: Closures

  /// The place in `code.closures` of a lambda expression.
  func closure(_ id: CoreExprID, _ lambda: CoreLambda) -> Int {
    if let known = lambdas[id.raw] { return known }
    let list = captures.captures(ofLambda: id)
    let code = want(
      Body(kind: .closure, root: lambda.body, parameters: lambda.parameters, captures: list, name: "function"))
    let place = add(code, list, header: [false], type: core.type(id), isSuspended: false)
    lambdas[id.raw] = place
    return place
  }

  /// The place in `code.closures` of a lazy local's suspended computation.
  func thunk(_ local: LocalID) -> Int {
    if let known = closures[.local(local)] { return known }
    let list = captures.captures(ofLocal: local)
    let value = CoreExprID(Int(captures.values[local.index]))
    let code = want(
      Body(kind: .thunk, root: value, parameters: [], captures: list, name: core.localNames[local.index]))
    let type = core.type(value)
    let place = add(code, list, header: [false, core.types.isReference(type)], type: type, isSuspended: true)
    closures[.local(local)] = place
    return place
  }

  private func add(_ id: CodeID, _ list: [Capture], header: [Bool], type: TypeID, isSuspended: Bool) -> Int {
    let captured = list.map(captured)
    let references = header + captured.map { $0.isCell || core.types.isReference($0.type) }
    code.closures.append(
      ClosureInfo(
        code: id, captures: Int32(list.count), header: ObjectHeader.make(tag: 0, references: references),
        wideMask: references.count > ObjectHeader.widestMask ? ObjectHeader.wideMask(references: references) : [],
        type: type, isSuspended: isSuspended, captured: captured))
    return code.closures.count - 1
  }

  private func captured(_ capture: Capture) -> CapturedWord {
    switch capture {
    case .node(let node): CapturedWord(type: core[node].type, isCell: captures.isCell(node))
    case .local(let local): CapturedWord(type: core.localTypes[local.index], isCell: captures.isLazy(local))
    }
  }

  // MARK: Tables

  func constant(_ word: UInt64) -> Int {
    if let known = words[word] { return known }
    code.constants.append(.word(word))
    words[word] = code.constants.count - 1
    return code.constants.count - 1
  }

  func constant(_ text: String) -> Int {
    // By bytes: Swift's equality of strings is by canonical equivalence, the language's is not.
    let key = String(decoding: Array(text.utf8).flatMap { [0x30 + $0 >> 4, 0x30 + $0 & 15] }, as: UTF8.self)
    if let known = strings[key] { return known }
    code.constants.append(.string(text))
    strings[key] = code.constants.count - 1
    return code.constants.count - 1
  }

  /// A closure without captures.
  func constant(closure place: Int) -> Int {
    if let known = closureConstants[place] { return known }
    code.constants.append(.closure(place))
    closureConstants[place] = code.constants.count - 1
    return code.constants.count - 1
  }

  /// Several words in a row.
  func constants(_ list: [UInt64]) -> Int {
    code.constants += list.map(CodeConstant.word)
    return code.constants.count - list.count
  }

  /// Whether equal keys may be shown in several ways, 0.0 and -0.0: which of them a map has depends on all elements then.
  private func hasManyNames(_ call: PrimCall) -> Bool {
    guard call.prim == .listGroupBy || call.prim == .listCountBy, case .map(let key, _) = core.types[call.result] else {
      return false
    }
    return core.types.holdsFloat(key)
  }

  func call(_ call: PrimCall) -> Int {
    code.calls.append(call)
    if slides, call.prim.slides, !hasManyNames(call) { code.calls[code.calls.count - 1].site = Int32(code.calls.count) }
    return code.calls.count - 1
  }
}
