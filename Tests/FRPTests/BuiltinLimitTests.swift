// Every built-in that goes through a collection or a text takes steps as it goes: with few steps left it faults soon, not at
// its end. The calls are made from the signatures of the table, so a new row is tested from its first day.

import FRPBase
import FRPCore
import FRPRuntime
import FRPSema
import Testing

@testable import FRP

@Suite struct BuiltinLimitTests {
  /// Elements of collections, Characters of texts.
  private static let count = 100_000
  private static let steps = 300

  /// What is found without going through all of it: O(1), O(log n), or as much as is taken.
  private static let quick: Set<String> = [
    "List.size", "List.isEmpty", "List.head", "List.tail", "List.last", "List.get", "List.take", "List.drop",
    "List.takeLast", "List.dropLast", "Map.get", "Map.getOr", "Map.set", "Map.update", "Map.remove", "Map.contains",
    "Map.size", "Map.isEmpty", "Map.add", "Set.add", "Set.remove", "Set.contains", "Set.size", "Set.isEmpty", "Json.at",
    "String.isEmpty", "String.code", "Random.pick", "Secret.of",
  ]

  /// Rows that need arguments of their own.
  private static let arguments: [String: [(type: String, json: String)?]] = [
    "String.isDigit": [text("1")], "String.isSpace": [text(" ")], "String.trim": [text(" ")],
    "String.trimStart": [text(" ")], "String.trimEnd": [text(" ")],
    "String.startsWith": [text("a"), text("a")], "String.endsWith": [text("a"), text("a")],
    "String.repeat": [("String", "\"ab\"")], "Csv.encode": [list("{x: Int}") { "{\"x\":\($0)}" }],
    "Json.encode": [list("Int") { "\($0)" }], "Json.of": [list("Int") { "\($0)" }],
    "List.takeWhile": [list("Int") { "\($0)" }],
  ]

  private static func text(_ character: String) -> (type: String, json: String) {
    ("String", "\"" + String(repeating: character, count: count) + "\"")
  }

  private static func list(_ type: String, _ element: (Int) -> String) -> (type: String, json: String) {
    ("List<\(type)>", "[" + (0..<count).map(element).joined(separator: ",") + "]")
  }

  /// The type as a program writes it, with Int for variables; nil for what no input has.
  private static func source(_ type: SignatureType) -> String? {
    switch type {
    case .variable, .int: return "Int"
    case .bool: return "Bool"
    case .float: return "Float"
    case .string: return "String"
    case .unit: return "Unit"
    case .list(let element): return source(element).map { "List<\($0)>" }
    case .map(let key, let value):
      guard let key = source(key), let value = source(value) else { return nil }
      return "Map<\(key), \(value)>"
    case .tuple(let all):
      let parts = all.compactMap(source)
      return parts.count == all.count ? "(\(parts.joined(separator: ", ")))" : nil
    case .nominal(.option, let all): return source(all[0]).map { "Option<\($0)>" }
    case .nominal(.set, let all): return source(all[0]).map { "Set<\($0)>" }
    case .nominal(.result, let all):
      guard let value = source(all[0]), let error = source(all[1]) else { return nil }
      return "Result<\(value), \(error)>"
    default: return nil
    }
  }

  /// JSON of element `index`.
  private static func json(_ type: SignatureType, _ index: Int, isLarge: Bool) -> String {
    func all(_ element: (Int) -> String) -> String {
      "[" + (isLarge ? 0..<count : 0..<1).map(element).joined(separator: ",") + "]"
    }
    switch type {
    case .bool: return "true"
    case .float: return "\(index).5"
    case .string: return isLarge ? text("a\u{E4}").json : "\"s\(index)\""
    case .unit: return "null"
    case .list(let element): return all { json(element, $0, isLarge: false) }
    case .nominal(.set, let parts): return all { json(parts[0], $0, isLarge: false) }
    case .map(.string, let value):
      let entries = (isLarge ? 0..<count : 0..<1).map { "\"k\($0)\":\(json(value, $0, isLarge: false))" }
      return "{" + entries.joined(separator: ",") + "}"
    case .map(let key, let value):
      return all { "[\(json(key, $0, isLarge: false)),\(json(value, $0, isLarge: false))]" }
    case .tuple(let parts): return "[" + parts.map { json($0, index, isLarge: false) }.joined(separator: ",") + "]"
    case .nominal(.option, let parts): return json(parts[0], index, isLarge: false)
    case .nominal(.result, let parts): return "{\"Ok\":\(json(parts[0], index, isLarge: false))}"
    default: return "\(index)"
    }
  }

