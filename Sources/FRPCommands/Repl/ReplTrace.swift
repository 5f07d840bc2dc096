// What the definitions of a session have shown so far: how often, when last, and the newest occurrences. `:why`,
// `:table`, `:top` and `:marble` read it.

import FRP
import FRPBase

/// What one name has shown. A step behavior shows its start value and every change.
struct ReplTrace {
  var count = 0
  /// The newest ones, oldest first.
  private(set) var recent: [Occurrence] = []
  private var bytes = 0
  /// After which moment the definition has seen what happens.
  var birth: ReplBound?
  /// The number of the instant of the value that it began with, which nothing has caused.
  var start: Int?
  private static let kept = 256
  /// Bytes of the occurrences that are kept, where values are large.
  private static let mostBytes = 256 << 10

  var last: Occurrence? { recent.last }

  mutating func add(_ list: [Occurrence]) {
    count += list.count
    recent += list.suffix(Self.kept)
    bytes += list.suffix(Self.kept).reduce(0) { $0 + $1.bytes }
    if recent.count <= 2 * Self.kept, bytes <= 2 * Self.mostBytes { return }
    // The newest stays, whatever its size.
    var (first, left) = (recent.count - 1, Self.mostBytes - recent[recent.count - 1].bytes)
    while first > max(0, recent.count - Self.kept), left >= recent[first - 1].bytes {
      first -= 1
      left -= recent[first].bytes
    }
    recent.removeFirst(first)
    bytes = Self.mostBytes - left
  }

  /// Bytes of what was shown after a time.
  func bytes(after time: Double) -> Int { recent.reversed().prefix { $0.time > time }.reduce(0) { $0 + $1.bytes } }

  /// Occurrences a second over the last `window` seconds.
  func rate(at now: Double, window: Double = 5) -> Double {
    let length = min(window, max(now, 1e-3))
    let newest = recent.filter { $0.time > now - length }
    guard let first = newest.first else { return 0 }
    // More than are kept: the rate of those that are.
    if newest.count == recent.count, count > newest.count, now > first.time {
      return Double(newest.count) / (now - first.time)
    }
    return Double(newest.count) / length
  }
}

extension Occurrence {
  /// What it takes, about.
  fileprivate var bytes: Int { MemoryLayout<Occurrence>.stride + json.utf8.count }
}

extension ReplSession {
  /// Keeps what every definition shows from now on.
  func recordAll() {
    simulation?.recordsAtMost = recordsAtMost
    for name in current.names where name.kind != .function && name.kind != .hidden {
      try? simulation?.record(name.name)
    }
  }

  /// Takes what was shown since the last time; that of followed and watched names is to be shown. `inInstant` is the one
  /// that it counts to, where the program was exchanged.
  func collect(inInstant instant: Int? = nil) {
    guard let simulation else { return }
    for known in current.names where known.kind == .event || known.kind == .behavior {
      guard var list = try? simulation.occurrences(of: known.name), !list.isEmpty else { continue }
      if let instant { for index in list.indices { list[index].instant = instant } }
      trace[known.name, default: ReplTrace()].add(list)
      if captured != nil { captured? += list.map { (known.name, $0) } }
      guard live.followed == known.name || live.watched.contains(known.name) else { continue }
      live.hidden += max(0, list.count - ReplLive.burst)
      for occurrence in list.suffix(ReplLive.burst) {
        live.waiting.append((occurrence.time, known.name, simulation.sourceText(occurrence.json, known.name)))
      }
    }
  }

  /// Shows what waits; where somebody types no more often than twenty times a second, and the surplus is counted.
  func showOccurrences(isDue: Bool = true) {
    collect()
    let moment = ReplClock.monotonic()
    if live.waiting.isEmpty || (!isDue && moment - live.lastShown < 0.05) { return }
    live.lastShown = moment
    var waiting = live.waiting
    waiting.sort { $0.time < $1.time }
    if source.isInteractive, waiting.count > ReplLive.burst {
      live.hidden += waiting.count - ReplLive.burst
      waiting.removeFirst(waiting.count - ReplLive.burst)
    }
    if live.hidden > 0 { show("  +\(live.hidden) more") }
    live.hidden = 0
    live.waiting = []
    show(
      waiting.map { "  \(seconds($0.time))  \($0.name == "it" ? "" : $0.name + " ")\($0.text)" }.joined(separator: "\n")
    )
  }
}
