// The program that a run begins with: what a file brings when the session begins, or a page; after `:reset` all definitions.
//
// It starts as `frp run` starts it, so `start` occurs in it. What is typed or loaded later takes another program's place.

import FRP
import FRPBase

extension ReplSession {
  /// Makes a compiled program what the session begins with; false, and nothing has changed, if it faults at once.
  func begin(with next: ReplProgram, title: String) -> Bool {
    let old = current
    if !start(with: next), case .failure(let error) = exchange(next) {
      refuse(error, next)
      return false
    }
    if let fault = faultOfConstants(old) {
      rebuild(until: clock.now)
      refuse(.fault(fault), next)
      return false
    }
    // Nothing before it is of any use.
    checkpoints = []
    keepChange(next.items, title: title)
    log[log.count - 1].isStart = true
    checkpoint()
    tellFaultOfStart()
    return true
  }

  /// Whether the run begins with the program of this change.
  func startsRun(_ index: Int) -> Bool {
    log[index].isStart && log[..<index].allSatisfy(\.isStart)
      && !(index + 1 < log.count && log[index + 1].isStart)
  }

  /// Begins the run anew with a program, in which `start` occurs. False if that instant faults: it is undone as any other,
  /// so nothing has begun.
  func start(with next: ReplProgram) -> Bool {
    faultOfStart = nil
    guard !next.isStopped, let run = newRun(next.program) else { return false }
    let former = (simulation, current, trace)
    (simulation, current, trace) = (run, next, [:])
    run.reactor.startsWithoutValues = true
    recordAll()
    ReplInterrupt.guarding(run) { run.start() }
    if run.reactor.isOver {
      (simulation, current, trace) = former
      faultOfStart = run.faults.last
      return false
    }
    let now = ReplBound(time: run.now, instant: run.instantNumber)
    for known in next.names where known.kind != .event {
      beginTrace(known.name, at: now, isKept: true)
      _ = try? run.occurrences(of: known.name)
    }
    collect()
    return true
  }

  /// Says that the program goes on without its start, and why.
  func tellFaultOfStart() {
    guard var fault = faultOfStart else { return }
    fault.notes = ["that instant is undone, so `start` has not occurred; the program goes on without it"]
    show(isBrief ? brief(fault) : render([fault], current.program.sources))
  }

  /// Lets what is defined be what the run begins with, so that `start` occurs in it.
  func beginWithDefinitions() {
    for index in log.indices.prefix(while: { log[$0].items != nil }) where !log[index].isStart {
      log[index].isStart = true
      checkpoints = []
    }
  }
}
