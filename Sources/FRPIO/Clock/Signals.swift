// Signals as events. Those that end a run are not among them.

import CLinux
import Glibc

/// Signals that a program may listen to.
public enum Signals {
  private static let numbers = ["HUP": SIGHUP, "USR1": SIGUSR1, "USR2": SIGUSR2, "WINCH": SIGWINCH, "CONT": SIGCONT]

  private static func number(_ name: String) -> Int32? {
    numbers[name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name]
  }

  /// Why nobody can listen to a signal; nil where somebody can.
  public static func refusal(_ name: String) -> String? {
    number(name) == nil ? "a signal is \(numbers.keys.sorted().joined(separator: ", ")), not `\(name)`" : nil
  }

  /// Each time that the signal comes, while somebody listens; afterwards it means what it meant before. `SIGHUP` is `HUP`.
  public static func on(
    _ name: String, item: @escaping @Sendable () -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream<Void>(item: item, end: end)
    guard let number = number(name) else {
      stream.fail(IOError(refusal(name) ?? ""))
      return stream
    }
    IOLoop.shared.run {
      do throws(IOError) { try SignalHub.shared.with { $0 }.add(stream, number) } catch { stream.fail(error) }
    }
    return stream
  }
}

/// Who listens to which signal. On the loop's thread only.
private final class SignalHub {
  static let shared = LoopLocal(SignalHub())

  private struct Listener {
    let stream: Stream<Void>
    /// How many came while it paused.
    var waiting: UInt32 = 0
  }

  private struct Heard {
    var former: UnsafeMutableRawPointer
    var listeners: [Listener]
  }

  private var signals: [Int32: Heard] = [:]
  private var alarm: Descriptor?
  private var watch: IOWatch?

  func add(_ stream: Stream<Void>, _ number: Int32) throws(IOError) {
    if !stream.isOpen { return }
    let alarm = try openAlarm()
    if signals[number] == nil {
      guard let former = alarm.with({ clinux_count_signal(number, $0) }) else {
        throw IOError(errno, "signal \(number)")
      }
      signals[number] = Heard(former: former, listeners: [])
    }
    signals[number]?.listeners.append(Listener(stream: stream))
    stream.onChange(
      .init(
        resume: { SignalHub.shared.with { $0 }.tell(number) },
        cancel: { SignalHub.shared.with { $0 }.remove(stream, number) }))
  }

  private func openAlarm() throws(IOError) -> Descriptor {
    if let alarm { return alarm }
    let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    if number < 0 { throw IOError(errno, "signals") }
    let made = Descriptor(number)
    watch = try IOLoop.shared.watch(number, .reading) { [unowned self] _ in read() }
    alarm = made
    return made
  }

  private func read() {
    var count: eventfd_t = 0
    _ = alarm?.with { eventfd_read($0, &count) }
    for number in signals.keys.sorted() {
      let count = clinux_signal_count(number)
      if count == 0 { continue }
      for index in signals[number]?.listeners.indices ?? 0..<0 { signals[number]?.listeners[index].waiting += count }
      tell(number)
    }
  }

  private func tell(_ number: Int32) {
    for stream in signals[number]?.listeners.map(\.stream) ?? [] {
      while stream.isWanted, takeOne(of: stream, number) { stream.give(()) }
    }
  }

  private func takeOne(of stream: Stream<Void>, _ number: Int32) -> Bool {
    guard let index = signals[number]?.listeners.firstIndex(where: { $0.stream === stream }),
      let waiting = signals[number]?.listeners[index].waiting, waiting > 0
    else { return false }
    signals[number]?.listeners[index].waiting -= 1
    return true
  }

  private func remove(_ stream: Stream<Void>, _ number: Int32) {
    signals[number]?.listeners.removeAll { $0.stream === stream }
    guard let heard = signals[number], heard.listeners.isEmpty else { return }
    signals[number] = nil
    clinux_forget_signal(number, heard.former)
  }
}
