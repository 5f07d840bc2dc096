// Definitions that mention what is not there yet: they wait, and are tried again whenever something is defined.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax

/// A definition that waits for names of values, types or constructors.
struct ReplPending {
  var item: ReplItem
  var missing: [String]
}

extension ReplSession {
  /// Takes the definitions of one entry together, if the program checks with them; says what became of them. Those
  /// that wait for these names are tried with them, and those that wait for those.
  func define(_ items: [ReplItem]) {
    let items = spelledOut(items.filter { !$0.names.isEmpty })
    if items.isEmpty { return }
    let all = thoseWaiting(for: items)
    var waiting = all
    let whole = program(with: items + waiting)
    var next = whole
    while !next.errors.isEmpty, !waiting.isEmpty, !next.isStopped {
      // What lacks something else still waits.
      let broken = itemsWithErrors(next)
      let rest = waiting.filter { !broken.contains($0) }
      waiting = rest.count < waiting.count ? rest : []
      next = program(with: items + waiting)
    }
    if next.errors.isEmpty {
      take(items + waiting, next)
      if items.allSatisfy(current.items.contains) { tellMisfits(all.filter { !waiting.contains($0) }, whole) }
      return
    }
    if !all.isEmpty, !next.isStopped, refuseCircle(items, whole) { return }
    let names = Set(items.flatMap(\.names))
    let isNew = current.items.allSatisfy { names.isDisjoint(with: $0.names) }
    let missing = next.errors.map { missingName($0, next) }
    guard isNew, !next.isStopped, missing.allSatisfy({ $0 != nil }) else { return refuse(items, next) }
    wait(items, for: Set(missing.compactMap(\.self)).sorted(), next)
  }

  /// Says what is wrong where definitions would close a circle with those that wait: they would wait for ever.
  private func refuseCircle(_ items: [ReplItem], _ whole: ReplProgram) -> Bool {
    let circles = whole.errors.filter(isCircle)
    if circles.isEmpty { return false }
    fail(render(circles, whole.program.sources))
    for hint in items.flatMap({ hintsOfNames($0.text) }) { show(wrappedToFit(hint)) }
    return true
  }

  private func isCircle(_ error: Diagnostic) -> Bool {
    [.circularDefinition, .circularEvents, .circularStructure].contains(error.code)
  }

  /// Says why definitions still wait although what they waited for is there.
  private func tellMisfits(_ waiting: [ReplItem], _ whole: ReplProgram) {
    let errors = whole.errors.filter { missingName($0, whole) == nil }
    let wrong = itemsWithErrors(whole)
    // Who is in a circle is not to blame for it alone.
    let names = waiting.filter { errors.contains(where: isCircle) || wrong.contains($0) }.flatMap(\.names)
    guard !errors.isEmpty, let first = names.first else { return }
    let wait = names.count == 1 ? "waits" : "wait"
    show("\(names.joined(separator: ", ")) cannot be taken, and still \(wait)   (:forget \(first) drops it)")
    show(render(errors, whole.program.sources))
  }

  private func wait(_ items: [ReplItem], for missing: [String], _ next: ReplProgram) {
    pending.removeAll { !Set(items.flatMap(\.names)).isDisjoint(with: $0.item.names) }
    for item in items { pending.append(ReplPending(item: item, missing: missing)) }
    let title = items.flatMap(\.names).joined(separator: ", ")
    let similar = missing.flatMap { name in
      let said = next.errors.first { missingName($0, next) == name }.map { advice($0, on: name) } ?? []
      return said.isEmpty ? near(name).map { ["did you mean \($0)?"] } ?? [] : said
    }
    let drop = "   (:forget \(items[0].names[0]) drops it)"
    let hint = similar.isEmpty ? "" : "\n  " + similar.joined(separator: " ") + drop
    show("\(title) is pending: it waits for \(missing.joined(separator: ", "))" + hint)
  }

  /// What an error says that a name may mean.
  private func advice(_ error: Diagnostic, on name: String) -> [String] {
    let helps = error.helps.map { help in
      guard let code = help.code, !help.text.contains("`\(code)`") else { return help.text }
      return help.text == "did you mean" ? "did you mean \(code)?" : "\(help.text): \(code)"
    }
    // Of types and constructors notes say how they are declared, and who waits for one is about to.
    return (name.first?.isUppercase == true ? [] : error.notes) + helps
  }

  /// What is there and is written much like a name.
  private func near(_ name: String) -> String? {
    let isUpper = name.first?.isUppercase == true
    let own = isUpper ? current.items.flatMap(provided) : current.names.map(\.name)
    let built = isUpper ? builtinTypeNames : Builtins.documented.filter(\.isBare).map(\.name)
    return nearestNames(name, among: own.filter { $0 != "it" } + built).first
  }

  /// The name that an error says is missing; nil for other errors.
  private func missingName(_ error: Diagnostic, _ program: ReplProgram) -> String? {
    guard [DiagnosticCode.unknownName, .unknownType].contains(error.code) else { return nil }
    let name = program.program.sources.text(error.span)
    let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    // A type can also be given too many arguments, and so on: it is there then.
    let isThere = builtinTypeNames.contains(name) || program.items.contains { provided($0).contains(name) }
    let isVariable = error.code == .unknownType && name.first?.isLowercase == true
    return isName && !isThere && !isVariable && !name.isEmpty ? name : nil
  }

  /// What waits for something of these definitions, or of others that wait for it.
  private func thoseWaiting(for items: [ReplItem]) -> [ReplItem] {
    let names = Set(items.flatMap(\.names))
    var there = Set(items.flatMap(provided))
    var found: [ReplItem] = []
    var rest = pending.filter { names.isDisjoint(with: $0.item.names) }
    while let index = rest.firstIndex(where: { !there.isDisjoint(with: $0.missing) }) {
      let item = rest.remove(at: index).item
      if found.contains(item) { continue }
      found.append(item)
      there.formUnion(provided(item))
    }
    return found
  }

  /// The names that a definition gives: for a type also its constructors.
  private func provided(_ item: ReplItem) -> [String] {
    guard item.text.hasPrefix("type") else { return item.names }
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "prompt", text: item.text))
    var tree = Tree()
    _ = Parser.parse(file, name: "prompt", in: sources, into: &tree)
    return item.names
      + tree.items.flatMap { declared -> [String] in
        if case .type(_, _, let constructors) = declared { constructors.map(\.name.text) } else { [] }
      }
  }
}
