// A client's WebSocket: a stream of texts, and a way to say some. On the loop's thread, but for `send` and the flow's words.
//
// Rules
// - While its listener is paused nothing is read, so that the server waits.
// - It ends well where the server closes it with 1000, or without a code; else with a sentence that has the code.
// - A ping is sent after half a minute of silence, and a connection that says nothing for two and a half is given up.

import CLinux
import CNet
import Glibc

public final class WebSocket: Flow {
  private let stream: Stream<[UInt8]>
  private let session: SocketSession

  private init(_ stream: Stream<[UInt8]>, _ session: SocketSession) { (self.stream, self.session) = (stream, session) }

  /// Connects to `ws://` or `wss://`. Each item is a text message, UTF-8. `opened` is called when it may be talked to.
  public static func connect(
    _ url: String, _ grants: Grants, authorities: String? = nil, messageLimit: Int = 16 << 20,
    opened: @escaping @Sendable () -> Void = {}, item: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping Completion<Void>
  ) -> WebSocket {
    let stream = Stream(item: item, end: end)
    let session = SocketSession(stream, limit: messageLimit, opened)
    IOLoop.shared.run { session.begin(url, grants, authorities) }
    return WebSocket(stream, session)
  }

  /// Says a text, after what was said before. It ends once there is room for more.
  @discardableResult
  public func send(_ text: [UInt8], _ completion: @escaping Completion<Void>) -> any Operation {
    let call = Call(completion)
    session.outbox.say(text) { call.end($0) }
    return call
  }

  /// The same, where there is room at once; nil where it is to be sent by `send`.
  public func sendAtOnce(_ text: [UInt8]) -> Result<Void, IOError>? { session.outbox.offer(text) }

  public func pause() { stream.pause() }
  public func resume() { stream.resume() }
  public func cancel() { stream.cancel() }
}

private final class SocketSession: @unchecked Sendable {
  private let stream: Stream<[UInt8]>
  private let opened: @Sendable () -> Void
  /// What is said to the server.
  let outbox: Outbox
  private var decoder: SocketDecoder
  private var link: NetLink?
  private var url: NetURL?
  private let key = SocketHandshake.base64((0..<16).map { _ in UInt8.random(in: 0...255) })
  private var isOpen = false
  private var input: [UInt8] = []
  private var start = 0
  private var timer: IOTimer?
  private var ending: Result<Void, IOError>?
  /// What may still come is no message any more.
  private var isOver = false
  private var masks: [UInt32] = []

  private static let headLimit = 16 << 10
  private static let second = 1_000_000_000

  init(_ stream: Stream<[UInt8]>, limit: Int, _ opened: @escaping @Sendable () -> Void) {
    (self.stream, self.opened) = (stream, opened)
    decoder = SocketDecoder(isServer: false, limit: limit)
    let session = WeakSession()
    outbox = Outbox { session.value?.drain() }
    session.value = self
  }

  private final class WeakSession: @unchecked Sendable { weak var value: SocketSession? }

  func begin(_ text: String, _ grants: Grants, _ authorities: String?) {
    // The listener's words keep it until its end.
    stream.onChange(
      .init(pause: { self.setWanted(false) }, resume: { self.setWanted(true) }, cancel: { self.cancel() }))
    if !stream.isOpen { return }
    do throws(IOError) {
      let library = try NetLibrary.onLoop()
      let url = try NetURL(text, schemes: ["ws", "wss"], library)
      self.url = url
      link = try NetLink(
        library, url, grants, isSecure: url.scheme == "wss", authorities: authorities,
        .init(
          opened: { [unowned self] in shake(url) }, received: { [unowned self] in received($0) },
          ended: { [unowned self] in lost($0) }))
    } catch {
      end(.failure(error))
    }
  }

  private func shake(_ url: NetURL) {
    let defaultPort = url.scheme == "wss" ? 443 : 80
    let host = url.port == defaultPort ? String(url.place.dropLast(":\(url.port)".count)) : url.place
    var head = "GET \(url.target) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    head += "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\nUser-Agent: frp\r\n"
    if !url.user.isEmpty {
      head += "Authorization: Basic \(SocketHandshake.base64(Array("\(url.user):\(url.password)".utf8)))\r\n"
    }
    link?.send(Array((head + "\r\n").utf8))
    timer = IOLoop.shared.after(30 * Self.second) { [weak self] in
      self?.end(.failure(IOError("\(url.place) does not answer the handshake within 30 s")))
    }
  }

  // MARK: What comes

  private func received(_ bytes: [UInt8]) {
    input += bytes
    isOpen ? giveMessages() : readHead()
  }

  private func readHead() {
    let text = input.prefix(Self.headLimit + 4)
    guard let end = Self.endOfHead(text) else {
      if input.count >= Self.headLimit { end(.failure(IOError("the answer to the handshake is too long"))) }
      return
    }
    if let problem = problem(input[..<end]) { return self.end(.failure(problem)) }
    start = end
    isOpen = true
    watchSilence()
    opened()
    outbox.open()
    giveMessages()
  }

