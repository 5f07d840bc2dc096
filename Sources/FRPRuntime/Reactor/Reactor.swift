// The reactor runs a plan: it takes what comes from outside and what is due, runs instants, and shows what changed.
//
// In:  a plan, occurrences of inputs, the passing of time. Out: an observation per instant, and faults.
// Rules
// - Time is superdense. At one clock time: what is caused first, then crossings, then timers, then inputs, then what
//   leaves windows.
// - Between instants everything is settled: `old` equals `new` in every frame, nothing is dirty.
// - An instant either happens as a whole, or a fault undoes it as a whole.
// - One thread. No allocation while nothing new is made.

import FRPBase
import FRPCore
import FRPGraph

/// A fault with the definition and the moment.
public struct ReactorFault: Error, Sendable {
  public var fault: Fault
  /// The definition whose computation failed.
  public var definition: String
  public var moment: Moment
  /// A fault at the start ends the run.
  public var isAtStart: Bool
  /// Whether it happened while what moves was followed: no instant was undone.
  public var isBetweenInstants = false
  /// Whether it came as an output was looked at: nothing was undone.
  public var isOfLook = false

  public init(fault: Fault, definition: String, moment: Moment, isAtStart: Bool) {
    self.fault = fault
    self.definition = definition
    self.moment = moment
    self.isAtStart = isAtStart
  }
}

/// A new value of an output behavior, or one occurrence of an output event.
public struct OutputChange: Sendable {
  /// The index in `Plan.outputs`.
  public var output: Int
  public var value: Word
}

/// An entry that must fire in the next micro-step.
struct CausedStep {
  var frame: FrameRef
  var generation: UInt32
  var entry: Int32
  /// For `perform`: the step of a task, and its serial number; -1 for the entry itself.
  var step: Int32 = -1
  var serial: UInt64 = 0
}

/// An input or output, as instants need it.
struct PortRow {
  var entry: Int32
  var slot: Int32
  var type: TypeID
  var isEvent: Bool
  var isContinuous = false
  var node = NodeID(0)
  /// The next output of the same entry; -1 at the end.
  var next: Int32 = -1
}

/// What a host sends.
struct Sent {
  var port: Int
  var value: Word
}

public final class Reactor {
  public let plan: Plan
  public let limits: Limits
  /// Up to so many bytes of frames the system is known to have room.
  var frameBytesWithRoom = 1 << 18
  public let machine: Machine
  /// Where values for `send` are made, and read.
  public var heap: Heap { machine.heap }

  // What hosts set.
  /// Called after every instant that shows something, with the changes in order of declaration. Values are valid
  /// during the call. It may call `send`: that becomes the next micro-step.
  public var observer: ((Moment, UnsafeBufferPointer<OutputChange>) -> Void)? {
    get { currentObserver?.call }
    set { if let newValue { currentObserver = Observer(newValue) } else { currentObserver = nil } }
  }
  /// The same, with when it wants to be called.
  public var currentObserver: Observer? {
    willSet {
      // One that is being called stays alive until it has returned.
      if isRunning { formerObserver = formerObserver ?? currentObserver } else { formerObserver = nil }
    }
    didSet { live.observer = currentObserver.map(Unmanaged.passUnretained) }
  }
  private var formerObserver: Observer?
  public var faultObserver: ((ReactorFault) -> Void)?
  /// By port: start values of input behaviors that replace the declared ones. Set them before `start`.
  public var startValues: [Int: Word] = [:]
  /// Whether an output that has no value at the start is one that may have it later, as after any other instant; else its
  /// fault ends the run. Set it before `start`.
  package var startsWithoutValues = false

