// Tasks (section 7 of the language). When and how a task ends is known when it begins, since it depends on nothing that
// happens later: `outcome` says it. A run is one task under way; the policy says what becomes of those that overlap.

import FRPCore

/// How a task ends, and when.
struct Outcome {
  enum End {
    case ok(ModelValue)
    case err(String)
    /// A function of the program faults then.
    case fault(ModelFault)
  }
  var time: TaskTime
  var end: End
}

/// A time in nanoseconds (`Int.max` is never), and micro-steps after that: what takes 0 seconds takes one.
struct TaskTime: Comparable, Hashable {
  var nanoseconds: Int
  var steps = 0

  func later(_ seconds: Double) -> TaskTime {
    let duration = max(0, Clock.whole(seconds))
    if duration == 0 { return TaskTime(nanoseconds: nanoseconds, steps: steps + 1) }
    let (sum, isOver) = nanoseconds.addingReportingOverflow(duration)
    return TaskTime(nanoseconds: isOver ? .max : sum)
  }

  static func < (a: TaskTime, b: TaskTime) -> Bool {
    a.nanoseconds == b.nanoseconds ? a.steps < b.steps : a.nanoseconds < b.nanoseconds
  }
}

/// One task under way.
struct Run {
  /// The instant that began it.
  var began: Int
  /// A task never ends in the instant that began it.
  var due: TaskTime
  var end: Outcome.End
}

/// A task of a queue, named by what asked for it.
struct WaitingTask {
  struct Name: Hashable {
    var place: Place
    var attempt: Int
    var occurrence: Int
  }
  var name: Name
  var task: ModelTask
}

/// The runs of a `perform` just after an instant.
struct Runs {
  var active: [Run] = []
  var waiting: [WaitingTask] = []
  /// Whether anything came or ended in the instant: only then does `busy` look again.
  var isTouched = false
  var isBusy: Bool { !active.isEmpty || !waiting.isEmpty }
}

extension Model {
  func runs(_ node: NodeID, _ home: Instance, _ k: Int) throws -> Runs {
    let place = Place(node: node, instance: home.id)
    if k < max(1, home.birth) { return Runs() }
    if let known = history[k].runs[place] { return known }
    var runs = try self.runs(node, home, k - 1)
    let attempt = history[k].attempt
    runs.isTouched = runs.active.contains { lastAttempt($0) == attempt }
    if case .tasks = history[k].cause, haveEnded(runs, with: attempt - 1) { runs.isTouched = true }
    // Whose instant was undone is gone as well.
    runs.active.removeAll { run in lastAttempt(run).map { $0 <= attempt } ?? false }
    runs.waiting.removeAll { faultedInQueue[$0.name] != nil }
    try begin(&runs, node, home, k)
    history[k].runs[place] = runs
    return runs
  }

  /// The results at instant k: of what began before it.
  func results(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [ModelValue] {
    var results: [ModelValue] = []
    for run in try runs(node, home, k - 1).active where lastAttempt(run) == history[k].attempt {
      switch run.end {
      case .ok(let value): results.append(.ok(value))
      case .err(let message): results.append(.err(.data(0, [.string(message)])))
      case .fault(let fault): throw fault
      }
    }
    return results
  }

  /// The attempt at an instant from which a run's last micro-steps count: that at its last timer, or the one that began
  /// it; nil if that is still to come. A task goes on whatever becomes of the instant: it is not undone.
  private func base(_ run: Run) -> Int? {
    run.due.nanoseconds == history[run.began].clock.nanoseconds
      ? history[run.began].attempt : attemptsAtTimers[run.due.nanoseconds]
  }

  /// The attempt in which a run ends, as far as it is known.
  private func lastAttempt(_ run: Run) -> Int? { base(run).map { $0 + run.due.steps } }

  /// Whether something of a run happens in the micro-step after an attempt.
  func goesOn(_ run: Run, after attempt: Int) -> Bool {
    base(run).map { $0 <= attempt && attempt < $0 + run.due.steps } ?? false
  }

  /// Whether a run has ended with an attempt, or a task of the queue that faulted as it began.
  private func haveEnded(_ runs: Runs, with attempt: Int) -> Bool {
    runs.active.contains { lastAttempt($0) == attempt } || runs.waiting.contains { faultedInQueue[$0.name] == attempt }
  }

  /// Whether tasks do anything after an attempt that was undone: they go on, or end with it, unseen, or one waits for its
  /// turn and nothing is before it any more.
  func haveTasksMore() throws -> Bool {
    let k = history.count - 1
    for instance in try alive(k) {
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        guard case .perform = core[node].op else { continue }
        let runs = try runs(node, instance, k)
        if haveEnded(runs, with: attempts) || runs.active.contains(where: { goesOn($0, after: attempts) }) {
          return true
        }
        let isFree = runs.active.allSatisfy { run in lastAttempt(run).map { $0 <= attempts } ?? false }
        if isFree, runs.waiting.contains(where: { faultedInQueue[$0.name] == nil }) { return true }
      }
    }
    return false
  }

