// The bench's command line.

import Glibc

/// What was asked for.
struct Options {
  enum Mode {
    /// Time the workloads.
    case table
    /// Run one workload's events without timing, for a profiler.
    case run(String, Int)
    /// Under callgrind: run the blocks that are counted.
    case blocks
    /// Under callgrind: run these rows of cost at a size and at ten times it.
    case rows(ClosedRange<Int>)
    /// Count the instructions of the rows of cost at two sizes, and see that none grows as the square.
    case growth
    /// Count instructions, and compare them with a file, or take them into it with a message.
    case instructions(baseline: String?, accept: String?)
  }

  var mode = Mode.table
  var only: [String] = []
  var isQuick = false
  var json: String?
  var markdown: String?
  /// The release build of `frp`; by default the one beside this program.
  var frp: String?
  /// The folder with the programs of other languages.
  var peers: String?

  static let usage = """
    usage: FRPBench [--only W1,W3,log,sizes] [--quick] [--json FILE] [--markdown FILE] [--frp PATH] [--peers FOLDER]
           FRPBench --run NAME [--events N]     one workload's events without timing; under
                                                valgrind --tool=callgrind --instr-atstart=no only they are counted
           FRPBench --growth                    every row of cost at n and 10 n, by callgrind: none may grow as the square
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
      case "--frp": frp = try next(word)
      case "--peers": peers = try next(word)
      case "--run": run = try next(word)
      case "--events": events = Int(try next(word)) ?? 0
      case "--blocks":
        only = try next(word).split(separator: ",").map(String.init)
        mode = .blocks
      case "--rows":
        let bounds = try next(word).split(separator: "-").compactMap { Int($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else { throw BenchFailure(message: "--rows 0-99") }
        mode = .rows(bounds[0]...bounds[1])
      case "--growth": mode = .growth
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

extension Options {
  /// Whether a row was asked for.
  func wants(_ name: String) -> Bool { only.isEmpty || only.contains(name) }

  var processes: Processes {
    let folder = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    return Processes(frp: frp ?? "\(folder)/frp", folder: temporaryFolder, isQuick: isQuick)
  }
}

/// The path of this program.
var executable: String {
  var buffer = [UInt8](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
}

var temporaryFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
