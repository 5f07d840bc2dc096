// Short programs that ask for much work: functions that put in others twice, behaviors of behaviors, values and types that
// double, patterns and scopes in each other. Checking them must end soon, with whatever verdict.

import FRPBase
import FRPGraph
import FRPSema
import Glibc

package enum Growth {
  /// No program is longer: a longer one may take more work.
  package static let mostBytes = 2_000

  /// Seconds of processor time that checking may take. A build without optimisation is given a tenth of the steps.
  #if DEBUG
    package static let limits = CheckLimits(steps: CheckLimits().steps / 10)
    package static let mostSeconds = 4.0
  #else
    package static let limits = CheckLimits()
    package static let mostSeconds = 2.0
  #endif

  /// What is wrong with checking a text and telling of its mistakes: that it takes too long; nil if it does not. Needs a
  /// large stack.
  package static func problem(_ text: String) -> String? {
    let start = processorSeconds()
    let loaded = ModuleLoader(read: { _ in nil }).load(path: "a.frp", bytes: Array(text.utf8))
    let budget = CheckBudget(limits, bytes: text.utf8.count)
    var diagnostics = loaded.diagnostics
    if !diagnostics.contains(where: { $0.severity == .error }) {
      let typed = checkTypes(loaded.tree, sources: loaded.sources, budget: budget)
      diagnostics += typed.diagnostics
      if let program = typed.program {
        let elaborated = elaborate(program, budget: budget)
        diagnostics += elaborated.diagnostics
        if let core = elaborated.core { _ = try? Plan(core, budget: budget) }
      }
    }
    _ = renderText(diagnostics, sources: loaded.sources)
    _ = renderJSON(diagnostics, sources: loaded.sources)
    let seconds = processorSeconds() - start
    return seconds > mostSeconds ? "checking took \(seconds) s" : nil
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  package static func program(seed: UInt64) -> String { program(Random(seed: seed)) }

  /// The first choices are these bytes.
  package static func program(choices: [UInt8]) -> String { program(Random(choices: choices)) }

  private static func program(_ random: Random) -> String {
    var random = random
    let family = random.pick(families)
    var levels = random.within(4...70)
    while true {
      let text = family.program(levels, &random)
      if text.utf8.count <= mostBytes { return text }
      levels = levels * 3 / 4
    }
  }

  /// Definitions of which each is made of others: `N` is its name, `A` and `B` are those of others, most often the one before.
  struct Family {
    var first: String
    var forms: [String]
    var last: String

    func program(_ levels: Int, _ random: inout Random) -> String {
      // A few forms make a program: all of one kind grow otherwise than mixed ones.
      let own = (0..<random.within(1...3)).map { _ in random.pick(forms) }
      let isRecursive = random.oneIn(6)
      let isReversed = random.oneIn(4)
      var lines = [first.replacing("N", "n0")]
      for level in 1...max(1, levels) {
        let others = (0..<2).map { _ in
          isRecursive && random.oneIn(4) ? random.below(levels) + 1 : random.oneIn(8) ? random.below(level) : level - 1
        }
        lines.append(
          random.pick(own).replacing("N", "n\(level)").replacing("A", "n\(others[0])").replacing("B", "n\(others[1])"))
      }
      if isReversed { lines.reverse() }
      return lines.joined(separator: "\n") + "\n" + last.replacing("N", "n\(max(1, levels))") + "\n"
    }
  }

  static let families = [
    Family(
      first: "N(e) = e |> map(x => x)",
      forms: [
        "N(e) = merge(A(e), B(e))", "N(e) = A(B(e))", "N(e) = { a = A(e); B(a) }", "N(e) = A(e) |> delay(1s)",
        "N(e) = e |> flatMap(_ => merge(A(e), B(e)))", "N(e) = e |> flatMapLatest(_ => A(B(e)))",
        "N(e) = e |> keyed(x => x, (k, es) => merge(A(es), B(es)))", "N(e) = if 1 > 2 then A(e) else B(e)",
        "N(e) = A(e |> filter(x => (B(e) |> count) > x))", "N(e) = { (a, b) = (A(e), B(e)); merge(a, b) }",
        "N(e) = { r = {a: A(e), b: B(e)}; merge(r.a, r.b) }",
        "N(e) = [A(e), B(e)] |> fold(never, (a, b) => merge(a, b))",
        "N(e) = match 1 { 1 => A(e); _ => B(e) }", "N(e) = A(e) |> perform(All, x => Task.succeed(x)) |> (p => B(e))",
      ], last: "output y = N(every(1s) |> count |> changes)"),
    Family(
      first: "N(b) = b",
      forms: [
        "N(b) = A(b) + B(b + 1.0)", "N(b) = if A(b) > 1.0 then A(b) else B(b)", "N(b) = integral(A(B(b)))",
        "N(b) = derivative(A(b) * B(b))", "N(b) = max(A(b), abs(B(b)))", "N(b) = delay(A(b), 1s) * B(b)",
        "N(b) = switch(every(1s), A(b), _ => B(b))", "N(b) = A(B(b)) / 2.0", "N(b) = sqrt(A(b)) * exp(B(b))",
        "N(b) = (x => x * x)(A(B(b)))", "N(b) = { x = A(b); y = B(x); if x > y then x else y }",
        "N(b) = match (A(b), B(b)) { (x, y) => if x > y then x else y }", "N(b) = clamp(A(b), 0.0 - abs(B(b)), 1.0)",
        "N(b) = [A(b), B(b)] |> map(x => x * b) |> sum", "N(b) = if integral(A(b)) > B(b) then 1.0 else 2.0",
        "N(b) = integralFrom(A(b), 0.0, when(B(b) > 1.0) |> map(_ => 0.0))",
        "N(b) = withDefault([A(b), B(b)] |> head, b)", "N(b) = {a: A(b), b: B(b)}.a",
      ], last: "output y = N(time)"),
    Family(
      first: "N = time",
      forms: [
        "N = A + B", "N = derivative(A * B)", "N = if A > B then A else B", "N = max(A, B)", "N = delay(A, 1s) * B",
        "N = integral(A) * B", "N = derivative(delay(A, 1s) * B)", "N = sqrt(A + 2.0) / (B + 3.0)",
        "N = switch(every(1s), A, x => B)", "N = derivative(min(A, sin(B)))", "N = pow(A, 2.5) - atan2(B, A)",
        "N = hypot(A, B)", "N = derivative(if A > 1.0 then A * B else B)", "N = match (A, B) { (x, y) => x - y }",
      ], last: "output y = N\noutput z = when(N > 2.0)\noutput d = derivative(N)"),
    Family(
      first: "N = [1]",
      forms: [
        "N = A ++ B", "N = [...A, ...B]", "N = A |> flatMap(x => B)", "N = A |> map(x => x + size(B))",
        "N = concat([A, B])",
        "N = if size(A) > 2 then A else B", "N = zip(A, B) |> map((a, b) => a + b)",
      ], last: "output y = N"),
    Family(
      first: "N = [every(1s) |> map(_ => 1)]",
      forms: [
        "N = A ++ B", "N = [...A, ...B]", "N = A |> flatMap(x => B)", "N = A |> map(x => merge(x, x))",
        "N = concat([A, B])",
        "N = A |> flatMap(x => [x, x])", "N = zip(A, B) |> map((a, b) => merge(a, b))",
      ], last: "output y = N |> fold(never, (a, b) => merge(a, b))"),
    Family(
      first: "N = (time, 1)",
      forms: [
        "N = (A, B)", "N = {a: A, b: B}", "N = [A, B]", "N = Some(A)", "N = if time > 1.0 then A else A",
        "N = match (A, A) { (a, b) => a }", "N = [A] |> map(x => x)", "N = [[A], [A]]",
      ], last: "output y = N"),
    Family(
      first: "N = x => x + 1",
      forms: [
        "N = x => A(B(x))", "N = x => A(x) + B(x)", "N = if time > 1.0 then A else B", "N = x => (y => A(B(y)))(x)",
        "N = x => [x, x] |> map(A) |> fold(0, (a, b) => a + B(b))", "N = [A, B] |> fold(A, (f, g) => (x => f(g(x))))",
        "N = x => if x > 1 then A(x) else B(x)",
      ], last: "output y = N(1)\ninput e: Event<Int>\noutput z = e |> map(N)"),
    Family(
      first: "N(f) = x => f(f(x))",
      forms: ["N(f) = A(B(f))", "N(f) = x => A(f)(B(f)(x))", "N(f) = A(x => B(f)(x))", "N(f) = A(B)(f)"],
      last: "output y = N(x => x + 1)(0)\noutput z = N(e => e |> map(x => x))(every(1s))"),
    Family(
      first: "N(x) = x",
      forms: [
        "N(x) = (A(x), B(x))", "N(x) = {a: A(x), b: B(x)}", "N(x) = A(B(x))", "N(x) = [A(x), B(x)]",
        "N(x) = { g = y => A(y); (g(x), g(x)) }", "N(x) = map(A(x), y => B(y))", "N(x, y) = A(x)",
        "N(x) = \"{A(x)}{B(x)}\"",
        "N(x) = size(A(x)) + size(B(x))",
      ], last: "output y = N(1)"),
    Family(
      first: "f(n, x) = if n <= 0 then x else f(n - 1, x) + f(n - 2, x * x)\nN = f(9, time)",
      forms: [
        "N = f(12, A) + f(30, B)", "N = if f(5, A) > B then A else B", "N = derivative(f(6, A))",
        "N = [A, B] |> map(x => f(3, x)) |> sum",
        "N = if ([1.0, 2.0, 3.0] |> any(x => f(4, A) > x)) then B else A",
      ], last: "output y = N\noutput z = when(N > 1.0)"),
    Family(
      first: "type N<a, b, c> = E0(a) | F0(b, c)",
      forms: [
        "type N<a, b, c> = E | F(A<b, c, a>) | G(B<c, b, a>)", "type N<a, b, c> = E | F(A<(a, b), b, c>)",
        "type N<a, b, c> = E | F(A<List<a>, a, b>) | G(B<a, a, a>)", "alias N<a, b, c> = (A<a, b, c>, B<b, a, c>)",
        "alias N<a, b, c> = {x: A<c, a, b>, y: B<a, b, c>}",
      ], last: "input i: Event<N<Int, Bool, String>>\noutput y = i"),
  ]
}

extension String {
  /// With a name put in for a capital letter that stands alone; types begin with a capital themselves.
  func replacing(_ letter: Character, _ name: String) -> String {
    let isType = hasPrefix("type ") || hasPrefix("alias ")
    let characters = Array(self)
    var result = ""
    for (index, character) in characters.enumerated() {
      let isAlone =
        (index == 0 || !characters[index - 1].isLetter)
        && (index + 1 == characters.count || !characters[index + 1].isLetter)
      result += character == letter && isAlone ? (isType ? name.uppercased() : name) : String(character)
    }
    return result
  }
}
