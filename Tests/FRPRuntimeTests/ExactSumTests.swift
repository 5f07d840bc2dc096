import Testing

@testable import FRPRuntime

/// Sums of Floats are exact, and rounded once; what is taken away again was never there.
struct ExactSumTests {
  func sum(_ numbers: [Double]) -> Double {
    let sum = ExactSum()
    for number in numbers { sum.add(number) }
    return sum.value
  }

  @Test func sumsAreRoundedOnce() {
    #expect(sum([]) == 0)
    #expect(sum([-0.0]).bitPattern == 0.0.bitPattern)
    #expect(sum([0.1, 0.2]) == 0.1 + 0.2)
    #expect(sum(Array(repeating: 0.1, count: 10)) == 1)
    #expect(sum([1e100, 1, -1e100]) == 1)
    #expect(sum([-1e100, -1, 1e100]) == -1)
    #expect(sum([1, -3, 1.5]) == -0.5)
    let least = Double.leastNonzeroMagnitude
    #expect(sum([least, least]) == 2 * least)
    #expect(sum([1, -1, -least]) == -least)
    #expect(sum([.leastNormalMagnitude, -least]) == Double.leastNormalMagnitude - least)
  }

  @Test func halvesGoToTheEvenOne() {
    let large = 0x1p53
    #expect(sum([large, 1]) == large)
    #expect(sum([large + 2, 1]) == large + 4)
    #expect(sum([large, 1, .leastNonzeroMagnitude]) == large + 2)
    #expect(sum([large + 2, 1, -.leastNonzeroMagnitude]) == large + 2)
    #expect(sum([-large, -1, -0x1p-200]) == -large - 2)
  }

  @Test func endsOfTheRange() {
    let most = Double.greatestFiniteMagnitude
    #expect(sum([most, most, -most, -most, 3]) == 3)
    #expect(sum([most, most]) == .infinity)
    #expect(sum([-most, -most]) == -.infinity)
    #expect(sum([most, most.ulp / 2]) == .infinity)
    #expect(sum([most, most.ulp / 4]) == most)
  }

  @Test func whatLeavesWasNeverThere() {
    var random = Dice(state: 7)
    let numbers = (0..<2_000).map { _ in
      Double(random.below(1 << 40) - 1 << 39) * Double(sign: .plus, exponent: random.below(300) - 150, significand: 1)
    }
    let sliding = (sum: ExactSum(), squares: ExactSum())
    for place in numbers.indices {
      sliding.sum.add(numbers[place])
      sliding.squares.addSquare(numbers[place])
      if place >= 100 {
        sliding.sum.add(-numbers[place - 100])
        sliding.squares.addSquare(numbers[place - 100], isNegative: true)
      }
      let present = numbers[max(0, place - 99)...place]
      #expect(sliding.sum.value == sum(present.shuffled()))
      if present.count < 2 { continue }
      let whole = (sum: ExactSum(), squares: ExactSum())
      for number in present.reversed() {
        whole.sum.add(number)
        whole.squares.addSquare(number)
      }
      let variance = whole.sum.variance(squares: whole.squares, count: present.count, room: ExactSum())
      #expect(sliding.sum.variance(squares: sliding.squares, count: present.count, room: ExactSum()) == variance)
    }
  }

  @Test func variances() {
    func variance(_ numbers: [Double]) -> Double {
      let (sum, squares) = (ExactSum(), ExactSum())
      for number in numbers {
        sum.add(number)
        squares.addSquare(number)
      }
      return sum.variance(squares: squares, count: numbers.count, room: ExactSum())
    }
    #expect(variance([1, 2, 3]) == 1)
    #expect(variance([-1, -2, -3]) == 1)
    #expect(variance([1e9 + 1, 1e9 + 2, 1e9 + 3]) == 1)
    #expect(variance([0.1, 0.1, 0.1]) == 0)
    #expect(variance([0, 1e200]) == .infinity)
    #expect(variance([0, 1e-170]) == 0)
    #expect(variance([0, 0x1p-530]) == 0x1p-1061)
  }

  @Test func ordersByAge() {
    var random = Dice(state: 3)
    var order = AgedOrder()
    var keys: [Int64] = []
    for _ in 0..<4_000 {
      if keys.count > random.below(200) {
        order.removeOldest()
        keys.removeFirst()
      }
      let key = Int64(random.below(40))
      order.add(key)
      keys.append(key)
      let sorted = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
      let place = random.below(keys.count)
      #expect(order.age(at: place) == sorted[place])
      #expect(order.ageOfGreatest() == keys.firstIndex(of: keys.max() ?? 0))
    }
  }
}
