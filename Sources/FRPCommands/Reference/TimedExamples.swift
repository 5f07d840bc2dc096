// Examples of the operators of time, as tests in the language: `frp doc` shows them, and a test runs them.

import FRPBase
import FRPCore

struct TimedExample: Sendable {
  let name: String
  let container: String
  /// What the steps use: inputs, and definitions.
  let program: String
  let steps: [String]
  /// What only the signature of the row has that is meant, of several rows of a name.
  let signature: String?

  init(_ name: String, in container: String, with signature: String? = nil, _ program: String, _ steps: String...) {
    self.name = name
    self.container = container
    self.signature = signature
    self.program = program
    self.steps = steps
  }

  /// The steps with the program they are about, as the reference shows them.
  var shown: String { (program.isEmpty ? "" : program + "\n\n") + steps.joined(separator: "\n") }

  /// A whole program with one test.
  var source: String {
    "\(program)\ntest \"\(name)\" {\n" + steps.map { "  \($0)\n" }.joined() + "}\n"
  }

  static func find(_ row: Builtin) -> TimedExample? {
    let own = all.filter { $0.name == row.name && $0.container == row.container }
    return own.first { $0.signature.map(row.signature.contains) == true } ?? own.first { $0.signature == nil }
  }
}

extension TimedExample {
  static let all: [TimedExample] = time + tasks + sources

