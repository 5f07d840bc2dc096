import Glibc
import Testing

@testable import FRPIO

/// A directory of a test's own, which goes with it.
final class Folder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/frp-io-XXXXXX".utf8CString)
    path =
      mkdtemp(&template) == nil ? "" : String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    precondition(!path.isEmpty, "no directory for the test")
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    var status = stat()
    if lstat(path, &status) != 0 { return }
    if status.isDirectory, let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { remove("\(path)/\(name)") }
      }
      closedir(stream)
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func make(_ name: String) { #expect(mkdir(file(name), 0o755) == 0) }

  func link(_ name: String, to target: String) { #expect(symlink(target, file(name)) == 0) }

  func write(_ name: String, _ text: String, append: Bool = false) {
    let descriptor = open(file(name), O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0o644)
    #expect(descriptor >= 0, "\(name)")
    defer { close(descriptor) }
    #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
  }

  func read(_ name: String) -> String? {
    let descriptor = open(file(name), O_RDONLY)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    return contents(descriptor)
  }

  /// What is granted, as a run that stands in the directory has it.
  func access(
    _ grants: [(Grants.Kind, String)], asksKernel: Bool = true
  ) throws -> Access {
    var all = Grants()
    for (kind, value) in grants { try all.add(kind, value) }
    return try Access(all, in: PathName(path), asksKernel: asksKernel)
  }
}

func contents(_ descriptor: Int32) -> String {
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  var text = ""
  while true {
    let count = read(descriptor, &bytes, bytes.count)
    if count <= 0 { return text }
    text += String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

func content(_ descriptor: Descriptor) -> String { descriptor.with { contents($0) } }
