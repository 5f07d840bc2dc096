// keyed, groupBy and each: one instance a key.

import FRPBase
import FRPCore
import FRPGraph

extension Reactor {
  // MARK: keyed and groupBy

  /// Deals the outer occurrences out to their groups, making those that are new. Gives the groups that must run, as
  /// places in `frameStack`: those of the outer occurrences in their order, then the others by age.
  private func deal(_ site: EntrySite) throws(Fault) -> Range<Int> {
    let state = site.state
    let (first, count) = fed(site)
    let owners = live.frameStack.count
    for place in first..<first + count {
      let key = try machine.run(
        code(site.entry.pointee.code), base: site.frame.pointee.old, with: live.occurrences[place])
      live.frameStack.append(try group(site, key))
    }
    let groups = live.frameStack.count
    for place in owners..<groups {
      let child = live.frameStack[place]
      if child.pointee.dealt == 0 {
        live.frameStack.append(child)
        child.pointee.dealt = Int32(truncatingIfNeeded: live.frameStack.count - groups)
      }
    }
    try hand(owners: owners, groups: groups, from: first, count: count)
    passCaptures(site.frame, state)
    let dirty = takeDirty(state)
    var end = dirty.lowerBound
    for place in dirty where live.frameStack[place].pointee.dealt == 0 {
      live.frameStack[end] = live.frameStack[place]
      end += 1
    }
    for place in groups..<dirty.lowerBound { live.frameStack[place].pointee.dealt = 0 }
    live.frameStack.removeLast(to: end)
    return groups..<end
  }

  /// Hands the groups that lie from `groups` on their occurrences; those of all groups lie from `first` on, their groups
  /// from `owners` on. Cost: O(occurrences).
  private func hand(owners: Int, groups: Int, from first: Int, count: Int) throws(Fault) {
    if count == 0 { return }
    let inlet = Int(live.frameStack[owners].pointee.template.pointee.inlet)
    if inlet < 0 { return }
    if live.frameStack.count - groups == 1 {
      show(EntrySite(live.frameStack[groups], inlet), from: first, count: count)
      return
    }
    // Sorted by group: how many each has, where those of each begin, and each to its place.
    let start = live.occurrenceCount
    live.dealt.removeAll()
    for _ in groups..<live.frameStack.count { live.dealt.append(0) }
    for place in owners..<owners + count {
      live.dealt[Int(live.frameStack[place].pointee.dealt) - 1] += 1
      try add(0)
    }
    var end = start
    for group in live.dealt.indices {
      let size = live.dealt[group]
      live.dealt[group] = end
      end += size
    }
    for place in 0..<count {
      let group = Int(live.frameStack[owners + place].pointee.dealt) - 1
      live.occurrences[live.dealt[group]] = live.occurrences[first + place]
      live.dealt[group] += 1
    }
    var from = start
    for group in live.dealt.indices {
      let to = live.dealt[group]
      show(EntrySite(live.frameStack[groups + group], inlet), from: from, count: to - from)
      from = to
    }
  }

  /// The instance of a key, if there is one.
  @inline(__always)
  func find(_ key: Word, _ entry: EntryRef, in table: KeyTable) -> FrameRef? {
    let type = entry.pointee.keyType
    let hash = heap.hash(key, type)
    let found =
      heap.shapes[type].kind == .string
      ? table.find(hash) { heap.equalStrings($0.pointee.key, key) }
      : table.find(hash) { heap.equal($0.pointee.key, key, type: type) }
    return heap.state.pointee.hasGivenUp ? nil : found
  }

  /// The instance of a key, made if there is none.
  @inline(__always)
  private func group(_ site: EntrySite, _ key: Word) throws(Fault)
    -> FrameRef
  {
    if let child = find(key, site.entry, in: KeyTable(site.state + OwnerState.table)) { return child }
    return try newGroup(site, key)
  }

  @inline(never)
  private func newGroup(_ site: EntrySite, _ key: Word) throws(Fault)
    -> FrameRef
  {
    let table = KeyTable(site.state + OwnerState.table)
    let child = try birth(site, Int(site.entry.pointee.child))
    child.pointee.key = key
    setParameter(child, 0, to: key)
    table.insert(child, keyType: site.entry.pointee.keyType, heap: heap)
    try startFrame(child, isGroup: true)
    return child
  }

