// The syntax tree: flat arrays owned by one `Tree`, with dense ids. All files of a compilation (the main file and
// what it imports) share one tree, so an id names a node across modules. Nothing here is semantic.
//
// A tree is always whole: where the parser found nothing it put `.missing`, and a diagnostic says so.

import FRPBase

package struct ExprID: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
  package var index: Int { Int(raw) }
}

package struct PatternID: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
  package var index: Int { Int(raw) }
}

package struct TypeExprID: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
  package var index: Int { Int(raw) }
}

package struct ItemID: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
  package var index: Int { Int(raw) }
}

package struct ModuleID: Hashable, Sendable {
  package var raw: Int32
  package init(_ raw: Int) { self.raw = Int32(raw) }
  package var index: Int { Int(raw) }
  package static let main = ModuleID(0)
}

/// An identifier where it stands.
package struct Name: Hashable, Sendable {
  package var text: String
  package var span: Span
  package init(_ text: String, _ span: Span) {
    self.text = text
    self.span = span
  }
}

package enum BinaryOp: String, Sendable, CaseIterable {
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

package enum UnaryOp: String, Sendable {
  case negate = "-"
  case not = "!"
}

package enum StringPart: Sendable {
  /// Text with its escapes already replaced.
  case text(String)
  case expr(ExprID)
}

package enum ListElement: Sendable {
  case item(ExprID)
  case spread(ExprID)
}

package struct RecordField: Sendable {
  package var name: Name
  package var value: ExprID
  package init(name: Name, value: ExprID) {
    self.name = name
    self.value = value
  }
}

package struct UpdateField: Sendable {
  /// `address.zip: v` has the path [address, zip]; never empty.
  package var path: [Name]
  package var value: ExprID
  package init(path: [Name], value: ExprID) {
    self.path = path
    self.value = value
  }
}

package struct MatchArm: Sendable {
  package var pattern: PatternID
  package var guardExpr: ExprID?
  package var body: ExprID
  package init(pattern: PatternID, guardExpr: ExprID?, body: ExprID) {
    self.pattern = pattern
    self.guardExpr = guardExpr
    self.body = body
  }
}

package enum Expr: Sendable {
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

package enum RestPattern: Sendable {
  case none
  /// `...` or `...rest`.
  case rest(PatternID?)
}

package enum Pattern: Sendable {
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

package enum TypeExpr: Sendable {
  case missing
  /// `Int`, `List<a>`, `Geometry.Point`.
  case named(module: Name?, name: Name, arguments: [TypeExprID])
  case variable(Name)
  case unit
  case tuple([TypeExprID])
  case record([(name: Name, type: TypeExprID)])
  case function([TypeExprID], TypeExprID)
}

package struct Parameter: Sendable {
  package var pattern: PatternID
  package var type: TypeExprID?
  package init(pattern: PatternID, type: TypeExprID?) {
    self.pattern = pattern
    self.type = type
  }
}

/// `f(a, b: Int): T = body`, or `pattern: T = body`.
package struct Definition: Sendable {
  package enum Binder: Sendable {
    case function(Name, [Parameter])
    case value(PatternID)
  }
  package var binder: Binder
  /// The type of the value, or of the function's result.
  package var type: TypeExprID?
  package var body: ExprID
  package var isOutput: Bool
  /// `output y = body to sink`.
  package var sink: ExprID?
  package init(binder: Binder, type: TypeExprID?, body: ExprID, isOutput: Bool, sink: ExprID? = nil) {
    self.binder = binder
    self.type = type
    self.body = body
    self.isOutput = isOutput
    self.sink = sink
  }
}

package struct ConstructorDeclaration: Sendable {
  package var name: Name
  /// All labelled or none.
  package var fields: [(label: Name?, type: TypeExprID)]
  package init(name: Name, fields: [(label: Name?, type: TypeExprID)]) {
    self.name = name
    self.fields = fields
  }
}

/// One line of a `test` block (section 10 of the language). A marble text is kept as written.
package enum TestStep: Sendable {
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

package enum Item: Sendable {
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
package struct Comment: Sendable {
  /// With its slashes, without the line break.
  package var text: String
  package var span: Span
  /// Whether it stands on a line of its own.
  package var ownsLine: Bool
  /// Blank lines before it.
  package var blankLinesBefore: Int
  package init(text: String, span: Span, ownsLine: Bool, blankLinesBefore: Int) {
    self.text = text
    self.span = span
    self.ownsLine = ownsLine
    self.blankLinesBefore = blankLinesBefore
  }
}

/// One parsed file.
package struct Module: Sendable {
  /// `Geometry` for `Geometry.frp`; the main file's own base name.
  package var name: String
  package var file: FileID
  package var items: [ItemID]
  package var comments: [Comment]
  /// Whether a host declares it: it is seen everywhere without import, and its functions are the host's.
  package var isHost = false
  package init(name: String, file: FileID, items: [ItemID], comments: [Comment]) {
    self.name = name
    self.file = file
    self.items = items
    self.comments = comments
  }
}

/// All syntax of a compilation.
package struct Tree: Sendable {
  package var exprs: [Expr] = []
  package var exprSpans: [Span] = []
  package var patterns: [Pattern] = []
  package var patternSpans: [Span] = []
  package var typeExprs: [TypeExpr] = []
  package var typeExprSpans: [Span] = []
  package var items: [Item] = []
  package var itemSpans: [Span] = []
  /// The text of the `///` lines before an item, joined by line breaks, without the slashes.
  package var itemDocs: [ItemID: String] = [:]
  package var modules: [Module] = []

  package init() {}

  package subscript(id: ExprID) -> Expr { exprs[id.index] }
  package subscript(id: PatternID) -> Pattern { patterns[id.index] }
  package subscript(id: TypeExprID) -> TypeExpr { typeExprs[id.index] }
  package subscript(id: ItemID) -> Item { items[id.index] }

  package func span(_ id: ExprID) -> Span { exprSpans[id.index] }
  package func span(_ id: PatternID) -> Span { patternSpans[id.index] }
  package func span(_ id: TypeExprID) -> Span { typeExprSpans[id.index] }
  package func span(_ id: ItemID) -> Span { itemSpans[id.index] }

  package mutating func add(_ expr: Expr, _ span: Span) -> ExprID {
    exprs.append(expr)
    exprSpans.append(span)
    return ExprID(exprs.count - 1)
  }

  package mutating func add(_ pattern: Pattern, _ span: Span) -> PatternID {
    patterns.append(pattern)
    patternSpans.append(span)
    return PatternID(patterns.count - 1)
  }

  package mutating func add(_ type: TypeExpr, _ span: Span) -> TypeExprID {
    typeExprs.append(type)
    typeExprSpans.append(span)
    return TypeExprID(typeExprs.count - 1)
  }

  package mutating func add(_ item: Item, _ span: Span) -> ItemID {
    items.append(item)
    itemSpans.append(span)
    return ItemID(items.count - 1)
  }
}
