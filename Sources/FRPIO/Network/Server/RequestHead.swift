// The head of a request: from bytes that a stranger has sent to a value, or to the status and the sentence that refuse it.
//
// Rules (RFC 9112, and of two readings the one that no other server takes for something else)
// - Lines end with CR LF. A header's name ends at its colon; nothing is folded; there are no control characters.
// - The length of a body is said once: by one Content-Length of digits, or by `Transfer-Encoding: chunked`, not by both.
// - A head has at most `limit` bytes, and is looked at once, however slowly it comes.

/// Why a request is not served.
package struct Refusal: Error, Equatable {
  package var status: Int
  package var sentence: String

  init(_ status: Int, _ sentence: String) { (self.status, self.sentence) = (status, sentence) }
}

package struct RequestHead: Equatable {
  package enum BodyLength: Equatable { case none, bytes(Int), chunked }

  var method = ""
  /// Decoded, and without the query.
  var path = ""
  /// As it was sent.
  var query = ""
  var isOld = false
  var keepsAlive = true
  package var body = BodyLength.none
  var expectsContinue = false
  var host: String?
  var origin: String?
  var accept = ""
  /// Whether a body may come as zlib writes it.
  var takesDeflate = false
  var noneMatch: String?
  var contentType = ""
  var contentEncoding = ""
  /// What a WebSocket's client says.
  var isUpgrade = false
  var socketVersion = ""
  var socketKey = ""
  /// How many bytes it had.
  package var count = 0

  package static let limit = 16 << 10
  private static let targetLimit = 8 << 10
  private static let headerLimit = 100
}

/// Finds the end of a head in bytes that come one after the other.
package struct HeadScanner {
  /// How many bytes after the start have been looked at.
  private var scanned = 0

  package init() {}

  /// The head that begins at `start`, once all of it is there.
  package mutating func next(_ bytes: [UInt8], from start: Int) throws(Refusal) -> RequestHead? {
    var index = start + scanned
    while index < bytes.count {
      guard bytes[index] == 0x0A else {
        index += 1
        continue
      }
      if index == start || bytes[index - 1] != 0x0D { throw Refusal(400, "a line ends with CR LF") }
      if index >= start + 3, bytes[index - 2] == 0x0A {
        scanned = 0
        if index - start >= RequestHead.limit { break }
        var head = try RequestHead(bytes[start...index])
        head.count = index + 1 - start
        return head
      }
      index += 1
    }
    scanned = bytes.count - start
    if scanned >= RequestHead.limit {
      throw Refusal(431, "the head of a request has at most \(RequestHead.limit) bytes")
    }
    return nil
  }
}

extension RequestHead {
  /// All of a head, with the empty line that ends it.
  init(_ bytes: ArraySlice<UInt8>) throws(Refusal) {
    var lines = HeadLines(bytes)
    guard var first = try lines.next() else {
      throw Refusal(400, "a request begins with a line of method, path and version")
    }
    // An empty line before a request is passed over, as a courtesy to old clients.
    if first.isEmpty { first = try lines.next() ?? first }
    try setRequestLine(first)
    var (count, fields) = (0, Fields())
    while let line = try lines.next(), !line.isEmpty {
      count += 1
      if count > Self.headerLimit { throw Refusal(431, "a request has at most \(Self.headerLimit) headers") }
      try fields.add(line, to: &self)
    }
    try fields.finish(&self)
  }

  private mutating func setRequestLine(_ line: ArraySlice<UInt8>) throws(Refusal) {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(HTTPText.isToken) else {
      throw Refusal(400, "a request begins with a line of method, path and version")
    }
    method = String(decoding: parts[0], as: UTF8.self)
    switch String(decoding: parts[2], as: UTF8.self) {
    case "HTTP/1.1": break
    case "HTTP/1.0": (isOld, keepsAlive) = (true, false)
    case let version where version.hasPrefix("HTTP/"): throw Refusal(505, "HTTP/1.1 is spoken here")
    default: throw Refusal(400, "a request begins with a line of method, path and version")
    }
    if parts[1].count > Self.targetLimit { throw Refusal(414, "a path has at most \(Self.targetLimit) bytes") }
    try setTarget(parts[1])
  }

  private mutating func setTarget(_ target: ArraySlice<UInt8>) throws(Refusal) {
    guard target.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x23 }) else {
      throw Refusal(400, "a path has other characters only as %XX")
    }
    var rest = target
    if rest.first != 0x2F {
      // http://host/path, as proxies write it.
      let text = HTTPText.lower(String(decoding: rest.prefix(8), as: UTF8.self))
      let scheme = text.hasPrefix("http://") ? 7 : text.hasPrefix("https://") ? 8 : 0
      let slash = scheme > 0 ? rest.dropFirst(scheme).firstIndex(where: { $0 == 0x2F || $0 == 0x3F }) : nil
      guard let slash, rest[slash] == 0x2F else { throw Refusal(400, "a path begins with `/`") }
      rest = rest[slash...]
    }
    let mark = rest.firstIndex(of: 0x3F) ?? rest.endIndex
    guard let path = HTTPText.decoded(rest[..<mark], plusIsBlank: false) else {
      throw Refusal(400, "what stands for %XX in a path is not UTF-8")
    }
    self.path = path
    query = mark < rest.endIndex ? String(decoding: rest[(mark + 1)...], as: UTF8.self) : ""
  }
}

