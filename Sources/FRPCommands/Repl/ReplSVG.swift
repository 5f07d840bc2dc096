// Pictures as files: curves, and the graph of definitions, as SVG or DOT.

import FRPBase

struct SVGPlot {
  var curves: [PlotCurve]
  var marks: [PlotMarks]
  var from: Double
  var length: Double
  private static let width = 800.0
  private static let height = 300.0
  private static let colours = ["#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df"]

  var text: String {
    let all = curves.flatMap(\.values)
    var low = all.min() ?? 0
    var high = all.max() ?? 1
    if high - low < 1e-12 * max(1, abs(high)) { (low, high) = (low - 1, high + 1) }
    let lanes = 22 * Double(marks.count)
    var out = SVG.head(Self.width + 100, Self.height + 50 + lanes)
    if !curves.isEmpty {
      out += SVG.text(Self.width + 12, 12, Plot.short(high)) + SVG.text(Self.width + 12, Self.height, Plot.short(low))
    }
    out += "<rect x=\"0\" y=\"0\" width=\"800\" height=\"300\" fill=\"none\" stroke=\"#888\"/>\n"
    for (index, curve) in curves.enumerated() {
      out += drawn(curve, Self.colours[index % Self.colours.count], low, high)
      out += SVG.text(10, 20 + 18 * Double(index), curve.title, Self.colours[index % Self.colours.count])
    }
    for (index, mark) in marks.enumerated() {
      out += drawn(mark, Self.colours[(curves.count + index) % Self.colours.count], 22 * Double(index))
    }
    for time in Plot.ticks(from, from + length, most: 10) {
      out +=
        "<path d=\"M \(SVG.number(x(time))) \(SVG.number(Self.height)) v 6\" stroke=\"#888\"/>\n"
        + SVG.text(x(time) - 10, Self.height + 24 + lanes, Plot.short(time) + "s")
    }
    return out + "</svg>\n"
  }

  private func x(_ time: Double) -> Double { Self.width * (time - from) / max(length, 1e-9) }

  /// A polyline for each unbroken piece.
  private func drawn(_ curve: PlotCurve, _ colour: String, _ low: Double, _ high: Double) -> String {
    curve.lines.filter { !$0.isEmpty }.map { line in
      let points = line.map { point in
        "\(SVG.number(x(point.time))),\(SVG.number((high - point.value) / (high - low) * Self.height))"
      }
      return
        "<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\" points=\"\(points.joined(separator: " "))\"/>\n"
    }.joined()
  }

  /// A dashed line through the curves and a dot in a lane of its own for each occurrence.
  private func drawn(_ mark: PlotMarks, _ colour: String, _ offset: Double) -> String {
    let y = Self.height + 12 + offset
    let dots = mark.times.prefix(2_000).map { time in
      "<path d=\"M \(SVG.number(x(time))) 0 V \(SVG.number(Self.height))\" stroke=\"\(colour)\" stroke-width=\"0.5\" stroke-dasharray=\"2 4\"/>\n"
        + "<circle cx=\"\(SVG.number(x(time)))\" cy=\"\(SVG.number(y))\" r=\"3\" fill=\"\(colour)\"/>\n"
    }
    return dots.joined() + SVG.text(Self.width + 12, y + 4, mark.title, colour)
  }
}

enum SVG {
  static func head(_ width: Double, _ height: Double) -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(width)) \(number(height))\" "
      + "font-family=\"monospace\" font-size=\"13\">\n"
  }

  static func text(_ x: Double, _ y: Double, _ text: String, _ colour: String = "#444") -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" fill=\"\(colour)\">\(escaped(text))</text>\n"
  }

  static func escaped(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "&": out += "&amp;"
      case "\"": out += "&quot;"
      default: out.append(character)
      }
    }
    return out
  }

  /// At most two digits after the point.
  static func number(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() && abs(rounded) < 1e9 ? "\(Int(rounded))" : "\(rounded)"
  }
}

/// Definitions and who uses whom.
struct ReplGraphPicture {
  var nodes: [(name: String, label: String, kind: ReplName.Kind)]
  var edges: [(from: String, to: String)]

