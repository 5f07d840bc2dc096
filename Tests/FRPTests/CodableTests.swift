// Codable types across the border: structs, enums, wrapped and by themselves; wrong shapes are told when a handle is made.

import FRP
import Testing

private func compiled(_ text: String) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text))
  try #require(!program.hasErrors, "\(program.report)")
  return program
}

private func started(_ program: Program) throws -> Simulation {
  let run = try Simulation(program)
  run.start()
  return run
}

/// Optionals in Optionals are read, as fields, in lists, and by themselves. (Swift writes `.some(nil)` as it writes nil.)
@Suite struct NestedOptionalTests {
  private struct Row: FrpCodable, Equatable {
    var a: Int??
    var b: String???
    var list: [Int??]
    var plain: Int?
  }

  private let none = FrpValue.tagged("None", [])

  private func options(_ depth: Int, _ inner: FrpValue) -> FrpValue {
    depth == 0 ? inner : .tagged("Some", [options(depth - 1, inner)])
  }

  @Test func theyAreRead() throws {
    let program = try compiled(
      """
      alias Row = {
        a: Option<Option<Int>>, b: Option<Option<Option<String>>>, list: List<Option<Option<Int>>>, plain: Option<Int>}
      input row: Behavior<Row> = {a: None, b: None, list: [], plain: None}
      output same = row
      """)
    let same = try program.behavior("same", of: Row.self)
    let run = try started(program)
    #expect(try run.value(of: same) == Row(a: nil, b: nil, list: [], plain: nil))
    let row = try program.behaviorInput("row", of: FrpValue.self)
    let numbers: [Int??] = [.none, .some(.none), 3]
    let texts: [String???] = [.none, .some(.none), .some(.some(.none))]
    for (depth, wanted) in numbers.enumerated() {
      let a = options(depth, depth == 2 ? .integer(3) : none)
      let list = FrpValue.list([a, none, options(2, .integer(4))])
      let b = options(depth, none)
      try run.set(row, to: .record(["a": a, "b": b, "list": list, "plain": options(1, .integer(2))]))
      let value = try run.value(of: same)
      #expect(value.a == wanted && value.list == [wanted, nil, 4] && value.plain == 2)
      #expect(value.b == texts[depth])
    }
  }

  @Test func theyAreReadByThemselves() throws {
    #expect(try Coded<Int??>(frpValue: none).value == .none)
    #expect(try Coded<Int??>(frpValue: options(1, none)).value == .some(.none))
    #expect(try Coded<Int??>(frpValue: options(2, .integer(2))).value == 2)
    #expect(try Coded<Int???>(frpValue: options(2, none)).value == .some(.some(.none)))
    #expect(
      try Coded<[Int??]>(frpValue: .list([options(2, .integer(1)), options(1, none)])).value == [1, .some(.none)])
  }
}

@Suite struct EmbeddingCodableTests {
  private struct Person: Codable, Equatable {
    enum Role: String, Codable { case guest, admin }
    enum Home: Codable, Equatable {
      case city(String)
      case nowhere
    }
    var name: String
    var age: UInt8
    var mail: String?
    var role: Role
    var home: Home
    var tags: [String]
    var scores: [String: Double]
  }

