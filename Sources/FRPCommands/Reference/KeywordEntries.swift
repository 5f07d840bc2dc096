// What `frp doc` and the prompt's `?name` say of the words of the language that are no names.

/// A word, how it is written, and a program that uses it.
struct KeywordEntry: Sendable {
  let name: String
  let form: String
  let summary: String
  /// A program that checks, and whose tests hold.
  let example: String

  private init(_ name: String, _ form: String, _ summary: String, _ example: String) {
    (self.name, self.form, self.summary, self.example) = (name, form, summary, example)
  }

  /// As entries of the table are shown.
  var text: String { "\n### `\(name)`\n\n    \(form)\n\n\(summary)\n\n```frp\n\(example)\n```\n" }

  static let all: [KeywordEntry] = declarations + expressions + tests

  static func find(_ name: String) -> KeywordEntry? {
    let name = ["then", "else"].contains(name) ? "if" : name
    return all.first { $0.name == name }
  }

  private static let declarations = [
    KeywordEntry(
      "input", "input NAME: Event<TYPE> [from SOURCE]\ninput NAME: Behavior<TYPE> = START [from SOURCE]",
      "What comes from outside: what happens, or a value that is changed from there. It comes from `--in`, a trace, `:push`, a host, or a source.",
      "input clicks: Event<()>\ninput speed: Behavior<Float> = 1.0\noutput n = clicks |> count\noutput twice = speed * 2.0"
    ),
    KeywordEntry(
      "output", "output NAME = EXPRESSION [to SINK]\noutput NAME, NAME",
      "What a program shows: events as they occur, behaviors when they change. With `to`, each value is given to a sink.",
      "input x: Event<Int>\noutput sum = x |> scan(0, (s, v) => s + v)"),
    KeywordEntry(
      "from", "input NAME: TYPE from SOURCE",
      "Where an input comes from when nobody says otherwise: a file, an address, a port. What it reaches is granted by `--allow-read` and the like.",
      "input line: Event<String> from Files.lines(\"access.log\")\noutput n = line |> count"),
    KeywordEntry(
      "to", "output NAME = EXPRESSION to SINK",
      "Where the values of an output go: a function that gives a task for each.",
      "input line: Event<String>\noutput loud = line |> map(upper) to text => Files.append(\"loud.txt\", text)"),
    KeywordEntry(
      "type", "type NAME = CASE(TYPE, …) | CASE | …",
      "A type of one's own: its cases, each with what it holds. `match` tells them apart.",
      "type Edit = Add(String) | Clear\napply(list, edit) = match edit { Add(x) => [x, ...list]; Clear => [] }"),
    KeywordEntry(
      "alias", "alias NAME = TYPE", "A short name for a type.",
      "alias Point = {x: Float, y: Float}\norigin: Point = {x: 0.0, y: 0.0}"),
    KeywordEntry(
      "import", "import NAME", "The definitions of NAME.frp beside this file, as `NAME.definition`.",
      "// with `import Shop` and a file Shop.frp: Shop.price(3)"),
  ]

  private static let expressions = [
    KeywordEntry(
      "if", "if CONDITION then VALUE else VALUE",
      "One of two values; of behaviors, at every moment the one that then holds.",
      "input temperature: Behavior<Float> = 20.0\noutput heating = if temperature < 19.0 then \"on\" else \"off\""),
    KeywordEntry(
      "match", "match VALUE { PATTERN [if CONDITION] => VALUE; … }",
      "The value of the first arm whose pattern fits. All cases must be covered: `_` is any.",
      "input word: Event<String>\noutput number = word |> map(w => match toInt(w) { Some(n) if n > 0 => n; _ => 0 })"),
    KeywordEntry(
      "as", "PATTERN as NAME", "A name for the whole of what a pattern takes apart.",
      "described(pair) = match pair { (0, _) as p => \"{p}\"; (a, b) => \"{a + b}\" }"),
  ]

  private static let tests = [
    test(
      "test", "test \"TEXT\" { STEPS }",
      "What a program is to show, beside it: `frp test` runs it in simulated time, from the start of the program."),
    test(
      "given", "given INPUT = \"LANE\" every DURATION [with {LETTER: VALUE}]\ngiven INPUT = VALUE",
      "In a `test`: what an input brings. A character of a lane is a moment, `-` nothing, `[ab]` two at once; letters stand for values."
    ),
    test(
      "expect",
      "expect NAME at DURATION == VALUE [± TOLERANCE]\nexpect EVENT == \"LANE\" every DURATION [with {LETTER: VALUE}]",
      "In a `test`: what holds at a moment, or all that an event brings up to the last moment of the lane."),
    test(
      "with", "… every DURATION with {LETTER: VALUE, …}",
      "In a `test`: the values that the letters of a lane stand for."),
  ]

  private static func test(_ name: String, _ form: String, _ summary: String) -> KeywordEntry {
    KeywordEntry(
      name, form, summary,
      """
      input x: Event<Int>
      output sum = x |> scan(0, (s, v) => s + v)
      test "a running sum" {
        given x = "-a-b" every 1s with {a: 2, b: 40}
        expect sum == "-A-B" every 1s with {A: 2, B: 42}
        expect hold(sum, 0) at 2s == 2
      }
      """)
  }
}
