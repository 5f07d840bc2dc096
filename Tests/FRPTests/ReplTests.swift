// Golden tests of the prompt: a script of entries (`Golden/repl/NAME.repl`) and the transcript it gives (`NAME.out`).
// `FRP_ACCEPT=1 swift test` writes the transcripts; a person reads the difference.

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
