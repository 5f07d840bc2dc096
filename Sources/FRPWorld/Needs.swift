// What a program needs to be granted, read from its text before it runs.

import FRP
import FRPBase
import FRPIO

/// One thing that a program needs.
public struct WorldNeed: Hashable, Sendable {
  public var kind: Grants.Kind
  /// As a grant would name it; nil where the program computes it.
  public var need: Need?
  /// The line that needs it; 0 where that is in another file.
  public var line: Int

  /// `net api.example.org:443`
  public var words: String { "\(kind.rawValue) \(need?.value ?? "a port, for example 8080")" }

  /// What a text that needs it has in it: a host, a path, a name.
  public var named: String? { if case .net(let host, _)? = need { host } else { need?.value } }

  /// What grants it on the command line.
  public var flag: String { need?.flag ?? "--allow-listen=8080" }

  /// A line of a file of grants: `net=api.example.org:443`, or a comment with the line that computes it. Where it listens is
  /// not the program's to say.
  public var text: String {
    if kind == .listen { return "listen=127.0.0.1:8080" }
    if let need { return "\(kind.rawValue)=\(need.value)" }
    return "# \(kind.rawValue)=?" + (line > 0 ? "  (computed in line \(line))" : "  (computed)")
  }
}

extension WorldNeed {
  /// What a program's calls need, each once, by kind and then by line.
  public static func all(of program: Program) -> [WorldNeed] {
    var found: [WorldNeed] = []
    for use in program.worldUses {
      for need in needs(of: use) where !found.contains(where: { $0.isSame(as: need) }) { found.append(need) }
    }
    let order = Grants.Kind.allCases
    return found.enumerated().sorted { a, b in
      let (x, y) = (order.firstIndex(of: a.element.kind) ?? 0, order.firstIndex(of: b.element.kind) ?? 0)
      return (x, a.offset) < (y, b.offset)
    }.map(\.element)
  }

  private func isSame(as other: WorldNeed) -> Bool {
    kind == other.kind && need == other.need && (need != nil || kind == .listen || line == other.line)
  }

  private static func needs(of use: OperationUse) -> [WorldNeed] {
    func path(_ kind: Grants.Kind, _ make: (String) -> Need) -> WorldNeed {
      // Nothing can be granted of a path without a name: the call says what is wrong with it.
      guard case .known(let text)? = use.arguments.first, !text.isEmpty else {
        return WorldNeed(kind: kind, need: nil, line: use.line)
      }
      return WorldNeed(kind: kind, need: make(text), line: use.line)
    }
    switch use.name {
    case "Http.escape", "Serve.reply", "Serve.say", "Clock.cron", "Clock.now", "Signals.on": return []
    case "Http.send": return [WorldNeed(kind: .net, need: nil, line: use.line)]
    case "Files.write", "Files.append", "Db.exec": return [path(.write, Need.write)]
    case "Process.run", "Process.lines": return [path(.run, Need.run)]
    case "Env.value", "Env.secret": return [path(.env, Need.env)]
    default: break
    }
    switch use.name.prefix(while: { $0 != "." }) {
    case "Http", "Ws", "Mqtt":
      let address = use.arguments.first.flatMap(endpoint)
      return [WorldNeed(kind: .net, need: address, line: use.line)]
    case "Files", "Db": return [path(.read, Need.read)]
    case "Serve": return [WorldNeed(kind: .listen, need: nil, line: use.line)]
    default: return []
    }
  }

  private static let ports = [
    "http": 80, "https": 443, "ws": 80, "wss": 443, "mqtt": 1883, "mqtts": 8883,
  ]

  /// Host and port of a URL, whose path may be computed.
  private static func endpoint(_ url: OperationUse.Text) -> Need? {
    let text = url.beginning
    guard let mark = text.firstRange(of: "://"), let port = ports[text[..<mark.lowerBound].lowercased()] else {
      return nil
    }
    let rest = text[mark.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) }
    // Without the end of the host more of it may follow.
    if end == nil, case .begins = url { return nil }
    let authority = rest[..<(end ?? rest.endIndex)]
    if authority.contains("@") || authority.isEmpty { return nil }
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      let host = String(authority[authority.index(after: authority.startIndex)..<close])
      let behind = authority[authority.index(after: close)...]
      return behind.isEmpty ? .net(host: host, port: port) : Int(behind.dropFirst()).map { .net(host: host, port: $0) }
    }
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 1 { return .net(host: String(parts[0]), port: port) }
    return Int(parts[1]).map { .net(host: String(parts[0]), port: $0) }
  }
}

extension World {
  /// What is needed, known before the start, and not granted.
  public func missing(_ program: Program) -> [WorldNeed] {
    WorldNeed.all(of: program).filter { need in
      if let known = need.need { return !access.covers(known) }
      // Where it listens is the grant's to say, not the program's.
      return need.kind == .listen && grants.listen.isEmpty
    }
  }
}
