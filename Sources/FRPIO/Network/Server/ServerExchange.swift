// Requests of a connection: whom they are for, how they are refused, and how they are answered.

import FRPBase

extension ServerConnection {
  func begin(_ head: RequestHead) throws {
    keepsAlive = head.keepsAlive
    isHeadOnly = head.method == "HEAD"
    try core.audience.check(head)
    guard let route = core.route(head.path) else {
      if core.isLeaving {
        return refuse(Refusal(503, "\(head.path) is not served at present"), head, headers: "Retry-After: 1\r\n")
      }
      return refuse(Refusal(404, "nothing is served at \(head.path)"), head)
    }
    if head.isUpgrade { return try upgrade(head, route) }
    if let value = route.value, head.method == "GET" || isHeadOnly { return serve(value, head) }
    if let file = route.file, head.method == "GET" || isHeadOnly {
      if head.body != .none { keepsAlive = false }
      let (body, headers) = file.answer(takesDeflate: head.takesDeflate)
      return answer(200, body, file.type, headers: headers)
    }
    guard let queue = route.queue(head.method) else {
      if route.sockets != nil && route.value == nil && route.posts == nil && route.file == nil {
        return refuse(Refusal(426, "a WebSocket is served at \(head.path)"), head, headers: "Upgrade: websocket\r\n")
      }
      let sentence = "\(head.path) is for \(route.methods), and not for \(head.method)"
      return refuse(Refusal(405, sentence), head, headers: "Allow: \(route.methods)\r\n")
    }
    if !["", "identity"].contains(head.contentEncoding) {
      throw Refusal(415, "a body is sent without compression, and not as \(head.contentEncoding)")
    }
    if head.contentType.hasPrefix("multipart/") { throw Refusal(415, "a body is one text, and not in parts") }
    body = try RequestBody(head.body, limit: core.limits.bodyBytes)
    if queue.isWanted { return take(head, queue) }
    phase = .held(queue)
    setDeadline(nil)
    queue.whenWanted { [weak self] in
      guard let self, case .held = phase else { return }
      take(head, queue)
      process()
    }
  }

  /// Its body is read from now on.
  private func take(_ head: RequestHead, _ queue: ServerQueue<ServerRequest>) {
    phase = .body(head, queue)
    setDeadline(core.limits.patienceSeconds)
    if head.expectsContinue && head.body != .none { send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  /// Whether what follows may be looked at: never, before this is answered.
  func deliver(_ head: RequestHead, _ bytes: [UInt8], _ queue: ServerQueue<ServerRequest>) throws -> Bool {
    if !isUTF8(bytes) { throw Refusal(400, "the body is not UTF-8") }
    var request = ServerRequest(
      id: 0, method: head.method, path: head.path, query: HTTPText.query(head.query), contentType: head.contentType,
      body: bytes)
    phase = .held(queue)
    setDeadline(nil)
    queue.whenWanted { [weak self] in
      guard let self, case .held = phase else { return }
      request.id = core.number(self)
      phase = .awaiting(request.id, queue)
      setDeadline(core.limits.answerSeconds)
      queue.stream.give(request)
    }
    return false
  }

  /// The answer of whoever has the request.
  func answer(_ status: Int, _ body: [UInt8], _ type: String, headers: String = "") {
    if case .closed = phase { return }
    let bytes = HTTPResponse.bytes(
      status, body, type: type, keepsAlive: keepsAlive, isHeadOnly: isHeadOnly, headers: headers)
    phase = keepsAlive ? .head : .closing
    setDeadline(core.limits.idleSeconds)
    send(bytes)
    if keepsAlive { process() }
  }

  func refuse(_ refusal: Refusal, _ head: RequestHead? = nil, headers: String = "") {
    // What has not been read would be taken for the next request.
    if head?.body != RequestHead.BodyLength.none { keepsAlive = false }
    let bytes = HTTPResponse.bytes(
      refusal.status, Array((refusal.sentence + "\n").utf8), type: HTTPResponse.text, keepsAlive: keepsAlive,
      isHeadOnly: isHeadOnly, headers: headers)
    body = nil
    phase = keepsAlive ? .head : .closing
    setDeadline(core.limits.idleSeconds)
    send(bytes)
  }

  /// Whether the program has its request.
  var awaitsReply: Bool { if case .awaiting = phase { true } else { false } }

  func waits(for queue: AnyObject) -> Bool {
    switch phase {
    case .held(let own), .body(_, let own), .awaiting(_, let own): own === queue
    case .joining(let own), .socket(_, let own): own === queue
    default: false
    }
  }

  // MARK: Values

  private func serve(_ value: ServedValue, _ head: RequestHead) {
    if head.body != .none { keepsAlive = false }
    if head.accept.contains("text/event-stream") {
      send(
        Array(
          ("HTTP/1.1 200 OK\r\nDate: \(HTTPDate.now)\r\nContent-Type: text/event-stream\r\n"
            + "Cache-Control: no-store\r\nConnection: close\r\n\r\n").utf8))
      if isHeadOnly { return finishAnswer() }
      return follow(value, isSocket: false)
    }
    guard let json = value.json else {
      return refuse(Refusal(503, "\(head.path) has no value yet"), head, headers: "Retry-After: 1\r\n")
    }
    let tag = "ETag: \(value.tag)\r\nCache-Control: no-cache\r\n"
    let isKnown = head.noneMatch.map { $0 == "*" || $0.contains(value.tag) } ?? false
    let bytes = HTTPResponse.bytes(
      isKnown ? 304 : 200, json, type: HTTPResponse.json, keepsAlive: keepsAlive, isHeadOnly: isHeadOnly, headers: tag)
    phase = keepsAlive ? .head : .closing
    setDeadline(core.limits.idleSeconds)
    send(bytes)
  }

  private func finishAnswer() {
    phase = .closing
    setDeadline(1)
  }

  private func follow(_ value: ServedValue, isSocket: Bool) {
    phase = .following(value, isSocket: isSocket)
    value.follow(self)
    valueHasChanged()
  }

  // MARK: WebSockets

  private func upgrade(_ head: RequestHead, _ route: ServerRoute) throws {
    if route.sockets == nil && route.value == nil {
      return refuse(Refusal(400, "no WebSocket is served at \(head.path)"), head)
    }
    if head.socketVersion != "13" {
      return refuse(
        Refusal(426, "the WebSocket here is version 13"), head, headers: "Sec-WebSocket-Version: 13\r\n")
    }
    guard head.method == "GET", !head.isOld, head.body == .none, SocketHandshake.isKey(head.socketKey) else {
      throw Refusal(400, "the handshake of a WebSocket is a GET of HTTP/1.1 with a key")
    }
    decoder = SocketDecoder(isServer: true, limit: core.limits.messageBytes)
    setDeadline(nil)
    guard let queue = route.sockets else {
      shake(head)
      if let value = route.value { follow(value, isSocket: true) }
      return
    }
    phase = .joining(queue)
    queue.whenWanted { [weak self] in
      guard let self, case .joining = phase else { return }
      shake(head)
      if case .closed = phase { return }
      let id = core.join(self)
      phase = .socket(id, queue)
      queue.stream.give(.joined(id))
      process()
    }
  }

  private func shake(_ head: RequestHead) {
    send(
      Array(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(SocketHandshake.accept(head.socketKey))\r\n\r\n").utf8))
  }
}
