// The state of a check and what its parts share. The rules stand in the extensions:
//
//   Annotations         types as written, and declared types
//   CheckDefinitions    groups, generalising
//   CheckExpressions    one rule an expression form
//   CheckCalls          calls, pipes, overloaded built-ins
//   CheckPatterns       patterns
//   CheckProgram        the driver, ports, and handing over
//
// A check infers upwards (`infer`) and pushes what is needed downwards (`check`), with the reason it is needed.

import FRPBase
import FRPCore
import FRPSyntax

/// An overloaded use whose row is not chosen yet.
struct Overload {
  var rows: [Int]
  /// Parameters and result of the use.
  var function: Ty
  var name: String
  /// The expression to report at.
  var site: ExprID
  /// The node that names the built-in; nil for a use inside a definition that is used here.
  var callee: ExprID?
  /// The arguments, where the use is a call.
  var arguments: [ExprID]
  /// The arguments that are literal lambdas of several parameters, with their numbers.
  var lambdas: [Int: Int] = [:]
  var isSolved = false
  /// A lambda of several parameters whose use is not known yet (`LambdaUses`): `function` takes the type of the use, and
  /// gives the lambda's own.
  var isLambda = false
  /// The type that it waits for; variables that are joined take those who wait with them.
  var watched: Ty?
}

/// A text that becomes the type that the program uses.
struct Decoding {
  enum Kind {
    /// Of a built-in: its type is decided.
    case data
    /// What a host brings, which may be of no use (`r.busy` alone) and is not looked at then.
    case answer
    /// A part of what a host brings, by which it is looked at: its type is decided.
    case part
  }

  var call: ExprID
  var type: Ty
  var kind: Kind = .data
}

final class Checker {
  let tree: Tree
  let sources: SourceMap
  let names: NameTable
  let store: TypeStore

  var exprTypes: [Ty]
  var patternTypes: [Ty]
  var resolutions: [Resolution]
  var constructorPatterns: [PatternID: ConstructorPattern] = [:]
  var tupleLambdas: Set<ExprID> = []
  var behaviorAnnotations: Set<PatternID> = []
  var schemes: [ItemID: OpenScheme] = [:]
  var inputs: [ItemID: InputPort] = [:]

  /// The types of the group under work, before it is generalised.
  var monomorphic: [ItemID: Ty] = [:]
  /// Uses inside the own group; they get their instances when the group is generalised.
  var ownUses: [ItemID: [ExprID]] = [:]
  /// The places of the open groups' definitions among the open groups, and what waits in each (`OwnUses`).
  var groupOfItem: [ItemID: Int] = [:]
  var ownUsesToCompare: [[OwnUse]] = []
  /// Functions whose parameters and result are annotated, values that are.
  var annotated: Set<ItemID> = []
  var parameterTypes: [ItemID: (parameters: [Ty], result: Ty)] = [:]

  var overloads: [Overload] = []
  /// Unsolved overloaded uses, by level.
  var pending: [[Int]] = [[]]
  var isSolving = false
  /// How many of the groups around this place are of several definitions.
  var openGroups = 0

  var nominals: [Nominal] = []
  /// What messages call them.
  var nominalNames: [String] = []
  var aliases: [ItemID: AliasState] = [:]
  var aliasNames = AliasNames()
  /// Type variables of the annotations around this place.
  var typeVariables: [[String: Ty]] = []
  /// Types that use variables which they do not declare.
  var isWithoutVariables: Set<ItemID> = []
  var module = ModuleID.main
  /// Imported modules that annotations name, by module.
  var usedImports: [ModuleID: Set<String>] = [:]

  /// Calls that decode data, with their types, which must be decided; and uses of definitions that leave it open.
  var decodingGenerics: [GenericID: Decoding.Kind] = [:]
  var decodings: [Decoding] = []

  /// What definitions do in the world: within them, and where they are used (`PerformedOnce`).
  var effectsWithin: [ItemID: HostEffects] = [:]
  var effectsOfUse: [ItemID: HostEffects] = [:]
  /// Definitions that are performed once and whose type their uses decide.
  var shared: [ItemID: SharedDefinition] = [:]
  /// Those that explain a report, by its place.
  var sharedCauses: [Span: SharedFact] = [:]
  /// Whether the program can name tasks or sources of a host.
  let hasHost: Bool

