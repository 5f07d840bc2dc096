// Bytes as a snapshot: refused, or taken by the program they are of. What is taken can be run and makes a snapshot again.

import FRP
import FRPDifferential
import FRPRuntime

enum SnapshotFuzz {
  private static let program = Program(
    Source(
      name: "a.frp",
      text: """
        type Shape = Circle(Float) | Rect(w: Float, h: Float) | Nil
        input n: Event<Int>
        input s: Event<String>
        input b: Behavior<Float> = 1.5
        input r: Event<{x: Int, y: Option<String>}>
        input sh: Event<Shape>
        output total = n |> fold(0, (a, x) => a + x)
        output last = s |> hold("")
        output rec = r |> hold({x: 1, y: None})
        output m = s |> groupBy(x => x, (k, es) => es |> count)
        output w = window(n, 2s)
        output i = integral(b)
        output sw = switch(n, 0, k => every(100ms) |> count)
        output z = zip(n, s)
        output d = delay(n, 1s)
        output hits = when(i > 5.0)
        output shape = sh |> hold(Nil)
        output q = (s |> perform(Queue, x => Task.after(1s, x))).results |> filterMap(ok)
        output fl = n |> flatMap(k => every(300ms) |> take(3) |> map(_ => k))

        """))

  /// A run that remembers something of everything.
  static let valid: [UInt8] = {
    guard let run = try? Simulation(program) else { return [] }
    run.start()
    for number in 1...4 {
      run.advance(by: 0.25)
      try? run.send("\(number)", to: "n")
      try? run.send("\"w\(number)\"", to: "s")
      try? run.send(#"{"x":7,"y":"some"}"#, to: "r")
      try? run.send(#"{"Rect":{"w":1.5,"h":2}}"#, to: "sh")
    }
    return (try? run.snapshot().bytes) ?? []
  }()

  /// The bytes as they are; or, if they begin with 0, as changes of a valid snapshot: a place (two bytes), a byte; or, if
  /// they begin with 1, as choices of changes that keep the form and make the hash right again.
  static func problem(_ bytes: [UInt8]) -> String? {
    var image = bytes
    if bytes.first == 0 {
      image = valid
      for start in stride(from: 1, to: bytes.count - 2, by: 3) {
        let place = (Int(bytes[start]) << 8 | Int(bytes[start + 1])) % max(1, image.count)
        image[place] = bytes[start + 2]
      }
    } else if bytes.first == 1 {
      var random = Random(choices: Array(bytes.dropFirst()))
      image = Snapshots.changed(valid, &random)
    }
    if image == valid { return nil }
    guard let snapshot = try? Snapshot(bytes: image) else { return nil }
    var limits = Limits()
    limits.stepsPerInstant = 1_000_000
    limits.heapBytes = 64 << 20
    guard let run = try? Simulation(program, limits: limits) else { return "does not compile" }
    guard (try? run.restore(snapshot)) != nil else { return nil }
    for output in program.outputs where !output.isEvent { _ = try? run.value(of: output.name) }
    for _ in 0..<100 where !run.reactor.advanceOnce(to: run.reactor.now.nanoseconds &+ 5_000_000_000) { break }
    try? run.send("77", to: "n")
    try? run.send("\"zz\"", to: "s")
    for output in program.outputs where !output.isEvent { _ = try? run.value(of: output.name) }
    return (try? run.snapshot()) == nil ? "what was restored has no snapshot" : nil
  }
}
