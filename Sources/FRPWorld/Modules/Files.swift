// Files: what is in them, once or as it changes.

import FRP
import FRPBase
import FRPIO

extension World {
  var files: HostModule {
    let files = Files(access)
    return HostModule("Files", help: "Files, within what --allow-read and --allow-write name.") { module in
      module.operation("read(path: String): Task<a>", decodes: true, help: "The whole of a file.") { call in
        calling({ files.read(call.text(0), completion: $0) }) { .success(HostAnswer($0, ofFile: call.text(0))) }
      }
      module.operation(
        "value(path: String): Source<a>", decodes: true, isThere: true,
        help: "The whole of a file: before the start if it is there, and whenever it has changed."
      ) { call in
        { report in
          Underway(
            files.value(
              call.text(0),
              item: { report($0.map { .item(HostAnswer($0, ofFile: call.text(0))) } ?? .opened) }, end: ending(report)))
        }
      }
      module.operation("write(path: String, text: String): Task<()>", help: "Puts text in the place of a file at once.")
      {
        call in calling({ files.write(call.text(0), call.bytes(1), completion: $0) }) { .success(.value(.unit)) }
      }
      module.operation("append(path: String, text: String): Task<()>", help: "Adds text to the end of a file.") {
        call in
        calling({ files.append(call.text(0), call.bytes(1), completion: $0) }) { .success(.value(.unit)) }
      }
      module.operation("list(path: String): Task<List<String>>", help: "The names in a folder.") { call in
        calling({ files.list(call.text(0), completion: $0) }) { .success(.value(.list($0.map(FrpValue.text)))) }
      }
      module.operation("lines(path: String): Source<String>", help: "The lines of a file, to its end.") { call in
        bringing { files.lines(call.text(0), item: $0, end: $1) }
      }
      module.operation(
        "tail(path: String): Source<String>",
        help: "The lines that are added to a file from now on, through rotation and a file that comes later."
      ) { call in bringing { files.tail(call.text(0), item: $0, end: $1) } }
      module.operation(
        "watch(path: String): Source<{path: String, gone: Bool}>", help: "What changes in a folder, or of a file."
      ) { call in
        streaming({ files.watch(call.text(0), item: $0, end: $1) }) { (change: FileChange) in
          [.value(.record(["path": .text(change.path), "gone": .bool(change.gone)]))]
        }
      }
    }
  }
}

extension HostAnswer {
  /// The whole of a file: its name says whether it is CSV, where it is decoded.
  init(_ bytes: [UInt8], ofFile path: String) {
    if !isUTF8(bytes) {
      self = .unfit("not UTF-8")
      return
    }
    self = path.lowercased().hasSuffix(".csv") ? .csv(String(decoding: bytes, as: UTF8.self)) : HostAnswer(bytes)
  }
}
