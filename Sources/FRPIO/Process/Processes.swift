// Programs that are run: without a shell, with nothing on standard input, in a group of their own.

import Glibc
import Synchronization

/// How a program ended, and what it wrote.
public struct ProcessResult: Sendable {
  /// Its exit code, or 128 and the number of the signal that ended it.
  public let status: Int
  public let out: [UInt8]
  public let err: [UInt8]
}

/// Programs of a run, within its grants.
public struct Processes: Sendable {
  /// 64 MiB of each of its outputs.
  public static let limit = 64 << 20

  private let access: Access

  public init(_ access: Access) { self.access = access }

  /// Runs a program to its end. It is over when the program itself has ended, whoever else still has its outputs open.
  /// Cancelling ends its group.
  public func run(
    _ program: String, _ arguments: [String], limit: Int = Processes.limit,
    completion: @escaping Completion<ProcessResult>
  ) -> any Operation {
    let call = Call(completion)
    start(program, arguments, isWanted: { call.isPending }, { call.fail($0) }) { child in
      WholeRun(child, limit: limit, call).begin()
    }
    return call
  }

  /// The lines that a program writes to standard output. It ends well if the program does (0); else the error says with
  /// which status, and what it said last on standard error.
  public func lines(
    _ program: String, _ arguments: [String], item: @escaping @Sendable (LineBatch) -> Void,
    end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    start(program, arguments, isWanted: { stream.isOpen }, { stream.fail($0) }) { child in
      LinesRun(child, stream).begin()
    }
    return stream
  }

  /// Starts a program that is spoken with: what is sent to it, and the lines that it answers. It is one that whoever started
  /// this process has named, a plug-in; no grant is asked for. It ends as `lines` does.
  public func converse(
    _ program: String, _ arguments: [String], item: @escaping @Sendable (LineBatch) -> Void,
    end: @escaping Completion<Void>
  ) -> Conversation {
    let conversation = Conversation(item, end)
    let stream = conversation.stream
    Workers.spawning.run { [access] in
      do throws(IOError) {
        let named = try GrantedProgram(program, in: access.directory)
        let child = try Child.start(named, program, arguments, .whole, listens: true)
        IOLoop.shared.run {
          if let input = child.takeInput() { conversation.begin(input) }
          LinesRun(child, stream).begin()
        }
      } catch { stream.fail(error) }
    }
    return conversation
  }

  /// Runs a program that whoever started this process has named, and waits for its end: before a run begins. No grant is asked
  /// for. What takes longer, or says more than `limit` bytes, is an error.
  public func ask(
    _ program: String, _ arguments: [String], within seconds: Int, limit: Int
  ) throws(IOError) -> ProcessResult {
    let answer = Answer()
    let call = Call<ProcessResult> { answer.set($0) }
    Workers.spawning.run { [access] in
      do throws(IOError) {
        let named = try GrantedProgram(program, in: access.directory)
        let child = try Child.start(named, program, arguments, .whole)
        IOLoop.shared.run { WholeRun(child, limit: limit, call).begin() }
      } catch { call.fail(error) }
    }
    guard let result = answer.wait(seconds) else {
      call.cancel()
      throw IOError("\(program) has not ended after \(seconds) s")
    }
    return try result.get()
  }

  /// Kills all groups at once. What is called when this process ends by itself; a test or a host may call it before.
  public static func endAll() { Child.endAll() }

  private func start(
    _ program: String, _ arguments: [String], isWanted: @escaping @Sendable () -> Bool,
    _ fail: @escaping @Sendable (IOError) -> Void, _ body: @escaping @Sendable (Child) -> Void
  ) {
    guard let granted = access.program(program) else { return fail(IOError(notGranted: .run(program))) }
    Workers.spawning.run { [access] in
      if !isWanted() { return }
      do throws(IOError) {
        let child = try Child.start(granted, program, arguments, ChildEnvironment(access.grants))
        IOLoop.shared.run { body(child) }
      } catch { fail(error) }
    }
  }
}

/// What somebody waits for.
private final class Answer: Sendable {
  private let result = Mutex<Result<ProcessResult, IOError>?>(nil)
  private let isThere = Permits()

  func set(_ value: Result<ProcessResult, IOError>) {
    result.withLock { $0 = value }
    isThere.give()
  }

  func wait(_ seconds: Int) -> Result<ProcessResult, IOError>? {
    isThere.take(within: seconds)
    return result.withLock { $0 }
  }
}

