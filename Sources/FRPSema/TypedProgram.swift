// What inference hands to elaboration: the tree, with a type and a resolution at every node. Behaviors are typed as
// their values (section 4 of the language); `Event` and `Task` are type constructors.
//
// Types may hold generics: type variables that some definition's scheme quantifies. A use of such a definition lists
// what each generic stands for there, so that elaboration can make a monomorphic copy.

import FRPBase
import FRPCore
import FRPSyntax

/// An inferred type, by its place in the program's `TyStore`.
public struct Ty: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

/// A quantified type variable (or row variable); unique in the program.
public struct GenericID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
}

public enum TyNode: Sendable {
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
public struct Nominal: Sendable {
  public struct Case: Sendable {
    public var name: String
    public var labels: [String]?
    public var fields: [Ty]
    public init(name: String, labels: [String]?, fields: [Ty]) {
      self.name = name
      self.labels = labels
      self.fields = fields
    }
  }
  public var name: String
  public var generics: [GenericID]
  public var cases: [Case]
  public var span: Span
  public init(name: String, generics: [GenericID], cases: [Case], span: Span) {
    self.name = name
    self.generics = generics
    self.cases = cases
    self.span = span
  }
}

/// What a name, constructor, or operator in an expression refers to.
public enum Resolution: Sendable {
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
public struct ConstructorPattern: Sendable {
  public var nominal: NominalID
  public var tag: Int
  public var fieldPatterns: [PatternID?]
  public init(nominal: NominalID, tag: Int, fieldPatterns: [PatternID?]) {
    self.nominal = nominal
    self.tag = tag
    self.fieldPatterns = fieldPatterns
  }
}

/// The type of a definition: quantified over `generics`, in the order that `instance` lists follow.
public struct Scheme: Sendable {
  public var generics: [GenericID]
  public var type: Ty
  public init(generics: [GenericID], type: Ty) {
    self.generics = generics
    self.type = type
  }
}

public struct InputPort: Sendable {
  public var item: ItemID
  public var name: String
  /// The payload's type.
  public var type: Ty
  public var isEvent: Bool
  public var start: ExprID?
  /// `from source`.
  public var source: ExprID?
  public init(item: ItemID, name: String, type: Ty, isEvent: Bool, start: ExprID?, source: ExprID? = nil) {
    self.item = item
    self.name = name
    self.type = type
    self.isEvent = isEvent
    self.start = start
    self.source = source
  }
}

public struct OutputPort: Sendable {
  public var name: String
  /// `.binder` of a top-level value definition, `.input`, or `.builtin` for `time`, `start` and `end`.
  public var target: Resolution
  public var span: Span
  /// `to sink`.
  public var sink: ExprID?
  public init(name: String, target: Resolution, span: Span, sink: ExprID? = nil) {
    self.name = name
    self.target = target
    self.span = span
    self.sink = sink
  }
}

public struct TypedProgram: Sendable {
  public var sources: SourceMap
  public var tree: Tree
  public var types: [TyNode]
  public var nominals: [Nominal]
  /// By `ExprID`, `PatternID`. After defaulting: a type variable nobody decided is Int if it is a number, else `()`.
  public var exprTypes: [Ty]
  public var patternTypes: [Ty]
  /// By `ExprID`; `.none` where the expression is no name. For `.binary`/`.unary`/`.operatorFunction` it stays `.none`.
  public var resolutions: [Resolution]
  public var constructorPatterns: [PatternID: ConstructorPattern]
  /// Schemes of all definitions, top-level and local.
  public var schemes: [ItemID: Scheme]
  /// The value definition that binds a pattern variable; absent for parameters and match variables.
  public var definitionOfBinder: [PatternID: ItemID]
  /// The parameters (by their patterns) that are annotated `Behavior<…>`, and value definitions annotated so.
  public var behaviorAnnotations: Set<PatternID>
  /// Top-level definitions of all modules as strongly connected groups, dependencies first.
  public var groups: [[ItemID]]
  public var inputs: [InputPort]
  public var outputs: [OutputPort]
  /// Literal lambdas of several parameters that stand where a function of one tuple is expected: `(a, b) => e` takes
  /// its argument apart. The type of such an expression is the function of one parameter. Where the row of an
  /// overloaded call is chosen only in elaboration (`f(xs) = xs |> map((a, b) => …)`), the lambda is not listed and has
  /// the type of several parameters; it takes its argument apart if the row wants a function of one.
  public var tupleLambdas: Set<ExprID>
  /// In `A(x) | B(x)`, the binder of each later alternative with that of the first, which is the one that names mean.
  public var alternativeBinders: [PatternID: PatternID]
  /// The definitions of each block as strongly connected groups, dependencies first.
  public var blockGroups: [ExprID: [[ItemID]]]
  /// By `GenericID`: what a generic's instances must be able to do.
  public var genericClasses: [ClassSet]
  /// The overloaded built-ins a definition leaves to its callers, with the type of their first argument.
  public var openOverloads: [ItemID: [(name: String, firstArgument: Ty)]]

  public subscript(ty: Ty) -> TyNode { types[ty.index] }
}
