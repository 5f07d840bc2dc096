// Tasks: policies, ends, and what cancels them.

import FRPRuntime
import Testing

struct TaskTests {
  private let report =
    "report(r) = match r { Ok(x) => \"ok {x}\"; Err(x) => \"err {x.message}\" }\ninput e: Event<Int>\n"

  private func results(_ task: String, _ trace: [Line], policy: String = "All", until end: Double = 20) -> [String] {
    only(
      "r",
      shows("\(report)output r = (e |> perform(\(policy), n => \(task))).results |> map(report)", trace, until: end))
  }

  @Test func allWaitsForAllAndRaceForOne() {
    #expect(
      results("Task.all([Task.after(1s, n), Task.after(2s, n * 2), Task.succeed(7)])", each("e", (1, "1")))
        == ["3.0 \"ok [1, 2, 7]\""])
    #expect(
      results(
        "Task.all([Task.after(5s, n), Task.after(1s, 0) |> Task.andThen(_ => Task.fail(\"no\"))])", each("e", (1, "1")))
        == ["2.0 \"err no\""])
    #expect(results("Task.race([Task.after(3s, 3), Task.after(2s, n)])", each("e", (1, "1"))) == ["3.0 \"ok 1\""])
    #expect(results("Task.all(1..n |> map(i => Task.after(1s, i)))", each("e", (1, "0"))) == ["1.0 \"ok []\""])
  }

  @Test func retriesAreCounted() {
    #expect(
      results("Task.after(1s, 1) |> Task.andThen(_ => Task.fail(\"no\")) |> Task.retry(2)", each("e", (1, "1")))
        == ["4.0 \"err no\""])
    #expect(
      results(
        "Task.fail(\"no\") |> Task.retryWith(k => if k < 3 then Some(toFloat(k)) else None)", each("e", (1, "1")))
        == ["4.0 \"err no\""])
  }

  @Test func endingBeatsATimeoutAtTheSameTime() {
    #expect(results("Task.after(1s, n) |> Task.timeout(1s)", each("e", (1, "1"))) == ["2.0 \"ok 1\""])
    #expect(
      results("Task.after(1s, n) |> Task.andThen(x => Task.succeed(x + 1)) |> Task.timeout(1s)", each("e", (1, "1")))
        == ["2.0 \"ok 2\""])
    let late = results("Task.after(2s, n) |> Task.timeout(1s)", each("e", (1, "1")))
    #expect(late.count == 1 && late[0].hasPrefix("2.0") && late[0].contains("timeout"))
  }

  @Test func aTaskNeverEndsInTheInstantThatBeganIt() {
    let lines = shows(
      "input e: Event<Int>\nt = e |> perform(Latest, n => Task.succeed(n))\noutput busy = t.busy\noutput r = t.results |> filterMap(ok)",
      each("e", (1, "1")))
    #expect(lines == ["0.0 busy false", "1.0 busy true", "1.0 busy false", "1.0 r 1"])
  }

  @Test func policies() {
    let trace = each("e", (1, "1"), (1.5, "2"), (1.75, "3"), (5, "4"))
    let task = "Task.after(1s, n)"
    #expect(results(task, trace, policy: "Latest") == ["2.75 \"ok 3\"", "6.0 \"ok 4\""])
    #expect(results(task, trace, policy: "All") == ["2.0 \"ok 1\"", "2.5 \"ok 2\"", "2.75 \"ok 3\"", "6.0 \"ok 4\""])
    #expect(results(task, trace, policy: "Queue") == ["2.0 \"ok 1\"", "3.0 \"ok 2\"", "4.0 \"ok 3\"", "6.0 \"ok 4\""])
    #expect(results(task, trace, policy: "Ignore") == ["2.0 \"ok 1\"", "6.0 \"ok 4\""])
  }

  @Test func leavingAScopeCancelsItsTasks() throws {
    let session = try #require(
      Session(
        """
        input e: Event<Int>
        output r = e |> flatMapLatest(x => (every(1s) |> perform(All, _ => Task.after(10s, x))).results) |> filterMap(ok)
        """))
    session.reactor.start()
    session.at(1, ("e", "1"))
    session.advance(to: 5.5)
    #expect(session.reactor.liveTasks == 4)
    session.at(6, ("e", "2"))
    #expect(session.reactor.liveTasks == 0)
    #expect(session.reactor.liveTimers == 1)
    session.advance(to: 17)
    #expect(session.lines == ["17.0 r 2"])
  }

  @Test func aTaskGoesOnWhenItsInstantFaultsElsewhere() {
    let lines = shows(
      """
      input e: Event<Int>
      output r = (e |> perform(All, n => Task.after(1s, n) |> Task.andThen(x => Task.after(1s, x)))).results |> filterMap(ok)
      output q = every(2s) |> map(_ => div(1, 0))
      """, each("e", (1, "5")), until: 3.5)
    #expect(lines == ["2.0 ! q: division by zero", "3.0 r 5"])
  }

  @Test func aFaultInATaskIsItsErr() {
    let lines = shows(
      """
      input e: Event<Int>
      t = e |> perform(Queue, n => Task.after(1s, n) |> Task.map(x => div(6, x)))
      output r = t.results |> map(x => match x { Ok(n) => "{n}"; Err(f) => f.message })
      output busy = t.busy
      """, each("e", (1, "0"), (1.5, "2")), until: 9)
    #expect(only("r", lines) == [#"2.0 "division by zero""#, #"3.0 "3""#])
    #expect(only("busy", lines) == ["0.0 false", "1.0 true", "3.0 false"])
    #expect(!lines.contains { $0.contains(" ! ") })
  }

  /// Each function of a task, at once and later; what comes after it recovers.
  @Test(arguments: [
    "Task.succeed(x) |> Task.map(n => div(6, n))", "Task.succeed(x) |> Task.andThen(n => Task.succeed(div(6, n)))",
    "Task.fail(\"a\") |> Task.recover(_ => Task.succeed(div(6, x)))",
    "Task.fail(\"a\") |> retryWith(n => if div(6, x) > n then Some(0ms) else None)",
    "Task.after(100ms, x) |> Task.map(n => div(6, n))",
    "Task.await(every(100ms), _ => div(6, x) > 0) |> Task.map(_ => 1)",
  ])
  func functionsOfATaskThatFaultFailIt(_ task: String) {
    let lines = shows(
      """
      input e: Event<Int>
      output r = (e |> perform(All, x => \(task) |> Task.recover(f => Task.succeed(size(f.message))))).results |> filterMap(ok)
      """, each("e", (1, "0")), until: 2)
    #expect(lines.count == 1 && lines[0].hasSuffix(" r 16"), "\(lines)")
  }

  @Test func awaitEndsWithTheNextOccurrence() {
    let lines = shows(
      """
      input e: Event<Int>
      input ask: Event<Int>
      asked = ask |> perform(All, n => Task.await(e, x => x % 10 == n) |> timeout(3s))
      output own = asked.results |> filterMap(ok)
      output late = asked.results |> filterMap(r => if isOk(r) then None else Some(()))
      output next = (ask |> perform(Latest, _ => Task.await(e))).results |> filterMap(ok)
      output busy = asked.busy
      """,
      [
        (1, [("ask", "1")]), (2, [("ask", "2"), ("e", "12")]), (2.5, [("e", "21")]), (3, [("e", "22")]),
        (3.5, [("ask", "3")]),
      ], until: 9)
    #expect(only("own", lines) == ["2.5 21", "3.0 22"])
    #expect(only("next", lines) == ["2.5 21"])
    #expect(only("late", lines) == ["6.5 null"])
    #expect(only("busy", lines) == ["0.0 false", "1.0 true", "3.0 false", "3.5 true", "6.5 false"])
  }

  /// Of events that occur in one instant the first of the list counts, whichever the graph shows first.
  @Test func ofAwaitsThatEndTogetherTheFirstCounts() {
    let lines = shows(
      """
      input e: Event<Int>
      a = e |> map(x => x + 100)
      b = a |> map(x => x + 100)
      output ab = (start |> perform(All, _ => Task.race([Task.await(a), Task.await(b)]))).results |> filterMap(ok)
      output ba = (start |> perform(All, _ => Task.race([Task.await(b), Task.await(a)]))).results |> filterMap(ok)
      """, each("e", (1, "1")), until: 2)
    #expect(lines.sorted() == ["1.0 ab 101", "1.0 ba 201"])
  }

  /// A task outlives the scope whose event it awaits, and waits for ever; what is cancelled is forgotten.
  @Test func awaitsInScopesThatGo() throws {
    let session = try #require(
      Session(
        """
        input e: Event<Int>
        inner = e |> switch(Task.await(e), x => Task.await(e |> filter(y => y > x)))
        output r = (e |> perform(All, _ => inner |> timeout(10s))).results |> filterMap(ok)
        output s = e |> flatMapLatest(x => (after(100ms) |> perform(All, _ => Task.await(e))).results) |> filterMap(ok)
        """))
    session.reactor.start()
    for step in 1...2_000 {
      session.advance(to: Double(step))
      session.send([("e", "\(step % 7)")])
    }
    #expect(session.reactor.liveTasks < 50)
    #expect(session.reactor.awaitingTasks < 50)
  }

  /// More tasks fail as they begin than there are micro-steps at one time: the one that is stopped has ended, and the queue goes
  /// on at the next micro-step.
  @Test func aQueueThatWasStoppedGoesOn() {
    let lines = shows(
      """
      input e: Event<Int>
      first = start |> map(_ => 1..10010) |> spill
      jobs = merge(first, e) |> perform(Queue, x =>
        if x > 1 && x < 10010 then Task.succeed(0) |> Task.map(n => div(1, n)) else Task.after(1s, x))
      output r = jobs.results |> filterMap(ok)
      """, each("e", (2, "5")), until: 4)
    #expect(only("r", lines) == ["1.0 1", "2.0 10010"])
    #expect(lines.contains { $0.contains("more than 10000 steps") })
  }

  @Test func limitLetsSoManyRunAtATime() {
    let lines = shows(
      """
      input e: Event<Int>
      p = e |> perform(Limit(2), x => Task.after(1s, x))
      one = e |> perform(Limit(0), x => Task.after(1s, x))
      output o = p.results |> filterMap(ok)
      output busy = p.busy
      output single = one.results |> filterMap(ok) |> count
      """,
      [(0, [("e", "1")]), (0.25, [("e", "2")]), (0.5, [("e", "3")]), (0.75, [("e", "4")])], until: 5)
    // The third begins when the first has ended, the fourth when the second has.
    #expect(
      only("o", lines) == ["1.0 1", "1.25 2", "2.0 3", "2.25 4"]
        && only("busy", lines) == ["0.0 false", "0.0 true", "2.25 false"]
        && only("single", lines) == ["0.0 0", "1.0 1", "2.0 2", "3.0 3", "4.0 4"])
  }
}
