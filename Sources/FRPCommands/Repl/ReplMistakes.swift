// What the prompt says where an entry cannot be what was meant: names that are not there, commands without their colon,
// values that do not fit an input.

import FRP
import FRPBase
import FRPCore
import Glibc

extension ReplSession {
  /// `nothing is called nope; did you mean n?`
  func unknownName(_ name: String, among candidates: [String]? = nil) -> String {
    let known = current.names.map(\.name).filter { $0 != "it" }
    if let near = nearestNames(name, among: candidates ?? known).first {
      return "nothing is called \(name); did you mean \(near)?"
    }
    if let waiting = pending.first(where: { $0.item.names.contains(name) }) {
      return "\(name) is pending: it waits for \(waiting.missing.joined(separator: ", "))"
    }
    return "nothing is called \(name)" + (known.isEmpty ? "" : "   (:list shows what there is)")
  }

  /// Why a name cannot be pushed, set or fed.
  func noInput(_ name: String) -> String {
    let inputs = current.names.filter(\.isInput).map(\.name)
    let list = inputs.isEmpty ? "" : "; the inputs are \(inputs.joined(separator: ", "))"
    if current.name(name) != nil { return "\(name) is computed, and not an input\(list)" }
    if let near = nearestNames(name, among: inputs).first {
      return "there is no input called \(name); did you mean \(near)?"
    }
    return "there is no input called \(name)" + (list.isEmpty ? "; declare one:  input \(name): Event<Int>" : list)
  }

  // MARK: Values

  /// A value for an input, as JSON: JSON of its type, bare text for a String, or else an expression of the language.
  func inputJSON(_ text: String, _ name: String) -> String? {
    let json = text.isEmpty || text == "()" ? "null" : current.program.settingJSON(name, text)
    if (try? simulation?.canonical(json, of: name)) != nil { return json }
    guard !text.isEmpty, let copy = copy(with: text, until: clock.now),
      copy.program.outputs.contains(where: { $0.name == "it" && !$0.isEvent }),
      let value = ReplInterrupt.guarding(copy, { try? copy.value(of: "it") }),
      (try? simulation?.canonical(value, of: name)) != nil
    else { return nil }
    return value
  }

  /// What is wrong with a value that does not fit.
  func misfit(_ text: String, _ name: String, _ command: String) -> String {
    let type = current.program.inputs.first { $0.name == name }?.type ?? ""
    if type == "()" { return "\(name) carries no value: write  :\(command) \(name)" }
    let example = ":\(command) \(name) \(Self.example(of: type))"
    if let cases = cases(of: type) {
      return "\(name) needs a value of type \(type)" + (text.isEmpty ? "" : ", and \(text) is none")
        + ": it is one of  \(cases)"
    }
    if text.isEmpty { return "\(name) needs a value of type \(type): write  \(example)" }
    if current.name(text)?.kind == .event { return "\(text) is an event, and \(name) needs a value   (\(example))" }
    if let misused = ReplWords(text).misusedLength { return misused }
    if let last = text.split(separator: " ").last, text.contains(" "), last.first == "x",
      Int(last.dropFirst()) != nil || last == "x"
    {
      return "\(last) is no number of times: write  x3"
    }
    return "\(name) needs a value of type \(type), and \(text) is none   (for example  \(example))"
  }

