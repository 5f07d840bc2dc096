// Functions that nobody calls are checked too, each by itself: elaborated once with parameters that could be anything
// plain, and then forgotten.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  mutating func checkUnusedFunctions() {
    guard draft.problems.isEmpty, budget.exceeded == nil else { return }
    var scratch = self
    // What nobody calls is refused by none of the limits; a part of the work is enough to find its mistakes.
    scratch.draft.budget = CheckBudget(
      CheckLimits(steps: 200_000, memoryBytes: 100 << 20), bytes: program.sources.byteCount)
    for index in program.tree.items.indices {
      let item = ItemID(index)
      guard !scratch.unfolding.visited.contains(item), isTopLevelFunction(item) else { continue }
      scratch.check(item)
    }
    scratch.draft.problems.removeAll { if case .endlessUnrolling = $0.kind { true } else { false } }
    // What they are about is forgotten with the scratch: the words are found now.
    problemsOfUnused = scratch.renderProblems()
  }

  private func isTopLevelFunction(_ item: ItemID) -> Bool {
    guard case .definition(let definition) = program.tree[item], case .function = definition.binder else {
      return false
    }
    return program.schemes[item] != nil && topLevel.contains(item)
  }

  private mutating func check(_ item: ItemID) {
    guard case .definition(let definition) = program.tree[item],
      case .function(let name, let parameters) = definition.binder, let scheme = program.schemes[item]
    else { return }
    let env = Env(parent: top, generics: generics(of: item, scheme.generics.map { _ in .int }, in: top))
    let type = monomorph(scheme.type, env)
    guard case .function(let types, _) = core.types[type] else { return }
    context = Context(scope: ScopeID(core.scopes.count), definition: name.text)
    core.scopes.append(CoreScope(parent: .program, parameters: []))
    let span = program.tree.span(item)
    let inner = Env(parent: env)
    isGivenUp = false
    unfolding.running[InlineKey(item: item.raw, isLambda: false)] = Inlining(depth: 1)
    for (parameter, type) in zip(parameters, types) {
      bind(parameter.pattern, to: stranger(type, span), in: inner, guarded: false)
    }
    _ = evaluate(definition.body, inner)
    unfolding.running = [:]
  }

  /// A value of which only the type is known.
  private mutating func stranger(_ type: TypeID, _ span: Span) -> StaticValue {
    switch core.types[type] {
    case .event: return .event(addNode(.never, type, at: span))
    case .record(let fields) where holdsEvents(type):
      return .record(fields.map { ($0.name, stranger($0.type, span)) }, type)
    case .tuple(let elements) where holdsEvents(type):
      return .tuple(elements.map { stranger($0, span) }, type)
    default:
      if holdsEvents(type) { return .error }
      let local = core.addLocal("", type, scope: context.scope)
      return .data(add(.local(local), type, span))
    }
  }
}
