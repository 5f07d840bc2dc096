// The C library: every function of frp.h. Words about what they do are there.
//
// Nothing here aborts, prints or keeps a pointer that it was given. Text and bytes go out into the caller's buffers.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime
import Synchronization

func string(_ text: UnsafePointer<UInt8>?, _ length: Int) -> String? {
  guard length >= 0, let text else { return length == 0 ? "" : nil }
  return String(validating: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
}

/// Copies into a caller's buffer; `needed` gets the whole size.
func copy<Bytes: Collection>(
  _ bytes: Bytes, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Status where Bytes.Element == UInt8 {
  needed?.pointee = bytes.count
  if bytes.isEmpty { return .ok }
  guard let buffer, capacity >= bytes.count else { return .tooSmall }
  let isCopied: Void? = bytes.withContiguousStorageIfAvailable { bytes in
    if let start = bytes.baseAddress { buffer.update(from: start, count: bytes.count) }
  }
  if isCopied == nil { for (index, byte) in bytes.enumerated() { buffer[index] = byte } }
  return .ok
}

@c(frp_abi_version) public func abiVersion() -> Int32 { 6 }

@c(frp_live_handles) public func liveHandles() -> Int { Handles.live }

@c(frp_release) public func release(_ handle: UInt64) -> Int32 { Handles.release(handle).rawValue }

@c(frp_message) public func message(
  _ handle: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
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
  guard let program, let name = string(name, nameLength), length >= 0, text != nil || length == 0 else {
    return Status.badArgument.rawValue
  }
  let bytes = Array(UnsafeBufferPointer(start: text, count: length))
  let compiled = Program(Source(name: name, bytes: bytes), host: host, limits: limits)
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
    return copy(text.utf8, buffer, capacity, needed)
  }
}

@c(frp_diagnostics) public func diagnostics(
  _ program: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withProgram(program) { box in
    let program = box.program
    return copy(program.diagnostics.map { program.json(of: $0) + "\n" }.joined().utf8, buffer, capacity, needed)
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
  guard length >= 0, bytes != nil || length == 0 else { return Status.badArgument.rawValue }
  let copy = Array(UnsafeBufferPointer(start: bytes, count: length))
  return open(program, limits, limitCount, run) { (program, limits) throws(SimulationError) in
    try Simulation(program, restoring: try Snapshot(bytes: copy), limits: limits, seed: seed)
  }
}

/// What all ways to open a run have in common. Why there is none stands in the program's message.
private func open(
  _ program: UInt64, _ limits: UnsafePointer<UInt64>?, _ limitCount: Int, _ run: UnsafeMutablePointer<UInt64>?,
  _ body: (Program, Limits) throws(SimulationError) -> Simulation
) -> Int32 {
  guard let run, limitCount >= 0, limitCount == 0 || limits != nil else { return Status.badArgument.rawValue }
  let numbers = Array(UnsafeBufferPointer(start: limits, count: limitCount))
  return Handles.withProgram(program) { box in
    do throws(SimulationError) {
      let opened = RunBox(try body(box.program, makeLimits(numbers)))
      run.pointee = Handles.add(opened)
      if opened.isWatched { interrupters.withLock { $0[run.pointee] = opened.simulation.interrupter } }
      return .ok
    } catch {
      return box.fails(error)
    }
  }
}

/// In the order of frp.h; 0 stands for the default.
private func makeLimits(_ numbers: [UInt64]) -> Limits {
  var limits = Limits()
  func set(_ place: Int, _ field: inout Int, least: Int, most: Int) {
    guard place < numbers.count, numbers[place] != 0 else { return }
    field = max(least, Int(min(numbers[place], UInt64(most))))
  }
  set(0, &limits.stepsPerInstant, least: 1, most: Int.max / 4)
  set(1, &limits.heapBytes, least: 1 << 16, most: 1 << 44)
  set(2, &limits.stackWords, least: 1 << 12, most: 1 << 40)
  set(3, &limits.liveNodes, least: 1, most: 1 << 40)
  set(4, &limits.occurrencesPerInstant, least: 1, most: 1 << 40)
  set(5, &limits.queueLength, least: 1, most: 1 << 40)
  if numbers.count > 6, numbers[6] != 0 { limits.secondsPerInstant = Double(numbers[6]) / 1000 }
  limits.isWatched = numbers.count > 7 && numbers[7] != 0
  return limits
}

@c(frp_interrupt) public func interrupt(_ run: UInt64) -> Int32 {
  let interrupter = interrupters.withLock { $0[run] }
  interrupter?.interrupt()
  return (interrupter == nil ? Status.badHandle : .ok).rawValue
}

@c(frp_usage) public func usage(_ run: UInt64, _ figures: UnsafeMutablePointer<UInt64>?, _ count: Int) -> Int32 {
  Handles.withRun(run) { box in
    guard count >= 0, figures != nil || count == 0 else { return .badArgument }
    let usage = box.simulation.usage
    let all = [
      usage.instants, usage.faults, usage.steps, usage.madeBytes, usage.usedBytes, usage.liveNodes, usage.tasks,
    ]
    for place in 0..<count { figures?[place] = place < all.count ? UInt64(max(0, all[place])) : 0 }
    return .ok
  }
}

@c(frp_faults) public func faults(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
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
    guard let name = string(name, nameLength) else { return .badArgument }
    if box.simulation.reactor.hasStarted { return box.fails(.notNow, "the run has started already") }
    guard let text = string(text, length) else { return box.fails(.unfit, "the text is no UTF-8") }
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
    for name in box.watched { try? box.simulation.record(name) }
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
  reactor.advance(to: nanoseconds)
  let status = box.status(since: before)
  if status == .ok, reactor.now.nanoseconds < nanoseconds, reactor.isInterrupted {
    return box.fails(.interrupted, "the host has interrupted this call")
  }
  return status
}

@c(frp_now) public func now(_ run: UInt64, _ seconds: UnsafeMutablePointer<Double>?) -> Int32 {
  Handles.withRun(run) { box in
    seconds?.pointee = box.simulation.now
    return .ok
  }
}

@c(frp_next_wake_up) public func nextWakeUp(_ run: UInt64, _ seconds: UnsafeMutablePointer<Double>?) -> Int32 {
  Handles.withRun(run) { box in
    guard let next = box.simulation.nextWakeUp else { return .nothing }
    seconds?.pointee = next
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

// MARK: Ports

@c(frp_input) public func input(
  _ run: UInt64, _ name: UnsafePointer<UInt8>?, _ length: Int, _ port: UnsafeMutablePointer<Int32>?
) -> Int32 {
  Handles.withRun(run) { box in find(box, box.simulation.program.inputs, name, length, port) }
}

@c(frp_output) public func output(
  _ run: UInt64, _ name: UnsafePointer<UInt8>?, _ length: Int, _ port: UnsafeMutablePointer<Int32>?
) -> Int32 {
  Handles.withRun(run) { box in find(box, box.simulation.program.outputs, name, length, port) }
}

private func find(
  _ box: RunBox, _ ports: [Port], _ name: UnsafePointer<UInt8>?, _ length: Int, _ port: UnsafeMutablePointer<Int32>?
) -> Status {
  guard let port, let name = string(name, length) else { return .badArgument }
  guard let index = ports.firstIndex(where: { $0.name == name }) else {
    box.message = "there is no port `\(name)`"
    return .unknownPort
  }
  port.pointee = Int32(index)
  return .ok
}

private func send(_ run: UInt64, _ port: Int32, _ type: TypeID, _ word: Word) -> Int32 {
  Handles.withRun(run) { box in
    let reception = box.engine.pointee._withUnsafeGuaranteedRef { $0.send(port: Int(port), word, as: type) }
    return reception == .taken ? .ok : box.status(reception, port)
  }
}

/// Sends many, each in an instant of its own; `taken` gets how many have happened.
private func send(
  _ run: UInt64, _ port: Int32, _ type: TypeID, _ words: UnsafeBufferPointer<Word>, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    var count = 0
    let reception = box.engine.pointee._withUnsafeGuaranteedRef {
      $0.send(port: Int(port), many: words, as: type, taken: &count)
    }
    taken?.pointee = count
    return reception == .taken ? .ok : box.status(reception, port)
  }
}

@c(frp_send_ints) public func sendInts(
  _ run: UInt64, _ port: Int32, _ values: UnsafePointer<Int64>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  taken?.pointee = 0
  guard count >= 0, values != nil || count == 0 else { return Status.badArgument.rawValue }
  // An Int is the word that it is.
  return UnsafeBufferPointer(start: values, count: count).withMemoryRebound(to: Word.self) {
    send(run, port, .int, $0, taken)
  }
}

@c(frp_send_doubles) public func sendDoubles(
  _ run: UInt64, _ port: Int32, _ values: UnsafePointer<Double>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  taken?.pointee = 0
  guard count >= 0, values != nil || count == 0 else { return Status.badArgument.rawValue }
  let numbers = UnsafeBufferPointer(start: values, count: count)
  // Those before the first that is no Float happen.
  let fit = numbers.firstIndex { !$0.isFinite } ?? count
  let status = UnsafeBufferPointer(rebasing: numbers[..<fit]).withMemoryRebound(to: Word.self) {
    send(run, port, .float, $0, taken)
  }
  if fit == count || status != Status.ok.rawValue { return status }
  return Handles.withRun(run) { $0.fails(.unfit, "\(numbers[fit]) is no Float: it is not finite") }
}

@c(frp_send_bools) public func sendBools(
  _ run: UInt64, _ port: Int32, _ values: UnsafePointer<UInt8>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  taken?.pointee = 0
  guard count >= 0, values != nil || count == 0 else { return Status.badArgument.rawValue }
  let words = UnsafeBufferPointer(start: values, count: count).map { Word(bool: $0 != 0) }
  return words.withUnsafeBufferPointer { send(run, port, .bool, $0, taken) }
}

/// Sends many texts that stand one after the other, each in an instant of its own.
private func send(
  _ run: UInt64, _ port: Int32, _ type: TypeID?, _ bytes: UnsafePointer<UInt8>?, _ lengths: UnsafePointer<Int>?,
  _ count: Int, _ taken: UnsafeMutablePointer<Int>?,
  _ body: (Simulation, UnsafeBufferPointer<UInt8>) -> SimulationError?
) -> Int32 {
  taken?.pointee = 0
  guard count >= 0, lengths != nil || count == 0 else { return Status.badArgument.rawValue }
  var start = 0
  for (place, length) in UnsafeBufferPointer(start: lengths, count: count).enumerated() {
    let status = send(run, port, type, bytes.map { $0 + start }, length, body)
    if status != Status.ok.rawValue { return status }
    start += length
    taken?.pointee = place + 1
  }
  return Status.ok.rawValue
}

@c(frp_send_utf8s) public func sendTexts(
  _ run: UInt64, _ port: Int32, _ bytes: UnsafePointer<UInt8>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
  _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  send(run, port, .string, bytes, lengths, count, taken) { $0.send(text: $1, port: Int(port)) }
}

@c(frp_send_jsons) public func sendJSONs(
  _ run: UInt64, _ port: Int32, _ bytes: UnsafePointer<UInt8>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
  _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  send(run, port, nil, bytes, lengths, count, taken) { $0.send(json: $1, port: Int(port)) }
}

@c(frp_send_unit) public func sendUnit(_ run: UInt64, _ port: Int32) -> Int32 { send(run, port, .unit, Word.unit) }

@c(frp_send_int) public func sendInt(_ run: UInt64, _ port: Int32, _ value: Int64) -> Int32 {
  send(run, port, .int, Word(bitPattern: value))
}

@c(frp_send_bool) public func sendBool(_ run: UInt64, _ port: Int32, _ value: Int32) -> Int32 {
  send(run, port, .bool, Word(bool: value != 0))
}

@c(frp_send_double) public func sendDouble(_ run: UInt64, _ port: Int32, _ value: Double) -> Int32 {
  if !value.isFinite {
    return Handles.withRun(run) { $0.fails(.unfit, "\(value) is no Float: it is not finite") }
  }
  return send(run, port, .float, Word(float: value))
}

/// Sends a text to an input that takes it, where it is UTF-8.
private func send(
  _ run: UInt64, _ port: Int32, _ type: TypeID?, _ text: UnsafePointer<UInt8>?, _ length: Int,
  _ body: (Simulation, UnsafeBufferPointer<UInt8>) -> SimulationError?
) -> Int32 {
  Handles.withRun(run) { box in
    let bytes = UnsafeBufferPointer(start: text, count: max(0, length))
    guard length >= 0, text != nil || length == 0, UTF8Text.isValid(bytes) else {
      return box.fails(.unfit, "the text is no UTF-8")
    }
    let reception = box.engine.pointee._withUnsafeGuaranteedRef { $0.maySend(Int(port), as: type) }
    if reception != .taken { return box.status(reception, port) }
    return body(box.simulation, bytes).map(box.fails) ?? .ok
  }
}

@c(frp_send_utf8) public func sendText(_ run: UInt64, _ port: Int32, _ text: UnsafePointer<UInt8>?, _ length: Int)
  -> Int32
{
  send(run, port, .string, text, length) { $0.send(text: $1, port: Int(port)) }
}

@c(frp_send_json) public func sendJSON(_ run: UInt64, _ port: Int32, _ text: UnsafePointer<UInt8>?, _ length: Int)
  -> Int32
{
  send(run, port, nil, text, length) { $0.send(json: $1, port: Int(port)) }
}

// MARK: Outputs

private func read(_ run: UInt64, _ port: Int32, _ type: TypeID?, _ body: (RunBox, Word) -> Status) -> Int32 {
  Handles.withRun(run) { box in
    box.engine.pointee._withUnsafeGuaranteedRef { reactor in
      let reception = reactor.mayRead(Int(port), as: type)
      if reception != .taken { return box.cannotRead(reception, port) }
      switch reactor.value(of: Int(port)) {
      case .success(let word): return body(box, word)
      case .failure(let fault): return box.fails(.fault, fault.text)
      }
    }
  }
}

extension RunBox {
  /// Why an output cannot be read, in words.
  fileprivate func cannotRead(_ reception: Reception, _ port: Int32) -> Status {
    switch reception {
    case .otherType: return isOfAnotherType(simulation.program.outputs, port)
    case .notNow: return fails(.notNow, "the run has not started")
    case .taken, .noPort, .faulted: return hasNoPort(port)
    }
  }
}

@c(frp_read_int) public func readInt(_ run: UInt64, _ port: Int32, _ value: UnsafeMutablePointer<Int64>?) -> Int32 {
  read(run, port, .int) { _, word in
    value?.pointee = Int64(bitPattern: word)
    return .ok
  }
}

@c(frp_read_bool) public func readBool(_ run: UInt64, _ port: Int32, _ value: UnsafeMutablePointer<Int32>?) -> Int32 {
  read(run, port, .bool) { _, word in
    value?.pointee = word.bool ? 1 : 0
    return .ok
  }
}

@c(frp_read_double) public func readDouble(_ run: UInt64, _ port: Int32, _ value: UnsafeMutablePointer<Double>?)
  -> Int32
{
  read(run, port, .float) { _, word in
    value?.pointee = word.float
    return .ok
  }
}

@c(frp_read_utf8) public func readText(
  _ run: UInt64, _ port: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  read(run, port, .string) { box, word in copy(box.simulation.reactor.heap.bytes(word), buffer, capacity, needed) }
}

@c(frp_read_json) public func readJSON(
  _ run: UInt64, _ port: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  read(run, port, nil) { box, word in
    box.simulation.withJSON(word, ofOutput: Int(port)) { copy($0, buffer, capacity, needed) }
  }
}

@c(frp_watch) public func watch(_ run: UInt64, _ port: Int32) -> Int32 {
  Handles.withRun(run) { box in
    let ports = box.simulation.program.outputs
    guard ports.indices.contains(Int(port)) else { return box.hasNoPort(port) }
    let name = ports[Int(port)].name
    if !box.watched.contains(name) { box.watched.append(name) }
    return box.attempt { (simulation) throws(SimulationError) in try simulation.record(name) }
  }
}

@c(frp_poll) public func poll(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    var lines: [(shown: Occurrence, text: String)] = []
    for name in box.watched {
      for occurrence in (try? box.simulation.occurrences(of: name)) ?? [] {
        lines.append((occurrence, "{\"at\":\(occurrence.time),\(jsonText(name)):\(occurrence.json)}\n"))
      }
    }
    // Several instants may have one time.
    for (_, line) in lines.enumerated().sorted(by: {
      ($0.element.shown.time, $0.element.shown.instant, $0.offset)
        < ($1.element.shown.time, $1.element.shown.instant, $1.offset)
    }) {
      box.pending += line.text
    }
    let status = copy(box.pending.utf8, buffer, capacity, needed)
    if status == .ok { box.pending = "" }
    return status
  }
}

// MARK: State

@c(frp_snapshot) public func snapshot(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    var bytes: [UInt8] = []
    let status = box.attempt { (simulation) throws(SimulationError) in bytes = try simulation.snapshot().bytes }
    return status == .ok ? copy(bytes, buffer, capacity, needed) : status
  }
}

@c(frp_restore) public func restore(_ run: UInt64, _ bytes: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
  guard length >= 0, bytes != nil || length == 0 else { return Status.badArgument.rawValue }
  let copy = Array(UnsafeBufferPointer(start: bytes, count: length))
  return Handles.withRun(run) { box in
    box.attempt { (simulation) throws(SimulationError) in try simulation.restore(try Snapshot(bytes: copy)) }
  }
}

@c(frp_replace) public func replace(_ run: UInt64, _ program: UInt64) -> Int32 {
  Handles.withProgram(program) { source in
    let code = Handles.withRun(run) { box in
      var report = ""
      let status = box.attempt { (simulation) throws(SimulationError) in
        report = try simulation.replaceProgram(with: source.program).text
      }
      if status == .ok { box.message = report }
      return status
    }
    return Status(rawValue: code) ?? .badHandle
  }
}
