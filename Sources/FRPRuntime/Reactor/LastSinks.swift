// After the last instant: sinks end what they have begun, and nothing else happens any more. For the program time stands still; what sinks
// wait for comes by a clock of the host's, which goes on.

import FRPCore
import FRPGraph

extension Reactor {
  /// After the last instant: only what sinks wait for is still to come.
  public func keepOnlySinks() {
    if isOver || isRunning || !hasStarted { return }
    let (root, entries) = (live.root, sinkEntries)
    live.timers.disarm(where: { $0.frame != root || !entries.contains(Int($0.entry)) })
  }

  /// When a sink that waits goes on next, by the host's clock; nil where none waits for time. After `keepOnlySinks`.
  public var nextDueOfSinks: Int64? {
    isOver || live.timers.nextDue == Clock.never ? nil : live.timers.nextDue
  }

  /// Lets sinks go on whose waits are over by the host's clock, in instants at the time of the end. After `keepOnlySinks`.
  public func goOnWithSinks(at time: Int64) {
    if isOver || isRunning || !hasStarted { return }
    collectBeforeCall()
    live.sinceEnd = max(0, time - now.nanoseconds)
    while live.timers.count > 0, live.timers.nextDue <= time {
      runTimers(through: time)
      while runCaused() {}
    }
  }

  /// By sink that is not idle: its output, and how many values it was given and has not delivered.
  public var undelivered: [(output: String, count: Int)] {
    if isOver || !hasStarted { return [] }
    return plan.bindings.compactMap { binding in
      guard case .sink(let name) = binding.kind else { return nil }
      let words = stateWords(PerformRef(frame: live.root, entry: Int(plan.entryOfNode[binding.node.index])))
      let count = words[PerformState.busyCount].int + Queue(words + PerformState.queue).count
      return count > 0 ? (name, count) : nil
    }
  }
}
