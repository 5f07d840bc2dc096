// Definitions and who uses whom, as a picture.
//
// In: the graph of a program. Out: columns from left to right, so that arrows lead to the right but those that look at the past.
// Within a column, boxes stand near what they are connected to (the barycenters of Sugiyama, Tagawa and Toda, 1981).

import FRP

struct GraphPicture {
  /// A definition.
  struct Box {
    var name: String
    var type: String
    var kind: DependencyGraph.Kind
    var isEnd: Bool
    /// Stands beside the type.
    var note = ""
  }

  var boxes: [Box]
  var arrows: [DependencyGraph.Arrow]

  /// Some definitions of a program; `notes` stand beside their types.
  init(_ graph: DependencyGraph, of names: [String], notes: [String: String] = [:]) {
    boxes = names.map { name in
      let ends = graph.ends(of: name)
      return Box(
        name: name, type: graph.type(of: name), kind: graph.main(name)?.kind ?? .constant,
        isEnd: ends.isInput || ends.isOutput, note: notes[name] ?? "")
    }
    arrows = graph.arrows(among: names)
  }

  private static let rowHeight = 62.0
  private static let boxHeight = 42.0
  private static let gap = 70.0
  private static let longest = 34

  var svg: String {
    let layout = Layout(boxes.map(\.name), arrows)
    let widths = layout.columns.map { column in
      column.map { max(boxes[$0].name.count, words(below: boxes[$0]).count) }.max() ?? 0
    }.map { 24 + 7.9 * Double($0) }
    var left = [20.0]
    for width in widths { left.append(left[left.count - 1] + width + Self.gap) }
    let tallest = Double(layout.columns.map(\.count).max() ?? 0) * Self.rowHeight
    var places: [(x: Double, y: Double, width: Double)] = boxes.map { _ in (0, 0, 0) }
    for (index, column) in layout.columns.enumerated() {
      let top = 20 + (tallest - Double(column.count) * Self.rowHeight) / 2
      for (row, box) in column.enumerated() {
        places[box] = (left[index], top + Double(row) * Self.rowHeight, widths[index])
      }
    }
    let (legend, legendWidth) = legend(at: tallest + 60)
    var out = SVG.head(max(left[left.count - 1] - Self.gap + 20, legendWidth), tallest + 76)
    for drawn in layout.arrows {
      out += arrow(
        places[drawn.from], places[drawn.to], isDashed: drawn.looksAtPast,
        below: drawn.isBack ? tallest + 36 : nil)
    }
    for (box, place) in zip(boxes, places) { out += drawn(box, at: place) }
    return out + legend + "</svg>\n"
  }

  private typealias Place = (x: Double, y: Double, width: Double)

  private static func colour(_ kind: DependencyGraph.Kind) -> Int {
    switch kind {
    case .event: 1
    case .step: 0
    case .continuous: 2
    case .constant: 4
    }
  }

  private func drawn(_ box: Box, at place: Place) -> String {
    let round = box.kind == .event ? Self.boxHeight / 2 : 4
    let (x, y) = (SVG.number(place.x), SVG.number(place.y))
    let colour = Self.colour(box.kind)
    var out =
      "<rect class=\"box\" x=\"\(x)\" y=\"\(y)\" width=\"\(SVG.number(place.width))\" height=\"42\" rx=\"\(SVG.number(round))\"/>\n"
      + "<rect class=\"s\(colour)\" stroke-width=\"\(box.isEnd ? "2.5" : "1")\" x=\"\(x)\" y=\"\(y)\" "
      + "width=\"\(SVG.number(place.width))\" height=\"42\" rx=\"\(SVG.number(round))\"/>\n"
    let middle = place.x + place.width / 2
    out += SVG.text(middle, place.y + 18, box.name, anchor: "middle")
    out += SVG.text(middle, place.y + 34, words(below: box), "small t\(colour)", anchor: "middle")
    return out
  }

  /// The type, shortened, and the note.
  private func words(below box: Box) -> String {
    let type = box.type.count > Self.longest ? String(box.type.prefix(Self.longest - 1)) + "…" : box.type
    return box.note.isEmpty ? type : type + " · " + box.note
  }

