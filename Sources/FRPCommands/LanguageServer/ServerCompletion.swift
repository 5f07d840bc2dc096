// What may come at the cursor, as editors want it told (see CompletionPlace).

import FRP
import FRPBase

extension LanguageServer {
  func completion(_ document: Document, _ params: JSONObject) -> JSONTree {
    let offset = offset(params.object("position"), in: document.file)
    let place = CompletionPlace(document, at: offset, surroundings)
    let candidates = place.candidates()
    let items = candidates.map { candidate -> JSONTree in
      var fields: [(name: String, value: JSONTree)] = [
        ("label", .text(candidate.name)), ("kind", .int(candidate.kind.rawValue)),
        ("sortText", .text("\(candidate.rank)\(candidate.name)")),
      ]
      if !candidate.type.isEmpty { fields.append(("detail", .text(candidate.type))) }
      if !candidate.words.isEmpty {
        fields.append(("documentation", ["kind": "markdown", "value": .text(candidate.words)]))
      }
      return .object(fields)
    }
    return ["isIncomplete": false, "items": .array(items)]
  }
}
