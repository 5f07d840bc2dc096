// W9: samples of a function of time, a millisecond apart: one by one, and as a plot takes them.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime
import Glibc

extension Workload {
  static var samples: [Workload] {
    [
      Workload(
        name: "W9", title: "sin(t)·exp(-t/10)+cos(3t)², a sample", events: 100_000, must: 80, goal: 40, tolerance: 1e-9,
        program: { try SampledProgram() }, loop: { waveLoop(1) }),
      Workload(
        name: "W9b", title: "the same as a function of the language, a point", events: 100, units: 1000,
        tolerance: 1e-9,
        program: { try FedProgram(wavePoints, .one, .lastFloat) }, loop: { waveLoop(1000) }),
      Workload(
        name: "W9c", title: "the same, sampled in blocks", events: 100_000, must: 80, goal: 40, tolerance: 1e-9,
        program: { try BlockProgram() }, loop: { waveLoop(1) }),
    ]
  }

  static let wave = """
    c = cos(3.0 * time)
    output wave = sin(time) * exp(-time / 10.0) + c * c

    """

  static let wavePoints = """
    input block: Event<Int>
    wave(t) = sin(t) * exp(-t / 10.0) + square(cos(3.0 * t))
    square(x) = x * x
    points(k) = k * 1000 .. k * 1000 + 999
    output total = block |> scan(0.0, (sum, k) => points(k) |> fold(sum, (s, i) => s + wave(0.001 * toFloat(i))))

    """

  static func waveLoop(_ block: Int) -> any Work {
    Loop(0.0) { sum, events in
      for index in events.lowerBound * block..<events.upperBound * block { sum += wave(0.001 * Double(index)) }
    } outcome: {
      $0
    }
  }

  @inline(never)
  private static func wave(_ t: Double) -> Double {
    let c = cos(3 * t)
    return sin(t) * exp(-t / 10) + c * c
  }
}

/// Moves the clock and looks at a continuous behavior, as somebody does who has other things to do in between.
private final class SampledProgram: ProgramWork {
  private var sum = 0.0

  init() throws {
    try super.init(Workload.wave, .lastFloat)
  }

  override func take(_ count: Int) {
    for index in next..<next + count {
      reactor.advance(to: Int64(index) * 1_000_000)
      if case .success(let value) = reactor.value(of: 0) { sum += value.float } else { sum = .nan }
    }
    next += count
  }

  override var result: Double { sum }
}

/// Takes all samples at once, as a plot does.
private final class BlockProgram: ProgramWork {
  private let values = UnsafeMutableBufferPointer<Double>.allocate(capacity: 1024)
  private var sum = 0.0

  init() throws { try super.init(Workload.wave, .lastFloat) }

  deinit { values.deallocate() }

  override func take(_ count: Int) {
    var left = count
    if next == 0, left > 0, case .success(let value) = reactor.value(of: 0) {
      // The first is that of the start.
      sum += value.float
      left -= 1
    }
    while left > 0 {
      let block = UnsafeMutableBufferPointer(rebasing: values[..<min(left, values.count)])
      let taken = reactor.sample(0, every: 1_000_000, into: block)
      for value in block[..<taken] { sum += value }
      if taken < block.count { sum = .nan }
      left -= block.count
    }
    next += count
  }

  override var result: Double { sum }
}
