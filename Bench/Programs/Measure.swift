// Timing: blocks of events, the program's and the loop's in turn, processor time, median and spread.

import CMeasure
import FRPBase
import Glibc

/// Times of one row, in nanoseconds an event.
struct Spread {
  var median: Double
  var least: Double
  var most: Double

  init(_ values: [Double]) {
    let sorted = values.sorted()
    median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    least = sorted.first ?? 0
    most = sorted.last ?? 0
  }
}

/// One measured workload.
struct Measurement {
  var workload: Workload
  var program: Spread
  var loop: Spread
  /// Calls of malloc during all timed blocks of the program.
  var allocations: UInt64
  var events: Int
  var isRight: Bool

  var ratio: Double { loop.median > 0 ? program.median / loop.median : 0 }
}

/// The processor time of this process, in seconds.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Seconds by the clock on the wall.
func wallTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

extension Measurement {
  /// Warms both up, then times `runs` blocks of each in turn, and compares their results.
  init(_ workload: Workload, runs: Int, events: Int) throws {
    self.workload = workload
    self.events = events
    let program = try workload.program()
    let loop = workload.loop()
    program.take(workload.warmUp)
    loop.take(workload.warmUp)
    var times: (program: [Double], loop: [Double]) = ([], [])
    times.program.reserveCapacity(runs)
    allocations = 0
    let unit = 1e9 / Double(events * workload.units)
    for _ in 0..<runs {
      let before = cm_allocations()
      let start = processorTime()
      program.take(events)
      let middle = processorTime()
      allocations += cm_allocations() - before
      loop.take(events)
      times.program.append((middle - start) * unit)
      times.loop.append((processorTime() - middle) * unit)
    }
    self.program = Spread(times.program)
    self.loop = Spread(times.loop)
    isRight = Measurement.agree(program.result, loop.result, workload.tolerance)
  }

  static func agree(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool {
    abs(a - b) <= tolerance * max(abs(a), abs(b))
  }
}
