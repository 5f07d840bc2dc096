// Lines of a trace, and texts, into programs that do not change.

import FRP
import FRPBase
import FRPGraph
import FRPRuntime

enum TraceFuzz {
  /// Inputs of every kind of data, and operators of every kind.
  private static let program = Program(
    Source(
      name: "a.frp",
      text: """
        type Shape = Dot | Circle(Float) | Rect(w: Float, h: Float)
        input clicks: Event<Unit>
        input n: Event<Int>
        input word: Event<String>
        input shape: Event<Shape>
        input point: Event<{x: Float, y: Option<Int>}>
        input list: Event<List<Int>>
        input table: Event<Map<String, Int>>
        input level: Behavior<Float> = 1.0
        input flag: Behavior<Bool> = false
        output total = n |> fold(0, (a, b) => a + b)
        output inverse = n |> map(x => 1000 / toFloat(x) + level)
        output words = word |> scan("", (a, b) => take(b ++ a, 20))
        output shapes = shape |> buffer(3)
        output points = point |> distinct |> map(p => (p.x * level, p.y |> withDefault(0)))
        output elements = list |> spill |> filter(x => x % 2 == 0)
        output sorted = list |> map(sort) |> hold([])
        output keys = table |> map(t => (size(t), t |> Map.keys |> join("+")))
        output late = merge(n |> map(toString), word) |> delay(300ms)
        output calm = n |> debounce(200ms)
        output few = n |> throttle(1s)
        output newest = word |> audit(1s)
        output recent = window(n, 2s) |> size
        output flips = changes(flag)
        output high = when(level > 3.0)
        output groups = n |> groupBy(x => x % 4, (k, es) => es |> count)
        output rows = n |> keyed(x => x % 3, (k, es) => es |> map(x => (k, x)))
        output chosen = switch(shape, every(1s) |> count, s => match s { Dot => n |> count; _ => word |> count })
        output second = clicks |> flatMapLatest(_ => clicks |> takeUntil(after(300ms)))
        output done = (n |> perform(Queue, x => if x < 0 then Task.fail("low") else Task.after(100ms, x))).results
        output waiting = (word |> perform(Latest, w => Task.after(1s, w) |> timeout(500ms) |> retry(1))).busy
        output pairs = zip(n, word)
        output batches = n |> batch(every(1s))
        """))

  static func problem(_ bytes: [UInt8]) -> String? { run(program, bytes) }

  /// Everything that takes a text apart.
  private static let texts = Program(
    Source(
      name: "b.frp",
      text: """
        input e: Event<{pattern: String, text: String}>
        output matches = e |> map(r => Regex.matches(r.text, r.pattern))
        output found = e |> map(r => Regex.find(r.text, r.pattern) |> map(.text))
        output all = e |> map(r => Regex.findAll(r.text, r.pattern) |> map(.text))
        output replaced = e |> map(r => Regex.replace(r.text, r.pattern, r.pattern))
        output parts = e |> map(r => Regex.split(r.text, r.pattern))
        output pieces = e |> map(r => split(r.text, r.pattern))
        output joined = e |> map(r => (split(r.text, r.pattern) |> join(r.pattern)) == r.text)
        output numbers = e |> map(r => (toInt(r.text), String.toFloat(r.text)))
        output cased = e |> map(r => (upper(r.text), lower(r.text), trim(r.text)))
        output sized = e |> map(r => (size(r.text), take(r.text, 2), drop(r.text, 2), String.reverse(r.text)))
        output same = e |> map(r => take(r.text, 2) ++ drop(r.text, 2) == r.text)
        output where = e |> map(r => indexOf(r.text, r.pattern))
        output tests = e |> map(r => (contains(r.text, r.pattern), startsWith(r.text, r.pattern)))
        output swapped = e |> map(r => replace(r.text, r.pattern, "<>"))
        decoded(text: String): Result<List<{a: Int, b: Option<String>}>, Error> = Json.decode(text)
        output json = e |> map(r => decoded(r.text) |> map(Json.encode) |> isOk)
        rows(text: String): Result<List<{a: String, b: Float}>, Error> = Csv.decode(text)
        output csv = e |> map(r => rows(r.text) |> map(Csv.encode) |> isOk)
        """))

  /// The pattern and, after a byte 0, the text.
  static func text(_ bytes: [UInt8]) -> String? {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let pattern = String(decoding: parts.first ?? [], as: UTF8.self)
    let text = String(decoding: parts.count > 1 ? parts[1] : [], as: UTF8.self)
    do {
      let simulation = try Simulation(texts, limits: ProgramFuzz.limits)
      for name in ["joined", "same"] { try simulation.record(name) }
      simulation.start()
      // A pattern that is none is a fault.
      try? simulation.send("{\"pattern\":\(jsonString(pattern)),\"text\":\(jsonString(text))}", to: "e")
      for name in ["joined", "same"] where !(name == "joined" && pattern.isEmpty) {
        if try simulation.occurrences(of: name).first?.json == "false" { return "`\(name)` does not hold" }
      }
      return nil
    } catch { return "\(error)" }
  }

  private static func run(_ program: Program, _ bytes: [UInt8]) -> String? {
    let simulation: Simulation
    do { simulation = try Simulation(program, limits: ProgramFuzz.limits) } catch {
      return "does not compile: \(program.diagnostics.map(\.title))"
    }
    for output in program.outputs { try? simulation.record(output.name) }
    simulation.start()
    let line = Codec.TraceLine(simulation.reactor.heap)
    var left = ProgramFuzz.instants
    for text in bytes.split(separator: 0x0A).prefix(50) {
      let result: Result<Bool, Fault> = text.withUnsafeBufferPointer { buffer in
        do throws(Fault) {
          return .success(try simulation.codec.decodeTrace(buffer, simulation.ports, into: line))
        } catch { return .failure(error) }
      }
      guard case .success(let fits) = result else { return nil }
      if !fits {
        if simulation.codec.problem == nil { return "a line that does not fit has no problem" }
        continue
      }
      let time = Clock.nanoseconds(line.time ?? 0)
      if time < simulation.reactor.now.nanoseconds { continue }
      if !ProgramFuzz.advance(simulation.reactor, to: time, &left) { return nil }
      simulation.reactor.send(line)
    }
    for output in program.outputs where !output.isEvent { _ = try? simulation.value(of: output.name) }
    simulation.finish()
    return nil
  }
}
