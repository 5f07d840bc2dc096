// What pictures are written with: scalable vector graphics, in light and in dark.

enum SVG {
  /// Of things that are told apart by colour: classes `s0` to `s5` colour lines, `t0` to `t5` texts and dots.
  static let colourCount = 6
  private static let light = ["#1f6feb", "#c4321c", "#1a7f37", "#8250df", "#9a6700", "#0a7d8c"]
  private static let dark = ["#6cb0ff", "#ff8b7a", "#5fd07a", "#c9a6ff", "#e3b341", "#56d4dd"]

  /// The beginning of a picture of so many units, which follows whether its reader prefers light or dark.
  static func head(_ width: Double, _ height: Double) -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(number(width))\" height=\"\(number(height))\" "
      + "viewBox=\"0 0 \(number(width)) \(number(height))\" font-family=\"ui-monospace, monospace\" font-size=\"13\">\n"
      + "<style>\(rules(page: "#ffffff", ink: "#24292f", faint: "#d0d7de", fill: "#f6f8fa", colours: light))"
      + "@media (prefers-color-scheme: dark) {\(rules(page: "#0d1117", ink: "#e6edf3", faint: "#3d444d", fill: "#161b22", colours: dark))}"
      + "</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
  }

  private static func rules(page: String, ink: String, faint: String, fill: String, colours: [String]) -> String {
    let own = colours.enumerated().map { ".s\($0){stroke:\($1);fill:none}.t\($0){fill:\($1)}" }.joined()
    return ".page{fill:\(page)}text{fill:\(ink)}.faint{stroke:\(faint);fill:none}.line{stroke:\(ink);fill:none}"
      + ".box{fill:\(fill)}.small{font-size:11px}" + own
  }

  /// A line of text; `anchor` says which end `x` is.
  static func text(_ x: Double, _ y: Double, _ text: String, _ style: String = "", anchor: String = "start") -> String {
    let classes = style.isEmpty ? "" : " class=\"\(style)\""
    let end = anchor == "start" ? "" : " text-anchor=\"\(anchor)\""
    return "<text x=\"\(number(x))\" y=\"\(number(y))\"\(classes)\(end)>\(escaped(text))</text>\n"
  }

  static func path(_ places: String, _ style: String, _ more: String = "") -> String {
    "<path d=\"\(places)\" class=\"\(style)\"\(more)/>\n"
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
