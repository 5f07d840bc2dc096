// Moments of the past, and what had which value there.
//
// - Instants have numbers, so what came before what is known where the clock stands still. Another program in its place
//   takes none of them.
// - In a run that lives through the log again the numbers may be others, since the last expression is not there. There
//   a moment is known by its time, and by how many instants of that time have shown something.

import FRP
import FRPBase
import FRPRuntime

/// The end of a stretch of the run: just after one of its instants.
struct ReplBound: Equatable {
  var time: Double
  /// The number of the last instant that counts.
  var instant: Int
  /// How many instants of that time count, of those that have shown something.
  var shown = 0

  /// Everything so far.
  static let now = ReplBound(time: .infinity, instant: .max)
}

extension ReplSession {
  /// Just after an occurrence.
  func bound(after occurrence: Occurrence) -> ReplBound { bound(occurrence.time, occurrence.instant) }

  /// Just before an occurrence.
  func bound(before occurrence: Occurrence) -> ReplBound { bound(occurrence.time, occurrence.instant - 1) }

  private func bound(_ time: Double, _ instant: Int) -> ReplBound {
    ReplBound(time: time, instant: instant, shown: instants(at: time, until: instant))
  }

  /// How many instants of a time have shown something; what is there only to be looked at does not count.
  private func instants(at time: Double, until last: Int) -> Int {
    var found: Set<Int> = []
    for (name, shown) in trace where name != "it" && extra?.names.contains(name) != true {
      for occurrence in shown.recent.reversed() {
        if occurrence.time < time { break }
        if occurrence.time == time, occurrence.instant <= last, occurrence.instant != shown.start {
          found.insert(occurrence.instant)
        }
      }
    }
    return found.count
  }

  /// The values of names at a moment of the past, as source; those without a value are left out. The past is lived
  /// through again from the checkpoint before it. `extra` is part of the program shortly before that moment.
  func values(of names: [String], at bound: ReplBound, with extra: ReplItem? = nil) -> [String: String] {
    let past = ReplSession(past: self, at: max(bound.time - 2e-9, restored?.time ?? -1), with: extra)
    var found: [String: String] = [:]
    func look() {
      found = [:]
      for name in names { found[name] = (try? past.simulation?.source(of: name, atMost: ReplOptions.shownBytes))?.text }
    }
    guard let simulation = past.simulation else { return [:] }
    ReplInterrupt.guarding(simulation) {
      look()
      while !ReplInterrupt.isPressed, past.runNextInstant(until: bound.time, beforeSending: look) {
        past.collect()
        if past.instants(at: bound.time, until: .max) > bound.shown { break }
        look()
      }
    }
    return found
  }

  /// Runs the next instant of a session of the past, or takes its next change of the program; false where nothing is
  /// left until that time. `beforeSending` is called where the clock stands at what was sent next.
  private func runNextInstant(until time: Double, beforeSending look: () -> Void) -> Bool {
    guard let simulation else { return false }
    let end = Clock.nanoseconds(time) + 1
    let next = lived < log.count ? Clock.nanoseconds(log[lived].time) : Clock.never
    if simulation.reactor.advanceOnce(to: min(next, end)) { return true }
    if next >= end { return false }
    // Before its start a program has what its definitions begin with: as if it took the place of another.
    if startsRun(lived) { exchange(programOfLog(lived)) }
    look()
    repeatEvent(lived)
    lived += 1
    return true
  }
}
