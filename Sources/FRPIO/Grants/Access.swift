// The grants of a run, with the directories they name open from its start: who renames a directory later, or puts a link
// in its place, changes nothing about what may be reached.
//
// Rules
// - What is granted is a directory with all that is below it, or one name in a directory. A name that does not exist at
//   the start is the latter, so that a file may come to be there; what it stands in exists.
// - Links within a granted directory are followed while they stay in it. Absolute ones, magic ones (/proc/self/fd/3) and
//   those at the end of a granted name are not; a granted path that is a link at the start is what it leads to then.

import CLinux
import Glibc

/// What a run may do, checked where it is done.
public final class Access: Sendable {
  public let grants: Grants
  /// What relative paths are relative to.
  let directory: PathName
  let readable: [GrantedPath]
  let writable: [GrantedPath]
  let runnable: [GrantedProgram]
  /// Whether the kernel is asked to stay beneath; tests say no, and walk.
  private let asksKernel: Bool

  /// Opens what is granted. Throws a sentence with the grant that cannot be held: "read=logs/x: no such file: logs".
  public convenience init(_ grants: Grants) throws(IOError) { try self.init(grants, in: PathName.current()) }

  init(_ grants: Grants, in current: PathName, asksKernel: Bool = true) throws(IOError) {
    self.grants = grants
    directory = current
    self.asksKernel = asksKernel
    readable = try Self.each(.read, grants.read) { path throws(IOError) in try GrantedPath(path, in: current) }
    writable = try Self.each(.write, grants.write) { path throws(IOError) in try GrantedPath(path, in: current) }
    runnable = try Self.each(.run, grants.run) { name throws(IOError) in try GrantedProgram(name, in: current) }
  }

  private static func each<Held>(
    _ kind: Grants.Kind, _ values: [String], _ open: (String) throws(IOError) -> Held
  ) throws(IOError) -> [Held] {
    var held: [Held] = []
    for value in values {
      do throws(IOError) { held.append(try open(value)) } catch {
        throw IOError("\(kind.rawValue)=\(value): \(error.message)")
      }
    }
    return held
  }

  /// Whether a need that is known before the start is granted. Of a path this is what its text says: a link on the way may
  /// still lead out, and is refused then.
  public func covers(_ need: Need) -> Bool {
    do throws(IOError) {
      switch need {
      case .net(let host, let port): try grants.check(host: host, port: port)
      case .listen(let address, let port):
        guard let address = IPAddress(address) else { return false }
        try grants.check(listen: address, port: port)
      case .env(let name): try grants.check(env: name)
      case .read(let path): return try covers(readable, path)
      case .write(let path): return try covers(writable, path)
      case .run(let name): return program(name) != nil
      }
      return true
    } catch { return false }
  }

  /// Throws where the directory in which a path may be read has gone: what is granted is that one, and nothing comes to be there any more.
  func checkStands(_ path: String) throws(IOError) {
    let name = try PathName(path, in: directory)
    let granted = readable.filter { $0.rest(name) != nil }
    if !granted.isEmpty, granted.allSatisfy(\.hasGone) {
      throw IOError("it is gone: \(path): the granted folder is not where it was at the start")
    }
  }

  private func covers(_ granted: [GrantedPath], _ path: String) throws(IOError) -> Bool {
    let path = try PathName(path, in: directory)
    return granted.contains { $0.rest(path) != nil }
  }
}

extension Access {
  enum Purpose {
    case read, write

    func need(_ path: String) -> Need { self == .read ? .read(path) : .write(path) }
  }

  /// Opens a path; `O_NOFOLLOW` and `O_CREAT` as of openat2.
  func open(_ path: String, _ purpose: Purpose, _ flags: Int32, mode: UInt32 = 0o666) throws(IOError) -> Descriptor {
    try follow(path, purpose) { place throws(WalkFailure) in try open(place, flags, mode) }
  }

  /// The directory in which a path's last name stands, once links are followed, and that name. It need not exist.
  func spot(_ path: String, _ purpose: Purpose) throws(IOError) -> Spot {
    try follow(path, purpose) { place throws(WalkFailure) in
      try Walk.spot(place.rest, below: place.root, followsLinks: place.followsLinks)
    }
  }

  /// Tries the granted directories that a path is below, the widest first: a link may leave one and stay in another.
  private func follow<Result>(
    _ path: String, _ purpose: Purpose, _ body: (Place) throws(WalkFailure) -> Result
  ) throws(IOError) -> Result {
    let name = try PathName(path, in: directory)
    let granted = purpose == .read ? readable : writable
    let places = granted.compactMap { $0.place(name) }.sorted { $0.rest.count > $1.rest.count }
    for place in places {
      do throws(WalkFailure) { return try body(place) } catch {
        switch error {
        case .system(let code): throw IOError(code, path)
        case .circle: throw IOError(ELOOP, path)
        case .leaves: break
        }
      }
    }
    throw IOError(notGranted: purpose.need(path))
  }

  private func open(_ place: Place, _ flags: Int32, _ mode: UInt32) throws(WalkFailure) -> Descriptor {
    if asksKernel, Self.kernelCan {
      return try Self.open(place.systemPath, place, flags, mode)
    }
    let spot = try Walk.spot(place.rest, below: place.root, followsLinks: place.followsLinks)
    let number = spot.directory.with { clinux_open_entry($0, spot.systemName, flags | place.slash, mode) }
    if number < 0 { throw WalkFailure(errno) }
    return Descriptor(number)
  }

