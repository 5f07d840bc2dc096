import FRPIO
import Foundation
import Glibc
import Synchronization

/// A server of a test on 127.0.0.1, which does what no server of good faith does: each connection is a script on a thread of
/// its own, over a blocking socket.
final class Peer: Sendable {
  let port: Int
  private let listener: Int32
  private let count = Atomic<Int>(0)

  /// How many connections came so far.
  var connections: Int { count.load(ordering: .relaxed) }

  init(_ script: @escaping @Sendable (Connection) -> Void) {
    let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        precondition(bind(opened, raw, length) == 0 && listen(opened, 512) == 0)
        getsockname(opened, raw, &length)
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    listener = opened
    detach { [self] in
      while true {
        let descriptor = accept(opened, nil, nil)
        if descriptor < 0 { return }
        count.add(1, ordering: .relaxed)
        detach {
          script(Connection(descriptor))
          close(descriptor)
        }
      }
    }
  }

  func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  deinit { close(listener) }
}

/// A blocking socket.
struct Connection: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Connects to a port of 127.0.0.1.
  init(port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    precondition(Self.attach(descriptor, port) == 0, "cannot connect to the server of the test")
    setTimeout(seconds: 60)
  }

  /// Whether somebody listens there.
  static func answers(port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { Glibc.close(descriptor) }
    return attach(descriptor, port) == 0
  }

  private static func attach(_ descriptor: Int32, _ port: Int) -> Int32 {
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  func setTimeout(seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// What comes next, at most so many bytes; empty at the end.
  func receive(_ capacity: Int = 65536) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, capacity, 0))
    }
  }

  /// Up to the end of a request's head, and what came with it.
  @discardableResult
  func receiveHead() -> String {
    var text: [UInt8] = []
    while !String(decoding: text, as: UTF8.self).contains("\r\n\r\n") {
      let more = receive()
      if more.isEmpty { break }
      text += more
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// All that comes up to the end, or until it contains a text.
  func receiveText(until end: String? = nil) -> String {
    var text: [UInt8] = []
    while true {
      let more = receive()
      if more.isEmpty { break }
      text += more
      if let end, String(decoding: text, as: UTF8.self).contains(end) { break }
    }
    return String(decoding: text, as: UTF8.self)
  }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  func pause(milliseconds: Int) { usleep(UInt32(milliseconds * 1000)) }

  /// Nothing more comes; what was sent arrives.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What was sent may be lost: the other side's next read or write fails.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  func close() { Glibc.close(descriptor) }
}

private func loopback(port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// Runs `body` on a thread that nobody waits for.
func detach(_ body: @escaping @Sendable () -> Void) { Foundation.Thread(block: body).start() }

/// A port of 127.0.0.1 that nobody listens on at present.
func freePort() -> Int {
  let peer = Peer { _ in }
  defer { peer.stop() }
  return peer.port
}
