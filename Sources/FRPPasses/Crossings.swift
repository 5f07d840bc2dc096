// Comparisons of continuous Floats that are pushed (by an output, `changes`, `when`, the list of an `each`, a rate)
// become `.crossing` nodes, whose switching times the solver locates.
//
// In: the graph with its kinds, without problems. Out: the same, with such nodes.
// Rules: where they are only sampled they stay expressions, and the behavior that holds them is pulled; so does what an output
// shows that is only looked at now and then (`CorePort.isSampled`). What is compared is not only sampled: a comparison in it, or in
// a behavior that it reads, is located as well.
//
// The solver looks at both sides of a crossing all the time, also while the branch it stands in is not shown. So what
// might fault there, or is not there (a part of a matched value), is compared only under the conditions on the way to
// it: `if x == 0.0 then false else time > 1.0 / x` follows `if x == 0.0 then 0.0 else 1.0 / x`.

import FRPBase
import FRPCore

/// What has been located so far.
struct Located {
  struct Place: Hashable {
    var expr: CoreExprID
    /// What must hold for it to be shown; nil where that does not matter.
    var path: CoreExprID?
  }
  struct Step: Hashable {
    var path: CoreExprID?
    var test: CoreExprID
    var holds: Bool
  }
  /// Whether what is rounded is located as well, and by behavior the copy in which it is (`Roundings`).
  var isRounding = false
  /// Whether what has kinks is (`Kinks`), or jumps alone (`Jumps`).
  var isKinked = false
  var hasJumps = false
  var copies: [NodeID: NodeID] = [:]
  var done: [Place: CoreExprID] = [:]
  var delicate: [CoreExprID: Bool] = [:]
  var paths: [Step: CoreExprID] = [:]
  /// By path: what it goes on from.
  var shorter: [CoreExprID: CoreExprID] = [:]
  /// Beyond so many places no more conditions are told apart.
  static let mostPlaces = 50_000

  /// What an expression has become there, or on the way to it: the value that a match looks at is one in its test and in
  /// what it takes out of it.
  func known(_ place: Place) -> CoreExprID? {
    var place = place
    while true {
      if let result = done[place] { return result }
      guard let path = place.path else { return nil }
      place.path = shorter[path]
    }
  }
}

extension Draft {
  mutating func locateCrossings() {
    var demanded: Set<NodeID> = []
    var pending: [NodeID] = []
    func demand(_ node: NodeID) {
      if demanded.insert(node).inserted { pending.append(node) }
    }
    for (index, output) in core.outputs.enumerated() where !output.isEvent && !core[output.node].isContinuous {
      if output.isSampled { core.outputs[index].isStepWhenPushed = true } else { demand(output.node) }
    }
    let original = core.nodes.count
    for index in 0..<original {
      let node = NodeID(index)
      let op = core[node].op
      if let watched = op.watched { demand(watched) }
      switch op.motion {
      // Who is a member changes at instants, whatever the members show.
      case .integral, .members: demand(node)
      case .switched, .groups: if !core[node].isContinuous { demand(node) }
      case .delayed(let inner, _): if !core[inner].isContinuous { demand(inner) }
      case .time, .lift, .chosen, .member, .crossing, .step: if op.isReadThroughChosen { demand(node) }
      }
    }
    var located = Located()
    while let node = pending.popLast() {
      context.scope = core[node].scope
      context.definition = core[node].definition
      for scope in core[node].op.scopes {
        for result in core[scope].results where !core[result].isContinuous { demand(result) }
      }
      if case .chosen(let owner, _) = core[node].op { demand(owner) }
      // What is delayed jumps where it did, so much later: comparisons in it are located as well.
      if case .delayBehavior(let inner, _) = core[node].op { demand(inner) }
      core.nodes[node.index].op = core[node].op.mapExprs { expr, moment in
        guard moment == .new || moment == .rate else { return expr }
        let result = locate(expr, path: nil, located: &located)
        demandReads(result, intoContinuous: moment == .rate || core[node].isContinuous, demand: demand)
        return result
      }
      if case .crossing(_, let left, let right) = core[node].op {
        for side in [left, right] { demandReads(side, intoContinuous: true, demand: demand) }
      }
    }
    pullUndemanded(demanded)
    continuity.forget()
  }

