// Engine against model: the same outputs at every instant, in the same order, and faults at the same times.

import FRPCore
import FRPGraph
import FRPModel

package enum Differential {
  /// What differs for a program and a trace; nil if nothing does, or if the program does not compile.
  package static func difference(_ source: String, _ traceText: String, settings: [Optimisations] = [.all]) -> String? {
    guard let core = Compiled(source).core, let trace = TraceLine.parse(traceText) else { return nil }
    return difference(core, trace, settings: settings)
  }

  /// `settings` are what the engine is run with, once each.
  package static func difference(
    _ core: CoreProgram, _ trace: [TraceLine], until: Double? = nil, sample: Double? = 0.1,
    settings: [Optimisations] = [.all]
  ) -> String? {
    var runs: [(engine: ModelRun, optimisations: Optimisations)] = []
    for optimisations in settings {
      guard let engine = Engine.run(core, trace, until: until, sample: sample, optimisations) else {
        return "the engine has no plan\(optimisations.remark)"
      }
      // The model has no limits: it would go on for ever.
      if engine.hasMetLimit { return nil }
      runs.append((engine, optimisations))
    }
    let model = Model(core, host: HostExamples.call).run(trace, until: until, sample: sample)
    // What only the model cannot do is no difference.
    if model.faults.contains(where: { $0.message.hasPrefix("unsupported") || $0.message == "too deep" }) { return nil }
    for (engine, optimisations) in runs {
      if let difference = difference(core, model, engine) { return difference + optimisations.remark }
    }
    return nil
  }

  private static func difference(_ core: CoreProgram, _ model: ModelRun, _ engine: ModelRun) -> String? {
    let isContinuous = core.nodes.contains { node in
      switch node.op {
      case .integral, .crossing: return true
      // What a continuous output shows is sampled; `time` itself is exact.
      default: return false
      }
    }
    if isContinuous, isBeyond(model) { return nil }
    // After a cycle that the limit of micro-steps ended, the two are not compared: the engine's comparisons stay as they
    // were before the step that was undone until they change again, the model computes them anew.
    let cycle = model.faults.first { isContinuous && $0.message == "too many micro-steps" }
    let end = cycle?.seconds ?? .infinity
    let steps = isContinuous ? core.outputs.filter { !$0.isEvent && !core[$0.node].isContinuous } : []
    let names = Set(steps.map(\.name))
    if let difference = Expectations.difference(
      Expectations.withoutRepeats(model.lines.filter { $0.seconds < end }, of: names),
      Expectations.withoutRepeats(engine.lines.filter { $0.seconds < end }, of: names),
      tolerance: isContinuous ? 1e-6 : 0, ordered: !isContinuous)
    {
      return difference
    }
    let (wanted, got) = (model.faults.map(\.seconds), engine.faults.map(\.seconds))
    if wanted != got, !isContinuous {
      return
        "faults at \(wanted) (\(model.faults.first?.message ?? "")), the engine's at \(got) (\(engine.faults.first?.message ?? ""))"
    }
    return nil
  }

  /// Whether a program does what the model cannot follow: its steps are 1/256 s, so that it may miss two crossings that
  /// lie closer together, as where they come ever faster (a comparison that is pushed back across its limit, by less
  /// each time); and where values run away, so does its error. A sample less than a nanosecond from a crossing may be on
  /// either side of it.
  package static func isBeyond(_ run: ModelRun) -> Bool {
    if run.closestCrossings < 1.0 / 64 { return true }
    var last: [String: Double] = [:]
    var before = 0.0
    for line in run.lines {
      if line.seconds != before, (line.seconds - before).magnitude < 1e-9 { return true }
      before = line.seconds
      if let before = last[line.name], line.seconds - before > 1e-6, line.seconds - before < 1.0 / 64 { return true }
      last[line.name] = line.seconds
      if case .number(let text)? = JSON(line.json), let value = Double(text), text.contains("."), value.magnitude > 1e3
      {
        return true
      }
    }
    return false
  }

  /// The model's run of a generated program.
  package static func model(_ program: GeneratedProgram) -> ModelRun? {
    guard let core = Compiled(program.source).core, let trace = TraceLine.parse(program.traceText) else { return nil }
    return Model(core).run(trace)
  }

  /// What sort of difference a program shows; nil if none. Shrinking keeps to one sort.
  package static func kind(_ program: GeneratedProgram, turn: Int) -> String? {
    check(program, turn: turn).map { problem in
      if problem.hasPrefix(unreadable) { return unreadable }
      return problem.hasPrefix("line") ? (problem.contains("nothing") ? "missing" : "line") : "fault"
    }
  }

  /// The same for a core program.
  package static func check(_ core: CoreProgram, _ trace: [TraceLine], until: Double, turn: Int) -> String? {
    difference(core, trace, until: until, settings: Optimisations.settings(turn: turn))
  }

  /// Engine against model, with all optimisations, without any, and with others by turns.
  package static func check(_ program: GeneratedProgram, turn: Int) -> String? {
    let compiled = Compiled(program.source)
    // What is generated is a program: where it is refused, the checker or the generator is wrong.
    guard let core = compiled.core else { return "\(unreadable): \(compiled.problems)" }
    guard let trace = TraceLine.parse(program.traceText) else { return "\(unreadable): its trace" }
    return difference(core, trace, settings: Optimisations.settings(turn: turn))
  }

  private static let unreadable = "does not compile"
}

