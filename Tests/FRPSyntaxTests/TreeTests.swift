import FRPBase
import FRPDifferential
import FRPSyntax
import Testing

/// What a text means as a tree; one line a rule of the language.
@Suite struct TreeTests {
  @Test(arguments: [
    // Precedence, loosest first.
    ("x = a |> f || b", "x = (a |> (f || b))"), ("x = a |> f |> g", "x = ((a |> f) |> g)"),
    ("x = a || b && c == d", "x = (a || (b && (c == d)))"), ("x = 1..n + 1", "x = (1 .. (n + 1))"),
    ("x = a ++ b ++ c", "x = (a ++ (b ++ c))"), ("x = a - b - c", "x = ((a - b) - c)"),
    ("x = a + b * c % d", "x = (a + ((b * c) % d))"), ("x = -a.b(c)", "x = -(call(a.b; c))"),
    ("x = !a && b", "x = (!(a) && b)"), ("x = a == b ++ c", "x = (a == (b ++ c))"),
    // Open expressions reach as far right as they can.
    ("x = a => b |> c", "x = fn(a) => (b |> c)"), ("x = 1 + if a then b else c + d", "x = (1 + if(a, b, (c + d)))"),
    ("x = a |> b => c |> d", "x = (a |> fn(b) => (c |> d))"),
    // Numbers.
    ("x = -5", "x = -5"), ("x = a -5", "x = (a - 5)"), ("x = -9223372036854775808", "x = -9223372036854775808"),
    ("x = 0xFF + 0b101 + 0o17 + 1_000", "x = (((255 + 5) + 15) + 1000)"), ("x = 1e9", "x = 1000000000.0f"),
    ("x = -5.abs", "x = -(5.abs)"), ("x = - -5", "x = -(-5)"),
    ("x = [250ms, 2s, 5min, 1h, 1.5s, 10us, 5ns]", "x = [0.25s, 2.0s, 300.0s, 3600.0s, 1.5s, 1e-05s, 5e-09s]"),
    // Lambdas and patterns as parameters.
    ("x = () => 1", "x = fn() => 1"), ("x = (a, b) => a", "x = fn(a, b) => a"), ("x = _ => 1", "x = fn(_) => 1"),
    ("x = {a, b: c} => a", "x = fn({a: a, b: c}) => a"), ("x = ({a}) => a", "x = fn({a: a}) => a"),
    ("x = [a, ...r] => a", "x = fn([a rest r at 1]) => a"), ("x = ((a, b), c) => a", "x = fn(tuple(a, b), c) => a"),
    ("x = Box(a) => a", "x = fn(Box(:a)) => a"), ("x = (+)", "x = fn+"), ("x = .name", "x = fn.name"),
    ("x = map(.type)", "x = call(map; fn.type)"),
    // Braces.
    ("x = {}", "x = {}"), ("x = {y}", "x = block{y}"), ("x = {y: 1, type: 2}", "x = {y: 1, type: 2}"),
    ("x = {...p, a.b: 3}", "x = {...p, a.b: 3}"), ("x = {...p}", "x = {...p}"),
    ("x = {y: Int = 1; y}", "x = block{y: Int = 1; y}"),
    ("x = {y: List<Int>= 1; y}", "x = block{y: List<Int> = 1; y}"), ("x = {f(a) = a; f}", "x = block{f(a) = a; f}"),
    ("x = {(a, b) = c; a}", "x = block{tuple(a, b) = c; a}"), ("x = {{y: 1}}", "x = block{{y: 1}}"),
    ("x = { y: a < b }", "x = {y: (a < b)}"),
    // Calls, names, tuples, lists.
    ("x = f()", "x = call(f; )"), ("x = ()", "x = ()"), ("x = (a)", "x = paren(a)"), ("x = (a, b,)", "x = tuple(a, b)"),
    ("x = Rect(w: 1.0, h: 2.0)", "x = call(ctor Rect; w: 1.0f, h: 2.0f)"),
    ("x = Geometry.area(1)", "x = call(Geometry::area; 1)"),
    ("x = Geometry.Rect(w: 1)", "x = call(Geometry::Rect; w: 1)"), ("x = [1, ...r, 2,]", "x = [1, ...r, 2]"),
    // Match.
    (
      "x = match y { A | B(_) as c if d => 1; [a, ...] => 2 }",
      "x = match(y; (any(A() | B(:_)) as c) if d => 1; [a rest - at 1] => 2)"
    ),
    (
      "x = match y { -1 => 1; \"a\\n\" => 2; (a, 2.5) => 3; {a, b: 0} => 4; M.C(w: p) => 5; () => 6 }",
      "x = match(y; -1 => 1; \"a\n\" => 2; tuple(a, 2.5f) => 3; {a: a, b: 0} => 4; M::C(w:p) => 5; () => 6)"
    ),
    ("x = match y { a if b => c; d => e }", "x = match(y; a if b => c; d => e)"),
    ("x = match {a: 1} { {a} => a }", "x = match({a: 1}; {a: a} => a)"),
    // Definitions.
    ("f(a, b: Int): Float = a", "f(a, b: Int): Float = a"), ("(big, small) = e", "tuple(big, small) = e"),
    ("_ = e", "_ = e"),
    ("output x: Int = 1", "output x: Int = 1"), ("output a, b", "outputs [\"a\", \"b\"]"),
    ("a = 1; b = 2;", "a = 1\nb = 2"),
    (
      "input c: Behavior<Map<String, (Int, a) -> {x: ()}>> = d",
      "input c Behavior<Map<String, fn(Int, a) -> {x: ()}>> d"
    ),
    ("input c: a -> b -> c", "input c fn(a) -> fn(b) -> c -"),
    ("input c: ((a, b)) -> c", "input c fn(tuple(a, b)) -> c -"),
    ("type T<a> = | A | B(a, Int) | C(x: a)", "type T [\"a\"] [\"A()\", \"B(:a, :Int)\", \"C(x:a)\"]"),
    ("alias P<a> = {x: a}", "alias P [\"a\"] {x: a}"), ("import Geometry", "import Geometry"),
  ])
  func tree(text: String, dump: String) {
    let parsed = Parsed(text)
    #expect(parsed.diagnostics.isEmpty, "\(parsed.messages)")
    #expect(TreeDump.dump(parsed) == dump)
  }

