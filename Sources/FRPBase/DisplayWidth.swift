// How wide text is on a terminal, in columns, and text made safe to print. Wide characters (East Asian, emoji) take
// two columns, combining marks none; control characters are shown escaped.

/// The columns a text takes on a terminal.
public func displayWidth(_ text: some StringProtocol) -> Int {
  var width = 0
  for character in text { width += displayWidth(of: character) }
  return width
}

func displayWidth(of character: Character) -> Int {
  if let ascii = character.asciiValue { return ascii >= 0x20 && ascii != 0x7F ? 1 : 0 }
  guard let first = character.unicodeScalars.first else { return 0 }
  let isEmoji =
    character.unicodeScalars.count > 1 && character.unicodeScalars.contains { $0.value == 0xFE0F || $0.value == 0x200D }
  if isEmoji || isWide(first.value) { return 2 }
  switch first.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format, .control: return 0
  default: return 1
  }
}

private func isWide(_ value: UInt32) -> Bool {
  switch value {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
    0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
    true
  default: false
  }
}

/// A character that can be printed: what would move the cursor, or reorder the line, becomes its escape.
func printable(_ character: Character) -> String {
  var result = ""
  for scalar in character.unicodeScalars {
    switch scalar.value {
    case 0x1B: result += "\\e"
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Text with its control characters escaped; line breaks and tabs become blanks.
public func printable(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
  var result = ""
  for character in text {
    result += character == "\n" || character == "\t" || character == "\r\n" ? " " : printable(character)
  }
  return result
}

/// Prose broken at blanks into lines of at most `width` columns; a longer word stands alone.
public func wrapped(_ text: String, width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  var lineWidth = 0
  for word in text.split(separator: " ", omittingEmptySubsequences: true) {
    let wordWidth = displayWidth(word)
    if !line.isEmpty, lineWidth + 1 + wordWidth > width {
      lines.append(line)
      line = ""
      lineWidth = 0
    }
    if !line.isEmpty {
      line += " "
      lineWidth += 1
    }
    line += word
    lineWidth += wordWidth
  }
  if !line.isEmpty || lines.isEmpty { lines.append(line) }
  return lines
}
