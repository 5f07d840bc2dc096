import FRPTestFiles
import Testing

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

  @Test func testsOfTheExamplesPass() {
    let examples = Files.names(in: root + "/examples").filter { $0.hasSuffix(".frp") }.map { "\(root)/examples/\($0)" }
    let result = frp(["test"] + examples)
    #expect(result.code == 0, "\(result.out)\(result.err)")
    #expect(result.out.split(separator: "\n").count > 12)
  }
}
