// A server: one program, compiled once, and a session of it for each of a thousand clients. Sessions share nothing that
// changes, so they go on in parallel without locks; what each may use is bounded; and what a client leaves behind when it
// goes is nothing.

import FRP

let program = Program(
  Source(
    name: "account.frp",
    text: """
      input amount: Event<Int>
      output balance = amount |> fold(0, (+))
      output overdrawn = changes(balance) |> filter(b => b < 0)
      """))
let amount = try program.eventInput("amount", of: Int.self)
let balance = try program.behavior("balance", of: Int.self)
let overdrawn = try program.events("overdrawn", of: Int.self)

@Sendable func serve(client: Int, limits: Limits) async throws -> (balance: Int, warnings: Int) {
  let session = try Session(program, limits: limits)
  let warnings = await session.occurrences(of: overdrawn, buffering: .newest(8))
  let transfers = AsyncStream { continuation in
    for transfer in 1...20 { continuation.yield(transfer % 5 == 0 ? -3 * transfer : client % 7) }
    continuation.finish()
  }
  try await session.feed(transfers, to: amount)
  let last = try await session.value(of: balance)
  await session.close()
  var count = 0
  for await _ in warnings { count += 1 }
  return (last, count)
}

var limits = Limits()
limits.stackWords = 1 << 14
limits.heapBytes = 4 << 20
limits.stepsPerInstant = 100_000
let small = limits

// A thousand clients come at once, and go; so many times, if the command line says a number.
let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
for _ in 0..<rounds {
  var total = 0
  var warnings = 0
  try await withThrowingTaskGroup { group in
    for client in 1...1000 { group.addTask { try await serve(client: client, limits: small) } }
    for try await served in group {
      total += served.balance
      warnings += served.warnings
    }
  }
  print("1000 sessions, balance \(total), warnings \(warnings)")
}
