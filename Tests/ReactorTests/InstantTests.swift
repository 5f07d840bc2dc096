// What an instant is: simultaneity, the just-before rule, micro-steps, order of declaration.

import FRPRuntime
import Testing

struct InstantTests {
  @Test func eventOperatorsReadTheValueBefore() {
    let lines = shows(
      "input e: Event<Int>\nn = e |> count\noutput seen = e |> map(x => x * 100 + n)\noutput n",
      each("e", (1, "1"), (2, "2")))
    #expect(lines == ["0.0 n 0", "1.0 seen 100", "1.0 n 1", "2.0 seen 201", "2.0 n 2"])
  }

  @Test func changesShowsTheValueAfter() {
    let lines = shows(
      "input e: Event<Int>\nh = e |> hold(0)\noutput c = changes(h * 2)", each("e", (1, "1"), (2, "1"), (3, "2")))
    #expect(lines == ["1.0 c 2", "3.0 c 4"])
  }

  @Test func whenOfAJumpIsTheNextMicroStep() {
    // It reads the new value of n, because it occurs after the instant that made the condition true.
    let lines = shows(
      "input e: Event<Int>\nn = e |> hold(0)\noutput hit = when(n > 2) |> map(_ => n)\noutput n",
      each("e", (1, "1"), (2, "3"), (3, "4"), (4, "0"), (5, "5")))
    #expect(only("hit", lines) == ["2.0 3", "5.0 5"])
    #expect(lines.filter { $0.hasPrefix("2.0") } == ["2.0 n 3", "2.0 hit 3"])
  }

  @Test func whenDoesNotFireAtTheStartOfItsScope() {
    #expect(shows("input e: Event<Int>\nn = e |> hold(5)\noutput hit = when(n > 2)", each("e", (1, "6"))) == [])
  }

