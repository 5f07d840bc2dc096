// All matches of a text, one after the other, in time linear in the text: the outlook (RegexOutlook.swift) is found once,
// from the back, and then followed from the front. The text is divided into blocks, and only the outlook at their ends is
// kept, so that memory is a small part of the text.

/// The matches of one program in one text. Other texts may be searched with the same matcher meanwhile.
struct RegexScan {
  private let program: RegexProgram
  private var automaton: RegexOutlook
  private let text: Bytes
  private let machine: Machine
  /// The block that is loaded: by place, the number of its state, with `startBit` where a match can begin; -1 inside
  /// of scalars. The last is the place behind the block.
  private var outlook: [Int32] = []
  private var block = -1
  /// By block: the place of the first scalar behind it, and the state there.
  private var ends: [(place: Int, state: RegexOutlook.State)] = []
  /// Places where the last match and its groups begin and end, -1 for groups that took no part.
  private(set) var slots: [Int]
  private var marks: [UInt32]
  private var generation: UInt32 = 0
  private var pending: [Pending] = []

  private enum Pending {
    case explore(Int)
    case restore(slot: Int, place: Int)
  }

  static let blockLength = 512

  /// Finds the outlook of the whole text. Cost: O(text), and O(program) for each state that is new.
  init(_ matcher: RegexMatcher, _ text: Bytes, _ machine: Machine) throws(Fault) {
    program = matcher.program
    automaton = matcher.outlook.take() ?? RegexOutlook(matcher.program)
    self.text = text
    self.machine = machine
    slots = [Int](repeating: -1, count: 2 * (program.groupCount + 1))
    marks = [UInt32](repeating: 0, count: program.code.count)
    try findEnds()
  }

  /// Keeps what was learnt for the next text.
  consuming func end(_ matcher: RegexMatcher) { matcher.outlook = automaton }

  private var lastBlock: Int { text.count / Self.blockLength }

  /// The first pass, from the back: the outlook at the end of each block.
  private mutating func findEnds() throws(Fault) {
    automaton.forgetIfFull()
    var state = automaton.atEnd()
    var place = text.count
    var number = lastBlock
    ends = Array(repeating: (place, automaton.states[Int(state)]), count: number + 1)
    while number > 0 {
      let start = number * Self.blockLength
      let made = automaton.states.count
      while place > start {
        var before = place
        let step = stepBack(state, &before)
        if before < start { break }
        place = before
        state = step & ~RegexOutlook.startBit
      }
      ends[number - 1] = (place, automaton.states[Int(state)])
      try count(made)
      number -= 1
      automaton.forgetIfFull()
      state = automaton.number(ends[number].state)
    }
  }

  /// Steps for a block, of which some found states that were not known.
  private func count(_ made: Int) throws(Fault) {
    let new = automaton.states.count - made
    try machine.step(min(text.count, Self.blockLength) / 16 + max(0, new) * (program.code.count / 4 + 1))
  }

  /// Goes back over the scalar before a place.
  @inline(__always)
  private mutating func stepBack(_ state: Int32, _ place: inout Int) -> Int32 {
    place -= 1
    let byte = text[place]
    if byte < 128 { return automaton.step(state, back: byte) }
    while place > 0, text[place] & 0xC0 == 0x80 { place -= 1 }
    return automaton.step(state, back: RegexMatcher.decode(text, place).0 ?? "\u{FFFD}")
  }

  /// Finds the outlook of each place of a block.
  private mutating func load(_ number: Int) throws(Fault) {
    automaton.forgetIfFull()
    let start = number * Self.blockLength
    if outlook.isEmpty { outlook = Array(repeating: -1, count: min(text.count, Self.blockLength + 4) + 1) }
    for index in outlook.indices { outlook[index] = -1 }
    var place = ends[number].place
    var state = automaton.number(ends[number].state)
    let made = automaton.states.count
    while true {
      if place - start < outlook.count { outlook[place - start] = state }
      if place == 0 {
        if automaton.beginsAtStart(state) { outlook[0] |= RegexOutlook.startBit }
        break
      }
      let behind = place
      let step = stepBack(state, &place)
      if step & RegexOutlook.startBit != 0 { outlook[behind - start] |= RegexOutlook.startBit }
      state = step & ~RegexOutlook.startBit
      if place < start { break }
    }
    block = number
    try count(made)
  }

  /// The state at a place where a scalar begins, or the end, with `startBit`.
  @inline(__always)
  private mutating func outlook(at place: Int) throws(Fault) -> Int32 {
    let start = block * Self.blockLength
    if block < 0 || place < start || place - start >= Self.blockLength {
      try load(place / Self.blockLength)
    }
    return outlook[place - block * Self.blockLength]
  }

  /// Finds the first match from `start` on; false if there is none. Cost: O(what is passed) for all calls together.
  mutating func next(from start: Int) throws(Fault) -> Bool {
    var place = start
    while place <= text.count {
      let state = try outlook(at: place)
      if state >= 0, state & RegexOutlook.startBit != 0 {
        try follow(from: place)
        return true
      }
      place += 1
    }
    return false
  }

  /// Follows the match that begins at a place: at each scalar the first alternative from which there is one.
  private mutating func follow(from start: Int) throws(Fault) {
    for index in slots.indices { slots[index] = -1 }
    var place = start
    var pc = 0
    var work = 0
    while true {
      let state = try outlook(at: place) & ~RegexOutlook.startBit
      guard let reader = firstAlive(from: pc, place, state: state, work: &work) else { break }
      if case .match = program.code[reader] { break }
      place += RegexMatcher.decode(text, place).1
      pc = reader + 1
      if work > 4096 {
        try machine.step(work / 16)
        work = 0
      }
    }
    try machine.step(work / 16 + 1)
  }

  /// The reading instruction, or the match, to which the first alternative leads that leads to a match.
  private mutating func firstAlive(from start: Int, _ place: Int, state: Int32, work: inout Int) -> Int? {
    generation &+= 1
    pending.removeAll(keepingCapacity: true)
    pending.append(.explore(start))
    while let item = pending.popLast() {
      switch item {
      case .restore(let slot, let place): slots[slot] = place
      case .explore(var pc):
        while marks[pc] != generation {
          marks[pc] = generation
          work += 1
          switch program.code[pc] {
          case .jump(let target): pc = target
          case .split(let first, let second):
            pending.append(.explore(second))
            pc = first
          case .save(let slot):
            pending.append(.restore(slot: slot, place: slots[slot]))
            slots[slot] = place
            pc += 1
          case .scalar, .set, .anything, .match:
            if automaton.isAlive(pc, state) { return pc }
          case let assertion:
            let holds = assertion.holds(
              RegexSurrounding(before: place, in: text), RegexSurrounding(after: place, in: text))
            if holds { pc += 1 }
          }
        }
      }
    }
    return nil
  }
}
