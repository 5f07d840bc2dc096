// A module as text without places: equal texts mean equal trees.

import FRPSyntax

package struct TreeDump {
  let tree: Tree

  package static func dump(_ tree: Tree, _ module: ModuleID) -> String {
    let dump = TreeDump(tree: tree)
    return tree.modules[module.index].items.map { id in
      (tree.itemDocs[id].map { "doc(\($0)) " } ?? "") + dump.item(id)
    }.joined(separator: "\n")
  }

  private func item(_ id: ItemID) -> String {
    switch tree[id] {
    case .definition(let definition):
      let head =
        switch definition.binder {
        case .function(let name, let parameters):
          name.text + "("
            + parameters.map { pattern($0.pattern) + ($0.type.map { ": " + type($0) } ?? "") }.joined(separator: ", ")
            + ")"
        case .value(let id): pattern(id)
        }
      return (definition.isOutput ? "output " : "") + head + (definition.type.map { ": " + type($0) } ?? "") + " = "
        + expr(definition.body)
    case .input(let name, let id, let start, let source):
      return "input \(name.text) \(type(id)) \(start.map(expr) ?? "-")" + (source.map { " from " + expr($0) } ?? "")
    case .output(let names): return "outputs \(names.map(\.text))"
    case .type(let name, let parameters, let constructors):
      let parts = constructors.map { constructor in
        constructor.name.text + "("
          + constructor.fields.map { ($0.label?.text ?? "") + ":" + type($0.type) }.joined(separator: ", ") + ")"
      }
      return "type \(name.text) \(parameters.map(\.text)) \(parts)"
    case .alias(let name, let parameters, let id): return "alias \(name.text) \(parameters.map(\.text)) \(type(id))"
    case .importModule(let name): return "import \(name.text)"
    case .test(let name, let steps): return "test \(name) " + steps.map(step).joined(separator: "; ")
    }
  }

  private func step(_ step: TestStep) -> String {
    func fields(_ with: [RecordField]) -> String {
      with.map { $0.name.text + ":" + expr($0.value) }.joined(separator: ",")
    }
    switch step {
    case .given(let input, let value, let every, let with, _):
      return "given \(input.text) \(expr(value)) \(every.map(expr) ?? "-") \(fields(with))"
    case .answer(let callee, let parameters, let value, let every, let with, _):
      let list = parameters.map(pattern).joined(separator: ", ")
      return "answer \(expr(callee))(\(list)) \(expr(value)) \(every.map(expr) ?? "-") \(fields(with))"
    case .expectAt(let subject, let moment, let value, let within, _):
      return "at \(expr(subject)) \(expr(moment)) \(expr(value)) \(within.map(expr) ?? "-")"
    case .expectMarbles(let subject, let marbles, let every, let with, _):
      return "marbles \(expr(subject)) \(expr(marbles)) \(expr(every)) \(fields(with))"
    }
  }

  private func expr(_ id: ExprID) -> String {
    func list(_ ids: [ExprID]) -> String { ids.map(expr).joined(separator: ", ") }
    switch tree[id] {
    case .missing: return "MISSING"
    case .int(let value): return "\(value)"
    case .float(let value): return "\(value)f"
    case .duration(let value): return "\(value)s"
    case .bool(let value): return "\(value)"
    case .unit: return "()"
    case .string(let parts):
      return "str("
        + parts.map { part in
          switch part {
          case .text(let text): "\"\(text)\""
          case .expr(let id): expr(id)
          }
        }.joined(separator: ", ") + ")"
    case .name(let name): return name
    case .constructor(let name): return "ctor \(name)"
    case .qualified(let module, let name): return "\(module.text)::\(name.text)"
    case .field(let base, let name): return "\(expr(base)).\(name.text)"
    case .fieldFunction(let name): return "fn.\(name.text)"
    case .operatorFunction(let op): return "fn\(op.rawValue)"
    case .call(let callee, let arguments): return "call(\(expr(callee)); \(list(arguments)))"
    case .callLabelled(let callee, let arguments):
      return "call(\(expr(callee)); " + arguments.map { $0.label.text + ": " + expr($0.value) }.joined(separator: ", ")
        + ")"
    case .pipe(let left, let right): return "(\(expr(left)) |> \(expr(right)))"
    case .unary(let op, let operand): return "\(op.rawValue)(\(expr(operand)))"
    case .binary(let op, let left, let right, _): return "(\(expr(left)) \(op.rawValue) \(expr(right)))"
    case .conditional(let condition, let then, let otherwise): return "if(\(list([condition, then, otherwise])))"
    case .match(let subject, let arms):
      return "match(\(expr(subject)); "
        + arms.map { pattern($0.pattern) + ($0.guardExpr.map { " if " + expr($0) } ?? "") + " => " + expr($0.body) }
        .joined(separator: "; ") + ")"
    case .lambda(let parameters, let body):
      return "fn(\(parameters.map(pattern).joined(separator: ", "))) => \(expr(body))"
    case .tuple(let parts): return "tuple(\(list(parts)))"
    case .paren(let inner): return "paren(\(expr(inner)))"
    case .list(let elements):
      return "["
        + elements.map { element in
          switch element {
          case .item(let id): expr(id)
          case .spread(let id): "..." + expr(id)
          }
        }.joined(separator: ", ") + "]"
    case .record(let fields):
      return "{" + fields.map { $0.name.text + ": " + expr($0.value) }.joined(separator: ", ") + "}"
    case .update(let base, let fields):
      return "{..." + expr(base)
        + fields.map { ", " + $0.path.map(\.text).joined(separator: ".") + ": " + expr($0.value) }.joined() + "}"
    case .block(let items, let value):
      return "block{" + items.map { (tree.itemDocs[$0].map { "doc(\($0)) " } ?? "") + item($0) + "; " }.joined()
        + expr(value) + "}"
    }
  }

  private func pattern(_ id: PatternID) -> String {
    switch tree[id] {
    case .missing: return "MISSING"
    case .wildcard: return "_"
    case .name(let name): return name
    case .int(let value): return "\(value)"
    case .float(let value): return "\(value)f"
    case .bool(let value): return "\(value)"
    case .unit: return "()"
    case .string(let text): return "\"\(text)\""
    case .constructor(let module, let name, let arguments):
      return (module.map { $0.text + "::" } ?? "") + name.text + "("
        + arguments.map { ($0.label?.text ?? "") + ":" + pattern($0.pattern) }.joined(separator: ", ") + ")"
    case .tuple(let parts): return "tuple(\(parts.map(pattern).joined(separator: ", ")))"
    case .record(let fields):
      return "{\(fields.map { $0.name.text + ": " + pattern($0.pattern) }.joined(separator: ", "))}"
    case .list(let parts, let rest, let index):
      let tail = if case .rest(let binder) = rest { " rest \(binder.map(pattern) ?? "-") at \(index)" } else { "" }
      return "[\(parts.map(pattern).joined(separator: ", "))\(tail)]"
    case .alternatives(let parts): return "any(\(parts.map(pattern).joined(separator: " | ")))"
    case .alias(let inner, let binder): return "(\(pattern(inner)) as \(pattern(binder)))"
    }
  }

  private func type(_ id: TypeExprID) -> String {
    switch tree[id] {
    case .missing: return "MISSING"
    case .unit: return "()"
    case .variable(let name): return name.text
    case .named(let module, let name, let arguments):
      return (module.map { $0.text + "::" } ?? "") + name.text
        + (arguments.isEmpty ? "" : "<\(arguments.map(type).joined(separator: ", "))>")
    case .tuple(let parts): return "tuple(\(parts.map(type).joined(separator: ", ")))"
    case .record(let fields): return "{\(fields.map { $0.name.text + ": " + type($0.type) }.joined(separator: ", "))}"
    case .function(let parameters, let result):
      return "fn(\(parameters.map(type).joined(separator: ", "))) -> \(type(result))"
    }
  }
}
