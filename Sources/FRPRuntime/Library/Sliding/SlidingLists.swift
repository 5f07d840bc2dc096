// What calls of the library remember of lists that slide: those that lose elements at their start and gain some at their
// end, as `window` shows them. So an aggregate of a window costs what has come and gone, not what is in it (decision 0022).
//
// Nothing here knows of windows. A list is a view of a buffer whose elements never change, so two views of one buffer
// tell by their bounds alone what the later one lacks and has more. A call keeps its last list of a buffer and what it
// computed of it; where the next one is no continuation it computes as if nothing were kept. It keeps nothing before it
// has seen a buffer twice: most lists are looked at once. A list that has moved to a larger buffer is known by its words.

import FRPCore
import FRPGraph
import FRPLibc

/// What a call of the library keeps of the lists of one buffer.
class SlidingCall {
  /// Places of roots, or -1: the last list, the function that the call was given, and what it gave.
  fileprivate var list = -1
  fileprivate var function = -1
  fileprivate var result = -1
  fileprivate var offset = 0
  fileprivate var count = 0
  fileprivate var usedAt = 0
  /// Whether it is being brought up to date: a function may come to the same call again.
  fileprivate var isBusy = false
  fileprivate var key = SlidingLists.Key(site: 0, buffer: 0)
  /// How many of the oldest have left the list at hand since the last one, and which places of it are new.
  fileprivate(set) var gone = 0
  fileprivate(set) var come = 0..<0

  /// Bytes for an element.
  class var bytes: Int { 0 }
  /// Takes the oldest one out.
  func remove(_ word: Word) {}
  /// Adds a younger one.
  func add(_ word: Word) {}
}

/// The calls of one machine that keep something.
final class SlidingLists {
  fileprivate struct Key: Hashable {
    var site: Int32
    var buffer: Word
  }

  private let heap: Heap
  private let roots: RootSet
  private var calls: [Key: SlidingCall] = [:]
  /// Buffers that were seen once since the last collection, by hash.
  private lazy var seen = [Key](repeating: Key(site: 0, buffer: 0), count: 1024)
  /// By site: what was kept last.
  private var latest: [SlidingCall?] = []
  private var bytes = 0
  /// The collection after which addresses were looked at last, and how often they were.
  private var collections = 0
  private var round = 0

  init(_ heap: Heap) {
    self.heap = heap
    roots = RootSet(heap)
  }

  /// Shorter lists are as fast without. Tests that collect always try short ones.
  static let least = 64
  private var least: Int { heap.collectAlways ? 2 : Self.least }

  /// What `call` keeps of a list, to be brought up to date with `gone` and `come` and given back with `keep`, or with `leave`
  /// as it was; nil where nothing is to be kept. What was made by another `function` does not count.
  func find<Call: SlidingCall>(_ list: Word, _ call: PrimCall, function: Word? = nil, _ make: () -> Call) -> Call? {
    let count = heap.count(list)
    if call.site == 0 || count < least { return nil }
    if collections != heap.collections { renew() }
    let key = Key(site: call.site, buffer: list.field(0))
    guard let known = calls[key] ?? moved(list, key) else {
      let place = Int(truncatingIfNeeded: key.buffer >> 4 ^ UInt64(call.site.magnitude)) & (seen.count - 1)
      let isSecond = seen[place] == key
      seen[place] = key
      guard isSecond, (bytes + count * Call.bytes) * 2 <= heap.limitBytes - heap.usedBytes else { return nil }
      let new = make()
      (new.come, new.isBusy) = (0..<count, true)
      return new
    }
    if known.isBusy { return nil }
    let (offset, end) = (Int(list.field(1)), Int(list.field(1)) + count)
    let (gone, more) = (offset - known.offset, end - known.offset - known.count)
    let isSame = function.map { heap.isSameFunction($0, roots[known.function]) } ?? true
    if gone < 0 || more < 0 || gone + more > count || !isSame {
      calls[known.key] = nil
      forget(known)
      return nil
    }
    known.gone = gone
    known.come = count - more..<count
    known.isBusy = true
    return unsafeDowncast(known, to: Call.self)
  }

  func leave(_ kept: SlidingCall) { kept.isBusy = false }

