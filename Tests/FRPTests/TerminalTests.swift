import FRPBase
import Glibc
import Testing

@testable import FRPCommands

/// Descriptors: lines in, whatever the blocks they come in; text out, whoever still reads.
@Suite struct TerminalTests {
  /// Writes pieces into a pipe one after the other, reading after each.
  private func lines(_ pieces: [String]) -> [String] {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return [] }
    var reader = LineReader(descriptor: ends[0])
    var found: [String] = []
    func drain() {
      while case .text(let range)? = reader.next() { found.append(String(decoding: reader[range], as: UTF8.self)) }
    }
    for piece in pieces where !piece.isEmpty {
      let writer = Writer(descriptor: ends[1])
      writer.write(piece)
      writer.flush()
      _ = reader.fill()
      drain()
    }
    close(ends[1])
    while reader.fill() == .some { drain() }
    drain()
    close(ends[0])
    return found
  }

  @Test func linesAreWholeHoweverTheyCome() {
    #expect(lines(["a\nb\n"]) == ["a", "b"])
    #expect(lines(["a", "b", "\nc"]) == ["ab", "c"])
    #expect(lines(["a\r\n", "\r", "\nb\r"]) == ["a", "", "b"])
    #expect(lines(["\n\n", "x"]) == ["", "", "x"])
    #expect(lines([]) == [])
    #expect(lines([""]) == [])
    let long = String(repeating: "é", count: 30_000)
    #expect(lines([long, "!\n", "end"]) == [long + "!", "end"])
  }

  /// What a reader with a short limit says of a text that comes in pieces of so many bytes.
  private func shortLines(_ text: String, limit: Int, pieces: Int, records: Bool = false) -> [String] {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return [] }
    var reader = LineReader(descriptor: ends[0], records: records, longest: limit)
    var found: [String] = []
    func drain() {
      while let line = reader.next() {
        guard case .text(let range) = line else {
          found.append("\(reader.lineNumber): too long")
          continue
        }
        found.append("\(reader.lineNumber): " + String(decoding: reader[range], as: UTF8.self))
      }
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let writer = Writer(descriptor: ends[1])
      writer.write(Array(rest.prefix(pieces)))
      writer.flush()
      rest = rest.dropFirst(pieces)
      _ = reader.fill()
      drain()
    }
    close(ends[1])
    while reader.fill() == .some { drain() }
    drain()
    close(ends[0])
    return found
  }

  @Test func theLimitOfALineIsTheSameWhateverBlocksItComesIn() {
    let text = "ab\nabcde\nabcdef\nxyz\n\"12\n45\"\nabcdefghijklmnopqrstuvwxyz\nend"
    for pieces in [1, 2, 3, 5, 7, 11, 100] {
      #expect(
        shortLines(text, limit: 5, pieces: pieces) == [
          "1: ab", "2: abcde", "3: too long", "4: xyz", "5: \"12", "6: 45\"", "7: too long", "8: end",
        ])
    }
    let records = "a,b\n\"1\n2\",x\nabcdefghijk,\"\nnext\nz"
    for pieces in [1, 2, 3, 5, 7, 11, 100] {
      #expect(
        shortLines(records, limit: 8, pieces: pieces, records: true) == [
          "1: a,b", "2: \"1\n2\",x", "4: too long", "5: next", "6: z",
        ])
    }
  }

  @Test func lineNumbersCount() {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let writer = Writer(descriptor: ends[1])
    writer.write("one\n\nthree\n")
    writer.flush()
    var reader = LineReader(descriptor: ends[0])
    #expect(reader.fill() == .some)
    var numbers: [Int] = []
    while reader.next() != nil { numbers.append(reader.lineNumber) }
    #expect(numbers == [1, 2, 3])
    ends.forEach { close($0) }
  }

  @Test func aTerminalObeysNoData() throws {
    let bad = "a\u{1B}[31m\u{1B}]0;x\u{7}b\u{202E}c\u{9B}d\te\r\nf"
    #expect(safeForTerminal(bad) == #"a\e[31m\e]0;x\u{7}b\u{202E}c\u{9B}d\#te\u{D}\#nf"#)
    #expect(safeForTerminal(bad, keepsColours: true).hasPrefix("a\u{1B}[31m\\e]0;x"))
    #expect(safeForTerminal("\u{1B}[2J\u{1B}[8", keepsColours: true) == #"\e[2J\e[8"#)
    #expect(safeForTerminal("é 日本 👩‍👩‍👧 x\u{308}") == "é 日本 👩‍👩‍👧 x\u{308}")

    let folder = TemporaryFolder()
    let program = try folder.file("input line: Event<String>\noutput again = line\n", "again.frp")
    let data = try folder.file("\u{1B}[2Jgone\u{202E}\n", "data.txt")
    func shown(onTerminal isTerminal: Bool) -> (out: String, err: String) {
      let (out, err) = (Writer(isTerminal: isTerminal), Writer(isTerminal: isTerminal))
      let console = Console(input: -1, out: out, err: err, outputIsTerminal: isTerminal, errorIsTerminal: isTerminal)
      _ = onLargeStack { CommandLineInterface.run(["run", program, "--in", "line=lines:\(data)"], console) }
      _ = onLargeStack { CommandLineInterface.run(["run", program, "--in", "line=jsonl:\(data)"], console) }
      return (out.text, err.text)
    }
    #expect(shown(onTerminal: false).out == "\u{1B}[2Jgone\u{202E}\n")
    #expect(shown(onTerminal: true).out == "\\e[2Jgone\\u{202E}\n")
    #expect(!shown(onTerminal: true).err.contains("\u{1B}[2J"))
  }

  @Test func aBrokenPipeIsQuiet() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let writer = Writer(descriptor: ends[1])
    writer.write("nobody reads this")
    writer.flush()
    #expect(writer.isBroken)
    #expect(writer.failure == EPIPE)
    close(ends[1])
  }
}
