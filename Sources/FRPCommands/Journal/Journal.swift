// `frp run FILE --journal DIR`: what comes from outside is on the disk before anything that follows from it is seen.
//
//   {"at":1.5,"x":3}                                    lines as a recording has them (Recorder.swift), with the calls' numbers
//   {"at":1.5,"@commit":{"released":120,"taken":{"x":7},"digests":{"x":91}}}   the end of each batch: how far the run is, and its inputs
//   {"at":9.0,"@epoch":1767323045.6}                    after a pause: the moment of time 0, so that dates are right again
//   {"at":7.5,"@state":null}                            a state was made: from here on what is integrated goes on as restored from it
//   {"at":9.5,"@end":null}                              the run has ended by itself
//
// Rules
// - A batch is committed before any output is handed over, any call of the world begins, and any sender hears that its value was taken. So a
//   run that is killed has shown nothing that the journal does not lead to.
// - Runs are deterministic: from the newest state and the lines after it comes every byte again. Of a file as many are passed
//   over as it has; of a pipe as many as were handed over before the last commit.
// - A state to begin from takes the place of the lines before it, when that takes at most a tenth of the time there is.

import FRP
import FRPBase
import FRPIO
import FRPRuntime
import Synchronization

final class Journal {
  let store: JournalStore
  let path: String
  /// What was kept of the run; nil where it begins.
  let kept: JournalState?
  /// Why nothing more can be written.
  private(set) var failure: IOError?

  private weak var runner: Runner?
  private var lines: [UInt8] = []
  /// Who hears, once the batch is on the disk, that a value was taken.
  private let senders = Senders()
  /// What the outputs had made at the last commit.
  private var committed = -1
  private var committedAt: Int64 = 0
  /// How much of the standard output was handed over, as the last commit says.
  var releasedAtCommit = 0
  private var sinceState = (lines: 0, bytes: 0)
  private var isWithoutStates = false
  /// When the last state was made, and how long it took until it was kept.
  private var keeping = (moment: ReplClock.monotonic(), cost: 0.0)
  /// The state that a copy of this process writes.
  private var writing: Writing?

  private struct Writing {
    let parts: [String: [UInt8]]
    let file: StateFile
    /// Nil where there was no room for a copy.
    let fork: Fork?
    let moment: Double
  }

  static let serving = "Serve.value"
  /// A batch is committed at this size at the latest.
  private static let mostBytes = 256 << 10
  private static let mostLines = 1000
  private static let distanceOfMarks: Int64 = 1_000_000_000
  /// A state is kept after so much.
  private static let linesOfState = 20_000
  private static let bytesOfState = 4 << 20
  /// Seconds after which a copy of this process writes no more.
  private static let patience = 60.0

  init(_ path: String) throws(PortProblem) {
    self.path = path
    do throws(IOError) {
      store = try JournalStore(path)
      kept = try store.point().map(JournalState.init)
    } catch {
      let isTaken = error == JournalStore.taken(path)
      throw PortProblem(message: "--journal: \(error.message)", code: isTaken ? .wrongUsage : .programHasErrors)
    }
  }

  // MARK: Writing

  /// Takes over a run: what comes to it from now on is written here.
  func follow(_ runner: Runner) {
    self.runner = runner
    let recorder = Recorder(runner.simulation, numbersCalls: true) { [unowned self] in add($0) }
    runner.recorder = recorder
    runner.tasks?.mayBegin = { [unowned self, unowned runner] task in
      if !commit() { return false }
      recorder.begun(task)
      if task.name == Self.serving, case .text(let path)? = task.arguments.first {
        runner.served[path] = task.arguments.last?.json
      }
      return true
    }
    runner.sinks.mayWrite = { [unowned self] in commit() }
    committed = runner.sinks.made
    committedAt = runner.reactor.now.nanoseconds
  }

  private func add(_ line: String) {
    lines += line.utf8
    lines.append(0x0A)
    sinceState.lines += 1
    sinceState.bytes += line.utf8.count + 1
  }

  /// A line at a time, without which it is the present.
  func add(_ key: String, _ json: String, at time: Int64? = nil) {
    guard let runner else { return }
    add("{\"at\":\(Recorder.seconds(time ?? runner.reactor.now.nanoseconds)),\"\(key)\":\(json)}")
  }

  /// A report whose sender hears of it after the commit.
  func withholding(_ report: HostReport) -> HostReport {
    guard case .item(let answer, let taken?) = report else { return report }
    return .item(answer) { [senders] problem in senders.waiting.withLock { $0.append { taken(problem) } } }
  }

