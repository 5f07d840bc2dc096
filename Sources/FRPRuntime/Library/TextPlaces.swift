// Where Characters of long texts begin, for texts that are not ASCII: `get(s, i)` for every i goes through s once.
//
// What is known belongs to a text as an object of the heap. It keeps no text: where a text goes at a collection its
// places are forgotten, and nobody can ask for them again. What is known of a text that grows is known of the longer one:
// every place within a text that parts two Characters still does when something follows, only its end may not. Its row stays in the order of use, so that which text is forgotten for
// another, and with that the steps of a program, does not depend on when memory was collected.

import FRPGraph

/// A place that parts two Characters: how many bytes and Characters stand before it.
struct TextPlace {
  var byte = 0
  var character = 0
}

final class TextPlaces {
  private struct Row {
    /// 0 where it is gone.
    var text: Word
    /// The bytes before every Character whose number is a multiple of `distance`, as far as they have been passed.
    var bytes = [0]
    /// The place that was asked for last.
    var last = TextPlace()
  }

  /// Places nearer to the start of a text are counted from there.
  static let distance = 128
  /// How many texts are known: those that are gone through side by side.
  private static let most = 4
  /// What was asked for last is the first.
  private var rows: [Row] = []

  init(_ heap: Heap) {
    heap.followers.append { [weak self] newPlace in self?.follow(newPlace) }
  }

  private func follow(_ newPlace: (Word) -> Word?) {
    for place in rows.indices where rows[place].text != 0 {
      if let text = newPlace(rows[place].text) { rows[place].text = text } else { rows[place] = Row(text: 0) }
    }
  }

  /// Where a Character begins, or the end of the text. Cost: O(`distance`) behind what has been passed before, of which all is
  /// passed once; O(the Characters between) behind the place that was asked for last.
  func find(_ index: Int, in text: Word, _ m: Machine) throws(Fault) -> TextPlace {
    // Steps may collect, but what a routine has in variables stays where it is.
    var row = take(text)
    defer { rows.insert(row, at: 0) }
    let cursor = CharacterCursor(m.heap.bytes(text))
    var place = try known(index, &row, cursor, m)
    if place.character...index ~= row.last.character { place = row.last }
    row.last = try cursor.skip(index - place.character, from: place, m)
    return row.last
  }

  /// The last place before a Character that is a multiple of `distance`, with those before it.
  private func known(
    _ index: Int, _ row: inout Row, _ cursor: CharacterCursor, _ m: Machine
  ) throws(Fault) -> TextPlace {
    while true {
      let number = min(index / Self.distance, row.bytes.count - 1)
      let place = TextPlace(byte: row.bytes[number], character: number * Self.distance)
      if index - place.character < Self.distance { return place }
      let next = try cursor.skip(Self.distance, from: place, m)
      if next.character < place.character + Self.distance { return next }
      row.bytes.append(next.byte)
    }
  }

  /// The row of a text, out of the order.
  private func take(_ text: Word) -> Row {
    if let place = rows.firstIndex(where: { $0.text == text }) { return rows.remove(at: place) }
    if rows.count == Self.most { rows.removeLast() }
    return Row(text: text)
  }
  /// Of a text of so many bytes that has grown: what is known of it belongs to the longer one.
  fileprivate func pass(_ text: Word, bytes: Int, to longer: Word) {
    guard let place = rows.firstIndex(where: { $0.text == text }) else { return }
    rows[place].text = longer
    if rows[place].bytes.last == bytes { rows[place].bytes.removeLast() }
    if rows[place].last.byte == bytes { rows[place].last = TextPlace() }
  }
}

extension Machine {
  /// Counts the Characters of a text that has grown, where those of its first part are counted, and passes on where they begin
  /// if nothing else was put behind that part. Cost: O(what was appended), with a step for each Character of it.
  func passCharacters(of first: Word, _ wasNewest: Bool, to text: Word) throws(Fault) {
    let bytes = heap.byteCount(first)
    if let count = heap.knownCount(first) {
      // The last Character may go on in what follows.
      let last = try lastCharacter(first, TextPlace(byte: bytes, character: count))
      let end = try CharacterCursor(heap.bytes(text)).skip(heap.byteCount(text) - last.byte, from: last, self)
      text.address[2] = UInt64(end.character)
    }
    if wasNewest { library.places.pass(first, bytes: bytes, to: text) }
  }

  /// Where the last Character of a text begins.
  private func lastCharacter(_ text: Word, _ end: TextPlace) throws(Fault) -> TextPlace {
    if heap.isASCII(text) { return TextPlace(byte: end.byte - 1, character: end.character - 1) }
    if let place = try CharacterCursor(heap.bytes(text)).back(1, from: end, self) { return place }
    return try library.places.find(end.character - 1, in: text, self)
  }
}
