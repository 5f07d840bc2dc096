// What pinned values have been lately: sparklines beside them, and `:plot --live`.
//
// Step behaviors and events are known exactly, from what they have shown. What varies between instants is looked at as
// often as the pane is drawn.

import FRP
import FRPBase

/// Looks at a behavior that varies, the newest last.
struct ReplSeries {
  private(set) var samples: [(time: Double, json: String)] = []
  private static let most = 4_000

  mutating func add(_ time: Double, _ json: String) {
    // Time may have gone back.
    while let last = samples.last, last.time >= time { samples.removeLast() }
    samples.append((time, json))
    if samples.count > Self.most { samples.removeFirst(Self.most / 2) }
  }
}

/// A row of small columns, one for each stretch of time.
struct Sparkline {
  static let length = 10.0
  private static let blocks = Array("▁▂▃▄▅▆▇█")
  private static let ascii = Array("_.,-=+*#")

  /// Of numbers: the last in each stretch, or the one before it.
  static func text(_ points: [(time: Double, value: Double)], until now: Double, columns: Int, isASCII: Bool) -> String
  {
    var cells = [Double?](repeating: nil, count: columns)
    for point in points where point.time <= now {
      let place = Int(((point.time - now) / length + 1) * Double(columns))
      // What came before is where it begins.
      cells[min(columns - 1, max(0, place))] = point.value
    }
    for index in cells.indices.dropFirst() where cells[index] == nil { cells[index] = cells[index - 1] }
    let (low, high) = (cells.compactMap(\.self).min() ?? 0, cells.compactMap(\.self).max() ?? 0)
    return drawn(cells.map { $0.map { Plot.part($0, low, high) } }, isASCII)
  }

  /// Of moments: how many in each stretch; blank where none.
  static func text(_ times: [Double], until now: Double, columns: Int, isASCII: Bool) -> String {
    var counts = [Int](repeating: 0, count: columns)
    for time in times where time <= now && time > now - length {
      counts[min(columns - 1, max(0, Int(((time - now) / length + 1) * Double(columns))))] += 1
    }
    let most = max(2, counts.max() ?? 0)
    return drawn(counts.map { $0 == 0 ? nil : Double($0) / Double(most) }, isASCII)
  }

  private static func drawn(_ parts: [Double?], _ isASCII: Bool) -> String {
    let characters = isASCII ? ascii : blocks
    return String(
      parts.map { part -> Character in
        part.map { characters[min(characters.count - 1, Int($0 * Double(characters.count)))] } ?? " "
      })
  }
}

extension ReplSession {
  /// Looks at what is pinned or plotted and varies between instants.
  func takeSeries() {
    let now = simulation?.now ?? clock.now
    for name in Set(live.pinned + (live.plot?.names ?? [])) where isContinuous(name) {
      guard let json = try? simulation?.value(of: name, atMost: 64) else { continue }
      live.series[name, default: ReplSeries()].add(now, json)
    }
  }

  private func isContinuous(_ name: String) -> Bool {
    current.name(name)?.kind == .behavior && current.program.isContinuous(output: name)
  }

  /// What a behavior was lately, in steps or samples.
  func lately(_ name: String) -> [(time: Double, json: String)] {
    if isContinuous(name) { return live.series[name]?.samples ?? [] }
    return (trace[name]?.recent ?? []).map { ($0.time, $0.json) }
  }

  /// A sparkline of a name; nil for what is neither number nor event.
  func sparkline(_ known: ReplName, columns: Int) -> String? {
    let now = simulation?.now ?? clock.now
    switch known.kind {
    case .event:
      let times = (trace[known.name]?.recent ?? []).map(\.time)
      return Sparkline.text(times, until: now, columns: columns, isASCII: isASCII)
    case .behavior:
      let points = lately(known.name).map { (time: $0.time, value: PlotCurve.number($0.json)) }
      guard !points.isEmpty, points.allSatisfy({ $0.value != nil }) else { return nil }
      return Sparkline.text(
        points.map { ($0.time, $0.value ?? 0) }, until: now, columns: columns, isASCII: isASCII)
    default: return nil
    }
  }
}

