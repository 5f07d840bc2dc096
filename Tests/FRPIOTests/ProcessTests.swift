import Glibc
import Testing

@testable import FRPIO

@Suite struct ProcessTests {
  let folder = Folder()

  func processes(_ programs: [String] = ["sh", "/bin/cat", "sleep", "yes"]) throws -> Processes {
    Processes(try folder.access(programs.map { (.run, $0) }))
  }

  private func run(_ program: String, _ arguments: [String], limit: Int = Processes.limit, _ processes: Processes)
    -> String
  {
    switch result({ processes.run(program, arguments, limit: limit, completion: $0) }) {
    case .success(let result):
      "\(result.status) [\(String(decoding: result.out, as: UTF8.self))] [\(String(decoding: result.err, as: UTF8.self))]"
    case .failure(let error): error.message
    }
  }

  private func shell(_ text: String) throws -> String { run("sh", ["-c", text], try processes()) }

  @Test(arguments: [
    ("echo out; echo err >&2; exit 3", "3 [out\n] [err\n]"), ("true", "0 [] []"), ("kill -TERM $$", "143 [] []"),
    ("kill -KILL $$", "137 [] []"), ("cat", "0 [] []"), ("exec >&- 2>&-; exit 5", "5 [] []"),
    ("echo $0", "0 [sh\n] []"),
    // No shell looks at arguments; nothing but the three descriptors is open (the fourth is that of ls itself).
    ("ls /proc/self/fd | tr '\\n' ' '", "0 [0 1 2 3 ] []"),
    ("ps -o pgid= -p $$ | tr -d ' ' | grep -cx $$", "0 [1\n] []"),
    // Somebody stays behind with the output open.
    ("sleep 30 & echo done", "0 [done\n] []"),
    // Signals are as they are by default: no handler's thread blocks them, and SIGPIPE ends who writes for nobody.
    ("grep SigBlk /proc/self/status | tr -d '\\t'", "0 [SigBlk:0000000000000000\n] []"), ("kill -PIPE $$", "141 [] []"),
  ])
  func ends(_ text: String, _ expected: String) throws {
    if text.contains("ps -o"), access("/bin/ps", X_OK) != 0 { return }
    #expect(try shell(text) == expected)
  }

