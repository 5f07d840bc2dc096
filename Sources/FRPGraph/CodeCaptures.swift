// What function values and suspended computations capture, and which lazy locals need an object of their own.
//
// In:  the expressions of a `CoreProgram`.
// Out: `CodeCaptures`, the same for all code of the program.
// Rules: a lambda captures the locals and behaviors it mentions but does not bind. A lazy local whose value is trivial
// (a constant, a plain local, a read) is its value. Any other is an alias of its expression while it is used only in
// the code that binds it (the shared expression is then computed at most once, see CodeBodyGraph.swift); it is *boxed*,
// an object in the heap, as soon as a lambda, a boxed value or a `.thunk` needs it elsewhere.
// A behavior that may fault is captured as a *cell*, which keeps the value or the fault: only who looks at it faults.
// A lambda written as the argument of `map`, `filter`, `fold`… is *inlined*: it never becomes a value. Not that of the `map` or
// `filter` of a `window`, whose elements go through it once, as long as they are there, nor that of a test of a map's entries.

import FRPCore

enum Capture: Hashable {
  /// The value of a plain local; the suspended computation of a lazy one.
  case local(LocalID)
  case node(NodeID)
}

/// A call of a routine as it is compiled.
struct CallForm {
  var prim: Prim
  /// What the routine's arguments are, and what stands for them: a map may stand for a list.
  var arguments: [CoreExprID]
  var operands: [CoreExprID]
  var entries = MapEntries.none
  var isReversed = false

  init(prim: Prim, arguments: [CoreExprID], isReversed: Bool = false) {
    (self.prim, self.arguments, self.isReversed) = (prim, arguments, isReversed)
    operands = arguments
  }
}

struct CodeCaptures {
  /// By local: the expression a `.suspend` binds it to, or -1.
  private(set) var values: [Int32]
  private(set) var isBoxed: [Bool]
  /// Lambda expressions that are compiled in place.
  private(set) var inlined: Set<Int32> = []
  private var ofLambdas: [Int32: [Capture]] = [:]
  private var ofLocals: [Int32: [Capture]] = [:]
  private let core: CoreProgram
  /// Whether what is computed of a list that slides is brought up to date.
  private let slides: Bool

  init(_ core: CoreProgram, slides: Bool) {
    self.core = core
    self.slides = slides
    values = [Int32](repeating: -1, count: core.localTypes.count)
    isBoxed = [Bool](repeating: false, count: core.localTypes.count)
    for expr in core.exprs {
      if case .suspend(let bindings, _) = expr {
        for binding in bindings { values[binding.local.index] = binding.value.raw }
      }
    }
    findInlined()
    findBoxed()
  }

  func captures(ofLambda id: CoreExprID) -> [Capture] { ofLambdas[id.raw] ?? [] }
  func captures(ofLocal local: LocalID) -> [Capture] { ofLocals[local.raw] ?? [] }
  func isLazy(_ local: LocalID) -> Bool { core.localIsLazy[local.index] }

  /// Whether a behavior is captured as a cell: if it may hold a fault. What is pulled is computed as it is captured.
  func isCell(_ node: NodeID) -> Bool { core[node].op.mayHoldFault }

  /// What an expression stands for: without `.suspend` around it and aliases in its place.
  func resolve(_ id: CoreExprID) -> CoreExprID {
    var id = id
    while true {
      switch core[id] {
      case .suspend(_, let body): id = body
      case .local(let local):
        guard values[local.index] >= 0, !isBoxed[local.index] || isTrivial(local) else { return id }
        id = CoreExprID(Int(values[local.index]))
      default: return id
      }
    }
  }

  /// Whether a lazy local's value is as cheap and safe as a local.
  private func isTrivial(_ local: LocalID) -> Bool {
    var id = CoreExprID(Int(values[local.index]))
    for _ in 0..<64 {
      switch core[id] {
      case .unit, .bool, .int, .float, .string, .read: return true
      case .suspend(_, let body): id = body
      case .local(let other):
        if values[other.index] < 0 { return !isLazy(other) }
        id = CoreExprID(Int(values[other.index]))
      default: return false
      }
    }
    return false
  }

  /// How a call of a routine is made: the first of what is sorted are sought without sorting (`sortBy(l, f) |> take(n)`), and
  /// what looks at the entries or values of a map is given the map itself.
  func form(_ prim: Prim, _ arguments: [CoreExprID]) -> CallForm {
    var form = CallForm(prim: prim, arguments: arguments)
    if !slides { return form }
    if prim == .listTake, case .prim(.listSortBy, let sorted) = core[resolve(arguments[0])] {
      form = CallForm(prim: .listTopBy, arguments: [sorted[0], arguments[1], sorted[1]], isReversed: true)
    }
    if form.prim.takesEntries, case .prim(let list, let map) = core[resolve(form.operands[0])],
      let entries = list.listsEntries
    {
      form.operands[0] = map[0]
      form.entries = entries
    }
    return form
  }

  // MARK: Inlining

  /// The place of the function among the arguments of prims that are compiled as loops or branches.
  static func inlinedArgument(_ prim: Prim) -> Int? {
    switch prim {
    case .listMap, .listFilter, .listAny, .listAll, .listCount: return 1
    case .optionMap, .optionFlatMap, .resultMap, .resultFlatMap: return 1
    case .listFold: return 2
    default: return nil
    }
  }

