// Whether a pattern fits, without saying where: a deterministic automaton whose states are made as they are met, so that
// most scalars cost one look into a table. A state is a set of places in the program and what kind of scalar came
// before; a step from it looks one scalar ahead, which is what `^`, `$` and `\b` need. Memory is bounded: when there are
// too many states, all are forgotten and made anew.

/// Answers yes or no for one program. One thread.
struct RegexAutomaton {
  private let program: RegexProgram
  /// Whether the match must be the whole text.
  private let isWhole: Bool
  /// By state and symbol (ASCII, then the end): the next state, with `matchBit` if the program matched before the
  /// symbol; -1 where that is not known yet.
  private var table: [Int32] = []
  private var states: [State] = []
  /// Of all states together.
  private var placeCount = 0
  private var numbers: [State: Int32] = [:]
  /// The same for other scalars, by state and scalar.
  private var foreign: [UInt64: Int32] = [:]
  private var marks: [UInt32]
  private var generation: UInt32 = 0
  /// Steps that were new, since they were counted.
  private var learnt = 0

  /// Scalars between two pauses.
  private static let stretch = 4096
  private static let symbols = 129
  private static let end = 128
  private static let matchBit: Int32 = 1 << 30
  /// With a quarter of a kilobyte and more for each, these bound an automaton to about a megabyte.
  private static let mostStates = 500
  private static let mostPlaces = 100_000

  private struct State: Hashable {
    var before: RegexSurrounding
    /// Ascending.
    var places: [Int32]
  }

  init(_ program: RegexProgram, isWhole: Bool) {
    self.program = program
    self.isWhole = isWhole
    marks = [UInt32](repeating: 0, count: program.code.count)
  }

  /// Whether the text, or a part of it from a place on, fits; `pause` is told of every so many steps. Cost: O(text), and
  /// O(program) for each step that is new.
  mutating func fits<E: Error>(_ text: Bytes, from start: Int = 0, pause: (Int) throws(E) -> Void) throws(E) -> Bool {
    var state = number(State(before: RegexSurrounding(before: start, in: text), places: [0]))
    var place = start
    var stop = start
    learnt = 0
    while place < text.count {
      if place >= stop || learnt > 100 {
        try pause(min(Self.stretch, text.count - place) / 16 + 1 + learnt * (program.code.count / 4 + 1))
        learnt = 0
        stop = place + Self.stretch
      }
      let byte = Int(text[place])
      var step: Int32
      if byte < 128 {
        step = table[Int(state) * Self.symbols + byte]
        if step < 0 { step = learn(&state, byte, scalar: Unicode.Scalar(UInt8(byte))) }
        place += 1
      } else {
        let (scalar, width) = RegexMatcher.decode(text, place)
        step = foreignStep(&state, scalar ?? "\u{FFFD}")
        place += width
      }
      if step & Self.matchBit != 0, !isWhole { return true }
      state = step & ~Self.matchBit
      if states[Int(state)].places.isEmpty { return false }
    }
    var step = table[Int(state) * Self.symbols + Self.end]
    if step < 0 { step = learn(&state, Self.end, scalar: nil) }
    return step & Self.matchBit != 0
  }

  private mutating func number(_ state: State) -> Int32 {
    if let known = numbers[state] { return known }
    let result = Int32(states.count)
    states.append(state)
    placeCount += state.places.count
    numbers[state] = result
    table += repeatElement(-1, count: Self.symbols)
    return result
  }

  private var isFull: Bool { states.count > Self.mostStates || placeCount > Self.mostPlaces }

  /// Forgets all states but one, which gets a new number.
  private mutating func forget(_ state: inout Int32) {
    let kept = states[Int(state)]
    states.removeAll()
    placeCount = 0
    numbers.removeAll()
    table.removeAll()
    foreign.removeAll()
    state = number(kept)
  }

  private mutating func learn(_ state: inout Int32, _ symbol: Int, scalar: Unicode.Scalar?) -> Int32 {
    if isFull { forget(&state) }
    let step = step(from: states[Int(state)], scalar)
    table[Int(state) * Self.symbols + symbol] = step
    return step
  }

  private mutating func foreignStep(_ state: inout Int32, _ scalar: Unicode.Scalar) -> Int32 {
    if isFull || foreign.count > 20_000 { forget(&state) }
    let key = UInt64(state) << 32 | UInt64(scalar.value)
    if let known = foreign[key] { return known }
    let step = step(from: states[Int(state)], scalar)
    foreign[key] = step
    return step
  }

  /// The state after a scalar (nil: the end), and whether the program matches before it.
  private mutating func step(from state: State, _ scalar: Unicode.Scalar?) -> Int32 {
    generation &+= 1
    learnt += 1
    let after = scalar.map(RegexSurrounding.init) ?? .edge
    var pending = state.places.map(Int.init)
    var next: [Int32] = isWhole ? [] : [0]
    var hasMatch = false
    while let pc = pending.popLast() {
      if marks[pc] == generation { continue }
      marks[pc] = generation
      switch program.code[pc] {
      case .jump(let target): pending.append(target)
      case .split(let first, let second): pending += [first, second]
      case .save: pending.append(pc + 1)
      case .match: hasMatch = hasMatch || !isWhole || scalar == nil
      case .scalar(let wanted): if scalar == wanted { next.append(Int32(pc + 1)) }
      case .set(let set): if let scalar, program.sets[set].contains(scalar) { next.append(Int32(pc + 1)) }
      case .anything: if scalar != nil { next.append(Int32(pc + 1)) }
      case let assertion: if assertion.holds(state.before, after) { pending.append(pc + 1) }
      }
    }
    next.sort()
    return number(State(before: scalar == nil ? .other : after, places: next)) | (hasMatch ? Self.matchBit : 0)
  }
}
