// Definitions that act on the world have one type.
//
//   Γ ⊢ e : t    e performs, e calls the host, e is not written as a function
//   ─────────────────────────────────────────────────────────────────────────  (once)
//   Γ, x = e ⊢ x : t       no variable of t becomes general
//
// A definition of a general type is evaluated once for each type that it is used at. Nobody can tell where all is pure; a
// request would be sent once for each. So the variables of such a definition stay variables of what is around it, and its
// uses decide them: for the whole program at the margin, for a call inside of a function.
//
// Whether an expression performs, and whether it calls the host, is read off its text, with the definitions that it names
// put in. A value hands on what it does only where functions, tasks or sources are part of it: the rest has been done.

import FRPBase
import FRPCore
import FRPSyntax

/// What evaluating an expression may come to in the world.
struct HostEffects: OptionSet {
  let rawValue: UInt8

  /// It performs tasks or listens to sources.
  static let performs = HostEffects(rawValue: 1)
  /// It makes tasks or sources of the host.
  static let calls = HostEffects(rawValue: 2)
  static let all: HostEffects = [.performs, .calls]
}

/// A definition that is performed once, and how its uses have decided its type.
struct SharedDefinition {
  var type: Ty
  /// The uses, with the definitions around them.
  var uses: [(site: ExprID, within: ItemID?)] = []
  /// The type as the newest use found it.
  var text: String
  /// The use that first decided something.
  var decider: ExprID?
}

/// For messages: a definition that has one type, and the use that decided it.
struct SharedFact {
  var name: String
  var type: String
  var decider: Span
}

extension Checker {
  // MARK: What expressions do

  /// Keeps what the definitions of a group do, their own and through what they name. Cost: linear in their text.
  func noteEffects(_ items: [ItemID]) {
    if !hasHost { return }
    var within: HostEffects = []
    for item in items {
      if case .definition(let definition) = tree[item] { within.formUnion(effects(in: definition.body)) }
    }
    for item in items where !within.isEmpty {
      effectsWithin[item] = within
      if isFunction(item) || handsOn(monomorphic[item] ?? TypeStore.error) { effectsOfUse[item] = within }
    }
  }

  private func effects(in body: ExprID) -> HostEffects {
    var found: HostEffects = []
    var pending = [body]
    while let expr = pending.popLast(), found != .all {
      if case .block(let items, let value) = tree[expr] {
        for item in items { found.formUnion(effectsWithin[item] ?? []) }
        pending.append(value)
      } else {
        found.formUnion(effects(ofName: expr))
        tree.forEachChild(of: expr) { pending.append($0) }
      }
    }
    return found
  }

  private func effects(ofName expr: ExprID) -> HostEffects {
    switch names.references[expr.index] {
    case .function(let item): return effectsOfUse[item] ?? []
    case .binder(let pattern): return names.definitionOfBinder[pattern].flatMap { effectsOfUse[$0] } ?? []
    case .builtin(let rows):
      return rows.contains { Self.performing.contains($0) }
        ? .performs : rows.contains { $0 == Self.hostCall } && makesTask(exprTypes[expr.index]) ? .calls : []
    case .none, .reported, .input, .constructor: return []
    }
  }

  private static let performing: Set<Int> = Set(
    Builtins.all.indices.filter {
      switch Builtins.all[$0].operation {
      case .reactive(.perform), .reactive(.listen): true
      default: false
      }
    })

  private static let hostCall = Builtins.all.firstIndex {
    if case .data(.hostCall) = $0.operation { true } else { false }
  }

  /// Whether a call of the host makes a task or a source: its functions are pure.
  private func makesTask(_ call: Ty) -> Bool {
    if case .function(_, let result) = store[call] { return handsOn(result) }
    return false
  }

  /// Whether a type has parts that do something only later: functions, tasks, sources.
  private func handsOn(_ type: Ty) -> Bool {
    var work = [type]
    var seen: Set<Ty> = []
    while let next = work.popLast() {
      if !seen.insert(store.find(next)).inserted { continue }
      switch store[next] {
      case .function, .task, .nominal(.source, _): return true
      default: work += store.parts(next)
      }
    }
    return false
  }

  private func isFunction(_ item: ItemID) -> Bool {
    if case .definition(let definition) = tree[item], case .function = definition.binder { return true }
    return false
  }

  /// Whether evaluating an expression does nothing by itself: functions, names, and data made of them.
  private func isWrittenOut(_ body: ExprID) -> Bool {
    var isValue = true
    var pending = [body]
    while isValue, let expr = pending.popLast() {
      switch tree[expr] {
      case .lambda, .name, .qualified, .constructor, .fieldFunction, .operatorFunction, .int, .float, .duration, .bool,
        .unit, .missing:
        break
      case .paren, .field, .tuple, .list, .record, .string: tree.forEachChild(of: expr) { pending.append($0) }
      default: isValue = false
      }
    }
    return isValue
  }

