// What can still match, seen from each place of a text: a deterministic automaton that reads the text backwards, whose
// states are made as they are met. A state is the set of reading instructions from which the program goes on to a match,
// and what kind of scalar comes next. With it a search from the front never takes a wrong turn (RegexScan.swift), so all
// matches of a text together cost one pass back and one forth (Frisch and Cardelli, 2004).

/// The backward automaton of one program. One thread.
struct RegexOutlook {
  /// What a match can do at one place.
  struct State: Hashable {
    fileprivate var after: RegexSurrounding
    /// Reading instructions, and `match`, ascending.
    fileprivate var alive: [Int32]
  }

  let program: RegexProgram
  /// The instructions that go on to one without reading, by instruction.
  private var sources: [[Int32]]
  private var readers: [Int32] = []
  private(set) var states: [State] = []
  private var numbers: [State: Int32] = [:]
  /// By state and the scalar before (ASCII, then the start of the text): the state there, with `startBit` if a match
  /// can begin behind that scalar; -1 where that is not known yet.
  private var table: [Int32] = []
  /// The same for other scalars, by state and scalar.
  private var foreign: [UInt64: Int32] = [:]
  /// By state: the set of what is alive, as bits.
  private var bits: [UInt64] = []
  private let width: Int
  private var aliveCount = 0
  private var marks: [UInt32]
  private var generation: UInt32 = 0
  private var pending: [Int32] = []

  private static let symbols = 129
  private static let begin = 128
  static let startBit: Int32 = 1 << 30
  /// With half a kilobyte and more for each, these bound an automaton to a few megabytes.
  private static let mostStates = 500
  private static let mostAlive = 100_000

  init(_ program: RegexProgram) {
    self.program = program
    width = (program.code.count + 63) / 64
    marks = [UInt32](repeating: 0, count: program.code.count)
    sources = [[Int32]](repeating: [], count: program.code.count)
    for (index, instr) in program.code.enumerated() {
      switch instr {
      case .jump(let target): sources[target].append(Int32(index))
      case .split(let first, let second):
        sources[first].append(Int32(index))
        sources[second].append(Int32(index))
      case .scalar, .set, .anything, .match: readers.append(Int32(index))
      default: sources[index + 1].append(Int32(index))
      }
    }
  }

  /// The number of the state at the end of a text.
  mutating func atEnd() -> Int32 {
    let ends = readers.filter { if case .match = program.code[Int($0)] { true } else { false } }
    return number(State(after: .edge, alive: ends))
  }

  /// The number of a state that was kept.
  mutating func number(_ state: State) -> Int32 {
    if let known = numbers[state] { return known }
    let result = Int32(states.count)
    states.append(state)
    aliveCount += state.alive.count
    numbers[state] = result
    table += repeatElement(-1, count: Self.symbols)
    bits += repeatElement(0, count: width)
    for pc in state.alive { bits[Int(result) * width + Int(pc) / 64] |= 1 << UInt64(pc % 64) }
    return result
  }

  /// Whether an instruction that reads, or `match`, leads to a match from a state.
  @inline(__always)
  func isAlive(_ pc: Int, _ state: Int32) -> Bool {
    bits[Int(state) * width + pc >> 6] >> UInt64(pc & 63) & 1 == 1
  }

  /// Forgets all states if there are too many; numbers are void then.
  mutating func forgetIfFull() {
    if states.count <= Self.mostStates, aliveCount <= Self.mostAlive, foreign.count <= 20_000 { return }
    states.removeAll()
    numbers.removeAll()
    table.removeAll()
    foreign.removeAll()
    bits.removeAll()
    aliveCount = 0
  }

  /// The step over the ASCII scalar before a place.
  @inline(__always)
  mutating func step(_ state: Int32, back byte: UInt8) -> Int32 {
    let known = table[Int(state) * Self.symbols + Int(byte)]
    return known >= 0 ? known : learn(state, Int(byte), scalar: Unicode.Scalar(byte))
  }

  /// Whether a match can begin at the start of the text.
  mutating func beginsAtStart(_ state: Int32) -> Bool {
    let known = table[Int(state) * Self.symbols + Self.begin]
    return (known >= 0 ? known : learn(state, Self.begin, scalar: nil)) & Self.startBit != 0
  }

  /// The step over another scalar.
  mutating func step(_ state: Int32, back scalar: Unicode.Scalar) -> Int32 {
    let key = UInt64(state) << 32 | UInt64(scalar.value)
    if let known = foreign[key] { return known }
    let step = find(state, scalar)
    foreign[key] = step
    return step
  }

  private mutating func learn(_ state: Int32, _ symbol: Int, scalar: Unicode.Scalar?) -> Int32 {
    let step = find(state, scalar)
    table[Int(state) * Self.symbols + symbol] = step
    return step
  }

  /// The state before `scalar` (nil: the start of the text, before which there is none) and whether a match can begin
  /// behind it. Cost: O(program).
  private mutating func find(_ number: Int32, _ scalar: Unicode.Scalar?) -> Int32 {
    generation &+= 1
    let state = states[Int(number)]
    let before = scalar.map(RegexSurrounding.init) ?? .edge
    pending.append(contentsOf: state.alive)
    while let pc = pending.popLast() {
      if marks[Int(pc)] == generation { continue }
      marks[Int(pc)] = generation
      for source in sources[Int(pc)] {
        switch program.code[Int(source)] {
        case .jump, .split, .save: pending.append(source)
        case let assertion: if assertion.holds(before, state.after) { pending.append(source) }
        }
      }
    }
    let begins = marks[0] == generation ? Self.startBit : 0
    guard let scalar else { return begins }
    let alive = readers.filter { pc in
      switch program.code[Int(pc)] {
      case .scalar(let wanted): scalar == wanted && marks[Int(pc) + 1] == generation
      case .set(let set): marks[Int(pc) + 1] == generation && program.sets[set].contains(scalar)
      case .anything: marks[Int(pc) + 1] == generation
      default: true
      }
    }
    return self.number(State(after: before, alive: alive)) | begins
  }
}

/// What assertions see of the scalar beside a place; `edge` is an end of the text.
enum RegexSurrounding: UInt8 {
  case edge, newline, word, other

  init(_ scalar: Unicode.Scalar) {
    if scalar == "\n" { self = .newline } else { self = RegexSet.words.contains(scalar) ? .word : .other }
  }

  /// That of the scalar before a place of a text; only ASCII makes a difference.
  init(before place: Int, in text: Bytes) {
    if place == 0 { self = .edge } else { self.init(byte: text[place - 1]) }
  }

  /// That of the scalar after a place.
  init(after place: Int, in text: Bytes) {
    if place == text.count { self = .edge } else { self.init(byte: text[place]) }
  }

  private init(byte: UInt8) {
    if byte < 128 { self.init(Unicode.Scalar(byte)) } else { self = .other }
  }
}

extension RegexInstr {
  /// Whether an assertion holds between two scalars.
  func holds(_ before: RegexSurrounding, _ after: RegexSurrounding) -> Bool {
    switch self {
    case .textStart: before == .edge
    case .textEnd: after == .edge
    case .lineStart: before == .edge || before == .newline
    case .lineEnd: after == .edge || after == .newline
    case .wordBoundary: (before == .word) != (after == .word)
    case .noWordBoundary: (before == .word) == (after == .word)
    default: false
    }
  }
}
