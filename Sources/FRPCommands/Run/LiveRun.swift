// Runs in real time: waits in poll(2) for lines, signals, the host's tasks, due timers, and samples.
//
// Several inputs are read one line each by turns, in the order of their declarations. A file always has its turn, so that
// the same files give the same run; a pipe or a terminal that has no whole line here is passed over. While sinks are behind
// nothing is read: whoever sends waits.

import FRP
import FRPIO
import FRPRuntime
import Glibc

extension Runner {
  func runLive(_ sources: inout [InputSource]) {
    let end = options.end.map(Int64.init) ?? Clock.never
    let hasInputs = !sources.isEmpty || !simulation.program.listenedInputs.isEmpty
    if stop != .fault { service?.ready() }
    while true {
      service?.beat()
      // What tasks and sources have reported happens at the time at which it is taken.
      let now = min(present, end, drainEnd)
      advance(to: now)
      checkForStop()
      if stop != nil || now == end { return }
      takeSamples(through: now)
      journal?.goOn(at: now)
      if stop != nil { return }
      if !sources.contains(where: \.isOpen), end == Clock.never {
        // What a task comes to is an input, too.
        let hasSources = tasks?.hasSources == true || reactor.hasBoundSources
        if !hasSources, hasInputs ? !goesOnLive() : isIdle && tasks?.isIdle != false { return }
      }
      wait(&sources, until: wakeUp(before: end))
      takeTurns(&sources, end)
    }
  }

  /// When the run has something to do without an input.
  private func wakeUp(before end: Int64) -> Int64 {
    let due = min(end, drainEnd, reactor.wakeUp?.nanoseconds ?? Clock.never, nextSample ?? Clock.never)
    let beat = service?.untilBeat.map { Clock.adding(Int64(clock.now), $0) }
    return min(due, journal?.nextMark ?? Clock.never, beat ?? Clock.never)
  }

  /// Waits until an input has lines, a signal comes, or `time`; notes the inputs to read. What was written is handed over
  /// before.
  private func wait(_ sources: inout [InputSource], until time: Int64) {
    let open = isBehind ? [] : sources.indices.filter { sources[$0].isOpen }
    var waiting = open.map { pollfd(fd: sources[$0].lines.descriptor, events: Int16(POLLIN), revents: 0) }
    waiting.append(pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    waiting.append(pollfd(fd: tasks?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    if poll(&waiting, nfds_t(waiting.count), 0) == 0, !open.contains(where: { sources[$0].lines.hasLine }) {
      sinks.flush()
      if journal == nil { recorder?.handOver() }
      // Whoever sent something hears of it, and what came is kept though it has shown nothing.
      journal?.commit()
      reporter.console.err.flush()
      let taken = tasks?.taken
      checkForStop()
      // What has just been reported may have been the last that was waited for, or have begun something that is due earlier.
      if stop != nil || tasks?.taken != taken { return }
      _ = poll(&waiting, nfds_t(waiting.count), timeout(until: time))
    }
    for (index, entry) in zip(open, waiting) where entry.revents != 0 { sources[index].isReady = true }
  }

  /// Milliseconds to wait, rounded up; -1 for ever.
  private func timeout(until time: Int64) -> Int32 {
    if time == Clock.never { return -1 }
    let left = max(0, time - Int64(clock.now))
    return Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
  }

  /// Rounds of one line each, until no input has a line here; after so many, inputs that had none are asked again.
  private static let rounds = 1024

  private func takeTurns(_ sources: inout [InputSource], _ end: Int64) {
    for _ in 0..<Self.rounds {
      if isBehind { return }
      var hasTaken = false
      for index in sources.indices where sources[index].isOpen {
        if takeTurn(&sources[index], end) { hasTaken = true }
        if stop != nil { return }
      }
      if !hasTaken { return }
      journal?.goOn(at: reactor.now.nanoseconds)
      service?.beat()
    }
  }

  /// Lets the next line happen that says something, at the time it is taken; whether there was one.
  private func takeTurn(_ source: inout InputSource, _ end: Int64) -> Bool {
    while let line = nextLine(&source) {
      let now = present
      // What comes after the end does not happen.
      if now >= end { return false }
      advance(to: now)
      // Nor does what a signal finds here, which the next process reads.
      if stop != nil { return false }
      source.taken += 1
      if journal != nil {
        taken[source.input] = source.taken
        if source.isFile {
          source.digest(line)
          digests[source.input] = source.digest
        }
      }
      if take(line, from: &source) { return true }
    }
    if source.lines.isAtEnd { source.isOpen = false }
    return false
  }

  /// The next whole line of a source that is here.
  private func nextLine(_ source: inout InputSource) -> LineReader.Line? {
    while true {
      if let line = source.lines.next() { return line }
      if source.lines.isAtEnd || !(source.isReady || source.isFile) { return nil }
      source.isReady = false
      fill(&source)
    }
  }
}