  private func begin(_ runs: inout Runs, _ node: NodeID, _ home: Instance, _ k: Int) throws {
    guard case .perform(let s, let policy, let f) = core[node].op,
      case .data(let tag, let fields) = try plain(policy, home)
    else {
      return
    }
    let (isLatest, isQueue, isIgnore) = (tag == 0, tag == 2 || tag == 4, tag == 3)
    let limit = tag == 4 ? max(1, try int(fields[0])) : 1
    while runs.active.count < limit, let next = runs.waiting.first {
      runs.waiting.removeFirst()
      do { runs.active.append(try run(next.task, k)) } catch {
        faultedInQueue[next.name] = history[k].attempt
        throw error
      }
    }
    let now = try occurrences(s, home, k)
    if !now.isEmpty { runs.isTouched = true }
    for (occurrence, a) in (isLatest ? now.suffix(1) : now[...]).enumerated() {
      if isIgnore, !runs.active.isEmpty { continue }
      guard case .task(let task) = try enter(f, [a], Environment(home, history[k].before)) else { return }
      if isLatest { runs.active = [] }
      if isQueue, runs.active.count >= limit {
        let name = WaitingTask.Name(
          place: Place(node: node, instance: home.id), attempt: history[k].attempt, occurrence: occurrence)
        runs.waiting.append(WaitingTask(name: name, task: task))
      } else {
        try runs.active.append(run(task, k))
      }
    }
  }

  private func run(_ task: ModelTask, _ k: Int) throws -> Run {
    let now = TaskTime(nanoseconds: history[k].clock.nanoseconds)
    let outcome = outcome(task, now)
    // What a task does at once is done in the instant that begins it.
    if case .fault(let fault) = outcome.end, outcome.time <= now { throw fault }
    return Run(began: k, due: max(outcome.time, now.later(0)), end: outcome.end)
  }

  /// How a task that begins at `time` ends.
  func outcome(_ task: ModelTask, _ time: TaskTime) -> Outcome {
    switch task {
    case .succeed(let x): return Outcome(time: time, end: .ok(x))
    case .fail(let message): return Outcome(time: time, end: .err(message))
    case .after(let d, let x): return Outcome(time: time.later(d), end: .ok(x))
    case .map(let inner, let f):
      return then(inner, time) { x, at in Outcome(time: at, end: .ok(try self.apply(f, [x]))) }
    case .andThen(let inner, let f):
      return then(inner, time) { x, at in try self.go(on: f, x, at) }
    case .recover(let inner, let f):
      let first = outcome(inner, time)
      guard case .err(let message) = first.end else { return first }
      return guarded(first.time) { try self.go(on: f, .data(0, [.string(message)]), first.time) }
    // ending beats a timeout at the same time
    case .timeout(let inner, let d):
      let first = outcome(inner, time)
      let limit = time.later(d)
      return first.time <= limit ? first : Outcome(time: limit, end: .err("timeout after \(d) s"))
    // the first failure ends it
    case .all(let tasks):
      var values: [ModelValue] = []
      var last = time
      var failure: Outcome?
      for part in tasks.map({ outcome($0, time) }) {
        last = max(last, part.time)
        if case .ok(let value) = part.end {
          values.append(value)
        } else if failure.map({ part.time < $0.time }) ?? true {
          failure = part
        }
      }
      return failure ?? Outcome(time: last, end: .ok(.list(values)))
    case .race(let tasks):
      var first = Outcome(time: TaskTime(nanoseconds: .max), end: .ok(.unit))
      for part in tasks.map({ outcome($0, time) }) where part.time < first.time { first = part }
      return first
    case .retry(let inner, let n):
      var result = outcome(inner, time)
      for _ in 0..<max(0, min(n, 10_000)) {
        guard case .err = result.end else { break }
        result = outcome(inner, result.time)
      }
      return result
    case .retryWith(let inner, let wait):
      var result = outcome(inner, time)
      for n in 1..<10_000 {
        guard case .err = result.end else { break }
        do {
          guard let seconds = try content(apply(wait, [.int(n)])) else { break }
          result = outcome(inner, result.time.later(try float(seconds)))
        } catch {
          return Outcome(time: result.time, end: .fault(ModelFault(error)))
        }
      }
      return result
    }
  }

  private func guarded(_ time: TaskTime, _ body: () throws -> Outcome) -> Outcome {
    do { return try body() } catch { return Outcome(time: time, end: .fault(ModelFault(error))) }
  }

  private func then(
    _ inner: ModelTask, _ time: TaskTime, _ next: (ModelValue, TaskTime) throws -> Outcome
  ) -> Outcome {
    let first = outcome(inner, time)
    guard case .ok(let x) = first.end else { return first }
    return guarded(first.time) { try next(x, first.time) }
  }

  private func go(on f: ModelFunction, _ x: ModelValue, _ time: TaskTime) throws -> Outcome {
    guard case .task(let task) = try apply(f, [x]) else { throw ModelFault("not a Task") }
    return outcome(task, time)
  }
}
