// The pure operations of the machine. A `Prim` is generic; the types of its arguments and result, which are known at
// every use, decide which instruction or routine runs it. What each means to a program stands in its row of the table
// (`Builtins*.swift`); a prim whose name begins with a container (`listMap`) takes that container first.

/// A pure operation of the machine.
public enum Prim: UInt16, Hashable, Sendable, CaseIterable {
  // Operators. Arithmetic is Int or Float by type; overflow and non-finite results are faults.
  case add, subtract, multiply, divide, remainder, negate
  case equal, notEqual, less, lessEqual, greater, greaterEqual
  case not
  /// Lazy in the second argument.
  case and, or
  /// `++` of strings or lists.
  case append
  /// `a..b`.
  case range
  /// Any data as text, as `"{x}"` shows it: a String as itself, everything else as source.
  case show
  /// Concatenation of any number of strings (interpolation).
  case concatStrings
  /// A list from its elements; elements of type List where `spreadMask` of the expression says so are spliced.
  case makeList

  // Numbers. `pi`, `e` and `tau` take no arguments.
  case div, toFloat, abs, min, max, sqrt, sin, cos, tan, asin, acos, atan, atan2, exp, log, pow
  case clamp, round, floor, ceil, truncate, cbrt, log2, log10, hypot, sign, mod, isEven, isOdd, gcd, lcm
  case pi, e, tau, toRadians, toDegrees, lerp
  case bitAnd, bitOr, bitXor, bitNot, shiftLeft, shiftRight

  // Any data.
  /// `attempt` is given its argument as a function of nothing.
  case attempt
  case identity, compare, tupleFirst, tupleSecond, tupleSwap

  // Lists.
  case listMap, listMapIndexed, listFilter, listFilterMap, listFlatMap, listFold, listFoldRight, listScan
  case listTake, listDrop, listTakeLast, listDropLast, listTakeWhile, listDropWhile
  case listSize, listIsEmpty, listHead, listTail, listLast, listGet, listSet, listInsert, listRemoveAt, listUpdate
  case listReverse, listSort, listSortBy, listSortWith
  case listSum, listProduct, listAverage, listMinimum, listMaximum, listMinimumBy, listMaximumBy
  case listContains, listAny, listAll, listCount, listFind, listFindIndex, listIndexOf
  case listZip, listZipWith, listUnzip, listIndexed, listPartition, listDistinct, listDistinctBy
  case listGroupBy, listCountBy, listJoin, listConcat, listIntersperse, listPairwise, listChunk, listWindows
  case listRepeat, listGenerate
  case listMedian, listQuantile, listVariance, listTopBy

  // Strings. Sizes and places count Characters.
  case stringSize, stringIsEmpty, stringUpper, stringLower, stringTrim, stringTrimStart, stringTrimEnd
  case stringSplit, stringLines, stringWords, stringCharacters
  case stringContains, stringStartsWith, stringEndsWith, stringIndexOf, stringReplace
  case stringTake, stringDrop, stringTakeLast, stringDropLast, stringSlice, stringGet
  case stringReverse, stringRepeat, stringPadStart, stringPadEnd
  case stringToInt, stringToFloat, stringCode, stringFromCode
  case stringIsDigit, stringIsLetter, stringIsSpace

  // Maps, always in the order of their keys. `mapEmpty` takes no arguments.
  case mapEmpty, mapFromList, mapGet, mapGetOr, mapSet, mapUpdate, mapRemove, mapContains
  case mapKeys, mapValues, mapToList, mapSize, mapIsEmpty
  case mapMap, mapMapValues, mapFilter, mapFilterValues, mapFold, mapUnion, mapUnionWith, mapAdd

  // Sets: maps to `()`. What looks at keys alone is that of maps.
  case setFromList, setAdd, setIntersect, setDifference, setMap, setFilter, setFold

  // Options and results.
  case optionWithDefault, optionMap, optionMap2, optionFlatMap, optionFilter, optionOrElse
  case optionIsSome, optionIsNone, optionToResult, optionToList, optionAll
  case resultWithDefault, resultMap, resultMap2, resultFlatMap, resultMapError, resultRecover
  case resultIsOk, resultIsErr, resultOk, resultErr, resultAll

