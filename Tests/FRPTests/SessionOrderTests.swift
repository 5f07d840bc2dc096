// Sessions that are run by several tasks, cancelled in the middle of a call, and worked with from the main actor.

import FRPBase
import FRPRuntime
import Synchronization
import Testing

@testable import FRP

private let text = """
  input n: Event<Int>
  output total = n |> fold(0, (+))
  output each = n
  output ticks = every(1s) |> count
  output inverse = n |> map(k => div(12, k)) |> hold(0)
  """

private func compiled() throws -> Program {
  let program = Program(Source(name: "test.frp", text: text))
  try #require(!program.hasErrors, "\(program.report)")
  return program
}

@Suite struct SessionOrderTests {
  /// One runs it; when that is cancelled the other does; both end when it is closed.
  @Test func twoMayRunIt() async throws {
    let program = try compiled()
    let ticks = try program.behavior("ticks", of: Int.self)
    let clock = VirtualClock()
    let session = try Session(program, clock: clock)
    let values = await session.values(of: ticks, buffering: .unbounded)
    let first = Task { try await session.run() }
    await clock.waiters(1)
    let others = (1...3).map { _ in Task { try await session.run() } }
    for _ in 0..<50 { await Task.yield() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await clock.waiters(1)
    await clock.advance(by: .seconds(2))
    var iterator = values.makeAsyncIterator()
    while let item = await iterator.next(), item.value < 2 {}
    others[1].cancel()
    _ = await others[1].result
    await session.close()
    try await others[0].value
    try await others[2].value
    // Who comes too late has nothing to do.
    try await session.run()
  }

  @Test func twoMayRunItOnTheMachinesClock() async throws {
    let session = try Session(try compiled())
    let running = (1...3).map { _ in Task { try await session.run() } }
    for _ in 0..<50 { await Task.yield() }
    await session.close()
    for task in running { try await task.value }
  }

  /// Who is cancelled while a consumer holds the program back has sent nothing.
  @Test func aCancelledSendSendsNothing() async throws {
    let program = try compiled()
    let n = try program.eventInput("n", of: Int.self)
    let each = try program.events("each", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let sequence = await session.occurrences(of: each, buffering: .suspend(2))
    try await session.send(1, to: n)
    try await session.send(10, to: n)
    let held = (1...20).map { _ in
      Task { () -> SimulationError? in
        do throws(SimulationError) {
          try await session.send(100, to: n)
          return nil
        } catch { return error }
      }
    }
    for _ in 0..<50 { await Task.yield() }
    for task in held { task.cancel() }
    for task in held { #expect(await task.value == .cancelled) }
    var iterator = sequence.makeAsyncIterator()
    #expect(await iterator.next()?.value == 1)
    #expect(await iterator.next()?.value == 10)
    try await session.send(5, to: n)
    #expect(await iterator.next()?.value == 5)
    #expect(try await session.value(of: total) == 16)
    await session.close()
    await #expect(throws: SimulationError.isOver) { try await session.send(1, to: n) }
  }

  @Test func faultsComeAsTheyHappen() async throws {
    let program = try compiled()
    let n = try program.eventInput("n", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let all = await session.faults(buffering: .unbounded)
    let few = await session.faults(buffering: .newest(2))
    for value in [0, 1, 0, 2, 0] { try? await session.send(value, to: n) }
    await session.close()
    var codes: [DiagnosticCode] = []
    for await fault in all {
      codes.append(fault.code)
      #expect(program.sources.text(fault.span) == "div(12, k)")
    }
    #expect(codes == [.undefinedValue, .undefinedValue, .undefinedValue])
    var count = 0
    for await _ in few { count += 1 }
    #expect(count == 2)
  }

  @Test @MainActor func theMainActorMayWorkWithTheSimulation() async throws {
    let program = try compiled()
    let n = try program.eventInput("n", of: Int.self)
    let total = try program.behavior("total", of: Int.self)
    let session = try Session(program, clock: VirtualClock())
    let values = [1, 2, 3]
    let shown = try await session.withSimulation { run throws(SimulationError) in
      for value in values { try run.send(value, to: n) }
      return try run.value(of: total)
    }
    #expect(shown == 6)
  }
}
