// A path below a directory, followed name by name with descriptors that are held: what RESOLVE_BENEATH does, where the
// kernel has none, and where the directory of what a link leads to is needed.
//
// Rules
// - Each step is one name in a directory that is held, and follows no link by itself. Links are read, and their names
//   followed in the same way; an absolute one leaves, and so does `..` at the top.
// - `..` goes back to the directory that was come through, so that renaming a directory meanwhile opens no way out.
// - A link is its text, so that those of /proc/self/fd lead nowhere.

import CLinux
import Glibc

/// A name in a directory that is held. The name is no link as far as was seen, and is not followed if it becomes one.
struct Spot: Sendable {
  let directory: Descriptor
  /// `.` for the directory itself.
  let name: [UInt8]

  var systemName: [CChar] { name.systemName }
}

/// Why a path was not followed.
enum WalkFailure: Error {
  /// It leads out of what was granted.
  case leaves
  /// Links lead to each other.
  case circle
  case system(Int32)

  init(_ code: Int32) { self = code == EXDEV || code == ELOOP ? .leaves : .system(code) }
}

struct Walk {
  private var directories: [Descriptor]
  /// What is still to be followed, the next one last.
  private var rest: [[UInt8]]
  private var links = 0
  private let followsLinks: Bool

  /// As many as the kernel follows.
  private static let mostLinks = 40

  /// Where the names below a directory lead. The last one need not exist.
  static func spot(
    _ names: ArraySlice<[UInt8]>, below root: Descriptor, followsLinks: Bool = true
  ) throws(WalkFailure) -> Spot {
    var walk = Walk(directories: [root], rest: names.reversed(), followsLinks: followsLinks)
    while let name = walk.rest.popLast() {
      if let spot = try walk.step(name) { return spot }
    }
    return Spot(directory: walk.top, name: [0x2E])
  }

  private var top: Descriptor { directories[directories.count - 1] }

  private mutating func step(_ name: [UInt8]) throws(WalkFailure) -> Spot? {
    if name.isEmpty || name == [0x2E] { return nil }
    if name == [0x2E, 0x2E] {
      if directories.count == 1 { throw .leaves }
      directories.removeLast()
      return nil
    }
    let number = top.with { clinux_open_entry($0, name.systemName, clinux_o_path, 0) }
    if number < 0 {
      if errno == ENOENT, isLast { return Spot(directory: top, name: name) }
      throw WalkFailure(errno)
    }
    let entry = Descriptor(number)
    guard let status = entry.status else { throw WalkFailure(errno) }
    if status.isLink {
      try follow(entry)
      return nil
    }
    if isLast { return Spot(directory: top, name: name) }
    if !status.isDirectory { throw .system(ENOTDIR) }
    directories.append(entry)
    return nil
  }

  /// Whether nothing is left but what stands still.
  private var isLast: Bool { rest.allSatisfy { $0.isEmpty || $0 == [0x2E] } }

  private mutating func follow(_ link: Descriptor) throws(WalkFailure) {
    links += 1
    if !followsLinks { throw .leaves }
    if links > Self.mostLinks { throw .circle }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = link.with { clinux_read_link($0, &target, UInt(target.count)) }
    if count < 0 { throw WalkFailure(errno) }
    let bytes = target[..<Int(count)].map(UInt8.init(bitPattern:))
    if bytes.first == 0x2F { throw .leaves }
    rest += bytes.split(separator: 0x2F).reversed().map(Array.init)
  }
}