  func runKeyed(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let (place, count) = fed(site)
    let template = templates + Int(site.entry.pointee.child)
    if count == 1, state[OwnerState.dirty] == 0, template.pointee.earlyCaptureCount == 0,
      template.pointee.results[0].up == 0, template.pointee.resultCount == 1
    {
      return try runOneGroup(site, place)
    }
    try runGroups(site)
  }

  /// `runKeyed` of any occurrences.
  @inline(never)
  private func runGroups(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let bottom = live.frameStack.count
    let groups = try deal(site)
    for place in groups { try runEarly(live.frameStack[place]) }
    live.runningNode = site.entry.pointee.node
    let start = live.occurrenceCount
    try addResults(site.entry, state, ran: groups)
    endGroups(site, groups)
    live.frameStack.removeLast(to: bottom)
    emit(site, from: start)
  }

  /// The groups of `keyedUntil` and `groupUntil` whose end has occurred go. Those that ran lie at these places.
  private func endGroups(_ site: EntrySite, _ groups: Range<Int>) {
    let template = templates + Int(site.entry.pointee.child)
    if template.pointee.resultCount < 2 { return }
    let over = template.pointee.results[1]
    if over.up == 0 {
      for place in groups where occurred(live.frameStack[place], over).count > 0 { leave(live.frameStack[place]) }
      return
    }
    var next = frame(site.state[OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      if occurred(child, over).count > 0 { leave(child) }
    }
  }

  /// `runKeyed` where one group has something to do: that of the only occurrence.
  @inline(__always)
  private func runOneGroup(_ site: EntrySite, _ place: Int)
    throws(Fault)
  {
    let field = Int(site.entry.pointee.keyField)
    let key =
      field >= 0
      ? live.occurrences[place].field(field)
      : try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.old, with: live.occurrences[place])
    let child = try group(site, key)
    let template = child.pointee.template
    if template.pointee.sole >= 0, child.pointee.born != live.instant, runSole(site, child, place: place) { return }
    // It runs now, so it need not stand in the owner's list, where it may be if it has just started.
    site.state[OwnerState.dirty] = 0
    child.pointee.nextDirty = nil
    child.pointee.isQueued = true
    if !child.pointee.isTouched {
      child.pointee.isTouched = true
      live.touchedFrames.append(child)
    }
    if template.pointee.inlet >= 0 { show(EntrySite(child, Int(template.pointee.inlet)), from: place, count: 1) }
    try runEarly(child)
    live.runningNode = site.entry.pointee.node
    let (start, count) = occurred(child, template.pointee.results[0])
    if count > 0 { show(site, from: start, count: count) }
  }

  /// Hands a group its only occurrence where one entry takes it and nobody else looks: without marks, and without
  /// infos. Where it gives false, nothing has happened.
  @inline(__always)
  private func runSole(_ site: EntrySite, _ child: FrameRef, place: Int) -> Bool {
    let live = liveState
    let state = machine.state
    let template = child.pointee.template
    let row = template.pointee.rows + Int(template.pointee.sole)
    guard state.pointee.poisonCount == 0, live.pointee.occurrenceCount < live.pointee.occurrenceCapacity,
      let value = quickOccurrence(row, child, occurrence: live.pointee.occurrences[place], isUndoable: true)
    else { return false }
    if state.pointee.hasSkipped {
      state.pointee.hasSkipped = false
      return true
    }
    let shown = live.pointee.occurrenceCount
    live.pointee.occurrences[shown] = value
    live.pointee.occurrenceCount = shown &+ 1
    show(site, from: shown, count: 1)
    return true
  }

  /// What a group that exists, and in which only one entry runs, shows for an occurrence of its own; nil where there is
  /// more to do, and nothing has happened.
  @inline(__always)
  func quickGroup(_ site: EntrySite, _ occurrence: Word) -> Word? {
    guard let child = liveGroup(site, occurrence) else { return nil }
    let template = child.pointee.template
    return quickOccurrence(
      template.pointee.rows + Int(template.pointee.sole), child, occurrence: occurrence, isUndoable: false)
  }