  @Test func codableTypesCross() throws {
    let program = try compiled(
      """
      type Role = Guest | Admin
      type Home = City(String) | Nowhere
      alias Person = {
        name: String, age: Int, mail: Option<String>, role: Role, home: Home, tags: List<String>,
        scores: Map<String, Float>}
      input people: Behavior<List<Person>> = []
      output older = people |> map(p => {...p, age: p.age + 1})
      """)
    let people = try program.behaviorInput("people", of: [Coded<Person>].self)
    let older = try program.behavior("older", of: [Coded<Person>].self)
    let run = try started(program)
    let ada = Person(
      name: "Ada", age: 36, mail: "ada@example.com", role: .admin, home: .city("London"), tags: ["a"],
      scores: ["x": 1.5])
    try run.set(people, to: [Coded(ada)])
    var wanted = ada
    wanted.age = 37
    #expect(try run.value(of: older).map(\.value) == [wanted])
    var old = ada
    old.age = 255
    try run.set(people, to: [Coded(old)])
    #expect(throws: SimulationError.unfit(column: 1, path: "[0].age", message: "expected UInt8, found an Int")) {
      _ = try run.value(of: older)
    }
  }

  private struct Place: FrpCodable, Equatable {
    enum Kind: String, FrpCodable { case town, hill }
    var name: String
    var kind: Kind
    var near: [String]?
  }

  @Test func ownCodableTypesNeedNoWrapper() throws {
    let program = try compiled(
      """
      type Kind = Town | Hill
      input place: Behavior<{name: String, kind: Kind}> = {name: "", kind: Town}
      input kinds: Event<List<Kind>>
      output places = [Some(["x"]), None] |> map(n => {name: place.name, kind: place.kind, near: n})
      output kinds
      """)
    let run = try started(program)
    struct Sent: FrpCodable {
      var name: String
      var kind: Place.Kind
    }
    let places = try program.behavior("places", of: [Place].self)
    try run.set(program.behaviorInput("place", of: Sent.self), to: Sent(name: "a", kind: .hill))
    #expect(try run.value(of: places).map(\.near) == [["x"], nil])
    #expect(try run.value(of: places).first == Place(name: "a", kind: .hill, near: ["x"]))
    let kinds = try program.events("kinds", of: [Place.Kind].self)
    let input = try program.eventInput("kinds", of: [Place.Kind].self)
    let changes = try run.changes { run throws(SimulationError) in try run.send([.town, .hill], to: input) }
    #expect(changes.occurrences(of: kinds).map(\.value) == [[.town, .hill]])
    #expect(throws: BindingFailure.self) { try program.behaviorInput("place", of: Place.Kind.self) }
  }

  private struct Tree: Codable {
    var name: String
    var children: [Tree]
  }
  private struct Wide: Codable {
    var name: String?
    var role: Person.Role
    var later: Int
  }

  @Test func shapesOfCodableTypesAreKnownByExample() {
    #expect(Coded<Tree>.frpType.text == "{children: List<_>, name: String}")
    #expect(Coded<Person>.frpType.text == "{age: Int, mail: Option<String>, name: String, role: _, …}")
    #expect(Coded<[String: [Float]]>.frpType.text == "Map<String, List<Float>>")
    #expect(Coded<[Int?]>.frpType.text == "List<Option<Int>>")
    #expect(Coded<UInt8>.frpType.text == "Int")
    #expect(Coded<Person.Home>.frpType.text == "_")
    #expect(Coded<Wide>.frpType.text == "{name: Option<String>, role: _, …}")
  }

  @Test func wrongShapesOfCodableTypesAreToldBeforeAnythingRuns() throws {
    let program = try compiled(
      """
      input people: Behavior<List<{name: String, age: Float}>> = []
      input trees: Behavior<List<{name: String}>> = []
      input wide: Event<{name: Option<String>, role: Int, later: Int, more: Int}>
      output people
      """)
    func failure<Value: FrpConvertible>(_ name: String, _ type: Value.Type) -> String? {
      let found = Swift.Result { try program.behaviorInput(name, of: type) }
      guard case .failure(let error) = found else { return nil }
      return (error as? BindingFailure)?.message ?? "\(error)"
    }
    #expect(failure("people", Coded<[Person]>.self) == "`people` at [].age is Float, not Int")
    #expect(failure("trees", Coded<[Tree]>.self) == "`trees` at [].children is no such field, not List<_>")
    struct Named: Codable { var name: String }
    #expect(
      failure("people", Coded<[Named]>.self) == "`people` at [].age is Float, and the Swift type has no such field")
    #expect(failure("trees", Coded<[Named]>.self) == nil)
    #expect(throws: Never.self) { try program.behavior("people", of: [Coded<Named>].self) }
  }

  private enum Shape: Codable, Equatable {
    case circle(Double)
    case rect(w: Double, h: Double)
    case dot
  }
  private enum Turned: Codable {
    case circle(Double)
    case rect(h: Double, w: Double)
    case dot
  }
  private enum Wordy: Codable {
    case circle(String)
    case dot
  }
  private enum Level: String, Codable, CaseIterable { case low, high, extreme }
  private enum Positive: Codable {
    case of(Count)
    struct Count: Codable {
      var value: Int
      init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
        if value < 1 {
          throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not positive"))
        }
      }
    }
  }

  @Test func enumsAreAskedBeforeAnythingRuns() throws {
    let program = try compiled(
      """
      type Shape = Circle(Float) | Rect(w: Float, h: Float) | Dot
      type Level = Low | High
      type Positive = Of(Int)
      input shape: Event<Shape>
      input level: Event<{level: Level}>
      input positive: Event<Positive>
      output shape
      output level
      output positive
      """)
    func failure<Handle>(_ bind: () throws -> Handle) -> String? {
      guard case .failure(let error) = Swift.Result(catching: bind) else { return nil }
      return (error as? BindingFailure)?.message ?? "\(error)"
    }
    struct Leveled: Codable { var level: Level }
    #expect(failure { try program.events("shape", of: Coded<Shape>.self) } == nil)
    #expect(failure { try program.eventInput("shape", of: Coded<Shape>.self) } == nil)
    #expect(
      failure { try program.events("shape", of: Coded<Turned>.self) } == "`shape` at .Rect is w, h, not h, w")
    #expect(
      failure { try program.events("shape", of: Coded<Wordy>.self) } == "`shape` at .Circle[0] is a Float, not String")
    #expect(
      failure { try program.events("shape", of: Coded<Level>.self) } == "`shape` is Circle, not a case of Level")
    #expect(
      failure { try program.eventInput("shape", of: Coded<Positive>.self) }
        == "`shape` is Shape, not a type with a case of Positive")
    #expect(failure { try program.events("level", of: Coded<Leveled>.self) } == nil)
    #expect(
      failure { try program.eventInput("level", of: Coded<Leveled>.self) }
        == "`level` at .level is Level, not a type with the case Extreme")
    #expect(
      failure { try program.events("level", of: Coded<Level>.self) } == "`level` is {level: Level}, not Level")
    // What refuses a value may have the right shape.
    #expect(failure { try program.events("positive", of: Coded<Positive>.self) } == nil)
    let run = try started(program)
    let input = try program.eventInput("shape", of: Coded<Shape>.self)
    let output = try program.events("shape", of: Coded<Shape>.self)
    let shapes: [Shape] = [.circle(1), .rect(w: 2, h: 3), .dot]
    let changes = try run.changes { run throws(SimulationError) in
      for shape in shapes { try run.send(Coded(shape), to: input) }
    }
    #expect(changes.occurrences(of: output).map(\.value.value) == shapes)
  }
}
