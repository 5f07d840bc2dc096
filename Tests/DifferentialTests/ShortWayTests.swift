// Engine against model where an instant takes a short way: one entry alone, codes of one instruction, groups without
// marks. With every optimisation on and off, since each of them leaves what is out of the ordinary to the long way.

import FRPBase
import FRPDifferential
import FRPGraph
import Testing

@Suite struct ShortWayTests {
  static let programs: [(source: String, trace: [String])] = [
    ("input x: Event<Int>\noutput y = x |> map(n => div(10, n))\n", [#""x": 2"#, #""x": 0"#, #""x": 5"#]),
    (
      "input x: Event<Int>\noutput y = x |> map(n => n + 1) |> filter(n => n % 2 == 0) |> scan(0, (s, n) => s + n)\n",
      [#""x": 1"#, #""x": 2"#, #""x": 9223372036854775806"#, #""x": 9223372036854775807"#, #""x": 3"#]
    ),
    (
      "input x: Event<Int>\noutput y = x |> filter(n => n > 2) |> fold(0, (s, n) => s + n)\n",
      [#""x": 3"#, #""x": 1"#, #""x": 9223372036854775807"#, #""x": 4"#]
    ),
    ("input x: Event<Int>\noutput y = x |> fold(0, (s, n) => s + n)\n", [#""x": 0"#, #""x": 3"#, #""x": 0"#]),
    (
      "input b: Behavior<Int> = 1\noutput y = div(100, b)\n",
      [#""b": 4"#, #""b": 0"#, #""b": 0"#, #""b": 200"#, #""b": 300"#, #""b": 300"#]
    ),
    (
      "input b: Behavior<Float> = 0.0\noutput y = b * 2.0\n",
      [#""b": -0.0"#, #""b": 1.5"#, #""b": 1e308"#, #""b": 1.5"#, #""b": 0.5"#]
    ),
    (
      "input b: Behavior<Int>\ninput x: Event<Int>\noutput y = x |> map(n => n * 3)\noutput z = b + 1\n",
      [#""x": 4"#, #""b": 1"#, #""x": 5"#, #""x": 6, "b": 2"#]
    ),
    (
      "input x: Event<Int>\nn = x |> count\noutput y = x |> map(k => k + n)\n",
      [#""x": 4"#, #""x": 5"#, #""x": 9223372036854775807"#, #""x": 6"#]
    ),
    (
      "input x: Event<Int>\noutput a = x |> map(n => n + 1)\noutput b = x |> map(n => n * 2)\n",
      [#""x": 4"#, #""x": 4611686018427387904"#, #""x": 6"#]
    ),
    (
      """
      input a: Behavior<Float> = 1.0
      input b: Behavior<Float> = 2.0
      input c: Behavior<Float> = 3.0
      x = a + b + c
      y = b + c + a
      output s = x + y
      output p = x * y

      """, [#""a": 4.0"#, #""b": 1e308"#, #""c": 1e308"#, #""b": 1.0, "c": 2.0"#, #""a": 4.0"#]
    ),
    (
      """
      input a: Behavior<Int> = 1
      input b: Behavior<Int> = 2
      output s = a + b
      output t = a + 5
      output u = b * 3

      """, [#""a": 9223372036854775807"#, #""b": -9"#, #""b": 4611686018427387904"#, #""a": 1, "b": 1"#]
    ),
    (
      """
      input e: Event<{key: String, value: Int}>
      output s = e |> keyed(.key, (key, own) => own |> scan(0, (sum, e) => sum + e.value) |> map(sum => (key, sum)))

      """,
      [
        #""e": {"key": "a", "value": 1}"#, #""e": {"key": "b", "value": 2}"#, #""e": {"key": "a", "value": 3}"#,
        #""e": {"key": "a", "value": 9223372036854775807}"#, #""e": {"key": "b", "value": 5}"#,
        #""e": {"key": "a", "value": 1}"#,
      ]
    ),
    (
      """
      input e: Event<{key: Int, value: Int}>
      output s = e |> keyed(.key, (key, own) => own |> filter(e => e.value > key) |> map(e => div(e.value, key)))
      output n = e |> keyed(.key, (key, own) => own |> scan(0, (n, _) => n + 1))

      """,
      [
        #""e": {"key": 1, "value": 2}"#, #""e": {"key": 1, "value": 5}"#, #""e": {"key": 0, "value": 5}"#,
        #""e": {"key": 1, "value": 0}"#, #""e": {"key": 0, "value": 0}"#, #""e": {"key": 1, "value": 7}"#,
      ]
    ),
  ]

  private static var settings: [Optimisations] {
    [.all, .none] + Optimisations.named.flatMap { [$0.1, Optimisations.all.subtracting($0.1)] }
  }

  @Test(arguments: programs.indices)
  func theyAgreeWithTheModel(_ index: Int) {
    let (source, lines) = Self.programs[index]
    #expect(Compiled(source).core != nil)
    let trace = lines.enumerated().map { #"{"at": \#($0 + 1), \#($1)}"# }.joined(separator: "\n")
    let difference = onLargeStack { Differential.difference(source, trace, settings: Self.settings) }
    #expect(difference == nil)
  }
}
