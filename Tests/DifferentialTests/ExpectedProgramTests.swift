// The acceptance programs and the corpus, on the model and on the engine.

import FRPDifferential
import Testing

@Suite struct ExpectedProgramTests {
  @Test(arguments: ExpectedPrograms.acceptance.names, [false, true])
  func acceptance(name: String, engine: Bool) {
    #expect(ExpectedPrograms.acceptance.problem(name, engine: engine) == nil)
  }

  @Test(arguments: ExpectedPrograms.corpus.names, [false, true])
  func corpus(name: String, engine: Bool) { #expect(ExpectedPrograms.corpus.problem(name, engine: engine) == nil) }
}
