// What went wrong, as a sentence that whoever runs the program can act on.

import Glibc

/// A sentence without its full stop: "no such file: a.txt", "not granted: net api.x:443".
public struct IOError: Error, Hashable, Sendable, CustomStringConvertible {
  public var message: String

  public init(_ message: String) { self.message = message }

  /// What the system says of a thing: "permission denied: a.txt".
  public init(_ code: Int32, _ thing: String) { message = "\(Self.words(code)): \(thing)" }

  /// Whether it is what the system says of a thing with one of these codes.
  func isOne(of codes: Int32..., about thing: String) -> Bool { codes.contains { self == IOError($0, thing) } }

  public var description: String { message }

  /// The system's words, as they begin after a colon.
  static func words(_ code: Int32) -> String {
    switch code {
    case ENOENT: return "no such file"
    case EISDIR: return "it is a directory"
    case ENOTDIR: return "not a directory"
    case EMFILE, ENFILE: return "too many open files"
    default:
      let text = String(cString: strerror(code))
      // `I/O error` stays.
      let isWord = text.utf8.dropFirst().first.map { 0x61...0x7A ~= $0 } ?? false
      return isWord ? text.prefix(1).lowercased() + text.dropFirst() : text
    }
  }
}
