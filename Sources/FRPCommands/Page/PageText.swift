// A program's text as the page sees it: its definitions with their documentation and places, and what is wrong with it.
//
// Places are counted in UTF-16 units, as browsers count them.

import FRP
import FRPBase
import FRPSyntax

struct PageText {
  /// What the lines with `///` above a definition say.
  struct Notes {
    var documentation = ""
    /// `@range 0 10`: what a slider goes from and to.
    var range: (low: Double, high: Double)?
    /// `@step 0.5`.
    var step: Double?
  }

  let text: String
  let items: [ReplItem]
  /// In the order of the text.
  let outputs: [String]
  private(set) var notes: [String: Notes] = [:]
  /// Where each name is defined.
  private(set) var places: [String: Range<Int>] = [:]
  let diagnostics: [Diagnostic]
  let sources: SourceMap
  /// The files that it imports; where there are mistakes, also those that are not there.
  let imports: [String]
  /// These, as they were read.
  let modules: ReplModules
  private let offsets: UTF16Offsets

  /// Parses and checks a text. Cost: of checking it.
  init(_ text: String, name: String, _ session: ReplSession) {
    self.text = text
    offsets = UTF16Offsets(text)
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: name, text: text))
    var tree = Tree()
    _ = Parser.parse(file, name: name, in: sources, into: &tree)
    var outputs: [String] = []
    var placed: [(id: ItemID, item: ReplItem)] = []
    for id in tree.modules.last?.items ?? [] {
      let item = session.item(id, tree, sources)
      switch tree[id] {
      case .output(let names): outputs += names.map(\.text)
      case .definition(let definition) where definition.isOutput: outputs += item.names
      default: break
      }
      guard !item.names.isEmpty else { continue }
      placed.append((id, item))
      let span = tree.span(id)
      for name in item.names { places[name] = offsets.range(span) }
    }
    self.outputs = outputs
    items = session.withComments(placed, tree, sources).map { item in
      var item = item
      // What a page imports lies where the surroundings say.
      if item.folder != nil { item.folder = "" }
      return item
    }
    let program = session.surroundings.compile(Source(name: name, text: text))
    (diagnostics, self.sources) = (program.diagnostics, program.sources)
    (imports, modules) = (Self.imports(of: program), ReplModules(of: program))
    for item in items { for name in item.names { notes[name] = Self.notes(item.comments.above) } }
  }

  var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// The first error, with its place.
  var firstMistake: String {
    guard let error = diagnostics.first(where: { $0.severity == .error }) else { return "" }
    if error.span.isNone { return error.title }
    let file = sources[error.span.file]
    let name = error.span.file.raw == 0 ? "" : file.name + ", "
    return "\(error.title) (\(name)line \(file.position(at: Int(error.span.start)).line))"
  }

  private static func imports(of program: Program) -> [String] {
    let found = program.sources.files.dropFirst().map(\.name)
    if !program.hasErrors { return found }
    var sources = SourceMap()
    var tree = Tree()
    for file in program.sources.files where !file.isHost {
      let id = sources.add(SourceFile(name: file.name, bytes: file.bytes))
      _ = Parser.parse(id, name: file.name, in: sources, into: &tree)
    }
    var missing: [String] = []
    for case .importModule(let name) in tree.items where !found.contains(name.text + ".frp") {
      missing.append(name.text + ".frp")
    }
    return found + missing
  }

  private static func notes(_ comments: [String]) -> Notes {
    var notes = Notes()
    var lines: [String] = []
    for comment in comments where comment.hasPrefix("///") {
      let line = trimmed(String(comment.dropFirst(3)))
      let words = line.split(separator: " ")
      if words.first == "@range", words.count == 3, let low = Double(words[1]), let high = Double(words[2]), low < high
      {
        notes.range = (low, high)
      } else if words.first == "@step", words.count == 2, let step = Double(words[1]), step > 0 {
        notes.step = step
      } else {
        lines.append(line)
      }
    }
    notes.documentation = lines.joined(separator: "\n")
    return notes
  }

  // MARK: What is wrong

  /// The diagnostics as JSON. Those of other files stand at the beginning, with the file's name.
  var problems: String {
    "[" + diagnostics.map(problem).joined(separator: ",") + "]"
  }

  /// The same for what is no mistake of the text: the program faults as it begins, or cannot begin.
  func problems(_ refused: SimulationError?, _ words: String) -> String {
    var place = 0..<0
    if case .fault(let fault) = refused, let found = fault.definition.flatMap({ places[$0] }) { place = found }
    let (from, to) = place.isEmpty ? (-1, -1) : (place.lowerBound, place.upperBound)
    return "[{\"from\":\(from),\"to\":\(to),\"severity\":\"error\",\"message\":\(jsonString(words)),\"label\":\"\","
      + "\"helps\":[],\"edits\":[]}]"
  }

  private func problem(_ diagnostic: Diagnostic) -> String {
    let place = range(diagnostic.span)
    let edits = diagnostic.helps.compactMap { help -> String? in
      guard let edit = help.edit else { return nil }
      let range = range(edit.span)
      return "{\"from\":\(range.lowerBound),\"to\":\(range.upperBound),\"text\":\(jsonString(edit.text)),"
        + "\"title\":\(jsonString(title(help.text, edit.text)))}"
    }
    let helps = diagnostic.helps.map { jsonString($0.text) } + diagnostic.notes.map(jsonString)
    return "{\"from\":\(place.lowerBound),\"to\":\(place.upperBound),\"severity\":\"\(diagnostic.severity.rawValue)\","
      + "\"message\":\(jsonString(diagnostic.title)),\"label\":\(jsonString(diagnostic.label)),"
      + "\"helps\":[\(helps.joined(separator: ","))],\"edits\":[\(edits.joined(separator: ","))]}"
  }

  /// A help may be a verb without the text that stands below it in a terminal.
  private func title(_ help: String, _ text: String) -> String {
    help.contains("`") || text.isEmpty || text.contains("\n") ? help : "\(help) `\(text)`"
  }

  private func range(_ span: Span) -> Range<Int> {
    // The program itself is the first file.
    span.isNone || span.file.raw != 0 ? 0..<0 : offsets.range(span)
  }
}

/// From offsets in UTF-8 to those in UTF-16.
struct UTF16Offsets {
  /// By the byte, at each character that is not ASCII and at the end, how many units there are fewer than bytes.
  private var shifts: [(byte: Int, shift: Int)] = [(0, 0)]
  private let count: Int

  init(_ text: String) {
    var byte = 0
    var shift = 0
    for scalar in text.unicodeScalars {
      let length = UTF8.width(scalar)
      byte += length
      if length > 1 {
        shift += length - UTF16.width(scalar)
        shifts.append((byte, shift))
      }
    }
    count = byte
  }

  /// Cost: O(log n).
  func offset(_ byte: Int) -> Int {
    let byte = min(max(0, byte), count)
    var (low, high) = (0, shifts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if shifts[middle].byte <= byte { low = middle } else { high = middle }
    }
    return byte - shifts[low].shift
  }

  func range(_ span: Span) -> Range<Int> {
    let start = offset(Int(span.start))
    return start..<max(start, offset(Int(span.end)))
  }
}