/// Lines up to the empty one.
private struct HeadLines {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() throws(Refusal) -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: 0x0A) else { return nil }
    guard end > rest.startIndex, rest[end - 1] == 0x0D else { throw Refusal(400, "a line ends with CR LF") }
    defer { rest = rest[(end + 1)...] }
    return rest[rest.startIndex..<(end - 1)]
  }
}

/// What headers say, before it is known whether they fit together.
private struct Fields {
  private var length: Int?
  private var isChunked = false
  private var hosts = 0
  private var asksForUpgrade = false
  private var isWebSocket = false

  mutating func add(_ line: ArraySlice<UInt8>, to head: inout RequestHead) throws(Refusal) {
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
      line[..<colon].allSatisfy(HTTPText.isToken)
    else { throw Refusal(400, "a header is a name, a colon and a value") }
    let value = HTTPText.trimmed(line[(colon + 1)...])
    if value.contains(where: HTTPText.isForbidden) { throw Refusal(400, "a header has no control characters") }
    switch HTTPText.lower(String(decoding: line[..<colon], as: UTF8.self)) {
    case "content-length": try setLength(value)
    case "transfer-encoding": try setEncoding(value)
    case "host":
      hosts += 1
      head.host = String(decoding: value, as: UTF8.self)
    case "connection": setConnection(value, &head)
    case "upgrade": isWebSocket = HTTPText.tokens(value).contains("websocket")
    case "expect":
      if HTTPText.lower(String(decoding: value, as: UTF8.self)) != "100-continue" {
        throw Refusal(417, "only 100-continue can be expected")
      }
      head.expectsContinue = true
    case let name: setOther(name, String(decoding: value, as: UTF8.self), &head)
    }
  }

  private func setOther(_ name: String, _ value: String, _ head: inout RequestHead) {
    switch name {
    case "origin": head.origin = value
    case "accept": head.accept += value
    case "accept-encoding": head.takesDeflate = head.takesDeflate || HTTPText.isAccepted("deflate", value)
    case "if-none-match": head.noneMatch = value
    case "content-type": head.contentType = HTTPText.lower(value)
    case "content-encoding": head.contentEncoding = HTTPText.lower(value)
    case "sec-websocket-version": head.socketVersion = value
    case "sec-websocket-key": head.socketKey = value
    default: break
    }
  }

  private mutating func setLength(_ value: ArraySlice<UInt8>) throws(Refusal) {
    guard length == nil, 1...18 ~= value.count, value.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      throw Refusal(400, "Content-Length is one number")
    }
    length = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func setEncoding(_ value: ArraySlice<UInt8>) throws(Refusal) {
    if isChunked || HTTPText.lower(String(decoding: value, as: UTF8.self)) != "chunked" {
      throw Refusal(501, "the only Transfer-Encoding is chunked")
    }
    isChunked = true
  }

  private mutating func setConnection(_ value: ArraySlice<UInt8>, _ head: inout RequestHead) {
    for token in HTTPText.tokens(value) {
      switch token {
      case "close": head.keepsAlive = false
      case "upgrade": asksForUpgrade = true
      default: break
      }
    }
  }

  func finish(_ head: inout RequestHead) throws(Refusal) {
    if hosts > 1 || hosts == 0 && !head.isOld { throw Refusal(400, "a request names one Host") }
    if isChunked && (length != nil || head.isOld) {
      throw Refusal(400, "the length of a body is said once: by Content-Length, or by chunks")
    }
    head.body = isChunked ? .chunked : (length ?? 0) > 0 ? .bytes(length ?? 0) : .none
    head.isUpgrade = asksForUpgrade && isWebSocket
  }
}

extension HTTPText {
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return rest
  }

  /// What stands between commas, in lower case.
  static func tokens(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: 0x2C).map { lower(String(decoding: trimmed($0), as: UTF8.self)) }
  }

  /// Whether a list of codings, as Accept-Encoding has it, lets one in: it is named, and its weight is not 0.
  static func isAccepted(_ coding: String, _ list: String) -> Bool {
    tokens(Array(list.utf8)[...]).contains { item in
      let parts = item.split(separator: ";").map { trimmed(Array($0.utf8)[...]) }.map {
        String(decoding: $0, as: UTF8.self)
      }
      guard parts.first == coding else { return false }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      return weight.map { (Double($0.dropFirst(2)) ?? 0) > 0 } ?? true
    }
  }

  /// What `%XX` stands for; nil where that is not UTF-8, contains a NUL, or is not well written.
  static func decoded(_ bytes: some Collection<UInt8>, plusIsBlank: Bool) -> String? {
    var result: [UInt8] = []
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      guard byte == 0x25 else {
        result.append(plusIsBlank && byte == 0x2B ? 0x20 : byte)
        continue
      }
      guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit), high | low != 0 else {
        return nil
      }
      result.append(high << 4 | low)
    }
    return String(validating: result, as: UTF8.self)
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// `a=b&c=d`; of a name that comes twice the last counts, and what is not well written is left as it is.
  static func query(_ text: String) -> [String: String] {
    var result: [String: String] = [:]
    for pair in text.utf8.split(separator: 0x26) {
      let parts = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      let words = parts.map { decoded($0, plusIsBlank: true) ?? String(decoding: $0, as: UTF8.self) }
      result[words[0]] = words.count > 1 ? words[1] : ""
    }
    return result
  }
}
