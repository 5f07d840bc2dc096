// Golden tests of the prompt: a script of entries (`Golden/repl/NAME.repl`) and the transcript it gives (`NAME.out`).
// `FRP_ACCEPT=1 swift test` writes the transcripts; a person reads the difference.

import FRPBase
import Foundation
import Testing

@testable import FRPCommands

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("Golden/repl")

private func scripts() -> [String] {
  let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  return files.filter { $0.hasSuffix(".repl") }.sorted()
}

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

@Test(arguments: scripts())
func thePromptAnswers(_ name: String) throws {
  let url = folder.appendingPathComponent(name)
  let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
  let expected = url.deletingPathExtension().appendingPathExtension("out")
  let actual = transcript(lines).text
  if ProcessInfo.processInfo.environment["FRP_ACCEPT"] != nil {
    try actual.write(to: expected, atomically: true, encoding: .utf8)
  }
  #expect(actual == (try String(contentsOf: expected, encoding: .utf8)))
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
  let plot = Plot(values: [0, 1, 2, 3], from: 0, length: 3, isASCII: true).text
  #expect(plot.split(separator: "\n", omittingEmptySubsequences: false).count == 11)
  #expect(plot.contains("*"))
}
