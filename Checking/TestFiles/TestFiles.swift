// Files of the project that tests and soaks read: programs, corpora, and expectations, the goldens.

import Glibc

package enum TestFiles {
  /// The folder of the package, found from where this file was compiled.
  package static let root =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
  /// Its folder `Tests`.
  package static let tests = root + "/Tests"

  /// A file's text; nil if it cannot be read.
  package static func read(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }

  package static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[0..<count]
    }
    return bytes
  }

  package static func write(_ path: String, _ text: String) {
    guard let file = fopen(path, "wb") else { return }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    _ = fwrite(bytes, 1, bytes.count, file)
  }

  /// The names of a folder's files with an ending, without it, sorted.
  package static func names(in folder: String, ending: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(ending) { names.append(String(name.dropLast(ending.count))) }
    }
    return names.sorted()
  }

  /// What is wrong with a text that a golden file should hold; nil if nothing is. With `FRP_ACCEPT` set, the file is written
  /// instead: a person reads the difference.
  package static func difference(_ text: String, from path: String) -> String? {
    if getenv("FRP_ACCEPT") != nil {
      write(path, text)
      return nil
    }
    guard let expected = read(path) else { return "\(path) is missing; FRP_ACCEPT=1 writes it\n\(text)" }
    return text == expected
      ? nil : "\(path) differs; FRP_ACCEPT=1 writes it\n--- expected\n\(expected)\n--- got\n\(text)"
  }
}
