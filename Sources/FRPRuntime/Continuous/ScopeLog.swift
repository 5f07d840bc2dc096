// Which instances of a scope counted, for as long as a delayed behavior may ask.
//
// In: notes after instants. Out: the instances that counted at a past moment, on either side of an instant, and those
// that nobody can ask for any more. Memory: the changes of the last `keep` seconds; instances that only join share a
// list.

import FRPGraph

/// The instances of a scope, of which a delayed behavior reads what they show.
final class ScopeLog {
  /// The frame that owns the scope, and its entry there.
  let home: FrameRef
  let entry: Int
  var keep = 0.0
  var users = 0
  /// What is kept for each instance that may be asked for.
  var watches: [FrameRef: Watch] = [:]
  /// Whether `keep` is being raised, here and below.
  var isRaising = false

  /// From a moment on the first `count` of a list counted.
  private struct State {
    var since: Double
    var list: Int
    var count: Int
  }
  private var states: [State]
  private var lists: [[FrameRef]]
  /// The number of the first list that is still there.
  private var firstList = 0
  /// How often the instances have changed.
  private(set) var changes = 0
  /// In how many lists an instance stands.
  private var uses: [FrameRef: Int] = [:]

  init(home: FrameRef, entry: Int, present: [FrameRef]) {
    self.home = home
    self.entry = entry
    lists = [present]
    states = [State(since: -.infinity, list: 0, count: present.count)]
    for frame in present { uses[frame, default: 0] += 1 }
  }

  /// Every instance that may be asked for.
  var frames: [FrameRef] {
    var result: [FrameRef] = []
    var seen: Set<FrameRef> = []
    for list in lists { result += list.filter { seen.insert($0).inserted } }
    return result
  }

  func mayAsk(for frame: FrameRef) -> Bool { uses[frame] != nil }

  /// The instances that counted at a moment.
  func members(at t: Double, before: Bool) -> ArraySlice<FrameRef> {
    members(states[max(0, next(after: t, before: before) - 1)])
  }

  /// The instances that counted just after a moment, and until when.
  func members(after t: Double) -> (frames: ArraySlice<FrameRef>, until: Double) {
    let next = next(after: t, before: false)
    return (members(states[max(0, next - 1)]), next < states.count ? states[next].since : .infinity)
  }

  private func next(after t: Double, before: Bool) -> Int {
    var low = 0
    var high = states.count
    while low < high {
      let middle = (low + high) / 2
      if before ? states[middle].since < t : states[middle].since <= t { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func members(_ state: State) -> ArraySlice<FrameRef> { lists[state.list - firstList][..<state.count] }

  /// After an instant: these count from now on. Gives the instances that nobody can ask for any more.
  func note(_ present: [FrameRef], at t: Double) -> [FrameRef] {
    guard let last = states.last else { return [] }
    var gone: [FrameRef] = []
    if !members(last).elementsEqual(present) {
      // What counted between two instants at one moment did so at no moment.
      if last.since == t { takeBack(&gone) }
      append(present, at: t)
    }
    let old = states.firstIndex { $0.since > t - keep } ?? states.count
    if old > 1 {
      states.removeFirst(old - 1)
      while firstList < states[0].list {
        release(lists.removeFirst()[...], &gone)
        firstList += 1
      }
    }
    return gone.filter { uses[$0] == nil }
  }

  private func append(_ present: [FrameRef], at t: Double) {
    changes += 1
    if let last = states.last, last.count < present.count, lists[last.list - firstList].count == last.count,
      members(last).elementsEqual(present[..<last.count])
    {
      for frame in present[last.count...] { uses[frame, default: 0] += 1 }
      lists[last.list - firstList] += present[last.count...]
      states.append(State(since: t, list: last.list, count: present.count))
      return
    }
    for frame in present { uses[frame, default: 0] += 1 }
    lists.append(present)
    states.append(State(since: t, list: firstList + lists.count - 1, count: present.count))
  }

  /// Forgets the newest state.
  private func takeBack(_ gone: inout [FrameRef]) {
    let state = states.removeLast()
    guard let last = states.last else { return states.append(state) }
    let kept = last.list == state.list ? last.count : 0
    let list = lists.removeLast()
    release(list[kept...], &gone)
    if last.list == state.list { lists.append(Array(list[..<kept])) }
  }

  private func release(_ frames: ArraySlice<FrameRef>, _ gone: inout [FrameRef]) {
    for frame in frames {
      guard let count = uses[frame] else { continue }
      uses[frame] = count > 1 ? count - 1 : nil
      if count == 1 { gone.append(frame) }
    }
  }
}
