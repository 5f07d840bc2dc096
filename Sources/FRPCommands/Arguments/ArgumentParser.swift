// Words of the command line -> a command and its invocation, or a usage problem.
//
// Flags may stand before or after the command and between operands. `--` ends flags. `-` is an operand (standard
// input). `--flag value` and `--flag=value` are the same; short switches may be joined (`-qe`). Without a command, a
// file is run.

import FRPBase

/// What is wrong with the words, for a person, and the command whose usage helps.
struct UsageProblem: Error, Equatable {
  var message: String
  var command: String?
  var suggestion: String?
}

/// What the words ask for.
enum Request {
  case command(CommandSpecification, Invocation)
  case help(CommandSpecification?)
  case version
  /// Nothing at all was asked for.
  case nothing(Invocation)
}

struct ArgumentParser {
  private let commands: [CommandSpecification]
  private var operands: [String] = []
  /// In the order given.
  private var flags: [(name: String, value: String)] = []
  private var known: [String: FlagSpecification] = [:]
  private var shorts: [Character: FlagSpecification] = [:]

  init(_ commands: [CommandSpecification]) {
    self.commands = commands
    for flag in commands.flatMap(\.allFlags) {
      known[flag.name] = flag
      if let short = flag.short { shorts[short] = flag }
    }
  }

  static func parse(
    _ words: [String], commands: [CommandSpecification] = CommandTable.commands
  ) throws(UsageProblem) -> Request {
    var parser = ArgumentParser(commands)
    try parser.split(words)
    return try parser.request()
  }

  // MARK: Words to flags and operands

