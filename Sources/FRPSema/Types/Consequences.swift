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
    guard case .function(let item) = names.references[bare(id).index] else { return false }
    return missesNames.contains(item) || itemsWithUnknowns.contains(item)
  }

  /// The definitions at the margin in which a name means nothing, known before they are checked: a function that calls itself
  /// gives itself the parameter that it has lost. Cost: O(n log n) in definitions and such names.
  func findItemsWithUnknowns() -> Set<ItemID> {
    if names.unknowns.isEmpty { return [] }
    var found: Set<ItemID> = []
    for module in tree.modules {
      let ordered = module.items.map { (item: $0, span: tree.span($0)) }.sorted { $0.span.start < $1.span.start }
      for unknown in names.unknowns.values where unknown.name.span.file == module.file {
        let span = unknown.name.span
        var (low, high) = (0, ordered.count)
        while low < high {
          let middle = (low + high) / 2
          if ordered[middle].span.start <= span.start { low = middle + 1 } else { high = middle }
        }
        if low > 0, ordered[low - 1].span.contains(span) { found.insert(ordered[low - 1].item) }
      }
    }
    return found
  }

  /// Of the whole program: what is left open at its end, and what was set aside for no mistake.
  func settleOpenReports(since start: Progress) {
    let isMistaken = problems[..<start.problems].contains { !$0.saysOpen }
    setAside(since: start, isMistaken: isMistaken || start.nameProblems > 0 || !damaged.isEmpty)
    if problems.isEmpty, nameProblems.isEmpty, damaged.isEmpty { problems = openReports }
  }
}
