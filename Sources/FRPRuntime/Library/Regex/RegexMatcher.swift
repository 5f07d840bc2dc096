// Runs a pattern's program over UTF-8 text, all alternatives side by side (Thompson 1968; priorities and captures after
// Pike): time is at most text times program, memory is the program's size. The leftmost match counts, and among those
// at one place the one that a backtracking engine would find first. Whether there is a match at all is asked of the
// automaton first, which is many times faster.

/// One pattern, ready to run; keeps its working memory. One thread.
final class RegexMatcher {
  let program: RegexProgram
  private var pike: RegexSearch
  private var parts: RegexAutomaton
  private var wholes: RegexAutomaton
  /// What scans have learnt; nil while one is under way.
  var outlook: RegexOutlook?

  init(_ program: RegexProgram) {
    self.program = program
    pike = RegexSearch(program)
    parts = RegexAutomaton(program, isWhole: false)
    wholes = RegexAutomaton(program, isWhole: true)
  }

  /// Places where the last match and its groups begin and end, -1 for groups that took no part.
  var slots: [Int] { pike.slots }

  /// Whether a part of the text, or the whole, fits; `pause` is told of every so many steps. Cost: O(text).
  func fits<E: Error>(_ text: Bytes, isWhole: Bool, pause: (Int) throws(E) -> Void) throws(E) -> Bool {
    if isWhole { return try wholes.fits(text, pause: pause) }
    return try parts.fits(text, pause: pause)
  }

  /// Finds the first match. Results are in `slots`. Cost: O(place of its end, times program).
  func search<E: Error>(_ text: Bytes, _ pause: (Int) throws(E) -> Void) throws(E) -> Bool {
    guard try parts.fits(text, pause: pause) else { return false }
    return try pike.first(in: text, pause: pause)
  }

  /// The scalar at a place of well-formed text and its width; nil and 0 at the end.
  static func decode(_ text: Bytes, _ place: Int) -> (Unicode.Scalar?, Int) { RegexSearch.decode(text, place) }
}

/// One program with its working memory. A struct, so that its parts are accessed without checks for exclusivity.
struct RegexSearch {
  private let program: RegexProgram
  /// By set: which ASCII scalars it has.
  private let ascii: [(UInt64, UInt64)]
  /// Places where the last match and its groups begin and end, -1 for groups that took no part.
  private(set) var slots: [Int]
  /// How much work the last search was.
  private(set) var work = 0

  /// The threads before a scalar, and those behind it.
  private var current: ThreadList
  private var next: ThreadList
  private var pending: [Pending] = []
  private var scratch: [Int]
  /// ASCII bytes with which a match can begin, if it must begin with a certain scalar and all such are ASCII.
  private let firstBytes: (UInt64, UInt64)?

  private enum Pending {
    case explore(Int)
    case restore(slot: Int, place: Int)
  }

  init(_ program: RegexProgram) {
    self.program = program
    let slotCount = 2 * (program.groupCount + 1)
    slots = [Int](repeating: -1, count: slotCount)
    scratch = slots
    current = ThreadList(program.code.count, slotCount)
    next = ThreadList(program.code.count, slotCount)
    firstBytes = RegexSearch.firstBytes(program)
    ascii = program.sets.map(\.asciiBits)
  }

  /// Finds the first match from `start` on. Results are in `slots`; `pause` is told of every so many steps. Cost: O(text
  /// times program).
  mutating func first<E: Error>(in text: Bytes, from start: Int = 0, pause: (Int) throws(E) -> Void) throws(E) -> Bool {
    current.removeAll()
    next.removeAll()
    work = 0
    var hasMatch = false
    var place = start
    var told = 0
    while true {
      if work - told > 4096 {
        try pause((work - told) / 16)
        told = work
      }
      if !hasMatch {
        if current.isEmpty, let skipped = skip(text, place) {
          work += (skipped - place) / 16
          place = skipped
        }
        for index in scratch.indices { scratch[index] = -1 }
        // What begins here comes behind all that began before.
        swap(&current, &next)
        add(0, text, place: place)
        swap(&current, &next)
      }
      // Nothing goes on, and nothing new may begin.
      if current.isEmpty, hasMatch { break }
      let (scalar, width) = RegexSearch.decode(text, place)
      if step(text, scalar, place: place, after: place + width) { hasMatch = true }
      swap(&current, &next)
      next.removeAll()
      if width == 0 { break }
      place += width
    }
    return hasMatch
  }

  /// Moves all threads over one scalar (nil: the end); true if one of them matched before it.
  private mutating func step(_ text: Bytes, _ scalar: Unicode.Scalar?, place: Int, after: Int) -> Bool {
    work += current.count + 1
    for index in 0..<current.count {
      let pc = current[index]
      switch program.code[pc] {
      case .scalar(let wanted): if scalar == wanted { advance(index, text, after: after) }
      case .set(let set):
        if let scalar, contains(set, scalar) { advance(index, text, after: after) }
      case .anything: if scalar != nil { advance(index, text, after: after) }
      case .match:
        current.copySlots(index, to: &slots)
        // Threads behind this one are alternatives of lower priority.
        return true
      default: break
      }
    }
    return false
  }

  @inline(__always)
  private func contains(_ set: Int, _ scalar: Unicode.Scalar) -> Bool {
    let value = UInt64(scalar.value)
    if value >= 128 { return program.sets[set].contains(scalar) }
    return (value < 64 ? ascii[set].0 >> value : ascii[set].1 >> (value - 64)) & 1 == 1
  }

  @inline(__always)
  private mutating func advance(_ index: Int, _ text: Bytes, after: Int) {
    current.copySlots(index, to: &scratch)
    add(current[index] + 1, text, place: after)
  }

