// The boundaries of operators that wait, as section 6 of the language fixes them.

import FRPRuntime
import Testing

struct TimedTests {
  @Test func takeUntilAndDropUntilShareTheStream() {
    let lines = shows(
      """
      input e: Event<Int>
      input stop: Event<()>
      output before = e |> takeUntil(stop)
      output since = e |> dropUntil(stop)
      """, [(1, [("e", "1")]), (2, [("e", "2"), ("stop", "null")]), (3, [("e", "3")])])
    #expect(lines == ["1.0 before 1", "2.0 since 2", "3.0 since 3"])
  }

  @Test func debounceIsNotStoppedByItsOwnInstant() {
    // The ticks come every second, the timer runs a second: both in one instant.
    let lines = shows("output d = every(1s) |> take(3) |> debounce(1s)", until: 9)
    #expect(lines == ["2.0 d null", "3.0 d null", "4.0 d null"])
  }

  @Test func debounceTakesTheLastOfAnInstant() {
    let lines = shows(
      "input e: Event<Int>\noutput d = merge(e, e |> map(x => x + 1)) |> debounce(1s)",
      each("e", (1, "1"), (1.5, "5"), (4, "8")), until: 9)
    #expect(lines == ["2.5 d 6", "5.0 d 9"])
  }

  @Test func throttleLetsThroughWhatComesAtD() {
    let lines = shows(
      "input e: Event<Int>\noutput t = e |> throttle(1s)",
      each("e", (1, "1"), (1.9, "2"), (2, "3"), (2.5, "4"), (3.1, "5")))
    #expect(lines == ["1.0 t 1", "2.0 t 3", "3.1 t 5"])
  }

  @Test func auditOpensAWindowAndGivesTheNewest() {
    let lines = shows(
      "input e: Event<Int>\noutput a = e |> audit(1s)",
      each("e", (1, "1"), (1.5, "2"), (2, "3"), (2.5, "4"), (5, "5")), until: 9)
    // The window of 1 ends at 2, before the input of 2 opens the next.
    #expect(lines == ["2.0 a 2", "3.0 a 4", "6.0 a 5"])
  }