  var dot: String {
    var out = "digraph frp {\n  rankdir=LR;\n  node [fontname=monospace];\n"
    for node in nodes {
      let shape = node.kind == .event ? "ellipse" : "box"
      out += "  \"\(node.name)\" [shape=\(shape), label=\"\(node.label.replacing("\"", with: "\\\""))\"];\n"
    }
    for edge in edges { out += "  \"\(edge.from)\" -> \"\(edge.to)\";\n" }
    return out + "}\n"
  }

  /// Columns by the longest way from a source; what goes round a cycle stays where it was found first.
  private var columns: [String: Int] {
    var column: [String: Int] = [:]
    for node in nodes { column[node.name] = 0 }
    for _ in 0..<min(nodes.count, 50) {
      var hasMoved = false
      for edge in edges where edge.from != edge.to {
        let next = (column[edge.from] ?? 0) + 1
        if next > column[edge.to] ?? 0, next < nodes.count {
          column[edge.to] = next
          hasMoved = true
        }
      }
      if !hasMoved { break }
    }
    return column
  }

  var svg: String {
    let columns = columns
    var rows: [Int: Double] = [:]
    var places: [String: (x: Double, y: Double)] = [:]
    for node in nodes {
      let column = columns[node.name] ?? 0
      let row = rows[column, default: 0]
      rows[column] = row + 1
      places[node.name] = (20 + Double(column) * 240, 20 + row * 60)
    }
    let width = (places.values.map(\.x).max() ?? 0) + 220
    let height = (places.values.map(\.y).max() ?? 0) + 60
    var out = SVG.head(width, height)
    for edge in edges {
      guard let from = places[edge.from], let to = places[edge.to] else { continue }
      out +=
        "<path d=\"M \(SVG.number(from.x + 190)) \(SVG.number(from.y + 18)) C \(SVG.number(from.x + 215)) \(SVG.number(from.y + 18)), "
        + "\(SVG.number(to.x - 25)) \(SVG.number(to.y + 18)), \(SVG.number(to.x)) \(SVG.number(to.y + 18))\" fill=\"none\" stroke=\"#888\"/>\n"
    }
    for node in nodes {
      guard let place = places[node.name] else { continue }
      let round = node.kind == .event ? 18 : 3
      out +=
        "<rect x=\"\(SVG.number(place.x))\" y=\"\(SVG.number(place.y))\" width=\"190\" height=\"36\" rx=\"\(round)\" fill=\"#f6f8fa\" stroke=\"#1f6feb\"/>\n"
      out += SVG.text(place.x + 8, place.y + 23, String(node.label.prefix(23)))
    }
    return out + "</svg>\n"
  }
}

extension ReplSession {
  /// `[NAME] [to FILE.dot|FILE.svg]`.
  func graph(_ text: String) {
    var words = ReplWords(text)
    let path = words.takePath()
    let name = trimmed(words.rest)
    let names = current.names.filter { $0.name != "it" && (name.isEmpty || isNear($0.name, name)) }
    if names.isEmpty { return show(name.isEmpty ? "nothing is defined yet" : "nothing is called \(name)") }
    guard let path else {
      return show(names.filter { name.isEmpty || $0.name == name }.map { line($0.name) }.joined(separator: "\n"))
    }
    var picture = ReplGraphPicture(nodes: names.map { ($0.name, "\($0.name) : \($0.type)", $0.kind) }, edges: [])
    let known = Set(names.map(\.name))
    for node in names {
      for user in current.users[node.name] ?? [] where known.contains(user) { picture.edges.append((node.name, user)) }
    }
    if !path.hasSuffix(".svg"), !path.hasSuffix(".dot") { return fail("Write :graph to FILE.dot, or to FILE.svg") }
    show(writeFile(path, path.hasSuffix(".svg") ? picture.svg : picture.dot) ? path : "\(path) cannot be written")
  }

  /// Whether a definition is this one, or stands before or behind it.
  private func isNear(_ other: String, _ name: String) -> Bool {
    other == name || current.dependents(of: name).contains(other) || current.dependents(of: other).contains(name)
  }

  private func line(_ name: String) -> String {
    let uses = current.users.filter { $0.value.contains(name) }.keys.sorted().filter {
      current.name($0) != nil && $0 != "it"
    }
    let users = (current.users[name] ?? []).filter { $0 != "it" }
    let arrow = isASCII ? " --> " : " ──▶ "
    return (uses.isEmpty ? "" : uses.joined(separator: ", ") + arrow) + name
      + (users.isEmpty ? "" : arrow + users.joined(separator: ", "))
  }
}
