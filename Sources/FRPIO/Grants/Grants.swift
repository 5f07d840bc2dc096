// What a program may do outside of itself. Nothing, until it is told: there is no "all".
//
// In: `--allow-KIND=VALUE`, or lines `KIND=VALUE` of a file. Out: checks of hosts, addresses, ports and names; paths are
// checked where they are opened (Access).
// Rules
// - A name leads to public addresses only. Those of private networks and of this machine are named by a grant themselves,
//   so that whoever answers for a name cannot choose them. `localhost` names this machine.
// - A port that is left out is any port.

import FRPBase

/// What somebody wants to do, as a grant would say it.
public enum Need: Hashable, Sendable {
  case net(host: String, port: Int)
  case listen(address: String, port: Int)
  case read(String)
  case write(String)
  case run(String)
  case env(String)

  public var kind: Grants.Kind {
    switch self {
    case .net: .net
    case .listen: .listen
    case .read: .read
    case .write: .write
    case .run: .run
    case .env: .env
    }
  }

  /// What stands behind `=` in a grant. The address of a `listen` that needs not be said is left out.
  public var value: String {
    switch self {
    case .net(let host, let port): Self.joined(host, port)
    case .listen(let address, let port): address == "127.0.0.1" ? "\(port)" : Self.joined(address, port)
    case .read(let text), .write(let text), .run(let text), .env(let text): text
    }
  }

  /// `--allow-net=api.example.org:443`.
  public var flag: String { "--allow-\(kind.rawValue)=\(value)" }

  static func joined(_ host: String, _ port: Int) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension IOError {
  /// "not granted: net api.x:443".
  public init(notGranted need: Need) { message = "not granted: \(need.kind.rawValue) \(need.value)" }
}

/// What was granted.
public struct Grants: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable { case net, listen, read, write, run, env }

  /// `HOST[:PORT]`.
  public struct Net: Hashable, Sendable {
    public var host: NetHost
    /// Nil for any.
    public var port: Int?
  }

  /// `[ADDR:]PORT`.
  public struct Listen: Hashable, Sendable {
    public var address: IPAddress
    /// 0 for one that the system chooses.
    public var port: Int
  }

  public private(set) var net: [Net] = []
  public private(set) var listen: [Listen] = []
  /// Paths as they were given.
  public private(set) var read: [String] = []
  public private(set) var write: [String] = []
  /// Paths of programs, or names that are looked up in `PATH`.
  public private(set) var run: [String] = []
  public private(set) var env: [String] = []

  public init() {}

  public var isEmpty: Bool { self == Grants() }

  /// Adds one: the value of `--allow-KIND`. Throws a sentence about the value, which names neither flag nor line.
  public mutating func add(_ kind: Kind, _ value: String) throws(IOError) {
    if value.isEmpty { throw IOError("nothing is named") }
    if value.utf8.contains(0) { throw IOError("it contains a NUL") }
    try Self.checkNamed(kind, value)
    switch kind {
    case .net: net.append(try Self.net(value))
    case .listen: listen.append(try Self.listen(value))
    case .read: read.append(value)
    case .write: write.append(value)
    case .run: run.append(value)
    case .env:
      if value.contains("=") { throw IOError("a name of the environment has no `=`: \(value)") }
      env.append(value)
    }
  }

  /// What looks like a pattern is none, and would be taken for a name.
  private static func checkNamed(_ kind: Kind, _ value: String) throws(IOError) {
    switch kind {
    case .read, .write:
      if value.split(separator: "/").contains(where: { $0 == "*" || $0 == "**" }) {
        throw IOError("a folder is named itself, without `*`, and grants what is in it: \(value)")
      }
    case .run: if value == "*" { throw IOError("programs are named one by one, without `*`: \(value)") }
    case .env: if value.contains("*") { throw IOError("names are given one by one, without `*`: \(value)") }
    case .net, .listen: break
    }
  }

  /// Adds those of a file: lines `KIND=VALUE`, blank ones and `# comments`. Throws "NAME, line 3: …".
  public mutating func add(lines text: String, of name: String) throws(IOError) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      do throws(IOError) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = Kind(rawValue: String(parts[0].trimmed)) else {
          throw IOError("\(Self.kinds), not `\(parts[0].trimmed)`")
        }
        guard parts.count == 2 else { throw IOError("`\(kind.rawValue)=` and what is granted") }
        try add(kind, String(parts[1].trimmed))
      } catch {
        throw IOError("\(name), line \(index + 1): \(error.message)")
      }
    }
  }

  private static let kinds =
    "a grant begins with " + Kind.allCases.map { "`\($0.rawValue)=`" }.joined(separator: ", ")

  /// One grant a line, as a file of grants holds them.
  public var lines: [String] {
    net.map { grant in "net=\(grant.host)" + (grant.port.map { ":\($0)" } ?? "") }
      + listen.map { "listen=" + Need.joined("\($0.address)", $0.port) }
      + [(Kind.read, read), (.write, write), (.run, run), (.env, env)].flatMap { kind, values in
        values.map { "\(kind.rawValue)=\($0)" }
      }
  }
}

