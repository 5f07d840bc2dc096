// The paths that a service has to do with: absolute, links followed, and where each of them lies.

import FRP
import FRPBase
import FRPIO
import Glibc

struct ServicePaths {
  let executable: String
  let program: String
  /// What relative paths are relative to.
  let directory: String
  /// As `--journal` is told; nil where there is none.
  private(set) var journal: String?
  /// Below /var/lib, what systemd makes and gives to the service; nil where the journal is elsewhere.
  private(set) var state: String?
  /// Directories in which it makes files, and devices that it writes to.
  private(set) var writable: [String] = []
  private(set) var readable: [String] = []

  private static let standardDevices = ["null", "zero", "full", "random", "urandom"].map { "/dev/\($0)" }

  init(
    _ invocation: Invocation, _ program: Program, _ options: RunOptions, _ grants: Grants, _ name: String
  ) throws(IOError) {
    directory = try Self.resolved(".")
    executable = try Self.resolved("/proc/self/exe")
    self.program = try Self.resolved(invocation.operands[0])
    let inputs = options.inputs.map(\.path) + grants.read
    let outputs = options.outputs.map(\.path).filter { $0 != "-" }
    writable = try Self.all(outputs + grants.write + invocation.values("--record"))
    if let given = options.journal { try place(journal: given, name) }
    let written = writable
    // A file may be made, or another may take its place.
    writable = Self.distinct(writable.map { Self.isDevice($0) || Self.isDirectory($0) ? $0 : Self.parent(of: $0) })
    let read = try Self.all(inputs + invocation.values("--grants") + program.ownTexts.map(\.name))
    readable = Self.distinct(
      read.filter { path in
        !writable.contains(path) && !written.contains { path == $0 || path.hasPrefix($0 + "/") }
      })
  }

  /// A relative one is below what systemd keeps for the service, as one below /var/lib is; others are written to where they are.
  private mutating func place(journal given: String, _ name: String) throws(IOError) {
    let kept = "/var/lib/"
    if !given.hasPrefix("/") {
      state = "frp/\(name)"
      let last = given.split(separator: "/").last { $0 != "." && $0 != ".." }
      journal = kept + "frp/\(name)/" + (last ?? "journal")
    } else if given.hasPrefix(kept), !given.contains("/../"), given.utf8.count > kept.utf8.count {
      state = String(given.dropFirst(kept.count))
      journal = given
    } else {
      journal = given
      writable.append(try Self.resolved(given))
    }
  }

  // MARK: Where they lie

  private var all: [String] { writable + readable + [executable, program, directory] }

  func uses(_ directory: String) -> Bool { all.contains { $0 == directory || $0.hasPrefix(directory + "/") } }

  var usesHome: Bool { ["/home", "/root", "/run/user"].contains(where: uses) }
  var usesTemporary: Bool { ["/tmp", "/var/tmp"].contains(where: uses) }

  /// Whether a user that is made for the service can do all of it.
  var isOfNobodyElse: Bool { writable.isEmpty && devices.isEmpty && !usesHome && !usesTemporary }

  /// Devices that it reads or writes, beside those that every process may.
  var devices: [String] {
    Self.distinct(writable + readable).filter { $0.hasPrefix("/dev/") && !Self.standardDevices.contains($0) }
  }

  private static func isDevice(_ path: String) -> Bool { path.hasPrefix("/dev/") }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func parent(of path: String) -> String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  private static func all(_ paths: [String]) throws(IOError) -> [String] {
    var found: [String] = []
    for path in paths { found.append(try resolved(path)) }
    return found
  }

  private static func distinct(_ paths: [String]) -> [String] { Set(paths).sorted() }

  /// Absolute, with links followed; of what is not there yet, its directory is, and `a/../b` is `b`, as it is of a grant.
  private static func resolved(_ path: String) throws(IOError) -> String {
    if let real = real(path) { return real }
    let code = errno
    var names: [Substring] = []
    for name in path.split(separator: "/") where name != "." {
      if name == "..", names.last.map({ $0 != ".." }) == true { names.removeLast() } else { names.append(name) }
    }
    guard code == ENOENT, let name = names.popLast(), name != ".." else { throw IOError(code, path) }
    let above = (path.hasPrefix("/") ? "/" : "./") + names.joined(separator: "/")
    guard let directory = real(above) else { throw IOError(code, path) }
    return directory == "/" ? "/" + name : "\(directory)/\(name)"
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
