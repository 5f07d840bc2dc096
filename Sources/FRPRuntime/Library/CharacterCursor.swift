// Where Characters (extended grapheme clusters, Unicode Standard Annex #29) begin and end in UTF-8.
//
// In: a text, and places between scalars in rising order. Out: whether they part two Characters.
// Rules
// - No rule of the annex looks over a base to its left, such as a letter of ASCII: where one is near, Characters are counted from
//   there, else from the last place that parted two.
// - Whatever the places, a text is gone through a few times at most; a step is counted for 64 bytes.

import FRPGraph

struct CharacterCursor {
  private let text: Bytes
  /// A place that parts two Characters.
  private var known: Int

  private static let nearby = 64

  init(_ text: Bytes, from known: Int = 0) { (self.text, self.known) = (text, known) }

  /// Whether no Character stands on both sides of a place. A line feed counts by itself after a carriage return: who splits at
  /// line feeds means it. Cost: O(1) beside ASCII or near a base.
  mutating func parts(at place: Int, _ m: Machine) throws(Fault) -> Bool {
    guard place > 0, place < text.count else { return true }
    if text[place - 1] < 0x80, text[place] < 0x80 { return true }
    return try begin(ofCharacterAt: place, m) == place
  }

  /// The next place after one that parts two Characters. Cost: O(the Character there).
  mutating func next(after place: Int, _ m: Machine) throws(Fault) -> Int {
    let begin = try begin(ofCharacterAt: place, m)
    var reach = Self.nearby
    while true {
      let limit = scalar(from: min(text.count, place + reach))
      var end = begin
      for size in try sizes(begin, limit, m) {
        end += size
        if end > place { break }
      }
      // What ends where the look does may go on.
      if end < limit || limit == text.count {
        known = end
        return end
      }
      reach *= 2
    }
  }

  /// The place of so many Characters behind one that parts two, or the end of the text. Cost: O(these Characters), with a step
  /// for each.
  func skip(_ count: Int, from start: TextPlace, _ m: Machine) throws(Fault) -> TextPlace {
    var place = start
    let end = start.character + count
    var reach = Self.nearby
    while place.character < end, place.byte < text.count {
      let from = place
      let limit = scalar(from: min(text.count, from.byte + reach))
      for character in String(decoding: Bytes(rebasing: text[from.byte..<limit]), as: UTF8.self) {
        let next = place.byte + character.utf8.count
        // What ends where the look does may go on.
        if place.character == end || next == limit && limit < text.count { break }
        try m.step()
        place = TextPlace(byte: next, character: place.character + 1)
      }
      let isMore = place.character > from.character
      reach = isMore ? min(Machine.stretch, 4 * (end - place.character) + Self.nearby) : 2 * reach
    }
    return place
  }

  /// The place of so many Characters before one that parts two; nil where no base is near, so that it is to be counted from the
  /// start. Cost: O(these Characters), with a step or two for each.
  func back(_ count: Int, from end: TextPlace, _ m: Machine) throws(Fault) -> TextPlace? {
    var place = end
    while place.character > end.character - count {
      // A base may go on with what stands before it.
      var (begin, next) = (place.byte, place.byte - 1)
      while next < begin {
        guard next <= Self.nearby || base(before: next) != nil else { return nil }
        begin = next
        var cursor = CharacterCursor(text)
        next = try cursor.begin(ofCharacterAt: begin, m)
      }
      place = TextPlace(byte: begin, character: place.character - 1)
    }
    return place
  }

  /// Where the Character begins that has the scalar at a place.
  private mutating func begin(ofCharacterAt place: Int, _ m: Machine) throws(Fault) -> Int {
    let from = base(before: place) ?? known
    var begin = from
    for size in try sizes(from, scalar(from: place + 1), m) {
      if begin + size > place { break }
      begin += size
    }
    // A base may itself go on with what stands before it.
    if begin > from { known = begin }
    return begin
  }

  /// A base that stands before a place and near it, where the known place is not nearer.
  private func base(before place: Int) -> Int? {
    var low = place
    while low > known, place - low < Self.nearby {
      low -= 1
      while low > known, text[low] & 0xC0 == 0x80 { low -= 1 }
      if low > known, isBase(low) { return low }
    }
    return nil
  }

  /// The sizes in bytes of the Characters in a part of the text.
  private func sizes(_ from: Int, _ to: Int, _ m: Machine) throws(Fault) -> some Sequence<Int> {
    try RoutineTable.stepBytes(m, to - from)
    return String(decoding: Bytes(rebasing: text[from..<to]), as: UTF8.self).lazy.map(\.utf8.count)
  }

  /// The first place from one on at which a scalar begins.
  private func scalar(from place: Int) -> Int {
    var place = place
    while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 }
    return place
  }

  /// Whether the scalar there is certainly a base: ASCII, Latin-1, Greek, Cyrillic, kana, ideographs, syllables of Hangul, emoji
  /// without the letters of flags and the tones of skin.
  private func isBase(_ place: Int) -> Bool {
    switch text[place] {
    case 0..<0x80, 0xC3, 0xCE, 0xCF, 0xD0, 0xD1, 0xE4...0xE9, 0xEB, 0xEC: true
    case 0xE3: text[place + 1] == 0x81 || text[place + 1] == 0x83
    case 0xF0:
      switch (text[place + 1], text[place + 2]) {
      case (0x9F, 0x8C...0x8E), (0x9F, 0x90...0x9B), (0x9F, 0xA4...0xA7): true
      default: false
      }
    default: false
    }
  }
}
