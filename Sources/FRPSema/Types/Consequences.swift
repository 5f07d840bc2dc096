// Reports that something is open ("I cannot tell which `map` is meant"), where a mistake may be why.
//
// In:  the reports of a group of definitions at the margin, and of the end of a check.
// Out: the same without those, if anything in the group is a mistake or made of one.
// Rules: what is set aside counts again where nothing else is wrong, so no program is accepted for it.

import FRPBase
import FRPSyntax

extension TypeProblem {
  /// Whether it says only that nothing decides a type.
  fileprivate var saysOpen: Bool {
    switch self {
    case .ambiguous, .undecided, .unreadAnswer: true
    default: false
    }
  }
}

extension Checker {
  /// How far the reports had come, and how often a mistake had been met.
  struct Progress {
    var problems: Int
    var nameProblems: Int
    var errorsMet: Int
  }

  var progress: Progress {
    Progress(problems: problems.count, nameProblems: nameProblems.count, errorsMet: store.errorsMet)
  }

  /// Sets aside what may be no more than a consequence among the reports since some point. Cost: linear in them.
  func setAside(since start: Progress, isMistaken: Bool = false) {
    let new = problems[start.problems...]
    guard new.contains(where: \.saysOpen) else { return }
    let others = new.filter { !$0.saysOpen }
    if !isMistaken, others.isEmpty, nameProblems.count == start.nameProblems, store.errorsMet == start.errorsMet {
      return
    }
    openReports += new.filter(\.saysOpen)
    problems.replaceSubrange(start.problems..., with: others)
  }

  /// Whether an expression names a function in which a name means nothing: that may be a parameter it has lost, so who gives it
  /// more than it takes is not to be blamed.
  func mayLackParameters(_ id: ExprID) -> Bool {
    if case .function(let item) = names.references[bare(id).index] { return missesNames.contains(item) }
    return false
  }

  /// Of the whole program: what is left open at its end, and what was set aside for no mistake.
  func settleOpenReports(since start: Progress) {
    let isMistaken = problems[..<start.problems].contains { !$0.saysOpen }
    setAside(since: start, isMistaken: isMistaken || start.nameProblems > 0 || !damaged.isEmpty)
    if problems.isEmpty, nameProblems.isEmpty, damaged.isEmpty { problems = openReports }
  }
}
