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

  /// `EXPR for 10s`: a picture of a number's next seconds.
  func plot(_ text: String) {
    var words = ReplWords(text)
    let length = words.takeFor() ?? 10
    guard let (copy, name) = ahead(words.rest) else { return }
    let width = min(100, console.width(nil)) - 14
    var values: [Double] = []
    let start = copy.now
    let columns = max(10, width) * 2
    for index in 0..<columns {
      copy.advance(to: start + length * Double(index) / Double(columns - 1))
      guard let value = (try? copy.value(of: name)).flatMap({ Double($0) }) else {
        return fail("only numbers can be plotted")
      }
      values.append(value)
    }
    let isPlain = console.environment("TERM") == "dumb" || !(console.environment("LANG") ?? "UTF-8").contains("UTF")
    show(Plot(values: values, from: start, length: length, isASCII: isPlain).text)
  }

  /// A copy of the running program with an expression in it, at the present time.
  private func ahead(_ expression: String) -> (Simulation, String)? {
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
    guard let copy = try? Simulation(program.program) else { return nil }
    copy.start()
    for event in log {
      copy.advance(to: event.time)
      try? copy.send(event.values.filter { value in program.name(value.name)?.isInput == true })
    }
    copy.advance(to: clock.now)
    return (copy, name)
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
