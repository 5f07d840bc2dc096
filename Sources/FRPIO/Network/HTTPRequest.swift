// What is asked of an HTTP server, and what it answers.

/// A request.
public struct HTTPRequest: Sendable {
  public var method: String
  public var url: String
  /// What the program says: not told to another server that the answer leads to.
  public var headers: [(name: String, value: String)]
  /// What goes along with it wherever it leads: the type of the body, the call's key.
  public var own: [(name: String, value: String)] = []
  /// `nil`: there is none, which is not the same as an empty one.
  public var body: [UInt8]?
  /// The largest body that is taken, after decompression.
  public var bodyLimit = 64 << 20
  public var connectSeconds = 30
  /// No byte of an answer for so long is an error.
  public var silenceSeconds = 300
  /// A file of certificates that are trusted in place of the system's.
  public var authorities: String?

  public init(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }

  static let headerLimit = 256 << 10

  /// What cannot stand in a request is refused, since it would be taken for the beginning of something else.
  func check() throws(IOError) {
    if method.isEmpty || !method.utf8.allSatisfy(HTTPText.isToken) { throw IOError("it is not a method: \(method)") }
    for header in headers + own {
      if header.name.isEmpty || !header.name.utf8.allSatisfy(HTTPText.isToken) {
        throw IOError("it is not the name of a header: \(header.name)")
      }
      if header.value.utf8.contains(where: HTTPText.isForbidden) {
        throw IOError("the header \(header.name) has a line break or a control character")
      }
      if ["content-length", "transfer-encoding"].contains(HTTPText.lower(header.name)) {
        throw IOError("the header \(header.name) follows from the body, and is not to be given")
      }
    }
  }

  /// The request that follows a redirect; `isElsewhere`: to another server, which is not told secrets.
  func redirected(to url: String, status: Int, isElsewhere: Bool) -> HTTPRequest {
    var next = self
    next.url = url
    if status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST" {
      next.method = "GET"
      next.body = nil
      next.headers.removeAll { HTTPText.lower($0.name).hasPrefix("content-") }
      next.own.removeAll { HTTPText.lower($0.name).hasPrefix("content-") }
    }
    if isElsewhere { next.headers = [] }
    return next
  }
}

/// An answer, of any status.
public struct HTTPAnswer: Sendable {
  public var status: Int
  public var body: [UInt8]
  /// As they came; most answers are not asked for them.
  private let head: [UInt8]

  init(status: Int, head: UnsafeRawBufferPointer, body: [UInt8]) {
    (self.status, self.head, self.body) = (status, Array(head), body)
  }

  /// In the order in which they came; names are in lower case. Cost: O(their bytes).
  public var headers: [(name: String, value: String)] { head.withUnsafeBytes { HTTPText.headers($0) } }
}

enum HTTPText {
  /// A character of a token, such as a method or a header's name.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// A control character, but for a tab.
  static func isForbidden(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

  static func lower(_ text: String) -> String {
    String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  /// The lines after the first, up to the empty one.
  static func headers(_ bytes: UnsafeRawBufferPointer) -> [(name: String, value: String)] {
    bytes.split(separator: 0x0A).dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: 0x3A) else { return nil }
      return (lower(text(line[..<colon])), text(line[(colon + 1)...]))
    }
  }

  /// Without blanks around it.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let from = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let to = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? from
    return String(decoding: bytes[from..<max(from, to)], as: UTF8.self)
  }
}
