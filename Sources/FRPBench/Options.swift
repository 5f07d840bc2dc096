// The bench's command line.

/// What was asked for.
struct Options {
  enum Mode {
    /// Time the workloads.
    case table
    /// Run one workload's events without timing, for a profiler.
    case run(String, Int)
    /// Under callgrind: run the blocks that are counted.
    case blocks
    /// Count instructions, and compare them with a file, or take them into it with a message.
    case instructions(baseline: String?, accept: String?)
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
           FRPBench --instructions [--only W1,W3] [--baseline FILE [--accept MESSAGE]]
                                                instructions an event, by callgrind; held against a file's

    """

  init(_ words: [String]) throws(BenchFailure) {
    var words = words[...]
    func next(_ flag: String) throws(BenchFailure) -> String {
      guard let word = words.popFirst() else { throw BenchFailure(message: "\(flag) needs a value\n" + Options.usage) }
      return word
    }
    var run: String?
    var events = 0
    var isCounting = false
    var baseline: String?
    var accept: String?
    while let word = words.popFirst() {
      switch word {
      case "--only": only = try next(word).split(separator: ",").map(String.init)
      case "--quick": isQuick = true
      case "--json": json = try next(word)
      case "--markdown": markdown = try next(word)
      case "--run": run = try next(word)
      case "--events": events = Int(try next(word)) ?? 0
      case "--blocks":
        only = try next(word).split(separator: ",").map(String.init)
        mode = .blocks
      case "--instructions": isCounting = true
      case "--baseline": baseline = try next(word)
      case "--accept": accept = try next(word)
      default: throw BenchFailure(message: "unknown: \(word)\n" + Options.usage)
      }
    }
    if let run { mode = .run(run, events) }
    if isCounting { mode = .instructions(baseline: baseline, accept: accept) }
  }
}
