// The entries of `floor` and `ceil` of what moves, and of the two comparisons that locate their moments: with the limit
// above the present whole number, and with the one below.
//
// - Where one of them is located, the number goes over that limit, whatever rounding has made of the Float there.
// - Where the Float jumps, or its scope starts, the number is what the Float says; exactly at a limit, what it goes to.
// - The comparisons are never shown true: once one of them holds, the limits are others.

import FRPCore
import FRPGraph

/// A limit of what is rounded that the running instant passes.
struct PassedLimit {
  var limit: ContinuousReads.RoundingLimit
  /// Nothing can take that back.
  var isSure: Bool
  /// The comparison with it.
  var owner: RowOwner
}

extension Reactor {
  func isLimitOfRounding(_ frame: FrameRef, _ entry: EntryRef) -> Bool {
    let reads = solver(for: frame).reads
    return !reads.roundings.isEmpty && reads.roundings[entry.pointee.node] != nil
  }

  /// A limit has been reached, or lies behind already: the number is computed in its place in the instant.
  func passLimit(_ limit: ContinuousReads.RoundingLimit, of seed: CrossingSeed, solver: ContinuousSolver) {
    let index = Int(plan.entryOfNode[limit.rounding.index])
    solver.passed[RowOwner(frame: UInt(bitPattern: seed.frame), entry: Int32(index))] = PassedLimit(
      limit: limit, isSure: seed.isLate, owner: seed.owner)
    mark(seed.frame, index)
  }

  /// The whole number, or the Float, is another one: so is what the comparison compares.
  func moveLimit(_ site: EntrySite, _ owner: RowOwner) {
    guard let solver = live.solver else { return }
    if let before = try? sides(site.entry, site.frame.pointee.old),
      let now = try? sides(site.entry, site.frame.pointee.new), before == now
    {
      return
    }
    if solver.passedLimits.contains(owner) { solver.standAtLimit(owner) } else { solver.leaveLimit(owner) }
  }

  // MARK: The number

  /// The Float may have jumped. If it has not, the number stays, or goes over the limit that was passed.
  func runRounding(_ site: EntrySite) throws(Fault) {
    let slot = site.frame.pointee.new + Int(site.entry.pointee.slot)
    let passed = live.solver?.passed[RowOwner(site)]
    do throws(Fault) {
      let x = try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.new).float
      if machine.poison(at: slot) == nil, site.frame.pointee.born != live.instant,
        let before = try? machine.run(code(site.entry.pointee.code), base: site.frame.pointee.old).float, before == x
      {
        if let passed { try goOver(passed, slot.pointee.int, x, site) }
        return
      }
      store(site, try rounded(x, site, isBirth: false, old: false))
    } catch {
      try storeFault(site, error)
    }
  }

  /// The number goes over a limit that was located, unless the rest of the instant takes the Float back from there.
  private func goOver(
    _ passed: PassedLimit, _ number: Int, _ x: Double, _ site: EntrySite
  ) throws(Fault) {
    let isAbove = passed.limit.isAbove
    let next = number + (isAbove ? 1 : -1)
    let limit = Double(passed.limit.prim == .floor ? max(number, next) : min(number, next))
    let nearest = x.rounded()
    let drift =
      (x - nearest).magnitude <= 1e-9 * max(1, nearest.magnitude)
      ? live.solver?.drift(rounding: site.entry.pointee.node, of: x, frame: site.frame, isBirth: false, old: false)
      : nil
    if !passed.isSure, nearest == limit, let drift, isAbove ? drift < 0 : drift > 0 {
      live.solver?.touch(passed.owner)
      return
    }
    // Where the Float jumps without an instant, as a remainder does, it may have gone further, or to another limit.
    let there =
      drift.map { leaving(Int(exactly: nearest) ?? next, $0, passed.limit.prim) } ?? whole(x, passed.limit.prim) ?? next
    let other = plan.entryOfNode[passed.limit.other.index]
    live.solver?.passedLimits.insert(RowOwner(frame: UInt(bitPattern: site.frame), entry: other))
    store(site, Word(int: isAbove ? max(next, there) : min(next, there)))
  }

  func startRounding(_ site: EntrySite, isGroup: Bool) throws(Fault) {
    if isGroup {
      return try begin(site) { (isOld) throws(Fault) in
        let x = try machine.run(
          code(site.entry.pointee.code), base: isOld ? site.frame.pointee.old : site.frame.pointee.new
        ).float
        if !isOld { return try rounded(x, site, isBirth: true, old: false) }
        // Just before the instant that made the group: as it will be, unless the Float jumps.
        let now = try? machine.run(code(site.entry.pointee.code), base: site.frame.pointee.new).float
        return try rounded(x, site, isBirth: true, old: now != x)
      }
    }
    do throws(Fault) {
      let x = try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.new).float
      begin(site, try rounded(x, site, isBirth: true, old: false))
    } catch {
      try beginFault(site, error)
    }
  }

  /// What a Float is rounded to just after; exactly at a limit, the way it moves decides.
  private func rounded(_ x: Double, _ site: EntrySite, isBirth: Bool, old: Bool) throws(Fault)
    -> Word
  {
    let prim = Prim(rawValue: UInt16(truncatingIfNeeded: site.entry.pointee.count)) ?? .floor
    guard let here = whole(x, prim) else { throw Fault(.overflow, "this Float is out of the range of Int") }
    guard x == x.rounded(),
      let drift = solver(for: site.frame).drift(
        rounding: site.entry.pointee.node, of: x, frame: site.frame, isBirth: isBirth, old: old)
    else { return Word(int: here) }
    return Word(int: leaving(here, drift, prim))
  }

  /// What a Float at a limit is rounded to, by where it goes.
  private func leaving(_ limit: Int, _ drift: Double, _ prim: Prim) -> Int {
    switch prim {
    case .floor: drift < 0 ? limit - 1 : limit
    default: drift > 0 ? limit + 1 : limit
    }
  }

  private func whole(_ x: Double, _ prim: Prim) -> Int? { Int(exactly: x.rounded(prim == .floor ? .down : .up)) }
}

extension ContinuousSolver {
  /// After an instant: what it passed lies behind.
  func forgetPassed() {
    if passed.isEmpty { return }
    passed.removeAll(keepingCapacity: true)
    passedLimits.removeAll(keepingCapacity: true)
  }

  /// What a comparison compares stands exactly at its limit now.
  func standAtLimit(_ owner: RowOwner) {
    guard let group = group(of: owner) else { return }
    for index in group.guards.indices where group.guards[index].owner == owner {
      group.guards[index].limitTime = reactor.now.seconds
    }
  }
}
