// Files of the test corpus.

import Glibc

public enum TestFiles {
  /// The `Tests` folder of the project these sources belong to.
  public static var tests: String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/Tests"
  }

  public static func read(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }

  public static func bytes(_ path: String) -> [UInt8]? {
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

  public static func write(_ path: String, _ text: String) {
    guard let file = fopen(path, "wb") else { return }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    _ = fwrite(bytes, 1, bytes.count, file)
  }

  /// The names of a folder's files with an ending, without it, sorted.
  public static func names(in folder: String, ending: String) -> [String] {
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
}
