// Repeatable random numbers: SplitMix64 (Steele, Lea and Flood 2014).

package struct Random {
  private var state: UInt64
  private var choices: ArraySlice<UInt8> = []

  package init(seed: UInt64) { state = seed }

  /// The first numbers are these bytes, so that whoever changes one changes one choice; the others follow from them.
  package init(choices: [UInt8]) {
    self.choices = choices[...]
    state = choices.reduce(0) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  package mutating func next() -> UInt64 {
    if let choice = choices.popFirst() { return UInt64(choice) }
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number in 0..<n.
  package mutating func below(_ n: Int) -> Int { Int(next() % UInt64(max(1, n))) }

  /// A number in a closed range.
  package mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// True once in n times.
  package mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }

  package mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }

  package mutating func shuffle<Element>(_ all: inout [Element]) {
    for index in all.indices.dropFirst().reversed() { all.swapAt(index, below(index + 1)) }
  }
}