  /// What the call gave for its last list; `nothing` where it is the first.
  func result(of kept: SlidingCall, orElse nothing: Word) -> Word { kept.result < 0 ? nothing : roots[kept.result] }

  /// An element that has gone since the last list, by its place in that.
  func goneElement(of kept: SlidingCall, _ place: Int) -> Word { ListView(roots[kept.list])[place] }

  /// Takes what a call keeps, now that it is that of `list`.
  func keep(_ kept: SlidingCall, _ list: Word, call: PrimCall, function: Word? = nil, result: Word? = nil) {
    if collections != heap.collections { renew() }
    kept.isBusy = false
    let key = Key(site: call.site, buffer: list.field(0))
    if kept.list < 0 {
      // The function may have come here meanwhile.
      if calls[key] != nil { return }
      enter(kept, key)
    }
    let site = Int(call.site)
    while latest.count <= site { latest.append(nil) }
    if latest[site] !== kept { latest[site] = kept }
    hold(list, &kept.list)
    if let function { hold(function, &kept.function) }
    if let result { hold(result, &kept.result) }
    bytes += (heap.count(list) - kept.count) * type(of: kept).bytes
    (kept.offset, kept.count, kept.usedAt) = (Int(list.field(1)), heap.count(list), round)
  }

  private func enter(_ call: SlidingCall, _ key: Key) {
    call.key = key
    calls[key] = call
  }

  /// What was kept last, if the list has the same words in another buffer, as far as none has gone or come.
  private func moved(_ list: Word, _ key: Key) -> SlidingCall? {
    guard Int(key.site) < latest.count, let call = latest[Int(key.site)], !call.isBusy else { return nil }
    let (old, new) = (ListView(roots[call.list]), ListView(list))
    for come in 0...4 {
      let left = new.count - come
      if left < 1 || left > old.count { continue }
      if memcmp(old.start + (old.count - left), new.start, left * MemoryLayout<Word>.stride) != 0 { continue }
      calls[call.key] = nil
      enter(call, key)
      call.offset = Int(list.field(1)) - (old.count - left)
      return call
    }
    return nil
  }

  private func hold(_ word: Word, _ place: inout Int) {
    if place >= 0 { _ = roots.remove(place) }
    place = roots.insert(word, isReference: true)
  }

  /// Brings what a call keeps of a list of numbers up to date.
  func slid<Call: SlidingCall>(_ m: Machine, _ list: Word, call: PrimCall, make: () -> Call) throws(Fault) -> Call? {
    guard let kept = find(list, call, make) else { return nil }
    kept.isBusy = false
    try m.step(kept.gone + kept.come.count)
    if kept.gone > 0 { for word in ListView(roots[kept.list]).prefix(kept.gone) { kept.remove(word) } }
    for word in ListView(list)[kept.come] { kept.add(word) }
    keep(kept, list, call: call)
    return kept
  }

  private func forget(_ call: SlidingCall) {
    for place in [call.list, call.function, call.result] where place >= 0 { _ = roots.remove(place) }
    (call.list, call.function, call.result) = (-1, -1, -1)
    bytes -= call.count * type(of: call).bytes
    call.count = 0
    if latest[Int(call.key.site)] === call { latest[Int(call.key.site)] = nil }
  }

  /// After a collection buffers stand elsewhere, and what was not asked for since the one before the last is forgotten.
  private func renew() {
    collections = heap.collections
    let oldest = round - (heap.collectAlways ? 16 : 1)
    round += 1
    for place in seen.indices { seen[place].site = 0 }
    let before = calls
    calls.removeAll(keepingCapacity: true)
    for call in before.values {
      if call.usedAt < oldest || heap.count(roots[call.list]) == 0 {
        forget(call)
      } else {
        let list = roots[call.list]
        call.offset = Int(list.field(1))
        enter(call, Key(site: call.key.site, buffer: list.field(0)))
      }
    }
  }
}

extension Heap {
  /// Whether two function values have the same code and captured the same words.
  func isSameFunction(_ a: Word, _ b: Word) -> Bool {
    if a == b { return true }
    let (x, y) = (a.address, b.address)
    let count = Header(bits: x[0]).payloadCount
    return x[0] | Header.permanent == y[0] | Header.permanent && (1...count).allSatisfy { x[$0] == y[$0] }
  }
}
