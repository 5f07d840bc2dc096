// Sources: tasks that bring values while they are under way. A `perform` node performs them like any task (its results are how
// they ended); an `items` node shows what they bring, a `link` node how the newest of them stands.
//
//   listen(e, p, f).items = what each source of perform(e, p, f) that is under way brings
//   listen(e, p, f).state = Idle without one; else of the newest: Opening, Open from its first sign of life, Retrying(why)
//                           while `reconnect` waits, or the host's source itself
//   fromList([(d1, x1), …]), begun at t, brings x1 at t + d1, x2 at t + d1 + d2, …; what comes 0 seconds after another
//                           comes in its instant, and a first with 0 seconds in the micro-step after t
//
// A value passes from the part that brings it through the functions around it to the whole. One that faults ends its
// part with an error. What was brought in an instant that is undone is gone, as an input is.

import FRPCore
import FRPGraph

/// A value that a source has brought to its `perform`, to be shown in the instant under way.
struct Arrival {
  var perform: PerformRef
  /// That of the run of the source.
  var age: UInt64
  var value: Word
  var isReference: Bool
}

/// What a host says of a task or source of its own.
public enum HostNews: Sendable {
  case ok, failed
  /// A source is there, and has brought nothing yet.
  case opened
  /// A source brings a value.
  case item
  /// A source has lost what it comes over, and goes on by itself; the value says why.
  case retrying
}

extension Reactor {
  // MARK: What sources bring

  /// A part of a source brings a value.
  func arrive(_ step: Int32, _ value: Word) throws(Fault) {
    // What passes through the functions is seen by no collection.
    machine.state.pointee.stillness += 1
    defer { machine.state.pointee.stillness -= 1 }
    let run = live.tasks.steps[Int(step)].run
    setLink(run, .open)
    var value = value
    var parent = live.tasks.steps[Int(step)].parent
    while parent >= 0 {
      let row = live.tasks.steps[Int(parent)]
      let task = TaskValue(row.task)
      switch task.kind {
      case .sourceMap, .sourceFilterMap:
        let result = try machine.attempt(task.function, value)
        if !result.isOk { return try goOn([.end(parent, row.serial, isOk: false, result.value)], run) }
        value = result.value
        if task.kind == .sourceFilterMap {
          if !value.isObject { return }
          value = value.field(0)
        }
      case .reconnect: live.tasks.steps[Int(parent)].count = 0
      case .succeed, .fail, .after, .all, .race, .map, .andThen, .recover, .retry, .retryWith, .timeout, .host,
        .awaited, .lane, .standIn:
        break
      }
      parent = row.parent
    }
    let perform = live.tasks.runs[Int(run)].perform
    let arrival = Arrival(
      perform: perform, age: live.tasks.runs[Int(run)].age, value: value,
      isReference: heap.shapes.isReference(itemType(perform)))
    // Sources that bring something at one moment are shown as they began, whichever timer was set first.
    var place = live.arrivals.count
    while place > 0, live.arrivals[place - 1].age > arrival.age { place -= 1 }
    live.arrivals.insert(arrival, at: place)
    showSoon(perform)
  }

  private func itemType(_ perform: PerformRef) -> TypeID {
    perform.frame.pointee.template.pointee.entries[perform.entry].keyType
  }

  /// Lets what reads a `perform` see what arrived for it; the input that a source is bound to gets it as what was sent.
  func showArrivals(_ perform: PerformRef, from start: Int) throws(Fault) {
    guard live.arrivals.contains(where: { $0.perform == perform }) else { return }
    if let port = boundInput(perform) {
      for arrival in live.arrivals where arrival.perform == perform {
        live.arrivedInputs.append(Sent(port: port, value: arrival.value))
      }
    }
    show(EntrySite(perform.frame, perform.entry), from: start, count: live.occurrenceCount - start)
  }

  /// items: what arrived for its `perform` in this instant.
  func runItems(_ site: EntrySite) throws(Fault) {
    let node = site.entry.pointee.first
    guard let home = seen(site.frame, node) else { return }
    let perform = PerformRef(frame: home, entry: Int(node.entry))
    let start = live.occurrenceCount
    for arrival in live.arrivals where arrival.perform == perform { try add(arrival.value) }
    emit(site, from: start)
  }

  // MARK: Sources that are lists

  /// Takes the next of a list when it is due; a first that is due at once comes in the next micro-step.
  func beginLane(_ step: Int32, _ task: TaskValue) {
    setLink(live.tasks.steps[Int(step)].run, .open)
    if task.lane.count > 0 { wait(step, task.lane[0].field(0).float) } else if task.endsLane { wait(step, 0) }
  }

  /// Brings what is due, and ends behind the last.
  func fireLane(_ step: Int32, _ serial: UInt64) throws(Fault) {
    while live.tasks.isLive(step, serial) {
      // What arrives may collect.
      let row = live.tasks.steps[Int(step)]
      let task = TaskValue(row.task)
      let lane = task.lane
      if row.count < lane.count {
        live.tasks.steps[Int(step)].count += 1
        try arrive(step, lane[row.count].field(1))
      }
      guard live.tasks.isLive(step, serial) else { return }
      let left = TaskValue(live.tasks.steps[Int(step)].task).lane
      let next = live.tasks.steps[Int(step)].count
      if next >= left.count {
        return task.endsLane ? try goOn([.end(step, serial, isOk: true, Word.unit)], row.run) : ()
      }
      let gap = left[next].field(0).float
      if gap > 0 { return wait(step, gap) }
    }
  }

