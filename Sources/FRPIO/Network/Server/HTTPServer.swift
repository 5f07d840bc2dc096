// A server: ports, and what is served at which path. Decision 0023 says why it is our own.
//
// Rules
// - Whoever sends waits while nobody wants more: a request whose route is paused is not read beyond its head, a WebSocket is
//   not read. Beyond a number of connections who has hung up makes room, and else who comes is turned away.
// - Every request is answered once: by the program, by what is served at its path, or by a status with a sentence.
// - A path is its own, or ends with `/*` for what is below it; the longest counts.

import Glibc

public final class HTTPServer: Sendable {
  private let core: ServerCore

  /// `isShort` is called on the loop's thread when somebody is turned away or has to wait outside, the first time. Of the connections that the limits
  /// allow there are as many as descriptors suffice for.
  public init(
    limits: ServerLimits = ServerLimits(), audience: ServerAudience = ServerAudience(),
    isShort: @escaping @Sendable (ServerShortage) -> Void = { _ in }
  ) {
    core = ServerCore(limits, audience, isShort)
  }

  /// Listens on an address; the port, which the system has chosen where 0 was said. Whoever connects is served once somebody
  /// has said so (`accept`), at once with `accepts`. `audience` says whom it listens to from then on, once the port is known. Any
  /// thread.
  @discardableResult
  public func listen(
    on address: IPAddress, port: Int, _ grants: Grants, accepts: Bool = true,
    audience: ((_ port: Int) -> ServerAudience)? = nil
  ) throws(IOError) -> Int {
    try grants.check(listen: address, port: port)
    let (descriptor, port) = try ServerSocket.open(address, port)
    let whom = audience?(port)
    IOLoop.shared.run { [core] in
      if let whom { core.audience = whom }
      core.listen(on: descriptor, accepts: accepts)
    }
    return port
  }

  /// Serves those who wait, and whoever comes, after what was said before. Any thread.
  public func accept() { IOLoop.shared.run { [core] in core.acceptAll() } }

  /// What earlier processes have numbered, where that is known only now; before anybody is served. Any thread.
  public func goOn(after past: ServerPast) { IOLoop.shared.run { [core] in core.goOn(after: past) } }

  /// What is served goes from now on, and will be back: who asks for what has gone hears 503.
  public func leave() { IOLoop.shared.run { [core] in core.leave() } }

  /// What is served goes for good: who asks for it hears 503. Who has asked may still be replied to, until `turnAway`.
  public func end() { IOLoop.shared.run { [core] in core.end() } }

  /// Nobody replies any more: who still waits hears 503.
  public func turnAway() { IOLoop.shared.run { [core] in core.turnAway() } }

  /// How many connections there are at present; on the loop's thread only.
  var connections: Int { core.count }

  /// Ends every stream and connection, and gives up the ports.
  public func close() { IOLoop.shared.run { [core] in core.close() } }

  /// What is posted to a path. Each is answered once it is accepted (`accept`), or replied to.
  public func posts(
    _ path: String, item: @escaping @Sendable (ServerRequest) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    attach(Stream(item: item, end: end)) { core, stream throws(IOError) in
      try core.add(path, \.posts, ServerQueue(stream))
    }
  }

  /// Requests of every method, but for those that something else is served for at the path.
  public func requests(
    _ path: String, item: @escaping @Sendable (ServerRequest) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    attach(Stream(item: item, end: end)) { core, stream throws(IOError) in
      try core.add(path, \.requests, ServerQueue(stream))
    }
  }

  /// WebSockets of a path. Those of an earlier process have left.
  public func sockets(
    _ path: String, item: @escaping @Sendable (ServerSocketEvent) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    attach(Stream(item: item, end: end)) { core, stream throws(IOError) in
      let queue = ServerQueue(stream)
      queue.onResume = { [weak core, weak queue] in if let queue { core?.goOn(queue) } }
      try core.add(path, \.sockets, queue)
      for id in core.takeFormer(path) { queue.whenWanted { queue.stream.give(.left(id)) } }
    }
  }

  /// A JSON text that GET reads, and that an event stream or a WebSocket follows. The last call for a path counts.
  @discardableResult
  public func serve(_ path: String, json: [UInt8], _ completion: @escaping Completion<Void>) -> any Operation {
    let call = Call(completion)
    IOLoop.shared.run { [core] in
      core.value(at: path).set(json)
      call.succeed(())
    }
    return call
  }

  /// A text or picture that GET reads, the same for everybody. Any thread.
  public func serve(_ path: String, _ file: ServedFile) {
    IOLoop.shared.run { [core] in core.serve(path, file) }
  }

  /// Says that there will be a value at a path: until then it answers 503, and who follows it waits.
  public func announce(_ path: String) { IOLoop.shared.run { [core] in _ = core.value(at: path) } }

  /// Answers a request. Who has gone away is answered all the same.
  @discardableResult
  public func reply(
    _ id: Int, status: Int, body: [UInt8], type: String = "application/json", _ completion: @escaping Completion<Void>
  ) -> any Operation {
    let call = Call(completion)
    IOLoop.shared.run { [core] in call.end(core.reply(id, status, body, type)) }
    return call
  }

