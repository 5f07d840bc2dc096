// Golden tests of the prompt: a script of entries (`Golden/repl/NAME.repl`) and the transcript it gives (`NAME.out`).
// `FRP_ACCEPT=1 swift test` writes the transcripts; a person reads the difference.

import FRP
import FRPBase
import FRPTestFiles
import Testing

@testable import FRPCommands

private let folder = TestFiles.tests + "/Golden/repl"

/// What a session answers to lines that come from a pipe; each entry is shown before its answer.
private func transcript(_ lines: [String]) -> (text: String, code: ExitCode) {
  onLargeStack {
    let out = Writer()
    var rest = lines[...]
    let source = PlainSource(
      lines: {
        guard let line = rest.popFirst() else { return nil }
        out.writeLine("frp> " + line)
        return line
      }, out: out)
    let session = ReplSession(source, Console(input: -1, out: out, err: out))
    let code = session.run()
    return (out.text, code)
  }
}

@Test(arguments: TestFiles.names(in: folder, ending: ".repl"))
func thePromptAnswers(_ name: String) throws {
  let lines = try #require(TestFiles.read("\(folder)/\(name).repl")).split(separator: "\n").map(String.init)
  let difference = TestFiles.difference(transcript(lines).text, from: "\(folder)/\(name).out")
  #expect(difference == nil)
}

@Test func aSessionThatFailsInAPipeSaysSoByItsExitCode() {
  #expect(transcript(["1 + 1"]).code == .success)
  #expect(transcript(["nope("]).code == .programHasErrors)
  #expect(transcript([":quit", "nope("]).code == .success)
}

/// Of what no other program goes on with: functions, tasks that need some, sources, the past of what is continuous.
private let remembering = [
  ":clock virtual", "input e: Event<Int>",
  "input k: Event<Int> from Source.fromList([(400ms, 1), (400ms, 2), (400ms, 3)]) |> Source.map(n => n * 10)",
  "r = (e |> perform(All, n => Task.after(500ms, n) |> Task.map(m => m + 1))).results |> count",
  "h = e |> map(n => (y => y + n)) |> hold(y => y)", "hv = h(100)", "d = delay(integral(1.0), 300ms)",
  "ks = k |> fold(0, (s, n) => s + n)", "s = e |> fold(0, (s, n) => s + n)", ":step 1s", ":push e 5",
]

@Test(arguments: [
  "1 + 1", "s * 2", "it + 1", "hv + s", "d", "h", "div(1, s - s)", "div(1, 0)", "nope", "x => x + s", "h(3)",
])
func lookingAtThePromptChangesNothing(_ expression: String) {
  let looks = ["s", "hv", "d", "ks", ":step 1s", "r", "d", "hv"]
  let alone = transcript(remembering + looks).text
  let watched = transcript(remembering + [expression, expression] + looks).text
  let last = looks.count * 2
  // The clock has gone on until `:clock virtual` was read.
  func end(_ text: String) -> [String] {
    text.split(separator: "\n").suffix(last).filter { !$0.hasPrefix("t=") }.map { line in
      guard line.hasPrefix("d : "), let value = line.split(separator: " ").last.flatMap({ Double($0) }) else {
        return String(line)
      }
      return "d is \((value * 1e6).rounded() / 1e6)"
    }
  }
  #expect(end(watched) == end(alone))
  #expect(end(alone).contains("hv : Behavior<Int> = 105"))
}

@Test func whatAnExpressionIsIsSnapshot() throws {
  let temporary = TemporaryFolder()
  let file = "\(temporary.path)/s.state"
  let lines = [":clock virtual", "input e: Event<Int>", "s = e |> fold(0, (+))", ":push e 5"]
  let more = ["\"hello\"", ":snapshot \(file)", ":restore \(file)", "s"]
  #expect(transcript(lines + more).text.hasSuffix("s : Behavior<Int> = 5\n"))
  #expect(transcript([":restore \(file)", "s"]).text.hasSuffix("s : Behavior<Int> = 5\n"))
}

