import CLinux
import Glibc
import Testing

@testable import FRPIO

/// What the kernel still allows, each in a process of its own: there is no way back.
@Suite(.enabled(if: clinux_landlock_version() > 0, "the kernel has no Landlock")) struct ConfinementTests {
  /// Everything that is granted goes on as before, on the loop and its workers; the process itself can do nothing else.
  @Test func files() async {
    await #expect(processExitsWith: .success) {
      let folder = Folder()
      for name in ["in", "out"] { folder.make(name) }
      folder.write("in/a", "inside")
      folder.write("secret", "secret")
      folder.link("in/link", to: "a")
      let access = try folder.access([(.read, "in"), (.write, "out"), (.read, "out"), (.run, "cat")])
      let files = Files(access)
      // Workers and the loop are there before.
      try #require(text(result { files.read("in/a", completion: $0) }) == "inside")
      try #require(access.confine())
      try #require(text(result { files.read("in/link", completion: $0) }) == "inside")
      try #require(result { files.write("out/x", [0x61], completion: $0) }.message == nil)
      try #require(result { files.write("out/x", [0x62], completion: $0) }.message == nil)
      try #require(result { files.append("out/x", [0x63], completion: $0) }.message == nil)
      try #require(text(result { files.read("out/x", completion: $0) }) == "bc")
      let lines = Log<Int>()
      _ = files.tail("out/log", item: { lines.add($0.ranges.count) }, end: { _ in lines.add(-1) })
      usleep(100_000)
      try #require(result { files.append("out/log", Array("line\n".utf8), completion: $0) }.message == nil)
      try #require(lines.wait { !$0.isEmpty } == [1])
      let databases = Databases(access)
      let sql = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)"
      try #require(try result { databases.exec("out/a.db", sql, parameters: [:], completion: $0) }.get() == 2)
      // A program is another process, and reads what it needs.
      let run = result { Processes(access).run("cat", [folder.file("secret")], completion: $0) }
      try #require(try run.get().out == Array("secret".utf8))
      for path in ["secret", "in/a", "out/y"] {
        try #require(open(folder.file(path), O_WRONLY | O_CREAT, 0o600) < 0 || path == "out/y", "\(path)")
      }
      try #require(open(folder.file("secret"), O_RDONLY) < 0 && errno == EACCES)
      try #require(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES)
      // Also there, and on threads that come later.
      for workers in [Workers.reading, Workers.writing, Workers(threads: 1)] {
        let opened = Log<Int32>()
        workers.run { opened.add(open("/etc/passwd", O_RDONLY)) }
        try #require(opened.wait { !$0.isEmpty } == [-1])
      }
      try #require(onLoop { tell in tell(open("/etc/passwd", O_RDONLY)) } == -1)
    }
  }

  @Test func ports() async throws {
    try #require(clinux_landlock_version() >= 4)
    await #expect(processExitsWith: .success) {
      let folder = Folder()
      let access = try folder.access([(.net, "127.0.0.1:9"), (.listen, "0")])
      try #require(access.confine())
      func socketTo(_ port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, 16) } == 0 ? 0 : errno
        }
      }
      try #require(socketTo(0, bind) == 0)
      try #require(socketTo(34567, bind) == EACCES)
      try #require(socketTo(9, connect) == ECONNREFUSED)
      try #require(socketTo(10, connect) == EACCES)
      // What finds hosts is readable.
      try #require(open("/etc/hosts", O_RDONLY) >= 0 && open("/etc/passwd", O_RDONLY) < 0)
    }
  }

  @Test func surroundings() async {
    await #expect(processExitsWith: .success) {
      let folder = Folder()
      folder.write("a", "")
      var others = Surroundings()
      others.reading = [folder.file("a"), "/no/such/path"]
      others.writing = [folder.file("record.jsonl")]
      try #require(try folder.access([]).confine(others))
      try #require(
        open(folder.file("a"), O_RDONLY) >= 0 && open(folder.file("record.jsonl"), O_WRONLY | O_CREAT, 0o600) >= 0)
      try #require(open("/etc/hosts", O_RDONLY) < 0)
    }
  }
}
