// Reading what epoll waits for: pipes, FIFOs, terminals. On the loop's thread; the descriptors do not block.

import Glibc

/// A descriptor that is read when there is something.
final class PipeWatch {
  let file: Descriptor
  private var watch: IOWatch?
  private var isReading = true

  init(_ file: Descriptor) { self.file = file }

  /// Calls `body` at each turn in which there is something to read, or the end.
  func start(_ body: @escaping () -> Void) throws(IOError) {
    watch = try file.with { number throws(IOError) in try IOLoop.shared.watch(number, .reading) { _ in body() } }
    if !isReading { try watch?.set([]) }
  }

  func set(isReading: Bool) throws(IOError) {
    self.isReading = isReading
    try watch?.set(isReading ? .reading : [])
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  enum Outcome {
    case some, later, end
    case failed(Int32)

    /// Of what read(2) returned.
    init(_ count: Int, _ error: Int32) {
      // A terminal whose other side is gone says EIO.
      if count > 0 {
        self = .some
      } else if count == 0 || error == EIO {
        self = .end
      } else {
        self = error == EAGAIN || error == EINTR ? .later : .failed(error)
      }
    }
  }

  /// One read(2).
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> (count: Int, error: Int32) {
    let count = file.with { read($0, buffer.baseAddress, buffer.count) }
    return (count, count < 0 ? errno : 0)
  }

  static let block = 1 << 16
}

/// Takes all that comes through a pipe, up to a limit.
final class PipeCollector {
  private let pipe: PipeWatch
  private let limit: Int
  private let done: (Result<Void, IOError>) -> Void
  private let name: String
  private(set) var bytes: [UInt8] = []
  private(set) var isDone = false

  /// `done` is called once, with the end or what is wrong.
  init(_ file: Descriptor, name: String, limit: Int, _ done: @escaping (Result<Void, IOError>) -> Void) {
    (pipe, self.name, self.limit, self.done) = (PipeWatch(file), name, limit, done)
  }

  func start() {
    do throws(IOError) { try pipe.start { self.turn() } } catch { finish(.failure(error)) }
  }

  func stop() {
    isDone = true
    pipe.stop()
  }

  /// Takes what is there at once, without waiting for an end that others may never make.
  func drain() { while !isDone, turn() {} }

  /// Whether there may be more at once.
  @discardableResult
  private func turn() -> Bool {
    var (count, error): (Int, Int32) = (0, 0)
    let part = [UInt8](unsafeUninitializedCapacity: PipeWatch.block) { buffer, filled in
      (count, error) = pipe.fill(UnsafeMutableRawBufferPointer(buffer))
      filled = max(0, count)
    }
    switch PipeWatch.Outcome(count, error) {
    case .some:
      bytes += part
      if bytes.count <= limit { return true }
      finish(.failure(IOError(tooLarge: name, limit)))
    case .later: break
    case .end: finish(.success(()))
    case .failed(let code): finish(.failure(IOError(code, name)))
    }
    return false
  }

  private func finish(_ result: Result<Void, IOError>) {
    stop()
    done(result)
  }
}

extension PipeCollector {
  /// Reads to the end for a call.
  static func collect(_ file: Descriptor, name: String, limit: Int, _ call: Call<[UInt8]>) {
    let holder = LoopLocal<PipeCollector?>(nil)
    let collector = PipeCollector(file, name: name, limit: limit) { result in
      call.finish(result.map { holder.with { $0?.bytes ?? [] } })
      holder.with { $0 = nil }
    }
    holder.with { $0 = collector }
    call.onCancel {
      holder.with { collector in
        collector?.stop()
        collector = nil
      }
    }
    collector.start()
  }
}

/// Gives the lines that come through a pipe to a stream.
final class PipeLines {
  private let pipe: PipeWatch
  private let name: String
  private let stream: Stream<LineBatch>
  private var cutter = LineCutter()
  private let done: (Result<Void, IOError>) -> Void
  private(set) var isDone = false
  /// Whether nobody is left who should write: what is there is all that comes.
  private var endsWhenEmpty = false

  init(
    _ file: Descriptor, name: String, _ stream: Stream<LineBatch>, _ done: @escaping (Result<Void, IOError>) -> Void
  ) {
    (pipe, self.name, self.stream, self.done) = (PipeWatch(file), name, stream, done)
  }

  func start() {
    do throws(IOError) { try pipe.start { self.turn() } } catch { finish(.failure(error)) }
  }

  func stop() {
    isDone = true
    pipe.stop()
  }

  func pause() { try? pipe.set(isReading: false) }

  func resume() {
    if isDone { return }
    do throws(IOError) { try pipe.set(isReading: true) } catch { finish(.failure(error)) }
    if endsWhenEmpty { turn() }
  }

  /// Gives what is there, and ends without an end that others may never make.
  func endWhenEmpty() {
    endsWhenEmpty = true
    turn()
  }

  private func turn() {
    if isDone { return }
    if !stream.isWanted { return pause() }
    repeat { takeBlock() } while endsWhenEmpty && !isDone && stream.isWanted
  }

  private func takeBlock() {
    var error: Int32 = 0
    let (batch, count) = cutter.read(PipeWatch.block) { buffer in
      let result = pipe.fill(buffer)
      error = result.error
      return result.count
    }
    if !batch.isEmpty { stream.give(batch) }
    switch PipeWatch.Outcome(count, error) {
    case .some: break
    case .later: if endsWhenEmpty { end() }
    case .end: end()
    case .failed(let code): finish(.failure(IOError(code, name)))
    }
  }

  private func end() {
    let last = cutter.end()
    if !last.isEmpty { stream.give(last) }
    finish(.success(()))
  }

  private func finish(_ result: Result<Void, IOError>) {
    stop()
    done(result)
  }
}
