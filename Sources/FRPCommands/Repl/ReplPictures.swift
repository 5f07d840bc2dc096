// `:sample` and `:plot`: values at regular times, and pictures of numbers over time. See ReplWindow for which time.

import FRP
import FRPBase

/// Samples that are being taken while the session runs.
struct ReplSampling {
  var name: String
  var title: String
  var period: Double
  var next: Double
  var end: Double
}

extension ReplSession {
  /// `EXPR every 100ms for 5s`: values as time goes on, above the prompt; `last 5s` looks back. Where the clock stands,
  /// or nobody watches, the next seconds are simulated.
  func sample(_ text: String) {
    var words = ReplWords(text)
    let ahead = words.takeFor()
    let last = words.takeLength("last")
    let period = words.takeEvery() ?? (ahead ?? last ?? words.takeFor() ?? 5) / 10
    let length = ahead ?? last ?? words.takeFor() ?? 5
    if let wrong = words.wrongLength("sample", "`every` or `for`") { return fail(wrong) }
    guard period > 0, length / period <= 10_000 else { return fail("Write :sample \(words.rest) every 100ms for 5s") }
    advance()
    if last == nil, source.isInteractive, !clock.isPaused, !clock.isVirtual {
      return sampleLive(trimmed(words.rest), period, length)
    }
    guard let window = window(words.rest, ahead: length, last: last) else { return }
    let count = Int(length / period + 1e-9)
    let times = (0...count).map { window.start + Double($0) * period }.filter { $0 <= window.end + 1e-9 }
    let (values, shown) = window.look(times)
    if ReplInterrupt.isPressed { return show("stopped") }
    if live.hasSeenTooMuch { return }
    if window.known.kind == .event {
      return show(shown.map { "  \(seconds($0.time))  \(window.source($0.json))" }.joined(separator: "\n"))
    }
    show(
      zip(times, values).map { time, value in "  \(seconds(time))  \(value.map(window.source) ?? "no value")" }
        .joined(separator: "\n"))
  }

  private func sampleLive(_ text: String, _ period: Double, _ length: Double) {
    if current.name(text) == nil { evaluate(expression: text) }
    live.expression = nil
    guard let known = current.name(text) ?? current.name("it") else { return }
    if known.kind == .event { return fail("\(text) is an event: :log shows its occurrences, :sample is for behaviors") }
    guard known.kind == .behavior || known.kind == .constant else { return }
    let now = simulation?.now ?? clock.now
    live.sampling = ReplSampling(name: known.name, title: text, period: period, next: now, end: now + length + 1e-9)
  }

  /// Takes the sample that is due, at its time.
  func takeSample(_ sampling: ReplSampling) {
    var sampling = sampling
    let text = current.name(sampling.name) == nil ? "no value" : value(sampling.name)
    live.waiting.append((sampling.next, sampling.title, text))
    sampling.next += sampling.period
    live.sampling = sampling.next <= sampling.end ? sampling : nil
  }

  /// `EXPR, … for 10s | last 10s [to FILE.svg]`: numbers as curves, events as marks below them.
  func plot(_ text: String) {
    if text == "--live" || text.hasPrefix("--live ") { return plotLive(trimmed(String(text.dropFirst(6)))) }
    var words = ReplWords(text)
    let path = words.takePath()
    let last = words.takeLength("last")
    let length = words.takeFor()
    let expressions = separated(words.rest)
    if expressions.isEmpty { return fail("plot what? Write :plot time for 5s") }
    if let wrong = words.wrongLength("plot", "`for` or `last`") { return fail(wrong) }
    if let path, !path.hasSuffix(".svg") { return fail("pictures are SVG: write  to \(path.prefix { $0 != "." }).svg") }
    advance()
    var curves: [PlotCurve] = []
    var marks: [PlotMarks] = []
    var frame = (start: 0.0, end: 1.0)
    let columns = path != nil ? 200 : max(4, min(150, console.width(nil)) - 14)
    for expression in expressions {
      guard let window = window(expression, ahead: length, last: last) else { return }
      frame = (window.start, max(window.end, window.start + 1e-6))
      if window.known.kind == .event {
        marks.append(PlotMarks(title: window.title, times: window.look([]).shown.map(\.time)))
        if ReplInterrupt.isPressed { return show("stopped") }
        if live.hasSeenTooMuch { return }
        continue
      }
      let drawn = PlotCurve(window, columns: columns * 2)
      if ReplInterrupt.isPressed { return show("stopped") }
      if live.hasSeenTooMuch { return }
      guard let curve = drawn else {
        return fail("only numbers, truth values and events can be plotted; \(expression) is \(window.known.type)")
      }
      curves.append(curve)
    }
    if let path {
      let picture = SVGPlot(curves: curves, marks: marks, from: frame.start, length: frame.end - frame.start).text
      return writeFile(path, picture) ? show(path) : fail("\(path) cannot be written")
    }
    let canvas = isASCII ? PlotCanvas.ascii : options.canvas
    show(
      Plot(curves: curves, marks: marks, from: frame.start, to: frame.end, columns: columns, canvas: canvas).text)
  }

  /// Whether only ASCII may be drawn.
  var isASCII: Bool { options.canvas == .ascii || console.drawsASCIIOnly }

  /// Parts between commas that stand in no brackets.
  func separated(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    for character in text {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts.map { trimmed($0) }.filter { !$0.isEmpty }
  }

  // MARK: Copies

  /// The session's program with an expression in it, run up to a time; nil if the expression does not check.
  func copy(with expression: String, until time: Double) -> Simulation? {
    let item = ReplItem(names: ["it"], text: "it = " + expression.replacingLineBreaks())
    let program = compiled(current.items.filter { $0.names != ["it"] } + [item], first: [item.text])
    return program.errors.isEmpty ? copy(of: program, until: time) : nil
  }

  /// Another run that goes on from the present state with a program; what is new in it begins now. Where there is no
  /// snapshot, what was pushed is pushed again from the start.
  func copy(of program: ReplProgram, until time: Double) -> Simulation? {
    guard let simulation, let snapshot = try? simulation.snapshot(),
      let copy = newRun(current.program), (try? copy.restore(snapshot)) != nil,
      replace(copy, with: program.program)
    else { return rerun(of: program, until: time) }
    for name in program.names where name.kind == .event { try? copy.record(name.name) }
    copy.passTime(to: time)
    return copy
  }

  /// Gives a copy another program, which ^C can stop; false if it is not taken.
  func replace(_ copy: Simulation, with program: Program) -> Bool {
    ReplInterrupt.guarding(copy) {
      copy.reactorBegins = { ReplInterrupt.watchSteps(of: $0.machine) }
      defer { copy.reactorBegins = nil }
      return (try? copy.replaceProgram(with: program)) != nil
    }
  }

  /// A run of a program from the start, with what was pushed.
  func rerun(of program: ReplProgram, until time: Double) -> Simulation? {
    guard let copy = newRun(program.program) else { return nil }
    for name in program.names where name.kind == .event { try? copy.record(name.name) }
    ReplInterrupt.guarding(copy) {
      copy.reactor.startsWithoutValues = true
      copy.start()
      for event in happened where event.time <= time && !ReplInterrupt.isPressed {
        copy.passTime(to: event.time)
        event.happen(in: copy) { program.name($0)?.isInput == true }
      }
      copy.passTime(to: time)
    }
    return copy
  }
}
