// A test of code around a live session, without waiting: the clock stands still until it is told to go on, and comes back
// when everything that was due has happened.

import FRP

let program = Program(
  Source(
    name: "search.frp",
    text: """
      input typed: Event<String>
      output searches = typed |> debounce(300ms)
      output found = searches |> count
      """))

/// What an application would have: it feeds a session and logs its searches.
func application(_ session: Session, log: @escaping @Sendable (String) -> Void) async throws {
  let searches = try program.events("searches", of: String.self)
  await session.observe(searches) { log("searched \($0.value) at \($0.time) s") }
}

let typed = try program.eventInput("typed", of: String.self)
let found = try program.behavior("found", of: Int.self)
let clock = VirtualClock()
let session = try Session(program, clock: clock)
let running = Task { try await session.run() }
let (log, continuation) = AsyncStream.makeStream(of: String.self)
try await application(session) { continuation.yield($0) }

await clock.waiters(1)
for text in ["f", "fr", "frp"] {
  try await session.send(text, to: typed)
  await clock.advance(by: .milliseconds(100))
}
print("while typing: \(try await session.value(of: found))")
await clock.advance(by: .seconds(3600))
print("an hour later: \(try await session.value(of: found))")
for await line in log {
  print(line)
  break
}
await session.close()
try await running.value
