// Rows of the table: lists. Indices count from 0; a negative count to take or drop is 0. Sorts are stable and follow
// the one structural order of all data.

extension Builtins {
  static let listTransforms: [Builtin] = [
    Builtin(
      "map", in: "List", "(List<a>, (a) -> b) -> List<b>", .data(.listMap), ["list", "f"], "Each element through f.",
      Example("[1, 2, 3] |> map(x => x * 2)", "[2, 4, 6]")),
    Builtin(
      "mapIndexed", in: "List", "(List<a>, (Int, a) -> b) -> List<b>", .data(.listMapIndexed), ["list", "f"],
      "Each element, with its index before it, through f.",
      Example(#"["a", "b"] |> mapIndexed((i, x) => "{i}{x}")"#, #"["0a", "1b"]"#)),
    Builtin(
      "filter", in: "List", "(List<a>, (a) -> Bool) -> List<a>", .data(.listFilter), ["list", "keep"],
      "The elements for which keep holds.", Example("[1, 2, 3] |> filter(x => x > 1)", "[2, 3]")),
    Builtin(
      "filterMap", in: "List", "(List<a>, (a) -> Option<b>) -> List<b>", .data(.listFilterMap), ["list", "f"],
      "The contents of every Some that f gives.", Example(#"["1", "x", "3"] |> filterMap(toInt)"#, "[1, 3]")),
    Builtin(
      "flatMap", in: "List", "(List<a>, (a) -> List<b>) -> List<b>", .data(.listFlatMap), ["list", "f"],
      "The lists that f gives, joined.", Example("[1, 2] |> flatMap(x => [x, x * 10])", "[1, 10, 2, 20]")),
    Builtin(
      "fold", in: "List", "(List<a>, b, (b, a) -> b) -> b", .data(.listFold), ["list", "start", "step"],
      "The result of step over all elements, first to last.", Example("[1, 2, 3] |> fold(0, (+))", "6")),
    Builtin(
      "foldRight", in: "List", "(List<a>, b, (b, a) -> b) -> b", .data(.listFoldRight), ["list", "start", "step"],
      "The result of step over all elements, last to first.",
      Example(#"["a", "b"] |> foldRight("", (s, x) => s ++ x)"#, #""ba""#)),
    Builtin(
      "scan", in: "List", "(List<a>, b, (b, a) -> b) -> List<b>", .data(.listScan), ["list", "start", "step"],
      "The running results of step, one an element.", Example("[1, 2, 3] |> scan(0, (+))", "[1, 3, 6]")),
    Builtin(
      "concat", in: "List", "(List<List<a>>) -> List<a>", .data(.listConcat), ["lists"], "The lists of a list, joined.",
      Example("concat([[1], [2, 3]])", "[1, 2, 3]")),
    Builtin(
      "reverse", in: "List", "(List<a>) -> List<a>", .data(.listReverse), ["list"], "The elements, last to first.",
      Example("reverse([1, 2, 3])", "[3, 2, 1]")),
    Builtin(
      "intersperse", in: "List", "(List<a>, a) -> List<a>", .data(.listIntersperse), ["list", "separator"],
      "The separator between all elements.", Example("[1, 2, 3] |> intersperse(0)", "[1, 0, 2, 0, 3]")),
    Builtin(
      "repeat", in: "List", isBare: false, "(a, Int) -> List<a>", .data(.listRepeat), ["x", "count"],
      "A list of count times x.", Example("List.repeat(0, 3)", "[0, 0, 0]")),
    Builtin(
      "range", in: "List", isBare: false, "(Int, Int) -> List<Int>", .data(.range), ["first", "last"],
      "first..last.", Example("List.range(2, 4)", "[2, 3, 4]")),
    Builtin(
      "generate", in: "List", isBare: false, "(Int, (Int) -> a) -> List<a>", .data(.listGenerate), ["count", "f"],
      "What f gives for 0, 1, … below count.", Example("List.generate(3, i => i * i)", "[0, 1, 4]")),
  ]

  static let listParts: [Builtin] = [
    Builtin(
      "size", in: "List", "(List<a>) -> Int", .data(.listSize), ["list"], "How many elements there are.",
      Example("size([4, 5])", "2")),
    Builtin(
      "isEmpty", in: "List", "(List<a>) -> Bool", .data(.listIsEmpty), ["list"], "Whether there are no elements.",
      Example("isEmpty([])", "true")),
    Builtin(
      "head", in: "List", "(List<a>) -> Option<a>", .data(.listHead), ["list"], "The first element.",
      Example("head([4, 5])", "Some(4)")),
    Builtin(
      "tail", in: "List", "(List<a>) -> Option<List<a>>", .data(.listTail), ["list"],
      "All elements but the first; None of an empty list.", Example("tail([4, 5])", "Some([5])")),
    Builtin(
      "last", in: "List", "(List<a>) -> Option<a>", .data(.listLast), ["list"], "The last element.",
      Example("last([4, 5])", "Some(5)")),
    Builtin(
      "get", in: "List", "(List<a>, Int) -> Option<a>", .data(.listGet), ["list", "index"],
      "The element at an index, from 0.", Example("get([4, 5], 1)", "Some(5)"), Example("get([4, 5], 2)", "None")),
    Builtin(
      "set", in: "List", "(List<a>, Int, a) -> List<a>", .data(.listSet), ["list", "index", "x"],
      "The list with another element at an index; out of range is a fault.", Example("set([4, 5], 0, 9)", "[9, 5]")),
    Builtin(
      "update", in: "List", "(List<a>, Int, (a) -> a) -> List<a>", .data(.listUpdate), ["list", "index", "f"],
      "The list with the element at an index put through f; out of range is a fault.",
      Example("update([4, 5], 0, x => x + 1)", "[5, 5]")),
    Builtin(
      "insert", in: "List", "(List<a>, Int, a) -> List<a>", .data(.listInsert), ["list", "index", "x"],
      "The list with x put before the element at an index; beyond the end is a fault.",
      Example("insert([4, 5], 1, 9)", "[4, 9, 5]")),
    Builtin(
      "removeAt", in: "List", "(List<a>, Int) -> List<a>", .data(.listRemoveAt), ["list", "index"],
      "The list without the element at an index; out of range is a fault.", Example("removeAt([4, 5], 0)", "[5]")),
    Builtin(
      "take", in: "List", "(List<a>, Int) -> List<a>", .data(.listTake), ["list", "count"], "The first n elements.",
      Example("take([1, 2, 3], 2)", "[1, 2]")),
    Builtin(
      "drop", in: "List", "(List<a>, Int) -> List<a>", .data(.listDrop), ["list", "count"],
      "All but the first n elements.", Example("drop([1, 2, 3], 2)", "[3]")),
    Builtin(
      "takeLast", in: "List", "(List<a>, Int) -> List<a>", .data(.listTakeLast), ["list", "count"],
      "The last n elements.", Example("takeLast([1, 2, 3], 2)", "[2, 3]")),
    Builtin(
      "dropLast", in: "List", "(List<a>, Int) -> List<a>", .data(.listDropLast), ["list", "count"],
      "All but the last n elements.", Example("dropLast([1, 2, 3], 2)", "[1]")),
    Builtin(
      "takeWhile", in: "List", "(List<a>, (a) -> Bool) -> List<a>", .data(.listTakeWhile), ["list", "keep"],
      "The elements before the first that fails.", Example("[1, 5, 2] |> takeWhile(x => x < 3)", "[1]")),
    Builtin(
      "dropWhile", in: "List", "(List<a>, (a) -> Bool) -> List<a>", .data(.listDropWhile), ["list", "skip"],
      "The elements from the first that fails on.", Example("[1, 5, 2] |> dropWhile(x => x < 3)", "[5, 2]")),
    Builtin(
      "chunk", in: "List", "(List<a>, Int) -> List<List<a>>", .data(.listChunk), ["list", "size"],
      "The list cut into pieces of a size, the last perhaps shorter; a size below 1 is a fault.",
      Example("chunk([1, 2, 3], 2)", "[[1, 2], [3]]")),
    Builtin(
      "windows", in: "List", "(List<a>, Int) -> List<List<a>>", .data(.listWindows), ["list", "size"],
      "All runs of neighbours of a size; a size below 1 is a fault.",
      Example("windows([1, 2, 3], 2)", "[[1, 2], [2, 3]]")),
  ]

  static let listOrder: [Builtin] = [
    Builtin(
      "sort", in: "List", "Eq a => (List<a>) -> List<a>", .data(.listSort), ["list"], "The elements in order.",
      Example("sort([3, 1, 2])", "[1, 2, 3]")),
    Builtin(
      "sortBy", in: "List", "Eq k => (List<a>, (a) -> k) -> List<a>", .data(.listSortBy), ["list", "key"],
      "The elements in the order of their keys; equal ones stay in place.",
      Example(#"["ccc", "a", "bb"] |> sortBy(size)"#, #"["a", "bb", "ccc"]"#)),
    Builtin(
      "sortWith", in: "List", "(List<a>, (a, a) -> Bool) -> List<a>", .data(.listSortWith), ["list", "before"],
      "The elements so that before holds from left to right.", Example("[1, 3, 2] |> sortWith((>))", "[3, 2, 1]")),
    Builtin(
      "minimum", in: "List", "Eq a => (List<a>) -> Option<a>", .data(.listMinimum), ["list"],
      "The smallest element, the first of equal ones.", Example("minimum([3, 1, 2])", "Some(1)")),
    Builtin(
      "maximum", in: "List", "Eq a => (List<a>) -> Option<a>", .data(.listMaximum), ["list"],
      "The largest element, the first of equal ones.", Example("maximum([3, 1, 2])", "Some(3)")),
    Builtin(
      "minimumBy", in: "List", "Eq k => (List<a>, (a) -> k) -> Option<a>", .data(.listMinimumBy), ["list", "key"],
      "The element with the smallest key, the first of equal ones.",
      Example("[-3, 2] |> minimumBy(abs)", "Some(2)")),
    Builtin(
      "maximumBy", in: "List", "Eq k => (List<a>, (a) -> k) -> Option<a>", .data(.listMaximumBy), ["list", "key"],
      "The element with the largest key, the first of equal ones.",
      Example("[-3, 2] |> maximumBy(abs)", "Some(-3)")),
    Builtin(
      "topBy", in: "List", "Eq k => (List<a>, Int, (a) -> k) -> List<a>", .data(.listTopBy), ["list", "count", "key"],
      "The elements with the n largest keys, the largest first; of equal ones the first. Cost: O(size log n).",
      Example("[3, -9, 5, 1] |> topBy(2, abs)", "[-9, 5]")),
  ]

  static let listQueries: [Builtin] = [
    Builtin(
      "sum", in: "List", "Num n => (List<n>) -> n", .data(.listSum), ["list"],
      "The sum; 0 of an empty list. Of Floats it is the exact sum, rounded once: their order does not matter.",
      Example("sum([1, 2, 3])", "6"), Example("sum([0.5, 1.0])", "1.5")),
    Builtin(
      "product", in: "List", "Num n => (List<n>) -> n", .data(.listProduct), ["list"],
      "The product; 1 of an empty list.", Example("product([2, 3])", "6")),
    Builtin(
      "average", in: "List", "(List<Float>) -> Option<Float>", .data(.listAverage), ["list"],
      "The mean: the sum by the size; None of an empty list.",
      Example("average([1.0, 2.0])", "Some(1.5)"), Example("average([])", "None")),
    Builtin(
      "mean", in: "List", "(List<Float>) -> Option<Float>", .data(.listAverage), ["list"], "average.",
      Example("mean([1, 2, 6] |> map(toFloat))", "Some(3.0)")),
    Builtin(
      "median", in: "List", "(List<Float>) -> Option<Float>", .data(.listMedian), ["list"],
      "The middle one in order, or the mean of the two in the middle; None of an empty list.",
      Example("median([3.0, 1.0, 2.0])", "Some(2.0)"), Example("median([1.0, 2.0])", "Some(1.5)")),
    Builtin(
      "quantile", in: "List", "(List<Float>, Float) -> Option<Float>", .data(.listQuantile), ["list", "q"],
      "What a part q of the list, 0.0 to 1.0, lies below; between two elements in proportion. None of an empty list; another q is a fault.",
      Example("quantile([10.0, 20.0, 30.0], 0.5)", "Some(20.0)"),
      Example("quantile([10.0, 20.0], 0.25)", "Some(12.5)")),
    Builtin(
      "variance", in: "List", "(List<Float>) -> Option<Float>", .data(.listVariance), ["list"],
      "The sum of the squared distances from the mean, divided by one less than the size (so of a sample); None of fewer than two elements. The sums are exact, and rounded at the end.",
      Example("variance([1.0, 2.0, 3.0])", "Some(1.0)"), Example("variance([1.0])", "None")),
    Builtin(
      "contains", in: "List", "Eq a => (List<a>, a) -> Bool", .data(.listContains), ["list", "x"],
      "Whether an element equals x.", Example("contains([1, 2], 2)", "true")),
    Builtin(
      "any", in: "List", "(List<a>, (a) -> Bool) -> Bool", .data(.listAny), ["list", "test"],
      "Whether test holds for an element.", Example("[1, 5] |> any(x => x > 3)", "true")),
    Builtin(
      "all", in: "List", "(List<a>, (a) -> Bool) -> Bool", .data(.listAll), ["list", "test"],
      "Whether test holds for every element.", Example("[1, 5] |> all(x => x > 3)", "false")),
    Builtin(
      "count", in: "List", "(List<a>, (a) -> Bool) -> Int", .data(.listCount), ["list", "test"],
      "For how many elements test holds.", Example("[1, 5, 6] |> count(x => x > 3)", "2")),
    Builtin(
      "find", in: "List", "(List<a>, (a) -> Bool) -> Option<a>", .data(.listFind), ["list", "test"],
      "The first element for which test holds.", Example("[1, 5, 6] |> find(x => x > 3)", "Some(5)")),
    Builtin(
      "findIndex", in: "List", "(List<a>, (a) -> Bool) -> Option<Int>", .data(.listFindIndex), ["list", "test"],
      "The index of the first element for which test holds.", Example("[1, 5, 6] |> findIndex(x => x > 3)", "Some(1)")),
    Builtin(
      "indexOf", in: "List", "Eq a => (List<a>, a) -> Option<Int>", .data(.listIndexOf), ["list", "x"],
      "The index of the first element that equals x.", Example("indexOf([4, 5], 5)", "Some(1)")),
    Builtin(
      "join", in: "List", "(List<String>, String) -> String", .data(.listJoin), ["texts", "separator"],
      "The texts with the separator between them.", Example(#"join(["a", "b"], ", ")"#, #""a, b""#)),
    Builtin(
      "distinct", in: "List", "Eq a => (List<a>) -> List<a>", .data(.listDistinct), ["list"],
      "Each element once, where it is first.", Example("distinct([2, 1, 2])", "[2, 1]")),
    Builtin(
      "distinctBy", in: "List", "Eq k => (List<a>, (a) -> k) -> List<a>", .data(.listDistinctBy), ["list", "key"],
      "The first element of each key.", Example("[1, 2, 3] |> distinctBy(isOdd)", "[1, 2]")),
    Builtin(
      "groupBy", in: "List", "Eq k => (List<a>, (a) -> k) -> Map<k, List<a>>", .data(.listGroupBy), ["list", "key"],
      "The elements of each key, in their order.",
      Example("[1, 2, 3] |> groupBy(isOdd)", "Map.fromList([(false, [2]), (true, [1, 3])])")),
    Builtin(
      "countBy", in: "List", "Eq k => (List<a>, (a) -> k) -> Map<k, Int>", .data(.listCountBy), ["list", "key"],
      "How many elements have each key.",
      Example("[1, 2, 3] |> countBy(isOdd)", "Map.fromList([(false, 1), (true, 2)])")),
    Builtin(
      "partition", in: "List", "(List<a>, (a) -> Bool) -> (List<a>, List<a>)", .data(.listPartition), ["list", "test"],
      "The elements for which test holds, and the others.",
      Example("[1, 5, 2] |> partition(x => x > 3)", "([5], [1, 2])")),
  ]

  static let listPairs: [Builtin] = [
    Builtin(
      "zip", in: "List", "(List<a>, List<b>) -> List<(a, b)>", .data(.listZip), ["first", "second"],
      "Pairs of what stands at the same index; the longer list is cut.",
      Example(#"zip([1, 2], ["a", "b"])"#, #"[(1, "a"), (2, "b")]"#)),
    Builtin(
      "zipWith", in: "List", "(List<a>, List<b>, (a, b) -> c) -> List<c>", .data(.listZipWith),
      ["first", "second", "f"],
      "What stands at the same index, through f.", Example("zipWith([1, 2], [10, 20], (+))", "[11, 22]")),
    Builtin(
      "unzip", in: "List", "(List<(a, b)>) -> (List<a>, List<b>)", .data(.listUnzip), ["pairs"],
      "The firsts and the seconds.", Example("unzip([(1, true), (2, false)])", "([1, 2], [true, false])")),
    Builtin(
      "indexed", in: "List", "(List<a>) -> List<(Int, a)>", .data(.listIndexed), ["list"],
      "Each element with its index before it.", Example(#"indexed(["a", "b"])"#, #"[(0, "a"), (1, "b")]"#)),
    Builtin(
      "pairwise", in: "List", "(List<a>) -> List<(a, a)>", .data(.listPairwise), ["list"],
      "Each element with the one after it.", Example("pairwise([1, 2, 3])", "[(1, 2), (2, 3)]")),
  ]
}
