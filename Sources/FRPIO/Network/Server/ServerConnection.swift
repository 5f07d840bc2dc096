// A connection of a server: what it is at, what has come, and what is to be sent. On the loop's thread only.
//
// Rules
// - One request at a time: what follows it is looked at when it has been answered.
// - What has come and is not looked at yet is bounded; beyond that nothing is read.
// - It is closed once, by `close`, which tells whoever still counts on it.

import Glibc

final class ServerConnection {
  enum Phase {
    /// The head of a request, or nothing yet.
    case head
    /// A request whose route wants no more at present.
    case held(ServerQueue<ServerRequest>)
    case body(RequestHead, ServerQueue<ServerRequest>)
    /// The program has the request.
    case awaiting(Int, ServerQueue<ServerRequest>)
    /// A WebSocket that has not been told of yet.
    case joining(ServerQueue<ServerSocketEvent>)
    case socket(Int, ServerQueue<ServerSocketEvent>)
    case following(ServedValue, isSocket: Bool)
    /// What is left is sent; then it is closed.
    case closing
    case closed
  }

  let core: ServerCore
  let number: Int
  var phase = Phase.head
  /// Of the request that is under way.
  var keepsAlive = true
  var isHeadOnly = false
  var body: RequestBody?
  var decoder: SocketDecoder?
  /// The other side has sent its last byte.
  private(set) var hasEnded = false
  private(set) var lastHeard = IOLoop.now
  /// When it is too late for what is under way.
  var deadline = Int.max

  private let descriptor: Int32
  private var watch: IOWatch?
  private var scanner = HeadScanner()
  private var input: [UInt8] = []
  private var start = 0
  private var output: [UInt8] = []
  private var sent = 0
  private var lastProgress = 0
  private var mustShow = false
  private var says: [() -> Void] = []
  /// Since when somebody waits for room.
  private var saysSince = 0
  /// Of a WebSocket: what the program says.
  var outbox: Outbox?
  private var discarded = 0
  private var hasHeadBegun = false

  static let readSize = 64 << 10
  private static let mostDiscarded = 64 << 20

  init?(_ core: ServerCore, _ number: Int, _ descriptor: Int32) {
    (self.core, self.number, self.descriptor) = (core, number, descriptor)
    watch = try? IOLoop.shared.watch(descriptor, .reading) { [unowned self] in ready($0) }
    if watch == nil { return nil }
    setDeadline(core.limits.idleSeconds)
  }

  func setDeadline(_ seconds: Int?) { deadline = seconds.map { IOLoop.now + $0 * 1_000_000_000 } ?? .max }

  // MARK: Reading

  private func ready(_ ready: Ready) {
    // Whoever is called may let go of it.
    withExtendedLifetime(self) {
      // Nobody is there any more to whom an answer could be given.
      if ready.contains(.broken), waitsForAnswer { return close() }
      if ready.contains(.writable) { flush() }
      if ready.contains(.readable) { read() }
      update()
    }
  }

  private func read() {
    guard isReading else { return }
    let count = ServerScratch.bytes.with { scratch in
      let count = recv(descriptor, &scratch, scratch.count, 0)
      if count > 0 { input += scratch[..<count] }
      return count
    }
    if count < 0 { return errno == EAGAIN || errno == EINTR ? () : close() }
    if count == 0 { return end() }
    lastHeard = IOLoop.now
    process()
  }

  /// Looks at what has come, as far as that goes.
  func process() {
    do {
      while try step() {}
    } catch let refusal as Refusal {
      refuse(refusal)
    } catch let fault as SocketFault {
      closeSocket(fault.code, fault.sentence)
    } catch {
      close()
    }
    if start == input.count {
      input.removeAll(keepingCapacity: input.capacity <= 2 * Self.readSize)
      start = 0
    } else if start >= Self.readSize {
      input.removeFirst(start)
      start = 0
    }
    if hasEnded { conclude() }
    update()
  }

