// Sources (section 11 of the language): tasks that bring values while they are under way. What a source brings depends on
// nothing but when it began, so it is written down as a whole, as far as time has come.
//
//   fromList([(d1, x1), …]) from t: x1 at t + d1, x2 at t + d1 + d2, …; what comes 0 seconds after another comes with it
//   map(s, f), filterMap(s, f): its values through f; a fault of f ends it
//   reconnect(s, f): s from t; whenever that ends, for the n-th time without a value, s again f(n) seconds later, or its end

import FRPCore

/// What a source brings, how it stands, and how it ends.
struct Brought {
  var items: [(time: TaskTime, value: ModelValue)] = []
  /// A Link from each of these times on, the last of equal ones.
  var links: [(time: TaskTime, value: ModelValue)] = []
  var end = Outcome(time: .never, end: .ok(.unit))

  func happens(in attempt: Int) -> Bool {
    items.contains { $0.time.attempt == attempt } || links.contains { $0.time.attempt == attempt }
  }
}

extension Model {
  /// listen(e, p, f).items: what those under way bring at instant k.
  func items(_ node: NodeID, _ home: Instance, _ k: Int) throws -> [ModelValue] {
    let performed = self.home(node, home)
    return try runs(node, performed, k - 1).active.flatMap { run in
      try resolved(run, upTo: k - 1).brought.items.filter { $0.time.attempt == history[k].attempt }.map(\.value)
    }
  }

  /// listen(e, p, f).state: how the newest under way stands just after instant k; nil where that instant does not look at it.
  func link(_ node: NodeID, _ home: Instance, _ k: Int) throws -> ModelValue? {
    let runs = try runs(node, self.home(node, home), k)
    if !runs.isTouched { return nil }
    guard let newest = runs.active.last else { return .data(0, []) }
    let past = try resolved(newest, upTo: k).brought.links.filter { link in
      link.time.attempt.map { $0 <= history[k].attempt } ?? false
    }
    return past.last?.value ?? .data(1, [])
  }
}

extension Outcomes {
  private static let open = ModelValue.data(2, [])

  mutating func source(_ task: ModelTask, _ time: TaskTime) throws -> Brought {
    switch task {
    case .lane(let values, let ends): return lane(values, ends, time)
    case .sourceMap(let inner, let f):
      return try changed(source(inner, time)) { model, x in try model.apply(f, [x]) }
    case .sourceFilterMap(let inner, let f):
      return try changed(source(inner, time)) { model, x in try model.content(model.apply(f, [x])) }
    case .reconnect(let inner, let wait): return try reconnected(inner, wait, time)
    default: return Brought(end: try of(task, time))
    }
  }

  private mutating func lane(_ values: [(Double, ModelValue)], _ ends: Bool, _ began: TaskTime) -> Brought {
    var result = Brought(links: [(began, Self.open)])
    var time = began
    for (number, (gap, value)) in values.enumerated() {
      if number == 0 || gap > 0 { time = later(time, gap) }
      result.items.append((time, value))
    }
    if ends { result.end = Outcome(time: values.isEmpty ? later(began, 0) : time, end: .ok(.unit)) }
    return result
  }

  /// Each value through a function, which may leave it out; the first fault is the end.
  private func changed(_ source: Brought, _ f: (Model, ModelValue) throws -> ModelValue?) throws -> Brought {
    var result = source
    result.items = []
    for item in source.items where item.time <= source.end.time {
      // What is still to come is not computed.
      guard item.time.attempt != nil else { continue }
      do {
        if let value = try f(model, item.value) { result.items.append((item.time, value)) }
      } catch {
        result.end = Outcome(time: item.time, end: .err(ModelFault(error).message))
        result.links = source.links.filter { $0.time <= item.time }
        return result
      }
    }
    return result
  }

  private mutating func reconnected(_ inner: ModelTask, _ wait: ModelFunction, _ began: TaskTime) throws -> Brought {
    var result = Brought()
    var time = began
    var tries = 0
    // The attempt after instant `last`, which need not be the next number: some may have been undone.
    let next = max(0, last) + 1
    let horizon = next < model.history.count ? model.history[next].attempt : model.attempts + 1
    while true {
      let part = try source(inner, time)
      result.items += part.items
      result.links += part.links
      // Its end may be still to come; then nobody knows of more.
      guard part.end.time.nanoseconds != .max, part.end.time.attempt != nil else {
        result.end.time = .never
        return result
      }
      tries = part.items.contains { $0.time <= part.end.time } ? 1 : tries + 1
      var reason = "it ended"
      if case .err(let message) = part.end.end { reason = message }
      result.links.append((part.end.time, .data(3, [.string(reason)])))
      let pause: Double?
      do { pause = try model.content(model.apply(wait, [.int(tries)])).map(model.float) } catch {
        result.end = Outcome(time: part.end.time, end: .err(ModelFault(error).message))
        return result
      }
      guard let pause else {
        result.end = part.end
        return result
      }
      time = later(part.end.time, pause)
      result.links.append((time, .data(1, [])))
      // What comes after the micro-step that is next is looked at when that has come.
      guard let attempt = time.attempt, attempt <= horizon else { return result }
    }
  }
}
