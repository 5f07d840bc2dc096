// summary: the occurrences of a window, joined, without joining all of them again at each change.
//
// Two stacks in one queue: each of the oldest `joined` elements holds itself and all after it up to the last of them
// joined, so that what leaves takes only its own share away; those that came later are joined in one word. When the last of
// the former has left, the latter become them. (Tangwongsan, Hirzel and Schneider, "Low-Latency Sliding-Window Aggregation",
// 2017, section 2.)

import FRPCore
import FRPGraph

extension Reactor {
  func fireSummary(_ site: EntrySite) {
    let queue = Queue(site.state + TimedState.queue, width: 2)
    dropTooOld(site.state, queue)
    armHead(site, queue)
    mark(site)
  }

  /// summary(e, d, f, join)(t) = Some(f(a1) join … join f(an)) over window(e, d)(t), None if that is []. What it is fed with
  /// has been through f. Cost: amortised O(1) joins an occurrence.
  func runSummary(_ site: EntrySite) throws(Fault) {
    let (first, count) = fed(site)
    let state = site.state
    let queue = Queue(state + TimedState.queue, width: 2)
    let isHeadOld = count > 0 && dropTooOld(state, queue)
    try joinAnew(site, queue)
    if count > 0 {
      let time = due(state)
      for place in first..<first + count {
        append(queue, Word(bitPattern: time), second: live.occurrences[place])
        let newest = live.occurrences[place]
        let isFirst = state[TimedState.hasNewest] == 0
        let joined = isFirst ? newest : try join(site, state[TimedState.newest], with: newest)
        set(state + TimedState.newest, joined)
        set(state + TimedState.hasNewest, 1)
      }
      if isHeadOld {
        arm(site, due: Int64(bitPattern: queue.element(0)[0]))
      } else {
        armIfFirst(site, due: time)
      }
    }
    store(site, try joinedAll(site, queue))
  }

  private func join(_ site: EntrySite, _ left: Word, with right: Word) throws(Fault) -> Word {
    try machine.run(code(site.entry.pointee.code), base: site.frame.pointee.old, with: left, right)
  }

  /// Takes out what has become too old, whatever becomes of the instant; gives whether there was any.
  @discardableResult
  private func dropTooOld(_ state: Address, _ queue: Queue) -> Bool {
    var old = 0
    while old < queue.count, isDue(queue.element(old)[0]) { old += 1 }
    if old == 0 { return false }
    let joined = state[TimedState.joined].int
    state[TimedState.joined] = Word(int: max(0, joined - old))
    if old > joined {
      state[TimedState.hasNewest] = 0
      state[TimedState.newest] = 0
    }
    queue.dropFirstForGood(old)
    return true
  }

  /// Where the newer elements are not known joined, since some of them have left, all that are there are joined anew, from
  /// the last one on. That is for good: a function that faults is tried again where it did.
  private func joinAnew(_ site: EntrySite, _ queue: Queue) throws(Fault) {
    let state = site.state
    let count = queue.count
    if state[TimedState.hasNewest] != 0 || state[TimedState.joined].int == count { return }
    var place = count - 2 - state[TimedState.joinedAnew].int
    while place >= 0 {
      try machine.step()
      let joined = try join(site, queue.element(place)[1], with: queue.element(place + 1)[1])
      queue.element(place)[1] = joined
      state[TimedState.joinedAnew] = Word(int: count - 1 - place)
      place -= 1
    }
    state[TimedState.joinedAnew] = 0
    state[TimedState.joined] = Word(int: count)
  }

  private func joinedAll(_ site: EntrySite, _ queue: Queue) throws(Fault) -> Word {
    let state = site.state
    if queue.isEmpty { return Word.none }
    let all: Word
    if state[TimedState.joined].int == 0 {
      all = state[TimedState.newest]
    } else if state[TimedState.hasNewest] != 0 {
      all = try join(site, queue.element(0)[1], with: state[TimedState.newest])
    } else {
      all = queue.element(0)[1]
    }
    return try heap.construct(site.entry.pointee.type, tag: 1, field: all)
  }
}
