// The C library: every function of frp.h. Words about what they do are there.
//
// Nothing here aborts, prints or keeps a pointer that it was given. Text and bytes go out into the caller's buffers.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime
import Synchronization

@c(frp_abi_version) public func abiVersion() -> Int32 { 7 }

@c(frp_live_handles) public func liveHandles() -> Int { Handles.live }

@c(frp_release) public func release(_ handle: UInt64) -> Int32 { Handles.release(handle).rawValue }

@c(frp_message) public func message(
  _ handle: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  // What is wrong with this call is said by its status alone: the message stays.
  Handles.withAny(handle) { copy($0.message.utf8, buffer, capacity, needed) }
}

// MARK: Programs

@c(frp_compile) public func compile(
  _ name: UnsafePointer<UInt8>?, _ nameLength: Int, _ text: UnsafePointer<UInt8>?, _ length: Int,
  _ program: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  compile(name, nameLength, text, length, host: [], nil, CheckLimits(), program)
}

/// What all ways to compile have in common.
func compile(
  _ name: UnsafePointer<UInt8>?, _ nameLength: Int, _ text: UnsafePointer<UInt8>?, _ length: Int,
  host: [HostModule], _ caller: Caller?, _ limits: CheckLimits, _ program: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  program?.pointee = 0
  guard let program, let name = string(name, nameLength), let bytes = given(text, length) else {
    return Status.badArgument.rawValue
  }
  let compiled = Program(Source(name: name, bytes: Array(bytes)), host: host, limits: limits)
  program.pointee = Handles.add(ProgramBox(compiled, caller))
  return (compiled.hasErrors ? Status.programHasErrors : .ok).rawValue
}

@c(frp_ports) public func ports(
  _ program: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withProgram(program) { box in
    func list(_ ports: [Port]) -> String {
      ports.map {
        "{\"name\":\(jsonText($0.name)),\"type\":\(jsonText($0.type)),\"event\":\($0.isEvent)}"
      }.joined(separator: ",")
    }
    let text = "{\"inputs\":[\(list(box.program.inputs))],\"outputs\":[\(list(box.program.outputs))]}"
    return box.give(text.utf8, buffer, capacity, needed)
  }
}

@c(frp_diagnostics) public func diagnostics(
  _ program: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withProgram(program) { box in
    let program = box.program
    return box.give(program.diagnostics.map { program.json(of: $0) + "\n" }.joined().utf8, buffer, capacity, needed)
  }
}

/// A text in JSON's quotes.
func jsonText(_ text: String) -> String { FrpValue.text(text).json }

// MARK: Runs

@c(frp_open) public func open(
  _ program: UInt64, _ limits: UnsafePointer<UInt64>?, _ limitCount: Int, _ seed: UInt64,
  _ run: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  open(program, limits, limitCount, run) { (program, limits) throws(SimulationError) in
    try Simulation(program, limits: limits, seed: seed)
  }
}

@c(frp_open_restored) public func openRestored(
  _ program: UInt64, _ limits: UnsafePointer<UInt64>?, _ limitCount: Int, _ seed: UInt64,
  _ bytes: UnsafePointer<UInt8>?, _ length: Int, _ run: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  run?.pointee = 0
  guard let snapshot = given(bytes, length) else {
    return Handles.withProgram(program) { $0.bytes(bytes, length, "the snapshot") == nil ? .badArgument : .ok }
  }
  let copy = Array(snapshot)
  return open(program, limits, limitCount, run) { (program, limits) throws(SimulationError) in
    try Simulation(program, restoring: try Snapshot(bytes: copy), limits: limits, seed: seed)
  }
}

/// What all ways to open a run have in common. Why there is none stands in the program's message.
private func open(
  _ program: UInt64, _ limits: UnsafePointer<UInt64>?, _ limitCount: Int, _ run: UnsafeMutablePointer<UInt64>?,
  _ body: (Program, Limits) throws(SimulationError) -> Simulation
) -> Int32 {
  run?.pointee = 0
  return Handles.withProgram(program) { box in
    guard let run else { return box.refuses("there is no place for the run's handle") }
    guard let numbers = given(limits, limitCount) else { return box.refuses("limits are NULL, or less than none") }
    if numbers.count > Limits.count {
      return box.refuses("\(numbers.count) limits are given, and this library has \(Limits.count)")
    }
    do throws(SimulationError) {
      let limits = Limits(Array(numbers))
      let opened = RunBox(try body(box.program, limits), mostKept: limits.mostKept(Array(numbers)))
      run.pointee = Handles.add(opened)
      if opened.isWatched { interrupters.withLock { $0[run.pointee] = opened.simulation.interrupter } }
      return .ok
    } catch {
      return box.fails(error, box.program)
    }
  }
}

