// What holds: the behaviors of section 2 and 6 of the language.
//
// A step behavior is a function of the last instant; a continuous one also of the clock. Just before an instant the
// index is that of the instant before it and the clock is already that of the instant.

import FRPCore

extension Model {
  /// The value of a behavior at a view, as seen from `reader`.
  func value(_ node: NodeID, _ reader: Instance, _ view: View) throws -> ModelValue {
    depth += 1
    defer { depth -= 1 }
    if depth > depthLimit { throw ModelFault("a cycle within an instant") }
    let home = home(node, reader)
    let place = Place(node: node, instance: home.id)
    do {
      if core[node].isContinuous || view.located != nil {
        if let known = view.memo[place] { return known }
        let result = try valueNow(node, home, view, place)
        view.memo[place] = result
        return result
      }
      let k = view.index
      if let known = history[k].values[place] { return known }
      let result = try valueNow(node, home, history[k].after, place)
      history[k].values[place] = result
      return result
    } catch {
      throw named(ModelFault(error), node)
    }
  }

  private func valueNow(
    _ node: NodeID, _ home: Instance, _ view: View, _ place: Place
  ) throws -> ModelValue {
    switch core[node].op {
    case .time: return .float(view.seconds)
    case .lift(let expr):
      if let integral = core.slopes[node] { return .float(try slope(of: integral, home, view)) }
      return try evaluate(expr, Environment(home, view))
    case .integral: return .float(try integral(node, home, view))
    case .crossing:
      if let located = view.located?[place] { return .bool(located) }
      return view.located == nil
        ? .bool(try crossing(node, home, view.index)) : try value(node, home, after(view.index))
    case .switchTo, .groupBy, .each, .member, .chosen: return try scopeValue(node, home, view)
    case .choose, .switchOpen: return .unit
    case .awaited(let event): return .task(.awaited(event, instance: self.home(event, home).id, nil))
    case .delayBehavior(let b, let d): return try delayed(node, b, d, home, view)
    default:
      return view.located == nil ? try remembered(node, home, view.index) : try value(node, home, after(view.index))
    }
  }

  /// What remembers, just after instant k.
  private func remembered(_ node: NodeID, _ home: Instance, _ k: Int) throws -> ModelValue {
    func before() throws -> ModelValue { try value(node, home, after(k - 1)) }
    let isUnborn = k < home.birth || k < 1
    switch core[node].op {
    case .inputBehavior(let port, let start):
      if isUnborn {
        guard let start else { throw ModelFault("an input without a start value") }
        return try plain(start, home)
      }
      if case .inputs(let values) = history[k].cause, let value = values[port] { return value }
      return try before()
    case .rounding(let prim, let x, let above, let below):
      return .int(try rounding(node, prim, x, above, below, home, k))
    // hold(e, x0)(t) = the last a with (t', a) in e and t' < t, else x0
    case .hold(let e, let x0):
      if isUnborn { return try plain(x0, home) }
      return try occurrences(e, home, k).last ?? before()
    // fold(e, x0, f)(t) = f(...f(f(x0, a1), a2)..., an) over the (ti, ai) in e with ti < t
    case .fold(let e, let x0, let f):
      if isUnborn { return try plain(x0, home) }
      var state = try before()
      for a in try occurrences(e, home, k) { state = try enter(f, [state, a], Environment(home, history[k].before)) }
      return state
    // window(e, d): those in (t - d, t]; what has become too old leaves with what comes at that time, or after its inputs
    case .window(let e, let d):
      if isUnborn { return .list([]) }
      return try recent(e, d, home, k).map(ModelValue.list) ?? before()
    // summary(e, d, f, join)(t) = Some(f(a1) join … join f(an)) over window(e, d)(t), None if that is []
    case .summary(let e, let d, let join):
      if isUnborn { return .data(0, []) }
      guard let all = try recent(e, d, home, k) else { return try before() }
      guard var joined = all.first else { return .data(0, []) }
      for next in all.dropFirst() { joined = try enter(join, [joined, next], Environment(home, history[k].before)) }
      return .data(1, [joined])
    case .busy(let performer):
      if isUnborn { return .bool(false) }
      let runs = try runs(performer, self.home(performer, home), k)
      return runs.isTouched ? .bool(runs.isBusy) : try before()
    case .link(let performer):
      if isUnborn { return .data(0, []) }
      return try link(performer, home, k) ?? before()
    default: throw ModelFault("not a behavior")
    }
  }

  /// What a window has just after instant k; nil where that instant does not look at it.
  private func recent(_ e: NodeID, _ d: CoreExprID, _ home: Instance, _ k: Int) throws -> [ModelValue]? {
    var isNew = try k == home.birth || !occurrences(e, home, k).isEmpty
    for j in home.birth..<k { isNew = try isNew || leaves(j, d, home, at: k) && !occurrences(e, home, j).isEmpty }
    if !isNew { return nil }
    var result: [ModelValue] = []
    for j in home.birth..<k + 1 {
      let isOver: Bool
      switch try due(j, d, home) {
      case nil: isOver = j < k
      case let time?: isOver = time <= history[k].clock.nanoseconds
      }
      if !isOver { result += try occurrences(e, home, j) }
    }
    return result
  }

  /// Whether what came into a window at instant j leaves it by itself at instant k.
  private func leaves(_ j: Int, _ d: CoreExprID, _ home: Instance, at k: Int) throws -> Bool {
    switch (try due(j, d, home), history[k].cause) {
    case (nil, .caused): return j == k - 1
    case (let time?, .leaving): return time == history[k].clock.nanoseconds
    default: return false
    }
  }

  /// delay(b, d): b as it was d ago; its first value until d has passed.
  private func delayed(
    _ node: NodeID, _ b: NodeID, _ d: CoreExprID, _ home: Instance, _ view: View
  ) throws -> ModelValue {
    let duration = max(0, try float(plain(d, home)))
    // What it is before `start`, or before what made a group.
    let first = home.unseen
    if view.index < first { return try value(b, home, after(first)) }
    if !core[b].isContinuous {
      if view.index == first { return try value(b, home, after(first)) }
      for j in (first + 1..<max(view.index, first + 1)).reversed() where try isServed(j, d, home, at: view.index) {
        if let new = try changed(b, home, j) { return new }
      }
      return try value(node, home, after(view.index - 1))
    }
    let seconds = view.seconds - duration
    // A jump is seen in the instant in which it is due, not as that begins: up to there the old value goes on.
    let index = try (first...view.index).last { try $0 == first || hasCome($0, d, home, by: view) } ?? first
    if index == first, seconds <= home.clock.seconds { return try value(b, home, View(first, home.clock.seconds)) }
    if seconds <= history[index].clock.seconds { return try value(b, home, after(index)) }
    if index == view.index, seconds == view.seconds { return try value(b, home, view) }
    let end = index < view.index ? history[index + 1].clock.seconds : .infinity
    return try value(b, home, View(index, min(seconds, end)))
  }

  /// Whether what is due after instant j has happened at a view. Half a nanosecond is for rounding: the last step of an
  /// integral up to that time is before it.
  private func hasCome(_ j: Int, _ d: CoreExprID, _ home: Instance, by view: View) throws -> Bool {
    guard let time = try due(j, d, home) else { return j < view.index || history[j].clock.seconds < view.seconds }
    return time <= history[view.index].timersServed || Double(time) / 1e9 + 0.5e-9 < view.seconds
  }
}
