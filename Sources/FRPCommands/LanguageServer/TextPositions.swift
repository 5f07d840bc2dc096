// Places of the protocol (lines from 0, and within a line bytes or units of UTF-16) and places of the compiler (bytes).
//
// A place beyond the end of a line is its end, one beyond the text is the end of the text, and one within a character is
// its start. Lines end as the protocol has it: with `\n`, `\r\n` or `\r`, which alone ends none for the compiler.

import FRPBase

/// What a place within a line counts.
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
}

/// A place of the protocol.
struct TextPosition: Equatable {
  var line: Int
  var character: Int
}

extension SourceFile {
  /// The offset of a place in bytes. Cost: the length of the line.
  func offset(of position: TextPosition, _ encoding: PositionEncoding) -> Int {
    if position.line < 0 { return 0 }
    guard position.line < editorLineStarts.count else { return bytes.count }
    let line = editorLineBytes(position.line)
    var offset = line.startIndex
    var left = position.character
    while offset < line.endIndex, left > 0 {
      let length = min(Self.length(line[offset]), line.endIndex - offset)
      let units = encoding == .utf8 ? length : length == 4 ? 2 : 1
      if units > left { break }
      left -= units
      offset += length
    }
    return offset
  }

  /// The place of an offset in bytes. Cost: the length of the line.
  func textPosition(at offset: Int, _ encoding: PositionEncoding) -> TextPosition {
    let end = min(max(offset, 0), bytes.count)
    let line = editorLineIndex(at: end)
    var place = Int(editorLineStarts[line])
    var character = 0
    while place < end {
      let length = Self.length(bytes[place])
      if place + length > end { break }
      character += encoding == .utf8 ? length : length == 4 ? 2 : 1
      place += length
    }
    return TextPosition(line: line, character: character)
  }

  /// How many bytes the character that begins with a byte has; stray bytes are characters of one byte.
  private static func length(_ byte: UInt8) -> Int {
    switch byte {
    case 0xF0...0xF7: 4
    case 0xE0...0xEF: 3
    case 0xC0...0xDF: 2
    default: 1
    }
  }
}
