// Commands that feed inputs and move the clock.

import FRP
import FRPBase
import FRPRuntime

extension ReplSession {
  /// `NAME [VALUE] [xN] [every 200ms]`. Several with a distance in time are planned, and come while one goes on typing.
  func push(_ text: String) {
    var words = ReplWords(text)
    let name = words.next()
    guard let known = current.name(name), known.isInput else { return fail(noInput(name)) }
    let distance = words.takeEvery()
    let count = words.takeTimes()
    advance()
    let written = trimmed(words.rest)
    guard let value = inputJSON(written, name) else {
      return fail(misfit(written, name, known.kind == .event ? "push" : "set"))
    }
    if let distance, count == nil {
      let text = written.isEmpty ? name : "\(name) \(written)"
      return fail("how often? Write :push \(text) x5 every \(seconds(distance))")
    }
    let values = [(name: name, json: value)]
    let (period, times) = (distance ?? 0, count ?? 1)
    if times == 1 || period <= 0 {
      var sent = 0
      while sent < max(1, times), !ReplInterrupt.isPressed {
        send(values)
        sent += 1
      }
      showOccurrences()
      showFaults()
      if sent < times { show("stopped after \(sent) of \(times)") }
    } else {
      let start = clock.now
      planned.add((0..<times).map { ReplEvent(time: start + Double($0) * period, values: values) })
      advance()
    }
    if known.kind == .behavior { show(describe(name)) }
  }

  /// A value as JSON: nothing is null (an occurrence of Unit), and bare words fit a String.
  private func json(_ text: String, _ name: String) -> String {
    if text.isEmpty || text == "()" { return "null" }
    return current.program.settingJSON(name, text)
  }

  func feed(_ text: String) {
    var words = ReplWords(text)
    let name = words.next()
    if words.peek == "from" { _ = words.next() }
    let path = trimmed(words.rest)
    guard current.name(name)?.isInput == true else { return fail(noInput(name)) }
    if path.isEmpty { return fail("from which file? Write :feed \(name) from FILE, with a value a line") }
    guard let bytes = contents(of: path) else { return }
    advance()
    var count = 0
    for line in bytes.split(separator: 0x0A) {
      if ReplInterrupt.isPressed { break }
      send([(name, json(String(decoding: line, as: UTF8.self), name))])
      count += 1
    }
    showOccurrences()
    showFaults()
    show("\(count) lines")
  }

  // MARK: The clock

  func pause(_ isPaused: Bool) {
    advance()
    clock.pause(isPaused)
    show(isPaused ? "paused at \(seconds(clock.now))" : "going on from \(seconds(clock.now))")
  }

  /// A step of a stopped clock; `next` goes to whatever is due next.
  func step(_ text: String) {
    if ReplWords.isTooLong(text) { return fail(ReplWords.tooLong(text)) }
    guard text.isEmpty || text == "next" || ReplWords.duration(text) != nil else {
      return fail("how far? Write :step 10ms, or :step next")
    }
    if !clock.isVirtual && !clock.isPaused { pause(true) }
    var target = clock.now + (ReplWords.duration(text) ?? 0.01)
    if text == "next" {
      guard let due = [simulation?.nextWakeUp, planned.first?.time].compactMap({ $0 }).min() else {
        return show("nothing is due; push something")
      }
      target = due
    }
    move(to: target)
  }

  func moveTo(_ text: String) {
    if ReplWords.isTooLong(text) { return fail(ReplWords.tooLong(text)) }
    guard let time = ReplWords.duration(text) else { return fail("to when? Write :to 12s") }
    if time < clock.now { return back(to: time) }
    if !clock.isVirtual && !clock.isPaused { clock.pause(true) }
    move(to: time)
  }

  private func move(to time: Double) {
    advance(to: time)
    // After ^C the clock stands where the program is: it is not to go on to there by itself.
    if ReplInterrupt.isPressed { return stopClock() }
    clock.set(to: time)
    show("t=\(seconds(time))")
    if let name = live.expression { show(describe(name)) }
  }

  func back(_ text: String) {
    if ReplWords.isTooLong(text) { return fail(ReplWords.tooLong(text)) }
    guard let distance = ReplWords.duration(text) else { return fail("how far? Write :back 5s") }
    back(to: clock.now - distance)
  }

  private func back(to time: Double) {
    if let begun = restored?.time, Clock.nanoseconds(time) < Clock.nanoseconds(begun) {
      return fail(
        "what :restore brought begins at \(begun)s, and nothing is known of what was before   (:to \(begun)s goes there)"
      )
    }
    let undoing = leaving {
      if !clock.isVirtual && !clock.isPaused { clock.pause(true) }
      goBack(to: time)
    }
    show("back at \(seconds(clock.now)), paused; :resume goes on\(undoing)")
    tellFaultOfStart()
  }

  func setSpeed(_ text: String) {
    let number = text.hasPrefix("x") ? text.dropFirst() : text.hasSuffix("x") ? text.dropLast() : text[...]
    guard let speed = Double(number), speed > 0, speed.isFinite else {
      return fail("how fast? Write :speed 0.1 for a tenth of the usual, or :speed 2 for twice")
    }
    // All the time that a program has would be over within an hour.
    if speed > 1e6 { return fail("at most a million times as fast as usual: write :speed 1000000") }
    advance()
    clock.run(at: speed)
    let stands = clock.isVirtual ? ", once :clock real lets it go" : clock.isPaused ? ", once :resume lets it go" : ""
    show(speed == 1 ? "time goes at its usual speed\(stands)" : "time goes at \(speed) of its usual speed\(stands)")
  }

