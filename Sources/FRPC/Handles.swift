// What handles of the C library name: programs and runs.
//
// A handle is an index and a generation, so that one that was released, or was never given out, is an error and no
// crash. HandleTable.swift looks them up.

import FRP
import FRPRuntime

/// What calls give back; see frp.h.
enum Status: Int32 {
  case ok = 0
  case badHandle = 1
  case busy = 2
  case badArgument = 3
  case programHasErrors = 4
  case unknownPort = 5
  case wrongType = 6
  case unfit = 7
  case fault = 8
  case notNow = 9
  case unusableSnapshot = 10
  case tooSmall = 11
  case nothing = 12
  case interrupted = 13
  case full = 14
  case notWatched = 15
}

/// Something with a handle.
class Box: @unchecked Sendable {
  enum Kind { case program, run }

  let kind: Kind
  /// What went wrong last, in words.
  var message = ""

  init(_ kind: Kind) { self.kind = kind }
}

extension Box {
  /// A status with its words.
  func fails(_ status: Status, _ message: String) -> Status {
    self.message = message
    return status
  }

  /// The status of what went wrong, with its words; `program` is what the call was made with.
  func fails(_ error: SimulationError, _ program: Program? = nil) -> Status {
    message = error.message
    // Words about that a program has errors say nothing that its errors do not.
    if error == .programHasErrors, let program { message = program.report }
    switch error {
    case .programHasErrors: return .programHasErrors
    case .unknownPort: return .unknownPort
    case .hasNoStart: return .wrongType
    case .unfit: return .unfit
    case .fault: return .fault
    case .notBetweenInstants, .cannotSnapshot, .notStarted, .isOver, .cancelled: return .notNow
    case .unusableSnapshot: return .unusableSnapshot
    }
  }
}

final class ProgramBox: Box, @unchecked Sendable {
  let program: Program
  /// What calls the functions of the caller, if there are any.
  let caller: Caller?

  init(_ program: Program, _ caller: Caller?) {
    self.program = program
    self.caller = caller
    super.init(.program)
    message = program.report
  }
}

final class RunBox: Box, @unchecked Sendable {
  let simulation: Simulation
  /// The engine that runs, to be used without counting references to it.
  let engine: UnsafePointer<Unmanaged<Reactor>>
  /// What watched outputs have shown, and which those are. Every send asks; the box is one thread's as long as it has it.
  @exclusivity(unchecked) var watching: Watching
  /// Faults for `frp_faults`, each with the program it is a fault of, and lines that did not fit its buffer yet.
  var faults: [(diagnostic: Diagnostic, program: Program)] = []
  var pendingFaults = ""
  /// Whether other threads may interrupt it.
  var isWatched: Bool { simulation.reactor.limits.isWatched }
  /// How many faults are kept for who does not ask: the newest.
  private static let mostFaults = 100

  init(_ simulation: Simulation, mostKept: Int) {
    self.simulation = simulation
    watching = Watching(mostKept: mostKept)
    engine = simulation.engine
    super.init(.run)
    simulation.observeFaults { [unowned self] diagnostic in
      if faults.count == Self.mostFaults { faults.removeFirst() }
      faults.append((diagnostic, self.simulation.program))
    }
  }
}

extension Box {
  /// The handle of a program where one of a run is wanted, or the other way round.
  var isOfOtherKind: Status {
    fails(
      .badHandle, kind == .program ? "this handle is a program, and no run" : "this handle is a run, and no program")
  }
}

extension RunBox {
  func hasNoPort(_ port: Int32) -> Status { fails(.unknownPort, "there is no port \(port)") }

  func isOfAnotherType(_ ports: [Port], _ place: Int32) -> Status {
    let port = ports[Int(place)]
    return fails(.wrongType, "`\(port.name)` is \(port.isEvent ? "an event" : "a behavior") of \(port.type)")
  }

  /// Why time does not pass and nothing can be sent; nil where both can be.
  var whyNotNow: Status? {
    if simulation.reactor.isOver { return fails(.notNow, "the run is over") }
    if !simulation.reactor.hasStarted { return fails(.notNow, "the run has not started") }
    return isFull ? isTooFull : nil
  }

  /// What became of something that was sent, in words.
  func status(_ reception: Reception, _ port: Int32) -> Status {
    switch reception {
    case .taken: .ok
    case .noPort: hasNoPort(port)
    case .otherType: isOfAnotherType(simulation.program.inputs, port)
    case .notNow: whyNotNow ?? .ok
    case .faulted: fails(.fault, simulation.lastFaultMessage)
    }
  }

  /// Whether something has faulted since there were so many faults.
  func status(since before: Int) -> Status {
    if simulation.reactor.faultCount == before { return .ok }
    return fails(.fault, simulation.lastFaultMessage)
  }

  /// Runs what may fail, and keeps the words.
  func attempt(_ body: (Simulation) throws(SimulationError) -> Void) -> Status {
    do throws(SimulationError) {
      try body(simulation)
      return .ok
    } catch {
      return fails(error)
    }
  }
}
