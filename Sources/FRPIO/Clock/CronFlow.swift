// The moments of cron as they come, on a wall clock that people and the network set.
//
// Rules
// - A moment comes once: one that a clock set back by up to three hours brings again is left out. Further back, the
//   clock was wrong before, and it begins anew.
// - What a clock that is set forward jumps over does not come; a moment that passes while the machine sleeps or the listener
//   pauses comes afterwards, the newest of several.

import CLinux
import FRPBase
import Glibc

/// What is due, as a function of what the clock says.
struct CronSchedule: Sendable {
  let cron: Cron
  /// The newest that has come, or the beginning.
  private var last: CivilMoment

  private static let repetition = 3 * 3600

  init(_ cron: Cron, start: CivilMoment) { (self.cron, last) = (cron, start) }

  /// When to look next.
  var next: CivilMoment? { cron.next(after: last) }

  /// What has come by now: the newest moment up to now.
  mutating func due(_ now: CivilMoment) -> CivilMoment? {
    if now.seconds < last.seconds - Self.repetition { last = now }
    guard let first = next, first <= now else { return nil }
    var newest = first
    // From far back, the moments of a day are enough.
    if now.seconds - first.seconds > 86400 {
      newest = cron.next(after: CivilMoment(seconds: now.seconds - 86400)) ?? first
      if newest > now { newest = first }
    }
    while let later = cron.next(after: newest), later <= now { newest = later }
    last = newest
    return newest
  }

  /// Somebody has set the clock: what lies before now does not come.
  mutating func clockWasSet(_ now: CivilMoment) {
    if now > last || now.seconds < last.seconds - Self.repetition { last = now }
  }
}

/// Clocks of a run.
public enum Clock {
  /// Why a line of crontab has no moments, where it is none.
  public static func refusal(_ text: String) -> String? {
    do throws(IOError) {
      return try Cron(text).next(after: .present) == nil ? "no day is one of `\(text)`" : nil
    } catch { return error.message }
  }

  /// The moments of a line of crontab, in UTC.
  public static func cron(
    _ text: String, item: @escaping @Sendable (CivilMoment) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    do throws(IOError) {
      let cron = try Cron(text)
      if cron.next(after: .present) == nil { throw IOError("no day is one of `\(text)`") }
      IOLoop.shared.run { CronFlow(cron, stream).begin() }
    } catch { stream.fail(error) }
    return stream
  }
}

private final class CronFlow: Sendable {
  private struct State {
    var schedule: CronSchedule
    var timer: Descriptor?
    var watch: IOWatch?
  }

  private let stream: Stream<CivilMoment>
  private let state: LoopLocal<State>

  init(_ cron: Cron, _ stream: Stream<CivilMoment>) {
    self.stream = stream
    state = LoopLocal(State(schedule: CronSchedule(cron, start: .present)))
  }

  func begin() {
    let number = clinux_wall_timer()
    if number < 0 { return stream.fail(IOError(errno, "a timer")) }
    let timer = Descriptor(number)
    do throws(IOError) {
      let watch = try IOLoop.shared.watch(number, .reading) { _ in self.turn() }
      state.with { ($0.timer, $0.watch) = (timer, watch) }
    } catch { return stream.fail(error) }
    stream.onChange(.init(resume: { self.look() }, cancel: { self.stop() }))
    look()
  }

  private func stop() {
    state.with { state in
      state.watch?.cancel()
      (state.watch, state.timer) = (nil, nil)
    }
  }

  private func turn() {
    state.with { state in
      var count: UInt64 = 0
      let result = state.timer?.with { read($0, &count, 8) } ?? 0
      if result < 0, errno == ECANCELED { state.schedule.clockWasSet(.present) }
    }
    look()
  }

  private func look() {
    if !stream.isWanted { return }
    let moment = state.with { $0.schedule.due(.present) }
    if let moment { stream.give(moment) }
    guard stream.isOpen, let next = state.with({ $0.schedule.next }) else {
      stream.finish()
      return stop()
    }
    state.with { state in _ = state.timer?.with { clinux_wall_timer_set($0, Int64(next.seconds)) } }
  }
}
