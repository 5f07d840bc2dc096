// `attempt`: faults as values, where they are computed, and limits that stay faults.

import FRPRuntime
import Testing

struct AttemptTests {
  @Test func aFaultIsAnErrWithItsMessage() {
    let lines = shows(
      """
      input e: Event<Int>
      n = e |> hold(0)
      safe(x) = attempt(x) |> Result.withDefault(-1)
      output b = attempt(div(6, n))
      output o = e |> map(x => safe(div(6, x - 1)))
      """,
      [(1, [("e", "2")]), (2, [("e", "1")])])
    #expect(
      lines == [
        #"0.0 b {"Err":{"message":"division by zero"}}"#, #"1.0 b {"Ok":3}"#, "1.0 o 6", #"2.0 b {"Ok":6}"#, "2.0 o -1",
      ])
  }

  @Test func whatRemembersInItGoesOn() {
    let lines = shows(
      """
      input e: Event<Int>
      output b = attempt(e |> fold(0, (s, x) => s + x) |> (s => div(12, s))) |> Result.withDefault(0)
      """,
      [(1, [("e", "2")]), (2, [("e", "-2")]), (3, [("e", "4")])])
    #expect(lines == ["0.0 b 0", "1.0 b 6", "2.0 b 0", "3.0 b 3"])
  }

  @Test func aParameterThatReachesItIsComputedThere() {
    let lines = shows(
      """
      input e: Event<Int>
      deep(n, x) = if n <= 0 then (match attempt(x) { Ok(v) => v; Err(_) => -1 }) else deep(n - 1, x)
      late(n, x) = deep(n, x)
      output o = e |> map(x => late(x, div(6, x - 3)))
      output both = e |> map(x => { y = div(6, x - 3); if x == 3 then late(1, y) else y })
      """,
      [(1, [("e", "2")]), (2, [("e", "3")]), (3, [("e", "9")])])
    #expect(
      lines == ["1.0 o -6", "1.0 both -6", "2.0 o -1", "2.0 both -1", "3.0 o 1", "3.0 both 1"])
  }

  @Test func aNamedBehaviorThatFaultsIsCaught() {
    let lines = shows(
      """
      input e: Event<Int>
      part = e |> switch(div(1, e |> hold(0)), x => div(6, x))
      output o = attempt(part) |> isOk
      """,
      [(1, [("e", "2")]), (2, [("e", "0")])])
    #expect(lines == ["0.0 o false", "1.0 o true", "2.0 o false"])
  }

  @Test func limitsGoThrough() throws {
    var limits = Limits()
    limits.stepsPerInstant = 10_000
    let session = try #require(
      Session(
        """
        input e: Event<Int>
        spin(n) = if n == 0 then 0 else spin(n - 1)
        output o = e |> map(x => isOk(attempt(spin(x))))
        """, limits: limits))
    session.reactor.start()
    session.send([("e", "3")])
    session.send([("e", "100000")])
    session.send([("e", "4")])
    #expect(session.lines.filter { $0.contains(" o ") } == ["0.0 o true", "0.0 o true"])
    #expect(session.lines.count == 3 && session.lines.contains { $0.hasPrefix("0.0 ! o:") })
  }
}