  // The graph.
  let templates: UnsafeMutablePointer<TemplateRecord>
  let codes: UnsafeMutablePointer<CodeID>
  let operands: UnsafeMutablePointer<Operand>
  let inputs: UnsafeMutablePointer<PortRow>
  let outputs: UnsafeMutablePointer<PortRow>
  /// By input.
  let directInputs: UnsafeMutablePointer<DirectInput>
  /// Made when something occurs at the first input that may have one.
  var regions: RegionTable?
  /// How often something occurs at an input before what follows becomes machine code: tests want it at once.
  package var turnsUntilNative = 1_000 {
    didSet {
      if !plan.optimisations.contains(.native) { return }
      for port in 0..<inputCount { directInputs[port].turnsUntilNative = turnsUntilNative }
    }
  }
  /// Where it is set, regions that have machine code are interpreted as well, in every instant, and it is told what differs: for tests.
  package var nativeDiffers: ((String) -> Void)?
  /// By binding: the input of which it is the source.
  let sourcePorts: [Int?]
  /// The entries that perform the sinks of outputs.
  let sinkEntries: [Int]
  /// By entry of the program's template: the first output that shows it; the others follow by `PortRow.next`.
  let firstOutput: UnsafeMutablePointer<Int32>
  let inputCount: Int
  let outputCount: Int
  /// Everything that changes, behind one pointer: see LiveState.swift.
  let liveState: UnsafeMutablePointer<LiveState>
  /// By output: how it is sampled in blocks, once somebody has asked; nil where it cannot be.
  var blockCodes: [Int: BlockCode?] = [:]
  /// Called when a task of the host begins: which function, its argument (valid during the call), and the token to end
  /// it with.
  public var hostTaskBegins: ((Int, Word, TaskToken) -> Void)?
  /// Called when a task of the host begins that is answered in its place: which function, its argument.
  public var hostTaskIsAnswered: ((Int, Word) -> Void)?
  /// Called after an instant in which the source or sink of a port has ended: which of the plan's bindings, and why if not well.
  public var bindingEnded: ((Int, String?) -> Void)?
  /// Says which numbers the host's tasks have that are under way.
  public var hostTaskNumbers: (() -> [TaskToken: Int])?
  /// Of tasks of the host that begin once more since a state was restored: the number that they had.
  public var restoredNumbers: [TaskToken: Int] = [:]
  /// Called when the result of a host's task is no longer wanted.
  public var hostTaskCancelled: ((TaskToken) -> Void)?

  /// After `adopt`: the host's tasks that go on, by their tokens there and here, with which function they are here.
  public internal(set) var resumedHostTasks: [(before: TaskToken, now: TaskToken, function: Int)] = []
  var keepsHostTasks = false
  /// Debug builds look at everything that is alive after each instant, unless a test measures what instants cost.
  package var checksInvariants = true

  public init(plan: Plan, limits: Limits = Limits(), seed: UInt64 = 0) {
    self.plan = plan
    var limits = limits
    // Steps in slices, which is what watching needs, with a time that nobody waits for.
    if limits.isWatched { limits.secondsPerInstant = min(limits.secondsPerInstant, .greatestFiniteMagnitude) }
    self.limits = limits
    machine = Machine(
      code: plan.code, types: plan.core.types, limitBytes: limits.heapBytes, stackWords: limits.stackWords,
      hasQuickLoop: plan.optimisations.contains(.quickCodes))
    if seed != 0 { machine.library.seed = Int(truncatingIfNeeded: seed) }
    let (loaded, shapes) = (machine.state.pointee.codes, machine.heap.shapes)
    templates = .copy(
      plan.templates.enumerated().map { index, template in
        TemplateRecord(
          template, index: index, shapes: shapes, hasDirectGroups: plan.optimisations.contains(.directGroups),
          showsContinuous: plan.core[template.scope].results.contains { plan.core[$0].isContinuous }
        ) { entry in
          switch entry.kind {
          case .lift, .map, .scan, .fold, .filter, .filterMap: return loaded[plan.codes[Int(entry.code)].index].quick
          case .hold: return entry.hasStages ? loaded[plan.codes[Int(entry.code)].index].quick : nil
          default: return nil
          }
        }
      })
    codes = .copy(plan.codes)
    operands = .copy(plan.operands)
    inputs = .copy(plan.inputs.map { PortRow(entry: $0.entry, slot: $0.slot, type: $0.type, isEvent: $0.isEvent) })
    outputs = .copy(
      plan.outputs.map {
        PortRow(
          entry: $0.entry, slot: $0.slot, type: $0.type, isEvent: $0.isEvent, isContinuous: $0.isContinuous,
          node: $0.node)
      })
    var first = [Int32](repeating: -1, count: templates[0].count)
    for (index, output) in plan.outputs.enumerated().reversed() where output.entry >= 0 {
      outputs[index].next = first[Int(output.entry)]
      first[Int(output.entry)] = Int32(index)
    }
    firstOutput = .copy(first)
    inputCount = plan.inputs.count
    outputCount = plan.outputs.count
    let records = templates
    directInputs = .copy(
      plan.inputs.indices.map {
        var direct = DirectInput(plan, port: $0, templates: records)
        if plan.optimisations.contains(.native) { direct.turnsUntilNative = 1_000 }
        return direct
      }, alignment: MemoryLayout<DirectInput>.stride)
    sourcePorts = plan.bindings.map { if case .source(let port) = $0.kind { port } else { nil } }
    sinkEntries = plan.bindings.filter { !$0.isSource }.map { Int(plan.entryOfNode[$0.node.index]) }
    liveState = .allocate(capacity: 1)
    liveState.initialize(to: LiveState(root: FrameRecord.allocate(templates)))
    connectPulls()
    machine.collectInside = { [unowned self] start, end in collectInside(start, end) }
  }

