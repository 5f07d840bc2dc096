// Inputs of which an occurrence makes one entry run whose result nothing but an output shows: `input |> … |> scan`,
// a lift of an input, the groups of a `keyed`. Their instant is one step after another: no marks, no infos, nothing to
// commit. Whatever is out of the ordinary (a fault, a new group, anything poisoned, a solver) is left to `runInstant`,
// before anything has happened.

import FRPCore
import FRPGraph

/// What an input makes run. 64 bytes: the one that is sent to lies in a single line of the processor's cache.
struct DirectInput {
  enum Work: UInt8 {
    /// More than one entry, or one that has no short way.
    case none
    case lift, map, scan, fold, keyed
    /// All that it makes run is a region, or may be: that is found when something occurs.
    case region
  }

  /// The same as `native` if it calls nothing, and no limit is in its way.
  var alone: NativeCall?
  /// Its machine code, if there is some.
  var native: UnsafeMutablePointer<NativeRegion>?
  /// Regions.swift: nil until it is made.
  var region: UnsafeMutablePointer<Region>?
  /// How often something occurs before what follows becomes machine code; negative where that has been decided.
  var turnsUntilNative = -1
  var work = Work.none
  /// Whether what occurs lies on the heap, or what follows makes objects; known where there is `alone`.
  var takesObjects = false
  /// The input's entry, the one that runs, and the output that shows it.
  var input: Int32 = -1
  var entry: Int32 = -1
  var output: Int32 = -1
}

extension DirectInput {
  init(_ plan: Plan, port: Int, templates: UnsafeMutablePointer<TemplateRecord>) {
    let template = plan.templates[0]
    let place = plan.inputs[port].entry
    guard place >= 0 else { return }
    self.input = place
    if plan.optimisations.contains(.regions) { work = .region }
    guard plan.optimisations.contains(.directInputs) else { return }
    let input = template.entries[Int(place)]
    let fed = template.dependents[Int(input.dependentsStart)..<Int(input.dependentsEnd)]
    let shown = plan.outputs.indices.filter { plan.outputs[$0].entry == fed.first }
    guard !input.isOutput, fed.count == 1, shown.count == 1, let index = fed.first,
      templates[0].rows[Int(index)].markCount == 0, !plan.outputs[shown[0]].isContinuous
    else { return }
    entry = index
    output = Int32(shown[0])
    let isFed = template.entries[Int(index)].first.up == 0 && template.entries[Int(index)].first.entry == place
    let row = templates[0].rows[Int(index)]
    switch (template.entries[Int(index)].kind, input.kind) {
    case (.lift, .inputBehavior): if row.isLift { work = .lift }
    case (.map, .inputEvent): if row.isMap, isFed { work = .map }
    case (.scan, .inputEvent): if row.work == .scan, isFed { work = .scan }
    case (.fold, .inputEvent): if row.work == .fold, isFed { work = .fold }
    case (.keyed, .inputEvent):
      let keyed = template.entries[Int(index)]
      if isFed, keyed.keyField >= 0, templates[Int(keyed.child)].sole >= 0 { work = .keyed }
    default: break
    }
  }
}

extension Reactor {
  /// The instant in which one input occurs, or is set, where that makes one entry run. Where it gives false, nothing
  /// has happened.
  @inline(__always)
  func runDirect(_ port: Int, _ value: Word) -> Bool {
    if port < 0 || port >= inputCount { return false }
    let direct = directInputs + port
    if direct.pointee.work == .none { return false }
    if liveState.pointee.hasSolver || machine.state.pointee.poisonCount != 0 { return false }
    machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
    guard let step = directStep(direct, value) else { return false }
    endDirect(direct, step)
    return true
  }

  /// What an instant that goes straight shows; of a region `outputChanges` has it.
  struct DirectStep {
    var shown: Word?
  }

