// Where outputs go, and how they are written there.
//
// In: changes of an instant, samples of continuous outputs. Out: lines on standard output and in files. One line a
// change, in the order of the instants, then of declaration.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPIO
import FRPRuntime
import Glibc

final class OutputSinks {
  private enum Form {
    /// `value`, or `name = value`.
    case text(prefix: String)
    /// `{"at":0.5,"name":value}`.
    case jsonl(name: String)
    /// The value as JSON, between these.
    case json(before: String, after: String)
    /// A comma-separated line: time, then the value or its fields.
    case csv(CSVWriter)
  }

  private struct Sink {
    var output: Int
    var writer: Writer
    var form: Form
  }

  private let plan: Plan
  private let codec: Codec
  private let reactor: Reactor
  /// By output.
  private var sinks: [[Sink]]
  private let standard: Writer
  private var files: [(path: String, descriptor: Int32, writer: Writer)] = []
  /// What was written before, where a run goes on.
  private let former: FormerOutputs?
  /// By path: what the columns of a file of CSV are called; of another one, nothing.
  private var columns = ["-": ""]
  private var line = StringBuilder()
  /// Outputs that vary between instants and are sampled.
  let continuous: [Int]
  /// Those of them that hold no Float are looked at as often and after every instant, and shown when they have changed: by
  /// output, what was shown last, as JSON.
  private var shown: [Int: [UInt8]] = [:]
  /// Whether only the last values are written, by `writeLast`.
  private let isFinal: Bool
  /// Of those, what events have shown last, by output.
  private var last: [Int: Int] = [:]
  private let lastValues: RootSet

  init(
    _ simulation: Simulation, _ options: RunOptions, standard: Writer, former: FormerOutputs? = nil
  ) throws(PortProblem) {
    self.former = former
    plan = simulation.reactor.plan
    codec = simulation.codec
    reactor = simulation.reactor
    self.standard = standard
    isFinal = options.isFinal
    lastValues = RootSet(simulation.reactor.heap)
    sinks = plan.outputs.map { _ in [] }
    continuous = plan.outputs.indices.filter { [plan] in
      plan.outputs[$0].isContinuous && !plan.outputs[$0].isDeferred && !plan.outputs[$0].isEvent
    }
    for output in continuous where !plan.core.types.holdsFloat(plan.outputs[output].type) { shown[output] = [] }
    for binding in options.outputs { try bind(binding) }
    let unbound = plan.outputs.indices.filter { sinks[$0].isEmpty }
    for output in unbound {
      let name = plan.outputs[output].name
      let isAlone = unbound.count == 1
      let form: Form =
        switch options.format {
        case .text: .text(prefix: isAlone ? "" : "\(name) = ")
        case .jsonl: isFinal ? Self.named(name) : .jsonl(name: name)
        case .json: isAlone ? .json(before: "", after: "") : Self.named(name)
        }
      sinks[output].append(Sink(output: output, writer: standard, form: form))
    }
  }

  private static func named(_ name: String) -> Form { .json(before: "{\"\(name)\":", after: "}") }

  private func bind(_ binding: PortBinding) throws(PortProblem) {
    guard let output = plan.outputs.firstIndex(where: { $0.name == binding.name }) else {
      throw PortProblem(unknown: "output", binding.name, among: plan.outputs.map(\.name))
    }
    let form: Form
    var csv: CSVWriter?
    switch binding.format {
    // JSON as a whole is for inputs only.
    case .jsonl, .json: form = isFinal ? Self.named(binding.name) : .jsonl(name: binding.name)
    case .lines: form = .text(prefix: "")
    case .csv:
      let writer = try CSVWriter((binding.name, plan.outputs[output].type), binding.csv, isTimed: !isFinal, codec)
      (csv, form) = (writer, .csv(writer))
    }
    let names = csv?.columns ?? ""
    try former?.check(binding, names)
    let writer = try writer(binding.path)
    // Of the standard output, what was shown before is not counted yet.
    let isBegun = binding.path == "-" && former?.hasShown(names) == true
    if let header = csv?.header, writer.made == 0, !isBegun { writer.writeLine(header) }
    if csv != nil || binding.path != "-" { columns[binding.path] = names }
    sinks[output].append(Sink(output: output, writer: writer, form: form))
  }

  /// Throws where outputs cannot go on in files as they are to, before anything is opened.
  static func check(
    _ simulation: Simulation, _ options: RunOptions, _ former: FormerOutputs
  ) throws(PortProblem) {
    let plan = simulation.reactor.plan
    for binding in options.outputs {
      guard let output = plan.outputs.first(where: { $0.name == binding.name }) else {
        throw PortProblem(unknown: "output", binding.name, among: plan.outputs.map(\.name))
      }
      let csv =
        binding.format == .csv
        ? try CSVWriter((binding.name, output.type), binding.csv, isTimed: true, simulation.codec) : nil
      try former.check(binding, csv?.columns ?? "")
    }
  }

