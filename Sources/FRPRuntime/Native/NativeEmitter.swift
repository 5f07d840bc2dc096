// From a region to one straight function of machine code.
//
// It does what `Reactor.runItems` does, instant by instant, to the same words: values of behaviors go to `new`, what has occurred to
// the cells, and at the end to `old` what has changed. What cannot be taken back is written last: the state of a `scan` waits in a
// second cell of its entry, unless that is the last of all. Where something is out of the ordinary (an overflow, a Float that is not finite, two
// occurrences), the code leaves: it gives 0, and the words of `new` that the region writes become those of `old` again.
// What has no machine code (texts, records that are compared, sines) runs as ever, called for one entry.
// The function takes a row of occurrences, each with an instant of its own.
//
// Registers: rbx the words after the instant or, among a region's entries, some word near those that they use, so that most are a byte away; rbp the
// cells, r12 the number of the instant, r13 the `NativeContext`, r14 where the next output goes, r15 the first word of a Float that is not finite,
// doubled, less one, or where the input has its value, if inputs of Ints may share their code. The code names no address, so it can lie anywhere.

#if arch(x86_64)
  import FRPGraph

  struct NativeEmitter {
    /// What a region's code reads of it, and is told.
    struct Source {
      var template: UnsafeMutablePointer<TemplateRecord>
      var space: RegionSpace
      var constants: [CodeConstant]
      /// By entry; nothing is asked about any before a region's code is made, nor after it.
      var uses: UnsafeMutablePointer<Uses>
    }

    /// What somebody in the region asks about an entry.
    struct Uses {
      /// Whether it has occurred or changed.
      var isWatched = false
      /// What the cell of it says.
      var isRead = false
      var isMember = false
      /// Where its outputs begin; -1 for none.
      var output: Int32 = -1
    }

    /// The code of regions, one behind the other.
    struct Code {
      /// Whether inputs whose code does the same share it.
      var isShared = false
      var bytes: [UInt8] = []
      /// Of code that may be shared: where it is entered.
      var entries: [[UInt8]: Int] = [:]
    }

    /// The code of one region.
    struct Part {
      /// Where it is entered.
      var entry: Int
      var callsNothing: Bool
      var makesObjects: Bool
    }

    let source: Source
    let region: Region
    let rows: UnsafeMutablePointer<EntryRow>
    let frameWords: Int
    private let uses: UnsafeMutablePointer<Uses>
    /// Whether outputs are in the order of the entries that they show: then each is written when it is known.
    var hasOutputsInOrder = true
    var calls = 0
    /// Whether a sum has many terms in the region, as the interpreter would go through.
    private var hasLongSum = false

    /// The slot of the input if its place is in r15, so that nothing in the code says which input it is.
    let sharedSlot: Int?
    /// Whether r15 was wanted for Floats.
    var needsFloats = false

    /// Whether objects are made.
    var makesObjects = false

    // Of the code that is being written: NativeInstructions.swift.
    var assembler = Assembler()
    var base = 0
    var isFilterMap = false
    /// The entry whose occurrence is in rax, too.
    private var held: Int?
    /// If rcx is twice the Float in rax: where it was computed, and looked at whether that is finite.
    var doubled: Int?
    /// The word, counted from those after the instant, that rbx is the address of.
    private var center = 0
    /// What a lift does where its Float is zero or not finite: where that comes from, where it goes on, and where the Float goes.
    private struct Zero {
      var jump: Int
      var store: Int
      var slot: Place
    }
    private var zeros = Rows<Zero>()
    var places = Rows<Int>()
    var jumps = Rows<(from: Int, target: Int)>()
    var ends = Rows<Int>()
    /// Jumps to where an entry shows nothing, and to where a `filterMap` has what it shows.
    var skips = Rows<Int>()
    var wrapped = Rows<Int>()

    /// Appends the code of a region, and gives where it is entered; nil where the input's values must be compared with more than a word, or most
    /// entries have no machine code. Cost: some 50 ns an entry.
    static func append(_ region: Region, _ source: Source, to code: inout Code) -> Part? {
      let input = source.template.pointee.rows[Int(region.input)]
      if input.equality == .structure, input.slot >= 0 { return nil }
      if code.isShared, input.slot >= 0, input.equality == .word, region.itemCount <= mostSharedItems {
        var emitter = NativeEmitter(region, source, sharedSlot: Int(input.slot))
        defer { emitter.deallocate() }
        let start = emitter.writeRegion()
        if !emitter.needsFloats { return emitter.append(start, to: &code) }
      }
      var emitter = NativeEmitter(region, source, sharedSlot: nil)
      defer { emitter.deallocate() }
      let start = emitter.writeRegion()
      return emitter.append(start, to: &code)
    }

    /// Longer ones are seldom the same, and looking for Floats in vain costs as much as they do.
    private static let mostSharedItems = 4

    func append(_ start: Int, to code: inout Code) -> Part? {
      if hasLongSum || calls * 2 > region.itemCount { return nil }
      let written = UnsafeBufferPointer(start: assembler.start, count: assembler.count)
      var part = Part(entry: code.bytes.count + start, callsNothing: calls == 0, makesObjects: makesObjects)
      if sharedSlot != nil {
        let key = Array(written)
        if let shared = code.entries[key] {
          part.entry = shared
          return part
        }
        code.entries[key] = part.entry
      }
      code.bytes.append(contentsOf: written)
      return part
    }

    init(_ region: Region, _ source: Source, sharedSlot: Int?) {
      (self.region, self.source, self.sharedSlot) = (region, source, sharedSlot)
      rows = source.template.pointee.rows
      frameWords = source.template.pointee.frameWords
      uses = source.uses
      findUses()
    }

    /// Whether an item runs whenever its stretch does. To compute a short lift costs less than to ask whether it is due; if not,
    /// its value is the same.
    private func isSure(_ item: Int) -> Bool {
      region.items[item] & 1 == 0 || NativeEmitter.isShort(rows[entry(item)])
    }

    private static func isShort(_ row: EntryRow) -> Bool {
      guard row.isLift, let code = row.code else { return false }
      for place in 0..<8 {
        if code[place].op == .construct || code[place].op == .giveConstruct { return false }
        if code[place].op == .result || code[place].op.plain != nil { return true }
      }
      return false
    }

    func deallocate() {
      uses[Int(region.input)] = Uses()
      for item in 0..<region.itemCount {
        uses[entry(item)] = Uses()
        for place in askedSources(of: item) { uses[Int(source.space.sources[place])] = Uses() }
        if rows[entry(item)].source >= 0 { uses[Int(rows[entry(item)].source)] = Uses() }
      }
      assembler.deallocate()
      places.deallocate()
      jumps.deallocate()
      ends.deallocate()
      skips.deallocate()
      wrapped.deallocate()
      zeros.deallocate()
    }

    func entry(_ item: Int) -> Int { Int(region.items[item] >> 1) }

    private func sources(of entry: Int) -> Range<Int> {
      Int(source.space.sourceStarts[entry])..<Int(source.space.sourceStarts[entry + 1])
    }

    /// Of what an item reads, that of which it asks whether it has occurred or changed.
    private func askedSources(of item: Int) -> Range<Int> {
      rows[entry(item)].work == .other || !isSure(item) ? sources(of: entry(item)) : 0..<0
    }

    private mutating func findUses() {
      uses[Int(region.input)].isMember = true
      for item in 0..<region.itemCount { uses[entry(item)].isMember = true }
      for stretch in 0..<region.stretchCount where region.stretches[stretch].gate >= 0 {
        uses[Int(region.stretches[stretch].gate)].isWatched = true
      }
      for item in 0..<region.itemCount {
        let row = rows[entry(item)]
        for place in askedSources(of: item) {
          uses[Int(source.space.sources[place])].isWatched = true
          if row.work == .other { uses[Int(source.space.sources[place])].isRead = true }
        }
        if row.hasQuickCode, !row.isLift { uses[Int(row.source)].isRead = true }
      }
      for place in (0..<region.outputCount).reversed() {
        let entry = region.outputs[place].entry
        if place > 0, region.outputs[place - 1].entry > entry { hasOutputsInOrder = false }
        uses[Int(entry)].output = Int32(place)
      }
      if hasOutputsInOrder { return }
      for place in 0..<region.outputCount {
        uses[Int(region.outputs[place].entry)].isWatched = true
        uses[Int(region.outputs[place].entry)].isRead = true
      }
    }

    // MARK: Places

    /// Leaves the instant to the long way.
    mutating func leave(if condition: Assembler.Condition? = nil) { assembler.jump(if: condition, to: 0) }

    /// A word of the frame, counted from those after the instant.
    func word(_ place: Int) -> Place {
      if let sharedSlot, place == sharedSlot || place == sharedSlot - frameWords {
        return Place(at: .r15, 8 * (place - sharedSlot))
      }
      return Place(at: .rbx, 8 * (place - center))
    }

    func new(_ slot: Int32) -> Place { word(Int(slot)) }
    func old(_ slot: Int32) -> Place { word(Int(slot) - frameWords) }
    func state(_ slot: Int32) -> Place { word(Int(slot) + frameWords) }

    func cell(_ entry: Int) -> Place {
      Place(at: .rbp, MemoryLayout<RegionCell>.stride * entry)
    }

    func instant(_ entry: Int) -> Place {
      Place(at: .rbp, MemoryLayout<RegionCell>.stride * entry + 8)
    }

    /// The second cell of an entry: what its state will be.
    func kept(_ entry: Int) -> Int { entry + source.template.pointee.count }

    func context(_ field: PartialKeyPath<NativeContext>) -> Place {
      Place(at: .r13, MemoryLayout<NativeContext>.offset(of: field) ?? 0)
    }

    func constant(_ place: Int32) -> Word? {
      if case .word(let word) = source.constants[Int(place)] { return word }
      return nil
    }

    /// Jumps to where nothing has happened, since an input has the value that it had.
    var inputSkips: [Int] = []

    /// What occurs is in rax.
    mutating func writeInput() {
      let input = Int(region.input)
      if rows[input].slot < 0 { return show(input) }
      skips.removeAll()
      doubled = nil
      keep(input)
      inputSkips = Array(skips.buffer)
    }

    mutating func writeItems() {
      var item = 0
      for stretch in 0..<region.stretchCount {
        let (gate, count) = (Int(region.stretches[stretch].gate), Int(region.stretches[stretch].count))
        let skip = gate < 0 ? nil : jumpUnlessShown(gate)
        // What the entry before shows is still in rax where it has shown something.
        if skip != nil, shownLast == gate { held = gate }
        let (before, end) = (center, item + count)
        for item in item..<end {
          approach(item, before: end)
          writeItem(entry(item), isSure: isSure(item))
        }
        // Who comes from the gate has not moved.
        if skip != nil { move(to: before) }
        if let skip {
          assembler.patch(skip)
          held = nil
        }
        item = end
      }
      move(to: 0)
    }

    /// How many words are a byte away, on each side.
    private static let reach = 16

    /// Moves near the slots of an item and, as far as they go together, of those that follow.
    private mutating func approach(_ item: Int, before end: Int) {
      guard var range = slots(entry(item)) else { return }
      if range.lowerBound >= center - Self.reach, range.upperBound < center + Self.reach { return }
      var next = item + 1
      while next < end, range.count < 2 * Self.reach {
        if let more = slots(entry(next)) {
          let both = min(range.lowerBound, more.lowerBound)...max(range.upperBound, more.upperBound)
          if both.count > 2 * Self.reach { break }
          range = both
        }
        next += 1
      }
      if range.count <= 2 * Self.reach { move(to: range.lowerBound + Self.reach) }
    }

    private mutating func move(to word: Int) {
      if word != center { assembler.apply(.add, Place(.rbx), number: Int32(8 * (word - center))) }
      center = word
    }

    /// The words that a short lift uses, from the first to the last; nil for what is no such lift.
    private func slots(_ entry: Int) -> ClosedRange<Int>? {
      guard rows[entry].isLift, NativeEmitter.isShort(rows[entry]) else { return nil }
      var range = Int(rows[entry].slot)...Int(rows[entry].slot)
      for place in sources(of: entry) {
        let slot = Int(rows[Int(source.space.sources[place])].slot)
        if slot >= 0 { range = min(range.lowerBound, slot)...max(range.upperBound, slot) }
      }
      return range
    }

    mutating func jumpUnlessShown(_ entry: Int) -> Int {
      assembler.compare(instant(entry), .r12)
      return assembler.jump(if: .notEqual)
    }

    private mutating func writeItem(_ entry: Int, isSure: Bool) {
      skips.removeAll()
      wrapped.removeAll()
      shownLast = -1
      if !isSure { writeDue(entry) }
      let (start, before) = (assembler.count, skips.count)
      let isCompared = rows[entry].slot >= 0 && rows[entry].equality == .structure
      if isCompared || !write(entry) {
        assembler.goBack(to: start)
        skips.removeLast(to: before)
        writeCall(entry)
        held = nil
      }
      shownLast = held ?? -1
      if !skips.isEmpty { held = nil }
      for skip in skips.buffer { assembler.patch(skip) }
    }

    /// The entry that was written last, if its occurrence is in rax wherever it shows something.
    private var shownLast = -1

    /// Passes an entry over unless something it reads has occurred or changed.
    private mutating func writeDue(_ entry: Int) {
      let members = sources(of: entry).map { Int(source.space.sources[$0]) }.filter { uses[$0].isMember }
      var due: [Int] = []
      for (place, member) in members.enumerated() {
        assembler.compare(instant(member), .r12)
        if place == members.count - 1 {
          skips.append(assembler.jump(if: .notEqual))
        } else {
          due.append(assembler.jump(if: .equal))
        }
      }
      for jump in due { assembler.patch(jump) }
    }

    /// An entry that runs as ever.
    private mutating func writeCall(_ entry: Int) {
      calls += 1
      assembler.move(.rdi, Place(.r13))
      assembler.move(.rsi, number: entry)
      assembler.call(context(\.runItem))
      assembler.test(.rax)
      leave(if: .equal)
      if uses[entry].output < 0 || !hasOutputsInOrder { return }
      skips.append(jumpUnlessShown(entry))
      assembler.move(.rax, cell(entry))
      writeChanges(entry)
    }

    private mutating func write(_ entry: Int) -> Bool {
      let row = rows[entry]
      if row.work == .other {
        writeMerge(entry)
        return true
      }
      if row.work == .sum {
        writeSum(entry)
        return true
      }
      let from = cell(Int(row.source))
      if row.isLift {
        held = nil
        guard let code = row.code, write(code, base: 0) else { return false }
        keep(entry)
        return true
      }
      guard let code = row.code else {
        doubled = nil
        if held != Int(row.source) { assembler.move(.rax, from) }
        held = nil
        keep(entry)
        return true
      }
      let hasTwo = row.work == .scan || row.work == .fold
      let occurrence = held == Int(row.source) ? Place(.rax) : from
      held = nil
      if hasTwo { load(1, occurrence) }
      load(0, row.work == .scan ? state(row.state) : row.work == .fold ? new(row.slot) : occurrence)
      guard write(code, base: -frameWords, isFilterMap: row.work == .filterMap) else { return false }
      switch row.work {
      case .fold, .hold: keep(entry)
      case .filter:
        assembler.testLowestBit(.rax)
        skips.append(assembler.jump(if: .equal))
        assembler.move(.rax, from)
        show(entry)
      case .filterMap:
        writeUnwrapping()
        show(entry)
      case .scan:
        let next = row.hasTail ? home(0).register : .rax
        writeState(entry, next)
        show(entry)
      default: show(entry)
      }
      return true
    }

    /// Whether an entry is the last of the region: nothing leaves the instant behind what it writes.
    func isLast(_ entry: Int) -> Bool { self.entry(region.itemCount - 1) == entry }

    /// Puts a parameter of a code into its place.
    mutating func load(_ parameter: Int, _ source: Place) { assembler.move(home(parameter).register, source) }

    /// rax, which is an Option, becomes what is in it; passed over where nothing is.
    private mutating func writeUnwrapping() {
      assembler.testLowestBit(.rax)
      skips.append(assembler.jump(if: .notEqual))
      assembler.test(.rax)
      skips.append(assembler.jump(if: .equal))
      assembler.move(.rax, Place(at: .rax, 8))
      for jump in wrapped.buffer { assembler.patch(jump) }
    }

    /// The only occurrence of those that are merged.
    private mutating func writeMerge(_ entry: Int) {
      held = nil
      assembler.move(.rcx, number: 0)
      for place in sources(of: entry) {
        let member = Int(source.space.sources[place])
        if !uses[member].isMember { continue }
        let next = jumpUnlessShown(member)
        assembler.test(.rcx)
        leave(if: .notEqual)
        assembler.move(.rcx, number: 1)
        assembler.move(.rax, cell(member))
        assembler.patch(next)
      }
      assembler.test(.rcx)
      skips.append(assembler.jump(if: .equal))
      show(entry)
    }

    /// A sum of Ints, by those of its terms that the region may have changed: see Sums.swift.
    private mutating func writeSum(_ entry: Int) {
      held = nil
      let sum = source.template.pointee.entries[entry]
      let range = sum.first.slot..<sum.first.slot + sum.count
      let terms = (-1..<region.itemCount).map { $0 < 0 ? Int(region.input) : self.entry($0) }
        .filter { range.contains(rows[$0].slot) }
      hasLongSum = hasLongSum || terms.count > NativeEmitter.mostTerms
      let bound = Register.rcx
      assembler.move(bound, state(rows[entry].state))
      assembler.test(bound)
      leave(if: .equal)
      assembler.move(.rax, new(rows[entry].slot))
      for term in terms.prefix(NativeEmitter.mostTerms) {
        assembler.move(.rsi, old(rows[term].slot))
        assembler.move(.rdi, new(rows[term].slot))
        assembler.apply(.add, .rax, Place(.rdi))
        assembler.apply(.sub, .rax, Place(.rsi))
        magnitude(.rsi)
        magnitude(.rdi)
        assembler.apply(.sub, bound, Place(.rsi))
        assembler.apply(.add, bound, Place(.rdi))
        leave(if: .negative)
      }
      writeState(entry, bound)
      keep(entry)
    }

    /// What the private word of an entry is from now on: written at once if nothing can leave the instant behind it, else in the end.
    private mutating func writeState(_ entry: Int, _ next: Register) {
      if isLast(entry) { return assembler.move(state(rows[entry].state), next) }
      assembler.move(cell(kept(entry)), next)
      assembler.move(instant(kept(entry)), .r12)
    }

    private static let mostTerms = 16

    /// A register becomes its magnitude, without a sign; rdx is lost.
    private mutating func magnitude(_ register: Register) {
      assembler.move(.rdx, Place(register))
      assembler.shift(.arithmeticRight, .rdx, by: 63)
      assembler.apply(.xor, register, Place(.rdx))
      assembler.apply(.sub, register, Place(.rdx))
    }

    // MARK: What entries show

    /// rax occurs.
    private mutating func show(_ entry: Int) {
      if uses[entry].isRead { assembler.move(cell(entry), .rax) }
      if uses[entry].isWatched { assembler.move(instant(entry), .r12) }
      if hasOutputsInOrder { writeChanges(entry) }
      if rows[entry].slot < 0 { held = entry }
    }

    /// A behavior is rax from now on; passed over where it was that before.
    private mutating func keep(_ entry: Int) {
      let slot = new(rows[entry].slot)
      if rows[entry].equality == .word, !isAsked(entry) { return assembler.move(slot, .rax) }
      if rows[entry].equality == .float, !isAsked(entry) {
        // Whether it is finite is asked here, too: one less than twice zero is a large number as well.
        if let doubled { assembler.goBack(to: doubled) }
        assembler.doubleLessOne(.rcx, .rax)
        assembler.apply(.compare, .rcx, infinity())
        let jump = assembler.jump(if: .aboveOrEqual)
        zeros.append(Zero(jump: jump, store: assembler.count, slot: slot))
        return assembler.move(slot, .rax)
      }
      assembler.compare(slot, .rax)
      skips.append(assembler.jump(if: .equal))
      if rows[entry].equality == .float {
        assembler.move(.rcx, Place(.rax))
        assembler.apply(.or, .rcx, slot)
        assembler.apply(.add, .rcx, Place(.rcx))
        skips.append(assembler.jump(if: .equal))
      }
      assembler.move(slot, .rax)
      show(entry)
    }

    /// Behind the function, for Floats that nobody asks about: leaves where one is not finite. Two finite Floats with other bits are the same only if
    /// both are zero: then the one before stays.
    mutating func writeZeros() {
      if zeros.isEmpty { return }
      let start = assembler.count
      assembler.double(.rcx, .rax)
      assembler.test(.rcx)
      let isZero = assembler.jump(if: .equal)
      // The place to return to.
      assembler.apply(.add, Place(.rsp), number: 8)
      assembler.jump(to: 0)
      assembler.patch(isZero)
      assembler.move(.rcx, Place(at: .rdx, 0))
      assembler.double(.rdx, .rcx)
      assembler.test(.rdx)
      assembler.move(.rax, Place(.rcx), if: .equal)
      assembler.giveBack()
      for zero in zeros.buffer {
        assembler.patch(zero.jump)
        assembler.address(.rdx, zero.slot)
        assembler.call(start)
        assembler.jump(to: zero.store)
      }
    }

    /// The register with the first word of a Float that is not finite, doubled, less one.
    mutating func infinity() -> Place {
      needsFloats = true
      return Place(.r15)
    }

    /// Whether somebody asks whether an entry has changed.
    private func isAsked(_ entry: Int) -> Bool {
      uses[entry].isWatched || uses[entry].isRead || uses[entry].output >= 0
    }

    /// rax is what the outputs of an entry show.
    private mutating func writeChanges(_ entry: Int) {
      var place = Int(uses[entry].output)
      while place >= 0, place < region.outputCount, Int(region.outputs[place].entry) == entry {
        writeChange(of: region.outputs[place].output)
        place += 1
      }
    }

    /// rax is what an output shows.
    mutating func writeChange(of output: Int32) {
      assembler.move(Place(at: .r14, 0), number: output)
      assembler.move(Place(at: .r14, 8), .rax)
      assembler.apply(.add, Place(.r14), number: Int32(MemoryLayout<OutputChange>.stride))
    }

    mutating func writeOutputs() {
      for place in 0..<region.outputCount {
        let entry = Int(region.outputs[place].entry)
        let skip = jumpUnlessShown(entry)
        assembler.move(.rax, cell(entry))
        writeChange(of: region.outputs[place].output)
        assembler.patch(skip)
      }
    }
  }
#endif
