// Where Characters (extended grapheme clusters, Unicode Standard Annex #29) begin and end in UTF-8.
//
// In: bytes of a text. Out: whether a place between two scalars parts two Characters.
// Rules: no rule of the annex looks over a base to its left, such as a letter of ASCII; so a look reads back to the nearest.

import FRPGraph

enum CharacterBoundaries {
  /// Whether no Character stands on both sides of a place. A line feed counts by itself after a carriage return: who splits at
  /// line feeds means it. Cost: O(1), but for scripts without blanks that are no bases here.
  static func isOne(_ text: Bytes, at place: Int) -> Bool {
    guard place > 0, place < text.count else { return true }
    if text[place - 1] < 0x80, text[place] < 0x80 { return true }
    var low = place
    repeat { low = start(text, of: low - 1) } while low > 0 && !isBase(text, low)
    var high = place + 1
    while high < text.count, text[high] & 0xC0 == 0x80 { high += 1 }
    for character in String(decoding: Bytes(rebasing: text[low..<high]), as: UTF8.self) {
      low += character.utf8.count
      if low >= place { return low == place }
    }
    return true
  }

  private static func start(_ text: Bytes, of place: Int) -> Int {
    var place = place
    while place > 0, text[place] & 0xC0 == 0x80 { place -= 1 }
    return place
  }

  /// Whether the scalar there is certainly a base: ASCII, Latin-1, Greek, Cyrillic, kana, ideographs, syllables of Hangul.
  private static func isBase(_ text: Bytes, _ place: Int) -> Bool {
    switch text[place] {
    case 0..<0x80, 0xC3, 0xCE, 0xCF, 0xD0, 0xD1, 0xE4...0xE9, 0xEB, 0xEC: true
    case 0xE3: text[place + 1] == 0x81 || text[place + 1] == 0x83
    default: false
    }
  }
}