  private func writer(_ path: String) throws(PortProblem) -> Writer {
    if path == "-" { return standard }
    do {
      // A file that the run did not have begins where it is named first.
      let position = former?.position(of: path)
      let descriptor = try Files.open(path, O_WRONLY | O_CREAT | (position == nil ? O_TRUNC : 0))
      let writer = Writer(descriptor: descriptor, isTerminal: isatty(descriptor) == 1)
      files.append((path, descriptor, writer))
      if let position { try goOn(path, descriptor, writer, from: position) }
      return writer
    } catch let error as PortProblem {
      throw error
    } catch {
      throw PortProblem(message: "cannot write `\(path)`: \((error as? SystemError)?.message ?? "\(error)")")
    }
  }

  /// What a file has behind these bytes is made again in its place: the same, but where the machine had stopped before it was on the
  /// disk.
  private func goOn(_ path: String, _ descriptor: Int32, _ writer: Writer, from count: Int) throws(PortProblem) {
    writer.begin(at: count)
    let status: stat
    do throws(SystemError) { status = try Files.status(of: descriptor) } catch {
      throw PortProblem(message: "cannot look at `\(path)`: \(error.message)")
    }
    if !status.isFile { return }
    if status.st_size < count {
      throw PortProblem(
        message:
          "`\(path)` has \(status.st_size) bytes, and the run had written \(count): put it back, or remove the journal")
    }
    lseek(descriptor, count, SEEK_SET)
  }

  // MARK: A journal's

  /// Asked before anything is handed over.
  var mayWrite: (() -> Bool)? {
    didSet { for writer in writers { writer.mayWrite = mayWrite } }
  }

  private var writers: [Writer] { [standard] + files.map(\.writer) }
  /// Bytes that were written by all outputs, handed over or not.
  var made: Int { writers.reduce(0) { $0 + $1.made } }
  /// Bytes of the standard output that were handed over.
  var released: Int { standard.released }

  /// What `former` is when the run goes on from here. What was not handed over is not written: the next process makes it again.
  var outputs: FormerOutputs {
    var outputs = former ?? FormerOutputs()
    outputs.set("-", standard.released, columns["-"] ?? "")
    for file in files { outputs.set(file.path, file.writer.released, columns[file.path] ?? "") }
    return outputs
  }

  /// What the standard output had made when the state was kept, and how much of it was handed over in all, which is no less.
  func goOn(from count: Int, released: Int) {
    standard.begin(at: count)
    standard.passingOver = released - count
  }

  /// What continuous outputs have shown last, by name, and the same taken back.
  var shownTexts: [String: String] {
    get {
      Dictionary(shown.map { (plan.outputs[$0].name, String(decoding: $1, as: UTF8.self)) }) { first, _ in first }
    }
    set {
      for output in shown.keys { shown[output] = newValue[plan.outputs[output].name].map { Array($0.utf8) } ?? [] }
    }
  }

  /// Whether the reader of standard output went away.
  var isBroken: Bool { standard.isBroken || files.contains { $0.writer.isBroken } }

  /// What could not be written.
  struct Failure {
    /// The file; nil for the standard output.
    var path: String?
    var code: Int32

    /// "cannot write `out.txt`: No space left on device"
    var message: String {
      let reason = code == EPIPE ? "its reader has gone" : SystemError(code: code).message
      return "cannot write\(path.map { " `\($0)`" } ?? ""): \(reason)"
    }
  }

  /// Why something could not be written. Who reads the standard output and goes away has seen enough; who reads what an output
  /// was sent to by name has not.
  var failure: Failure? {
    if let failure = failureOfFiles ?? presentFailureOfFiles { return failure }
    return standard.failure == 0 || standard.failure == EPIPE ? nil : Failure(path: nil, code: standard.failure)
  }
  /// The same of files that are closed.
  private var failureOfFiles: Failure?

  private var presentFailureOfFiles: Failure? {
    files.first { $0.writer.failure != 0 }.map { Failure(path: $0.path, code: $0.writer.failure) }
  }

  func flush() {
    standard.flush()
    for file in files { file.writer.flush() }
  }

  deinit { for file in files { Glibc.close(file.descriptor) } }

  /// What was handed over to files is on the disk when this returns. Cost: that of fdatasync(2).
  func synchronize() throws(IOError) {
    for file in files {
      // Pipes and devices have nothing there.
      if fdatasync(file.descriptor) != 0, errno != EINVAL { throw IOError(errno, file.path) }
    }
  }

  /// Forgets what was not handed over: the next process makes it again.
  func drop() { for writer in writers { writer.drop() } }

