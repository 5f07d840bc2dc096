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
    guard !text.isEmpty, let copy = copy(with: text, until: clock.now), let value = try? copy.value(of: "it"),
      (try? simulation?.canonical(value, of: name)) != nil
    else { return nil }
    return value
  }

  /// What is wrong with a value that does not fit.
  func misfit(_ text: String, _ name: String, _ command: String) -> String {
    let type = current.program.inputs.first { $0.name == name }?.type ?? ""
    if type == "()" { return "\(name) carries no value: write  :\(command) \(name)" }
    let example = ":\(command) \(name) \(Self.example(of: type))"
    if text.isEmpty { return "\(name) needs a value of type \(type): write  \(example)" }
    return "\(name) needs a value of type \(type), and \(text) is none   (for example  \(example))"
  }

  private static func example(of type: String) -> String {
    switch type {
    case "Int": "3"
    case "Float": "1.5"
    case "Bool": "true"
    case "String": "hello"
    case let list where list.hasPrefix("List<"): "[" + example(of: String(list.dropFirst(5).dropLast())) + "]"
    case let option where option.hasPrefix("Option<"):
      "Some(" + example(of: String(option.dropFirst(7).dropLast())) + ")"
    case let tuple where tuple.hasPrefix("("): tuple
    default: "VALUE"
    }
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
    guard let bytes = readFile(path) else {
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
    "i": "info", "browse": "list", "delete": "forget", "del": "forget", "rm": "forget", "remove": "forget",
    "trace": "why", "stop": "pause", "continue": "resume", "go": "resume", "send": "push", "fire": "push",
    "emit": "push",
    "use": "load", "kind": "type", "step-in": "step", "rewind": "back", "draw": "plot", "show": "list", "write": "save",
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
      || Builtins.documented.contains { $0.name == topic }
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
