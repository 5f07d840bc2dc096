// The programs that `frp serve` shows: `examples/page`.

import FRP
import FRPBase
import FRPTestFiles
import FRPWorld
import Testing

@testable import FRPCommands

private let examples = Files.names(in: root + "/examples/page").filter { $0.hasSuffix(".frp") }

@Suite struct PageExampleTests {
  @Test func thereAreSix() { #expect(examples.count == 6) }

  @Test(arguments: examples)
  func theTestsOfAnExamplePassWithoutTheWorld(_ name: String) throws {
    let source = Source(name: name, bytes: try Files.contents(of: "\(root)/examples/page/\(name)"))
    let host = try World().modules()
    let tests = TestBlock.all(in: source)
    #expect(tests.count >= 2)
    for test in tests { #expect(test.run(in: source, host: host).failures == []) }
  }

  /// Whoever opens the page first sees what each control is for, and how far it goes.
  @Test(arguments: examples)
  func everyControlIsExplained(_ name: String) throws {
    let source = Source(name: name, bytes: try Files.contents(of: "\(root)/examples/page/\(name)"))
    let program = Program(source, host: try World().modules())
    #expect(program.diagnostics.map(\.title) == [])
    for port in program.inputs where port.name != "pointer" {
      #expect(!port.documentation.isEmpty, "\(port.name) of \(name)")
      if ["Float", "Int"].contains(port.type) {
        #expect(port.documentation.contains("@range "), "\(port.name) of \(name)")
      }
    }
  }

  @Test(arguments: examples)
  func anExampleIsFormattedAndRunsWithoutAPage(_ name: String) {
    let path = "\(root)/examples/page/\(name)"
    #expect(frp("fmt", "--check", path).code == 0)
    let run = frp("run", path, "--virtual", "--for", "1s", "--format", "json", "--sample", "500ms")
    #expect(run.code == 0, "\(run.err)")
    #expect(run.out.contains(#"{"Drawing":{"width":"#))
  }

  /// The page is the prompt's session, where every definition is looked at: a name may be right in a file and not there.
  @Test(arguments: examples)
  func anExampleIsServed(_ name: String) throws {
    let text = String(decoding: try Files.contents(of: "\(root)/examples/page/\(name)"), as: UTF8.self)
    var surroundings = Surroundings()
    surroundings.world = try World()
    let page = try PageSession(
      name: name, text: text, Console(input: -1, out: Writer(), err: Writer()), surroundings)
    #expect(page.program(isViewer: false).hasPrefix("{\"is\":\"program\""))
  }

  @Test func theReferenceNamesWhatThePageHas() {
    let page = frp("doc", "Page").out
    #expect(page.contains("### `Page.pointer`"))
    #expect(
      page.contains(
        "### `Page.rounded`\n\n    rounded(x: Float, y: Float, width: Float, height: Float, corner: Float, fill: String): Shape\n"
      ))
    #expect(page.contains("      | Polygon(points: List<Point>, fill: String)\n"))
    #expect(
      frp("doc", "Page.circle").out
        == "### `Page.circle`\n\n    circle(x: Float, y: Float, r: Float, fill: String): Shape\n\nA filled circle around (x, y).\n\n"
    )
    #expect(frp("doc", "circel").err.contains("did you mean `circle`?"))
  }
}

/// The programs in a lesson: whoever reads it sees each of them run.
@Suite struct LessonTests {
  private static let texts = Files.names(in: root + "/docs/lessons").filter { $0.hasSuffix(".md") }

  private static func programs(_ name: String) throws -> [String] {
    let text = String(decoding: try Files.contents(of: "\(root)/docs/lessons/\(name)"), as: UTF8.self)
    var programs: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```frp" {
        programs.append("")
        isInside = true
      } else if line == "```" {
        isInside = false
      } else if isInside {
        programs[programs.count - 1] += line + "\n"
      }
    }
    return programs
  }

  @Test(arguments: texts)
  func everyProgramRunsAndIsFormatted(_ name: String) throws {
    let programs = try Self.programs(name)
    #expect(programs.count >= 5)
    let folder = TemporaryFolder()
    for (number, text) in programs.enumerated() {
      let path = try folder.file(text, "\(number).frp")
      #expect(frp("check", path).err == "frp: 1 file checked, nothing to complain about\n", "\(text)")
      #expect(frp("fmt", "--check", path).code == 0, "\(text)")
      #expect(frp("test", path).code == 0, "\(text)")
      let run = frp("run", path, "--virtual", "--for", "100s", "--final")
      #expect(run.code == 0, "\(text)\n\(run.err)")
    }
  }
}