  func close() {
    flush()
    mayWrite = nil
    failureOfFiles = failureOfFiles ?? presentFailureOfFiles
    for file in files where Glibc.close(file.descriptor) != 0 {
      failureOfFiles = failureOfFiles ?? Failure(path: file.path, code: errno)
    }
    files = []
  }

  // MARK: Writing

  /// Writes what an instant changed; continuous outputs wait for their sample.
  func write(_ moment: Moment, _ changes: UnsafeBufferPointer<OutputChange>) {
    for change in changes { show(change.output, change.value, at: moment.seconds) }
  }

  /// The same of one output.
  func show(_ output: Int, _ value: Word, at seconds: Double) {
    if isSampled(output) { return }
    if isFinal { note(output, value) } else { write(output, value, at: seconds) }
  }

  /// Keeps what an event has shown, until it shows something else.
  private func note(_ output: Int, _ value: Word) {
    if !plan.outputs[output].isEvent { return }
    if let former = last[output] { _ = lastValues.remove(former) }
    let isReference = reactor.heap.shapes.isReference(plan.outputs[output].type)
    last[output] = lastValues.insert(value, isReference: isReference)
  }

  /// Writes, if that is all that is wanted, what every output has shown last.
  func writeLast(_ report: (Fault, Int) -> Void) {
    if !isFinal { return }
    for output in plan.outputs.indices {
      if plan.outputs[output].isEvent {
        if let place = last[output] { write(output, lastValues[place], at: 0) }
      } else {
        switch reactor.value(of: output) {
        case .success(let value): write(output, value, at: 0)
        case .failure(let fault): report(fault, output)
        }
      }
    }
  }

  private func isSampled(_ output: Int) -> Bool {
    plan.outputs[output].isContinuous && !plan.outputs[output].isEvent
  }

  /// Outputs that are shown at every sample.
  var sampled: [Int] { continuous.filter { shown[$0] == nil } }

  /// Writes the present values of the continuous outputs; of those that hold no Float, where they have changed.
  func sample(_ report: (Fault, Int) -> Void) {
    let seconds = reactor.now.seconds
    for output in continuous {
      switch reactor.value(of: output) {
      case .success(let value): if hasChanged(output, value) { write(output, value, at: seconds) }
      case .failure(let fault): report(fault, output)
      }
    }
  }

  /// The same after an instant, of those that hold no Float. What has no value now is told at the next sample.
  func showChanges() {
    if isFinal || continuous.isEmpty || shown.isEmpty { return }
    for output in continuous where shown[output] != nil {
      guard case .success(let value) = reactor.value(of: output), hasChanged(output, value) else { continue }
      write(output, value, at: reactor.now.seconds)
    }
  }

  private func hasChanged(_ output: Int, _ value: Word) -> Bool {
    guard let last = shown[output] else { return true }
    line.removeAll()
    do throws(Fault) { try codec.encodeJSON(value, plan.outputs[output].type, to: &line) } catch { return true }
    if line.view.elementsEqual(last) { return false }
    shown[output] = Array(line.view)
    return true
  }

  private func write(_ output: Int, _ value: Word, at seconds: Double) {
    let type = plan.outputs[output].type
    for sink in sinks[output] {
      line.removeAll()
      do throws(Fault) {
        try form(sink.form, value, type, seconds)
      } catch { continue }
      line.append(byte: 0x0A)
      if sink.writer.isTerminal {
        sink.writer.write(safeForTerminal(String(decoding: line.view, as: UTF8.self)))
      } else {
        sink.writer.append { $0.append(contentsOf: line.view) }
      }
    }
  }

  private func form(_ form: Form, _ value: Word, _ type: TypeID, _ seconds: Double) throws(Fault) {
    switch form {
    case .text(let prefix):
      line.append(prefix)
      try codec.appendText(value, type, to: &line)
    case .jsonl(let name):
      line.append("{\"at\":")
      try codec.encodeJSON(Word(float: seconds), .float, to: &line)
      line.append(",\"")
      line.append(name)
      line.append("\":")
      try codec.encodeJSON(value, type, to: &line)
      line.append(byte: 0x7D)
    case .json(let before, let after):
      line.append(before)
      try codec.encodeJSON(value, type, to: &line)
      line.append(after)
    case .csv(let csv): try csv.append(value, seconds, codec, to: &line)
    }
  }
}

/// An input or output that cannot be connected, or a journal that cannot be gone on with.
struct PortProblem: Error {
  var message: String
  var suggestion: String?
  /// What the process ends with where the command line is right: no usage is told then.
  var code: ExitCode?

  init(message: String, suggestion: String? = nil, code: ExitCode? = nil) {
    self.message = message
    self.suggestion = suggestion
    self.code = code
  }
}
