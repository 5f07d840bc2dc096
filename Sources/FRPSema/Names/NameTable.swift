// What names mean: the outcome of resolution, before any type is known.

import FRPBase
import FRPCore
import FRPSyntax

/// What a name in an expression refers to.
enum Reference {
  /// Nothing, or not a name; what is unknown stands in `NameTable.unknowns`.
  case none
  /// Unknown and already reported.
  case reported
  case binder(PatternID)
  case function(ItemID)
  case input(ItemID)
  case builtin([Int])
  case constructor(NominalID, tag: Int)
}

/// A name nobody defines, with what could be meant. It is reported by the checker, which knows the type that is needed.
struct UnknownName {
  var name: Name
  /// The names that can be seen from there, nearest scopes first.
  var candidates: [(name: String, reference: Reference)]
  /// Where a name like this was bound in a block or branch that has ended.
  var ended: Span?
  /// Whether it is looked for what may have been meant: not of hundreds.
  var isSearched = true
}

enum TypeReference {
  case nominal(NominalID)
  case alias(ItemID)
}

/// What can be named in one file.
struct ModuleScope {
  var values: [String: (reference: Reference, span: Span)] = [:]
  /// The names of `values`, in order of declaration.
  var valueOrder: [String] = []
  var types: [String: (reference: TypeReference, span: Span)] = [:]
  var constructors: [String: (nominal: NominalID, tag: Int, span: Span)] = [:]
  /// Imported modules by name; nil for one that could not be loaded.
  var imports: [String: ModuleID?] = [:]
}

struct NameTable {
  /// By `ExprID`.
  var references: [Reference]
  var unknowns: [ExprID: UnknownName] = [:]
  var constructorPatterns: [PatternID: (nominal: NominalID, tag: Int)] = [:]
  /// By `ModuleID`.
  var scopes: [ModuleScope] = []
  /// The items of the program's own nominal types; the first has the id after the built-in ones.
  var nominalItems: [ItemID] = []
  var definitionOfBinder: [PatternID: ItemID] = [:]
  /// The binders of later alternatives of a pattern, each with that of the first alternative, which the body means.
  var alternativeBinders: [PatternID: PatternID] = [:]
  /// The binders of each value definition, in order.
  var bindersOfDefinition: [ItemID: [PatternID]] = [:]
  /// Top-level definitions in strongly connected groups, dependencies first.
  var groups: [[ItemID]] = []
  /// The same for the definitions of each block.
  var blockGroups: [ExprID: [[ItemID]]] = [:]
  var moduleOfItem: [ItemID: ModuleID] = [:]
  /// What each definition refers to.
  var dependencies: [ItemID: [ItemID]] = [:]
  /// Definitions and inputs that something else refers to.
  var used: Set<ItemID> = []
  /// All local definitions, in order.
  var localDefinitions: [ItemID] = []

  /// Imported modules that expressions and patterns name, by module.
  var usedImports: [ModuleID: Set<String>] = [:]
  /// Definitions of blocks that hide a local name around them, with its place.
  var hidden: [(name: Name, outer: Span)] = []

  /// The input of a name, whichever module it is in: the first where there are several.
  func input(_ name: String) -> (item: ItemID, span: Span)? {
    for scope in scopes {
      if case (.input(let item), let span)? = scope.values[name] { return (item, span) }
    }
    return nil
  }

  static let builtinNominals = NominalID.firstDeclared
  static let builtinConstructors: [String: (nominal: NominalID, tag: Int)] = [
    "None": (.option, 0), "Some": (.option, 1), "Ok": (.result, 0), "Err": (.result, 1),
    "Latest": (.policy, 0), "All": (.policy, 1), "Queue": (.policy, 2), "Ignore": (.policy, 3),
    "Limit": (.policy, 4), "Idle": (.link, 0), "Opening": (.link, 1), "Open": (.link, 2), "Retrying": (.link, 3),
  ]
  /// By their full names: those of a program, or of other types, may be called alike.
  static let qualifiedConstructors: [String: (nominal: NominalID, tag: Int)] = Dictionary(
    uniqueKeysWithValues: JsonCase.names.enumerated().map { ($0.element, (.json, $0.offset)) })
  static let builtinTypes = [
    "Int", "Float", "Bool", "String", "Unit", "List", "Map", "Set", "Option", "Result", "Json", "Event", "Behavior",
    "Task", "Source", "Link", "Secret", "Error", "Policy",
  ]
}

/// The language's own types, for completion.
package let builtinTypeNames = NameTable.builtinTypes
