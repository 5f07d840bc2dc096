// The end of a run in real time: sinks end what they have begun, however they wait for it, until a second signal.

import FRP
import FRPIO
import FRPRuntime
import FRPWorld
import Glibc

extension Runner {
  /// So long nobody is told what is waited for.
  private static let patience = 1_000_000_000

  /// After the last instant. What is not delivered is told, since nobody would miss it.
  func endSinks() {
    // Who has asked may still be answered by a sink; who comes from now on is told.
    options.world?.end()
    tasks?.follow(simulation)
    // What sinks say goes over the connections that sources have open.
    tasks?.dropSources { $0.name == "Ws.messages" }
    reactor.keepOnlySinks()
    sinks.flush()
    recorder?.handOver()
    let began = clock.now
    var isTold = false
    reactor.goOnWithSinks(at: Int64(clock.now))
    tasks?.follow(simulation)
    while tasks?.isDone == false || reactor.nextDueOfSinks != nil {
      waitForSinks()
      service?.beat()
      if !isTold, clock.now - began > Self.patience {
        isTold = true
        reporter.note("waiting for \(busySinks), which the end does not cut short; a second signal does")
        reporter.console.err.flush()
      }
      reactor.goOnWithSinks(at: Int64(clock.now))
      tasks?.take { task, report in
        // What comes in after the end does not happen.
        if !task.isSource { happen(report, task) }
        return true
      }
      reactor.advance(to: reactor.now.nanoseconds)
      tasks?.follow(simulation)
    }
    for (output, count) in reactor.undelivered {
      let what = count == 1 ? "a value was" : "\(count) values were"
      complaints.add(sinkOf: output, "\(what) not delivered: it waits for an event, and nothing occurs after the end")
    }
    options.world?.turnAway()
    tasks?.dropSources()
    if tasks != nil { IOLoop.shared.settle() }
  }

  /// Waits for a report, or until a sink goes on by itself; for a second at most.
  private func waitForSinks() {
    let left = reactor.nextDueOfSinks.map { max(0, $0 - Int64(clock.now)) } ?? Int64(Self.patience)
    let milliseconds = Int32(min(1000, left / 1_000_000 + 1))
    if let tasks { tasks.wait(atMost: milliseconds) } else { _ = poll(nil, 0, milliseconds) }
  }

  private var busySinks: String {
    let ofTasks = tasks.flatMap { $0.isDone ? nil : $0.description }
    let known = tasks?.ports ?? []
    let waiting = reactor.undelivered.map(\.output).filter { !known.contains($0) }.map { "the sink of `\($0)`" }
    return ((ofTasks.map { [$0] } ?? []) + waiting).joined(separator: ", ")
  }
}
