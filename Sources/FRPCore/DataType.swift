// Monomorphic types of checked programs: interned, so equal types have equal ids. Generic types and inference live in
// FRPSema; after elaboration every type is one of these, and it alone decides what a machine word holds.

import FRPBase

/// A monomorphic type, by its place in the program's `TypeTable`.
public struct TypeID: Hashable, Sendable, Comparable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
  public static func < (a: TypeID, b: TypeID) -> Bool { a.raw < b.raw }

  // The types every table starts with.
  public static let unit = TypeID(0)
  public static let bool = TypeID(1)
  public static let int = TypeID(2)
  public static let float = TypeID(3)
  public static let string = TypeID(4)
}

public struct FieldType: Hashable, Sendable {
  public var name: String
  public var type: TypeID
  public init(_ name: String, _ type: TypeID) {
    self.name = name
    self.type = type
  }
}

/// A type with variants: the built-in ones first, then the program's own.
public struct NominalID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }

  /// `Option<a> = None | Some(a)`: None has tag 0, so that None < Some(x).
  public static let option = NominalID(0)
  /// `Result<a, e> = Ok(a) | Err(e)`.
  public static let result = NominalID(1)
  /// `Policy = Latest | All | Queue | Ignore | Limit(Int)`.
  public static let policy = NominalID(2)
  /// `Json = Null | Bool(Bool) | Int(Int) | Float(Float) | String(String) | List(List<Json>) | Object(Map<String, Json>)`:
  /// in JSON it is what it holds.
  public static let json = NominalID(3)
  /// `Set<a>`: kept as a map from its elements to `()`, without constructors.
  public static let set = NominalID(4)
  /// `Source<a>`: only the checker's name for it; its type in the core is `.source`.
  public static let source = NominalID(5)
  /// `Link = Idle | Opening | Open | Retrying(String)`: how a source stands that is listened to.
  public static let link = NominalID(6)
  /// `Secret`: a text that is not shown.
  public static let secret = NominalID(7)
  /// The first that a program declares.
  public static let firstDeclared = 8
}

public enum DataType: Hashable, Sendable {
  case unit
  case bool
  case int
  case float
  case string
  case list(TypeID)
  case map(TypeID, TypeID)
  /// Two or more elements.
  case tuple([TypeID])
  /// Fields in alphabetical order, which is also their order in memory; `{}` has none.
  case record([FieldType])
  case variant(NominalID, [TypeID])
  case function([TypeID], TypeID)
  case event(TypeID)
  case task(TypeID)
  /// What brings many values, and is a task otherwise.
  case source(TypeID)
}

/// One constructor of a variant type at given type arguments; its index is its tag.
public struct Constructor: Hashable, Sendable {
  public var name: String
  /// nil for positional fields; as many as `fields` otherwise.
  public var labels: [String]?
  public var fields: [TypeID]
  public init(name: String, labels: [String]?, fields: [TypeID]) {
    self.name = name
    self.labels = labels
    self.fields = fields
  }
}

/// The constructors of `Json`, by tag.
public enum JsonCase: Int, Sendable, CaseIterable {
  case null, bool, int, float, string, list, object

  /// As programs write them.
  public static let names = [
    "Json.Null", "Json.Bool", "Json.Int", "Json.Float", "Json.String", "Json.List", "Json.Object",
  ]
}

/// The constructors of `Policy`, by tag.
public enum PolicyCase: Int, Sendable, CaseIterable {
  case latest, all, queue, ignore, limit
  /// One at a time, and of what waits the newest only: how sinks of behaviors are performed. Programs cannot name it.
  case newest

  public static let names = ["Latest", "All", "Queue", "Ignore", "Limit", "(newest)"]
}

/// The constructors of `Link`, by tag.
public enum LinkCase: Int, Sendable, CaseIterable {
  case idle, opening, open, retrying

  public static let names = ["Idle", "Opening", "Open", "Retrying"]
}

/// All monomorphic types of a program.
public struct TypeTable: Sendable {
  public private(set) var types: [DataType] = []
  private var ids: [DataType: TypeID] = [:]
  /// By `TypeID`: known once for all, since parts are shared and a type may be exponential in what is written.
  private var areEventful: [Bool] = []
  /// The constructors of each `.variant` type, in order of declaration (= tag order).
  public private(set) var constructors: [TypeID: [Constructor]] = [:]
  /// Names of nominal types, by `NominalID`.
  public var nominalNames: [String] = ["Option", "Result", "Policy", "Json", "Set", "Source", "Link", "Secret"]

  public init() {
    for type: DataType in [.unit, .bool, .int, .float, .string] { _ = intern(type) }
  }

  public subscript(id: TypeID) -> DataType { types[id.index] }