  private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { $0 >= 3 && bytes[$0] == 0x0A && bytes[$0 - 2] == 0x0A && bytes[$0 - 1] == 0x0D }.map {
      $0 + 1
    }
  }

  /// Why an answer is not that of a WebSocket.
  private func problem(_ head: ArraySlice<UInt8>) -> IOError? {
    let line = String(decoding: head.prefix { $0 != 0x0D }, as: UTF8.self)
    guard line.hasPrefix("HTTP/1.1 ") else { return IOError("what \(url?.place ?? "it") answers is not HTTP") }
    let status = line.dropFirst(9)
    if !status.hasPrefix("101") {
      let said = status.isEmpty ? "something else" : String(status)
      return IOError("no WebSocket is there: \(url?.place ?? "it") answers \(said)")
    }
    let headers = head.withUnsafeBytes { HTTPText.headers($0) }
    func has(_ name: String, _ value: String) -> Bool {
      headers.contains { $0.name == name && HTTPText.tokens(Array($0.value.utf8)[...]).contains(value) }
    }
    let isAccepted = headers.contains { $0.name == "sec-websocket-accept" && $0.value == SocketHandshake.accept(key) }
    let asks = headers.contains { $0.name == "sec-websocket-extensions" || $0.name == "sec-websocket-protocol" }
    if has("upgrade", "websocket"), has("connection", "upgrade"), isAccepted, !asks { return nil }
    return IOError("what \(url?.place ?? "it") answers is not the handshake of a WebSocket")
  }

  /// Gives what is there, and then the end, if it has come.
  private func giveMessages() {
    do throws(SocketFault) {
      while !isOver {
        if !stream.isWanted { return }
        guard let next = try decoder.next(input, at: &start) else { break }
        take(next)
      }
    } catch {
      close(error.code, error.sentence, .failure(IOError(error.sentence)))
    }
    if start == input.count || start > 64 << 10 {
      input.removeFirst(start)
      start = 0
    }
    if let ending, stream.isWanted { stream.finish(ending) }
  }

  private func take(_ next: SocketInput) {
    switch next {
    case .text(let text): stream.give(text)
    case .ping(let bytes): link?.send(SocketFrame.pong(bytes, mask: mask()))
    case .pong: break
    case .close(let code, let reason):
      let said = code.map { "the server closed it with \($0)" + (reason.isEmpty ? "" : ": \(reason)") }
      let isWell = code == nil || code == 1000
      close(code ?? 1000, "", isWell ? .success(()) : .failure(IOError(said ?? "")))
    }
  }

  // MARK: What is said

  private func drain() {
    guard let link else { return }
    outbox.drain(frames) { link.send($0, $1) }
  }

  private func frames(_ texts: [[UInt8]]) -> [UInt8] { SocketFrame.texts(texts) { self.mask() } }

  private func sendLast() {
    let texts = outbox.takeLast(.failure(Outbox.closed))
    if !texts.isEmpty { link?.send(frames(texts)) }
  }

  /// Servers between here and there cannot guess them.
  private func mask() -> UInt32 {
    if masks.isEmpty {
      masks = [UInt32](repeating: 0, count: 64)
      masks.withUnsafeMutableBytes { if let first = $0.baseAddress { clinux_random(first, $0.count) } }
    }
    return masks.removeLast()
  }

  /// A dead connection shows when something is said.
  private func watchSilence() {
    timer?.cancel()
    timer = IOLoop.shared.after(30 * Self.second) { [weak self] in
      guard let self, ending == nil, let link else { return }
      let silence = IOLoop.now - link.lastHeard
      if silence > 150 * Self.second, stream.isWanted {
        return end(.failure(IOError("\(url?.place ?? "it") has said nothing for 150 s")))
      }
      if silence > 25 * Self.second { link.send(SocketFrame.ping(mask: mask())) }
      watchSilence()
    }
  }

  // MARK: The end

  private func setWanted(_ isWanted: Bool) {
    if isWanted { giveMessages() }
    link?.isWanted = isWanted && stream.isWanted
  }

  private func cancel() {
    sendLast()
    if isOpen { link?.send(SocketFrame.close(1000, "", mask: mask())) }
    release()
  }

  /// The other side is told, as far as that goes without waiting.
  private func close(_ code: Int, _ reason: String, _ result: Result<Void, IOError>) {
    sendLast()
    link?.send(SocketFrame.close(code, reason, mask: mask()))
    isOver = true
    ending = result
    release()
  }

  private func lost(_ error: IOError?) {
    let closed = isOpen ? "the connection was cut without a close" : "the connection was closed within the handshake"
    end(.failure(error ?? IOError(closed)))
  }

  private func end(_ result: Result<Void, IOError>) {
    if ending == nil { ending = result }
    release()
    // Before it is open, what came is no message.
    isOver = isOver || !isOpen
    giveMessages()
  }

  private func release() {
    timer?.cancel()
    timer = nil
    link?.close()
    link = nil
    _ = outbox.takeLast(.failure(Outbox.closed))
  }
}
