import FRP
import FRPBase
import Testing

@testable import FRPCommands

/// Every code that the sources can report has a page, and every page is true: its wrong program gives the code, and
/// both ways out are free of errors.
@Suite struct ExplainTests {
  @Test func everyCodeHasAPage() throws {
    let pages = ExplainPage.all.map(\.code)
    #expect(Set(pages).count == pages.count, "a code has two pages")
    #expect(Set(DiagnosticCode.allCases).subtracting(pages) == [], "codes without a page")
    #expect(try unusedCodes() == [], "codes that nothing reports")
  }

  @Test(arguments: ExplainPage.all.map(\.code))
  func thePageIsTrue(_ code: DiagnosticCode) throws {
    let page = try #require(ExplainPage.find(code))
    let wrong = check(page.wrong)
    if !page.isSketch, !code.isOfARun {
      #expect(wrong.contains { $0.code == code }, "\(code): the wrong program gives \(wrong.map(\.code))")
    }
    if !page.isSketch {
      let message = onLargeStack { ExplainCommand.message(of: page) }
      #expect(message.contains("[\(code)]"), "\(code): the page shows no message")
    }
    #expect(page.waysOut.count == 2)
    for way in page.waysOut {
      let problems = check(way.program)
      #expect(problems.map { "\($0.code) \($0.title)" } == [], "\(code): \(way.text)")
    }
  }

  private func check(_ text: String) -> [Diagnostic] {
    onLargeStack { Program(Source(name: "page.frp", text: text)).diagnostics }
  }

  /// The names of codes that stand nowhere in the sources but in the table and on the pages.
  private func unusedCodes() throws -> Set<String> {
    let table = String(decoding: try Files.contents(of: root + "/Sources/FRPBase/DiagnosticCode.swift"), as: UTF8.self)
    var names = Set(table.matches(of: #/case (\w+) = "/#).map { String($0.1) })
    for path in swiftFiles(in: root + "/Sources") where !path.contains("/Explain") {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      for match in text.matches(of: #/\.(\w+)/#) { names.remove(String(match.1)) }
    }
    return names
  }

  private func swiftFiles(in folder: String) -> [String] {
    Files.names(in: folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      if Files.isDirectory(path) { return swiftFiles(in: path) }
      return name.hasSuffix(".swift") ? [path] : []
    }
  }
}
