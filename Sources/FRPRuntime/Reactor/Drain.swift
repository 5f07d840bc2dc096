// What is held back when the inputs of a run have ended: in delays, `debounce`, `audit` and tasks under way, and what
// these lead to. Of the forms by an event, what waits for a timer made in their scope.
//
// In: the reactor, at the moment when nothing more comes in; then each clock time at which something is due. Out: whether
// anything is still held back, and by which definitions.
// Rules
// - What counts came from an input (a task: from an input or the start), or from something that counts. Ticks of `every`,
//   `after` and conditions do not, nor what they lead to.
// - What leads to itself does not count, unless `countsCircles`: then the caller bounds the time.
// - Costs nothing while nobody drains. Afterwards a clock time costs what is due then; where something that counts leads
//   into scopes of other owners, their instances are looked through as well.

import FRPCore
import FRPGraph

public final class Drain {
  /// An entry that holds something back, in one instance of its scope.
  private struct Place: Hashable {
    var frame: FrameRef
    var generation: UInt32
    var entry: Int

    var isLive: Bool { frame.pointee.generation == generation && frame.pointee.isLive }

    var templateEntry: TemplateEntry {
      TemplateEntry(template: frame.pointee.template.pointee.index, entry: entry)
    }
  }

  private let reactor: Reactor
  private let graph: TriggerGraph
  private let countsCircles: Bool
  /// By place: up to which of what it holds counts. A due time; of tasks the age of a run, or with `Queue` a number in its
  /// queue.
  private var limits: [Place: UInt64] = [:]
  /// The same places; those at the end are looked at first.
  private var places: [Place] = []
  /// What entries lead to, for those that were asked.
  private var effects: [TemplateEntry: [(entry: TemplateEntry, isWide: Bool)]] = [:]
  /// Entries that lead to themselves; none where these count.
  private var circles: Set<TemplateEntry> = []

  /// Takes note of what the reactor holds back now. Linear in the plan and the instances of its scopes.
  public init(_ reactor: Reactor, countsCircles: Bool = false) {
    self.reactor = reactor
    self.countsCircles = countsCircles
    graph = TriggerGraph(reactor.plan)
    let holders = graph.entries { $0.kind.holdsBack }
    if !countsCircles { circles = graph.circles() }
    let fromInputs = graph.reach(graph.entries { $0.kind == .inputEvent || $0.kind == .inputBehavior })
    let fromStart = graph.reach(graph.entries { $0.kind == .start })
    let frames = reactor.liveFrames()
    for holder in holders where !circles.contains(holder) {
      let isTask = kind(holder) == .perform
      guard fromInputs.contains(holder) || isTask && fromStart.contains(holder) else { continue }
      for frame in frames[holder.template] ?? [] { count(frame, holder.entry) }
    }
  }

  private func kind(_ entry: TemplateEntry) -> EntryKind {
    reactor.plan.templates[entry.template].entries[entry.entry].kind
  }

  // MARK: What counts

  /// All that the entry holds back in this frame counts from now on.
  private func count(_ frame: FrameRef, _ entry: Int) {
    guard let limit = reactor.newestHeld(frame, entry) else { return }
    let place = Place(frame: frame, generation: frame.pointee.generation, entry: entry)
    if let former = limits[place], former >= limit { return }
    if limits.updateValue(limit, forKey: place) == nil { places.append(place) }
  }

  private func isHolding(_ place: Place) -> Bool {
    guard place.isLive, let limit = limits[place], let oldest = reactor.oldestHeld(place.frame, place.entry) else {
      return false
    }
    return oldest <= limit
  }

  /// Whether something that counts is still held back.
  public var isHolding: Bool {
    if reactor.isOver { return false }
    while let place = places.last {
      if isHolding(place) { return true }
      places.removeLast()
      limits[place] = nil
    }
    return false
  }

  // MARK: Time

  /// Lets a clock time happen: `body` runs all that is due then. What it leads to counts where that which was due does.
  public func step(at time: Int64, _ body: () -> Void) {
    var due: [Place] = []
    reactor.live.timers.forEachDue(by: time) { timer in
      guard let frame = timer.frame else { return }
      due.append(Place(frame: frame, generation: frame.pointee.generation, entry: Int(timer.entry)))
      due += scopesAround(frame)
    }
    if reactor.hasCaused { due += places.filter { $0.isLive && reactor.waitsForNextStep($0.frame, $0.entry) } }
    let counting = due.filter(isHolding).map { (place: $0, entry: $0.templateEntry) }
    body()
    for (place, entry) in counting { follow(entry, from: place.frame, generation: place.generation) }
  }

  /// The owners of a frame and of those around it.
  private func scopesAround(_ frame: FrameRef) -> [Place] {
    var result: [Place] = []
    var inner = frame
    while let outer = inner.pointee.parent {
      result.append(Place(frame: outer, generation: outer.pointee.generation, entry: Int(inner.pointee.owner)))
      inner = outer
    }
    return result
  }