  @Test func windowIsOpenOnTheLeft() {
    let lines = shows(
      "input e: Event<Int>\noutput w = e |> window(2s)", each("e", (1, "1"), (2, "2"), (3, "3")), until: 9)
    #expect(
      lines == ["0.0 w []", "1.0 w [1]", "2.0 w [1,2]", "3.0 w [2,3]", "4.0 w [3]", "5.0 w []"])
  }

  @Test func delayKeepsOrderAndNumber() {
    let lines = shows(
      "input e: Event<Int>\noutput d = merge(e, e) |> delay(1500ms)", each("e", (1, "1"), (2, "2")), until: 9)
    #expect(lines == ["2.5 d 1", "2.5 d 1", "3.5 d 2", "3.5 d 2"])
  }

  @Test func durationsOfZeroAreTheNextMicroStep() {
    let lines = shows(
      """
      input e: Event<Int>
      n = e |> count
      output d = e |> delay(0s) |> map(x => x * 10 + n)
      output b = e |> debounce(-1s) |> map(x => x * 10 + n)
      output a = e |> audit(0s) |> map(x => x * 10 + n)
      output t = merge(e, e) |> throttle(0s)
      output w = e |> window(0s)
      output f = after(0s) |> map(_ => n)
      """, each("e", (1, "1"), (2, "2")))
    #expect(
      lines == [
        "0.0 w []", "0.0 f 0", "1.0 t 1", "1.0 w [1]", "1.0 d 11", "1.0 b 11", "1.0 a 11", "1.0 w []", "2.0 t 2",
        "2.0 w [2]", "2.0 d 22", "2.0 b 22", "2.0 a 22", "2.0 w []",
      ])
  }

  @Test func everyWithoutADurationIsAFault() {
    #expect(shows("output t = every(0s)") == ["0.0 ! t: 'every' needs a duration above zero"])
  }

  @Test func everyDoesNotDrift() throws {
    let session = try #require(Session("output n = every(100ms) |> count"))
    session.reactor.start()
    session.advance(to: 86_400)
    #expect(session.lines.last == "86400.0 n 864000")
    #expect(session.lines[3] == "0.3 n 3")
  }

  @Test func everyCountsFromItsScope() {
    let lines = shows(
      "input e: Event<Int>\noutput s = e |> switch(0, x => count(every(1s)) + x)", each("e", (0.5, "10"), (3, "20")),
      until: 4.5)
    #expect(lines == ["0.0 s 0", "0.5 s 10", "1.5 s 11", "2.5 s 12", "3.0 s 20", "4.0 s 21"])
  }

  @Test func batchPutsTheTicksInstantIntoTheNextList() {
    let lines = shows(
      """
      input e: Event<Int>
      input tick: Event<()>
      output b = e |> batch(tick)
      """,
      [(1, [("e", "1")]), (2, [("e", "2"), ("tick", "null")]), (3, [("tick", "null")]), (4, [("tick", "null")])])
    #expect(lines == ["2.0 b [1]", "3.0 b [2]", "4.0 b []"])
  }

  @Test func bufferUntilPutsTheEndsInstantIntoTheList() {
    let lines = shows(
      """
      input e: Event<Int>
      input end1: Event<()>
      output b = e |> bufferUntil(merge(end1, end1 |> filter(_ => false)))
      output twice = e |> bufferUntil(merge(end1, end1))
      """,
      [(1, [("e", "1")]), (2, [("e", "2"), ("end1", "null")]), (3, [("end1", "null")]), (4, [("e", "3")])])
    #expect(
      lines == ["2.0 b [1,2]", "2.0 twice [1,2]", "2.0 twice []", "3.0 b []", "3.0 twice []", "3.0 twice []"])
  }

  @Test func groupsEndAfterTheInstantOfTheirEnd() {
    let lines = shows(
      """
      input e: Event<Int>
      output own = e |> groupUntil(x => x % 2, (_, es) => (count(es), es |> filter(x => x > 4)))
      output keys = e |> keyedUntil(x => x % 2, (k, es) => (es |> scan(0, (n, _) => n + 1), es |> filter(x => x > 4)))
      """,
      [(1, [("e", "1")]), (2, [("e", "3")]), (3, [("e", "5")]), (4, [("e", "1")])])
    // The value that the end's instant gives is shown by `keyedUntil`, and by `groupUntil` no more.
    #expect(
      lines == [
        "0.0 own []", "1.0 own [[1,1]]", "1.0 keys 1", "2.0 own [[1,2]]", "2.0 keys 2", "3.0 own []", "3.0 keys 3",
        "4.0 own [[1,1]]", "4.0 keys 1",
      ])
  }

  @Test func groupsEndWithWhatOccursOutsideOfThem() {
    let lines = shows(
      """
      input e: Event<Int>
      input stop: Event<()>
      output own = e |> groupUntil(x => x, (_, es) => (count(es), stop))
      """,
      [(1, [("e", "1")]), (2, [("e", "2"), ("stop", "null")]), (3, [("stop", "null")])])
    #expect(lines == ["0.0 own []", "1.0 own [[1,1]]", "2.0 own [[2,1]]", "3.0 own []"])
  }

  @Test func pausesByAnEventLetPassWhatComesWithTheirEnd() {
    let lines = shows(
      """
      input e: Event<Int>
      input over: Event<()>
      output d = e |> debounce(_ => over)
      output t = e |> throttle(_ => over)
      output a = e |> audit(_ => over)
      """,
      [(1, [("e", "1")]), (2, [("e", "2")]), (3, [("e", "3"), ("over", "null")]), (4, [("over", "null")])])
    #expect(lines == ["1.0 t 1", "3.0 d 2", "3.0 t 3", "3.0 a 2", "4.0 d 3", "4.0 a 3"])
  }

  @Test func updatesBeginWithTheFirstValueOfTheirScope() {
    let lines = shows(
      """
      input e: Event<Int>
      b = e |> hold(7)
      output all = updates(b)
      output inner = e |> flatMap(_ => updates(b))
      output group = e |> keyed(x => x, (_, es) => updates(es |> fold(0, (s, a) => s + a)))
      output first = start |> map(_ => 1) |> hold(0) |> updates
      """,
      [(1, [("e", "1")]), (2, [("e", "2")])])
    #expect(
      lines == [
        "0.0 all 7", "0.0 first 1", "1.0 all 1", "1.0 group 1", "1.0 inner 1", "2.0 all 2", "2.0 inner 2",
        "2.0 group 2",
        "2.0 inner 2",
      ])
  }

  @Test func updatesOfAComparisonAreLocated() {
    #expect(shows("output u = updates(time * 2.0 >= 3.0)", until: 3) == ["0.0 u false", "1.5 u true"])
  }

  @Test func aSummaryIsJoinedOfWhatTheWindowHas() {
    let lines = shows(
      """
      input e: Event<Int>
      output s = e |> summary(2s, x => [x], (a, b) => a ++ b)
      """,
      [(1, [("e", "1")]), (2, [("e", "2")]), (2.5, [("e", "3")]), (4, [("e", "4")])], until: 7)
    // At 3 the first leaves by itself; at 4 the second leaves with what comes.
    #expect(
      lines == [
        "0.0 s null", "1.0 s [1]", "2.0 s [1,2]", "2.5 s [1,2,3]", "3.0 s [2,3]", "4.0 s [3,4]", "4.5 s [4]",
        "6.0 s null",
      ])
  }

  @Test func aSummarysJoinThatFaultsIsTriedAgainWhereItDid() {
    // What is joined anew when the first leaves divides by the limit, which is 0 for a while.
    let lines = shows(
      """
      input e: Event<Int>
      input limit: Behavior<Int> = 1
      output s = e |> summary(10s, x => x, (a, b) => a + b + 0 * div(1, limit))
      """,
      [
        (1, [("e", "1")]), (2, [("e", "2")]), (3, [("e", "3")]), (4, [("e", "4")]), (10.5, [("limit", "0")]),
        (11.5, [("limit", "1")]), (12.5, [("e", "5")]),
      ], until: 20)
    #expect(lines.last == "14.0 s 5" && lines.contains("12.5 s 12"))
  }

  @Test func delayOfABehaviorStartsWithItsFirstValue() {
    let lines = shows(
      "input e: Event<Int>\nb = (e |> hold(5)) * 2\noutput d = delay(b, 1s)",
      each("e", (1, "1"), (1.5, "2"), (1.75, "2"), (4, "7")), until: 9)
    #expect(lines == ["0.0 d 10", "2.0 d 2", "2.5 d 4", "5.0 d 14"])
  }

  @Test func timersOfOneTimeAreOneInstant() {
    let lines = shows("output n = merge(every(1s), every(500ms), after(1s)) |> count", until: 1)
    #expect(lines == ["0.0 n 0", "0.5 n 1", "1.0 n 4"])
  }

  @Test func sumsOfDurationsMeet() {
    let lines = shows(
      "input e: Event<()>\noutput n = merge(e |> delay(300ms), after(1400ms)) |> count", each("e", (1.1, "null")),
      until: 2)
    #expect(lines == ["0.0 n 0", "1.4 n 2"])
  }

  @Test func countingOperators() {
    let lines = shows(
      """
      input e: Event<Int>
      output t = e |> take(2)
      output d = e |> drop(2)
      output b = e |> buffer(2)
      output tw = e |> takeWhile(x => x < 3)
      output dw = e |> dropWhile(x => x < 3)
      output p = e |> pairwise
      output u = e |> distinct
      output z = zip(e |> filter(x => x % 2 == 1), e)
      """, each("e", (1, "1"), (2, "1"), (3, "3"), (4, "2")))
    #expect(only("t", lines) == ["1.0 1", "2.0 1"])
    #expect(only("d", lines) == ["3.0 3", "4.0 2"])
    #expect(only("b", lines) == ["2.0 [1,1]", "4.0 [3,2]"])
    #expect(only("tw", lines) == ["1.0 1", "2.0 1"])
    #expect(only("dw", lines) == ["3.0 3", "4.0 2"])
    #expect(only("p", lines) == ["2.0 [1,1]", "3.0 [1,3]", "4.0 [3,2]"])
    #expect(only("u", lines) == ["1.0 1", "3.0 3", "4.0 2"])
    #expect(only("z", lines) == ["1.0 [1,1]", "2.0 [1,1]", "3.0 [3,3]"])
  }
}
