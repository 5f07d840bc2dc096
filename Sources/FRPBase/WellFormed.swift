// Whether what comes from outside is text.

/// Whether bytes are well-formed UTF-8.
package func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
  bytes.withContiguousStorageIfAvailable { isUTF8($0) } ?? (String(validating: bytes, as: UTF8.self) != nil)
}

/// Whether bytes are well-formed UTF-8; fast where they are ASCII.
package func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  var place = 0
  let raw = UnsafeRawBufferPointer(bytes)
  while place &+ 8 <= raw.count {
    if raw.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
    place &+= 8
  }
  while place < bytes.count, bytes[place] < 0x80 { place &+= 1 }
  // From there on: before it all is ASCII.
  return place == bytes.count
    || String(validating: UnsafeBufferPointer(rebasing: bytes[place...]), as: UTF8.self) != nil
}
