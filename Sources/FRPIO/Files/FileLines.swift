// The lines of a file from its start to its end, block by block: a worker reads the next one while the listener has the
// last one.

import Glibc

extension Files {
  /// Blocks of a file; larger ones are no faster, and a pause is heeded between two.
  static let block = 1 << 18

  /// The lines of a file, or of a pipe while it is open. A batch has as many as were read at once.
  public func lines(
    _ path: String, item: @escaping @Sendable (LineBatch) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    Workers.reading.run { [access] in
      if !stream.isOpen { return }
      do throws(IOError) {
        let file = try access.open(path, .read, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        if file.status?.isDirectory == true { throw IOError(EISDIR, path) }
        if isPipe(file) {
          IOLoop.shared.run { PipeLines.begin(file, name: path, stream) }
        } else {
          FileLines(file, name: path, stream).begin()
        }
      } catch { stream.fail(error) }
    }
    return stream
  }
}

extension PipeLines {
  /// Gives lines to a stream until the pipe's end.
  static func begin(_ file: Descriptor, name: String, _ stream: Stream<LineBatch>) {
    let lines = LoopLocal(PipeLines(file, name: name, stream) { stream.finish($0) })
    stream.onChange(
      .init(
        pause: { lines.with { $0 }.pause() }, resume: { lines.with { $0 }.resume() },
        cancel: { lines.with { $0 }.stop() }))
    lines.with { $0 }.start()
  }
}

private final class FileLines: Sendable {
  /// What a worker has read.
  private enum Part: Sendable {
    case batch(LineBatch)
    case end(LineBatch)
    case failed(IOError)
  }

  private struct State {
    /// Whether a worker is reading.
    var isReading = false
    /// What was read while the listener paused.
    var waiting: Part?
  }

  private let file: Descriptor
  private let name: String
  private let stream: Stream<LineBatch>
  private let state = LoopLocal(State())
  /// Used by one worker at a time, and handed on through the loop.
  private let cutter = Handed(LineCutter())

  init(_ file: Descriptor, name: String, _ stream: Stream<LineBatch>) {
    (self.file, self.name, self.stream) = (file, name, stream)
  }

  func begin() {
    stream.onChange(.init(resume: { self.turn() }))
    IOLoop.shared.run { self.turn() }
  }

  /// Gives what waits, and has the next block read meanwhile.
  private func turn() {
    guard stream.isWanted, state.with({ !$0.isReading }) else { return }
    let part = state.with { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    switch part {
    case nil: readNext()
    case .batch(let batch):
      readNext()
      if !batch.isEmpty { stream.give(batch) }
    case .end(let batch):
      if !batch.isEmpty { stream.give(batch) }
      stream.finish()
    case .failed(let error): stream.fail(error)
    }
  }

  private func readNext() {
    state.with { $0.isReading = true }
    Workers.reading.run {
      let part = self.stream.isOpen ? self.read() : .end(LineBatch())
      IOLoop.shared.run {
        self.state.with { state in
          state.isReading = false
          state.waiting = part
        }
        self.turn()
      }
    }
  }

  private func read() -> Part {
    cutter.with { cutter in
      var error: Int32 = 0
      let (batch, count) = cutter.read(Files.block) { buffer in
        file.with { number in
          let count = Glibc.read(number, buffer.baseAddress, buffer.count)
          error = count < 0 ? errno : 0
          return count
        }
      }
      if count < 0 { return error == EINTR ? .batch(batch) : .failed(IOError(error, name)) }
      return count == 0 ? .end(cutter.end()) : .batch(batch)
    }
  }
}

/// A value that is handed from thread to thread, so that no two use it at once: jobs of workers begin and end on the loop.
final class Handed<Value>: @unchecked Sendable {
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func with<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
}
