// A cheap guess, for messages only, whether an expression varies with time: it decides between "this is a behavior"
// and "this is a plain value" in words. Elaboration knows; it runs only on programs without type errors.

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  /// Whether a behavior is read, directly or through definitions. Looks at no more than `budget` nodes.
  func looksVarying(_ id: ExprID) -> Bool {
    var seen: Set<ItemID> = []
    var work = [id]
    var budget = 2_000
    while let next = work.popLast(), budget > 0 {
      budget -= 1
      switch tree[next] {
      case .name, .qualified:
        switch names.references[next.index] {
        case .input(let item): if inputs[item]?.isEvent == false { return true }
        case .binder(let pattern):
          if let item = names.definitionOfBinder[pattern], seen.insert(item).inserted,
            case .definition(let definition) = tree[item]
          {
            work.append(definition.body)
          }
        case .builtin(let rows):
          if rows.contains(where: { Signature.all[$0].resultIsBehavior && Signature.all[$0].parameters == nil }) {
            return true
          }
        case .none, .reported, .function, .constructor: break
        }
      case .call(let callee, let arguments):
        if givesBehavior(callee) { return true }
        work += arguments
        work.append(callee)
      case .pipe(let left, let right):
        if givesBehavior(right) { return true }
        if case .call(let callee, let arguments) = tree[right] {
          if givesBehavior(callee) { return true }
          work += arguments
          work.append(callee)
        } else {
          work.append(right)
        }
        work.append(left)
      case .lambda: break
      case .block(_, let result): work.append(result)
      default: tree.forEachChild(of: next) { work.append($0) }
      }
    }
    return false
  }

  private func givesBehavior(_ callee: ExprID) -> Bool {
    guard case .builtin(let rows) = names.references[bare(callee).index], let first = rows.first else { return false }
    var row = first
    if case .builtin(let chosen) = resolutions[bare(callee).index], let only = chosen.first { row = only }
    return Signature.all[row].resultIsBehavior && Signature.all[row].parameters != nil
  }
}