  /// Adds the thread at `pc`, and all that it reaches without reading, to `next`, in order of priority.
  private mutating func add(_ pc: Int, _ text: Bytes, place: Int) {
    pending.append(.explore(pc))
    while let item = pending.popLast() {
      switch item {
      case .restore(let slot, let place): scratch[slot] = place
      case .explore(var pc):
        while next.mark(pc) {
          switch program.code[pc] {
          case .jump(let target): pc = target
          case .split(let first, let second):
            pending.append(.explore(second))
            pc = first
          case .save(let slot):
            pending.append(.restore(slot: slot, place: scratch[slot]))
            scratch[slot] = place
            pc += 1
          case .scalar, .set, .anything, .match:
            next.append(pc, scratch)
            continue
          case let assertion:
            let (before, after) = (RegexSurrounding(before: place, in: text), RegexSurrounding(after: place, in: text))
            if !assertion.holds(before, after) { continue }
            pc += 1
          }
        }
      }
    }
  }

  // MARK: Places

  @inline(__always)
  static func decode(_ text: Bytes, _ place: Int) -> (Unicode.Scalar?, Int) {
    if place >= text.count { return (nil, 0) }
    let lead = UInt32(text[place])
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    let width = lead < 0xE0 ? 2 : (lead < 0xF0 ? 3 : 4)
    var value = lead & (0x7F >> UInt32(width))
    for offset in 1..<width where place + offset < text.count {
      value = value << 6 | UInt32(text[place + offset]) & 0x3F
    }
    return (Unicode.Scalar(value), width)
  }

  /// The next place where a match can begin; nil if that cannot be told apart.
  private func skip(_ text: Bytes, _ start: Int) -> Int? {
    guard let firstBytes else { return nil }
    var place = start
    while place < text.count {
      let byte = UInt64(text[place])
      if byte < 128, (byte < 64 ? firstBytes.0 >> byte : firstBytes.1 >> (byte - 64)) & 1 == 1 { return place }
      place += 1
    }
    return text.count
  }

  private static func firstBytes(_ program: RegexProgram) -> (UInt64, UInt64)? {
    var result: (UInt64, UInt64) = (0, 0)
    var seen = Set<Int>()
    var pending = [0]
    while let pc = pending.popLast() {
      if !seen.insert(pc).inserted { continue }
      switch program.code[pc] {
      case .jump(let target): pending.append(target)
      case .split(let a, let b): pending += [a, b]
      case .save, .wordBoundary: pending.append(pc + 1)
      case .scalar(let scalar):
        if scalar.value < 64 {
          result.0 |= 1 << UInt64(scalar.value)
        } else if scalar.value < 128 {
          result.1 |= 1 << UInt64(scalar.value - 64)
        } else {
          return nil
        }
      default: return nil
      }
    }
    return result
  }
}

/// Threads in order of priority: a program counter each, with the places it has kept.
private struct ThreadList {
  private var counters: [Int] = []
  private var places: [Int] = []
  /// By program counter: the generation that last visited it.
  private var marks: [UInt32]
  private var generation: UInt32 = 1
  private let slotCount: Int

  init(_ codeCount: Int, _ slotCount: Int) {
    marks = [UInt32](repeating: 0, count: codeCount)
    self.slotCount = slotCount
  }

  var count: Int { counters.count }
  var isEmpty: Bool { counters.isEmpty }
  subscript(index: Int) -> Int { counters[index] }

  /// Marks a program counter as visited; false if it was.
  mutating func mark(_ pc: Int) -> Bool {
    if marks[pc] == generation { return false }
    marks[pc] = generation
    return true
  }

  mutating func append(_ pc: Int, _ slots: [Int]) {
    counters.append(pc)
    places.append(contentsOf: slots)
  }

  func copySlots(_ index: Int, to slots: inout [Int]) {
    let start = index * slotCount
    for slot in 0..<slotCount { slots[slot] = places[start + slot] }
  }

  mutating func removeAll() {
    counters.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    if generation == .max {
      for index in marks.indices { marks[index] = 0 }
      generation = 0
    }
    generation += 1
  }
}

/// Compiled patterns by their text; forgets all when there are too many.
final class PatternCache {
  private var matchers: [String: RegexMatcher] = [:]
  private var lastText: [UInt8] = []
  private var last: RegexMatcher?

  /// The pattern, compiled at most once while it is in use. A malformed one is a fault.
  func matcher(_ pattern: Bytes) throws(Fault) -> RegexMatcher {
    if let last, lastText.elementsEqual(pattern) { return last }
    let text = String(decoding: pattern, as: UTF8.self)
    let matcher: RegexMatcher
    if let known = matchers[text] {
      matcher = known
    } else {
      do throws(RegexProblem) { matcher = RegexMatcher(try RegexProgram(text)) } catch {
        throw Fault(.message, RegexFlaw(text, error).message)
      }
      if matchers.count >= 64 { matchers.removeAll() }
      matchers[text] = matcher
    }
    last = matcher
    lastText = Array(pattern)
    return matcher
  }
}

/// What is wrong with a regular expression.
package struct RegexFlaw {
  package let message: String

  fileprivate init(_ pattern: String, _ problem: RegexProblem) {
    message = "the pattern \"\(pattern.prefix(60))\" is malformed at \(problem.column): \(problem.message)"
  }

  /// Nil where it is well formed.
  package init?(of pattern: String) {
    do throws(RegexProblem) { _ = try RegexProgram(pattern) } catch {
      self.init(pattern, error)
      return
    }
    return nil
  }
}
