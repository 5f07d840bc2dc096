// Machine code of a `keyed` whose groups are one entry each: `input |> keyed(.field, (key, own) => own |> scan(…))`. The group is found by
// `KeyTable`, as ever; what its entry computes, its state and what the output shows are a straight function like that of a region.

import FRPCore
import FRPGraph

#if arch(x86_64)
  extension NativeEmitter {
    /// What an input makes run that goes straight to a `keyed` (`DirectInput.Work.keyed`).
    struct Group {
      var input: Int32
      /// The entry of the `keyed`, and the output that shows it.
      var keyed: Int
      var output: Int32
      /// Of the entry that runs in the group.
      var row: EntryRow
    }

    /// Appends the code of groups; nil if what they compute has no machine code.
    static func append(_ group: Group, _ source: Source, to code: inout Code) -> Part? {
      let none = Region(
        input: group.input, items: .copy([]), itemCount: 0, stretches: .copy([]), stretchCount: 0, outputs: .copy([]),
        outputCount: 0, firstSlot: 0, slotCount: 0, space: source.space)
      defer { none.deallocate() }
      var emitter = NativeEmitter(none, source, sharedSlot: nil)
      defer { emitter.deallocate() }
      guard let start = emitter.write(group) else { return nil }
      return emitter.append(start, to: &code)
    }

    /// What occurs is in rax, and then in r12; rbx is the address of the group's slots before the instant, rbp of its private words.
    private mutating func write(_ group: Group) -> Int? {
      let (left, first) = writeLeaving()
      assembler.move(.r12, Place(.rax))
      assembler.move(.rdi, Place(.r13))
      assembler.move(.rsi, Place(.rax))
      assembler.move(.rdx, number: group.keyed)
      assembler.call(context(\.findGroup))
      assembler.test(.rax)
      leave(if: .equal)
      assembler.move(.rbx, Place(at: .rax, MemoryLayout<FrameRecord>.offset(of: \.old) ?? 0))
      let isScan = group.row.work == .scan
      let state = Place(at: .rbp, 8 * Int(group.row.state))
      if isScan {
        assembler.move(.rbp, Place(at: .rax, MemoryLayout<FrameRecord>.offset(of: \.state) ?? 0))
        load(0, state)
      }
      load(isScan ? 1 : 0, Place(.r12))
      guard let code = group.row.code, write(code, base: 0) else { return nil }
      // Nothing leaves from here on.
      if isScan { assembler.move(state, group.row.hasTail ? home(0).register : .rax) }
      writeChange(of: group.output)
      for skip in skips.buffer { assembler.patch(skip) }
      return writeAround(left, first)
    }
  }
#endif

extension Reactor {
  /// What groups compute becomes machine code, since it has been computed often. Where there can be none, all stays as it is.
  func decideNativeGroup(_ direct: UnsafeMutablePointer<DirectInput>) {
    #if arch(x86_64)
      let keyed = Int(direct.pointee.entry)
      let template = templates + Int(templates.pointee.entries[keyed].child)
      let group = NativeEmitter.Group(
        input: direct.pointee.input, keyed: keyed, output: direct.pointee.output,
        row: template.pointee.rows[Int(template.pointee.sole)])
      let made = makeNative([(direct.pointee.input, 2)]) { source, code in
        [NativeEmitter.append(group, source, to: &code)]
      }
      guard let native = made[0] else { return }
      direct.pointee.native = native
      goAlone(native, direct)
    #endif
  }

  /// The group, which exists, to which a `keyed` hands an occurrence; nil where there is more to do.
  @inline(__always)
  func nativeGroup(_ occurrence: Word, _ keyed: Int) -> FrameRef? {
    heap.startMetering()
    return liveGroup(EntrySite(liveState.pointee.root, keyed), occurrence)
  }

  /// What the group of an occurrence shows, as the interpreter finds it; nil where that must be run the long way, and nothing has happened.
  @inline(__always)
  func directGroup(_ direct: UnsafeMutablePointer<DirectInput>, _ value: Word) -> Word? {
    let site = EntrySite(liveState.pointee.root, Int(direct.pointee.entry))
    if let native = direct.pointee.native, native.pointee.call.context.pointee.isChecked {
      return checkedGroup(direct, native, site, value)
    }
    return quickGroup(site, value)
  }

  /// The same in lockstep: runs the machine code, takes its state, undoes it, interprets, and compares.
  @inline(never)
  private func checkedGroup(
    _ direct: UnsafeMutablePointer<DirectInput>, _ native: UnsafeMutablePointer<NativeRegion>, _ site: EntrySite,
    _ value: Word
  ) -> Word? {
    guard let child = nativeGroup(value, Int(direct.pointee.entry)) else { return quickGroup(site, value) }
    let template = child.pointee.template
    let words = UnsafeMutableBufferPointer(start: child.pointee.state, count: template.pointee.stateWords)
    let before = Array(words)
    let isDone = call(native, value)
    let (after, changes) = (Array(words), isDone ? Array(live.outputChanges.buffer) : [])
    live.outputChanges.removeAll()
    if !isDone, after != before { note("machine code of a group that leaves an instant leaves something behind") }
    for place in words.indices { words[place] = before[place] }
    let result = quickGroup(site, value)
    let shown = result.flatMap { machine.state.pointee.hasSkipped ? nil : $0 }
    let hasRoom = heap.state.pointee.end - heap.state.pointee.top > 64
    if isDone != (result != nil) {
      if result != nil || hasRoom { note("machine code of a group and the interpreter do not both leave an instant") }
    } else if isDone {
      let type = plan.outputs[Int(direct.pointee.output)].type
      let isSame = zip(changes, [shown].compactMap { $0 }).allSatisfy { isAlike($0.value, $1, type) }
      if changes.count != (shown == nil ? 0 : 1) || !isSame {
        note("machine code of a group shows \(changes), not \(String(describing: shown))")
      }
      let references = Set((0..<template.pointee.keeperCount).map { Int(template.pointee.keepers[$0].offset) })
      for place in words.indices where after[place] != words[place] {
        if references.contains(place), after[place].isObject, words[place].isObject { continue }
        note("word \(place) of a group is \(after[place]) by machine code, not \(words[place])")
      }
    }
    return result
  }
}
