// Data functions of the table of built-ins, in the order of the manual. All are pure, and computed point by point.
// Where a function can have no answer it gives an Option; what has no meaning at all (an index out of range in `set`,
// a chunk of size 0) is a fault.

extension Builtins {
  static let data: [Builtin] =
    arithmetic + rounding + trigonometry + bits + anyData + listTransforms + listParts + listOrder + listQueries
    + listPairs + strings + stringParts + stringTests + maps + mapFunctions + sets + options + results + formats + jsons
    + dates + regexes + randoms + tasks + taskSources + secrets
}
