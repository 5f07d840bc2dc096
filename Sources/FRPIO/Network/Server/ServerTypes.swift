// What a server gives and takes.

import CNet

/// A request, or the body of one. It waits until it is answered (`HTTPServer.reply`).
public struct ServerRequest: Sendable {
  /// Counted from 1, for each server; behind what an earlier process has counted.
  public var id: Int
  public var method: String
  /// Decoded.
  public var path: String
  public var query: [String: String]
  public var contentType: String
  /// UTF-8; empty where there is none.
  public var body: [UInt8]
}

/// What happens to WebSockets.
public enum ServerSocketEvent: Sendable, Equatable {
  case joined(Int)
  /// UTF-8.
  case said(Int, [UInt8])
  case left(Int)
}

/// What is read at a path, the same for everybody and for as long as the server lives.
public struct ServedFile: Sendable {
  public var body: [UInt8]
  /// A media type, with its character set.
  public var type: String
  /// Further lines of the answer's head, by name.
  public var headers: [(name: String, value: String)]
  /// The body as those get it who say that they take it so.
  let deflated: [UInt8]?

  /// `isDeflated` asks for a smaller body for who takes it; there is none where this machine has no zlib.
  public init(
    _ body: [UInt8], type: String, headers: [(name: String, value: String)] = [], isDeflated: Bool = false
  ) {
    (self.body, self.type, self.headers) = (body, type, headers)
    deflated = isDeflated ? Deflate.bytes(of: body).flatMap { $0.count < body.count ? $0 : nil } : nil
  }

  func answer(takesDeflate: Bool) -> (body: [UInt8], headers: String) {
    var lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    guard let deflated else { return (body, lines) }
    lines += "Vary: Accept-Encoding\r\n"
    return takesDeflate ? (deflated, lines + "Content-Encoding: deflate\r\n") : (body, lines)
  }
}

/// What zlib makes of bytes: the format that HTTP calls `deflate`.
package enum Deflate {
  /// Nil where there is no zlib: the system's is loaded when it is needed first, and nothing else needs it.
  package static func bytes(of body: [UInt8]) -> [UInt8]? {
    var count = cnet_deflated_bound(body.count)
    if count == 0 { return nil }
    let made = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let isMade = body.withUnsafeBufferPointer {
        cnet_deflate($0.baseAddress, $0.count, buffer.baseAddress, &count)
      }
      initialized = isMade ? count : 0
    }
    return made.isEmpty ? nil : made
  }
}

/// What earlier processes of a run have numbered: their numbers are not given again.
public struct ServerPast: Sendable {
  /// The greatest number of a request, and of a WebSocket.
  public var requests = 0
  public var sockets = 0
  /// By path: WebSockets that have joined, and whose end nobody has been told of.
  public var joined: [String: [Int]] = [:]

  public init() {}
}

/// What a server bears.
public struct ServerLimits: Sendable {
  public var bodyBytes = 16 << 20
  public var messageBytes = 16 << 20
  /// Beyond these, who has hung up before the answer makes room; where nobody has, who comes hears 503.
  public var connections = 1024
  /// Who hears 503 at the same time: they stay until they have read it.
  var turnedAway = 64
  /// For the head of a request, and between any two parts of its body.
  public var patienceSeconds = 30
  /// For the next request of a connection, and for a client that does not take what it is sent.
  public var idleSeconds = 75
  /// For the answer of the program.
  public var answerSeconds = 600
  /// What is said to a socket and not yet sent, before whoever says it has to wait.
  public var unsentBytes = 1 << 20
  /// So long it may take nothing meanwhile, and so long it may be behind at all. Then it is cut off.
  public var stuckSeconds = 2
  public var behindSeconds = 10

  public init() {}
}

/// Whom a server listens to. Nil: everybody. A page server says its own names, so that no page of another site can talk to it.
public struct ServerAudience: Sendable {
  /// What `Host` may be, with its port.
  public var hosts: Set<String>?
  /// What `Origin` may be, where there is one.
  public var origins: Set<String>?

  public init(hosts: Set<String>? = nil, origins: Set<String>? = nil) { (self.hosts, self.origins) = (hosts, origins) }

  func check(_ head: RequestHead) throws(Refusal) {
    if let hosts, !hosts.contains(HTTPText.lower(head.host ?? "")) {
      throw Refusal(421, "this server has another name than \(head.host ?? "none")")
    }
    if let origins, let origin = head.origin, !origins.contains(HTTPText.lower(origin)) {
      throw Refusal(403, "pages of \(origin) are not served")
    }
  }
}

/// Answers as they are written.
enum HTTPResponse {
  static let text = "text/plain; charset=utf-8"
  static let json = "application/json"

  static func bytes(
    _ status: Int, _ body: [UInt8], type: String, keepsAlive: Bool, isHeadOnly: Bool = false, headers: String = ""
  ) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(words(status))\r\nDate: \(HTTPDate.now)\r\n"
    if status != 304 && status != 204 { head += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n" }
    head += headers
    if !keepsAlive { head += "Connection: close\r\n" }
    head += "\r\n"
    return isHeadOnly || status == 304 || status == 204 ? Array(head.utf8) : Array(head.utf8) + body
  }

  static func words(_ status: Int) -> String { HTTPStatus.words(status) ?? (status < 400 ? "Answer" : "Error") }
}

extension ServerLimits {
  /// The same with so many connections that files and what else the program opens have descriptors, too.
  func fitting(descriptors: Int) -> ServerLimits {
    var limits = self
    limits.turnedAway = max(1, min(turnedAway, descriptors / 16))
    let others = min(128, max(16, descriptors / 4))
    limits.connections = max(1, min(connections, descriptors - others - limits.turnedAway))
    return limits
  }
}

/// Of what a server has too little for who comes.
public enum ServerShortage: Sendable {
  /// It has as many connections as it may have: who comes hears 503.
  case connections(Int)
  /// The system gives it no descriptor: who comes waits.
  case descriptors
}
