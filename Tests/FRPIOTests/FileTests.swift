import Glibc
import Testing

@testable import FRPIO

/// Waits for the end of a call.
func result<Value: Sendable>(
  _ begin: (@escaping Completion<Value>) -> any Operation
) -> Result<Value, IOError> {
  let log = Log<Result<Value, IOError>>()
  _ = begin { log.add($0) }
  return log.wait { !$0.isEmpty }.first ?? .failure(IOError("it did not end"))
}

extension Result where Failure == IOError {
  var message: String? { if case .failure(let error) = self { error.message } else { nil } }
}

func text(_ result: Result<[UInt8], IOError>) -> String {
  switch result {
  case .success(let bytes): String(decoding: bytes, as: UTF8.self)
  case .failure(let error): error.message
  }
}

@Suite struct FileTests {
  let folder = Folder()

  func files(_ grants: [(Grants.Kind, String)] = [(.read, "."), (.write, ".")]) throws -> Files {
    Files(try folder.access(grants))
  }

  func read(_ path: String, limit: Int = Files.limit, _ files: Files) -> String {
    text(result { files.read(path, limit: limit, completion: $0) })
  }

  @Test func reading() throws {
    let files = try files()
    folder.write("a.txt", "hello")
    folder.write("empty", "")
    folder.write("exact", String(repeating: "x", count: 1000))
    folder.make("d")
    for (path, expected) in [
      ("a.txt", "hello"), ("empty", ""), ("d", "it is a directory: d"), ("none", "no such file: none"),
      ("/etc/passwd", "not granted: read /etc/passwd"), ("a.txt/", "not a directory: a.txt/"),
    ] { #expect(read(path, files) == expected) }
    #expect(read("exact", limit: 1000, files).count == 1000)
    #expect(read("exact", limit: 999, files) == "larger than 999 bytes: exact")
  }

  /// What has no size, and what has no end.
  @Test func specialFiles() throws {
    let files = try files([(.read, "/proc"), (.read, "/dev/zero"), (.read, "pipe")])
    #expect(read("/proc/self/status", files).hasPrefix("Name:"))
    #expect(read("/dev/zero", limit: 3 << 20, files) == "larger than 3 MiB: /dev/zero")
    mkfifo(folder.file("pipe"), 0o600)
    let log = Log<String>()
    _ = files.read("pipe") { log.add(text($0)) }
    usleep(50_000)
    folder.write("pipe", "through a pipe")
    #expect(log.wait { !$0.isEmpty } == ["through a pipe"])
    _ = files.read("pipe", limit: 3) { log.add(text($0)) }
    usleep(20_000)
    folder.write("pipe", "four")
    #expect(log.wait { $0.count == 2 }.last == "larger than 3 bytes: pipe")
    let given = files.read("pipe") { log.add(text($0)) }
    usleep(20_000)
    given.cancel()
    #expect(read("/proc/uptime", files).contains("."))
    #expect(log.all.count == 2)
  }

  @Test func writing() throws {
    let files = try files()
    let write = { (path: String, content: String) in
      result { files.write(path, Array(content.utf8), completion: $0) }.message
    }
    #expect(write("new", "one") == nil)
    #expect(folder.read("new") == "one")
    chmod(folder.file("new"), 0o640)
    #expect(write("new", "two") == nil)
    var status = stat()
    #expect(stat(folder.file("new"), &status) == 0 && status.st_mode & 0o7777 == 0o640)
    #expect(folder.read("new") == "two")
    folder.link("link", to: "new")
    #expect(write("link", "three") == nil)
    #expect(folder.read("new") == "three")
    #expect(lstat(folder.file("link"), &status) == 0 && status.isLink)
    folder.make("d")
    #expect(write("d", "x") == "it is a directory: d")
    #expect(write("none/x", "x") == "no such file: none/x")
    #expect(write("../x", "x") == "not granted: write ../x")
    #expect(write("new/x", "x") == "not a directory: new/x")
    #expect(
      text(result { files.list(".", completion: $0) }.map { Array($0.joined(separator: " ").utf8) }) == "d link new")
  }

  @Test func longNames() throws {
    let files = try files()
    let name = String(repeating: "n", count: 255)
    #expect(result { files.write(name, [0x61], completion: $0) }.message == nil)
    #expect(folder.read(name) == "a")
    #expect(result { files.write(name + "n", [0x61], completion: $0) }.message == "file name too long: \(name)n")
  }

  /// Who reads while it is written sees one or the other.
  @Test func neverHalf() throws {
    let files = try files()
    let (small, large) = ([UInt8](repeating: 0x61, count: 10), [UInt8](repeating: 0x62, count: 300_000))
    folder.write("f", "aaaaaaaaaa")
    let log = Log<Bool>()
    for number in 0..<60 { _ = files.write("f", number % 2 == 0 ? large : small) { log.add((try? $0.get()) != nil) } }
    while log.all.count < 60 {
      let content = folder.read("f") ?? ""
      #expect(content.utf8.count == 10 || content.utf8.count == 300_000)
    }
    #expect(log.all.allSatisfy { $0 })
    #expect(text(result { files.list(".", completion: $0) }.map { Array($0.joined(separator: " ").utf8) }) == "f")
  }

