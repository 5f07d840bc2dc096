// Diagnostics -> JSON, one object a line, for editors and CI:
//
//   {"code":"E0103","severity":"error","message":"…","label":"…","file":"a.frp",
//    "span":{"start":{"line":1,"col":6,"utf8":5},"end":{…}},"labels":[{"file","span","message"}],"notes":[…],
//    "help":[{"message","code"}],"edits":[{"file","span","text","safe"}],"explain":"frp explain E0103"}
//
// A fault has also its "definition" and when it was ("at", in seconds).
// Lines and columns count from 1, columns count Characters; `utf8` is the offset in bytes. A diagnostic without a
// place has null for file and span. Nothing is left out: warnings stay, and there is no limit.

/// Renders diagnostics in order, one JSON object a line.
public func renderJSON(_ diagnostics: [Diagnostic], sources: SourceMap) -> String {
  sortedDiagnostics(diagnostics, in: sources).map { renderJSON($0, sources: sources) + "\n" }.joined()
}

/// Renders one diagnostic as a JSON object without a line break.
public func renderJSON(_ diagnostic: Diagnostic, sources: SourceMap) -> String {
  let labels = diagnostic.labels.map { label in
    "{\(jsonPlace(label.span, sources)),\"message\":\(jsonString(label.text))}"
  }
  let helps = diagnostic.helps.map { help in
    "{\"message\":\(jsonString(help.text)),\"code\":\(help.code.map(jsonString) ?? "null")}"
  }
  let edits = diagnostic.helps.compactMap(\.edit).map { edit in
    "{\(jsonPlace(edit.span, sources)),\"text\":\(jsonString(edit.text)),\"safe\":\(edit.isSafe)}"
  }
  return [
    "{\"code\":\(jsonString(diagnostic.code.rawValue))",
    "\"severity\":\(jsonString(diagnostic.severity.rawValue))",
    "\"message\":\(jsonString(diagnostic.title))" + jsonOrigin(diagnostic),
    "\"label\":\(jsonString(diagnostic.label))",
    jsonPlace(diagnostic.span, sources),
    "\"labels\":[\(labels.joined(separator: ","))]",
    "\"notes\":[\(diagnostic.notes.map(jsonString).joined(separator: ","))]",
    "\"help\":[\(helps.joined(separator: ","))]",
    "\"edits\":[\(edits.joined(separator: ","))]",
    "\"explain\":\(jsonString("frp explain \(diagnostic.code)"))}",
  ].joined(separator: ",")
}

/// Of a fault: in which definition, and when.
private func jsonOrigin(_ diagnostic: Diagnostic) -> String {
  (diagnostic.definition.map { ",\"definition\":\(jsonString($0))" } ?? "")
    + (diagnostic.moment.map { ",\"at\":\($0)" } ?? "")
}

private func jsonPlace(_ span: Span, _ sources: SourceMap) -> String {
  guard !span.isNone, Int(span.file.raw) < sources.files.count else { return "\"file\":null,\"span\":null" }
  let source = sources[span.file]
  func position(_ offset: Int32) -> String {
    let place = source.position(at: Int(offset))
    return "{\"line\":\(place.line),\"col\":\(place.column),\"utf8\":\(offset)}"
  }
  return
    "\"file\":\(jsonString(source.name)),\"span\":{\"start\":\(position(span.start)),\"end\":\(position(max(span.start, span.end)))}"
}

/// A text as a JSON string, with its quotes.
public func jsonString(_ text: String) -> String {
  var out: [UInt8] = [0x22]
  out.reserveCapacity(text.utf8.count + 2)
  let hex = Array("0123456789abcdef".utf8)
  for byte in text.utf8 {
    switch byte {
    case 0x22: out += [0x5C, 0x22]
    case 0x5C: out += [0x5C, 0x5C]
    case 0x0A: out += [0x5C, 0x6E]
    case 0x0D: out += [0x5C, 0x72]
    case 0x09: out += [0x5C, 0x74]
    case 0..<0x20, 0x7F: out += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    default: out.append(byte)
    }
  }
  out.append(0x22)
  return String(decoding: out, as: UTF8.self)
}