  /// To the right; or, where it leads back, round `below` all boxes.
  private func arrow(_ from: Place, _ to: Place, isDashed: Bool, below low: Double?) -> String {
    let style = isDashed ? " stroke-dasharray=\"4 4\"" : " opacity=\"0.6\""
    if let low {
      let (x1, x2) = (from.x + from.width / 2, to.x + to.width / 2 + 10)
      let (y1, y2) = (from.y + Self.boxHeight, to.y + Self.boxHeight)
      let curve =
        "M \(SVG.number(x1)) \(SVG.number(y1)) C \(SVG.number(x1)) \(SVG.number(low)), "
        + "\(SVG.number(x2)) \(SVG.number(low)), \(SVG.number(x2)) \(SVG.number(y2))"
      return SVG.path(curve, "line", style)
        + SVG.path("M \(SVG.number(x2 - 4)) \(SVG.number(y2 + 7)) l 4 -7 l 4 7", "line")
    }
    let half = Self.boxHeight / 2
    let (x1, y1, x2, y2) = (from.x + from.width, from.y + half, to.x, to.y + half)
    let reach = max(24, (x2 - x1) / 2)
    let curve =
      "M \(SVG.number(x1)) \(SVG.number(y1)) C \(SVG.number(x1 + reach)) \(SVG.number(y1)), "
      + "\(SVG.number(x2 - reach)) \(SVG.number(y2)), \(SVG.number(x2)) \(SVG.number(y2))"
    return SVG.path(curve, "line", style)
      + SVG.path("M \(SVG.number(x2 - 7)) \(SVG.number(y2 - 4)) l 7 4 l -7 4", "line")
  }

  private func legend(at y: Double) -> (text: String, width: Double) {
    var x = 20.0
    var out = ""
    for kind in [DependencyGraph.Kind.event, .step, .continuous, .constant]
    where boxes.contains(where: { $0.kind == kind }) {
      out +=
        "<circle class=\"t\(Self.colour(kind))\" cx=\"\(SVG.number(x + 4))\" cy=\"\(SVG.number(y - 4))\" r=\"4\"/>\n"
      out += SVG.text(x + 14, y, kind.rawValue, "small")
      x += 28 + 7 * Double(kind.rawValue.count)
    }
    if arrows.contains(where: \.looksAtPast) {
      let words = "looks at what was before"
      out += SVG.path("M \(SVG.number(x)) \(SVG.number(y - 4)) h 22", "line", " stroke-dasharray=\"4 4\"")
      out += SVG.text(x + 28, y, words, "small")
      x += 40 + 7 * Double(words.count)
    }
    return (out, x)
  }
}

/// Which column and row each box has.
private struct Layout {
  var columns: [[Int]] = []
  /// Between boxes, by number.
  var arrows: [(from: Int, to: Int, looksAtPast: Bool, isBack: Bool)] = []

  init(_ names: [String], _ all: [DependencyGraph.Arrow]) {
    let places = Dictionary(names.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    for arrow in all {
      guard let from = places[arrow.from], let to = places[arrow.to], from != to else { continue }
      arrows.append((from, to, arrow.looksAtPast, false))
    }
    let column = levels(names.count)
    columns = [[Int]](repeating: [], count: (column.max() ?? -1) + 1)
    for (box, place) in column.enumerated() { columns[place].append(box) }
    for pass in 0..<8 { sweep(isForward: pass % 2 == 0) }
  }

  /// By the longest way. An arrow that would close a circle leads back: those that look at the past are tried last.
  private mutating func levels(_ count: Int) -> [Int] {
    var next = [[Int]](repeating: [], count: count)
    func leads(_ from: Int, to goal: Int) -> Bool {
      var seen: Set<Int> = [from]
      var pending = [from]
      while let box = pending.popLast() {
        if box == goal { return true }
        pending += next[box].filter { seen.insert($0).inserted }
      }
      return false
    }
    for index in arrows.indices.sorted(by: { !arrows[$0].looksAtPast && arrows[$1].looksAtPast }) {
      let arrow = arrows[index]
      arrows[index].isBack = leads(arrow.to, to: arrow.from)
      if !arrows[index].isBack { next[arrow.from].append(arrow.to) }
    }
    var level = [Int](repeating: 0, count: count)
    var waiting = [Int](repeating: 0, count: count)
    for box in next.joined() { waiting[box] += 1 }
    var ready = (0..<count).filter { waiting[$0] == 0 }
    while let box = ready.popLast() {
      for other in next[box] {
        level[other] = max(level[other], level[box] + 1)
        waiting[other] -= 1
        if waiting[other] == 0 { ready.append(other) }
      }
    }
    return level
  }

  /// Puts the boxes of each column in the order of the middles of what they are connected to.
  private mutating func sweep(isForward: Bool) {
    var row: [Int: Double] = [:]
    for column in columns {
      for (place, box) in column.enumerated() { row[box] = Double(place) - Double(column.count) / 2 }
    }
    for index in isForward ? Array(columns.indices) : columns.indices.reversed() {
      var middle: [Int: Double] = [:]
      for box in columns[index] {
        let others = arrows.compactMap { isForward ? ($0.to == box ? $0.from : nil) : ($0.from == box ? $0.to : nil) }
        let rows = others.compactMap { row[$0] }
        middle[box] = rows.isEmpty ? row[box] ?? 0 : rows.reduce(0, +) / Double(rows.count)
      }
      columns[index] = columns[index].enumerated().sorted {
        (middle[$0.element] ?? 0, $0.offset) < (middle[$1.element] ?? 0, $1.offset)
      }.map(\.element)
      for (place, box) in columns[index].enumerated() {
        row[box] = Double(place) - Double(columns[index].count) / 2
      }
    }
  }
}