  private static func open(
    _ path: [CChar], _ place: Place, _ flags: Int32, _ mode: UInt32
  ) throws(WalkFailure) -> Descriptor {
    // EAGAIN: a directory was renamed somewhere, and `..` cannot be trusted. A race that is lost so often is no accident.
    for _ in 0..<1000 {
      let number = place.root.with { clinux_open_beneath($0, path, flags | place.slash, mode, place.followsLinks) }
      if number >= 0 { return Descriptor(number) }
      if errno == EAGAIN || errno == EINTR { continue }
      let code = errno
      // The kernel says the same of links that lead to each other and of those that it may not follow.
      if code == ELOOP { _ = try Walk.spot(place.rest, below: place.root, followsLinks: place.followsLinks) }
      throw WalkFailure(code)
    }
    throw .leaves
  }

  /// Whether there is openat2 (Linux 5.6), and nobody forbids it.
  private static let kernelCan: Bool = {
    let number = clinux_open_beneath(AT_FDCWD, ".", clinux_o_path, 0, true)
    if number < 0 { return false }
    close(number)
    return true
  }()
}

/// Names below a directory that is held.
struct Place {
  let root: Descriptor
  let rest: ArraySlice<[UInt8]>
  let followsLinks: Bool
  /// O_DIRECTORY, where the path ends with a slash.
  let slash: Int32

  var systemPath: [CChar] {
    rest.isEmpty ? [0x2E].systemName : Array(rest.joined(separator: [0x2F])).systemName
  }
}

/// A directory with all that is below it, or one name in a directory.
struct GrantedPath: Sendable {
  let root: Descriptor
  /// Where the root stood at the start.
  private let place: PathName
  /// The last name, if only that is granted.
  private let name: [UInt8]?
  /// How it may be called: as it was granted, and without links.
  private let paths: [PathName]

  init(_ text: String, in directory: PathName) throws(IOError) {
    let path = try PathName(text, in: directory)
    let real = path.real
    paths = [path] + (real == path ? [] : real.map { [$0] } ?? [])
    var status = stat()
    let exists = stat(path.systemPath, &status) == 0
    if !exists && errno != ENOENT { throw IOError(errno, text) }
    if exists && status.isDirectory {
      root = try .open(path, clinux_o_path | O_DIRECTORY)
      place = path
      name = nil
      return
    }
    if path.isDirectory { throw IOError(exists ? ENOTDIR : ENOENT, text) }
    guard let (parent, name) = (real ?? path).split else { throw IOError(EISDIR, text) }
    root = try .open(parent, clinux_o_path | O_DIRECTORY)
    place = parent
    self.name = name
  }

  /// Whether the directory that was granted is not where it was: it was moved, removed, or another one has taken its place.
  var hasGone: Bool {
    var status = stat()
    if stat(place.systemPath, &status) == 0 { return status.identity != root.status?.identity }
    return errno == ENOENT || errno == ENOTDIR
  }

  /// What a path adds to what is granted; nil if it is something else.
  func rest(_ path: PathName) -> ArraySlice<[UInt8]>? {
    let rest = paths.lazy.compactMap { path.rest(below: $0) }.first
    return name == nil || rest?.isEmpty == true ? rest : nil
  }

  func place(_ path: PathName) -> Place? {
    guard let rest = rest(path) else { return nil }
    let slash = path.isDirectory ? O_DIRECTORY : 0
    return Place(root: root, rest: name.map { [$0] } ?? rest, followsLinks: name == nil, slash: slash)
  }

}

/// A program that may be run.
struct GrantedProgram: Sendable {
  /// As it was granted: a path, or a name to look for in `PATH`.
  let word: String
  let path: PathName

  init(_ word: String, in directory: PathName) throws(IOError) {
    self.word = word
    guard let path = try Self.find(word, in: directory) else {
      if !word.contains("/") { throw IOError("no such program in PATH: \(word)") }
      throw try Self.problem(PathName(word, in: directory), word)
    }
    self.path = path
  }

  /// Why a path is no program.
  private static func problem(_ path: PathName, _ word: String) -> IOError {
    var status = stat()
    if stat(path.systemPath, &status) != 0 { return IOError(errno, word) }
    return IOError(status.isRegular ? "it may not be run (`chmod +x` lets it): \(word)" : "it is no program: \(word)")
  }

  /// Where a name without a slash is in `PATH`; nil if it is nowhere.
  static func find(_ word: String, in directory: PathName) throws(IOError) -> PathName? {
    if word.contains("/") {
      let path = try PathName(word, in: directory)
      return isProgram(path) ? path : nil
    }
    for part in (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin").split(separator: ":") {
      // A relative one would mean another program in another directory.
      guard part.hasPrefix("/"), let path = try? PathName("\(part)/\(word)"), isProgram(path) else { continue }
      return path
    }
    return nil
  }

  private static func isProgram(_ path: PathName) -> Bool {
    var status = stat()
    return stat(path.systemPath, &status) == 0 && status.isRegular && access(path.systemPath, X_OK) == 0
  }
}

extension Access {
  /// The granted program that is meant by a path, or by a name to look for in `PATH`; nil if none is.
  func program(_ word: String) -> GrantedProgram? {
    if let same = runnable.first(where: { $0.word.utf8.elementsEqual(word.utf8) }) { return same }
    guard let path = try? GrantedProgram.find(word, in: directory) else { return nil }
    return runnable.first { $0.path == path }
  }
}
