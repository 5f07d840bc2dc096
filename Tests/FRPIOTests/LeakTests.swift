import Glibc
import Testing

@testable import FRPIO

/// Descriptors and memory over many calls, in a process of its own. FRP_LEAKS=full makes them a hundred times as many:
/// 100,000 reads and writes, 2,000 processes.
@Suite struct LeakTests {
  static let rounds = getenv("FRP_LEAKS").map { String(cString: $0) } == "full" ? 100 : 1

  @Test func files() async {
    let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let folder = Folder()
      folder.write("a", String(repeating: "x", count: 10_000))
      let files = Files(try folder.access([(.read, "."), (.write, ".")]))
      try flat("files", turns: 500 * LeakTests.rounds) { number in
        _ = result { files.read("a", completion: $0) } as Result<[UInt8], IOError>
        _ =
          result { files.write("b", [UInt8](repeating: 0x62, count: 10_000), completion: $0) } as Result<Void, IOError>
        files.read("a") { _ in }.cancel()
        files.lines("a", item: { _ in }, end: { _ in }).cancel()
        if number % 10 == 0 {
          let flows: [any Flow] = [
            files.tail("a", item: { _ in }, end: { _ in }), files.value("a", item: { _ in }, end: { _ in }),
            files.watch(".", item: { _ in }, end: { _ in }),
          ]
          if number % 20 == 0 { usleep(1000) }
          for flow in flows { flow.cancel() }
        }
        _ = result { files.read("none", completion: $0) } as Result<[UInt8], IOError>
      }
    }
    report(ended)
  }

  @Test func processes() async {
    let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let processes = Processes(try Folder().access([(.run, "true"), (.run, "echo")]))
      try flat("processes", turns: 20 * LeakTests.rounds) { number in
        let ended = result { processes.run("true", [], completion: $0) }
        try #require(try ended.get().status == 0)
        let log = Log<Int>()
        let lines = processes.lines("echo", ["a"], item: { _ in }, end: { _ in log.add(1) })
        if number % 2 == 0 { lines.cancel() } else { _ = log.wait { !$0.isEmpty } }
      }
      // Every child was reaped.
      try #require(waitpid(-1, nil, WNOHANG) <= 0)
    }
    report(ended)
  }

  @Test func databases() async {
    let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let folder = Folder()
      defer { withExtendedLifetime(folder) {} }
      let databases = Databases(try folder.access([(.read, "."), (.write, ".")]))
      _ =
        result { databases.exec("a.db", "CREATE TABLE t (a, b)", parameters: [:], completion: $0) }
        as Result<Int, IOError>
      try flat("databases", turns: 100 * LeakTests.rounds) { number in
        let row: [String: SQLValue] = ["a": .int(number), "b": .text(String(repeating: "x", count: 100))]
        let done = result { databases.exec("a.db", "INSERT INTO t VALUES (:a, :b)", parameters: row, completion: $0) }
        try #require(try done.get() == 1)
        let rows = result {
          databases.query("a.db", "SELECT * FROM t ORDER BY a DESC LIMIT 10", parameters: [:], completion: $0)
        }
        try #require(try rows.get().rows.first?.first == .int(number))
        _ =
          result { databases.query("a.db", "SELECT \(number)", parameters: [:], completion: $0) }
          as Result<SQLRows, IOError>
        databases.exec("a.db", "DELETE FROM t WHERE a < 0", parameters: [:]) { _ in }.cancel()
      }
    }
    report(ended)
  }
}

/// Shows what the process has measured.
private func report(_ ended: ExitTest.Result?) {
  print(String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
}

/// As many descriptors after all turns as after the first tenth (but one that is just in use), and no more than 4 MiB of memory
/// more.
private func flat(_ name: String, turns: Int, _ turn: (Int) throws -> Void) throws {
  var before = (descriptors: 0, memory: 0)
  for number in 0..<turns {
    try turn(number)
    if number == turns / 10 {
      settle()
      before = (descriptors(), residentMemory())
    }
  }
  // Somebody else has the processor, perhaps; what leaks stays.
  for _ in 0..<50 where descriptors() > before.descriptors { settle() }
  let (after, memory) = (descriptors(), residentMemory())
  print("\(name): \(turns) turns, descriptors \(before.descriptors) to \(after), KiB \(before.memory) to \(memory)")
  try #require(after <= before.descriptors + 1, "\(name): \(before.descriptors) descriptors became \(after)")
  try #require(memory <= before.memory + 4096, "\(name): \(before.memory) KiB became \(memory)")
}

/// In KiB.
private func residentMemory() -> Int {
  let file = open("/proc/self/status", O_RDONLY)
  defer { close(file) }
  let line = contents(file).split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
  return Int(line.split(separator: " ").dropLast().last ?? "") ?? 0
}
