// When the next crossing is, and what happens there.
//
// Groups are looked at in lockstep: always the one that is known for the shortest time goes one window further, with the
// steps of those that it reads. So none is more than a step ahead of the moment that turns out to be the next but for
// the sake of what reads it, and all have come there; steps since then are kept (StepTrail.swift).

import FRPCore
import FRPGraph

/// A comparison that takes a new value.
struct CrossingSeed {
  var owner: RowOwner
  var frame: FrameRef
  var entry: Int
  var holds: Bool
  /// Its scope has just started: no `when` occurs.
  var isSilent: Bool
  /// It is otherwise than its slot says since the newest instant, and was not located.
  var isLate = false
}

/// A comparison that is otherwise just after the newest instant than its slot says.
struct Fixup {
  var owner: RowOwner
  /// It is new.
  var isSilent: Bool
  /// It was located at its limit at this very moment and is about to leave it: a crossing, before which everything that was
  /// caused runs, and may turn it back.
  var isLeaving: Bool
}

/// What is to happen in one instant of crossings.
struct CrossingBatch {
  var seeds: [CrossingSeed] = []
  /// The same comparison became true at this very moment before, and so it would go on for ever.
  var standsStill = false
}

extension ContinuousSolver {
  /// How far to look, in seconds and in windows, where nothing limits the search.
  private static let outlookSeconds = 10.0
  private static let mostWindows = 4000

  /// The first located crossing at or before `limit` (nanoseconds); within half a nanosecond of the next timer, at
  /// `due`, it is at that time. Until then everything has been followed. Nil, and `brokenOff`, where the call is to end.
  func nextCrossing(before limit: Int64, due: Int64) -> Moment? {
    if !untold.isEmpty { tellWhatStands() }
    if !fixups.isEmpty { return reactor.now }
    let last = limit == Clock.never ? Double.infinity : Double(limit) / 1e9
    let end = last + GuardScan.together
    grantTime()
    while true {
      let (first, known, next) = outlook()
      let isKnown = first <= known || known >= end
      let target = min(isKnown ? first : known, last)
      // The steps since the group that has come least far are kept, so that the clock may stop anywhere.
      let goesOn = target == .infinity || follow(to: target)
      if isKnown, goesOn { return first <= end && first < .infinity ? moment(first, due) : nil }
      if !goesOn || !lookFurther(next) {
        let reached = max(reactor.now.seconds, min(knownUntil.first.key, leastReach()))
        brokenOff = Moment(located: reached, before: limit, after: reactor.now)
        return nil
      }
    }
  }

  /// How far all groups have come in which nothing is compared. Some are asked by others for more, which nobody has noted.
  func leastReach() -> Double {
    while reached.first.key < .infinity, let group = groups[reached.first.number], group.reach > reached.first.key {
      refresh(group.number)
    }
    return reached.first.key
  }

  /// Makes the steps of groups in which nothing is compared, in turns; false where the call is to end.
  private func follow(to time: Double) -> Bool {
    while leastReach() < time, let group = groups[reached.first.number] {
      defer { refresh(group.number) }
      if !following(group, { group.makeStep() }) { return false }
    }
    return true
  }

  /// The same without a limit, and without a commitment: inputs may come before. Where no crossing is in sight, a
  /// moment at which to ask again; nil if there will be none.
  func foreseeCrossing(before due: Int64) -> Moment? {
    if !fixups.isEmpty { return reactor.now }
    let now = reactor.now.seconds
    let end = due == Clock.never ? Double.infinity : Double(due) / 1e9 + GuardScan.together
    grantTime()
    isForeseeing = true
    defer { isForeseeing = false }
    var windows = 0
    while true {
      let (first, known, next) = outlook()
      if first <= known || known >= end { return first <= end && first < .infinity ? moment(first, due) : nil }
      let isFar = known > now + ContinuousSolver.outlookSeconds || windows >= ContinuousSolver.mostWindows
      windows += 1
      if isFar || !lookFurther(next) { return Moment(located: max(known, now)) }
    }
  }

  /// The first switch that is known, up to when all groups are known, and the group that is known for the shortest
  /// time.
  private func outlook() -> (first: Double, known: Double, next: ContinuousGroup?) {
    let (number, known) = knownUntil.first
    return (nextSwitches.first.key, known, known < .infinity ? groups[number] : nil)
  }

  /// Looks one window further in a group; false where that cannot be foreseen, or the call is to end.
  private func lookFurther(_ group: ContinuousGroup?) -> Bool {
    guard let group else { return false }
    defer { refresh(group.number) }
    return following(group) { group.lookFurther() }
  }

  private func moment(_ seconds: Double, _ due: Int64) -> Moment {
    let now = reactor.now
    if seconds <= now.seconds { return now }
    if due != Clock.never, (seconds - Double(due) / 1e9).magnitude <= GuardScan.together {
      return due == now.nanoseconds ? now : Moment(nanoseconds: due)
    }
    return Moment(located: seconds)
  }