  /// What an occurrence makes of the one entry that it makes run, written; nil where that must be run the long way, and
  /// nothing has happened.
  @inline(__always)
  private func directStep(_ direct: UnsafeMutablePointer<DirectInput>, _ value: Word) -> DirectStep? {
    let root = liveState.pointee.root
    let row = root.pointee.template.pointee.rows + Int(direct.pointee.entry)
    let shown: Word?
    if direct.pointee.turnsUntilNative == 0 { decideNative(direct) }
    direct.pointee.turnsUntilNative &-= 1
    switch direct.pointee.work {
    case .none: return nil
    case .lift:
      guard let result = setLift(root, direct, row: row, value: value) else { return nil }
      shown = result.isShown ? result.value : nil
    case .fold:
      let slot = Int(row.pointee.slot)
      guard let result = quickStep(row, root, kept: root.pointee.new[slot], occurrence: value) else { return nil }
      shown = !hasSkipped && change(root, slot, index: Int(direct.pointee.entry), value: result) ? result : nil
    case .map, .scan:
      guard let result = quickOccurrence(row, root, occurrence: value, isUndoable: false) else { return nil }
      shown = hasSkipped ? nil : result
    case .keyed:
      guard let result = directGroup(direct, value) else { return nil }
      shown = hasSkipped ? nil : result
    case .region:
      guard let native = direct.pointee.native else { return runRegion(direct, value) ? DirectStep(shown: nil) : nil }
      return runNative(direct, native, value) ? DirectStep(shown: nil) : nil
    }
    // A comparison that was given up has said that nothing changed, and nothing was written.
    return heap.state.pointee.hasGivenUp ? nil : DirectStep(shown: shown)
  }

  /// The end of an instant that went straight: it counts, and what it shows is shown.
  @inline(__always)
  private func endDirect(_ direct: UnsafeMutablePointer<DirectInput>, _ step: DirectStep) {
    let live = liveState
    live.pointee.instant &+= 1
    live.pointee.instantCount &+= 1
    machine.state.pointee.epoch &+= 2
    if let shown = step.shown {
      live.pointee.outputChanges.replaceAll(with: OutputChange(output: Int(direct.pointee.output), value: shown))
    }
    if step.shown != nil || direct.pointee.work == .region { return deliverStraight() }
    checkInvariants()
    collectIfNeeded()
  }

  /// What an instant that went straight shows is told.
  @inline(__always)
  func deliverStraight() {
    liveState.pointee.isRunning = true
    deliver()
    liveState.pointee.isRunning = false
    checkInvariants()
    collectIfNeeded()
  }

  /// Counts instants of a row that have gone straight, and their micro-steps. Nothing that goes straight reads the clock, so this may
  /// be done when they are over.
  @inline(__always)
  func endInstants(_ count: Int) {
    let live = liveState
    if live.pointee.hasStepped {
      live.pointee.now.step &+= count
    } else {
      live.pointee.now.step &+= count &- 1
      live.pointee.hasStepped = true
    }
    live.pointee.instant &+= UInt64(count)
    live.pointee.instantCount &+= count
    machine.state.pointee.epoch &+= 3 &* UInt64(count)
  }

  /// Whether the instants of a row may go straight now, and none must happen before.
  @inline(__always)
  var maySendRows: Bool {
    !liveState.pointee.hasSolver && machine.state.pointee.poisonCount == 0 && !isRunning && !hasCaused && !isOver
  }