  @Test func arguments() throws {
    let processes = try processes()
    folder.write("a b", "content")
    #expect(run("/bin/cat", [folder.file("a b")], processes) == "0 [content] []")
    #expect(
      run("sh", ["-c", "printf '%s|' \"$@\"", "x", "a b", "", "*", "$HOME", "é"], processes) == "0 [a b||*|$HOME|é|] []"
    )
    #expect(run("sh", ["\0"], processes) == "an argument contains a NUL: sh")
    #expect(run("sh", ["-c", String(repeating: "x", count: 3 << 20)], processes) == "argument list too long: sh")
  }

  /// Where it is and for whom, and what was granted: nothing else. A plug-in is started with all there is. (What is set for a test
  /// others would read while it moves.)
  @Test func environment() throws {
    func names(_ text: [UInt8]) -> Set<String> {
      Set(
        String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
          $0.split(separator: "=").first.map(String.init)
        })
    }
    func seen(_ granted: [String]) throws -> Set<String> {
      let processes = Processes(try folder.access([(.run, "env")] + granted.map { (.env, $0) }))
      return names(try result({ processes.run("env", [], completion: $0) }).get().out)
    }
    let usual = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR"]
    let plain = try seen([])
    #expect(plain.contains("PATH") && plain.allSatisfy { usual.contains($0) || $0.hasPrefix("LC_") })
    let whole = names(try processes().ask("/usr/bin/env", [], within: 60, limit: 1 << 20).out)
    let hidden = whole.subtracting(plain).filter { $0.allSatisfy { $0.isLetter || $0 == "_" } }.sorted()
    #expect(!hidden.isEmpty)
    if let name = hidden.first { #expect(try seen([name, "PATH", "FRP_NOT_SET"]) == plain.union([name])) }
  }

  @Test func whatIsNotGranted() throws {
    let processes = try processes(["sleep"])
    for program in ["sh", "/bin/sh", "./sleep", "sleep2", "", "../bin/sh", "sleep\0", "/bin/../bin/sh", "-c"] {
      #expect(run(program, [], processes) == "not granted: run \(program)")
    }
  }

  /// A script's interpreter opens it by its path, and its name is its own.
  @Test func scripts() throws {
    folder.write("script", "#!/bin/sh\necho $0 $1; ls /proc/self/fd | wc -w\n")
    chmod(folder.file("script"), 0o755)
    folder.write("broken", "#!/no/such/interpreter\n")
    chmod(folder.file("broken"), 0o755)
    folder.write("text", "no program")
    chmod(folder.file("text"), 0o755)
    let processes = try processes(["./script", "./broken", "./text"])
    #expect(run("./script", ["x"], processes) == "0 [\(folder.file("script")) x\n4\n] []")
    #expect(run("./broken", [], processes) == "no such file: ./broken")
    #expect(run("./text", [], processes) == "exec format error: ./text")
    unlink(folder.file("script"))
    #expect(run("./script", [], processes) == "no such file: ./script")
  }

  @Test func bounds() throws {
    let processes = try processes()
    #expect(run("yes", [], limit: 1 << 20, processes) == "larger than 1 MiB: output of yes")
    #expect(run("sh", ["-c", "yes >&2"], limit: 1 << 20, processes) == "larger than 1 MiB: error output of sh")
    #expect(run("sh", ["-c", "printf 1234567890"], limit: 10, processes) == "0 [1234567890] []")
  }

  /// The whole group goes, also who does not hear SIGTERM.
  @Test(arguments: ["sleep 1000 & sleep 1000", "trap '' TERM; sleep 1000 & sleep 1000; sleep 1000", "kill -STOP $$"])
  func cancelling(_ text: String) throws {
    let log = Log<Int>()
    let mark = folder.file("mark")
    let operation = try processes().run("sh", ["-c", "echo $$ > \(mark).new; mv \(mark).new \(mark); \(text)"]) { _ in
      log.add(1)
    }
    var group: Int32?
    for _ in 0..<500 where group == nil {
      group = folder.read("mark").flatMap { Int32($0.split(separator: "\n").first ?? "") }
      usleep(10_000)
    }
    let leader = try #require(group)
    usleep(50_000)
    #expect(kill(-leader, 0) == 0)
    operation.cancel()
    var isGone = false
    for _ in 0..<600 where !isGone {
      isGone = kill(-leader, 0) != 0
      usleep(10_000)
    }
    #expect(isGone)
    #expect(log.all == [])
  }

  /// Who stays behind when the program has ended goes with it.
  @Test func leftBehind() throws {
    let text = try shell("sleep 1000 & echo $!")
    let number = try #require(Int32(text.split(whereSeparator: { !$0.isNumber }).last ?? ""), "\(text)")
    var isGone = false
    for _ in 0..<500 where !isGone {
      // It may wait as a zombie for whoever adopts orphans.
      let status = open("/proc/\(number)/stat", O_RDONLY)
      isGone = status < 0 || contents(status).contains(") Z ")
      close(status)
      usleep(10_000)
    }
    #expect(isGone)
  }

  @Test func lines() throws {
    let log = Log<String>()
    let follow = { (text: String) throws in
      try processes().lines(
        "sh", ["-c", text], item: { log.add($0) },
        end: { log.add("end: \($0.message ?? "")") })
    }
    _ = try follow("echo a; echo b; printf c")
    #expect(log.wait { $0.last?.hasPrefix("end") == true } == ["a", "b", "c", "end: "])
    _ = try follow("echo x; echo first >&2; echo last >&2; exit 3")
    #expect(log.wait { $0.count == 6 }.suffix(2) == ["x", "end: sh ended with status 3: last"])
    _ = try follow("sleep 30 & echo y")
    #expect(log.wait { $0.count == 8 }.suffix(2) == ["y", "end: "])
    _ = try processes(["sleep"]).lines("sh", [], item: { _ in }, end: { log.add($0.message ?? "") })
    #expect(log.wait { $0.count == 9 }.last == "not granted: run sh")
  }

  /// A listener that pauses holds the program back, and gets all that it wrote, also after its end.
  @Test func pausing() throws {
    let processes = try processes()
    let taken = takenWithPauses({ (batch: LineBatch) in batch.ranges.count }) {
      processes.lines("sh", ["-c", "yes 0123456789 | head -n 200000; echo end >&2"], item: $0, end: $1)
    }
    #expect(taken.count == 200_000 && taken.ends == ["end"])
  }

  private func converse(_ text: String) throws -> (Conversation, Log<String>) {
    let log = Log<String>()
    let conversation = try processes([]).converse(
      "sh", ["-c", text], item: { log.add($0) },
      end: { log.add("end: \($0.message ?? "")") })
    return (conversation, log)
  }

  @Test func conversations() throws {
    let (cat, log) = try converse("while read line; do echo got $line; done; echo over")
    IOLoop.shared.run { cat.send(Array("a\nb\n".utf8)) }
    #expect(log.wait { $0.count == 2 } == ["got a", "got b"])
    IOLoop.shared.run {
      cat.send(Array("c\nd".utf8))
      cat.finish()
    }
    #expect(log.wait { $0.count == 5 } == ["got a", "got b", "got c", "over", "end: "])
    IOLoop.shared.run { cat.send(Array("late\n".utf8)) }
    // One that is told at once that no more comes, and one that never listens.
    let (silent, end) = try converse("cat; echo done")
    silent.finish()
    #expect(end.wait { $0.count == 2 } == ["done", "end: "])
    let (deaf, answer) = try converse("exec <&-; sleep 0.2; echo heard nothing; exit 4")
    IOLoop.shared.run { deaf.send([UInt8](repeating: 0x61, count: 1 << 20)) }
    #expect(answer.wait { $0.count == 2 } == ["heard nothing", "end: sh ended with status 4"])
  }

  /// Who sends waits while the child does not read.
  @Test func room() throws {
    let (counter, log) = try converse("sleep 0.2; wc -c")
    let sent = LoopLocal(0)
    @Sendable func sendMore() {
      while sent.with({ $0 }) < 40 {
        sent.with { $0 += 1 }
        if !counter.send([UInt8](repeating: 0x61, count: 300_000)) { return }
      }
      counter.finish()
    }
    counter.onRoom { sendMore() }
    IOLoop.shared.run { sendMore() }
    usleep(50_000)
    #expect((onLoop { tell in tell(sent.with { $0 }) } ?? 0) < 10)
    #expect(log.wait { $0.count == 2 }.map { $0.trimmed } == ["12000000", "end:"])
  }

  @Test func leaksNothing() throws {
    let processes = try processes(["true"])
    let log = Log<Bool>()
    #expect(run("true", [], processes) == "0 [] []")
    let before = descriptors()
    for _ in 0..<100 { _ = processes.run("true", []) { log.add((try? $0.get().status) == 0) } }
    for number in 0..<50 {
      let operation = processes.run("true", []) { _ in }
      if number % 2 == 0 { usleep(500) }
      operation.cancel()
    }
    #expect(log.wait { $0.count == 100 }.allSatisfy { $0 })
    #expect(run("true", [], processes) == "0 [] []")
    usleep(100_000)
    // Other tests run beside this one.
    #expect(descriptors() < before + 60)
  }
}

/// How many descriptors this process has.
func descriptors() -> Int {
  guard let stream = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(stream) }
  var count = 0
  while readdir(stream) != nil { count += 1 }
  return count
}

extension String {
  fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
