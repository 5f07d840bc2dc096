// Regions: all that follows from one input, run straight through. Where every entry behind an input is a `merge`, a lift, or takes
// one occurrence of the entry before it, and has a quick code, the instant of that input needs no marks, no infos and no log: the
// entries lie in a list, what they show lies in cells, and what has changed is copied at the end. Where anything is out of the
// ordinary (a fault, two occurrences, no room, no steps left), what was written is taken back, and the instant runs again the
// long way; an input where that happens often has no region any more.
//
// Rules
// - A stretch of the list whose gate has not occurred or changed is passed over: an instant costs what it touches, to within a
//   test for each gate that it reaches.
// - A lift of one instruction in a stretch is computed whether or not what it reads has changed: if not, its value is the same.

import FRPCore
import FRPGraph

/// What an entry has shown in the run of a region.
struct RegionCell {
  var value: Word
  /// In which instant.
  var instant: UInt64
}

/// Neighbours in a region's list that run only if one entry has occurred or changed.
struct RegionStretch {
  /// That entry; -1 where they always run.
  var gate: Int32
  var count: Int32
}

/// An output that shows an entry of a region.
struct RegionOutput {
  var entry: Int32
  var output: Int32
}

/// What one input makes run.
struct Region {
  var input: Int32
  /// Twice the entry, plus 1 where it runs only if something it reads has occurred or changed.
  var items: UnsafeMutablePointer<Int32>
  var itemCount: Int
  var stretches: UnsafeMutablePointer<RegionStretch>
  var stretchCount: Int
  /// In order of declaration.
  var outputs: UnsafeMutablePointer<RegionOutput>
  var outputCount: Int
  /// All slots that it may change lie here.
  var firstSlot: Int
  var slotCount: Int
  var space: RegionSpace
  /// Grows by four when an instant is left to the long way, and falls by one in each instant: so many as of `leftAt`.
  var leaves = 0
  var leftAt: UInt64 = 0

  static let mostLeaves = 1_000
  /// How many instants, interpreted, take as long as making their code and running that.
  static let turnsWorthCode = 16

  func deallocate() {
    items.deallocate()
    stretches.deallocate()
    outputs.deallocate()
  }
}

/// What regions use as they run, and share.
struct RegionSpace {
  /// By entry; and by entry once more, for the state of a `scan` that machine code has not written yet.
  let cells: UnsafeMutablePointer<RegionCell>
  /// Slots that have changed in the region that runs.
  let changed: UnsafeMutablePointer<Int32>
  /// By entry: where those that mark it begin in `sources`; one more at the end.
  let sourceStarts: UnsafeMutablePointer<Int32>
  let sources: UnsafeMutablePointer<Int32>

  func deallocate() {
    cells.deallocate()
    changed.deallocate()
    sourceStarts.deallocate()
    sources.deallocate()
  }
}

/// The regions of a program. Costs 40 bytes an entry, 4 for each that one reads, and 4 for each item of each region.
final class RegionTable {
  let space: RegionSpace
  /// By entry: its place in the region that is being made, if that has it there.
  let places: UnsafeMutablePointer<Int32>
  /// How many items further regions may have.
  var itemsLeft = 1 << 18
  private var regions: [UnsafeMutablePointer<Region>] = []
  private var codes: [NativeCode] = []
  /// What machine code needs besides; made with the first.
  var context: UnsafeMutablePointer<NativeContext>?

  init(_ template: Template) {
    let count = template.entries.count
    places = .copy([Int32](repeating: 0, count: count))
    var starts = [Int32](repeating: 0, count: count + 2)
    for dependent in template.dependents { starts[Int(dependent) + 2] += 1 }
    for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
    var all = [Int32](repeating: 0, count: template.dependents.count)
    for (index, entry) in template.entries.enumerated() {
      for place in entry.dependentsStart..<entry.dependentsEnd {
        let dependent = Int(template.dependents[Int(place)])
        all[Int(starts[dependent + 1])] = Int32(index)
        starts[dependent + 1] += 1
      }
    }
    space = RegionSpace(
      cells: .copy([RegionCell](repeating: RegionCell(value: 0, instant: 0), count: 2 * count)),
      changed: .allocate(capacity: count + 1), sourceStarts: .copy(starts), sources: .copy(all))
  }

  /// Keeps a region for as long as the table lives.
  func keep(_ region: Region) -> UnsafeMutablePointer<Region> {
    let kept = UnsafeMutablePointer<Region>.copy([region])
    regions.append(kept)
    itemsLeft -= region.itemCount
    return kept
  }

  /// The same of machine code.
  func keep(_ code: NativeCode) -> UnsafeMutablePointer<NativeRegion> {
    codes.append(code)
    return code.regions
  }

