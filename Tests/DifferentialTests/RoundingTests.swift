// Outputs of what is rounded are shown at the moments at which they change: engine against model on random programs, and
// both against closed forms.

import FRPBase
import FRPDifferential
import FRPModel
import Testing

@Suite struct RoundingTests {
  @Test(arguments: 0..<4)
  func programsAgree(chunk: Int) {
    let (failures, compared) = onLargeStack { () -> ([String], Int) in
      var failures: [String] = []
      var compared = 0
      for seed in UInt64(chunk * 20)..<UInt64((chunk + 1) * 20) {
        let program = Generator.rounding(seed: seed)
        let compiled = Compiled(program.source)
        if compiled.core == nil { failures.append("seed \(seed) does not compile: \(compiled.problems)") }
        if let run = Differential.model(program), !Differential.isBeyond(run) { compared += 1 }
        if let difference = Differential.check(program, turn: Int(seed)) {
          failures.append("seed \(seed): \(difference)")
        }
      }
      return (failures, compared)
    }
    #expect(failures == [])
    #expect(compared >= 5, "too many are left out")
  }
}
