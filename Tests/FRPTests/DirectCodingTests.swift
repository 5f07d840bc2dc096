// Codable types that go straight to the heap and back: the same values as by way of `FrpValue`, and the same errors.

import FRP
import FRPBase
import FRPRuntime
import Testing

@Suite struct DirectCodingTests {
  private static let text = """
    type Kind = Town | Hill(Int)
    alias Inner = {flag: Bool, label: String}
    alias Record = {
      id: Int, name: String, x: Float, ok: Bool, inner: Inner, more: Option<Inner>, note: Option<String>, list: List<Int>,
      inners: List<Inner>, gaps: List<Option<Int>>, grid: List<List<Float>>, kind: Kind, scores: Map<String, Int>,
      small: Int, pair: (Int, String)}
    input r: Event<Record>
    output last = r |> map(Some) |> hold(None)
    output shown = r

    """

  struct Inner: Codable, Equatable, Sendable {
    var flag = true
    var label = "a label that is longer than fifteen bytes"
  }

  enum Kind: Codable, Equatable, Sendable {
    case town
    case hill(Int)
  }

  struct Pair: Codable, Equatable, Sendable {
    var number = 7
    var text = "seven"
    init() {}
    init(from decoder: any Decoder) throws {
      var items = try decoder.unkeyedContainer()
      number = try items.decode(Int.self)
      text = try items.decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var items = encoder.unkeyedContainer()
      try items.encode(number)
      try items.encode(text)
    }
  }

  struct Record: Codable, Equatable, Sendable {
    var id = 3
    var name = "engine room"
    var x = 1.5
    var ok = true
    var inner = Inner()
    var more: Inner? = Inner(flag: false, label: "")
    var note: String? = nil
    var list = [3, 1, 2]
    var inners = [Inner(), Inner(flag: false, label: "b")]
    var gaps: [Int?] = [1, nil, 3]
    var grid = [[1.0, 2.0], [], [0.5]]
    var kind = Kind.hill(5)
    var scores = ["a": 1, "b": 2]
    var small: Int8 = -8
    var pair = Pair()
  }

  private func started(_ text: String = text) throws -> Simulation {
    let program = Program(Source(name: "coding.frp", text: text))
    try #require(!program.hasErrors, "\(program.report)")
    let run = try Simulation(program)
    run.start()
    return run
  }

  /// What is sent as it is arrives as what is sent by way of `FrpValue`, and is read back in both ways.
  private func agree<Value: Codable & Sendable & Equatable>(_ value: Value, _ run: Simulation, readsBack: Bool = true)
    throws
  {
    let program = run.program
    try run.send(Coded(value), to: try program.eventInput("r", of: Coded<Value>.self))
    let direct = try run.value(of: "last")
    try run.send(Coded(value).frpValue, to: try program.eventInput("r", of: FrpValue.self))
    #expect(direct == (try run.value(of: "last")))
    guard readsBack else { return }
    let last = try program.behavior("last", of: Coded<Value>?.self)
    #expect(try run.value(of: last)?.value == value)
    var seen: Value?
    let observation = run.observe(try program.events("shown", of: Coded<Value>.self)) { seen = $0.value.value }
    try run.send(Coded(value), to: try program.eventInput("r", of: Coded<Value>.self))
    observation.cancel()
    #expect(seen == value)
  }

  @Test func recordsOfEverythingCross() throws {
    let run = try started()
    try agree(Record(), run)
    var other = Record()
    other.more = nil
    other.note = "ä\n\"\u{1F600}"
    other.list = []
    other.inners = []
    other.kind = .town
    for _ in 0..<100 { try agree(other, run) }
  }

