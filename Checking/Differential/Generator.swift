// Random well-typed programs and traces, from a seed. The same seed gives the same program on every machine.
//
// A program has inputs, functions with and without memory, definitions, and outputs. A definition's name is known to all
// the others: what looks at the past may mention later ones, so that programs are full of recursion through memory.
// Times are few and round, so that inputs and timers meet.

struct MadeFunction {
  /// How a call begins: `f0(`.
  var prefix: String
  var parameters: [Sort]
  var result: Sort
}

package struct Generator {
  var random: Random
  /// How much more may be made of the definition at work.
  var fuel = 0
  /// For fresh names.
  var depth = 0
  var functions: [MadeFunction] = []
  /// Whether it makes the forms of GenerateForms.swift, too.
  var isWide = false
  /// How many scopes may be in one another.
  var deepest: Int { isWide ? 3 : 2 }
  /// The types of this program: few, so that its parts fit one another.
  var pool: [DataSort] = [.int, .int]
  static let types: [DataSort] = [
    .bool, .string, .unit, .option(.int), .list(.int), .pair(.int, .bool), .record, .shape, .float,
    .result(.int, .string),
    .pair(.int, .int), .list(.string), .option(.string), .option(.float), .option(.list(.int)), .list(.option(.int)),
    .list(.pair(.int, .int)), .pair(.list(.int), .list(.int)), .list(.list(.int)), .result(.list(.int), .int),
  ]

  package static func program(seed: UInt64) -> GeneratedProgram {
    var generator = Generator(random: Random(seed: seed))
    return generator.make(seed)
  }

  /// A program with every form of the language.
  package static func wide(seed: UInt64) -> GeneratedProgram {
    var generator = Generator(random: Random(seed: ~seed))
    generator.isWide = true
    return generator.make(seed)
  }

  /// A program for any bytes: each is a choice.
  package static func program(choices: [UInt8]) -> GeneratedProgram {
    var generator = Generator(random: Random(choices: choices))
    return generator.make(0)
  }

  private init(random: Random) { self.random = random }

  private mutating func make(_ seed: UInt64) -> GeneratedProgram {
    pool += [random.pick(Self.types), random.pick(Self.types)]
    if random.oneIn(4) { pool.append(random.pick(Self.types)) }
    var names = Names()
    var header = ["type Shape = Dot | Num(Int) | Both(x: Int, flag: Bool)"]
    if isWide { header += Self.prelude }
    var inputs: [(name: String, type: DataSort)] = []
    for index in 0..<random.within(1...3) {
      let type = index == 0 ? .int : random.pick(pool)
      inputs.append(("e\(index)", type))
      header.append("input e\(index): Event<\(type.name)>")
      names = names.adding("e\(index)", .event(type))
    }
    for index in 0..<random.within(0...2) {
      let type = random.pick(pool)
      inputs.append(("b\(index)", type))
      header.append("input b\(index): Behavior<\(type.name)> = \(literal(type))")
      names = names.adding("b\(index)", .behavior(type))
    }
    var definitions: [GeneratedProgram.Definition] = []
    for index in 0..<random.within(0...2) { definitions.append(pureFunction("f\(index)")) }
    for index in 0..<random.within(0...1) { definitions.append(functionWithMemory("m\(index)", names)) }
    definitions += values(&names)
    let outputs = chooseOutputs(definitions)
    if random.oneIn(2) { random.shuffle(&definitions) }
    return GeneratedProgram(
      seed: seed, header: header, definitions: definitions, outputs: outputs, trace: trace(inputs))
  }

  private mutating func chooseOutputs(_ definitions: [GeneratedProgram.Definition]) -> [String] {
    var outputs = definitions.flatMap(\.names).map(\.name)
    random.shuffle(&outputs)
    outputs = Array(outputs.prefix(max(1, outputs.count - random.below(3))))
    return outputs
  }

  // MARK: Definitions

  private mutating func values(_ names: inout Names) -> [GeneratedProgram.Definition] {
    var sorts: [Sort] = []
    for _ in 0..<random.within(3...8) {
      var type = random.pick(pool)
      if random.oneIn(10) { type = .map(random.pick([.int, .bool])) }
      sorts.append(random.oneIn(2) ? .event(type) : .behavior(type))
    }
    for (index, sort) in sorts.enumerated() {
      names.bindings.append(Binding(name: "d\(index)", sort: sort, isLater: true))
    }
    var result: [GeneratedProgram.Definition] = []
    for (index, sort) in sorts.enumerated() {
      fuel = random.within(4...18)
      depth = 0
      let name = "d\(index)"
      result.append(definition(name, sort, names))
      if let place = names.bindings.firstIndex(where: { $0.name == name }) { names.bindings[place].isLater = false }
    }
    return result
  }

  private mutating func definition(_ name: String, _ sort: Sort, _ names: Names) -> GeneratedProgram.Definition {
    var annotation = ""
    let body: Term
    switch sort {
    case .event(let type):
      if type.isOpen || random.oneIn(4) { annotation = ": Event<\(type.name)>" }
      body = event(type, names)
      if random.oneIn(10) { return parted(name, type, names) }
    case .behavior(let type):
      if type.isOpen || random.oneIn(4) { annotation = ": Behavior<\(type.name)>" }
      body = random.oneIn(3) ? recursive(name, type, names) : behavior(type, names)
    case .data, .fixed: body = Term(sort, "()")
    }
    return GeneratedProgram.Definition(binder: name, annotation: annotation, body: body, names: [(name, sort)])
  }

  /// `(d0, d0b) = e |> partition(…)`.
  private mutating func parted(_ name: String, _ type: DataSort, _ names: Names) -> GeneratedProgram.Definition {
    let test = data(.bool, names.adding("x", .data(type)).pointwise, .all)
    let body = Term(.fixed, event(type, names), " |> partition(x => ", test, ")")
    return GeneratedProgram.Definition(
      binder: "(\(name), \(name)b)", annotation: "", body: body,
      names: [(name, .event(type)), (name + "b", .event(type))])
  }

  /// `d0 = e |> map(x => … d0 …) |> hold(x0)`: its own past, for sure.
  private mutating func recursive(_ name: String, _ type: DataSort, _ names: Names) -> Term {
    let other = random.pick(pool)
    let inner = names.adding("x", .data(other)).pointwise
    let next = Term(
      .data(type), "(if ", data(.bool, inner, .all), " then ", data(type, inner, .all), " else \(name))")
    return Term(.behavior(type), "(", event(other, names), " |> map(x => ", next, ") |> hold(\(literal(type))))")
  }

  private mutating func pureFunction(_ name: String) -> GeneratedProgram.Definition {
    fuel = random.within(3...8)
    let count = random.within(1...2)
    var names = Names().pointwise
    var parameters: [DataSort] = []
    for index in 0..<count {
      parameters.append(random.pick(pool))
      names = names.adding("p\(index)", .data(parameters[index]))
    }
    let result = random.pick(pool)
    var body = data(result, names, .earlier)
    var list = parameters.enumerated().map { "p\($0.offset): \($0.element.name)" }
    if random.oneIn(4) {
      // Recursion that ends.
      let arguments = parameters.indices.map { "p\($0)" }.joined(separator: ", ")
      body = Term(
        .data(result), "if r <= 0 then ", body, " else \(name)(r - 1, \(arguments))")
      list.insert("r: Int", at: 0)
      functions.append(
        MadeFunction(prefix: "\(name)(2, ", parameters: parameters.map(Sort.data), result: .data(result)))
    } else {
      functions.append(MadeFunction(prefix: "\(name)(", parameters: parameters.map(Sort.data), result: .data(result)))
    }
    return GeneratedProgram.Definition(
      binder: "\(name)(\(list.joined(separator: ", ")))", annotation: ": \(result.name)", body: body, names: [])
  }

  private mutating func functionWithMemory(_ name: String, _ outer: Names) -> GeneratedProgram.Definition {
    fuel = random.within(4...10)
    let (a, b) = (random.pick(pool), random.pick(pool))
    let names = outer.adding("q0", .behavior(a)).adding("q1", .event(b))
    let type = random.pick(pool)
    let isEvent = random.oneIn(2)
    let body = isEvent ? event(type, names) : behavior(type, names)
    let result: Sort = isEvent ? .event(type) : .behavior(type)
    functions.append(MadeFunction(prefix: "\(name)(", parameters: [.behavior(a), .event(b)], result: result))
    return GeneratedProgram.Definition(
      binder: "\(name)(q0: Behavior<\(a.name)>, q1: Event<\(b.name)>)",
      annotation: ": \(isEvent ? "Event" : "Behavior")<\(type.name)>", body: body, names: [])
  }

  // MARK: Traces

  private mutating func trace(
    _ inputs: [(name: String, type: DataSort)]
  ) -> [(milliseconds: Int, values: [String])] {
    var times = (0..<random.within(5...14)).map { _ in random.below(31) * 100 }
    if random.oneIn(3) { times.append(times[0]) }
    times.sort()
    return times.map { time in
      var values: [String] = []
      for input in inputs where random.below(5) < 3 { values.append("\"\(input.name)\": \(json(input.type))") }
      return (time, values)
    }
  }

  private mutating func json(_ type: DataSort) -> String {
    switch type {
    case .unit: return "null"
    case .int, .bool, .float: return literal(type)
    case .string: return literal(.string)
    case .record: return "{\"a\": \(json(.int)), \"b\": \(json(.string))}"
    case .shape:
      return random.pick([
        "\"Dot\"", "{\"Num\": \(json(.int))}", "{\"Both\": {\"x\": \(json(.int)), \"flag\": \(json(.bool))}}",
      ])
    case .option(let a): return random.oneIn(3) ? "null" : json(a)
    case .list(let a): return "[\((0..<random.below(4)).map { _ in json(a) }.joined(separator: ", "))]"
    case .pair(let a, let b): return "[\(json(a)), \(json(b))]"
    case .result(let a, let e):
      return random.oneIn(3) ? "{\"Err\": \(json(e))}" : "{\"Ok\": \(json(a))}"
    case .map(let a): return "[[\(json(.int)), \(json(a))]]"
    case .set(let a): return "[\((0..<random.below(4)).map { _ in json(a) }.joined(separator: ", "))]"
    case .json: return random.pick(["null", "1", "-2.5", "\"a\"", "[true, null]", "{\"a\": 1}"])
    }
  }
}
