import FRPBase
import FRPDifferential
import FRPSyntax
import Glibc
import Testing

/// Files of the package, found from where this file was compiled.
enum TestFiles {
  static let root: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  static func read(_ path: String) throws -> String {
    guard let file = fopen(root + "/" + path, "r") else { throw GrammarError(message: "no file \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count <= 0 { break }
      bytes += buffer[0..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names in a folder that end in `suffix`, sorted.
  static func names(_ folder: String, suffix: String) -> [String] {
    guard let directory = opendir(root + "/" + folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(suffix) { names.append(name) }
    }
    return names.sorted()
  }
}

/// A text, parsed.
struct Parsed {
  var sources = SourceMap()
  var tree = Tree()
  var module: ModuleID
  var diagnostics: [Diagnostic]

  init(_ text: String, name: String = "main.frp") { self.init(bytes: Array(text.utf8), name: name) }

  init(bytes: [UInt8], name: String = "main.frp") {
    let file = sources.add(SourceFile(name: name, bytes: bytes))
    (module, diagnostics) = Parser.parse(file, name: "Main", in: sources, into: &tree)
  }

  var messages: String { renderText(diagnostics, sources: sources, style: DiagnosticStyle(showsMore: false)) }
}

/// Runs work on a thread with room for deep recursion, as the program itself does.
func onDeepStack(_ work: @escaping @Sendable () -> Void) {
  final class Box { let work: @Sendable () -> Void; init(_ work: @escaping @Sendable () -> Void) { self.work = work } }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 512 << 20)
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(work))
  pthread_create(
    &thread, &attributes,
    { pointer in
      guard let pointer else { return nil }
      Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().work()
      return nil
    }, box.toOpaque())
  pthread_join(thread, nil)
}

extension TestFiles {
  /// Compares with a file of the package; with FRP_ACCEPT=1 writes it instead.
  static func check(_ text: String, against path: String, sourceLocation: SourceLocation = #_sourceLocation) {
    if getenv("FRP_ACCEPT") != nil {
      guard let file = fopen(root + "/" + path, "w") else { return }
      fputs(text, file)
      fclose(file)
      return
    }
    let expected = (try? read(path)) ?? ""
    if text != expected {
      Issue.record(
        "\(path) differs; FRP_ACCEPT=1 writes it\n--- expected\n\(expected)\n--- got\n\(text)",
        sourceLocation: sourceLocation)
    }
  }
}

extension TreeDump {
  static func dump(_ parsed: Parsed) -> String { dump(parsed.tree, parsed.module) }
}
