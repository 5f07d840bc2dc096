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