/// Both outputs, and the end. On the loop.
private final class WholeRun: Sendable {
  private struct State {
    var out: PipeCollector?
    var err: PipeCollector?
  }

  private let child: Child
  private let limit: Int
  private let call: Call<ProcessResult>
  private let state = LoopLocal(State())

  init(_ child: Child, limit: Int, _ call: Call<ProcessResult>) {
    (self.child, self.limit, self.call) = (child, limit, call)
  }

  func begin() {
    let (out, err) = (collector(child.output, "output"), collector(child.errors, "error output"))
    state.with { $0 = State(out: out, err: err) }
    do throws(IOError) { try child.onEnd { self.end($0) } } catch {
      child.abandon()
      call.fail(error)
    }
    call.onCancel { self.stop() }
    out.start()
    err.start()
  }

  private func collector(_ pipe: Descriptor, _ name: String) -> PipeCollector {
    PipeCollector(pipe, name: "\(name) of \(child.name)", limit: limit) { result in
      if case .failure(let error) = result {
        self.call.fail(error)
        self.stop()
      }
    }
  }

  private func end(_ status: Int) {
    let (out, err) = state.with { state in
      defer { state = State() }
      return (state.out, state.err)
    }
    guard let out, let err else { return }
    out.drain()
    err.drain()
    call.succeed(ProcessResult(status: status, out: out.bytes, err: err.bytes))
    out.stop()
    err.stop()
  }

  private func stop() {
    let former = state.with { state in
      defer { state = State() }
      return state
    }
    former.out?.stop()
    former.err?.stop()
    child.end()
  }
}

/// Lines of one output, the end of the other, and the end. On the loop.
private final class LinesRun: Sendable {
  private struct State {
    var lines: PipeLines?
    var err: PipeTail?
    var status: Int?
    var isOutputDone = false
  }

  private let child: Child
  private let stream: Stream<LineBatch>
  private let state = LoopLocal(State())

  init(_ child: Child, _ stream: Stream<LineBatch>) { (self.child, self.stream) = (child, stream) }

  func begin() {
    let lines = PipeLines(child.output, name: "output of \(child.name)", stream) { result in
      if case .failure(let error) = result { self.fail(error) }
      self.state.with { $0.isOutputDone = true }
      self.finish()
    }
    let err = PipeTail(child.errors)
    do throws(IOError) {
      try err.start()
      try child.onEnd { self.end($0) }
    } catch {
      child.abandon()
      stream.fail(error)
      return err.stop()
    }
    state.with { $0 = State(lines: lines, err: err) }
    stream.onChange(
      .init(
        pause: { self.state.with { $0.lines }?.pause() }, resume: { self.state.with { $0.lines }?.resume() },
        cancel: { self.stop() }))
    lines.start()
  }

  private func end(_ status: Int) {
    let lines = state.with { state in
      state.status = status
      return state.lines
    }
    lines?.endWhenEmpty()
    finish()
  }

  private func finish() {
    let (status, err) = state.with { state in (state.isOutputDone ? state.status : nil, state.err) }
    guard let status else { return }
    let last = err?.lastLine() ?? ""
    if status == 0 {
      stream.finish()
    } else {
      stream.fail(IOError("\(child.name) ended with status \(status)" + (last.isEmpty ? "" : ": \(last)")))
    }
    stop()
  }

  private func fail(_ error: IOError) {
    stream.fail(error)
    stop()
  }

  private func stop() {
    let former = state.with { state in
      defer { state = State() }
      return state
    }
    former.lines?.stop()
    former.err?.stop()
    if former.status == nil, former.lines != nil { child.end() }
  }
}

/// Reads what is said, and keeps its end. On the loop.
private final class PipeTail {
  private let pipe: PipeWatch
  private var bytes: [UInt8] = []
  private static let kept = 4096

  init(_ file: Descriptor) { pipe = PipeWatch(file) }

  func start() throws(IOError) { try pipe.start { [unowned self] in _ = take() } }

  func stop() { pipe.stop() }

  private func take() -> Bool {
    var buffer = [UInt8](repeating: 0, count: PipeWatch.block)
    let (count, error) = buffer.withUnsafeMutableBytes { pipe.fill($0) }
    switch PipeWatch.Outcome(count, error) {
    case .some:
      bytes = Array((bytes + buffer[..<count]).suffix(Self.kept))
      return true
    case .later: return false
    case .end, .failed:
      stop()
      return false
    }
  }

  func lastLine() -> String {
    while take() {}
    let line = bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).last ?? []
    return String(decoding: line, as: UTF8.self)
  }
}
