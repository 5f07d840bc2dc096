// The DAG of one body of code, with a decision for each expression where it is computed.
//
// In:  a root expression and the program's `CodeCaptures`.
// Out: *items* (expressions and the locals, behaviors and suspended computations they mention) in an order with
//      operands first, each with a region and a role.
//
// A *region* is a stretch of straight code: the body itself, a branch of a conditional, the turn of a loop. An item that
// is used more than once is computed in the lowest region that encloses all uses:
// - strictly needed there: when that region is entered (`.eager` if a use lies in a region below, else at first use);
// - needed only in several regions below: at the first use, by a subroutine with a flag (`.subroutine`), so that what is
//   not needed is not computed, nothing is computed twice, and code does not multiply;
// - too cheap for that: wherever it is used (`.floating`).
// An item in a loop that does not depend on the loop's parameters is moved out of it as a `.subroutine`, unless it is
// cheap. Very deep expressions are cut by eager items, so that the emitter's recursion is bounded.

import FRPCore

struct BodyGraph {
  enum Key: Hashable {
    case expr(CoreExprID)
    case local(LocalID)
    case node(NodeID)
    /// The suspended computation of a lazy local.
    case thunk(LocalID)
    /// What a behavior is now, or that it faults.
    case cell(NodeID)
  }

  enum Role { case floating, plain, eager, subroutine }

  struct Operand {
    var item: Int
    /// 0: strict; n: in the n-th region of the item.
    var branch: Int
  }

  struct Item {
    var key: Key
    var operands: [Operand] = []
    var uses = 0
    var role = Role.plain
    /// Where it is computed: for a subroutine its own region.
    var region = -1
    /// The first of its regions for branches.
    var branches = -1
    var cost = 0
    var height = 0
    /// Loop items whose parameters it depends on, ascending.
    var loops: [Int] = []
  }

  struct Region {
    var parent: Int
    var depth: Int
    /// The item whose branch this is, unless it is a loop.
    var binder: Int?
    /// The loop item whose turn this is.
    var loop = -1
    /// Items computed when it is entered, in order.
    var eager: [Int] = []
    /// Subroutines whose flags are cleared when it is entered; only for the body and turns of loops.
    var flags: [Int] = []
  }

  private(set) var items: [Item] = []
  private(set) var regions = [Region(parent: -1, depth: 0)]
  private(set) var root = 0
  private var index: [Key: Int] = [:]
  private let core: CoreProgram
  private let captures: CodeCaptures
  private let outside: Set<LocalID>
  private let cells: Set<NodeID>

  static let deepest = 300

  /// `outside` are the lazy locals that come from outside of this body: captured, or parameters; `cells` are the
  /// behaviors captured as cells.
  init(core: CoreProgram, captures: CodeCaptures, root: CoreExprID, outside: Set<LocalID>, cells: Set<NodeID>) {
    self.core = core
    self.captures = captures
    self.outside = outside
    self.cells = cells
    let rootKey = key(root)
    build(rootKey)
    self.root = index[rootKey] ?? 0
    findLoops()
    place()
  }

  func item(_ key: Key) -> Int? { index[key] }

  func key(_ id: CoreExprID) -> Key {
    let id = captures.resolve(id)
    switch core[id] {
    case .local(let local): return .local(local)
    case .read(let node): return .node(node)
    case .thunk(let local): return .thunk(local)
    default: return .expr(id)
    }
  }

  static func key(_ capture: Capture, _ captures: CodeCaptures) -> Key {
    switch capture {
    case .node(let node): return captures.isCell(node) ? .cell(node) : .node(node)
    case .local(let local): return captures.isLazy(local) ? .thunk(local) : .local(local)
    }
  }

  // MARK: The DAG