  private mutating func split(_ words: [String]) throws(UsageProblem) {
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" {
        operands += words[index...]
        return
      } else if word.hasPrefix("--") {
        try long(word, words, &index)
      } else if word.hasPrefix("-"), word.count > 1 {
        try short(word, words, &index)
      } else {
        operands.append(word)
      }
    }
  }

  private mutating func long(_ word: String, _ words: [String], _ index: inout Int) throws(UsageProblem) {
    let equals = word.firstIndex(of: "=")
    let name = equals.map { String(word[..<$0]) } ?? word
    guard let flag = known[name] else {
      throw UsageProblem(
        message: "there is no flag `\(name)`", command: guessedCommand, suggestion: nearestFlag(name, among: words))
    }
    if flag.value == nil {
      let value = equals.map { String(word[word.index(after: $0)...]) }
      if value != nil, flag.optionalValue == nil {
        throw UsageProblem(message: "`\(name)` takes no value", command: guessedCommand)
      }
      flags.append((flag.name, value ?? ""))
    } else if let equals {
      flags.append((flag.name, String(word[word.index(after: equals)...])))
    } else {
      try flags.append((flag.name, value(of: flag, words, &index)))
    }
  }

  private mutating func short(_ word: String, _ words: [String], _ index: inout Int) throws(UsageProblem) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let flag = shorts[letter] else {
        throw UsageProblem(message: "there is no flag `-\(letter)`", command: guessedCommand)
      }
      if flag.value == nil {
        flags.append((flag.name, ""))
      } else if rest.isEmpty {
        try flags.append((flag.name, value(of: flag, words, &index)))
      } else {
        flags.append((flag.name, String(rest)))
        return
      }
    }
  }

  private func value(
    of flag: FlagSpecification, _ words: [String], _ index: inout Int
  ) throws(UsageProblem) -> String {
    guard index < words.count else {
      throw UsageProblem(
        message: "`\(flag.name)` needs a value: `\(flag.name) \(flag.value ?? "")`", command: guessedCommand)
    }
    defer { index += 1 }
    return words[index]
  }

  /// A flag that may be meant: one that the command takes, whether it is named before or behind; of all, if none is.
  private func nearestFlag(_ name: String, among words: [String]) -> String? {
    let plain = operands + words.filter { !$0.hasPrefix("-") }
    let named = plain.compactMap { word in commands.first { $0.name == word } }
    let isEval = flags.contains { $0.name == "--eval" }
    let unnamed = isEval ? "eval" : plain.first.map(Self.looksLikeFile) == true ? "run" : nil
    let command = named.first { $0.name != "help" } ?? named.first ?? commands.first { $0.name == unnamed }
    return nearestNames(name, among: command?.allFlags.map(\.name) ?? known.keys.sorted()).first
  }

  private static func looksLikeFile(_ word: String) -> Bool {
    word == "-" || word.contains(".") || word.contains("/") || Files.exists(word)
  }

  /// The command that was named so far, for usage lines.
  private var guessedCommand: String? {
    operands.first.flatMap { name in commands.first { $0.name == name }?.name }
  }

  // MARK: Flags and operands to a request

  private func request() throws(UsageProblem) -> Request {
    let given = Set(flags.map(\.name))
    var operands = operands
    var command = operands.first.flatMap { name in commands.first { $0.name == name } }
    if command != nil { operands.removeFirst() }
    if given.contains("--version") { return .version }
    if given.contains("--help") {
      if command == nil, !operands.isEmpty { command = try implied(operands, given) }
      return .help(command)
    }
    if command == nil {
      command = try implied(operands, given)
      guard command != nil else {
        return .nothing(Invocation(command: "", operands: [], flags: try values(for: nil)))
      }
    }
    guard let command else { return .help(nil) }
    let invocation = Invocation(command: command.name, operands: operands, flags: try values(for: command))
    if given.contains("--eval"), let extra = operands.first {
      throw UsageProblem(
        message: "`-e` takes one TEXT, and there is no use for `\(extra)`: one with blanks stands in quotes",
        command: command.name)
    }
    try checkOperands(operands, of: command)
    return .command(command, invocation)
  }

  /// The command that is meant when none is named: `eval` for `-e`, `run` for a file.
  private func implied(_ operands: [String], _ given: Set<String>) throws(UsageProblem) -> CommandSpecification? {
    if given.contains("--eval") { return commands.first { $0.name == "eval" } }
    guard let first = operands.first else { return nil }
    if Self.looksLikeFile(first) {
      return commands.first { $0.name == "run" }
    }
    throw UsageProblem(
      message: "there is no command `\(first)`, and no file of that name",
      suggestion: Self.otherWords[first] ?? nearestNames(first, among: commands.map(\.name)).first)
  }

  /// What other tools call it.
  private static let otherWords = [
    "format": "fmt", "exec": "run", "start": "run", "go": "run", "build": "check", "compile": "check", "lint": "check",
    "typecheck": "check", "docs": "doc", "reference": "doc", "shell": "repl", "prompt": "repl", "console": "repl",
    "tests": "test", "manual": "man", "evaluate": "eval", "print": "eval", "error": "explain", "why": "explain",
  ]

  private func values(for command: CommandSpecification?) throws(UsageProblem) -> [String: [String]] {
    var result: [String: [String]] = [:]
    for (name, value) in flags {
      guard let flag = command.map({ $0.flag(name) }) ?? known[name] else {
        throw misplaced(name, in: command)
      }
      if !flag.choices.isEmpty, !flag.choices.contains(value) {
        let choices = flag.choices.map { "`\($0)`" }.joined(separator: ", ")
        throw UsageProblem(
          message: "`\(name)` is one of \(choices), not `\(value)`", command: command?.name,
          suggestion: nearestNames(value, among: flag.choices).first.map { "\(name) \($0)" })
      }
      if let range = flag.range, Int(value).map(range.contains) != true {
        throw UsageProblem(
          message: "`\(name)` is a number from \(range.lowerBound) to \(range.upperBound), not `\(value)`",
          command: command?.name)
      }
      if result[name] != nil, !flag.repeats, flag.value != nil {
        throw UsageProblem(message: "`\(name)` is given twice", command: command?.name)
      }
      result[name, default: []].append(value)
    }
    return result
  }

  private func misplaced(_ name: String, in command: CommandSpecification?) -> UsageProblem {
    let owners = commands.filter { $0.flag(name) != nil }.map { "`frp \($0.name)`" }
    return UsageProblem(
      message: "`\(name)` is a flag of \(owners.joined(separator: ", ")), not of `frp \(command?.name ?? "")`",
      command: command?.name)
  }

  private static func article(_ name: String) -> String { name.first.map("AEIOU".contains) == true ? "an" : "a" }

  private func checkOperands(_ operands: [String], of command: CommandSpecification) throws(UsageProblem) {
    if command.operands.accepts(operands.count) { return }
    switch command.operands {
    case .one(let name) where operands.isEmpty, .some(let name):
      throw UsageProblem(message: "`frp \(command.name)` needs \(Self.article(name)) \(name)", command: command.name)
    case .two(let first, let second) where operands.count < 2:
      let name = operands.isEmpty ? first : second
      throw UsageProblem(message: "`frp \(command.name)` needs \(Self.article(name)) \(name)", command: command.name)
    case .none, .one, .two, .optional, .any:
      let extra = operands.last ?? ""
      throw UsageProblem(message: "`frp \(command.name)` has no use for `\(extra)`", command: command.name)
    }
  }
}
