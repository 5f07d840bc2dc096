// The operations of the host as a test sees them: at which types the program calls them, and what answers the calls.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

extension Program {
  /// How a program calls an operation: the type of the arguments (a tuple of several), `Json` where its calls differ, and
  /// what the task gives or the source brings. Nil where it does not call it.
  func uses(of operation: String) -> (arguments: String, gives: String)? {
    guard let core = plan?.core, let number = host.number(of: operation) else { return nil }
    var arguments: Set<String> = []
    var gives = ""
    for index in core.exprs.indices {
      guard case .prim(.hostCall, let parts) = core.exprs[index], parts.count == 2,
        case .int(number) = core[parts[0]]
      else { continue }
      arguments.insert(core.types.describe(core.type(parts[1])))
      switch core.types[core.exprTypes[index]] {
      case .task(let type), .source(let type): gives = core.types.describe(type)
      default: break
      }
    }
    if arguments.isEmpty { return nil }
    return (arguments.count == 1 ? arguments.first ?? "" : "Json", gives)
  }
}

extension HostTable {
  func number(of operation: String) -> Int? {
    functions.firstIndex { "\($0.module).\($0.name)" == operation }
  }

  /// Parameters for a definition that answers an operation: as many as that has, by names of their own.
  func parameterList(of operation: String) -> String {
    guard let function = number(of: operation).map({ functions[$0] }) else { return "" }
    if function.parameters.isEmpty { return function.shownArguments }
    return "(\(function.parameters.indices.map { "p\($0)" }.joined(separator: ", ")))"
  }
}

/// What answers the calls of an operation, in one test: numbers of probes.
struct TestAnswer {
  var operation: String
  /// As they are written.
  var parameters: String
  var value: TestBlock.Expression
  /// Of a source: the marbles and the length of a character.
  var lane: (marbles: Int, every: Int, named: [TestBlock.Named])?

  /// The definition that answers; `moments` are those of the lane, each with its letters, `item` is the type of their values.
  func definition(
    _ name: String, parameters all: String, moments: [(nanoseconds: Int64, letters: [Character])], item: String
  ) -> ProgramCopy.Line {
    let list = parameters.isEmpty ? all : parameters
    if lane == nil {
      // Calls that are looked at have no meaning in an answer.
      let text: ProgramCopy.Part = value.hasCalls ? .made(value.text) : .written(value.text, at: value.place.start)
      return ProgramCopy.Line(parts: [.made("\(name)\(list) = ("), text, .made(")")], place: value.place)
    }
    var before: Int64 = 0
    var pairs: [String] = []
    for moment in moments {
      for letter in moment.letters {
        pairs.append("(\(Double(moment.nanoseconds - before) / 1e9), (\(text(letter, item))))")
        before = moment.nanoseconds
      }
    }
    let text = "\(name)\(list) = Source.lane([\(pairs.joined(separator: ", "))])"
    return ProgramCopy.Line(parts: [.made(text)], place: value.place)
  }

  /// What a letter stands for, as source.
  private func text(_ letter: Character, _ item: String) -> String {
    if let named = lane?.named.first(where: { $0.letter == String(letter) }) { return named.value.text }
    if item == "()" { return "()" }
    return MarbleAlphabet.json(letter, item)?.replacing("{", with: "\\{") ?? "\(letter)"
  }
}
