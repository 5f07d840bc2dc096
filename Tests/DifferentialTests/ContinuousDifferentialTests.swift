// Engine against model on random hybrid programs: systems of integrals with limits, resets, modes, timers and scopes.

import FRPBase
import FRPDifferential
import FRPModel
import Testing

@Suite struct ContinuousDifferentialTests {
  static let programs = 40
  static let chunks = 4

  @Test(arguments: 0..<chunks)
  func hybridProgramsAgree(chunk: Int) {
    let failures = onLargeStack { () -> [String] in
      var failures: [String] = []
      let count = Self.programs / Self.chunks
      for seed in UInt64(chunk * count)..<UInt64((chunk + 1) * count) {
        let program = Generator.hybrid(seed: seed)
        let compiled = Compiled(program.source)
        if compiled.core == nil { failures.append("seed \(seed) does not compile: \(compiled.problems)") }
        if let difference = Differential.check(program, turn: Int(seed)) {
          failures.append("seed \(seed): \(difference)")
        }
      }
      return failures
    }
    #expect(failures == [])
  }
}
