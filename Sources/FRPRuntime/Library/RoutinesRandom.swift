// Routines of random numbers: pure functions of a seed, the same on every machine. The generator is SplitMix64 (Steele,
// Lea and Flood 2014): a counter in steps of an odd constant, through a mixing function. A seed is its counter.

import FRPCore
import FRPGraph

/// SplitMix64.
struct SplitMix {
  private(set) var state: UInt64

  init(seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

  /// The seed that goes on from here.
  var seed: Int { Int(Int64(bitPattern: state)) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// In 0.0…1.0, without 1.0; 53 bits.
  mutating func float() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Below `bound`, each as likely; 0 stands for 2^64.
  mutating func below(_ bound: UInt64) -> UInt64 {
    if bound == 0 { return next() }
    // Lemire's method: products whose low part is too small would favour some results.
    let limit = (0 &- bound) % bound
    while true {
      let product = next().multipliedFullWidth(by: bound)
      if product.low >= limit { return product.high }
    }
  }

  /// In low…high, low not above high.
  mutating func int(_ low: Int, _ high: Int) -> Int {
    let width = UInt64(bitPattern: Int64(high &- low)) &+ 1
    return low &+ Int(truncatingIfNeeded: below(width))
  }
}

extension RoutineTable {
  static let randoms: [(Prim, Routine)] = [
    (.randomSeed, randomSeed), (.randomNext, randomNext), (.randomInt, randomInt), (.randomFloat, randomFloat),
    (.randomInts, randomInts), (.randomFloats, randomFloats), (.randomShuffle, randomShuffle),
    (.randomPick, randomPick),
  ]

  private static func check(_ low: Int, _ high: Int) throws(Fault) {
    if low > high { throw Fault(.message, "Random: low (\(low)) is above high (\(high))") }
  }

  private static func randomSeed(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(int: m.library.seed)
  }

  private static func randomNext(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var random = SplitMix(seed: a[0].int)
    return Word(int: Int(truncatingIfNeeded: random.next()))
  }

  private static func randomInt(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try check(a[1].int, a[2].int)
    var random = SplitMix(seed: a[0].int)
    let value = random.int(a[1].int, a[2].int)
    return try m.heap.construct(a.call.result, Word(int: value), Word(int: random.seed))
  }

  private static func randomFloat(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var random = SplitMix(seed: a[0].int)
    let value = random.float()
    return try m.heap.construct(a.call.result, Word(float: value), Word(int: random.seed))
  }

  private static func randomInts(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try check(a[2].int, a[3].int)
    let count = max(0, a[1].int)
    var random = SplitMix(seed: a[0].int)
    var result = try builder(m, a.call.result, capacity: count)
    for _ in 0..<count {
      try m.step()
      try result.append(Word(int: random.int(a[2].int, a[3].int)))
    }
    return try result.finish()
  }

  private static func randomFloats(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = max(0, a[1].int)
    var random = SplitMix(seed: a[0].int)
    var result = try builder(m, a.call.result, capacity: count)
    for _ in 0..<count {
      try m.step()
      try result.append(Word(float: random.float()))
    }
    return try result.finish()
  }

  private static func randomShuffle(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let count = m.heap.count(a[0])
    if count < 2 { return a[0] }
    var random = SplitMix(seed: a[1].int)
    var result = try builder(m, a.call.result, capacity: count)
    try append(m, a[0], to: &result)
    // Fisher and Yates: each place is given one of those not yet placed.
    for index in (1..<count).reversed() {
      try m.step()
      let other = random.int(0, index)
      let word = result[index]
      result[index] = result[other]
      result[other] = word
    }
    return try result.finish()
  }

  private static func randomPick(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    if list.isEmpty { return .none }
    var random = SplitMix(seed: a[1].int)
    return try m.heap.some(list[random.int(0, list.count - 1)], a.call.result)
  }
}