  /// Only lambdas that nothing else uses: their parameters get registers of the loop they are in.
  private mutating func findInlined() {
    let uses = liveUses()
    for (index, expr) in core.exprs.enumerated() {
      guard uses[index] > 0, case .prim(let prim, let arguments) = expr,
        let place = CodeCaptures.inlinedArgument(prim), place < arguments.count,
        !(slides && prim.slides && (isSliding(arguments[0]) || prim.takesEntries && listsEntries(arguments[0])))
      else { continue }
      var id = arguments[place]
      while uses[id.index] == 1, case .suspend(_, let body) = core[id] { id = body }
      guard uses[id.index] == 1, case .lambda(let lambda) = core[id], !lambda.parameters.contains(where: isLazy)
      else { continue }
      inlined.insert(id.raw)
    }
  }

  private func listsEntries(_ list: CoreExprID) -> Bool {
    if case .prim(let prim, _) = core[resolve(list)] { prim.listsEntries != nil } else { false }
  }

  /// Whether a list is a window, or what `map` or `filter` makes of one.
  private func isSliding(_ list: CoreExprID) -> Bool {
    var list = resolve(list)
    while case .prim(let prim, let arguments) = core[list], prim == .listMap || prim == .listFilter {
      list = resolve(arguments[0])
    }
    guard case .read(let node) = core[list], case .window = core[node].op else { return false }
    return true
  }

  /// The lambda that is compiled in place as a part of this prim, if any.
  func inlinedLambda(_ prim: Prim, _ arguments: [CoreExprID]) -> CoreLambda? {
    guard let place = CodeCaptures.inlinedArgument(prim), place < arguments.count else { return nil }
    var id = arguments[place]
    while case .suspend(_, let body) = core[id] { id = body }
    guard inlined.contains(id.raw), case .lambda(let lambda) = core[id] else { return nil }
    return lambda
  }

  /// How many expressions (or nodes) that are needed mention each expression directly.
  private func liveUses() -> [Int32] {
    var uses = [Int32](repeating: 0, count: core.exprs.count)
    var pending: [CoreExprID] = []
    func use(_ id: CoreExprID) {
      uses[id.index] += 1
      if uses[id.index] == 1 { pending.append(id) }
    }
    for node in core.nodes { node.op.forEachExpr { id, _ in use(id) } }
    for function in core.functions { use(function.body) }
    while let id = pending.popLast() { core[id].forEachChild(use) }
    return uses
  }

  // MARK: Captures

  private mutating func findBoxed() {
    var fresh: [LocalID] = []
    for (index, expr) in core.exprs.enumerated() {
      switch expr {
      case .lambda(let lambda) where !inlined.contains(Int32(index)):
        let list = captures(root: lambda.body, binding: lambda.parameters)
        ofLambdas[Int32(index)] = list
        fresh += list.compactMap(lazyLocal)
      case .thunk(let local): if values[local.index] >= 0 { fresh.append(local) }
      default: break
      }
    }
    while let local = fresh.popLast() {
      if isBoxed[local.index] { continue }
      isBoxed[local.index] = true
      let list = captures(root: CoreExprID(Int(values[local.index])), binding: [])
      ofLocals[local.raw] = list
      fresh += list.compactMap(lazyLocal)
    }
  }

  private func lazyLocal(_ capture: Capture) -> LocalID? {
    if case .local(let local) = capture, values[local.index] >= 0 { return local }
    return nil
  }

  /// What is free in `root`, in the order found. Cost: O(size of the DAG below root).
  private func captures(root: CoreExprID, binding parameters: [LocalID]) -> [Capture] {
    var bound = Set(parameters)
    var seen: Set<Int32> = []
    var found: Set<Capture> = []
    var result: [Capture] = []
    var stack = [root]
    func add(_ capture: Capture) {
      if found.insert(capture).inserted { result.append(capture) }
    }
    func visit(_ local: LocalID, asThunk: Bool) {
      let value = values[local.index]
      if value >= 0, bound.contains(local) || (!asThunk && isTrivial(local)) {
        stack.append(CoreExprID(Int(value)))
      } else if !bound.contains(local) {
        add(.local(local))
      }
    }
    while let id = stack.popLast() {
      if !seen.insert(id.raw).inserted { continue }
      switch core[id] {
      case .local(let local): visit(local, asThunk: false)
      case .thunk(let local): visit(local, asThunk: true)
      case .read(let node): add(.node(node))
      case .suspend(let bindings, let body):
        for binding in bindings { bound.insert(binding.local) }
        stack.append(body)
      case .lambda(let lambda):
        bound.formUnion(lambda.parameters)
        stack.append(lambda.body)
      case let expr: stack += CoreChildren.all(expr).reversed()
      }
    }
    return result
  }
}

/// The operands of expressions.
enum CoreChildren {
  /// All expressions directly below one, those under binders included.
  static func all(_ expr: CoreExpr) -> [CoreExprID] {
    var result: [CoreExprID] = []
    expr.forEachChild { result.append($0) }
    return result
  }
}
