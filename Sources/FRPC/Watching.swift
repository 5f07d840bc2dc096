// What watched outputs have shown, until somebody polls it.
//
// Rules
// - Nothing is lost: what is kept grows up to a limit, and beyond it nothing happens that could show more (FRP_FULL). One
//   instant may go beyond, since it is known afterwards what it shows.
// - Values are recorded by the simulation. They become lines when somebody asks, in the order of their instants; lines that did
//   not fit the caller's buffer stay.

import FRP

struct Watching {
  /// The outputs, in the order in which they were watched.
  var names: [String] = [] { didSet { note() } }
  /// How many bytes are kept before nothing more may happen.
  let mostKept: Int
  /// Lines that were not taken yet, behind those that were.
  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether anything is kept, or may be: every send asks.
  private(set) var isUsed = false

  init(mostKept: Int) { self.mostKept = mostKept }

  var lines: ArraySlice<UInt8> { bytes[start...] }
  var count: Int { bytes.count - start }

  private mutating func note() { isUsed = !names.isEmpty || count > 0 }

  mutating func add(_ line: String) {
    bytes += line.utf8
    note()
  }

  /// Forgets the first bytes of the lines.
  mutating func drop(_ count: Int) {
    start += count
    defer { note() }
    if start < bytes.count / 2 { return }
    bytes.removeSubrange(..<start)
    start = 0
    // What was much once is given back.
    if bytes.isEmpty { bytes = [] }
  }

  /// How many bytes of lines fit a buffer: whole lines, as many as possible.
  func fitting(_ capacity: Int) -> Int {
    if count <= capacity { return count }
    guard let last = lines.prefix(capacity).lastIndex(of: UInt8(ascii: "\n")) else { return 0 }
    return last + 1 - start
  }

  /// How many bytes the first line has.
  var firstLine: Int { lines.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - start } ?? 0 }
}

extension RunBox {
  /// About how many bytes are kept.
  var keptBytes: Int { watching.count + simulation.recordedBytes }

  /// Whether nothing may happen that shows more.
  @inline(__always)
  var isFull: Bool { watching.isUsed && keptBytes >= watching.mostKept }

  var isTooFull: Status {
    fails(
      .full, "watched outputs have shown \(keptBytes) bytes that nobody has polled, and \(watching.mostKept) are kept")
  }

  /// Makes lines of what has been recorded.
  func gather() {
    var lines: [(shown: Occurrence, text: String)] = []
    for name in watching.names {
      let label = jsonText(name)
      for occurrence in (try? simulation.occurrences(of: name)) ?? [] {
        lines.append((occurrence, "{\"at\":\(occurrence.time),\(label):\(occurrence.json)}\n"))
      }
    }
    // Several instants may have one time.
    for (_, line) in lines.enumerated().sorted(by: {
      ($0.element.shown.time, $0.element.shown.instant, $0.offset)
        < ($1.element.shown.time, $1.element.shown.instant, $1.offset)
    }) {
      watching.add(line.text)
    }
  }

  /// The name of an output; nil, and said, where there is none of this number.
  func output(_ port: Int32) -> String? {
    let ports = simulation.program.outputs
    if ports.indices.contains(Int(port)) { return ports[Int(port)].name }
    _ = hasNoPort(port)
    return nil
  }
}

@c(frp_watch) public func watch(_ run: UInt64, _ port: Int32) -> Int32 {
  Handles.withRun(run) { box in
    guard let name = box.output(port) else { return .unknownPort }
    if !box.watching.names.contains(name) { box.watching.names.append(name) }
    return box.attempt { (simulation) throws(SimulationError) in try simulation.record(name) }
  }
}

@c(frp_unwatch) public func unwatch(_ run: UInt64, _ port: Int32) -> Int32 {
  Handles.withRun(run) { box in
    guard let name = box.output(port) else { return .unknownPort }
    box.gather()
    box.watching.names.removeAll { $0 == name }
    return box.attempt { (simulation) throws(SimulationError) in _ = try simulation.endRecord(name) }
  }
}

@c(frp_poll) public func poll(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    if let why = box.cannotGiveOnce(capacity, needed) { return why }
    box.gather()
    let status = copy(box.watching.lines, buffer, capacity, needed)
    if status == .ok { box.watching.drop(box.watching.count) }
    return status
  }
}

@c(frp_poll_lines) public func pollLines(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    if let why = box.cannotGiveOnce(capacity, needed) { return why }
    box.gather()
    let count = buffer == nil ? 0 : box.watching.fitting(capacity)
    if count == 0, box.watching.count > 0 {
      needed?.pointee = box.watching.firstLine
      return .tooSmall
    }
    let status = copy(box.watching.lines.prefix(count), buffer, capacity, needed)
    if status == .ok { box.watching.drop(count) }
    return status
  }
}
