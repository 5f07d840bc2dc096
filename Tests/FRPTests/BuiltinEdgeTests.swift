// Every data function is called with the edges of what its parameters' types hold. It must give a value or a fault, and
// must give it soon; what the values are is tested elsewhere.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Glibc
import Testing

@testable import FRP

/// Source text of values of a type, written as in signatures with all variables Int.
struct EdgeValues {
  static let pools: [String: [String]] = [
    "Int": [
      "0", "1", "-1", "2", "3", "63", "64", "65", "9223372036854775807", "-9223372036854775807 - 1", "1000000000",
    ],
    "Float": ["0.0", "-0.0", "1.0", "-1.5", "0.1", "1.0e308", "-1.0e308", "5.0e-324", "9.3e18", "1.0e-300", "710.0"],
    "Bool": ["true", "false"],
    "String": [
      #""""#, #""a""#, #""héllo wörld""#, #""e\u{301}👨‍👩‍👧🇩🇪x""#, #"" \t\r\n ""#, #""-9223372036854775808""#, #""1e999""#,
      #""(a+)+$""#, #""[""#, #""$1$$""#, #""a,b\n1,\"x\"\n""#, #""\{\"x\":[1,\"\\ud800\"]}""#, #""\u{0}\u{7f}""#,
      #"repeat("ab", 500)"#,
    ],
    "Error": [#"{message: "bad"}"#],
    "List<Int>": ["[]", "[1]", "[3, 1, 2, 1]", "[9223372036854775807, 1]", "1..300"],
    "List<Float>": ["[]", "[1.0e308, 1.0e308]", "[0.1, -0.0, 2.5]"],
    "List<String>": ["[]", #"["", "a", "é"]"#, #"["b", "a"]"#],
    "List<List<Int>>": ["[]", "[[], [1], []]"],
    "List<(Int, Int)>": ["[]", "[(2, 1), (1, 2), (2, 3)]"],
    "(Int, Int)": ["(1, 2)"],
    "Option<Int>": ["None", "Some(1)"],
    "List<Option<Int>>": ["[]", "[Some(1), None]"],
    "Result<Int, Int>": ["Ok(1)", "Err(2)"],
    "Result<Int, Error>": ["Ok(1)", #"Err({message: "bad"})"#],
    "List<Result<Int, Int>>": ["[]", "[Ok(1), Err(2)]"],
    "Map<Int, Int>": [
      "Map.empty", "Map.fromList([(1, 2), (-9223372036854775807, 3)])", "Map.fromList(indexed(1..200))",
    ],
    "Set<Int>": ["Set.empty", "Set.fromList([1, -9223372036854775807, 1])", "Set.fromList(1..200)"],
    "Json": [
      "Json.Null", "Json.Float(-0.0)", "Json.of([1])", #"Json.of({a: [1.5], b: "x"})"#,
      "Json.Object(Map.fromList([(\"0\", Json.List([Json.Null]))]))",
      "(1..600 |> fold(Json.Null, (j, _) => Json.List([j])))",
    ],
    "{year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, ...}": [
      "{year: 9223372036854775807, month: 13, day: 0, hour: -1, minute: 60, second: 60}",
      "{year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 59, week: 99}", "Date.parts(0.0)",
    ],
    "(Int) -> Int": ["x => x", "x => x * x", "_ => div(1, 0)", "abs"],
    "(Int) -> Bool": ["x => x > 1", "_ => true", "isEven"],
    "(Int, Int) -> Int": ["(+)", "(*)", "(a, _) => a", "max"],
    "(Int, Int) -> Bool": ["(<)", "(_, _) => true", "(a, b) => a <= b"],
    "(Int, Int, Int) -> Int": ["(a, b, c) => a + b + c"],
    "(Int) -> Option<Int>": ["x => if x > 1 then Some(x) else None"],
    "(Int) -> List<Int>": ["x => [x, x]", "_ => []"],
    "(Int) -> Result<Int, Int>": ["x => Ok(x)", "x => Err(x)"],
    "(Option<Int>) -> Option<Int>": ["x => x", "_ => None", "_ => Some(1)"],
    "({text: String, index: Int, groups: List<Option<String>>}) -> String": ["m => m.text", #"_ => """#],
  ]

  /// The parameters' types of a signature, with Int for all type variables.
  static func parameters(_ signature: String) -> [String] {
    var text = signature
    if let context = text.range(of: " => ") { text = String(text[context.upperBound...]) }
    guard text.hasPrefix("(") else { return [] }
    var result: [String] = []
    var depth = 0
    var part = ""
    scan: for (index, character) in text.enumerated() {
      if index == 0 { continue }
      switch character {
      case "(", "<", "{": depth += 1
      case ")" where depth == 0: break scan
      case ")", "}": depth -= 1
      case ">" where part.last != "-": depth -= 1
      case "," where depth == 0:
        result.append(part)
        part = ""
        continue
      default: break
      }
      part.append(character)
    }
    if !part.isEmpty { result.append(part) }
    return result.map { closed(String($0.drop { $0 == " " || $0 == "=" })) }
  }

  private static func closed(_ type: String) -> String {
    var result = ""
    var word = ""
    for character in type + "\0" {
      if character.isLetter {
        word.append(character)
        continue
      }
      result += word.count == 1 && word.lowercased() == word ? "Int" : word
      word = ""
      if character != "\0" { result.append(character) }
    }
    return result
  }
}

extension String {
  fileprivate func range(of other: String) -> Range<String.Index>? {
    indices.first { self[$0...].hasPrefix(other) }.map { $0..<index($0, offsetBy: other.count) }
  }
}

struct BuiltinEdgeTests {
  @Test func edges() throws {
    let rounds = getenv("FRP_EDGE_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 3
    var random = SystemSeeded(state: 11)
    var counts = (values: 0, faults: 0)
    for builtin in Builtins.documented {
      guard case .data = builtin.operation, !["Task", "Source"].contains(builtin.container) else { continue }
      let types = EdgeValues.parameters(builtin.signature)
      if types.isEmpty { continue }
      for _ in 0..<rounds {
        var arguments: [String] = []
        for type in types {
          let pool = try #require(EdgeValues.pools[type], "\(builtin.name): \(type)")
          arguments.append(pool[random.next(pool.count)])
        }
        let call =
          "\(builtin.isBare ? "" : builtin.container + ".")\(builtin.name)(\(arguments.joined(separator: ", ")))"
        let isDecoder = ["decode", "as"].contains(builtin.name)
        let result = Self.outcome(isDecoder ? "\(call) |> withDefault([{a: 1, b: \"\"}])" : call)
        if case .value = result { counts.values += 1 } else { counts.faults += 1 }
        if case .errors(let text) = result { Issue.record("\(call): \(text)") }
      }
    }
    #expect(counts.values > counts.faults, "\(counts)")
  }

  enum Outcome {
    case value, fault
    case errors(String)
  }

  static func outcome(_ expression: String) -> Outcome {
    let program = Program(Source(name: "edge.frp", text: "output edge = toString(\(expression))\n"))
    if program.hasErrors {
      return .errors(program.diagnostics.map { "\($0.code) \($0.title)" }.joined(separator: "; "))
    }
    do throws(SimulationError) {
      var limits = Limits()
      limits.heapBytes = 64 << 20
      let simulation = try Simulation(program, limits: limits)
      simulation.start()
      return simulation.faults.isEmpty ? .value : .fault
    } catch { return .errors("\(error)") }
  }
}

private struct SystemSeeded {
  var state: UInt64
  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}
