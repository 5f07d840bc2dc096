// What calls of the library remember of maps that change a little from call to call: so the ten largest of a hundred thousand
// keys cost what has changed since they were asked for last, not what there is (decision 0024).
//
// Nothing here knows where a map comes from. Two versions of one map share subtrees, and what they do not share is soon found.
// Maps that share nothing are found out at once, so that calls that see one unrelated map after the other lose little.

import FRPCore
import FRPGraph

/// What a call of the library keeps of one map.
class ChangingMap {
  /// Places of roots, or -1: the last map, the function that the call was given, and what it gave.
  fileprivate var map = -1
  fileprivate var function = -1
  fileprivate var result = -1
  fileprivate var count = 0
  fileprivate var usedAt = 0
  /// Whether it is being brought up to date: a function may come to the same call again.
  fileprivate var isBusy = false
  /// Whether nothing has been computed of any version yet.
  fileprivate(set) var isFresh = true
  /// What has changed since the last version.
  fileprivate(set) var differences: MapDifferences

  init(_ heap: Heap) { differences = MapDifferences(heap) }

  /// Bytes for an entry.
  class var bytes: Int { 0 }
}

/// The calls of one machine that keep something.
final class ChangingMaps {
  private let heap: Heap
  private let roots: RootSet
  /// By site: what was used last comes last.
  private var sites: [[ChangingMap]] = []
  private var bytes = 0
  private var collections = 0

  init(_ heap: Heap) {
    self.heap = heap
    roots = RootSet(heap)
  }

  /// Of smaller maps nothing is kept. Tests that collect always try small ones.
  private var least: Int { heap.collectAlways ? 2 : SlidingLists.least }
  /// How many maps a call may see by turns.
  private static let perSite = 4

  /// What `call` keeps of an earlier version of a map, to be brought up to date with `differences` and given back with `keep`,
  /// or with `leave` as it was; nil where nothing is to be kept. What was made by another `function` does not count.
  func find<Call: ChangingMap>(
    _ map: Word, _ call: PrimCall, _ type: TypeID, function: Word? = nil, _ make: (Heap) -> Call
  ) -> Call? {
    let count = heap.mapCount(map)
    let site = Int(call.site)
    if site == 0 || count < least { return nil }
    if collections != heap.collections { renew() }
    while sites.count <= site { sites.append([]) }
    let shape = MapShape(heap.shapes, type)
    for place in sites[site].indices.reversed() {
      let known = sites[site][place]
      if known.isBusy || !(function.map { heap.isSameFunction($0, roots[known.function]) } ?? true) { continue }
      guard known.differences.find(heap, roots[known.map], map, shape) else { continue }
      sites[site].append(sites[site].remove(at: place))
      known.isBusy = true
      return unsafeDowncast(known, to: Call.self)
    }
    // The next version is compared with this one.
    if (bytes + count * Call.bytes) * 2 <= heap.limitBytes - heap.usedBytes {
      enter(make(heap), map, site, function)
    }
    return nil
  }

  private func enter(_ new: ChangingMap, _ map: Word, _ site: Int, _ function: Word?) {
    if sites[site].count == Self.perSite, let idle = sites[site].firstIndex(where: { !$0.isBusy }) {
      forget(sites[site].remove(at: idle))
    }
    sites[site].append(new)
    hold(map, function, new)
  }

  private func hold(_ map: Word, _ function: Word?, _ kept: ChangingMap) {
    hold(map, &kept.map)
    if let function { hold(function, &kept.function) }
    kept.usedAt = heap.collections
  }

  private func hold(_ word: Word, _ place: inout Int) {
    if place >= 0 { _ = roots.remove(place) }
    place = roots.insert(word, isReference: true)
  }

  /// What the call gave for the last version.
  func result(of kept: ChangingMap) -> Word? { kept.result < 0 ? nil : roots[kept.result] }

  /// Takes what a call keeps, now that it is that of `map`.
  func keep(_ kept: ChangingMap, _ map: Word, function: Word? = nil) {
    hold(map, function, kept)
    kept.isFresh = false
    let count = heap.mapCount(map)
    bytes += (count - kept.count) * type(of: kept).bytes
    kept.count = count
  }

  func keep(_ kept: ChangingMap, result: Word) { hold(result, &kept.result) }

  /// Ends what `find` has begun.
  func leave(_ kept: ChangingMap) {
    kept.isBusy = false
    kept.differences.removeAll()
  }

  private func forget(_ kept: ChangingMap) {
    for place in [kept.map, kept.function, kept.result] where place >= 0 { _ = roots.remove(place) }
    bytes -= kept.count * type(of: kept).bytes
  }

  /// What was not asked for since the collection before the last is forgotten.
  private func renew() {
    collections = heap.collections
    let oldest = collections - (heap.collectAlways ? 16 : 2)
    for site in sites.indices where sites[site].contains(where: { $0.usedAt < oldest && !$0.isBusy }) {
      sites[site].removeAll { kept in
        if kept.usedAt >= oldest || kept.isBusy { return false }
        forget(kept)
        return true
      }
    }
  }
}

// MARK: - What is kept

/// A number for each entry, in the order of the keys.
final class ChangingKeys: ChangingMap {
  private(set) var keys = PlacedKeys()
  /// How many of the largest were asked for last, and the smallest of them.
  private var wanted = -1
  private var smallest = Int64.min

  override class var bytes: Int { PlacedKeys.bytes }

  func replaceAll(_ numbers: [Int64]) {
    keys.replaceAll(numbers)
    wanted = -1
  }

  /// Takes the edits, with a number for each entry that is new.
  func change(_ numbers: [Int64]) {
    var next = 0
    for edit in differences.edits {
      var largest = Int64.min
      if edit.isGone, edit.isNew {
        largest = max(numbers[next], keys.replace(at: edit.place, with: numbers[next]))
      } else if edit.isGone {
        largest = keys.remove(at: edit.place)
      } else {
        largest = numbers[next]
        keys.insert(numbers[next], at: edit.place)
      }
      if edit.isNew { next += 1 }
      if largest >= smallest { wanted = -1 }
    }
  }

  /// Whether the `count` largest are the same entries as when they were asked for last.
  func hasSame(_ count: Int) -> Bool { wanted == count }

  func largest(_ count: Int, _ found: (Int) -> Void) { smallest = keys.largest(count, found) }

  /// From now on `hasSame` counts from the largest that were asked for last.
  func settle(_ count: Int) { wanted = count }
}

/// A sum of the values, or what else does not depend on their places.
final class ChangingSum<Sum: SlidingCall>: ChangingMap {
  let sum: Sum

  init(_ heap: Heap, _ sum: Sum) {
    self.sum = sum
    super.init(heap)
  }

  func change() {
    for index in differences.edits.indices {
      if differences.edits[index].isGone { sum.remove(differences.before(index).field(1)) }
      if differences.edits[index].isNew { sum.add(differences.after(index).field(1)) }
    }
  }
}

/// The map that was made of it.
final class ChangingResult: ChangingMap {}

/// How many entries pass a test.
final class ChangingCount: ChangingMap {
  var passing = 0
}