  deinit {
    live.solver = nil
    releaseAll()
    for index in plan.templates.indices { templates[index].deallocate() }
    templates.deallocate()
    codes.deallocate()
    operands.deallocate()
    inputs.deallocate()
    outputs.deallocate()
    firstOutput.deallocate()
    directInputs.deallocate()
    live.deallocate()
    liveState.deinitialize(count: 1)
    liveState.deallocate()
  }

  // MARK: Counters

  public var liveTimers: Int { live.timers.count }
  /// Asked between two steps of what is followed, where no instant runs: whether the run is about to end, so that `advance` comes back where
  /// the clock has come to.
  public var isEndWanted: (() -> Bool)?
  /// Who may end what runs.
  public var interrupter: Interrupter? {
    get { machine.watch.interrupter }
    set { machine.watch.interrupter = newValue }
  }
  /// Whether the last `advance` was ended by it.
  public var isInterrupted: Bool { machine.isInterrupted }
  /// Bytes that values have taken so far.
  public var madeBytes: Int { heap.usedBytes + heap.reclaimedBytes }
  /// Bytes of values and frames.
  public var liveBytes: Int { heap.usedBytes + live.frameBytes }

  // MARK: The run

  /// Runs the start instant: gives every definition its first value and lets `start` occur. Shows every output
  /// behavior. A fault here ends the run.
  public func start() {
    if hasStarted { return }
    collectBeforeCall()
    live.hasStarted = true
    live.hasValues = true
    do throws(Fault) {
      try startProgram()
    } catch {
      failStart(error)
    }
  }

  /// When the reactor next has something to do of its own; nil if nothing is waiting.
  public var nextDue: Moment? {
    if isOver { return nil }
    collectBeforeCall()
    if hasCaused { return now }
    let due = live.timers.nextDue
    let crossing = foreseeCrossing(before: due)
    if let crossing { return crossing }
    return due == Clock.never ? nil : Moment(nanoseconds: due)
  }

  /// To which time a host must let the clock come next: `nextDue`, or just after it where that waits for the inputs of
  /// its time, which are over when the clock goes on.
  public var wakeUp: Moment? {
    guard let due = nextDue else { return nil }
    if hasCaused || due.nanoseconds != live.timers.nextDue || !live.timers.isFirstLate { return due }
    return Moment(nanoseconds: Clock.adding(live.timers.nextDue, 1))
  }

  /// Moves the clock to `time` (nanoseconds), running everything due up to and including it but what waits for the
  /// inputs of `time` itself: those can still be sent. Stops early where the run ends; going back is ignored.
  public func advance(to time: Int64) { advance(to: time, isClosing: false) }

  /// The same, and `time` is over: nothing more will be sent at it.
  public func advance(through time: Int64) { advance(to: time, isClosing: true) }

  /// The same for as long as `goesOn`, asked before each instant.
  public func advance(to time: Int64, while goesOn: () -> Bool) {
    collectBeforeCall()
    if isRunning { return }
    machine.beginCall()
    while !isOver, !machine.isInterrupted, goesOn(), advanceOnce(to: time) {}
    machine.endCall()
  }

  private func advance(to time: Int64, isClosing: Bool) {
    collectBeforeCall()
    if live.isClockOnly, !isOver, !isRunning, hasStarted, !hasCaused, live.timers.nextDue > time {
      // Nothing is due, and nothing is followed.
      if time > now.nanoseconds { moveClock(to: Moment(nanoseconds: time)) }
      return
    }
    if isRunning { return }
    machine.beginCall()
    while !isOver, !machine.isInterrupted, advanceOnce(to: time, isClosing: isClosing) {}
    machine.endCall()
  }

