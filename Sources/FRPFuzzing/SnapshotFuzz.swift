// Bytes as a snapshot: refused, or taken by the program they are of. What is taken can be run and makes a snapshot again.

import FRP

enum SnapshotFuzz {
  private static let program = Program(
    Source(
      name: "a.frp",
      text: """
        input n: Event<Int>
        input word: Event<String>
        output total = n |> fold(0, (a, b) => a + b)
        output words = word |> scan([], (all, w) => take([w, ...all], 5)) |> hold([])
        output late = word |> delay(2s)
        output calm = n |> debounce(500ms)
        output groups = n |> groupBy(x => x % 3, (k, es) => es |> count)
        output chosen = switch(n, 0, x => word |> count)
        output waiting = (n |> perform(Queue, x => Task.after(1s, x))).busy
        """))

  /// A run that remembers something of everything.
  static let valid: [UInt8] = {
    guard let simulation = try? Simulation(program) else { return [] }
    simulation.start()
    for number in 1...4 {
      simulation.advance(by: 0.25)
      try? simulation.send("\(number)", to: "n")
      try? simulation.send("\"w\(number)\"", to: "word")
    }
    return (try? simulation.snapshot().bytes) ?? []
  }()

  /// The bytes as they are; and, if they begin with 0, as changes of a valid snapshot: a place (two bytes), a byte.
  static func problem(_ bytes: [UInt8]) -> String? {
    var image = bytes
    if bytes.first == 0 {
      image = valid
      for start in stride(from: 1, to: bytes.count - 2, by: 3) {
        let place = (Int(bytes[start]) << 8 | Int(bytes[start + 1])) % max(1, image.count)
        image[place] = bytes[start + 2]
      }
    }
    if image == valid { return nil }
    guard let snapshot = try? Snapshot(bytes: image) else { return nil }
    guard let simulation = try? Simulation(program) else { return "does not compile" }
    guard (try? simulation.restore(snapshot)) != nil else { return nil }
    simulation.advance(by: 5)
    return (try? simulation.snapshot()) == nil ? "what was restored has no snapshot" : nil
  }
}
