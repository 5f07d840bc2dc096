// Point-wise functions of the core: one for each recursive (or large) function of the program and choice of types.
//
// A function of the core is closed: what its body mentions from outside (outer locals, reads of behaviors, shared
// computations of the enclosing block) becomes extra parameters, and every call passes them. Cheap ones are passed by
// value; computations are passed suspended, so that they are done at most once and only if they are needed.
//
// Mutually recursive functions are closed together, when the outermost of them is done.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

struct FunctionKey: Hashable {
  var item: ItemID
  var types: [TypeID]
  /// Of a local function: the block's environment.
  var home: ObjectIdentifier?
}

/// A function of the core, under way or finished.
struct FunctionInstance {
  var id: FunctionID
  /// Expressions that were made outside; so were locals below a number.
  var outside: Outside
  var firstLocal: Int
  /// Of a local function: the block's environment. It stays alive, so that no other one takes its key.
  let home: Env?
  /// What every call must pass after the arguments, in terms of the outside; set when the group is closed.
  var captures: [CoreExprID] = []
  var captureLocals: [LocalID] = []
  var isOpen = true
}

/// Point-wise functions of the core.
struct CoreFunctions {
  /// Finished or under way.
  var instances: [FunctionKey: FunctionInstance] = [:]
  /// Those under way, outermost first.
  var open: [FunctionKey] = []
  /// How many expressions were made for them all.
  var expressions = 0
  /// How many calls were made of functions whose bodies were not done.
  var openCalls = 0
}

extension Elaborator {
  mutating func callInstance(
    _ item: ItemID, _ name: String, closure: Closure, parameters: [Parameter], body: ExprID,
    arguments: [StaticValue], at span: Span
  ) -> StaticValue {
    guard let values = residualAll(arguments, at: span),
      case .function(let types, let result) = core.types[closure.type]
    else { return .error }
    let generics = program.schemes[item]?.generics ?? []
    let isLocal = closure.env.parent.map { !$0.isTop } ?? false
    let key = FunctionKey(
      item: item, types: generics.map { closure.env.generics[$0] ?? .unit } + types + [result],
      home: isLocal ? closure.env.parent.map { ObjectIdentifier($0) } : nil)
    if functions.instances[key] == nil {
      guard makeInstance(key, name, closure: closure, parameters: parameters, body: body, types: types, at: span) else {
        return .error
      }
    }
    guard let instance = functions.instances[key] else { return .error }
    if instance.isOpen {
      functions.openCalls += 1
      return .data(add(.call(instance.id, values), result, span))
    }
    return .data(closedCall(instance, values, passed: instance.captures, type: result, at: span))
  }

  /// A call of a finished function; `passed` is what it captures, in terms of the caller.
  private mutating func closedCall(
    _ instance: FunctionInstance, _ arguments: [CoreExprID], passed: [CoreExprID], type: TypeID, at span: Span
  ) -> CoreExprID {
    var values: [CoreExprID] = []
    var suspended: [(local: LocalID, value: CoreExprID)] = []
    let parameters = core.functions[instance.id.index].parameters.prefix(arguments.count) + instance.captureLocals
    for (value, parameter) in zip(arguments + passed, parameters) {
      guard core.localIsLazy[parameter.index] else {
        values.append(value)
        continue
      }
      if isThunk(value) {
        values.append(value)
        continue
      }
      if case .local(let own) = core[value], core.localIsLazy[own.index] {
        values.append(add(.thunk(own), core.type(value), span))
        continue
      }
      let fresh = core.addLocal("", core.type(value), isLazy: true)
      suspended.append((fresh, value))
      values.append(add(.thunk(fresh), core.type(value), span))
    }
    let call = add(.call(instance.id, values), type, span)
    return draft.wrapped(call, in: suspended, type: type, at: span)
  }

