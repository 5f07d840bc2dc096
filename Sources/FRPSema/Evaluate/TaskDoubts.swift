// Behaviors that functions of `andThen` and `retryWith` mention (W0408): they are read once, when the task is made, and
// who writes them may mean the value at the moment of the step. What is bound outside of the function is meant so.

import FRPBase
import FRPCore

extension Elaborator {
  /// More parts than this of such functions are not looked at.
  private static let mostParts = 20_000

  func renderReadOnce() -> [Diagnostic] {
    let captured = capturedBehaviors()
    var places: [Span] = []
    var parts = 0
    for expr in core.exprs {
      guard case .prim(let prim, let operands) = expr, prim == .taskAndThen || prim == .taskRetryWith,
        operands.count == 2, case .lambda(let lambda) = core[operands[1]]
      else { continue }
      let whole = core.span(operands[1])
      core.visit(lambda.body) { part in
        parts += 1
        if parts > Self.mostParts { return .stop }
        let span = core.span(part)
        let isMentioned = span.file == whole.file && span.start >= whole.start && span.end <= whole.end
        if isMentioned, isBehavior(core[part], captured), !places.contains(span) { places.append(span) }
        return .enter
      }
    }
    return places.map(readOnce)
  }

  private func isBehavior(_ expr: CoreExpr, _ captured: Set<LocalID>) -> Bool {
    switch expr {
    case .read(let node): if case .awaited = core[node].op { false } else { true }
    case .local(let local): captured.contains(local)
    default: false
    }
  }

  /// How functions call the behaviors outside that they mention.
  private func capturedBehaviors() -> Set<LocalID> {
    var found: Set<LocalID> = []
    var isNew = true
    while isNew {
      isNew = false
      for instance in functions.instances.values {
        for (capture, local) in zip(instance.captures, instance.captureLocals)
        where isBehavior(core[capture], found) && found.insert(local).inserted {
          isNew = true
        }
      }
    }
    return found
  }

  private func readOnce(_ span: Span) -> Diagnostic {
    let name = core.sources.text(span)
    return Diagnostic(
      .readOnce, "`\(name)` is read once, when the task is made", at: span,
      label: "not when this step runs",
      helps: [
        Help("if that is meant, name it outside of the step", code: "now = \(name)"),
        Help(
          "for its value at that moment, go on with the results",
          code: "job.results |> filterMap(ok) |> map(x => … \(name) …)"),
      ])
  }
}