// MARK: Plots that move

/// What `:plot --live` keeps at the top of the screen.
struct ReplLivePlot {
  var names: [String]
  /// Seconds that it shows.
  var length: Double
}

extension ReplSession {
  /// `--live NAME, … [for 10s]`, `--live EXPR as NAME`, `--live off`.
  func plotLive(_ text: String) {
    if text == "off" {
      live.plot = nil
      return pinRows()
    }
    var words = ReplWords(text)
    let length = words.takeFor() ?? 10
    let parts = separated(words.rest)
    if let wrong = words.misusedLength { return fail(wrong) }
    if parts.isEmpty { return fail("plot what? Write :plot --live NAME, or :plot --live sin(time) as wave") }
    guard hasScreen, source.paneRoom > 8 else {
      return fail("a plot that moves needs a screen of 14 rows: :plot draws one")
    }
    guard length > 0 else { return fail("how many seconds? Write :plot --live \(words.rest) for 10s") }
    var names: [String] = []
    for part in parts {
      guard let name = current.name(part)?.name ?? definedForWatching(part) else {
        return fail("\(part) is no name; to plot an expression, name it:  :plot --live \(part) as w")
      }
      guard isPlottable(name) else { return fail("only numbers, truth values and events can be plotted") }
      names.append(name)
    }
    live.plot = ReplLivePlot(names: names, length: length)
    pinRows()
  }

  private func isPlottable(_ name: String) -> Bool {
    guard let known = current.name(name) else { return false }
    if known.kind == .event { return true }
    guard known.kind == .behavior || known.kind == .constant else { return false }
    return (try? simulation?.value(of: name, atMost: 64)).flatMap { $0 }.map { PlotCurve.number($0) != nil } ?? true
  }

  /// How many rows the plot takes in a pane of so many.
  func plotRows(of room: Int) -> Int { livePlot(room).map { $0.split(separator: "\n").count } ?? 0 }

  /// The plot in no more rows than a pane has beside its names.
  func livePlot(_ room: Int) -> String? {
    guard let plot = live.plot else { return nil }
    let now = max(simulation?.now ?? clock.now, 1e-6)
    let start = min(now, max(startOfPast, now - plot.length))
    let known = plot.names.compactMap { current.name($0) }
    let marks = known.filter { $0.kind == .event }.map { name in
      PlotMarks(title: name.name, times: (trace[name.name]?.recent ?? []).map(\.time).filter { $0 >= start })
    }
    let curves = known.filter { $0.kind != .event }.map { curve($0, from: start, to: now) }
    let titles = curves.count > 1 || !marks.isEmpty ? curves.count : 0
    let left = room - live.pinned.count - 1 - 2 - marks.count - titles
    let rows = max(2, min(8, left / max(1, curves.count)))
    let canvas = isASCII ? PlotCanvas.ascii : options.canvas
    let columns = max(4, min(150, console.width(nil)) - 14)
    var picture = Plot(
      curves: curves, marks: marks, from: start, to: start + plot.length, columns: columns, canvas: canvas)
    picture.height = rows
    return picture.text
  }

  private func curve(_ known: ReplName, from start: Double, to now: Double) -> PlotCurve {
    var points = lately(known.name)
    if known.kind == .constant, let value = try? simulation?.value(of: known.name) { points = [(0, value)] }
    // What was there when the picture begins.
    if let before = points.lastIndex(where: { $0.time < start }) {
      points = (isContinuous(known.name) ? [] : [(start, points[before].json)]) + points[(before + 1)...]
    }
    let curve =
      isContinuous(known.name)
      ? PlotCurve(title: known.name, samples: points)
      : PlotCurve(title: known.name, steps: points, until: now)
    return curve ?? PlotCurve(title: known.name, lines: [])
  }
}
