// What can be wrong with names, as facts. `NameProblemText.swift` puts it into words.

import FRPBase
import FRPSyntax

enum NameProblem {
  case duplicate(Name, first: Span, isParameter: Bool)
  case fieldTwice(Name, first: Span)
  case notInModule(Name, module: String, has: [String])
  /// `isType`: a type is called so, and has such a constructor.
  case unknownModule(Name, Name, known: [String], isType: Bool)
  case unknownConstructor(Name, known: [String], modules: [String], isType: Bool)
  case unknownType(Name, known: [String])
  case typeArguments(Name, expected: Int, actual: Int)
  case unknownTypeVariable(Name)
  /// A declared type without the variables that it uses.
  case missingVariables(Name, [Name])
  case aliasOfItself(Name)
  /// A declared type that contains itself with ever larger arguments.
  case growingType(Name)
  case inputTwice(Name, first: Span)
  /// An alternative of a pattern that does not bind a name the others bind.
  case notInAllAlternatives(Name, missing: Span)
  /// `[x | xs]`: the only element is either of two, of which the second is a name of its own.
  case barBeforeRest(Span, first: Span, rest: Name)
  case tooDeep(Span)
  case outputUnknown(Name, known: [String])
  case outputFunction(Name)
  case outputTwice(Name, first: Span)
  case inputKind(Name, type: Span)
  /// A name that lines of traces use otherwise; `kind` is `input` or `output`.
  case portName(Name, kind: String)
  case unused(Name, isLocal: Bool)
  case unusedImport(Name)
  /// A definition of a block that hides a name around it.
  case hides(Name, Span)

  /// The place of a name that is defined a second time.
  var duplicate: Span? { if case .duplicate(let name, _, _) = self { name.span } else { nil } }
}

/// A module that nobody has is missed once, however often it is named. One that is misspelt has its correction at each place.
func withoutRepetition(_ problems: [NameProblem]) -> [NameProblem] {
  var missing: Set<String> = []
  return problems.filter { problem in
    guard case .unknownModule(let module, _, let known, false) = problem,
      nearestNames(module.text, among: known).isEmpty
    else { return true }
    return missing.insert(module.text).inserted
  }
}
