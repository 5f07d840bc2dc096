import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import FRPTestFiles
import Testing

@Suite struct TypesErrorTests {
  static let folder = TestFiles.tests + "/Golden/errors"

  /// The files of this folder that are ours: those of types, names and patterns.
  static var names: [String] {
    TestFiles.names(in: folder, ending: ".frp").filter { name in
      ["E02", "E03", "E0401", "E0403", "E05", "E0703", "W01", "W02", "W05"].contains { name.hasPrefix($0) }
    }
  }

  @Test(arguments: names)
  func message(name: String) throws {
    let base = Self.folder + "/" + name
    let source = try #require(TestFiles.read(base + ".frp"))
    let check = TypesCheck(source, name: name + ".frp")
    #expect(check.codes.contains { $0.rawValue == name.prefix(5) }, "the code in the file's name is reported")
    let text = renderText(check.diagnostics, sources: check.sources, style: DiagnosticStyle(width: 80))
    let json = renderJSON(check.diagnostics, sources: check.sources) + "\n"
    let differences = [
      TestFiles.difference(text, from: base + ".txt"), TestFiles.difference(json, from: base + ".json"),
    ]
    #expect(differences == [nil, nil])
  }

  @Test func thereAreManySituations() { #expect(Self.names.count >= 50) }
}
