// The laws of the language on random programs. A failure prints its seed; `FRPSoak laws SEED SEED` shows it again.

import FRPBase
import FRPDifferential
import FRPFuzzing
import FRPSyntax
import Testing

@Suite struct LawTests {
  static let seeds: UInt64 = 60

  @Test(arguments: Law.all.map(\.name))
  func holds(law name: String) throws {
    let law = try #require(Law.all.first { $0.name == name })
    let (count, broken) = onLargeStack { () -> (Int, [String]) in
      var (count, broken) = (0, [String]())
      for seed in 0..<Self.seeds {
        switch law.verdict(seed) {
        case .holds: count += 1
        case .skipped: break
        case .broken(let why): broken.append("seed \(seed): \(why)")
        }
      }
      return (count, broken)
    }
    #expect(broken == [])
    // A law that speaks of few programs says little.
    #expect(count >= 5, "\(name)")
  }

  /// What the printer prints of a random program has the same tree, and prints the same again.
  @Test func parseOfPrintIsTheSameTree() throws {
    for seed in 0..<300 as Range<UInt64> {
      let source = Generator.program(seed: seed).source
      let printed = try #require(Self.printed(source), "seed \(seed)")
      #expect(Self.tree(source) == Self.tree(printed), "seed \(seed)")
      #expect(Self.printed(printed) == printed, "seed \(seed)")
    }
  }

  private static func printed(_ source: String) -> String? {
    var sources = SourceMap()
    return Printer.format(sources.add(SourceFile(name: "p", text: source)), in: sources).text
  }

  private static func tree(_ source: String) -> String {
    var sources = SourceMap()
    var tree = Tree()
    let file = sources.add(SourceFile(name: "main", text: source))
    let (module, _) = Parser.parse(file, name: "main", in: sources, into: &tree)
    return TreeDump.dump(tree, module)
  }
}
