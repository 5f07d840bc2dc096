// Running the machine code of a region, and looking whether it does what the interpreter does (lockstep).

import FRPCore
import FRPGraph

/// What the machine code of a region is given, and gives.
struct NativeContext {
  /// Gives 0 where the instant must be run the long way; then the region's slots are to be taken back.
  var function: @convention(c) (UnsafeMutableRawPointer) -> Int
  /// Of the program's frame: the words after the instant. Those before lie in front of them, private words behind.
  var new: Address
  var cells: UnsafeMutablePointer<RegionCell>
  var instant: UInt64 = 0
  /// What occurs at the input.
  var value: Word = 0
  /// In: where outputs go. Out: where the next would go.
  var changes: UnsafeMutablePointer<OutputChange>
  /// What an instant takes at most.
  var steps: Int
  /// Runs one entry as the interpreter does; 0 where it must be run the long way.
  var runItem: @convention(c) (UnsafeMutableRawPointer, Int) -> Int
  var reactor: Unmanaged<Reactor>
  /// Whether all is interpreted as well, and compared.
  var isChecked: Bool
}

/// The machine code of a region, with what it is given. It is immutable, and names no address.
final class NativeCode {
  let context: UnsafeMutablePointer<NativeContext>
  private let memory: CodeMemory

  init(_ memory: CodeMemory, _ context: NativeContext) {
    self.memory = memory
    self.context = .copy([context])
  }

  deinit { context.deallocate() }
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

  /// Emits the code of a region, if there can be some.
  @inline(never)
  func makeNative(_ region: UnsafeMutablePointer<Region>) -> UnsafeMutablePointer<NativeContext>? {
    #if arch(x86_64)
      guard let table = regions else { return nil }
      let source = NativeEmitter.Source(template: templates, space: table.space, constants: plan.code.constants)
      guard let memory = NativeEmitter.native(region.pointee, source) else { return nil }
      // Once there is room for as many outputs, there always is.
      live.outputChanges.replaceAll(most: region.pointee.outputCount) { _ in 0 }
      let context = NativeContext(
        function: memory.function, new: live.root.pointee.new, cells: table.space.cells,
        changes: live.outputChanges.start, steps: 2 * region.pointee.itemCount,
        runItem: { context, index in
          let context = context.assumingMemoryBound(to: NativeContext.self)
          return context.pointee.reactor._withUnsafeGuaranteedRef { $0.runItem(index, context) } ? 1 : 0
        }, reactor: Unmanaged.passUnretained(self), isChecked: nativeDiffers != nil)
      return table.keep(NativeCode(memory, context))
    #else
      return nil
    #endif
  }

  /// What an input makes run, done by machine code, with `outputChanges` filled; false where that must be run the long way, and
  /// nothing has happened.
  @inline(__always)
  func runNative(
    _ direct: UnsafeMutablePointer<DirectInput>, _ context: UnsafeMutablePointer<NativeContext>, _ value: Word
  ) -> Bool {
    guard let region = direct.pointee.region else { return false }
    machine.state.pointee.stepsLeft &-= context.pointee.steps
    if machine.state.pointee.stepsLeft <= 0 { return false }
    machine.state.pointee.epoch &+= 1
    let isDone = context.pointee.isChecked ? runChecked(region, context, value) : call(context, value)
    if !isDone {
      if !context.pointee.isChecked { takeBack(region) }
      leave(direct, region)
      return false
    }
    if region.pointee.leaves > 0 { region.pointee.leaves &-= 1 }
    if liveState.pointee.undo.count > 0 { live.undo.forget() }
    return true
  }

  @inline(__always)
  private func call(_ context: UnsafeMutablePointer<NativeContext>, _ value: Word) -> Bool {
    let live = liveState
    let start = live.pointee.outputChanges.start
    context.pointee.instant = live.pointee.instant &+ 1
    context.pointee.value = value
    context.pointee.changes = start
    if context.pointee.function(context) == 0 { return false }
    live.pointee.outputChanges.setCount(context.pointee.changes - start)
    return true
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
    _ region: UnsafeMutablePointer<Region>, _ context: UnsafeMutablePointer<NativeContext>, _ value: Word
  ) -> Bool {
    let template = templates.pointee
    let count = 2 * template.frameWords + template.stateWords
    let words = UnsafeMutableBufferPointer(start: live.root.pointee.old, count: count)
    let before = Array(words)
    let isDone = call(context, value)
    let (after, changes) = (Array(words), Array(live.outputChanges.buffer))
    if !isDone {
      live.undo.takeBack()
      takeBack(region)
      if !words.elementsEqual(before) { note("machine code that leaves an instant leaves something behind") }
    }
    live.undo.forget()
    for place in words.indices { words[place] = before[place] }
    for cell in 0..<template.count { context.pointee.cells[cell].instant = 0 }
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

  private func isAlike(_ a: Word, _ b: Word, _ type: TypeID) -> Bool {
    a == b || plan.core.types.isReference(type) && a.isObject && b.isObject && heap.equal(a, b, type: type)
  }

  private func note(_ difference: String) { nativeDiffers?(difference) }
}
