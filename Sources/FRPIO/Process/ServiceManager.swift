// What a service manager hears of its service: READY=1, WATCHDOG=1 and the like, one datagram each, to the socket that
// NOTIFY_SOCKET names. It is the protocol of sd_notify(3), which is stable; a library for one datagram is not needed.
//
// Rules
// - Pulses are told by whoever calls `beat`: a loop that stands still tells none, and the manager ends the process.
// - What this process starts does not inherit the variables: what it would tell would not be about itself.
// - The manager's socket is a path, or a name that begins with `@` and is in no directory. Nobody who listens is no failure.

import Glibc
import Synchronization

/// The manager that has started this process, and waits to hear from it. Any thread.
public final class ServiceManager: Sendable {
  /// Of this process; nil where it has none that listens.
  public static let present: ServiceManager? = {
    let manager = ServiceManager { name in getenv(name).map { String(cString: $0) } }
    for name in variables { unsetenv(name) }
    return manager
  }()

  private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
  /// While a start takes long, it is said so often, and that it may take so much longer.
  private static let distanceOfWords: Int64 = 1_000_000_000
  private static let allowance = 30_000_000

  private let socket: Descriptor
  private let address: SocketName
  /// Nanoseconds from one pulse to the next: half of what the manager waits. Nil where it does not wait for pulses.
  public let pulse: Int64?
  private let nextBeat = Atomic<Int64>(0)
  private let nextWord = Atomic<Int64>(0)

  /// By its variables of the environment; nil where they name no socket that can be told anything.
  public init?(_ variable: (String) -> String?) {
    guard let name = variable("NOTIFY_SOCKET"), let address = SocketName(name) else { return nil }
    let number = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if number < 0 { return nil }
    socket = Descriptor(number)
    self.address = address
    let isForUs = variable("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let waits = isForUs ? variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0 : 0
    pulse = 0 < waits && waits < Int64.max / 1000 ? max(1, waits * 1000 / 2) : nil
    boundSending()
  }

  /// A manager that hangs holds no service up for long.
  private func boundSending() {
    var time = timeval(tv_sec: 1, tv_usec: 0)
    _ = socket.with { setsockopt($0, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size)) }
  }

  // MARK: What is told

  /// The service has begun: who waits for it goes on.
  public func ready() { tell("READY=1\nSTATUS=running") }

  /// The service is still beginning, and goes on with that; said once a second however often this is called.
  public func beginning(_ status: @autoclosure () -> String) {
    let now = Self.now
    if now < nextWord.load(ordering: .relaxed) { return }
    nextWord.store(now + Self.distanceOfWords, ordering: .relaxed)
    tell("EXTEND_TIMEOUT_USEC=\(Self.allowance)\nSTATUS=\(status())")
  }

  /// The loop of the service is alive. Cost: a look at the clock, and a datagram when the next pulse is due.
  public func beat() {
    guard let pulse else { return }
    let now = Self.now
    if now < nextBeat.load(ordering: .relaxed) { return }
    nextBeat.store(now + pulse, ordering: .relaxed)
    tell("WATCHDOG=1")
  }

  /// Nanoseconds until the next pulse is due; nil where none ever is.
  public var untilBeat: Int64? {
    pulse.map { _ in max(0, nextBeat.load(ordering: .relaxed) - Self.now) }
  }

  /// The service is about to end by itself.
  public func stopping() { tell("STOPPING=1\nSTATUS=stopping") }

  private func tell(_ lines: String) {
    let bytes = Array(lines.utf8)
    socket.with { socket in
      address.with { address, length in
        while sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length) < 0, errno == EINTR {}
      }
    }
  }

  private static var now: Int64 { Int64(IOLoop.now) }
}

/// The name of a socket of this machine, as the system takes it.
private struct SocketName: Sendable {
  private let bytes: [UInt8]

  /// Nil for what is neither a path nor begins with `@`, and for what is too long.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@"), !bytes.contains(0) else {
      return nil
    }
    // A name in no directory begins with a NUL, and ends where its length says; a path ends with one.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
    if bytes.count > MemoryLayout.size(ofValue: sockaddr_un().sun_path) { return nil }
    self.bytes = bytes
  }

  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = MemoryLayout.size(ofValue: address.sun_family) + bytes.count
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}
