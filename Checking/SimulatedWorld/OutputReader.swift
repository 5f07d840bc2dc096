// Who reads the standard output of a run, process after process.
//
// What a process hands over goes on where the one before ended, byte for byte. After one that was killed, or could not write to its journal,
// it may begin earlier: how much was handed over is known from the last commit.

struct OutputReader {
  /// What the run has shown in all. There are several where one cannot tell what was said again and what is new.
  private var possible: [[UInt8]] = [[]]
  private var mayRepeat = false

  /// Takes what a process has handed over. `isExact` says that the next one knows how much that was.
  mutating func receive(_ bytes: [UInt8], isExact: Bool) {
    // Who shows nothing may not even have begun, and knows no more than the one before.
    if bytes.isEmpty {
      mayRepeat = mayRepeat || !isExact
      return
    }
    defer { mayRepeat = !isExact }
    let places = possible.flatMap { shown in
      let first = mayRepeat ? 0 : shown.count
      return (first...shown.count).filter { shown[$0...].starts(with: bytes) || bytes.starts(with: shown[$0...]) }
        .map { place in shown.count - place >= bytes.count ? shown : shown[..<place] + bytes }
    }
    possible = Array(Set(places))
  }

  /// What is wrong with all that the run may have shown; nil where something is as it should be.
  func problem(_ problem: (String) -> String?) -> String? {
    var first: String?
    for shown in possible {
      guard let found = problem(String(decoding: shown, as: UTF8.self)) else { return nil }
      first = first ?? found
    }
    return first
  }
}
