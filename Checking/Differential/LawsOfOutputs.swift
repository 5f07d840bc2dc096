// That nothing which another output does makes a difference.

import FRPBase
import FRPCore
import FRPModel

extension Law {
  /// Outputs elsewhere change nothing: some are taken away, others are added, and what the rest shows stays the same until
  /// something faults: bit for bit, or, where rates read comparisons along which something may slide, to the solver's error,
  /// since those are one system with it.
  static let alone = Law("outputs elsewhere change nothing", section: 2) { seed in
    var random = Random(seed: seed ^ 0xA10E)
    let makers = [Generator.hybrid, Generator.sliding, Generator.wideHybrid, Generator.program]
    let program = makers[Int(seed % 4)](seed)
    let tolerance = seed % 4 == 1 ? 1e-9 : 0
    var outputs = program.outputs
    random.shuffle(&outputs)
    let kept = outputs.prefix(random.within(1...max(1, outputs.count / 2)))
    var more = program.definitions.filter(\.isValue).flatMap(\.names).map(\.name).filter { !kept.contains($0) }
    random.shuffle(&more)
    var other = program
    other.outputs = Array(kept + more.prefix(random.below(more.count + 1)))
    guard let wanted = run(program), let got = run(other) else {
      return .broken("does not compile: \(Compiled(other.source).problems)\n\(other.source)")
    }
    if wanted.hasMetLimit || got.hasMetLimit { return .skipped }
    // An instant that faults has not happened, for any output.
    let end = (wanted.faults + got.faults).map(\.seconds).min() ?? .infinity
    var isSilent = true
    for name in kept {
      let lines = [wanted, got].map { $0.lines.filter { $0.name == name && $0.seconds < end } }
      if lines[0].count > 1 { isSilent = false }
      if lines[0] == lines[1] { continue }
      let difference = Expectations.difference(lines[0], lines[1], tolerance: tolerance)
      if difference == nil, tolerance > 0 { continue }
      let problem = difference ?? "\(name) differs in its last bits"
      return .broken("with \(other.outputs): \(problem)\n\(program.source)\(program.traceText)")
    }
    return isSilent ? .skipped : .holds
  }
}