  /// The host has ended tasks, at a moment when nothing else was due.
  public func tasksEnded() {
    for place in places where place.isLive && kind(place.templateEntry) == .perform {
      follow(place.templateEntry, from: place.frame, generation: place.generation)
    }
  }

  /// What an entry leads to counts.
  private func follow(_ entry: TemplateEntry, from frame: FrameRef, generation: UInt32) {
    for (effect, isWide) in effects(of: entry) {
      if !isWide, effect.template == entry.template {
        if frame.pointee.isLive, frame.pointee.generation == generation { count(frame, effect.entry) }
      } else {
        for frame in reactor.liveFrames(of: effect.template) { count(frame, effect.entry) }
      }
    }
  }

  /// What an entry leads to that may hold back; `isWide` where that may be in instances other than its own.
  private func effects(of entry: TemplateEntry) -> [(entry: TemplateEntry, isWide: Bool)] {
    if let known = effects[entry] { return known }
    let reach = graph.reach([entry])
    let outside = reach.filter { $0.template != entry.template }
    let wide = graph.reach(outside).union(outside)
    let found = reach.filter { kind($0).holdsBack && !circles.contains($0) }.map { ($0, wide.contains($0)) }
    effects[entry] = found
    return found
  }

  // MARK: Words

  /// What holds something back, by definition: `late (delay), answers (1 task)`. Empty if nothing does.
  public var description: String {
    var held: [(name: String, kind: EntryKind)] = []
    for place in places where isHolding(place) {
      let row = place.frame.pointee.template.pointee.entries[place.entry]
      let name = reactor.plan.core[row.node].definition
      if !held.contains(where: { $0.name == name && $0.kind == row.kind }) { held.append((name, row.kind)) }
    }
    return held.map { $0.name.isEmpty ? $0.kind.heldName : "`\($0.name)` (\($0.kind.heldName))" }
      .joined(separator: ", ")
  }

  /// Definitions with an `after` that an occurrence has begun, in a scope, and that has not occurred. Nothing waits for these, as
  /// for no `after`; but who wrote `e |> flatMap(x => after(5s) …)` may have meant a delay. What only ends something, as in
  /// `takeUntil(after(5s))`, gives out nothing.
  public var begun: String {
    let core = reactor.plan.core
    let ends = core.nodes.compactMap { node -> NodeID? in
      if case .takeUntil(_, let stop) = node.op { stop } else { nil }
    }
    var names: [String] = []
    for timer in graph.entries({ $0.kind == .after }) where timer.template != 0 {
      let node = reactor.plan.templates[timer.template].entries[timer.entry].node
      let name = core[node].definition
      if ends.contains(node) || names.contains("`\(name)`") { continue }
      let isRunning = reactor.liveFrames(of: timer.template).contains { frame in
        reactor.isRunning(frame, timer.entry) && !scopesAround(frame).contains { kind($0.templateEntry).holdsBack }
      }
      if isRunning { names.append("`\(name)`") }
    }
    return names.joined(separator: ", ")
  }

  /// What `batch` and `buffer` have not given out, by definition.
  public var incomplete: String {
    var counts: [(name: String, kind: EntryKind, count: Int)] = []
    for holder in graph.entries(\.kind.collects) {
      let name = reactor.plan.core[reactor.plan.templates[holder.template].entries[holder.entry].node].definition
      let count = reactor.liveFrames(of: holder.template).reduce(0) { $0 + reactor.collected($1, holder.entry) }
      if count > 0 { counts.append((name, kind(holder), count)) }
    }
    return counts.map { "`\($0.name)` (\($0.kind.heldName) of \($0.count))" }
      .joined(separator: ", ")
  }
}

extension EntryKind {
  /// Whether it shows by itself, in time, what it keeps.
  fileprivate var holdsBack: Bool {
    switch holding {
    case .queue, .word, .tasks, .scope: true
    case .nothing, .part: false
    }
  }

  fileprivate var heldName: String {
    switch holding {
    case .queue(let name), .word(let name), .tasks(let name), .scope(let name), .part(let name, _): name
    case .nothing: ""
    }
  }

  /// Whether it keeps what is not complete.
  fileprivate var collects: Bool { if case .part = holding { true } else { false } }
}

extension Reactor {
  /// Instances of scopes by their template.
  fileprivate func liveFrames() -> [Int: [FrameRef]] {
    let alive = (0..<live.frames.count).compactMap { live.frames.frames[$0] }.filter(\.pointee.isLive)
    return Dictionary(grouping: alive) { $0.pointee.template.pointee.index }.merging([0: [live.root]]) { $1 }
  }

  fileprivate func liveFrames(of template: Int) -> [FrameRef] {
    template == 0 ? [live.root] : liveFrames()[template] ?? []
  }

  private func words(_ frame: FrameRef, _ index: Int) -> (kind: EntryKind, words: Address) {
    let entry = frame.pointee.template.pointee.entries + index
    return (entry.pointee.kind, frame.pointee.state + Int(entry.pointee.state))
  }

