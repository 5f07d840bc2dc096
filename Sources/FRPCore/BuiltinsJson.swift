// Rows of the table: JSON of any form, and moments of the calendar.

extension Builtins {
  static let jsons: [Builtin] = [
    Builtin(
      "of", in: "Json", isBare: false, "(a) -> Json", .data(.jsonOf), ["x"],
      "Any data as Json: what its JSON reads as. Functions and tasks have none: a fault.",
      Example("Json.of({x: 1.0})", #"Json.Object(Map.fromList([("x", Json.Float(1.0))]))"#)),
    Builtin(
      "as", in: "Json", isBare: false, "(Json) -> Result<a, Error>", .data(.jsonAs), ["json"],
      "The data that Json holds, of the type that its use demands. What may have several forms is tried one after the other, with recover.",
      Example("Json.as(Json.of([1, 2])) |> withDefault([0])", "[1, 2]"),
      Example(#"Json.as(Json.String("x")) |> recover(_ => Json.as(Json.Int(2))) |> withDefault(0)"#, "2")),
    Builtin(
      "at", in: "Json", isBare: false, "(Json, List<String>) -> Option<Json>", .data(.jsonAt), ["json", "path"],
      "What stands at a path of keys, and of indices of lists written as texts; None if nothing does.",
      Example(#"Json.at(Json.of({user: {name: "Ada"}}), ["user", "name"])"#, #"Some(Json.String("Ada"))"#),
      Example(#"Json.at(Json.of({xs: [7, 8]}), ["xs", "1"])"#, "Some(Json.Int(8))"),
      Example(#"Json.at(Json.Null, ["x"])"#, "None")),
    Builtin(
      "text", in: "Json", isBare: false, "(Json) -> Option<String>", .data(.jsonContent), ["json"],
      "The String, if it is one.", Example(#"Json.text(Json.of("a"))"#, #"Some("a")"#)),
    Builtin(
      "int", in: "Json", isBare: false, "(Json) -> Option<Int>", .data(.jsonContent), ["json"],
      "The Int, if it is one.", Example("Json.int(Json.Int(3))", "Some(3)"),
      Example("Json.int(Json.Float(3.0))", "None")),
    Builtin(
      "float", in: "Json", isBare: false, "(Json) -> Option<Float>", .data(.jsonContent), ["json"],
      "The number, if it is one; of an Int as well.", Example("Json.float(Json.Int(3))", "Some(3.0)")),
    Builtin(
      "bool", in: "Json", isBare: false, "(Json) -> Option<Bool>", .data(.jsonContent), ["json"],
      "The Bool, if it is one.", Example("Json.bool(Json.of(true))", "Some(true)")),
    Builtin(
      "list", in: "Json", isBare: false, "(Json) -> Option<List<Json>>", .data(.jsonContent), ["json"],
      "The elements, if it is a list.",
      Example("Json.list(Json.of([1])) |> withDefault([]) |> filterMap(Json.int)", "[1]")),
    Builtin(
      "object", in: "Json", isBare: false, "(Json) -> Option<Map<String, Json>>", .data(.jsonContent), ["json"],
      "The values by their keys, if it is an object.",
      Example("Json.object(Json.of({b: 1, a: 2})) |> map(keys)", #"Some(["a", "b"])"#)),
  ]

  static let dates: [Builtin] = [
    Builtin(
      "epoch", in: "Date", isBare: false, "Float", .data(.dateEpoch), [],
      "The moment of time 0, in seconds since 1970 (UTC), so that Date.epoch + time is now. In a live run that of its start, with --time or --from theirs, in a replay that of the recording, else what the host says; 0.0 without one, as in tests.",
      Example("Date.epoch", "0.0")),
    Builtin(
      "parse", in: "Date", isBare: false, "(String) -> Option<Float>", .data(.dateParse), ["text"],
      "The moment of an ISO 8601 or RFC 2822 text, in seconds since 1970 (UTC): a date alone is its midnight, offsets such as +02:00 count, and a day that does not exist is None. The forms of C and of web servers' logs are understood, too, and 2.1.2026 with or without a time. Where only people can tell day and month apart, a pattern says it.",
      Example(#"Date.parse("2026-01-02T03:04:05.6Z")"#, "Some(1767323045.6)"),
      Example(#"Date.parse("Mon, 02 Jan 2006 15:04:05 -0700")"#, "Some(1136239445.0)"),
      Example(#"Date.parse("2026-02-30")"#, "None")),
    Builtin(
      "parse", in: "Date", isBare: false, "(String, String) -> Option<Float>", .data(.dateParseIn),
      ["text", "pattern"],
      "The moment of a text in a pattern of yyyy MM dd HH mm ss SSS and any other signs, in UTC, as Date.format writes it. What the pattern has not is that of 1970-01-01; AM, PM and an offset such as +02:00 may stand behind it.",
      Example(#"Date.parse("1/31/2026 9:05 PM", "MM/dd/yyyy HH:mm")"#, "Some(1769893500.0)"),
      Example(#"Date.parse("20260102", "yyyyMMdd")"#, "Some(1767312000.0)"),
      Example(#"Date.parse("1/31/2026", "dd/MM/yyyy")"#, "None")),
    Builtin(
      "format", in: "Date", isBare: false, "(Float, String) -> String", .data(.dateFormat), ["seconds", "pattern"],
      "A moment in a pattern of yyyy MM dd HH mm ss SSS (a digit of the fraction for each S) and any other signs, in UTC. Outside of the years 0 to 9999 it is a fault.",
      Example(#"Date.format(1767323045.6, "dd/MM/yyyy HH:mm:ss.SSS")"#, #""02/01/2026 03:04:05.600""#)),
    Builtin(
      "parts", in: "Date", isBare: false,
      "(Float) -> {year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, weekday: Int, dayOfYear: Int, week: Int}",
      .data(.dateParts), ["seconds"],
      "A moment taken apart, in UTC: weekday counts from 1 on Monday, week as ISO 8601 does. Outside of the years 0 to 9999 it is a fault.",
      Example(
        "Date.parts(1767323045.6)",
        "{day: 2, dayOfYear: 2, hour: 3, minute: 4, month: 1, second: 5, week: 1, weekday: 5, year: 2026}")),
    Builtin(
      "fromParts", in: "Date", isBare: false,
      "({year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, ...}) -> Option<Float>",
      .data(.dateFromParts), ["parts"],
      "The moment of a day and a time of day; None if there is no such day or time. Other fields do not count.",
      Example("Date.fromParts({year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5})", "Some(1767323045.0)"),
      Example("Date.fromParts({...Date.parts(0.0), day: 32})", "None")),
    Builtin(
      "addMonths", in: "Date", isBare: false, "(Float, Int) -> Float", .data(.dateAddMonths), ["seconds", "months"],
      "The same day and time so many months later, or the month's last day where that day does not exist.",
      Example(#"Date.format(Date.addMonths(1769817600.0, 1), "yyyy-MM-dd")"#, #""2026-02-28""#)),
  ]
}
