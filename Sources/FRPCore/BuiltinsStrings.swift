// Rows of the table: strings. Sizes and indices count Characters (what a reader takes for one sign, whatever it is made
// of), from 0. Equality and order are of Unicode scalars, without normalisation, so they are the same everywhere.

extension Builtins {
  static let strings: [Builtin] = [
    Builtin(
      "size", in: "String", "(String) -> Int", .data(.stringSize), ["text"], "How many Characters there are.",
      Example(#"size("héllo")"#, "5")),
    Builtin(
      "isEmpty", in: "String", "(String) -> Bool", .data(.stringIsEmpty), ["text"], "Whether there are no Characters.",
      Example(#"isEmpty("")"#, "true")),
    Builtin(
      "upper", in: "String", "(String) -> String", .data(.stringUpper), ["text"], "In capital letters.",
      Example(#"upper("straße")"#, #""STRASSE""#)),
    Builtin(
      "lower", in: "String", "(String) -> String", .data(.stringLower), ["text"], "In small letters.",
      Example(#"lower("ABC")"#, #""abc""#)),
    Builtin(
      "trim", in: "String", "(String) -> String", .data(.stringTrim), ["text"], "Without white space at either end.",
      Example(#"trim("  a b ")"#, #""a b""#)),
    Builtin(
      "trimStart", in: "String", "(String) -> String", .data(.stringTrimStart), ["text"],
      "Without white space at the start.", Example(#"trimStart("  a ")"#, #""a ""#)),
    Builtin(
      "trimEnd", in: "String", "(String) -> String", .data(.stringTrimEnd), ["text"], "Without white space at the end.",
      Example(#"trimEnd(" a  ")"#, #"" a""#)),
    Builtin(
      "reverse", in: "String", "(String) -> String", .data(.stringReverse), ["text"], "The Characters, last to first.",
      Example(#"reverse("abc")"#, #""cba""#)),
    Builtin(
      "repeat", in: "String", "(String, Int) -> String", .data(.stringRepeat), ["text", "count"],
      "count times the text.",
      Example(#"repeat("ab", 3)"#, #""ababab""#)),
    Builtin(
      "replace", in: "String", "(String, String, String) -> String", .data(.stringReplace), ["text", "part", "by"],
      "Every occurrence of a part replaced, from the left; of an empty part, nothing.",
      Example(#"replace("a-b-c", "-", "+")"#, #""a+b+c""#)),
    Builtin(
      "padStart", in: "String", "(String, Int, String) -> String", .data(.stringPadStart), ["text", "size", "fill"],
      "Filled at the start up to a size.", Example(#"padStart("7", 3, "0")"#, #""007""#)),
    Builtin(
      "padEnd", in: "String", "(String, Int, String) -> String", .data(.stringPadEnd), ["text", "size", "fill"],
      "Filled at the end up to a size.", Example(#"padEnd("ab", 4, ".")"#, #""ab..""#)),
  ]

  static let stringParts: [Builtin] = [
    Builtin(
      "split", in: "String", "(String, String) -> List<String>", .data(.stringSplit), ["text", "separator"],
      "The parts between separators; an empty separator splits into Characters.",
      Example(#"split("a,b,,c", ",")"#, #"["a", "b", "", "c"]"#)),
    Builtin(
      "lines", in: "String", "(String) -> List<String>", .data(.stringLines), ["text"],
      "The lines, without their ends; a line end at the very end opens no line.",
      Example(#"lines("a\nb\n")"#, #"["a", "b"]"#)),
    Builtin(
      "words", in: "String", "(String) -> List<String>", .data(.stringWords), ["text"],
      "What stands between white space.",
      Example(#"words(" to be  ")"#, #"["to", "be"]"#)),
    Builtin(
      "characters", in: "String", "(String) -> List<String>", .data(.stringCharacters), ["text"], "Each Character.",
      Example(#"characters("añ")"#, #"["a", "ñ"]"#)),
    Builtin(
      "join", in: "String", isBare: false, "(List<String>, String) -> String", .data(.listJoin),
      ["texts", "separator"],
      "The texts with the separator between them.", Example(#"String.join(["a", "b"], "-")"#, #""a-b""#)),
    Builtin(
      "take", in: "String", "(String, Int) -> String", .data(.stringTake), ["text", "count"], "The first n Characters.",
      Example(#"take("hello", 2)"#, #""he""#)),
    Builtin(
      "drop", in: "String", "(String, Int) -> String", .data(.stringDrop), ["text", "count"],
      "All but the first n Characters.", Example(#"drop("hello", 2)"#, #""llo""#)),
    Builtin(
      "takeLast", in: "String", "(String, Int) -> String", .data(.stringTakeLast), ["text", "count"],
      "The last n Characters.", Example(#"takeLast("hello", 2)"#, #""lo""#)),
    Builtin(
      "dropLast", in: "String", "(String, Int) -> String", .data(.stringDropLast), ["text", "count"],
      "All but the last n Characters.", Example(#"dropLast("hello", 2)"#, #""hel""#)),
    Builtin(
      "slice", in: "String", "(String, Int, Int) -> String", .data(.stringSlice), ["text", "from", "to"],
      "The Characters from an index up to, not with, another; what is out of range is cut.",
      Example(#"slice("hello", 1, 3)"#, #""el""#)),
    Builtin(
      "get", in: "String", "(String, Int) -> Option<String>", .data(.stringGet), ["text", "index"],
      "The Character at an index.", Example(#"get("abc", 1)"#, #"Some("b")"#)),
  ]

  static let stringTests: [Builtin] = [
    Builtin(
      "contains", in: "String", "(String, String) -> Bool", .data(.stringContains), ["text", "part"],
      "Whether the part occurs.", Example(#"contains("hello", "ell")"#, "true")),
    Builtin(
      "startsWith", in: "String", "(String, String) -> Bool", .data(.stringStartsWith), ["text", "part"],
      "Whether the text begins with the part.", Example(#"startsWith("hello", "he")"#, "true")),
    Builtin(
      "endsWith", in: "String", "(String, String) -> Bool", .data(.stringEndsWith), ["text", "part"],
      "Whether the text ends with the part.", Example(#"endsWith("hello", "lo")"#, "true")),
    Builtin(
      "indexOf", in: "String", "(String, String) -> Option<Int>", .data(.stringIndexOf), ["text", "part"],
      "Where the part first occurs.", Example(#"indexOf("hello", "l")"#, "Some(2)")),
    Builtin(
      "toInt", in: "String", "(String) -> Option<Int>", .data(.stringToInt), ["text"], "The Int that is written there.",
      Example(#"toInt("-42")"#, "Some(-42)"), Example(#"toInt("4.2")"#, "None")),
    Builtin(
      "toFloat", in: "String", "(String) -> Option<Float>", .data(.stringToFloat), ["text"],
      "The Float that is written there.", Example(#"toFloat("2.5e3")"#, "Some(2500.0)"),
      Example(#"toFloat("x")"#, "None")),
    Builtin(
      "code", in: "String", isBare: false, "(String) -> Option<Int>", .data(.stringCode), ["text"],
      "The number of the first Unicode scalar.", Example(#"String.code("A")"#, "Some(65)")),
    Builtin(
      "fromCode", in: "String", isBare: false, "(Int) -> Option<String>", .data(.stringFromCode), ["code"],
      "The Unicode scalar of a number.", Example("String.fromCode(65)", #"Some("A")"#)),
    Builtin(
      "isDigit", in: "String", "(String) -> Bool", .data(.stringIsDigit), ["text"],
      "Whether the text is not empty and only digits 0 to 9.", Example(#"isDigit("042")"#, "true")),
    Builtin(
      "isLetter", in: "String", "(String) -> Bool", .data(.stringIsLetter), ["text"],
      "Whether the text is not empty and only letters.", Example(#"isLetter("é")"#, "true")),
    Builtin(
      "isSpace", in: "String", "(String) -> Bool", .data(.stringIsSpace), ["text"],
      "Whether the text is not empty and only white space.", Example(#"isSpace(" ")"#, "true")),
  ]
}