  /// Runs one instant that is due at or before `time`, or moves the clock there. Gives whether there may be more. Where
  /// `isClosing`, nothing more will be sent at `time`: see `advance(through:)`.
  public func advanceOnce(to time: Int64, isClosing: Bool = false) -> Bool {
    if isOver || isRunning || !hasStarted { return false }
    collectBeforeCall()
    if runCaused() { return true }
    let due = live.timers.nextDue
    let limit = min(due, time)
    if let crossing = nextCrossing(before: limit) {
      moveClock(to: crossing)
      runCrossings()
      return true
    }
    if let solver = live.solver, let reached = solver.brokenOff {
      // Another call may have nothing to follow, and no search of its own.
      solver.brokenOff = nil
      if reached.seconds > now.seconds { moveClock(to: reached) }
      return false
    }
    let isOpen = due == time && !isClosing && live.timers.isFirstLate
    if due <= time, due != Clock.never, !isOpen {
      if due > now.nanoseconds { moveClock(to: Moment(nanoseconds: due)) }
      runTimers()
      return true
    }
    if time > now.nanoseconds { moveClock(to: Moment(nanoseconds: time)) }
    return false
  }

  /// One instant at the present time in which these occur together, in order, and all that it causes. From inside a
  /// callback it becomes (part of) the next micro-step.
  public func send(_ list: [(port: Int, value: Word)]) {
    if isOver { return }
    if list.count == 1 { return send(port: list[0].port, list[0].value) }
    if isRunning {
      for (port, value) in list { live.sentNext.append(Sent(port: port, value: value)) }
      return
    }
    sending(list)
  }

  /// What a line of a trace says, at the present time.
  public func send(_ line: Codec.TraceLine) {
    if line.ports.count == 1 { return send(port: line.ports[0], line.values[0]) }
    send(line.ports.indices.map { (line.ports[$0], line.values[$0]) })
  }

  /// `send` of one occurrence, without an array.
  public func send(port: Int, _ value: Word) {
    // Each is called last, so that what it saves is no cost of the other.
    if UInt(bitPattern: port) < UInt(bitPattern: inputCount), directInputs[port].alone != nil {
      runAlone(port, value)
    } else {
      runSent(port, value)
    }
  }

  /// `send` by the ways that are the interpreter's: what is caused happens first, and what it causes after it.
  @inline(never)
  func runSent(_ port: Int, _ value: Word) {
    if isOver { return }
    if isRunning {
      live.sentNext.append(Sent(port: port, value: value))
      return
    }
    if !hasStarted { return }
    var value = value
    #if DEBUG
      if heap.collectAlways { settle(before: port, &value) }
    #endif
    if hasCaused {
      settle(before: port, &value)
      if isOver { return }
    }
    live.causedSteps = 0
    openStepFromOutside()
    if !runDirect(port, value) { runInstant(port: port, value) }
    if hasCaused { while runCaused() {} }
  }

  /// Runs what is caused before a value that a host has sent is taken; it may move that value.
  @inline(never)
  private func settle(before port: Int, _ value: inout Word) {
    live.waiting.append(Sent(port: port, value: value))
    collectBeforeCall()
    while runCaused() {}
    value = live.waiting[0].value
    live.waiting.removeAll()
  }

  /// Runs what still waits for inputs of the present time, and the last instant, in which `end` occurs.
  public func finish() {
    runLastInstant()
    close()
  }

  /// The same, and the run is not over: what tasks of that instant come to can still happen, until `close`.
  public func runLastInstant() {
    if isOver || isRunning || !hasStarted { return }
    collectBeforeCall()
    advance(through: now.nanoseconds)
    if isOver { return }
    runEnd()
    while runCaused() {}
  }

  /// Nothing happens any more.
  public func close() { if hasStarted, !isRunning { live.isOver = true } }

  /// The present value of an output behavior: just after the last instant; of a continuous one, now.
  public func value(of output: Int) -> Result<Word, Fault> {
    live.isProfiled ? looking(at: output) { present(output) } : present(output)
  }