  deinit {
    for region in regions {
      region.pointee.deallocate()
      region.deallocate()
    }
    context?.deallocate()
    space.deallocate()
    places.deallocate()
  }
}

/// A region under way.
private struct RegionRun {
  let space: RegionSpace
  let instant: UInt64
  let old: Address
  let new: Address
  var changedCount = 0

  init(_ space: RegionSpace, _ frame: FrameRef, instant: UInt64) {
    (old, new) = (frame.pointee.old, frame.pointee.new)
    (self.space, self.instant) = (space, instant)
  }

  @inline(__always)
  func isShown(_ index: Int) -> Bool { space.cells[index].instant == instant }

  /// Whether something that an entry reads has occurred or changed.
  @inline(__always)
  func isDue(_ index: Int) -> Bool {
    var source = space.sources + Int(space.sourceStarts[index])
    let end = space.sources + Int(space.sourceStarts[index &+ 1])
    while source < end {
      if isShown(Int(source.pointee)) { return true }
      source += 1
    }
    return false
  }

  @inline(__always)
  func show(_ index: Int, _ value: Word) { space.cells[index] = RegionCell(value: value, instant: instant) }

  @inline(__always)
  mutating func change(_ index: Int, slot: Int32, _ value: Word) {
    new[Int(slot)] = value
    space.changed[changedCount] = slot
    changedCount &+= 1
    show(index, value)
  }

  /// Makes what has changed what was.
  @inline(__always)
  func commit(_ region: UnsafeMutablePointer<Region>) {
    if changedCount &* 2 > region.pointee.slotCount {
      let first = region.pointee.firstSlot
      return (old + first).update(from: new + first, count: region.pointee.slotCount)
    }
    for place in 0..<changedCount {
      let slot = Int(space.changed[place])
      old[slot] = new[slot]
    }
  }

  @inline(never)
  func undo() {
    for place in 0..<changedCount {
      let slot = Int(space.changed[place])
      new[slot] = old[slot]
    }
  }
}

extension Reactor {
  /// What an input makes run, done, with `outputChanges` filled; false where that must be run the long way, and nothing has
  /// happened.
  @inline(never)
  func runRegion(_ direct: UnsafeMutablePointer<DirectInput>, _ value: Word) -> Bool {
    guard let region = direct.pointee.region ?? decideRegion(direct) else { return false }
    live.turnsUntilSweep &-= 1
    if live.turnsUntilSweep == 0 { sweepRegions() }
    // Each takes a step, and codes of several instructions count theirs themselves.
    machine.state.pointee.stepsLeft &-= region.pointee.itemCount
    if machine.state.pointee.stepsLeft <= 0 { return false }
    // What was pulled since the last instant is not of this one.
    machine.state.pointee.epoch &+= 1
    if !interpret(region, value) {
      leave(direct, region)
      return false
    }
    live.undo.forget()
    return true
  }

  /// Leaves the instant of a region to the long way; values are what they were.
  @inline(never)
  func leave(_ direct: UnsafeMutablePointer<DirectInput>, _ region: UnsafeMutablePointer<Region>) {
    let live = liveState
    live.pointee.undo.takeBack()
    // Nothing of this instant is shown any more.
    live.pointee.instant &+= 1
    // One that was left has two numbers, since it began twice.
    let passed = Int(truncatingIfNeeded: live.pointee.instant - region.pointee.leftAt) - 2
    region.pointee.leaves = max(0, region.pointee.leaves - max(0, passed)) + 4
    region.pointee.leftAt = live.pointee.instant
    if region.pointee.leaves > Region.mostLeaves { (direct.pointee.work, direct.pointee.alone) = (.none, nil) }
  }

  /// Runs the list of a region, and fills `outputChanges`; false where the instant must be run the long way, and nothing has
  /// happened but to what the undo log says.
  @inline(__always)
  func interpret(_ region: UnsafeMutablePointer<Region>, _ value: Word) -> Bool {
    let live = liveState
    live.pointee.outputChanges.removeAll()
    let root = live.pointee.root
    let input = Int(region.pointee.input)
    var run = RegionRun(region.pointee.space, root, instant: live.pointee.instant &+ 1)
    let row = root.pointee.template.pointee.rows + input
    if row.pointee.slot < 0 {
      run.show(input, value)
    } else {
      if isSame(run.new[Int(row.pointee.slot)], value, of: root.pointee.template.pointee.entries + input) {
        return !heap.state.pointee.hasGivenUp
      }
      run.change(input, slot: row.pointee.slot, value)
    }
    if !runItems(region, &run, root) || heap.state.pointee.hasGivenUp {
      run.undo()
      return false
    }
    run.commit(region)
    live.pointee.outputChanges.replaceAll(most: region.pointee.outputCount) { start in
      var change = start
      var output = region.pointee.outputs
      let end = output + region.pointee.outputCount
      while output < end {
        let cell = run.space.cells + Int(output.pointee.entry)
        if cell.pointee.instant == run.instant {
          change.initialize(to: OutputChange(output: Int(output.pointee.output), value: cell.pointee.value))
          change += 1
        }
        output += 1
      }
      return change - start
    }
    return true
  }

