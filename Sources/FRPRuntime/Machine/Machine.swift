// The machine: runs code over a stack of words. One thread; entering it allocates nothing.
//
// The stack is one reserved range whose pages the system provides on first touch, so windows never move. A window is
// preceded by three words: the caller's next instruction (0: back to Swift), the caller's window, the caller's base.

import FRPBase
import FRPCore
import FRPGraph

/// Where one code starts, as the machine wants it.
struct LoadedCode {
  var start: UnsafePointer<Instr>
  var registers: Int32
  var parameters: Int32
  /// Where it starts for the quick loop; nil if it cannot run there.
  var quick: UnsafePointer<Instr>?
}

/// What the loop needs, behind one pointer so that no access is checked for exclusivity.
struct MachineState {
  /// In `pullCode`: the reactor computes the value.
  static let asksReactor: Int32 = -2

  var codes: UnsafeMutablePointer<LoadedCode>
  var heap: UnsafeMutablePointer<HeapState>
  var constants: Address
  var instructions: UnsafeMutablePointer<Instr>
  var quickInstructions: UnsafeMutablePointer<Instr>?
  var calls: UnsafeMutablePointer<PrimCall>
  var routines: UnsafeMutablePointer<Routine>
  var pullCode: UnsafeMutablePointer<Int32>
  var closures: UnsafeMutablePointer<ClosureInfo>
  /// The first free word of the stack for whoever enters next.
  var top: Address
  var stackEnd: Address
  var stepsLeft: Int
  /// Steps that may be taken when those are used up, if it is not yet `deadline`: see Interruption.swift.
  var stepsInReserve = 0
  /// The last of the clock's nanoseconds; the greatest number where time is not limited.
  var deadline = UInt64.max
  var epoch: UInt64
  /// Set by a code that let nothing through; whoever enters such codes clears it.
  var hasSkipped = false
  /// Quick codes that wait for one another.
  var quickDepth = 0
  var poisonCount: Int
  var nesting: Int
  var nestingLimit: Int
  /// The part of the thread's stack that may be used: see ThreadStack.swift.
  var threadStack = ThreadStack()
  /// Collecting.swift: whether a collection is due, and how many callers want none now.
  var wantsCollection = false
  var stillness = 0
  /// The instruction that was last run again for want of memory, and how many collections there had been.
  var triedAgain: UnsafePointer<Instr>?
  var triedAgainAfter = 0
  /// Nothing is run again in this epoch.
  var gaveUpEpoch: UInt64 = 0
}

public final class Machine {
  public let heap: Heap
  public let types: TypeTable
  public let code: CodeTable
  let state: UnsafeMutablePointer<MachineState>
  private let stack: MachineStack
  var stackStart: Address { stack.start }
  /// Words that a window may have, and what stands before it.
  let widestWindow: Int
  /// Why a comparison was given up, where one was.
  var givenUp = Fault.steps
  /// Of a machine whose steps are granted in slices.
  var watch = MachineWatch()
  /// Collects while code runs, if it can be done now. In: the part of the machine's stack that is in use.
  var collectInside: ((Address, Address) -> Bool)?
  private var poisons: [UInt: Fault] = [:]
  var cells = FaultCells()
  /// What library routines keep: codecs, compiled patterns, the run's seed.
  public private(set) lazy var library = LibraryState(self)
  /// What calls the functions of the host: which, its argument, and the types. It may allocate, and must not call back.
  public var hostCall: ((Int, Word, PrimCall) throws(Fault) -> Word)?
  /// Whether nothing stands on the stack.
  var isIdle: Bool { state.pointee.top == stackStart && state.pointee.nesting == 0 }

  /// How often routines may call functions that call routines …; each level takes some of the thread's stack.
  public var nestingLimit: Int {
    get { state.pointee.nestingLimit }
    set { state.pointee.nestingLimit = newValue }
  }

