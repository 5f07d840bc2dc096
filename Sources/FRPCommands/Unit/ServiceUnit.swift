// A systemd unit from the command line of a run: what begins it, what keeps it alive, and a sandbox made of its grants.
//
// Rules
// - What was not granted is not there: no network, no writable path, no device, no privilege. The runner's own walls (checks,
//   Landlock) stand inside of these.
// - What other programs need that a program runs is not known. With such a grant, or a plug-in, what concerns them stays open,
//   and the unit says so.
// - A name leads to addresses that are known at the moment only, so names set no filter of addresses.
// - A relative path is relative to where the unit was written, as on the command line.

import FRP
import FRPBase
import FRPIO
import FRPWorld
import Glibc

struct ServiceUnit {
  private let invocation: Invocation
  private let options: RunOptions
  private let grants: Grants
  private let paths: ServicePaths
  /// `visits` of `shop/visits.frp`.
  private let name: String

  /// Throws where this process's own directory or program cannot be named.
  init(_ invocation: Invocation, _ program: Program, _ options: RunOptions) throws(IOError) {
    (self.invocation, self.options) = (invocation, options)
    grants = options.world?.grants ?? Grants()
    name = Self.name(of: invocation.operands[0])
    paths = try ServicePaths(invocation, program, options, grants, name)
  }

  private static func name(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let stem = file.hasSuffix(".frp") ? file.dropLast(4) : file
    let plain = stem.utf8.map { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        ? byte : 0x2D
    }
    return String(decoding: plain, as: UTF8.self)
  }

  var text: String {
    let install = ["", "[Install]", "WantedBy=multi-user.target"]
    let parts = [heading, unit, service, userLines, sandbox, fileLines, networkLines, install]
    return parts.flatMap { $0 }.joined(separator: "\n") + "\n"
  }

  // MARK: What begins it

  private var heading: [String] {
    [
      "# Written by `frp unit`, for /etc/systemd/system/\(name).service.",
      "# `systemd-analyze security \(name)` says how far it is shut in.",
    ]
  }

  private var unit: [String] {
    let description = ["", "[Unit]", "Description=\(UnitText.value(name)), a program of frp"]
    if !hasNetwork { return description }
    return description + ["Wants=network-online.target", "After=network-online.target"]
  }

  private var service: [String] {
    [
      "", "[Service]", "Type=notify", "ExecStart=" + command.map(UnitText.word).joined(separator: " "),
      "WorkingDirectory=\(UnitText.value(paths.directory))", "",
      "# It is ready once the program has begun, and says every 15 s that it is alive.",
      "WatchdogSec=30s", "Restart=on-failure", "RestartSec=5s",
      "# Ended by a signal it has paused. A program that has errors has them again.",
      "SuccessExitStatus=129 130 143", "RestartPreventExitStatus=1",
      "# What it runs is ended by itself: else a call would seem to have ended.",
      "KillMode=mixed",
    ] + stateLines + environmentLines
  }

  private var command: [String] {
    var words = [paths.executable, "run", paths.program]
    for flag in invocation.flags.keys.sorted() {
      for value in invocation.values(flag) {
        let value = flag == "--journal" ? paths.journal ?? value : value
        words.append(CommandTable.unit.flag(flag)?.value == nil ? flag : "\(flag)=\(value)")
      }
    }
    return words
  }

  private var stateLines: [String] {
    paths.state.map { ["StateDirectory=\(UnitText.word($0))", "StateDirectoryMode=0700"] } ?? []
  }

  private var environmentLines: [String] {
    if grants.env.isEmpty { return [] }
    let names = grants.env.map { "\($0)=…" }.joined(separator: ", ")
    return ["# Lines \(names)", "EnvironmentFile=-/etc/\(name).env"]
  }

  private var userLines: [String] {
    if geteuid() != 0 {
      guard let user = getpwuid(geteuid()) else { return ["", "User=\(geteuid())"] }
      return ["", "User=\(String(cString: user.pointee.pw_name))"]
    }
    // A user that exists while the service runs owns nothing else, and reaches nobody's home.
    if paths.isOfNobodyElse { return ["", "DynamicUser=yes"] }
    return ["", "# Root without its privileges. Better is somebody who may do what stands below.", "User=root"]
  }

  // MARK: What it cannot do

  /// Whether it runs programs of which nothing is known.
  private var runsOthers: Bool { !grants.run.isEmpty || invocation.values("--host").contains { $0.contains("=") } }

