// What `frp doc` says of the names with a capital that are no functions of the table: constructors, policies, `Error`.

/// A name with a capital, what it is, and where more is said.
struct ConstructorEntry: Sendable {
  let name: String
  /// As it is written, with what it takes.
  let form: String
  let type: String
  let summary: String
  let example: String
  let result: String

  private init(_ form: String, _ type: String, _ summary: String, _ example: String, _ result: String) {
    name = String(form.prefix { $0 != "(" })
    self.form = form
    self.type = type
    self.summary = summary
    self.example = example
    self.result = result
  }

  /// As entries of the table are shown.
  var text: String {
    "\n### `\(form)`\n\n    \(name): \(type)\n\n\(summary)\n\n```frp\n\(example)   // \(result)\n```\n"
  }

  static let all: [ConstructorEntry] = values + policies + json

  private static let values = [
    ConstructorEntry(
      "Some(x)", "(a) -> Option<a>", "What is there, of an Option: `frp doc Option` shows what works on one.",
      "Some(3) |> map(x => x + 1)", "Some(4)"),
    ConstructorEntry(
      "None", "Option<a>", "What is missing, of an Option; null in JSON, an empty cell in CSV.",
      "None |> withDefault(0)",
      "0"),
    ConstructorEntry(
      "Ok(x)", "(a) -> Result<a, e>", "What worked, of a Result: `frp doc Result` shows what works on one.",
      "Ok(3) |> withDefault(0)", "3"),
    ConstructorEntry(
      "Err(e)", "(e) -> Result<a, e>", "Why it failed, of a Result: an Error, or what you like.",
      "Err({message: \"no\"}) |> withDefault(0)", "0"),
    ConstructorEntry(
      "Error", "{message: String}", "Why something failed: a record with a message, which is made as any record is.",
      "Err({message: \"no\"}) |> mapError(e => e.message)", "Err(\"no\")"),
  ]

  private static let policies = [
    policy("Latest", "Policy", "A new task cancels the one that is under way."),
    policy("All", "Policy", "All tasks are under way at once."),
    policy("Queue", "Policy", "One task at a time; the others wait, in order."),
    policy("Limit(n)", "(=Int) -> Policy", "So many tasks at a time, from 1; the others wait, in order."),
    policy("Ignore", "Policy", "While a task is under way, what comes begins none."),
  ]

  private static func policy(_ form: String, _ type: String, _ summary: String) -> ConstructorEntry {
    let use = form == "Limit(n)" ? "Limit(4)" : form
    return ConstructorEntry(
      form, type, summary, "(every(1s) |> perform(\(use), _ => Task.after(2s, ()))).busy", "false")
  }

  private static let json = [
    ConstructorEntry(
      "Json.Null", "Json", "null, as data of any form: `frp doc Json` shows what works on it.",
      "Json.encode(Json.Null)",
      "\"null\""),
    ConstructorEntry(
      "Json.Bool(b)", "(Bool) -> Json", "true or false, as data of any form.", "Json.encode(Json.Bool(true))",
      "\"true\""),
    ConstructorEntry(
      "Json.Int(n)", "(Int) -> Json", "A whole number, as data of any form.", "Json.int(Json.Int(3))", "Some(3)"),
    ConstructorEntry(
      "Json.Float(x)", "(Float) -> Json", "A number with a fraction, as data of any form.",
      "Json.float(Json.Float(1.5))", "Some(1.5)"),
    ConstructorEntry(
      "Json.String(s)", "(String) -> Json", "A text, as data of any form.", "Json.text(Json.String(\"a\"))",
      "Some(\"a\")"),
    ConstructorEntry(
      "Json.List(list)", "(List<Json>) -> Json", "An array, as data of any form.",
      "Json.encode(Json.List([Json.Int(1), Json.Null]))", "\"[1,null]\""),
    ConstructorEntry(
      "Json.Object(map)", "(Map<String, Json>) -> Json", "An object, as data of any form.",
      "Json.at(Json.Object(Map.fromList([(\"a\", Json.Int(1))])), [\"a\"])", "Some(Json.Int(1))"),
  ]
}
