import FRP
import FRPBase
import FRPCore
import FRPTestFiles
import FRPWorld
import Testing

@testable import FRPCommands

/// The reference is the table of built-ins, and every example in it is true.
@Suite struct ReferenceTests {
  @Test func theReferenceIsUpToDate() throws {
    let difference = TestFiles.difference(
      Reference.markdown(try World().modules()), from: root + "/docs/reference.md")
    #expect(difference == nil)
  }

  @Test(arguments: TimedExample.all.indices)
  func timedExampleIsTrue(_ index: Int) {
    let example = TimedExample.all[index]
    let source = Source(name: "\(example.name).frp", text: example.source)
    let failures = onLargeStack { () -> [String] in
      let program = Program(source)
      if program.hasErrors { return [renderText(program.diagnostics, sources: program.sources)] }
      let tests = TestBlock.all(in: source)
      return tests.isEmpty ? ["there is no test"] : tests.flatMap { $0.run(in: source).failures }
    }
    #expect(failures == [], "\(example.name)")
  }

  @Test func everyBuiltinHasAnExample() {
    let without = Builtins.documented.filter { $0.examples.isEmpty && TimedExample.find($0) == nil }
    #expect(without.map { "\($0.container).\($0.name)" } == [])
  }

  @Test func everyTimedExampleIsOfABuiltin() {
    for example in TimedExample.all {
      #expect(
        Builtins.documented.contains { $0.name == example.name && $0.container == example.container }, "\(example.name)"
      )
    }
  }

  /// Data examples, through the same way a user would take: `frp -e`.
  @Test func dataExamplesAreTrue() {
    var wrong: [String] = []
    for row in Builtins.documented {
      for example in row.examples {
        let result = frp("-e", example.source, "--virtual")
        let shown = result.out.split(separator: "\n").joined(separator: "\n")
        let plain = example.result.hasPrefix("\"") ? String(example.result.dropFirst().dropLast()) : example.result
        if shown != plain, !example.result.contains("\\"), !example.source.contains("perform") {
          wrong.append("\(row.name): \(example.source) shows \(shown) \(result.err), not \(example.result)")
        }
      }
    }
    #expect(wrong == [])
  }
}