  @Test(arguments: [
    (#"x = "a{b}c{"d{e}"}""#, #"x = str("a", b, "c", str("d", e))"#), (#"x = """#, "x = str()"),
    (#"x = "\{a\}\t\u{41}\0""#, "x = str(\"{a}\tA\0\")"),
    (#"x = "{ {y: 1}.y }""#, #"x = str({y: 1}.y)"#), (#"x = "{f("{")")}""#, ""),
    ("x = \"\"\"\n  a\n    {b}\n  c\\\n  d\n\n  \"e\"\n  \"\"\"", "x = str(\"a\n  \", b, \"\ncd\n\n\"e\"\")"),
    ("x = \"\"\"a\"\"\"", "x = str(\"a\")"), ("x = \"\"\"\n\"\"\"", "x = str()"),
    ("x = \"\"\"\r\n  a\r\n  b\r\n  \"\"\"\r\n", "x = str(\"a\nb\")"),
  ])
  func texts(text: String, dump: String) {
    let parsed = Parsed(text)
    if dump.isEmpty { return }
    #expect(parsed.diagnostics.isEmpty, "\(parsed.messages)")
    #expect(TreeDump.dump(parsed) == dump)
  }

  @Test(arguments: [
    // Further-indented lines and lines that begin with an operator go on; others begin anew.
    ("x = a\n  |> f\n|> g\ny = 1", "x = ((a |> f) |> g)\ny = 1"), ("x =\n  1\ny = 2", "x = 1\ny = 2"),
    ("x = {\n  a = 1\n  -a\n}", "x = block{a = 1; -(a)}"),
    ("x = {\n  a = 1\n    -a\n  a\n}", "x = block{a = (1 - a); a}"),
    ("x = {\n  a = b\n  - c\n  a\n}", "x = block{a = (b - c); a}"), ("x = {\n  f\n    (a)\n}", "x = block{call(f; a)}"),
    ("x = {\n  a = f\n  (a)\n}", "x = block{a = f; paren(a)}"),
    ("x = { a = 1; b = 2\n  a }", "x = block{a = 1; b = 2; a}"),
    ("x = match y {\n  -1 => a\n  -2 => b\n}", "x = match(y; -1 => a; -2 => b)"),
    ("x = match y {\n  A\n  | B => 1\n}", "x = match(y; any(A() | B()) => 1)"),
    ("x = if a\nthen b\nelse c", "x = if(a, b, c)"), ("x = (\na\n,\nb\n)", "x = tuple(a, b)"),
    ("f(x) = {\na = 1\na\n}\ny = 2", "f(x) = block{a = 1; a}\ny = 2"),
    ("vm = {\n  title: label,\n  saved: save\n}", "vm = {title: label, saved: save}"),
    ("  x = 1\n  y = 2", "x = 1\ny = 2"),
    ("type T\n  = A\n  | B", "type T [] [\"A()\", \"B()\"]"), ("x = a // c\n  + b", "x = (a + b)"),
    ("#!/bin/frp\nx = 1", "x = 1"),
    ("x = f(a, y => {\n  z = y\n  z\n})\nw = 1", "x = call(f; a, fn(y) => block{z = y; z})\nw = 1"),
  ])
  func layout(text: String, dump: String) {
    let parsed = Parsed(text)
    #expect(parsed.diagnostics.isEmpty, "\(parsed.messages)")
    #expect(TreeDump.dump(parsed) == dump)
  }

  @Test func testsOfTheLanguage() {
    let parsed = Parsed(
      "test \"t\" {\n  given a = \"--x\" every 100ms with {x: 3, 1: 4}\n  given b = 2.0\n  expect c |> f at 450ms == 2 ± 0.1\n  expect d == \"-A\" every 1s with {A: 1}\n}"
    )
    #expect(parsed.diagnostics.isEmpty, "\(parsed.messages)")
    #expect(
      TreeDump.dump(parsed)
        == "test t given a str(\"--x\") 0.1s x:3,1:4; given b 2.0f - ; at (c |> f) 0.45s 2 0.1f; marbles d str(\"-A\") 1.0s A:1"
    )
  }

  @Test func documentationAndComments() {
    let parsed = Parsed(
      "// plain\n/// One.\n/// Two.\nx = {\n  /// Inner.\n  y = 1 // end\n  y\n}\n\n/// Three.\n\n// between\nz = 1")
    #expect(TreeDump.dump(parsed) == "doc(One.\nTwo.) x = block{doc(Inner.) y = 1; y}\nz = 1")
    let comments = parsed.tree.modules[0].comments
    #expect(comments.count == 7)
    #expect(comments.map(\.ownsLine) == [true, true, true, true, false, true, true])
    #expect(comments.map(\.blankLinesBefore) == [0, 0, 0, 0, 0, 1, 1])
  }

  /// Every node lies inside the one that holds it, and its text is where its span says.
  @Test func spansHoldTheirText() {
    let text = "output total = prices |> map(p => p.amount * 2) |> fold(0, (+))"
    let parsed = Parsed(text)
    let spans = parsed.tree.exprSpans.map { parsed.sources.text($0) }
    #expect(spans.contains("p.amount * 2"))
    #expect(spans.contains("prices |> map(p => p.amount * 2)"))
    #expect(spans.contains("fold(0, (+))"))
    #expect(spans.contains("(+)"))
  }
}
