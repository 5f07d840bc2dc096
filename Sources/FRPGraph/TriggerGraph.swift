// Which entries can occur because others did: what an occurrence leads to, at once or later.
//
// In:  a plan. Out: for an entry, all that it leads to, and whether that includes itself.
// Rules
// - What is only read, as it was just before, leads to nothing: a condition of a `filter` makes no circle.
// - What waits leads from its feed to its source: through a delay or a task, too.
// - An owner of scopes is two nodes, since what comes in makes a scope and what a scope shows does not.

/// An entry of a template.
public struct TemplateEntry: Hashable, Sendable {
  public var template: Int
  public var entry: Int

  public init(template: Int, entry: Int) {
    self.template = template
    self.entry = entry
  }
}

public struct TriggerGraph: Sendable {
  private let plan: Plan
  /// By template: the node of its first entry.
  private var offsets: [Int] = []
  /// By node. Behind those of all entries come the inlets of owners.
  private var edges: [[Int32]] = []
  private var places: [TemplateEntry] = []
  /// By node of an owner.
  private var inlets: [Int: Int] = [:]

  public init(_ plan: Plan) {
    self.plan = plan
    for (index, template) in plan.templates.enumerated() {
      offsets.append(places.count)
      places += template.entries.indices.map { TemplateEntry(template: index, entry: $0) }
    }
    edges = places.map { _ in [] }
    for template in plan.templates.indices where plan.templates[template].owner >= 0 { addScope(template) }
    for template in plan.templates.indices { addEntries(template) }
  }

  private func node(_ template: Int, _ entry: Int32) -> Int { offsets[template] + Int(entry) }

  private mutating func connect(_ from: Int, _ to: Int) { edges[from].append(Int32(to)) }

  /// Where what comes in arrives.
  private func arrival(_ node: Int) -> Int { inlets[node] ?? node }

  /// What an operand is, as a template sees it; nil for what nothing pushes.
  private func source(_ operand: Operand, in template: Int) -> Int? {
    var home = template
    for _ in 0..<operand.up { home = Int(plan.templates[home].parent) }
    return operand.entry >= 0 ? node(home, operand.entry) : nil
  }

  private mutating func addScope(_ index: Int) {
    let template = plan.templates[index]
    let owner = node(Int(template.parent), template.owner)
    if inlets[owner] == nil {
      inlets[owner] = edges.count
      places.append(places[owner])
      edges.append([Int32(owner)])
    }
    for (entry, row) in template.entries.enumerated() where row.kind == .group || row.kind == .member {
      connect(arrival(owner), node(index, Int32(entry)))
    }
    for result in template.results { if let from = source(result, in: index) { connect(from, owner) } }
  }

  private mutating func addEntries(_ index: Int) {
    let template = plan.templates[index]
    for (entry, row) in template.entries.enumerated() {
      let from = node(index, Int32(entry))
      for place in row.dependentsStart..<row.dependentsEnd {
        connect(from, arrival(node(index, template.dependents[Int(place)])))
      }
      if row.kind.isFeed, row.partner >= 0 { connect(from, node(index, row.partner)) }
    }
    for capture in template.earlyCaptures + template.lateCaptures {
      guard let from = source(capture.source, in: index) else { continue }
      for entry in capture.dependents { connect(from, arrival(node(index, entry))) }
    }
  }

  /// What some entries lead to, without themselves unless they lead to themselves. Linear in the size of the plan.
  public func reach(_ entries: some Sequence<TemplateEntry>) -> Set<TemplateEntry> {
    var isSeen = [Bool](repeating: false, count: edges.count)
    var pending = entries.map { node($0.template, Int32($0.entry)) }
    while let next = pending.popLast() {
      for to in edges[next].map(Int.init) where !isSeen[to] {
        isSeen[to] = true
        pending.append(to)
      }
    }
    return Set(isSeen.indices.filter { isSeen[$0] }.map { places[$0] })
  }

  /// The entries that lead to themselves: those that lead to one another, by Kosaraju's two passes. Linear in the size of
  /// the plan.
  public func circles() -> Set<TemplateEntry> {
    var backwards: [[Int32]] = edges.map { _ in [] }
    for from in edges.indices { for to in edges[from] { backwards[Int(to)].append(Int32(from)) } }
    var group = [Int](repeating: -1, count: edges.count)
    var sizes: [Int] = []
    for root in finishingOrder().reversed() where group[root] < 0 {
      var pending = [root]
      group[root] = sizes.count
      sizes.append(0)
      while let next = pending.popLast() {
        sizes[sizes.count - 1] += 1
        for from in backwards[next].map(Int.init) where group[from] < 0 {
          group[from] = sizes.count - 1
          pending.append(from)
        }
      }
    }
    return Set(
      edges.indices.filter { sizes[group[$0]] > 1 || edges[$0].contains(Int32($0)) }.map { places[$0] })
  }

  /// All nodes, each after those that it leads to and that do not lead to it.
  private func finishingOrder() -> [Int] {
    var order: [Int] = []
    var isSeen = [Bool](repeating: false, count: edges.count)
    for root in edges.indices where !isSeen[root] {
      isSeen[root] = true
      var stack = [(node: root, next: 0)]
      while let (node, next) = stack.last {
        if next == edges[node].count {
          order.append(node)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let to = Int(edges[node][next])
        if !isSeen[to] {
          isSeen[to] = true
          stack.append((to, 0))
        }
      }
    }
    return order
  }

  /// The entries that satisfy a condition.
  public func entries(_ isWanted: (Entry) -> Bool) -> [TemplateEntry] {
    plan.templates.indices.flatMap { template in
      plan.templates[template].entries.indices
        .filter { isWanted(plan.templates[template].entries[$0]) }
        .map { TemplateEntry(template: template, entry: $0) }
    }
  }
}

extension EntryKind {
  /// Whether what it takes in comes out of its partner, at once or later.
  fileprivate var isFeed: Bool {
    switch self {
    case .integralFeed, .delayBehaviorFeed, .batchFeed, .delayFeed, .debounceFeed, .auditFeed, .whenWatch, .performFeed,
      .awaitedFeed:
      return true
    default: return false
    }
  }
}
