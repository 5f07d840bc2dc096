import Glibc
import Synchronization
import Testing

@testable import FRPIO

@Suite struct LoopTests {
  @Test func jobsKeepTheirOrder() {
    let log = Log<Int>()
    for number in 0..<1000 { IOLoop.shared.run { log.add(number) } }
    #expect(log.wait { $0.count == 1000 } == Array(0..<1000))
  }

  /// A job that another gives runs after the present turn, and after what was given from elsewhere before.
  @Test func jobsOfJobs() {
    let seen: [String]? = onLoop { tell in
      let seen = LoopLocal([String]())
      IOLoop.shared.run {
        seen.with { $0.append("second") }
        tell(seen.with { $0 })
      }
      seen.with { $0.append("first") }
    }
    #expect(seen == ["first", "second"])
  }

  /// Someone who always has one more job does not keep timers and descriptors from their turn.
  @Test func nobodyStarves() {
    let isFair: Bool? = onLoop { tell in
      let goesOn = LoopLocal(true)
      @Sendable func again() { IOLoop.shared.run { if goesOn.with({ $0 }) { again() } } }
      again()
      _ = IOLoop.shared.after(5_000_000) {
        goesOn.with { $0 = false }
        tell(true)
      }
    }
    #expect(isFair == true)
  }

  @Test func timersComeInTheirOrder() {
    let seen: [Int]? = onLoop { tell in
      let seen = LoopLocal([Int]())
      for number in [3, 1, 2] {
        _ = IOLoop.shared.after(number * 10_000_000) {
          seen.with { $0.append(number) }
          if number == 3 { tell(seen.with { $0 }) }
        }
      }
      let cancelled = IOLoop.shared.after(15_000_000) { seen.with { $0.append(-1) } }
      _ = IOLoop.shared.after(5_000_000) { cancelled.cancel() }
    }
    #expect(seen == [1, 2, 3])
  }

  @Test func timersAreNeverEarly() {
    let lateness: Int? = onLoop { tell in
      let moment = IOLoop.now + 3_300_000
      _ = IOLoop.shared.at(moment) { tell(IOLoop.now - moment) }
    }
    #expect(lateness.map { $0 >= 0 } == true)
  }

  /// Random sets and cancels, against a sorted list.
  @Test(arguments: 0..<20) func heap(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let heap = TimerHeap()
    let called = LoopOrder()
    var timers: [(key: (Int, Int), timer: IOTimer)] = []
    for number in 0..<300 {
      let moment = Int.random(in: 0..<40, using: &random)
      let timer = IOTimer(moment: moment) { called.numbers.append(number) }
      heap.insert(timer)
      timers.append(((moment, number), timer))
      if random.next() % 3 == 0 {
        let victim = timers.remove(at: Int.random(in: 0..<timers.count, using: &random))
        victim.timer.cancel()
        victim.timer.cancel()
      }
    }
    heap.run()
    #expect(called.numbers == timers.map(\.key).sorted(by: <).map(\.1))
    #expect(heap.wait == -1)
  }

  @Test func readinessOfPipes() throws {
    let pipe = try Pipe()
    let read: [UInt8]? = onLoop { tell in
      let watch = LoopLocal<IOWatch?>(nil)
      let made = try? IOLoop.shared.watch(pipe.readable, .reading) { ready in
        #expect(ready == .readable)
        tell(pipe.take())
        watch.with { $0?.cancel() }
      }
      watch.with { $0 = made }
      pipe.put([1, 2, 3])
    }
    #expect(read == [1, 2, 3])
  }

  /// The writer's end is told as readable; a watch that waits for nothing is not told it at every turn.
  @Test func pausedWatchesSleep() throws {
    let pipe = try Pipe()
    let calls: [Int]? = onLoop { tell in
      let calls = LoopLocal(0)
      let made = try? IOLoop.shared.watch(pipe.readable, .reading) { _ in calls.with { $0 += 1 } }
      guard let watch = made else { return }
      try? watch.set([])
      pipe.closeWriter()
      _ = IOLoop.shared.after(20_000_000) {
        let before = calls.with { $0 }
        try? watch.set(.reading)
        _ = IOLoop.shared.after(20_000_000) {
          watch.cancel()
          tell([before, calls.with { $0 }])
        }
      }
    }
    #expect(calls?.first == 0)
    #expect(calls?.last.map { $0 > 0 } == true)
  }