  /// The group of an occurrence by a field of it, if that exists and nothing is to be done first.
  @inline(__always)
  func liveGroup(_ site: EntrySite, _ occurrence: Word) -> FrameRef? {
    let (entry, state) = (site.entry, site.state)
    if state[OwnerState.dirty] != 0 { return nil }
    return find(occurrence.field(Int(entry.pointee.keyField)), entry, in: KeyTable(state + OwnerState.table))
  }

  func runGroupBy(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let bottom = live.frameStack.count
    let groups = try deal(site)
    for place in groups { try runEarly(live.frameStack[place]) }
    live.runningNode = site.entry.pointee.node
    endGroups(site, groups)
    if site.entry.pointee.isContinuous {
      live.frameStack.removeLast(to: bottom)
      touch(site)
      return
    }
    let slot = site.new
    do throws(Fault) {
      if resultIsOutside(site.entry.pointee.child) || endIsOutside(site.entry.pointee.child)
        || machine.poison(at: slot) != nil
      {
        let map = try wholeMap(state, MapShape(heap.shapes, site.entry.pointee.type))
        live.frameStack.removeLast(to: bottom)
        store(site, map)
        return
      }
      let map = try updated(slot.pointee, groups, shape: MapShape(heap.shapes, site.entry.pointee.type))
      live.frameStack.removeLast(to: bottom)
      // One that was made anew differs: to compare two maps would cost more than to make one.
      if map != slot.pointee { replace(site, map) }
    } catch {
      live.frameStack.removeLast(to: bottom)
      try storeFault(site, error)
    }
  }

  /// Whether groups end with something outside of them: then it may end any of them.
  private func endIsOutside(_ template: Int32) -> Bool {
    let template = templates + Int(template)
    return template.pointee.resultCount > 1 && template.pointee.results[1].up > 0
  }

  /// The map of all groups.
  private func wholeMap(_ state: Address, _ shape: MapShape) throws(Fault) -> Word {
    var map = Word.emptyMap
    var next = frame(state[OwnerState.firstChild])
    while let child = next {
      next = child.pointee.nextSibling
      if child.pointee.isLeaving { continue }
      map = try heap.mapSet(map, child.pointee.key, value: try stepResult(child), shape: shape)
    }
    return map
  }

  /// The map with the new results of those groups that have one; the same word if none differs.
  private func updated(_ map: Word, _ groups: Range<Int>, shape: MapShape) throws(Fault) -> Word {
    var map = map
    for place in groups {
      let child = live.frameStack[place]
      if child.pointee.isLeaving {
        map = try heap.mapRemove(map, child.pointee.key, shape: shape)
        continue
      }
      if child.pointee.born != live.instant, !resultIsTouched(child) { continue }
      let value = try stepResult(child)
      let key = child.pointee.key
      if let replaced = try heap.mapReplacing(map, key, value: value, shape: shape) {
        map = replaced
      } else {
        map = try heap.mapSet(map, key, value: value, shape: shape)
      }
    }
    return map
  }

  /// The value of an instance's result that changes at instants only; throws its fault if it has none.
  @inline(__always)
  private func stepResult(_ child: FrameRef) throws(Fault) -> Word {
    let operand = child.pointee.template.pointee.results[0]
    let slot = outer(child, operand.up).pointee.new + Int(operand.slot)
    if machine.state.pointee.poisonCount != 0, let fault = machine.poison(at: slot) { throw fault }
    return slot.pointee
  }

  /// The value of an instance's result; throws its fault if it has none.
  func result(_ child: FrameRef, _ index: Int = 0, old: Bool) throws(Fault) -> Word {
    let template = child.pointee.template
    let operand = template.pointee.results[index]
    let node = plan.core[plan.templates[template.pointee.index].scope].results[index]
    return try read(
      outer(child, operand.up), node, slot: Int(operand.slot), continuous: plan.core[node].isContinuous, old: old)
  }

