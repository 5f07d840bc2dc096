// What the tests of names and types share: programs from text, golden files.

import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import Glibc

struct TypesCheck {
  var program: TypedProgram?
  var diagnostics: [Diagnostic]
  var sources: SourceMap

  init(_ text: String, name: String = "main.frp") {
    var sources = SourceMap()
    var tree = Tree()
    let file = sources.add(SourceFile(name: name, text: text))
    let (_, problems) = Parser.parse(file, name: "main", in: sources, into: &tree)
    self.sources = sources
    if problems.contains(where: { $0.severity == .error }) {
      diagnostics = problems
    } else {
      (program, diagnostics) = checkTypes(tree, sources: sources)
    }
  }

  var codes: [String] { diagnostics.map(\.code) }

  /// `name: type` of every top-level definition, in order.
  var listing: String {
    guard let program else { return diagnostics.map { "\($0.code): \($0.title)" }.joined(separator: "\n") + "\n" }
    var lines: [String] = []
    for item in program.tree.modules[0].items {
      guard case .definition(let definition) = program.tree[item], let scheme = program.schemes[item] else { continue }
      let name: String
      switch definition.binder {
      case .function(let function, _): name = function.text
      case .value(let pattern): name = program.sources.text(program.tree.span(pattern))
      }
      lines.append("\(name): \(program.describe(scheme, of: item))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  func type(_ name: String) -> String? {
    listing.split(separator: "\n").first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}

enum GoldenFiles {
  /// The `Tests` folder.
  static var tests: String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(2).joined(separator: "/")
  }

  static var accepts: Bool { getenv("FRP_ACCEPT").map { String(cString: $0) } == "1" }

  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[0..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ path: String, _ text: String) {
    guard let file = fopen(path, "wb") else { return }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    _ = fwrite(bytes, 1, bytes.count, file)
  }

  /// The names of a folder's files with an ending, without it, sorted.
  static func names(in folder: String, ending: String) -> [String] {
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
