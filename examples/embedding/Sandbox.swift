// A script by somebody else: it may loop, recurse without end, fill memory or divide by zero. Each of these is a fault
// of one instant, which is undone; the run goes on, and so does the host.

import FRP

@Sendable func sandbox() throws {
  let program = compiled(
    """
    input go: Event<Int>
    forever(n) = if n < 0 then n else forever(n + 1)
    deep(n) = if n == 0 then 0 else 1 + deep(n - 1)
    output n = go |> map(x =>
      if x == 1 then forever(0)
      else if x == 2 then deep(100000000)
      else if x == 3 then size(1..1000000000)
      else if x == 4 then div(1, x - 4)
      else x) |> hold(0)
    """)
  let go = try program.eventInput("go", of: Int.self)
  let n = try program.behavior("n", of: Int.self)
  var limits = Limits()
  limits.stepsPerInstant = 1_000_000
  limits.heapBytes = 16 << 20
  limits.stackWords = 1 << 16
  let run = try Simulation(program, limits: limits)
  run.start()
  for script in 1...4 {
    do throws(SimulationError) {
      try run.send(script, to: go)
      expect("script \(script) was stopped", false, true)
    } catch {
      print("  script \(script): \(error.message)")
    }
    try run.send(10 + script, to: go)
    expect("and the run goes on", try run.value(of: n), 10 + script)
  }
}