  /// The instants of many occurrences of one input, one after the other, for as long as they go straight and cause nothing;
  /// gives how many have happened. The values are no references.
  func runDirect(_ port: Int, many values: UnsafeBufferPointer<Word>) -> Int {
    let direct = directInputs + port
    let live = liveState
    if direct.pointee.work == .none || !plan.optimisations.contains(.blocks) || !maySendRows { return 0 }
    live.pointee.causedSteps = 0
    var taken = 0
    while taken < values.count, taken == 0 || maySendRows {
      machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
      if let native = direct.pointee.native, direct.pointee.work == .region, native.pointee.callsNothing,
        !native.pointee.call.context.pointee.isChecked
      {
        let row = runNative(direct, native, row: UnsafeBufferPointer(rebasing: values[taken...]))
        taken += row.taken
        if row.isLeft { break }
        continue
      }
      guard let step = directStep(direct, values[taken]) else { break }
      // Nothing that goes straight reads the clock, so the step may be counted when it is known to be one.
      openStep()
      endDirect(direct, step)
      taken += 1
    }
    return taken
  }

  /// Whether the code that has just run lets nothing through.
  @inline(__always)
  private var hasSkipped: Bool {
    let state = machine.state
    if !state.pointee.hasSkipped { return false }
    state.pointee.hasSkipped = false
    return true
  }

  /// Sets an input and the only lift that follows from it; nil where that faults.
  @inline(__always)
  private func setLift(
    _ root: FrameRef, _ direct: UnsafeMutablePointer<DirectInput>, row: UnsafeMutablePointer<EntryRow>, value: Word
  ) -> (value: Word, isShown: Bool)? {
    let input = Int(direct.pointee.input)
    let entry = root.pointee.template.pointee.entries + input
    let slot = Int(entry.pointee.slot)
    let before = root.pointee.new[slot]
    if isSame(before, value, of: entry) { return (value, false) }
    guard let code = row.pointee.code else { return nil }
    root.pointee.new[slot] = value
    let window = machine.state.pointee.top + Layout.callHeader
    guard let result = Machine.quick(machine.state, code, r: window, base: root.pointee.new) else {
      root.pointee.new[slot] = before
      return nil
    }
    let isShown = change(root, Int(row.pointee.slot), index: Int(direct.pointee.entry), value: result)
    if heap.state.pointee.hasGivenUp {
      root.pointee.new[slot] = before
      return nil
    }
    root.pointee.old[slot] = value
    return (result, isShown)
  }

  /// Gives a step behavior a value for good; whether it differs.
  @inline(__always)
  private func change(_ root: FrameRef, _ slot: Int, index: Int, value: Word) -> Bool {
    if isSame(root.pointee.new[slot], value, of: root.pointee.template.pointee.entries + index) { return false }
    root.pointee.new[slot] = value
    root.pointee.old[slot] = value
    return true
  }

  /// The next value of a `fold`.
  @inline(__always)
  private func quickStep(
    _ row: UnsafeMutablePointer<EntryRow>, _ frame: FrameRef, kept: Word, occurrence: Word
  ) -> Word? {
    guard let code = row.pointee.code else { return nil }
    let window = machine.state.pointee.top + Layout.callHeader
    window[0] = kept
    window[1] = occurrence
    return Machine.quick(machine.state, code, r: window, base: frame.pointee.old)
  }

  /// What a `map` or `scan` with a quick code gives for an occurrence, with the new state written; nil where it must be
  /// run the long way, and nothing has happened. Nothing is written where the machine says that it has skipped.
  @inline(__always)
  func quickOccurrence(
    _ row: UnsafeMutablePointer<EntryRow>, _ frame: FrameRef, occurrence: Word, isUndoable: Bool
  ) -> Word? {
    guard let code = row.pointee.code else { return nil }
    let state = machine.state
    let window = state.pointee.top + Layout.callHeader
    if row.pointee.work != .scan {
      window[0] = occurrence
      return Machine.quick(state, code, r: window, base: frame.pointee.old)
    }
    let kept = frame.pointee.state + Int(row.pointee.state)
    window[0] = kept.pointee
    window[1] = occurrence
    guard let value = Machine.quick(state, code, r: window, base: frame.pointee.old) else { return nil }
    if state.pointee.hasSkipped { return value }
    if isUndoable { live.undo.note(kept) }
    kept.pointee = row.pointee.hasTail ? window[0] : value
    return value
  }
}