  // MARK: How they stand

  /// A source has opened, or is being opened.
  func setLink(_ run: Int32, _ link: LinkCase, text: Word = 0) {
    let row = live.tasks.runs + Int(run)
    if row.pointee.link == link, link != .retrying { return }
    row.pointee.link = link
    row.pointee.linkText = text
    // What begins in this instant is looked at when all has begun.
    if row.pointee.began != live.instant { showSoon(row.pointee.perform) }
  }

  /// link: how the newest source under way stands.
  func runLink(_ site: EntrySite) throws(Fault) {
    store(site, try link(site))
  }

  /// The value of a `link`.
  func link(_ site: EntrySite) throws(Fault) -> Word {
    let home = outer(site.frame, site.entry.pointee.first.up)
    let words = EntrySite(home, Int(site.entry.pointee.first.entry)).state
    var run = Int32(truncatingIfNeeded: Int(words[PerformState.lastRun]) - 1)
    // One that has ended is under way until that is shown, as `busy` has it.
    while run >= 0, live.tasks.runs[Int(run)].isCancelled { run = live.tasks.runs[Int(run)].previous }
    if run < 0 { return Word(tag: LinkCase.idle.rawValue) }
    let row = live.tasks.runs[Int(run)]
    if row.link != .retrying { return Word(tag: row.link.rawValue) }
    return try heap.construct(site.entry.pointee.type, tag: row.link.rawValue, field: row.linkText)
  }

  /// How a source stands whose parts were restored: as it did, until something happens to it. Images of old do not say it, and only of
  /// lists it is known.
  func resumeLink(_ run: Int32, _ image: LinkImage?, of adoption: Adoption) {
    if let image {
      live.tasks.runs[Int(run)].link = image.link
      live.tasks.runs[Int(run)].linkText = adoption.objects.reference(image.text)
      return
    }
    var step = live.tasks.runs[Int(run)].root
    while step >= 0 {
      let row = live.tasks.steps[Int(step)]
      if TaskValue(row.task).kind == .lane { live.tasks.runs[Int(run)].link = .open }
      step = row.firstPart
    }
  }

  // MARK: Inputs and outputs that are bound

  /// The input that what a `perform` brings is for; nil for one that the program performs itself.
  func boundInput(_ perform: PerformRef) -> Int? {
    guard let binding = binding(perform) else { return nil }
    return sourcePorts[binding]
  }

  /// The input that a source by itself is bound to and has brought something for already: what it brings is what is sent. Nil
  /// inside of an instant.
  func plainInput(_ step: Int32) -> Int? {
    if isRunning { return nil }
    let row = live.tasks.steps + Int(step)
    let run = live.tasks.runs + Int(row.pointee.run)
    guard row.pointee.parent < 0, run.pointee.link == .open else { return nil }
    return boundInput(run.pointee.perform)
  }

  /// Whether the source of an input is under way, also while it waits to be opened again: something may still come in. Cost:
  /// O(the program's bindings).
  public var hasBoundSources: Bool {
    if isOver || !hasStarted { return false }
    return plan.bindings.contains { binding in
      let perform = PerformRef(frame: live.root, entry: Int(plan.entryOfNode[binding.node.index]))
      return binding.isSource && stateWords(perform)[PerformState.busyCount] > 0
    }
  }

  /// Which of the program's bindings performs here.
  func binding(_ perform: PerformRef) -> Int? {
    let number = perform.frame.pointee.template.pointee.entries[perform.entry].binding
    return number < 0 ? nil : Int(number)
  }

  /// Tells the host how the sources and sinks of ports have ended.
  func tellBindings() {
    if live.bindingEnds.isEmpty { return }
    let ends = live.bindingEnds
    live.bindingEnds.removeAll()
    for end in ends { bindingEnded?(end.binding, end.message) }
  }

  /// Tells the host of its calls that something in the program answers.
  func tellAnsweredCalls() {
    if live.answeredCalls.isEmpty { return }
    let calls = live.answeredCalls
    live.answeredCalls.removeAll()
    for call in calls { hostTaskIsAnswered?(TaskValue(call).hostFunction, TaskValue(call).hostArgument) }
  }

  /// Ends a whole sink well, whatever its parts would have given: nobody answers in simulated time.
  public func endSink(of token: TaskToken) {
    guard live.tasks.isLive(token.step, token.serial) else { return }
    live.hostEnds.append(HostEnd(token: token, news: .ok, isReference: false, value: Word.unit, endsRun: true))
    runHostNews()
  }

  /// Whether the program says when a source of the host is opened again: it is part of a `reconnect`.
  public func isReconnected(_ token: TaskToken) -> Bool {
    var step = live.tasks.isLive(token.step, token.serial) ? token.step : -1
    while step >= 0 {
      let row = live.tasks.steps[Int(step)]
      if TaskValue(row.task).kind == .reconnect { return true }
      step = row.parent
    }
    return false
  }

  /// Which of the program's bindings a task of the host belongs to.
  public func binding(of token: TaskToken) -> Int? {
    guard live.tasks.isLive(token.step, token.serial) else { return nil }
    return binding(live.tasks.runs[Int(live.tasks.steps[Int(token.step)].run)].perform)
  }
}
