// What is said when a program needs more work than checking may take: which definition grows, and how to write it so that
// it does not.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  /// So often a function must have been put in to be the one that grows.
  private static let oftenPutIn = 500

  /// Takes the work for a list of so many elements; false once there is none left.
  func spendList(_ count: Int) -> Bool { budget.spend(1 + count / 8, bytes: count * 16) }

  func tooMuchWork(_ limit: CheckBudget.Limit) -> Diagnostic {
    let notes = [limit.note, "What makes events or memory is put in at every call, with all that it calls in turn."]
    if let (name, span, count) = mostPutIn() {
      return Diagnostic(
        .tooMuchWork, "`\(name)` grows: checking this program takes too much work", at: span,
        label: "put into the program \(count) times so far", notes: notes,
        helps: [
          Help("make what is used twice once, under a name", code: "half = f(e); merge(half, half)"),
          Help("make one for each member of a list", code: "list |> each(.key, member => …)"),
        ])
    }
    let (name, span) = lastDefinition()
    return FRPSema.tooMuchWork(limit, name, at: span)
  }

  /// The function of the program that was put in most often.
  private func mostPutIn() -> (name: String, span: Span, count: Int)? {
    let functions = unfolding.running.filter { !$0.key.isLambda }
    let most = functions.max { ($0.value.total, $1.key.item) < ($1.value.total, $0.key.item) }
    guard let most, most.value.total >= Self.oftenPutIn,
      case .definition(let definition) = program.tree[ItemID(Int(most.key.item))],
      case .function(let name, _) = definition.binder
    else { return nil }
    return (name.text, name.span, most.value.total)
  }

  /// The definition that was being made.
  private func lastDefinition() -> (name: String, span: Span) {
    let name = context.definition
    for file in program.tree.modules {
      for item in file.items {
        guard case .definition(let definition) = program.tree[item], case .value(let pattern) = definition.binder,
          Printer.text(of: pattern, of: program.tree, in: program.sources) == name
        else { continue }
        return (name, program.tree.span(pattern))
      }
    }
    return (name, core.nodes.last?.span ?? .none)
  }
}

/// What is said of a definition that grows beyond what checking may take; also by what comes after elaboration.
package func tooMuchWork(_ limit: CheckBudget.Limit, _ name: String, at span: Span) -> Diagnostic {
  Diagnostic(
    .tooMuchWork, "\(name.isEmpty ? "this" : "`\(name)`") grows: checking this program takes too much work", at: span,
    label: "what this is made of has no end, or doubles at every step", notes: [limit.note],
    helps: [Help("make it while the program runs: a function without memory is called, not put in")])
}

extension Checker {
  func tooMuchWork(_ limit: CheckBudget.Limit) -> Diagnostic {
    let name = lastItem.flatMap(definedName)
    return Diagnostic(
      .tooMuchWork, "\(name.map { "`\($0)`" } ?? "this") grows: checking this program takes too much work",
      at: lastItem.map(nameSpan) ?? .none, label: "its type, or what must be found out about it, grows at every step",
      notes: [limit.note], helps: [Help("write down its type, or the types of its parameters")])
  }
}

extension CheckBudget.Limit {
  /// Which of the limits was met, and who sets it.
  fileprivate var note: String {
    switch self {
    case .steps: "The limit on the steps of checking was met; on the command line --limit steps=1e8 allows more."
    case .memory: "The limit on the memory of checking was met; on the command line --limit memory=4GiB allows more."
    case .depth: "What it is made of is nested too deeply: the thread's stack is nearly full."
    case .seconds: "The limit on the time of checking was met; on the command line --limit instant=5min allows more."
    }
  }
}
