// Runs in real time: waits in poll(2) for lines, signals, the host's tasks, due timers, and samples.

import FRP
import FRPRuntime
import Glibc

extension Runner {
  func runLive(_ sources: inout [InputSource]) {
    let clock = RealClock()
    let end = options.end.map(Int64.init) ?? Clock.never
    let hasInputs = !sources.isEmpty
    while true {
      checkForStop()
      if stop != nil { return }
      let now = min(Int64(clock.now), end)
      advance(to: now)
      if stop != nil || now == end { return }
      takeSamples(through: now)
      // What a task comes to is an input, too.
      let isOpen = sources.contains(where: \.isOpen) || tasks?.isIdle == false
      if !isOpen, end == Clock.never, hasInputs || isIdle { return }
      let ready = wait(sources, until: wakeUp(before: end), clock)
      for index in ready where stop == nil { read(&sources[index], clock, end) }
    }
  }

  /// When the run has something to do without an input.
  private func wakeUp(before end: Int64) -> Int64 {
    min(end, reactor.nextDue?.nanoseconds ?? Clock.never, nextSample ?? Clock.never)
  }

  /// Waits until an input has lines, a signal comes, or `time`; gives the inputs to read. What was written is handed
  /// over before.
  private func wait(_ sources: [InputSource], until time: Int64, _ clock: RealClock) -> [Int] {
    let open = sources.indices.filter { sources[$0].isOpen }
    var waiting = open.map { pollfd(fd: sources[$0].lines.descriptor, events: Int16(POLLIN), revents: 0) }
    waiting.append(pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    waiting.append(pollfd(fd: tasks?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    if poll(&waiting, nfds_t(waiting.count), 0) == 0 {
      sinks.flush()
      reporter.console.err.flush()
      checkForStop()
      if stop != nil { return [] }
      _ = poll(&waiting, nfds_t(waiting.count), timeout(until: time, clock))
    }
    return open.indices.filter { waiting[$0].revents != 0 }.map { open[$0] }
  }

  /// Milliseconds to wait, rounded up; -1 for ever.
  private func timeout(until time: Int64, _ clock: RealClock) -> Int32 {
    if time == Clock.never { return -1 }
    let left = max(0, time - Int64(clock.now))
    return Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
  }

  /// Reads one block and lets its lines happen, each at the time it is taken.
  private func read(_ source: inout InputSource, _ clock: RealClock, _ end: Int64) {
    switch source.lines.fill() {
    case .some, .end: break
    case .later: return
    case .failed(let error):
      reporter.failure("cannot read \(source.name): \(SystemError(code: error).message)")
    }
    let codec = simulation.codec
    let port = source.port
    while stop == nil, let result = source.next(codec) {
      let now = Int64(clock.now)
      if now >= end { return }
      advance(to: now)
      if stop != nil { return }
      // Apart from the rare cases, since handing a source over costs more than all the rest.
      if case .value(let value) = result { reactor.send(port: port, value) } else { take(result, from: source) }
      checkForStop()
    }
    if source.lines.isAtEnd { source.isOpen = false }
  }
}
