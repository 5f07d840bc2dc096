// Which operations an expression of continuous time consists of, as long as no instant touches what it reads.
//
// In: core expressions, the frames they stand in, the integrals of their group and those that it reads.
// Out: a tape that bounds them over any stretch of time, or nil where that cannot be.
// Rules:
// - Steps are constants: what they choose is chosen here, and calls that they end are written out.
// - Records, variants and lists that are put together in sight are followed through fields, matches and functions over
//   lists (BoundLists.swift).
// - Scopes are looked through: what they show is what the results of their instances are made of.
// - A delayed behavior is its own expression over the past. The tape is right as long as what it reads there is made of
//   the same steps and instances: until `until`.
// - Nothing here faults or runs code; work is bounded. What is not understood cannot be bounded.

import FRPCore
import FRPGraph

struct BoundReader {
  let core: CoreProgram
  let layout: Layout
  let machine: Machine
  let host: any ContinuousHost
  /// By address of an integral's slot in `new`: its row.
  let integrals: [Address: Int]
  /// Whether the rates of integrals are what their expressions say: nothing slides or stands still.
  let hasPlainRates: Bool
  /// From when on the tape is to be right, and until when it is, in seconds.
  let start: Double
  private(set) var until = Double.infinity
  /// Whether it asks for the past: what happens next ends it, too.
  private(set) var readsPast = false
  private(set) var tape = BoundTape()
  var budget = 0
  private var bindings: [LocalID: Value] = [:]
  private var times: [Double: Int32] = [:]
  private var rows: [Int: Int32] = [:]
  private var known: [Part: Value?] = [:]
  /// The same for the body of a function that is being read, which depends on its arguments; nil outside of calls.
  private var knownOfCall: [Part: Value?]?

  private struct Part: Hashable {
    var expr: CoreExprID
    var site: Site
  }

  /// Where an expression stands: a frame, by its `new` array, and its depth.
  struct Site: Hashable {
    var base: Address
    var depth: Int
    /// How many seconds ago is meant, and the moment of which the steps are those that count there; nil: the present.
    var shift = 0.0
    var moment: Double?
  }

  indirect enum Value {
    case constant(Double)
    case whole(Int)
    case truth(Bool)
    case text(String)
    /// What varies: a Float or an Int.
    case number(Int32)
    /// A Bool that varies.
    case open(Int32)
    /// Anything else that is a step, on the heap.
    case object(Word, TypeID)
    /// A variant, record or tuple that is put together in sight, with those parts that are understood.
    case made(tag: Int, [Value?])
    case list([Value?])
    /// What the instances of a `groupBy` show, in the order of their keys, which are of this type.
    case map([(key: Word, value: Value?)], TypeID)
    case function(CoreLambda, Site, [LocalID: Value])
  }

  /// Parts of an expression that are looked at, and as many for every element of a list or instance of a scope.
  static let mostParts = 4_000
  static let mostOfElement = 200
  private static let deepest = 150

  init(_ group: ContinuousGroup, from start: Double) {
    host = group.host
    core = group.host.core
    layout = group.host.layout
    machine = group.machine
    var rows: [Address: Int] = [:]
    for (index, row) in group.integrals.enumerated() { rows[row.new + row.slot] = index }
    for (place, (feeder, index)) in group.fed.enumerated() {
      let row = group.feeders[feeder].group.integrals[index]
      rows[row.new + row.slot] = group.integrals.count + place
    }
    integrals = rows
    hasPlainRates = group.hasPlainRates && group.feeders.allSatisfy { $0.group.hasPlainRates }
    self.start = start
  }

  /// The operation that computes a Float expression of `scope`, whose frame's `new` array is at `base`; nil if it cannot be
  /// bounded.
  mutating func operation(_ expr: CoreExprID, _ base: Address, scope: ScopeID) -> Int32? {
    budget = BoundReader.mostParts
    bindings.removeAll(keepingCapacity: true)
    let site = Site(base: base, depth: Int(layout.depths[scope.index]))
    if let result = value(expr, site, level: 0).flatMap({ number($0) }) { return result }
    // What was not understood for its depth alone may be understood elsewhere.
    known.removeAll(keepingCapacity: true)
    return nil
  }

