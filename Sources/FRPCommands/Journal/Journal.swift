// `frp run FILE --journal DIR`: what comes from outside is on the disk before anything that follows from it is seen.
//
//   {"at":1.5,"x":3}                                    lines as a recording has them (Recorder.swift), with the calls' numbers
//   {"at":1.5,"@commit":{"released":120,"taken":{"x":7}}}   the end of each batch: how far the run is, and its inputs
//   {"at":9.0,"@epoch":1767323045.6}                    after a pause: the moment of time 0, so that dates are right again
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
  private var sinceState = (lines: 0, bytes: 0)
  private var isWithoutStates = false
  /// When the last state was kept, and how long that took.
  private var keeping = (moment: ReplClock.monotonic(), cost: 0.0)

  /// A batch is committed at this size at the latest.
  private static let mostBytes = 256 << 10
  private static let mostLines = 1000
  private static let distanceOfMarks: Int64 = 1_000_000_000
  /// A state is kept after so much.
  private static let linesOfState = 20_000
  private static let bytesOfState = 4 << 20

  init(_ path: String) throws(PortProblem) {
    self.path = path
    do throws(IOError) {
      store = try JournalStore(path)
      kept = try store.point().map(JournalState.init)
    } catch { throw PortProblem(message: "--journal: \(error.message)") }
  }

  // MARK: Writing

  /// Takes over a run: what comes to it from now on is written here.
  func follow(_ runner: Runner) {
    self.runner = runner
    let recorder = Recorder(runner.simulation, numbersCalls: true) { [unowned self] in add($0) }
    runner.recorder = recorder
    runner.tasks?.began = { [unowned self] task in
      commit()
      recorder.begun(task)
    }
    runner.sinks.mayWrite = { [unowned self] in commit() }
    committed = runner.sinks.made
    committedAt = runner.reactor.now.nanoseconds
  }

  /// The first state of a run: its text and how it begins.
  func begin(_ program: Program, _ run: String) throws(PortProblem) {
    try keep(JournalState(texts: program.ownTexts, state: nil, run: run))
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
    let taken = runner.taken.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\($0.value)" }
    committedAt = time ?? runner.reactor.now.nanoseconds
    add(
      "@commit", "{\"released\":\(runner.sinks.released),\"taken\":{\(taken.joined(separator: ","))}}", at: committedAt)
    do throws(IOError) { try store.append(lines) } catch {
      fail(error)
      return false
    }
    committed = made
    runner.simulation.settleCalls()
    lines.removeAll(keepingCapacity: true)
    senders.tell()
    return true
  }

  /// When the run's time is to be on the disk next, though nothing happens: what is waited for is not waited for from the
  /// beginning again.
  var nextMark: Int64 { Clock.adding(committedAt, Self.distanceOfMarks) }

  /// Between instants, with everything done that is due up to `time`: commits a batch that has grown large or old, and keeps a
  /// state where one is due.
  func goOn(at time: Int64) {
    if lines.count >= Self.mostBytes || senders.count >= Self.mostLines { commit() }
    if time >= nextMark { commit(at: time) }
    let isDue = sinceState.lines >= Self.linesOfState || sinceState.bytes >= Self.bytesOfState
    guard isDue, !isWithoutStates, failure == nil else { return }
    let moment = ReplClock.monotonic()
    if moment - keeping.moment < 10 * keeping.cost { return }
    keepState()
    keeping = (moment, ReplClock.monotonic() - moment)
  }

  /// Makes the present state that to begin from. Everything that was made is handed over before.
  func keepState() {
    guard let runner, failure == nil, !isWithoutStates else { return }
    runner.sinks.flush()
    do throws(SimulationError) {
      let snapshot = try runner.simulation.snapshot()
      runner.sinks.flush()
      let state = JournalState(texts: runner.simulation.program.ownTexts, state: snapshot.bytes, run: runner.journalled)
      do throws(PortProblem) { try keep(state) } catch {
        fail(IOError(error.message))
      }
    } catch {
      isWithoutStates = true
      runner.reporter.note("the journal keeps all lines, since no state can be kept: \(error.message)")
    }
  }

  func keep(_ state: JournalState) throws(PortProblem) {
    do throws(IOError) { try store.begin(from: state.parts) } catch { throw PortProblem(message: error.message) }
    sinceState = (0, 0)
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

  init(_ point: JournalStore.Point) {
    batch = point.batch
    state = point.parts["state"]
    run = String(decoding: point.parts["run"] ?? [], as: UTF8.self)
    let names = JSONParts.array(String(decoding: point.parts["names"] ?? [], as: UTF8.self)) ?? []
    texts = names.enumerated().map { index, name in (JSONParts.string(name) ?? "", point.parts["text\(index)"] ?? []) }
  }

  var parts: [String: [UInt8]] {
    var parts = ["run": Array(run.utf8)]
    parts["names"] = Array("[\(texts.map { jsonString($0.name) }.joined(separator: ","))]".utf8)
    for (index, text) in texts.enumerated() { parts["text\(index)"] = text.bytes }
    parts["state"] = state
    return parts
  }

  /// A field of `run`.
  func field(_ names: String...) -> String? {
    var json: String? = run
    for name in names { json = json.flatMap(JSONParts.object)?.first { $0.name == name }?.json }
    return json
  }

  /// An object of whole numbers in `run`.
  func numbers(_ name: String) -> [String: Int] {
    let fields = field(name).flatMap(JSONParts.object) ?? []
    return Dictionary(fields.compactMap { field in Int(field.json).map { (field.name, $0) } }) { first, _ in first }
  }

  /// The program as it was.
  func compile(_ surroundings: Surroundings) -> Program {
    var surroundings = surroundings
    let texts = texts
    surroundings.modules = ModuleFiles(
      read: { path in texts.first { $0.name == path }?.bytes }, list: { _ in texts.map(\.name) })
    return surroundings.compile(Source(name: texts.first?.name ?? "", bytes: texts.first?.bytes ?? []))
  }
}

extension Program {
  /// Its text and those of the modules it imports, without the host's.
  var ownTexts: [(name: String, bytes: [UInt8])] {
    sources.files.filter { !$0.isHost }.map { ($0.name, $0.bytes) }
  }
}
