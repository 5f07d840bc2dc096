// The bench's command line.

/// What was asked for.
struct Options {
  enum Mode {
    /// Time the workloads.
    case table
    /// Run one workload's events without timing, for a profiler.
    case run(String, Int)
  }

  var mode = Mode.table
  var only: [String] = []
  var isQuick = false
  var json: String?
  var markdown: String?

  static let usage = """
    usage: FRPBench [--only W1,W3] [--quick] [--json FILE] [--markdown FILE]
           FRPBench --run NAME [--events N]     one workload's events without timing; under
                                                valgrind --tool=callgrind --instr-atstart=no only they are counted

    """

  init(_ words: [String]) throws(BenchFailure) {
    var words = words[...]
    func next(_ flag: String) throws(BenchFailure) -> String {
      guard let word = words.popFirst() else { throw BenchFailure(message: "\(flag) needs a value\n" + Options.usage) }
      return word
    }
    var run: String?
    var events = 0
    while let word = words.popFirst() {
      switch word {
      case "--only": only = try next(word).split(separator: ",").map(String.init)
      case "--quick": isQuick = true
      case "--json": json = try next(word)
      case "--markdown": markdown = try next(word)
      case "--run": run = try next(word)
      case "--events": events = Int(try next(word)) ?? 0
      default: throw BenchFailure(message: "unknown: \(word)\n" + Options.usage)
      }
    }
    if let run { mode = .run(run, events) }
  }
}
