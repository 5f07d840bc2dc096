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
    for (folder, about) in Self.folders {
      text += "\n\(about)\n\n"
      for name in ProgramCase.all(in: "examples/\(folder)") {
        let program = String(decoding: try Files.contents(of: "\(root)/examples/\(folder)/\(name).frp"), as: UTF8.self)
        text += "- [\(name)](\(folder)/\(name).frp): \(Self.firstSentence(program))\n"
      }
    }
    let difference = TestFiles.difference(text, from: root + "/examples/README.md")
    #expect(difference == nil)
  }

  private static let folders = [
    (
      "page",
      """
      ## On a page

      Programs to be looked at and played with: `frp serve examples/page/balls.frp`.
      """
    ),
    (
      "world",
      """
      ## In the world

      Programs with sources and sinks, which need grants: `frp grants examples/world/chat.frp` names them. Their tests need none.
      """
    ),
  ]

  private static func firstSentence(_ program: String) -> String {
    let header = program.split(separator: "\n").prefix { $0.hasPrefix("//") }.map { $0.dropFirst(2) }.joined()
    let words = header.split(separator: " ").joined(separator: " ")
    guard let end = words.firstRange(of: /[.:](\s|$)/) else { return words }
    return words[..<end.lowerBound] + "."
  }
}
