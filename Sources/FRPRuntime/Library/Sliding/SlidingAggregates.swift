// What each aggregate keeps of a list that slides.

/// Ints: their sum does not depend on the order of adding while all of their magnitudes together are in range. Otherwise
/// the sum of the first few may be what faults.
final class SlidingInts: SlidingCall {
  private var total: Int128 = 0
  private var magnitude: UInt128 = 0

  var sum: Int? { magnitude > UInt128(Int.max) ? nil : Int(total) }

  override func add(_ word: Word) {
    total += Int128(word.int)
    magnitude += UInt128(word.int.magnitude)
  }

  override func remove(_ word: Word) {
    total -= Int128(word.int)
    magnitude -= UInt128(word.int.magnitude)
  }
}

final class SlidingFloats: SlidingCall {
  let sum = ExactSum()
  override class var bytes: Int { ExactSum.bytes / SlidingLists.least }
  override func add(_ word: Word) { sum.add(word.float) }
  override func remove(_ word: Word) { sum.add(-word.float) }
}

final class SlidingSquares: SlidingCall {
  let sum = ExactSum()
  let squares = ExactSum()
  override class var bytes: Int { 2 * ExactSum.bytes / SlidingLists.least }

  override func add(_ word: Word) {
    sum.add(word.float)
    squares.addSquare(word.float, isNegative: false)
  }

  override func remove(_ word: Word) {
    sum.add(-word.float)
    squares.addSquare(word.float, isNegative: true)
  }
}

/// Numbers in their order.
final class SlidingOrder: SlidingCall {
  private(set) var order = AgedOrder()
  private let isFloat: Bool

  init(isFloat: Bool) { self.isFloat = isFloat }

  override class var bytes: Int { 2 * AgedOrder.bytes }

  func key(_ word: Word) -> Int64 { Self.key(word, isFloat) }

  /// An Int in the order of the number: 0.0 and -0.0 are equal.
  static func key(_ word: Word, _ isFloat: Bool) -> Int64 {
    let bits = Int64(bitPattern: isFloat && word.float == 0 ? 0 : word)
    return isFloat && bits < 0 ? bits ^ .max : bits
  }

  func add(key: Int64) { order.add(key) }
  override func add(_ word: Word) { order.add(key(word)) }
  override func remove(_ word: Word) { order.removeOldest() }
}

/// Floats in their order, which leave in any order.
final class UnagedFloats: SlidingCall {
  private var order = OrderedKeys()
  private var negativeZeros = 0

  override class var bytes: Int { OrderedKeys.bytes }

  /// In the order they are zeros like others, and are shown otherwise.
  var hasNegativeZeros: Bool { negativeZeros > 0 }

  override func add(_ word: Word) {
    if word == Word(float: -0.0) { negativeZeros += 1 }
    order.add(SlidingOrder.key(word, true))
  }

  override func remove(_ word: Word) {
    if word == Word(float: -0.0) { negativeZeros -= 1 }
    order.remove(SlidingOrder.key(word, true))
  }

  subscript(place: Int) -> Double {
    let key = order[place]
    return Word(bitPattern: key < 0 ? key ^ .max : key).float
  }
}

/// Which elements pass a test.
final class SlidingFlags: SlidingCall {
  private var flags: [Bool] = []
  /// Of the oldest.
  private var first = 0
  private(set) var passing = 0

  override class var bytes: Int { 1 }

  /// How many of the oldest pass.
  func passing(amongOldest count: Int) -> Int { flags[first..<first + count].count { $0 } }

  /// Takes as many of the oldest out, and adds younger ones.
  func change(gone: Int, come: [Bool]) {
    passing += come.count { $0 } - passing(amongOldest: gone)
    first += gone
    flags += come
    if first > flags.count / 2 {
      flags.removeFirst(first)
      first = 0
    }
  }
}

/// What a function made of each element.
final class SlidingMap: SlidingCall {}
