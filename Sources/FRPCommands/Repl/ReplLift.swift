// `:lift EXPR`: for each operator and call in an expression, whether it is computed once, at instants, or whenever
// somebody looks, and which names make it so.

import FRP
import FRPBase
import FRPSyntax

extension ReplSession {
  func lift(_ text: String) {
    guard let (program, name) = program(showing: text), let known = program.name(name) else { return }
    show(": \(known.type), \(Self.words(mode(known, program)))")
    if known.kind == .event {
      show("events are never lifted; what a function captures is read at each occurrence")
    }
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: text))
    var tree = Tree()
    _ = Parser.parseEntry(file, in: sources, into: &tree)
    var rows: [[String]] = []
    for (index, expr) in tree.exprs.enumerated() {
      guard let what = Self.lifted(expr, tree), rows.count < 24 else { continue }
      let part = sources.text(tree.span(ExprID(index)))
      guard let row = row(part, what) else { continue }
      rows.append(row)
    }
    // What is around comes before what is in it.
    rows.sort { $0[0].count > $1[0].count }
    if !rows.isEmpty { show(aligned(rows)) }
  }

  enum Mode { case plain, steps, continuous, event, function }

  private static func words(_ mode: Mode) -> String {
    switch mode {
    case .plain: "computed once: nothing in it varies"
    case .steps: "in steps: it changes only at instants"
    case .continuous: "continuous: it is computed whenever somebody looks"
    case .event: "an event: it occurs at moments"
    case .function: "a function: it is lifted where it is called with something that varies"
    }
  }

  private func mode(_ known: ReplName, _ program: ReplProgram) -> Mode {
    switch known.kind {
    case .constant: .plain
    case .behavior: program.program.isContinuous(output: known.name) ? .continuous : .steps
    case .event: .event
    case .function, .hidden: .function
    }
  }

  /// What an operator is called, if it is one that is lifted.
  private static func lifted(_ expr: Expr, _ tree: Tree) -> String? {
    switch expr {
    case .binary(let op, _, _, _): "`\(op.rawValue)`"
    case .unary: "the sign"
    case .call(let callee, _): if case .name(let name) = tree[callee] { "`\(name)`" } else { "the call" }
    case .pipe(_, let right):
      switch tree[right] {
      case .call(let callee, _): if case .name(let name) = tree[callee] { "`\(name)`" } else { "the call" }
      case .name(let name): "`\(name)`"
      default: "the call"
      }
    case .conditional: "`if`"
    case .match: "`match`"
    case .field: "the field"
    case .record, .tuple, .list, .update: "the whole"
    case .string(let parts):
      parts.contains { if case .text = $0 { false } else { true } } ? "the text" : nil
    default: nil
    }
  }

  /// `2 * speed   `*` is lifted   speed varies (at instants)`; nil where a part means nothing by itself.
  private func row(_ part: String, _ what: String) -> [String]? {
    let item = ReplItem(names: ["it"], text: "it = " + part.replacingLineBreaks())
    let program = compiled(current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    guard program.errors.isEmpty, let known = program.name("it") else { return nil }
    let varying = mentioned(in: part).compactMap { name -> String? in
      if name == "time", current.name("time") == nil { return "time" }
      guard let used = current.name(name), used.kind == .behavior else { return nil }
      return name
    }
    let why = varying.isEmpty ? "" : "over \(varying.joined(separator: ", "))"
    let line = part.split(separator: "\n").first.map(String.init) ?? part
    switch mode(known, program) {
    case .plain: return [line, "\(what) once", ""]
    case .steps: return [line, "\(what) at instants", why]
    case .continuous: return [line, "\(what) at every moment", why]
    case .event, .function: return nil
    }
  }
}
