// Every example of the table of built-ins is a program; what it shows must be what the table says.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import FRPTestFiles
import Testing

@testable import FRP
@testable import FRPCommands

struct BuiltinExampleTests {
  /// What a program whose only output is this expression shows at its start.
  func shown(_ expression: String) -> String {
    let program = Program(Source(name: "example.frp", text: "output example = \(expression)\n"))
    guard let plan = program.plan else {
      return "errors: " + program.diagnostics.map { "\($0.code) \($0.title)" }.joined(separator: "; ")
    }
    do throws(SimulationError) {
      let simulation = try Simulation(program)
      simulation.start()
      if let fault = simulation.faults.first { return "fault: \(fault.title)" }
      switch simulation.reactor.value(of: 0) {
      case .success(let word): return simulation.codec.source(word, plan.outputs[0].type)
      case .failure(let fault): return "fault: \(fault.text)"
      }
    } catch { return "\(error)" }
  }

  @Test func examples() {
    for builtin in Builtins.documented {
      for example in builtin.examples {
        let result = shown(example.source)
        #expect(result == example.result, "\(builtin.container).\(builtin.name): \(example.source)")
      }
    }
  }

  /// What has no row of its own, but a page of `frp doc`.
  @Test func examplesOfConstructors() {
    for entry in ConstructorEntry.all { #expect(shown(entry.example) == entry.result, "\(entry.name)") }
    for name in ["Limit", "Some", "Json.Null", "Error"] {
      let page = frp("doc", name)
      #expect(page.code == 0 && page.out.contains("### `\(name)"), "\(name): \(page.err)")
    }
  }

  /// Every word has a page, whose program checks and whose tests hold.
  @Test func examplesOfTheWordsOfTheLanguage() {
    let temporary = TemporaryFolder()
    for entry in KeywordEntry.all {
      let path = temporary.path + "/\(entry.name).frp"
      TestFiles.write(path, entry.example + "\n")
      let tested = frp("test", path)
      #expect(tested.code == 0 && tested.err.isEmpty, "\(entry.name): \(tested.out)\(tested.err)")
      #expect(frp("doc", entry.name).out.contains("### `\(entry.name)`"))
    }
    for word in ReplSyntax.words.subtracting(["true", "false"]) { #expect(KeywordEntry.find(word) != nil, "\(word)") }
  }

  @Test func everyDataFunctionHasAnExample() {
    for builtin in Builtins.documented {
      guard case .data = builtin.operation, !["Task", "Source"].contains(builtin.container) else { continue }
      #expect(!builtin.examples.isEmpty, "\(builtin.container).\(builtin.name)")
    }
  }

  /// By name as well: `List.map` is `map` of lists.
  @Test func qualifiedNames() {
    #expect(shown("List.map([1, 2], x => x + 1)") == "[2, 3]")
    #expect(shown(#"String.size("abc")"#) == "3")
    #expect(shown("Math.sqrt(4.0)") == "2.0")
    #expect(shown("Math.pi") == "3.141592653589793")
    #expect(shown("Option.withDefault(None, 3)") == "3")
    #expect(shown("Map.get(Map.fromList([(1, 2)]), 1)") == "Some(2)")
  }

  @Test func faults() {
    for (expression, text) in [
      ("sqrt(-1.0)", "square root of a negative number"), ("div(1, 0)", "division by zero"),
      ("set([1], 3, 0)", "index 3 is out of range"),
      (#"Regex.contains("a", "(")"#, "malformed at 1"), ("chunk([1], 0)", "at least 1"), ("round(1.0e30)", "range"),
      ("pow(10, 40)", "64 bits"), ("asin(2.0)", "finite"), ("log(0.0)", "logarithm of 0"),
      ("1.0e308 * 10.0", "finite"),
    ] {
      #expect(
        shown(expression).contains("fault: ") && shown(expression).contains(text), "\(expression): \(shown(expression))"
      )
    }
  }
}
