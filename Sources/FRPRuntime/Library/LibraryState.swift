// What library routines keep between calls: caches only, so routines stay pure. And the list of all of them.

import FRPCore
import FRPGraph

/// The library's state in one machine.
public final class LibraryState {
  /// Text formats of this machine's values.
  public let codec: Codec
  /// What `Random.seed` gives: the seed of the run.
  public var seed = 0
  /// What `Date.epoch` gives: the moment of time 0, in seconds since 1970.
  public var epoch = 0.0
  /// Compiled patterns, by their text.
  let patterns = PatternCache()
  /// What calls remember of lists that slide.
  let sliding: SlidingLists
  /// What calls remember of maps that change a little.
  let maps: ChangingMaps
  /// Where Characters of long texts begin.
  let places: TextPlaces
  /// Room for sums that nobody keeps, and for what a variance needs beside them.
  let sums = (ExactSum(), ExactSum(), ExactSum())

  init(_ machine: Machine) {
    codec = Codec(machine.heap, stepsOf: machine)
    sliding = SlidingLists(machine.heap)
    maps = ChangingMaps(machine.heap)
    places = TextPlaces(machine.heap)
  }
}

extension RoutineTable {
  /// All routines of this folder.
  static let library: [(Prim, Routine)] =
    numbers + elementary + data + listTransforms + listParts + listQueries + sorting + listPairs + strings + stringParts
    + maps + entries + sets + options + results + formats + jsons + dates + regexes + randoms + tasks
}

extension Heap {
  /// The type of a list's elements (or of a map's keys).
  @inline(__always)
  func element(_ list: TypeID) -> TypeID { shapes[list].first }

  /// Whether a list's elements are references.
  @inline(__always)
  func hasReferences(_ list: TypeID) -> Bool { shapes.isReference(shapes[list].first) }

  /// What a function type gives.
  func result(of function: TypeID) -> TypeID {
    guard case .function(_, let result) = shapes.types[function] else { return .unit }
    return result
  }

  /// Parameter `index` of a function type.
  func parameter(_ index: Int, of function: TypeID) -> TypeID {
    guard case .function(let parameters, _) = shapes.types[function], index < parameters.count else { return .unit }
    return parameters[index]
  }

  /// `Some` of a value of `option`'s content, or None.
  @inline(__always)
  func optional(_ value: Word?, _ option: TypeID) throws(Fault) -> Word {
    guard let value else { return .none }
    return try some(value, option)
  }

  /// A list of the words of a buffer.
  func list(_ words: UnsafeMutableBufferPointer<Word>, references: Bool) throws(Fault) -> Word {
    guard let start = words.baseAddress else { return emptyList }
    return try list(UnsafePointer(start), words.count, references: references)
  }
}

extension Fault {
  /// An index that a list of a size does not have.
  static func index(_ index: Int, _ count: Int) -> Fault {
    Fault(.indexOutOfRange, "index \(index) is out of range: the list has \(count) element\(count == 1 ? "" : "s")")
  }
}