extension Grants {
  private static func net(_ value: String) throws(IOError) -> Net {
    if value.contains("://") { throw IOError("a host, and not a URL: \(value)") }
    if value.contains("/") { throw IOError("a host has no `/`: \(value)") }
    if value.contains("*") { throw IOError("hosts are named one by one, without `*`: \(value)") }
    let (host, port) = try parts(value)
    if host.isEmpty { throw IOError("a host is missing before `:`") }
    guard let parsed = NetHost(host) else { throw IOError(unusable: host) }
    if case .address(let address) = parsed, IPAddress(host.trimmingBrackets) == nil {
      throw IOError("write \(host) as \(address)")
    }
    if port == 0 { throw IOError("ports are 1 to 65535, not 0") }
    return Net(host: parsed, port: port)
  }

  private static func listen(_ value: String) throws(IOError) -> Listen {
    let isPort = value.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    let (host, port) = try parts(isPort ? "127.0.0.1:\(value)" : value)
    guard let port else { throw IOError("a port is missing: \(value)") }
    let text = host.lowercased() == "localhost" ? "127.0.0.1" : host.trimmingBrackets
    guard let address = IPAddress(text) else {
      throw IOError("an address like 127.0.0.1, 0.0.0.0 or [::], not `\(host)`")
    }
    return Listen(address: address, port: port)
  }

  /// `HOST[:PORT]`; one of IPv6 stands in brackets, or alone.
  private static func parts(_ value: String) throws(IOError) -> (host: String, port: Int?) {
    if IPAddress(value) != nil { return (value, nil) }
    guard let colon = value.lastIndex(of: ":"), !value.hasSuffix("]") else { return (value, nil) }
    let (host, digits) = (String(value[..<colon]), value[value.index(after: colon)...])
    if host.contains(":"), !host.hasPrefix("[") { throw IOError("write it with brackets: [\(host)]:\(digits)") }
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), 0...65535 ~= port else {
      throw IOError("ports are 1 to 65535, not `\(digits)`")
    }
    return (host, port)
  }
}

extension Grants {
  /// Before a name is looked up: whether a connection to the host of a URL is granted.
  public func check(host text: String, port: Int) throws(IOError) {
    guard let host = NetHost(text), names(host, port) else {
      throw IOError(notGranted: .net(host: text, port: port))
    }
  }

  /// Once it is looked up, and before the socket is connected: whether the host may lead to this address.
  public func check(address: IPAddress, port: Int, host text: String) throws(IOError) {
    try check(host: text, port: port)
    guard let host = NetHost(text) else { return }
    switch host {
    // A resolver that reads it in another way than we.
    case .address(let named): if named == address { return }
    case .name: if host.isLocal ? address.isLoopback : address.isPublic { return }
    }
    if case .name = host, names(.address(address), port) { return }
    let need = Need.net(host: "\(NetHost.address(address))", port: port)
    throw IOError(IOError(notGranted: need).message + " (\(text))")
  }

  private func names(_ host: NetHost, _ port: Int) -> Bool {
    net.contains { $0.host == host && ($0.port == nil || $0.port == port) }
  }

  /// Before a socket is bound.
  public func check(listen address: IPAddress, port: Int) throws(IOError) {
    if !listen.contains(Listen(address: address, port: port)) {
      throw IOError(notGranted: .listen(address: "\(address)", port: port))
    }
  }

  /// Before a name of the environment is looked at.
  public func check(env name: String) throws(IOError) {
    if !env.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { throw IOError(notGranted: .env(name)) }
  }
}

extension IOError {
  fileprivate init(unusable host: String) {
    let isForeign = !host.utf8.allSatisfy { $0 < 0x80 }
    message = isForeign ? "write \(host) as it is looked up, xn--…" : "no name of a host: \(host)"
  }
}

extension StringProtocol {
  fileprivate var trimmed: Substring {
    var text = Substring(self)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text.drop(while: \.isWhitespace)
  }

  fileprivate var trimmingBrackets: String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : String(self)
  }
}
