// What can be wrong with types, as facts: spans, names, and types frozen as they were found. `TypeProblemText*.swift`
// puts it into words.

import FRPBase
import FRPSyntax

/// A type as it was when the problem was found.
struct ShownType {
  var text: String
  var head: Head
  /// The parts of an event, list, … for proposals.
  var content: [Head] = []
  /// A record's fields, where it is one.
  var fields: [(name: String, text: String)] = []
  /// For an event or an option: a value of what it holds, to start with or where there is none, as source.
  var startValue: String?
  /// Whether it is a type variable of an annotation.
  var isRigid = false
}

struct MismatchFact {
  /// The expression whose type does not fit.
  var expr: ExprID?
  var span: Span
  var expected: ShownType
  var actual: ShownType
  var leaf: LeafFact
  /// From the outside to the leaf.
  var path: [PathStep]
  /// Where the expression stands in the literal that has the reason, from the outside.
  var within: [PathStep]
  var reason: Reason
  /// Where the name that the expression is, is declared.
  var declaration: Span?
  /// Whether the expression is likely to vary with time.
  var looksVarying: Bool
}

enum LeafFact {
  case different(expected: ShownType, actual: ShownType)
  case parameterCount(expected: Int, actual: Int)
  /// A field that the expected type has and the actual has not.
  case missingField(String, has: [String])
  /// A field that the expected type does not have.
  case extraField(String, has: [String])
  case infinite(ShownType)
  case noClass(ClassSet, ShownType)
  case notAnyType(String, ShownType)
  case tooBig
}

enum TypeProblem {
  case mismatch(MismatchFact)
  /// With names that could be meant, those that fit the place first, and modules that have the name.
  /// `isField`: the record that is piped into it has such a field. `isOfEvent`: an event is piped into it.
  case unknownName(UnknownName, fitting: [String], modules: [String], isField: Bool, isOfEvent: Bool)
  /// `subject`: the type of the first argument of a built-in. `isCurried`: what it gives takes the other arguments.
  case arity(
    call: ExprID, callee: CalleeFact, expected: [Int], arguments: [ExprID], subject: ShownType?, isCurried: Bool)
  case constructorPatternArity(Span, CalleeFact, expected: Int, actual: Int)
  case patternLabel(Name, CalleeFact, known: [String])
  /// Two events under `++`.
  case appendedEvents(ExprID, ExprID, ExprID)
  case notAFunction(ExprID, ShownType, arguments: Int, isVarying: Bool)
  case lambdaArity(ExprID, expected: [ShownType], actual: Int, Reason)
  case unknownField(Name, in: ShownType, record: ExprID?)
  /// A record literal with other fields than are needed.
  case recordFields(ExprID, extra: [Name], missing: [(name: String, text: String)], expected: ShownType, Reason)
  /// The type of what is decoded is open.
  case undecided(ExprID, isAnswer: Bool)
  /// It is shown what a host brings, and nothing says what that is.
  case unreadAnswer(ExprID)
  /// `others`: the arguments after the first.
  case noRow(
    ExprID, name: String, containers: [String], ShownType, others: [ExprID], looksVarying: Bool, declaration: Span?)
  /// The subject of a built-in does not stand first.
  case subjectNotFirst(ExprID, name: String, subject: ExprID, others: [ExprID], kind: String)
  /// A use of an overloaded definition at a type that one of its built-ins does not know.
  case noRowInside(ExprID, name: String, containers: [String], ShownType)
  case ambiguous(ExprID, name: String, containers: [String])
  case tooBig(Span, name: String?)
  case tooDeep(Span)
  case badOutput(Name, ShownType, part: ShownType)
  case badInput(Name, ShownType, part: ShownType)
  case inputNotFound(Name, known: [String])
}
