// What a place of a JSON text holds, as text: for who wants to know of a line when it happened, whatever its type.

import FRPCore

/// Where to look in a JSON text: `time`, `meta.time`, `times[0]`, `[1].at`.
public struct FieldPath: Sendable {
  enum Step: Sendable {
    case key([UInt8])
    case place(Int)
  }

  /// As it was written: a key with dots and brackets in it comes before a path.
  let whole: [UInt8]
  let steps: [Step]

  /// The path that a text says; any text is one.
  public init(_ text: String) {
    whole = Array(text.utf8)
    var steps: [Step] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      let places = pieces.dropFirst().map { $0.last == "]" ? Int($0.dropLast()) : nil }
      if pieces[0].isEmpty && places.isEmpty || places.contains(where: { $0.map { $0 < 0 } ?? true }) {
        self.steps = [.key(whole)]
        return
      }
      if !pieces[0].isEmpty { steps.append(.key(Array(pieces[0].utf8))) }
      steps += places.compactMap { $0 }.map(Step.place)
    }
    self.steps = steps
  }
}

extension Codec {
  /// The number or the text that a JSON text has at a path, without quotes and escapes; of a key that comes twice the last.
  /// nil if there is nothing, or something else. Valid until the next call. Cost: O(text).
  public func scalar(at path: FieldPath, in text: Bytes) -> Bytes? {
    if path.steps.count == 1, case .key = path.steps[0] { return scalar(at: path.steps[...], in: text) }
    return scalar(at: [.key(path.whole)], in: text) ?? scalar(at: path.steps[...], in: text)
  }

  private func scalar(at steps: ArraySlice<FieldPath.Step>, in text: Bytes) -> Bytes? {
    var cursor = JSONCursor(text.baseAddress ?? UnsafePointer(scalarText.bytes), text.count)
    do throws(JSONStop) {
      for step in steps {
        let isThere =
          switch step {
          case .key(let key): try cursor.goTo(key: key, &scalarText)
          case .place(let place): try cursor.goTo(place: place, &scalarText)
          }
        if !isThere { return nil }
      }
      return try cursor.scalar(&scalarText)
    } catch {
      return nil
    }
  }
}

extension JSONCursor {
  /// Goes to the value of a key, the last where it comes twice; false if this is no object, or has no such key.
  fileprivate mutating func goTo(key: [UInt8], _ scratch: inout StringBuilder) throws(JSONStop) -> Bool {
    var found: UnsafePointer<UInt8>?
    if !passes(0x7B) || passes(0x7D) { return false }
    repeat {
      let (name, isEscaped) = try string()
      if isEscaped { try unescape(name, into: &scratch) }
      let isWanted = (isEscaped ? scratch.view : name).elementsEqual(key)
      try pass(0x3A)
      skipSpace()
      if isWanted { found = at }
      try skipValue(1, &scratch)
    } while passes(0x2C)
    if let found { at = found }
    return found != nil
  }

  /// Goes to an element; false if this is no array, or has not so many.
  fileprivate mutating func goTo(place: Int, _ scratch: inout StringBuilder) throws(JSONStop) -> Bool {
    if !passes(0x5B) || passes(0x5D) { return false }
    for _ in 0..<place {
      skipSpace()
      try skipValue(1, &scratch)
      if !passes(0x2C) { return false }
    }
    skipSpace()
    return true
  }

  /// The number or text that stands here.
  fileprivate mutating func scalar(_ scratch: inout StringBuilder) throws(JSONStop) -> Bytes? {
    let start = at
    switch start.pointee {
    case 0x2D, 0x30...0x39:
      try skipValue(1, &scratch)
      return Bytes(start: start, count: at - start)
    case 0x22:
      let (text, isEscaped) = try string()
      if isEscaped { try unescape(text, into: &scratch) }
      return isEscaped ? scratch.view : text
    default: return nil
    }
  }
}
