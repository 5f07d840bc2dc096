// The form of the one table of built-ins. The checker reads signatures, elaboration reads operations, the
// documentation and completion read the rest. The rows stand in `Builtins*.swift`, one file a subject.

/// What a built-in does, for elaboration.
public enum Operation: Hashable, Sendable {
  /// A pure function of data, computed point by point by the machine.
  case data(Prim)
  /// Makes nodes, or reads the reactive world; elaboration knows each by name.
  case reactive(ReactiveOperator)
}

/// One example of the reference manual; a test runs it.
public struct Example: Sendable {
  public var source: String
  /// What the expression shows, as source.
  public var result: String
  public init(_ source: String, _ result: String) {
    self.source = source
    self.result = result
  }
}

/// One row of the table.
///
/// `signature` is written in the language's own type syntax, with these additions:
/// - a context before `=>`: `Num n, Ord o => (n, o) -> n`. Classes: `Num` (Int, Float), `Ord` (`<`), `Eq` (`==`).
///   `Open` says that what stands in `Behavior<b>` may also be an event, or hold events.
/// - `=` before a parameter's type: it must be plain (known once): `(Event<a>, =a) -> Behavior<a>`.
/// - `Behavior<a>` is `a` to the checker; it tells readers (and elaboration) that the parameter stays alive or that
///   the result varies.
/// - `...` after the last parameter's type: it may be repeated, as in `(Event<a>, Event<a>...) -> Event<a>`.
/// - a signature without `->` is a value: `time` is `Behavior<Float>`.
public struct Builtin: Sendable {
  public var name: String
  /// `List` in `List.map`: the module it can be named by, and, for overloaded names, the type of the first argument
  /// that chooses it (`List`, `Option`, `Result`, `Map`, `String`, `Event`, `Task`; others choose by elimination).
  public var container: String
  /// Whether the bare name works too (`map`), or only `Map.empty`.
  public var isBare: Bool
  public var signature: String
  public var operation: Operation
  /// Parameter names for the manual and completion: `["list", "f"]`.
  public var parameters: [String]
  /// One sentence.
  public var summary: String
  /// The equation of section 2, where there is one.
  public var equation: String?
  public var examples: [Example]

  public init(
    _ name: String, in container: String, isBare: Bool = true, _ signature: String, _ operation: Operation,
    _ parameters: [String], _ summary: String, equation: String? = nil, _ examples: Example...
  ) {
    self.name = name
    self.container = container
    self.isBare = isBare
    self.signature = signature
    self.operation = operation
    self.parameters = parameters
    self.summary = summary
    self.equation = equation
    self.examples = examples
  }
}

/// The whole table, in the order of the manual.
public enum Builtins {
  public static let all: [Builtin] = reactive + data + ofHosts.map(\.row)
  /// What programs can name, and people read about.
  public static let documented: [Builtin] = reactive + data
  /// The rows that only the texts of host modules and the lines of tests (`calls`) can name, by these names.
  public static let namedByHosts: [String: Int] = Dictionary(
    uniqueKeysWithValues: ofHosts.enumerated().map { ($0.element.name, reactive.count + data.count + $0.offset) })
  private static let ofHosts: [(name: String, row: Builtin)] = [
    (
      "hostCall",
      Builtin(
        "host call", in: "Task", isBare: false, "(Int, a) -> b", .data(.hostCall), ["function", "arguments"],
        "What a function of the host gives, or the task that it does.")
    ),
    (
      "standIn",
      Builtin(
        "stand in", in: "Task", isBare: false, "(a, a) -> a", .data(.standIn), ["call", "answer"],
        "A task or source of the host, and what answers it in a test.")
    ),
    (
      "calls",
      Builtin(
        "calls", in: "Task", isBare: false, "(a) -> Event<b>", .reactive(.calls), ["operation"],
        "The arguments of the calls of an operation, in a test.")
    ),
    (
      "bodyValue",
      Builtin(
        "body value", in: "Task", isBare: false, "(String) -> Result<a, Error>", .data(.bodyValue), ["body"],
        "A body as the type that is used: a String is the text, anything else JSON.")
    ),
  ]
  /// The rows of a bare name, in order; more than one is an overload set.
  public static let byBareName: [String: [Int]] = index { $0.isBare ? $0.name : nil }
  /// The rows of `List.map`.
  public static let byQualifiedName: [String: [Int]] = index { "\($0.container).\($0.name)" }

  private static func index(_ key: (Builtin) -> String?) -> [String: [Int]] {
    var result: [String: [Int]] = [:]
    for (row, builtin) in all.enumerated() {
      if let key = key(builtin) { result[key, default: []].append(row) }
    }
    return result
  }
}