@Test(arguments: [
  ("hv + s", ": Behavior<Int> = 110"), ("round(d * 10.0)", ": Behavior<Int> = 7"), ("(hv, s)", "= (105, 5)"),
  ("ks + 1", ": Behavior<Int> = 31"), ("it + it", ": Int = 4"),
])
func whatIsLookedAtIsWhatThereIs(_ expression: String, _ shown: String) {
  let lines = transcript(remembering + ["1 + 1", expression]).text.split(separator: "\n")
  #expect(lines.last?.contains(shown) == true, "\(lines.suffix(3))")
}

@Test func whatADefinitionCostsIsTold() {
  let text = transcript(remembering + ["zz = 1"]).text
  #expect(text.contains("\nrestarted: "))
  for reason in ["d (the past of a continuous behavior is not kept)", "h (it holds functions)", "r (a task was under "]
  {
    #expect(text.contains(reason), "\(reason)")
  }
}

@Test func sinksAndTestsOfAFileAreSavedAsTheyWere() throws {
  let temporary = TemporaryFolder()
  let text = """
    input line: Event<String>
    output told = line |> map(upper) to m => Task.succeed(m)

    test "it is told" {
      given line = "-A-" every 1s with {A: "x"}
      expect told == "-B-" every 1s with {B: "X"}
    }

    """
  TestFiles.write("\(temporary.path)/told.frp", text)
  #expect(transcript([":load \(temporary.path)/told.frp", ":save \(temporary.path)/saved.frp"]).code == .success)
  #expect(TestFiles.read("\(temporary.path)/saved.frp") == text)
}

/// Comments of tests, and in them, stay with their tests; those between definitions stay there. Saved again it is the same.
@Test func commentsOfTestsAreSavedOnce() throws {
  let temporary = TemporaryFolder()
  let path = temporary.path
  TestFiles.write(
    "\(path)/told.frp",
    """
    // What comes in.
    input n: Event<Int>

    // The first test
    // has two lines.
    test "one" {
      // Inside.
      given n = "-1" every 1s
      expect more == "-2" every 1s
    }
    // Above the second.
    test "two" {
      expect more |> hold(0) at 1s == 0
    }

    // In between.

    output more = n |> map(x => x + 1)  // Behind.
    /// The third.
    test "three" {
      expect more |> hold(1) at 1s == 1
    }

    // The end.

    """)
  let saved = """
    // What comes in.
    input n: Event<Int>
    // In between.
    output more = n |> map(x => x + 1)  // Behind.
    // The end.

    // The first test
    // has two lines.
    test "one" {
      // Inside.
      given n = "-1" every 1s
      expect more == "-2" every 1s
    }

    // Above the second.
    test "two" {
      expect more |> hold(0) at 1s == 0
    }

    /// The third.
    test "three" {
      expect more |> hold(1) at 1s == 1
    }

    """
  #expect(transcript([":load \(path)/told.frp", ":save \(path)/saved.frp"]).code == .success)
  #expect(TestFiles.read("\(path)/saved.frp") == saved)
  #expect(transcript([":load \(path)/saved.frp", ":save \(path)/again.frp"]).code == .success)
  #expect(TestFiles.read("\(path)/again.frp") == saved)
  let session = [
    ":clock virtual", ":reset", ":load \(path)/saved.frp", "far = more |> filter(x => x > 1000)", ":step 1s",
    ":push n 3", ":save test \(path)/whole.frp",
  ]
  #expect(transcript(session).code == .success)
  #expect(frp("fmt", "--check", "\(path)/whole.frp", "\(path)/saved.frp").code == 0)
  let whole = try #require(TestFiles.read("\(path)/whole.frp"))
  for comment in ["// Above the second.", "// Inside.", "// The end.", "// In between.", "test \"a session\""] {
    #expect(whole.ranges(of: comment).count == 1, "\(comment) in\n\(whole)")
  }
  #expect(frp("test", "\(path)/whole.frp").code == 0)
}

