// A path as text, before the system sees it.
//
// Rules
// - `a/../b` is `b`, whatever `a` is: what a grant covers can be told from the text alone, before the start. What links
//   lead to is looked at where the path is opened.
// - Names are compared byte by byte: two ways to write é are two names.

import FRPBase
import Glibc

struct PathName: Hashable, Sendable {
  /// Absolute: from the root down.
  private(set) var names: [[UInt8]] = []
  /// Whether it ends with a slash, which only a directory may.
  private(set) var isDirectory = false

  /// Below `directory`, unless it is absolute.
  init(_ path: String, in directory: PathName = PathName()) throws(IOError) {
    if path.isEmpty { throw IOError("a path is empty") }
    let bytes = Array(path.utf8)
    if bytes.contains(0) { throw IOError("a path contains a NUL: \(path.replacing("\0", with: "\\0"))") }
    if bytes.count >= Int(PATH_MAX) { throw IOError(ENAMETOOLONG, String(path.prefix(60)) + "…") }
    if bytes.first != 0x2F { names = directory.names }
    append(bytes)
  }

  /// Absolute bytes as the system gives them.
  private init(system bytes: UnsafePointer<CChar>) {
    append(Array(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes))))
  }

  private init() {}

  private mutating func append(_ path: [UInt8]) {
    for name in path.split(separator: 0x2F, omittingEmptySubsequences: false) {
      isDirectory = name.isEmpty || name == [0x2E] || name == [0x2E, 0x2E]
      if name == [0x2E, 0x2E] {
        if !names.isEmpty { names.removeLast() }
      } else if !isDirectory {
        names.append(Array(name))
      }
    }
  }

  /// The directory that this process stands in. The system gives it without links.
  static func current() throws(IOError) -> PathName {
    guard let path = getcwd(nil, 0) else { throw IOError(errno, ".") }
    defer { free(path) }
    return PathName(system: path)
  }

  /// What links that lead there lead to in the end; nil where that is nothing.
  var real: PathName? {
    guard let path = realpath(systemPath, nil) else { return nil }
    defer { free(path) }
    return PathName(system: path)
  }

  /// The names behind those of `parent`, if it is in there or the same.
  func rest(below parent: PathName) -> ArraySlice<[UInt8]>? {
    names.starts(with: parent.names) ? names[parent.names.count...] : nil
  }

  /// What it stands in, and its last name; nil for the root.
  var split: (parent: PathName, name: [UInt8])? {
    guard let last = names.last else { return nil }
    var parent = self
    parent.names.removeLast()
    parent.isDirectory = false
    return (parent, last)
  }

  /// For people.
  var text: String { "/" + String(decoding: Array(names.joined(separator: [0x2F])), as: UTF8.self) }

  /// For the system, whose names need not be UTF-8.
  var systemPath: [CChar] { ([0x2F] + names.joined(separator: [0x2F])).systemName }
}

extension Collection<UInt8> {
  /// As C takes it.
  var systemName: [CChar] { map(CChar.init(bitPattern:)) + [0] }
}
