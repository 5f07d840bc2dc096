// What creates: `switch`, `flatMap…`, `keyed`, `groupBy`, `each`, and the choice made once. Instances are made at an
// instant and belong to it; which of them count is a function of the history.

import FRPCore

extension Model {
  /// The instances that a node makes at instant i.
  func spawned(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [Instance] {
    if i < home.birth { return [] }
    let place = Place(node: node, instance: home.id)
    if let known = history[i].spawned[place] { return known }
    let result = try spawn(node, home, i)
    // Whether a comparison at its limit holds may have had to know already.
    if let known = history[i].spawned[place] { return known }
    history[i].spawned[place] = result
    return result
  }

  private func spawn(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [Instance] {
    switch core[node].op {
    case .flatMap(let s, let scope): return try occurrences(s, home, i).map { make(node, scope, home, i, [$0]) }
    // where only one can count it is the last
    case .switchTo(let s, _, let scope), .flatMapLatest(let s, let scope):
      return try occurrences(s, home, i).suffix(1).map { make(node, scope, home, i, [$0]) }
    case .debounceUntil(let s, let scope):
      return try occurrences(s, home, i).suffix(1).map { make(node, scope, home, i, [$0]) }
    // an occurrence makes one where none is open; what comes in the instant of its end comes after it
    case .throttleUntil(let s, let scope):
      return try isClosed(node, home, at: i)
        ? occurrences(s, home, i).prefix(1).map { make(node, scope, home, i, [$0]) } : []
    case .auditUntil(let s, let scope):
      return try isClosed(node, home, at: i)
        ? occurrences(s, home, i).suffix(1).map { make(node, scope, home, i, [$0]) } : []
    // from b0, then f(a) of the last occurrence
    case .switchOpen(let s, let first, let scope):
      let turned = try occurrences(s, home, i).suffix(1).map { make(node, scope, home, i, [$0]) }
      return (i == home.birth ? [make(node, first, home, i, [], isPart: true)] : []) + turned
    case .keyed(let s, let key, let scope), .groupBy(let s, let key, let scope):
      var known = try groups(node, home, i - 1)
      let count = known.count
      for k in try keys(s, key, home, i) where !known.contains(where: { isOf($0, k) }) {
        known.append(make(node, scope, home, i, [k], key: k, isGroup: true))
      }
      return Array(known[count...])
    case .each(let list, let key, let scope):
      // A list that faults, or whose keys repeat, leaves the members as they are; whoever looks at them faults.
      func absent(_ known: [Instance], _ view: View) -> [ModelValue] {
        ((try? elements(list, key, home, view)) ?? []).map(\.key).filter { key in !known.contains { isOf($0, key) } }
      }
      var known = i == home.birth ? [] : try members(node, home, i - 1)
      let count = known.count
      // A group has the members of the list just before the instant that made it, as parts of it.
      if i == home.birth, home.unseen < i {
        known += absent([], history[i].before).map { make(node, scope, home, i, [], key: $0, isPart: true) }
      }
      known += absent(known, after(i)).map { make(node, scope, home, i, [], key: $0) }
      return Array(known[count...])
    case .choose(let selector, let alternatives):
      if i != home.birth { return [] }
      let choice = try int(plain(selector, home))
      guard alternatives.indices.contains(choice) else { throw ModelFault("no such alternative") }
      var arguments: [ModelValue] = []
      for argument in alternatives[choice].arguments { arguments.append(try plain(argument, home)) }
      return [make(node, alternatives[choice].scope, home, i, arguments, isPart: true)]
    default: return []
    }
  }

  private func make(
    _ owner: NodeID, _ scope: ScopeID, _ home: Instance, _ i: Int, _ arguments: [ModelValue],
    key: ModelValue? = nil, isGroup: Bool = false, isPart: Bool = false
  ) -> Instance {
    instanceCount += 1
    return Instance(
      id: instanceCount, scope: scope, parent: home, birth: i, clock: history[i].clock,
      parameters: Dictionary(zip(core[scope].parameters, arguments)) { $1 }, key: key, owner: owner, isGroup: isGroup,
      isPart: isPart)
  }

  private func isOf(_ instance: Instance, _ key: ModelValue) -> Bool {
    instance.key.map { ModelValue.equal($0, key) } ?? false
  }

  /// The instances made before instant i, oldest first.
  func instances(_ node: NodeID, _ home: Instance, before i: Int) throws -> [Instance] {
    var result: [Instance] = []
    for j in home.birth..<max(i, home.birth) { result += try spawned(node, home, j) }
    return result
  }

  /// The groups that go on after instant k, oldest first: those whose end has not occurred.
  func groups(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [Instance] {
    if k < home.birth { return [] }
    let place = Place(node: node, instance: home.id)
    if let known = history[k].members[place] { return known }
    let all = try groups(node, home, k - 1) + spawned(node, home, k)
    let result = try all.filter { group in
      let results = core[group.scope].results
      return try results.count < 2 || occurrences(results[1], group, k).isEmpty
    }
    history[k].members[place] = result
    return result
  }

  /// The scope of a `debounce`, `throttle` or `audit` by an event that is open just after instant k.
  func open(_ node: NodeID, _ home: Instance, _ k: Int) throws -> Instance? {
    guard let newest = try current(node, home, k) else { return nil }
    for j in newest.birth..<max(k + 1, newest.birth) where try !resultOccurrences(newest, j).isEmpty { return nil }
    return newest
  }

  /// Whether none is open when the occurrences of instant i are looked at.
  private func isClosed(_ node: NodeID, _ home: Instance, at i: Int) throws -> Bool {
    guard let open = try open(node, home, i - 1) else { return true }
    return try !resultOccurrences(open, i).isEmpty
  }

  /// The newest instance just after instant k, of what turns from one to the next.
  func current(_ node: NodeID, _ home: Instance, _ k: Int) throws -> Instance? {
    try instances(node, home, before: k + 1).last
  }

  /// The keys of S(i).
  private func keys(
    _ s: NodeID, _ key: CoreLambda, _ home: Instance, _ i: Int
  ) throws -> [ModelValue] {
    var result: [ModelValue] = []
    for a in try occurrences(s, home, i) { result.append(try enter(key, [a], Environment(home, history[i].before))) }
    return result
  }

  /// The members of a list with their keys, at a view.
  private func elements(
    _ expr: CoreExprID, _ key: CoreLambda, _ home: Instance, _ view: View
  ) throws -> [(key: ModelValue, value: ModelValue)] {
    let environment = Environment(home, view)
    var result: [(key: ModelValue, value: ModelValue)] = []
    for element in try list(evaluate(expr, environment)) {
      let key = try enter(key, [element], environment)
      if result.contains(where: { ModelValue.equal($0.key, key) }) { throw ModelFault("two members of one key") }
      result.append((key, element))
    }
    return result
  }

  /// The instances of an `each` just after instant k, in the order of the list.
  func members(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [Instance] {
    if k < home.birth { return try spawned(node, home, home.birth).filter(\.isPart) }
    guard case .each(let list, let key, _) = core[node].op else { return [] }
    let place = Place(node: node, instance: home.id)
    if let known = history[k].members[place] { return known }
    let made = try spawned(node, home, k)
    let before = try k == home.birth ? made.filter(\.isPart) : members(node, home, k - 1)
    let all = k == home.birth ? made : before + made
    let now = try? elements(list, key, home, after(k))
    if let known = history[k].members[place] { return known }
    let result = now?.compactMap { element in all.first { isOf($0, element.key) } } ?? before
    history[k].members[place] = result
    return result
  }

  // MARK: Events

  func scopeEquation(_ node: NodeID, _ home: Instance, _ i: Int) throws -> [ModelValue] {
    switch core[node].op {
    // What would make a scope counts, and may fault, also where nothing comes of the scope any more.
    case .flatMap(let s, _):
      _ = try occurrences(s, home, i)
      var result: [ModelValue] = []
      for instance in try going(node, home, i - 1) { result += try resultOccurrences(instance, i) }
      return result
    // when it turns to a new one, the old one still counts at that instant
    case .flatMapLatest(let s, _):
      _ = try occurrences(s, home, i)
      return try current(node, home, i - 1).map { old in try resultOccurrences(old, i) } ?? []
    // x comes out when its q occurs, if no other came before; or the newest does, when the window ends
    case .debounceUntil(let s, _), .auditUntil(let s, _):
      _ = try occurrences(s, home, i)
      guard let open = try open(node, home, i - 1), try !resultOccurrences(open, i).isEmpty else { return [] }
      for j in (open.birth..<i).reversed() {
        if let newest = try occurrences(s, home, j).last { return [newest] }
      }
      return []
    // first comes out, then nothing until its q occurs
    case .throttleUntil(let s, _):
      return try spawned(node, home, i).isEmpty ? [] : Array(occurrences(s, home, i).prefix(1))
    // in the order of the outer occurrences, then the others by age
    case .keyed(let s, let key, _):
      let all = try groups(node, home, i - 1) + spawned(node, home, i)
      var order: [Instance] = []
      for k in try keys(s, key, home, i) {
        if let group = all.first(where: { isOf($0, k) }), !order.contains(where: { $0 === group }) {
          order.append(group)
        }
      }
      order += all.filter { group in !order.contains { $0 === group } }
      var result: [ModelValue] = []
      for group in order { result += try resultOccurrences(group, i) }
      return result
    case .group:
      guard let owner = home.owner, let parent = home.parent, let wanted = home.key else { return [] }
      switch core[owner].op {
      case .keyed(let s, let key, _), .groupBy(let s, let key, _):
        return try zip(occurrences(s, parent, i), keys(s, key, parent, i)).filter { ModelValue.equal($0.1, wanted) }
          .map(\.0)
      default: return []
      }
    case .chosen(let owner, let index):
      // when it turns to a new one, the old one still counts at that instant
      guard let chosen = try chosen(owner, home, i - 1) else { return [] }
      return try occurrences(core[chosen.scope].results[index], chosen, i)
    default: throw ModelFault("not an event")
    }
  }

  private func resultOccurrences(_ instance: Instance, _ i: Int) throws -> [ModelValue] {
    try occurrences(core[instance.scope].results[0], instance, i)
  }

  /// The instance that counts just after instant k, before any the first; of a choice it is always the same.
  func chosen(_ owner: NodeID, _ reader: Instance, _ k: Int) throws -> Instance? {
    let home = home(owner, reader)
    return try k < home.birth ? spawned(owner, home, home.birth).first : current(owner, home, k)
  }

  // MARK: Behaviors

  func scopeValue(_ node: NodeID, _ home: Instance, _ view: View) throws -> ModelValue {
    switch core[node].op {
    // switch(e, b0, f)(t) = b0, then f(a) of the last occurrence before t
    case .switchTo(_, let first, _):
      guard let current = try current(node, home, view.index) else {
        return try evaluate(first, Environment(home, view))
      }
      return try resultValue(current, view)
    case .groupBy:
      var entries: [ModelEntry] = []
      for group in try groups(node, home, view.index) {
        entries.append(ModelEntry(key: group.key ?? .unit, value: try resultValue(group, view)))
      }
      return .map(of: entries)
    case .each(let list, let key, _):
      if view.index >= home.birth || home.unseen < home.birth { _ = try elements(list, key, home, after(view.index)) }
      var result: [ModelValue] = []
      for member in try members(node, home, view.index) { result.append(try resultValue(member, view)) }
      return .list(result)
    case .member:
      guard let owner = home.owner, let parent = home.parent, let wanted = home.key,
        case .each(let list, let key, _) = core[owner].op,
        let element = try elements(
          list, key, parent, view.index < home.birth && !home.isPart ? after(home.birth) : view
        )
        .first(where: { ModelValue.equal($0.key, wanted) })
      else { throw ModelFault("no such member") }
      return element.value
    case .chosen(let owner, let index):
      guard let chosen = try chosen(owner, home, view.index) else { throw ModelFault("nothing chosen") }
      return try value(core[chosen.scope].results[index], chosen, view)
    default: throw ModelFault("not a behavior")
    }
  }

  private func resultValue(_ instance: Instance, _ view: View) throws -> ModelValue {
    try value(core[instance.scope].results[0], instance, view)
  }

  // MARK: Who is alive

  /// The instances of an instance's scopes that go on after instant k, by node.
  func children(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [Instance] {
    switch core[node].op {
    case .flatMap: return try going(node, home, k)
    case .keyed, .groupBy: return try groups(node, home, k)
    case .debounceUntil, .throttleUntil, .auditUntil: return try open(node, home, k).map { [$0] } ?? []
    case .switchTo, .switchOpen, .flatMapLatest: return try current(node, home, k).map { [$0] } ?? []
    case .each: return try members(node, home, k)
    case .choose: return try spawned(node, home, home.birth)
    default: return []
    }
  }

  /// The program and every instance alive just after instant k, outer before inner.
  func alive(_ k: Int) throws -> [Instance] {
    var result = [program]
    var next = 0
    while next < result.count {
      for node in core[result[next].scope].nodes where isNeeded[node.index] {
        result += try children(node, result[next], k)
      }
      next += 1
    }
    return result
  }
}