  /// Behaviors read by what is pushed are pushed too; below a rate, continuous ones are searched for comparisons.
  private func demandReads(
    _ root: CoreExprID, intoContinuous: Bool, demand: (NodeID) -> Void
  ) {
    visit(root, among: { facts($0).isVarying }) { expr in
      if case .read(let node) = core[expr], !core[node].isContinuous || intoContinuous { demand(node) }
      return .enter
    }
  }

  // MARK: Comparisons

  mutating func locate(_ expr: CoreExprID, path: CoreExprID?, located: inout Located) -> CoreExprID {
    guard facts(expr).isVarying else { return expr }
    let place = Located.Place(expr: expr, path: path == nil || !isDelicate(expr, &located) ? nil : path)
    if let known = located.known(place) { return known }
    guard budget.spend() else { return expr }
    let result = locateNew(expr, path: place.path, located: &located)
    located.done[place] = result
    return result
  }

  private mutating func locateNew(_ expr: CoreExprID, path: CoreExprID?, located: inout Located) -> CoreExprID {
    if case .prim(let prim, let sides) = core[expr], isContinuousComparison(prim, sides) {
      let span = core.span(expr)
      // A part of what such a comparison chose is there exactly when the way to it is open: both go by the same one.
      let parts = sides.map { locate($0, path: path, located: &located) }
      return crossing(prim, parts[0], parts[1], path: path, at: span)
    }
    let new: CoreExpr
    switch core[expr] {
    case .read(let node):
      guard let copy = located.copies[node] else { return expr }
      new = .read(copy)
    case .prim(let prim, let operands) where located.isRounding && isRounding(prim, operands):
      let x = locate(operands[0], path: path, located: &located)
      return self.located(prim, x, path: path, at: core.span(expr))
    case .prim(let prim, let operands)
    where (located.isKinked || located.hasJumps && prim == .mod) && isKinked(prim, operands):
      let parts = operands.map { locate($0, path: path, located: &located) }
      return pieces(prim, parts, core.type(expr), path: path, at: core.span(expr))
    case .conditional(let test, let then, let otherwise):
      let condition = locate(test, path: path, located: &located)
      let a = locate(then, path: step(path, condition, holds: true, branch: then, located: &located), located: &located)
      let b = locate(
        otherwise, path: step(path, condition, holds: false, branch: otherwise, located: &located), located: &located)
      if condition == test, a == then, b == otherwise { return expr }
      new = .conditional(condition, then: a, otherwise: b)
    case .prim(let prim, let sides) where prim == .and || prim == .or:
      let first = locate(sides[0], path: path, located: &located)
      let second = locate(
        sides[1], path: step(path, first, holds: prim == .and, branch: sides[1], located: &located), located: &located)
      if first == sides[0], second == sides[1] { return expr }
      new = .prim(prim, [first, second])
    default:
      var isChanged = false
      new = core[expr].mapChildren { child in
        let result = locate(child, path: path, located: &located)
        isChanged = isChanged || result != child
        return result
      }
      if !isChanged { return expr }
    }
    return add(new, core.type(expr), core.span(expr))
  }

  /// A comparison that is located.
  mutating func crossing(
    _ prim: Prim, _ left: CoreExprID, _ right: CoreExprID, path: CoreExprID?, at span: Span
  ) -> CoreExprID {
    let sides = [left, right].map { side in withSteps(path.map { only(side, if: $0) } ?? side) }
    return read(addNode(.crossing(prim, sides[0], sides[1]), .bool, at: span), span)
  }