  private var sandbox: [String] {
    let needsPort = grants.listen.contains { 1..<1024 ~= $0.port }
    let capability = needsPort ? "CAP_NET_BIND_SERVICE" : ""
    var lines = ["", "NoNewPrivileges=yes", "CapabilityBoundingSet=\(capability)"]
    // In a name space of users it would not be one of the machine's.
    lines.append(needsPort ? "AmbientCapabilities=\(capability)" : "PrivateUsers=yes")
    lines += ["RestrictSUIDSGID=yes", "RestrictRealtime=yes", "LockPersonality=yes", "RemoveIPC=yes"]
    for part in ["KernelTunables", "KernelModules", "KernelLogs", "ControlGroups", "Clock", "Hostname"] {
      lines.append("Protect\(part)=yes")
    }
    if runsOthers { return lines + ["# It runs other programs, and what they need is not known: narrow by hand."] }
    lines += ["ProtectProc=invisible"]
    if !paths.uses("/proc") { lines.append("ProcSubset=pid") }
    return lines + [
      "RestrictNamespaces=yes", "MemoryDenyWriteExecute=yes", "SystemCallArchitectures=native",
      "# Landlock is the runner's own wall, which @system-service does not know.",
      "SystemCallFilter=@system-service landlock_create_ruleset landlock_add_rule landlock_restrict_self",
      "SystemCallFilter=~@privileged @resources",
      "# What is root's stays root's: SQLite asks for that beside each file that it makes.",
      "SystemCallFilter=fchown", "SystemCallErrorNumber=EPERM",
    ]
  }

  private var fileLines: [String] {
    var lines = ["", "ProtectSystem=\(runsOthers ? "full" : "strict")"]
    lines.append("ProtectHome=\(paths.usesHome ? "read-only" : "yes")")
    lines.append("PrivateTmp=\(paths.usesTemporary ? "no" : "yes")")
    if paths.devices.isEmpty {
      lines.append("PrivateDevices=yes")
    } else {
      lines += ["DevicePolicy=closed"] + paths.devices.map { "DeviceAllow=\(UnitText.word($0)) rw" }
    }
    if !paths.readable.isEmpty { lines.append("ReadOnlyPaths=" + UnitText.list(paths.readable)) }
    if !paths.writable.isEmpty { lines.append("ReadWritePaths=" + UnitText.list(paths.writable)) }
    return lines
  }

  // MARK: The network

  private var hasNetwork: Bool { !grants.net.isEmpty || !grants.listen.isEmpty || runsOthers }

  private var networkLines: [String] {
    if runsOthers { return [] }
    if !hasNetwork { return ["", "PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX"] }
    var lines = ["", "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "SocketBindDeny=any"]
    for grant in grants.listen {
      let family = grant.address.isV4 ? "ipv4" : "ipv6"
      // One that the system chooses is not known.
      lines.append("SocketBindAllow=\(family):tcp" + (grant.port == 0 ? "" : ":\(grant.port)"))
    }
    if let addresses {
      lines.append("IPAddressDeny=any")
      lines += addresses.map { "IPAddressAllow=\($0)" }
    } else {
      lines.append("# Names, or whoever connects, can have any address: the runner itself looks at which.")
    }
    return lines
  }

  /// What it exchanges packets with; nil for anybody.
  private var addresses: [String]? {
    var found: [String] = []
    for grant in grants.net {
      switch grant.host {
      case .address(let address): found.append("\(address)")
      case .name where grant.host.isLocal: found.append("localhost")
      case .name: return nil
      }
    }
    for grant in grants.listen {
      if !grant.address.isLoopback { return nil }
      found.append("localhost")
    }
    return found.enumerated().filter { !found[..<$0.offset].contains($0.element) }.map(\.element)
  }
}

/// How systemd reads a word: `%` begins a specifier, `$` a variable, and blanks and quotes are escaped.
enum UnitText {
  /// What stands alone behind `=`.
  static func value(_ text: String) -> String { text.replacing("%", with: "%%") }

  /// One word of several, of a list of paths.
  static func path(_ text: String) -> String { quoted(value(text)) }

  /// One word of a command.
  static func word(_ text: String) -> String { quoted(value(text).replacing("$", with: "$$")) }

  static func list(_ paths: [String]) -> String { paths.map(path).joined(separator: " ") }

  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte > 0x20 && byte != 0x7F && !"\"'\\;".utf8.contains(byte)
    }
    if isPlain, !text.isEmpty { return text }
    return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\t": "\\t"
    case _ where scalar.value < 0x20 || scalar.value == 0x7F:
      "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: String(scalar)
    }
  }
}
