// A fault undoes its instant as a whole; only what is needed can fault.

import FRPRuntime
import Testing

struct FaultTests {
  @Test func everythingOfTheInstantIsUndone() {
    let lines = shows(
      """
      input e: Event<Int>
      output n = e |> count
      output s = e |> scan(0, (+))
      output p = e |> pairwise
      output t = e |> take(2)
      output d = e |> delay(1s)
      output w = e |> window(10s)
      output b = e |> buffer(2)
      output g = e |> groupBy(x => x, (k, es) => es |> count)
      output f = e |> switch(0, x => x * 10)
      output q = e |> map(x => div(12, x))
      """, each("e", (1, "1"), (2, "0"), (3, "3")), until: 9)
    #expect(lines.filter { $0.hasPrefix("2.0") } == ["2.0 d 1", "2.0 ! q: division by zero"])
    #expect(
      lines.filter { $0.hasPrefix("3.0") } == [
        "3.0 n 2", "3.0 s 4", "3.0 p [1,3]", "3.0 t 3", "3.0 w [1,3]", "3.0 b [1,3]", "3.0 g [[1,1],[3,1]]", "3.0 f 30",
        "3.0 q 4",
      ])
    #expect(only("d", lines) == ["2.0 1", "4.0 3"])
  }

  @Test func whatNobodyNeedsCannotFault() {
    let lines = shows(
      """
      input e: Event<Int>
      n = e |> hold(1)
      hidden = div(10, n)
      unused = e |> map(x => div(1, x - x))
      output safe = if n == 0 then -1 else hidden
      """, each("e", (1, "0"), (2, "5")))
    #expect(lines == ["0.0 safe 10", "1.0 safe -1", "2.0 safe 2"])
  }

  @Test func aFaultInALiftIsOneForTheOutput() {
    let lines = shows(
      "input e: Event<Int>\nn = e |> hold(1)\nratio = div(10, n)\noutput shown = ratio + 1\noutput n",
      each("e", (1, "0"), (2, "5")))
    #expect(lines == ["0.0 shown 11", "0.0 n 1", "1.0 ! ratio: division by zero", "2.0 shown 3", "2.0 n 5"])
  }

  @Test func anEventOperatorThatReadsAFaultFaults() {
    let lines = shows(
      """
      input e: Event<Int>
      input ask: Event<()>
      n = e |> hold(1)
      ratio = div(10, n)
      output safe = if n == 0 then 0 else ratio
      output asked = ask |> map(_ => ratio)
      """, [(1, [("e", "0")]), (2, [("ask", "null")]), (3, [("e", "2")]), (4, [("ask", "null")])])
    #expect(
      lines == ["0.0 safe 10", "1.0 safe 0", "2.0 ! ratio: division by zero", "3.0 safe 5", "4.0 asked 5"])
  }

  @Test func aFaultAtTheStartEndsTheRun() throws {
    let session = try #require(Session("input e: Event<Int>\noutput x = div(1, 0) + count(e)"))
    session.reactor.start()
    session.at(1, ("e", "1"))
    #expect(session.lines == ["0.0 ! x: division by zero"])
    #expect(session.reactor.isOver)
  }

  @Test func timersGoOnAfterAFault() {
    let lines = shows(
      "n = every(1s) |> count\noutput q = every(1s) |> map(_ => div(10, n - 2))", until: 5)
    // The count is undone with the instant, so every later tick finds it as it was.
    #expect(
      lines == [
        "1.0 q -5", "2.0 q -10", "3.0 ! q: division by zero", "4.0 ! q: division by zero", "5.0 ! q: division by zero",
      ])
  }

  @Test func aScopeThatWasToGoIsRevived() {
    let lines = shows(
      """
      input e: Event<Int>
      input k: Event<()>
      output s = e |> switch(0, x => count(k) + x * 10)
      output q = e |> map(x => div(12, x))
      """,
      [(1, [("e", "1")]), (2, [("k", "null")]), (3, [("e", "0")]), (4, [("k", "null")]), (5, [("e", "2")])])
    #expect(only("s", lines) == ["0.0 0", "1.0 10", "2.0 11", "4.0 12", "5.0 20"])
  }

  @Test func anEndlessComputationIsStopped() throws {
    var limits = Limits()
    limits.stepsPerInstant = 100_000
    let session = try #require(
      Session(
        "input e: Event<Int>\nloop(n: Int): Int = if n < 0 then 0 else loop(n + 1 - 1)\noutput x = e |> map(n => loop(n))",
        limits: limits))
    session.reactor.start()
    session.at(1, ("e", "1"))
    session.at(2, ("e", "-1"))
    #expect(session.lines.count == 2)
    #expect(session.lines.first?.contains("step limit") == true)
    #expect(session.lines.last == "2.0 x 0")
  }

  @Test func tooManyOccurrencesAreAFault() throws {
    var limits = Limits()
    limits.occurrencesPerInstant = 5000
    let session = try #require(
      Session("input e: Event<Int>\noutput n = e |> map(x => 1..x) |> spill |> count", limits: limits))
    session.reactor.start()
    session.at(1, ("e", "100000"))
    session.at(2, ("e", "10"))
    #expect(session.lines.first == "0.0 n 0")
    #expect(session.lines[1].contains("limit of occurrences"))
    #expect(session.lines.last == "2.0 n 10")
  }

  /// A timeout that is due in an instant which uses up its steps has steps of its own, for what the task does then.
  @Test func aTimeoutInAnExhaustedInstantGoesOn() throws {
    var limits = Limits()
    limits.stepsPerInstant = 100_000
    let session = try #require(
      Session(
        """
        input e: Event<Int>
        loop(n: Int): Int = if n < 0 then 0 else loop(n + 1 - 1)
        wait(n: Int, k: Int): Option<Float> =
          if k > 0 then wait(n, k - 1) else if n < 2 then Some(500ms) else None
        task = e |> perform(All, x => Task.after(10s, x) |> Task.timeout(1s) |> Task.retryWith(n => wait(n, 10000)))
        output r = task.results |> map(x => match x { Ok(_) => "ok"; Err(e) => e.message })
        output x = every(2s) |> scan(0, (n, _) => n + 1) |> map(n => loop(n))
        """, limits: limits))
    session.reactor.start()
    session.at(1, ("e", "1"))
    session.advance(to: 5)
    #expect(session.lines.contains { $0.hasPrefix("2.0 !") && $0.contains("step limit") })
    #expect(only("r", session.lines) == ["3.5 \"timeout after 1.0 s\""])
  }

  /// It has them, too, where the function of another task uses them up before the timeouts are looked at.
  @Test func aTimeoutBesideATaskThatUsesUpTheStepsGoesOn() throws {
    var limits = Limits()
    limits.stepsPerInstant = 100_000
    let session = try #require(
      Session(
        """
        input e: Event<Int>
        loop(n: Int): Int = if n < 0 then 0 else loop(n + 1 - 1)
        task = e |> perform(All, x =>
          Task.after(10s, x) |> Task.timeout(1s) |> Task.retryWith(n => if n < 2 then Some(500ms) else None))
        other = e |> perform(All, x => Task.after(1s, x) |> Task.map(x => loop(x)))
        output r = task.results |> map(x => match x { Ok(_) => "ok"; Err(e) => e.message })
        output others = other.results |> map(_ => "over")
        """, limits: limits))
    session.reactor.start()
    session.at(1, ("e", "1"))
    session.advance(to: 5)
    #expect(session.lines.contains { $0.hasPrefix("2.0 !") && $0.contains("step limit") })
    #expect(only("r", session.lines) == ["3.5 \"timeout after 1.0 s\""])
    #expect(only("others", session.lines).isEmpty)
  }
}