  /// Asks for its fields backwards, and for some of them twice.
  private struct Backwards: Codable, Equatable, Sendable {
    var a = 1
    var b = "b"
    var c = 2.5
    enum Keys: String, CodingKey { case a, b, c }
    init() {}
    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      c = try fields.decode(Double.self, forKey: .c)
      guard fields.contains(.b) else { throw FrpError("no b") }
      b = try fields.decode(String.self, forKey: .b)
      // What fails is asked for otherwise.
      _ = try? fields.decode(String.self, forKey: .a)
      a = try fields.decode(Int.self, forKey: .a)
    }
    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: Keys.self)
      try fields.encode(0.0, forKey: .c)
      try fields.encode(b, forKey: .b)
      try fields.encode(a, forKey: .a)
      try fields.encode(c, forKey: .c)
    }
  }

  /// Asks for everything that only the way over `FrpValue` has.
  private struct Roundabout: Codable, Equatable, Sendable {
    var a = 1
    var b = "b"
    var c = 2.5
    enum Keys: String, CodingKey { case a, b, c }
    enum Way: Int, CodingKey, CaseIterable, Codable { case twice, wrapped, kept }
    nonisolated(unsafe) static var way = Way.twice
    init() {}
    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Keys.self)
      a = try Int(from: fields.superDecoder(forKey: .a))
      b = try fields.superDecoder(forKey: .b).singleValueContainer().decode(String.self)
      c = try fields.decode(Double.self, forKey: .c)
    }
    func encode(to encoder: any Encoder) throws {
      switch Self.way {
      case .twice:
        var first = encoder.container(keyedBy: Keys.self)
        try first.encode(a, forKey: .a)
        var second = encoder.container(keyedBy: Keys.self)
        try second.encode(b, forKey: .b)
        try second.encode(c, forKey: .c)
      case .wrapped:
        var single = encoder.singleValueContainer()
        try single.encode(Backwards())
      case .kept:
        var fields = encoder.container(keyedBy: Keys.self)
        try a.encode(to: fields.superEncoder(forKey: .a))
        if !encoder.codingPath.isEmpty { throw FrpError("at \(encoder.codingPath)") }
        try fields.encode(b, forKey: .b)
        try? fields.encode(Refusing(), forKey: .c)
        try fields.encode(c, forKey: .c)
      }
    }
  }

  private struct Refusing: Encodable {
    func encode(to encoder: any Encoder) throws { throw FrpError("no") }
  }

  @Test func anyOrderAndAnyContainerWill() throws {
    let run = try started(
      """
      input r: Event<{a: Int, b: String, c: Float}>
      output last = r |> map(Some) |> hold(None)
      output shown = r

      """)
    try agree(Backwards(), run)
    for way in Roundabout.Way.allCases {
      Roundabout.way = way
      for _ in 0..<10 { try agree(Roundabout(), run) }
    }
  }

  private struct Loose: FrpCodable, Equatable {
    var a: Int
    var b: Double
    var inner: [DirectCodingTests.Inner]
  }

  @Test func whatDoesNotFitIsToldWithItsPath() throws {
    let run = try started(
      """
      input r: Event<{a: Int, b: Float, inner: List<{flag: Bool, label: String}>}>
      output last = r |> hold({a: 1, b: 2.0, inner: []})
      """)
    let input = try run.program.eventInput("r", of: Loose.self)
    for _ in 0..<40 {
      #expect(throws: SimulationError.unfit(column: 1, path: ".b", message: "expected Float, found nan")) {
        try run.send(Loose(a: 1, b: .nan, inner: [Inner()]), to: input)
      }
    }
    try run.send(Loose(a: 2, b: 3, inner: [Inner()]), to: input)
    #expect(try run.value(of: try run.program.behavior("last", of: Loose.self)) == Loose(a: 2, b: 3, inner: [Inner()]))
    // What refuses a value when it is read says where.
    struct Narrow: FrpCodable {
      var a: UInt8
      var inner: [Inner]
    }
    let narrow = try run.program.behavior("last", of: Narrow.self)
    try run.send(Loose(a: 300, b: 3, inner: []), to: input)
    #expect(throws: SimulationError.unfit(column: 1, path: ".a", message: "expected UInt8, found an Int")) {
      _ = try run.value(of: narrow)
    }
  }

  /// Runs the simulation that it is on its way to, so that the heap is collected in between.
  private struct Meddling: FrpCodable {
    nonisolated(unsafe) static var meddle: (() -> Void)?
    var a = "the first text, which is long"
    var b = "the second text, which is long, too"
    enum CodingKeys: String, CodingKey { case a, b }
    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(a, forKey: .a)
      Self.meddle?()
      try fields.encode(b, forKey: .b)
    }
  }

  @Test func whoRunsTheSimulationMeanwhileDestroysNothing() throws {
    let run = try started(
      """
      input r: Event<{a: String, b: String}>
      input n: Event<Int>
      output last = r |> hold({a: "", b: ""})
      output junk = n |> map(i => 1..i |> map(j => "number {j}") |> size)
      """)
    let input = try run.program.eventInput("r", of: Meddling.self)
    let n = try run.program.eventInput("n", of: Int.self)
    Meddling.meddle = {
      Meddling.meddle = nil
      for _ in 0..<20 { try? run.send(2000, to: n) }
      try? run.send(Meddling(a: "another", b: "one"), to: input)
      run.reactor.collect()
    }
    try run.send(Meddling(), to: input)
    #expect(
      try run.value(of: "last") == #"{"a":"the first text, which is long","b":"the second text, which is long, too"}"#)
  }
}