  // Text formats. Decoders give what the result's type says.
  case jsonEncode, jsonDecode, csvEncode, csvDecode
  case jsonAt, jsonContent, jsonOf, jsonAs
  case formatFixed, formatScientific, formatPercent, formatThousands, formatPadded, formatRadix, parseRadix

  // Moments of the calendar, in seconds since 1970 (UTC). `dateEpoch` takes no arguments.
  case dateParse, dateFormat, dateParts, dateFromParts, dateAddMonths, dateEpoch, dateParseIn

  // Regular expressions (linear time, no back-references).
  case regexMatches, regexContains, regexFind, regexFindAll, regexReplace, regexReplaceWith, regexSplit

  // Random numbers: pure functions of a seed. `randomSeed` takes no arguments: the run's own seed.
  case randomSeed, randomNext, randomInt, randomFloat, randomInts, randomFloats, randomShuffle, randomPick

  // Tasks: values that describe; nothing happens here.
  case taskSucceed, taskFail, taskFromResult, taskAfter, taskAll, taskRace
  case taskMap, taskAndThen, taskRecover, taskRetry, taskRetryWith, taskTimeout, taskAwaitWhere

  // Sources: the same.
  case sourceFromList, sourceLane, sourceFail, sourceMap, sourceFilterMap, sourceReconnect

  /// A Secret of a text.
  case secretOf

  /// A task or source of the host, and what answers it instead.
  case standIn
  /// A body of text as a value of the type that is used.
  case bodyValue

  /// Function n of the host, at an argument (a tuple of them, if it takes several). Where the result is a task, that.
  case hostCall
}

extension Prim {
  /// What never faults itself, whatever it is given; the functions that it is given may.
  public static let total: Set<Prim> = [
    .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual, .not, .and, .or, .append, .show, .concatStrings,
    .toFloat, .min, .max, .sin, .cos, .atan, .sign, .pi, .e, .tau, .identity, .compare, .tupleFirst, .tupleSecond,
    .tupleSwap, .listSize, .listIsEmpty, .listHead, .listTail, .listLast, .listGet, .listTake, .listDrop, .listTakeLast,
    .listDropLast, .listReverse, .listIndexed, .listZip, .listConcat, .listContains, .listDistinct, .listMap,
    .listMapIndexed, .listFilter, .listFilterMap, .listFlatMap, .listFold, .listAny, .listAll, .listCount, .listFind,
    .listSort, .listSortBy, .mapGet, .mapGetOr, .mapSize, .mapToList, .mapKeys, .mapValues, .mapContains, .mapFromList,
    .optionWithDefault, .optionIsSome, .optionIsNone, .optionMap,
  ]

  /// Functions of numbers and truths that are understood over stretches of time: what is computed with them alone can be
  /// bounded, so that no crossing is missed. `identity` counts where it is of a number.
  public static let boundable: Set<Prim> = [
    .add, .subtract, .multiply, .divide, .remainder, .negate, .equal, .notEqual, .less, .lessEqual, .greater,
    .greaterEqual, .not, .and, .or, .div, .toFloat, .abs, .min, .max, .sqrt, .sin, .cos, .tan, .asin, .acos, .atan,
    .atan2, .exp, .log, .pow, .clamp, .round, .floor, .ceil, .truncate, .cbrt, .log2, .log10, .hypot, .sign, .mod, .pi,
    .e, .tau, .toRadians, .toDegrees, .lerp, .identity,
  ]

  /// Functions of lists, options and maps that are understood where it is known which elements there are: each element
  /// is followed by itself.
  public static let followable: Set<Prim> = [
    .tupleFirst, .tupleSecond, .optionWithDefault, .optionMap, .optionIsSome, .optionIsNone, .append, .listMap,
    .listFold, .listSize, .listIsEmpty, .listHead, .listLast, .listTail, .listGet, .listReverse, .listIndexed,
    .listZip, .listSum, .listProduct, .listAverage, .listMinimum, .listMaximum, .listAny, .listAll, .listCount,
    .mapValues, .mapGet, .mapGetOr, .mapSize, .mapIsEmpty,
  ]
}
