// The syntax tree: flat arrays owned by one `Tree`, with dense ids. All files of a compilation (the main file and
// what it imports) share one tree, so an id names a node across modules. Nothing here is semantic.
//
// A tree is always whole: where the parser found nothing it put `.missing`, and a diagnostic says so.

import FRPBase

public struct ExprID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

public struct PatternID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

public struct TypeExprID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

public struct ItemID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

public struct ModuleID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
  public static let main = ModuleID(0)
}

/// An identifier where it stands.
public struct Name: Hashable, Sendable {
  public var text: String
  public var span: Span
  public init(_ text: String, _ span: Span) {
    self.text = text
    self.span = span
  }
}

public enum BinaryOp: String, Sendable, CaseIterable {
  case or = "||"
  case and = "&&"
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessEqual = "<="
  case greater = ">"
  case greaterEqual = ">="
  case range = ".."
  case append = "++"
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
}

public enum UnaryOp: String, Sendable {
  case negate = "-"
  case not = "!"
}

public enum StringPart: Sendable {
  /// Text with its escapes already replaced.
  case text(String)
  case expr(ExprID)
}

public enum ListElement: Sendable {
  case item(ExprID)
  case spread(ExprID)
}

public struct RecordField: Sendable {
  public var name: Name
  public var value: ExprID
  public init(name: Name, value: ExprID) {
    self.name = name
    self.value = value
  }
}

public struct UpdateField: Sendable {
  /// `address.zip: v` has the path [address, zip]; never empty.
  public var path: [Name]
  public var value: ExprID
  public init(path: [Name], value: ExprID) {
    self.path = path
    self.value = value
  }
}

public struct MatchArm: Sendable {
  public var pattern: PatternID
  public var guardExpr: ExprID?
  public var body: ExprID
  public init(pattern: PatternID, guardExpr: ExprID?, body: ExprID) {
    self.pattern = pattern
    self.guardExpr = guardExpr
    self.body = body
  }
}

public enum Expr: Sendable {
  case missing
  case int(Int)
  case float(Double)
  /// `250ms`, `2s`, `5min`, `1h`; in seconds.
  case duration(Double)
  case bool(Bool)
  case unit
  case string([StringPart])
  /// A lower-case name.
  case name(String)
  /// An upper-case name: a constructor, or `Error`'s like.
  case constructor(String)
  /// `Geometry.area`, `List.map`, `Geometry.Circle`.
  case qualified(module: Name, name: Name)
  case field(ExprID, Name)
  /// `.name` alone: the function that takes that field.
  case fieldFunction(Name)
  /// `(+)`.
  case operatorFunction(BinaryOp)
  case call(ExprID, [ExprID])
  /// `Rect(w: 1.0, h: 2.0)`: a constructor with labelled arguments, as written.
  case callLabelled(ExprID, [(label: Name, value: ExprID)])
  /// `x |> f` and `x |> f(a)`; the right side is kept as written.
  case pipe(ExprID, ExprID)
  case unary(UnaryOp, ExprID)
  /// `operatorSpan` is the place of the operator itself.
  case binary(BinaryOp, ExprID, ExprID, operatorSpan: Span)
  case conditional(ExprID, then: ExprID, otherwise: ExprID)
  case match(ExprID, [MatchArm])
  case lambda([PatternID], ExprID)
  /// Two or more elements.
  case tuple([ExprID])
  case paren(ExprID)
  case list([ListElement])
  case record([RecordField])
  case update(ExprID, [UpdateField])
  /// Local definitions, then the value.
  case block([ItemID], ExprID)
}

public enum RestPattern: Sendable {
  case none
  /// `...` or `...rest`.
  case rest(PatternID?)
}

public enum Pattern: Sendable {
  case missing
  case wildcard
  /// Binds; `PatternID` is the variable's identity in later passes.
  case name(String)
  case int(Int)
  case float(Double)
  case bool(Bool)
  case unit
  case string(String)
  /// `Circle`, `Circle(r)`, `Rect(w: a, h: b)`, `Geometry.Circle(r)`. A label is nil for a positional argument.
  case constructor(module: Name?, name: Name, arguments: [(label: Name?, pattern: PatternID)])
  case tuple([PatternID])
  /// `{x, y: 0}`: `{x}` stands for `{x: x}`.
  case record([(name: Name, pattern: PatternID)])
  /// `[first, ...rest, last]`; `restIndex` is where the rest stands among the elements.
  case list([PatternID], rest: RestPattern, restIndex: Int)
  case alternatives([PatternID])
  /// `p as name`; the binder is a `.name` pattern.
  case alias(PatternID, PatternID)
}

public enum TypeExpr: Sendable {
  case missing
  /// `Int`, `List<a>`, `Geometry.Point`.
  case named(module: Name?, name: Name, arguments: [TypeExprID])
  case variable(Name)
  case unit
  case tuple([TypeExprID])
  case record([(name: Name, type: TypeExprID)])
  case function([TypeExprID], TypeExprID)
}

public struct Parameter: Sendable {
  public var pattern: PatternID
  public var type: TypeExprID?
  public init(pattern: PatternID, type: TypeExprID?) {
    self.pattern = pattern
    self.type = type
  }
}