  /// Whether an input has a region is found when something occurs there for the first time.
  @inline(never)
  private func decideRegion(_ direct: UnsafeMutablePointer<DirectInput>) -> UnsafeMutablePointer<Region>? {
    direct.pointee.region = makeRegion(direct)
    if direct.pointee.region == nil { direct.pointee.work = .none }
    return direct.pointee.region
  }

  private func makeRegion(_ direct: UnsafeMutablePointer<DirectInput>) -> UnsafeMutablePointer<Region>? {
    let table = regionTable()
    return RegionBuilder.region(plan, input: direct.pointee.input, templates, table).map(table.keep)
  }

  /// The program's, made when it is first asked for.
  func regionTable() -> RegionTable {
    let table = regions ?? RegionTable(plan.templates[0])
    regions = table
    return table
  }

  /// What an input makes run becomes machine code, since it has run often. Where there can be none, all stays as it is.
  @inline(never)
  func decideNative(_ direct: UnsafeMutablePointer<DirectInput>) {
    switch direct.pointee.work {
    case .none: return
    case .keyed: return decideNativeGroup(direct)
    case .region, .lift, .map, .scan, .fold: break
    }
    guard let region = direct.pointee.region ?? makeRegion(direct) else { return }
    take(makeNative([region])[0], direct, region)
  }

  private func take(
    _ native: UnsafeMutablePointer<NativeRegion>?, _ direct: UnsafeMutablePointer<DirectInput>,
    _ region: UnsafeMutablePointer<Region>
  ) {
    direct.pointee.native = native
    if native == nil, direct.pointee.work != .region { return }
    direct.pointee.region = region
    direct.pointee.work = .region
    if let native { goAlone(native, direct) }
  }

  /// Lets machine code that calls nothing be found at once, unless limits are in its way.
  func goAlone(_ native: UnsafeMutablePointer<NativeRegion>, _ direct: UnsafeMutablePointer<DirectInput>) {
    if !native.pointee.callsNothing || native.pointee.call.context.pointee.isChecked { return }
    if native.pointee.steps < limits.stepsPerInstant, limits.secondsPerInstant == .infinity {
      direct.pointee.alone = native.pointee.call
      let input = templates.pointee.entries + Int(direct.pointee.input)
      direct.pointee.takesObjects = native.pointee.makesObjects || plan.core.types.isReference(input.pointee.type)
    }
  }

  /// The same of all inputs that have run as often as their code is worth, though none of them often by itself: the code of all in one piece. Happens
  /// as often as the number of instants has doubled, so that it costs no more than they do.
  @inline(never)
  private func sweepRegions() {
    live.turnsUntilSweep = live.sweepTurns
    live.sweepTurns &*= 2
    if !plan.optimisations.contains(.native) { return }
    var regions: [UnsafeMutablePointer<Region>] = []
    var inputs: [UnsafeMutablePointer<DirectInput>] = []
    for direct in (0..<inputCount).map({ directInputs + $0 }) where direct.pointee.work == .region {
      let turns = turnsUntilNative - direct.pointee.turnsUntilNative
      guard direct.pointee.turnsUntilNative > 0, turns >= Region.turnsWorthCode, let region = direct.pointee.region
      else { continue }
      direct.pointee.turnsUntilNative = -1
      regions.append(region)
      inputs.append(direct)
    }
    for (place, native) in makeNative(regions).enumerated() { take(native, inputs[place], regions[place]) }
  }

  /// Runs the list; false where one of its entries must be run the long way.
  @inline(__always)
  private func runItems(_ region: UnsafeMutablePointer<Region>, _ run: inout RegionRun, _ root: FrameRef) -> Bool {
    let rows = root.pointee.template.pointee.rows
    let window = machine.state.pointee.top + Layout.callHeader
    var item = region.pointee.items
    var stretch = region.pointee.stretches
    let lastStretch = stretch + region.pointee.stretchCount
    while stretch < lastStretch {
      let end = item + Int(stretch.pointee.count)
      let gate = Int(stretch.pointee.gate)
      stretch += 1
      if gate >= 0, !run.isShown(gate) {
        item = end
        continue
      }
      while item < end {
        let index = Int(item.pointee >> 1)
        let isSure = item.pointee & 1 == 0
        item += 1
        if !isSure, !run.isDue(index) { continue }
        if !runItem(index, rows + index, &run, root, window) { return false }
      }
    }
    return true
  }

