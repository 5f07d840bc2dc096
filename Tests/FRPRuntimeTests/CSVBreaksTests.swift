// Where records of CSV end.

import FRPRuntime
import Testing

struct CSVBreaksTests {
  /// The records of a text that comes in pieces of `size` bytes.
  private func records(_ text: String, pieces size: Int) -> [String] {
    let bytes = Array(text.utf8)
    var breaks = CSVBreaks()
    var found: [String] = []
    var start = 0
    for end in stride(from: min(size, bytes.count), through: bytes.count, by: 1)
    where end % size == 0 || end == bytes.count {
      while start < end, let length = length(bytes[start..<end], &breaks, isComplete: end == bytes.count) {
        found.append(String(decoding: bytes[start..<start + length], as: UTF8.self))
        start += length
      }
    }
    return found
  }

  private func length(_ bytes: ArraySlice<UInt8>, _ breaks: inout CSVBreaks, isComplete: Bool) -> Int? {
    bytes.withUnsafeBufferPointer { text in
      isComplete ? breaks.recordLength(text) : breaks.next(in: text, isComplete: false).map { $0 + 1 }
    }
  }

  @Test(arguments: [
    ["a,b\n", "c\r\n", "\n", "last"],
    ["\"a\nb\",c\n", "d,\"e\r\nf\"\r\n", "\"\"\"\n\"\"\"\n"],
    // Quotes within a cell are plain.
    ["5\" pipe,3\n", "6\" pipe,4\n"],
    // The lines of a record that does not end well come one by one; what follows it is whole again.
    ["\"a,5\n", "\"b\"c,\"d\n", "x,\"y\nz\"\n"],
    ["\"a\n", "b\n", "c"],
    ["\u{FEFF}\"a\nb\"\n", "c\n"],
  ])
  func recordsAreWhole(_ expected: [String]) {
    let text = expected.joined()
    for size in 1...text.utf8.count {
      // A byte order mark comes in one piece, and so does the end of the text.
      if text.hasPrefix("\u{FEFF}"), size < 3 { continue }
      #expect(records(text, pieces: size) == expected, "in pieces of \(size)")
    }
  }

  @Test func otherSeparatorsBeginCells() {
    let text: [UInt8] = Array("a;\"b\nc\";d\ne\n".utf8)
    var breaks = CSVBreaks(separator: 0x3B)
    #expect(text.withUnsafeBufferPointer { breaks.recordLength($0) } == 10)
    var commas = CSVBreaks()
    #expect(text.withUnsafeBufferPointer { commas.recordLength($0) } == 5)
  }

  @Test func forgottenQuotesTakeLinearTime() {
    let text = String(repeating: "a\",\"c\n", count: 100_000)
    #expect(records(text, pieces: text.utf8.count).count == 100_000)
  }
}
