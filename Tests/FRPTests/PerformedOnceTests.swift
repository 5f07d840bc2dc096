// What a definition performs happens once, however many types its parts could be used at; what is pure may have many.

import FRPBase
import Testing

@testable import FRP

private let net = HostModule("Net") { module in
  module.operation("get(path: String): Task<a>", decodes: true) { _ in { _ in Idle() } }
  module.operation("feed(path: String): Source<a>", decodes: true) { _ in { _ in Idle() } }
}

private final class Idle: HostUnderway { func cancel() {} }

/// A program over the host, and what it asks of it at the start.
private struct Asked: CustomTestStringConvertible {
  var text: String
  var paths: [String]
  var testDescription: String { text }

  init(_ paths: String..., text: String) { (self.text, self.paths) = (text, paths) }
}

private let asked = [
  Asked(
    "a",
    text: """
      r = start |> perform(All, _ => Net.get("a"))
      output busy = r.busy
      output text: Event<Result<String, Error>> = r.results
      """),
  // By way of a function, a record, a tuple, and a function that performs what it is given.
  Asked(
    "a",
    text: """
      get(path) = start |> perform(All, _ => Net.get(path))
      r = get("a")
      output busy = r.busy
      output text: Event<Result<String, Error>> = r.results
      """),
  Asked(
    "a",
    text: """
      api = {job: start |> perform(All, _ => Net.get("a")), size: 1}
      output busy = api.job.busy
      output text: Event<Result<String, Error>> = api.job.results
      """),
  Asked(
    "a",
    text: """
      (results, busy) = { r = start |> perform(All, _ => Net.get("a")); (r.results, r.busy) }
      output busy
      output text: Event<Result<String, Error>> = results
      """),
  Asked(
    "a",
    text: """
      run(task) = start |> perform(All, _ => task)
      task = Net.get("a")
      r = run(task)
      output busy = r.busy
      output text: Event<Result<String, Error>> = r.results
      """),
  // The open type is not that of the answer.
  Asked(
    "a",
    text: """
      stop(text: String) = Task.fail(text)
      r = start |> perform(All, _ => Net.get("a") |> Task.andThen(stop))
      output number: Event<Result<Int, Error>> = r.results
      output text: Event<Result<String, Error>> = r.results |> map(r => r |> mapError(e => e) |> recoverText)
      recoverText(r) = match r { Ok(n) => Ok("{n}"); Err(e) => Err(e) }
      """),
  Asked(
    "a",
    text: """
      r = { p = start |> perform(All, _ => Net.get("a")); t: Event<Result<String, Error>> = p.results; {t: t, none: []} }
      output text = r.t
      output count = r.t |> map(_ => size([1, ...r.none]))
      """),
  // An annotation with a type variable means the type that the program decides.
  Asked(
    "a",
    text: """
      r: {results: Event<Result<a, Error>>, busy: Behavior<Bool>} = start |> perform(All, _ => Net.get("a"))
      output busy = r.busy
      output text: Event<Result<String, Error>> = r.results
      """),
  Asked(
    "a",
    text: """
      r = start |> listen(All, _ => Net.feed("a"))
      output state = r.state
      output ends = r.ends
      output text: Event<String> = r.items
      """),
  Asked(
    "a1", "a2",
    text: """
      output all = [1, 2] |> each(x => x, x => {
        r = start |> perform(All, _ => Net.get("a{x}"))
        texts: Event<Result<String, Error>> = r.results
        (r.busy, texts |> count)
      })
      """),
  // Each call performs, and each may have a type of its own.
  Asked(
    "a", "b",
    text: """
      get(path) = { r = start |> perform(All, _ => Net.get(path)); r }
      a = get("a")
      b = get("b")
      output busy = a.busy
      output text: Event<Result<String, Error>> = a.results
      output number: Event<Result<Int, Error>> = b.results
      """),
  Asked(
    "a", "b",
    text: """
      api = {get: path => start |> perform(All, _ => Net.get(path))}
      output text: Event<Result<String, Error>> = api.get("a").results
      output number: Event<Result<Int, Error>> = api.get("b").results
      """),
  // A task is a description: it may be performed at several types.
  Asked(
    "a", "a",
    text: """
      task = Net.get("a")
      r = start |> perform(All, _ => task)
      s = start |> perform(All, _ => task)
      output text: Event<Result<String, Error>> = r.results
      output number: Event<Result<Int, Error>> = s.results
      """),
  // What is pure stays general.
  Asked(
    text: """
      r = start |> perform(All, _ => Task.fail("no"))
      output text: Event<Result<String, Error>> = r.results
      output number: Event<Result<Int, Error>> = r.results
      s = start |> listen(All, _ => Source.fail("no"))
      output words: Event<String> = s.items
      output numbers: Event<Int> = s.items
      """),
  // Fields that different uses want are those of one answer.
  Asked(
    "a",
    text: """
      r = start |> perform(All, _ => Net.get("a"))
      output x = r.results |> filterMap(ok) |> map(v => v.x + 1)
      output y = r.results |> filterMap(ok) |> map(v => v.y ++ "!")
      """),
]

