// Writing a file so that nobody ever sees half of it: beside it, under a name of its own, and then in its place.

import CLinux
import Glibc

enum Replacement {
  static func write(_ bytes: [UInt8], to spot: Spot, _ path: String) throws(IOError) {
    var former = stat()
    let exists = spot.directory.with { fstatat($0, spot.systemName, &former, AT_SYMLINK_NOFOLLOW) } == 0
    if exists && !former.isRegular {
      if former.isDirectory { throw IOError(EISDIR, path) }
      return try writeThrough(bytes, spot, path)
    }
    let name = temporaryName(for: spot.name)
    let number = spot.directory.with { clinux_open_entry($0, name.systemName, O_WRONLY | O_CREAT | O_EXCL, 0o666) }
    if number < 0 { throw IOError(errno, path) }
    let file = Descriptor(number)
    if let error = fill(file, bytes, like: exists ? former : nil) ?? rename(name, spot) {
      _ = spot.directory.with { unlinkat($0, name.systemName, 0) }
      throw IOError(error, path)
    }
  }

  /// What is wrong; nil where nothing is.
  private static func fill(_ file: Descriptor, _ bytes: [UInt8], like former: stat?) -> Int32? {
    let error = writeAll(file, bytes).error
    if error != 0 { return error }
    return file.with { number in
      if let former {
        // Only root may give files away; and that clears bits of the mode, so it comes first.
        if former.st_uid != geteuid() || former.st_gid != getegid() { _ = fchown(number, former.st_uid, former.st_gid) }
        if fchmod(number, former.st_mode & 0o7777) != 0 { return errno }
      }
      // Otherwise a crash soon after may leave the new name with nothing in it.
      return fsync(number) == 0 || errno == EINVAL ? nil : errno
    }
  }

  private static func rename(_ name: [UInt8], _ spot: Spot) -> Int32? {
    let result = spot.directory.with { renameat($0, name.systemName, $0, spot.systemName) }
    return result == 0 ? nil : errno
  }

  /// Devices and pipes stay what they are.
  private static func writeThrough(_ bytes: [UInt8], _ spot: Spot, _ path: String) throws(IOError) {
    let number = spot.directory.with { clinux_open_entry($0, spot.systemName, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0) }
    if number < 0 { throw IOError(errno, path) }
    let error = writeAll(Descriptor(number), bytes).error
    if error != 0 { throw IOError(error, path) }
  }

  /// Hidden, in the same directory, not longer than names may be.
  private static func temporaryName(for name: [UInt8]) -> [UInt8] {
    let number = String(UInt64.random(in: 0 ... .max), radix: 16)
    return Array(".".utf8) + name.prefix(200) + Array(".\(number).tmp".utf8)
  }
}
