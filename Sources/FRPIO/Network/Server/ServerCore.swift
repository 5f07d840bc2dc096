// What a server knows, on the loop's thread: listeners, routes, connections, and who waits for which answer.

import CLinux
import Glibc
import Synchronization

final class ServerCore: @unchecked Sendable {
  let limits: ServerLimits
  var audience: ServerAudience

  private var routes: [String: ServerRoute] = [:]
  private var listeners: [(descriptor: Int32, watch: IOWatch)] = []
  /// Those that nobody is served at yet.
  private var closed: [Int32] = []
  private var connections: [Int: ServerConnection] = [:]
  private var lastConnection = 0
  /// Requests that the program has not answered. Of who has gone there is no connection any more.
  private var unanswered: [Int: ServerConnection?] = [:]
  private var lastRequest = 0
  private var sockets: [Int: ServerConnection] = [:]
  /// What is said to them, which any thread finds.
  private let outboxes = Mutex<[Int: Outbox]>([:])
  private var lastSocket = 0
  private var past = ServerPast()
  /// Told once what there is too little of.
  private var isShort: ((ServerShortage) -> Void)?
  private var sweeper: IOTimer?
  private var isClosed = false
  /// Whether what is served goes, to come back in another process.
  private(set) var isLeaving = false
  /// Whether what is served goes for good.
  private var isEnding = false

  init(_ limits: ServerLimits, _ audience: ServerAudience, _ isShort: @escaping (ServerShortage) -> Void) {
    self.limits = limits.fitting(descriptors: clinux_raise_descriptors())
    (self.audience, self.isShort) = (audience, isShort)
  }

  func goOn(after past: ServerPast) {
    self.past = past
    (lastRequest, lastSocket) = (max(lastRequest, past.requests), max(lastSocket, past.sockets))
  }

  // MARK: Routes

  func add<Item>(
    _ path: String, _ place: any ReferenceWritableKeyPath<ServerRoute, ServerQueue<Item>?> & Sendable,
    _ queue: ServerQueue<Item>
  ) throws(IOError) {
    if isClosed { throw IOError("the server is closed") }
    if !path.hasPrefix("/") { throw IOError("a path begins with `/`: \(path)") }
    let route = routes[path] ?? ServerRoute()
    if route[keyPath: place] != nil { throw IOError("\(path) is served already") }
    route[keyPath: place] = queue
    routes[path] = route
    let remove: @Sendable () -> Void = { [weak self] in self?.remove(path, place, queue) }
    queue.stream.onChange(.init(resume: { queue.resume() }, cancel: remove))
  }

  private func remove<Item>(
    _ path: String, _ place: any ReferenceWritableKeyPath<ServerRoute, ServerQueue<Item>?> & Sendable,
    _ queue: ServerQueue<Item>
  ) {
    guard let route = routes[path], route[keyPath: place] === queue else { return }
    route[keyPath: place] = nil
    if route.isEmpty { routes[path] = nil }
    // Who has the program's number of a request may be replied to by what the program still does at its end.
    let mayReply = isEnding && (place as AnyKeyPath) == (\ServerRoute.requests as AnyKeyPath)
    for connection in connections.values where connection.waits(for: queue) {
      if !mayReply || !connection.awaitsReply { connection.routeHasGone() }
    }
  }

  /// Sockets are read again.
  func goOn(_ queue: ServerQueue<ServerSocketEvent>) {
    for connection in connections.values where connection.waits(for: queue) { connection.process() }
  }

  func value(at path: String) -> ServedValue {
    let route = routes[path] ?? ServerRoute()
    routes[path] = route
    if let value = route.value { return value }
    let made = ServedValue()
    route.value = made
    return made
  }

  func serve(_ path: String, _ file: ServedFile) {
    let route = routes[path] ?? ServerRoute()
    route.file = file
    routes[path] = route
  }

  func route(_ path: String) -> ServerRoute? {
    if let route = routes[path] { return route }
    var prefix = Substring(path)
    while let slash = prefix.lastIndex(of: "/") {
      prefix = prefix[..<slash]
      if let route = routes[prefix + "/*"] { return route }
    }
    return nil
  }

  // MARK: Connections

  var count: Int { connections.count }

  func listen(on descriptor: Int32, accepts: Bool) {
    if accepts { accept(on: descriptor) } else { closed.append(descriptor) }
  }

  func acceptAll() {
    let descriptors = closed
    closed = []
    for descriptor in descriptors { accept(on: descriptor) }
  }

  private func accept(on descriptor: Int32) {
    let watch =
      isClosed ? nil : try? IOLoop.shared.watch(descriptor, .reading) { [weak self] _ in self?.take(descriptor) }
    guard let watch else {
      Glibc.close(descriptor)
      return
    }
    listeners.append((descriptor, watch))
    if sweeper == nil { sweep() }
  }

