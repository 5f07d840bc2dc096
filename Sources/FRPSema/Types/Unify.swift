// Making two types one.
//
// In:  the type a place needs and the type that is there.
// Out: nil, and from then on they are one type; or the first smallest difference, with the path to it.
// Rules: the error type fits everything, also what it is a part of, and what is open there becomes it. Types found equal are linked after their parts are, so
// that shared types cost their nodes once; a failure leaves the outer types as they were, fit to be shown.

import FRPBase
import FRPCore

extension TypeStore {
  func unify(expected: Ty, actual: Ty) -> TypeFailure? {
    unify(expected, actual, depth: 0)
  }

  private func unify(_ expected: Ty, _ actual: Ty, depth: Int) -> TypeFailure? {
    let a = find(expected)
    let b = find(actual)
    if a == b { return nil }
    steps += 1
    if !budget.spend() { return nil }
    if depth > Self.maximalDepth || steps > Self.maximalSteps { return TypeFailure(mismatch: .tooBig) }
    switch (nodes[a.index], nodes[b.index]) {
    case (.error, _), (_, .error):
      errorsMet += 1
      spoil(a == Self.error ? b : a)
      return nil
    case (.variable(let x), .variable(let y)): return join(a, x, b, y)
    case (.variable(let x), _): return bind(a, x, to: b, TypeFailure(mismatch: .different(expected: a, actual: b)))
    case (_, .variable(let y)): return bind(b, y, to: a, TypeFailure(mismatch: .different(expected: a, actual: b)))
    default: break
    }
    let errorsBefore = errorsMet
    if let failure = unifyParts(a, b, depth: depth + 1) { return failure }
    if !parts(a).isEmpty, errorsMet == errorsBefore || !contains(b, a) { nodes[a.index] = .link(b) }
    return nil
  }

  /// Makes what is still open in a type a mistake: what it would have become depends on one, so nothing that follows from its
  /// being open is worth a report. Cost: O(nodes).
  func spoil(_ type: Ty) {
    epoch += 1
    var pending = [type]
    while let next = pending.popLast() {
      let root = find(next)
      if marks[root.index] == epoch { continue }
      marks[root.index] = epoch
      if case .variable(let index) = nodes[root.index] {
        if variables[index].rigid != nil { continue }
        nodes[root.index] = .link(Self.error)
        ready += variables[index].watchers
      } else {
        pending += parts(root)
      }
    }
  }

  /// Whether a type is a part of another, or the other. Cost: O(nodes).
  private func contains(_ type: Ty, _ part: Ty) -> Bool {
    epoch += 1
    var pending = [type]
    while let next = pending.popLast() {
      let root = find(next)
      if root == part { return true }
      if marks[root.index] == epoch { continue }
      marks[root.index] = epoch
      pending += parts(root)
    }
    return false
  }

  private func unifyParts(_ a: Ty, _ b: Ty, depth: Int) -> TypeFailure? {
    let different = TypeFailure(mismatch: .different(expected: a, actual: b))
    switch (nodes[a.index], nodes[b.index]) {
    case (.unit, .unit), (.bool, .bool), (.int, .int), (.float, .float), (.string, .string): return nil
    case (.generic(let x), .generic(let y)): return x == y ? nil : different
    case (.list(let x), .list(let y)): return step(.content(of: "List"), x, y, depth)
    case (.event(let x), .event(let y)): return step(.content(of: "Event"), x, y, depth)
    case (.task(let x), .task(let y)): return step(.content(of: "Task"), x, y, depth)
    case (.map(let k, let v), .map(let l, let w)):
      return step(.content(of: "Map"), k, l, depth) ?? step(.content(of: "Map"), v, w, depth)
    case (.tuple(let xs), .tuple(let ys)) where xs.count == ys.count:
      return steps(xs, ys, depth: depth) { .element($0) }
    case (.nominal(let n, let xs), .nominal(let m, let ys)) where n == m && xs.count == ys.count:
      return steps(xs, ys, depth: depth) { _ in .content(of: "") }
    case (.function(let ps, let r), .function(let qs, let s)):
      if ps.count != qs.count {
        return TypeFailure(mismatch: .parameterCount(expected: ps.count, actual: qs.count))
      }
      return steps(ps, qs, depth: depth) { .parameter($0) } ?? step(.result, r, s, depth)
    case (.record(let f, let t), .record(let g, let u)):
      return unifyRecords(a, row(f, t), b, row(g, u), depth)
    default: return different
    }
  }

  private func step(_ step: PathStep, _ a: Ty, _ b: Ty, _ depth: Int) -> TypeFailure? {
    guard var failure = unify(a, b, depth: depth) else { return nil }
    failure.path.append(step)
    return failure
  }

  private func steps(_ xs: [Ty], _ ys: [Ty], depth: Int, path: (Int) -> PathStep) -> TypeFailure? {
    for index in xs.indices {
      if let failure = step(path(index), xs[index], ys[index], depth) { return failure }
    }
    return nil
  }

  private typealias Row = (fields: [RecordFieldType], tail: Ty?)

