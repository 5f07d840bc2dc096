// Inputs with a source and outputs with a sink, as whoever drives a run sees them.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import FRPSema
import FRPSyntax

extension Program {
  /// The inputs that have a source in the program's text, also those of which the program needs nothing.
  package var boundInputs: [String] { inputs(of: plan?.core.bindings ?? []) }

  /// Those of them whose source a run listens to.
  package var listenedInputs: [String] { inputs(of: plan?.bindings ?? []) }

  private func inputs(of bindings: [CoreBinding]) -> [String] {
    bindings.compactMap { binding in
      if case .source(let port) = binding.kind { plan?.inputs[port].name } else { nil }
    }
  }

  /// The outputs that have a sink.
  package var boundOutputs: [String] {
    (plan?.bindings ?? []).compactMap { binding in
      if case .sink(let name) = binding.kind { name } else { nil }
    }
  }
}

extension Simulation {
  /// The sources of input behaviors whose first values are there before the start: what a run would begin with. Each is to be
  /// begun, and what it brings first given to `setStart`.
  package func sourcesThatAreThere() throws(SimulationError) -> [HostTask] {
    let behaviors = Set(
      program.listenedInputs.filter { name in program.inputs.contains { $0.name == name && !$0.isEvent } })
    if behaviors.isEmpty { return [] }
    // A run that nobody sees tells which sources the definitions come to.
    let trial = try Simulation(program, limits: limits, seed: seed)
    trial.setPlaceholders(behaviors)
    trial.start()
    return trial.tasks.filter { task in
      task.isSource && task.isThere && !task.isAnsweredElsewhere && task.port.map(behaviors.contains) == true
    }
  }

  /// What has no start value but what its source brings begins with any of its type, so that there is a start at all.
  private func setPlaceholders(_ names: Set<String>) {
    for input in plan.core.inputs where names.contains(input.name) {
      if case .inputBehavior(_, start: nil) = plan.core[input.node].op, let json = placeholder(input.type) {
        try? setStart(of: input.name, to: json)
      }
    }
  }

  /// A value of a type, as JSON; nil where none is simple.
  private func placeholder(_ type: TypeID) -> String? {
    switch plan.core.types[type] {
    case .unit, .variant: return "null"
    case .bool: return "false"
    case .int: return "0"
    case .float: return "0.0"
    case .string: return "\"\""
    case .list: return "[]"
    case .map(let key, _): return key == .string ? "{}" : "[]"
    case .tuple(let parts):
      let texts = parts.compactMap(placeholder)
      return texts.count == parts.count ? "[\(texts.joined(separator: ","))]" : nil
    case .record(let fields):
      let texts = fields.compactMap { field in placeholder(field.type).map { "\"\(field.name)\":\($0)" } }
      return texts.count == fields.count ? "{\(texts.joined(separator: ","))}" : nil
    case .function, .event, .task, .source: return nil
    }
  }

  /// What stands in a source before the start is an input's start value. Throws `unfit` if it is not of its type.
  package func setStart(of name: String, _ answer: HostAnswer) throws(SimulationError) {
    let port = try input(name)
    reactor.startValues[port] = try word(of: answer, as: plan.inputs[port].type, isItem: true)
  }
}

extension Source {
  /// The same program whose input has another source, or its output another sink: `text` in the place of what stands behind
  /// `from` or `to`, or nothing there if it is nil. Nil where the program has no such port, or an output that is only named.
  package func binding(_ name: String, isInput: Bool, to text: String?) -> Source? {
    let loaded = ModuleLoader(read: { _ in nil }).load(path: self.name, bytes: bytes)
    guard let module = loaded.tree.modules.first else { return nil }
    let tree = loaded.tree
    for item in module.items {
      // Where the declaration without its source or sink ends, and where the whole of it does.
      let before: Int
      let word: String
      switch tree[item] {
      case .input(let port, let type, let start, _) where isInput && port.text == name:
        before = Int(start.map { tree.span($0).end } ?? tree.span(type).end)
        word = "from"
      case .definition(let definition) where !isInput && definition.isOutput:
        guard case .value(let pattern) = definition.binder, case .name(name) = tree[pattern] else { continue }
        before = Int(tree.span(definition.body).end)
        word = "to"
      default: continue
      }
      let words = text.map { " \(word) (\($0))" } ?? ""
      return Source(name: self.name, bytes: bytes[..<before] + Array(words.utf8) + bytes[Int(tree.span(item).end)...])
    }
    return nil
  }
}
