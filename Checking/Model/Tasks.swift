// Tasks (section 7 of the language). When and how a task ends depends on nothing that happens later, but for the events
// that it awaits: `outcome` says it, as far as that is known at an instant. A run is one task under way; the policy says
// what becomes of those that overlap.

import FRPCore

/// How a task ends, and when.
struct Outcome {
  enum End {
    case ok(ModelValue)
    case err(String)
  }
  var time: TaskTime
  var end: End
}

/// A time in nanoseconds (`Int.max` is never), and micro-steps after that: what takes 0 seconds takes one.
struct TaskTime: Comparable {
  var nanoseconds: Int
  /// The attempt from which the micro-steps count; nil if that is still to come.
  var base: Int?
  var steps = 0
  /// What an event ends comes after what ends by itself.
  var isAwaited = false

  static let never = TaskTime(nanoseconds: .max)

  /// The attempt in which it is.
  var attempt: Int? { base.map { $0 + steps } }

  static func < (a: TaskTime, b: TaskTime) -> Bool {
    let (x, y) = (a.attempt ?? .max, b.attempt ?? .max)
    return (a.nanoseconds, x, a.steps, a.isAwaited ? 1 : 0) < (b.nanoseconds, y, b.steps, b.isAwaited ? 1 : 0)
  }
}

/// One task under way.
struct Run {
  var task: ModelTask
  /// When it began.
  var began: TaskTime
  /// A task never ends in the instant that began it.
  var due: TaskTime
  var end: Outcome.End
  /// Whether it awaits an event that has not occurred; if so, when its parts wait for a timer.
  var isOpen = false
  var timers: [Int] = []
  /// The attempts in which its parts do something as micro-steps.
  var steps: [Int] = []
  /// What a source brings and how it stands, as far as it is known.
  var brought = Brought()
}

