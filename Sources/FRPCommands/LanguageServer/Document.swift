// An open text, and what is known of it.

import FRP
import FRPBase
import FRPSema

/// A text that an editor holds. Analyses are made when somebody asks.
final class Document {
  let uri: String
  /// What the compiler calls it: a path, or the address of what has none.
  let path: String
  private(set) var version: Int?
  private(set) var file: SourceFile
  /// The analysis of the present text, once somebody has asked.
  private var current: Analysis?
  /// The last one whose text had no errors.
  private(set) var good: Analysis?
  /// Whether the editor has not been told what is wrong with the present text.
  var isUntold = true
  /// The files other than this one that were told about.
  var toldFiles: Set<String> = []

  init(uri: String, version: Int?, text: String) {
    self.uri = uri
    self.version = version
    path = FileAddress.path(uri) ?? uri
    file = SourceFile(name: path, text: text)
  }

  /// Replaces the text.
  func replace(_ bytes: [UInt8], version: Int?) {
    file = SourceFile(name: path, bytes: bytes)
    self.version = version
    forget()
  }

  /// What was known may be so no more: the text has changed, or one that it imports.
  func forget() {
    current = nil
    isUntold = true
  }

  /// What is known of the present text. Cost: a compilation after each change.
  func analysis(_ surroundings: Surroundings) -> Analysis {
    if let current { return current }
    let made = Analysis(file, surroundings)
    current = made
    if made.isClean { good = made }
    return made
  }
}

/// `file:///a%20b.frp` and `/a b.frp`.
enum FileAddress {
  /// The path of a file's address; nil for other addresses.
  static func path(_ uri: String) -> String? {
    guard uri.hasPrefix("file://") else { return nil }
    let rest = Array(uri.dropFirst("file://".count).utf8)
    guard let slash = rest.firstIndex(of: 0x2F) else { return nil }
    var bytes: [UInt8] = []
    var index = slash
    while index < rest.count {
      if rest[index] == 0x25, index + 2 < rest.count,
        let byte = UInt8(String(decoding: rest[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        bytes.append(byte)
        index += 3
      } else {
        bytes.append(rest[index])
        index += 1
      }
    }
    return bytes.contains(0) ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The address of a file.
  static func uri(_ path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      if plain.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return "file://" + String(decoding: bytes, as: UTF8.self)
  }
}