extension Limits {
  /// How many numbers there can be.
  fileprivate static var count: Int { 9 }

  /// In the order of frp.h; 0 stands for the default.
  fileprivate init(_ numbers: [UInt64]) {
    self.init()
    func set(_ place: Int, _ field: inout Int, least: Int, most: Int) {
      guard place < numbers.count, numbers[place] != 0 else { return }
      field = max(least, Int(min(numbers[place], UInt64(most))))
    }
    set(0, &stepsPerInstant, least: 1, most: Int.max / 4)
    set(1, &heapBytes, least: 1 << 16, most: 1 << 44)
    set(2, &stackWords, least: 1 << 12, most: 1 << 40)
    set(3, &liveNodes, least: 1, most: 1 << 40)
    set(4, &occurrencesPerInstant, least: 1, most: 1 << 40)
    set(5, &queueLength, least: 1, most: 1 << 40)
    if numbers.count > 6, numbers[6] != 0 { secondsPerInstant = Double(numbers[6]) / 1000 }
    isWatched = numbers.count > 7 && numbers[7] != 0
  }

  /// How many bytes watched outputs keep.
  fileprivate func mostKept(_ numbers: [UInt64]) -> Int {
    min(heapBytes, numbers.count > 8 && numbers[8] != 0 ? Int(clamping: numbers[8]) : 64 << 20)
  }
}

@c(frp_interrupt) public func interrupt(_ run: UInt64) -> Int32 {
  if let interrupter = interrupters.withLock({ $0[run] }) {
    interrupter.interrupt()
    return Status.ok.rawValue
  }
  // The words are for who does not use the run elsewhere meanwhile.
  let status = Handles.withRun(run) { $0.fails(.notWatched, "the run was opened without being watched") }
  return status == Status.busy.rawValue ? Status.notWatched.rawValue : status
}

@c(frp_usage) public func usage(_ run: UInt64, _ figures: UnsafeMutablePointer<UInt64>?, _ count: Int) -> Int32 {
  Handles.withRun(run) { box in
    if count < 0 || (figures == nil && count > 0) { return box.refuses("figures are NULL, or less than none") }
    let usage = box.simulation.usage
    let all = [
      usage.instants, usage.faults, usage.steps, usage.madeBytes, usage.usedBytes, usage.liveNodes, usage.tasks,
      box.keptBytes,
    ]
    for place in 0..<count { figures?[place] = place < all.count ? UInt64(max(0, all[place])) : 0 }
    return .ok
  }
}

@c(frp_faults) public func faults(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    if let why = box.cannotGiveOnce(capacity, needed) { return why }
    for (diagnostic, program) in box.faults { box.pendingFaults += program.json(of: diagnostic) + "\n" }
    box.faults = []
    let status = copy(box.pendingFaults.utf8, buffer, capacity, needed)
    if status == .ok { box.pendingFaults = "" }
    return status
  }
}

@c(frp_set_start) public func setStart(
  _ run: UInt64, _ name: UnsafePointer<UInt8>?, _ nameLength: Int, _ text: UnsafePointer<UInt8>?, _ length: Int
) -> Int32 {
  Handles.withRun(run) { box in
    guard let name = box.text(name, nameLength, "the name"), let bytes = box.bytes(text, length, "the text") else {
      return .badArgument
    }
    if box.simulation.reactor.hasStarted { return box.fails(.notNow, "the run has started already") }
    guard let text = String(validating: bytes, as: UTF8.self) else { return box.fails(.unfit, "the text is no UTF-8") }
    return box.attempt { (simulation) throws(SimulationError) in try simulation.setStart(of: name, to: text) }
  }
}

@c(frp_set_epoch) public func setEpoch(_ run: UInt64, _ seconds: Double) -> Int32 {
  Handles.withRun(run) { box in
    guard seconds.isFinite else { return box.fails(.badArgument, "\(seconds) is no moment") }
    if box.simulation.reactor.hasStarted { return box.fails(.notNow, "the run has started already") }
    box.simulation.epoch = seconds
    return .ok
  }
}