  /// Runs one entry; false where it must be run the long way.
  @inline(__always)
  private func runItem(
    _ index: Int, _ row: UnsafeMutablePointer<EntryRow>, _ run: inout RegionRun, _ root: FrameRef, _ window: Address
  ) -> Bool {
    let state = machine.state
    let work = row.pointee.work
    let value: Word
    if work == .liftOnce {
      guard let code = row.pointee.code, let result = quickOfSlots(code, base: run.new) else { return false }
      value = result
    } else if work == .lift {
      guard let code = row.pointee.code, let result = Machine.quick(state, code, r: window, base: run.new) else {
        return false
      }
      value = result
    } else if work == .other {
      guard let found = onlySource(index, run) else { return false }
      if found >= 0 { run.show(index, run.space.cells[found].value) }
      return true
    } else if work == .sum {
      guard let sum = sum(EntrySite(root, index), run) else { return false }
      value = sum
    } else {
      let occurrence = run.space.cells[Int(row.pointee.source)].value
      if work == .mapOnce {
        guard let code = row.pointee.code, let result = quickOfOccurrence(code, occurrence: occurrence) else {
          return false
        }
        run.show(index, result)
        return true
      }
      if let code = row.pointee.code {
        guard let result = fed(row, code, occurrence, root, window) else { return false }
        if state.pointee.hasSkipped {
          state.pointee.hasSkipped = false
          return true
        }
        if work != .fold, work != .hold {
          run.show(index, result)
          return true
        }
        value = result
      } else {
        value = occurrence
      }
    }
    let before = run.new[Int(row.pointee.slot)]
    if before == value { return true }
    switch row.pointee.equality {
    case .word: break
    // Two finite Floats with other bits are the same only if both are zero.
    case .float: if (before | value) << 1 == 0 { return true }
    case .structure: if isSame(before, value, of: root.pointee.template.pointee.entries + index) { return true }
    }
    run.change(index, slot: row.pointee.slot, value)
    return true
  }

  /// The same, called from machine code.
  @inline(never)
  func runItem(_ index: Int, _ context: UnsafeMutablePointer<NativeContext>) -> Bool {
    guard let space = regions?.space else { return false }
    let root = liveState.pointee.root
    var run = RegionRun(space, root, instant: context.pointee.instant)
    let row = root.pointee.template.pointee.rows + index
    let window = machine.state.pointee.top + Layout.callHeader
    return runItem(index, row, &run, root, window) && !heap.state.pointee.hasGivenUp
  }

  /// What an entry makes of an occurrence, a scan's state being written; nil where it must be run the long way. What lets
  /// nothing through skips.
  @inline(never)
  private func fed(
    _ row: UnsafeMutablePointer<EntryRow>, _ code: UnsafePointer<Instr>, _ occurrence: Word, _ root: FrameRef,
    _ window: Address
  ) -> Word? {
    let state = machine.state
    let work = row.pointee.work
    let kept = root.pointee.state + Int(row.pointee.state)
    window[0] = occurrence
    if work == .scan || work == .fold {
      window[0] = work == .scan ? kept.pointee : root.pointee.new[Int(row.pointee.slot)]
      window[1] = occurrence
    }
    guard let value = Machine.quick(state, code, r: window, base: root.pointee.old) else { return nil }
    switch work {
    case .filter:
      if !value.bool { state.pointee.hasSkipped = true }
      return occurrence
    case .filterMap:
      if value.isObject { return value.field(0) }
      state.pointee.hasSkipped = true
    case .scan:
      if state.pointee.hasSkipped { break }
      live.undo.note(kept)
      kept.pointee = row.pointee.hasTail ? window[0] : value
    default: break
    }
    return value
  }

  /// A sum of Ints, by what has changed in the region; nil where that is not known.
  @inline(__always)
  private func sum(_ site: EntrySite, _ run: RegionRun) -> Word? {
    let (first, bound) = (Int(site.entry.pointee.first.slot), site.state)
    if bound.pointee == 0 { return nil }
    let count = Int(site.entry.pointee.count)
    return changedSum(run.changedCount, before: run.new[Int(site.entry.pointee.slot)], bound: bound) { place in
      let slot = Int(run.space.changed[place])
      return slot < first || slot >= first + count ? nil : (run.old[slot], run.new[slot])
    }
  }

  /// The entry from which a `merge` has an occurrence; -1 where none has, nil where several have.
  @inline(never)
  private func onlySource(_ index: Int, _ run: RegionRun) -> Int? {
    var found = -1
    for place in Int(run.space.sourceStarts[index])..<Int(run.space.sourceStarts[index + 1]) {
      let source = Int(run.space.sources[place])
      if !run.isShown(source) { continue }
      if found >= 0 { return nil }
      found = source
    }
    return found
  }
}
