// Which rows read which, and so which of them form a group, and what a group reads of others.
//
// In: rows and frames as they start and go. Out: groups of rows that depend on one another in a circle, each with the groups that it
// reads (GroupSources.swift); what is to start anew with what.
// Rules:
// - Whoever only reads has no part in what it reads: it may come and go, and nothing there is followed otherwise.
// - What reads a continuous scope (`switch`, `each`, …) reads what that scope's instances are made of.
// - A comparison that may slide, others of one difference with it, what they compare, and the rates that read them are one group, whoever
//   reads whom: while it slides, they have their rates of one another.
// - Groups grow together and are not taken apart while they live, since that could only save work.

import FRPBase
import FRPCore
import FRPGraph

/// Which rows read which. Cost: O(1) for a link, amortized, whether it comes or goes.
struct RowLinks {
  private var sources: [RowOwner: Neighbors] = [:]
  private var readers: [RowOwner: Neighbors] = [:]

  /// Rows, each once. Their order follows from what came and went.
  private struct Neighbors {
    private(set) var list: [RowOwner] = []
    /// Where each stands.
    private var places: [RowOwner: Int] = [:]

    mutating func insert(_ row: RowOwner) -> Bool {
      if places[row] != nil { return false }
      places[row] = list.count
      list.append(row)
      return true
    }

    mutating func remove(_ row: RowOwner) {
      guard let place = places.removeValue(forKey: row), let last = list.popLast(), last != row else { return }
      list[place] = last
      places[last] = place
    }
  }

  func sources(of row: RowOwner) -> [RowOwner] { sources[row]?.list ?? [] }
  func readers(of row: RowOwner) -> [RowOwner] { readers[row]?.list ?? [] }

  /// Whether the link is new.
  mutating func add(_ reader: RowOwner, reads source: RowOwner) -> Bool {
    if reader == source || !sources[reader, default: Neighbors()].insert(source) { return false }
    _ = readers[source, default: Neighbors()].insert(reader)
    return true
  }

  mutating func remove(_ row: RowOwner) {
    removeSources(of: row)
    for reader in readers(of: row) { sources[reader]?.remove(row) }
    readers[row] = nil
  }

  /// Whether it has read anything.
  @discardableResult
  mutating func removeSources(of row: RowOwner) -> Bool {
    guard let before = sources.removeValue(forKey: row) else { return false }
    for source in before.list { readers[source]?.remove(row) }
    return !before.list.isEmpty
  }
}

/// What has changed about the groups since they last were put in order.
struct OpenLinks {
  /// New links.
  var added: [(reader: RowOwner, source: RowOwner)] = []
  /// Numbers of groups whose rows read others than they did.
  var groups: Set<Int> = []

  var isEmpty: Bool { added.isEmpty && groups.isEmpty }
}

/// Nodes that somebody reads, as seen from a frame.
private struct ReadNodes {
  var reader: RowOwner
  var nodes: [NodeID]
  var frame: FrameRef
  /// They are one group with the reader.
  var isJoined: Bool
}

/// What is delayed has been noted as read: there may be many ways to it.
private struct DelayedRead: Hashable {
  var reader: RowOwner
  var delay: RowOwner
  var isJoined: Bool
}

extension ContinuousSolver {
  // MARK: Links

