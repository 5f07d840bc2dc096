// A second wall behind the checks: the kernel is told what this process may still open, bind and connect to, so that a mistake
// in a check, or in a library, opens nothing.
//
// Rules
// - Where the kernel has no Landlock, nothing happens. It is coarser than the grants: of a granted file it allows the
//   directory, since a file that is replaced is another one; of a host only its port.
// - It holds for threads, each for itself: for whoever calls, the loop, the workers, and all that they start. The thread that
//   starts granted programs keeps its files: they are other programs, which need what they need. None of them gains
//   privileges (setuid).

import CLinux
import Glibc
import Synchronization

/// What else this process needs, whatever the program may do.
public struct Surroundings: Sendable {
  public var reading: [String] = []
  public var writing: [String] = []
  /// Ports of TCP.
  public var listening: [Int] = []

  public init() {}
}

extension Access {
  /// Confines this thread, the loop and the workers to the grants and what else is named, for good. Gives whether the kernel
  /// does so. What was opened before stays open.
  @discardableResult
  public func confine(_ others: Surroundings = Surroundings()) -> Bool {
    _ = clinux_no_new_privileges()
    // It is there before there are rules that it would inherit.
    if !runnable.isEmpty { Workers.spawning.runAndWait { _ = clinux_no_new_privileges() } }
    guard let rules = LandlockRules(self, others) else { return false }
    return Confinement.enter(rules.ruleset)
  }
}

/// The rules of this process, which its threads take upon themselves.
enum Confinement {
  private static let ruleset = Mutex<Descriptor?>(nil)
  private static let isOn = Atomic(false)

  static func enter(_ rules: Descriptor) -> Bool {
    let isConfined = rules.with(clinux_landlock_enter) == 0
    if !isConfined { return false }
    ruleset.withLock { $0 = rules }
    isOn.store(true, ordering: .releasing)
    return true
  }

  /// Confines this thread, if this process is. `isDone` is this thread's own.
  static func join(_ isDone: inout Bool) {
    if isDone || !isOn.load(ordering: .acquiring) { return }
    isDone = true
    _ = clinux_no_new_privileges()
    _ = ruleset.withLock { $0 }?.with(clinux_landlock_enter)
  }
}

/// Rules in the making.
private struct LandlockRules {
  let ruleset: Descriptor
  private let version: Int32
  private let handled: UInt64

  // Kinds of access to files, by bit.
  private static let (writeFile, readFile, readDirectory): (UInt64, UInt64, UInt64) = (1 << 1, 1 << 2, 1 << 3)
  private static let (removeFile, makeFile, truncate): (UInt64, UInt64, UInt64) = (1 << 5, 1 << 8, 1 << 14)
  /// What a single file can be opened for.
  private static let ofFiles = writeFile | readFile | truncate | 1
  private static let reading = readFile | readDirectory
  /// SQLite reads what it writes, and removes journals.
  private static let writing = reading | writeFile | removeFile | makeFile | truncate
  private static let (bind, connect): (UInt64, UInt64) = (1 << 0, 1 << 1)

  /// Nil where the kernel has none.
  init?(_ access: Access, _ others: Surroundings) {
    version = clinux_landlock_version()
    if version == 0 { return nil }
    // The first version knows bits 0 to 12; linking to other directories came with the second, truncation with the third.
    handled = (1 << 13) - 1 | (version >= 2 ? 1 << 13 : 0) | (version >= 3 ? Self.truncate : 0)
    let ports = Self.ports(access.grants, version)
    let number = clinux_landlock_make(handled, ports)
    if number < 0 { return nil }
    ruleset = Descriptor(number)
    allow(access)
    for path in others.reading { allow(path, Self.reading) }
    for path in others.writing { allow(path, Self.writing) }
    if ports & Self.bind != 0 {
      for port in access.grants.listen.map(\.port) + others.listening { allow(port: port, Self.bind) }
    }
    if ports & Self.connect != 0 {
      // A resolver takes TCP for long answers.
      for port in access.grants.net.compactMap(\.port) + [53] { allow(port: port, Self.connect) }
    }
  }

  private static func ports(_ grants: Grants, _ version: Int32) -> UInt64 {
    if version < 4 { return 0 }
    return bind | (grants.net.contains { $0.port == nil } ? 0 : connect)
  }

  private func allow(_ access: Access) {
    for granted in access.readable { allow(granted.root, Self.reading) }
    for granted in access.writable { allow(granted.root, Self.writing) }
    if access.grants.net.isEmpty && access.grants.listen.isEmpty { return }
    for path in Self.network { allow(path, Self.reading) }
  }

  /// What is read to find and trust a host: by the libraries of the network, their resolver and TLS.
  private static let network = [
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
    "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/ld.so.cache", "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates", "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib",
    "/run/systemd/resolve",
    "/dev/urandom",
  ]

  /// A path that is not there is not needed.
  private func allow(_ path: String, _ files: UInt64) {
    guard let name = try? PathName(path, in: PathName.current()) else { return }
    if let target = try? Descriptor.open(name, clinux_o_path) {
      allow(target, files)
    } else if let parent = name.split?.parent, let target = try? Descriptor.open(parent, clinux_o_path) {
      // It may come to be.
      if files & Self.makeFile != 0 { allow(target, files) }
    }
  }

  private func allow(_ target: Descriptor, _ files: UInt64) {
    let isDirectory = target.status?.isDirectory == true
    let allowed = files & handled & (isDirectory ? .max : Self.ofFiles)
    _ = ruleset.with { ruleset in target.with { clinux_landlock_allow_below(ruleset, $0, allowed) } }
  }

  private func allow(port: Int, _ ports: UInt64) {
    _ = ruleset.with { clinux_landlock_allow_port($0, UInt32(port), ports) }
  }
}
