// Running the machine code of a region, and looking whether it does what the interpreter does (lockstep).

import FRPCore
import FRPGraph

/// The machine code of a region: runs the instant of an occurrence, and then those of the rest of a row. In: the `NativeContext`, what
/// occurs, where its outputs go, and the number of its instant. Out: where the next output of the last instant would go; nil where an instant
/// must be run the long way. Then the region's slots are to be taken back.
typealias NativeFunction =
  @convention(c) (
    UnsafeMutableRawPointer, Word, UnsafeMutableRawPointer, UInt64
  ) -> UnsafeMutableRawPointer?

/// A function of machine code and what it is given.
struct NativeCall {
  var function: NativeFunction
  let context: UnsafeMutablePointer<NativeContext>
  /// See `NativeContext.inputSlot`.
  var inputSlot: Address
}

/// The machine code of a region.
struct NativeRegion {
  var call: NativeCall
  /// What an instant takes at most.
  var steps: Int
  /// Whether no entry is run by the interpreter.
  var callsNothing: Bool
  var makesObjects: Bool
}

/// What machine code needs besides: one for all regions of a reactor, of which only one runs at a time.
struct NativeContext {
  /// Of the program's frame: the words after the instant. Those before lie in front of them, private words behind.
  var new: Address
  /// In: where the input whose region runs has its value after the instant; anywhere if it is no behavior.
  var inputSlot: Address
  var cells: UnsafeMutablePointer<RegionCell>
  /// Of the row of occurrences that is under way: the one whose instant runs, and where it ends; nil for one alone.
  var next: UnsafePointer<Word>
  var end: UnsafePointer<Word>?
  /// The first of the row whose instant has not been counted.
  var counted: UnsafePointer<Word>
  /// Where the outputs of each instant of the row go.
  var changes: UnsafeMutablePointer<OutputChange>
  /// Called after each instant of a row but its last, if that has shown something, with where the next output would go: 0 where the row is
  /// not to go on. Nil where nobody listens.
  var deliver: (@convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int)?
  /// Out: the number of the instant, where entries are run by the interpreter.
  var instant: UInt64 = 0
  /// Runs one entry as the interpreter does; 0 where it must be run the long way.
  var runItem: @convention(c) (UnsafeMutableRawPointer, Int) -> Int
  /// The group to which a `keyed` hands an occurrence; nil where the instant must be run the long way.
  var findGroup: @convention(c) (UnsafeMutableRawPointer, Word, Int) -> UnsafeMutableRawPointer?
  var reactor: Unmanaged<Reactor>
  /// Where objects are made.
  let heap: UnsafeMutablePointer<HeapState>
  let machine: UnsafeMutablePointer<MachineState>
  /// Whether all is interpreted as well, and compared.
  var isChecked: Bool
}

extension NativeContext {
  fileprivate static var deliver: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int {
    { context, shown in
      let context = context.assumingMemoryBound(to: NativeContext.self)
      return context.pointee.reactor._withUnsafeGuaranteedRef { $0.deliver(context, shown) } ? 1 : 0
    }
  }
}

/// The machine code of regions, with what each is given. It is immutable, and names no address.
final class NativeCode {
  let regions: UnsafeMutablePointer<NativeRegion>
  private let memory: CodeMemory

  init(_ memory: CodeMemory, _ regions: [NativeRegion]) {
    self.memory = memory
    self.regions = .copy(regions)
  }

  deinit { regions.deallocate() }
}

extension Reactor {
  /// Why nothing becomes machine code here, in words; nil if regions do.
  package static var nativeRefusal: String? {
    #if arch(x86_64) && os(Linux)
      return CodeMemory.isAllowed ? nil : "the system refuses executable memory"
    #else
      return "there is none for this processor and system"
    #endif
  }

