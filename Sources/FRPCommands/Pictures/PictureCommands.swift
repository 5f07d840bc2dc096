// `frp plot` and `frp marble`: what a program shows over time, as pictures in the terminal or in a file.

import FRP
import FRPBase

enum PlotCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    do {
      let canvas = try Canvas(invocation, console)
      let picture = try PictureRun(invocation, console)
      var curves: [PlotCurve] = []
      var marks: [PlotMarks] = []
      for lane in picture.lanes {
        if lane.kind == .event {
          marks.append(PlotMarks(title: lane.title, times: lane.shown.map(\.time)))
        } else if let curve = lane.curve(until: picture.end) {
          curves.append(curve)
        } else if picture.lanes.count > 1 {
          Reporter(invocation, console).note("`\(lane.title)` is not drawn: only numbers, truth values and events are")
        }
      }
      if curves.isEmpty, marks.isEmpty {
        Reporter(invocation, console).failure(
          picture.lanes.isEmpty
            ? "plot what? name a definition, or write `output` before one"
            : "only numbers, truth values and events can be plotted; `frp run` shows the rest")
        return .wrongUsage
      }
      try canvas.show {
        SVGPlot(curves: curves, marks: marks, from: 0, length: picture.end).text
      } characters: { columns, canvas in
        Plot(curves: curves, marks: marks, from: 0, to: picture.end, columns: columns - 14, canvas: canvas).text + "\n"
      }
      return picture.code
    } catch {
      return error.code
    }
  }
}

extension PictureRun.Lane {
  /// What it shows of numbers; nil where that is something else.
  func curve(until end: Double) -> PlotCurve? {
    kind == .continuous
      ? PlotCurve(title: title, samples: shown) : PlotCurve(title: title, steps: shown, until: end)
  }
}

enum MarbleCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    do {
      let canvas = try Canvas(invocation, console)
      let picture = try PictureRun(invocation, console)
      let reporter = Reporter(invocation, console)
      var lanes: [PictureRun.Lane] = []
      for lane in picture.lanes {
        if lane.varies {
          let way = lane.kind == .continuous ? ": `frp plot` draws it" : ", and has no marbles"
          reporter.note("`\(lane.title)` varies all the time\(way)")
        } else {
          lanes.append(lane)
        }
      }
      if lanes.isEmpty {
        reporter.failure("marbles of what? name an event, or write `output` before one")
        return .wrongUsage
      }
      let width = lanes.map(\.title.count).max() ?? 0
      let times = lanes.flatMap { $0.shown.map(\.time) }
      try canvas.show {
        SVGMarbles(lanes: lanes, length: picture.end) { picture.reader.sourceText($0, $1) }.text
      } characters: { columns, _ in
        let grid = ReplGrid(times, length: picture.end, columns: max(20, columns - width - 30))
        let lines = lanes.map { lane in
          let list = lane.shown.map { Occurrence(time: $0.time, json: $0.json) }
          let drawn = ReplLane(list, length: picture.end, grid: grid, of: lane.name, in: picture.reader)
          return lane.title + String(repeating: " ", count: width - lane.title.count) + " == " + drawn.text + "\n"
        }
        return lines.joined() + (grid.isRounded ? "  (moved to the nearest moment)\n" : "")
      }
      return picture.code
    } catch {
      return error.code
    }
  }
}

/// Where a picture goes: to the terminal in characters, or into a file.
struct Canvas {
  let invocation: Invocation
  let console: Console
  /// Nil for the terminal, and for SVG on standard output.
  private let file: PictureFile?

  /// Says so before anything runs where the picture cannot be written.
  init(_ invocation: Invocation, _ console: Console) throws(NoPicture) {
    self.invocation = invocation
    self.console = console
    let path = invocation.value("--output").flatMap { $0 == "-" ? nil : $0 }
    do { file = try path.map { path throws(PictureFile.Problem) in try PictureFile(path) } } catch {
      throw Self.said(error, invocation, console)
    }
  }

  func show(svg: () -> String, characters: (_ columns: Int, PlotCanvas) -> String) throws(NoPicture) {
    if let file {
      do { try file.write(svg: svg()) } catch { throw Self.said(error, invocation, console) }
    } else if invocation.has("--output") {
      console.out.write(svg())
    } else {
      let columns = max(24, min(160, console.width(invocation.value("--width"))))
      console.out.write(characters(columns, canvas))
    }
  }

