// The host's tasks of a run that are under way: found by their numbers, and by how the reactor knows them.

import FRPBase
import FRPCore
import FRPRuntime

/// A task of the host under way: how the reactor knows it, and the type of what it gives. An object, since each value that a
/// source brings looks it up.
final class LiveHostTask {
  let task: HostTask
  var token: TaskToken
  var result: TypeID
  /// Whether it gives bodies of text.
  let decodes: Bool

  init(task: HostTask, token: TaskToken, result: TypeID, decodes: Bool) {
    (self.task, self.token, self.result, self.decodes) = (task, token, result, decodes)
  }
}

/// Those of one run. Cost: O(1), but for `inOrder`.
struct LiveHostTasks {
  private var tasks: [HostTask.ID: LiveHostTask] = [:]
  private var numbers: [TaskToken: HostTask.ID] = [:]

  subscript(_ id: HostTask.ID) -> LiveHostTask? { tasks[id] }

  /// Oldest first. Cost: O(n log n).
  var inOrder: [LiveHostTask] { tasks.values.sorted { $0.task.id < $1.task.id } }

  /// The numbers by how the reactor knows them.
  var byToken: [TaskToken: HostTask.ID] { numbers }

  mutating func insert(_ live: LiveHostTask) {
    tasks[live.task.id] = live
    numbers[live.token] = live.task.id
  }

  @discardableResult
  mutating func remove(_ id: HostTask.ID) -> LiveHostTask? {
    guard let live = tasks.removeValue(forKey: id) else { return nil }
    numbers[live.token] = nil
    return live
  }

  /// Takes out what the reactor has cancelled; gives its number.
  mutating func remove(_ token: TaskToken) -> HostTask.ID? {
    guard let id = numbers.removeValue(forKey: token) else { return nil }
    tasks[id] = nil
    return id
  }
}
