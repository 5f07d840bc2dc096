// What goes wrong on a simulated machine, and how often.

import FRPDifferential
import Glibc

/// Chances of one in so many calls; 0 for never.
struct Faults {
  /// A call is interrupted before it has done anything.
  var interruption = 0
  /// Less is read or written than was asked for.
  var short = 0
  /// EIO of reads, writes and their like.
  var error = 0
  /// EIO of fsync(2): what was to be on the disk may be there or not.
  var failedSync = 0
  /// No descriptor or no copy of the process is to be had.
  var shortage = 0
  /// Of CLOCK_REALTIME: somebody sets it.
  var jump = 0
  /// While so many more calls are made, the disk is full.
  var fullAfter = Int.max
  var fullFor = 0

  static let none = Faults()

  /// Of these, what no program has to notice.
  var harmless: Faults { Faults(interruption: interruption, short: short, jump: jump) }

  /// Of one process: mostly a few sorts, so that it comes far.
  static func some(_ random: inout Random) -> Faults {
    var faults = Faults()
    if random.oneIn(2) { faults.interruption = random.within(2...40) }
    if random.oneIn(2) { faults.short = random.within(1...10) }
    if random.oneIn(4) { faults.error = random.within(30...2_000) }
    if random.oneIn(5) { faults.failedSync = random.within(3...40) }
    if random.oneIn(6) { faults.shortage = random.within(2...20) }
    if random.oneIn(3) { faults.jump = random.within(20...400) }
    if random.oneIn(5) { (faults.fullAfter, faults.fullFor) = (random.below(600), random.within(1...400)) }
    return faults
  }
}

/// How a process ends before its time.
enum Ending {
  case killed
  /// The machine loses its power.
  case crashed
  /// SIGTERM: the run pauses.
  case terminated
}
