// A script by somebody else: it may loop, recurse without end, fill memory, pile up work or divide by zero. Each of these
// is a fault of one instant, which is undone; the run goes on, and so does the host.

import FRP

let script = Program(
  Source(
    name: "script.frp",
    text: """
      input go: Event<Int>
      forever(n) = if n < 0 then n else forever(n + 1)
      deep(n) = if n == 0 then 0 else 1 + deep(n - 1)
      output n = go |> map(x =>
        if x == 1 then forever(0)
        else if x == 2 then deep(100000000)
        else if x == 3 then size(1..1000000000)
        else if x == 4 then div(1, x - 4)
        else Files.size("/etc/passwd") + x) |> hold(0)
      output waiting = go |> filter(x => x > 100) |> delay(1h) |> count
      """),
  host: [
    // All that it may touch is what it is given.
    HostModule("Files") {
      $0.function("size", "path", help: "Bytes of a file of this script.") { (path: String) throws in
        guard path.hasPrefix("/data/") else { throw FrpError("\(path) is not yours") }
        return 4096
      }
    }
  ])
let go = try script.eventInput("go", of: Int.self)
let n = try script.behavior("n", of: Int.self)

var limits = Limits()
limits.stepsPerInstant = 1_000_000
limits.secondsPerInstant = 2
limits.heapBytes = 16 << 20
limits.stackWords = 1 << 16
limits.queueLength = 1024
let run = try Simulation(script, limits: limits)
run.start()

for value in [1, 2, 3, 4, 5] {
  do {
    try run.send(value, to: go)
  } catch {
    print("\(value): \(error.message)")
  }
}
print("and it still answers: \(try run.value(of: n))")
