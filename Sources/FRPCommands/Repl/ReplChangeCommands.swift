// Commands that change the definitions, and that keep them in files.

import FRP
import FRPBase
import FRPSyntax
import Glibc

extension ReplSession {
  func forget(_ name: String) {
    guard current.items.contains(where: { $0.names.contains(name) }) else {
      if pending.contains(where: { $0.item.names.contains(name) }) {
        pending.removeAll { $0.item.names.contains(name) }
        return show("\(name) forgotten")
      }
      return fail(unknownName(name))
    }
    let next = program(of: current.items.filter { !$0.names.contains(name) })
    if !next.errors.isEmpty {
      if next.isStopped { return fail(render(next.errors, next.program.sources)) }
      let users = itemsWithErrors(next).flatMap(\.names)
      return fail("\(name) is needed by \(users.joined(separator: ", ")): forget those first")
    }
    if accept(next, title: name) == nil { return }
    show("\(name) forgotten")
  }

  /// Renames where the name is used or bound; the program must still check.
  func rename(_ text: String) {
    var words = ReplWords(text)
    let old = words.next()
    let new = words.next()
    guard !old.isEmpty, !new.isEmpty else { return fail("Write :rename OLD NEW") }
    let rest = trimmed(words.rest)
    if !rest.isEmpty { return fail(Self.tooMuch(rest, behind: ":rename \(old) \(new)")) }
    guard current.items.contains(where: { $0.names.contains(old) }) else { return fail(unknownName(old)) }
    if let base = restored?.program, let known = base.name(old), !known.isInput || known.kind == .behavior,
      !base.program.isMemoryless(old)
    {
      return fail("\(old) keeps its name: its state came with :restore, which knows it by that")
    }
    guard let first = new.first, first.isLetter || first == "_",
      new.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return fail("\(new) is no name: letters, digits and _ make one, and a letter begins it") }
    if current.items.contains(where: { $0.names.contains(new) }) { return fail("\(new) is taken   (:info \(new))") }
    let items = renamed(current.items, old, new)
    let next = compiled(items)
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    if accept(next, title: "\(old) to \(new)") == nil { return }
    // The past knows it by the new name, so that its state goes on.
    for index in log.indices {
      log[index].values = log[index].values.map { ($0.name == old ? new : $0.name, $0.json) }
      log[index].items = log[index].items.map { renamed($0, old, new) }
    }
    checkpoints = []
    rebuild(until: clock.now)
    show(describe(new))
  }

  private func renamed(_ items: [ReplItem], _ old: String, _ new: String) -> [ReplItem] {
    items.map { item in
      ReplItem(
        names: item.names.map { $0 == old ? new : $0 }, text: ReplNames.replace(old, by: new, in: item.text),
        isInput: item.isInput, folder: item.folder, comments: item.comments)
    }
  }

  /// Opens a definition (or nothing yet) in `$EDITOR`, and takes what was written.
  func edit(_ name: String) {
    let old = current.items.first { $0.names.contains(name) }?.text ?? ""
    if !name.isEmpty, old.isEmpty { return fail(unknownName(name)) }
    guard let text = edited(old) else { return }
    if !text.isEmpty, text != old { enter(text) }
  }

  /// ^X ^E: what was being typed comes back from the editor into the entry.
  func editEntry(_ text: String) { source.prefill(edited(text) ?? text) }

  /// What somebody makes of a text in `$EDITOR`; nil after saying why nothing. Meanwhile the program's time stands still.
  private func edited(_ old: String) -> String? {
    guard source.isInteractive else {
      fail("an editor needs a terminal")
      return nil
    }
    let editor = console.environment("VISUAL") ?? console.environment("EDITOR") ?? "vi"
    var path = Array("\(console.environment("TMPDIR") ?? "/tmp")/frp-edit-XXXXXX.frp".utf8CString)
    let file = mkstemps(&path, 4)
    if file < 0 {
      fail("no file to edit could be made")
      return nil
    }
    close(file)
    let plain = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(plain) }
    guard writeFile(plain, old + "\n") else {
      fail("\(plain) cannot be written")
      return nil
    }
    // The editor has the whole screen.
    let status = lendingTerminal(rows: true) { Self.run(["sh", "-c", "\(editor) \"$0\"", plain]) }
    if status != 0 {
      fail("\(editor) ended with an error; nothing was taken")
      return nil
    }
    return Source.bytes(plain).map { trimmed(String(decoding: $0, as: UTF8.self)) }
  }

  // MARK: Files

  /// Takes the definitions of a file: as the program that the session `begins` with, or into the one that runs.
  func load(_ path: String, begins: Bool = false) {
    guard let bytes = contents(of: path) else { return }
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: path, bytes: bytes))
    var tree = Tree()
    let parsed = Parser.parse(file, name: path, in: sources, into: &tree)
    if parsed.1.contains(where: { $0.severity == .error }) {
      return fail(renderText(parsed.1, sources: sources).trimmingLines())
    }
    let all = (tree.modules.last?.items ?? []).map { (id: $0, item: item($0, tree, sources)) }
    let placed = all.filter { !$0.item.names.isEmpty }
    let loaded = withComments(placed, tree, sources).map { item in
      var item = item
      if item.folder != nil { item.folder = ReplModules.folder(of: path) }
      return item
    }
    let names = Set(loaded.flatMap(\.names))
    let count = loaded.count
    let kept = current.items.filter { $0.names != ["it"] && names.isDisjoint(with: $0.names) }
    let next = compiled(kept + loaded, modules: ReplModules())
    if !next.errors.isEmpty {
      if next.isOfModules {
        // Where these are is told from the folder that the session is in.
        let whole = surroundings.compile(Source(name: path, bytes: bytes))
        if whole.hasErrors { return fail(renderText(whole.diagnostics, sources: whole.sources).trimmingLines()) }
      }
      let places = zip(placed, loaded).map { place, item in
        let written = sources.text(tree.span(place.id))
        return (item: item, start: Int(tree.span(place.id).start) + written.utf8.count - item.text.utf8.count)
      }
      return fail(render(next.errors, next, of: sources.files[Int(file.raw)], places))
    }
    if !files.contains(path) { files.append(path) }
    if begins { _ = begin(with: next, title: path) } else { accept(next, title: path) }
    for case (let id, .test(let name, _)) in (tree.modules.last?.items ?? []).map({ ($0, tree[$0]) }) {
      keep(test: name, textOfTest(id, tree, sources))
    }
    show("\(path): \(count) definition\(count == 1 ? "" : "s")")
    tellWhatIsMissing()
  }

  func reload() {
    if files.isEmpty { return reloadModules() }
    for path in files { load(path) }
  }

  /// Reads again what was imported by entries alone.
  private func reloadModules() {
    let imports = current.items.filter { $0.folder != nil }.flatMap(\.names)
    if imports.isEmpty { return fail("nothing was loaded yet") }
    let next = compiled(current.items, modules: ReplModules())
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    let title = imports.joined(separator: ", ")
    if accept(next, title: title) != nil { show("\(title) read again") }
  }

  /// `FILE`, or `test FILE`.
  func saveWhat(_ text: String) {
    var words = ReplWords(text)
    if words.peek == "test" {
      _ = words.next()
      return saveTest(trimmed(words.rest))
    }
    save(text)
  }

  /// Writes the definitions that are alive, formatted.
  func save(_ path: String) {
    if path.isEmpty { return fail("Write :save FILE") }
    if !writeFile(path, programText(with: tests.map(\.text))) { return fail("\(path) cannot be written") }
    let kept = tests.isEmpty ? "" : ", \(tests.count) test\(tests.count == 1 ? "" : "s")"
    show("\(path): \(current.size)\(kept)")
  }

  /// The definitions so that each comes after what it uses, otherwise as they were made; what goes in a circle stays.
  private func inOrderOfUse(_ items: [ReplItem]) -> [ReplItem] {
    var place: [String: Int] = [:]
    for (index, item) in items.enumerated() { for name in item.names { place[name] = index } }
    var needs = [Set<Int>](repeating: [], count: items.count)
    for (used, users) in current.users {
      guard let from = place[used] else { continue }
      for user in users { if let to = place[user], to != from { needs[to].insert(from) } }
    }
    var state = [Int](repeating: 0, count: items.count)
    var order: [Int] = []
    for root in items.indices where state[root] == 0 {
      // Depth first, without recursion: what an entry needs, then the entry itself.
      var path = [(index: root, rest: needs[root].sorted())]
      state[root] = 1
      while var top = path.popLast() {
        guard let next = top.rest.first else {
          order.append(top.index)
          continue
        }
        top.rest.removeFirst()
        path.append(top)
        if state[next] != 0 { continue }
        state[next] = 1
        path.append((next, needs[next].sorted()))
      }
    }
    return order.map { items[$0] }
  }

  /// The definitions as a program that shows all of them.
  func programText(with tests: [String] = []) -> String {
    let declared = current.items.filter { $0.names != ["it"] }
    // Types, aliases and imports have no values that could use anything.
    let isType = { (item: ReplItem) in item.names.allSatisfy { self.current.name($0) == nil } }
    let items = declared.filter(isType) + inOrderOfUse(declared.filter { !isType($0) })
    let observed = Set(current.names.filter { !$0.isInput && ($0.kind == .behavior || $0.kind == .event) }.map(\.name))
    let texts = items.map { item in
      if item.hasSink { return item.whole() }
      if item.names.count == 1, observed.contains(item.names[0]) { return item.whole("output ") }
      // What a pattern binds is shown by its names.
      return ([item.whole()] + item.names.filter(observed.contains).map { "output \($0)" }).joined(separator: "\n")
    }
    let text = (texts + tests.map { "\n" + $0 }).joined(separator: "\n") + "\n"
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: "session", text: text))
    return Printer.format(file, in: sources).text ?? text
  }
}
