// A program's documentation as the body of a page.

import FRP
import FRPBase

struct ProgramPage {
  let program: ProgramDocumentation
  let surroundings: Surroundings
  /// What its outputs showed over time, as SVG; empty where it was not run.
  private let pictures: [String]
  /// Outputs that would have made these too long.
  private let undrawn: Int
  private let text: CodeHTML

  init(_ program: ProgramDocumentation, _ run: RunPictures, in surroundings: Surroundings) {
    self.program = program
    (pictures, undrawn) = (run.pictures, run.undrawn)
    self.surroundings = surroundings
    text = CodeHTML(program.source.bytes, in: surroundings)
  }

  /// Graphs of more definitions are no help.
  private static let mostBoxes = 40

  private static let anchorPrefix = "def-"

  /// Code in comments is of the program.
  private var html: MarkdownHTML {
    MarkdownHTML(code: { code, language in
      ["frp", "", nil].contains(language)
        ? CodeHTML.html(code, behind: program.source.bytes, in: surroundings) : "<pre>\(SVG.escaped(code))</pre>\n"
    })
  }

  /// What stands beside the page: places on it, with their names.
  var contents: [(title: String, anchor: String, isInner: Bool)] {
    var list: [(title: String, anchor: String, isInner: Bool)] = []
    if !pictures.isEmpty { list.append(("Over time", "over-time", false)) }
    if hasGraph { list.append(("What uses what", "graph", false)) }
    for sort in ProgramDocumentation.Entry.Sort.allCases {
      let own = program.entries.filter { $0.sort == sort }
      if own.isEmpty { continue }
      list.append((sort.title, sort.rawValue, false))
      list += own.map { ($0.name, Self.anchorPrefix + $0.name, true) }
    }
    if !program.tests.isEmpty { list.append(("Tests", "tests", false)) }
    return list + [("The whole program", "source", false)]
  }

  private var hasGraph: Bool { (2...Self.mostBoxes).contains(program.graph.definitions.count) }

  var body: String {
    var markdown = html
    var out = "<h1>\(SVG.escaped(program.title))</h1>\n"
    if !program.description.isEmpty { out += markdown.html(program.description) }
    if !pictures.isEmpty {
      out += "<h2 id=\"over-time\">Over time</h2>\n" + pictures.map(Self.figure).joined()
      if undrawn > 0 { out += "<p class=\"relations\">and \(undrawn) more outputs, which are not drawn</p>\n" }
    }
    if hasGraph {
      let picture = GraphPicture(program.graph, of: program.graph.definitions).svg
      out += "<h2 id=\"graph\">What uses what</h2>\n" + Self.figure(picture)
    }
    for sort in ProgramDocumentation.Entry.Sort.allCases {
      let own = program.entries.filter { $0.sort == sort }
      if own.isEmpty { continue }
      out += "<h2 id=\"\(sort.rawValue)\">\(sort.title)</h2>\n" + own.map(section).joined()
    }
    if !program.tests.isEmpty { out += tests }
    return out + "<h2 id=\"source\">The whole program</h2>\n"
      + text.html(0..<program.source.bytes.count)
  }

  /// A picture may be wider than the page.
  static func figure(_ svg: String) -> String { "<figure class=\"wide\">\n\(svg)</figure>\n" }

  private func section(_ entry: ProgramDocumentation.Entry) -> String {
    var markdown = html
    markdown.lowered = 3
    var out = "<section class=\"entry\" id=\"\(Self.anchorPrefix)\(SVG.escaped(entry.name))\">\n"
    out += "<h3><code>\(SVG.escaped(entry.name))</code>"
    if !entry.time.isEmpty { out += " <span class=\"badge k-\(entry.time)\">\(entry.time)</span>" }
    out += "</h3>\n"
    if !entry.type.isEmpty {
      out += "<p class=\"signature\"><code>\(SVG.escaped("\(entry.name): \(entry.type)"))</code></p>\n"
    }
    out += markdown.html(entry.documentation)
    for example in entry.examples { out += self.example(example) }
    out += relations("uses", entry.uses) + relations("used by", entry.usedBy)
    let source = text.html(entry.range)
    let isType = entry.sort == .type
    out += isType ? source : "<details><summary>line \(entry.line)</summary>\n\(source)</details>\n"
    return out + "</section>\n"
  }

