// `frp journal DIR`: what a journal holds.

import FRP
import FRPBase
import FRPIO
import Glibc

enum JournalCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands[0]
    guard JournalStore.exists(path) else {
      reporter.failure("there is no journal in `\(path)`")
      return .wrongUsage
    }
    if let problem = contradiction(invocation) { return Usage.report(problem, console) }
    let file = invocation.value("--export") ?? "-"
    let text = Spool()
    var missing: String?
    do throws(IOError) {
      let store = try JournalStore(path, isLooking: !invocation.has("--compact"))
      if let what = try precious(file, path, store) {
        reporter.failure("`\(file)` cannot be written: it is \(what); name another file")
        return .wrongUsage
      }
      try read(store, path, invocation, into: text)
      missing = store.missing > 0 ? "batches \(store.last + 1) to \(store.last + store.missing)" : nil
    } catch {
      reporter.failure(error.message)
      return .programHasErrors
    }
    do throws(SystemError) {
      let out = file == "-" ? console.out : Writer(descriptor: try Files.open(file, O_WRONLY | O_CREAT | O_TRUNC))
      try text.copy(to: out)
      if file != "-", out.failure != 0 { throw SystemError(code: out.failure) }
    } catch {
      reporter.failure("cannot write `\(file)`: \(error.message)")
      return .fault
    }
    guard let missing else { return .success }
    reporter.failure(
      "\(path): \(missing) were written and are missing: the journal was cut off. A run goes on from what is there")
    return invocation.has("--check") ? .programHasErrors : .success
  }

  /// Each of these is about all that is printed; what takes the place of another would not be missed.
  private static func contradiction(_ invocation: Invocation) -> UsageProblem? {
    var given = ["--check", "--lines", "--export"].filter(invocation.has)
    if given != ["--check"], !given.isEmpty, invocation.has("--compact") { given.append("--compact") }
    guard given.count > 1 else { return nil }
    let names = given.map { "`\($0)`" }
    return UsageProblem(
      message: "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") cannot go together: "
        + "give one of them, then the other", command: "journal")
  }

  /// What an export would destroy: the journal, or a text that it is of, which may be named as seen from elsewhere.
  private static func precious(_ file: String, _ path: String, _ store: JournalStore) throws(IOError) -> String? {
    if file == "-" { return nil }
    if let part = Files.ofJournal(path, file) { return "`\(part)`, a file of the journal" }
    let texts = try store.point().map(JournalState.init)?.texts ?? []
    let isText = texts.contains { Files.areSame($0.name, file) }
    if isText || !texts.isEmpty && Files.holds(file, oneOf: texts.map(\.bytes)) {
      return "a text of the program that the journal is of"
    }
    return nil
  }

  /// All that is to be told. Nobody else has the journal meanwhile, so it is given back before whoever reads that text is waited for:
  /// a pager must not keep a service from its start. And nothing is written where something is found to be damaged.
  private static func read(
    _ store: JournalStore, _ path: String, _ invocation: Invocation, into text: Spool
  ) throws(IOError) {
    if invocation.has("--check") { try store.checkPages() }
    if invocation.has("--compact") { try store.compact() }
    if invocation.has("--export") {
      try export(store, into: text)
    } else if invocation.has("--lines") {
      try lines(store, into: text)
    } else {
      try text.write(Array(try describe(store, path, isChecked: invocation.has("--check")).utf8))
    }
  }

  private static func lines(_ store: JournalStore, into text: Spool) throws(IOError) {
    try store.forEachBatch(after: try store.point()?.batch ?? 0) { (_, lines) throws(IOError) in
      for line in lines.split(separator: 0x0A) where JournalMoment(line)?.key != "@commit" {
        try text.write(line + [0x0A])
      }
    }
  }

  private static func describe(
    _ store: JournalStore, _ path: String, isChecked: Bool
  ) throws(IOError) -> String {
    guard let state = try store.point().map(JournalState.init) else { return "\(path): nothing has begun\n" }
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
    let lineWord = lines == 1 ? "line" : "lines"
    var text = [
      "program   \(state.texts.map(\.name).joined(separator: ", "))",
      "time      \(now) s\(hasEnded ? ", ended" : "")",
      "state     \(begins)",
      "since     \(lines) \(lineWord) in \(batches) \(batches == 1 ? "batch" : "batches")",
      "size      \(store.size) bytes",
    ]
    if isChecked { text.append("checked: \(store.missing > 0 ? "what is there" : "all of it") is what was written") }
    return text.joined(separator: "\n") + "\n"
  }
}