  /// The due time of the first that an entry holds back; of tasks the age of the oldest run, or with `Queue` its number.
  /// Nil if it holds nothing.
  fileprivate func oldestHeld(_ frame: FrameRef, _ index: Int) -> UInt64? { held(frame, index, isNewest: false) }

  /// The same of the last one.
  fileprivate func newestHeld(_ frame: FrameRef, _ index: Int) -> UInt64? { held(frame, index, isNewest: true) }

  func held(_ frame: FrameRef, _ index: Int, isNewest: Bool) -> UInt64? {
    let (kind, words) = words(frame, index)
    switch kind.holding {
    case .queue:
      let queue = Queue(words + TimedState.queue, width: 2)
      return queue.isEmpty ? nil : queue.element(isNewest ? queue.count - 1 : 0)[0]
    case .word:
      if words[TimedState.isWaiting] == 0 { return nil }
      let timer = words[TimedState.timer]
      return timer == 0 ? UInt64(now.nanoseconds) : UInt64(live.timers.rows[Int(timer) - 1].due)
    case .tasks:
      let entry = frame.pointee.template.pointee.entries + index
      return entry.pointee.performsSources ? nil : heldTask(words, isNewest: isNewest)
    case .scope:
      return self.frame(words[OwnerState.current]).flatMap { timerIn($0, isNewest: isNewest) }
    case .nothing, .part: return nil
    }
  }

  /// When the first timer of a frame and the scopes in it is due, or the last; nil without one.
  private func timerIn(_ frame: FrameRef, isNewest: Bool) -> UInt64? {
    var found: [UInt64] = []
    var frames = [frame]
    while let next = frames.popLast() {
      let template = next.pointee.template
      for place in 0..<template.pointee.holdingCount {
        let row = template.pointee.holdings[place]
        let words = next.pointee.state + Int(row.offset)
        switch row.content {
        case .timer: if isArmed(words.pointee) { found.append(UInt64(live.timers.rows[Int(words.pointee) - 1].due)) }
        case .scopes:
          var child = self.frame(words[OwnerState.firstChild])
          while let inner = child {
            frames.append(inner)
            child = inner.pointee.nextSibling
          }
        case .queue, .tasks, .value: break
        }
      }
    }
    return isNewest ? found.max() : found.min()
  }

  /// The first run of a perform, or the last, that waits for more than events; -1 without one.
  private func firstRun(_ words: Address, isNewest: Bool) -> Int32 {
    var run = Int32(truncatingIfNeeded: Int(words[isNewest ? PerformState.lastRun : PerformState.firstRun]) - 1)
    while run >= 0, isOnlyAwaiting(run) {
      let row = live.tasks.runs + Int(run)
      run = isNewest ? row.pointee.previous : row.pointee.next
    }
    return run
  }

  /// Whether so much waits for a sink that sources are to wait, too: 65,536 values, or any where they and all else have come to a
  /// quarter of the memory. Not for one that waits for an event of the program, which may be one of theirs. Cost: O(the
  /// program's sinks).
  public var hasFullSinks: Bool {
    if sinkEntries.isEmpty || isOver || !hasStarted { return false }
    let room = heap.liveBytes + live.frameBytes > limits.heapBytes / 4 ? 1 : Self.roomOfSink
    return sinkEntries.contains { entry in
      let words = stateWords(PerformRef(frame: live.root, entry: entry))
      return Queue(words + PerformState.queue).count >= room && firstRun(words, isNewest: false) >= 0
    }
  }

  private static let roomOfSink = 65_536

  private func heldTask(_ words: Address, isNewest: Bool) -> UInt64? {
    let run = firstRun(words, isNewest: isNewest)
    let policy = Policy(rawValue: words[PerformState.policy].int)
    if policy != .queue, policy != .limit { return run < 0 ? nil : live.tasks.runs[Int(run)].age }
    let queue = Queue(words + PerformState.queue)
    if run < 0, queue.isEmpty || words[PerformState.firstRun] != 0 { return nil }
    if isNewest { return words[PerformState.queue + QueueState.tail] }
    return run < 0 ? words[PerformState.queue + QueueState.head] + 1 : live.tasks.runs[Int(run)].number
  }

  /// Whether the timer of an `after` is still to come.
  fileprivate func isRunning(_ frame: FrameRef, _ index: Int) -> Bool {
    isArmed(words(frame, index).words[TimedState.timer])
  }

  /// Whether an entry shows in a micro-step that was caused what it holds back.
  fileprivate func waitsForNextStep(_ frame: FrameRef, _ index: Int) -> Bool {
    live.caused.buffer.contains { $0.frame == frame && Int($0.entry) == index }
  }

  /// How many values an entry has not given out since they are not complete.
  fileprivate func collected(_ frame: FrameRef, _ index: Int) -> Int {
    let (kind, words) = words(frame, index)
    guard case .part(_, let offset) = kind.holding else { return 0 }
    return Queue(words + offset).count
  }
}
