// WebSocket's frames (RFC 6455), from both sides: bytes to messages, and messages to bytes. Texts only.
//
// Rules
// - A client masks, a server does not; who does it the other way has another protocol in mind.
// - Control frames are whole and short, and may come between the frames of a message.
// - A message has at most `limit` bytes, in however many frames; text is UTF-8.

import FRPBase

/// What came in.
package enum SocketInput: Equatable {
  case text([UInt8])
  case ping([UInt8])
  case pong
  /// With its code, where it has one.
  case close(code: Int?, reason: String)
}

/// Why a connection is closed by this side: the code that is told, and the sentence.
package struct SocketFault: Error, Equatable {
  package var code: Int
  package var sentence: String

  init(_ code: Int, _ sentence: String) { (self.code, self.sentence) = (code, sentence) }
}

/// Reads frames.
package struct SocketDecoder {
  private let isServer: Bool
  private let limit: Int
  /// The frames so far of a message that is under way.
  private var message: [UInt8]?

  package init(isServer: Bool, limit: Int) { (self.isServer, self.limit) = (isServer, limit) }

  private struct Header {
    var isLast: Bool
    var opcode: UInt8
    var mask: (UInt8, UInt8, UInt8, UInt8)?
    var start: Int
    var count: Int
  }

  /// The next that begins at `index`, which is moved past it; nil where more is needed.
  package mutating func next(_ bytes: [UInt8], at index: inout Int) throws(SocketFault) -> SocketInput? {
    while let header = try header(bytes, index), bytes.count - header.start >= header.count {
      var payload = Array(bytes[header.start..<(header.start + header.count)])
      if let mask = header.mask { Self.mask(&payload, mask) }
      index = header.start + header.count
      if header.opcode & 8 != 0 { return try control(header.opcode, payload) }
      if message == nil && header.isLast { return .text(try Self.text(payload)) }
      message = (message ?? []) + payload
      if header.isLast {
        let whole = try Self.text(message ?? [])
        message = nil
        return .text(whole)
      }
    }
    return nil
  }

  /// What is wrong with a header is found before its payload has come.
  private func header(_ bytes: [UInt8], _ index: Int) throws(SocketFault) -> Header? {
    guard bytes.count - index >= 2 else { return nil }
    let (first, second) = (bytes[index], bytes[index + 1])
    var header = Header(isLast: first & 0x80 != 0, opcode: first & 0x0F, mask: nil, start: index + 2, count: 0)
    if first & 0x70 != 0 { throw SocketFault(1002, "a frame has bits of an extension that was not agreed on") }
    if (second & 0x80 != 0) != isServer {
      throw SocketFault(1002, isServer ? "a client's frames are masked" : "a server's frames are not masked")
    }
    try check(header, short: second & 0x7F)
    let extra = second & 0x7F == 126 ? 2 : second & 0x7F == 127 ? 8 : 0
    guard bytes.count - header.start >= extra + (isServer ? 4 : 0) else { return nil }
    header.count = try Self.length(bytes[header.start..<(header.start + extra)], short: Int(second & 0x7F))
    header.start += extra
    if header.count > limit - (header.opcode & 8 == 0 ? message?.count ?? 0 : 0) {
      throw SocketFault(1009, "a message has at most \(limit) bytes")
    }
    if isServer {
      header.mask = (bytes[header.start], bytes[header.start + 1], bytes[header.start + 2], bytes[header.start + 3])
      header.start += 4
    }
    return header
  }

  private func check(_ header: Header, short: UInt8) throws(SocketFault) {
    switch header.opcode {
    case 0: if message == nil { throw SocketFault(1002, "a frame goes on with a message that has not begun") }
    case 1: if message != nil { throw SocketFault(1002, "a message begins within another") }
    case 2: throw SocketFault(1003, "messages are texts, and not binary")
    case 8, 9, 10:
      if !header.isLast || short > 125 {
        throw SocketFault(1002, "a control frame is whole, and has at most 125 bytes")
      }
    default: throw SocketFault(1002, "a frame has an unknown opcode")
    }
  }

  private static func length(_ bytes: ArraySlice<UInt8>, short: Int) throws(SocketFault) -> Int {
    if bytes.isEmpty { return short }
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    if value < (bytes.count == 2 ? 126 : 65536) || value >> 63 != 0 {
      throw SocketFault(1002, "the length of a frame is not written as shortly as it can be")
    }
    return Int(value)
  }

  private static func text(_ bytes: [UInt8]) throws(SocketFault) -> [UInt8] {
    if !isUTF8(bytes) { throw SocketFault(1007, "a text is not UTF-8") }
    return bytes
  }

  private func control(_ opcode: UInt8, _ payload: [UInt8]) throws(SocketFault) -> SocketInput {
    switch opcode {
    case 9: return .ping(payload)
    case 10: return .pong
    default:
      if payload.isEmpty { return .close(code: nil, reason: "") }
      let code = payload.count > 1 ? Int(payload[0]) << 8 | Int(payload[1]) : 0
      let isKnown = (1000...1011).contains(code) && ![1004, 1005, 1006].contains(code) || (1012...1014).contains(code)
      guard isKnown || (3000...4999).contains(code) else { throw SocketFault(1002, "a connection closes with a code") }
      guard let reason = String(validating: payload[2...], as: UTF8.self) else {
        throw SocketFault(1007, "a text is not UTF-8")
      }
      return .close(code: code, reason: reason)
    }
  }

  static func mask(_ bytes: inout [UInt8], from start: Int = 0, _ mask: (UInt8, UInt8, UInt8, UInt8)) {
    var index = start
    while index + 3 < bytes.count {
      bytes[index] ^= mask.0
      bytes[index + 1] ^= mask.1
      bytes[index + 2] ^= mask.2
      bytes[index + 3] ^= mask.3
      index += 4
    }
    if index < bytes.count { bytes[index] ^= mask.0 }
    if index + 1 < bytes.count { bytes[index + 1] ^= mask.1 }
    if index + 2 < bytes.count { bytes[index + 2] ^= mask.2 }
  }
}