  /// The id of a type, made on first sight. Cost: O(1) expected. Constructors of a new variant type must be set with
  /// `setConstructors`; the built-in variants set theirs themselves.
  public mutating func intern(_ type: DataType) -> TypeID {
    if let id = ids[type] { return id }
    let id = TypeID(types.count)
    types.append(type)
    areEventful.append(isEventful(type))
    ids[type] = id
    switch type {
    case .variant(.option, let arguments):
      constructors[id] = [
        Constructor(name: "None", labels: nil, fields: []),
        Constructor(name: "Some", labels: nil, fields: arguments),
      ]
    case .variant(.result, let arguments):
      constructors[id] = [
        Constructor(name: "Ok", labels: nil, fields: [arguments[0]]),
        Constructor(name: "Err", labels: nil, fields: [arguments[1]]),
      ]
    case .variant(.policy, _):
      constructors[id] = PolicyCase.names.map {
        Constructor(name: $0, labels: nil, fields: $0 == "Limit" ? [.int] : [])
      }
    case .variant(.link, _):
      constructors[id] = LinkCase.names.map {
        Constructor(name: $0, labels: nil, fields: $0 == "Retrying" ? [.string] : [])
      }
    case .variant(.json, _):
      constructors[id] = []
      let fields: [TypeID?] = [nil, .bool, .int, .float, .string, list(id), intern(.map(.string, id))]
      constructors[id] = zip(JsonCase.names, fields).map {
        Constructor(name: $0, labels: nil, fields: $1.map { [$0] } ?? [])
      }
    case .variant(.secret, _): constructors[id] = []
    case .variant(.set, let arguments):
      constructors[id] = []
      _ = intern(.map(arguments[0], .unit))
    default: break
    }
    return id
  }

  public mutating func setConstructors(_ list: [Constructor], of type: TypeID) {
    constructors[type] = list
  }

  public mutating func list(_ element: TypeID) -> TypeID { intern(.list(element)) }
  public mutating func event(_ element: TypeID) -> TypeID { intern(.event(element)) }
  public mutating func option(_ element: TypeID) -> TypeID { intern(.variant(.option, [element])) }
  public mutating func set(_ element: TypeID) -> TypeID { intern(.variant(.set, [element])) }
  public mutating func json() -> TypeID { intern(.variant(.json, [])) }
  /// `Error`, the record `{message: String}`.
  public mutating func error() -> TypeID { intern(.record([FieldType("message", .string)])) }

  /// Whether values of the type hold events (and so cannot be data). Cost: O(1).
  public func holdsEvents(_ id: TypeID) -> Bool { areEventful[id.index] }

  private func isEventful(_ type: DataType) -> Bool {
    switch type {
    case .event: true
    case .tuple(let all), .variant(_, let all): all.contains(where: holdsEvents)
    case .record(let fields): fields.contains { holdsEvents($0.type) }
    case .list(let element), .map(_, let element): holdsEvents(element)
    case .unit, .bool, .int, .float, .string, .function, .task, .source: false
    }
  }

  /// Whether values are texts: of a String, or of a Secret, which is not shown.
  public func isText(_ id: TypeID) -> Bool {
    if case .variant(.secret, _) = self[id] { true } else { id == .string }
  }

  /// The type as a program writes it: `List<{x: Float}>`.
  public func describe(_ id: TypeID) -> String {
    switch self[id] {
    case .unit: return "()"
    case .bool: return "Bool"
    case .int: return "Int"
    case .float: return "Float"
    case .string: return "String"
    case .list(let element): return "List<\(describe(element))>"
    case .map(let key, let value): return "Map<\(describe(key)), \(describe(value))>"
    case .tuple(let elements): return "(\(elements.map(describe).joined(separator: ", ")))"
    case .record(let fields):
      return "{\(fields.map { "\(fieldText($0.name)): \(describe($0.type))" }.joined(separator: ", "))}"
    case .variant(let nominal, let arguments):
      let name = nominalNames[nominal.index]
      return arguments.isEmpty ? name : "\(name)<\(arguments.map(describe).joined(separator: ", "))>"
    case .function(let parameters, let result):
      return "(\(parameters.map(describe).joined(separator: ", "))) -> \(describe(result))"
    case .event(let element): return "Event<\(describe(element))>"
    case .task(let element): return "Task<\(describe(element))>"
    case .source(let element): return "Source<\(describe(element))>"
    }
  }
}

extension TypeTable {
  /// Whether values of a type may have a Float in them. Cost: linear in the type.
  public func holdsFloat(_ type: TypeID) -> Bool {
    var seen: Set<TypeID> = [type]
    var pending = [type]
    while let next = pending.popLast() {
      if case .float = self[next] { return true }
      for part in parts(next) where seen.insert(part).inserted { pending.append(part) }
    }
    return false
  }

  private func parts(_ type: TypeID) -> [TypeID] {
    switch self[type] {
    case .unit, .bool, .int, .float, .string, .function: return []
    case .list(let element), .event(let element), .task(let element), .source(let element): return [element]
    case .map(let key, let value): return [key, value]
    case .tuple(let elements): return elements
    case .record(let fields): return fields.map(\.type)
    case .variant(.set, let arguments): return arguments
    case .variant: return (constructors[type] ?? []).flatMap(\.fields)
    }
  }
}