  // MARK: each

  /// each(list, key, f): one live behavior a member, kept by key while the member stays, in the order of the list
  func runEach(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let isBirth =
      site.frame.pointee.born == live.instant && state[OwnerState.orderCapacity] == 0 && !site.frame.pointee.isGroup
    var wasReordered = false
    var listFault: Fault?
    do throws(Fault) {
      wasReordered = try arrange(site, isStart: false)
    } catch {
      if case .limit(let limit) = error.kind, limit != .stack { throw error }
      try keepMembers(state, error)
      listFault = error
    }
    passCaptures(site.frame, state)
    let dirty = takeDirty(state)
    var anyChanged = wasReordered || isBirth || resultIsOutside(site.entry.pointee.child)
    for place in dirty {
      let child = live.frameStack[place]
      if child.pointee.isLeaving { continue }
      try runEarly(child)
      if resultIsTouched(child) { anyChanged = true }
    }
    live.frameStack.removeLast(to: dirty.lowerBound)
    live.runningNode = site.entry.pointee.node
    if site.entry.pointee.isContinuous, listFault == nil {
      touch(site)
      return
    }
    let slot = site.new
    if !anyChanged, listFault == nil, machine.poison(at: slot) == nil { return }
    let value: Word
    do throws(Fault) {
      if let listFault { throw listFault }
      value = try eachResult(site.entry, state, old: false)
    } catch {
      if isBirth { try beginFault(site, error) } else { try storeFault(site, error) }
      return
    }
    if isBirth { begin(site, value) } else { store(site, value) }
  }

  /// A list that faults, or whose keys repeat, leaves the members as they are: they go on, and whoever looks at the list,
  /// or at a member's own element, faults.
  private func keepMembers(_ state: Address, _ fault: Fault) throws(Fault) {
    for place in 0..<Int(state[OwnerState.orderCount]) {
      guard let child = frame(state[OwnerState.order].address[place]) else { continue }
      let inlet = Int(child.pointee.template.pointee.inlet)
      if inlet < 0 { continue }
      let site = EntrySite(child, inlet)
      if machine.poison(at: site.new) == nil { try storeFault(site, fault) }
    }
  }

  /// What a group has from its start: the members of the list just before the instant that made it, which are parts of it.
  /// The list is then seen to change in that instant.
  func startMembers(_ site: EntrySite) throws(Fault) {
    let state = site.state
    do throws(Fault) {
      if state[OwnerState.orderCapacity] == 0 {
        _ = try arrange(site, isStart: true)
      } else {
        for place in 0..<Int(state[OwnerState.orderCount]) {
          if let child = self.frame(state[OwnerState.order].address[place]) { try startPartAgain(child) }
        }
      }
      if !site.entry.pointee.isContinuous {
        try begin(site) { (isOld) throws(Fault) in try eachResult(site.entry, state, old: isOld) }
      }
    } catch {
      if case .limit = error.kind { throw error }
      try beginFault(site, error)
    }
    mark(site)
  }

  /// The results of all members, in order, just after the instant or just before it.
  func eachResult(_ entry: EntryRef, _ state: Address, old: Bool) throws(Fault) -> Word {
    let count = Int(state[old ? OwnerState.previousCount : OwnerState.orderCount])
    if count == 0 { return heap.emptyList }
    let element = heap.shapes[entry.pointee.type].first
    var builder = try ListBuilder(heap, references: heap.shapes.isReference(element), capacity: count)
    let order = state[old ? OwnerState.previousOrder : OwnerState.order].address
    for place in 0..<count {
      guard let child = self.frame(order[place]) else { continue }
      try builder.append(try result(child, old: old))
    }
    return try builder.finish()
  }

