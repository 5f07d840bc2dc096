// A server: one program, compiled once, and a run of it for each of a thousand clients. Runs share nothing that changes,
// so they go on in parallel without locks. What each may use is bounded.

import FRP

@Sendable func thousandSessions() async throws {
  let program = compiled(
    """
    input amount: Event<Int>
    output balance = amount |> fold(0, (+))
    output warning = changes(balance) |> filter(b => b < 0)
    """)
  let amount = try program.eventInput("amount", of: Int.self)
  let balance = try program.behavior("balance", of: Int.self)
  var limits = Limits()
  limits.stackWords = 1 << 14
  limits.heapBytes = 1 << 22
  let small = limits
  let total = try await withThrowingTaskGroup(of: Int.self) { group in
    for client in 1...1000 {
      group.addTask {
        let run = try Simulation(program, limits: small)
        run.start()
        for value in 1...10 { try run.send(client * value, to: amount) }
        return try run.value(of: balance)
      }
    }
    return try await group.reduce(0, +)
  }
  expect("all balances", total, 55 * 500_500)
}
