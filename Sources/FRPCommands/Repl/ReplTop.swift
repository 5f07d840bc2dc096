// `:top`: which definitions are busiest, what a second of each costs, and how much each remembers.
//
// Cost and state are measured on copies of the run that keep one definition alive, with all that it needs: a second of
// program time, with what was pushed in the last second pushed again at the same distances.

import FRP
import FRPBase
import Glibc

extension ReplSession {
  /// Definitions that are measured, and seconds of machine time that all of it may take.
  private static let measured = 20
  private static let budget = 1.0

  func top() {
    advance()
    let now = clock.now
    var busy = current.names.filter { $0.name != "it" && ($0.kind == .event || $0.kind == .behavior) }
      .map { (name: $0.name, trace: trace[$0.name] ?? ReplTrace()) }
      .map { (name: $0.name, count: $0.trace.count, rate: $0.trace.rate(at: now), last: $0.trace.last?.time) }
    busy.sort { ($1.rate, $1.count, $0.name) < ($0.rate, $0.count, $1.name) }
    if busy.isEmpty { return show("nothing is defined yet") }
    let snapshot = try? simulation?.snapshot()
    let began = Self.machineTime()
    var rows = [["name", "a second", "in all", "last", "cost of a second", "state"]]
    for row in busy.prefix(Self.measured) {
      let isInTime = Self.machineTime() - began < Self.budget && !ReplInterrupt.isPressed
      let cost = isInTime ? snapshot.flatMap { measure(row.name, $0) } : nil
      rows.append([
        row.name, "\((row.rate * 10).rounded() / 10)", "\(row.count)", row.last.map { seconds($0) } ?? "-",
        cost?.time ?? "-", cost?.state ?? "-",
      ])
    }
    if busy.count > Self.measured { rows.append(["… \(busy.count - Self.measured) more", "", "", "", "", ""]) }
    show(aligned(rows))
  }

  /// Machine time of a second of this definition and what it needs, and the bytes of what they remember.
  private func measure(_ name: String, _ snapshot: Snapshot) -> (time: String, state: String)? {
    let alone = current.alone(name)
    guard let copy = newRun(current.program), (try? copy.restore(snapshot)) != nil,
      replace(copy, with: alone), let state = try? copy.snapshot().bytes.count
    else { return nil }
    let start = copy.now
    let again = pushes.filter { $0.time > start - 1 }
    let began = Self.machineTime()
    var end = start
    ReplInterrupt.guarding(copy) {
      for event in again {
        copy.passTime(to: max(copy.now, event.time + 1))
        try? copy.send(event.values.filter { value in alone.inputs.contains { $0.name == value.name } })
      }
      // In tenths, so that something slow is not waited for.
      for tenth in 1...10 where Self.machineTime() - began < 0.1 && !ReplInterrupt.isPressed {
        end = start + Double(tenth) / 10
        copy.passTime(to: max(copy.now, end))
        _ = try? copy.value(of: name)
      }
    }
    let cost = (Self.machineTime() - began) / max(0.1, end - start)
    return (milliseconds(cost), state < 10_000 ? "\(state) B" : "\(state / 1000) kB")
  }

  private static func machineTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