  /// `Add(String) | Clear`, for a type that was declared so.
  private func cases(of type: String) -> String? {
    guard let item = current.items.first(where: { $0.names == [type] && $0.text.hasPrefix("type") }),
      let equal = item.text.firstIndex(of: "=")
    else { return nil }
    let text = item.text[item.text.index(after: equal)...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.count > 200 ? nil : text
  }

  private static func example(of type: String) -> String {
    switch type {
    case "Int": "3"
    case "Float": "1.5"
    case "Bool": "true"
    case "String": "hello"
    case let list where list.hasPrefix("List<"): "[\(inner(list.dropFirst(5).dropLast()))]"
    case let option where option.hasPrefix("Option<"): "Some(\(inner(option.dropFirst(7).dropLast())))"
    case let record where record.hasPrefix("{"):
      "{"
        + parts(record).map { part in
          let name = part.prefix { $0 != ":" }
          return "\(name): \(inner(part.dropFirst(name.count + 1)))"
        }.joined(separator: ", ") + "}"
    case let tuple where tuple.hasPrefix("("): "(" + parts(tuple).map { inner($0[...]) }.joined(separator: ", ") + ")"
    default: "VALUE"
    }
  }

  /// Inside of something else a text has its quotes.
  private static func inner(_ type: Substring) -> String {
    let type = trimmed(String(type))
    return type == "String" ? "\"hello\"" : example(of: type)
  }

  /// What commas divide in `{a: Int, b: (Int, Int)}` or a tuple.
  private static func parts(_ type: String) -> [String] {
    var depth = 0
    var parts = [""]
    for character in type.dropFirst().dropLast() {
      if "{<([".contains(character) { depth += 1 }
      if "}>)]".contains(character) { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts.map { trimmed($0) }.filter { !$0.isEmpty }
  }

  // MARK: Names that wait, or that mean something else

  /// After errors in an entry: names in it that are pending, and built-ins that seem to be meant otherwise.
  func hintsOfNames(_ text: String) -> [String] {
    var hints: [String] = []
    for name in mentioned(in: text) where current.name(name) == nil {
      if let waiting = pending.first(where: { $0.item.names.contains(name) }) {
        hints.append("\(name) is pending: it waits for \(waiting.missing.joined(separator: ", "))")
      } else if ReplNames.isPiped(name, in: text),
        Builtins.documented.contains(where: { $0.name == name && $0.isBare }),
        !["time", "start", "end", "never"].contains(name)
      {
        hints.append(
          "`\(name)` is a built-in function. If it is to be a definition of yours, enter that first; where both need "
            + "one another, enter them as one entry: Alt-Return opens another line.")
      }
    }
    return hints
  }

  // MARK: Files

  /// A file's bytes, or nil after saying why there are none.
  func contents(of path: String) -> [UInt8]? {
    var information = stat()
    if stat(path, &information) != 0 {
      let reason =
        errno == ENOENT ? "there is no file \(path)" : "\(path) cannot be read: \(String(cString: strerror(errno)))"
      let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
      let near = nearestNames(name, among: ReplCompletion.names(in: folder)).first
      fail(reason + (near.map { "; did you mean \($0)?" } ?? ""))
      return nil
    }
    if information.st_mode & S_IFMT == S_IFDIR {
      fail("\(path) is a folder")
      return nil
    }
    guard let bytes = Source.bytes(path) else {
      fail("\(path) cannot be read: \(String(cString: strerror(errno)))")
      return nil
    }
    return bytes
  }

  // MARK: Commands without their colon

  /// Other words for commands that people know from elsewhere.
  static let otherWords = [
    "exit": "quit", "bye": "quit", "q": "quit", "h": "help", "?": "help", "t": "type", "ls": "list", "dir": "list",
    "vars": "list", "cls": "clear", "man": "help", "cat": "source", "open": "load", "run": "load", "u": "undo",
    "i": "info", "delete": "forget", "del": "forget", "rm": "forget", "remove": "forget",
    "trace": "why", "stop": "pause", "continue": "resume", "go": "resume", "send": "push", "fire": "push",
    "emit": "push",
    "use": "load", "kind": "type", "step-in": "step", "rewind": "back", "draw": "plot", "print": "show",
    "write": "save", "game": "play", "key": "bind", "shell": "!", "sh": "!", "memory": "mem", "builtins": "browse",
  ]

  /// `clear` alone, or `load file.frp`: after an error in such an entry this says what may have been meant.
  func hintOfCommand(_ entry: String) -> String? {
    let word = String(entry.prefix { $0.isLetter || $0 == "-" })
    let rest = trimmed(String(entry.dropFirst(word.count)))
    if rest.first.map({ "=(|+-*/.".contains($0) }) == true, rest != "()" { return nil }
    guard current.name(word) == nil, !ReplSyntax.words.contains(word), let name = ReplCommand.named(exactly: word)
    else { return nil }
    return "commands begin with a colon:  :\(name)" + (rest.isEmpty || rest == "()" ? "" : " " + rest)
  }

  /// A line that was meant to go on with the one before, which Return has taken already.
  func hintOfContinuation(_ entry: String) -> String? {
    guard entry.hasPrefix("|>") else { return nil }
    return "to go on in another line: Alt-Return in place of Return, or `|>` at the end of the line before"
  }

  /// What leaves, or helps, without being a command.
  func isFarewell(_ entry: String) -> Bool {
    ["exit", "quit", "exit()", "quit()", "exit;", "quit;", ":q!", ":wq", ":x"].contains(entry)
      && current.name(entry) == nil
  }

  /// `?`, `help`, `help push`.
  func helpTopic(_ entry: String) -> String? {
    if ["?", "help", "help()", ":?"].contains(entry) { return current.name("help") == nil ? "" : nil }
    guard entry.hasPrefix("help ") || entry.hasPrefix("? ") || entry.hasPrefix("man "), current.name("help") == nil,
      !entry.contains("="), !entry.contains("(")
    else { return nil }
    let topic = trimmed(String(entry.drop { $0 != " " }))
    let isKnown =
      ReplCommand.named(exactly: topic) != nil || current.name(topic) != nil
      || Builtins.documented.contains { $0.name == topic } || surroundings.names.contains(topic)
    return isKnown ? topic : ""
  }
}

extension ReplCommand {
  /// The command of this name, or the one that another word means.
  static func named(exactly word: String) -> String? {
    all.contains { $0.name == word } ? word : ReplSession.otherWords[word]
  }

  /// Whether nothing can be done without something behind the name.
  var needsOperand: Bool { !usage.isEmpty && !usage.hasPrefix("[") }
}
