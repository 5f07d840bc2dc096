import Testing

@testable import FRPCommands

/// The manual is true: each of its programs checks, and its tests pass.
@Suite struct ManualTests {
  static let pages = ["tutorial", "how_to", "coming_from", "meaning", "world"]

  /// The programs of a page, as they stand there.
  static func programs(_ page: String) throws -> [String] {
    let text = String(decoding: try Files.contents(of: "\(root)/docs/\(page).md"), as: UTF8.self)
    var programs: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```frp"
        if isInside { programs.append("") }
      } else if isInside {
        programs[programs.count - 1] += line + "\n"
      }
    }
    return programs
  }

  @Test(arguments: pages) func everyProgramPassesItsTests(page: String) throws {
    let folder = TemporaryFolder()
    let programs = try Self.programs(page)
    #expect(programs.count >= 3)
    for (number, program) in programs.enumerated() {
      #expect(program.contains("\ntest \""), "program \(number + 1) of \(page) has no test")
      let path = try folder.file(program, "program\(number + 1).frp")
      #expect(frp("fmt", "--check", path).code == 0, "program \(number + 1) of \(page) is not formatted")
      let result = frp("test", path)
      #expect(result.code == 0 && result.err.isEmpty, "program \(number + 1) of \(page): \(result.out)\(result.err)")
    }
  }

  /// A link to a page or a file that is not there helps nobody.
  @Test(arguments: pages + ["pictures", "measuring", "documenting", "page", "editors", "always_on", "flink", "prompt"])
  func linksLeadSomewhere(page: String) throws {
    let text = String(decoding: try Files.contents(of: "\(root)/docs/\(page).md"), as: UTF8.self)
    for part in text.split(separator: "](").dropFirst() {
      let target = part.prefix { $0 != ")" && $0 != "#" }
      if target.isEmpty || target.contains("://") { continue }
      #expect(Files.exists("\(root)/docs/\(target)"), "\(page).md names \(target)")
    }
  }
}
