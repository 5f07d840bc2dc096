// A descriptor that is closed with its last owner.

import CLinux
import Glibc

final class Descriptor: Sendable {
  private let number: Int32
  private let isLocked: Bool

  init(_ number: Int32, isLocked: Bool = false) { (self.number, self.isLocked) = (number, isLocked) }

  deinit {
    // A child that has yet to run has a copy, which would keep the lock for as long.
    if isLocked { flock(number, LOCK_UN) }
    close(number)
  }

  /// Opens a path as whoever granted it means it: links are followed.
  static func open(_ path: PathName, _ flags: Int32, called name: String? = nil) throws(IOError) -> Descriptor {
    let number = Glibc.open(path.systemPath, flags | O_CLOEXEC)
    if number < 0 { throw IOError(errno, name ?? path.text) }
    return Descriptor(number)
  }

  /// Calls `body` with the number, while it is open for certain: a bare number outlives its owner.
  func with<Result, Failure>(_ body: (Int32) throws(Failure) -> Result) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(number)
  }

  /// What fstat says; nil where it fails.
  var status: stat? {
    var status = stat()
    return with { fstat($0, &status) } == 0 ? status : nil
  }
}

extension stat {
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
  var identity: FileIdentity { FileIdentity(device: UInt64(st_dev), inode: UInt64(st_ino)) }
}

/// Which file it is, whatever its name.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}
