// The laws of the language on random programs. A failure prints its seed; `FRPSoak laws SEED SEED` shows it again.

import FRPBase
import FRPDifferential
import FRPTestFiles
import Testing

@Suite struct LawTests {
  static let seeds: UInt64 = 60

  @Test(arguments: Law.all.map(\.name))
  func holds(law name: String) throws {
    let law = try #require(Law.all.first { $0.name == name })
    let (count, broken) = Self.verdicts(of: law, on: 0..<Self.seeds)
    #expect(broken == [])
    // A law that speaks of few programs says little.
    #expect(count >= 5, "\(name)")
  }

  /// Printing is quick: more programs.
  @Test func parseOfPrintIsTheSameTree() {
    let (count, broken) = Self.verdicts(of: .printed, on: Self.seeds..<300)
    #expect(broken == [])
    #expect(count == 240)
  }

  /// How many programs a law holds for, and those it does not.
  private static func verdicts(of law: Law, on seeds: Range<UInt64>) -> (count: Int, broken: [String]) {
    onLargeStack {
      var (count, broken) = (0, [String]())
      for seed in seeds {
        switch law.verdict(seed) {
        case .holds: count += 1
        case .skipped: break
        case .broken(let why): broken.append("seed \(seed): \(why)")
        }
      }
      return (count, broken)
    }
  }

  /// A law that no mistake breaks says nothing: for each, `Mutations/list.toml` names a mutation that it notices alone.
  @Test func eachLawHasAMutationThatItNotices() throws {
    let list = try #require(TestFiles.read(TestFiles.tests + "/Mutations/list.toml"))
    var named: Set<String> = []
    for line in list.split(separator: "\n") where line.hasPrefix("laws = [") {
      // Every other piece between quotes is a name.
      let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
      for index in stride(from: 1, to: pieces.count, by: 2) { named.insert(String(pieces[index])) }
    }
    #expect(named == Set(Law.all.map(\.name)))
  }
}