  /// Of two descriptors that are ready in one turn, the first cancels the second.
  @Test func cancelledInTheSameTurn() throws {
    let pipes = [try Pipe(), try Pipe()]
    let calls: Int? = onLoop { tell in
      let (calls, watches) = (LoopLocal(0), LoopLocal([IOWatch]()))
      for pipe in pipes {
        pipe.put([1])
        let watch = try? IOLoop.shared.watch(pipe.readable, .reading) { _ in
          calls.with { $0 += 1 }
          for watch in watches.with({ $0 }) { watch.cancel() }
        }
        if let watch { watches.with { $0.append(watch) } }
      }
      _ = IOLoop.shared.after(20_000_000) { tell(calls.with { $0 }) }
    }
    #expect(calls == 1)
  }

  @Test func whatCannotBeWatchedIsSaid() {
    let error: IOError? = onLoop { tell in
      do throws(IOError) { _ = try IOLoop.shared.watch(9999, .reading) { _ in } } catch { tell(error) }
    }
    #expect(error == IOError("bad file descriptor: descriptor 9999"))
  }
}

@Suite struct OperationTests {
  @Test func endsOnce() {
    let log = Log<Int>()
    let call = Call<Int> { result in log.add((try? result.get()) ?? -1) }
    call.succeed(1)
    call.succeed(2)
    call.cancel()
    _ = onLoop { tell in tell(()) } as Void?
    #expect(log.all.count <= 1 && !log.all.contains(2))
  }

  @Test func nothingAfterCancel() {
    for _ in 0..<200 {
      let log = Log<Int>()
      let call = Call<Int> { _ in log.add(1) }
      call.onCancel { log.add(2) }
      IOLoop.shared.run { call.succeed(1) }
      call.cancel()
      let before = log.all
      _ = onLoop { tell in tell(()) } as Void?
      // Either it had ended, or only the hook is called.
      #expect(log.all == [1] || (!before.contains(1) && log.all == [2]))
    }
  }

  @Test func hooksThatComeLate() {
    let log = Log<String>()
    let stream = Stream<Int>(item: { _ in }, end: { _ in log.add("end") })
    stream.pause()
    #expect(!stream.isWanted && stream.isOpen)
    stream.onChange(.init(pause: { log.add("pause") }, resume: { log.add("resume") }, cancel: { log.add("cancel") }))
    stream.resume()
    stream.resume()
    #expect(log.wait { $0.count == 2 } == ["pause", "resume"])
    stream.cancel()
    stream.finish()
    stream.onChange(.init(cancel: { log.add("cancelled late") }))
    #expect(log.wait { $0.count == 4 } == ["pause", "resume", "cancel", "cancelled late"])
  }

  @Test func itemsBeforeTheEnd() {
    let log = Log<String>()
    let stream = Stream<Int>(item: { log.add("\($0)") }, end: { _ in log.add("end") })
    IOLoop.shared.run {
      stream.give(1)
      stream.finish()
      stream.give(2)
      stream.finish(.failure(IOError("twice")))
    }
    _ = log.wait { $0.count == 3 }
    #expect(log.all == ["1", "2", "end"])
  }

  @Test(arguments: [
    (ENOENT, "no such file: a.txt"), (EACCES, "permission denied: a.txt"), (EIO, "input/output error: a.txt"),
    (ENOSPC, "no space left on device: a.txt"), (EISDIR, "it is a directory: a.txt"),
  ])
  func words(_ code: Int32, _ message: String) { #expect(IOError(code, "a.txt").message == message) }
}

private final class LoopOrder { var numbers: [Int] = [] }

struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A pipe that does not block.
final class Pipe: Sendable {
  let readable: Int32
  private let writable: Mutex<Int32>

  init() throws(IOError) {
    let ends = try Descriptors.pipe()
    readable = ends.readable
    writable = Mutex(ends.writable)
    Descriptors.setNonBlocking(readable)
  }

  deinit {
    close(readable)
    closeWriter()
  }

  func put(_ bytes: [UInt8]) { writable.withLock { _ = write($0, bytes, bytes.count) } }

  func closeWriter() {
    writable.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  func take() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(readable, &bytes, 100)
    return Array(bytes.prefix(max(0, count)))
  }
}