  /// Links what the rows of a new frame read.
  func linkRows(_ frame: FrameRef) {
    let template = frame.pointee.template
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      if reactor.plan.entryOfNode[entry.node.index] != Int32(index) { continue }
      switch core[entry.node].op.motion {
      case .integral(let rate): link(owner(frame, index), to: reads.links(rate), frame: frame)
      case .crossing(_, let left, let right):
        link(
          owner(frame, index), to: reads.links(left) + reads.links(right), frame: frame,
          isJoined: reads.isAtSteeringLimit(entry.node))
      case .time, .lift, .delayed, .switched, .members, .groups, .chosen, .member, .step: break
      }
    }
  }

  /// What reads the scope that this frame is an instance of reads the frame's results.
  func linkToOwner(_ frame: FrameRef) {
    guard let parent = frame.pointee.parent else { return }
    let scope = owner(parent, Int(frame.pointee.owner))
    guard let number = home[scope] else { return }
    // What is shown takes the place of what was shown before.
    let shows = parent.pointee.template.pointee.entries[Int(scope.entry)].kind.owner
    if shows?.showsMany == false, links.removeSources(of: scope) {
      touch(number)
      reopen(number)
    }
    for nodes in results(of: frame) { link(scope, to: nodes, frame: frame, isJoined: joinedScopes.contains(scope)) }
  }

  /// By result of a scope's instance: what it reads.
  private func results(of frame: FrameRef) -> [[NodeID]] {
    core[reactor.plan.templates[frame.pointee.template.pointee.index].scope].results.map { reads.links(of: $0) }
  }

  /// Notes what a reader reads, as seen from `frame`; `isJoined`: they are one group. Cost: O(what is read in that way, once each).
  private func link(_ reader: RowOwner, to sources: [NodeID], frame: FrameRef, isJoined: Bool = false) {
    var pending = [ReadNodes(reader: reader, nodes: sources, frame: frame, isJoined: isJoined)]
    var delays: Set<DelayedRead> = []
    while let read = pending.popLast() {
      for source in read.nodes { link(source, read, &pending, &delays) }
    }
  }

  private func link(
    _ source: NodeID, _ read: ReadNodes, _ pending: inout [ReadNodes], _ delays: inout Set<DelayedRead>
  ) {
    guard var (holder, owner) = place(of: source, from: read.frame) else { return }
    var isOne = read.isJoined || reads.leadsToSteering(source)
    switch core[source].op.motion {
    case .integral: isOne = read.isJoined
    case .crossing: break
    case .delayed(let inner, _):
      let isNew = delays.insert(DelayedRead(reader: read.reader, delay: owner, isJoined: read.isJoined)).inserted
      guard isNew else { return }
      pending.append(
        ReadNodes(reader: read.reader, nodes: reads.sources(of: inner), frame: holder, isJoined: read.isJoined))
      if let duration = duration(of: source, from: holder), duration > 0, let group = group(of: read.reader) {
        group.longestStep = min(group.longestStep, duration)
      }
      return
    case .chosen(let choose, _):
      guard let chooser = place(of: choose, from: holder) else { return }
      (holder, owner) = chooser
      linkScope(owner, holder, isJoined: isOne, &pending)
    case .switched(let first, _):
      // Once, however many ways lead to it.
      let isNew = linkScope(owner, holder, isJoined: isOne, &pending)
      if !isNew || hasInstance(owner, holder) { break }
      pending.append(ReadNodes(reader: owner, nodes: reads.sources(first), frame: holder, isJoined: isOne))
    case .members, .groups: linkScope(owner, holder, isJoined: isOne, &pending)
    case .time, .lift, .member, .step: return
    }
    if home[owner] == nil { return }
    add(read.reader, reads: owner)
    if isOne { add(owner, reads: read.reader) }
  }

  /// Gives an owner of scopes a group, and lets it read the results of all instances it has; whether it did not do so before.
  @discardableResult
  private func linkScope(_ scope: RowOwner, _ frame: FrameRef, isJoined: Bool, _ pending: inout [ReadNodes]) -> Bool {
    let isNew = home[scope] == nil
    if isNew { group(for: scope).scopes.append(scope) }
    let isNewlyJoined = isJoined && joinedScopes.insert(scope).inserted
    guard isNew || isNewlyJoined else { return false }
    let entry = frame.pointee.template.pointee.entries[Int(scope.entry)]
    var next = reactor.frame(frame.pointee.state[Int(entry.state) + OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      for nodes in results(of: child) {
        pending.append(ReadNodes(reader: scope, nodes: nodes, frame: child, isJoined: joinedScopes.contains(scope)))
      }
    }
    return true
  }

  private func hasInstance(_ scope: RowOwner, _ frame: FrameRef) -> Bool {
    let entry = frame.pointee.template.pointee.entries[Int(scope.entry)]
    return reactor.frame(frame.pointee.state[Int(entry.state) + OwnerState.current]) != nil
  }

  private func add(_ reader: RowOwner, reads source: RowOwner) {
    guard links.add(reader, reads: source) else { return }
    open.added.append((reader, source))
    if let number = home[reader] { touch(number) }
  }

  /// Forgets a row, which is gone; what read it reads less.
  func unlink(_ row: RowOwner) {
    for reader in links.readers(of: row) {
      guard let number = home[reader] else { continue }
      touch(number)
      reopen(number)
    }
    links.remove(row)
    joinedScopes.remove(row)
  }

  // MARK: Groups

  /// Puts the groups in order after links came or went: what reads one another becomes one group, and each knows which it reads.
  func settleLinks() {
    if open.isEmpty { return }
    joinCircles()
    for (reader, _) in open.added { if let number = home[reader] { reopen(number) } }
    let numbers = open.groups.sorted()
    open = OpenLinks()
    var places: [Int: [RowOwner: Int]] = [:]
    for number in numbers { groups[number].map { findSources($0, &places) } }
  }

  /// The rows of a group read others than they did; so do those of its readers, if they read through a scope of it.
  func reopen(_ number: Int) {
    var pending = [number]
    while let number = pending.popLast() {
      guard let group = groups[number], open.groups.insert(number).inserted, !group.scopes.isEmpty else { continue }
      pending += group.readers
    }
  }

  /// Groups that have come to read one another become one. A circle that is new goes through a new link.
  private func joinCircles() {
    var reached: Set<Int> = []
    var pending = open.added.compactMap { link in links.readers(of: link.reader).isEmpty ? nil : home[link.source] }
    while let number = pending.popLast() {
      if reached.insert(number).inserted { pending += linked(number) }
    }
    if reached.count < 2 { return }
    for circle in stronglyConnected(reached.sorted(), { linked($0) }) where circle.count > 1 { join(circle) }
  }

  /// The groups that rows of a group read.
  private func linked(_ number: Int) -> [Int] {
    groups[number].map { group in
      rows(of: group).flatMap { links.sources(of: $0) }.compactMap { home[$0] }.filter { $0 != number }
    } ?? []
  }

  private func rows(of group: ContinuousGroup) -> [RowOwner] {
    group.integrals.map(\.owner) + group.guards.map(\.owner) + group.scopes
  }

  /// Makes one group of several; the largest takes in the others.
  private func join(_ numbers: [Int]) {
    let all = numbers.compactMap { groups[$0] }
    guard let into = all.max(by: { (rows(of: $0).count, $1.number) < (rows(of: $1).count, $0.number) }) else { return }
    into.close(at: reactor.now.seconds)
    for from in all where from !== into {
      from.close(at: reactor.now.seconds)
      into.integrals += from.integrals
      into.guards += from.guards
      into.scopes += from.scopes
      into.hasSteering = into.hasSteering || from.hasSteering
      into.longestStep = min(into.longestStep, from.longestStep)
      for row in rows(of: from) { home[row] = into.number }
      if frozen.contains(from.number) { frozen.insert(into.number) }
      for reader in from.readers { reopen(reader) }
      remove(from.number)
    }
    for reader in into.readers { reopen(reader) }
    touch(into.number)
    reopen(into.number)
  }

  /// Finds the groups that a group reads, and what of them. `places`: of groups that have been looked into, where their integrals stand.
  private func findSources(_ group: ContinuousGroup, _ places: inout [Int: [RowOwner: Int]]) {
    for number in group.sources { groups[number]?.readers.removeAll { $0 == group.number } }
    var found: [Int: [Int]] = [:]
    var seen: Set<RowOwner> = []
    var pending = rows(of: group).flatMap { links.sources(of: $0) }
    while let row = pending.popLast() {
      guard seen.insert(row).inserted, let number = home[row], let source = groups[number] else { continue }
      let place: Int?
      if source.integrals.count < 8 {
        place = source.integrals.firstIndex { $0.owner == row }
      } else {
        if places[number] == nil {
          places[number] = Dictionary(
            source.integrals.indices.map { (source.integrals[$0].owner, $0) }, uniquingKeysWith: { first, _ in first })
        }
        place = places[number]?[row]
      }
      // Nothing is followed, or compared, in what only shows others.
      if place == nil, source.scopes.contains(row) { pending += links.sources(of: row) }
      if number == group.number { continue }
      found[number, default: []] += place.map { [$0] } ?? []
    }
    group.sources = found.keys.sorted()
    for number in group.sources { groups[number]?.readers.append(group.number) }
    group.feeders = []
    group.fed = []
    if group.integrals.isEmpty && group.guards.isEmpty { return }
    for number in group.sources {
      guard let source = groups[number], let integrals = found[number]?.sorted(), !integrals.isEmpty else { continue }
      group.fed += integrals.map { (group.feeders.count, $0) }
      group.feeders.append(Feeder(group: source, integrals: integrals))
    }
  }

  // MARK: Who reads

  /// Some groups and all that read them, what is read before what reads it.
  func withReaders(_ numbers: [Int]) -> [Int] {
    if numbers.allSatisfy({ groups[$0]?.readers.isEmpty ?? true }) { return numbers }
    var reached: Set<Int> = []
    var list: [Int] = []
    var next = 0
    for number in numbers where reached.insert(number).inserted { list.append(number) }
    while next < list.count {
      for reader in groups[list[next]]?.readers ?? [] where reached.insert(reader).inserted { list.append(reader) }
      next += 1
    }
    var result: [Int] = []
    var pending: [(number: Int, isOpen: Bool)] = list.reversed().map { ($0, false) }
    while let (number, isOpen) = pending.popLast() {
      if isOpen {
        result.append(number)
      } else if reached.remove(number) != nil {
        pending.append((number, true))
        for source in (groups[number]?.sources ?? []).reversed() where reached.contains(source) {
          pending.append((source, false))
        }
      }
    }
    return result
  }

  /// The group of a row and all that it reads, be it through others.
  func withSources(of row: RowOwner) -> [Int] {
    guard let number = home[row] else { return [] }
    var list = [number]
    var seen: Set<Int> = [number]
    var next = 0
    while next < list.count {
      for source in groups[list[next]]?.sources ?? [] where seen.insert(source).inserted { list.append(source) }
      next += 1
    }
    return list
  }

  func bring(readersOf group: ContinuousGroup, to t: Double) -> Bool {
    for number in withReaders([group.number]).dropFirst() {
      guard let reader = groups[number] else { continue }
      // Within the shortest step of it they have come to it.
      if !reader.come(to: t - Stepper.shortest(t)) { return false }
    }
    return true
  }

  /// What reads a group that has started anew between instants does so with it.
  func renew(readersOf group: ContinuousGroup) {
    for number in withReaders([group.number]).dropFirst() {
      guard let reader = groups[number] else { continue }
      reader.computeState(at: group.origin)
      reader.renew(at: group.origin)
      refresh(number)
    }
  }

  func needed(by readers: [Int]) -> Double {
    let stop = min(leastReach(), knownUntil.first.key, nextSwitches.first.key)
    return readers.reduce(isForeseeing || isSettling ? present : max(present, stop)) {
      min($0, groups[$1]?.needs ?? .infinity)
    }
  }
}
