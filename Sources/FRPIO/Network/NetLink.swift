// A connection to a host, with TLS or without, as bytes: what is read while it is wanted, and what is written as it goes.
// On the loop's thread only.

import CNet
import Glibc

final class NetLink: @unchecked Sendable {
  /// What happens to it.
  struct Hooks {
    var opened: () -> Void
    var received: ([UInt8]) -> Void
    /// Nothing is called after it. Nil: the other side has ended it.
    var ended: (IOError?) -> Void
  }

  /// What is written and not yet taken, before whoever writes has to wait.
  static let unsentLimit = 256 << 10

  private let library: NetLibrary
  private let url: NetURL
  private var hooks: Hooks?
  private var handle: OpaquePointer?
  private var watch: IOWatch?
  private var addresses: AddressCheck
  private var output: [UInt8] = []
  private var sent = 0
  private var waiting: [(Result<Void, IOError>) -> Void] = []
  private var scratch = [UInt8](repeating: 0, count: 64 << 10)
  private(set) var lastHeard = IOLoop.now

  /// Whether more is read.
  var isWanted = true {
    didSet { if isWanted != oldValue { isWanted ? read() : update() } }
  }

  init(_ library: NetLibrary, _ url: NetURL, _ grants: Grants, isSecure: Bool, authorities: String?, _ hooks: Hooks)
    throws(IOError)
  {
    (self.library, self.url, self.hooks, addresses) = (library, url, hooks, AddressCheck(grants))
    try grants.check(host: url.host, port: url.port)
    var request = frp_link_request()
    request.connect_milliseconds = 30_000
    request.user = Unmanaged.passUnretained(self).toOpaque()
    request.permits = {
      let link = NetLink.from($0)
      return link.addresses.permits($1, of: link.url) ? 1 : 0
    }
    request.opened = { NetLink.from($0).opened($1.map { String(cString: $0) }, $2) }
    let text = "\(isSecure ? "https" : "http")://\(url.place)/"
    handle = text.withCString { text in
      request.url = text
      guard let authorities else { return library.functions.link_open(library.net, &request) }
      return authorities.withCString {
        request.authorities = $0
        return library.functions.link_open(library.net, &request)
      }
    }
    if handle == nil { throw IOError("\(url.place): no memory") }
    // Until `release`.
    _ = Unmanaged.passRetained(self)
  }

  private static func from(_ user: UnsafeMutableRawPointer) -> NetLink {
    Unmanaged.fromOpaque(user).takeUnretainedValue()
  }

  private func opened(_ problem: String?, _ descriptor: Int32) {
    if let problem {
      // The library gives it back itself.
      handle = nil
      end(addresses.problem(problem, of: url))
      Unmanaged.passUnretained(self).release()
      return
    }
    watch = try? IOLoop.shared.watch(descriptor, .reading) { [unowned self] in ready($0) }
    if watch == nil { return end(IOError("\(url.place): too many open files")) }
    hooks?.opened()
    update()
  }

  private func ready(_ ready: Ready) {
    withExtendedLifetime(self) {
      if ready.contains(.writable) { flush() }
      if ready.contains(.readable) { read() }
    }
  }

  /// TLS may have more than the system tells of, so it is read until there is nothing.
  private func read() {
    while isWanted, let handle, watch != nil {
      let count = scratch.withUnsafeMutableBufferPointer {
        library.functions.link_receive(handle, $0.baseAddress, $0.count)
      }
      switch count {
      case 1...:
        lastHeard = IOLoop.now
        hooks?.received(Array(scratch[..<count]))
      case 0: end(nil)
      case Int(FRP_LINK_AGAIN): return update()
      default: end(IOError("the connection to \(url.place) broke"))
      }
    }
    update()
  }

  private func update() {
    guard let watch else { return }
    var interest: Interest = isWanted ? .reading : []
    if sent < output.count { interest.insert(.writing) }
    do throws(IOError) { try watch.set(interest) } catch { end(error) }
  }

  // MARK: Writing

  /// Calls `done` once there is room for more, or with what was made of it where the link ends before.
  func send(_ bytes: [UInt8], _ done: ((Result<Void, IOError>) -> Void)? = nil) {
    if hooks == nil {
      done?(.failure(Outbox.closed))
      return
    }
    output += bytes
    if output.count == bytes.count { flush() }
    guard let done else { return update() }
    if output.count - sent <= Self.unsentLimit { done(.success(())) } else { waiting.append(done) }
    update()
  }

  private func flush() {
    while sent < output.count, let handle {
      let count = output.withUnsafeBufferPointer { bytes in
        let rest = UnsafeBufferPointer(rebasing: bytes[sent...])
        return library.functions.link_send(handle, rest.baseAddress, rest.count)
      }
      if count == Int(FRP_LINK_AGAIN) { break }
      if count < 0 {
        // Why the other side takes no more may stand in what it has said last.
        read()
        return end(IOError("the connection to \(url.place) broke"))
      }
      sent += count
    }
    if sent == output.count {
      output.removeAll(keepingCapacity: output.capacity <= 64 << 10)
      sent = 0
    } else if sent > 64 << 10 {
      output.removeFirst(sent)
      sent = 0
    }
    if output.count - sent <= Self.unsentLimit { endWaiting(.success(())) }
    update()
  }

  private func endWaiting(_ result: Result<Void, IOError>) {
    let ended = waiting
    waiting = []
    for done in ended { done(result) }
  }

  // MARK: The end

  private func end(_ error: IOError?) {
    guard let hooks else { return }
    close()
    hooks.ended(error)
  }

  /// Nothing is called any more.
  func close() {
    hooks = nil
    watch?.cancel()
    watch = nil
    endWaiting(.failure(Outbox.closed))
    if let handle {
      self.handle = nil
      library.functions.link_close(handle)
      Unmanaged.passUnretained(self).release()
    }
  }
}
