// perform: what begins a task, and what happens to tasks that overlap.
//
//   Latest   a new one cancels the old        All      every one runs
//   Queue    one after the other              Ignore   while one runs, occurrences are dropped
//   Limit(n) n at a time, the others in order
//   newest   (of sinks) one after the other, and of what waits only the newest
//
// Results are shown first, then occurrences are taken in: ending beats being cancelled at the same time.

import FRPCore
import FRPGraph

/// The tags of the built-in type `Policy`.
enum Policy: Int {
  case latest, all, queue, ignore, limit, newest
}

extension Reactor {
  /// Takes down how many may be under way where others wait for their turn; a limit below 1 counts as 1.
  func startPolicy(_ words: Address, _ policy: Word) {
    words[PerformState.policy] = Word(int: policy.tag)
    words[PerformState.limit] = Word(int: policy.tag == Policy.limit.rawValue ? max(1, policy.field(0).int) : 1)
  }

  /// A micro-step that was to come: tasks that ended in the instant that began them are shown. Where none has ended it
  /// is the step after an undone one: if that faults too it is not tried again, unless a task waits for its turn.
  func firePerform(_ site: EntrySite) {
    let (perform, words) = (PerformRef(site), site.state)
    if firstEnded(words) >= 0 { showSoon(perform) }
    if words[PerformState.busyCount] < words[PerformState.limit], !Queue(words + PerformState.queue).isEmpty {
      live.hasTaskWork = true
      live.queuesToGoOn.append(perform)
    }
    mark(site.partner)
  }

  /// Shows the results of the runs that have ended, oldest first, and gives them back.
  func showEnded(_ perform: PerformRef) throws(Fault) {
    let site = EntrySite(perform.frame, perform.entry)
    if !site.frame.pointee.isLive { return }
    let words = site.state
    let start = live.occurrenceCount
    sortEnded(words)
    while case let run = firstEnded(words), run >= 0 {
      let row = live.tasks.runs[Int(run)]
      words[PerformState.busyCount] -= 1
      dropRun(run)
      if let binding = binding(perform) {
        let message = row.isOk ? nil : heap.swiftString(row.value.field(0))
        live.bindingEnds.append(BindingEnd(binding: binding, message: message))
      } else {
        try add(try heap.construct(site.entry.pointee.type, tag: row.isOk ? 0 : 1, field: row.value))
      }
    }
    mark(site.partner)
    emit(site, from: start)
    if !live.arrivals.isEmpty { try showArrivals(perform, from: start) }
  }

  func runPerformFeed(_ site: EntrySite) throws(Fault) {
    let source = site.partner
    let words = source.state
    let queue = Queue(words + PerformState.queue)
    let (first, count) = fed(site)
    switch Policy(rawValue: words[PerformState.policy].int) ?? .latest {
    case .latest:
      if count > 0 {
        cancelRuns(words)
        try perform(source, try task(site, live.occurrences[first + count - 1]))
      }
    case .all:
      for place in first..<first + count {
        try perform(source, try task(site, live.occurrences[place]))
      }
    case .ignore:
      if count > 0, words[PerformState.busyCount] == 0 {
        try perform(source, try task(site, live.occurrences[first]))
      }
    case .queue, .limit, .newest:
      let hasWaited = !queue.isEmpty
      let isNewest = words[PerformState.policy].int == Policy.newest.rawValue
      for place in (isNewest ? max(first, first + count - 1) : first)..<first + count {
        let task = try task(site, live.occurrences[place])
        if isNewest, !queue.isEmpty { dropFirst(queue) }
        append(queue, task)
      }
      while words[PerformState.busyCount] < words[PerformState.limit], !queue.isEmpty {
        let next = queue.element(0)[0]
        dropFirst(queue)
        do throws(Fault) {
          try perform(source, next, number: words[PerformState.queue + QueueState.head])
        } catch {
          if hasWaited { live.queuesThatFaulted.append(PerformRef(source)) }
          throw error
        }
      }
    }
    touch(site)
  }

  /// The task of an occurrence: made at the occurrence, even if it has to wait.
  private func task(_ site: EntrySite, _ occurrence: Word) throws(Fault) -> Word {
    try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.old, with: occurrence)
  }

  private func perform(_ site: EntrySite, _ task: Word, number: UInt64 = 0) throws(Fault) {
    let words = site.state
    let run = live.tasks.makeRun(PerformRef(site), began: live.instant)
    live.tasks.runs[Int(run)].number = number
    linkRun(run)
    live.hasTaskWork = true
    live.startedRuns.append(run)
    set(words + PerformState.busyCount, words[PerformState.busyCount] + 1)
    let root = live.tasks.makeStep(task, run: run, parent: -1, place: 0)
    live.tasks.runs[Int(run)].root = root
    try goOn([.begin(root, live.tasks.steps[Int(root)].serial)], run)
  }

  /// Begins the sources of inputs that a program has which takes the place of another one, where that had not begun them: for
  /// these it starts now.
  func beginNewSources(_ adoption: Adoption) throws(Fault) {
    let root = live.root
    for binding in plan.bindings {
      guard case .source = binding.kind else { continue }
      let site = EntrySite(root, Int(plan.entryOfNode[binding.node.index]))
      if adoption.image(root, site.entry.pointee) != nil, adoption.lost[binding.node] == nil { continue }
      try perform(site, try task(site.partner, Word.unit))
    }
  }

  /// Cancels what is under way; it goes when the instant is committed.
  private func cancelRuns(_ words: Address) {
    var run = Int32(truncatingIfNeeded: Int(words[PerformState.firstRun]) - 1)
    while run >= 0 {
      let row = live.tasks.runs + Int(run)
      if !row.pointee.isCancelled {
        row.pointee.isCancelled = true
        live.hasTaskWork = true
        live.cancelledRuns.append(run)
        set(words + PerformState.busyCount, words[PerformState.busyCount] - 1)
      }
      run = row.pointee.next
    }
  }

  /// busy: whether a task is under way or waits for its turn.
  func runBusy(_ site: EntrySite) {
    store(site, Word(bool: isBusy(site)))
  }

  func isBusy(_ site: EntrySite) -> Bool {
    let home = outer(site.frame, site.entry.pointee.first.up)
    let words = EntrySite(home, Int(site.entry.pointee.first.entry)).state
    return words[PerformState.busyCount] > 0 || !Queue(words + PerformState.queue).isEmpty
  }
}
