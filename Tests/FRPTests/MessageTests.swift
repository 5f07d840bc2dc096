import FRP
import FRPBase
import FRPTestFiles
import Testing

/// Messages of the whole compiler: of circles, modes and time, which come after the types; and records that do not
/// read, beside which some things are not said.
@Suite struct MessageTests {
  static let folder = TestFiles.tests + "/Golden/errors"
  static var names: [String] {
    TestFiles.names(in: folder, ending: ".frp").filter { name in
      ["E0106", "E0116", "E06", "W04"].contains { name.hasPrefix($0) }
    }
  }

  @Test(arguments: names)
  func message(name: String) throws {
    let base = Self.folder + "/" + name
    let source = try #require(TestFiles.read(base + ".frp"))
    let program = Program(Source(name: name + ".frp", text: source))
    #expect(
      program.diagnostics.contains { $0.code.rawValue == name.prefix(5) }, "the code in the file's name is reported")
    let text = renderText(program.diagnostics, sources: program.sources, style: DiagnosticStyle(width: 80))
    let json = renderJSON(program.diagnostics, sources: program.sources) + "\n"
    #expect(TestFiles.difference(text, from: base + ".txt") == nil)
    #expect(TestFiles.difference(json, from: base + ".json") == nil)
  }
}