  func chooseClock(_ text: String) {
    guard text == "real" || text == "virtual" else { return fail("Write :clock real, or :clock virtual") }
    advance()
    clock.choose(virtual: text == "virtual")
    chooseAnswers(of: simulation)
    // Before anything can have asked for it. What is defined later goes on in the run that is there.
    if clock.isVirtual, log.isEmpty {
      epoch = 0
      simulation?.epoch = 0
      checkpoints = []
    }
    show(text == "virtual" ? "time passes only by :step and :to" : "time goes on from \(seconds(clock.now))")
  }

  func reset() {
    let undoing = leaving {
      log.removeAll { $0.items == nil }
      checkpoints = []
      // Definitions begin anew without what was restored; a recording has no other beginning.
      if !isRecorded { (restored, earlierPushes) = (nil, []) }
      goBack(to: 0)
    }
    show("time 0; \(current.size) kept\(undoing)")
    tellFaultOfStart()
  }
}

/// The words after a command, taken from the left, and some from the right.
struct ReplWords {
  private(set) var rest: String

  init(_ text: String) { rest = text }

  var peek: String { String(trimmed(rest).prefix { !$0.isWhitespace }) }

  mutating func next() -> String {
    let text = trimmed(rest)
    let word = String(text.prefix { !$0.isWhitespace })
    rest = String(text.dropFirst(word.count))
    return word
  }

  /// Takes `every 200ms` off the end.
  mutating func takeEvery() -> Double? { takeLast("every") }

  /// Takes `for 5s` off the end.
  mutating func takeFor() -> Double? { takeLast("for") }

  /// Takes `KEYWORD 5s` off the end.
  mutating func takeLength(_ keyword: String) -> Double? { takeLast(keyword) }

  private mutating func takeLast(_ keyword: String) -> Double? {
    let words = rest.split(separator: " ")
    guard words.count >= 2, words[words.count - 2] == keyword, let value = Self.duration(String(words[words.count - 1]))
    else { return nil }
    rest = words.dropLast(2).joined(separator: " ")
    return value
  }

  /// A length of time that is none, such as `for ever`, with what it should look like.
  var misusedLength: String? {
    let words = rest.split(separator: " ").map(String.init)
    for (index, word) in words.enumerated() where ["for", "every", "last"].contains(word) {
      // `xs |> last` is a function of lists.
      if word == "last", index == 0 || words[index - 1] == "|>" || index + 1 == words.count { continue }
      if index + 1 < words.count, Self.isTooLong(words[index + 1]) { return Self.tooLong(words[index + 1]) }
      let given = index + 1 < words.count ? "`\(words[index + 1])` is no length of time" : "how long"
      return given + (given == "how long" ? "? Write" : ": write") + "  \(word) \(word == "every" ? "200ms" : "5s")"
    }
    return nil
  }

  /// What is wrong with how long a command is to look, in words, if something is: `words` may stand before a length.
  func wrongLength(_ command: String, _ words: String) -> String? {
    if let misused = misusedLength { return misused }
    guard let bare = bareLength else { return nil }
    let every = command == "sample" ? "every 100ms " : ""
    return "A length of time needs \(words). Write :\(command) \(bare.expression) \(every)for \(bare.length)"
  }

  /// What stands before a length of time without a word that says what it is for, as in `x 5s`, and the length.
  private var bareLength: (expression: String, length: String)? {
    let words = rest.split(separator: " ").map(String.init)
    guard words.count >= 2, let last = words.last, Self.duration(last) != nil,
      let before = words[words.count - 2].last, before.isLetter || before.isNumber || ")]}\"_".contains(before)
    else { return nil }
    return (words.dropLast().joined(separator: " "), Double(last) == nil ? last : last + "s")
  }

  /// Takes `to FILE` off the end.
  mutating func takePath() -> String? {
    let words = rest.split(separator: " ")
    guard words.count >= 2, words[words.count - 2] == "to" else { return nil }
    rest = words.dropLast(2).joined(separator: " ")
    return String(words[words.count - 1])
  }

  /// Takes `x3` off the end.
  mutating func takeTimes() -> Int? {
    let words = rest.split(separator: " ")
    guard let last = words.last, last.hasPrefix("x"), let count = Int(last.dropFirst()), count > 0 else { return nil }
    rest = words.dropLast().joined(separator: " ")
    return min(count, 1_000_000)
  }

  /// `250ms`, `2s`, `5min`, `1h`, or a number of seconds; nil where it is none, or longer than a program's time.
  static func duration(_ text: String) -> Double? { length(text).flatMap { $0 <= longest ? $0 : nil } }

  /// Whether a text is a length of time, and longer than a program's time, which is counted in nanoseconds.
  static func isTooLong(_ text: String) -> Bool { length(text).map { $0 > longest } ?? false }

  static func tooLong(_ text: String) -> String { "`\(text)` is too long: no program's time is longer than 291 years" }

  /// Seconds.
  private static let longest = 9.2e9

  private static func length(_ text: String) -> Double? {
    let units: [(String, Double)] = [("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("min", 60), ("s", 1), ("h", 3600)]
    let unit = units.first { text.hasSuffix($0.0) }
    guard let number = Double(text.dropLast(unit?.0.count ?? 0)), !number.isNaN, number >= 0 else { return nil }
    return number * (unit?.1 ?? 1)
  }
}