/// What a file brings when the session begins is the program: it starts there, and nothing that comes later does.
@Test func theProgramOfAFileStartsWithTheSession() throws {
  let temporary = TemporaryFolder()
  let path = try temporary.file(
    """
    output n = merge(start, every(1s)) |> count
    output a = start |> map(_ => 1) |> hold(0)
    r = start |> perform(All, _ => Task.after(1s, "done"))
    output busy = r.busy

    """, "begins.frp")
  let said = frp(
    "repl", path,
    input: ":pause\n:to 3s\nn\na\nlate = start |> map(_ => 1) |> hold(0)\nlate\n:to 4s\nlate\n:load \(path)\nn\n"
  ).out
  for line in ["n : Behavior<Int> = 4", "a : Behavior<Int> = 1", "late : Behavior<Int> = 0"] {
    #expect(said.contains(line + "\n"), "\(said)")
  }
  // At 4 s there has been one tick more, and no other start.
  #expect(said.hasSuffix("n : Behavior<Int> = 5\n"), "\(said)")
  #expect(
    frp("repl", path, input: ":pause\n:to 500ms\nbusy\n:to 2s\nbusy\n").out.hasSuffix(
      "busy : Behavior<Bool> = true\nt=2.0s\nbusy : Behavior<Bool> = false\n"))
  let out = Writer()
  let conversation = ReplProtocol(Console(input: -1, out: out, err: out))
  #expect(conversation.load(path))
  #expect(conversation.answer(#"{"do":"value","name":"a"}"#) == #"{"id":null,"ok":true,"value":1}"#)
}

/// What has occurred as the program started is there for all that looks back, and a saved test expects it.
@Test func theStartOfAFileIsPartOfThePast() throws {
  let temporary = TemporaryFolder()
  let path = try temporary.file(
    "input x: Event<Int>\noutput s = start |> map(_ => 7)\noutput n = merge(s, x) |> count\n", "past.frp")
  let saved = "\(temporary.path)/saved.frp"
  let said = frp(
    "repl", path,
    input: ":pause\n:to 1s\n:push x 1\n:to 2s\n:sample s last 10s\n:back 1500ms\nn\n:undo\nm = n + 1\n:undo\nn\n"
      + ":save test \(saved)\n"
  ).out
  #expect(said.contains("  0.0s  7\n"), "\(said)")
  #expect(said.contains("n : Behavior<Int> = 1\n") && said.contains("n : Behavior<Int> = 2\n"), "\(said)")
  #expect(!said.contains("here:"), "\(said)")
  #expect(frp("test", saved).code == 0)
}

/// A start that faults is undone as any other instant, and told; what has no value yet does not keep it from occurring.
@Test func aStartThatFaultsIsTold() throws {
  let temporary = TemporaryFolder()
  let unset = try temporary.file(
    "input b: Behavior<Int>\noutput c = b + 1\noutput a = start |> map(_ => 1) |> hold(0)\n", "unset.frp")
  let said = frp("repl", unset, input: "a\n:set b 2\nc\n").out
  #expect(said.contains("a : Behavior<Int> = 1\n") && said.contains("c : Behavior<Int> = 3\n"), "\(said)")
  let wrong = try temporary.file(
    "input b: Behavior<Int>\noutput d = start |> map(_ => b) |> hold(0)\n", "wrong.frp")
  let told = frp("repl", wrong, input: "d\n:set b 2\nb\n:reset\n")
  #expect(told.code == 0)
  #expect(told.out.ranges(of: "error[R0105]").count == 2, "\(told.out)")
  #expect(told.out.contains("d : Behavior<Int> = 0\n") && told.out.contains("b : Behavior<Int> = 2\n"), "\(told.out)")
}

