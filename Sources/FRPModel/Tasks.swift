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
  /// In nanoseconds; `Int.max` is never.
  var time: Int
  var end: End
}

/// One task under way.
struct Run {
  /// The instant that began it.
  var began: Int
  /// nil for the next micro-step: a task never ends in the instant that began it.
  var due: Int?
  var end: Outcome.End
}

/// The runs of a `perform` just after an instant, and the results at it.
struct Runs {
  var active: [Run] = []
  var waiting: [ModelTask] = []
  var ended: [ModelValue] = []
  var isBusy: Bool { !active.isEmpty || !waiting.isEmpty }
}

extension Model {
  func runs(_ node: NodeID, _ home: Instance, _ k: Int) throws -> Runs {
    let place = Place(node: node, instance: home.id)
    if k < max(1, home.birth) { return Runs() }
    if let known = history[k].runs[place] { return known }
    var runs = try self.runs(node, home, k - 1)
    runs.ended = []
    try end(&runs, k)
    try begin(&runs, node, home, k)
    history[k].runs[place] = runs
    return runs
  }

  private func end(_ runs: inout Runs, _ k: Int) throws {
    for run in runs.active where isServed(run.began, run.due, at: k) {
      switch run.end {
      case .ok(let value): runs.ended.append(.ok(value))
      case .err(let message): runs.ended.append(.err(.data(0, [.string(message)])))
      case .fault(let fault): throw fault
      }
    }
    // Whose instant was undone is gone as well.
    runs.active.removeAll { run in run.due.map { $0 <= history[k].timersServed } ?? (run.began < k) }
  }

  private func begin(_ runs: inout Runs, _ node: NodeID, _ home: Instance, _ k: Int) throws {
    guard case .perform(let s, let policy, let f) = core[node].op, case .data(let tag, _) = try plain(policy, home) else {
      return
    }
    let (isLatest, isQueue, isIgnore) = (tag == 0, tag == 2, tag == 3)
    if runs.active.isEmpty, !runs.waiting.isEmpty { runs.active.append(run(runs.waiting.removeFirst(), k)) }
    let now = try occurrences(s, home, k)
    for a in isLatest ? now.suffix(1) : now[...] {
      if isIgnore, !runs.active.isEmpty { continue }
      guard case .task(let task) = try enter(f, [a], Environment(home, history[k].before)) else { return }
      if isLatest { runs.active = [] }
      if isQueue, !runs.active.isEmpty { runs.waiting.append(task) } else { runs.active.append(run(task, k)) }
    }
  }

  private func run(_ task: ModelTask, _ k: Int) -> Run {
    let clock = history[k].clock
    let outcome = outcome(task, clock.nanoseconds)
    return Run(began: k, due: outcome.time <= clock.nanoseconds ? nil : outcome.time, end: outcome.end)
  }

  private func later(_ time: Int, _ seconds: Double) -> Int {
    let (sum, isOver) = time.addingReportingOverflow(max(0, Clock.whole(seconds)))
    return isOver ? .max : sum
  }

  /// How a task that begins at `time` ends.
  func outcome(_ task: ModelTask, _ time: Int) -> Outcome {
    switch task {
    case .succeed(let x): return Outcome(time: time, end: .ok(x))
    case .fail(let message): return Outcome(time: time, end: .err(message))
    case .after(let d, let x): return Outcome(time: later(time, d), end: .ok(x))
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
      let limit = later(time, d)
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
      var first = Outcome(time: .max, end: .ok(.unit))
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
          result = outcome(inner, later(result.time, try float(seconds)))
        } catch {
          return Outcome(time: result.time, end: .fault(ModelFault(error)))
        }
      }
      return result
    }
  }

  private func guarded(_ time: Int, _ body: () throws -> Outcome) -> Outcome {
    do { return try body() } catch { return Outcome(time: time, end: .fault(ModelFault(error))) }
  }

  private func then(
    _ inner: ModelTask, _ time: Int, _ next: (ModelValue, Int) throws -> Outcome
  ) -> Outcome {
    let first = outcome(inner, time)
    guard case .ok(let x) = first.end else { return first }
    return guarded(first.time) { try next(x, first.time) }
  }

  private func go(on f: ModelFunction, _ x: ModelValue, _ time: Int) throws -> Outcome {
    guard case .task(let task) = try apply(f, [x]) else { throw ModelFault("not a Task") }
    return outcome(task, time)
  }
}
