// Plain arguments within groups of definitions that need each other: `expr(rest, "x")` in the body of `expr`.
//
// In:  calls of the group's own functions, with arguments whose types nothing can change: texts, numbers, Bools.
// Out: reports of those that do not fit.
// Rules: they are compared when all bodies of the group are known, with what these say of the parameter. Where they say
// nothing the arguments vote: the kind that is given most often is meant. So it makes no difference which definition, or
// which call, comes first, and one wrong argument among several is the one that is named.

import FRPBase
import FRPCore
import FRPSyntax

/// An argument that is compared with its parameter when the group is done.
struct OwnUse {
  var expr: ExprID
  var type: Ty
  var parameter: Ty
  var reason: Reason
}

extension Checker {
  /// The place among the open groups of the one that a function belongs to; nil if that is done.
  func openGroup(ofCallee callee: ExprID) -> Int? {
    guard case .function(let item) = names.references[bare(callee).index], schemes[item] == nil else { return nil }
    return groupOfItem[item]
  }

  /// Whether an argument waits for its group. It does where its type is plain, and its parameter still open.
  func waits(_ argument: Argument, parameter: Ty, reason: Reason, group: Int?) -> Bool {
    guard let group, ownUsesToCompare.indices.contains(group), isPlainForm(argument.expr), store.isOpen(parameter)
    else { return false }
    let type = argument.type ?? infer(argument.expr)
    ownUsesToCompare[group].append(OwnUse(expr: argument.expr, type: type, parameter: parameter, reason: reason))
    return true
  }

  private func isPlainForm(_ id: ExprID) -> Bool {
    switch tree[bare(id)] {
    case .int, .float, .duration, .string, .bool: true
    case .unary(.negate, let operand): isPlainForm(operand)
    default: false
    }
  }

  /// Compares what waited; whether something does not fit. Cost: sorting.
  func compareOwnUses(_ uses: [OwnUse]) -> Bool {
    var votes: [Ty: [Head: Int]] = [:]
    for use in uses { votes[store.find(use.parameter), default: [:]][head(use.type), default: 0] += 1 }
    func count(_ use: OwnUse) -> Int {
      let own = votes[store.find(use.parameter)] ?? [:]
      return own.reduce(0) { $0 + (isAlike($1.key, head(use.type)) ? $1.value : 0) }
    }
    let ranked = uses.enumerated().map { (use: $1, rank: (count($1), store.isOpen($1.type) ? 0 : 1, -$0)) }
    let ordered = ranked.sorted { $0.rank > $1.rank }.map(\.use)
    return ordered.count { !require($0.expr, $0.type, is: $0.parameter, $0.reason) } > 0
  }

  /// Whether two plain types can be one: a number without a point can be a Float, too.
  private func isAlike(_ a: Head, _ b: Head) -> Bool {
    if a == b { return true }
    if case .open = a { return b == .int || b == .float }
    if case .open = b { return a == .int || a == .float }
    return false
  }
}