@Test func aSessionIsSavedAsATestThatHoldsOrSaysWhatDiffers() throws {
  let temporary = TemporaryFolder()
  let folder = temporary.path
  let session = """
    :clock virtual
    :reset
    input x: Event<Int>
    :step 300ms
    ticks = every(1s)
    (big, small) = x |> partition(v => v > 5)
    n = x |> count
    rare = x |> filter(v => v > 100)
    :step 700ms
    :push x 3
    :step 1s
    :push x 7
    late = x |> count
    :snapshot \(folder)/s.state
    :step 500ms
    :save test \(folder)/whole.frp
    :restore \(folder)/s.state
    :push x 8
    :step 1s
    :save test \(folder)/restored.frp
    """
  let text = transcript(session.split(separator: "\n").map(String.init)).text
  #expect(text.contains("late is 2 in the test and 0 here: it was defined at 2.0s, and begins at 0 there"))
  #expect(text.contains("late is 3 in the test and 1 here: the session went on from :restore"))
  let whole = try #require(TestFiles.read("\(folder)/whole.frp"))
  // The ticks began at 0.3s, and so they do in the test: the first push is 0.7s after that.
  for line in [
    "output big", "output small", "  expect ticks == \"----------x---------x--\" every 100ms",
    "  expect count(rare) at 2300ms == 0", "  expect n at 2300ms == 2",
  ] { #expect(whole.contains(line + "\n"), "\(line) is missing in\n\(whole)") }
  #expect(try #require(TestFiles.read("\(folder)/restored.frp")).contains("given x = \"-378\" every 1s\n"))
}

@Test func whatIsNoDataIsDefinedAndShownByItsType() {
  let session = [
    "s = Source.fromList([(1s, 2.0)])", "s", "type Work = Work((Int) -> Int)",
    "w = Work(x => x)", "?given",
  ]
  let said = transcript(session).text.split(separator: "\n").filter { !$0.hasPrefix("frp> ") }
  #expect(
    said.prefix(5) == [
      "s : Source<Float>", ": Source<Float>", "Work defined", "w : Work",
      "given INPUT = \"LANE\" every DURATION [with {LETTER: VALUE}]",
    ])
}

@Test func pushesAtOneMomentAreInstantsOfTheirOwnInASavedTest() throws {
  let temporary = TemporaryFolder()
  let path = "\(temporary.path)/three.frp"
  let session = [
    ":clock virtual", ":reset", "input e: Event<Int>", "seen = e |> scan(0, (s, v) => s + v)", ":step 1s",
    ":push e 2 x3", ":save test \(path)",
  ]
  #expect(transcript(session).text.contains("times moved to every 1s"))
  let saved = try #require(TestFiles.read(path))
  #expect(
    saved.contains("given e = \"-222\" every 1s\n") && saved.contains("expect seen == \"-246\" every 1s\n"), "\(saved)")
}

@Test func wordsAreCompletedAtTheCursor() {
  let out = Writer()
  let session = ReplSession(PlainSource(lines: { nil }, out: out), Console(input: -1, out: out, err: out))
  session.enter("counter = 3")
  #expect(ReplCompletion.answer("1 + counte * 2", cursor: 10, session).insertion == "r")
  #expect(ReplCompletion.answer(":resum", cursor: 6, session).insertion == "e")
  #expect(ReplCompletion.answer("zzz", cursor: 3, session).insertion == nil)
  let several = ReplCompletion.answer("take", cursor: 4, session)
  #expect(several.listing?.contains("takeLast") == true)
}

@Test func aCurveIsDrawnWithinItsFrame() {
  let rising = PlotCurve(title: "x", lines: [[(0, 0), (1, 1)], [(1, 5), (3, 3)]])
  for canvas in PlotCanvas.allCases {
    let plot = Plot(curves: [rising], marks: [], from: 0, to: 3, columns: 40, canvas: canvas).text
    let rows = plot.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.count == 12)
    #expect(rows.allSatisfy { $0.count <= 52 })
    #expect(rows[0].contains("5") && rows[11].contains("3s"))
  }
  let marked = Plot(
    curves: [], marks: [PlotMarks(title: "e", times: [0, 1, 1.001, 3])], from: 0, to: 3, columns: 31, canvas: .ascii)
  #expect(marked.text.hasPrefix("         e |o---------2-------------------o\n"))
}

@Test func aWordIsCompletedInsideALine() {
  let out = Writer()
  let session = ReplSession(PlainSource(lines: { nil }, out: out), Console(input: -1, out: out, err: out))
  session.enter("counter = 3")
  session.enter("type Shape = Circle(Float) | Square(Float)")
  session.enter("p = {left: 1, right: 2}")
  // What stands behind the cursor already is not written again.
  #expect(ReplCompletion.answer("couter * 2", cursor: 3, session).insertion == "n")
  #expect(ReplCompletion.answer("counter", cursor: 3, session).insertion == nil)
  #expect(ReplCompletion.answer("Circ", cursor: 4, session).insertion == "le")
  #expect(ReplCompletion.answer("p.ri", cursor: 4, session).insertion == "ght")
  #expect(ReplCompletion.answer(":set li", cursor: 7, session).insertion == "ve")
}

