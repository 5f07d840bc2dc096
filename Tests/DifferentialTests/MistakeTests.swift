// Programs with mistakes, and some that ask for much work: something is said of each, and soon. `FRPSoak mistakes` and
// `growth` look at more.

import FRPBase
import FRPDifferential
import Testing

@Suite struct MistakeTests {
  @Test(arguments: 0..<4)
  func areToldOf(part: Int) {
    for seed in UInt64(part) * 150..<UInt64(part + 1) * 150 {
      let text = Mistakes.program(seed: seed)
      let problem = onLargeStack { Growth.problem(text) }
      #expect(problem == nil, "seed \(seed): \(problem ?? "")\n\(text)")
    }
  }

  /// Half of them are whole programs of mistakes: a generator of what is refused at once would find nothing.
  @Test func comeFarEnough() {
    var (compiling, typed) = (0, 0)
    for seed in 0..<200 as Range<UInt64> {
      let codes = onLargeStack { Compiled(Mistakes.program(seed: seed)).diagnostics.map(\.code.rawValue) }
      compiling += codes.contains { $0.hasPrefix("E") } ? 0 : 1
      typed += codes.contains { $0.hasPrefix("E03") || $0.hasPrefix("E04") } ? 1 : 0
    }
    #expect(compiling > 10 && typed > 60, "\(compiling) compile, \(typed) have types that do not fit")
  }
}
