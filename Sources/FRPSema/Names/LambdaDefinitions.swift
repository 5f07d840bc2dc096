// `f = x => e` means `f(x) = e`: a definition whose body is a lambda is a function, which may call itself on values that
// change. Only meaning sees it so; what is printed is what was written.

import FRPSyntax

extension Tree {
  /// Turns definitions of lambdas into definitions of functions.
  mutating func nameLambdas() {
    for index in items.indices {
      guard case .definition(var definition) = items[index], case .value(let pattern) = definition.binder,
        case .name(let name) = self[pattern]
      else { continue }
      var body = definition.body
      while case .paren(let inner) = self[body] { body = inner }
      guard case .lambda(let parameters, let result) = self[body], !parameters.isEmpty else { continue }
      var types = [TypeExprID?](repeating: nil, count: parameters.count)
      if let declared = definition.type {
        guard case .function(let taken, let given) = self[declared], taken.count == parameters.count else { continue }
        types = taken
        definition.type = given
      }
      definition.binder = .function(
        Name(name, span(pattern)), zip(parameters, types).map { Parameter(pattern: $0, type: $1) })
      definition.body = result
      items[index] = .definition(definition)
    }
  }
}
