// W10's input: made-up tweets as JSON lines, the same bytes on every machine.

import Glibc

/// A generator of numbered lines; a linear congruential generator decides everything about them.
struct Tweets {
  private static let brands = [
    "apple", "google", "amazon", "tesla", "nvidia", "samsung", "sony", "intel", "ibm", "oracle",
  ]
  private static let words = [
    "stream", "event", "value", "time", "signal", "river", "blue", "quick", "late", "green", "paper", "stone",
    "caf\u{E9}",
    #"said \"hi\""#, #"a\/b"#, #"tab\t"#,
  ].map { Array($0.utf8) }

  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// By brand: what W10 computes of the lines so far.
  private(set) var sums = [Double](repeating: 0, count: 10)
  var sumsByBrand: [String: Double] { Dictionary(zip(Tweets.brands, sums)) { first, _ in first } }

  /// Appends the next line.
  mutating func append(to out: inout [UInt8]) {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let r = Int(state >> 16)
    let brand = (r >> 13) % 10
    let followers = (r >> 20) % 100_000
    out += Array(#"{"user":"u\#(r % 5000)","brand":"\#(Tweets.brands[brand])","followers":\#(followers),"text":""#.utf8)
    for word in 0..<4 + (r >> 7) % 9 {
      if word > 0 { out.append(0x20) }
      out += Tweets.words[(r >> (3 * word)) % 16]
    }
    out += [0x22, 0x7D, 0x0A]
    sums[brand] = sums[brand] + 1.0 + 1.01 * Double(followers)
  }

  /// The line that W10's program ends with.
  var expected: String {
    let pairs = zip(Tweets.brands, sums).sorted { $0.0 < $1.0 }.map { "\"\($0)\":\($1)" }
    return "{\"at\":0.0,\"totals\":{" + pairs.joined(separator: ",") + "}}\n"
  }

  /// Writes `count` lines to a descriptor; gives how many bytes they are. Stops where nobody reads any more.
  mutating func write(_ count: Int, to descriptor: Int32) -> Int {
    var out: [UInt8] = []
    var bytes = 0
    for line in 1...count {
      append(to: &out)
      if out.count < 1 << 16, line < count { continue }
      guard put(out, descriptor) else { return bytes }
      bytes += out.count
      out.removeAll(keepingCapacity: true)
    }
    return bytes
  }
}

/// Writes all bytes; false if that is not possible.
func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
  var done = 0
  return bytes.withUnsafeBytes { bytes in
    while done < bytes.count {
      let count = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count < 0, errno != EINTR { return false }
      done += max(0, count)
    }
    return true
  }
}
