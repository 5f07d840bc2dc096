// A view-model: what the user types goes in, what the screen shows comes out. No subscriptions to keep, no bags: the
// program says how everything depends on everything, and the screen observes it for as long as it lives.

import FRP

private let program = compiled(
  """
  input email: Behavior<String> = ""
  input password: Behavior<String> = ""
  input submit: Event<Unit>

  problem = if !contains(email, "@") then Some("this is no address")
    else if size(password) < 8 then Some("8 characters at least")
    else None
  output canSubmit = isNone(problem) && !login.busy
  output hint = withDefault(problem, "")
  login = submit |> filter(_ => canSubmit) |> perform(Ignore, _ => Task.after(1s, "welcome, {email}"))
  output greeting = login.results |> filterMap(ok) |> hold("")
  isNone(x) = match x { None => true; Some(_) => false }
  """)

/// Stands for the labels and buttons of a screen.
private final class Screen {
  var hint = ""
  var isButtonEnabled = false
  var greeting = ""

  func bind(_ run: Simulation) throws {
    run.observe(try program.behavior("hint", of: String.self), while: self) { $0.hint = $1.value }
    run.observe(try program.behavior("canSubmit", of: Bool.self), while: self) { $0.isButtonEnabled = $1.value }
    run.observe(try program.behavior("greeting", of: String.self), while: self) { $0.greeting = $1.value }
  }
}

@Sendable func loginForm() throws {
  let email = try program.behaviorInput("email", of: String.self)
  let password = try program.behaviorInput("password", of: String.self)
  let submit = try program.eventInput("submit", of: FrpUnit.self)
  let run = try Simulation(program)
  let screen = Screen()
  try screen.bind(run)
  run.start()
  expect("hint at first", screen.hint, "this is no address")
  try run.set(email, to: "ada@example.com")
  expect("hint", screen.hint, "8 characters at least")
  try run.set(password, to: "analytical")
  expect("button", screen.isButtonEnabled, true)
  try run.send(to: submit)
  expect("button while it works", screen.isButtonEnabled, false)
  run.advance(by: 1)
  expect("greeting", screen.greeting, "welcome, ada@example.com")
}