  /// What switches at the present: what the newest instant left to be put right, or else what was located here.
  func takeCrossings() -> CrossingBatch {
    if !fixups.isEmpty { return takeFixups(leaving: true) }
    var batch = CrossingBatch()
    let now = reactor.now.seconds
    while nextSwitches.first.key <= now + GuardScan.together, let group = groups[nextSwitches.first.number] {
      let switches = following(group) { group.passSwitches(at: now) }
      refresh(group.number)
      if switches.isTurn {
        turned.append(group.number)
        touch(group.number)
        areSlotsCurrent = false
      }
      for index in switches.taken where !isSilent(group.guards[index].owner) {
        batch.standsStill = batch.standsStill || switches.standsStill
        taken.append(group.guards[index].owner)
        batch.seeds.append(seed(group.guards[index], isSilent: false))
      }
    }
    return batch
  }

  /// What the newest instant left to be put right, `leaving` or not what leaves its limit as well.
  func takeFixups(leaving: Bool) -> CrossingBatch {
    var batch = CrossingBatch()
    for fixup in fixups where leaving || !fixup.isLeaving {
      // What was caused before this may have turned it back.
      guard let row = row(fixup.owner), row.new[row.slot].bool != row.holds else { continue }
      batch.seeds.append(seed(row, isSilent: fixup.isSilent, isLate: true))
    }
    fixups.removeAll { leaving || !$0.isLeaving }
    return batch
  }

  /// What is to be put right is part of what faulted: it stays as it is until the comparisons have been false.
  func dropFixups() {
    for fixup in fixups { mute(fixup.owner) }
    fixups.removeAll(keepingCapacity: true)
  }

  private func row(_ owner: RowOwner) -> GuardRow? { group(of: owner)?.guards.first { $0.owner == owner } }

  private func seed(_ row: GuardRow, isSilent: Bool, isLate: Bool = false) -> CrossingSeed {
    // A row lives no longer than its frame.
    let frame = FrameRef(bitPattern: row.owner.frame).unsafelyUnwrapped
    return CrossingSeed(
      owner: row.owner, frame: frame, entry: Int(row.owner.entry), holds: row.holds, isSilent: isSilent,
      isLate: isLate)
  }

  /// The condition of a `when`, computed with the values just before the instant but the comparisons just after it;
  /// nil if it has none.
  func condition(of row: WhenRow) -> Bool? {
    // No collection sees what is put aside.
    machine.state.pointee.stillness += 1
    defer { machine.state.pointee.stillness -= 1 }
    var before: [Word] = []
    defer { for (place, word) in before.enumerated() { row.lifts[place].base[row.lifts[place].slot] = word } }
    for lift in row.lifts {
      guard let word = try? machine.run(lift.code, base: lift.base) else { return nil }
      before.append(lift.base[lift.slot])
      lift.base[lift.slot] = word
    }
    return machine.poison(at: row.condition) == nil ? row.condition.pointee.bool : nil
  }

  /// The clock stands still: says who takes part. The comparisons stay as they are, and the integrals that read them, be
  /// it through `hold`, stand still.
  func cycleFault(_ batch: CrossingBatch) -> Fault {
    var others: [NodeID] = []
    for seed in batch.seeds {
      mute(seed.owner)
      for row in whens.rows(above: [seed.owner]) {
        others.append(row.frame.pointee.template.pointee.entries[row.entry].node)
      }
      for number in withSources(of: seed.owner) { others += groups[number]?.integrals.map(\.node) ?? [] }
      freeze(readersOf: seed)
    }
    taken.removeAll(keepingCapacity: true)
    restartTurned()
    let nodes = batch.seeds.map { $0.frame.pointee.template.pointee.entries[$0.entry].node }
    reactor.live.runningNode = nodes[0]
    return stillFault(nodes, others)
  }

  private func freeze(readersOf seed: CrossingSeed) {
    let node = seed.frame.pointee.template.pointee.entries[seed.entry].node
    for group in groups {
      guard let group,
        group.freeze(where: { row in
          guard let frame = FrameRef(bitPattern: row.owner.frame), reads.dependsOn(row.node, node) else { return false }
          return isOnOneWay(frame, seed.frame)
        })
      else { continue }
      turned.append(group.number)
      didFreeze(group)
    }
  }

  /// Whether one of two frames is around the other, or both are the same.
  private func isOnOneWay(_ a: FrameRef, _ b: FrameRef) -> Bool {
    let (inner, outer) = a.pointee.template.pointee.depth >= b.pointee.template.pointee.depth ? (a, b) : (b, a)
    var next: FrameRef? = inner
    while let frame = next {
      if frame == outer { return true }
      next = frame.pointee.parent
    }
    return false
  }
}
