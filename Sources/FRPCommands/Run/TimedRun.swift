// Runs whose lines say when they happened.

import FRP
import FRPBase
import FRPRuntime
import Glibc

extension Runner {
  /// Merges the inputs by their times and lets each line happen at its own. Lines of inputs without times happen first, at 0.
  func runTimed(_ sources: inout [InputSource]) {
    let timed = sources.indices.filter { sources[$0].timeField != nil }
    var merge = TimedMerge(reactor.heap, sources: timed, late: Int64(options.late), from: options.from)
    if merge.origin == nil {
      while stop == nil, let stream = merge.wantedForFirst { readTimed(stream, &merge, &sources) }
      merge.beginAtFirst()
    }
    if stop != nil { return }
    start(at: merge.epoch)
    readAll(&sources)
    let end = options.end.map(Int64.init) ?? Clock.never
    let origin = merge.origin ?? 0
    while stop == nil {
      if let stream = merge.wanted {
        readTimed(stream, &merge, &sources)
        continue
      }
      guard let (source, line) = merge.next() else { break }
      let time = line.time - origin
      if time > end {
        _ = merge.values.remove(line.value)
        break
      }
      reactor.inputDue = time
      advance(to: time)
      let value = merge.values.remove(line.value)
      if stop == nil { reactor.send(port: sources[source].port, value) }
      checkForStop()
    }
    if stop == nil, end != Clock.never { advance(to: end) }
    drainSimulated()
  }

  /// Reads the next line of an input that has a time.
  private func readTimed(_ stream: Int, _ merge: inout TimedMerge, _ sources: inout [InputSource]) {
    let index = merge.streams[stream].source
    guard let line = waitForLine(&sources[index]) else {
      merge.end(stream: stream)
      return
    }
    guard case .value(let value) = decoded(line, &sources[index]) else { return }
    switch sources[index].time(of: line, codec) {
    case .failure(let problem):
      sources[index].refuse()
      skip(problem.line)
    case .success(let moment):
      guard let refusal = merge.refusal(moment, stream: stream) else {
        let isReference = reactor.heap.shapes.isReference(sources[index].type)
        return merge.add(value, isReference: isReference, moment, stream: stream)
      }
      sources[index].refuse()
      let text = sources[index].timeText(of: line, codec).map { String(decoding: $0, as: UTF8.self) } ?? ""
      skip(bad(refusal, text, sources[index]))
    }
  }

  private func bad(_ refusal: TimedMerge.Refusal, _ time: String, _ source: InputSource) -> BadLine {
    let message: String
    switch refusal {
    case .tooFar: message = "its time \(time) lies over 146 years from the others"
    case .beforeStart: message = "its time \(time) lies before that of --from"
    case .late(let nanoseconds):
      message =
        "its time \(time) lies \(Double(nanoseconds) / 1e9) s behind an earlier line's, and --late allows "
        + "\(Double(options.late) / 1e9) s"
    }
    var line = BadLine(source: source.name, line: source.lines.lineNumber, column: 0, path: "", message: message)
    if case .late(let nanoseconds) = refusal { line.lateness = nanoseconds }
    return line
  }
}

extension InputSource {
  /// Why a line has no time.
  struct NoTime: Error { var line: BadLine }

  /// When the line that was decoded last happened.
  mutating func time(of line: LineReader.Line, _ codec: Codec) -> Result<CivilMoment, NoTime> {
    guard let text = timeText(of: line, codec), !text.isEmpty else {
      let place = timePattern == nil ? "has no time in" : "has nothing that fits the pattern of its time,"
      return noTime("it \(place) `\(timeField ?? "")`")
    }
    let moment = EventTime.moment(text, fraction: timeFraction, pattern: datePattern)
    if let moment, moment.seconds < CivilMoment.end { return .success(moment) }
    let found = String(decoding: text.prefix(40), as: UTF8.self)
    if moment != nil {
      return noTime(EventTime.notSeconds(found, input, timeField ?? "", isPattern: timePattern != nil))
    }
    let what = timePattern == nil ? "`\(timeField ?? "")`" : "what fits `\(timeField ?? "")`"
    if let datePattern {
      return noTime("\(what) is no moment in \(String(decoding: datePattern, as: UTF8.self)): found '\(found)'")
    }
    let way = EventTime.likelyPattern(found).map { "; a pattern says how it is written: `\(timeField ?? "")(\($0))`" }
    return noTime("\(what) is no moment: expected seconds or 2026-01-02T03:04:05Z, found '\(found)'\(way ?? "")")
  }

  private func noTime(_ message: String) -> Result<CivilMoment, NoTime> {
    .failure(
      NoTime(line: BadLine(source: name, line: lines.lineNumber, column: 0, path: "", message: message)))
  }

  /// The time of the line that was decoded last, as it is written; valid until the next line.
  mutating func timeText(of line: LineReader.Line, _ codec: Codec) -> UnsafeBufferPointer<UInt8>? {
    guard case .text(let range) = line else { return nil }
    if let timePattern { return timePattern.find(in: lines[range]).map { .init(rebasing: lines[range][$0]) } }
    if let timeForm {
      if format != .csv {
        return timeForm.text { path, _ in codec.scalar(at: path, in: lines[range]) }
      }
      let columns = timeForm.columns
      return timeForm.text { _, place in place < columns.count ? csv?.text(ofColumn: columns[place]) : nil }
    }
    if format != .csv { return codec.scalar(at: timePath, in: lines[range]) }
    return timeColumn.flatMap { csv?.text(ofColumn: $0) }
  }
}