  /// A small value, for what functions give.
  private static func value(_ type: SignatureType) -> String {
    switch type {
    case .bool: "true"
    case .float: "1.0"
    case .string: "\"s\""
    case .list(let element): "[\(value(element))]"
    case .tuple(let all): "(\(all.map(value).joined(separator: ", ")))"
    case .nominal(.option, let all): "Some(\(value(all[0])))"
    case .nominal(.result, let all): "Ok(\(value(all[0])))"
    case .nominal(.json, _): "Json.Null"
    case .record(let fields, _): "{\(fields.map { "\($0.name): \(value($0.type))" }.joined(separator: ", "))}"
    default: "1"
    }
  }

  private struct Call {
    var text: String
    /// Fields of what is sent.
    var fields: [(type: String, json: String)] = []
    var isLarge = false
  }

  /// A call of a row whose collections, and the first of its texts, are large; nil where it takes none.
  private static func call(_ row: Int) -> Call? {
    let builtin = Builtins.all[row]
    let name = "\(builtin.container).\(builtin.name)"
    guard case .data(let prim) = builtin.operation, !["Task", "Source"].contains(builtin.container),
      prim != .jsonDecode,
      prim != .csvDecode, prim != .jsonAs,
      let parameters = Signature.all[row].parameters
    else { return nil }
    var call = Call(text: "")
    func field(_ type: String, _ json: String) -> String {
      call.fields.append((type, json))
      return "q.a\(call.fields.count - 1)"
    }
    var arguments: [String] = []
    for (place, parameter) in parameters.enumerated() {
      if let own = Self.arguments[name], place < own.count, let given = own[place] {
        call.isLarge = true
        arguments.append(field(given.type, given.json))
        continue
      }
      switch parameter.type {
      case .function(let taken, let result):
        let names = taken.indices.map { "x\($0)" }
        let isSearch = ["any", "find", "findIndex"].contains(builtin.name)
        arguments.append("(\(names.joined(separator: ", "))) => \(isSearch ? "false" : value(result))")
      case .list, .map, .nominal(.set, _):
        guard let type = source(parameter.type) else { return nil }
        call.isLarge = true
        arguments.append(field(type, json(parameter.type, 0, isLarge: true)))
      case .string where place == 0:
        call.isLarge = true
        arguments.append(field("String", json(.string, 0, isLarge: true)))
      case .string: arguments.append(builtin.name == "matches" ? "\".*\"" : "\"zz\"")
      case .variable: arguments.append("-1")
      case .int:
        let parameter = builtin.parameters[place]
        let isAmount = ["count", "width", "last"].contains(parameter)
        if isAmount { call.isLarge = true }
        arguments.append(
          parameter == "low" || parameter == "size"
            ? "1" : parameter == "base" ? "10" : isAmount ? "\(count)" : "\(count / 2)")
      default: arguments.append(value(parameter.type))
      }
    }
    call.text = "\(name)(\(arguments.joined(separator: ", ")))"
    return call.isLarge ? call : nil
  }