  /// Code has run: what was read of the heap may have moved, and steps may be others.
  mutating func forgetValues() {
    known.removeAll(keepingCapacity: true)
    bindings.removeAll(keepingCapacity: true)
  }

  /// The operation of a step.
  mutating func step(_ value: Double) -> Int32 { tape.append(.constant(value)) }

  private mutating func constant(_ value: Double) -> Int32? { append(.constant(value)) }

  mutating func append(_ operation: BoundTape.Operation) -> Int32? {
    budget -= 1
    return budget < 0 ? nil : tape.append(operation)
  }

  mutating func number(_ value: Value) -> Int32? {
    switch value {
    case .number(let operation): return operation
    case .constant(let x): return constant(x)
    case .whole(let n) where n.magnitude < 1 << 53: return constant(Double(n))
    default: return nil
    }
  }

  mutating func truth(_ value: Value) -> Int32? {
    switch value {
    case .open(let operation): return operation
    case .truth(let holds): return constant(holds ? 1 : 0)
    default: return nil
    }
  }

  // MARK: Expressions

  mutating func value(_ id: CoreExprID, _ site: Site, level: Int) -> Value? {
    let part = Part(expr: id, site: site)
    if let known = knownOfCall == nil ? known[part] : knownOfCall?[part] { return known }
    budget -= 1
    if budget < 0 || level > BoundReader.deepest { return nil }
    let result = newValue(id, site, level: level)
    if knownOfCall == nil { known[part] = .some(result) } else { knownOfCall?[part] = .some(result) }
    return result
  }

  private mutating func newValue(_ id: CoreExprID, _ site: Site, level: Int) -> Value? {
    switch core[id] {
    case .float(let x): return .constant(x)
    case .int(let n): return .whole(n)
    case .bool(let b): return .truth(b)
    case .string(let text): return .text(text)
    case .local(let local): return self.local(local, site)
    case .read(let node): return read(node, site, level: level)
    case .prim(let prim, let arguments): return apply(prim, arguments, at: site, level: level)
    case .conditional(let condition, let then, let otherwise):
      guard let test = value(condition, site, level: level + 1) else { return nil }
      if case .truth(let holds) = test { return value(holds ? then : otherwise, site, level: level + 1) }
      guard case .open(let choice) = test, let a = value(then, site, level: level + 1),
        let b = value(otherwise, site, level: level + 1)
      else { return nil }
      return choose(choice, a, b)
    case .suspend(let list, let body):
      for binding in list { bindings[binding.local] = value(binding.value, site, level: level + 1) }
      return value(body, site, level: level + 1)
    case .call(let function, let arguments):
      let values = self.arguments(arguments, site, level: level)
      return call(
        core[function].parameters, core[function].body, arguments: values, at: site, captured: bindings, level: level)
    case .lambda(let lambda): return .function(lambda, site, bindings)
    case .apply(let function, let arguments):
      guard let function = value(function, site, level: level + 1) else { return nil }
      return call(function, self.arguments(arguments, site, level: level), level: level)
    case .construct(let tag, let parts):
      return .made(tag: tag, parts.map { value($0, site, level: level + 1) })
    case .update(let whole, let fields):
      guard let old = value(whole, site, level: level + 1).flatMap({ self.parts(of: $0) }) else { return nil }
      var parts = old.parts
      for field in fields where field.index < parts.count {
        parts[field.index] = value(field.value, site, level: level + 1)
      }
      return .made(tag: old.tag, parts)
    case .list(let items, let spreads): return list(items, spreads, at: site, level: level)
    case .field(let whole, let index, let tag): return field(whole, index, tag: tag, at: site, level: level)
    case .hasTag(let whole, let tag):
      return value(whole, site, level: level + 1).flatMap { self.tag(of: $0) }.map { .truth($0 == tag) }
    default: return nil
    }
  }

  func word(_ word: Word, _ type: TypeID) -> Value? {
    switch core.types[type] {
    case .float: .constant(word.float)
    case .int: .whole(word.int)
    case .bool: .truth(word.bool)
    default: .object(word, type)
    }
  }