  private func example(_ example: DocExample) -> String {
    var out = ""
    let rows = example.shown.filter { !$0.value.isEmpty }
    if !rows.isEmpty {
      out += "<dl class=\"values\">\n"
      for row in rows {
        out += "<dt><code>\(SVG.escaped(row.source))</code></dt><dd><code>\(SVG.escaped(row.value))</code></dd>\n"
      }
      out += "</dl>\n"
    }
    for problem in example.problems { out += "<p class=\"wrong\">\(SVG.escaped(problem.text))</p>\n" }
    return out + example.pictures.map(Self.figure).joined()
  }

  private func relations(_ title: String, _ names: [String]) -> String {
    if names.isEmpty { return "" }
    let known = Set(program.entries.map(\.name))
    let links = names.map { name in
      let word = "<code>\(SVG.escaped(name))</code>"
      return known.contains(name) ? "<a href=\"#\(Self.anchorPrefix)\(SVG.escaped(name))\">\(word)</a>" : word
    }
    return "<p class=\"relations\">\(title) \(links.joined(separator: ", "))</p>\n"
  }

  private var tests: String {
    var out = "<h2 id=\"tests\">Tests</h2>\n"
    let blocks = TestBlock.all(in: program.source)
    for (result, block) in zip(program.tests, blocks) {
      let verdict =
        result.passed ? "<span class=\"badge k-constant\">passed</span>" : "<span class=\"badge k-event\">failed</span>"
      out += "<h3>\(SVG.escaped(result.name)) \(verdict)</h3>\n"
      if !result.passed {
        out += "<pre class=\"wrong\">\(SVG.escaped(result.failures.joined(separator: "\n\n")))</pre>\n"
      }
      if let picture = LanePicture.picture(of: block) { out += Self.figure(picture) }
    }
    return out
  }
}

/// What the outputs of a program show over time.
struct RunPictures {
  /// As SVG.
  private(set) var pictures: [String] = []
  private(set) var undrawn = 0

  private static let mostCurves = 6
  private static let mostLanes = 10
  private static let mostMarbles = 150

  /// Of a run with these words of a command line; none where it cannot be run, or shows nothing that can be drawn.
  init(_ path: String, _ words: [String], like invocation: Invocation, _ console: Console) {
    if path == "-" { return }
    let isEnding = ["--trace", "--in", "--for", "--until"].contains { words.contains($0) }
    let words = words + (isEnding ? [] : ["--for", "10s"])
    guard case .command(_, var run)? = try? ArgumentParser.parse(["plot", path] + words) else { return }
    (run.host, run.limits) = (invocation.host, invocation.limits)
    for flag in ["--host", "--allow-import"] { run.flags[flag] = invocation.flags[flag] }
    run.flags["--quiet"] = [""]
    var silent = console
    (silent.out, silent.err) = (Writer(discarding: ()), Writer(discarding: ()))
    // Nobody is asked for lines.
    silent.inputIsTerminal = true
    guard let picture = try? PictureRun(run, silent) else { return }
    draw(picture)
  }

  private mutating func draw(_ picture: PictureRun) {
    var curves: [PlotCurve] = []
    var lanes: [PictureRun.Lane] = []
    for lane in picture.lanes {
      if lane.kind != .event, let curve = lane.curve(until: picture.end) {
        curves.append(curve)
      } else if lane.kind != .continuous, (1...Self.mostMarbles).contains(lane.shown.count) {
        lanes.append(lane)
      }
    }
    undrawn = max(0, curves.count - Self.mostCurves) + max(0, lanes.count - Self.mostLanes)
    if curves.contains(where: { !$0.lines.isEmpty }) {
      let drawn = Array(curves.prefix(Self.mostCurves))
      pictures.append(SVGPlot(curves: drawn, marks: [], from: 0, length: picture.end).text)
    }
    if lanes.isEmpty { return }
    let marbles = SVGMarbles(lanes: Array(lanes.prefix(Self.mostLanes)), length: picture.end) { json, name in
      picture.reader.sourceText(json, name)
    }
    pictures.append(marbles.text)
  }

  /// What stands beside a program for whoever runs it: `shop.trace`, or words of a command line in `shop.args`.
  static func words(beside path: String) -> [String] {
    guard path.hasSuffix(".frp") else { return [] }
    let base = path.dropLast(4)
    if Files.exists("\(base).trace") { return ["--trace", "\(base).trace"] }
    guard let bytes = try? Files.contents(of: "\(base).args") else { return [] }
    let own = ["--final", "--virtual"]
    return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
      .filter { !own.contains($0) }
  }
}
