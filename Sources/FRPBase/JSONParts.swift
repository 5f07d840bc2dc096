// The parts of a JSON object, without their meaning: names, and the text of each value. What is read of traces, of the prompt's
// protocol and of plug-ins is so little that no values are made.

package enum JSONParts {
  /// The fields of an object in their order; nil if the text is no object. Values are not checked beyond their extent.
  package static func object(_ text: String) -> [(name: String, json: String)]? {
    var reader = Reader(rest: text.unicodeScalars[...])
    reader.skipBlanks()
    guard reader.take("{") else { return nil }
    var fields: [(name: String, json: String)] = []
    reader.skipBlanks()
    if reader.take("}") { return reader.isAtEnd ? fields : nil }
    while true {
      reader.skipBlanks()
      guard let key = reader.value(), let name = string(key) else { return nil }
      reader.skipBlanks()
      guard reader.take(":") else { return nil }
      reader.skipBlanks()
      guard let value = reader.value(), !value.isEmpty else { return nil }
      fields.append((name, value))
      reader.skipBlanks()
      if reader.take(",") { continue }
      return reader.take("}") && reader.isAtEnd ? fields : nil
    }
  }

  /// The elements of an array; nil if the text is none.
  package static func array(_ text: String) -> [String]? {
    var reader = Reader(rest: text.unicodeScalars[...])
    reader.skipBlanks()
    guard reader.take("[") else { return nil }
    var elements: [String] = []
    reader.skipBlanks()
    if reader.take("]") { return reader.isAtEnd ? elements : nil }
    while true {
      reader.skipBlanks()
      guard let value = reader.value(), !value.isEmpty else { return nil }
      elements.append(value)
      reader.skipBlanks()
      if reader.take(",") { continue }
      return reader.take("]") && reader.isAtEnd ? elements : nil
    }
  }

  /// The text of a JSON string; nil for anything else.
  package static func string(_ json: String) -> String? {
    let quoted = json.utf8
    guard quoted.count >= 2, quoted.first == 0x22, quoted.last == 0x22 else { return nil }
    if !quoted.contains(0x5C) { return String(json.unicodeScalars.dropFirst().dropLast()) }
    var result = String.UnicodeScalarView()
    var rest = json.unicodeScalars.dropFirst().dropLast()
    var high: UInt32?
    while let next = rest.popFirst() {
      guard next == "\\" else {
        result.append(next)
        continue
      }
      switch rest.popFirst() {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "r": result.append("\r")
      case "b": result.append("\u{8}")
      case "f": result.append("\u{C}")
      case "u":
        guard let code = UInt32(String(String.UnicodeScalarView(rest.prefix(4))), radix: 16) else { return nil }
        rest = rest.dropFirst(4)
        if (0xD800..<0xDC00).contains(code) {
          high = code
        } else if let first = high, (0xDC00..<0xE000).contains(code) {
          high = nil
          if let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (code - 0xDC00)) { result.append(scalar) }
        } else if let scalar = Unicode.Scalar(code) {
          result.append(scalar)
        }
      case let other?: result.append(other)
      case nil: return nil
      }
    }
    return String(result)
  }

  private struct Reader {
    var rest: Substring.UnicodeScalarView

    var isAtEnd: Bool { rest.allSatisfy { $0.properties.isWhitespace } }

    mutating func skipBlanks() {
      while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
      guard rest.first == scalar else { return false }
      rest.removeFirst()
      return true
    }

    /// The extent of one value: up to a comma or a closing bracket outside of texts and brackets.
    mutating func value() -> String? {
      var out = String.UnicodeScalarView()
      var depth = 0
      var isInText = false
      while let next = rest.first {
        if isInText {
          if next == "\\" {
            out.append(next)
            rest.removeFirst()
            guard let escaped = rest.first else { return nil }
            out.append(escaped)
            rest.removeFirst()
            continue
          }
          if next == "\"" { isInText = false }
        } else {
          if depth == 0, next == "," || next == "}" || next == "]" || next == ":" { break }
          if next == "\"" { isInText = true }
          if next == "{" || next == "[" { depth += 1 }
          if next == "}" || next == "]" { depth -= 1 }
        }
        out.append(next)
        rest.removeFirst()
      }
      if isInText || depth != 0 { return nil }
      while let last = out.last, last.properties.isWhitespace { out.removeLast() }
      return String(out)
    }
  }
}
