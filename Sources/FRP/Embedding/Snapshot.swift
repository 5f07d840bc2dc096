// A simulation's state as bytes, and back: for saving, for moving to another process, for going back in time.

import FRPRuntime

/// All that a simulation remembers at one moment. Equal states of one program have equal snapshots.
///
/// It holds no program: it can be restored only by a simulation of the very same text, whose host has the functions that
/// the program uses; what else that host has does not matter. Nothing of it is believed: bytes that are no state of the
/// program are refused, whoever made them. Made with intent, they can be any state of the program.
public struct Snapshot: Sendable, Hashable, Codable {
  /// The snapshot in the form in which it is kept: a version, the hash of the program's text, then the state.
  public let bytes: [UInt8]
  let image: StateImage

  init(_ image: StateImage) {
    self.image = image
    bytes = image.bytes
  }

  /// Reads what `bytes` gave. Throws `unusableSnapshot` if they are damaged or of another version.
  public init(bytes: [UInt8]) throws(SimulationError) {
    do throws(ImageProblem) {
      image = try StateImage(bytes: bytes)
    } catch {
      switch error {
      case .version(let number): throw .unusableSnapshot("it has the unknown version \(number)")
      case .damaged, .otherProgram: throw .unusableSnapshot("it is damaged")
      }
    }
    self.bytes = bytes
  }

  /// Seconds since the start of the run.
  public var time: Double { Double(image.nanoseconds) / 1e9 }

  /// The hash of the program's text.
  public var programHash: UInt64 { image.program }

  public static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes }
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  public init(from decoder: any Decoder) throws {
    try self.init(bytes: try decoder.singleValueContainer().decode([UInt8].self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }
}

extension Simulation {
  /// A run that goes on where a snapshot was made: `start` has nothing to do any more. `limits` and `seed` are no part of a
  /// snapshot. Throws `programHasErrors`, and as `restore` does.
  public convenience init(
    _ program: Program, restoring snapshot: Snapshot, limits: Limits = Limits(), seed: UInt64 = 0
  ) throws(SimulationError) {
    try self.init(program, limits: limits, seed: seed)
    try restore(snapshot)
  }

  /// The present state. What is already caused at this moment happens first. Throws `notBetweenInstants` before `start`
  /// and inside callbacks, and `cannotSnapshot` where a continuous behavior is delayed. Cost: linear in the state.
  public func snapshot() throws(SimulationError) -> Snapshot {
    do throws(StateProblem) { return Snapshot(try reactor.image(begunTasks: begunTasks)) } catch {
      throw failure(error)
    }
  }

  /// Brings the run to where `snapshot` only looks at it, and what is integrated to where it goes on exactly as it does where that snapshot is
  /// restored. Whether there is anything integrated: then the run goes on otherwise, within the solver's tolerance, than without this.
  /// Throws what `snapshot` would throw.
  package func settleForSnapshot() throws(SimulationError) -> Bool {
    do throws(StateProblem) { return try reactor.settleForImage() } catch { throw failure(error) }
  }

  /// Makes the state that of a snapshot, clock and `Date.epoch` included; in the place of `start`, or at any time after it. Shows nothing.
  /// Integrals without a closed form go on with steps of their own: they agree within the solver's tolerance.
  ///
  /// Throws `unusableSnapshot` if it is of another program, and `notBetweenInstants` inside a callback; the simulation is
  /// then as it was.
  public func restore(_ snapshot: Snapshot) throws(SimulationError) {
    if reactor.isRunning { throw .notBetweenInstants }
    let next = Reactor(plan: plan, limits: limits, seed: seed)
    let moment = snapshot.image.epoch ?? epoch
    next.machine.library.epoch = moment
    connectHost(next, program)
    do throws(AdoptionProblem) { try next.restore(snapshot.image) } catch { throw failure(error, program) }
    if reactor.observer == nil, reactor.faultObserver == nil { observe(reactor) }
    // Its tasks go on under the numbers that they had, and the next one has the next: as logs know them.
    begunTasks = snapshot.image.begunTasks
    epoch = moment
    take(next, program, plan)
    restores += 1
  }
}