  /// Writes what has happened; false where it cannot be written: then nothing may be seen of it.
  @discardableResult
  func commit(at time: Int64? = nil) -> Bool {
    guard failure == nil, let runner else { return false }
    let made = runner.sinks.made
    if time == nil, lines.isEmpty, made == committed, senders.count == 0 { return true }
    let (taken, digests) = (Recorder.numbers(runner.taken), Recorder.numbers(runner.digests))
    let released = runner.sinks.released
    committedAt = time ?? runner.reactor.now.nanoseconds
    add("@commit", "{\"released\":\(released),\"taken\":\(taken),\"digests\":\(digests)}", at: committedAt)
    do throws(IOError) { try store.append(lines) } catch {
      fail(error)
      return false
    }
    (committed, releasedAtCommit) = (made, released)
    runner.simulation.settleCalls()
    lines.removeAll(keepingCapacity: true)
    senders.tell()
    return true
  }

  /// Writes, where a process ends, how much of the standard output was handed over after the last commit: the next one passes it over.
  func conclude(_ runner: Runner) {
    self.runner = runner
    if runner.sinks.released > releasedAtCommit { commit(at: runner.reactor.now.nanoseconds) }
  }

  /// When the run's time is to be on the disk next, though nothing happens: what is waited for is not waited for from the
  /// beginning again.
  var nextMark: Int64 { Clock.adding(committedAt, Self.distanceOfMarks) }

  /// Between instants, with everything done that is due up to `time`: commits a batch that has grown large or old, and keeps a
  /// state where one is due.
  func goOn(at time: Int64) {
    if lines.count >= Self.mostBytes || senders.count >= Self.mostLines { commit() }
    if time >= nextMark { commit(at: time) }
    guard failure == nil, !isWithoutStates else { return }
    if let writing { return finish(writing) }
    let isDue = sinceState.lines >= Self.linesOfState || sinceState.bytes >= Self.bytesOfState
    if isDue, ReplClock.monotonic() - keeping.moment >= 10 * keeping.cost { beginState() }
  }

  /// Lets a copy of this process write down the present state, while the run goes on.
  private func beginState() {
    guard let runner, settle() else { return }
    let moment = ReplClock.monotonic()
    do throws(IOError) {
      let (parts, file) = (JournalState(runner).parts, try store.makeFile())
      sinceState = (0, 0)
      let fork = file.write(beside: { try? runner.simulation.snapshot().bytes })
      writing = Writing(parts: parts, file: file, fork: fork, moment: moment)
    } catch { fail(error) }
  }

  /// Makes a state that was written that to begin from. One that was not is kept at once: the run waits for it.
  private func finish(_ writing: Writing) {
    let isWritten = writing.fork == nil ? false : writing.fork?.outcome()
    if isWritten == nil, ReplClock.monotonic() - writing.moment < Self.patience { return }
    self.writing = nil
    if isWritten == true {
      do throws(IOError) { try begin(from: writing.parts, writing.file) } catch { fail(error) }
    } else {
      keepState()
    }
    keeping = (writing.moment, ReplClock.monotonic() - writing.moment)
  }

  /// Makes the present state that to begin from. Everything that was made is handed over before.
  func keepState() {
    writing = nil
    guard let runner, settle() else { return }
    do throws(SimulationError) {
      var state = JournalState(runner)
      state.state = try runner.simulation.snapshot().bytes
      do throws(PortProblem) { try keep(state) } catch { fail(IOError(error.message)) }
    } catch { keepNoStates(error) }
  }

  /// Brings the run to where its state can be kept: what it has made is handed over, and what came stands in a batch, which the
  /// state then holds. False where it cannot be.
  private func settle() -> Bool {
    guard let runner, failure == nil, !isWithoutStates else { return false }
    do throws(SimulationError) {
      if try runner.simulation.settleForSnapshot() { add("@state", "null") }
    } catch {
      keepNoStates(error)
      return false
    }
    runner.numbered.forgetEnded(runner.simulation.tasks)
    runner.sinks.flush()
    // What could not be written is made again from the state before.
    return !runner.sinks.isBroken && commit()
  }

  private func keepNoStates(_ error: SimulationError) {
    isWithoutStates = true
    runner?.reporter.note("the journal keeps all lines, since no state can be kept: \(error.message)")
  }

