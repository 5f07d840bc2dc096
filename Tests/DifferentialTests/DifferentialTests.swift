// Engine against model on random programs. A failure prints its seed; `FRPSoak shrink SEED` makes it small.

import FRPBase
import FRPCore
import FRPDifferential
import FRPModel
import Testing

@Suite struct DifferentialTests {
  static let programs = 2_000
  static let widePrograms = 320
  static let chunks = 16

  @Test(arguments: 0..<chunks)
  func engineAgreesWithModel(chunk: Int) {
    let failures = Self.failures(0..<Self.programs / Self.chunks) {
      Generator.program(seed: UInt64(chunk * 1_000_000 + $0))
    }
    #expect(failures == [])
  }

  /// The same with every form of the language.
  @Test(arguments: 0..<chunks)
  func engineAgreesWithModelInEveryForm(chunk: Int) {
    let failures = Self.failures(0..<Self.widePrograms / Self.chunks) {
      Generator.wide(seed: UInt64(chunk * 1_000_000 + $0))
    }
    #expect(failures == [])
  }

  /// Chains of operators whose functions call others.
  @Test func engineAgreesWithModelOnCallsInChains() {
    #expect(Self.failures(0..<200) { CallChains.program(UInt64($0)) } == [])
  }

  /// Every operator in the body of every kind of scope, where the instant that makes the scope changes what it reads.
  @Test(arguments: 0..<chunks)
  func engineAgreesWithModelInNewScopes(chunk: Int) {
    let size = (Nestings.count(.steps) + Self.chunks - 1) / Self.chunks
    let failures = Self.failures(chunk * size..<min((chunk + 1) * size, Nestings.count(.steps))) {
      Nestings.program(UInt64($0))
    }
    #expect(failures == [])
  }

  /// Operators of continuous time in the bodies of scopes, with jumps at located moments: a few of all pairs, each scope
  /// twice; the model is slow.
  @Test func engineAgreesWithModelOnMotionsInScopes() {
    #expect(Self.failures(0..<22) { Nestings.program(UInt64($0 * 23), about: .motions) } == [])
  }

  private static func failures(_ seeds: Range<Int>, _ make: @escaping @Sendable (Int) -> GeneratedProgram) -> [String] {
    onLargeStack { () -> [String] in
      var failures: [String] = []
      for seed in seeds {
        let program = make(seed)
        let compiled = Compiled(program.source)
        if compiled.core == nil { failures.append("seed \(program.seed) does not compile: \(compiled.problems)") }
        if let difference = Differential.check(program, turn: seed) {
          failures.append("seed \(program.seed): \(difference)")
        }
      }
      return failures
    }
  }

  /// What they are made of: every row of the table of built-ins, but for those with a reason.
  @Test func programsUseEveryBuiltin() {
    var coverage = Coverage()
    for chunk in 0..<Self.chunks {
      for seed in 0..<Self.programs / Self.chunks {
        coverage.add(Compiled(Generator.program(seed: UInt64(chunk * 1_000_000 + seed)).source))
      }
    }
    for seed in 0..<20 { coverage.add(Compiled(Generator.hybrid(seed: UInt64(seed)).source)) }
    for row in coverage.unused { #expect(Coverage.reason(row) != nil, "\(row.container).\(row.name)") }
  }

  /// The tests above would find what goes wrong: programs do show things, and some fault.
  @Test func programsAreWorthRunning() {
    let counts = onLargeStack { () -> (lines: Int, faults: Int, silent: Int) in
      var counts = (lines: 0, faults: 0, silent: 0)
      for seed in 0..<200 {
        guard let run = Differential.model(Generator.program(seed: UInt64(seed))) else { continue }
        counts.lines += run.lines.count
        counts.faults += run.faults.isEmpty ? 0 : 1
        counts.silent += run.lines.count < 2 ? 1 : 0
      }
      return counts
    }
    #expect(counts.lines > 1_000 && counts.faults > 10 && counts.silent < 60)
  }
}
