// Values of a simulation as the language writes them, for prompts: `Some("a")`, `{x: 1.0}`.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// How much there is of a value of which the beginning is shown.
package struct ValueSize {
  package var count: Int?
  package var unit: String

  /// `1000000 elements`
  package var words: String { count.map { "\($0) \(unit)" } ?? "more" }
}

extension Simulation {
  /// Whether the run is over: it was finished, or it faulted at its start.
  package var hasEnded: Bool { reactor.isOver }

  /// Bytes of all values and states.
  package var liveBytes: Int { reactor.liveBytes }

  /// The present value of an output behavior, as source.
  package func source(of name: String) throws(SimulationError) -> String {
    sourceText(try value(of: name), name)
  }

  /// The beginning of the present value of an output behavior, of about so many bytes; if that is not all, how much
  /// there is.
  package func source(
    of name: String, atMost limit: Int
  ) throws(SimulationError) -> (text: String, rest: ValueSize?) {
    let output = try output(name)
    guard case .success(let word) = reactor.value(of: output) else { return (try source(of: name), nil) }
    let type = plan.outputs[output].type
    let short = codec.source(word, type, atMost: limit)
    if short.isWhole { return (short.text, nil) }
    let unit = plan.core.types[type] == .string ? "bytes" : "elements"
    return (short.text + "…", ValueSize(count: codec.size(word, type), unit: unit))
  }

  /// The JSON of the present value of an output behavior; where it is longer than about so many bytes, its beginning
  /// and `…`.
  package func value(of name: String, atMost limit: Int) throws(SimulationError) -> String {
    let output = try output(name)
    guard case .success(let word) = reactor.value(of: output) else { return try value(of: name) }
    let short = codec.json(word, plan.outputs[output].type, atMost: limit)
    return short.isWhole ? short.text : short.text + "…"
  }

  /// What a recorded output has shown since the last call, as source.
  package func sourceOccurrences(of name: String) throws(SimulationError) -> [(time: Double, text: String)] {
    try occurrences(of: name).map { ($0.time, sourceText($0.json, name)) }
  }

  /// A value of an output, given as JSON, as source.
  package func sourceText(_ json: String, _ name: String) -> String {
    guard let type = program.plan?.outputs.first(where: { $0.name == name })?.type else { return json }
    var json = json
    return json.withUTF8 { bytes in
      guard let word = (try? codec.decodeJSON(bytes, as: type)).flatMap({ $0 }) else {
        return String(decoding: bytes, as: UTF8.self)
      }
      return codec.source(word, type)
    }
  }
}
