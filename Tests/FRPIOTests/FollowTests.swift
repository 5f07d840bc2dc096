import Glibc
import Testing

@testable import FRPIO

/// Streams of files that change under the eyes of who follows them.
@Suite struct FollowTests {
  let folder = Folder()

  private func tail(_ path: String, _ grants: [(Grants.Kind, String)] = [(.read, ".")]) throws -> (
    Log<String>, any Flow
  ) {
    let log = Log<String>()
    let flow = Files(try folder.access(grants)).tail(
      path, item: { log.add($0) },
      end: { log.add("end: \($0.message ?? "")") })
    // It has begun once it has looked, which nothing tells; what is written before would be missed.
    settle()
    return (log, flow)
  }

  private func expect(_ log: Log<String>, _ lines: [String]) {
    #expect(log.wait { $0.count >= lines.count } == lines)
  }

  @Test func additions() throws {
    folder.write("log", "old\nhalf")
    let (log, flow) = try tail("log")
    folder.write("log", " whole\n", append: true)
    expect(log, ["half whole"])
    folder.write("log", "b\nc", append: true)
    expect(log, ["half whole", "b"])
    folder.write("log", "\n", append: true)
    expect(log, ["half whole", "b", "c"])
    flow.cancel()
    folder.write("log", "after\n", append: true)
    usleep(100_000)
    #expect(log.all.count == 3)
  }

  @Test func rotation() throws {
    folder.write("log", "old\n")
    let (log, flow) = try tail("log")
    folder.write("log", "a\n", append: true)
    expect(log, ["a"])
    for number in 1...5 {
      folder.write("log", "last \(number)\n", append: true)
      rename(folder.file("log"), folder.file("log.\(number)"))
      // Its writer has not noticed yet.
      folder.write("log.\(number)", "late \(number)\n", append: true)
      folder.write("log", "new \(number)\n", append: true)
      let lines = log.wait { $0.count == 1 + 3 * number }.suffix(3)
      #expect(Set(lines) == ["last \(number)", "late \(number)", "new \(number)"])
      #expect(lines.firstIndex(of: "last \(number)").map { $0 < lines.firstIndex(of: "late \(number)") ?? 0 } == true)
    }
    folder.write("log.5", "later still\n", append: true)
    #expect(log.wait { $0.last == "later still" }.last == "later still")
    flow.cancel()
  }

  /// What an old file ends with is whole once there is something in a newer one.
  @Test func halfALineBeforeARotation() throws {
    folder.write("log", "old\n")
    let (log, flow) = try tail("log")
    for number in 1...3 {
      folder.write("log", "half \(number)", append: true)
      usleep(50_000)
      rename(folder.file("log"), folder.file("log.\(number)"))
      folder.write("log", "new \(number)\n")
      #expect(log.wait { $0.count == 2 * number }.suffix(2) == ["half \(number)", "new \(number)"])
    }
    flow.cancel()
  }

  @Test func cutOff() throws {
    folder.write("log", "old\n")
    let (log, flow) = try tail("log")
    folder.write("log", "a\nhalf", append: true)
    expect(log, ["a"])
    truncate(folder.file("log"), 0)
    expect(log, ["a", "half"])
    folder.write("log", "b\n", append: true)
    expect(log, ["a", "half", "b"])
    flow.cancel()
  }

  @Test func comingAndGoing() throws {
    let (log, flow) = try tail("log")
    folder.write("log", "first\n")
    expect(log, ["first"])
    unlink(folder.file("log"))
    usleep(50_000)
    folder.write("log", "second\n")
    expect(log, ["first", "second"])
    flow.cancel()
  }

  @Test func linksThatAreSwapped() throws {
    folder.make("logs")
    folder.write("logs/1", "old\n")
    folder.link("current", to: "logs/1")
    let (log, flow) = try tail("current")
    folder.write("logs/1", "a\n", append: true)
    expect(log, ["a"])
    folder.write("logs/2", "b\n")
    folder.link("next", to: "logs/2")
    rename(folder.file("next"), folder.file("current"))
    expect(log, ["a", "b"])
    folder.write("logs/2", "c\n", append: true)
    expect(log, ["a", "b", "c"])
    flow.cancel()
  }

  /// The directory is moved away, and another one takes its place: found by looking once a second.
  @Test func directoriesThatAreSwapped() throws {
    folder.make("d")
    folder.write("d/log", "old\n")
    let (log, flow) = try tail("d/log")
    folder.make("e")
    folder.write("e/log", "new\n")
    rename(folder.file("d"), folder.file("f"))
    rename(folder.file("e"), folder.file("d"))
    expect(log, ["new"])
    flow.cancel()
  }

  @Test func whatCannotBeFollowed() throws {
    folder.make("d")
    for (path, message) in [("d", "end: not a regular file: d"), ("/etc/passwd", "end: not granted: read /etc/passwd")]
    {
      expect(try tail(path).0, [message])
    }
  }

  @Test func pausedTails() throws {
    folder.write("log", "")
    let (log, flow) = try tail("log")
    flow.pause()
    folder.write("log", "a\nb\n", append: true)
    usleep(100_000)
    #expect(log.all == [])
    rename(folder.file("log"), folder.file("log.1"))
    folder.write("log", "c\n")
    flow.resume()
    expect(log, ["a", "b", "c"])
    flow.cancel()
  }

