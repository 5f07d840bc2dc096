// What a run takes, and whose it is: by entry, by what is continuous, by output that is looked at.
//
// In: a reactor that was told to count before it started. Out: how often each entry ran, what it showed, and what of the
// machine's steps, the heap's words and the time was its own.
// Rules
// - Every evaluation is measured, none is sampled: counts are the same in each run of the same inputs, only times are not.
// - What runs within an entry, such as the entries of the scopes that it owns, is theirs and not its own.
// - What it takes to measure is measured first, and taken off.
// - Integrals and comparisons that depend on one another are followed together: what that takes is shared out evenly.

import FRPCore
import FRPGraph
import FRPLibc

/// What a run takes, by entry.
public final class Profile {
  /// What was counted of one thing.
  public struct Row: Sendable, Hashable {
    /// How often it was evaluated; of what is continuous, how often it was followed on.
    public var runs = 0
    /// Occurrences, or changes of value.
    public var shown = 0
    /// Calls, turns of loops, and steps of library routines.
    public var steps = 0
    /// Words of the heap that were allocated.
    public var words = 0
    public var nanoseconds = 0.0

    public init() {}

    public static func += (row: inout Row, other: Row) {
      row.runs += other.runs
      row.shown += other.shown
      row.steps += other.steps
      row.words += other.words
      row.nanoseconds += other.nanoseconds
    }
  }

  /// What the counters say at a moment.
  private struct Reading {
    var steps = 0
    var words = 0
    var nanoseconds = 0.0
  }

  /// Something that is being measured, and what was within it.
  private struct Level {
    var start: Reading
    var within = Reading()
  }

  /// By template and entry.
  public internal(set) var rows: [[Row]]
  /// Of integrals and comparisons: what following them takes.
  public internal(set) var motion: [NodeID: Row] = [:]
  /// By output: what looking at its value takes.
  public internal(set) var looks: [Int: Row] = [:]
  /// By definition: instants in which one of its entries ran.
  public private(set) var instants: [String: Int] = [:]

  private let machine: Machine
  private var levels: [Level] = []
  /// Numbers of definitions by template and entry, their names, and the last instant of each.
  private let definitions: [[Int]]
  private let names: [String]
  private var counts: [(last: UInt64, instants: Int)]
  /// By template: entries that are never run, only shown.
  fileprivate let sources: [[Int]]
  /// Nanoseconds that an empty measurement measures, and that it takes.
  private var inside = 0.0
  private var outside = 0.0

  init(_ plan: Plan, _ machine: Machine) {
    self.machine = machine
    rows = plan.templates.map { [Row](repeating: Row(), count: $0.entries.count) }
    var numbers: [String: Int] = [:]
    var names: [String] = []
    definitions = plan.templates.map { template in
      template.entries.map { entry in
        let name = plan.core[entry.node].definition
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
      }
    }
    self.names = names
    counts = [(last: UInt64, instants: Int)](repeating: (0, 0), count: names.count)
    sources = plan.templates.map { template in
      template.entries.indices.filter { template.entries[$0].kind.isOnlyShown }
    }
    weighMeasuring()
  }

  /// Measures nothing, many times.
  private func weighMeasuring() {
    var own: [Double] = []
    enter()
    for _ in 0..<501 {
      enter()
      own.append(leave().nanoseconds)
    }
    inside = own.sorted()[250]
    let rounds = 1_000
    let before = Self.now()
    for _ in 0..<rounds {
      enter()
      _ = leave()
    }
    outside = (Self.now() - before) / Double(rounds)
    _ = leave()
  }

  // MARK: Measuring

  func enter() {
    levels.append(Level(start: Reading()))
    levels[levels.count - 1].start = read()
  }

  /// What was its own since the last `enter` that is open.
  func leave() -> Row {
    let end = read()
    let level = levels.removeLast()
    let steps = max(0, end.steps - level.start.steps)
    let words = max(0, end.words - level.start.words)
    let time = max(0, end.nanoseconds - level.start.nanoseconds - inside)
    if !levels.isEmpty {
      levels[levels.count - 1].within.steps += steps
      levels[levels.count - 1].within.words += words
      levels[levels.count - 1].within.nanoseconds += time + outside
    }
    var row = Row()
    row.runs = 1
    row.steps = max(0, steps - level.within.steps)
    row.words = max(0, words - level.within.words)
    row.nanoseconds = max(0, time - level.within.nanoseconds)
    return row
  }

