// Writes the instructions of one body.
//
// Registers are a stack: operands are computed above what is in use and released when their user is done. A value that
// is used again keeps its register until the region it was computed in is left. Subroutines (see CodeBodyGraph.swift)
// are written after the body, each with temporaries above all that came before, because they run in the middle of it.

import FRPBase
import FRPCore

final class BodyEmitter {
  let store: CodeStore
  let body: Body
  let graph: BodyGraph
  let core: CoreProgram
  var instructions: [Instr] = []
  private(set) var spans: [Span] = []
  var span = Span.none

  /// The first free register and the most ever in use.
  private(set) var top = 0
  private var highest = 0
  /// By item: the register that holds its value here, or -1.
  private var register: [Int]
  /// By item: its register wherever it is visible: parameters, eager items, subroutines' values.
  private var home: [Int]
  /// Registers of parameters that nothing mentions.
  private var spareHomes: [LocalID: Int] = [:]
  /// Items in `register`, in order of addition.
  private var log: [Int] = []
  private var region = 0
  /// Subroutines wanted, with the jumps to patch.
  private var subroutines: [(item: Int, jumps: [Int])] = []
  /// The items whose subroutine is being written.
  private var inSubroutine = -1
  /// By levels up: the register with that base.
  private var outerBases: [Int: Int] = [:]
  private(set) var closureRegister = 0
  private let floor: Int?

  /// With `before`, goes on with the instructions of another emitter, and uses registers from `floor` on.
  init(_ store: CodeStore, _ body: Body, after before: BodyEmitter? = nil, floor: Int? = nil) {
    self.store = store
    self.body = body
    if let before {
      instructions = before.instructions
      spans = before.spans
      highest = before.highest
      before.instructions = []
      before.spans = []
    }
    self.floor = floor
    core = store.core
    var outside: Set<LocalID> = []
    for case .local(let local) in body.captures where store.captures.isLazy(local) { outside.insert(local) }
    for local in body.parameters where store.captures.isLazy(local) { outside.insert(local) }
    var cells: Set<NodeID> = []
    for case .node(let node) in body.captures where store.captures.isCell(node) { cells.insert(node) }
    graph = BodyGraph(core: core, captures: store.captures, root: body.root, outside: outside, cells: cells)
    register = [Int](repeating: -1, count: graph.items.count)
    home = register
  }

  /// Words of the window; the machine checks them before it enters.
  var registerCount: Int { highest + Layout.callHeader + 1 }

  func emit() {
    for (index, local) in body.parameters.enumerated() { bind(local, to: index) }
    closureRegister = body.parameters.count
    writeBody()
  }

  /// Everything, once the parameters have their registers.
  func writeBody() {
    prepare()
    tail(graph.root)
    emitSubroutines()
  }

  /// What comes before the first value.
  func prepare() {
    top = floor ?? body.parameters.count + 1
    highest = max(highest, top)
    loadOuterBases()
    for (place, item) in graph.items.enumerated() where item.role == .subroutine { reserve(place) }
    enter(0)
  }

  /// Gives a parameter its register.
  func bind(_ local: LocalID, to register: Int) {
    let key: BodyGraph.Key = store.captures.isLazy(local) ? .thunk(local) : .local(local)
    if let item = graph.item(key) { home[item] = register } else { spareHomes[local] = register }
  }

  // MARK: Registers

  func allocate(_ count: Int = 1) -> Int {
    let first = top
    top += count
    highest = max(highest, top)
    return first
  }

  /// The register of a parameter.
  func home(of local: LocalID) -> Int {
    graph.item(.local(local)).map { home[$0] } ?? spareHomes[local] ?? 0
  }

  /// What `release` goes back to.
  func mark() -> (top: Int, log: Int) { (top, log.count) }

  /// Frees registers taken since the mark, unless one of them holds a value that is used again.
  func release(_ mark: (top: Int, log: Int)) {
    if log.count == mark.log { top = mark.top }
  }

  private func reserve(_ place: Int) {
    home[place] = allocate()
    _ = allocate()
  }

  private func wayBack(_ place: Int) -> Int { home[place] + 1 }
  /// By subroutine: its flag. Flags are one run of registers a region, so that one instruction clears them.
  private var flags: [Int: Int] = [:]

  // MARK: Instructions

  @discardableResult
  func add(_ op: Op, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, d: Int = 0) -> Int {
    instructions.append(Instr(op, a, b, c, d: d))
    spans.append(span)
    return instructions.count - 1
  }

  /// Makes jumps lead to the next instruction.
  func land(_ jumps: [Int]) {
    for jump in jumps {
      let distance = Int32(instructions.count - jump)
      if instructions[jump].op == .jump { instructions[jump].a = distance } else { instructions[jump].c = distance }
    }
  }

  // MARK: Regions

  /// Computes what a region needs at its entry.
  func enter(_ region: Int) {
    let flagged = graph.regions[region].flags
    if let first = flagged.first, flags[first] == nil {
      let start = allocate(flagged.count)
      for (offset, item) in flagged.enumerated() { flags[item] = start + offset }
      add(.clear, start, flagged.count)
    }
    for item in graph.regions[region].eager {
      let result = value(item)
      home[item] = result
    }
  }

  /// Runs `write` in a region below the present one and forgets afterwards what was computed there.
  func inRegion(_ next: Int, _ write: () -> Void) {
    let outer = region
    let mark = mark()
    region = next
    enter(next)
    write()
    forget(to: mark.log)
    top = mark.top
    region = outer
  }