/// The runs of a `perform` just after an instant.
struct Runs {
  var active: [Run] = []
  /// What waits for its turn.
  var waiting: [ModelTask] = []
  /// Whether anything came, was brought or ended in the instant, or in the one before it that was undone: only then do
  /// `busy` and `state` look again.
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
    runs.active = try runs.active.map { try resolved($0, upTo: k - 1) }
    runs.isTouched = isTouched(runs, in: attempt)
    if case .tasks = history[k].cause, isTouched(runs, in: attempt - 1) { runs.isTouched = true }
    // Whose instant was undone is gone as well.
    runs.active.removeAll { run in lastAttempt(run).map { $0 <= attempt } ?? false }
    try begin(&runs, node, home, k)
    history[k].runs[place] = runs
    return runs
  }

  /// The results at instant k: of what began before it.
  func results(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [ModelValue] {
    var results: [ModelValue] = []
    for run in try runs(node, home, k - 1).active.map({ try resolved($0, upTo: k - 1) })
    where lastAttempt(run) == history[k].attempt {
      switch run.end {
      case .ok(let value): results.append(.ok(value))
      case .err(let message): results.append(.err(.data(0, [.string(message)])))
      }
    }
    return results
  }

  /// A run as far as it is known when instant k has happened.
  func resolved(_ run: Run, upTo k: Int) throws -> Run {
    if !run.isOpen { return run }
    return try self.run(run.task, run.began, upTo: k)
  }

  private func run(_ task: ModelTask, _ began: TaskTime, upTo k: Int) throws -> Run {
    var outcomes = Outcomes(model: self, last: k)
    let outcome = try outcomes.of(task, began)
    return Run(
      task: task, began: began, due: max(outcome.time, outcomes.later(began, 0)), end: outcome.end,
      isOpen: outcomes.isOpen, timers: outcomes.timers, steps: outcomes.steps, brought: outcomes.brought)
  }

  /// The attempt at an instant from which a run's last micro-steps count: that at its last timer or event, or the one that
  /// began it; nil if that is still to come. A task goes on whatever becomes of the instant: it is not undone.
  private func base(_ run: Run) -> Int? { run.due.base ?? attemptsAtTimers[run.due.nanoseconds] }

  /// The attempt in which a run ends, as far as it is known.
  private func lastAttempt(_ run: Run) -> Int? { base(run).map { $0 + run.due.steps } }

  /// Whether something of a run happens in the micro-step after an attempt.
  func goesOn(_ run: Run, after attempt: Int) -> Bool {
    if run.isOpen, run.steps.contains(attempt + 1) { return true }
    return base(run).map { $0 <= attempt && attempt < $0 + run.due.steps } ?? false
  }

  /// Whether a run has brought something, or has ended, with an attempt.
  private func isTouched(_ runs: Runs, in attempt: Int) -> Bool {
    runs.active.contains { lastAttempt($0) == attempt || $0.brought.happens(in: attempt) }
  }

  /// Whether tasks do anything after an attempt that was undone: they go on, or what they brought or how they ended is gone
  /// with it, or one waits for its turn and nothing is before it any more.
  func haveTasksMore() throws -> Bool {
    let k = history.count - 1
    for instance in try alive(k) {
      for node in core[instance.scope].nodes where isNeeded[node.index] {
        guard case .perform = core[node].op else { continue }
        var runs = try runs(node, instance, k)
        runs.active = try runs.active.map { try resolved($0, upTo: k) }
        if isTouched(runs, in: attempts) { return true }
        if runs.active.contains(where: { goesOn($0, after: attempts) }) { return true }
        let isFree = runs.active.allSatisfy { run in lastAttempt(run).map { $0 <= attempts } ?? false }
        if isFree, !runs.waiting.isEmpty { return true }
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
      try runs.active.append(run(next, k))
    }
    let now = try occurrences(s, home, k)
    if !now.isEmpty { runs.isTouched = true }
    for a in isLatest ? now.suffix(1) : now[...] {
      if isIgnore, !runs.active.isEmpty { continue }
      guard case .task(let task) = try enter(f, [a], Environment(home, history[k].before)) else { return }
      if isLatest { runs.active = [] }
      if isQueue, runs.active.count >= limit {
        runs.waiting.append(task)
      } else {
        try runs.active.append(run(task, k))
      }
    }
  }

  private func run(_ task: ModelTask, _ k: Int) throws -> Run {
    try run(task, TaskTime(nanoseconds: history[k].clock.nanoseconds, base: history[k].attempt), upTo: k - 1)
  }
}

/// What is known of the ends of tasks up to an instant.
struct Outcomes {
  let model: Model
  let last: Int
  /// Of a source.
  var brought = Brought()
  /// Whether an event was awaited that has not occurred; when timers of parts are due, and micro-steps are taken.
  var isOpen = false
  var timers: [Int] = []
  var steps: [Int] = []

  mutating func later(_ time: TaskTime, _ seconds: Double) -> TaskTime {
    let duration = max(0, Clock.whole(seconds))
    if time.nanoseconds == .max { return .never }
    if duration == 0 {
      let next = TaskTime(nanoseconds: time.nanoseconds, base: time.base, steps: time.steps + 1)
      if let attempt = next.attempt { steps.append(attempt) }
      return next
    }
    let (sum, isOver) = time.nanoseconds.addingReportingOverflow(duration)
    if isOver || sum == .max { return .never }
    timers.append(sum)
    return TaskTime(nanoseconds: sum, base: model.attemptsAtTimers[sum])
  }

  /// How a task that begins at `time` ends.
  mutating func of(_ task: ModelTask, _ time: TaskTime) throws -> Outcome {
    if time.nanoseconds == .max { return Outcome(time: .never, end: .err("never")) }
    switch task {
    case .succeed(let x): return Outcome(time: time, end: .ok(x))
    case .fail(let message): return Outcome(time: time, end: .err(message))
    case .after(let d, let x): return Outcome(time: later(time, d), end: .ok(x))
    case .awaited(let source, let home, let condition): return try next(source, home, condition, after: time)
    case .lane, .sourceMap, .sourceFilterMap, .reconnect:
      brought = try source(task, time)
      isOpen = true
      return brought.end
    case .map(let inner, let f):
      let first = try of(inner, time)
      guard case .ok(let x) = first.end else { return first }
      return try guarded(first.time) { Outcome(time: first.time, end: .ok(try model.apply(f, [x]))) }
    case .andThen(let inner, let f):
      let first = try of(inner, time)
      guard case .ok(let x) = first.end else { return first }
      return try go(on: f, x, first.time)
    case .recover(let inner, let f):
      let first = try of(inner, time)
      guard case .err(let message) = first.end else { return first }
      return try go(on: f, .data(0, [.string(message)]), first.time)
    // ending beats a timeout at the same time
    case .timeout(let inner, let d):
      let first = try of(inner, time)
      let limit = later(time, d)
      return first.time <= limit ? first : Outcome(time: limit, end: .err("timeout after \(d) s"))
    case .all(let tasks): return try all(tasks, time)
    case .race(let tasks):
      var first = Outcome(time: .never, end: .ok(.unit))
      for part in tasks {
        let end = try of(part, time)
        if end.time < first.time { first = end }
      }
      return first
    case .retry(let inner, let n):
      var result = try of(inner, time)
      for _ in 0..<max(0, min(n, 10_000)) {
        guard case .err = result.end, result.time < .never else { break }
        result = try of(inner, result.time)
      }
      return result
    case .retryWith(let inner, let wait):
      var result = try of(inner, time)
      for n in 1..<10_000 {
        guard case .err = result.end, result.time < .never else { break }
        let pause: Double?
        do { pause = try model.content(model.apply(wait, [.int(n)])).map(model.float) } catch {
          return Outcome(time: result.time, end: .err(ModelFault(error).message))
        }
        guard let pause else { break }
        result = try of(inner, later(result.time, pause))
      }
      return result
    }
  }

  /// The first failure ends it.
  private mutating func all(_ tasks: [ModelTask], _ time: TaskTime) throws -> Outcome {
    var values: [ModelValue] = []
    var last = time
    var failure: Outcome?
    for task in tasks {
      let part = try of(task, time)
      last = max(last, part.time)
      if case .ok(let value) = part.end {
        values.append(value)
      } else if failure.map({ part.time < $0.time }) ?? true {
        failure = part
      }
    }
    return failure ?? Outcome(time: last, end: .ok(.list(values)))
  }

  /// await(e), begun at t, ends with Ok(ai) one micro-step after the first ti > t.
  private mutating func next(
    _ source: NodeID, _ instance: Int, _ condition: ModelFunction?, after time: TaskTime
  ) throws -> Outcome {
    let began = time.attempt ?? .max
    for j in 1..<max(1, last) + 1 where j < model.history.count && model.history[j].attempt > began {
      guard let home = try model.alive(j).first(where: { $0.id == instance }) else { continue }
      let end = TaskTime(
        nanoseconds: model.history[j].clock.nanoseconds, base: model.history[j].attempt, steps: 1, isAwaited: true)
      for value in try model.occurrences(source, home, j) {
        do {
          if let condition, case .bool(false) = try model.apply(condition, [value]) { continue }
          steps.append(model.history[j].attempt + 1)
          return Outcome(time: end, end: .ok(value))
        } catch { return Outcome(time: end, end: .err(ModelFault(error).message)) }
      }
    }
    isOpen = true
    return Outcome(time: .never, end: .err("never"))
  }

  /// A function of the program that faults fails the task.
  private mutating func go(on f: ModelFunction, _ x: ModelValue, _ time: TaskTime) throws -> Outcome {
    let next: ModelValue
    do { next = try model.apply(f, [x]) } catch { return Outcome(time: time, end: .err(ModelFault(error).message)) }
    guard case .task(let task) = next else { throw ModelFault("not a Task") }
    return try of(task, time)
  }

  private func guarded(_ time: TaskTime, _ body: () throws -> Outcome) throws -> Outcome {
    do { return try body() } catch { return Outcome(time: time, end: .err(ModelFault(error).message)) }
  }
}