  /// Definitions and types with syntax errors: they fit everything.
  var damaged: Set<ItemID> = []
  var problems: [TypeProblem] = []
  /// Reports that something is open, where a mistake may be why: they count only if there is no other.
  var openReports: [TypeProblem] = []
  /// How many names were met that mean nothing.
  var missedNames = 0
  /// Definitions in which such a name is.
  var missesNames: Set<ItemID> = []
  private(set) lazy var itemsWithUnknowns = findItemsWithUnknowns()
  var nameProblems: [NameProblem] = []
  /// Places of names that are defined a second time.
  var duplicates: Set<Span> = []
  /// By name: where an output is among the outputs.
  var outputPlaces: [String: Int] = [:]
  var outputTypes: [Ty] = []
  /// Places that have a report already.
  var reported: Set<Span> = []
  var guardian = DepthGuard()

  /// The definition under work.
  var lastItem: ItemID?

  init(_ tree: Tree, _ sources: SourceMap, _ names: NameTable, _ budget: CheckBudget) {
    store = TypeStore(budget, bytes: sources.byteCount)
    self.tree = tree
    self.sources = sources
    self.names = names
    hasHost = tree.modules.contains(where: \.isHost)
    exprTypes = Array(repeating: TypeStore.error, count: tree.exprs.count)
    patternTypes = Array(repeating: TypeStore.error, count: tree.patterns.count)
    resolutions = Array(repeating: .none, count: tree.exprs.count)
  }

  /// Parentheses taken off.
  func bare(_ id: ExprID) -> ExprID {
    var current = id
    while case .paren(let inner) = tree[current] { current = inner }
    return current
  }

  func isLambda(_ id: ExprID) -> Bool {
    if case .lambda = tree[bare(id)] { return true }
    return false
  }

  // MARK: Reports

  func report(_ problem: TypeProblem, at span: Span) {
    if reported.insert(span).inserted { problems.append(problem) }
  }

  func show(_ type: Ty) -> ShownType {
    var printer = TypePrinter(store, nominalNames: nominalNames, aliases: aliasNames)
    var shown = ShownType(text: printer.text(type), head: head(type))
    switch store[type] {
    case .record(let fields, let tail):
      shown.fields = store.row(fields, tail).fields.map { ($0.name, printer.text($0.type)) }
    case .event(let payload):
      shown.content = [head(payload)]
      shown.startValue = startValue(payload, 0)
    case .variable(let index): shown.isRigid = store.variables[index].rigid != nil
    case .nominal(.option, let parts), .nominal(.result, let parts):
      shown.content = parts.map(head)
      shown.startValue = parts.first.flatMap { startValue($0, 0) }
    case .list, .task, .nominal, .tuple: shown.content = store.parts(type).map(head)
    default: break
    }
    return shown
  }

  /// A value of a type, as source, for proposals.
  private func startValue(_ type: Ty, _ depth: Int) -> String? {
    if depth > 3 { return nil }
    switch store[type] {
    case .int: return "0"
    case .variable(let index): return store.variables[index].classes.contains(.num) ? "0" : nil
    case .float: return "0.0"
    case .string: return "\"\""
    case .bool: return "false"
    case .unit: return "()"
    case .list: return "[]"
    case .map: return "Map.empty"
    case .tuple(let parts):
      let values = parts.compactMap { startValue($0, depth + 1) }
      return values.count == parts.count ? "(\(values.joined(separator: ", ")))" : nil
    case .record(let fields, let tail):
      let row = store.row(fields, tail).fields
      let values = row.compactMap { field in startValue(field.type, depth + 1).map { "\(fieldText(field.name)): \($0)" }
      }
      return values.count == row.count ? "{\(values.joined(separator: ", "))}" : nil
    case .nominal(.option, _): return "None"
    case .nominal(let id, _):
      return nominals[id.index].cases.first { $0.fields.isEmpty }.map { qualifier(of: id) + $0.name }
    default: return nil
    }
  }