  /// A Float that is rounded where it is located.
  mutating func located(_ prim: Prim, _ x: CoreExprID, path: CoreExprID?, at span: Span) -> CoreExprID {
    rounding(prim, withSteps(path.map { only(x, if: $0) } ?? x), at: span)
  }

  private func isContinuousComparison(_ prim: Prim, _ sides: [CoreExprID]) -> Bool {
    isLocatable(prim, sides) && (isContinuous(sides[0]) || isContinuous(sides[1]))
  }

  // MARK: Conditions on the way

  /// A side of a comparison where the way to it is open, else zero.
  private mutating func only(_ side: CoreExprID, if path: CoreExprID) -> CoreExprID {
    let span = core.span(side)
    return add(.conditional(path, then: side, otherwise: add(.float(0), .float, span)), .float, span)
  }

  /// The path that goes on through a test into a branch. A test on what is bound point by point has none of its own:
  /// nothing below it can be located that depends on it.
  private mutating func step(
    _ path: CoreExprID?, _ test: CoreExprID, holds: Bool, branch: CoreExprID, located: inout Located
  ) -> CoreExprID? {
    guard isDelicate(branch, &located), !isPointwise(test), located.done.count < Located.mostPlaces else { return path }
    let key = Located.Step(path: path, test: test, holds: holds)
    if let known = located.paths[key] { return known }
    let span = core.span(test)
    let condition = holds ? test : add(.prim(.not, [test]), .bool, span)
    let result = path.map { add(.prim(.and, [$0, condition]), .bool, span) } ?? condition
    located.paths[key] = result
    if let path { located.shorter[result] = path }
    return result
  }

  /// Whether an expression holds a comparison to be located with sides that might fault, or not be there.
  private func isDelicate(_ expr: CoreExprID, _ located: inout Located) -> Bool {
    guard facts(expr).isVarying else { return false }
    if let known = located.delicate[expr] { return known }
    var result = false
    if case .prim(let prim, let sides) = core[expr],
      isContinuousComparison(prim, sides) || located.isRounding && isRounding(prim, sides)
        || (located.isKinked || located.hasJumps && prim == .mod) && isKinked(prim, sides)
    {
      result = sides.contains { mayFault($0) }
    } else {
      var children: [CoreExprID] = []
      core[expr].forEachChild { children.append($0) }
      for child in children where isDelicate(child, &located) { result = true }
    }
    located.delicate[expr] = result
    return result
  }

  /// Whether computing an expression might fault for another reason than numbers that grow without bound.
  func mayFault(_ root: CoreExprID) -> Bool {
    contains(root) { expr in
      if facts(expr).isGuarded { return true }
      switch core[expr] {
      case .call, .apply, .unreachable: return true
      case .prim(let prim, _): return !Self.totalPrims.contains(prim)
      default: return false
      }
    }
  }

  /// What never faults itself; a function given to it is looked at like everything else in the expression.
  private static let totalPrims: Set<Prim> = Prim.total.union([
    .add, .subtract, .multiply, .negate, .abs, .toRadians, .toDegrees, .lerp,
  ])

  // MARK: What nobody pushes

  /// A step behavior that holds a comparison which nobody pushes is pulled: it is looked at when it is sampled.
  private mutating func pullUndemanded(_ demanded: Set<NodeID>) {
    var changed = true
    var isBackward = true
    while changed {
      changed = false
      isBackward.toggle()
      for place in core.nodes.indices {
        let index = isBackward ? core.nodes.count - 1 - place : place
        guard !core.nodes[index].isContinuous, !demanded.contains(NodeID(index)),
          case .lift(let expr) = core.nodes[index].op, dependsOnContinuous(expr)
        else { continue }
        core.nodes[index].isContinuous = true
        changed = true
      }
    }
  }

  private func dependsOnContinuous(_ root: CoreExprID) -> Bool {
    visit(root, among: { facts($0).isVarying }) { expr in
      if case .read(let node) = core[expr], core[node].isContinuous { .stop } else { .enter }
    }
  }
}
