// What the command line understands, as data. The parser, the help, and the tests read these tables; nothing else
// knows a flag's name twice.

import FRP
import FRPWorld

/// One flag. A flag of one name has one meaning, and takes a value or not, in every command (a test checks it).
struct FlagSpecification: Sendable {
  let name: String
  /// One letter, for the frequent ones.
  var short: Character?
  /// What the value is called in the help (`DURATION`); nil for a switch.
  var value: String?
  /// What a switch may be given behind `=`.
  var optionalValue: String?
  /// The only values allowed, where they are few.
  var choices: [String] = []
  /// The numbers allowed, where it is a number.
  var range: ClosedRange<Int>?
  var summary: String
  /// Whether it may be given several times.
  var repeats = false

  /// A flag with a value.
  init(
    _ name: String, short: Character? = nil, _ value: String, choices: [String] = [], range: ClosedRange<Int>? = nil,
    repeats: Bool = false, _ summary: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.choices = choices
    self.range = range
    self.repeats = repeats
    self.summary = summary
  }

  /// A switch, which may have a value behind `=`.
  init(_ name: String, short: Character? = nil, optional value: String? = nil, _ summary: String) {
    self.name = name
    self.short = short
    optionalValue = value
    self.summary = summary
  }

  /// The value as the help shows it behind the name.
  var valueText: String {
    if let optionalValue { return "[=\(optionalValue)]" }
    return (choices.isEmpty ? value : choices.joined(separator: "|")).map { " " + $0 } ?? ""
  }
}

/// How many operands (words that are no flags) a command takes.
enum Operands: Sendable {
  case none
  case optional(String)
  case one(String)
  case two(String, String)
  case any(String)
  case some(String)

  var usage: String {
    switch self {
    case .none: ""
    case .optional(let name): " [\(name)]"
    case .one(let name): " \(name)"
    case .two(let first, let second): " \(first) \(second)"
    case .any(let name): " [\(name)...]"
    case .some(let name): " \(name)..."
    }
  }

  func accepts(_ count: Int) -> Bool {
    switch self {
    case .none: count == 0
    case .optional: count <= 1
    case .one: count == 1
    case .two: count == 2
    case .any: true
    case .some: count >= 1
    }
  }
}

/// A command line worth copying, and what it does.
struct UsageExample: Sendable {
  let line: String
  let meaning: String
  init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

struct CommandSpecification: Sendable {
  let name: String
  let summary: String
  let operands: Operands
  let flags: [FlagSpecification]
  let examples: [UsageExample]
  /// More to say below the flags; paragraphs.
  var remarks: [String] = []
  let run: @Sendable (Invocation, Console) -> ExitCode

  /// The flags of this command, and those that every command takes.
  var allFlags: [FlagSpecification] { flags + CommandTable.globalFlags }

  func flag(_ name: String) -> FlagSpecification? { allFlags.first { $0.name == name } }
}

/// What a command is given: operands and the values of flags, already checked against the table.
struct Invocation: Sendable {
  var command: String
  var operands: [String]
  var flags: [String: [String]]
  /// What the executable runs, if it was built from a program; it stands for the file that the operand names.
  var built: BuiltProgram?
  /// What a host adds to every program of this command line.
  var host: [HostModule] = []
  /// What the programs of this command line can reach outside of themselves; nil for nothing, not even by name.
  var world: World?
  /// Whether the process is this command's alone, so that it may be confined for good.
  var isProcess = false
  /// What `--limit` says.
  var limits = GrantedLimits()

  /// What the programs of this command line are compiled with.
  var surroundings: Surroundings {
    Surroundings(
      modules: built?.modules ?? .onDisk(allowing: values("--allow-import")), host: host, world: world,
      limits: limits.check)
  }

  /// The flags as they would be given again, in the order of the command's table; a text that is run is none.
  var givenFlags: [String] {
    let known = CommandTable.commands.first { $0.name == command }?.allFlags ?? []
    return known.filter { $0.name != "--eval" }.flatMap { flag in
      values(flag.name).flatMap { value in
        if flag.value == nil { return [value.isEmpty ? flag.name : "\(flag.name)=\(value)"] }
        return flag.name.hasPrefix("--allow-") ? ["\(flag.name)=\(value)"] : [flag.name, value]
      }
    }
  }

  func has(_ flag: String) -> Bool { flags[flag] != nil }
  /// The last value given.
  func value(_ flag: String) -> String? { flags[flag]?.last }
  func values(_ flag: String) -> [String] { flags[flag] ?? [] }
}

/// What the process says by its exit code; `frp help exit-codes` explains them to people.
package enum ExitCode: Int32, Error, Comparable {
  case success = 0
  /// The program has errors, a test failed, a file is not formatted, a journal is damaged.
  case programHasErrors = 1
  case wrongUsage = 2
  /// A fault or an exhausted limit while running, an input of which no line fits, an output that cannot be written.
  case fault = 3
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// Whether a signal has ended the run.
  var isSignal: Bool { rawValue > 128 }

  package static func < (a: ExitCode, b: ExitCode) -> Bool { a.rawValue < b.rawValue }
}