  func head(_ type: Ty) -> Head {
    switch store[type] {
    case .variable(let index): return .open(store.variables[index].classes)
    case .generic(let id): return .open(store.generics[Int(id.raw)].classes)
    case .error, .link: return .error
    case .unit: return .unit
    case .bool: return .bool
    case .int: return .int
    case .float: return .float
    case .string: return .string
    case .list: return .list
    case .map: return .map
    case .event: return .event
    case .task: return .task
    case .tuple: return .tuple
    case .record: return .record
    case .nominal(let id, _): return .nominal(id)
    case .function: return .function
    }
  }

  private func leaf(_ mismatch: Mismatch) -> LeafFact {
    switch mismatch {
    case .different(let expected, let actual): return .different(expected: show(expected), actual: show(actual))
    case .parameterCount(let expected, let actual): return .parameterCount(expected: expected, actual: actual)
    case .noField(let name, let record, let isExpectedSide):
      let fields = show(record).fields.map(\.name)
      return isExpectedSide ? .extraField(name, has: fields) : .missingField(name, has: fields)
    case .infinite(_, let type): return .infinite(show(type))
    case .noClass(let classes, let type): return .noClass(classes, show(type))
    case .notAnyType(let name, let type): return .notAnyType(name, show(type))
    case .tooBig: return .tooBig
    }
  }

  /// Makes the type of an expression the one that is needed, or reports why it cannot be. Whether it fits.
  @discardableResult
  func require(_ expr: ExprID, _ actual: Ty, is expected: Ty, _ reason: Reason) -> Bool {
    require(expr: expr, span: tree.span(expr), actual: actual, expected: expected, reason: reason)
  }

  @discardableResult
  func require(expr: ExprID?, span: Span, actual: Ty, expected: Ty, reason: Reason) -> Bool {
    let failure = store.unify(expected: expected, actual: actual)
    if let failure { mismatch(expr, span, actual: actual, expected: expected, failure: failure, reason: reason) }
    solveReady()
    return failure == nil
  }

  func mismatch(_ expr: ExprID?, _ span: Span, actual: Ty, expected: Ty, failure: TypeFailure, reason: Reason) {
    if case .tooBig = failure.mismatch {
      report(.tooBig(span, name: nil), at: span)
      return
    }
    if case .parameterCount(let expected, let actual) = failure.mismatch, actual < expected, let expr,
      mayLackParameters(expr)
    {
      return
    }
    let (whole, within) = reason.unwrapped
    report(
      .mismatch(
        MismatchFact(
          expr: expr, span: span, expected: show(expected), actual: show(actual), leaf: leaf(failure.mismatch),
          path: failure.path.reversed(), within: within, reason: whole, declaration: expr.flatMap(declaration),
          looksVarying: expr.map(looksVarying) ?? false)),
      at: span)
    noteCause(of: span, differing(failure.mismatch))
  }

  /// The types that a mismatch is about.
  private func differing(_ mismatch: Mismatch) -> [Ty] {
    switch mismatch {
    case .different(let expected, let actual): [expected, actual]
    case .noField(_, let type, _), .infinite(_, let type), .noClass(_, let type), .notAnyType(_, let type): [type]
    case .parameterCount, .tooBig: []
    }
  }

  /// Where a name is declared, if the expression is one.
  func declaration(of expr: ExprID) -> Span? {
    switch names.references[bare(expr).index] {
    case .input(let item), .function(let item): return nameSpan(item)
    case .binder(let pattern): return tree.span(pattern)
    case .none, .reported, .builtin, .constructor: return nil
    }
  }

  /// Demands classes of an expression's type, or reports that it lacks one.
  @discardableResult
  func demand(_ classes: ClassSet, _ expr: ExprID, type: Ty, reason: Reason) -> Bool {
    guard let found = store.require(classes, type) else { return true }
    mismatch(expr, tree.span(expr), actual: type, expected: type, failure: TypeFailure(mismatch: found), reason: reason)
    return false
  }
}
