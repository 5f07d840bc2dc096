// Events as lanes of characters, in the form that a `test` block reads, and a whole session as such a test.

import FRP
import FRPBase

/// A grid in time on which every moment of a list lies, or the finest one there is.
struct ReplGrid {
  /// Seconds.
  var period: Double
  /// Whether moments had to be moved onto it.
  var isRounded: Bool

  private static let periods = [1, 0.5, 0.25, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]

  /// The coarsest grid that holds all moments; else one with at most `columns` characters.
  init(_ times: [Double], length: Double, columns: Int) {
    for period in Self.periods where length / period <= Double(columns) {
      if times.allSatisfy({ abs($0 / period - ($0 / period).rounded()) < 1e-6 }) {
        self.init(period: period, isRounded: false)
        return
      }
    }
    let fitting = Self.periods.last { length / $0 <= Double(columns) } ?? 1
    self.init(period: max(fitting, (length / Double(columns)).rounded(.up)), isRounded: true)
    if fitting < 1 { period = fitting }
  }

  private init(period: Double, isRounded: Bool) {
    self.period = period
    self.isRounded = isRounded
  }

  func column(_ time: Double) -> Int { Int((time / period).rounded()) }

  /// Gives each push a moment of its own, since pushes at one moment of a lane are one instant: those that meet come one after
  /// the other.
  mutating func separate(_ pushes: inout [ReplEvent]) {
    var free = 0
    for index in pushes.indices {
      let column = max(column(pushes[index].time), free)
      if column != self.column(pushes[index].time) {
        pushes[index].time = Double(column) * period
        isRounded = true
      }
      free = column + 1
    }
  }

  var text: String { period >= 1 ? "\(Int(period))s" : "\(Int((period * 1000).rounded()))ms" }
}

/// Occurrences as a lane: `"--A-x" every 100ms with {A: 12}`.
struct ReplLane {
  var marbles: String
  /// Letters that were made up, with the values they stand for as source.
  var letters: [(letter: Character, value: String)]
  var grid: ReplGrid

  /// `simulation` knows how the port's values are written, and what a letter alone means there.
  init(_ list: [Occurrence], length: Double, grid: ReplGrid, of name: String, in simulation: Simulation) {
    let ports = simulation.program.outputs + simulation.program.inputs
    let type = ports.first { $0.name == name }?.type ?? ""
    var alphabet = MarbleAlphabet([]) { letter in
      MarbleAlphabet.json(letter, type).flatMap { try? simulation.canonical($0, of: name) }
    }
    var moments: [(column: Int, letters: [Character])] = []
    for occurrence in list {
      let column = grid.column(occurrence.time)
      let letter = alphabet.letter(of: occurrence.json)
      if moments.last?.column == column {
        moments[moments.count - 1].letters.append(letter)
      } else {
        moments.append((column, [letter]))
      }
    }
    marbles = MarbleLane.text(moments, length: max(grid.column(length), (moments.last?.column ?? -1) + 1))
    letters = alphabet.made.map { ($0.letter, simulation.sourceText($0.json, name)) }
    self.grid = grid
  }

  var text: String { "\"\(marbles)\" every \(grid.text)" + MarbleAlphabet.with(letters) }
}

extension ReplSession {
  /// `EVENT, EVENT [for 5s | last 5s]`: what is to come, in simulated time, or what was.
  func marble(_ text: String) {
    var words = ReplWords(text)
    let ahead = words.takeFor()
    let length = ahead ?? words.takeLength("last") ?? 5
    let expressions = separated(words.rest)
    if expressions.isEmpty { return fail("which event? Write :marble clicks for 5s") }
    if let wrong = words.wrongLength("marble", "`for` or `last`") { return fail(wrong) }
    advance()
    var lanes: [Shown] = []
    // A copy begins where the run is, which may be a little behind the clock.
    let now = simulation?.now ?? clock.now
    let start = ahead == nil ? min(now, max(startOfPast, now - length)) : now
    for expression in expressions {
      guard let lane = lane(expression, from: start, to: ahead == nil ? now : start + length) else { return }
      lanes.append(lane)
    }
    if ReplInterrupt.isPressed { return show("stopped") }
    let times = lanes.flatMap { $0.list.map(\.time) }
    let grid = ReplGrid(times, length: length, columns: max(20, console.width(nil) - 30))
    let width = lanes.map(\.name.count).max() ?? 0
    for lane in lanes {
      let drawn = ReplLane(lane.list, length: length, grid: grid, of: lane.port, in: lane.run)
      show(lane.name + String(repeating: " ", count: width - lane.name.count) + " == " + drawn.text)
    }
    show("  from \(seconds(start))" + (grid.isRounded ? ", moved to the nearest moment" : ""))
  }

  /// What an event shows: as it was called, and by which name a run knows it.
  private typealias Shown = (name: String, list: [Occurrence], port: String, run: Simulation)

  /// What an event shows between two times, counted from the first.
  private func lane(_ expression: String, from start: Double, to end: Double) -> Shown? {
    var program = current
    var name = expression
    if program.name(name) == nil {
      guard let asked = self.program(asking: expression) else { return nil }
      (program, name) = (asked, "it")
    }
    guard program.name(name)?.kind == .event else {
      fail("\(expression) is no event; :plot shows numbers, :sample any behavior")
      return nil
    }
    var known: [Occurrence] = []
    if end <= (simulation?.now ?? 0), name != "it" {
      known = trace[name]?.recent ?? []
      guard let simulation else { return nil }
      let list = known.filter { $0.time > start - 1e-9 }.map { Occurrence(time: $0.time - start, json: $0.json) }
      return (expression, list, name, simulation)
    }
    guard let copy = end <= (simulation?.now ?? 0) ? rerun(of: program, until: start) : copy(of: program, until: start)
    else { return nil }
    forgetOthers(than: name, of: program, in: copy)
    guard look(ahead: copy, to: end, at: expression) else { return nil }
    known = (try? copy.occurrences(of: name)) ?? []
    let list = known.filter { $0.time >= start }.map { Occurrence(time: $0.time - start, json: $0.json) }
    return (expression, list, name, copy)
  }
}