  private mutating func makeInstance(
    _ key: FunctionKey, _ name: String, closure: Closure, parameters: [Parameter], body: ExprID,
    types: [TypeID], at span: Span
  ) -> Bool {
    let outside = core.exprs.count - functions.expressions
    defer { functions.expressions = core.exprs.count - outside }
    let id = FunctionID(core.functions.count)
    let start = core.exprs.count
    functions.instances[key] = FunctionInstance(
      id: id, outside: Outside(before: core.exprs.count, []), firstLocal: core.localTypes.count,
      home: key.home == nil ? nil : closure.env.parent)
    // What may reach `attempt` is computed there.
    let areLazy = effects.attempts(key.item)
    let locals = types.map { core.addLocal("", $0, isLazy: areLazy) }
    nameParameters(.closure(closure), locals)
    let unknown = add(.placeholder(isPlain: false), closure.type, span)
    core.functions.append(CoreFunction(name: name, parameters: locals, body: unknown, type: closure.type))
    functions.open.append(key)
    let inner = Env(parent: closure.env)
    for (parameter, local) in zip(parameters, locals) {
      bind(
        parameter.pattern, to: .data(add(.local(local), core.localTypes[local.index], span)), in: inner, guarded: false)
    }
    let inlineKey = InlineKey(item: key.item.raw, isLambda: false)
    unfolding.running[inlineKey, default: Inlining()].enter()
    let savedDepth = unfolding.depth
    unfolding.depth = 0
    let mark = forced.count
    let value = evaluate(body, inner)
    functions.instances[key]?.outside = Outside(before: start, forced[mark...])
    unfolding.depth = savedDepth
    unfolding.running[inlineKey]?.depth -= 1
    guard let result = residual(value, at: program.tree.span(body)) else {
      if draft.problems.isEmpty { report(.functionCannotBeLifted(name), at: span) }
      functions.open.removeLast()
      functions.instances[key]?.isOpen = false
      return false
    }
    core.functions[id.index].body = result
    closeGroupIfDone(key)
    return true
  }

  /// Closes the group of functions that ends with this one, unless it calls functions that are still being made.
  private mutating func closeGroupIfDone(_ key: FunctionKey) {
    guard let position = functions.open.lastIndex(of: key) else { return }
    let group = Array(functions.open[position...])
    let members = Set(group.compactMap { functions.instances[$0]?.id })
    let below = Set(functions.open[..<position].compactMap { functions.instances[$0]?.id })
    for member in members {
      if !below.isEmpty, callsOne(of: below, in: core.functions[member.index].body) { return }
    }
    functions.open.removeSubrange(position...)
    close(group)
  }

  private func callsOne(of functions: Set<FunctionID>, in root: CoreExprID) -> Bool {
    core.contains(root) { if case .call(let function, _) = core[$0] { functions.contains(function) } else { false } }
  }

  private mutating func close(_ group: [FunctionKey]) {
    var instances = group.compactMap { functions.instances[$0] }
    let places = Dictionary(uniqueKeysWithValues: instances.enumerated().map { ($0.element.id, $0.offset) })
    var captured = instances.map { Captures(instance: $0, core: core, roots: [core[$0.id].body], group: places) }
    var changed = true
    while changed {
      changed = false
      for index in captured.indices {
        for callee in captured[index].callees.sorted() {
          for capture in captured[callee].list where captured[index].include(capture, core, group: places) {
            changed = true
          }
        }
      }
    }
    for index in instances.indices {
      instances[index].captures = captured[index].list
      instances[index].captureLocals = captured[index].list.map {
        core.addLocal(localName($0), core.type($0), isLazy: isThunk($0) || !isCheap($0))
      }
      core.functions[instances[index].id.index].parameters += instances[index].captureLocals
    }
    for index in instances.indices { closeBody(instances[index], instances, places: places) }
    for instance in instances where !callsOne(of: Set(places.keys), in: core.functions[instance.id.index].body) {
      computeWhereNeeded(instance.id)
    }
    for (key, var instance) in zip(group, instances) {
      instance.isOpen = false
      functions.instances[key] = instance
    }
  }

  private func isThunk(_ expr: CoreExprID) -> Bool { if case .thunk = core[expr] { true } else { false } }