  // MARK: One type

  /// Leaves the types of a group that is performed once to what is around it.
  func keepOneType(_ items: [ItemID]) {
    guard items.contains(where: isPerformedOnce) else { return }
    for item in items {
      guard let type = monomorphic[item] else { continue }
      // In an annotation, a type variable of such a definition is one type that the program decides.
      for open in store.openVariables(type) {
        if case .variable(let index) = store[open] { store.variables[index].rigid = nil }
      }
      store.lower(type)
      if isOpenSomewhere(type) { shared[item] = SharedDefinition(type: type, text: show(type).text) }
    }
  }

  private func isPerformedOnce(_ item: ItemID) -> Bool {
    guard effectsWithin[item] == .all, !isFunction(item), case .definition(let definition) = tree[item] else {
      return false
    }
    return !isWrittenOut(definition.body)
  }

  private func isOpenSomewhere(_ type: Ty) -> Bool {
    var work = [type]
    var seen: Set<Ty> = []
    while let next = work.popLast() {
      if !seen.insert(store.find(next)).inserted { continue }
      if store.variable(next) != nil { return true }
      work += store.parts(next)
    }
    return false
  }

  /// Keeps a use of a definition that is performed once.
  func noteUse(of item: ItemID, at site: ExprID) {
    if shared.isEmpty || shared[item] == nil { return }
    refresh(item)
    shared[item]?.uses.append((site, lastItem))
  }

  /// Whether uses have decided something since the newest.
  private func refresh(_ item: ItemID) {
    guard let known = shared[item], known.decider == nil, let last = known.uses.last else { return }
    let text = show(known.type).text
    if text == known.text { return }
    shared[item]?.text = text
    shared[item]?.decider = last.site
  }

  /// Keeps what explains a report, if something does.
  func noteCause(of span: Span, _ types: [Ty]) {
    if sharedCauses[span] == nil { sharedCauses[span] = sharedCause(at: span, types) }
  }

  /// The definition performed once that two types which differ at a place come from, if there is one: one of them is a part
  /// of its type, and what stands at the place uses it.
  private func sharedCause(at span: Span, _ types: [Ty]) -> SharedFact? {
    if shared.isEmpty { return nil }
    let texts = Set(types.map { show($0).text })
    for item in shared.keys.sorted(by: { $0.raw < $1.raw }) {
      refresh(item)
      guard let known = shared[item], let decider = known.decider, let name = definedName(item),
        !tree.span(decider).contains(span), known.uses.contains(where: { isAround(span, $0) }),
        hasPart(known.type, shownAs: texts)
      else { continue }
      return SharedFact(name: name, type: show(known.type).text, decider: tree.span(decider))
    }
    return nil
  }

  private func isAround(_ span: Span, _ use: (site: ExprID, within: ItemID?)) -> Bool {
    tree.span(use.site).contains(span) || use.within.map { tree.span($0).contains(span) } ?? false
  }

  private func hasPart(_ type: Ty, shownAs texts: Set<String>) -> Bool {
    var work = [type]
    var seen: Set<Ty> = []
    while let next = work.popLast() {
      if !seen.insert(store.find(next)).inserted { continue }
      if texts.contains(show(next).text) { return true }
      work += store.parts(next)
    }
    return false
  }

  /// Whether a place lies in a definition performed once that no output needs: nothing need decide its type.
  func isIdle(_ span: Span) -> Bool {
    guard let item = shared.keys.first(where: { tree.span($0).contains(span) }) else { return false }
    return !neededByOutputs().contains(item)
  }

  private func neededByOutputs() -> Set<ItemID> {
    var work =
      tree.modules.first?.items.filter { item in
        if case .definition(let definition) = tree[item] { definition.isOutput } else { false }
      } ?? []
    for case .output(let list) in (tree.modules.first?.items ?? []).map({ tree[$0] }) {
      for name in list {
        if case .binder(let pattern)? = names.scopes[0].values[name.text]?.reference {
          work += names.definitionOfBinder[pattern].map { [$0] } ?? []
        }
      }
    }
    var needed: Set<ItemID> = []
    while let item = work.popLast() {
      if needed.insert(item).inserted { work += names.dependencies[item] ?? [] }
    }
    return needed
  }
}

extension Diagnostic {
  /// Adds that a type was decided elsewhere, for good.
  fileprivate func adding(_ fact: SharedFact) -> Diagnostic {
    var new = self
    new.labels.append(Label(fact.decider, "this use made `\(fact.name)` \(fact.type)"))
    new.notes.append(
      "`\(fact.name)` acts on the world: it is performed once, so what it brings has one type in the whole program.")
    new.helps.append(
      Help("give it one type, or write a second definition, which is performed as well"))
    return new
  }

  func explained(by causes: [Span: SharedFact]) -> Diagnostic { causes[span].map(adding) ?? self }
}
