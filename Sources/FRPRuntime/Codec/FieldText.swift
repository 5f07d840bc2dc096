// What a key of a JSON object holds, as text: for who wants to know of a line when it happened, whatever its type.

import FRPCore

extension Codec {
  /// The number or the text that a JSON object has under a key, without quotes and escapes; the last where it comes twice.
  /// nil if the text is no object, has no such key, or it holds something else. Valid until the next call. Cost: O(text).
  public func scalar(ofKey key: [UInt8], in text: Bytes) -> Bytes? {
    var cursor = JSONCursor(text.baseAddress ?? UnsafePointer(scalarText.bytes), text.count)
    do throws(JSONStop) { return try cursor.scalar(ofKey: key, &scalarText) } catch { return nil }
  }
}

extension JSONCursor {
  fileprivate mutating func scalar(ofKey key: [UInt8], _ scratch: inout StringBuilder) throws(JSONStop) -> Bytes? {
    var found: (start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>)?
    if !passes(0x7B) || passes(0x7D) { return nil }
    repeat {
      let (name, isEscaped) = try string()
      if isEscaped { try unescape(name, into: &scratch) }
      let isWanted = (isEscaped ? scratch.view : name).elementsEqual(key)
      try pass(0x3A)
      skipSpace()
      let start = at
      try skipValue(1, &scratch)
      if isWanted { found = (start, at) }
    } while passes(0x2C)
    guard let (start, end) = found else { return nil }
    switch start.pointee {
    case 0x2D, 0x30...0x39: return Bytes(start: start, count: end - start)
    case 0x22:
      at = start
      let (text, isEscaped) = try string()
      if isEscaped { try unescape(text, into: &scratch) }
      return isEscaped ? scratch.view : text
    default: return nil
    }
  }
}