  /// Whether there may be more to look at.
  private func step() throws -> Bool {
    switch phase {
    case .head:
      if start == input.count { return false }
      isHeadOnly = false
      guard let head = try scanner.next(input, from: start) else {
        // For all of a head, however it is cut.
        if !hasHeadBegun { setDeadline(core.limits.patienceSeconds) }
        hasHeadBegun = true
        return false
      }
      hasHeadBegun = false
      start += head.count
      try begin(head)
      return true
    case .body(let head, let queue):
      guard var taking = body else { return false }
      body = nil
      start = try taking.take(input, from: start)
      if taking.isWhole { return try deliver(head, taking.bytes, queue) }
      body = taking
      setDeadline(core.limits.patienceSeconds)
      return false
    case .socket, .following(_, isSocket: true): return try stepSocket()
    case .following, .closing:
      discarded += input.count - start
      start = input.count
      // Who is still sending a message that is too long gets to read that it is, if it ends at all.
      if discarded > Self.mostDiscarded { close() }
      return false
    case .held, .awaiting, .joining, .closed: return false
    }
  }

  private func stepSocket() throws -> Bool {
    if case .socket(_, let queue) = phase, !queue.isWanted { return false }
    guard let input = try decoder?.next(input, at: &start) else { return false }
    switch input {
    case .text(let text): if case .socket(let id, let queue) = phase { queue.stream.give(.said(id, text)) }
    case .ping(let bytes): send(SocketFrame.pong(bytes))
    case .pong: break
    case .close(let code, _): closeSocket(code ?? 1000, "")
    }
    return true
  }

  /// Whether more is read at present.
  private var isReading: Bool {
    if hasEnded { return false }
    switch phase {
    case .head, .body, .following, .closing: return true
    case .awaiting: return input.count - start < Self.readSize
    case .socket(_, let queue): return queue.isWanted
    case .held, .joining, .closed: return false
    }
  }

  private var waitsForAnswer: Bool {
    switch phase {
    case .awaiting, .held: true
    default: false
    }
  }

  /// Whether the other side has ended the connection, as far as one can see, though an answer is owed to it. Who has only said that it will
  /// send no more gets that, while there is room.
  var hasHungUp: Bool { hasEnded && waitsForAnswer }

  private func update() {
    guard let watch else { return }
    var interest: Interest = isReading ? .reading : waitsForAnswer ? .breaking : []
    if sent < output.count { interest.insert(.writing) }
    do throws(IOError) { try watch.set(interest) } catch { close() }
  }

  /// The other side will send nothing more. Who has asked still gets an answer, to each request that is whole.
  private func end() {
    hasEnded = true
    conclude()
    update()
  }

  private func conclude() {
    switch phase {
    case .awaiting, .held: break
    case .head where start == input.count:
      phase = .closing
      if sent == output.count { close() }
    case .head, .body: refuse(Refusal(400, "the request was cut short"))
    case .closing where sent < output.count: break
    default: close()
    }
  }

  // MARK: Writing

  func send(_ bytes: [UInt8]) {
    if case .closed = phase { return }
    if sent == output.count {
      (output, sent, lastProgress) = (bytes, 0, IOLoop.now)
      flush()
    } else {
      output += bytes
    }
    update()
  }

  private func flush() {
    while sent < output.count {
      let count = output.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 { return errno == EAGAIN || errno == EINTR ? compact() : close() }
      sent += count
      lastProgress = IOLoop.now
    }
    output.removeAll(keepingCapacity: output.capacity <= Self.readSize)
    sent = 0
    hasFlushed()
  }

  private func compact() {
    if sent >= Self.readSize {
      output.removeFirst(sent)
      sent = 0
    }
    if output.count - sent <= core.limits.unsentBytes { endSays() }
  }

  private func hasFlushed() {
    endSays()
    if mustShow {
      mustShow = false
      show()
    }
    if case .closing = phase { finish() }
  }

  private func endSays() {
    if says.isEmpty { return }
    let ended = says
    says = []
    for done in ended { done() }
  }

  /// All is sent: the other side is told, and what it sends meanwhile is read, so that it gets to read the answer.
  private func finish() {
    if hasEnded { return close() }
    shutdown(descriptor, Int32(SHUT_WR))
    setDeadline(2)
  }

