// What a message proposes first is taken, as a newcomer would, until nothing is left to complain about.

import FRP
import FRPBase
import FRPTestFiles
import Testing

/// The program after the first proposal with an edit was taken, again and again; nil where a message proposes none.
private func mended(_ text: String, where isMeant: (Diagnostic) -> Bool) -> String? {
  var text = text
  for _ in 0..<20 {
    let program = Program(Source(name: "test", text: text))
    guard let problem = program.diagnostics.first(where: isMeant) else { return text }
    guard let edit = problem.helps.first?.edit else { return nil }
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(Int(edit.span.start)..<Int(edit.span.end), with: Array(edit.text.utf8))
    text = String(decoding: bytes, as: UTF8.self)
  }
  return nil
}

@Test(arguments: [
  "E0601_ways_out", "E0302_partial", "E0301_signed_argument", "E0205_missing_variables", "E0303_hidden_builtin",
  "E0403_pipe_reach", "E0201_look_alike", "E0403_accumulating", "E0302_merge_of_a_list", "E0207_misspelt",
  "E0403_group_by", "E0403_appended_events", "E0312_performed", "E0201_field", "E0303_proposals", "E0301_proposals",
  "E0106_proposals", "E0601_event_on_the_circle", "E0305_ranges", "E0301_range_in_a_list", "E0403_running_total",
  "E0301_added_lists", "E0301_operators_of_events", "E0403_operators_of_events", "E0106_powers", "E0106_dashes",
  "E0201_dashes", "E0301_hidden_policy", "E0303_piped_into_what_is_given", "E0303_hidden_by_an_input", "E0601_slopes",
])
func whatAMessageProposesFirstChecks(_ name: String) throws {
  let text = try #require(TestFiles.read("\(TestFiles.tests)/Golden/errors/\(name).frp"))
  let before = Program(Source(name: "test", text: text))
  #expect(before.hasErrors)
  #expect(mended(text) { $0.severity == .error } != nil)
}

/// What starts anew at every change has the value that is there at first: `changes` would wait for another one.
@Test func whatStartsAnewBeginsAtOnce() throws {
  let programs = [
    "input wait: Behavior<Float> = 1.0\noutput n = every(wait) |> count\n",
    "input fast: Behavior<Bool> = true\nticks = if fast then every(1s) else every(2s)\noutput n = ticks |> count\n",
  ]
  for text in programs {
    let meant = try #require(mended(text) { $0.severity == .error })
    #expect(frp("-e", meant, "--virtual", "--for", "2.5s").out == "0\n1\n2\n", "\(meant)")
  }
}

/// What is proposed for the slope of a control loop has a slope: that of a sample would be 0.0.
@Test func theSlopeOfAControlLoopIsFollowed() throws {
  let text = try #require(TestFiles.read("\(TestFiles.tests)/Golden/errors/E0601_slopes.frp"))
  let loop = try #require(mended(text) { $0.severity == .error })
  func end(_ text: String) -> Double? {
    frp("-e", text, "--virtual", "--for", "200ms", "--final").out.split(separator: "\n").last.flatMap { Double($0) }
  }
  let followed = try #require(end(loop))
  let flat = try #require(end(text.replacing("derivative(gap)", with: "0.0")))
  #expect(abs(followed - flat) > 0.01)
}

@Test(arguments: ["W0407_length", "W0113_texts"])
func whatAWarningProposesFirstEndsIt(_ name: String) throws {
  let text = try #require(TestFiles.read("\(TestFiles.tests)/Golden/errors/\(name).frp"))
  let code = try #require(DiagnosticCode(rawValue: String(name.prefix(5))))
  #expect(Program(Source(name: "test", text: text)).diagnostics.contains { $0.code == code })
  #expect(mended(text) { $0.code == code } != nil)
}

@Test func aTextOnTheCommandLineIsAProgramWhereItBeginsAsOne() {
  let slip = frp("-e", "input n: Event<Int>; output m = n |> count(")
  #expect(slip.err.contains("E0101") && !slip.err.contains("E0105"), "\(slip.err)")
  #expect(frp("-e", "input n: Event<Int>; output m = n |> count").err.isEmpty)
}

@Test func aFileOfTheHostIsProposedForModulesThatNobodyHas() throws {
  let folder = TemporaryFolder()
  let module = try folder.file("output a = Prices.latest(1)\n", "module.frp")
  #expect(frp("check", module).err.contains("--host Prices.host"))
  for text in ["output a = latest(1)\n", "output a = Lsit.map([1], x => x)\n"] {
    #expect(!frp("check", try folder.file(text, "name.frp")).err.contains("--host"), "\(text)")
  }
}

@Test func anInputWithoutAValueSaysHowToGiveOne() throws {
  let folder = TemporaryFolder()
  let file = try folder.file("input c: Behavior<Float>\noutput f = c * 2.0\n", "c.frp")
  #expect(frp("run", file, "--for", "1s").err.contains("--set c=VALUE"))
  #expect(frp("run", file, "--virtual", "--for", "1s", "--set", "c=1.5").out == "3.0\n")
}

@Test func anEndlessInstantNamesWaysOut() throws {
  let folder = TemporaryFolder()
  let file = try folder.file(
    "input k: Event<Int>\nround = merge(k, round |> delay(0s))\noutput n = round |> count\n", "round.frp")
  let result = frp("run", file, "--trace", "-", input: "{\"at\": 1.0, \"k\": 1}\n")
  #expect(result.err.contains("R0102") && result.err.contains("hysteresis") && result.err.contains("delay(10ms)"))
}
