// Characters that change the direction of text may lie in comments and texts. They make a program look other than it is
// ("Trojan Source", CVE-2021-42574), so each line that has some gets a warning.

import FRPBase

/// A warning for each line with such characters, at the first of them. Cost: linear.
package func bidiWarnings(_ file: FileID, in sources: SourceMap) -> [Diagnostic] {
  var found: [Diagnostic] = []
  var lastLine = -1
  let source = sources[file]
  source.bytes.withUnsafeBufferPointer { bytes in
    for place in bytes.indices where bytes[place] == 0xE2 || bytes[place] == 0xD8 {
      guard let control = bidiControl(bytes, at: place) else { continue }
      let line = source.lineIndex(at: place)
      if line == lastLine { continue }
      lastLine = line
      let count = bytes[place] == 0xE2 ? 3 : 2
      found.append(
        Diagnostic(
          .directionControl, "a character here changes the direction of text: this line may look other than it is",
          at: Span(file: file, start: place, end: place + count),
          label: "\\u{\(String(control, radix: 16, uppercase: true))}",
          helps: [
            Help("take it out, or write it as an escape in a text", code: "\"\\u{\(String(control, radix: 16))}\"")
          ]))
    }
  }
  return found
}

/// The control that begins at a place: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
private func bidiControl(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt32? {
  guard place + 1 < bytes.count else { return nil }
  if bytes[place] == 0xD8 { return bytes[place + 1] == 0x9C ? 0x61C : nil }
  guard place + 2 < bytes.count else { return nil }
  switch (bytes[place + 1], bytes[place + 2]) {
  case (0x80, let last) where (0x8E...0x8F).contains(last) || (0xAA...0xAE).contains(last):
    return 0x2000 | UInt32(last & 0x3F)
  case (0x81, let last) where (0xA6...0xA9).contains(last): return 0x2040 | UInt32(last & 0x3F)
  default: return nil
  }
}
