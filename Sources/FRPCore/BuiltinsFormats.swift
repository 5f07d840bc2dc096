// Rows of the table: text formats, regular expressions, random numbers and tasks.

extension Builtins {
  static let formats: [Builtin] = [
    Builtin(
      "encode", in: "Json", isBare: false, "(a) -> String", .data(.jsonEncode), ["x"], "Any data as JSON.",
      Example("Json.encode({x: 1.0, y: Some(2)})", #""\{\"x\":1.0,\"y\":2}""#)),
    Builtin(
      "decode", in: "Json", isBare: false, "(String) -> Result<a, Error>", .data(.jsonDecode), ["text"],
      "The data a JSON text holds, of the type that its use demands.",
      Example(#"Json.decode("[1, 2]") |> withDefault([0])"#, "[1, 2]"),
      Example(#"Json.decode("[1, x]") |> withDefault([0])"#, "[0]"),
      Example(#"Json.decode("\{\"price\": 2, \"name\": \"x\"}") |> map(r => r.price * 2.0) |> withDefault(0.0)"#, "4.0")
    ),
    Builtin(
      "encode", in: "Csv", isBare: false, "(List<a>) -> String", .data(.csvEncode), ["rows"],
      "A list of records (or tuples) as CSV; field names are the first line.",
      Example(#"Csv.encode([{name: "a", price: 1}])"#, #""name,price\na,1\n""#)),
    Builtin(
      "decode", in: "Csv", isBare: false, "(String) -> Result<List<a>, Error>", .data(.csvDecode), ["text"],
      "The records of a CSV text whose first line names the fields.",
      Example(
        #"Csv.decode("price,name\n1,a\n") |> withDefault([{name: "", price: 0}])"#, #"[{name: "a", price: 1}]"#)),
    Builtin(
      "fixed", in: "Format", isBare: false, "(Float, Int) -> String", .data(.formatFixed), ["x", "digits"],
      "With a number of digits after the point; exact halves go away from zero.",
      Example("Format.fixed(3.14159, 2)", #""3.14""#)),
    Builtin(
      "toFixed", in: "Format", "(Float, Int) -> String", .data(.formatFixed), ["x", "digits"], "Format.fixed.",
      Example("toFixed(2.0, 1)", #""2.0""#)),
    Builtin(
      "scientific", in: "Format", isBare: false, "(Float, Int) -> String", .data(.formatScientific), ["x", "digits"],
      "With one digit before the point and an exponent.", Example("Format.scientific(12345.0, 2)", #""1.23e4""#)),
    Builtin(
      "percent", in: "Format", isBare: false, "(Float, Int) -> String", .data(.formatPercent), ["x", "digits"],
      "A hundred times as much, with a percent sign.", Example("Format.percent(0.125, 1)", #""12.5%""#)),
    Builtin(
      "thousands", in: "Format", isBare: false, "(Int, String) -> String", .data(.formatThousands), ["n", "separator"],
      "Digits in groups of three.", Example(#"Format.thousands(1234567, ",")"#, #""1,234,567""#)),
    Builtin(
      "padded", in: "Format", isBare: false, "(Int, Int) -> String", .data(.formatPadded), ["n", "digits"],
      "With leading zeros up to a number of digits.", Example("Format.padded(7, 3)", #""007""#)),
    Builtin(
      "radix", in: "Format", isBare: false, "(Int, Int) -> String", .data(.formatRadix), ["n", "base"],
      "In another base, 2 to 36.", Example("Format.radix(255, 16)", #""ff""#)),
    Builtin(
      "fromRadix", in: "Format", isBare: false, "(String, Int) -> Option<Int>", .data(.parseRadix), ["text", "base"],
      "The Int that is written in a base, 2 to 36.", Example(#"Format.fromRadix("ff", 16)"#, "Some(255)")),
  ]

  static let regexes: [Builtin] = [
    Builtin(
      "matches", in: "Regex", isBare: false, "(String, String) -> Bool", .data(.regexMatches), ["text", "pattern"],
      "Whether the whole text fits. Patterns are Perl's without back-references and look-around; matching takes time linear in the text. A malformed pattern is a fault.",
      Example(##"Regex.matches("2024", "[0-9]+")"##, "true")),
    Builtin(
      "contains", in: "Regex", isBare: false, "(String, String) -> Bool", .data(.regexContains), ["text", "pattern"],
      "Whether a part of the text fits.", Example(##"Regex.contains("room 101", "[0-9]+")"##, "true")),
    Builtin(
      "find", in: "Regex", isBare: false,
      "(String, String) -> Option<{text: String, index: Int, groups: List<Option<String>>}>", .data(.regexFind),
      ["text", "pattern"], "The first part that fits: its text, where it begins, and what each (group) caught.",
      Example(
        ##"Regex.find("room 101", "([0-9])([0-9]+)")"##,
        ##"Some({groups: [Some("1"), Some("01")], index: 5, text: "101"})"##)),
    Builtin(
      "findAll", in: "Regex", isBare: false,
      "(String, String) -> List<{text: String, index: Int, groups: List<Option<String>>}>", .data(.regexFindAll),
      ["text", "pattern"], "All parts that fit, from the left, without overlap.",
      Example(##"Regex.findAll("a1b22", "[0-9]+") |> map(.text)"##, ##"["1", "22"]"##)),
    Builtin(
      "replace", in: "Regex", isBare: false, "(String, String, String) -> String", .data(.regexReplace),
      ["text", "pattern", "by"],
      "All parts that fit replaced; $1 stands for the first group, $0 for the part, $$ for $.",
      Example(##"Regex.replace("a1b22", "[0-9]+", "<$0>")"##, ##""a<1>b<22>""##)),
    Builtin(
      "replaceWith", in: "Regex", isBare: false,
      "(String, String, ({text: String, index: Int, groups: List<Option<String>>}) -> String) -> String",
      .data(.regexReplaceWith), ["text", "pattern", "f"], "All parts that fit replaced by what f makes of them.",
      Example(##"Regex.replaceWith("a1b22", "[0-9]+", m => "{size(m.text)}")"##, ##""a1b2""##)),
    Builtin(
      "split", in: "Regex", isBare: false, "(String, String) -> List<String>", .data(.regexSplit), ["text", "pattern"],
      "What stands between the parts that fit.", Example(##"Regex.split("a1b22c", "[0-9]+")"##, ##"["a", "b", "c"]"##)),
  ]

  static let randoms: [Builtin] = [
    Builtin(
      "seed", in: "Random", isBare: false, "Int", .data(.randomSeed), [],
      "The seed of the run, given by --seed; 0 if none was.", Example("Random.seed", "0")),
    Builtin(
      "next", in: "Random", isBare: false, "(Int) -> Int", .data(.randomNext), ["seed"],
      "Another seed: the one that follows.", Example("Random.next(1) == Random.next(1)", "true")),
    Builtin(
      "int", in: "Random", isBare: false, "(Int, Int, Int) -> (Int, Int)", .data(.randomInt), ["seed", "low", "high"],
      "A number in low…high, each as likely, and the next seed.",
      Example("Tuple.first(Random.int(7, 5, 5))", "5")),
    Builtin(
      "float", in: "Random", isBare: false, "(Int) -> (Float, Int)", .data(.randomFloat), ["seed"],
      "A number in 0.0…1.0, without 1.0, and the next seed.",
      Example("Tuple.first(Random.float(7)) < 1.0", "true")),
    Builtin(
      "ints", in: "Random", isBare: false, "(Int, Int, Int, Int) -> List<Int>", .data(.randomInts),
      ["seed", "count", "low", "high"], "count numbers in low…high.",
      Example("Random.ints(7, 3, 1, 1)", "[1, 1, 1]")),
    Builtin(
      "floats", in: "Random", isBare: false, "(Int, Int) -> List<Float>", .data(.randomFloats), ["seed", "count"],
      "count numbers in 0.0…1.0, without 1.0.", Example("size(Random.floats(7, 3))", "3")),
    Builtin(
      "shuffle", in: "Random", isBare: false, "(List<a>, Int) -> List<a>", .data(.randomShuffle), ["list", "seed"],
      "The elements in another order, each as likely.", Example("sort(Random.shuffle([1, 2, 3], 7))", "[1, 2, 3]")),
    Builtin(
      "pick", in: "Random", isBare: false, "(List<a>, Int) -> Option<a>", .data(.randomPick), ["list", "seed"],
      "One element, each as likely.", Example("Random.pick([4], 7)", "Some(4)")),
  ]

  static let secrets: [Builtin] = [
    Builtin(
      "of", in: "Secret", isBare: false, "(String) -> Secret", .data(.secretOf), ["text"],
      "A text that is shown as `•••`, wherever it goes; `++` joins secrets.",
      Example(#"Secret.of("Bearer ") ++ Secret.of("x")"#, "•••"))
  ]

  static let taskSources: [Builtin] = [
    Builtin(
      "fromList", in: "Source", isBare: false, "(List<(Float, a)>) -> Source<a>", .data(.sourceFromList), ["values"],
      "Brings each value that many seconds after the one before it, and then ends. What comes 0 seconds after another comes in the same instant."
    ),
    Builtin(
      "lane", in: "Source", isBare: false, "(List<(Float, a)>) -> Source<a>", .data(.sourceLane), ["values"],
      "As `Source.fromList`, but it stays open behind the last."),
    Builtin(
      "fail", in: "Source", isBare: false, "(String) -> Source<a>", .data(.sourceFail), ["message"],
      "Ends with an error and brings nothing."),
    Builtin(
      "map", in: "Source", "(Source<a>, (a) -> b) -> Source<b>", .data(.sourceMap), ["source", "f"],
      "Each value through f."),
    Builtin(
      "filterMap", in: "Source", "(Source<a>, (a) -> Option<b>) -> Source<b>", .data(.sourceFilterMap),
      ["source", "f"], "The contents of every Some that f gives."),
    Builtin(
      "reconnect", in: "Source", "(Source<a>, (Int) -> Option<Float>) -> Source<a>", .data(.sourceReconnect),
      ["source", "wait"],
      "When it has ended for the n-th time without a value, from 1, listens again in as many seconds as wait(n) says, or ends as it ended at None."
    ),
  ]

  static let tasks: [Builtin] = [
    Builtin(
      "succeed", in: "Task", isBare: false, "(a) -> Task<a>", .data(.taskSucceed), ["x"], "Ends with x."),
    Builtin(
      "fail", in: "Task", isBare: false, "(String) -> Task<a>", .data(.taskFail), ["message"], "Ends with an error."),
    Builtin(
      "fromResult", in: "Task", isBare: false, "(Result<a, Error>) -> Task<a>", .data(.taskFromResult), ["result"],
      "Ends with the result."),
    Builtin(
      "after", in: "Task", isBare: false, "(Float, a) -> Task<a>", .data(.taskAfter), ["delay", "x"],
      "Ends with x, d seconds after it began."),
    Builtin(
      "all", in: "Task", isBare: false, "(List<Task<a>>) -> Task<List<a>>", .data(.taskAll), ["tasks"],
      "Performs all at once and ends with their values in order; the first failure ends it and cancels the rest."),
    Builtin(
      "race", in: "Task", isBare: false, "(List<Task<a>>) -> Task<a>", .data(.taskRace), ["tasks"],
      "Performs all at once and ends as the first that ends, in the order of the list at one time; the rest are cancelled."
    ),
    Builtin(
      "map", in: "Task", "(Task<a>, (a) -> b) -> Task<b>", .data(.taskMap), ["task", "f"], "Its value through f."),
    Builtin(
      "andThen", in: "Task", "(Task<a>, (a) -> Task<b>) -> Task<b>", .data(.taskAndThen), ["task", "next"],
      "When it succeeds, goes on with the task that next gives for its value."),
    Builtin(
      "recover", in: "Task", "(Task<a>, (Error) -> Task<a>) -> Task<a>", .data(.taskRecover), ["task", "next"],
      "When it fails, goes on with the task that next gives for the error."),
    Builtin(
      "retry", in: "Task", "(Task<a>, Int) -> Task<a>", .data(.taskRetry), ["task", "times"],
      "When it fails, tries again, at most that many times."),
    Builtin(
      "retryWith", in: "Task", "(Task<a>, (Int) -> Option<Float>) -> Task<a>", .data(.taskRetryWith), ["task", "wait"],
      "After the n-th failure, from 1, tries again in as many seconds as wait(n) says, or gives up at None."),
    Builtin(
      "timeout", in: "Task", "(Task<a>, Float) -> Task<a>", .data(.taskTimeout), ["task", "limit"],
      "Fails with a message that contains \"timeout\" if it has not ended after so many seconds."),
  ]
}