  private func unifyRecords(_ a: Ty, _ left: Row, _ b: Ty, _ right: Row, _ depth: Int) -> TypeFailure? {
    var onlyLeft: [RecordFieldType] = []
    var onlyRight: [RecordFieldType] = []
    var i = 0
    var j = 0
    while i < left.fields.count || j < right.fields.count {
      if j == right.fields.count || i < left.fields.count && left.fields[i].name < right.fields[j].name {
        onlyLeft.append(left.fields[i])
        i += 1
      } else if i == left.fields.count || right.fields[j].name < left.fields[i].name {
        onlyRight.append(right.fields[j])
        j += 1
      } else {
        if let failure = step(.field(left.fields[i].name), left.fields[i].type, right.fields[j].type, depth) {
          return failure
        }
        i += 1
        j += 1
      }
    }
    return unifyTails(a, left.tail, onlyLeft: onlyLeft, b, rightTail: right.tail, onlyRight: onlyRight)
  }

  private func unifyTails(
    _ a: Ty, _ leftTail: Ty?, onlyLeft: [RecordFieldType], _ b: Ty, rightTail: Ty?, onlyRight: [RecordFieldType]
  ) -> TypeFailure? {
    if let field = onlyLeft.first, rightTail == nil {
      return TypeFailure(mismatch: .noField(field.name, in: b, isExpectedSide: false))
    }
    if let field = onlyRight.first, leftTail == nil {
      return TypeFailure(mismatch: .noField(field.name, in: a, isExpectedSide: true))
    }
    let left = leftTail.map(find)
    let right = rightTail.map(find)
    if left == right {
      return onlyLeft.isEmpty && onlyRight.isEmpty
        ? nil : TypeFailure(mismatch: .infinite(a, in: b))
    }
    let rest = left != nil && right != nil ? fresh() : nil
    if let left, case .variable(let index) = nodes[left.index] {
      if let failure = bind(left, index, to: add(.record(onlyRight, tail: rest))) { return failure }
    }
    if let right, case .variable(let index) = self.nodes[find(right).index] {
      if let failure = bind(find(right), index, to: add(.record(onlyLeft, tail: rest))) { return failure }
    }
    return nil
  }

  /// Two variables become one, at the lower level, with the classes of both.
  private func join(_ a: Ty, _ x: Int, _ b: Ty, _ y: Int) -> TypeFailure? {
    if let name = variables[x].rigid, variables[y].rigid != nil {
      return TypeFailure(mismatch: .notAnyType(name, b))
    }
    // Of two that could go it is not the one for which many wait: they would be moved at every step of a chain.
    let isLoner = variables[x].watchers.count <= variables[y].watchers.count + 64
    let goes = variables[x].rigid == nil && (isLoner || variables[y].rigid != nil)
    let (gone, kept, goneType, keptType) = goes ? (x, y, a, b) : (y, x, b, a)
    variables[kept].level = min(variables[kept].level, variables[gone].level)
    nodes[goneType.index] = .link(keptType)
    let watchers = variables[gone].watchers
    let classes = variables[gone].classes
    let mismatch = require(classes, keptType)
    if !watchers.isEmpty {
      variables[kept].watchers += watchers
      // Those of the other were told by `require`.
      if variables[kept].classes != classes { ready += watchers }
    }
    return mismatch.map { TypeFailure(mismatch: $0) }
  }

  private func bind(_ variable: Ty, _ index: Int, to type: Ty, _ different: TypeFailure? = nil) -> TypeFailure? {
    if let name = variables[index].rigid { return TypeFailure(mismatch: .notAnyType(name, type)) }
    epoch += 1
    switch lower(type, to: variables[index].level, without: variable, 0) {
    case .contained: return TypeFailure(mismatch: .infinite(variable, in: type))
    case .tooDeep: return TypeFailure(mismatch: .tooBig)
    case .fine: break
    }
    nodes[variable.index] = .link(type)
    ready += variables[index].watchers
    guard let mismatch = require(variables[index].classes, type) else { return nil }
    // Undone, so that both can be shown as they were.
    nodes[variable.index] = .variable(index)
    if case .noClass(let single, let part) = mismatch, single == .num || single == .append, part == find(type) {
      return different ?? TypeFailure(mismatch: mismatch)
    }
    return TypeFailure(mismatch: mismatch)
  }

  private enum Lowering { case fine, contained, tooDeep }

  /// Lowers all variables of a type to a level, looking for one that must not be in it. Cost: O(nodes).
  private func lower(_ type: Ty, to level: Int, without variable: Ty, _ depth: Int) -> Lowering {
    let root = find(type)
    if root == variable { return .contained }
    if marks[root.index] == epoch { return .fine }
    if depth > Self.maximalDepth { return .tooDeep }
    marks[root.index] = epoch
    if case .variable(let index) = nodes[root.index] {
      variables[index].level = min(variables[index].level, level)
      return .fine
    }
    for part in parts(root) {
      let result = lower(part, to: level, without: variable, depth + 1)
      if result != .fine { return result }
    }
    return .fine
  }
}
