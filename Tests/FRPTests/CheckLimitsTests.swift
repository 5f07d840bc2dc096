// Checking ends: what a program asks for is counted, and refused with a message that names what grows. Limits are small
// here, so that the tests are quick; the programs ask for any amount.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPSema
import Testing

@Suite struct CheckLimitsTests {
  private static let few = CheckLimits(steps: 60_000)

  private static func check(_ text: String, _ limits: CheckLimits = few) -> Program {
    Program(Source(name: "a.frp", text: text), limits: limits)
  }

  private static func chain(_ count: Int, _ line: (Int) -> String) -> String {
    (0..<count).map { line($0) + "\n" }.joined()
  }

  /// What is refused, and the definition that the message names.
  static let growing: [(name: String, text: String)] = [
    (
      "tree",
      "tree(n, e) = if n == 0 then e else merge(tree(n - 1, e), tree(n - 1, e))\noutput x = tree(22, every(1s))\n"
    ),
    (
      "nested",
      "nested(n, e) = if n == 0 then e else nested(n - 1, nested(n - 1, e))\noutput x = nested(22, every(1s))\n"
    ),
    (
      "f20",
      "f20(e: Event<Unit>) = e |> delay(1s)\n"
        + chain(20) { "f\($0)(e: Event<Unit>) = { a = f\($0 + 1)(e); f\($0 + 1)(a) }" } + "output x = f0(every(1s))\n"
    ),
    ("x", "l0 = [time]\n" + chain(40) { "l\($0 + 1) = l\($0) ++ l\($0)" } + "output x = l40\n"),
    ("x", "l0 = [time]\n" + chain(40) { "l\($0 + 1) = [l\($0), l\($0)]" } + "output x = l40\n"),
    (
      "g",
      "g(n) = n + 1\ng0 = g\ntwo(f) = x => f(f(x))\n" + chain(40) { "g\($0 + 1) = two(g\($0))" } + "output x = g40(0)\n"
    ),
    (
      "x",
      "type T<a, b, c, d, e, f, g, h, i> = N | C(T<b, a, c, d, e, f, g, h, i>) | D(T<b, c, d, e, f, g, h, i, a>)\n"
        + "input i: Event<T<Int, Bool, Float, String, (Int, Int), List<Int>, Option<Int>, List<Bool>, (Int, Bool)>>\noutput x = i\n"
    ),
  ]

  @Test(arguments: growing.indices)
  func whatGrowsIsRefused(index: Int) throws {
    let (name, text) = Self.growing[index]
    let program = Self.check(text)
    let found = try #require(program.diagnostics.first)
    #expect(program.hasErrors)
    #expect(found.code == .tooMuchWork)
    #expect(found.title.hasPrefix("`\(name)` grows"), "\(found.title)")
    #expect(!found.helps.isEmpty)
    // The same on every machine.
    #expect(Self.check(text).diagnostics == program.diagnostics)
  }

  @Test(arguments: [
    "f(e) = merge(f(e), f(e))\noutput x = f(every(1s))\n",
    "f(e) = e |> flatMap(_ => merge(f(e), f(e)))\noutput x = f(every(1s))\n",
    "a(e) = merge(b(e), b(e))\nb(e) = merge(a(e), a(e))\noutput x = a(every(1s))\n",
  ])
  func whatHasNoEndIsFoundAtOnce(text: String) {
    #expect(Self.check(text).diagnostics.map(\.code) == [.endlessUnfolding])
  }

  /// What looks at the finished graph, and the plan, take their part: what definitions share is looked at for each of them.
  @Test func everyStageTakesSteps() throws {
    let kinks =
      "n0 = time\n" + Self.chain(40) { "n\($0 + 1) = derivative(min(n\($0), sin(n\($0))))" } + "output x = n40\n"
    #expect(Self.check(kinks).diagnostics.map(\.code) == [.tooMuchWork])
    let branches =
      "n0 = time\n"
      + Self.chain(20) { "n\($0 + 1) = derivative(if n\($0) > 1.0 then n\($0) * n\($0) else n\($0))" }
      + "output x = n20\n"
    let text = Array(branches.utf8)
    let loaded = ModuleLoader(read: { _ in nil }).load(path: "a.frp", bytes: text)
    let typed = try #require(checkTypes(loaded.tree, sources: loaded.sources).program)
    let core = try #require(elaborate(typed).core)
    do throws(PlanProblem) {
      _ = try Plan(core, budget: CheckBudget(CheckLimits(steps: 3_000)))
      Issue.record("the plan takes no steps")
    } catch {
      guard case .tooMuchWork(.steps, let node?) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(core[node].definition.hasPrefix("n"))
    }
  }