  /// The operands of an item, with the branch they are in.
  private func operands(_ key: Key) -> [(Key, Int)] {
    switch key {
    case .node(let node): return cells.contains(node) ? [(.cell(node), 0)] : []
    case .cell: return []
    case .local(let local): return captures.isLazy(local) ? [(.thunk(local), 0)] : []
    case .thunk(let local):
      if captures.values[local.index] < 0 { return [] }
      return captures.captures(ofLocal: local).map { (BodyGraph.key($0, captures), 0) }
    case .expr(let id):
      switch core[id] {
      case .conditional(let condition, let then, let otherwise):
        return [(self.key(condition), 0), (self.key(then), 1), (self.key(otherwise), 2)]
      case .prim(.and, let arguments), .prim(.or, let arguments):
        return [(self.key(arguments[0]), 0), (self.key(arguments[1]), 1)]
      case .call(let function, let arguments):
        return zip(core[function].parameters, arguments).map { parameter, argument in
          let key = self.key(argument)
          // For a lazy parameter: whoever looks at it meets the fault.
          if case .node(let node) = key, captures.isLazy(parameter), captures.isCell(node) { return (.cell(node), 0) }
          return (key, 0)
        }
      case .lambda: return captures.captures(ofLambda: id).map { (BodyGraph.key($0, captures), 0) }
      case .prim(let prim, let arguments):
        var result: [(Key, Int)] = []
        let lambda = inlined(prim, arguments)
        for (place, argument) in captures.form(prim, arguments).operands.enumerated() {
          if let lambda, place == CodeCaptures.inlinedArgument(prim) {
            result.append((self.key(lambda.body), 1))
          } else {
            result.append((self.key(argument), 0))
          }
        }
        return result
      case let expr: return CoreChildren.all(expr).map { (self.key($0), 0) }
      }
    }
  }

  /// The lambda that is compiled in place as a part of this prim, if any.
  func inlined(_ prim: Prim, _ arguments: [CoreExprID]) -> CoreLambda? {
    captures.inlinedLambda(prim, arguments)
  }

  /// Numbers the items below `root`, operands first, without recursion.
  private mutating func build(_ root: Key) {
    var stack: [(key: Key, operands: [(Key, Int)]?)] = [(root, nil)]
    var open: Set<Key> = []
    while let top = stack.popLast() {
      if let operands = top.operands {
        finish(top.key, operands)
        open.remove(top.key)
        continue
      }
      if index[top.key] != nil || !open.insert(top.key).inserted { continue }
      let operands = isCaptured(top.key) ? [] : operands(top.key)
      stack.append((top.key, operands))
      for (operand, _) in operands where index[operand] == nil { stack.append((operand, nil)) }
    }
  }

  func isCaptured(_ key: Key) -> Bool {
    switch key {
    case .thunk(let local): outside.contains(local)
    case .cell(let node): cells.contains(node)
    case .node, .local, .expr: false
    }
  }

  private mutating func finish(_ key: Key, _ operands: [(Key, Int)]) {
    var item = Item(key: key)
    // An operand without an index would be part of a cycle, which no checked program has.
    for (operand, branch) in operands {
      guard let place = index[operand] else { continue }
      item.operands.append(Operand(item: place, branch: branch))
      items[place].uses += 1
      item.cost = min(1_000_000, item.cost + items[place].cost)
      item.height = max(item.height, items[place].height + 1)
    }
    item.cost += ownCost(key)
    switch key {
    case .thunk, .cell: if !isCaptured(key) { item.cost = 5 }
    case .node, .local, .expr: break
    }
    index[key] = items.count
    items.append(item)
  }

  private func ownCost(_ key: Key) -> Int {
    guard case .expr(let id) = key else {
      if case .local(let local) = key, captures.isLazy(local) { return 3 }
      return 0
    }
    switch core[id] {
    case .unit, .bool, .int, .float, .string: return 0
    case .call, .apply: return 100
    case .lambda, .construct, .list, .update: return 5
    case .prim(let prim, _): return CodeOperators.isInstruction(prim) ? 1 : 50
    default: return 1
    }
  }

  // MARK: Loops

  /// The parameters of a lambda that is compiled in place by an item.
  func loopParameters(_ item: Int) -> [LocalID] {
    guard case .expr(let id) = items[item].key, case .prim(let prim, let arguments) = core[id] else { return [] }
    return inlined(prim, arguments)?.parameters ?? []
  }

  func isLoop(_ item: Int) -> Bool {
    guard case .expr(let id) = items[item].key, case .prim(let prim, _) = core[id] else { return false }
    switch prim {
    case .listMap, .listFilter, .listFold, .listAny, .listAll, .listCount: return !loopParameters(item).isEmpty
    default: return false
    }
  }