  @Test(arguments: Builtins.all.indices.filter { Self.call($0) != nil })
  func whatGoesThroughMuchTakesStepsAsItGoes(row: Int) throws {
    let call = try #require(Self.call(row))
    let name = "\(Builtins.all[row].container).\(Builtins.all[row].name)"
    let types = call.fields.enumerated().map { "a\($0): \($1.type)" } + ["unit: Int"]
    let values = call.fields.enumerated().map { "\"a\($0)\":\($1.json)" } + ["\"unit\":1"]
    let program = Program(
      Source(
        name: "a.frp",
        text: "input p: Event<{\(types.joined(separator: ", "))}>\noutput y = p |> map(q => \(call.text))\n"))
    guard !program.hasErrors else {
      Issue.record("\(call.text): \(program.diagnostics.map(\.title))")
      return
    }
    var limits = Limits()
    limits.stepsPerInstant = Self.steps
    let simulation = try Simulation(program, limits: limits)
    simulation.start()
    try? simulation.send("{\(values.joined(separator: ","))}", to: "p")
    let left = simulation.reactor.machine.stepsLeft
    let isStopped = simulation.faults.first?.title.contains("step limit") ?? false
    #expect(isStopped != Self.quick.contains(name), "\(name): \(simulation.faults.first?.title ?? "no fault")")
    // Who calls a function for each element takes the steps of the elements at once, but stops at the first call.
    if !call.text.contains("=>") { #expect(left > -Self.count / 5, "\(name) took \(-left) steps at once") }
  }

  @Test(arguments: [
    "1..100000000 |> size", "size({ l = 1..3000000; l ++ l ++ l ++ l ++ l ++ l ++ l ++ l ++ l ++ l ++ l })",
    "size(sort(Random.ints(1, 3000000, 1, 1000000)))", "size(Json.encode(List.repeat(1, 5000000)))",
    "size(String.repeat(\"\u{E4} \", 30000000))",
  ])
  func aLimitOfTimeIsKept(expression: String) throws {
    var limits = Limits()
    limits.stepsPerInstant = .max / 4
    // A tenth of what the quickest of these takes on a fast machine.
    limits.secondsPerInstant = 0.01
    let program = Program(Source(name: "a.frp", text: "output y = \(expression)\n"))
    let simulation = try Simulation(program, limits: limits)
    let taken = ContinuousClock().measure { simulation.start() }
    #expect(simulation.faults.first?.title.contains("more time") == true, "\(simulation.faults)")
    // Far more than it should be: other tests run beside this one.
    #expect(taken < .seconds(1), "\(taken)")
  }

  // MARK: Comparisons

  /// Whatever compares, orders or hashes two values that are equal and share nothing: operators, built-ins, keys, and the
  /// engine itself. `p` gives both at once, as lists `a` and `b` and as texts `t` and `u`.
  static let comparisons = [
    "p |> map(q => q.a == q.b)", "p |> map(q => q.a != q.b)", "p |> map(q => q.a < q.b)",
    "p |> map(q => q.a >= q.b)", "p |> map(q => compare(q.a, q.b))", "p |> map(q => max(q.a, q.b))",
    "p |> map(q => List.contains([q.a], q.b))", "p |> map(q => distinct([q.a, q.b]))",
    "p |> map(q => sort([q.a, q.b]))", "p |> map(q => Map.fromList([(q.a, 1)]) |> Map.get(q.b))",
    "p |> map(q => Map.fromList([(q.a, 1), (q.b, 2)]))", "p |> map(q => (q.a, 1) == (q.b, 1))",
    "p |> map(q => Some([q.a]) == Some([q.b]))", "p |> map(q => countBy([q.a, q.b], x => x))",
    "p |> map(q => q.t == q.u)", "p |> map(q => if q.t == q.u then 1 else 2)", "p |> map(q => compare(q.t, q.u))",
    "p |> map(q => q.t ++ q.u)", "p |> map(q => [q.t] == [q.u])", "p |> map(q => distinct([q.t, q.u]))",
    "p |> map(q => [q.a, q.b]) |> spill |> distinct |> count",
    "changes(p |> map(q => q.b) |> hold([1])) |> count",
    "p |> map(q => [q.a, q.b]) |> spill |> keyed(x => x, (k, es) => es |> map(_ => 1)) |> count",
    "size(p |> map(q => [q.t, q.u]) |> spill |> groupBy(x => x, (k, es) => es |> count))",
    "p |> map(q => q.a) |> fold([1], (old, new) => new)", "p |> map(q => q.t) |> hold(\"\")",
    "p |> map(q => Map.fromList([(1, q.a)]) == Map.fromList([(1, q.b)]))",
  ]

  private static let both: String = {
    let numbers = list("Int") { "\($0)" }.json
    let text = "\"" + String(repeating: "ab", count: 2_000_000) + "\""
    return "{\"a\":\(numbers),\"b\":\(numbers),\"t\":\(text),\"u\":\(text)}"
  }()

  @Test(arguments: comparisons)
  func comparisonsTakeStepsAsTheyGo(text: String) throws {
    let program = Program(
      Source(
        name: "a.frp",
        text: "input p: Event<{a: List<Int>, b: List<Int>, t: String, u: String}>\noutput y = \(text)\n"))
    #expect(!program.hasErrors, "\(text): \(program.diagnostics.map(\.title))")
    var limits = Limits()
    limits.stepsPerInstant = Self.steps
    let simulation = try Simulation(program, limits: limits)
    simulation.start()
    try? simulation.send(Self.both, to: "p")
    try? simulation.send(Self.both, to: "p")
    #expect(simulation.faults.contains { $0.title.contains("step limit") }, "\(simulation.faults.map(\.title))")
    // What was given up is not kept: without the limit it is what it is.
    let free = try Simulation(program)
    free.start()
    try free.send(Self.both, to: "p")
    try free.send(Self.both, to: "p")
    #expect(free.faults.isEmpty)
  }

  /// What is borrowed beside the heap counts: the list is 8 MB, what sorts it 32 MB.
  @Test func whatSortsCountsAgainstTheLimitOfMemory() throws {
    for (megabytes, fits) in [(30, false), (70, true)] {
      var limits = Limits()
      limits.heapBytes = megabytes << 20
      let program = Program(Source(name: "a.frp", text: "output y = size(sort(1..1000000))\n"))
      let simulation = try Simulation(program, limits: limits)
      simulation.start()
      #expect(simulation.faults.isEmpty == fits, "\(megabytes) MB: \(simulation.faults.map(\.title))")
      #expect(simulation.reactor.heap.limitBytes == limits.heapBytes)
    }
  }
}