  /// Emits the code of regions; nil for those of which there can be none.
  @inline(never)
  func makeNative(_ regions: [UnsafeMutablePointer<Region>]) -> [UnsafeMutablePointer<NativeRegion>?] {
    #if arch(x86_64)
      if regions.isEmpty { return [] }
      let inputs = regions.map { (input: $0.pointee.input, steps: 2 * $0.pointee.itemCount) }
      // Once there is room for as many outputs, there always is.
      live.outputChanges.replaceAll(most: regions.map(\.pointee.outputCount).max() ?? 0) { _ in 0 }
      return makeNative(inputs) { source, code in
        code.isShared = regions.count > 1
        return regions.map { NativeEmitter.append($0.pointee, source, to: &code) }
      }
    #else
      return [UnsafeMutablePointer<NativeRegion>?](repeating: nil, count: regions.count)
    #endif
  }

  #if arch(x86_64)
    /// The code that `emit` writes, a part for each of these inputs.
    func makeNative(
      _ inputs: [(input: Int32, steps: Int)],
      _ emit: (NativeEmitter.Source, inout NativeEmitter.Code) -> [NativeEmitter.Part?]
    ) -> [UnsafeMutablePointer<NativeRegion>?] {
      let table = regionTable()
      let uses = UnsafeMutablePointer<NativeEmitter.Uses>.copy(
        [NativeEmitter.Uses](repeating: NativeEmitter.Uses(), count: templates.pointee.count))
      defer { uses.deallocate() }
      let source = NativeEmitter.Source(
        template: templates, space: table.space, constants: plan.code.constants, uses: uses)
      var code = NativeEmitter.Code()
      let parts = emit(source, &code)
      guard !code.bytes.isEmpty, let memory = CodeMemory(code.bytes) else { return inputs.map { _ in nil } }
      let context = table.context ?? .copy([self.context(table.space)])
      table.context = context
      context.pointee.isChecked = nativeDiffers != nil
      var made: [NativeRegion] = []
      for (input, part) in zip(inputs, parts) {
        guard let part else { continue }
        let slot = max(0, Int(templates.pointee.rows[Int(input.input)].slot))
        made.append(
          NativeRegion(
            call: NativeCall(
              function: memory.function(at: part.entry), context: context, inputSlot: context.pointee.new + slot),
            steps: input.steps, callsNothing: part.callsNothing, makesObjects: part.makesObjects))
      }
      var next = table.keep(NativeCode(memory, made))
      return parts.map { part in
        if part == nil { return nil }
        defer { next += 1 }
        return next
      }
    }
  #endif

  private func context(_ space: RegionSpace) -> NativeContext {
    let new = live.root.pointee.new
    return NativeContext(
      new: new, inputSlot: new, cells: space.cells, next: new, counted: new, changes: live.outputChanges.start,
      runItem: { context, index in
        let context = context.assumingMemoryBound(to: NativeContext.self)
        return context.pointee.reactor._withUnsafeGuaranteedRef { $0.runItem(index, context) } ? 1 : 0
      },
      findGroup: { context, occurrence, entry in
        let context = context.assumingMemoryBound(to: NativeContext.self)
        let found = context.pointee.reactor._withUnsafeGuaranteedRef { $0.nativeGroup(occurrence, entry) }
        return UnsafeMutableRawPointer(found)
      }, reactor: Unmanaged.passUnretained(self), heap: heap.state, machine: machine.state, isChecked: false)
  }

  /// What an input makes run, done by machine code, with `outputChanges` filled; false where that must be run the long way, and
  /// nothing has happened.
  @inline(__always)
  func runNative(
    _ direct: UnsafeMutablePointer<DirectInput>, _ native: UnsafeMutablePointer<NativeRegion>, _ value: Word
  ) -> Bool {
    guard let region = direct.pointee.region else { return false }
    machine.state.pointee.stepsLeft &-= native.pointee.steps
    if machine.state.pointee.stepsLeft <= 0 { return false }
    machine.state.pointee.epoch &+= 1
    let isChecked = native.pointee.call.context.pointee.isChecked
    let isDone = isChecked ? runChecked(region, native, value) : call(native, value)
    if !isDone {
      if !isChecked { takeBack(region) }
      leave(direct, region)
      return false
    }
    if liveState.pointee.undo.count > 0 { live.undo.forget() }
    return true
  }

