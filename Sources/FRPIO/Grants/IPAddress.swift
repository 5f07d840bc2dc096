// Addresses of the internet: how they are written, and which of them lead into a private network or this machine.

import Glibc

/// An address of either family. One of IPv4 that IPv6 wraps (`::ffff:127.0.0.1`) is the one of IPv4.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four bytes, or sixteen.
  public let bytes: [UInt8]

  public var isV4: Bool { bytes.count == 4 }

  /// Four bytes or sixteen; nil for other counts.
  public init?(bytes: [UInt8]) {
    if bytes.count == 16, bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
      self.bytes = Array(bytes[12...])
    } else {
      if bytes.count != 4, bytes.count != 16 { return nil }
      self.bytes = bytes
    }
  }

  /// `127.0.0.1` or `::1`, as both are usually written; nil for anything else.
  public init?(_ text: String) {
    guard let bytes = Self.bytes(text, AF_INET, 4) ?? Self.bytes(text, AF_INET6, 16) else { return nil }
    self.init(bytes: bytes)
  }

  /// The same, and what resolvers take for an address of IPv4 as well: `127.1`, `2130706433`, `0177.0.0.1`, `0x7f000001`.
  init?(resolved text: String) {
    if let address = IPAddress(text) {
      self = address
      return
    }
    var address = in_addr()
    // inet_aton looks no further than a blank.
    let isPlain = text.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 || $0 == 0x78 }
    guard isPlain, inet_aton(text, &address) == 1 else { return nil }
    self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
  }

  /// The address of a socket; nil where it has none.
  public init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let bytes = UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_addr
      self.init(bytes: withUnsafeBytes(of: bytes) { Array($0) })
    case AF_INET6:
      let bytes = UnsafeRawPointer(address).load(as: sockaddr_in6.self).sin6_addr
      self.init(bytes: withUnsafeBytes(of: bytes) { Array($0) })
    default: return nil
    }
  }

  private static func bytes(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
    if text.utf8.contains(0) { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(isV4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// This machine: `127.0.0.0/8`, `::1`.
  public var isLoopback: Bool { isV4 ? bytes[0] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1 }

  /// Whether it leads to the internet at large, and neither into a private network, nor to this machine, nor to many.
  /// Addresses that wrap one of IPv4 (6to4, NAT64, compatible ones) are what is wrapped.
  public var isPublic: Bool {
    if isV4 { return !Self.special.contains { $0.contains(bytes) } }
    if let inner = wrapped { return inner.isPublic }
    // 2000::/3 is all that is given out so far.
    return bytes[0] & 0xE0 == 0x20 && !Self.special6.contains { $0.contains(bytes) }
  }

  private var wrapped: IPAddress? {
    let (prefix, last): ([UInt8], ArraySlice<UInt8>) = (Array(bytes[..<12]), bytes[12...])
    switch prefix {
    case [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]: return isLoopback ? nil : IPAddress(bytes: Array(last))
    case [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]: return IPAddress(bytes: Array(last))
    default: return bytes[..<2] == [0x20, 0x02] ? IPAddress(bytes: Array(bytes[2..<6])) : nil
    }
  }

  /// The IANA's registry of special-purpose addresses of IPv4, and those for many.
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
  ].compactMap(AddressBlock.init)

  /// Of IPv6 below 2000::/3: protocols (Teredo and ORCHID among them), documentation.
  private static let special6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].compactMap(AddressBlock.init)
}

/// Addresses that begin alike.
private struct AddressBlock {
  let start: [UInt8]
  let bits: Int

  init?(_ text: String) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let address = IPAddress(String(parts[0])), let bits = Int(parts[1]) else { return nil }
    (start, self.bits) = (address.bytes, bits)
  }

  func contains(_ bytes: [UInt8]) -> Bool {
    (0..<bits).allSatisfy { bit in (bytes[bit / 8] ^ start[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0 }
  }
}

/// Whom a connection goes to: a name, or an address.
public enum NetHost: Hashable, Sendable, CustomStringConvertible {
  /// In small letters, without the dot that ends it.
  case name(String)
  case address(IPAddress)

  /// Of a URL, where that of IPv6 stands in brackets. What a resolver takes for an address is one: `0x7f.1`. Nil for what is no
  /// name of a host, among them any with letters beyond ASCII: those are written `xn--…` where they are looked up.
  public init?(_ text: String) {
    if text.hasPrefix("["), text.hasSuffix("]") {
      guard let address = IPAddress(String(text.dropFirst().dropLast())), text.contains(":") else { return nil }
      self = .address(address)
      return
    }
    // Before it becomes small letters: those of other alphabets may become ours.
    guard text.utf8.count <= 254, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var name = text.lowercased()
    if let address = IPAddress(name) {
      self = .address(address)
      return
    }
    if name.hasSuffix(".") { name.removeLast() }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = labels.last, labels.allSatisfy(Self.isLabel) else { return nil }
    if Self.isNumber(last) {
      guard let address = IPAddress(resolved: name) else { return nil }
      self = .address(address)
    } else {
      self = .name(name)
    }
  }

  private static func isLabel(_ label: Substring) -> Bool {
    1...63 ~= label.utf8.count
      && label.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x5F }
  }

  /// Names of hosts do not end with a number, so that it can only be an address, however it is written.
  private static func isNumber(_ label: Substring) -> Bool {
    if label.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return true }
    return label.hasPrefix("0x") && label.dropFirst(2).utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }

  public var description: String {
    switch self {
    case .name(let name): name
    case .address(let address): address.isV4 ? "\(address)" : "[\(address)]"
    }
  }

  /// `localhost` and what is below it, which are this machine by definition.
  public var isLocal: Bool {
    if case .name(let name) = self { return name == "localhost" || name.hasSuffix(".localhost") }
    return false
  }
}