  func keep(_ state: JournalState) throws(PortProblem) {
    do throws(IOError) {
      var file: StateFile?
      if let state = state.state {
        file = try store.makeFile()
        try file?.write(state)
      }
      try begin(from: state.parts, file)
    } catch { throw PortProblem(message: error.message, code: .wrongUsage) }
    sinceState = (0, 0)
  }

  /// What a state takes for written is on the disk before the state counts: nothing makes it again.
  private func begin(from parts: [String: [UInt8]], _ file: StateFile?) throws(IOError) {
    try runner?.sinks.synchronize()
    try store.begin(from: parts, file)
  }

  private func fail(_ error: IOError) {
    failure = error
    runner?.reporter.failure("the journal cannot be written, so the run ends: \(error.message)")
    runner?.end(with: .fault)
  }
}

/// Who hears that a value was taken.
private final class Senders: Sendable {
  let waiting = Mutex<[@Sendable () -> Void]>([])

  var count: Int { waiting.withLock { $0.count } }

  func tell() {
    let all = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for sender in all { sender() }
  }
}

/// From what a run goes on: its text, its state, and what stands beside the state.
struct JournalState {
  /// The program and the modules it imports, by name, the program first.
  var texts: [(name: String, bytes: [UInt8])]
  /// Nil where the run begins.
  var state: [UInt8]?
  /// See `Runner.journalled`.
  var run: String
  /// The last batch that it holds.
  var batch = 0

  init(texts: [(name: String, bytes: [UInt8])], state: [UInt8]?, run: String) {
    (self.texts, self.state, self.run) = (texts, state, run)
  }

  /// Of a run as it is, without its state.
  init(_ runner: Runner) {
    self.init(
      texts: runner.simulation.program.ownTexts, state: nil, run: runner.journalled(going: runner.options))
  }

  init(_ point: JournalStore.Point) {
    batch = point.batch
    state = point.parts["state"]
    run = String(decoding: point.parts["run"] ?? [], as: UTF8.self)
    let names = JSONParts.array(String(decoding: point.parts["names"] ?? [], as: UTF8.self)) ?? []
    texts = names.enumerated().map { index, name in (JSONParts.string(name) ?? "", point.parts["text\(index)"] ?? []) }
  }

  /// What stands beside the state.
  var parts: [String: [UInt8]] {
    var parts = ["run": Array(run.utf8)]
    parts["names"] = Array("[\(texts.map { jsonString($0.name) }.joined(separator: ","))]".utf8)
    for (index, text) in texts.enumerated() { parts["text\(index)"] = text.bytes }
    return parts
  }

  /// A field of `run`.
  func field(_ names: String...) -> String? {
    var json: String? = run
    for name in names { json = json.flatMap(JSONParts.object)?.first { $0.name == name }?.json }
    return json
  }

  /// Another value of a field of `run`.
  mutating func set(_ name: String, _ json: String) {
    let fields = (JSONParts.object(run) ?? []).filter { $0.name != name } + [(name, json)]
    run = "{\(fields.map { "\(jsonString($0.name)):\($0.json)" }.joined(separator: ","))}"
  }

  /// An object of whole numbers in `run`.
  func numbers(_ name: String) -> [String: Int] {
    let fields = field(name).flatMap(JSONParts.object) ?? []
    return Dictionary(fields.compactMap { field in Int(field.json).map { (field.name, $0) } }) { first, _ in first }
  }

  /// What was written before. What stood in a buffer at the beginning was not: journals of older versions count the header of CSV there.
  var outputs: FormerOutputs {
    let positions = numbers("outputs").mapValues { state == nil ? 0 : $0 }
    let names = field("columns").flatMap(JSONParts.object) ?? []
    let columns = names.compactMap { field in JSONParts.string(field.json).map { (field.name, $0) } }
    return FormerOutputs(positions: positions, columns: Dictionary(columns) { first, _ in first })
  }

  /// Its texts in the place of files.
  var modules: ModuleFiles {
    let texts = texts
    return ModuleFiles(read: { path in texts.first { $0.name == path }?.bytes }, list: { _ in texts.map(\.name) })
  }

  /// The program as it was.
  func compile(_ surroundings: Surroundings) -> Program {
    var surroundings = surroundings
    surroundings.modules = modules
    return surroundings.compile(Source(name: texts.first?.name ?? "", bytes: texts.first?.bytes ?? []))
  }
}

extension Program {
  /// Its text and those of the modules it imports, without the host's.
  var ownTexts: [(name: String, bytes: [UInt8])] {
    sources.files.filter { !$0.isHost }.map { ($0.name, $0.bytes) }
  }
}