  func forget(to count: Int) {
    while log.count > count { register[log.removeLast()] = -1 }
  }

  /// The region of an item's n-th branch.
  func branch(_ item: Int, _ number: Int) -> Int { graph.items[item].branches + number - 1 }

  // MARK: Values

  /// The register of an item's value, computed now if it is not there yet. With `target`, it is that register.
  @discardableResult
  func value(_ item: Int, into target: Int? = nil) -> Int {
    if let known = known(item) { return moved(known, target) }
    if graph.items[item].role == .subroutine, inSubroutine != item {
      force(item)
      return moved(home[item], target)
    }
    if graph.items[item].uses > 1 || graph.items[item].role == .eager, !isConstant(item) {
      let result = compute(item, allocate())
      remember(item, result)
      return moved(result, target)
    }
    return compute(item, target)
  }

  private func known(_ item: Int) -> Int? {
    if register[item] >= 0 { return register[item] }
    if home[item] >= 0, graph.items[item].role != .subroutine { return home[item] }
    return nil
  }

  func moved(_ source: Int, _ target: Int?) -> Int {
    guard let target, target != source else { return source }
    add(.move, target, source)
    return target
  }

  private func remember(_ item: Int, _ result: Int) {
    register[item] = result
    log.append(item)
  }

  private func force(_ item: Int) {
    let jump = add(.force, flags[item] ?? 0, wayBack(item))
    if let place = subroutines.firstIndex(where: { $0.item == item }) {
      subroutines[place].jumps.append(jump)
    } else {
      subroutines.append((item, [jump]))
    }
    remember(item, home[item])
  }

  var hasSubroutines: Bool { !subroutines.isEmpty }

  func emitSubroutines() {
    var next = 0
    while next < subroutines.count {
      let item = subroutines[next].item
      starts[item] = instructions.count
      forget(to: 0)
      top = highest
      region = graph.items[item].region
      inSubroutine = item
      enter(region)
      compute(item, home[item])
      add(.forced, flags[item] ?? 0, wayBack(item))
      next += 1
    }
    for (item, jumps) in subroutines {
      for jump in jumps { instructions[jump].c = Int32((starts[item] ?? 0) - jump) }
    }
  }

  /// Where subroutines start.
  private var starts: [Int: Int] = [:]

  // MARK: Leaves

  func isConstant(_ item: Int) -> Bool {
    guard case .expr(let id) = graph.items[item].key else { return false }
    switch core[id] {
    case .unit, .bool, .int, .float, .string: return true
    default: return false
    }
  }

  /// Loads what the body mentions from outside.
  func load(_ key: BodyGraph.Key, _ target: Int?) -> Int {
    if let place = capturePlace(key) {
      let result = target ?? allocate()
      add(.capture, result, place, closureRegister)
      return result
    }
    switch key {
    case .node(let node): return loadNode(node, target)
    case .local(let local) where core.localScopes[local.index] != nil:
      return loadSlot(
        Int(store.layout.parameterSlots[local.index]), core.localScopes[local.index] ?? .program, target: target)
    default:
      // No checked program mentions what is not in scope.
      add(.unreachable)
      return target ?? allocate()
    }
  }

  private func capturePlace(_ key: BodyGraph.Key) -> Int? {
    let capture: Capture
    switch key {
    case .node(let node), .cell(let node): capture = .node(node)
    case .local(let local), .thunk(let local): capture = .local(local)
    case .expr: return nil
    }
    guard let place = body.captures.firstIndex(of: capture) else { return nil }
    if case .thunk = body.kind { return place + 1 }
    return place
  }

  private func loadSlot(_ slot: Int, _ scope: ScopeID, target: Int?) -> Int {
    let result = target ?? allocate()
    let levels = self.levels(to: scope)
    if levels == 0 { add(.slot, result, slot) } else { add(.slotFrom, result, slot, outerBases[levels] ?? 0) }
    return result
  }

  private func loadNode(_ node: NodeID, _ target: Int?) -> Int {
    guard store.isPulled(node) else {
      return loadSlot(store.layout.slot(node), core[node].scope, target: target)
    }
    let result = allocate()
    add(.pull, result, store.layout.slot(node), node.index, d: frame(of: core[node].scope))
    return moved(result, target)
  }

  /// 0 for the own scope, else 1 above the register of an outer one's base.
  func frame(of scope: ScopeID) -> Int {
    let levels = self.levels(to: scope)
    return levels == 0 ? 0 : (outerBases[levels] ?? 0) + 1
  }

  private func levels(to scope: ScopeID) -> Int {
    guard let own = body.scope else { return 0 }
    return Int(store.layout.depths[own.index] - store.layout.depths[scope.index])
  }

  /// Bases of outer scopes are found once, at the start.
  private func loadOuterBases() {
    if body.scope == nil { return }
    for item in graph.items {
      let scope: ScopeID?
      switch item.key {
      case .node(let node), .cell(let node): scope = core[node].scope
      case .local(let local): scope = core.localScopes[local.index]
      default: scope = nil
      }
      guard let scope, case let levels = levels(to: scope), levels > 0, outerBases[levels] == nil else { continue }
      outerBases[levels] = allocate()
      add(.outer, outerBases[levels] ?? 0, levels)
    }
  }
}
