// Runs in simulated time: a trace, or no trace at all (--virtual).

import FRP
import FRPRuntime
import Glibc

extension Runner {
  /// Runs a trace: every line is one instant, at its own time.
  func runTrace(_ descriptor: Int32, name: String) {
    var lines = LineReader(descriptor: descriptor)
    var last: Int64 = 0
    var good = 0
    defer { complaints.addGood(good, of: name) }
    let entry = Codec.TraceLine(reactor.heap)
    let end = options.end.map(Int64.init) ?? Clock.never
    reading: while stop == nil {
      guard let line = lines.next() else {
        if lines.isAtEnd { break }
        waitForInput(descriptor)
        if stop != nil { break }
        if case .failed(let error) = lines.fill() {
          reporter.failure("cannot read `\(name)`: \(SystemError(code: error).message)")
          self.end(with: .wrongUsage)
        }
        continue
      }
      guard let time = read(line, &lines, name, entry) else { continue }
      if time < last {
        skip(
          BadLine(
            source: name, line: lines.lineNumber, column: 0, path: "",
            message: "its `at` lies before that of an earlier line"))
        continue
      }
      good += 1
      if time > end { break reading }
      last = time
      advance(to: time)
      if stop == nil { reactor.send(entry) }
      checkForStop()
    }
    if stop == nil, end != Clock.never { advance(to: end) }
    drainSimulated()
  }

  /// Decodes a line of a trace; nil if there is nothing in it, or it does not fit.
  private func read(
    _ line: LineReader.Line, _ lines: inout LineReader, _ name: String, _ entry: Codec.TraceLine
  ) -> Int64? {
    let number = lines.lineNumber
    guard case .text(let range) = line else {
      skip(BadLine(source: name, line: number, column: 0, path: "", message: "the line is too long"))
      return nil
    }
    let bytes = lines[range]
    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
    let codec = simulation.codec
    let ports = simulation.ports
    do throws(Fault) {
      if try codec.decodeTrace(bytes, ports, into: entry) {
        if let repetition = codec.takeRepetition() { complaints.add(repetition, of: name, line: number) }
        let time = Clock.nanoseconds(entry.time ?? 0)
        if time != Clock.never { return time }
        skip(BadLine(source: name, line: number, column: 0, path: "", message: "its `at` lies beyond 292 years"))
        return nil
      }
    } catch {
      skip(BadLine(source: name, line: number, column: 0, path: "", message: error.text))
      return nil
    }
    skip(BadLine(source: name, line: number, codec.problem))
    return nil
  }

  /// Simulated time without a trace: lines of inputs all happen at 0, one each by turns, then time runs to --for, or for
  /// ever.
  func runSimulated(_ sources: inout [InputSource]) {
    readAll(&sources)
    if stop != nil { return }
    if let end = options.end {
      advance(to: Int64(end))
      return
    }
    if !sources.isEmpty { return drainSimulated() }
    while stop == nil {
      let due = reactor.nextDue?.nanoseconds
      guard let next = [due, nextSample].compactMap({ $0 }).min() else { return }
      advance(to: next)
      closeTime(next)
      takeSamples(through: next)
    }
  }

  /// One line each by turns. What is not a file is waited for, since nothing else tells whose turn it is.
  private func readAll(_ sources: inout [InputSource]) {
    while stop == nil, sources.contains(where: \.isOpen) {
      for index in sources.indices where stop == nil && sources[index].isOpen {
        sources[index].isOpen = takeValue(&sources[index])
      }
    }
  }

  /// Lets the next line happen that says something; false at the end.
  private func takeValue(_ source: inout InputSource) -> Bool {
    while let line = waitForLine(&source) { if take(line, from: &source) { return true } }
    return false
  }

  /// The next line; nil at the end, or if the run must stop.
  private func waitForLine(_ source: inout InputSource) -> LineReader.Line? {
    while true {
      if let line = source.lines.next() { return line }
      if source.lines.isAtEnd { return nil }
      waitForInput(source.lines.descriptor)
      if stop != nil { return nil }
      fill(&source)
    }
  }

  /// Reads a block.
  func fill(_ source: inout InputSource) {
    if case .failed(let error) = source.lines.fill() {
      reporter.failure("cannot read `\(source.name)`: \(SystemError(code: error).message)")
    }
  }

  /// Lets a line happen now; false for a header or a blank line, which say nothing.
  func take(_ line: LineReader.Line, from source: inout InputSource) -> Bool {
    switch source.decode(line, simulation.codec) {
    case .value(let value):
      if let repetition = simulation.codec.takeRepetition() {
        complaints.add(repetition, of: source.name, line: source.lines.lineNumber)
      }
      reactor.send(port: source.port, value)
    case .nothing: return false
    case .bad(let line): skip(line)
    case .fault(let fault):
      skip(BadLine(source: source.name, line: source.lines.lineNumber, column: 0, path: "", message: fault.text))
    }
    checkForStop()
    return true
  }
}
