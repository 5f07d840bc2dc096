// Curves of numbers over time as characters: Braille (2 by 4 dots a cell), blocks (2 by 2), or ASCII.

import FRP
import FRPBase
import Glibc

/// A number over time, as lines that are broken where it jumps.
struct PlotCurve {
  typealias Point = (time: Double, value: Double)
  var title: String
  var lines: [[Point]]
  /// Whether it is a truth value, whose scale is from 0 to 1 whatever it shows.
  var isTruth = false

  /// The scale; where a number does not move, it is in the middle.
  var range: (low: Double, high: Double) { isTruth ? (0, 1) : Plot.range(values) }

  init(title: String, lines: [[Point]]) {
    self.title = title
    self.lines = lines
  }

  var values: [Double] { lines.flatMap { $0.map(\.value) } }

  /// A step behavior that is known exactly: its changes, up to an end.
  init?(title: String, steps: [(time: Double, json: String)], until end: Double) {
    self.title = title
    lines = []
    isTruth = steps.allSatisfy { $0.json == "true" || $0.json == "false" }
    for (index, step) in steps.enumerated() {
      guard let value = Self.number(step.json) else { return nil }
      let next = index + 1 < steps.count ? steps[index + 1].time : end
      if next > step.time { lines.append([(step.time, value), (next, value)]) }
    }
  }

  /// A continuous one that was looked at evenly: where one step is far greater than those beside it, it jumps.
  init?(title: String, samples: [(time: Double, json: String)]) {
    self.title = title
    var points: [Point] = []
    for sample in samples {
      guard let value = Self.number(sample.json) else { return nil }
      points.append((sample.time, value))
    }
    let (low, high) = Plot.range(points.map(\.value))
    func rise(_ index: Int) -> Double {
      points.indices.contains(index) && index > 0 ? abs(points[index].value - points[index - 1].value) : 0
    }
    lines = [[]]
    for (index, point) in points.enumerated() {
      if rise(index) > (high - low) / 20, rise(index) > 6 * max(rise(index - 1), rise(index + 1)) { lines.append([]) }
      lines[lines.count - 1].append(point)
    }
  }

  /// nil if what is shown is no number.
  init?(_ window: ReplWindow, columns: Int) {
    title = window.title
    guard let points = window.isContinuous ? Self.adaptive(window, columns) : Self.steps(window) else { return nil }
    lines = points
  }

  /// A step behavior is known exactly: its changes, and nothing between.
  private static func steps(_ window: ReplWindow) -> [[Point]]? {
    let (values, shown) = window.look([window.start])
    var lines: [[Point]] = []
    var present = values.first.flatMap { $0 }.flatMap(number)
    if present == nil, values.first.flatMap({ $0 }) != nil { return nil }
    var since = window.start
    for change in shown where change.time > window.start {
      guard let value = number(change.json) else { return nil }
      if let present { lines.append([(since, present), (change.time, present)]) }
      (present, since) = (value, change.time)
    }
    if let present { lines.append([(since, present), (window.end, present)]) }
    return lines
  }

  /// A continuous one is sampled evenly, then again and again where it bends, until no bend shows; an edge that stays
  /// steep however close one looks is a jump.
  private static func adaptive(_ window: ReplWindow, _ columns: Int) -> [[Point]]? {
    let length = window.end - window.start
    var times = (0..<columns).map { window.start + length * Double($0) / Double(columns - 1) }
    var points: [Point] = []
    for pass in 0..<4 where !ReplInterrupt.isPressed {
      let values = window.look(times).values
      if values.contains(where: { $0 != nil && number($0 ?? "") == nil }) { return nil }
      points = zip(times, values).compactMap { time, value in value.flatMap(number).map { (time, $0) } }
      if pass == 3 || points.count < 3 { break }
      let more = bends(points)
      if more.isEmpty { break }
      times = (times + more).sorted()
    }
    return broken(points, length / Double(columns))
  }

  /// Times between points where the curve is far from the straight line through its neighbours.
  private static func bends(_ points: [Point]) -> [Double] {
    let values = points.map(\.value)
    let height = (values.max() ?? 0) - (values.min() ?? 0)
    if height == 0 { return [] }
    var more: [Double] = []
    for index in 1..<(points.count - 1) {
      let (a, b, c) = (points[index - 1], points[index], points[index + 1])
      let along = a.value + (c.value - a.value) * (b.time - a.time) / max(c.time - a.time, 1e-12)
      guard abs(b.value - along) > height / 100, c.time - a.time > 1e-7 else { continue }
      for (from, to) in [(a.time, b.time), (b.time, c.time)] {
        for part in 1...3 { more.append(from + (to - from) * Double(part) / 4) }
      }
    }
    return Array(Set(more)).sorted().suffix(4_000).map { $0 }
  }

