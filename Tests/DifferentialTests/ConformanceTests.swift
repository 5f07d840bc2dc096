// What others' own test suites say about the same ideas, on the engine and on the model. A case that is listed as
// different must differ, all others must agree.

import FRPDifferential
import Testing

@Suite struct ConformanceTests {
  @Test(arguments: [false, true])
  func marblesOfRxJS(engine: Bool) {
    #expect(RxCase.all.count == 201 && RxCase.differs.count == 15)
    for test in RxCase.all {
      let problem = test.problem(engine: engine)
      if let rule = RxCase.differs[test.id] {
        #expect(problem != nil, "case \(test.id) agrees, though it is listed (\(rule))")
      } else {
        #expect(problem == nil, "case \(test.id)")
      }
    }
  }

  @Test(arguments: [false, true])
  func peers(engine: Bool) {
    #expect(PeerCase.all.count == 180)
    for test in PeerCase.all {
      let problem = test.problem(engine: engine)
      if let rule = test.differs {
        #expect(problem != nil, "case \(test.id) agrees, though it is listed (\(rule))")
      } else {
        #expect(problem == nil, "case \(test.id)")
      }
    }
  }

  /// Every rule names the section of the language that decides it.
  @Test func everyDifferenceHasARule() {
    for rule in Array(RxCase.differs.values) + PeerCase.all.compactMap(\.differs) {
      #expect(Int(rule.prefix { $0 != ":" }).map { (1...10).contains($0) } ?? false, "\(rule)")
    }
  }
}