  @Test func appending() throws {
    let files = try files()
    let log = Log<Bool>()
    for number in 0..<500 {
      _ = files.append("log", Array("line \(number)\n".utf8)) { log.add((try? $0.get()) != nil) }
    }
    // Somebody else, too.
    for number in 0..<500 { folder.write("log", "other \(number)\n", append: true) }
    #expect(log.wait { $0.count == 500 }.allSatisfy { $0 })
    let lines = (folder.read("log") ?? "").split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("line") }.map(String.init) == (0..<500).map { "line \($0)" })
    #expect(lines.count == 1000)
    #expect(result { files.append("/etc/x", [1], completion: $0) }.message == "not granted: write /etc/x")
  }

  /// A full device: /dev/full takes nothing.
  @Test func fullDevices() throws {
    let files = try files([(.write, "/dev/full")])
    #expect(result { files.append("/dev/full", [1], completion: $0) }.message == "no space left on device: /dev/full")
    #expect(result { files.write("/dev/full", [1], completion: $0) }.message == "no space left on device: /dev/full")
  }

  @Test func listing() throws {
    let files = try files()
    for name in ["b", "a", ".hidden", "\u{E9}", "B"] { folder.write(name, "") }
    let list = { (path: String) in result { files.list(path, completion: $0) } }
    #expect(try list(".").get() == [".hidden", "B", "a", "b", "\u{E9}"])
    #expect(list("a").message == "not a directory: a")
    #expect(list("..").message == "not granted: read ..")
    #expect(list("none").message == "no such file: none")
  }

  /// What fails at once still ends later, and a call that is cancelled never does.
  @Test func whenItEnds() throws {
    let files = try files([])
    let log = Log<String>()
    IOLoop.shared.run {
      _ = files.read("a") { log.add(text($0)) }
      log.add("begun")
    }
    #expect(log.wait { $0.count == 2 } == ["begun", "not granted: read a"])
    for _ in 0..<100 { files.read("a") { log.add(text($0)) }.cancel() }
    #expect(read("b", files) == "not granted: read b")
    _ = onLoop { tell in tell(()) } as Void?
    // Some may have ended before they were cancelled.
    #expect(log.all.count <= 102)
  }
}

@Suite struct LineTests {
  private func lines(_ batches: [LineBatch]) -> [String] {
    batches.flatMap(\.lines).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb", ["a", "b"]),
    ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\r\n\r", ["", ""]),
    ("a\n\nb\n", ["a", "", "b"]), ("0123456789\nx", ["0123456789", "x"]), ("01234567890\nx\n", ["x"]),
    ("x\n01234567890", ["x"]),
    ("01234567890123456789012345\n\u{FEFF}x", ["\u{FEFF}x"]),
  ])
  func cutting(_ text: String, _ expected: [String]) {
    for size in 1...text.utf8.count + 1 {
      // Into much room, and into as little as is needed, where a line that has begun is copied or not.
      var (added, filled, tight) = (LineCutter(longest: 10), LineCutter(longest: 10), LineCutter(longest: 10))
      var batches: [[LineBatch]] = [[], [], []]
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let part = rest.prefix(size)
        batches[0].append(added.add(Array(part)))
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
          buffer.copyBytes(from: part)
          return part.count
        }
        batches[1].append(filled.read(1 << 10, fill).batch)
        let (batch, count) = tight.read(part.count, fill)
        #expect(count == part.count)
        #expect(tight.read(1) { _ in -1 }.batch.isEmpty)
        batches[2].append(batch)
        rest = rest.dropFirst(size)
      }
      batches[0].append(added.end())
      batches[1].append(filled.end())
      batches[2].append(tight.end())
      for batches in batches {
        #expect(lines(batches) == expected)
        #expect(
          batches.reduce(0) { $0 + $1.dropped }
            == (text.utf8.split(separator: 0x0A).contains { $0.count > 11 } || text.contains("01234567890") ? 1 : 0))
      }
    }
  }

  @Test func files() throws {
    let folder = Folder()
    let text = (0..<100_000).map { "line \($0)" }.joined(separator: "\n")
    folder.write("big", text)
    let files = Files(try folder.access([(.read, ".")]))
    let (batches, ends) = (Log<LineBatch>(), Log<String>())
    _ = files.lines("big", item: { batches.add($0) }, end: { ends.add($0.message ?? "end") })
    #expect(ends.wait { !$0.isEmpty } == ["end"])
    #expect(lines(batches.all) == text.split(separator: "\n").map(String.init))
    #expect(batches.all.count > 3)
    for (path, message) in [
      ("none", "no such file: none"), (".", "it is a directory: ."), ("/x", "not granted: read /x"),
    ] {
      _ = files.lines(path, item: { batches.add($0) }, end: { ends.add($0.message ?? "end") })
      let count = ends.all.count
      #expect(ends.wait { $0.count > max(count, 1) || $0.last == message }.last == message)
    }
  }

  /// A listener that pauses at each batch loses nothing, and one that has cancelled is left alone.
  @Test func pausing() throws {
    let folder = Folder()
    folder.write("big", String(repeating: "0123456789\n", count: 200_000))
    let files = Files(try folder.access([(.read, ".")]))
    let taken = takenWithPauses({ (batch: LineBatch) in batch.ranges.count }) { files.lines("big", item: $0, end: $1) }
    #expect(taken.count == 200_000 && taken.ends == ["end"])
    let given = Log<Int>()
    // On the loop's thread, where items are given: else all may have been read before it is cancelled.
    _ =
      onLoop { tell in
        let cancelled = files.lines("big", item: { given.add($0.ranges.count) }, end: { _ in given.add(-1) })
        cancelled.cancel()
        cancelled.resume()
        _ = IOLoop.shared.after(30_000_000) { tell(()) }
      } as Void?
    #expect(given.all == [])
  }

  @Test func pipes() throws {
    let folder = Folder()
    mkfifo(folder.file("pipe"), 0o600)
    let files = Files(try folder.access([(.read, "pipe")]))
    let log = Log<String>()
    _ = files.lines(
      "pipe", item: { log.add($0) },
      end: { log.add($0.message ?? "end") })
    usleep(30_000)
    folder.write("pipe", "a\nb\nc")
    #expect(log.wait { $0.last == "end" } == ["a", "b", "c", "end"])
  }
}