  @inline(__always)
  func call(_ native: UnsafeMutablePointer<NativeRegion>, _ value: Word) -> Bool {
    let live = liveState
    let (call, changes) = (native.pointee.call, UnsafeMutableRawPointer(live.pointee.outputChanges.start))
    call.context.pointee.inputSlot = call.inputSlot
    guard let shown = call.function(call.context, value, changes, live.pointee.instant &+ 1) else { return false }
    live.pointee.outputChanges.setEnd(shown)
    return true
  }

  /// The instant of an input whose machine code calls nothing, without what only the interpreter needs, and what it causes.
  @inline(never)
  func runAlone(_ port: Int, _ value: Word) {
    let direct = directInputs + port
    let live = liveState
    guard let alone = direct.pointee.alone, !live.pointee.hasSolver,
      alone.context.pointee.machine.pointee.poisonCount == 0, !isRunning, !hasCaused, !isOver
    else { return runSent(port, value) }
    live.pointee.causedSteps = 0
    alone.context.pointee.inputSlot = alone.inputSlot
    let changes = UnsafeMutableRawPointer(live.pointee.outputChanges.start)
    guard let shown = alone.function(alone.context, value, changes, live.pointee.instant &+ 1) else {
      return runLeft(direct, port, value)
    }
    endInstants(1)
    if shown != changes {
      live.pointee.outputChanges.setEnd(shown)
      deliverStraight()
      if hasCaused { while runCaused() {} }
    } else if direct.pointee.takesObjects {
      collectIfNeeded()
    }
  }

  /// What machine code has left to the long way.
  @inline(never)
  private func runLeft(_ direct: UnsafeMutablePointer<DirectInput>, _ port: Int, _ value: Word) {
    if let region = direct.pointee.region {
      takeBack(region)
      leave(direct, region)
    }
    openStep()
    runInstant(port: port, value)
    if hasCaused { while runCaused() {} }
  }

  // MARK: Rows of occurrences

  /// The instants of a row of occurrences, done by machine code one after the other, with what each shows delivered. Gives how many
  /// have happened, not all where an observer or the limits want a look in between, and whether the next must be run the long way.
  @inline(never)
  func runNative(
    _ direct: UnsafeMutablePointer<DirectInput>, _ native: UnsafeMutablePointer<NativeRegion>,
    row: UnsafeBufferPointer<Word>
  ) -> (taken: Int, isLeft: Bool) {
    guard let region = direct.pointee.region, let first = row.baseAddress else { return (0, true) }
    let (steps, context) = (native.pointee.steps, native.pointee.call.context)
    let stepsLeft = machine.state.pointee.stepsLeft
    if stepsLeft <= steps { return (0, true) }
    let most = min(row.count, max(1, (min(stepsLeft, Machine.slice) &- 1) / steps))
    let changes = live.outputChanges.start
    context.pointee.inputSlot = native.pointee.call.inputSlot
    context.pointee.next = first
    context.pointee.end = first + most
    context.pointee.counted = first
    context.pointee.changes = changes
    context.pointee.deliver = isHeard ? NativeContext.deliver : nil
    let shown = native.pointee.call.function(context, first.pointee, changes, live.instant &+ 1)
    context.pointee.end = nil
    count(context)
    let taken = context.pointee.next - first
    machine.state.pointee.stepsLeft &-= steps &* taken
    if let shown {
      if shown != changes {
        live.outputChanges.setEnd(shown)
        deliverStraight()
      }
      checkInvariants()
      return (taken, false)
    }
    takeBack(region)
    leave(direct, region)
    return (taken, true)
  }

  /// Counts the instants of a row that have happened since the last time.
  @inline(__always)
  private func count(_ context: UnsafeMutablePointer<NativeContext>) {
    let count = context.pointee.next - context.pointee.counted
    context.pointee.counted = context.pointee.next
    if count > 0 { endInstants(count) }
  }

