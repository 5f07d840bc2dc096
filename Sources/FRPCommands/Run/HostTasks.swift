// The host's tasks of a run that a command drives: they run as Swift tasks, and what they come to is taken between
// instants, by the thread that owns the run.
//
// Rules
// - What a run has under way is what `Simulation.tasks` says: what is new there begins, what has gone is cancelled.
// - A run that takes the place of another (after undo, say) takes over what is the same: the same function with the same
//   arguments is not begun a second time.

import FRP
import Glibc
import Synchronization

/// How a task has ended, so that it can end that way again when a run is repeated.
struct EndedHostTask {
  var name: String
  var arguments: [FrpValue]
  /// Which one, of those of that name with these arguments, oldest first.
  var place: Int
  var result: Result<FrpValue, FrpError>

  /// Nil if the run no longer waits for that task.
  init?(_ id: HostTask.ID, _ result: Result<FrpValue, FrpError>, of simulation: Simulation) {
    let tasks = simulation.tasks
    guard let task = tasks.first(where: { $0.id == id }) else { return nil }
    name = task.name
    arguments = task.arguments
    place = tasks.count { $0.id < id && $0.isLike(task) }
    self.result = result
  }

  /// Ends the task of a run that this was; nothing if it has none.
  func happen(in simulation: Simulation) {
    let same = simulation.tasks.filter { $0.name == name && $0.arguments == arguments }
    guard same.indices.contains(place) else { return }
    let id = same[place].id
    do throws(SimulationError) {
      try simulation.end(id, with: result)
    } catch .unfit(_, _, let message) {
      try? simulation.end(id, with: .failure(FrpError("a result of the host does not fit: \(message)")))
    } catch {}
  }
}

extension HostTask {
  /// Whether it asks for the same as another one.
  fileprivate func isLike(_ other: HostTask) -> Bool { name == other.name && arguments == other.arguments }
}

final class HostTasks {
  private struct Running {
    var serial: Int
    var task: HostTask
    var work: Task<Void, Never>
  }

  /// In the order in which they began.
  private var running: [Running] = []
  private var serial = 0
  private let box = ResultBox()
  private weak var followed: Simulation?

  deinit { for entry in running { entry.work.cancel() } }

  /// Whether nothing is under way.
  var isIdle: Bool { running.isEmpty }

  /// The numbers of those under way, which no other gets.
  var serials: Set<Int> { Set(running.map(\.serial)) }

  /// Readable once a task has ended, until `takeEnded`.
  var descriptor: Int32 { box.descriptor }

  /// Begins what a run has asked for since, and cancels what it no longer waits for.
  func follow(_ simulation: Simulation) {
    let asked = simulation.tasks
    if asked.isEmpty, running.isEmpty { return }
    let isSame = followed === simulation
    followed = simulation
    var former = running
    running = []
    for task in asked {
      let place = former.firstIndex { isSame ? $0.task.id == task.id : $0.task.isLike(task) }
      if let place {
        var entry = former.remove(at: place)
        entry.task = task
        running.append(entry)
      } else {
        running.append(begin(task))
      }
    }
    for entry in former { entry.work.cancel() }
  }

  private func begin(_ task: HostTask) -> Running {
    serial += 1
    let (number, box) = (serial, box)
    return Running(serial: number, task: task, work: Task.detached { box.put(number, await task.run()) })
  }

  /// What has ended meanwhile and is still waited for, in the order in which it began.
  func takeEnded() -> [(id: HostTask.ID, result: Result<FrpValue, FrpError>)] {
    if running.isEmpty { return [] }
    let results = box.take()
    if results.isEmpty { return [] }
    defer { running.removeAll { results[$0.serial] != nil } }
    return running.compactMap { entry in results[entry.serial].map { (entry.task.id, $0) } }
  }

  /// Waits until all that are under way have ended, or `isStopped` says to.
  func wait(until isStopped: () -> Bool) {
    while !isStopped(), !box.has(serials) { box.wait(20) }
  }

  /// Waits for so many milliseconds, or until something has ended.
  func wait(atMost milliseconds: Int32) { box.wait(milliseconds) }
}

/// Results by the task's number, put there by any thread.
private final class ResultBox: Sendable {
  private let results = Mutex<[Int: Result<FrpValue, FrpError>]>([:])
  private let ends: (read: Int32, write: Int32)

  init() {
    var pair: [Int32] = [-1, -1]
    if pipe(&pair) == 0 {
      for end in pair {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    ends = (pair[0], pair[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  var descriptor: Int32 { ends.read }

  func put(_ number: Int, _ result: Result<FrpValue, FrpError>) {
    results.withLock { $0[number] = result }
    var byte: UInt8 = 1
    _ = write(ends.write, &byte, 1)
  }

  func take() -> [Int: Result<FrpValue, FrpError>] {
    drain()
    return results.withLock { results in
      defer { results = [:] }
      return results
    }
  }

  func has(_ numbers: Set<Int>) -> Bool {
    results.withLock { results in numbers.allSatisfy { results[$0] != nil } }
  }

  func wait(_ milliseconds: Int32) {
    var waiting = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    if poll(&waiting, 1, milliseconds) > 0 { drain() }
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(ends.read, &bytes, bytes.count) > 0 {}
  }
}
