// Scopes that come and go: what they see, in which order they show, and that nothing is left of them.

import FRPRuntime
import Testing

struct ScopeTests {
  @Test func whatIsMadeSeesOnlyWhatComesAfter() {
    let lines = shows(
      "input e: Event<Int>\noutput f = e |> flatMap(x => e |> map(y => x * 10 + y))",
      each("e", (1, "1"), (2, "2"), (3, "3")))
    #expect(lines == ["2.0 f 12", "3.0 f 13", "3.0 f 23"])
  }

  @Test func theOldOneStillCountsWhenItTurns() {
    let lines = shows(
      "input e: Event<Int>\noutput f = e |> flatMapLatest(x => e |> map(y => x * 10 + y))",
      each("e", (1, "1"), (2, "2"), (3, "3")))
    #expect(lines == ["2.0 f 12", "3.0 f 23"])
  }

  @Test func switchReadsTheOldOneBefore() {
    let lines = shows(
      "input e: Event<Int>\ns = e |> switch(0, x => (e |> hold(7)) + x * 100)\noutput seen = e |> map(_ => s)\noutput s",
      each("e", (1, "1"), (2, "2"), (3, "3")))
    #expect(only("seen", lines) == ["1.0 0", "2.0 107", "3.0 207"])
    #expect(only("s", lines) == ["0.0 0", "1.0 107", "2.0 207", "3.0 307"])
  }

  @Test func aGroupIsHandedTheOccurrenceThatMadeIt() {
    let lines = shows(
      """
      input e: Event<Int>
      input tick: Event<()>
      output k = e |> keyed(x => x % 2, (key, es) => merge(es, tick |> map(_ => 100 + key)))
      output g = e |> groupBy(x => x % 2, (key, es) => es |> fold(0, (+)))
      """,
      [
        (1, [("e", "1"), ("tick", "null")]), (2, [("e", "2"), ("tick", "null")]), (3, [("tick", "null")]),
        (4, [("e", "4"), ("e", "3"), ("e", "6")]),
      ])
    #expect(
      only("k", lines) == ["1.0 1", "2.0 2", "2.0 101", "3.0 101", "3.0 100", "4.0 4", "4.0 6", "4.0 3"])
    #expect(
      only("g", lines) == ["0.0 []", "1.0 [[1,1]]", "2.0 [[0,2],[1,1]]", "4.0 [[0,12],[1,4]]"])
  }

  @Test func aNewGroupReadsWhatIsOutsideAsItWasBefore() {
    let lines = shows(
      """
      input e: Event<Int>
      n = e |> count
      output g = e |> groupBy(x => x, (key, es) => { later = n + 100
        es |> map(_ => later) |> hold(0) })
      """, each("e", (1, "5"), (2, "6"), (3, "5")))
    #expect(lines == ["0.0 g []", "1.0 g [[5,100]]", "2.0 g [[5,100],[6,101]]", "3.0 g [[5,102],[6,101]]"])
  }

  @Test func eachKeepsMembersByKey() {
    let lines = shows(
      """
      input xs: Behavior<List<Int>> = [3]
      input e: Event<()>
      output n = xs |> each(x => x, b => count(e) * 100 + b)
      """,
      [
        (1, [("e", "null")]), (2, [("xs", "[1,3]")]), (3, [("e", "null")]), (4, [("xs", "[3,1]")]),
        (5, [("xs", "[1]")]), (6, [("xs", "[1,3]")]),
      ])
    #expect(
      lines == [
        "0.0 n [3]", "1.0 n [103]", "2.0 n [1,103]", "3.0 n [101,203]", "4.0 n [203,101]", "5.0 n [101]",
        "6.0 n [101,3]",
      ])
  }

  @Test func twoMembersOfOneKeyAreAFault() {
    let lines = shows(
      "input xs: Behavior<List<Int>> = []\noutput n = xs |> each(x => x, b => b + 1)\noutput many = size(xs)",
      [(1, [("xs", "[4,4]")]), (2, [("xs", "[4]")])])
    #expect(
      lines == [
        "0.0 n []", "0.0 many 0", "1.0 ! n: two members of 'each' have the same key, 4", "2.0 n [5]", "2.0 many 1",
      ])
  }

  @Test func aScopeMayCountWhatItSendsOut() {
    // f is fed by its own past only: the inner count is a memory, which is read as it was before.
    let lines = shows(
      """
      input e: Event<Int>
      output f = e |> flatMap(i => { n = f |> count
        e |> map(j => j * 100 + n) })
      """, each("e", (1, "1"), (2, "2"), (3, "3")))
    #expect(lines == ["2.0 f 200", "3.0 f 301", "3.0 f 300"])
  }

  @Test func scopesInScopes() {
    let lines = shows(
      """
      input e: Event<Int>
      input k: Event<Int>
      n = k |> hold(0)
      output s = e |> switch(0, x => k |> switch(x, y => n * 1000 + x * 10 + y))
      """,
      [(1, [("e", "1")]), (2, [("k", "2")]), (3, [("k", "3")]), (4, [("e", "4")]), (5, [("k", "5")])])
    #expect(lines == ["0.0 s 0", "1.0 s 1", "2.0 s 2012", "3.0 s 3013", "4.0 s 4", "5.0 s 5045"])
  }

  @Test func doubleClicksLeaveNothingBehind() throws {
    let session = try #require(
      Session(
        """
        input clicks: Event<()>
        output d = clicks |> flatMap(_ => clicks |> takeUntil(after(300ms)) |> once)
        output l = clicks |> flatMap(_ => after(100ms) |> map(_ => 1))
        """))
    session.reactor.start()
    for n in 1...1000 { session.at(Double(n) * 0.2, ("clicks", "null")) }
    session.advance(to: 300)
    #expect(session.lines.count == 999 + 1000)
    #expect(session.reactor.liveScopes == 1)
    #expect(session.reactor.liveTimers == 0)
  }

  @Test func aMillionSwitchesLeaveNothingBehind() throws {
    let session = try #require(
      Session(
        """
        input e: Event<Int>
        output s = e |> switch(0, n => count(every(1s) |> delay(10ms) |> debounce(1ms)) + n)
        output w = e |> flatMapLatest(n => every(2s) |> window(1s) |> changes |> map(x => size(x) + n))
        """))
    session.reactor.observer = nil
    session.reactor.start()
    var afterWarmUp = (0, 0, 0, 0)
    #if DEBUG
      let count = 20_000
    #else
      let count = 1_000_000
    #endif
    for n in 0..<count {
      if n == 1000 { afterWarmUp = counters(session) }
      session.reactor.advance(to: Int64(n) * 1_000_000)
      session.reactor.send(port: 0, Word(int: n))
    }
    session.reactor.collect()
    let end = counters(session)
    #expect(end.0 == afterWarmUp.0 && end.1 == afterWarmUp.1 && end.2 == afterWarmUp.2)
  }

  private func counters(_ session: Session) -> (Int, Int, Int, Int) {
    let reactor = session.reactor
    return (reactor.liveScopes, reactor.liveTimers, reactor.liveNodes, reactor.liveTasks)
  }

  @Test func keysThatComeAndGoLeaveNothingBehind() throws {
    let session = try #require(
      Session(
        "input xs: Behavior<List<Int>> = []\noutput n = xs |> each(x => x, b => count(every(1s)) + b)"))
    session.reactor.start()
    for n in 0..<3000 { session.at(Double(n) * 0.001, ("xs", "[\(n),\(n + 1)]")) }
    session.at(4, ("xs", "[]"))
    #expect(session.reactor.liveScopes == 1)
    #expect(session.reactor.liveTimers == 0)
    #expect(session.lines.last == "4.0 n []")
  }

  @Test func theLimitOfLiveNodesIsAFaultThatCanBeSurvived() throws {
    var limits = Limits()
    limits.liveNodes = 100
    let session = try #require(
      Session("input e: Event<Int>\noutput f = e |> flatMap(x => e |> map(y => x * y))", limits: limits))
    session.reactor.start()
    for n in 1...150 { session.at(Double(n), ("e", "1")) }
    #expect(session.lines.last?.contains("! f: the limit of live nodes is exhausted") == true)
    #expect(session.reactor.liveNodes <= 100)
  }
}

