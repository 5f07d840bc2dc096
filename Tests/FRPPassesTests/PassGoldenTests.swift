// Golden tests of single passes: a program, and its core before and after the pass that its file is named by. A pass of a group
// that runs several times is shown where it first changed something. `FRP_ACCEPT=1 swift test` writes the expectations.

import FRPBase
import FRPCore
import FRPPasses
import FRPSema
import FRPSyntax
import FRPTestFiles
import Testing

private let folder = TestFiles.tests + "/Golden/passes"
private let programs = TestFiles.names(in: folder, ending: ".frp")

@Suite struct PassGoldenTests {
  @Test(arguments: programs)
  func coreBeforeAndAfter(_ name: String) throws {
    let text = try #require(TestFiles.read("\(folder)/\(name).frp"))
    let pass = String(name.prefix { $0 != "_" })
    let shown = onLargeStack { show(pass, name, text) }
    let difference = TestFiles.difference(try #require(shown), from: "\(folder)/\(name).core")
    #expect(difference == nil)
  }

  @Test func everyPassHasPrograms() {
    for pass in Passes.names.dropFirst() {
      #expect(programs.count { $0.hasPrefix(pass + "_") } >= 2, "\(pass)")
    }
    for name in programs { #expect(Passes.names.contains { name.hasPrefix($0 + "_") }, "\(name)") }
  }

  /// The core before and after a pass, then what is said of the program.
  private func show(_ pass: String, _ name: String, _ text: String) -> String? {
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: name, text: text))
    var tree = Tree()
    guard Parser.parse(file, name: "main", in: sources, into: &tree).1.isEmpty else { return "it does not parse" }
    let typed = checkTypes(tree, sources: sources)
    guard let program = typed.program else { return typed.diagnostics.map(\.title).joined(separator: "\n") }
    var last = ""
    var states: (before: String, after: String)?
    let result = elaborate(program) { shownPass, core in
      let core = core.describe()
      if shownPass == pass, states.map({ $0.before == $0.after }) ?? true { states = (last, core) }
      last = core
    }
    guard let (before, after) = states else { return "`\(pass)` was not run" }
    let change = before == after ? "unchanged\n" : after
    let said = result.diagnostics.map { "\($0.code) \($0.title)\n" }.joined()
    return "before\n\n\(before)\nafter\n\n\(change)\(said.isEmpty ? "" : "\nsaid\n\n" + said)"
  }
}
