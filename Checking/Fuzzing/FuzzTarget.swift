// What is fuzzed: each target takes any bytes at all and says what is wrong with what became of them. That nothing traps,
// hangs, or takes more memory than it may, is what the fuzzer itself watches.
//
// The same targets run over Tests/Corpus/fuzz in the tests, so that what was found once stays found.

/// Something that reads bytes from outside.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Text -> lexer, parser, printer: what is printed reads as the same tree, and is printed the same.
  case syntax
  /// A program, a line `---`, and a trace -> checked, run under limits; where nothing met a limit, engine against model.
  case program
  /// Choices of the program generator -> engine against model.
  case meaning
  /// Choices of a generator of short programs that ask for much work -> checked soon, and in little memory.
  case growth
  /// A type and a JSON text -> what is read is written, and read as the same.
  case json
  /// A type and a CSV text -> the same.
  case csv
  /// Lines of a trace -> a program with all kinds of inputs and operators.
  case trace
  /// Lines on standard input, as JSON or CSV -> the command line.
  case ports
  /// Patterns and texts -> everything that takes texts apart.
  case text
  /// Bytes as a snapshot -> refused, or taken.
  case snapshot
  /// Lines typed at the prompt.
  case prompt
  /// A sequence of calls of the C library.
  case calls
  /// What a client sends to a server, in any pieces -> the same requests, or the same refusal.
  case request
  /// Frames of a WebSocket, from either side, in any pieces.
  case frames
  /// A body as lines, and as events of a server, in any pieces.
  case stream
}

extension FuzzTarget {
  /// What is wrong with what became of the bytes; nil if nothing is. Needs a large stack.
  package func problem(_ bytes: [UInt8]) -> String? {
    switch self {
    case .syntax: SyntaxFuzz.problem(bytes)
    case .program: ProgramFuzz.problem(bytes)
    case .meaning: ProgramFuzz.generated(bytes)
    case .growth: ProgramFuzz.growth(bytes)
    case .json: CodecFuzz.json(bytes)
    case .csv: CodecFuzz.csv(bytes)
    case .trace: TraceFuzz.problem(bytes)
    case .ports: CommandFuzz.ports(bytes)
    case .text: TraceFuzz.text(bytes)
    case .snapshot: SnapshotFuzz.problem(bytes)
    case .prompt: CommandFuzz.prompt(bytes)
    case .calls: CallsFuzz.problem(bytes)
    case .request: NetworkFuzz.request(bytes)
    case .frames: NetworkFuzz.frames(bytes)
    case .stream: NetworkFuzz.stream(bytes)
    }
  }
}
