// A test of code around a live session, without waiting: the clock stands still until it is told to go on, and comes back
// when everything that was due has happened.

import FRP

@Sendable func virtualClock() async throws {
  let program = compiled(
    """
    input typed: Event<String>
    output searches = typed |> debounce(300ms)
    output found = searches |> count
    """)
  let typed = try program.eventInput("typed", of: String.self)
  let searches = try program.events("searches", of: String.self)
  let count = try program.behavior("found", of: Int.self)
  let clock = VirtualClock()
  let session = try Session(program, clock: clock)
  let running = Task { try await session.run() }
  let stream = await session.occurrences(of: searches)
  await clock.waiters(1)
  for text in ["f", "fr", "frp"] {
    try await session.send(text, to: typed)
    await clock.advance(by: .milliseconds(100))
  }
  expect("searches while typing", try await session.value(of: count), 0)
  await clock.advance(by: .seconds(1))
  expect("searches afterwards", try await session.value(of: count), 1)
  await session.close()
  var seen: [TimedValue<String>] = []
  for await search in stream { seen.append(search) }
  expect("what was searched", seen, [TimedValue("frp", at: 0.5)])
  _ = try? await running.value
}
