// Rows of the table: sets, in the one order of all data. What looks at keys alone is the function of maps.

extension Builtins {
  static let sets: [Builtin] = [
    Builtin(
      "empty", in: "Set", isBare: false, "Set<a>", .data(.mapEmpty), [], "No elements.",
      Example("Set.empty |> add(1)", "Set.fromList([1])")),
    Builtin(
      "fromList", in: "Set", isBare: false, "Eq a => (List<a>) -> Set<a>", .data(.setFromList), ["list"],
      "The elements of a list, each once.", Example("Set.fromList([2, 1, 2])", "Set.fromList([1, 2])")),
    Builtin(
      "add", in: "Set", "Eq a => (Set<a>, a) -> Set<a>", .data(.setAdd), ["set", "x"], "The set with x.",
      Example("Set.fromList([1]) |> add(2)", "Set.fromList([1, 2])")),
    Builtin(
      "remove", in: "Set", "(Set<a>, a) -> Set<a>", .data(.mapRemove), ["set", "x"], "The set without x.",
      Example("Set.fromList([1, 2]) |> remove(1)", "Set.fromList([2])")),
    Builtin(
      "contains", in: "Set", "(Set<a>, a) -> Bool", .data(.mapContains), ["set", "x"], "Whether x is in the set.",
      Example(#"Set.fromList(["a", "b"]) |> contains("b")"#, "true")),
    Builtin(
      "size", in: "Set", "(Set<a>) -> Int", .data(.mapSize), ["set"], "How many elements there are.",
      Example("size(Set.fromList([1, 1]))", "1")),
    Builtin(
      "isEmpty", in: "Set", "(Set<a>) -> Bool", .data(.mapIsEmpty), ["set"], "Whether there are no elements.",
      Example("isEmpty(Set.fromList([1]))", "false")),
    Builtin(
      "toList", in: "Set", "(Set<a>) -> List<a>", .data(.mapKeys), ["set"], "The elements, in order.",
      Example("toList(Set.fromList([2, 1]))", "[1, 2]")),
    Builtin(
      "union", in: "Set", "Eq a => (Set<a>, Set<a>) -> Set<a>", .data(.mapUnion), ["first", "second"],
      "What is in one of them, or in both.",
      Example("union(Set.fromList([1, 2]), Set.fromList([2, 3]))", "Set.fromList([1, 2, 3])")),
    Builtin(
      "intersect", in: "Set", "(Set<a>, Set<a>) -> Set<a>", .data(.setIntersect), ["first", "second"],
      "What is in both.", Example("intersect(Set.fromList([1, 2]), Set.fromList([2, 3]))", "Set.fromList([2])")),
    Builtin(
      "difference", in: "Set", "(Set<a>, Set<a>) -> Set<a>", .data(.setDifference), ["first", "second"],
      "What is in the first and not in the second.",
      Example("difference(Set.fromList([1, 2]), Set.fromList([2, 3]))", "Set.fromList([1])")),
    Builtin(
      "map", in: "Set", "Eq b => (Set<a>, (a) -> b) -> Set<b>", .data(.setMap), ["set", "f"],
      "What f gives for the elements, each once.",
      Example("Set.fromList([-1, 1, 2]) |> map(abs)", "Set.fromList([1, 2])")),
    Builtin(
      "filter", in: "Set", "(Set<a>, (a) -> Bool) -> Set<a>", .data(.setFilter), ["set", "keep"],
      "The elements for which keep holds.",
      Example("Set.fromList([1, 2, 3]) |> filter(x => x > 1)", "Set.fromList([2, 3])")),
    Builtin(
      "fold", in: "Set", "(Set<a>, b, (b, a) -> b) -> b", .data(.setFold), ["set", "start", "step"],
      "The result of step over all elements, in order.", Example("Set.fromList([2, 1]) |> fold(0, (+))", "3")),
  ]
}