/// `f(a, b: Int): T = body`, or `pattern: T = body`.
public struct Definition: Sendable {
  public enum Binder: Sendable {
    case function(Name, [Parameter])
    case value(PatternID)
  }
  public var binder: Binder
  /// The type of the value, or of the function's result.
  public var type: TypeExprID?
  public var body: ExprID
  public var isOutput: Bool
  /// `output y = body to sink`.
  public var sink: ExprID?
  public init(binder: Binder, type: TypeExprID?, body: ExprID, isOutput: Bool, sink: ExprID? = nil) {
    self.binder = binder
    self.type = type
    self.body = body
    self.isOutput = isOutput
    self.sink = sink
  }
}

public struct ConstructorDeclaration: Sendable {
  public var name: Name
  /// All labelled or none.
  public var fields: [(label: Name?, type: TypeExprID)]
  public init(name: Name, fields: [(label: Name?, type: TypeExprID)]) {
    self.name = name
    self.fields = fields
  }
}

/// One line of a `test` block (section 10 of the language). A marble text is kept as written.
public enum TestStep: Sendable {
  /// `given clicks = "--x-x" every 100ms [with {x: 3}]`; `every` and `with` may be absent; without `every` the
  /// expression is a plain value for a behavior input.
  case given(input: Name, value: ExprID, every: ExprID?, with: [RecordField], span: Span)
  /// `given Http.get(url) = task`, `given Ws.messages(url) = "-a" every 1s with {a: 1}`: what answers the calls of an operation
  /// of the host.
  case answer(ExprID, parameters: [PatternID], value: ExprID, every: ExprID?, with: [RecordField], span: Span)
  /// `expect count at 450ms == 2`, or with `±` and a tolerance.
  case expectAt(ExprID, at: ExprID, equals: ExprID, within: ExprID?, span: Span)
  /// `expect doubled == "--A-B" every 100ms with {A: 2}`.
  case expectMarbles(ExprID, marbles: ExprID, every: ExprID, with: [RecordField], span: Span)
}

public enum Item: Sendable {
  case definition(Definition)
  /// `input name: Event<T>`, `input name: Behavior<T> = start`, each with `from source` or without.
  case input(Name, TypeExprID, start: ExprID?, source: ExprID?)
  /// `output a, b` that names definitions made elsewhere.
  case output([Name])
  case type(Name, parameters: [Name], [ConstructorDeclaration])
  case alias(Name, parameters: [Name], TypeExprID)
  case importModule(Name)
  case test(name: String, [TestStep])
}

/// A node's source neighbourhood that no meaning depends on; the printer needs it.
public struct Comment: Sendable {
  /// With its slashes, without the line break.
  public var text: String
  public var span: Span
  /// Whether it stands on a line of its own.
  public var ownsLine: Bool
  /// Blank lines before it.
  public var blankLinesBefore: Int
  public init(text: String, span: Span, ownsLine: Bool, blankLinesBefore: Int) {
    self.text = text
    self.span = span
    self.ownsLine = ownsLine
    self.blankLinesBefore = blankLinesBefore
  }
}

/// One parsed file.
public struct Module: Sendable {
  /// `Geometry` for `Geometry.frp`; the main file's own base name.
  public var name: String
  public var file: FileID
  public var items: [ItemID]
  public var comments: [Comment]
  /// Whether a host declares it: it is seen everywhere without import, and its functions are the host's.
  public var isHost = false
  public init(name: String, file: FileID, items: [ItemID], comments: [Comment]) {
    self.name = name
    self.file = file
    self.items = items
    self.comments = comments
  }
}

/// All syntax of a compilation.
public struct Tree: Sendable {
  public var exprs: [Expr] = []
  public var exprSpans: [Span] = []
  public var patterns: [Pattern] = []
  public var patternSpans: [Span] = []
  public var typeExprs: [TypeExpr] = []
  public var typeExprSpans: [Span] = []
  public var items: [Item] = []
  public var itemSpans: [Span] = []
  /// The text of the `///` lines before an item, joined by line breaks, without the slashes.
  public var itemDocs: [ItemID: String] = [:]
  public var modules: [Module] = []

  public init() {}

  public subscript(id: ExprID) -> Expr { exprs[id.index] }
  public subscript(id: PatternID) -> Pattern { patterns[id.index] }
  public subscript(id: TypeExprID) -> TypeExpr { typeExprs[id.index] }
  public subscript(id: ItemID) -> Item { items[id.index] }

  public func span(_ id: ExprID) -> Span { exprSpans[id.index] }
  public func span(_ id: PatternID) -> Span { patternSpans[id.index] }
  public func span(_ id: TypeExprID) -> Span { typeExprSpans[id.index] }
  public func span(_ id: ItemID) -> Span { itemSpans[id.index] }

  public mutating func add(_ expr: Expr, _ span: Span) -> ExprID {
    exprs.append(expr)
    exprSpans.append(span)
    return ExprID(exprs.count - 1)
  }

  public mutating func add(_ pattern: Pattern, _ span: Span) -> PatternID {
    patterns.append(pattern)
    patternSpans.append(span)
    return PatternID(patterns.count - 1)
  }

  public mutating func add(_ type: TypeExpr, _ span: Span) -> TypeExprID {
    typeExprs.append(type)
    typeExprSpans.append(span)
    return TypeExprID(typeExprs.count - 1)
  }

  public mutating func add(_ item: Item, _ span: Span) -> ItemID {
    items.append(item)
    itemSpans.append(span)
    return ItemID(items.count - 1)
  }
}