  /// Says that what was posted has been taken: 202.
  public func accept(_ id: Int) {
    IOLoop.shared.run { [core] in _ = core.reply(id, 202, [], HTTPResponse.text) }
  }

  /// Says a text to a WebSocket. It ends once there is room for more, or once it is cut off since it takes nothing; whoever has left is
  /// not missed.
  @discardableResult
  public func say(_ id: Int, _ text: [UInt8], _ completion: @escaping Completion<Void>) -> any Operation {
    let call = Call(completion)
    IOLoop.shared.run { [core] in core.say(id, text) { call.end($0) } }
    return call
  }

  /// The same, where there is room at once; nil where it is to be said by `say`. Any thread.
  public func sayAtOnce(_ id: Int, _ text: [UInt8]) -> Result<Void, IOError>? { core.offer(id, text) }

  /// Ends a WebSocket, after what was said to it before.
  public func dismiss(_ id: Int, code: Int, _ reason: String) {
    IOLoop.shared.run { [core] in core.dismiss(id, code, reason) }
  }

  private func attach<Item>(
    _ stream: Stream<Item>, _ add: @escaping @Sendable (ServerCore, Stream<Item>) throws(IOError) -> Void
  ) -> any Flow {
    IOLoop.shared.run { [core] in
      do throws(IOError) { try add(core, stream) } catch { stream.fail(error) }
    }
    return stream
  }
}

/// Items for a listener, and who waits until it wants them. On the loop's thread only.
final class ServerQueue<Item: Sendable>: @unchecked Sendable {
  let stream: Stream<Item>
  /// What is done, in turn, once more is wanted.
  private var waiting: [() -> Void] = []
  private var first = 0
  /// Called when all that waited has had its turn.
  var onResume: () -> Void = {}

  init(_ stream: Stream<Item>) { self.stream = stream }

  var isWanted: Bool { first == waiting.count && stream.isWanted }

  /// At once, or when its turn comes.
  func whenWanted(_ body: @escaping () -> Void) {
    if isWanted { body() } else if stream.isOpen { waiting.append(body) }
  }

  func resume() {
    while first < waiting.count, stream.isWanted {
      first += 1
      waiting[first - 1]()
    }
    if first == waiting.count {
      waiting = []
      first = 0
      onResume()
    }
  }
}

/// What is served at a path.
final class ServerRoute {
  var posts: ServerQueue<ServerRequest>?
  var requests: ServerQueue<ServerRequest>?
  var sockets: ServerQueue<ServerSocketEvent>?
  var value: ServedValue?
  var file: ServedFile?

  var isEmpty: Bool { posts == nil && requests == nil && sockets == nil && value == nil && file == nil }

  /// Who takes a request with this method.
  func queue(_ method: String) -> ServerQueue<ServerRequest>? { method == "POST" ? posts ?? requests : requests }

  /// Of what is served otherwise.
  var methods: String {
    ((value == nil && file == nil ? [] : ["GET", "HEAD"]) + (posts == nil ? [] : ["POST"])).joined(separator: ", ")
  }
}

/// Sockets that listen.
enum ServerSocket {
  static func open(_ address: IPAddress, _ port: Int) throws(IOError) -> (descriptor: Int32, port: Int) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.isV4 ? AF_INET : AF_INET6, kind, 0)
    let place = Need.joined("\(address)", port)
    if descriptor < 0 { throw IOError("cannot listen on \(place): \(IOError.words(errno))") }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    if !address.isV4 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, 4) }
    let isBound = withAddress(address, port) { bind(descriptor, $0, $1) == 0 }
    guard isBound, Glibc.listen(descriptor, 4096) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      throw IOError("cannot listen on \(place): \(IOError.words(number))")
    }
    return (descriptor, bound(descriptor) ?? port)
  }

  private static func withAddress<Result>(
    _ address: IPAddress, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var storage = sockaddr_storage()
    return withUnsafeMutableBytes(of: &storage) { bytes in
      if address.isV4 {
        var value = sockaddr_in()
        (value.sin_family, value.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        withUnsafeMutableBytes(of: &value.sin_addr) { $0.copyBytes(from: address.bytes) }
        bytes.storeBytes(of: value, as: sockaddr_in.self)
      } else {
        var value = sockaddr_in6()
        (value.sin6_family, value.sin6_port) = (sa_family_t(AF_INET6), UInt16(port).bigEndian)
        withUnsafeMutableBytes(of: &value.sin6_addr) { $0.copyBytes(from: address.bytes) }
        bytes.storeBytes(of: value, as: sockaddr_in6.self)
      }
      let size = address.isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
      return bytes.withMemoryRebound(to: sockaddr.self) { sockets in
        guard let first = sockets.baseAddress else { preconditionFailure("an address has room") }
        return body(first, socklen_t(size))
      }
    }
  }

  private static func bound(_ descriptor: Int32) -> Int? {
    var storage = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    // The port stands at the same place in both families.
    return result == 0 ? Int(UInt16(bigEndian: storage.sin6_port)) : nil
  }
}