  /// What an instant within a row shows, told to the observer; whether the row may go on.
  @inline(__always)
  fileprivate func deliver(_ context: UnsafeMutablePointer<NativeContext>, _ shown: UnsafeMutableRawPointer) -> Bool {
    let live = liveState
    count(context)
    live.pointee.outputChanges.setEnd(shown)
    deliverStraight()
    return isHeard && live.pointee.outputChanges.start == context.pointee.changes && maySendRows
  }

  /// Makes the slots that a region may have written what they were.
  @inline(never)
  private func takeBack(_ region: UnsafeMutablePointer<Region>) {
    let root = liveState.pointee.root
    for item in -1..<region.pointee.itemCount {
      let entry = item < 0 ? Int(region.pointee.input) : Int(region.pointee.items[item] >> 1)
      let slot = Int(root.pointee.template.pointee.rows[entry].slot)
      if slot >= 0 { root.pointee.new[slot] = root.pointee.old[slot] }
    }
  }

  // MARK: Lockstep

  /// Runs the code of a region, takes the state, undoes it, interprets the region, and compares word by word.
  @inline(never)
  private func runChecked(
    _ region: UnsafeMutablePointer<Region>, _ native: UnsafeMutablePointer<NativeRegion>, _ value: Word
  ) -> Bool {
    let template = templates.pointee
    let count = 2 * template.frameWords + template.stateWords
    let words = UnsafeMutableBufferPointer(start: live.root.pointee.old, count: count)
    let before = Array(words)
    let isDone = call(native, value)
    let (after, changes) = (Array(words), Array(live.outputChanges.buffer))
    if !isDone {
      live.undo.takeBack()
      takeBack(region)
      if !words.elementsEqual(before) { note("machine code that leaves an instant leaves something behind") }
    }
    live.undo.forget()
    for place in words.indices { words[place] = before[place] }
    for cell in 0..<template.count { native.pointee.call.context.pointee.cells[cell].instant = 0 }
    let left = machine.state.pointee.stepsLeft
    machine.state.pointee.stepsLeft = .max / 2
    let isInterpreted = interpret(region, value)
    machine.state.pointee.stepsLeft = left
    // The interpreter makes what a `filterMap` unwraps at once, for which there may be no room.
    let hasRoom = heap.state.pointee.end - heap.state.pointee.top > 64 + 64 * region.pointee.itemCount
    if isDone != isInterpreted, isInterpreted || hasRoom {
      note(
        "machine code \(isDone ? "does" : "leaves") an instant that the interpreter \(isInterpreted ? "does" : "leaves")"
      )
    } else if isDone, isInterpreted {
      let shown = Array(live.outputChanges.buffer)
      if shown.count != changes.count { note("machine code shows \(changes.count) outputs, not \(shown.count)") }
      for (a, b) in zip(changes, shown)
      where a.output != b.output || !isAlike(a.value, b.value, plan.outputs[b.output].type) {
        note("machine code shows \(a), not \(b)")
      }
      compare(after, words)
    }
    return isInterpreted
  }

  private func compare(_ after: [Word], _ words: UnsafeMutableBufferPointer<Word>) {
    let template = templates.pointee
    var types = [Int: TypeID]()
    for index in 0..<template.count where template.entries[index].slot >= 0 {
      let (slot, type) = (Int(template.entries[index].slot), template.entries[index].type)
      if !plan.core.types.isReference(type) { continue }
      types[slot] = type
      types[slot + template.frameWords] = type
    }
    var references = Set((0..<template.keeperCount).map { 2 * template.frameWords + Int(template.keepers[$0].offset) })
    for place in words.indices where after[place] != words[place] {
      if let type = types[place], isAlike(after[place], words[place], type) { continue }
      if references.remove(place) != nil, after[place].isObject, words[place].isObject { continue }
      note("word \(place) is \(after[place]) by machine code, not \(words[place])")
    }
  }

  func isAlike(_ a: Word, _ b: Word, _ type: TypeID) -> Bool {
    a == b || plan.core.types.isReference(type) && a.isObject && b.isObject && heap.equal(a, b, type: type)
  }

  func note(_ difference: String) { nativeDiffers?(difference) }
}