  /// Breaks the line where it is far steeper than anywhere else, over less than a dot.
  private static func broken(_ points: [Point], _ dot: Double) -> [[Point]] {
    let values = points.map(\.value)
    let height = (values.max() ?? 0) - (values.min() ?? 0)
    var lines: [[Point]] = []
    var line: [Point] = []
    for point in points {
      if let last = line.last, height > 0, abs(point.value - last.value) > height / 20,
        point.time - last.time < dot / 8
      {
        lines.append(line)
        line = []
      }
      line.append(point)
    }
    return line.isEmpty ? lines : lines + [line]
  }

  static func number(_ json: String) -> Double? {
    json == "true" ? 1 : json == "false" ? 0 : Double(json)
  }
}

/// When an event occurred.
struct PlotMarks {
  var title: String
  var times: [Double]
}

enum PlotCanvas: String, CaseIterable {
  case braille, block, ascii

  /// Dots across and down in a character.
  var dots: (across: Int, down: Int) {
    switch self {
    case .braille: (2, 4)
    case .block: (2, 2)
    case .ascii: (1, 1)
    }
  }

  /// The character with these dots, counted in rows from the top left.
  func character(_ bits: UInt8) -> Character {
    switch self {
    case .ascii: return bits == 0 ? " " : "*"
    case .block: return Self.blocks[Int(bits & 15)]
    case .braille:
      var code: UInt32 = 0x2800
      for (dot, bit) in Self.brailleBits.enumerated() where bits & (1 << dot) != 0 { code += bit }
      return Character(Unicode.Scalar(code) ?? " ")
    }
  }

  private static let brailleBits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
  private static let blocks: [Character] = [
    " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
  ]
}

/// A picture in characters: a frame with an axis each way, one below the other for several curves, and lanes of marks.
struct Plot {
  var curves: [PlotCurve]
  var marks: [PlotMarks]
  var from: Double
  var to: Double
  var columns: Int
  var canvas: PlotCanvas
  /// Rows of each curve, where they are not what suits their number.
  var height: Int?
  private static let margin = 10

  private var rows: Int { height ?? (curves.count > 2 ? 6 : 10) }
  private var isASCII: Bool { canvas == .ascii }

  var text: String {
    var lines: [String] = []
    for curve in curves {
      let base = Self.labels([curve.range.low, curve.range.high]).base.map { ", from \($0)" }
      if curves.count > 1 || !marks.isEmpty || base != nil { lines.append(curve.title + (base ?? "")) }
      lines += drawn(curve)
    }
    for mark in marks { lines.append(lane(mark)) }
    return (lines + axis).joined(separator: "\n")
  }

  private func drawn(_ curve: PlotCurve) -> [String] {
    let (low, high) = curve.range
    let (across, down) = canvas.dots
    var cells = [[UInt8]](repeating: [UInt8](repeating: 0, count: columns), count: rows)
    let (width, height) = (columns * across, rows * down)
    func set(_ x: Int, _ y: Int) {
      guard (0..<width).contains(x), (0..<height).contains(y) else { return }
      cells[y / down][x / across] |= 1 << UInt8((y % down) * across + x % across)
    }
    func x(_ time: Double) -> Int { Self.place(time, from, to, among: width) }
    func y(_ value: Double) -> Int { height - 1 - Self.place(value, low, high, among: height) }
    for line in curve.lines {
      for (a, b) in zip(line, line.dropFirst()) { stroke((x(a.time), y(a.value)), (x(b.time), y(b.value)), set) }
      if line.count == 1 { set(x(line[0].time), y(line[0].value)) }
    }
    let labels = Self.labels([low, high]).texts
    return cells.enumerated().map { row, bits in
      let label = row == 0 ? labels[1] : row == rows - 1 ? labels[0] : ""
      return padded(label) + (isASCII ? " |" : " ┤") + String(bits.map { canvas.character($0) })
    }
  }

  /// Dots from one to another, without a gap.
  private func stroke(_ a: (x: Int, y: Int), _ b: (x: Int, y: Int), _ set: (Int, Int) -> Void) {
    let steps = max(abs(b.x - a.x), abs(b.y - a.y), 1)
    for step in 0...steps {
      let part = Double(step) / Double(steps)
      set(
        Int((Double(a.x) + Double(b.x - a.x) * part).rounded()),
        Int((Double(a.y) + Double(b.y - a.y) * part).rounded()))
    }
  }

  /// A mark for each moment; where several share a column, how many.
  private func lane(_ mark: PlotMarks) -> String {
    var counts = [Int](repeating: 0, count: columns)
    for time in mark.times where time >= from && time <= to {
      counts[Self.place(time, from, to, among: columns)] += 1
    }
    let marks = counts.map { count -> Character in
      if count == 0 { return isASCII ? "-" : "─" }
      if count == 1 { return isASCII ? "o" : "●" }
      return count < 10 ? Character("\(count)") : "+"
    }
    return padded(mark.title) + (isASCII ? " |" : " ┤") + String(marks)
  }