@Test func theProtocolAnswersALineWithALine() {
  let out = Writer()
  let conversation = ReplProtocol(Console(input: -1, out: out, err: out))
  #expect(
    conversation.answer(#"{"id":1,"do":"enter","text":"input x: Event<Int>\nn = x |> fold(0, (a, b) => a + b)"}"#)
      == #"{"id":1,"ok":true,"text":"x : Event<Int>   push with  :push x VALUE\nn : Behavior<Int> = 0"}"#)
  #expect(
    conversation.answer(#"{"do":"push","input":"x","value":3}"#)
      == #"{"id":null,"ok":true,"occurrences":[{"at":0.0,"name":"x","value":3},{"at":0.0,"name":"n","value":3}],"text":""}"#
  )
  #expect(
    conversation.answer(#"{"id":"a","do":"advance","by":1.5}"#)
      == #"{"id":"a","ok":true,"time":1.5,"occurrences":[],"text":""}"#)
  #expect(conversation.answer(#"{"do":"value","name":"n"}"#) == #"{"id":null,"ok":true,"value":3}"#)
  #expect(conversation.answer("nonsense").hasPrefix(#"{"id":null,"ok":false"#))
  #expect(conversation.answer(#"{"do":"enter","text":"nope("}"#).hasPrefix(#"{"id":null,"ok":false"#))
  #expect(conversation.answer(#"{"do":"complete","text":"takeLa","cursor":6}"#).contains(#""name":"takeLast""#))
  #expect(conversation.answer(#"{"do":"list"}"#).contains(#""name":"n","type":"Behavior<Int>","kind":"behavior""#))
}

@Test func partsOfJSONAreTakenApart() {
  let parts = JSONParts.object(#" {"a": {"b": [1, "}"]}, "c\n": "x\"y", "d":-1.5e3 } "#)
  #expect(parts?.map(\.name) == ["a", "c\n", "d"])
  #expect(parts?.map(\.json) == [#"{"b": [1, "}"]}"#, #""x\"y""#, "-1.5e3"])
  for wrong in ["", "{", "{\"a\"}", "{\"a\":}", "[1]", "{\"a\":1} x", "{\"a\":\"}"] {
    #expect(JSONParts.object(wrong) == nil, "\(wrong)")
  }
  #expect(JSONParts.string(#""\ud83d\ude00\u0041""#) == "😀A")
}

@Test func aClockThatStandsStillIsNotBehindItsProgram() {
  var clock = ReplClock()
  clock.set(to: 0.001_234_567_89)
  clock.choose(virtual: true)
  clock.set(to: 0.001_234_567_89)
  // What the program calls now, in whole nanoseconds.
  #expect(clock.now == 0.001_234_568)
}

/// A session that reads nothing by itself.
private func quietSession(_ out: Writer) -> ReplSession {
  ReplSession(PlainSource(lines: { nil }, out: out), Console(input: -1, out: out, err: out))
}

@Test func aLongValueIsShownInPartAndWholeWhenAskedFor() {
  let out = Writer()
  let session = quietSession(out)
  session.enter("1..1000000")
  #expect(out.text.utf8.count < 3_000)
  #expect(out.text.contains("…\n  1000000 elements   (:show all shows all)\n"), "\(out.text.suffix(200))")
  session.enter(":show all")
  #expect(out.text.hasSuffix(", 999999, 1000000]\n"))
  session.enter("3 + 4")
  session.enter(":show all")
  #expect(out.text.hasSuffix(": Int = 7\n7\n"))
}

@Test func anEntryDoesNotTakeMoreMemoryThanItIsGiven() {
  let out = Writer()
  let session = quietSession(out)
  session.enter(#""x" |> String.repeat(1000000000)"#)
  #expect(out.text.contains("R0104") && out.text.contains("memory"), "\(out.text.prefix(300))")
  session.enter("1 + 1")
  #expect(out.text.hasSuffix(": Int = 2\n"))
}

/// What changes is recorded for :why and its like: its beginning only, where it is long.
@Test func longValuesAreRecordedInPart() throws {
  let out = Writer()
  let session = quietSession(out)
  session.enter(":clock virtual")
  session.enter("input k: Event<Int>")
  session.enter("xs = k |> map(n => 1..n) |> hold([])")
  for _ in 0..<20 { session.enter(":push k 100000") }
  session.enter(":push k 2")
  let kept = try #require(session.trace["xs"]).recent.reduce(0) { $0 + $1.json.utf8.count }
  #expect(kept < 20 * 3_000)
  session.enter("xs")
  #expect(out.text.hasSuffix("xs : Behavior<List<Int>> = [1, 2]\n"))
}

@Test func aFileThatDoesNotFitIsNamedWithItsLine() throws {
  let folder = TemporaryFolder()
  let file = try folder.file("// A file.\n\ninput k: Event<Int>\n\noutput total = kk |> count\n", "slip.frp")
  let text = transcript(["a = 1", "b = a + 1", ":load \(file)"]).text
  #expect(text.contains("\(file):5:16"), "\(text)")
  #expect(text.contains("5 │ output total = kk |> count"), "\(text)")
}

@Test func commentsAreSavedWithTheirDefinitions() throws {
  let folder = TemporaryFolder()
  let program = """
    // What comes in.
    input k: Event<Int>  // from a key

    /// How many.
    // So far.
    output n = k |> count
    // The end.

    """
  let file = try folder.file(program, "comments.frp")
  let text = transcript([
    ":load \(file)", "m = n * 2  // twice", ":snapshot \(folder.path)/s", ":save \(folder.path)/a.frp",
    ":restore \(folder.path)/s", ":rename m twice", ":save \(folder.path)/b.frp",
  ]).text
  let saved = try #require(TestFiles.read("\(folder.path)/a.frp"), "\(text)")
  for comment in ["// What comes in.", "// from a key", "/// How many.", "// So far.", "// The end.", "// twice"] {
    #expect(saved.contains(comment), "\(comment) is missing in\n\(saved)")
  }
  let renamed = try #require(TestFiles.read("\(folder.path)/b.frp"), "\(text)")
  #expect(renamed == saved.replacing("m = n", with: "twice = n"))
}

@Test func aPastedBlockMayHoldCommands() {
  let out = Writer()
  let session = quietSession(out)
  session.enter("a = 1\nf(x) = {\n  x + a\n}\n:type f\n// done\nf(2)")
  #expect(out.text == "a : Int = 1\nf : Num a => (a) -> a\nf : Num a => (a) -> a\n: Int = 3\n", "\(out.text)")
}

@Test(arguments: [
  ("people |> map(p => p.na", "p.name"), ("people |> map(.na", ".name"),
  ("people |> filter(p => p.home.ci", "p.home.city"),
  ("news |> fold(0, (sum, x) => sum + x.pr", "x.price"), ("map(people, p => p.na", "p.name"),
  ("pairs |> map((who, much) => who.na", "who.name"), ("input x: Event<Sha", "Shape"), ("input x: Behav", "Behavior"),
  ("Circl", "Circle"), ("area(s: Sha", "Shape"), ("people |> fil", "filter"), ("news |> deb", "debounce"),
  (":whynot ne", "news"), (":goto ear", "early"), (":clock vir", "virtual"),
])
func completionFits(_ text: String, _ name: String) {
  let session = sessionWithTypes()
  let found = ReplCompletion.candidates(text, cursor: text.unicodeScalars.count, session).names.map(\.name)
  #expect(found.contains(name), "\(found)")
}

@Test(arguments: [
  ("people |> deb", "debounce"), ("news |> sor", "sort"), (":whynot peo", "people"), ("input x: Event<siz", "size"),
  ("people |> peo", "people"), ("\"a\" |> tot", "total"),
])
func completionOffersNothingThatDoesNotFit(_ text: String, _ name: String) {
  let session = sessionWithTypes()
  let found = ReplCompletion.candidates(text, cursor: text.unicodeScalars.count, session).names.map(\.name)
  #expect(!found.contains(name), "\(found)")
}

private func sessionWithTypes() -> ReplSession {
  let session = quietSession(Writer())
  for entry in [
    ":clock virtual", "type Shape = Circle(Float) | Dot", "alias Home = {city: String}",
    "input people: Behavior<List<{name: String, home: Home}>> = []", "input news: Event<{price: Int, text: String}>",
    "input pairs: Event<({name: String}, Int)>", "total(xs: List<Int>) = sum(xs)", ":mark early",
  ] { session.enter(entry) }
  return session
}
