import FRP
import Testing

/// `Date.every`, and which moment time 0 is.
struct CalendarTicksTests {
  /// When `ticks` occurs until 200 s, with an occurrence of `e` at 7.25 s.
  private func ticks(_ text: String, epoch: Double) throws -> [String] {
    let run = try Simulation(compiled("input e: Event<Int>\noutput ticks = \(text) |> map(_ => time)"))
    run.epoch = epoch
    try run.record("ticks")
    run.start()
    run.advance(to: 7.25)
    try run.send("1", to: "e")
    run.advance(to: 200)
    return try run.occurrences(of: "ticks").map(\.json)
  }

  @Test func multiplesSince1970() throws {
    // 2026-01-02T03:04:05.5Z
    #expect(try ticks("Date.every(1min)", epoch: 1_767_323_045.5) == ["54.5", "114.5", "174.5"])
    #expect(try ticks("Date.every(1min)", epoch: 0) == ["60.0", "120.0", "180.0"])
    #expect(try ticks("Date.every(1min)", epoch: -30) == ["30.0", "90.0", "150.0"])
    #expect(try ticks("Date.every(24h)", epoch: 86_300) == ["100.0"])
    #expect(try ticks("Date.every(1e12)", epoch: 1_767_323_045.5) == [])
  }

  @Test func groupsTickTogether() throws {
    let inside = "e |> flatMap(_ => Date.every(100s))"
    #expect(try ticks(inside, epoch: 1_767_323_045) == ["55.0", "155.0"])
    #expect(try ticks("e |> flatMap(_ => every(100s))", epoch: 1_767_323_045) == ["107.25"])
    // A tick at the very moment of the scope's start lies before it.
    #expect(try ticks("e |> flatMap(_ => Date.every(50s))", epoch: 42.75) == ["57.25", "107.25", "157.25"])
  }

  @Test func aSnapshotSaysWhichMomentTime0Is() throws {
    let program = try compiled("output minutes = Date.every(1min) |> map(_ => Date.epoch + time)")
    let run = try Simulation(program)
    run.epoch = 1_767_323_045.5
    run.start()
    run.advance(to: 20)
    let snapshot = try Snapshot(bytes: try run.snapshot().bytes)
    let other = try Simulation(program)
    try other.record("minutes")
    try other.restore(snapshot)
    #expect(other.epoch == run.epoch)
    other.advance(to: 100)
    #expect(try other.occurrences(of: "minutes").map(\.json) == ["1767323100.0"])
    #expect(try other.snapshot() != snapshot)
  }
}

private func compiled(_ text: String) throws -> Program {
  let program = Program(Source(name: "test.frp", text: text))
  try #require(!program.hasErrors, "\(program.report)")
  return program
}
