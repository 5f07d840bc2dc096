// Who a machine's process talks to: somebody who answers calls after a while, a sender whose values are acknowledged, and a database on the
// machine's own disk. They outlive the process: what was not answered is asked again, what was not acknowledged is sent again.

import FRP
import FRPDifferential
import FRPIO

/// On the thread of its machine, whatever Sendable asks.
final class Outside: @unchecked Sendable {
  private unowned let machine: Machine
  /// What happens to the present process, the earliest first.
  private var events: [(time: Int, body: () -> Void)] = []
  /// By number: the keys of the calls that asked for it.
  private(set) var asked: [Int: Set<String>] = [:]
  private var numbers: [String: Int] = [:]
  /// A key that named two calls: whoever does what a key names once has not done the second.
  private(set) var problem: String?
  /// What the sender has sent, how often, and which it was told were taken.
  private(set) var sent: [Int: Int] = [:]
  private var acknowledged: Set<Int> = []
  /// The sender sends the numbers from 1 to this one.
  var last = 0
  /// The present process's connection to what it keeps. The product has such a connection on a thread of its own; its calls are those of the
  /// process here, at a moment in which that waits.
  private var shelf: Database?
  /// Numbers of which a process heard that they were not kept: nobody knows whether they were.
  private(set) var refused: Set<Int> = []

  init(_ machine: Machine) { self.machine = machine }

  /// Nobody of the process before is there any more.
  func forget() { events = [] }

  var nextTime: Int? { events.first?.time }

  /// What is due happens. Cost: of that.
  func happen(until time: Int) {
    while let next = events.first, next.time <= time {
      events.removeFirst()
      next.body()
    }
  }

  private func after(_ nanoseconds: Int, _ body: @escaping () -> Void) {
    if machine.isDead { return }
    let time = machine.present + nanoseconds
    events.insert((time, body), at: events.firstIndex { $0.time > time } ?? events.count)
  }

  /// What programs see of it.
  var module: HostModule {
    HostModule("Shop") { module in
      module.operation("ask(number: Int): Task<Int>") { [self] call in
        { [self] report in
          let underway = Cancellable()
          ask(call.integer(0), call.key?.description ?? "") { answer in
            if !underway.isCancelled { report(.ended(.success(.value(.integer(answer))))) }
          }
          return underway
        }
      }
      module.operation("keep(number: Int): Task<Int>") { [self] call in
        { [self] report in
          let underway = Cancellable()
          let key = call.key.map { SQLCall(run: $0.run, number: $0.number, settled: $0.settled) }
          keep(call.integer(0), key, underway) { report(.ended($0.map { .value(.integer($0)) })) }
          return underway
        }
      }
      module.operation("orders(shop: String): Source<Int>") { [self] _ in
        { [self] report in
          let underway = Cancellable()
          send((0..<last).map { $0 + 1 }.filter { !acknowledged.contains($0) }[...], underway, report)
          return underway
        }
      }
    }
  }

  private func ask(_ number: Int, _ key: String, _ answer: @escaping (Int) -> Void) {
    // Of a process that was killed nobody hears.
    if machine.isDead { return }
    if machine.tellsAll { machine.tell("  the shop is asked for \(number), \(key)") }
    asked[number, default: []].insert(key)
    if let other = numbers.updateValue(number, forKey: key), other != number, problem == nil {
      problem = "the call for \(number) has the key of the one for \(other), \(key)"
    }
    after(machine.random.below(20_000_000)) { answer(10 * number) }
  }

  /// As `Db.exec` does, which takes the same way from here on.
  private func keep(
    _ number: Int, _ key: SQLCall?, _ underway: Cancellable, _ answer: @escaping (Result<Int, FrpError>) -> Void
  ) {
    after(machine.random.below(3_000_000)) { [self] in
      guard !underway.isCancelled, let key else { return }
      if machine.tellsAll { machine.tell("  \(number) is kept, call \(key.number)") }
      let result = machine.meanwhile { () -> Result<Int, IOError> in
        do throws(IOError) {
          if self.shelf == nil { self.shelf = try Database("shelf.sqlite", in: "/world") }
          guard let shelf = self.shelf else { return .success(0) }
          return .success(try shelf.exec(Self.keeping, ["number": .int(number)], once: key))
        } catch { return .failure(error) }
      }
      if case .failure = result, !machine.isDead { refused.insert(number) }
      answer(result.map { $0 * number }.mapError { FrpError($0.message) })
    }
  }

  private static let keeping =
    "CREATE TABLE IF NOT EXISTS kept(number INTEGER); INSERT INTO kept VALUES (:number)"

  /// Where the process ends.
  func closeShelf() { shelf = nil }

  /// What is kept, as the files are now, by number how often; nil where nothing can be read. On its machine.
  func kept() -> [Int: Int]? {
    do throws(IOError) {
      let rows = try Database("shelf.sqlite", in: "/world").query("SELECT number FROM kept", [:], limit: 1 << 24).rows
      return rows.reduce(into: [:]) { if case .int(let number)? = $1.first { $0[number, default: 0] += 1 } }
    } catch { return nil }
  }

  /// One after the other, not waiting for what becomes of them.
  private func send(_ numbers: ArraySlice<Int>, _ underway: Cancellable, _ report: @escaping (HostReport) -> Void) {
    after(machine.random.below(machine.random.oneIn(10) ? 900_000_000 : 2_000_000)) { [self] in
      if underway.isCancelled { return }
      guard let number = numbers.first else { return report(.ended(.success(.value(.unit)))) }
      sent[number, default: 0] += 1
      if machine.tellsAll { machine.tell("  the shop sends \(number)") }
      report(
        .item(.value(.integer(number))) { [self] problem in
          if machine.tellsAll { machine.tell("  the shop hears of \(number): \(problem ?? "taken")") }
          if problem == nil { acknowledged.insert(number) }
        })
      send(numbers.dropFirst(), underway, report)
    }
  }
}

private final class Cancellable: HostUnderway, @unchecked Sendable {
  private(set) var isCancelled = false
  func cancel() { isCancelled = true }
}
