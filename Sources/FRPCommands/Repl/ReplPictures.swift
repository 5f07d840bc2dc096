// Looking ahead: values at regular times, and pictures of them. Both run a copy of the program in simulated time, so
// the session itself does not move.

import FRP
import FRPBase

extension ReplSession {
  /// `EXPR every 100ms for 5s`.
  func sample(_ text: String) {
    var words = ReplWords(text)
    let length = words.takeFor() ?? 5
    let period = words.takeEvery() ?? length / 10
    guard let (copy, name) = ahead(words.rest), period > 0 else { return }
    let start = copy.now
    let steps = min(1000, Int(length / period + 1e-9))
    var lines: [String] = []
    for index in 0...steps {
      copy.advance(to: start + Double(index) * period)
      lines.append("  \(seconds(copy.now))  \((try? copy.source(of: name)) ?? "no value")")
    }
    show(lines.joined(separator: "\n"))
  }

  /// `EXPR, EXPR for 10s [to FILE.svg]`: a picture of numbers' next seconds.
  func plot(_ text: String) {
    var words = ReplWords(text)
    let path = words.takePath()
    let length = words.takeFor() ?? 10
    let expressions = separated(words.rest)
    if expressions.isEmpty { return fail("plot what? Write :plot time for 5s") }
    let columns = path != nil ? 400 : max(10, min(100, console.width(nil)) - 14) * 2
    var curves: [(title: String, values: [Double])] = []
    for expression in expressions {
      guard let values = curve(expression, length, columns) else { return }
      curves.append((expression, values))
    }
    let start = clock.now
    if let path {
      let picture = SVGPlot(curves: curves, from: start, length: length).text
      return show(writeFile(path, picture) ? path : "\(path) cannot be written")
    }
    for curve in curves {
      if curves.count > 1 { show(curve.title) }
      show(Plot(values: curve.values, from: start, length: length, isASCII: isASCII).text)
    }
  }

  private func curve(_ expression: String, _ length: Double, _ columns: Int) -> [Double]? {
    guard let (copy, name) = ahead(expression) else { return nil }
    let start = copy.now
    var values: [Double] = []
    for index in 0..<columns {
      copy.advance(to: start + length * Double(index) / Double(columns - 1))
      guard let value = (try? copy.value(of: name)).flatMap({ Double($0) }) else {
        fail("only numbers can be plotted")
        return nil
      }
      values.append(value)
    }
    return values
  }

  /// Whether only ASCII may be drawn.
  var isASCII: Bool {
    if options.isASCII { return true }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { self.console.environment($0) }.first { !$0.isEmpty }
    return console.environment("TERM") == "dumb" || !(locale ?? "UTF-8").uppercased().contains("UTF")
  }

  /// Parts between commas that stand in no brackets.
  func separated(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    for character in text {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts.map { trimmed($0) }.filter { !$0.isEmpty }
  }

  /// A copy of the running program with an expression in it, at the present time.
  func ahead(_ expression: String) -> (Simulation, String)? {
    let text = trimmed(expression)
    var program = current
    var name = text
    if program.name(text) == nil {
      let item = ReplItem(names: ["it"], text: "it = " + text.replacingLineBreaks())
      program = ReplProgram(items: current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
      name = "it"
    }
    if !program.errors.isEmpty {
      fail(render(program.errors, program.program.sources))
      return nil
    }
    guard let known = program.name(name), known.kind == .behavior || known.kind == .constant else {
      fail("\(text) is no behavior; its changes over time cannot be sampled")
      return nil
    }
    guard let copy = copy(of: program, until: clock.now) else { return nil }
    return (copy, name)
  }

  /// The session's program with an expression in it, run up to a time; nil if the expression does not check.
  func copy(with expression: String, until time: Double) -> Simulation? {
    let item = ReplItem(names: ["it"], text: "it = " + expression.replacingLineBreaks())
    let program = ReplProgram(items: current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    return program.errors.isEmpty ? copy(of: program, until: time) : nil
  }

  /// Another run that goes on from the present state with a program; what is new in it begins now. Where there is no
  /// snapshot, what was pushed is pushed again from the start.
  func copy(of program: ReplProgram, until time: Double) -> Simulation? {
    guard let simulation, let snapshot = try? simulation.snapshot(),
      let copy = try? Simulation(current.program, limits: Self.limits), (try? copy.restore(snapshot)) != nil,
      (try? copy.replaceProgram(with: program.program)) != nil
    else { return rerun(of: program, until: time) }
    for name in program.names where name.kind == .event { try? copy.record(name.name) }
    ReplInterrupt.guarding(copy) { copy.advance(to: time) }
    return copy
  }

  /// A run of a program from the start, with what was pushed.
  func rerun(of program: ReplProgram, until time: Double) -> Simulation? {
    guard let copy = try? Simulation(program.program, limits: Self.limits) else { return nil }
    for name in program.names where name.kind == .event { try? copy.record(name.name) }
    ReplInterrupt.guarding(copy) {
      copy.start()
      for event in pushes where event.time <= time && !ReplInterrupt.isPressed {
        copy.advance(to: event.time)
        try? copy.send(event.values.filter { value in program.name(value.name)?.isInput == true })
      }
      copy.advance(to: time)
    }
    return copy
  }
}

/// A curve of dots, two across and four down in a character (Braille), or of stars where only ASCII will do.
struct Plot {
  var values: [Double]
  var from: Double
  var length: Double
  var isASCII = false
  private static let rows = 10

  init(values: [Double], from: Double, length: Double, isASCII: Bool) {
    self.values = values
    self.from = from
    self.length = length
    self.isASCII = isASCII
  }

  var text: String {
    var low = values.min() ?? 0
    var high = values.max() ?? 1
    if high - low < 1e-12 {
      low -= 1
      high += 1
    }
    let columns = (values.count + 1) / 2
    var cells = [[UInt8]](repeating: [UInt8](repeating: 0, count: columns), count: Self.rows)
    let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
    for (index, value) in values.enumerated() {
      let height = Double(Self.rows * 4 - 1)
      let dot = Int(((high - value) / (high - low) * height).rounded())
      cells[dot / 4][index / 2] |= bits[index % 2][dot % 4]
    }
    var lines: [String] = []
    for (row, cell) in cells.enumerated() {
      let label = row == 0 ? short(high) : row == Self.rows - 1 ? short(low) : ""
      let dots = cell.map { bits -> String in
        if isASCII { return bits == 0 ? " " : "*" }
        return String(Character(Unicode.Scalar(0x2800 + UInt32(bits)) ?? " "))
      }
      lines.append(
        String(repeating: " ", count: max(0, 10 - label.count)) + label + (isASCII ? " |" : " ┤") + dots.joined())
    }
    let first = short(from) + "s"
    let last = short(from + length) + "s"
    let gap = max(1, columns - first.count - last.count)
    lines.append(String(repeating: " ", count: 12) + first + String(repeating: " ", count: gap) + last)
    return lines.joined(separator: "\n")
  }

  private func short(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e9 ? "\(Int(rounded))" : "\(rounded)"
  }
}