  /// Every example of a task performs it on one input, and shows what comes of it.
  private static let tasks: [TimedExample] = [
    task("succeed", "e |> perform(All, n => Task.succeed(n + 1))", "-2------", "-1------"),
    task("fail", #"e |> perform(All, n => Task.fail("no"))"#, "-e------", "-1------"),
    task(
      "fromResult", #"e |> perform(All, n => Task.fromResult(if n > 1 then Ok(n) else Err({message: "small"})))"#,
      "-e-2----",
      "-1-2----"),
    task("after", "e |> perform(All, n => Task.after(200ms, n))", "---1----", "-1------"),
    task(
      "all", "e |> perform(All, n => Task.all([Task.after(200ms, n), Task.after(400ms, n + 1)]) |> Task.map(sum))",
      "-----3--", "-1------"),
    task(
      "race", "e |> perform(All, n => Task.race([Task.after(200ms, n), Task.after(400ms, n + 1)]))", "---1----",
      "-1------"),
    task("map", "e |> perform(All, n => Task.after(200ms, n) |> Task.map(x => x * 2))", "---2----", "-1------"),
    task(
      "andThen", "e |> perform(All, n => Task.after(200ms, n) |> Task.andThen(x => Task.after(200ms, x + 1)))",
      "-----2--", "-1------"),
    task(
      "recover", #"e |> perform(All, n => Task.fail("no") |> Task.recover(_ => Task.succeed(9)))"#, "-9------",
      "-1------"),
    task(
      "retry", #"e |> perform(All, n => Task.after(200ms, n) |> Task.andThen(_ => Task.fail("no")) |> retry(1))"#,
      "-----e--", "-1------"),
    task(
      "retryWith", #"e |> perform(All, n => Task.fail("no") |> retryWith(k => if k < 3 then Some(200ms) else None))"#,
      "-----e--", "-1------"),
    task("timeout", "e |> perform(All, n => Task.after(1s, n) |> timeout(300ms))", "----e---", "-1------"),
    task("await", "e |> perform(All, _ => Task.await(e))", "---2-5--", "-1-2-5--"),
    task("await", with: "(a) -> Bool", "e |> perform(All, n => Task.await(e, m => m > n))", "---2-5--", "-1-2-5--"),
  ]

  private static let sources: [TimedExample] = [
    TimedExample(
      "listen", in: "Event",
      "input e: Event<Int>\nfeed = e |> listen(Latest, n => Source.fromList([(100ms, n), (200ms, n * 2)]))",
      #"given e = "-1---2--" every 100ms"#, #"expect feed.items == "--1-2-2-" every 100ms"#,
      "expect feed.state at 250ms == Open", "expect feed.state at 450ms == Idle"),
    source("fromList", "Source.fromList([(100ms, n), (200ms, n + 1)])", "--1-2---"),
    source("lane", "Source.lane([(100ms, n), (0s, n + 1)])", "--[12]-----"),
    source("fail", #"Source.fail("no")"#, "--------"),
    source("map", "Source.fromList([(100ms, n)]) |> Source.map(x => x + 3)", "--4-----"),
    source(
      "filterMap",
      "Source.fromList([(100ms, n), (100ms, n + 1)]) |> Source.filterMap(x => if x > 1 then Some(x) else None)",
      "---2----"),
    source("reconnect", "Source.fromList([(100ms, n)]) |> reconnect(k => Some(200ms))", "--1--1--"),
  ]

  private static func source(_ name: String, _ body: String, _ expected: String) -> TimedExample {
    TimedExample(
      name, in: "Source", "input e: Event<Int>", #"given e = "-1------" every 100ms"#,
      "expect (e |> listen(All, n => \(body))).items == \"\(expected)\" every 100ms")
  }

  private static func task(
    _ name: String, with signature: String? = nil, _ body: String, _ expected: String, _ given: String
  ) -> TimedExample {
    TimedExample(
      name, in: "Task", with: signature, "input e: Event<Int>", "given e = \"\(given)\" every 100ms",
      "expect (\(body)).results |> map(r => withDefault(r, 0)) == \"\(expected.replacing("e", with: "0"))\" every 100ms"
    )
  }

  private static let time: [TimedExample] = [
    TimedExample(
      "time", in: "Time", "",
      "expect time at 1500ms == 1.5"),
    TimedExample(
      "start", in: "Event", "",
      #"expect start |> map(_ => "s") == "s---" every 100ms"#),
    TimedExample(
      "end", in: "Event", "",
      #"expect end |> map(_ => "e") == "----" every 100ms"#),
    TimedExample(
      "never", in: "Event", "",
      #"expect merge(never, every(100ms)) == "-xxx" every 100ms"#),
    TimedExample(
      "every", in: "Event", "",
      #"expect every(200ms) == "--x-x-x" every 100ms"#),
    TimedExample(
      "every", in: "Date", "",
      #"expect Date.every(200ms) == "--x-x-x" every 100ms"#),
    TimedExample(
      "after", in: "Event", "",
      #"expect after(300ms) == "---x---" every 100ms"#),
    TimedExample(
      "map", in: "Event", "input e: Event<Int>",
      #"given e                   = "-1-2-3"  every 100ms"#,
      #"expect e |> map(n => n * 2) == "-2-4-6" every 100ms"#),
    TimedExample(
      "filter", in: "Event", "input e: Event<Int>",
      #"given e                        = "-1-2-3-4" every 100ms"#,
      #"expect e |> filter(n => n > 2) == "-----3-4" every 100ms"#),
    TimedExample(
      "filterMap", in: "Event", "input e: Event<String>",
      #"given e                  = "-1-x-3" every 100ms"#,
      #"expect e |> filterMap(toInt) == "-1---3" every 100ms"#),
    TimedExample(
      "scan", in: "Event", "input e: Event<Int>",
      #"given e               = "-1-2-3" every 100ms"#,
      #"expect e |> scan(0, (+)) == "-1-3-6" every 100ms"#),
    TimedExample(
      "mapAccum", in: "Event", "input e: Event<Int>",
      #"given e = "-1-2-3" every 100ms"#,
      #"expect e |> mapAccum(0, (sum, n) => (sum + n, "{n} of {sum + n}")) == "-A-B-C" every 100ms with {A: "1 of 1", B: "2 of 3", C: "3 of 6"}"#
    ),
    TimedExample(
      "merge", in: "Event", "input e: Event<String>\ninput f: Event<String>",
      #"given e        = "-a-b----" every 100ms"#,
      #"given f        = "---c-d--" every 100ms"#,
      #"expect merge(e, f) == "-a-[bc]-d--" every 100ms"#),
    TimedExample(
      "take", in: "Event", "input e: Event<String>",
      #"given e         = "-a-b-c" every 100ms"#,
      #"expect e |> take(2) == "-a-b--" every 100ms"#),
    TimedExample(
      "drop", in: "Event", "input e: Event<String>",
      #"given e         = "-a-b-c" every 100ms"#,
      #"expect e |> drop(2) == "-----c" every 100ms"#),
    TimedExample(
      "takeWhile", in: "Event", "input e: Event<Int>",
      #"given e                         = "-1-2-3-1" every 100ms"#,
      #"expect e |> takeWhile(n => n < 3) == "-1-2----" every 100ms"#),
    TimedExample(
      "takeThrough", in: "Event", "input e: Event<Int>",
      #"given e = "-1-2-5-1" every 100ms"#,
      #"expect e |> takeThrough(n => n < 4) == "-1-2-5--" every 100ms"#),
    TimedExample(
      "dropWhile", in: "Event", "input e: Event<Int>",
      #"given e                         = "-1-2-3-1" every 100ms"#,
      #"expect e |> dropWhile(n => n < 3) == "-----3-1" every 100ms"#),
    TimedExample(
      "takeUntil", in: "Event", "input e: Event<String>\ninput stop: Event<Unit>",
      #"given e    = "-a-b-c-d" every 100ms"#,
      #"given stop = "-----x--" every 100ms"#,
      #"expect e |> takeUntil(stop) == "-a-b----" every 100ms"#),
    TimedExample(
      "dropUntil", in: "Event", "input e: Event<String>\ninput go: Event<Unit>",
      #"given e  = "-a-b-c-d" every 100ms"#,
      #"given go = "-----x--" every 100ms"#,
      #"expect e |> dropUntil(go) == "-----c-d" every 100ms"#),
    TimedExample(
      "once", in: "Event", "input e: Event<String>",
      #"given e      = "-a-b-c" every 100ms"#,
      #"expect e |> once == "-a----" every 100ms"#),
    TimedExample(
      "distinct", in: "Event", "input e: Event<String>",
      #"given e          = "-a-a-b-a" every 100ms"#,
      #"expect e |> distinct == "-a---b-a" every 100ms"#),
    TimedExample(
      "pairwise", in: "Event", "input e: Event<Int>",
      #"given e = "-1-3-6" every 100ms"#,
      #"expect e |> pairwise |> map((a, b) => b - a) == "---2-3" every 100ms"#),
    TimedExample(
      "unique", in: "Event", "input e: Event<String>",
      #"given e = "-a-b-a-c" every 100ms"#,
      #"expect e |> unique(x => x) == "-a-b---c" every 100ms"#),
    TimedExample(
      "indexed", in: "Event", "input e: Event<String>",
      #"given e = "-a-b-c" every 100ms"#,
      #"expect e |> indexed |> map((n, _) => n) == "-0-1-2" every 100ms"#),
    TimedExample(
      "zip", in: "Event", "input e: Event<String>\ninput f: Event<String>",
      #"given e = "-a-b-c--" every 100ms"#,
      #"given f = "--x---y-" every 100ms"#,
      #"expect zip(e, f) |> map((a, b) => a ++ b) == "--A---B-" every 100ms with {A: "ax", B: "by"}"#),
    TimedExample(
      "zip", in: "Event", with: "Event<(a, b, c)>",
      "input e: Event<String>\ninput f: Event<String>\ninput g: Event<Int>",
      #"given e = "-a-b-c--" every 100ms"#,
      #"given f = "--x---y-" every 100ms"#,
      #"given g = "---1-2--" every 100ms"#,
      #"expect zip(e, f, g) |> map((a, b, n) => "{a}{b}{n}") == "---A--B-" every 100ms with {A: "ax1", B: "by2"}"#),
    TimedExample(
      "zip", in: "Event", with: "Event<(a, b, c, d)>",
      "input e: Event<String>\ninput f: Event<String>\ninput g: Event<Int>",
      #"given e = "-a-b-c--" every 100ms"#,
      #"given f = "--x---y-" every 100ms"#,
      #"given g = "---1-2--" every 100ms"#,
      #"expect zip(e, f, g, e) |> map((a, b, n, c) => "{a}{b}{n}{c}") == "---A--B-" every 100ms with {A: "ax1a", B: "by2b"}"#
    ),
    TimedExample(
      "both", in: "Event", "input e: Event<String>\ninput f: Event<String>",
      #"given e = "-a-b-c--" every 100ms"#,
      #"given f = "-x---y-z" every 100ms"#,
      #"expect both(e, f) |> map((a, b) => a ++ b) == "-A---B--" every 100ms with {A: "ax", B: "cy"}"#),
    TimedExample(
      "except", in: "Event", "input e: Event<String>\ninput f: Event<String>",
      #"given e = "-a-b-c--" every 100ms"#,
      #"given f = "-x---y-z" every 100ms"#,
      #"expect except(e, f)  == "---b----" every 100ms"#),
    TimedExample(
      "spill", in: "Event", "input e: Event<Int>",
      #"given e = "-2--3-" every 100ms"#,
      #"expect e |> map(n => 1..n) |> spill == "-[12]--[123]-" every 100ms"#),
    TimedExample(
      "coalesce", in: "Event", "input e: Event<Int>",
      #"given e = "-[123]--4-" every 100ms"#,
      #"expect e |> coalesce((+)) == "-6--4-" every 100ms"#),
    TimedExample(
      "buffer", in: "Event", "input e: Event<String>",
      #"given e = "-a-b-c-d" every 100ms"#,
      #"expect e |> buffer(2) |> map(xs => join(xs, "")) == "---A---B" every 100ms with {A: "ab", B: "cd"}"#),
    TimedExample(
      "buffer", in: "Event", with: "=Int, =Int", "input e: Event<String>",
      #"given e = "-a-b-c-d" every 100ms"#,
      #"expect e |> buffer(2, 1) |> map(xs => join(xs, "")) == "---A-B-C" every 100ms with {A: "ab", B: "bc", C: "cd"}"#
    ),
    TimedExample(
      "batch", in: "Event", "input e: Event<String>",
      #"given e = "ab-c-d--" every 100ms"#,
      #"expect e |> batch(every(300ms)) |> map(xs => join(xs, "")) == "---A--B-" every 100ms with {A: "ab", B: "cd"}"#),
    TimedExample(
      "bufferUntil", in: "Event", "input e: Event<String>",
      #"given e = "ab.-c-d." every 100ms"#,
      #"expect e |> bufferUntil(e |> filter(c => c == ".")) |> map(xs => join(xs, "")) == "--A----B" every 100ms with {A: "ab.", B: "cd."}"#
    ),
    TimedExample(
      "partition", in: "Event", "input e: Event<Int>\n(big, small) = e |> partition(n => n > 4)",
      #"given e      = "-1-7-3-9" every 100ms"#,
      #"expect big   == "---7---9" every 100ms"#,
      #"expect small == "-1---3--" every 100ms"#),
    TimedExample(
      "gate", in: "Event", "input e: Event<String>\ninput open: Behavior<Bool> = false",
      #"given e    = "-a-b-c-d" every 100ms"#,
      #"given open = "--t---f-" every 100ms"#,
      #"expect e |> gate(open) == "---b-c--" every 100ms"#),
    TimedExample(
      "delay", in: "Event", "input e: Event<String>",
      #"given e              = "-a-b----" every 100ms"#,
      #"expect e |> delay(300ms) == "----a-b-" every 100ms"#),
    TimedExample(
      "debounce", in: "Event", "input e: Event<String>",
      #"given e                 = "-ab--c------" every 100ms"#,
      #"expect e |> debounce(300ms) == "-----b--c---" every 100ms"#),
    TimedExample(
      "debounce", in: "Event", with: "(a) -> Event<b>", "input e: Event<String>",
      #"given e = "-ab--c------" every 100ms"#,
      #"expect e |> debounce(x => after(if x == "b" then 200ms else 400ms)) == "----b----c--" every 100ms"#),
    TimedExample(
      "throttle", in: "Event", "input e: Event<String>",
      #"given e                 = "-abcd--e" every 100ms"#,
      #"expect e |> throttle(300ms) == "-a--d--e" every 100ms"#),
    TimedExample(
      "throttle", in: "Event", with: "(a) -> Event<b>", "input e: Event<String>",
      #"given e = "-abcd--e" every 100ms"#,
      #"expect e |> throttle(_ => after(300ms)) == "-a--d--e" every 100ms"#),
    TimedExample(
      "audit", in: "Event", "input e: Event<String>",
      #"given e              = "-abc--d----" every 100ms"#,
      #"expect e |> audit(300ms) == "----c----d-" every 100ms"#),
    TimedExample(
      "audit", in: "Event", with: "(a) -> Event<b>", "input e: Event<String>",
      #"given e = "-abc--d----" every 100ms"#,
      #"expect e |> audit(_ => after(300ms)) == "----c----d-" every 100ms"#),
    TimedExample(
      "window", in: "Event", "input e: Event<String>",
      #"given e                       = "-ab-------" every 100ms"#,
      #"expect e |> window(300ms) |> size == "012-10----" every 100ms"#),
    TimedExample(
      "summary", in: "Event", "input e: Event<Int>",
      #"given e = "-13-2------" every 100ms"#,
      #"expect e |> summary(300ms, n => n, max) |> Option.withDefault(0) == "013--2-0---" every 100ms"#),
    TimedExample(
      "hold", in: "Event", "input e: Event<Int>",
      #"given e           = "--3--5-" every 100ms"#,
      #"expect e |> hold(1) == "1-3--5-" every 100ms"#),
    TimedExample(
      "fold", in: "Event", "input e: Event<Int>",
      #"given e                = "-1-2-3" every 100ms"#,
      #"expect e |> fold(0, (+)) == "01-3-6" every 100ms"#),
    TimedExample(
      "count", in: "Event", "input clicks: Event<Unit>",
      #"given clicks           = "-x-x-x" every 100ms"#,
      #"expect clicks |> count == "01-2-3" every 100ms"#),
    TimedExample(
      "countBy", in: "Event", "input e: Event<String>",
      #"given e = "-a-b-a" every 100ms"#,
      #"expect e |> countBy(x => x) at 500ms == Map.fromList([("a", 2), ("b", 1)])"#),
    TimedExample(
      "sumBy", in: "Event", "input e: Event<{to: String, amount: Int}>",
      #"given e = "-A-B-A" every 100ms with {A: {to: "ann", amount: 2}, B: {to: "bob", amount: 5}}"#,
      #"expect e |> sumBy(x => x.to, x => x.amount) at 500ms == Map.fromList([("ann", 4), ("bob", 5)])"#),
    TimedExample(
      "changes", in: "Behavior", "input b: Behavior<Int> = 1",
      #"given b           = "--3-3-4" every 100ms"#,
      #"expect changes(b) == "--3---4" every 100ms"#),
    TimedExample(
      "updates", in: "Behavior", "input b: Behavior<Int> = 1",
      #"given b           = "--3-3-4" every 100ms"#,
      #"expect updates(b) == "1-3---4" every 100ms"#),
    TimedExample(
      "when", in: "Behavior", "",
      #"expect when(time >= 0.25) == "-----x---" every 50ms"#),
    TimedExample(
      "sample", in: "Behavior", "input e: Event<Int>",
      #"given e = "-1---4--" every 100ms"#,
      #"expect sample(e |> hold(0), every(200ms)) == "--1-1-4-" every 100ms"#),
    TimedExample(
      "integral", in: "Behavior", "",
      "expect integral(time) at 2s == 2.0 ± 0.000001"),
    TimedExample(
      "integralFrom", in: "Behavior", "input reset: Event<Float>",
      #"given reset = "----0--" every 500ms"#,
      "expect integralFrom(1.0, 5.0, reset) at 1s == 6.0 ± 0.000001",
      "expect integralFrom(1.0, 5.0, reset) at 3s == 1.0 ± 0.000001"),
    TimedExample(
      "derivative", in: "Behavior", "",
      "expect derivative(time * time) at 3s == 6.0 ± 0.000001"),
    TimedExample(
      "delay", in: "Behavior", "",
      "expect delay(time, 1s) at 3s == 2.0 ± 0.000001",
      "expect delay(time, 1s) at 500ms == 0.0"),
    TimedExample(
      "switch", in: "Event", "input e: Event<Int>",
      #"given e = "-----3------" every 100ms"#,
      #"expect e |> switch(0, n => every(200ms) |> fold(n, (k, _) => k + 1)) == "0----3-4-5-6" every 100ms"#),
    TimedExample(
      "flatMapLatest", in: "Event", "input e: Event<String>",
      #"given e = "-a--b------" every 100ms"#,
      #"expect e |> flatMapLatest(x => every(200ms) |> map(_ => x)) == "---a--b-b-b" every 100ms"#),
    TimedExample(
      "flatMap", in: "Event", "input e: Event<String>",
      #"given e = "-a---b-----" every 100ms"#,
      #"expect e |> flatMap(x => every(200ms) |> map(_ => x)) == "---a-a-[ab]-[ab]-" every 100ms"#),
    TimedExample(
      "keyed", in: "Event", "input e: Event<String>",
      #"given e = "-a-b-a-b-a" every 100ms"#,
      #"expect e |> keyed(x => x, (_, own) => own |> scan(0, (n, _) => n + 1)) == "-1-1-2-2-3" every 100ms"#),
    TimedExample(
      "keyedUntil", in: "Event", "input e: Event<Int>",
      #"given e = "-1-3-2-5-1" every 100ms"#,
      #"expect e |> keyedUntil(n => n % 2, (_, own) => (own |> scan(0, (n, _) => n + 1), own |> filter(n => n == 5))) == "-1-2-1-3-1" every 100ms"#
    ),
    TimedExample(
      "groupBy", in: "Event", "input e: Event<String>",
      #"given e = "-a-b-a" every 100ms"#,
      #"expect e |> groupBy(x => x, (_, own) => own |> count) |> values |> sum == "01-2-3" every 100ms"#),
    TimedExample(
      "groupUntil", in: "Event", "input e: Event<String>",
      #"given e = "-a-a---a" every 100ms"#,
      #"expect e |> groupUntil(x => x, (_, own) => (count(own), own |> debounce(300ms))) |> values |> sum == "01-2--01" every 100ms"#
    ),
    TimedExample(
      "each", in: "Behavior", "input list: Behavior<List<Int>> = []",
      #"given list = "-A-B-" every 100ms with {A: [1], B: [2, 1]}"#,
      "expect list |> each(n => n, n => n * 10) at 400ms == [20, 10]"),
    TimedExample(
      "perform", in: "Event", "input e: Event<Int>",
      #"given e = "-1---2----" every 100ms"#,
      #"expect (e |> perform(Latest, n => Task.after(200ms, n))).results |> filterMap(ok) == "---1---2--" every 100ms"#),
  ]
}
