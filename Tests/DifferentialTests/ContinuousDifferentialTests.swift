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
    #expect(Self.failures(chunk, Generator.hybrid) == [])
  }

  /// The same with scopes in scopes, groups, members, delays, and crossings inside of them.
  @Test(arguments: 0..<chunks)
  func wideHybridProgramsAgree(chunk: Int) {
    #expect(Self.failures(chunk, Generator.wideHybrid) == [])
  }

  private static func failures(_ chunk: Int, _ make: @escaping @Sendable (UInt64) -> GeneratedProgram) -> [String] {
    onLargeStack { () -> [String] in
      var failures: [String] = []
      let count = Self.programs / Self.chunks
      for seed in UInt64(chunk * count)..<UInt64((chunk + 1) * count) {
        let program = make(seed)
        let compiled = Compiled(program.source)
        if compiled.core == nil { failures.append("seed \(seed) does not compile: \(compiled.problems)") }
        if let difference = Differential.check(program, turn: Int(seed)) {
          failures.append("seed \(seed): \(difference)")
        }
      }
      return failures
    }
  }

  /// Pulses of a microsecond to a second in up to an hour are found where closed forms say; the model's grid is too wide.
  @Test(arguments: 0..<6)
  func noPulseIsMissed(chunk: Int) {
    let failures = onLargeStack {
      (UInt64(chunk * 50)..<UInt64((chunk + 1) * 50)).compactMap { seed in
        Pulse(seed: seed).problem().map { "seed \(seed): \($0)" }
      }
    }
    #expect(failures == [])
  }
}