  /// Steps count down.
  private func read() -> Reading {
    Reading(
      steps: -machine.stepsLeft, words: (machine.heap.usedBytes + machine.heap.reclaimedBytes) / 8,
      nanoseconds: Self.now())
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  // MARK: Adding

  func leave(_ template: Int, entry: Int, shown: Int, instant: UInt64) {
    var row = leave()
    row.shown = shown
    rows[template][entry] += row
    let number = definitions[template][entry]
    if counts[number].last != instant {
      counts[number] = (instant, counts[number].instants + 1)
      instants[names[number]] = counts[number].instants
    }
  }

  /// What following these together took: its steps are of a budget that begins anew, and are not counted.
  func leave(motionOf nodes: [NodeID]) {
    let row = leave()
    for (place, node) in nodes.enumerated() {
      var part = Row()
      part.runs = 1
      part.words = row.words / nodes.count + (place < row.words % nodes.count ? 1 : 0)
      part.nanoseconds = row.nanoseconds / Double(nodes.count)
      motion[node, default: Row()] += part
    }
  }

  func leave(lookAt output: Int) { looks[output, default: Row()] += leave() }
}

extension EntryKind {
  /// Whether an instant shows it without running it: what was seeded, what was due.
  fileprivate var isOnlyShown: Bool {
    switch self {
    case .inputBehavior, .member, .inputEvent, .start, .end, .every, .after, .group, .delay, .debounce, .audit, .when,
      .perform, .delayBehavior, .awaited:
      true
    default: false
    }
  }
}

extension Reactor {
  /// What has been counted; nil where nobody asked.
  public var profile: Profile? { live.profile }

  /// Counts what the run takes, from its start on. The plan must be one whose entries all run as entries: without
  /// `directInputs` and `directGroups`.
  public func count() {
    if hasStarted || live.profile != nil { return }
    live.profile = Profile(plan, machine)
    live.isProfiled = true
  }

  /// `run` of a frame in a run that counts.
  @inline(never)
  func runProfiled(_ frame: FrameRef, below limit: Int) throws(Fault) {
    guard let profile = live.profile else { return }
    let template = frame.pointee.template
    countSources(frame, below: limit, profile)
    while let index = firstMarked(frame), index < limit {
      frame.pointee.dirty[index >> 6] &= ~(1 << UInt64(index & 63))
      profile.enter()
      var fault: Fault?
      do throws(Fault) { try execute(frame, index) } catch { fault = error }
      profile.leave(template.pointee.index, entry: index, shown: shown(frame, index), instant: live.instant)
      if let fault {
        frame.pointee.dirty[index >> 6] |= 1 << UInt64(index & 63)
        throw fault
      }
      // An owner that marks its scopes marks itself; it has just run.
      frame.pointee.dirty[index >> 6] &= ~(1 << UInt64(index & 63))
    }
  }

  /// How many occurrences an entry has in this instant; of a behavior, whether it has changed.
  private func shown(_ frame: FrameRef, _ index: Int) -> Int {
    let info = frame.pointee.info[index]
    if info.instant != live.instant { return 0 }
    return frame.pointee.template.pointee.entries[index].slot < 0 ? Int(info.count) : 1
  }

  /// What was seeded in a frame: the early part runs before the late one.
  private func countSources(_ frame: FrameRef, below limit: Int, _ profile: Profile) {
    let template = frame.pointee.template
    let low = frame.pointee.parent == nil || limit == template.pointee.earlyCount ? 0 : template.pointee.earlyCount
    for index in profile.sources[template.pointee.index] where index >= low && index < limit {
      profile.rows[template.pointee.index][index].shown += shown(frame, index)
    }
  }

  /// Looks at an output in a run that counts.
  func looking(at output: Int, _ body: () -> Result<Word, Fault>) -> Result<Word, Fault> {
    guard let profile = live.profile else { return body() }
    profile.enter()
    let result = body()
    profile.leave(lookAt: output)
    return result
  }
}

extension ContinuousSolver {
  /// Follows a group, and counts what that takes where somebody asked.
  @inline(__always)
  func following<Value>(_ group: ContinuousGroup, _ body: () -> Value) -> Value {
    guard let profile = reactor.live.profile else { return body() }
    profile.enter()
    let result = body()
    let moving = group.integrals.isEmpty ? group.guards.map(\.node) : group.integrals.map(\.node)
    if moving.isEmpty { _ = profile.leave() } else { profile.leave(motionOf: moving) }
    return result
  }
}