  /// `stackWords` bounds the depth of calls: it is reserved, not touched, at the start (16 Mi words are 128 MiB), and less
  /// where the system does not grant so much.
  /// `hasQuickLoop` is for tests: it changes nothing but the time that codes take.
  public init(
    code: CodeTable, types: TypeTable, limitBytes: Int = 4 << 30, stackWords: Int = 16 << 20, hasQuickLoop: Bool = true
  ) {
    self.code = code
    self.types = types
    heap = Heap(types: types, limitBytes: limitBytes)
    stack = MachineStack(words: stackWords)
    widestWindow = Int(code.entries.lazy.map(\.registers).max() ?? 0) + 2 * Layout.callHeader
    let state = UnsafeMutablePointer<MachineState>.allocate(capacity: 1)
    state.initialize(
      to: Machine.load(code, heap, stack: stack.start, stackWords: stack.words, hasQuickLoop: hasQuickLoop))
    self.state = state
    heap.alarm = { Machine.askForCollection(state) }
    heap.meter = { [unowned(unsafe) self] parts in mayGoOn(after: parts) }
  }

  deinit {
    state.pointee.unload(code)
    state.deallocate()
  }

  // MARK: What the reactor sets

  /// The moment of evaluation: a pulled slot is valid while its epoch word equals this.
  public var epoch: UInt64 {
    get { state.pointee.epoch }
    set { state.pointee.epoch = newValue }
  }

  /// Calls, loop turns and library steps left in this instant.
  public var stepsLeft: Int {
    get { state.pointee.stepsLeft + state.pointee.stepsInReserve }
    set {
      if state.pointee.deadline < .max { return grantSlices(newValue) }
      state.pointee.stepsLeft = newValue
      state.pointee.stepsInReserve = 0
    }
  }

  /// Whether the code of a fused chain that has just run let nothing through; asking forgets it.
  @inline(__always)
  var hasSkipped: Bool {
    if !state.pointee.hasSkipped { return false }
    state.pointee.hasSkipped = false
    return true
  }

  /// What the code that has just run has left in its first parameter.
  @inline(__always)
  var firstParameter: Word { (state.pointee.top + Layout.callHeader)[0] }

  /// Counts the steps of a loop in a routine.
  @inline(__always)
  public func step(_ count: Int = 1) throws(Fault) {
    let left = state.pointee.stepsLeft &- count
    state.pointee.stepsLeft = left
    if left < 0 { try takeSlice() }
  }

  /// Makes loads of a slot throw this fault until the slot is cured.
  public func poison(_ slot: UnsafeMutablePointer<Word>, _ fault: Fault) {
    poisons[UInt(bitPattern: slot)] = fault
    state.pointee.poisonCount = poisons.count
  }

  public func cure(_ slot: UnsafeMutablePointer<Word>) {
    if state.pointee.poisonCount == 0 { return }
    poisons[UInt(bitPattern: slot)] = nil
    state.pointee.poisonCount = poisons.count
  }

  /// The fault of a poisoned slot.
  @inline(__always)
  public func poison(at slot: UnsafeMutablePointer<Word>) -> Fault? {
    state.pointee.poisonCount == 0 ? nil : poisonFault(slot)
  }

  // MARK: Running code

