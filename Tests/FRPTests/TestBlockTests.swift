import FRPCore
import FRPTestFiles
import Testing

@testable import FRP
@testable import FRPCommands

/// `test` blocks as a user meets them: what a failure says, that it can be pasted back, and that the examples pass.
@Suite struct TestBlockTests {
  static let goldens = Files.names(in: root + "/Tests/Golden/tests").filter { $0.hasSuffix(".frp") }

  /// What is said about tests that fail, file by file.
  @Test(arguments: goldens)
  func failuresReadAsExpected(name: String) throws {
    let path = "\(root)/Tests/Golden/tests/\(name)"
    let said = frp("test", path).out.replacing(path, with: name)
    let difference = TestFiles.difference(said, from: path.dropLast(3) + "txt")
    #expect(difference == nil)
  }

  /// A lane that was shown, pasted in the place of the one that was expected, passes.
  @Test(arguments: goldens)
  func whatWasShownCanBePastedBack(name: String) throws {
    let path = "\(root)/Tests/Golden/tests/\(name)"
    let program = String(decoding: try Files.contents(of: path), as: UTF8.self)
    let said = frp("test", path).out.split(separator: "\n").map { $0.drop { $0 == " " } }
    let definitions = program.split(separator: "\n").prefix { !$0.hasPrefix("test ") }.joined(separator: "\n")
    let blocks = program.split(separator: "test \"").dropFirst()
    var pasted = 0
    var title = ""
    for (index, line) in said.enumerated() {
      if line.hasPrefix("FAIL  ") { title = String(line.dropFirst(6).prefix { $0 != "(" }.dropLast(2)) }
      // Of a long lane only a part was shown.
      guard line.hasPrefix("actual    \""), !line.contains("…"),
        let block = blocks.first(where: { $0.hasPrefix(title + "\"") })
      else { continue }
      let givens = block.split(separator: "\n").filter { $0.contains("given ") }.joined(separator: "\n")
      let subject = said[index - 2]
      let text = "\(definitions)\ntest \"again\" {\n\(givens)\n\(subject) == \(line.dropFirst(10))\n}\n"
      let folder = TemporaryFolder()
      let result = frp("test", try folder.file(text, name))
      #expect(result.code == 0, "\(text)\(result.out)\(result.err)")
      pasted += 1
    }
    #expect(pasted > 2 || said.contains { $0.hasPrefix("… and ") })
  }

  /// What is looked at once a test has the value that an output would have, also at a limit that is met at this very moment.
  @Test func whatIsSampledIsWhatHoldsJustAfter() throws {
    let folder = TemporaryFolder()
    let path = try folder.file(
      """
      input go: Event<Int>
      x = integral(0.57)
      slides = integral(if slides < 1.0 then 1.0 else -1.0)
      test "at a limit" {
        given go = "--1" every 1s
        expect time at 2s == 2.0
        expect (time > 2.0, time >= 2.0, time < 2.0, time <= 2.0) at 2s == (true, true, false, false)
        expect (floor(time), ceil(time), floor(-time), ceil(-time)) at 2s == (2, 3, -3, -2)
        expect round(time) at 2500ms == 3
        expect time at 2500ms == 2.5
        expect (x >= 57.0) at 100s == true
        expect (slides < 1.0, slides <= 1.0, floor(slides), ceil(slides)) at 3s == (false, true, 1, 1)
        expect [ceil(time) + fold(go, 0, (+))] at 2s == [4]
      }

      """, "limits.frp")
    let result = frp("test", path)
    #expect(result.code == 0, "\(result.out)")
  }

  /// Nothing is located for what is only looked at.
  @Test func nothingIsLocatedForWhatIsSampled() throws {
    let outputs = ["round(1000.0 * sin(time))", "sin(time) > 0.5", "[floor(time), 1]", "if time < 2.0 then 1 else 2"]
    let lines = outputs.enumerated().map { "output o\($0) = \($1)\n" }
    let source = Source(name: "sampled.frp", text: lines.joined())
    func located(_ sampled: Set<String>) throws -> Int {
      let program = Program(source, modules: .none, host: [], answers: [:], sampled: sampled)
      return try #require(program.plan).core.nodes.count { if case .crossing = $0.op { true } else { false } }
    }
    let all = try located([])
    #expect(all > 4)
    #expect(try located(["o1"]) == all - 1)
    #expect(try located(["o0", "o1", "o2", "o3"]) == 0)
  }

  @Test func testsOfTheExamplesPass() {
    let examples = Files.names(in: root + "/examples").filter { $0.hasSuffix(".frp") }.map { "\(root)/examples/\($0)" }
    let result = frp(["test"] + examples)
    #expect(result.code == 0, "\(result.out)\(result.err)")
    #expect(result.out.split(separator: "\n").count > 12)
  }
}