struct GroupTests {
  @Test func aGroupSeesWhatChangesInTheInstantThatMakesIt() {
    let lines = shows(
      """
      input e: Event<Int>
      input b: Behavior<Int> = 1
      output w = e |> keyed(x => x, (k, es) => when(b > 3) |> map(_ => b + k))
      output c = e |> keyed(x => x, (k, es) => changes(b * 2))
      output d = e |> groupBy(x => x, (k, es) => delay(b, 500ms))
      """, [(1, [("b", "5"), ("e", "1")]), (2, [("b", "0")])], until: 9)
    #expect(only("w", lines) == ["1.0 6"])
    #expect(only("c", lines) == ["1.0 10", "2.0 0"])
    #expect(only("d", lines) == ["0.0 []", "1.0 [[1,1]]", "1.5 [[1,5]]", "2.5 [[1,0]]"])
  }

  @Test func whatAGroupReadsBeforeItsLatePartHasStartedIsThere() {
    // The switch and the each are late: nothing that is shown needs them in the instant.
    let lines = shows(
      """
      input e: Event<Int>
      output k = e |> keyed(x => x % 2, (v, es) => {
        z = sum([v, v + 10] |> each(x => x, m => es |> count))
        when(z > 2) |> map(_ => z * 10 + v)
      })
      output m = e |> groupBy(x => x, (v, es) => {
        z = sum([v, v + 10] |> each(x => x, m => m + 1))
        es |> map(_ => z) |> hold(0)
      })
      """, each("e", (1, "1"), (2, "1"), (3, "1")))
    #expect(only("k", lines) == ["2.0 41"])
    #expect(only("m", lines) == ["0.0 []", "1.0 [[1,14]]"])
  }

  @Test func aBranchThatWasNotTakenKeepsNoScopeAlive() throws {
    let session = try #require(
      Session(
        "input e: Event<Int>\noutput f = e |> flatMap(n => if n > 2 then after(1s) |> map(_ => n) else every(1s) |> take(2) |> map(_ => -n))"
      ))
    session.reactor.start()
    session.at(1, ("e", "1"))
    session.at(1.5, ("e", "3"))
    session.advance(to: 9)
    #expect(session.lines == ["2.0 f -1", "2.5 f 3", "3.0 f -1"])
    #expect(session.reactor.liveScopes == 1)
  }

  @Test func anEachMayRunTwiceInTheFirstInstant() {
    let lines = shows(
      "s = start |> map(_ => 5) |> hold(1)\noutput n = [s, 9] |> each(x => x, v => v + 1)")
    #expect(lines == ["0.0 n [6,10]"])
  }
}