/// Writes frames.
enum SocketFrame {
  static func text(_ bytes: [UInt8], mask: UInt32? = nil) -> [UInt8] { frame(1, bytes, mask) }

  /// A frame for each.
  static func texts(_ texts: [[UInt8]], mask: () -> UInt32? = { nil }) -> [UInt8] {
    var frames: [UInt8] = []
    frames.reserveCapacity(texts.reduce(0) { $0 + $1.count + 14 })
    for text in texts { add(1, text, mask(), to: &frames) }
    return frames
  }

  static func ping(mask: UInt32? = nil) -> [UInt8] { frame(9, [], mask) }
  static func pong(_ bytes: [UInt8], mask: UInt32? = nil) -> [UInt8] { frame(10, bytes, mask) }

  static func close(_ code: Int, _ reason: String, mask: UInt32? = nil) -> [UInt8] {
    // A reason that is too long is cut between two characters.
    var text = reason
    while text.utf8.count > 123 { text.removeLast() }
    return frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(text.utf8), mask)
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8], _ mask: UInt32?) -> [UInt8] {
    var frame: [UInt8] = []
    frame.reserveCapacity(payload.count + 14)
    add(opcode, payload, mask, to: &frame)
    return frame
  }

  private static func add(_ opcode: UInt8, _ payload: [UInt8], _ mask: UInt32?, to frame: inout [UInt8]) {
    frame.append(0x80 | opcode)
    let bit: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case ..<126: frame.append(bit | UInt8(payload.count))
    case ..<65536: frame += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: frame += [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    guard let mask else {
      frame += payload
      return
    }
    let key = (UInt8(mask >> 24), UInt8(mask >> 16 & 0xFF), UInt8(mask >> 8 & 0xFF), UInt8(mask & 0xFF))
    frame += [key.0, key.1, key.2, key.3]
    let start = frame.count
    frame += payload
    SocketDecoder.mask(&frame, from: start, key)
  }
}

/// What shows that a server has understood the handshake.
enum SocketHandshake {
  /// Of the key that a client has sent.
  static func accept(_ key: String) -> String {
    base64(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  /// Sixteen bytes, as they are written.
  static func isKey(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func isDigit(_ byte: UInt8) -> Bool {
      0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x2B || byte == 0x2F
    }
    return bytes.count == 24 && bytes.hasSuffix([0x3D, 0x3D]) && bytes.dropLast(2).allSatisfy(isDigit)
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).map { start + $0 < bytes.count ? Int(bytes[start + $0]) : 0 }
      let value = group[0] << 16 | group[1] << 8 | group[2]
      for place in 0..<4 { result.append(start + place > bytes.count ? 0x3D : digits[value >> (18 - 6 * place) & 63]) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The handshake asks for this one, which proves nothing, and is not asked to.
  static func sha1(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<(start + 64)], to: &hash) }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
  }

  private static func add(_ block: ArraySlice<UInt8>, to hash: inout [UInt32]) {
    func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
    var words = [UInt32](repeating: 0, count: 80)
    for index in 0..<64 { words[index / 4] = words[index / 4] << 8 | UInt32(block[block.startIndex + index]) }
    for index in 16..<80 {
      words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
    }
    var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
    for index in 0..<80 {
      let (f, k): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      (e, d, c, b, a) = (d, c, rotate(b, 30), a, rotate(a, 5) &+ f &+ e &+ k &+ words[index])
    }
    for (index, value) in [a, b, c, d, e].enumerated() { hash[index] &+= value }
  }
}

extension Array where Element: Equatable {
  fileprivate func hasSuffix(_ other: [Element]) -> Bool {
    count >= other.count && self[(count - other.count)...].elementsEqual(other)
  }
}
