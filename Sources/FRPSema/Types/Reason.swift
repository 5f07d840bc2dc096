// Why a place needs a certain type. A reason is made where the need arises and travels with it.

import FRPBase
import FRPSyntax

/// The function that a call names, for messages.
struct CalleeFact {
  enum Kind { case function, builtin, constructor, value }
  var name: String
  var kind: Kind
  /// Where it is declared.
  var declaration: Span?
  /// Its parameters as written, where they have names.
  var parameters: [String] = []
}

indirect enum Reason {
  case argument(Int, of: CalleeFact, call: ExprID)
  /// What a function given as an argument returns.
  case lambdaResult(Reason)
  case operand(BinaryOp, ExprID, isLeft: Bool)
  case unaryOperand(UnaryOp, ExprID)
  case condition(ExprID)
  case guardCondition
  /// The `else` branch, which must fit the `then` branch.
  case otherwise(then: Span)
  /// An arm of a `match`, which must fit the first, or the first of those that are most.
  case arm(first: Span, isModel: Bool)
  /// An element of a list, counted from 0, which must fit the first, or the first of those that are most.
  case element(Int, first: Span, isModel: Bool)
  case spread
  case annotation(Span, name: String?)
  /// What a definition says, which must fit how it uses itself.
  case recursion(String, Span)
  case start(String, Span)
  /// What an input is bound to, what an output is given to.
  case source(String, Span)
  case sink(String, Span)
  /// A part of a text.
  case interpolation(ExprID)
  /// The record of which a field is taken, by the expression that takes it.
  case field(Name, ExprID?)
  /// The new value of an updated field.
  case newValue(Name)
  /// A part of a literal whose whole has a reason.
  case part(PathStep, Reason)
  case pattern(subject: Span?)
  /// What is matched, by the whole match.
  case subject(ExprID)
  case testValue(Span?)
  case callee

  /// The reason of the whole, and the way from there to the part.
  var unwrapped: (reason: Reason, path: [PathStep]) {
    var reason = self
    var path: [PathStep] = []
    while case .part(let step, let outer) = reason {
      path.insert(step, at: 0)
      reason = outer
    }
    return (reason, path)
  }
}