  private func localName(_ expr: CoreExprID) -> String {
    if case .local(let local) = core[expr] { return core.localNames[local.index] }
    if case .read(let node) = core[expr] { return core[node].definition }
    return ""
  }

  private mutating func closeBody(
    _ instance: FunctionInstance, _ group: [FunctionInstance], places: [FunctionID: Int]
  ) {
    var own: [Captures.Identity: LocalID] = [:]
    for (capture, local) in zip(instance.captures, instance.captureLocals) {
      own[Captures.identity(capture, core)] = local
    }
    var memo: [CoreExprID: CoreExprID] = [:]
    let body = closeExpr(core[instance.id].body, instance, own: own, group: group, places: places, memo: &memo)
    core.functions[instance.id.index].body = body
  }

  private mutating func closeExpr(
    _ expr: CoreExprID, _ instance: FunctionInstance, own: [Captures.Identity: LocalID],
    group: [FunctionInstance], places: [FunctionID: Int], memo: inout [CoreExprID: CoreExprID]
  ) -> CoreExprID {
    if let known = memo[expr] { return known }
    let type = core.type(expr)
    let span = core.span(expr)
    var result = expr
    if let local = own[Captures.identity(expr, core)] {
      result = add(isThunk(expr) ? .thunk(local) : .local(local), type, span)
    } else if !instance.outside.contains(expr) {
      let node = core[expr].mapChildren { closeExpr($0, instance, own: own, group: group, places: places, memo: &memo) }
      if case .call(let callee, let arguments) = node, let place = places[callee] {
        var passed: [CoreExprID] = []
        for capture in group[place].captures {
          passed.append(closeExpr(capture, instance, own: own, group: group, places: places, memo: &memo))
        }
        result = closedCall(group[place], arguments, passed: passed, type: type, at: span)
      } else {
        result = add(node, type, span)
      }
      draft.keepGuards(of: expr, in: result, memo: memo)
    }
    memo[expr] = result
    return result
  }
}

/// What one function of a group mentions from outside.
private struct Captures {
  /// Two mentions of one local or one behavior are one capture.
  enum Identity: Hashable {
    case local(LocalID)
    case read(NodeID)
    case computation(CoreExprID)
  }
  let instance: FunctionInstance
  var list: [CoreExprID] = []
  var callees: Set<Int> = []
  private var known: Set<Identity> = []
  private var seen: Set<CoreExprID> = []

  init(instance: FunctionInstance, core: CoreProgram, roots: [CoreExprID], group: [FunctionID: Int]) {
    self.instance = instance
    for root in roots { _ = include(root, core, group: group) }
  }

  static func identity(_ expr: CoreExprID, _ core: CoreProgram) -> Identity {
    switch core[expr] {
    case .local(let local), .thunk(let local): .local(local)
    case .read(let node): .read(node)
    default: .computation(expr)
    }
  }

  /// Takes up what an expression of the function needs; true if that was news.
  mutating func include(_ root: CoreExprID, _ core: CoreProgram, group: [FunctionID: Int]) -> Bool {
    var isNews = false
    var pending = [root]
    while let expr = pending.popLast() {
      guard seen.insert(expr).inserted else { continue }
      switch core[expr] {
      case .unit, .bool, .int, .float, .string, .unreachable: continue
      case .local(let local) where local.index >= instance.firstLocal: continue
      // An inner function, finished before, may be given what this one captures.
      case .thunk(let local) where local.index >= instance.firstLocal: continue
      case .local, .thunk, .read: isNews = capture(expr, core) || isNews
      default:
        if instance.outside.contains(expr) {
          isNews = capture(expr, core) || isNews
          continue
        }
        if case .call(let callee, _) = core[expr], let place = group[callee] { callees.insert(place) }
        var children: [CoreExprID] = []
        core[expr].forEachChild { children.append($0) }
        pending.append(contentsOf: children.reversed())
      }
    }
    return isNews
  }

  private mutating func capture(_ expr: CoreExprID, _ core: CoreProgram) -> Bool {
    guard known.insert(Self.identity(expr, core)).inserted else { return false }
    list.append(expr)
    return true
  }
}
