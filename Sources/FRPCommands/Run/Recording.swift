// A recording in the place of the world: which calls it answers, and its lines as they happen.
//
// Rules
// - A call is known by its name, its arguments and how many of these came before. One that the recording has begun or ended is
//   answered by it, and stays under way until it is; any other is as if nobody answered.
// - A line whose call is not under way in this run is left out: a changed program may ask less.

import FRP
import FRPBase
import FRPRuntime
import Glibc

final class Recording {
  /// What the calls are called by that the recording has, and those that it answers with bodies of text or values.
  private var known: Set<String> = []
  private var counts = CallCounts()
  /// By call: those under way in this run.
  private var underway: [String: HostTask.ID] = [:]
  /// What calls report that had not begun when the line was read: `end` begins them.
  var later: [Line] = []
  /// What its first line says, if that is `@run`.
  private(set) var seed: UInt64?
  private(set) var epoch: Double?
  private(set) var settings: [(name: String, json: String)] = []
  /// Whether the run's beginning is a state in the place of what came before it (JournalExport.swift).
  private(set) var beginsFromState = false

  /// One line with an `@`, or nil for any other.
  struct Line {
    var at: Double
    var kind: String
    /// `"Http.get","args":[…],"n":1`; of what is about no call what stands there, as JSON.
    var call: String
    var ok: String?
    var error: String?
    /// The call's number in the run, in a journal.
    var id: HostTask.ID?
  }

  /// Looks through a whole recording first. Cost: linear, and little where no line has an `@`.
  init(_ bytes: [UInt8]) {
    var isFirst = true
    for line in bytes.split(separator: 0x0A) {
      defer { isFirst = false }
      guard let parsed = Recording.line(line) else { continue }
      if parsed.kind == "@run" {
        if isFirst { takeRun(parsed.call) }
      } else {
        known.insert(parsed.call)
      }
    }
  }

  /// Whether a file's first line says how a run began.
  static func begins(_ descriptor: Int32) throws(SystemError) -> Bool {
    let wanted = Array("{\"at\":0,\"@run\":".utf8)
    return try Files.beginning(of: descriptor, count: wanted.count) == wanted
  }

  /// Nil for a line of inputs.
  static func line(_ bytes: some Collection<UInt8>) -> Line? {
    guard contains(bytes) else { return nil }
    guard let fields = JSONParts.object(String(decoding: bytes, as: UTF8.self)),
      let mark = fields.first(where: { $0.name.hasPrefix("@") })
    else { return nil }
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.json }
    let at = value("at").flatMap(Double.init) ?? 0
    if ["@run", "@epoch", "@state"].contains(mark.name) { return Line(at: at, kind: mark.name, call: mark.json) }
    let number = value("n") ?? "1"
    return Line(
      at: at, kind: mark.name, call: "\(mark.json),\"args\":\(value("args") ?? "[]"),\"n\":\(number)", ok: value("ok"),
      error: value("err").flatMap(JSONParts.string), id: value("id").flatMap(Int.init))
  }

  /// Whether a line has a key that begins with `@`.
  private static func contains(_ bytes: some Collection<UInt8>) -> Bool {
    var before: UInt8 = 0
    for byte in bytes {
      if byte == 0x40, before == 0x22 { return true }
      before = byte
    }
    return false
  }

  private func takeRun(_ object: String) {
    for (name, json) in JSONParts.object(object) ?? [] {
      switch name {
      case "seed": seed = UInt64(json)
      case "epoch": epoch = Double(json)
      case "state": beginsFromState = true
      case "set": settings = JSONParts.object(json) ?? []
      default: break
      }
    }
  }

  /// Whether a call that begins is answered by the recording.
  func answers(_ task: HostTask) -> Bool {
    let name = CallCounts.name(of: task)
    let call = "\(name),\"n\":\(counts.next(name))"
    guard known.contains(call) else { return false }
    underway[call] = task.id
    return true
  }

  /// What a line reports, of a call that is under way; nil for one that has nothing to say.
  func report(_ line: Line, _ simulation: Simulation) -> (id: HostTask.ID, report: HostReport)? {
    guard let id = underway[line.call], let report = Self.report(line, of: id, simulation) else { return nil }
    if line.kind == "@ended" { underway[line.call] = nil }
    return (id, report)
  }

  /// What a line reports of a call that is under way.
  static func report(_ line: Line, of id: HostTask.ID, _ simulation: Simulation) -> HostReport? {
    guard let decodes = simulation.decodes(id) else { return nil }
    if line.kind == "@opened" { return .opened }
    if line.kind == "@retrying" { return .retrying(line.error ?? "") }
    if line.kind == "@arrived" { return answer(line.ok, decodes, simulation, id).map { .item($0) } }
    guard line.kind == "@ended" else { return nil }
    if let error = line.error { return .ended(.failure(FrpError(error))) }
    return answer(line.ok, decodes, simulation, id).map { .ended(.success($0)) }
  }

  /// A file that is CSV by its name is read as that again.
  private static func body(_ text: String, of task: HostTask?) -> HostAnswer {
    if task?.name.hasPrefix("Files.") == true, case .text(let path)? = task?.arguments.first, path.hasSuffix(".csv") {
      return .csv(text)
    }
    return .body(text)
  }

  private static func answer(
    _ json: String?, _ decodes: Bool, _ simulation: Simulation, _ id: HostTask.ID
  ) -> HostAnswer? {
    guard let json else { return nil }
    if decodes, let text = JSONParts.string(json) { return body(text, of: simulation.tasks.first { $0.id == id }) }
    return (try? simulation.recorded(json, of: id)).map(HostAnswer.value)
  }
}
