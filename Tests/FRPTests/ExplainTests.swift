import FRP
import FRPBase
import Testing

@testable import FRPCommands

/// Every code that the sources can report has a page, and every page is true: its wrong program gives the code, and
/// both ways out are free of errors.
@Suite struct ExplainTests {
  @Test func everyCodeHasAPage() throws {
    let codes = try usedCodes()
    #expect(codes.count > 40)
    let pages = ExplainPage.all.map(\.code)
    #expect(Set(pages).count == pages.count, "a code has two pages")
    #expect(codes.subtracting(pages).sorted() == [], "codes without a page")
    #expect(Set(pages).subtracting(codes).sorted() == [], "pages of codes that nothing reports")
  }

  @Test(arguments: ExplainPage.all.map(\.code))
  func thePageIsTrue(_ code: String) throws {
    let page = try #require(ExplainPage.find(code))
    let wrong = check(page.wrong)
    if !page.isSketch, !code.hasPrefix("R") {
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

  /// All `"E0101"` and the like in the sources, outside of the pages themselves.
  private func usedCodes() throws -> Set<String> {
    var codes: Set<String> = []
    for path in swiftFiles(in: root + "/Sources") where !path.contains("/Explain") {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      for match in text.matches(of: #/"([EWR]0\d{3})"/#) { codes.insert(String(match.1)) }
    }
    return codes
  }

  private func swiftFiles(in folder: String) -> [String] {
    Files.names(in: folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      if Files.isDirectory(path) { return swiftFiles(in: path) }
      return name.hasSuffix(".swift") ? [path] : []
    }
  }
}