  @inline(__always)
  private func present(_ output: Int) -> Result<Word, Fault> {
    let row = outputs[output]
    guard row.slot >= 0, !row.isEvent else { return .success(0) }
    if !live.hasValues { return .failure(.noValues) }
    collectBeforeCall()
    if !row.isContinuous, !live.hasSolver, machine.state.pointee.poisonCount == 0 {
      return .success(live.root.pointee.new[Int(row.slot)])
    }
    if row.isContinuous, live.isClockOnly, let value = quickValue(row) { return .success(value) }
    do throws(Fault) {
      if live.hasSolver, !live.isClockOnly { live.solver?.bringToPresent() }
      machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
      defer { heap.stopMetering() }
      let word = try read(live.root, row.node, slot: Int(row.slot), continuous: row.isContinuous, old: false)
      try machine.checkGivenUp()
      return .success(word)
    } catch {
      return .failure(error)
    }
  }

  /// The present value of a continuous output that a quick code computes; nil where it must be found the long way.
  @inline(__always)
  private func quickValue(_ row: PortRow) -> Word? {
    let state = machine.state
    let base = live.root.pointee.new
    let slot = base + Int(row.slot)
    if state.pointee.poisonCount != 0 { return nil }
    if slot[1] == state.pointee.epoch { return slot[0] }
    let code = Int(state.pointee.pullCode[row.node.index])
    guard code >= 0, let quick = state.pointee.codes[code].quick else { return nil }
    machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
    return Machine.quick(state, quick, r: state.pointee.top + Layout.callHeader, base: base)
  }

  /// The present value of a behavior of the program's own scope; nil where a plan has no place for it.
  public func value(of node: NodeID) -> Result<Word, Fault>? {
    guard live.hasValues, let entry = plan.templates[0].entries.first(where: { $0.node == node && $0.slot >= 0 }) else {
      return nil
    }
    do throws(Fault) {
      if live.hasSolver, !live.isClockOnly { live.solver?.bringToPresent() }
      machine.grant(steps: limits.stepsPerInstant, seconds: limits.secondsPerInstant)
      defer { heap.stopMetering() }
      let word = try read(live.root, node, slot: Int(entry.slot), continuous: entry.isContinuous, old: false)
      try machine.checkGivenUp()
      return .success(word)
    } catch {
      return .failure(error)
    }
  }

  /// A behavior's slot in `old` or `new`.
  func read(_ frame: FrameRef, _ node: NodeID, slot: Int, continuous: Bool, old: Bool) throws(Fault) -> Word {
    let base = old ? frame.pointee.old : frame.pointee.new
    if continuous { return try machine.pull(node, slot: slot, base: base) }
    if let fault = machine.poison(at: base + slot) { throw fault }
    return base[slot]
  }

  // MARK: Faults

  /// The definition to blame: that of the smallest node around the fault's place, else, at the start, the one whose value it is, or the one that ran.
  public func definition(of fault: Fault) -> String {
    var best: CoreNode?
    for node in plan.core.nodes where !fault.span.isNone && node.span.file == fault.span.file {
      guard node.span.start <= fault.span.start, node.span.end >= fault.span.end else { continue }
      if let found = best, found.span.end - found.span.start <= node.span.end - node.span.start { continue }
      best = node
    }
    if let best, !best.definition.isEmpty { return best.definition }
    let node = fault.node < 0 || !live.isStarting ? live.runningNode : NodeID(Int(fault.node))
    return plan.core.nodes.indices.contains(node.index) ? plan.core[node].definition : ""
  }

  func report(_ fault: Fault, isBetweenInstants: Bool = false) {
    live.faultCount += 1
    var placed = fault
    if placed.span.isNone, plan.core.nodes.indices.contains(live.runningNode.index) {
      placed.span = plan.core[live.runningNode].span
    }
    var told = ReactorFault(
      fault: placed, definition: definition(of: fault), moment: now, isAtStart: live.isStarting)
    told.isBetweenInstants = isBetweenInstants
    faultObserver?(told)
  }

  /// A fault that came as an output was looked at, with what it is of; by default the definition that failed.
  public func faultOfLook(_ fault: Fault, definition: String? = nil) -> ReactorFault {
    var told = ReactorFault(
      fault: fault, definition: definition ?? self.definition(of: fault), moment: now, isAtStart: false)
    told.isOfLook = true
    return told
  }

  private func failStart(_ fault: Fault) {
    undoInstant()
    live.isRunning = false
    report(fault)
    live.isOver = true
    live.hasValues = false
    live.isStarting = false
  }
}

extension Fault {
  fileprivate static let noValues = Fault(.message, "there is no value: the run has not started, or its start failed")
}