  // MARK: Fields

  /// A field of what is put together in sight, or of what lies on the heap.
  private mutating func field(_ whole: CoreExprID, _ index: Int, tag: Int, at site: Site, level: Int) -> Value? {
    if case .construct(_, let fields) = core[whole] {
      return index < fields.count ? value(fields[index], site, level: level + 1) : nil
    }
    guard let (own, parts) = value(whole, site, level: level + 1).flatMap({ self.parts(of: $0) }), own == tag,
      index < parts.count
    else { return nil }
    return parts[index]
  }

  // MARK: Reading

  private func home(_ site: Site, _ scope: ScopeID) -> Site {
    var home = site
    home.depth = Int(layout.depths[scope.index])
    for _ in 0..<max(0, site.depth - home.depth) { home.base = home.base[0].address }
    return home
  }

  private func local(_ local: LocalID, _ site: Site) -> Value? {
    guard let scope = core.localScopes[local.index] else { return bindings[local] }
    return word(home(site, scope).base[Int(layout.parameterSlots[local.index])], core.localTypes[local.index])
  }

  mutating func read(_ id: NodeID, _ site: Site, level: Int) -> Value? {
    let node = core[id]
    let site = home(site, node.scope)
    let slot = site.base + layout.slot(id)
    guard node.isContinuous else {
      guard let moment = site.moment else {
        return machine.poison(at: slot) == nil ? word(slot.pointee, node.type) : nil
      }
      guard let (past, until) = host.step(slot, at: moment) else { return nil }
      expire(until, site)
      return word(past, node.type)
    }
    switch node.op.motion {
    case .time:
      let time = times[site.shift] ?? append(.time(shift: site.shift))
      times[site.shift] = time
      return time.map { .number($0) }
    case .integral: return integral(id, slot, at: site)
    case .lift(let expr):
      guard let integral = core.slopes[id] else { return outside(expr, site, level: level + 1) }
      guard site.moment == nil ? hasPlainRates : !host.hasSteering, case .integral(let rate, _, _) = core[integral].op
      else { return nil }
      return outside(rate, site, level: level + 1)
    case .switched, .members, .groups: return scope(id, site, level: level)
    case .chosen(let owner, let index):
      let home = home(site, core[owner].scope)
      guard let frame = instances(of: owner, home)?.first else { return nil }
      return result(frame, index, at: home, level: level)
    case .delayed(let source, _): return delayed(id, source, at: site, level: level)
    case .member, .crossing, .step: return nil
    }
  }

  private mutating func integral(_ id: NodeID, _ slot: Address, at site: Site) -> Value? {
    let row = integrals[slot]
    if site.moment != nil {
      guard let history = host.history(of: id, site.base) else { return nil }
      return append(.past(tape.place(of: history), row: Int32(row ?? -1), shift: site.shift)).map { .number($0) }
    }
    guard let row else { return nil }
    let operation = rows[row] ?? append(.integral(Int32(row)))
    rows[row] = operation
    return operation.map { .number($0) }
  }

  /// What a behavior of its own says: no argument of a function that is being read is in it.
  private mutating func outside(_ expr: CoreExprID, _ site: Site, level: Int) -> Value? {
    let saved = knownOfCall
    knownOfCall = nil
    defer { knownOfCall = saved }
    return value(expr, site, level: level)
  }

  // MARK: Scopes and the past

  /// What was read of the past is otherwise from a moment on.
  private mutating func expire(_ moment: Double, _ site: Site) { until = min(until, moment + site.shift) }

  private mutating func instances(of owner: NodeID, _ site: Site) -> [Instance]? {
    guard let (instances, until) = host.instances(of: owner, site.base, at: site.moment) else { return nil }
    expire(until, site)
    budget += BoundReader.mostOfElement * instances.count
    return instances
  }