@Suite struct PerformedOnceTests {
  @Test(arguments: asked)
  private func theHostIsAskedOnce(_ program: Asked) throws {
    let compiled = Program(Source(name: "t.frp", text: program.text), host: [net])
    try #require(!compiled.hasErrors, "\(compiled.report)")
    let run = try Simulation(compiled)
    run.start()
    #expect(run.tasks.map(\.arguments) == program.paths.map { [.text($0)] })
  }

  private func report(_ text: String) -> String {
    Program(Source(name: "t.frp", text: text), host: [net]).report
  }

  @Test func anAnswerOfTwoTypesIsToldWithBothPlaces() {
    let text = report(
      """
      r = start |> perform(All, _ => Net.get("a"))
      output number: Event<Result<Int, Error>> = r.results
      output text: Event<Result<String, Error>> = r.results
      """)
    #expect(text.contains("t.frp:3:45"))
    #expect(text.contains("this use made `r` {busy: Bool, results: Event<Result<Int, Error>>}"))
    #expect(text.contains("it is performed once"))
    #expect(text.contains("write a second definition"))
  }

  /// The order of definitions does not decide whether there is a mistake, and a built-in may be what does not fit.
  @Test func aBuiltInThatDoesNotFitIsToldSo() {
    let lines = [
      "r = start |> perform(All, _ => Net.get(\"a\"))", "output a = r.results |> filterMap(ok) |> map(t => size(t))",
      "output b = r.results |> filterMap(ok) |> map(n => n + 1)",
    ]
    for order in [[0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
      let text = report(order.map { lines[$0] }.joined(separator: "\n"))
      #expect(text.contains("it is performed once"), "\(text)")
    }
  }

  @Test func otherMistakesAreNotExplainedByIt() {
    let text = report(
      """
      r = start |> perform(All, _ => Net.get("a"))
      output number: Event<Result<Int, Error>> = r.results
      output busy = r.busy
      output wrong = 1 + "a"
      """)
    #expect(text.contains("error"))
    #expect(!text.contains("performed once"))
  }

  /// An answer of which only a part is decided cannot be read.
  @Test func aPartThatNothingDecidesIsTold() {
    let text = report(
      """
      r = start |> perform(All, _ => Net.get("a"))
      output n = r.results |> map(x => x |> map(l => List.size(l)))
      """)
    #expect(text.contains("t.frp:1:32") && text.contains("I cannot tell what this is to be decoded to"), "\(text)")
    // All of it is not needed, or an argument says it.
    #expect(report("output n = (start |> perform(All, _ => Net.get(\"a\"))).busy") == "")
    let echo = HostModule("Net") { $0.task("echo", "x") { (x: FrpValue) async in x } }
    let program = Program(
      Source(name: "t.frp", text: "output n = (start |> perform(All, _ => Net.echo([]))).results |> map(isOk)"),
      host: [echo])
    #expect(!program.hasErrors, "\(program.report)")
  }

  /// What nothing needs need not be decided.
  @Test func whatIsNotUsedHasNoType() {
    #expect(
      !report(
        """
        r = start |> perform(All, _ => Net.get("a") |> map(t => Json.decode(t)))
        texts = r.results
        output a = 1
        """
      ).contains("error"))
    #expect(
      report(
        """
        r = start |> perform(All, _ => Net.get("a") |> map(t => Json.decode(t)))
        output a = r.busy
        """
      ).contains("error"))
  }
}
