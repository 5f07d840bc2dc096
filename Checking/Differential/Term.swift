// Programs as they are generated and shrunk: text with holes, each hole of a known sort. What is printed is the
// language's own text, so that a whole program goes through the whole pipeline.

/// The data types of generated programs.
package indirect enum DataSort: Hashable, Sendable {
  case unit, int, bool, string, float
  /// `{a: Int, b: String}`.
  case record
  /// `type Shape = Dot | Num(Int) | Both(x: Int, flag: Bool)`.
  case shape
  case option(DataSort)
  case list(DataSort)
  case pair(DataSort, DataSort)
  case result(DataSort, DataSort)
  /// With Int keys.
  case map(DataSort)
  case set(DataSort)
  case json

  /// The type as the language writes it.
  package var name: String {
    switch self {
    case .unit: return "()"
    case .int: return "Int"
    case .bool: return "Bool"
    case .string: return "String"
    case .float: return "Float"
    case .record: return "{a: Int, b: String}"
    case .shape: return "Shape"
    case .option(let a): return "Option<\(a.name)>"
    case .list(let a): return "List<\(a.name)>"
    case .pair(let a, let b): return "(\(a.name), \(b.name))"
    case .result(let a, let e): return "Result<\(a.name), \(e.name)>"
    case .map(let a): return "Map<Int, \(a.name)>"
    case .set(let a): return "Set<\(a.name)>"
    case .json: return "Json"
    }
  }

  /// Whether the text of a value may leave its type open.
  var isOpen: Bool {
    switch self {
    case .option, .list, .map, .set, .result: return true
    case .pair(let a, let b): return a.isOpen || b.isOpen
    default: return false
    }
  }

  /// The simplest value, as source.
  var simplest: String {
    switch self {
    case .unit: return "()"
    case .int: return "0"
    case .bool: return "false"
    case .string: return "\"\""
    case .float: return "0.0"
    case .record: return "{a: 0, b: \"\"}"
    case .shape: return "Dot"
    case .option: return "None"
    case .list: return "[]"
    case .pair(let a, let b): return "(\(a.simplest), \(b.simplest))"
    case .result(let a, _): return "Ok(\(a.simplest))"
    case .map: return "Map.empty"
    case .set: return "Set.empty"
    case .json: return "Json.Null"
    }
  }
}

/// What stands in a hole.
package enum Sort: Hashable, Sendable {
  case data(DataSort)
  case behavior(DataSort)
  case event(DataSort)
  /// A number of seconds, a count: kept as it is.
  case fixed

  /// The simplest thing of the sort.
  var simplest: String? {
    switch self {
    case .data(let type), .behavior(let type): return type.simplest
    case .event: return "never"
    case .fixed: return nil
    }
  }
}

package struct Term: Sendable {
  package var sort: Sort
  package var parts: [Part]
  /// Whether it is the function of a scope operator: what remembers in it starts anew.
  package var opensScope = false

  package indirect enum Part: Sendable {
    case text(String)
    case term(Term)
  }

  init(_ sort: Sort, _ parts: any TermPart...) {
    self.sort = sort
    self.parts = parts.map(\.part)
  }

  package var text: String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .term(let term): return term.text
      }
    }.joined()
  }

  /// How many holes there are.
  package var size: Int {
    parts.reduce(1) { sum, part in
      if case .term(let term) = part { return sum + term.size }
      return sum
    }
  }

  /// Smaller terms of the same sort: the simplest, inner ones of the sort, and this one with one part made smaller.
  package var smaller: [Term] {
    var result: [Term] = []
    if let simplest = sort.simplest, text != simplest { result.append(Term(sort, simplest)) }
    result += descendants.filter { $0.sort == sort && $0.text != text }
    for (index, part) in parts.enumerated() {
      guard case .term(let term) = part else { continue }
      for other in term.smaller {
        var copy = self
        copy.parts[index] = .term(other)
        result.append(copy)
      }
    }
    return result
  }

  private var descendants: [Term] {
    parts.flatMap { part -> [Term] in
      if case .term(let term) = part { return [term] + term.descendants }
      return []
    }
  }
}

protocol TermPart { var part: Term.Part { get } }
extension String: TermPart { var part: Term.Part { .text(self) } }
extension Term: TermPart { var part: Term.Part { .term(self) } }

/// A generated program with its trace.
package struct GeneratedProgram: Sendable {
  package struct Definition: Sendable {
    /// `d0`, or a pattern.
    package var binder: String
    /// `: Behavior<Int>`, or nothing.
    package var annotation: String
    package var body: Term
    /// The names it brings, with their sorts.
    package var names: [(name: String, sort: Sort)]
    package var text: String { "\(binder)\(annotation) = \(body.text)" }
  }

  package var seed: UInt64
  /// Types and inputs, a line each.
  package var header: [String]
  package var definitions: [Definition]
  package var outputs: [String]
  /// JSON lines, without the time.
  package var trace: [(milliseconds: Int, values: [String])]

  package var source: String {
    (header + definitions.map(\.text) + outputs.map { "output \($0)" }).joined(separator: "\n") + "\n"
  }

  package var traceText: String {
    trace.map { line in
      let at = "\"at\": \(Double(line.milliseconds) / 1000)"
      return "{\(([at] + line.values).joined(separator: ", "))}\n"
    }.joined()
  }
}