  /// Elements of lists are looked at one by one: where lists of plain data are shared, and where they are paired.
  @Test(arguments: [
    "n0 = [1]\n" + chain(18) { "n\($0 + 1) = [...n\($0), ...n\($0)]" } + "output y = size(n18)\n",
    "n0 = [every(1s)]\n" + chain(13) { "n\($0 + 1) = n\($0) ++ n\($0)" } + "z = \n"
      + chain(30) { _ in "  size(zip(n13, n13)) +" } + "  0\noutput y = z\n",
  ])
  func elementsTakeSteps(text: String) {
    #expect(Self.check(text).diagnostics.map(\.code) == [.tooMuchWork])
    #expect(!Self.check(text, CheckLimits(steps: 1_000_000)).hasErrors)
  }

  /// Choosing between functions evaluates nothing, and makes nothing.
  @Test(.timeLimit(.minutes(1))) func choicesOfFunctionsTakeSteps() {
    let text =
      "g0 = x => x + 1\n" + Self.chain(40) { "g\($0 + 1) = if time > 1.0 then g\($0) else g\($0)" }
      + "output y = g40(1)\ninput e: Event<Int>\noutput z = e |> map(g40)\n"
    #expect(Self.check(text).diagnostics.map(\.code) == [.tooMuchWork])
  }

  /// Uses that wait for one type are not asked again whenever two of them meet: a circle of n took n² of them.
  @Test func manyUsesOfOneTypeAreLinear() {
    func seconds(_ count: Int) -> Double {
      let text = Self.chain(count) { "d\($0) = d\(($0 + 1) % count) |> delay(1ms)" } + "output x = d0\n"
      let taken = (0..<3).map { _ in
        ContinuousClock().measure { #expect(Self.check(text, CheckLimits()).hasErrors) } / .seconds(1)
      }
      return taken.min() ?? 0
    }
    let (few, many) = (seconds(500), seconds(4_000))
    #expect(many < 30 * few, "\(few) s, \(many) s")
  }

  @Test func nobodyCallsWhatGrows() {
    let text = "tree(n, e) = if n == 0 then e else merge(tree(n - 1, e), tree(n - 1, e))\noutput x = every(1s)\n"
    #expect(Self.check(text).diagnostics.map(\.code) == [.unusedDefinition])
  }

  /// Each has its own word in the message.
  @Test func everyLimitIsMet() {
    let tree = Self.growing[0].text
    func note(_ limits: CheckLimits) -> String { Self.check(tree, limits).diagnostics.first?.notes.first ?? "" }
    #expect(note(CheckLimits(steps: 10_000)).contains("steps"))
    #expect(note(CheckLimits(memoryBytes: 1 << 20)).contains("memory"))
    #expect(note(CheckLimits(seconds: 0.000_001)).contains("time"))
  }

  /// Written out, the last of them would have 3^12 parts.
  @Test(arguments: [
    "sin(time) * exp(sin(time))", "sqrt(time + 1.0)", "time / (1.0 + time * time)", "max(time, sin(time))",
  ])
  func derivativesOfDerivativesStaySmall(start: String) {
    let text = "d0 = \(start)\n" + Self.chain(12) { "d\($0 + 1) = derivative(d\($0))" } + "output d12\n"
    #expect(Self.check(text).diagnostics == [])
  }

  /// Calls that double at every level are made once.
  @Test func pureCallsAreShared() {
    let text = Self.chain(14) { "f\($0)(x) = f\($0 + 1)(x) + f\($0 + 1)(x + 1)" } + "f14(x) = x * 2\noutput x = f0(1)\n"
    #expect(Self.check(text).diagnostics == [])
  }

  @Test func longMatchesAndRecordsAreHonest() {
    let names = (0..<2_000).map { "C\($0)" }
    let match =
      "type T = \(names.joined(separator: " | "))\ninput t: Behavior<T> = C0\n"
      + "output n = match t {\n\(names.enumerated().map { "  \($1) => \($0)" }.joined(separator: "\n"))\n}\n"
    #expect(Self.check(match, CheckLimits()).diagnostics == [])
    let missing = match.replacing("  C1234 => 1234\n", with: "")
    #expect(Self.check(missing, CheckLimits()).diagnostics.map(\.code) == [.incompleteMatch])
    let record = "r = {\((0..<10_000).map { "a\($0): \($0)" }.joined(separator: ", "))}\noutput n = r.a9999\n"
    #expect(Self.check(record, CheckLimits()).diagnostics == [])
  }
}