  @Test func values() throws {
    let log = Log<String>()
    let flow = Files(try folder.access([(.read, ".")])).value(
      "v.json", item: { log.add($0.map { String(decoding: $0, as: UTF8.self) } ?? "none") },
      end: { log.add("end: \($0.message ?? "")") })
    expect(log, ["none"])
    folder.write("v.json", "1")
    expect(log, ["none", "1"])
    folder.write("v.json", "2")
    expect(log, ["none", "1", "2"])
    // The same bytes are no change; the next ones are.
    folder.write("v.json", "2")
    folder.write("other", "3")
    rename(folder.file("other"), folder.file("v.json"))
    expect(log, ["none", "1", "2", "3"])
    unlink(folder.file("v.json"))
    usleep(50_000)
    folder.write("v.json", "4")
    expect(log, ["none", "1", "2", "3", "4"])
    flow.pause()
    folder.write("v.json", "5")
    usleep(50_000)
    folder.write("v.json", "6")
    usleep(100_000)
    flow.resume()
    expect(log, ["none", "1", "2", "3", "4", "6"])
    flow.cancel()
    folder.write("v.json", "7")
    usleep(50_000)
    #expect(log.all.count == 6)
  }

  /// A file that is written bit by bit is read once its writer rests.
  @Test func slowWriters() throws {
    folder.write("v", "begin")
    let log = Log<String>()
    let flow = Files(try folder.access([(.read, ".")])).value(
      "v", item: { log.add($0.map { String(decoding: $0, as: UTF8.self) } ?? "none") }, end: { _ in })
    expect(log, ["begin"])
    let descriptor = open(folder.file("v"), O_WRONLY | O_TRUNC)
    for _ in 0..<10 {
      write(descriptor, "x", 1)
      usleep(3000)
    }
    expect(log, ["begin", "xxxxxxxxxx"])
    write(descriptor, "y", 1)
    expect(log, ["begin", "xxxxxxxxxx", "xxxxxxxxxxy"])
    close(descriptor)
    flow.cancel()
  }

  @Test func valuesThatCannotBeRead() throws {
    folder.write("v", "1234")
    let files = Files(try folder.access([(.read, ".")]))
    let log = Log<String>()
    _ = files.value("v", limit: 3, item: { _ in }, end: { log.add($0.message ?? "") })
    _ = files.value("/x", item: { _ in }, end: { log.add($0.message ?? "") })
    #expect(Set(log.wait { $0.count == 2 }) == ["larger than 3 bytes: v", "not granted: read /x"])
  }

  /// Links as Kubernetes mounts them: `v` leads through a link that is swapped.
  @Test func mountedSettings() throws {
    for (name, value) in [("one", "1"), ("two", "2")] {
      folder.make(name)
      folder.write("\(name)/v", value)
    }
    folder.link("data", to: "one")
    folder.link("v", to: "data/v")
    let log = Log<String>()
    let flow = Files(try folder.access([(.read, ".")])).value(
      "v", item: { log.add($0.map { String(decoding: $0, as: UTF8.self) } ?? "none") }, end: { _ in })
    expect(log, ["1"])
    folder.link("next", to: "two")
    rename(folder.file("next"), folder.file("data"))
    expect(log, ["1", "2"])
    flow.cancel()
  }

  private func watch(_ path: String) throws -> (Log<String>, any Flow) {
    let log = Log<String>()
    let flow = Files(try folder.access([(.read, ".")])).watch(
      path, item: { log.add(($0.gone ? "-" : "+") + $0.path) }, end: { log.add("end: \($0.message ?? "")") })
    settle()
    return (log, flow)
  }

  @Test func directoriesThatAreWatched() throws {
    folder.make("d")
    let (log, flow) = try watch("d")
    folder.write("d/a", "x")
    expect(log, ["+d/a"])
    rename(folder.file("d/a"), folder.file("d/b"))
    expect(log, ["+d/a", "-d/a", "+d/b"])
    unlink(folder.file("d/b"))
    folder.make("d/sub")
    folder.link("d/link", to: "nothing")
    expect(log, ["+d/a", "-d/a", "+d/b", "-d/b", "+d/sub", "+d/link"])
    flow.pause()
    for number in 0..<100 { folder.write("d/many", "\(number)") }
    folder.write("d/other", "")
    unlink(folder.file("d/other"))
    usleep(50_000)
    flow.resume()
    #expect(Array(log.wait { $0.count >= 8 }.suffix(2)) == ["+d/many", "-d/other"])
    rmdir(folder.file("d/sub"))
    #expect(log.wait { $0.count >= 9 }.last == "-d/sub")
    for name in ["many", "link"] { unlink(folder.file("d/\(name)")) }
    rmdir(folder.file("d"))
    #expect(log.wait { $0.last?.hasPrefix("end") == true }.last == "end: it is gone: d")
  }

  @Test func filesThatAreWatched() throws {
    folder.write("f", "1")
    let (log, flow) = try watch("f")
    folder.write("other", "x")
    folder.write("f", "2")
    expect(log, ["+f"])
    unlink(folder.file("f"))
    expect(log, ["+f", "-f"])
    folder.write("f", "3")
    expect(log, ["+f", "-f", "+f"])
    let descriptor = open(folder.file("f"), O_WRONLY | O_APPEND)
    for _ in 0..<10 { write(descriptor, "x", 1) }
    #expect(log.wait { $0.count >= 4 }.count == 4)
    close(descriptor)
    flow.cancel()
    expect(try watch("../x").0, ["end: not granted: read ../x"])
  }
}
