// Runs in simulated time: a trace, or no trace at all (--virtual).

import FRP
import FRPRuntime
import Glibc

extension Runner {
  /// Runs a trace: every line is one instant, at its own time.
  func runTrace(_ descriptor: Int32, name: String) {
    var lines = LineReader(descriptor: descriptor)
    var last: Int64 = 0
    var entry = Codec.TraceLine()
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
      guard let time = read(line, &lines, name, &entry) else { continue }
      if time < last {
        skip(
          BadLine(
            source: name, line: lines.lineNumber, column: 0, path: "",
            message: "its `at` lies before that of an earlier line"))
        continue
      }
      if time > end { break reading }
      last = time
      advance(to: time)
      if stop == nil { reactor.send(entry.entries) }
      checkForStop()
    }
    if stop == nil, end != Clock.never { advance(to: end) }
  }

  /// Decodes a line of a trace; nil if there is nothing in it, or it does not fit.
  private func read(
    _ line: LineReader.Line, _ lines: inout LineReader, _ name: String, _ entry: inout Codec.TraceLine
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
      if try codec.decodeTrace(bytes, ports, into: &entry) {
        let time = Clock.nanoseconds(entry.time ?? 0)
        if time != Clock.never { return time }
        skip(BadLine(source: name, line: number, column: 0, path: "", message: "its `at` lies beyond 292 years"))
        return nil
      }
    } catch {
      skip(BadLine(source: name, line: number, column: 0, path: "", message: error.text))
      return nil
    }
    let problem = codec.problem
    skip(
      BadLine(
        source: name, line: number, column: problem?.column ?? 1, path: problem?.path ?? "",
        message: problem?.message ?? "does not fit"))
    return nil
  }

  /// Simulated time without a trace: lines of inputs all happen at 0, then time runs to --for, or for ever.
  func runSimulated(_ sources: inout [InputSource]) {
    for index in sources.indices { readAll(&sources[index]) }
    if stop != nil { return }
    if let end = options.end {
      advance(to: Int64(end))
      return
    }
    if !sources.isEmpty { return }
    while stop == nil {
      let due = reactor.nextDue?.nanoseconds
      guard let next = [due, nextSample].compactMap({ $0 }).min() else { return }
      advance(to: next)
      takeSamples(through: next)
    }
  }

  private func readAll(_ source: inout InputSource) {
    while stop == nil {
      guard let result = source.next(simulation.codec) else {
        if source.lines.isAtEnd { return }
        waitForInput(source.lines.descriptor)
        if stop != nil { return }
        _ = source.lines.fill()
        continue
      }
      take(result, from: source)
      checkForStop()
    }
  }

  /// Lets a decoded line happen now.
  func take(_ result: LineResult, from source: InputSource) {
    switch result {
    case .value(let value): reactor.send(port: source.port, value)
    case .nothing: break
    case .bad(let line): skip(line)
    case .fault(let fault):
      skip(BadLine(source: source.name, line: source.lines.lineNumber, column: 0, path: "", message: fault.text))
    }
  }
}
