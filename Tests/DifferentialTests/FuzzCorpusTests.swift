// Everything the fuzzer starts from, and everything it ever found: no problem with any of it.

import FRPBase
import FRPDifferential
import FRPFuzzing
import FRPTestFiles
import Testing

// Targets share what they decode with, so they run one after another.
@Suite(.serialized) struct FuzzCorpusTests {
  @Test(arguments: FuzzTarget.allCases)
  func corpusHasNoProblems(target: FuzzTarget) {
    let folder = TestFiles.tests + "/Corpus/fuzz/" + target.rawValue + "/"
    let names = TestFiles.names(in: folder, ending: "")
    #expect(names.count > 3)
    for name in names where !name.hasPrefix(".") {
      let problem = onLargeStack { target.problem(TestFiles.bytes(folder + name) ?? []) }
      #expect(problem == nil, "\(target.rawValue)/\(name)")
    }
  }
}