  private mutating func scope(_ id: NodeID, _ site: Site, level: Int) -> Value? {
    guard let instances = instances(of: id, site) else { return nil }
    switch core[id].op.motion {
    case .switched(let first, _):
      guard let instance = instances.first else { return outside(first, site, level: level + 1) }
      return result(instance, 0, at: site, level: level)
    case .members: return .list(instances.map { result($0, 0, at: site, level: level) })
    case .groups:
      guard case .map(let key, _) = core.types[core[id].type] else { return nil }
      let heap = machine.heap
      let sorted = instances.sorted { heap.compare($0.key, $1.key, type: key) < 0 }
      return .map(sorted.map { ($0.key, result($0, 0, at: site, level: level)) }, key)
    case .time, .integral, .lift, .delayed, .chosen, .member, .crossing, .step: return nil
    }
  }

  private mutating func result(_ instance: Instance, _ index: Int, at site: Site, level: Int) -> Value? {
    guard level < BoundReader.deepest else { return nil }
    var inner = site
    inner.base = instance.base
    inner.depth = Int(layout.depths[instance.scope.index])
    return read(core[instance.scope].results[index], inner, level: level + 1)
  }

  private mutating func delayed(_ id: NodeID, _ source: NodeID, at site: Site, level: Int) -> Value? {
    guard level < BoundReader.deepest, let row = host.delay(id, site.base), case .success(let first) = row.first else {
      return nil
    }
    var past = home(site, core[source].scope)
    if row.duration == 0, site.moment == nil { return read(source, past, level: level + 1) }
    readsPast = true
    past.shift += row.duration
    past.moment = max(row.start, (site.moment ?? start + BoundReader.slack) - row.duration)
    let begin = append(.isAfter(row.start + past.shift))
    guard let begin, let later = read(source, past, level: level + 1),
      let first = word(first, core[source].type)
    else { return nil }
    return choose(begin, later, first)
  }

  /// What is delayed jumps up to so much before or after its exact moment, in seconds.
  static let slack = 1e-9

  // MARK: Functions

  private mutating func arguments(_ arguments: [CoreExprID], _ site: Site, level: Int) -> [Value?] {
    arguments.map { argument in
      if case .thunk(let local) = core[argument] { return self.local(local, site) }
      return value(argument, site, level: level + 1)
    }
  }

  mutating func call(_ function: Value, _ arguments: [Value?], level: Int) -> Value? {
    guard case .function(let lambda, let site, let captured) = function else { return nil }
    return call(lambda.parameters, lambda.body, arguments: arguments, at: site, captured: captured, level: level)
  }

  private mutating func call(
    _ parameters: [LocalID], _ body: CoreExprID, arguments: [Value?], at site: Site, captured: [LocalID: Value],
    level: Int
  ) -> Value? {
    // A function that calls itself has its arguments back afterwards.
    let saved = (bindings, knownOfCall)
    bindings = captured
    for (parameter, value) in zip(parameters, arguments) { bindings[parameter] = value }
    knownOfCall = [:]
    defer { (bindings, knownOfCall) = saved }
    return value(body, site, level: level + 1)
  }

  // MARK: Operators

  private mutating func apply(_ prim: Prim, _ arguments: [CoreExprID], at site: Site, level: Int) -> Value? {
    switch prim {
    case .pi: return .constant(3.141592653589793)
    case .tau: return .constant(6.283185307179586)
    case .e: return .constant(2.718281828459045)
    default: break
    }
    guard let first = arguments.first, let a = value(first, site, level: level + 1) else { return nil }
    if prim == .identity { return a }
    if case .truth(let holds) = a, prim == .and || prim == .or, arguments.count == 2 {
      return holds == (prim == .and) ? value(arguments[1], site, level: level + 1) : a
    }
    if Prim.followable.contains(prim) {
      return follow(prim, [a] + self.arguments(Array(arguments.dropFirst()), site, level: level), level: level)
    }
    guard Prim.boundable.contains(prim), arguments.count <= 3 else { return nil }
    let b = arguments.count > 1 ? value(arguments[1], site, level: level + 1) : a
    let c = arguments.count > 2 ? value(arguments[2], site, level: level + 1) : a
    guard let b, let c else { return nil }
    return combine(prim, a, b, c)
  }
}
