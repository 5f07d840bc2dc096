// Expressions of the core, evaluated as they stand: an environment of locals, an instance that says which nodes `read`
// means, and a view that says when.

import FRPCore

/// What an expression may mention.
final class Environment {
  let parent: Environment?
  var locals: [LocalID: Slot]
  /// The instance of the scope the expression stands in.
  let instance: Instance
  /// The moment at which behaviors are read.
  let view: View

  enum Slot {
    case value(ModelValue)
    case suspended(Suspension)
  }

  init(_ instance: Instance, _ view: View, parent: Environment? = nil, locals: [LocalID: Slot] = [:]) {
    self.instance = instance
    self.view = view
    self.parent = parent
    self.locals = locals
  }

  func slot(_ local: LocalID) -> Slot? {
    var environment: Environment? = self
    while let current = environment {
      if let slot = current.locals[local] { return slot }
      environment = current.parent
    }
    return instance.parameter(local).map(Slot.value)
  }
}

/// A computation that is run when it is first needed.
final class Suspension {
  let expr: CoreExprID
  let environment: Environment
  var result: Result<ModelValue, any Error>?
  init(_ expr: CoreExprID, _ environment: Environment) {
    self.expr = expr
    self.environment = environment
  }
}

extension Model {
  func evaluate(_ id: CoreExprID, _ environment: Environment) throws -> ModelValue {
    depth += 1
    defer { depth -= 1 }
    if depth > depthLimit { throw ModelFault("too deep") }
    switch core[id] {
    case .unit: return .unit
    case .bool(let x): return .bool(x)
    case .int(let x): return .int(x)
    case .float(let x): return .float(x)
    case .string(let x): return .string(x)
    case .local(let local): return try force(environment.slot(local))
    case .thunk(let local): return try force(environment.slot(local))
    case .read(let node): return try value(node, environment.instance, environment.view)
    case .call(let function, let arguments): return try call(core[function], arguments, environment)
    case .apply(let callee, let arguments):
      guard case .function(let function) = try evaluate(callee, environment) else { throw ModelFault("not a function") }
      return try apply(function, evaluateAll(arguments, environment))
    case .prim(let prim, let arguments): return try primitive(prim, arguments, id, environment)
    case .list(let items, let spreads): return try list(items, spreads, environment)
    case .lambda(let lambda): return .function(ModelFunction(lambda, environment))
    case .construct(let tag, let parts): return .data(tag, try evaluateAll(parts, environment))
    case .field(let base, let index, _):
      guard case .data(_, let parts) = try evaluate(base, environment), index < parts.count else {
        throw ModelFault("no such field")
      }
      return parts[index]
    case .hasTag(let base, let tag):
      guard case .data(let found, _) = try evaluate(base, environment) else { throw ModelFault("not a variant") }
      return .bool(found == tag)
    case .conditional(let test, let then, let otherwise):
      guard case .bool(let holds) = try evaluate(test, environment) else { throw ModelFault("not a Bool") }
      return try evaluate(holds ? then : otherwise, environment)
    case .update(let base, let fields):
      guard case .data(let tag, var parts) = try evaluate(base, environment) else { throw ModelFault("not a record") }
      for field in fields { parts[field.index] = try evaluate(field.value, environment) }
      return .data(tag, parts)
    case .suspend(let bindings, let body):
      let inner = Environment(environment.instance, environment.view, parent: environment)
      for binding in bindings { inner.locals[binding.local] = .suspended(Suspension(binding.value, inner)) }
      return try evaluate(body, inner)
    case .unreachable, .placeholder: throw ModelFault("unreachable")
    }
  }

  func evaluateAll(_ all: [CoreExprID], _ environment: Environment) throws -> [ModelValue] {
    var result: [ModelValue] = []
    for expr in all { result.append(try evaluate(expr, environment)) }
    return result
  }

  private func force(_ slot: Environment.Slot?) throws -> ModelValue {
    switch slot {
    case .value(let value)?: return value
    case .suspended(let suspension)?:
      if let result = suspension.result { return try result.get() }
      do {
        let value = try evaluate(suspension.expr, suspension.environment)
        suspension.result = .success(value)
        return value
      } catch {
        suspension.result = .failure(error)
        throw error
      }
    case nil: throw ModelFault("unbound local")
    }
  }

  private func list(
    _ items: [CoreExprID], _ spreads: [Bool], _ environment: Environment
  ) throws -> ModelValue {
    var result: [ModelValue] = []
    for (item, isSpread) in zip(items, spreads) {
      let value = try evaluate(item, environment)
      if isSpread, case .list(let inner) = value { result += inner } else { result.append(value) }
    }
    return .list(result)
  }

  /// A function of the program: a lazy parameter gets the suspended computation of its argument.
  private func call(
    _ function: CoreFunction, _ arguments: [CoreExprID], _ environment: Environment
  ) throws -> ModelValue {
    let inner = Environment(environment.instance, environment.view)
    for (parameter, argument) in zip(function.parameters, arguments) {
      if case .thunk(let local) = core[argument], let slot = environment.slot(local) {
        inner.locals[parameter] = slot
      } else if core.localIsLazy[parameter.index] {
        inner.locals[parameter] = .suspended(Suspension(argument, environment))
      } else {
        inner.locals[parameter] = .value(try evaluate(argument, environment))
      }
    }
    return try evaluate(function.body, inner)
  }

  func apply(_ function: ModelFunction, _ arguments: [ModelValue]) throws -> ModelValue {
    try enter(function.lambda, arguments, function.environment)
  }

  /// A lambda's body with its parameters bound.
  func enter(
    _ lambda: CoreLambda, _ arguments: [ModelValue], _ outer: Environment
  ) throws -> ModelValue {
    let inner = Environment(outer.instance, outer.view, parent: outer)
    for (parameter, argument) in zip(lambda.parameters, arguments) { inner.locals[parameter] = .value(argument) }
    return try evaluate(lambda.body, inner)
  }

  // MARK: Reading results

  func bool(_ value: ModelValue) throws -> Bool {
    if case .bool(let x) = value { return x }
    throw ModelFault("not a Bool")
  }

  func int(_ value: ModelValue) throws -> Int {
    if case .int(let x) = value { return x }
    throw ModelFault("not an Int")
  }

  func float(_ value: ModelValue) throws -> Double {
    if case .float(let x) = value { return x }
    throw ModelFault("not a Float")
  }

  func string(_ value: ModelValue) throws -> String {
    if case .string(let x) = value { return x }
    throw ModelFault("not a String")
  }

  func list(_ value: ModelValue) throws -> [ModelValue] {
    if case .list(let x) = value { return x }
    throw ModelFault("not a List")
  }

  func function(_ value: ModelValue) throws -> ModelFunction {
    if case .function(let x) = value { return x }
    throw ModelFault("not a function")
  }

  /// The content of an Option.
  func content(_ value: ModelValue) throws -> ModelValue? {
    if case .data(let tag, let parts) = value { return tag == 1 ? parts.first : nil }
    throw ModelFault("not an Option")
  }
}
