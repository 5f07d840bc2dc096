// `1 + e |> hold(0)`: `|>` binds loosest, so `hold` gets the sum. What goes wrong is said of the event and of the sum; one
// report with the parentheses is enough.

import FRPBase
import FRPSyntax

/// Adds the parentheses to reports of events that are operands of what is piped on.
func namingPipes(_ diagnostics: [Diagnostic], _ tree: Tree, sources: SourceMap) -> [Diagnostic] {
  guard diagnostics.contains(where: { $0.code == .eventAsValue }) else { return diagnostics }
  var wholes: [Span: (left: Span, help: Help)] = [:]
  for (index, expr) in tree.exprs.enumerated() {
    guard case .pipe(let left, let right) = expr, case .binary = tree[left] else { continue }
    var last = left
    while case .binary(_, _, let operand, _) = tree[last] { last = operand }
    let (whole, operand) = (tree.span(ExprID(index)), tree.span(last))
    let before = sources.text(Span(file: whole.file, start: Int(whole.start), end: Int(operand.start)))
    let code = "\(before)(\(sources.text(operand)) |> \(sources.text(tree.span(right))))"
    if code.count > 100 || code.contains("\n") { continue }
    let help = Help(
      "`|>` reaches over operators: put in parentheses what it is for", code: code, edit: .init(whole, code))
    wholes[operand] = (tree.span(left), help)
  }
  if wholes.isEmpty { return diagnostics }
  var covered: Set<Span> = []
  var result = diagnostics.map { diagnostic in
    guard diagnostic.code == .eventAsValue, let found = wholes[diagnostic.span] else { return diagnostic }
    covered.insert(found.left)
    var diagnostic = diagnostic
    diagnostic.helps.insert(found.help, at: 0)
    return diagnostic
  }
  result.removeAll { [DiagnosticCode.typeMismatch, .behaviorAsEvent].contains($0.code) && covered.contains($0.span) }
  return result
}
