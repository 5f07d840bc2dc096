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
    let file = Source(name: name + ".frp", text: source)
    let program = Program(file)
    let told = program.diagnostics + (program.hasErrors ? [] : TestBlock.mistakes(in: file))
    #expect(told.contains { $0.code.rawValue == name.prefix(5) }, "the code in the file's name is reported")
    let text = renderText(told, sources: program.sources, style: DiagnosticStyle(width: 80))
    let json = renderJSON(told, sources: program.sources) + "\n"
    #expect(TestFiles.difference(text, from: base + ".txt") == nil)
    #expect(TestFiles.difference(json, from: base + ".json") == nil)
  }

  /// A mistake in a module is mostly the cause of what its users are told.
  @Test func importedModulesComeFirst() {
    let files = [
      "Deep.frp": "third(a, b) = a + b + c\n",
      "Mod.frp": "import Deep\nboth(f, ts) = calls(f) + Deep.third(1)\ncalls(f, ts) = ts |> map(f)\n",
    ]
    let main = Source(
      name: "main.frp", text: "import Mod\noutput x = Mod.both(t => t, [1]) |> map(x => x + 1)\noutput y = nope\n")
    let program = Program(main, modules: ModuleFiles(read: { files[$0].map { Array($0.utf8) } }))
    let told = program.diagnostics.map { "\(program.sources[$0.span.file].name) \($0.code)" }
    #expect(told == ["Deep.frp E0201", "Mod.frp E0302", "Mod.frp E0302", "main.frp E0201"])
    #expect(sortedDiagnostics(program.diagnostics.reversed(), in: program.sources) == program.diagnostics)
  }
}
