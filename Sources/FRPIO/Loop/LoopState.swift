// What the loop's thread alone knows: which descriptors it watches, and what is due when.

import CLinux
import Glibc

/// A value that is touched on the loop's thread only, which is checked at each use.
public final class LoopLocal<Value>: @unchecked Sendable {
  private var value: Value

  public init(_ value: sending Value) { self.value = value }

  /// Cost: O(1).
  public func with<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    precondition(IOLoop.shared.isCurrent, "on the loop's thread only")
    return try body(&value)
  }

  /// For the loop itself, before its thread is there.
  var unchecked: Value { value }
}

/// What a watch waits for.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let reading = Interest(rawValue: 1)
  public static let writing = Interest(rawValue: 2)
  /// Nothing but that it breaks.
  static let breaking = Interest(rawValue: 4)

  var events: UInt32 {
    // A peer that has sent its last byte is readable; its end is what read(2) says then.
    (contains(.reading) ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : 0) | (contains(.writing) ? EPOLLOUT.rawValue : 0)
  }
}

/// What a descriptor is ready for. The end of a pipe and an error are told as readable and writable, since read(2) and
/// write(2) say which it is.
public struct Ready: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let readable = Ready(rawValue: 1)
  public static let writable = Ready(rawValue: 2)
  /// Both ends are closed, or there is an error.
  public static let broken = Ready(rawValue: 4)

  init(events: UInt32, _ interest: Interest) {
    self = []
    let isBroken = events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
    if isBroken { insert(.broken) }
    if interest.contains(.reading), isBroken || events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 {
      insert(.readable)
    }
    if interest.contains(.writing), isBroken || events & EPOLLOUT.rawValue != 0 { insert(.writable) }
  }
}

final class LoopState {
  var epoll: Int32 = -1
  var timers = TimerHeap()
  /// By number; 0 is the alarm.
  private var watches: [UInt64: IOWatch] = [:]
  private var lastNumber: UInt64 = 0
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: LoopState.capacity)

  private static let capacity = 256

  func watch(
    _ descriptor: Int32, _ interest: Interest, _ handler: @escaping (Ready) -> Void
  ) throws(IOError) -> IOWatch {
    lastNumber += 1
    let watch = IOWatch(self, descriptor, number: lastNumber, handler)
    try watch.set(interest)
    watches[lastNumber] = watch
    return watch
  }

  func forget(_ watch: IOWatch) { watches[watch.number] = nil }

  /// Sleeps at most so many nanoseconds, then calls the watches that are ready. `woken` is called for the alarm.
  func wait(_ nanoseconds: Int, woken: () -> Void) {
    let count = clinux_epoll_wait(epoll, events, Int32(Self.capacity), Int64(nanoseconds))
    for index in 0..<max(0, Int(count)) {
      let event = events + index
      let number = clinux_epoll_number(event)
      if number == 0 {
        woken()
      } else {
        // One that was cancelled in this turn is gone.
        watches[number]?.call(event.pointee.events)
      }
    }
  }
}

/// A descriptor that is watched; the loop holds it until it is cancelled. On the loop's thread only.
public final class IOWatch {
  public let descriptor: Int32
  let number: UInt64
  private unowned let state: LoopState
  private var handler: ((Ready) -> Void)?
  private var interest: Interest = []

  init(_ state: LoopState, _ descriptor: Int32, number: UInt64, _ handler: @escaping (Ready) -> Void) {
    (self.state, self.descriptor, self.number, self.handler) = (state, descriptor, number, handler)
  }

  /// What it waits for from now on; nothing (`[]`) while the sender shall wait.
  public func set(_ interest: Interest) throws(IOError) {
    if interest == self.interest { return }
    let result: Int32
    if interest.isEmpty {
      // Out of epoll, which tells of the other end's close whether one asks or not, at each turn.
      result = clinux_epoll_remove(state.epoll, descriptor)
    } else if self.interest.isEmpty {
      result = clinux_epoll_add(state.epoll, descriptor, interest.events, number)
    } else {
      result = clinux_epoll_change(state.epoll, descriptor, interest.events, number)
    }
    if result != 0 { throw IOError(errno, "descriptor \(descriptor)") }
    self.interest = interest
  }

  /// Nothing is called any more.
  public func cancel() {
    if handler == nil { return }
    handler = nil
    try? set([])
    state.forget(self)
  }

  func call(_ events: UInt32) {
    let ready = Ready(events: events, interest)
    if !ready.isEmpty { handler?(ready) }
  }
}
