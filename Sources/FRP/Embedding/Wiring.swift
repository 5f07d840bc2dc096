// What sending and reading by handles touch, all in one place.

import FRPRuntime

/// Behind a pointer, for speed: a field of an object is checked for exclusive access at each use, and an object that is
/// read from a field is counted as referred to; either costs as much as a small instant does.
///
/// The simulation keeps what is named here alive, and exchanges it only between instants.
struct Wiring {
  /// `Program.id`: handles of another program are looked up by name.
  var program: UInt64
  var reactor: Unmanaged<Reactor>
  var bridge: Unmanaged<ValueBridge>
  /// Whether what is sent is kept in a log, or a log is replayed.
  var isLogging = false { didSet { listen() } }
  /// Whether outputs are recorded.
  var isRecording = false { didSet { listen() } }
  /// Whether `changes(during:)` wants to know all that is shown.
  var isCollecting = false { didSet { listen() } }
  /// Whether somebody may watch an output.
  var isWatched = false { didSet { listen() } }
  /// Whether any of these wants to be told what instants show.
  private(set) var isHeard = false

  init(program: UInt64, reactor: Unmanaged<Reactor>, bridge: Unmanaged<ValueBridge>) {
    (self.program, self.reactor, self.bridge) = (program, reactor, bridge)
  }

  private mutating func listen() { isHeard = isLogging || isRecording || isCollecting || isWatched }

  /// Where `isHeard` of one that stays where it is lies.
  static func ear(_ wiring: UnsafeMutablePointer<Wiring>) -> UnsafePointer<Bool> {
    withUnsafeMutablePointer(to: &wiring.pointee.isHeard) { UnsafePointer($0) }
  }
}

extension Simulation {
  /// Where the engine that runs is named, for as long as the simulation is there.
  package var engine: UnsafePointer<Unmanaged<Reactor>> {
    // A field of memory that stays where it is.
    withUnsafeMutablePointer(to: &wiring.pointee.reactor) { UnsafePointer($0) }
  }

  /// Works with the engine that runs, without counting references to it.
  @inline(__always)
  func withReactor<Answer>(_ body: (Reactor) -> Answer) -> Answer {
    wiring.pointee.reactor._withUnsafeGuaranteedRef { body($0) }
  }
}
