// Curves over one axis of time as a picture: a panel for each behavior, a lane for each event.

struct SVGPlot {
  var curves: [PlotCurve]
  var marks: [PlotMarks]
  var from: Double
  var length: Double

  private static let left = 70.0
  private static let width = 720.0
  private static let lane = 30.0
  /// Marks that are drawn of one event; more would only be a line.
  private static let most = 2_000

  private var panel: Double { curves.count == 1 ? 260 : curves.count < 5 ? 140 : 90 }
  private var bottom: Double { Double(curves.count) * (panel + 34) + Double(marks.count) * Self.lane + 8 }

  var text: String {
    var out = SVG.head(Self.left + Self.width + 24, bottom + 34)
    let ticks = Plot.ticks(from, from + length, most: 8)
    for time in ticks {
      out += SVG.path("M \(SVG.number(x(time))) 8 V \(SVG.number(bottom))", "faint")
      out += SVG.text(x(time), bottom + 18, Plot.moment(time, of: length), "small", anchor: "middle")
    }
    for (index, curve) in curves.enumerated() { out += drawn(curve, index, top: Double(index) * (panel + 34) + 26) }
    for (index, mark) in marks.enumerated() {
      let y = Double(curves.count) * (panel + 34) + Double(index) * Self.lane + 18
      out += drawn(mark, curves.count + index, at: y)
    }
    return out + "</svg>\n"
  }

  private func x(_ time: Double) -> Double { Self.left + Self.width * (time - from) / max(length, 1e-9) }

  /// A frame with its scale, and a polyline for each unbroken piece.
  private func drawn(_ curve: PlotCurve, _ number: Int, top: Double) -> String {
    let colour = number % SVG.colourCount
    let (low, high) = curve.range
    func y(_ value: Double) -> Double { top + (1 - Plot.part(value, low, high)) * panel }
    let ticks = Plot.ticks(low, high, most: panel > 120 ? 5 : 3)
    let labels = Plot.labels(ticks)
    let title = curve.title + (labels.base.map { ", from \($0)" } ?? "")
    var out = SVG.text(Self.left, top - 8, title, "t\(colour)")
    for (value, label) in zip(ticks, labels.texts) {
      out += SVG.path("M \(SVG.number(Self.left)) \(SVG.number(y(value))) h \(SVG.number(Self.width))", "faint")
      out += SVG.text(Self.left - 8, y(value) + 4, label, "small", anchor: "end")
    }
    out += SVG.path(
      "M \(SVG.number(Self.left)) \(SVG.number(top)) h \(SVG.number(Self.width)) v \(SVG.number(panel)) h -\(SVG.number(Self.width)) Z",
      "faint")
    for line in curve.lines where !line.isEmpty {
      let points = line.map { "\(SVG.number(x($0.time))),\(SVG.number(y($0.value)))" }
      out += "<polyline class=\"s\(colour)\" stroke-width=\"1.6\" points=\"\(points.joined(separator: " "))\"/>\n"
    }
    return out
  }

  /// A dot for each occurrence on a line of its own.
  private func drawn(_ mark: PlotMarks, _ number: Int, at y: Double) -> String {
    let colour = number % SVG.colourCount
    let isLong = mark.title.count > 8
    let title =
      isLong
      ? SVG.text(Self.left + 4, y - 8, mark.title, "small t\(colour)")
      : SVG.text(Self.left - 8, y + 4, mark.title, "small t\(colour)", anchor: "end")
    let line = SVG.path("M \(SVG.number(Self.left)) \(SVG.number(y)) h \(SVG.number(Self.width))", "faint")
    let dots = mark.times.prefix(Self.most).map { time in
      "<circle class=\"t\(colour)\" cx=\"\(SVG.number(x(time)))\" cy=\"\(SVG.number(y))\" r=\"4\"/>\n"
    }
    return title + line + dots.joined()
  }
}