  @Test func severalOccurrencesOfOneInstantKeepTheirOrder() {
    let lines = shows(
      """
      input a: Event<Int>
      input b: Event<Int>
      both = merge(b, a, b |> map(x => x * 10))
      output both
      output last = both |> hold(0)
      output sums = both |> scan(0, (+))
      """, [(1, [("a", "1"), ("b", "2")])])
    #expect(
      lines == [
        "0.0 last 0", "1.0 both 2", "1.0 both 1", "1.0 both 20", "1.0 last 20", "1.0 sums 2", "1.0 sums 3",
        "1.0 sums 23",
      ])
  }

  @Test func anInputTwiceInOneLineOccursTwice() {
    let lines = shows("input a: Event<Int>\noutput a", [(1, [("a", "1"), ("a", "2")])])
    #expect(lines == ["1.0 a 1", "1.0 a 2"])
  }

  @Test func nothingIsShownThatDidNotChange() {
    let lines = shows(
      "input a: Behavior<Int> = 1\noutput parity = a % 2\noutput twice = a + a",
      [(1, [("a", "3")]), (2, [("a", "3")]), (3, [("a", "4")])])
    #expect(
      lines == ["0.0 parity 1", "0.0 twice 2", "1.0 twice 6", "3.0 parity 0", "3.0 twice 8"])
  }

  @Test func startAndEndOccurOnce() {
    let lines = shows(
      "output s = start |> map(_ => 1)\noutput h = start |> map(_ => 7) |> hold(0)\noutput e = end", until: 3,
      finishes: true)
    #expect(lines == ["0.0 s 1", "0.0 h 7", "3.0 e null"])
  }

  @Test func aCycleOfMicroStepsIsAFaultThatNamesIt() {
    let lines = shows(
      "input e: Event<Int>\nspin = merge(e, spin |> delay(0s))\noutput n = spin |> count\noutput other = e",
      each("e", (1, "1"), (2, "2")))
    #expect(lines.contains { $0.hasPrefix("1.0 ! spin: more than 10000 steps") && $0.hasSuffix(": spin") })
    #expect(lines.contains("2.0 other 2"))
  }

  @Test func sendingFromInsideACallbackIsTheNextMicroStep() throws {
    let session = try #require(Session("input e: Event<Int>\noutput n = e |> count\noutput e"))
    session.onChange = { session, name, value in
      if name == "e", value == "1" { session.send([("e", "2")]) }
    }
    session.reactor.start()
    session.at(1, ("e", "1"))
    #expect(session.lines == ["0.0 n 0", "1.0 n 1", "1.0 e 1", "1.0 n 2", "1.0 e 2"])
    #expect(session.reactor.now.step == 1)
  }

  /// What waits for the next micro-step is kept by the collection that comes before it.
  @Test func textsSentFromInsideACallbackAreKept() throws {
    let source = "input e: Event<Int>\ninput t: Event<String>\noutput up = e |> map(x => x + 1)\noutput seen = t"
    let session = try #require(Session(source, collectAlways: true))
    session.onChange = { session, name, value in
      guard name == "up" else { return }
      for count in 1...3 { session.send([("t", "\"\(String(repeating: value, count: 20 * count))\"")]) }
      session.send([("t", "\"the last of four\""), ("e", "-9")])
      session.onChange = nil
    }
    session.reactor.start()
    session.at(1, ("e", "4"))
    let texts = (1...3).map { "1.0 seen \"\(String(repeating: "5", count: 20 * $0))\"" }
    #expect(session.lines == ["1.0 up 5", "1.0 up -8"] + texts + ["1.0 seen \"the last of four\""])
  }

  @Test func collectingAtEveryChanceChangesNothing() {
    let source = """
      input e: Event<String>
      output w = e |> window(2s)
      output h = e |> fold([], (xs, x) => xs ++ [x])
      output d = e |> delay(1s) |> pairwise
      output g = e |> groupBy(x => x, (k, es) => es |> fold(k, (a, b) => a ++ b))
      output s = e |> switch("-", x => e |> map(y => x ++ y) |> hold(x))
      output t = (e |> perform(All, x => Task.after(1s, x ++ "!") |> Task.map(y => [y, x]))).results
      output z = zip(e, e |> delay(500ms))
      """
    let trace = each("e", (1, "\"a\""), (1.25, "\"b\""), (2, "\"a\""), (3.5, "\"c\""))
    let lines = shows(source, trace, until: 9)
    #expect(lines.count > 30)
    #expect(shows(source, trace, until: 9, collectAlways: true) == lines)
  }

  /// Lists of a `buffer` with a step share what they have in common: who goes on from one changes no other, and an instant that is
  /// undone leaves the next list what it would have been.
  @Test(arguments: [false, true]) func listsOfABufferAreWhatTheyAre(_ everywhere: Bool) {
    guard
      let session = Session(
        """
        input e: Event<Int>
        output last = e |> buffer(3, 1)
        output more = e |> buffer(4, 2) |> map(l => (l ++ [0], [0] ++ l, l))
        output texts = e |> map(x => "{x}") |> buffer(2, 1)
        output faults = e |> map(x => div(12, x % 5))
        """, collectAlways: everywhere)
    else { return }
    session.reactor.start()
    for number in 1...12 { session.at(Double(number), ("e", "\(number)")) }
    // What faults never occurred.
    let seen = (1...12).filter { $0 % 5 != 0 }
    var lasts: [String] = []
    var pairs: [String] = []
    var texts: [String] = []
    for (place, number) in seen.enumerated() {
      if place >= 1 { texts.append("\(number).0 [\"\(seen[place - 1])\",\"\(number)\"]") }
      if place >= 2 { lasts.append("\(number).0 [\(seen[place - 2]),\(seen[place - 1]),\(number)]") }
      if place >= 3, place % 2 == 1 {
        let list = seen[place - 3...place].map { "\($0)" }.joined(separator: ",")
        pairs.append("\(number).0 [[\(list),0],[0,\(list)],[\(list)]]")
      }
    }
    #expect(only("last", session.lines) == lasts)
    #expect(only("more", session.lines) == pairs)
    #expect(only("texts", session.lines) == texts)
    #expect(session.lines.filter { $0.contains("!") }.count == 2)
  }
}