  /// A few at a time, so that those who are there have their turn.
  private func take(_ listener: Int32) {
    for _ in 0..<64 {
      if !hasRoom { return listen(false) }
      let descriptor = clinux_accept(listener)
      if descriptor < 0 {
        if ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) { return }
        if makeRoom() { continue }
        tell(.descriptors)
        // It is tried again at the next sweep.
        return listen(false)
      }
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
      lastConnection += 1
      guard let connection = ServerConnection(self, lastConnection, descriptor) else {
        Glibc.close(descriptor)
        continue
      }
      connections[lastConnection] = connection
      if connections.count > limits.connections, !makeRoom() { turnAway(connection) }
    }
  }

  private func tell(_ shortage: ServerShortage) {
    isShort?(shortage)
    isShort = nil
  }

  private var hasRoom: Bool { connections.count < limits.connections + limits.turnedAway }

  /// Gives up the one who has hung up first and whose answer is still owed; false where there is none.
  private func makeRoom() -> Bool {
    let gone = connections.values.lazy.filter(\.hasHungUp).min { $0.number < $1.number }
    gone?.close()
    return gone != nil
  }

  private func turnAway(_ connection: ServerConnection) {
    tell(.connections(limits.connections))
    connection.keepsAlive = false
    connection.answer(503, Array("the server is full\n".utf8), HTTPResponse.text, headers: "Retry-After: 1\r\n")
  }

  private func listen(_ isListening: Bool) {
    for listener in listeners { try? listener.watch.set(isListening ? .reading : []) }
  }

  func forget(_ connection: ServerConnection) {
    connections[connection.number] = nil
    if hasRoom { listen(true) }
  }

  private func sweep() {
    let now = IOLoop.now
    for connection in connections.values { connection.sweep(now) }
    if hasRoom { listen(true) }
    sweeper = IOLoop.shared.after(1_000_000_000) { [weak self] in self?.sweep() }
  }

  func leave() { isLeaving = true }

  func end() { (isLeaving, isEnding) = (true, true) }

  func turnAway() { for connection in connections.values where connection.awaitsReply { connection.routeHasGone() } }

  func close() {
    isClosed = true
    sweeper?.cancel()
    acceptAll()
    for listener in listeners {
      listener.watch.cancel()
      Glibc.close(listener.descriptor)
    }
    listeners = []
    let ended = routes.values
    routes = [:]
    for connection in connections.values { connection.close() }
    for route in ended {
      route.posts?.stream.finish()
      route.requests?.stream.finish()
      route.sockets?.stream.finish()
    }
  }

  // MARK: Requests and sockets

  func number(_ connection: ServerConnection) -> Int {
    lastRequest += 1
    unanswered[lastRequest] = .some(connection)
    return lastRequest
  }

  /// The client has gone before its answer.
  func lose(_ request: Int) { unanswered[request] = .some(nil) }

  /// Nobody of the program answers it any more.
  func forget(request: Int) { unanswered[request] = nil }

  func reply(_ id: Int, _ status: Int, _ body: [UInt8], _ type: String) -> Result<Void, IOError> {
    guard let connection = unanswered.removeValue(forKey: id) else {
      return .failure(IOError(whyUnknown(request: id)))
    }
    guard 200...599 ~= status else {
      connection?.answer(500, Array("the program answers with status \(status)\n".utf8), HTTPResponse.text)
      return .failure(IOError("an answer has a status from 200 to 599, not \(status)"))
    }
    let isPlain = !type.utf8.contains(where: HTTPText.isForbidden)
    connection?.answer(status, body, isPlain ? type : HTTPResponse.text)
    return .success(())
  }

  private func whyUnknown(request id: Int) -> String {
    if id <= 0 || id > lastRequest { return "there is no request \(id)" }
    return id <= past.requests
      ? "request \(id) came to an earlier process: its connection has gone" : "request \(id) was answered already"
  }

  func join(_ connection: ServerConnection) -> Int {
    lastSocket += 1
    let id = lastSocket
    sockets[id] = connection
    let outbox = Outbox { [weak self] in self?.sockets[id]?.drain() }
    connection.outbox = outbox
    outboxes.withLock { $0[id] = outbox }
    outbox.open()
    return id
  }

  func leave(_ socket: Int) {
    sockets[socket] = nil
    outboxes.withLock { $0[socket] = nil }
  }

  /// Takes a text for a WebSocket if there is room at once; nil if not, or if there is none. Any thread.
  func offer(_ id: Int, _ text: [UInt8]) -> Result<Void, IOError>? { outboxes.withLock { $0[id] }?.offer(text) }

  func say(_ id: Int, _ text: [UInt8], _ done: @escaping Completion<Void>) {
    if let outbox = sockets[id]?.outbox { return outbox.say(text, done) }
    done(id > 0 && id <= lastSocket ? .success(()) : .failure(IOError("there is no socket \(id)")))
  }

  /// Those of an earlier process who have not been told to have left, once.
  func takeFormer(_ path: String) -> [Int] { past.joined.removeValue(forKey: path) ?? [] }

  func dismiss(_ id: Int, _ code: Int, _ reason: String) { sockets[id]?.closeSocket(code, reason) }
}

/// A JSON text that is served, and who follows it. On the loop's thread only.
final class ServedValue {
  private(set) var json: [UInt8]?
  private(set) var tag = ""
  private var version = 0
  private var followers: [Int: ServerConnection] = [:]
  private var asEvent: [UInt8]?
  private var asFrame: [UInt8]?
  /// Tags of another run are others.
  private let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)

  func set(_ json: [UInt8]) {
    if json == self.json { return }
    self.json = json
    version += 1
    tag = "\"\(run)-\(version)\""
    (asEvent, asFrame) = (nil, nil)
    for follower in followers.values { follower.valueHasChanged() }
  }

  func follow(_ connection: ServerConnection) { followers[connection.number] = connection }
  func unfollow(_ connection: ServerConnection) { followers[connection.number] = nil }

  var event: [UInt8] {
    if let asEvent { return asEvent }
    var made: [UInt8] = []
    for line in (json ?? []).split(separator: 0x0A, omittingEmptySubsequences: false) {
      made += Array("data: ".utf8)
      made += line
      made.append(0x0A)
    }
    made.append(0x0A)
    asEvent = made
    return made
  }

  var frame: [UInt8] {
    if let asFrame { return asFrame }
    let made = SocketFrame.text(json ?? [])
    asFrame = made
    return made
  }
}
