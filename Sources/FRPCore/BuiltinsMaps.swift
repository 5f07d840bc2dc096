// Rows of the table: maps, options and results. Maps are kept in the order of their keys; functions of their entries
// take the key first. `flatMap` of an option or result is also called `andThen`.

extension Builtins {
  static let maps: [Builtin] = [
    Builtin(
      "empty", in: "Map", isBare: false, "Map<k, v>", .data(.mapEmpty), [], "No entries.",
      Example("Map.empty |> set(1, true)", "Map.fromList([(1, true)])")),
    Builtin(
      "fromList", in: "Map", isBare: false, "Eq k => (List<(k, v)>) -> Map<k, v>", .data(.mapFromList), ["entries"],
      "A map of pairs; the last of one key counts.",
      Example(#"Map.fromList([(2, "b"), (1, "a")])"#, #"Map.fromList([(1, "a"), (2, "b")])"#)),
    Builtin(
      "get", in: "Map", "(Map<k, v>, k) -> Option<v>", .data(.mapGet), ["map", "key"], "The value of a key.",
      Example("Map.fromList([(1, true)]) |> get(1)", "Some(true)")),
    Builtin(
      "getOr", in: "Map", "(Map<k, v>, k, v) -> v", .data(.mapGetOr), ["map", "key", "default"],
      "The value of a key, or the default.", Example(#"Map.fromList([("a", 1)]) |> getOr("b", 0)"#, "0")),
    Builtin(
      "set", in: "Map", "Eq k => (Map<k, v>, k, v) -> Map<k, v>", .data(.mapSet), ["map", "key", "value"],
      "The map with a value for a key.",
      Example("Map.fromList([(1, 10)]) |> set(2, 20)", "Map.fromList([(1, 10), (2, 20)])")),
    Builtin(
      "update", in: "Map", "Eq k => (Map<k, v>, k, (Option<v>) -> Option<v>) -> Map<k, v>", .data(.mapUpdate),
      ["map", "key", "f"], "The map with what f makes of a key's value; None is no entry.",
      Example(
        #"Map.fromList([("a", 1)]) |> update("a", old => Some(withDefault(old, 0) + 1))"#, #"Map.fromList([("a", 2)])"#)
    ),
    Builtin(
      "add", in: "Map", "Eq k, Num n => (Map<k, n>, k, n) -> Map<k, n>", .data(.mapAdd), ["map", "key", "n"],
      "The map with n more for a key; n itself for one that it has not.",
      Example(#"Map.fromList([("a", 1)]) |> add("a", 2) |> add("b", 5)"#, #"Map.fromList([("a", 3), ("b", 5)])"#)),
    Builtin(
      "remove", in: "Map", "(Map<k, v>, k) -> Map<k, v>", .data(.mapRemove), ["map", "key"], "The map without a key.",
      Example("Map.fromList([(1, 10), (2, 20)]) |> remove(1)", "Map.fromList([(2, 20)])")),
    Builtin(
      "contains", in: "Map", "(Map<k, v>, k) -> Bool", .data(.mapContains), ["map", "key"],
      "Whether there is such a key.",
      Example("Map.fromList([(1, 10)]) |> contains(2)", "false")),
    Builtin(
      "size", in: "Map", "(Map<k, v>) -> Int", .data(.mapSize), ["map"], "How many entries there are.",
      Example("size(Map.fromList([(1, 10)]))", "1")),
    Builtin(
      "isEmpty", in: "Map", "(Map<k, v>) -> Bool", .data(.mapIsEmpty), ["map"], "Whether there are no entries.",
      Example("isEmpty(Map.fromList([(1, 10)]))", "false")),
    Builtin(
      "keys", in: "Map", "(Map<k, v>) -> List<k>", .data(.mapKeys), ["map"], "The keys, in order.",
      Example("keys(Map.fromList([(2, 20), (1, 10)]))", "[1, 2]")),
    Builtin(
      "values", in: "Map", "(Map<k, v>) -> List<v>", .data(.mapValues), ["map"],
      "The values, in the order of their keys.",
      Example("values(Map.fromList([(2, 20), (1, 10)]))", "[10, 20]")),
    Builtin(
      "toList", in: "Map", "(Map<k, v>) -> List<(k, v)>", .data(.mapToList), ["map"],
      "The entries, in the order of keys.",
      Example("toList(Map.fromList([(2, 20), (1, 10)]))", "[(1, 10), (2, 20)]")),
  ]

  static let mapFunctions: [Builtin] = [
    Builtin(
      "map", in: "Map", "(Map<k, v>, (k, v) -> w) -> Map<k, w>", .data(.mapMap), ["map", "f"],
      "Each value, with its key before it, through f.",
      Example("Map.fromList([(1, 10)]) |> map((k, v) => k + v)", "Map.fromList([(1, 11)])")),
    Builtin(
      "map", in: "Map", "(Map<k, v>, (v) -> w) -> Map<k, w>", .data(.mapMapValues), ["map", "f"],
      "Each value through f, a function of one parameter.",
      Example("Map.fromList([(1, 10)]) |> map(v => v + 1)", "Map.fromList([(1, 11)])")),
    Builtin(
      "mapValues", in: "Map", "(Map<k, v>, (v) -> w) -> Map<k, w>", .data(.mapMapValues), ["map", "f"],
      "Each value through f.", Example("Map.fromList([(1, 10)]) |> mapValues(v => v + 1)", "Map.fromList([(1, 11)])")),
    Builtin(
      "filter", in: "Map", "(Map<k, v>, (k, v) -> Bool) -> Map<k, v>", .data(.mapFilter), ["map", "keep"],
      "The entries for which keep holds.",
      Example("Map.fromList([(1, 10), (2, 20)]) |> filter((_, v) => v > 10)", "Map.fromList([(2, 20)])")),
    Builtin(
      "filter", in: "Map", "(Map<k, v>, (v) -> Bool) -> Map<k, v>", .data(.mapFilterValues), ["map", "keep"],
      "The entries for whose values keep holds, a function of one parameter.",
      Example("Map.fromList([(1, 10), (2, 20)]) |> filter(v => v > 10)", "Map.fromList([(2, 20)])")),
    Builtin(
      "fold", in: "Map", "(Map<k, v>, b, (b, k, v) -> b) -> b", .data(.mapFold), ["map", "start", "step"],
      "The result of step over all entries, in the order of keys.",
      Example("Map.fromList([(1, 10), (2, 20)]) |> fold(0, (s, _, v) => s + v)", "30")),
    Builtin(
      "union", in: "Map", "Eq k => (Map<k, v>, Map<k, v>) -> Map<k, v>", .data(.mapUnion), ["first", "second"],
      "The entries of both; where both have a key, that of the first.",
      Example("union(Map.fromList([(1, 10)]), Map.fromList([(1, 0), (2, 20)]))", "Map.fromList([(1, 10), (2, 20)])")),
    Builtin(
      "unionWith", in: "Map", "Eq k => (Map<k, v>, Map<k, v>, (v, v) -> v) -> Map<k, v>", .data(.mapUnionWith),
      ["first", "second", "join"], "The entries of both; where both have a key, what join makes of their values.",
      Example("unionWith(Map.fromList([(1, 10)]), Map.fromList([(1, 5)]), (+))", "Map.fromList([(1, 15)])")),
  ]

  static let options: [Builtin] = [
    Builtin(
      "withDefault", in: "Option", "(Option<a>, a) -> a", .data(.optionWithDefault), ["option", "default"],
      "The content, or the default.", Example("withDefault(Some(1), 0)", "1"), Example("withDefault(None, 0)", "0")),
    Builtin(
      "map", in: "Option", "(Option<a>, (a) -> b) -> Option<b>", .data(.optionMap), ["option", "f"],
      "The content through f.",
      Example("Some(1) |> map(x => x + 1)", "Some(2)")),
    Builtin(
      "map2", in: "Option", "(Option<a>, Option<b>, (a, b) -> c) -> Option<c>", .data(.optionMap2),
      ["first", "second", "f"], "Both contents through f; None if one has none.",
      Example("map2(Some(1), Some(2), (+))", "Some(3)")),
    Builtin(
      "flatMap", in: "Option", "(Option<a>, (a) -> Option<b>) -> Option<b>", .data(.optionFlatMap), ["option", "f"],
      "What f gives for the content.", Example(#"Some("7") |> flatMap(toInt)"#, "Some(7)")),
    Builtin(
      "andThen", in: "Option", "(Option<a>, (a) -> Option<b>) -> Option<b>", .data(.optionFlatMap), ["option", "f"],
      "flatMap.", Example(#"Some("x") |> andThen(toInt)"#, "None")),
    Builtin(
      "filter", in: "Option", "(Option<a>, (a) -> Bool) -> Option<a>", .data(.optionFilter), ["option", "keep"],
      "None, if keep does not hold for the content.", Example("Some(1) |> filter(x => x > 1)", "None")),
    Builtin(
      "orElse", in: "Option", "(Option<a>, Option<a>) -> Option<a>", .data(.optionOrElse), ["option", "other"],
      "The first if it has content, else the other.", Example("None |> orElse(Some(2))", "Some(2)")),
    Builtin(
      "isSome", in: "Option", "(Option<a>) -> Bool", .data(.optionIsSome), ["option"], "Whether there is content.",
      Example("isSome(Some(1))", "true")),
    Builtin(
      "isNone", in: "Option", "(Option<a>) -> Bool", .data(.optionIsNone), ["option"], "Whether there is no content.",
      Example("isNone(Some(1))", "false")),
    Builtin(
      "toResult", in: "Option", "(Option<a>, e) -> Result<a, e>", .data(.optionToResult), ["option", "error"],
      "Ok of the content, or Err of the error.", Example(#"toResult(Some(1), "none")"#, "Ok(1)")),
    Builtin(
      "toList", in: "Option", "(Option<a>) -> List<a>", .data(.optionToList), ["option"],
      "A list of the content, or an empty one.", Example("toList(Some(1))", "[1]")),
    Builtin(
      "all", in: "Option", isBare: false, "(List<Option<a>>) -> Option<List<a>>", .data(.optionAll), ["list"],
      "All contents, or None if one is missing.", Example("Option.all([Some(1), Some(2)])", "Some([1, 2])")),
  ]

  static let results: [Builtin] = [
    Builtin(
      "attempt", in: "Result", "(a) -> Result<a, Error>", .data(.attempt), ["x"],
      "Ok of a value, or Err with the message of the fault that computing it is; a limit stays a fault. What reaches it through "
        + "parameters is computed here, too.",
      Example("attempt(6 / 3.0)", "Ok(2.0)"), Example("isErr(attempt(div(1, 0)))", "true")),
    Builtin(
      "withDefault", in: "Result", "(Result<a, e>, a) -> a", .data(.resultWithDefault), ["result", "default"],
      "The value, or the default.", Example(#"withDefault(Err("bad"), 0)"#, "0")),
    Builtin(
      "map", in: "Result", "(Result<a, e>, (a) -> b) -> Result<b, e>", .data(.resultMap), ["result", "f"],
      "The value through f.", Example(#"toResult(Some(1), "none") |> map(x => x + 1)"#, "Ok(2)")),
    Builtin(
      "map2", in: "Result", "(Result<a, e>, Result<b, e>, (a, b) -> c) -> Result<c, e>", .data(.resultMap2),
      ["first", "second", "f"], "Both values through f, or the first error.",
      Example(#"map2(toResult(Some(1), "none"), Err("bad"), (+))"#, #"Err("bad")"#)),
    Builtin(
      "flatMap", in: "Result", "(Result<a, e>, (a) -> Result<b, e>) -> Result<b, e>", .data(.resultFlatMap),
      ["result", "f"], "What f gives for the value.",
      Example(#"toResult(Some("7"), "none") |> flatMap(s => toResult(toInt(s), "no number"))"#, "Ok(7)")),
    Builtin(
      "andThen", in: "Result", "(Result<a, e>, (a) -> Result<b, e>) -> Result<b, e>", .data(.resultFlatMap),
      ["result", "f"], "flatMap.",
      Example(#"toResult(Some("x"), "none") |> andThen(s => toResult(toInt(s), "no number"))"#, #"Err("no number")"#)),
    Builtin(
      "mapError", in: "Result", "(Result<a, e>, (e) -> f) -> Result<a, f>", .data(.resultMapError), ["result", "f"],
      "The error through f.", Example(#"toResult(toInt("x"), "bad") |> mapError(upper)"#, #"Err("BAD")"#)),
    Builtin(
      "recover", in: "Result", "(Result<a, e>, (e) -> Result<a, f>) -> Result<a, f>", .data(.resultRecover),
      ["result", "f"], "What f gives for the error.",
      Example(#"toResult(toInt("x"), "bad") |> recover(text => if text == "bad" then Ok(0) else Err(text))"#, "Ok(0)")),
    Builtin(
      "isOk", in: "Result", "(Result<a, e>) -> Bool", .data(.resultIsOk), ["result"], "Whether there is a value.",
      Example(#"isOk(toResult(Some(1), "none"))"#, "true")),
    Builtin(
      "isErr", in: "Result", "(Result<a, e>) -> Bool", .data(.resultIsErr), ["result"], "Whether there is an error.",
      Example(#"isErr(toResult(Some(1), "none"))"#, "false")),
    Builtin(
      "ok", in: "Result", "(Result<a, e>) -> Option<a>", .data(.resultOk), ["result"], "The value, if there is one.",
      Example(#"[toResult(Some(1), "none"), Err("bad")] |> filterMap(ok)"#, "[1]")),
    Builtin(
      "toOption", in: "Result", "(Result<a, e>) -> Option<a>", .data(.resultOk), ["result"], "ok.",
      Example(#"toOption(toResult(Some(1), "none"))"#, "Some(1)")),
    Builtin(
      "err", in: "Result", "(Result<a, e>) -> Option<e>", .data(.resultErr), ["result"], "The error, if there is one.",
      Example(#"err(toResult(toInt("x"), "bad"))"#, #"Some("bad")"#)),
    Builtin(
      "all", in: "Result", isBare: false, "(List<Result<a, e>>) -> Result<List<a>, e>", .data(.resultAll), ["list"],
      "All values, or the first error.",
      Example(#"Result.all([toResult(Some(1), "none"), Err("bad")])"#, #"Err("bad")"#)),
  ]
}