  /// Says why there is no picture.
  static func said(_ problem: PictureFile.Problem, _ invocation: Invocation, _ console: Console) -> NoPicture {
    if problem.isUsage {
      let usage = UsageProblem(message: problem.message, command: invocation.command)
      return NoPicture(code: Usage.report(usage, console))
    }
    Reporter(invocation, console).failure(problem.message)
    return NoPicture(code: .fault)
  }

  private var canvas: PlotCanvas {
    invocation.value("--canvas").flatMap(PlotCanvas.init) ?? (console.drawsASCIIOnly ? .ascii : .braille)
  }
}

extension Console {
  /// Whether the terminal shows ASCII only.
  var drawsASCIIOnly: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }.first { !$0.isEmpty }
    return environment("TERM") == "dumb" || !(locale ?? "UTF-8").uppercased().contains("UTF")
  }
}

/// Lanes of marbles: a line for each event, with what it shows beside each occurrence.
struct SVGMarbles {
  var lanes: [PictureRun.Lane]
  var length: Double
  /// A value as it is written, from its JSON and the name of its lane.
  var write: (_ json: String, _ name: String) -> String

  /// Titles that are longer stand above their lanes.
  private static let shortest = 14
  private var isTitledAbove: Bool { lanes.contains { $0.title.count > Self.shortest } }
  private var left: Double { isTitledAbove ? 24 : 120 }
  private var width: Double { 800 - left }
  private var height: Double { isTitledAbove ? 94 : 72 }
  private static let radius = 15.0
  /// Marbles that are drawn of one lane.
  private static let most = 1_000

  var text: String {
    let bottom = Double(lanes.count) * height + 12
    var out = SVG.head(864, bottom + 34)
    for time in Plot.ticks(0, length, most: 8) {
      out += SVG.path("M \(SVG.number(x(time))) 8 V \(SVG.number(bottom))", "faint")
      out += SVG.text(x(time), bottom + 18, Plot.moment(time, of: length), "small", anchor: "middle")
    }
    for (index, lane) in lanes.enumerated() { out += drawn(lane, index) }
    return out + "</svg>\n"
  }

  private func x(_ time: Double) -> Double { left + Self.radius + 6 + (width - 30) * time / max(length, 1e-9) }

  private func drawn(_ lane: PictureRun.Lane, _ index: Int) -> String {
    let y = Double(index + 1) * height - 32
    let colour = index % SVG.colourCount
    let (from, to) = (SVG.number(left), SVG.number(left + width + 18))
    var out =
      isTitledAbove
      ? SVG.text(left, y - 40, String(lane.title.prefix(100)), "t\(colour)")
      : SVG.text(left - 12, y + 4, lane.title, "t\(colour)", anchor: "end")
    out += SVG.path("M \(from) \(SVG.number(y)) H \(to) m -7 -4 l 7 4 l -7 4", "line")
    // What has no room above its marble stands below it.
    var free = (above: 0.0, below: 0.0)
    var last = (time: -1.0, count: 0)
    for shown in lane.shown.prefix(Self.most) {
      // What happens at one moment stands side by side.
      last = (shown.time, shown.time == last.time ? last.count + 1 : 0)
      let place = x(shown.time) + 20 * Double(last.count)
      let value = write(shown.json, lane.name)
      let circle = "cx=\"\(SVG.number(place))\" cy=\"\(SVG.number(y))\" r=\"\(SVG.number(Self.radius))\""
      out += "<circle class=\"box\" \(circle)/>\n<circle class=\"s\(colour)\" stroke-width=\"1.6\" \(circle)/>\n"
      if value == "()" { continue }
      if value.count <= 4 {
        out += SVG.text(place, y + 4, value, "small", anchor: "middle")
        continue
      }
      let label = value.count > 14 ? String(value.prefix(13)) + "…" : value
      let half = 3.4 * Double(label.count)
      if place - half >= free.above {
        out += SVG.text(place, y - Self.radius - 4, label, "small", anchor: "middle")
        free.above = place + half
      } else if place - half >= free.below {
        out += SVG.text(place, y + Self.radius + 12, label, "small", anchor: "middle")
        free.below = place + half
      }
    }
    return out
  }
}
