// The host's tasks of a run that are under way: found by their numbers, and by how the reactor knows them.

import FRPBase
import FRPCore
import FRPRuntime

/// A task of the host under way: how the reactor knows it, and the type of what it gives. An object, since each value that a
/// source brings looks it up.
final class LiveHostTask {
  let task: HostTask
  let token: TaskToken
  let result: TypeID
  /// Whether that is String.
  let isText: Bool
  /// Whether it gives bodies of text.
  let decodes: Bool

  init(task: HostTask, token: TaskToken, result: TypeID, _ heap: Heap, decodes: Bool) {
    (self.task, self.token, self.result, self.decodes) = (task, token, result, decodes)
    isText = heap.shapes[result].kind == .string
  }
}

/// Those of one run. Cost: O(1), but for `inOrder`.
struct LiveHostTasks {
  private var tasks: [HostTask.ID: LiveHostTask] = [:]
  private var numbers: [TaskToken: HostTask.ID] = [:]
  /// The one that began last: of a source that brings much, nothing has to be looked up.
  private var newest: LiveHostTask?

  var count: Int { tasks.count }

  subscript(_ id: HostTask.ID) -> LiveHostTask? {
    if let newest, newest.task.id == id { return newest }
    return tasks[id]
  }

  /// Oldest first. Cost: O(n log n).
  var inOrder: [LiveHostTask] { tasks.values.sorted { $0.task.id < $1.task.id } }

  /// The number of the one that began first, of those that are no sources. Cost: O(n).
  var oldestCall: HostTask.ID? { tasks.values.lazy.filter { !$0.task.isSource }.map(\.task.id).min() }

  /// The numbers by how the reactor knows them.
  var byToken: [TaskToken: HostTask.ID] { numbers }

  mutating func insert(_ live: LiveHostTask) {
    tasks[live.task.id] = live
    numbers[live.token] = live.task.id
    newest = live
  }

  @discardableResult
  mutating func remove(_ id: HostTask.ID) -> LiveHostTask? {
    guard let live = tasks.removeValue(forKey: id) else { return nil }
    if newest === live { newest = nil }
    numbers[live.token] = nil
    return live
  }

  /// Takes out what the reactor has cancelled; gives its number.
  mutating func remove(_ token: TaskToken) -> HostTask.ID? {
    guard let id = numbers[token] else { return nil }
    remove(id)
    return id
  }
}
