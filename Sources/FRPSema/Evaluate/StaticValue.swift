// What an expression is worth to elaboration. Elaboration *runs* the structure of a program at compile time: it knows
// every event, function and open record, and leaves data as expressions of the core. So a call of a function with
// memory is its body with the arguments put in, by construction (section 4 of the language, rule 2), and a record of
// behaviors and events stays open (rule 5).

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

indirect enum StaticValue {
  /// Data, plain or varying: whatever the expression reads decides.
  case data(CoreExprID)
  case event(NodeID)
  case closure(Closure)
  case tuple([StaticValue], TypeID)
  /// In alphabetical order of the fields.
  case record([(name: String, value: StaticValue)], TypeID)
  case list([StaticValue], TypeID)
  /// A constructor that holds events or functions with memory.
  case variant(tag: Int, [StaticValue], TypeID)
  /// Something that was reported already.
  case error
}

/// A function as elaboration knows it.
final class Closure {
  enum Kind {
    case lambda(ExprID, [PatternID], ExprID)
    case function(ItemID)
    /// Candidate rows of the table; the function's type chooses.
    case builtin([Int])
    case operation(BinaryOp)
    case field(String)
    case constructor(NominalID, tag: Int)
    /// `if c then f else g` on functions.
    case either(CoreExprID, StaticValue, StaticValue)
  }
  let kind: Kind
  /// The environment of the definition, with the types its generics stand for.
  let env: Env
  /// Its function type, where it is known.
  let type: TypeID
  let span: Span
  /// Takes one tuple although it is written with several parameters.
  let takesTuple: Bool
  /// Whether calling it may make nodes, once that was asked.
  var isReactive: Bool?

  init(_ kind: Kind, env: Env, type: TypeID, span: Span, takesTuple: Bool = false) {
    self.kind = kind
    self.env = env
    self.type = type
    self.span = span
    self.takesTuple = takesTuple
  }
}

/// Names in sight. Top-level definitions are not here but in `Elaborator.thunks`.
final class Env {
  let parent: Env?
  var bindings: [PatternID: StaticValue] = [:]
  /// Local definitions of a block, evaluated when first needed.
  var thunks: [ItemID: Thunk] = [:]
  /// Local function definitions of a block.
  var functions: Set<ItemID> = []
  /// What the generics of the enclosing definitions stand for.
  let generics: [GenericID: TypeID]

  init(parent: Env?, generics: [GenericID: TypeID]? = nil) {
    self.parent = parent
    self.generics = generics ?? parent?.generics ?? [:]
  }

  func lookup(_ binder: PatternID) -> StaticValue? {
    var env: Env? = self
    while let current = env {
      if let value = current.bindings[binder] { return value }
      env = current.parent
    }
    return nil
  }

  func thunk(_ item: ItemID) -> Thunk? {
    var env: Env? = self
    while let current = env {
      if let thunk = current.thunks[item] { return thunk }
      env = current.parent
    }
    return nil
  }

  /// Whether this environment belongs to the top level.
  var isTop: Bool { parent == nil }
}

/// A value definition: one shared thing, made when first needed; a polymorphic one has an instance for each choice of types.
final class Thunk {
  enum State {
    case running(placeholder: StaticValue?)
    case done(StaticValue)
  }
  let item: ItemID
  let env: Env
  let context: Context
  /// How many expressions there were when it was declared.
  let born: Int
  var instances: [[TypeID]: State] = [:]

  init(item: ItemID, env: Env, context: Context, born: Int) {
    self.born = born
    self.item = item
    self.env = env
    self.context = context
  }
}
