// What is wrong with tests and shows only when they are compiled: with their expressions as outputs of the program.
//
// In:  a program without errors. Out: errors at the places of the tests' own expressions.
// Rules
// - A lane shows a behavior's changes, so it needs one that changes in steps.
// - Tests that answer no calls and look at none share one copy of the program, so that a file of many tests takes no more time
//   than one of a few.

import FRPBase

extension TestBlock {
  /// What is wrong with the tests of a program that has no errors itself. Cost: that of compiling the program three times.
  package static func mistakes(
    in source: Source, modules: ModuleFiles = .none, host: [HostModule] = [], limits: CheckLimits = CheckLimits()
  ) -> [Diagnostic] {
    let blocks = onLargeStack { all(in: source) }
    var copies = blocks.filter(\.needsItsOwnCopy)
    let shared = blocks.filter { !$0.needsItsOwnCopy }.flatMap(\.steps)
    if !shared.isEmpty { copies.insert(TestBlock(name: "", line: 1, steps: shared), at: 0) }
    var seen: Set<Diagnostic> = []
    return copies.flatMap { block in
      var run = TestRun(block, source, host)
      run.limits = limits
      return run.mistakes(modules).filter { seen.insert($0).inserted }
    }
  }

  /// Whether its copy of the program has inputs or definitions of its own.
  private var needsItsOwnCopy: Bool {
    steps.contains { step in
      switch step {
      case .answer: true
      case .given: false
      case .expectAt(let subject, _, let equals, _, _): subject.hasCalls || equals.hasCalls
      case .expectMarbles(let subject, _, _, _): subject.hasCalls
      }
    }
  }
}

extension TestRun {
  /// What is wrong before anything runs; nothing where even that cannot be found out, which a run of the test says.
  mutating func mistakes(_ modules: ModuleFiles) -> [Diagnostic] {
    do { try prepare(modules) } catch { return [] }
    let made = program(modules)
    // Several tests in one copy may take more work than each by itself.
    return mistakes(of: made.program, made.copy).filter { $0.code != .tooMuchWork }
  }

  func mistakes(of program: Program, _ copy: ProgramCopy) -> [Diagnostic] {
    if program.hasErrors {
      return program.diagnostics.filter { $0.severity == .error }.map { copy.told($0, words: withoutProbes) }
    }
    return lanes.compactMap { mistake(of: $0, program) }
  }

  private func mistake(of lane: Lane, _ program: Program) -> Diagnostic? {
    let output = name(lane.subject)
    guard program.isContinuous(output: output) else { return nil }
    let (place, text) = (probes[lane.subject].place, lane.subjectText)
    let isShort = text.count <= 60 && !text.contains("\n")
    let subject = isShort ? "`\(text)`" : "this"
    let type = program.outputs.first { $0.name == output }?.type ?? ""
    let isComputed = ["Bool", "Int", "String"].contains(type)
    let ticks = "every(\(lane.everyText))"
    let looks = showsStart(lane) ? "merge(start, \(ticks))" : ticks
    let shown = isShort ? text : Help.blank
    return Diagnostic(
      .continuousChanges,
      isComputed
        ? "the moments when \(subject) changes cannot be located, so no lane can show them"
        : "a lane shows what changes in steps, but \(subject) changes all the time", at: place,
      label: isComputed
        ? "it is computed from what has a new value at every moment" : "it has a new value at every moment",
      helps: [
        Help(
          "look at it at regular times", code: "sample(\(shown), \(looks))",
          edit: Help.Edit(place, "sample(\(text), \(looks))")),
        Help("look at it once", code: "expect \(shown) at \(lane.everyText) == \(Help.blank)"),
      ])
  }

  /// Whether a lane, as far as it is written out, has something at its beginning.
  private func showsStart(_ lane: Lane) -> Bool {
    let marbles = probes[lane.marbles].text
    guard marbles.contains("\""), let first = marbles.first(where: { !"#\" \n".contains($0) }) else { return false }
    return first != "-"
  }
}
