// Handles of the C library: numbers that name programs and runs.
//
// A handle is an index and a generation, so that one that was released, or was never given out, is an error and no
// crash. Looking one up marks it as in use; a second thread that comes meanwhile is told so.

import FRP
import Synchronization

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
}

/// Something with a handle.
class Box: @unchecked Sendable {
  /// What went wrong last, in words.
  var message = ""
}

final class ProgramBox: Box, @unchecked Sendable {
  let program: Program
  init(_ program: Program) {
    self.program = program
    super.init()
    message = program.report
  }
}

final class RunBox: Box, @unchecked Sendable {
  let simulation: Simulation
  /// Lines for `frp_poll` that did not fit its buffer yet.
  var pending = ""
  var watched: [String] = []
  init(_ simulation: Simulation) { self.simulation = simulation }
}

private struct Row {
  var generation: UInt32 = 1
  var box: Box?
  var isBusy = false
}

private struct Table {
  var rows: [Row] = []
  var free: [Int] = []
  var live = 0
}

private let table = Mutex(Table())

enum Handles {
  static func add(_ box: Box) -> UInt64 {
    table.withLock { table in
      let index = table.free.popLast() ?? table.rows.count
      if index == table.rows.count { table.rows.append(Row()) }
      table.rows[index].box = box
      table.live += 1
      return UInt64(table.rows[index].generation) << 32 | UInt64(index)
    }
  }

  static var live: Int { table.withLock { $0.live } }

  private static func index(_ handle: UInt64, _ table: Table) -> Int? {
    let index = Int(handle & 0xFFFF_FFFF)
    guard table.rows.indices.contains(index), table.rows[index].generation == UInt32(handle >> 32),
      table.rows[index].box != nil
    else { return nil }
    return index
  }

  static func release(_ handle: UInt64) -> Status {
    let (status, box): (Status, Box?) = table.withLock { table in
      guard let index = index(handle, table) else { return (.badHandle, nil) }
      if table.rows[index].isBusy { return (.busy, nil) }
      let box = table.rows[index].box
      table.rows[index].box = nil
      table.rows[index].generation &+= 1
      table.free.append(index)
      table.live -= 1
      return (.ok, box)
    }
    // What it held is given back outside of the lock.
    withExtendedLifetime(box) {}
    return status
  }

  /// Works with what a handle names.
  static func with<Kind: Box>(_ handle: UInt64, as kind: Kind.Type, _ body: (Kind) -> Status) -> Int32 {
    let (status, box): (Status, Kind?) = table.withLock { table in
      guard let index = index(handle, table), let box = table.rows[index].box as? Kind else { return (.badHandle, nil) }
      if table.rows[index].isBusy { return (.busy, nil) }
      table.rows[index].isBusy = true
      return (.ok, box)
    }
    guard let box else { return status.rawValue }
    let result = body(box)
    table.withLock { $0.rows[Int(handle & 0xFFFF_FFFF)].isBusy = false }
    return result.rawValue
  }
}

extension RunBox {
  /// A status with its words.
  func fails(_ status: Status, _ message: String) -> Status {
    self.message = message
    return status
  }

  func hasNoPort(_ port: Int32) -> Status { fails(.unknownPort, "there is no port \(port)") }

  func isOfAnotherType(_ ports: [Port], _ place: Int32) -> Status {
    let port = ports[Int(place)]
    return fails(.wrongType, "`\(port.name)` is \(port.isEvent ? "an event" : "a behavior") of \(port.type)")
  }

  /// Why time does not pass and nothing can be sent; nil where both can be.
  var whyNotNow: Status? {
    if simulation.reactor.isOver { return fails(.notNow, "the run is over") }
    return simulation.reactor.hasStarted ? nil : fails(.notNow, "the run has not started")
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
      message = error.message
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
}
