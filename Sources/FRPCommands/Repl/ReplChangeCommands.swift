// Commands that change the definitions, and that keep them in files.

import FRP
import FRPBase
import FRPSyntax
import Glibc

extension ReplSession {
  func undo() {
    guard let state = done.popLast() else { return show("there is nothing to undo") }
    undone.append(ReplState(items: current.items, log: log, title: state.title))
    restore(state)
    show("\(state.title) undone")
  }

  func redo() {
    guard let state = undone.popLast() else { return show("there is nothing to redo") }
    done.append(ReplState(items: current.items, log: log, title: state.title))
    restore(state)
    show("\(state.title) is back")
  }

  private func restore(_ state: ReplState) {
    log = state.log
    current = ReplProgram(items: state.items)
    rebuild(until: clock.now)
  }

  func forget(_ name: String) {
    guard current.items.contains(where: { $0.names.contains(name) }) else {
      return fail("nothing is called \(name)")
    }
    let next = ReplProgram(items: current.items.filter { !$0.names.contains(name) })
    if !next.errors.isEmpty {
      let users = current.dependents(of: name)
      return fail("\(name) is needed by \(users.joined(separator: ", ")): forget those first")
    }
    accept(next, title: name)
    show("\(name) forgotten")
  }

  /// Renames by whole words; the program must still check.
  func rename(_ text: String) {
    var words = ReplWords(text)
    let old = words.next()
    let new = words.next()
    guard !old.isEmpty, !new.isEmpty else { return fail("Write :rename OLD NEW") }
    let items = current.items.map { item in
      ReplItem(
        names: item.names.map { $0 == old ? new : $0 }, text: replaced(old, by: new, in: item.text),
        isInput: item.isInput)
    }
    let next = ReplProgram(items: items)
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    log = log.map { event in
      ReplEvent(time: event.time, values: event.values.map { ($0.name == old ? new : $0.name, $0.json) })
    }
    accept(next, title: "\(old) to \(new)")
    show(describe(new))
  }

  private func replaced(_ old: String, by new: String, in text: String) -> String {
    var result = ""
    var word = ""
    for character in text + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        result += (word == old ? new : word)
        word = ""
        result.append(character)
      }
    }
    return String(result.dropLast())
  }

  /// Opens a definition (or nothing yet) in `$EDITOR`, and takes what was written.
  func edit(_ name: String) {
    let editor = console.environment("VISUAL") ?? console.environment("EDITOR") ?? "vi"
    var path = Array("/tmp/frp-edit-XXXXXX.frp".utf8CString)
    let file = mkstemps(&path, 4)
    if file < 0 { return fail("no file to edit could be made") }
    close(file)
    let name = current.items.first { $0.names.contains(name) }?.text ?? ""
    let plain = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(plain) }
    guard writeFile(plain, name + "\n") else { return fail("\(plain) cannot be written") }
    if runEditor(editor, plain) != 0 { return fail("\(editor) ended with an error; nothing was taken") }
    guard let bytes = readFile(plain) else { return }
    let text = trimmed(String(decoding: bytes, as: UTF8.self))
    if !text.isEmpty, text != name { enter(text) }
  }

  private func runEditor(_ editor: String, _ path: String) -> Int32 {
    var child = pid_t()
    let words = ["sh", "-c", "\(editor) \"$0\"", path]
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    if posix_spawnp(&child, "sh", nil, nil, arguments, environ) != 0 { return -1 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }

  // MARK: Files

  func load(_ path: String) {
    guard let bytes = readFile(path) else { return fail("\(path) cannot be read") }
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: path, bytes: bytes))
    var tree = Tree()
    let parsed = Parser.parse(file, name: path, in: sources, into: &tree)
    if parsed.1.contains(where: { $0.severity == .error }) {
      return fail(renderText(parsed.1, sources: sources).trimmingLines())
    }
    var items = current.items.filter { $0.names != ["it"] }
    for id in tree.modules.last?.items ?? [] {
      let item = item(id, tree, sources)
      if item.names.isEmpty { continue }
      items.removeAll { !Set($0.names).isDisjoint(with: item.names) }
      items.append(item)
    }
    let next = ReplProgram(items: items)
    if !next.errors.isEmpty { return fail(render(next.errors, next.program.sources)) }
    if !files.contains(path) { files.append(path) }
    accept(next, title: path)
    show("\(path): \(items.count) definitions")
  }

  func reload() {
    if files.isEmpty { return fail("nothing was loaded yet") }
    for path in files { load(path) }
  }

  /// Writes the definitions that are alive, formatted.
  func save(_ path: String) {
    if path.isEmpty { return fail("Write :save FILE") }
    let items = current.items.filter { $0.names != ["it"] }
    let observed = Set(current.names.filter { !$0.isInput && ($0.kind == .behavior || $0.kind == .event) }.map(\.name))
    let texts = items.map { item in
      item.names.count == 1 && observed.contains(item.names[0]) ? "output " + item.text : item.text
    }
    let text = texts.joined(separator: "\n") + "\n"
    var sources = SourceMap()
    let file = sources.add(SourceFile(name: path, text: text))
    let formatted = Printer.format(file, in: sources).text ?? text
    show(writeFile(path, formatted) ? "\(path): \(items.count) definitions" : "\(path) cannot be written")
  }
}