  /// Which loops' (and inlined branches') parameters each item depends on.
  private mutating func findLoops() {
    var binder: [LocalID: Int] = [:]
    for place in items.indices { for local in loopParameters(place) { binder[local] = place } }
    if binder.isEmpty { return }
    for place in items.indices {
      var loops: Set<Int> = []
      if case .local(let local) = items[place].key, let loop = binder[local] { loops.insert(loop) }
      for operand in items[place].operands { loops.formUnion(items[operand.item].loops) }
      loops.remove(place)
      items[place].loops = loops.sorted()
    }
  }

  // MARK: Places

  private struct Uses {
    var region = -1
    /// Whether a use lies in `region` itself.
    var direct = false
    var isSplit = false
  }

  private mutating func place() {
    var uses = [Uses](repeating: Uses(), count: items.count)
    uses[root] = Uses(region: 0, direct: true)
    for place in items.indices.reversed() where uses[place].region >= 0 {
      decide(place, &uses[place])
      openBranches(place)
      for operand in items[place].operands {
        let region = operand.branch == 0 ? items[place].region : items[place].branches + operand.branch - 1
        join(&uses[operand.item], region)
      }
    }
    for place in items.indices where items[place].role == .eager { regions[items[place].region].eager.append(place) }
  }

  private func join(_ uses: inout Uses, _ region: Int) {
    if uses.region < 0 {
      uses.region = region
      uses.direct = true
      return
    }
    if region == uses.region {
      uses.direct = true
      return
    }
    uses.isSplit = true
    let common = commonRegion(uses.region, region)
    if common == uses.region { return }
    uses.direct = common == region
    uses.region = common
  }

  private func commonRegion(_ a: Int, _ b: Int) -> Int {
    var a = a
    var b = b
    while a != b {
      if regions[a].depth >= regions[b].depth { a = regions[a].parent } else { b = regions[b].parent }
    }
    return a
  }

  private mutating func decide(_ place: Int, _ uses: inout Uses) {
    items[place].region = uses.region
    if isFloating(place) {
      items[place].role = .floating
      return
    }
    let outer = outOfLoops(place, uses.region)
    if outer != uses.region, items[place].cost >= 4 {
      makeSubroutine(place, below: outer)
    } else if uses.isSplit, !uses.direct {
      if items[place].cost <= 2, items[place].operands.allSatisfy({ items[$0.item].cost == 0 }) {
        items[place].role = .floating
      } else {
        makeSubroutine(place, below: uses.region)
      }
    } else if uses.isSplit || items[place].height % BodyGraph.deepest == BodyGraph.deepest - 1 {
      items[place].role = .eager
    }
  }

  private func isFloating(_ place: Int) -> Bool {
    switch items[place].key {
    case .node: return true
    case .local:
      return items[place].operands.allSatisfy { items[$0.item].operands.isEmpty && isCaptured(items[$0.item].key) }
    case .thunk, .cell: return isCaptured(items[place].key)
    case .expr: return items[place].cost == 0
    }
  }

  private mutating func makeSubroutine(_ place: Int, below region: Int) {
    items[place].role = .subroutine
    regions.append(Region(parent: region, depth: regions[region].depth + 1))
    items[place].region = regions.count - 1
    var home = region
    while home > 0, regions[home].loop < 0 { home = regions[home].parent }
    regions[home].flags.append(place)
  }

  /// The region an item can move up to: out of all loops whose parameters it does not depend on.
  private func outOfLoops(_ place: Int, _ region: Int) -> Int {
    var result = region
    var next = region
    while next > 0 {
      let loop = regions[next].loop
      if loop >= 0 {
        if items[place].loops.contains(loop) { return result }
        result = regions[next].parent
      } else if let binder = regions[next].binder, items[place].loops.contains(binder) {
        return result
      }
      next = regions[next].parent
    }
    return result
  }

  private mutating func openBranches(_ place: Int) {
    let count = items[place].operands.reduce(0) { max($0, $1.branch) }
    if count == 0 { return }
    let parent = items[place].region
    items[place].branches = regions.count
    let isLoop = isLoop(place)
    for _ in 0..<count {
      var region = Region(parent: parent, depth: regions[parent].depth + 1)
      if isLoop { region.loop = place } else { region.binder = place }
      regions.append(region)
    }
  }
}