  /// Makes the instances those of the list's members, as it is now, or at a group's start as it was just before; gives
  /// whether their order or number has changed.
  private func arrange(_ site: EntrySite, isStart: Bool) throws(Fault) -> Bool {
    let state = site.state
    let base = isStart ? site.frame.pointee.old : site.frame.pointee.new
    let members = ListView(try machine.run(code(site.entry.pointee.plain), base: base))
    let count = Int(state[OwnerState.orderCount])
    let order = count > 0 ? state[OwnerState.order].address : state
    let next = Address.allocate(capacity: max(1, members.count))
    var isSame = members.count == count
    live.eachRuns += 1
    let run = live.eachRuns
    let firstAge = live.nextAge
    var placed = 0
    do throws(Fault) {
      while placed < members.count {
        let child = try member(site, members[placed], run: run, isStart: isStart)
        next[placed] = word(child)
        if isSame, order[placed] != next[placed] { isSame = false }
        placed += 1
      }
    } catch {
      for place in 0..<placed {
        guard let child = self.frame(next[place]), child.pointee.age >= firstAge else { continue }
        leave(child)
        // As a start goes on, the list may be looked at once more: nobody may find then what is about to go.
        KeyTable(state + OwnerState.table).remove(child)
      }
      next.deallocate()
      throw error
    }
    if isSame, state[OwnerState.orderCapacity] != 0 {
      next.deallocate()
      return false
    }
    for place in 0..<count {
      if let child = self.frame(order[place]), child.pointee.memberRun != run { leave(child) }
    }
    let isFirst = site.frame.pointee.born == live.instant && state[OwnerState.orderCapacity] == 0
    freeOnCommit(state[OwnerState.order])
    freeOnUndo(word(at: next))
    set(state + OwnerState.order, word(at: next))
    set(state + OwnerState.orderCapacity, Word(UInt(max(1, members.count))))
    set(state + OwnerState.orderCount, Word(UInt(members.count)))
    if isFirst {
      state[OwnerState.previousOrder] = state[OwnerState.order]
      state[OwnerState.previousCount] = state[OwnerState.orderCount]
    } else {
      noteChange(state + OwnerState.previousOrder, state + OwnerState.order)
      noteChange(state + OwnerState.previousCount, state + OwnerState.orderCount)
    }
    return true
  }

  private func word(at address: Address) -> Word { Word(UInt(bitPattern: address)) }

  /// The instance of a member, made if its key is new; hands it the member.
  private func member(
    _ site: EntrySite, _ value: Word, run: UInt64, isStart: Bool
  ) throws(Fault) -> FrameRef {
    let base = isStart ? site.frame.pointee.old : site.frame.pointee.new
    let key = try machine.run(code(site.entry.pointee.code), base: base, with: value)
    let table = KeyTable(site.state + OwnerState.table)
    if let child = find(key, site.entry, in: table) {
      if child.pointee.memberRun == run {
        throw duplicate(key, site.entry.pointee.keyType)
      }
      child.pointee.memberRun = run
      let inlet = Int(child.pointee.template.pointee.inlet)
      if inlet >= 0 { store(EntrySite(child, inlet), value) }
      return child
    }
    let child = try birth(site, Int(site.entry.pointee.child))
    child.pointee.key = key
    child.pointee.memberRun = run
    setParameter(child, 0, to: key)
    table.insert(child, keyType: site.entry.pointee.keyType, heap: heap)
    let inlet = Int(child.pointee.template.pointee.inlet)
    if inlet >= 0 { begin(EntrySite(child, inlet), value) }
    if isStart { child.pointee.birthDepth = site.frame.pointee.birthDepth }
    try startFrame(child, isGroup: isStart)
    return child
  }

  private func duplicate(_ key: Word, _ type: TypeID) -> Fault {
    Fault(
      .message, "two members of 'each' have the same key, \(describe(key, type))", at: plan.core[live.runningNode].span)
  }

  /// A value as programs show it.
  func describe(_ value: Word, _ type: TypeID) -> String {
    guard let show = RoutineTable.routines[Int(Prim.show.rawValue)] else { return "?" }
    do throws(Fault) {
      let call = PrimCall(.show, [type], result: .string, span: .none)
      return heap.swiftString(
        try withUnsafePointer(to: call) { (call) throws(Fault) in
          try withUnsafePointer(to: value) { (word) throws(Fault) in try show(machine, Arguments(word, of: call)) }
        })
    } catch {
      return "?"
    }
  }
}
