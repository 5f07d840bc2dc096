// ^C while the program runs: what runs is stopped as if its step limit were reached, and the session goes on.
//
// - The handlers only write a few words, so they may come at any moment.
// - What runs gets a tenth of a second to end by itself: ^C while somebody types is a key, and costs no occurrence.
// - A count in a register may overwrite what the handler wrote; so a timer writes it again until somebody has noticed.
// - Only one prompt of a process has ^C; others, on threads of their own, leave its words alone.

import CEditline
import FRP
import FRPRuntime
import Glibc

/// Whether ^C came since it was last asked about. Written by the handler.
nonisolated(unsafe) private var pressed: Int32 = 0
/// Whether something was stopped because of it.
nonisolated(unsafe) private var forced: Int32 = 0
/// The steps left of what runs now; nil between.
nonisolated(unsafe) private var stepsLeft: UnsafeMutablePointer<Int>?
/// The thread of the prompt.
nonisolated(unsafe) private var worker = pthread_self()

enum ReplInterrupt {
  static var isPressed: Bool { pressed != 0 }
  /// Whether what ran was stopped.
  static var hasStopped: Bool { forced != 0 }

  /// Whether ^C is ours.
  nonisolated(unsafe) private(set) static var isWatching = false

  /// From now on ^C stops what runs instead of the process.
  static func watch() {
    isWatching = true
    worker = pthread_self()
    var action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { _ in
      // ^C empties the terminal's buffer, and Linux does not then wake the thread that waits for room in it: only a signal
      // of its own does.
      guard pthread_equal(pthread_self(), worker) != 0 else {
        pthread_kill(worker, SIGINT)
        return
      }
      pressed = 1
      var again = itimerval()
      again.it_interval.tv_usec = 20_000
      again.it_value.tv_usec = 100_000
      setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &again, nil)
      // The thread that waits for a key may be another one.
      ce_wake()
    }
    sigaction(SIGINT, &action, nil)
    action.__sigaction_handler.sa_handler = { _ in
      guard pressed != 0 else { return }
      forced = 1
      stepsLeft?.pointee = Machine.stopped
    }
    sigaction(SIGALRM, &action, nil)
  }

  /// Gives ^C its ordinary meaning back.
  static func leave() {
    clear()
    isWatching = false
    signal(SIGINT, SIG_DFL)
    signal(SIGALRM, SIG_DFL)
  }

  /// Forgets an earlier ^C; answers whether there was one.
  @discardableResult
  static func clear() -> Bool {
    if pressed == 0 { return false }
    var none = itimerval()
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &none, nil)
    pressed = 0
    forced = 0
    return true
  }

  /// Does something that runs the program, so that ^C can end it.
  static func guarding<Result>(_ simulation: Simulation, _ body: () -> Result) -> Result {
    guard isWatching else { return body() }
    let outer = stepsLeft
    let reactor = simulation.reactor
    watchSteps(of: reactor.machine)
    defer { stepsLeft = outer }
    return withExtendedLifetime(reactor) { body() }
  }

  /// The machine that runs from now on, within `guarding`; it must live until that ends.
  static func watchSteps(of machine: Machine) {
    if isWatching { stepsLeft = machine.stepsLeftAddress }
  }
}

extension Simulation {
  /// Lets time pass for as long as `goesOn`; ^C ends that within an instant and between two, however short each of them is.
  func passTime(to time: Double, while goesOn: () -> Bool = { true }) {
    ReplInterrupt.guarding(self) {
      reactor.advance(to: Clock.nanoseconds(time)) { !ReplInterrupt.isPressed && goesOn() }
    }
  }

  /// The same, and the time is over: what leaves windows then has left.
  func passTime(through time: Double) {
    passTime(to: time)
    // What is left of a time that was not come to is too much to be done at once.
    if ReplInterrupt.isPressed { return }
    ReplInterrupt.guarding(self) { reactor.advance(through: Clock.nanoseconds(time)) }
  }
}
