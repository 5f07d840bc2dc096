// `frp journal DIR`: what a journal holds.

import FRP
import FRPBase
import FRPIO

enum JournalCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands[0]
    guard JournalStore.exists(path) else {
      reporter.failure("there is no journal in `\(path)`")
      return .wrongUsage
    }
    do throws(IOError) {
      let store = try JournalStore(path)
      if invocation.has("--compact") { try store.compact() }
      if let path = invocation.value("--export") {
        try export(store, to: path, console)
        return .success
      }
      if invocation.has("--lines") { return try printLines(store, console) }
      try describe(store, path, isChecked: invocation.has("--check"), console)
      return .success
    } catch {
      reporter.failure(error.message)
      return .fault
    }
  }

  private static func printLines(_ store: JournalStore, _ console: Console) throws(IOError) -> ExitCode {
    try store.forEachBatch(after: try store.point()?.batch ?? 0) { (_, lines) throws(IOError) in
      for line in lines.split(separator: 0x0A) where JournalMoment(line)?.key != "@commit" {
        console.out.write(Array(line) + [0x0A])
      }
    }
    console.out.flush()
    return .success
  }

  private static func describe(
    _ store: JournalStore, _ path: String, isChecked: Bool, _ console: Console
  ) throws(IOError) {
    guard let state = try store.point().map(JournalState.init) else {
      return console.out.writeLine("\(path): nothing has begun")
    }
    var (lines, batches) = (0, 0)
    var last: JournalMoment?
    var hasEnded = false
    try store.forEachBatch(after: state.batch) { (_, bytes) throws(IOError) in
      batches += 1
      for line in bytes.split(separator: 0x0A) {
        guard let moment = JournalMoment(line) else { throw IOError("\(path): a line that is none") }
        last = moment
        hasEnded = hasEnded || moment.key == "@end"
        if !["@commit", "@run"].contains(moment.key) { lines += 1 }
      }
    }
    let kept: Snapshot?
    do throws(SimulationError) {
      kept = try state.state.map { (bytes) throws(SimulationError) in try Snapshot(bytes: bytes) }
    } catch {
      throw IOError("\(path): the state: \(error.message)")
    }
    let begins = kept.map { "at \($0.time) s, \($0.bytes.count) bytes" } ?? "at the beginning"
    let now = last.map { Recorder.seconds($0.nanoseconds) } ?? kept.map { "\($0.time)" } ?? "0"
    console.out.writeLine("program   \(state.texts.map(\.name).joined(separator: ", "))")
    console.out.writeLine("time      \(now) s\(hasEnded ? ", ended" : "")")
    console.out.writeLine("state     \(begins)")
    let lineWord = lines == 1 ? "line" : "lines"
    console.out.writeLine("since     \(lines) \(lineWord) in \(batches) \(batches == 1 ? "batch" : "batches")")
    console.out.writeLine("size      \(store.size) bytes")
    if isChecked { console.out.writeLine("checked: all of it is what was written") }
    console.out.flush()
  }
}
