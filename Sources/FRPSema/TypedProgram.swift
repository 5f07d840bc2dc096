// What inference hands to elaboration: the tree, with a type and a resolution at every node. Behaviors are typed as
// their values (section 4 of the language); `Event` and `Task` are type constructors.
//
// Types may hold generics: type variables that some definition's scheme quantifies. A use of such a definition lists
// what each generic stands for there, so that elaboration can make a monomorphic copy.

import FRPBase
import FRPCore
import FRPSyntax

/// An inferred type, by its place in the program's `TyStore`.
package struct Ty: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
  package var index: Int { Int(raw) }
}

/// A quantified type variable (or row variable); unique in the program.
package struct GenericID: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
}

package enum TyNode: Sendable {
  /// Already reported; unifies with everything. A program without errors has none.
  case error
  case unit, bool, int, float, string
  case list(Ty)
  case map(Ty, Ty)
  case event(Ty)
  case task(Ty)
  case tuple([Ty])
  /// Fields in alphabetical order; `tail` is nil for a closed row, else a `.generic` (a row variable, which stands for a `.record`).
  case record([(name: String, type: Ty)], tail: Ty?)
  case nominal(NominalID, [Ty])
  case function([Ty], Ty)
  case generic(GenericID)
}

/// A declared variant type, built-in or the program's own.
package struct Nominal: Sendable {
  package struct Case: Sendable {
    package var name: String
    package var labels: [String]?
    package var fields: [Ty]
    package init(name: String, labels: [String]?, fields: [Ty]) {
      self.name = name
      self.labels = labels
      self.fields = fields
    }
  }
  package var name: String
  package var generics: [GenericID]
  package var cases: [Case]
  package var span: Span
  /// Whether values hold functions, events, tasks or sources, directly or through others.
  package var isOpaque = false
  package init(name: String, generics: [GenericID], cases: [Case], span: Span) {
    self.name = name
    self.generics = generics
    self.cases = cases
    self.span = span
  }
}

/// What a name, constructor, or operator in an expression refers to.
package enum Resolution: Sendable {
  case none
  /// A variable of a lambda, a parameter, a match arm, or a value definition; generics only for the latter.
  case binder(PatternID, [Ty])
  /// A function definition; `instance` gives a type for each generic of its scheme, in order.
  case function(ItemID, instance: [Ty])
  /// A declared `input`.
  case input(ItemID)
  /// A row, or an overload set, of the table of built-ins; `rows` are places in `Builtins.all`. The first row whose
  /// first parameter fits the (then monomorphic) type of this node is meant. Operators resolve through their `Prim`.
  case builtin(rows: [Int])
  case constructor(NominalID, tag: Int)
}

/// How a constructor pattern's arguments map to fields: `fieldPatterns[i]` matches field i (nil: not mentioned).
package struct ConstructorPattern: Sendable {
  package var nominal: NominalID
  package var tag: Int
  package var fieldPatterns: [PatternID?]
  package init(nominal: NominalID, tag: Int, fieldPatterns: [PatternID?]) {
    self.nominal = nominal
    self.tag = tag
    self.fieldPatterns = fieldPatterns
  }
}

/// The type of a definition: quantified over `generics`, in the order that `instance` lists follow.
package struct Scheme: Sendable {
  package var generics: [GenericID]
  package var type: Ty
  package init(generics: [GenericID], type: Ty) {
    self.generics = generics
    self.type = type
  }
}

package struct InputPort: Sendable {
  package var item: ItemID
  package var name: String
  /// The payload's type.
  package var type: Ty
  package var isEvent: Bool
  package var start: ExprID?
  /// `from source`.
  package var source: ExprID?
  package init(item: ItemID, name: String, type: Ty, isEvent: Bool, start: ExprID?, source: ExprID? = nil) {
    self.item = item
    self.name = name
    self.type = type
    self.isEvent = isEvent
    self.start = start
    self.source = source
  }
}

package struct OutputPort: Sendable {
  package var name: String
  /// `.binder` of a top-level value definition, `.input`, or `.builtin` for `time`, `start` and `end`.
  package var target: Resolution
  package var span: Span
  /// `to sink`.
  package var sink: ExprID?
  /// Whether it is only looked at now and then: see `CorePort`.
  package var isSampled = false
  package init(name: String, target: Resolution, span: Span, sink: ExprID? = nil) {
    self.name = name
    self.target = target
    self.span = span
    self.sink = sink
  }
}

package struct TypedProgram: Sendable {
  package var sources: SourceMap
  package var tree: Tree
  package var types: [TyNode]
  package var nominals: [Nominal]
  /// By `ExprID`, `PatternID`. After defaulting: a type variable nobody decided is Int if it is a number, else `()`.
  package var exprTypes: [Ty]
  package var patternTypes: [Ty]
  /// By `ExprID`; `.none` where the expression is no name. For `.binary`/`.unary`/`.operatorFunction` it stays `.none`.
  package var resolutions: [Resolution]
  package var constructorPatterns: [PatternID: ConstructorPattern]
  /// Schemes of all definitions, top-level and local.
  package var schemes: [ItemID: Scheme]
  /// The value definition that binds a pattern variable; absent for parameters and match variables.
  package var definitionOfBinder: [PatternID: ItemID]
  /// The parameters (by their patterns) that are annotated `Behavior<…>`, and value definitions annotated so.
  package var behaviorAnnotations: Set<PatternID>
  /// Top-level definitions of all modules as strongly connected groups, dependencies first.
  package var groups: [[ItemID]]
  package var inputs: [InputPort]
  package var outputs: [OutputPort]
  /// Literal lambdas of several parameters that stand where a function of one tuple is expected: `(a, b) => e` takes
  /// its argument apart. The type of such an expression is the function of one parameter. Where the row of an
  /// overloaded call is chosen only in elaboration (`f(xs) = xs |> map((a, b) => …)`), the lambda is not listed and has
  /// the type of several parameters; it takes its argument apart if the row wants a function of one.
  package var tupleLambdas: Set<ExprID>
  /// In `A(x) | B(x)`, the binder of each later alternative with that of the first, which is the one that names mean.
  package var alternativeBinders: [PatternID: PatternID]
  /// The definitions of each block as strongly connected groups, dependencies first.
  package var blockGroups: [ExprID: [[ItemID]]]
  /// By `GenericID`: what a generic's instances must be able to do.
  package var genericClasses: [ClassSet]
  /// The overloaded built-ins a definition leaves to its callers, with the type of their first argument.
  package var openOverloads: [ItemID: [(name: String, firstArgument: Ty)]]

  package subscript(ty: Ty) -> TyNode { types[ty.index] }

  /// A constructor as a file names it: those of imported modules with the module.
  package func constructor(_ id: NominalID, _ tag: Int, in file: FileID) -> String {
    let nominal = nominals[id.index]
    let home = tree.modules.first { $0.file == nominal.span.file && $0.file != file && !$0.isHost }
    return (home.map { "\($0.name)." } ?? "") + nominal.cases[tag].name
  }
}
