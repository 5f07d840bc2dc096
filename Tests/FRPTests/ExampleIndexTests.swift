import FRPTestFiles
import Testing

@testable import FRPCommands

/// `examples/README.md` lists every example with its first sentence.
@Suite struct ExampleIndexTests {
  @Test func theIndexIsUpToDate() throws {
    var text = """
      # Examples

      Each program stands beside what goes in (`.trace`, `.args`) and what it must print (`.expect`, JSON lines); a test
      runs them all. `frp run examples/counter.frp --trace examples/counter.trace` runs one; where there is no trace, time is
      simulated all the same: `frp run examples/bouncing_ball.frp --virtual --for 3s --sample 500ms`.


      """
    for name in ProgramCase.all(in: "examples") {
      let program = String(decoding: try Files.contents(of: "\(root)/examples/\(name).frp"), as: UTF8.self)
      text += "- [\(name)](\(name).frp): \(Self.firstSentence(program))\n"
    }
    let difference = TestFiles.difference(text, from: root + "/examples/README.md")
    #expect(difference == nil)
  }

  private static func firstSentence(_ program: String) -> String {
    let header = program.split(separator: "\n").prefix { $0.hasPrefix("//") }.map { $0.dropFirst(2) }.joined()
    let words = header.split(separator: " ").joined(separator: " ")
    guard let end = words.firstRange(of: /[.:](\s|$)/) else { return words }
    return words[..<end.lowerBound] + "."
  }
}
