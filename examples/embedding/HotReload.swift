// An edited file replaces the program of a run. What keeps its name, operators, types and start values goes on with what
// it remembers; the report says so. A text with errors changes nothing.

import FRP

@Sendable func hotReload() throws {
  let before = """
    input clicks: Event<Unit>
    output score = clicks |> fold(0, (n, _) => n + 1)
    output level = every(10s) |> count
    """
  let after = """
    input clicks: Event<Unit>
    output score = clicks |> fold(0, (n, _) => n + 10)
    output level = every(5s) |> count
    output label = "{score} points"
    """
  let program = compiled(before)
  let clicks = try program.eventInput("clicks", of: FrpUnit.self)
  let score = try program.behavior("score", of: Int.self)
  let run = try Simulation(program)
  run.start()
  run.advance(to: 12)
  try run.send(to: clicks)
  try run.send(to: clicks)
  let report = try run.replaceProgram(with: compiled(after))
  expect("report", report.text, "state kept: score · restarted: level (its duration is another)")
  try run.send(to: clicks)
  expect("score, by a handle made before", try run.value(of: score), 12)
  expect("label", try run.value(of: "label"), "\"12 points\"")
  let broken = Program(Source(name: "example.frp", text: "output score = clocks"))
  expect("a broken text is refused", (try? run.replaceProgram(with: broken)) == nil, true)
  expect("and changes nothing", try run.value(of: score), 12)
}