  /// Runs a code whose scope's frame is at `base`.
  @inline(__always)
  public func run(_ code: CodeID, base: UnsafeMutablePointer<UInt64>) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    if let quick = state.pointee.codes[code.index].quick, let value = Machine.quick(state, quick, r: window, base: base)
    {
      return value
    }
    return try enter(code.index, base)
  }

  @inline(__always)
  public func run(_ code: CodeID, base: UnsafeMutablePointer<UInt64>, with first: Word) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    window[0] = first
    if let quick = state.pointee.codes[code.index].quick {
      if let value = Machine.quick(state, quick, r: window, base: base) { return value }
      window[0] = first
    }
    return try enter(code.index, base)
  }

  @inline(__always)
  public func run(_ code: CodeID, base: UnsafeMutablePointer<UInt64>, with first: Word, _ second: Word) throws(Fault)
    -> Word
  {
    let window = state.pointee.top + Layout.callHeader
    window[0] = first
    window[1] = second
    if let quick = state.pointee.codes[code.index].quick {
      if let value = Machine.quick(state, quick, r: window, base: base) { return value }
      window[0] = first
      window[1] = second
    }
    return try enter(code.index, base)
  }

  @inline(__always)
  public func run(
    _ code: CodeID, base: UnsafeMutablePointer<UInt64>, with first: Word, _ second: Word, _ third: Word
  ) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    window[0] = first
    window[1] = second
    window[2] = third
    return try enter(code.index, base)
  }

  /// Computes a pulled behavior that is neither a lift nor kept up to date; its node and the base.
  public var reactorPull: ((NodeID, UnsafeMutablePointer<UInt64>) throws(Fault) -> Word)?

  /// Makes pulls of this node ask `reactorPull`.
  public func askReactor(for node: NodeID) { state.pointee.pullCode[node.index] = MachineState.asksReactor }

  @inline(never)
  func askReactor(_ node: Int, _ slot: Address, base: Address, top: Address) throws(Fault) {
    guard let reactorPull else { return }
    let epoch = state.pointee.epoch
    let before = state.pointee.top
    state.pointee.top = top
    defer { state.pointee.top = before }
    slot[0] =
      hasThreadStack
      ? try reactorPull(NodeID(node), base)
      : try onAnotherStack { () throws(Fault) in try reactorPull(NodeID(node), base) }
    slot[1] = epoch
  }

  /// Brings a pulled behavior's slot up to the present epoch and gives its value.
  public func pull(_ node: NodeID, slot: Int, base: UnsafeMutablePointer<UInt64>) throws(Fault) -> Word {
    if base[slot + 1] == state.pointee.epoch { return base[slot] }
    let code = state.pointee.pullCode[node.index]
    if code == MachineState.asksReactor {
      try askReactor(node.index, base + slot, base: base, top: state.pointee.top)
    }
    if code < 0 { return base[slot] }
    if let quick = state.pointee.codes[Int(code)].quick,
      let value = Machine.quick(state, quick, r: state.pointee.top + Layout.callHeader, base: base)
    {
      return value
    }
    return try enter(Int(code), base)
  }

  // MARK: Calling function values

  @inline(__always)
  public func apply(_ function: Word) throws(Fault) -> Word {
    (state.pointee.top + Layout.callHeader)[0] = function
    return try enter(function)
  }

  @inline(__always)
  public func apply(_ function: Word, _ first: Word) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    window[0] = first
    window[1] = function
    return try enter(function)
  }

  @inline(__always)
  public func apply(_ function: Word, _ first: Word, second: Word) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    window[0] = first
    window[1] = second
    window[2] = function
    return try enter(function)
  }

  @inline(__always)
  public func apply(_ function: Word, _ first: Word, _ second: Word, _ third: Word) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    window[0] = first
    window[1] = second
    window[2] = third
    window[3] = function
    return try enter(function)
  }

  @inline(__always)
  private func enter(_ function: Word) throws(Fault) -> Word {
    let window = state.pointee.top + Layout.callHeader
    state.pointee.nesting &+= 1
    defer { state.pointee.nesting &-= 1 }
    if state.pointee.nesting > state.pointee.nestingLimit { throw Fault.stack }
    if !hasThreadStack {
      return try onAnotherStack { () throws(Fault) in try execute(Int(function.field(0)), window, start: window) }
    }
    return try execute(Int(function.field(0)), window, start: window)
  }

  @inline(__always)
  private func enter(_ code: Int, _ base: Address) throws(Fault) -> Word {
    try execute(code, state.pointee.top + Layout.callHeader, start: base)
  }

  // MARK: Faults

  /// The fault of a poisoned slot, if any.
  @inline(never)
  func poisonFault(_ slot: Address) -> Fault? { poisons[UInt(bitPattern: slot)] }

  /// A fault at the instruction before `pc`.
  @inline(never)
  func fault(_ fault: Fault, _ pc: UnsafePointer<Instr>) -> Fault {
    let index = pc - UnsafePointer(state.pointee.instructions) - 1
    return code.spans.indices.contains(index) ? fault.placed(at: code.spans[index]) : fault
  }
}
