// What callers in C pass, and what they get back: texts with a length, buffers with a capacity, places for results.
//
// Rules, the same for every function of frp.h
// - NULL with length 0 is the empty text. NULL with another length, and a length below 0, are no arguments.
// - A place for a result must be there; but `needed` of a call that can be made again need not.
// - What is wrong is said in the message of the handle that the call was given.

import FRP

extension Box {
  /// Says what is wrong with an argument.
  func refuses(_ what: String) -> Status { fails(.badArgument, what) }

  /// The bytes that a caller passes; nil, and said, where they are none.
  func bytes(_ start: UnsafePointer<UInt8>?, _ length: Int, _ what: String) -> UnsafeBufferPointer<UInt8>? {
    if let bytes = given(start, length) { return bytes }
    message = length < 0 ? "\(what) has the length \(length)" : "\(what) is NULL and has the length \(length)"
    return nil
  }

  /// A text that a caller passes; nil, and said, where it is none.
  func text(_ start: UnsafePointer<UInt8>?, _ length: Int, _ what: String) -> String? {
    guard let bytes = bytes(start, length, what) else { return nil }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    message = "\(what) is no UTF-8"
    return nil
  }

  /// Gives a text or bytes; `needed` gets the whole size.
  func give<Bytes: Collection>(
    _ bytes: Bytes, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
  ) -> Status where Bytes.Element == UInt8 {
    capacity < 0 ? refuses("the capacity is \(capacity)") : copy(bytes, buffer, capacity, needed)
  }

  /// Why what is given once cannot be given: who does not know its size has lost it.
  func cannotGiveOnce(_ capacity: Int, _ needed: UnsafeMutablePointer<Int>?) -> Status? {
    if needed == nil { return refuses("`needed` is NULL: nobody would know the size of what is given once") }
    return capacity < 0 ? refuses("the capacity is \(capacity)") : nil
  }
}

/// What a caller passes; nil where it is none.
func given<Element>(_ start: UnsafePointer<Element>?, _ count: Int) -> UnsafeBufferPointer<Element>? {
  count < 0 || (start == nil && count > 0) ? nil : UnsafeBufferPointer(start: start, count: count)
}

/// A text that a caller passes where there is no handle yet; nil where it is none.
func string(_ start: UnsafePointer<UInt8>?, _ length: Int) -> String? {
  given(start, length).flatMap { String(validating: $0, as: UTF8.self) }
}

/// Copies into a caller's buffer; `needed` gets the whole size.
func copy<Bytes: Collection>(
  _ bytes: Bytes, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Status where Bytes.Element == UInt8 {
  if capacity < 0 { return .badArgument }
  needed?.pointee = bytes.count
  if bytes.isEmpty { return .ok }
  guard let buffer, capacity >= bytes.count else { return .tooSmall }
  let isCopied: Void? = bytes.withContiguousStorageIfAvailable { bytes in
    if let start = bytes.baseAddress { buffer.update(from: start, count: bytes.count) }
  }
  if isCopied == nil { for (index, byte) in bytes.enumerated() { buffer[index] = byte } }
  return .ok
}