@c(frp_start) public func start(_ run: UInt64) -> Int32 {
  Handles.withRun(run) { box in
    if box.simulation.reactor.hasStarted { return box.fails(.notNow, "the run has started already") }
    box.simulation.start()
    guard let fault = box.simulation.faultMessages.first else { return .ok }
    box.message = fault
    return .fault
  }
}

@c(frp_advance) public func advance(_ run: UInt64, _ seconds: Double) -> Int32 {
  Handles.withRun(run) { box in
    guard seconds.isFinite else { return box.fails(.badArgument, "\(seconds) is no time") }
    return advance(box, to: Clock.nanoseconds(seconds))
  }
}

@c(frp_advance_nanoseconds) public func advance(_ run: UInt64, nanoseconds: Int64) -> Int32 {
  Handles.withRun(run) { advance($0, to: nanoseconds) }
}

private func advance(_ box: RunBox, to nanoseconds: Int64) -> Status {
  if let why = box.whyNotNow { return why }
  let reactor = box.simulation.reactor
  let before = reactor.faultCount
  var isStopped = false
  if box.watching.names.isEmpty {
    reactor.advance(to: nanoseconds)
  } else {
    reactor.advance(to: nanoseconds) {
      isStopped = box.isFull
      return !isStopped
    }
  }
  // What faulted before it is among the faults; that time has not come to its end is said here alone.
  if isStopped { return box.isTooFull }
  let status = box.status(since: before)
  if status == .ok, reactor.now.nanoseconds < nanoseconds, reactor.isInterrupted {
    return box.fails(.interrupted, "the host has interrupted this call")
  }
  return status
}

@c(frp_now) public func now(_ run: UInt64, _ seconds: UnsafeMutablePointer<Double>?) -> Int32 {
  Handles.withRun(run) { box in
    guard let seconds else { return box.refuses("there is no place for the seconds") }
    seconds.pointee = box.simulation.now
    return .ok
  }
}

@c(frp_next_wake_up) public func nextWakeUp(_ run: UInt64, _ seconds: UnsafeMutablePointer<Double>?) -> Int32 {
  Handles.withRun(run) { box in
    guard let seconds else { return box.refuses("there is no place for the seconds") }
    if !box.simulation.reactor.hasStarted { return box.fails(.notNow, "the run has not started") }
    guard let next = box.simulation.nextWakeUp else { return .nothing }
    seconds.pointee = next
    return .ok
  }
}

@c(frp_finish) public func finish(_ run: UInt64) -> Int32 {
  Handles.withRun(run) { box in
    if let why = box.whyNotNow { return why }
    let before = box.simulation.reactor.faultCount
    box.simulation.finish()
    return box.status(since: before)
  }
}

// MARK: State

@c(frp_snapshot) public func snapshot(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    var bytes: [UInt8] = []
    let status = box.attempt { (simulation) throws(SimulationError) in bytes = try simulation.snapshot().bytes }
    return status == .ok ? box.give(bytes, buffer, capacity, needed) : status
  }
}

@c(frp_restore) public func restore(_ run: UInt64, _ bytes: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
  Handles.withRun(run) { box in
    guard let copy = box.bytes(bytes, length, "the snapshot").map(Array.init) else { return .badArgument }
    return box.attempt { (simulation) throws(SimulationError) in try simulation.restore(try Snapshot(bytes: copy)) }
  }
}

@c(frp_replace) public func replace(_ run: UInt64, _ program: UInt64) -> Int32 {
  Handles.withRun(run) { box in
    let code = Handles.withProgram(program) { source in
      // What an output has shown that the other program does not have is shown all the same.
      box.gather()
      do throws(SimulationError) {
        box.message = try box.simulation.replaceProgram(with: source.program).text
      } catch {
        return box.fails(error, source.program)
      }
      for name in box.watching.names { try? box.simulation.record(name) }
      return .ok
    }
    guard let status = Status(rawValue: code), status == .badHandle || status == .busy else {
      return Status(rawValue: code) ?? .badHandle
    }
    return box.fails(status, status == .busy ? "the program is in use" : "there is no program \(program)")
  }
}