  private var axis: [String] {
    var ruler = [Character](repeating: isASCII ? "-" : "─", count: columns)
    var labels = [Character](repeating: " ", count: columns + Self.margin)
    var free = 0
    for time in Self.ticks(from, to, most: max(2, columns / 12)) {
      let column = Self.place(time, from, to, among: columns)
      ruler[column] = isASCII ? "+" : "┬"
      let label = Array(Self.moment(time, of: to - from))
      let start = max(0, column - label.count / 2)
      guard start >= free, start + label.count <= labels.count else { continue }
      labels.replaceSubrange(start..<(start + label.count), with: label)
      free = start + label.count + 1
    }
    let corner = isASCII ? " +" : " └"
    var words = String(labels)
    while words.hasSuffix(" ") { words.removeLast() }
    return [
      String(repeating: " ", count: Self.margin) + corner + String(ruler),
      String(repeating: " ", count: Self.margin + 2) + words,
    ]
  }

  private func padded(_ label: String) -> String {
    let label = String(label.prefix(Self.margin))
    return String(repeating: " ", count: Self.margin - label.count) + label
  }

  /// Round moments: 1, 2 or 5 times a power of ten apart.
  static func ticks(_ from: Double, _ to: Double, most: Int) -> [Double] {
    // In parts, since the whole length may be no Float.
    let part = to / Double(most) - from / Double(most)
    guard part > 0 else { return [from] }
    let exponent = Int(log10(part).rounded(.down))
    let power = pow(10.0, Double(abs(exponent)))
    func value(_ count: Double) -> Double { exponent < 0 ? count / power : count * power }
    let factor = [1.0, 2, 5, 10].first { part <= value($0) * (1 + 1e-12) } ?? 10
    let step = value(factor)
    let first = (from / step - 1e-9).rounded(.up)
    return (0...most).map { value((first + Double($0)) * factor) }.filter { $0 <= to + step * 1e-9 }
  }

  /// What stands beside each of some ticks. Where numbers are too near to each other for that, it is how far they lie above the first
  /// of them, which `base` then is.
  static func labels(_ ticks: [Double]) -> (texts: [String], base: Double?) {
    let texts = ticks.map(label)
    if zip(texts, texts.dropFirst()).allSatisfy({ $0 != $1 }) { return (texts, nil) }
    return (ticks.map { "+" + label($0 - ticks[0]) }, ticks[0])
  }

  static func range(_ values: [Double]) -> (low: Double, high: Double) {
    let (low, high) = (values.min() ?? 0, values.max() ?? 1)
    if high - low >= 1e-12 * max(1, abs(high)) { return (low, high) }
    let room = max(1, 1e-9 * abs(high))
    return (max(low - room, -.greatestFiniteMagnitude), min(high + room, .greatestFiniteMagnitude))
  }

  /// Where a number lies between two others: 0 to 1, also where their difference is none or no Float.
  static func part(_ value: Double, _ low: Double, _ high: Double) -> Double {
    let length = high / 2 - low / 2
    return length > 0 ? min(1, max(0, (value / 2 - low / 2) / length)) : 0
  }

  private static func place(_ value: Double, _ low: Double, _ high: Double, among count: Int) -> Int {
    Int((part(value, low, high) * Double(count - 1)).rounded())
  }

  /// A value of an axis, in at most nine characters.
  static func label(_ value: Double) -> String {
    let size = abs(value)
    if value == 0 || (size >= 1e-3 && size < 1e6) { return short(value) }
    if size >= 1, size < 1e9 { return short(value.rounded()) }
    let exponent = Int(log10(size).rounded(.down))
    // In two steps, since 10 to the power of 308 is no divisor of what is smaller than 1e-308.
    let part = value / pow(10, Double(exponent / 2)) / pow(10, Double(exponent - exponent / 2))
    let rounded = (part * 100).rounded() / 100
    return abs(rounded) >= 10 ? "\(short(rounded / 10))e\(exponent + 1)" : "\(short(rounded))e\(exponent)"
  }

  /// A moment in the unit that suits a stretch of time.
  static func moment(_ time: Double, of length: Double) -> String {
    switch length {
    case ..<0.5: short(time * 1_000) + "ms"
    case ..<600: short(time) + "s"
    case ..<36_000: short(time / 60) + "min"
    case ..<864_000: short(time / 3_600) + "h"
    default: short(time / 86_400) + "d"
    }
  }

  static func short(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e9 ? "\(Int(rounded))" : "\(rounded)"
  }
}