  // MARK: Time

  func sweep(_ now: Int) {
    if sent < output.count, now - lastProgress > core.limits.idleSeconds * 1_000_000_000 { return close() }
    switch phase {
    case .following(_, let isSocket):
      sweepFollower(now, isSocket)
    case .socket(_, let queue):
      if isStuck(now) { return close() }
      if queue.isWanted { sweepFollower(now, true) }
    default: if now >= deadline { hasTimedOut() }
    }
  }

  /// Whether whoever says something to a socket waits for one that takes nothing, or for too long.
  private func isStuck(_ now: Int) -> Bool {
    if says.isEmpty { return false }
    return now - lastProgress > core.limits.stuckSeconds * 1_000_000_000
      || now - saysSince > core.limits.behindSeconds * 1_000_000_000
  }

  /// Something is said now and then, so that a connection that is dead shows.
  private func sweepFollower(_ now: Int, _ isSocket: Bool) {
    let limit = core.limits.idleSeconds * 1_000_000_000
    if isSocket && now - lastHeard > limit { return close() }
    if sent == output.count, now - lastProgress > limit / 3 {
      send(isSocket ? SocketFrame.ping() : Array(":\n\n".utf8))
    }
  }

  private func hasTimedOut() {
    let patience = core.limits.patienceSeconds
    switch phase {
    case .head where start == input.count: close()
    case .head, .body: refuse(Refusal(408, "the request did not come within \(patience) s"))
    case .awaiting(let id, _):
      core.forget(request: id)
      phase = .head
      keepsAlive = false
      answer(504, Array("the program did not answer within \(core.limits.answerSeconds) s\n".utf8), HTTPResponse.text)
    default: close()
    }
  }

  // MARK: The end

  /// What was served here is served no more.
  func routeHasGone() {
    switch phase {
    case .socket: closeSocket(1001, "the program has ended it")
    default: refuse(Refusal(503, "nothing is served here any more"))
    }
  }

  func closeSocket(_ code: Int, _ reason: String) {
    if let texts = outbox?.takeLast(.success(())), !texts.isEmpty { send(SocketFrame.texts(texts)) }
    send(SocketFrame.close(code, reason))
    leave()
    if case .closed = phase { return }
    phase = .closing
    setDeadline(5)
    if sent == output.count { finish() }
    update()
  }

  func close() {
    guard let watch else { return }
    self.watch = nil
    leave()
    if case .awaiting(let id, _) = phase { core.lose(id) }
    phase = .closed
    watch.cancel()
    Glibc.close(descriptor)
    endSays()
    core.forget(self)
  }

  /// Who counts on a socket or a follower is told that it has gone.
  private func leave() {
    switch phase {
    case .socket(let id, let queue):
      core.leave(id)
      _ = outbox?.takeLast(.success(()))
      queue.whenWanted { queue.stream.give(.left(id)) }
    case .following(let value, _): value.unfollow(self)
    default: break
    }
  }
}

/// What is read into, one for all connections.
private enum ServerScratch {
  static let bytes = LoopLocal([UInt8](repeating: 0, count: ServerConnection.readSize))
}

extension ServerConnection {
  /// Sends what the program says to a WebSocket.
  func drain() {
    outbox?.drain({ SocketFrame.texts($0) }) { frames, done in
      send(frames)
      if unsent <= core.limits.unsentBytes { done(.success(())) } else { wait { done(.success(())) } }
    }
  }

  /// The newest value, once what is under way has gone.
  func valueHasChanged() { if unsent == 0 { show() } else { showLater() } }
}

extension ServerConnection {
  fileprivate var unsent: Int { output.count - sent }
  fileprivate func wait(_ done: @escaping () -> Void) {
    if says.isEmpty { saysSince = IOLoop.now }
    says.append(done)
  }
  fileprivate func showLater() { mustShow = true }

  func show() {
    guard case .following(let value, let isSocket) = phase, value.json != nil else { return }
    send(isSocket ? value.frame : value.event)
  }
}
