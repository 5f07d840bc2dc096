// A view-model: what the user types goes in, what the screen shows comes out, and signing in is a task that the host
// does. No subscriptions to keep, no bags: the program says how everything depends on everything, and the screen observes
// it for as long as it lives. A request that fails is a value; the button works on.

import FRP

let accounts = HostModule("Accounts") {
  $0.task("signIn", "email", "password", help: "Greets who has an account.") { (email: String, password: String) in
    try await Task.sleep(for: .milliseconds(20))  // a server, somewhere
    guard password == "analytical" else { throw FrpError("wrong password") }
    return "welcome, \(email.prefix { $0 != "@" })"
  }
}

let program = Program(
  Source(
    name: "login.frp",
    text: """
      input email: Behavior<String> = ""
      input password: Behavior<String> = ""
      input submit: Event<Unit>

      problem = if !contains(email, "@") then "this is no address"
        else if size(password) < 8 then "8 characters at least"
        else ""
      login = submit |> perform(Ignore, _ => Accounts.signIn(email, password) |> timeout(5s))
      answer = login.results |> map(r => match r { Ok(text) => text; Err(e) => e.message })

      output screen = {
        hint: if login.busy then "one moment" else problem,
        canSubmit: isEmpty(problem) && !login.busy,
        greeting: answer |> hold("")
      }
      """), host: [accounts])

struct ScreenState: FrpCodable {
  var hint, greeting: String
  var canSubmit: Bool
}

/// Stands for the labels and buttons of a screen.
@MainActor final class Screen {
  func show(_ state: ScreenState) {
    print("[\(state.canSubmit ? "Sign in" : "-------")] \(state.hint) \(state.greeting)")
  }
}

let session = try Session(program)
let screen = Screen()
let state = try program.behavior("screen", of: ScreenState.self)
let (shown, last) = AsyncStream.makeStream(of: Void.self)
await session.observe(state, while: screen, buffering: .unbounded) { screen, state in
  await screen.show(state.value)
  if state.value.greeting.hasPrefix("welcome") { last.finish() }
}

let email = try program.behaviorInput("email", of: String.self)
let password = try program.behaviorInput("password", of: String.self)
let submit = try program.eventInput("submit", of: FrpUnit.self)
try await session.set(email, to: "ada@example.com")
for attempt in ["synthetic", "analytical"] {
  try await session.set(password, to: attempt)
  try await session.send(to: submit)
  await session.tasksEnded()
}
for await _ in shown {}
await session.close()