extension [Optimisations] {
  /// With all optimisations, and without any.
  package static var allAndNone: [Optimisations] { [.all, .none] }
}

extension Optimisations {
  /// What to run a program with, so that each optimisation is tested with all others and with no other: everything,
  /// nothing, and by turns one alone or one left out.
  static func settings(turn: Int) -> [Optimisations] {
    let one = named[turn / 2 % named.count].1
    return [.all, .none, turn % 2 == 0 ? one : all.subtracting(one)]
  }

  /// Which are on, if not all.
  fileprivate var remark: String {
    if self == .all { return "" }
    let names = Self.named.filter { contains($0.1) }.map(\.name).joined(separator: ", ")
    return " (with \(names.isEmpty ? "no optimisation" : names))"
  }
}

/// Makes failing programs small: the first smaller one that still fails, again and again.
package enum Shrinker {
  package static func shrink(
    _ program: GeneratedProgram, limit: Int = 4_000, _ fails: (GeneratedProgram) -> Bool
  ) -> GeneratedProgram {
    var best = program
    var tries = 0
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in candidates(best) {
        tries += 1
        if tries > limit { return best }
        if size(candidate) < size(best), fails(candidate) {
          best = candidate
          isSmaller = true
          break
        }
      }
    }
    return best
  }

  private static func size(_ program: GeneratedProgram) -> Int {
    program.source.utf8.count + program.traceText.utf8.count
  }

  private static func candidates(_ program: GeneratedProgram) -> [GeneratedProgram] {
    var result: [GeneratedProgram] = []
    func add(_ change: (inout GeneratedProgram) -> Void) {
      var copy = program
      change(&copy)
      result.append(copy)
    }
    if program.outputs.count > 1 {
      for output in program.outputs { add { $0.outputs = [output] } }
      for index in program.outputs.indices { add { $0.outputs.remove(at: index) } }
    }
    for index in program.definitions.indices { add { $0.definitions.remove(at: index) } }
    let half = program.trace.count / 2
    if half > 1 {
      add { $0.trace.removeFirst(half) }
      add { $0.trace.removeLast(half) }
    }
    for index in program.trace.indices { add { $0.trace.remove(at: index) } }
    for index in program.header.indices { add { $0.header.remove(at: index) } }
    for index in program.definitions.indices {
      for smaller in program.definitions[index].body.smaller { add { $0.definitions[index].body = smaller } }
      add { $0.definitions[index].annotation = "" }
    }
    for index in program.trace.indices {
      for value in program.trace[index].values.indices { add { $0.trace[index].values.remove(at: value) } }
    }
    return result
  }
}
