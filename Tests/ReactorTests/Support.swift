// Runs a program's text under simulated time and writes down what it shows: one line an occurrence or change, as
// `1.5 name value`, faults as `1.5 ! definition: text`.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Testing

@testable import FRP

/// One line of a trace: a time in seconds and values as JSON by input.
typealias Line = (at: Double, [(String, String)])

final class Session {
  let plan: Plan
  let reactor: Reactor
  let codec: Codec
  private(set) var lines: [String] = []
  /// Called for each change, after it is written down.
  var onChange: ((Session, String, String) -> Void)?

  init?(_ source: String, limits: Limits = Limits(), collectAlways: Bool = false) {
    let program = Program(Source(name: "test.frp", text: source))
    guard let plan = program.plan else {
      Issue.record("does not compile: \(program.diagnostics.map(\.title))")
      return nil
    }
    self.plan = plan
    reactor = Reactor(plan: plan, limits: limits)
    reactor.heap.collectAlways = collectAlways
    codec = Codec(reactor.heap)
    reactor.observer = { [unowned self] moment, changes in
      for change in changes {
        let name = plan.outputs[change.output].name
        let value = json(change.value, plan.outputs[change.output].type)
        lines.append("\(moment.seconds) \(name) \(value)")
        onChange?(self, name, value)
      }
    }
    reactor.faultObserver = { [unowned self] fault in
      lines.append("\(fault.moment.seconds) ! \(fault.definition): \(fault.fault.text)")
    }
  }

  func json(_ value: Word, _ type: TypeID) -> String {
    var out = StringBuilder()
    do throws(Fault) { try codec.encodeJSON(value, type, to: &out) } catch { return "?" }
    return String(decoding: out.view, as: UTF8.self)
  }

  func send(_ values: [(String, String)]) {
    var list: [(port: Int, value: Word)] = []
    for (name, text) in values {
      guard let port = plan.inputs.firstIndex(where: { $0.name == name }) else {
        Issue.record("no input \(name)")
        return
      }
      var bytes = Array(text.utf8)
      let type = plan.inputs[port].type
      let word = bytes.withUnsafeMutableBufferPointer { buffer -> Word? in
        do throws(Fault) { return try codec.decodeJSON(Bytes(buffer), as: type) } catch { return nil }
      }
      guard let word else {
        Issue.record("\(text) does not fit \(name)")
        return
      }
      list.append((port, word))
    }
    reactor.send(list)
  }

  func at(_ seconds: Double, _ values: (String, String)...) {
    reactor.advance(to: Clock.nanoseconds(seconds))
    if !values.isEmpty { send(values) }
  }

  func advance(to seconds: Double) { reactor.advance(to: Clock.nanoseconds(seconds)) }
}

/// Everything a program shows for a trace; the run ends at `end`, if given, with the last instant if `finishes`.
func shows(
  _ source: String, _ trace: [Line] = [], until end: Double? = nil, finishes: Bool = false,
  collectAlways: Bool = false
) -> [String] {
  guard let session = Session(source, collectAlways: collectAlways) else { return [] }
  session.reactor.start()
  for line in trace {
    session.advance(to: line.at)
    session.send(line.1)
  }
  if let end { session.advance(to: end) }
  if finishes { session.reactor.finish() }
  if let problem = session.reactor.brokenInvariantForTests { Issue.record("\(problem)") }
  return session.lines
}

/// The lines of one output, without its name.
func only(_ name: String, _ lines: [String]) -> [String] {
  lines.compactMap { line in
    let parts = line.split(separator: " ", maxSplits: 2)
    return parts.count == 3 && parts[1] == name ? "\(parts[0]) \(parts[2])" : nil
  }
}

/// Occurrences of a unit or integer input at some times.
func each(_ name: String, _ values: (Double, String)...) -> [Line] { values.map { ($0.0, [(name, $0.1)]) } }
