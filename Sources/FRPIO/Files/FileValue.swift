// The content of a file as it is now: whole, whenever it has changed.
//
// Rules
// - The first that is given is what is there at the start; nil where nothing is, so that whoever waits for it knows.
// - A file that is moved there is read at once; one that is written in place, when nobody has written for 50 ms. The same
//   bytes again are no change. Where the file goes away, its last content stays; where the folder does that was granted, it ends with that.

import CLinux
import Glibc

extension Files {
  /// The content of a file, and each new one.
  public func value(
    _ path: String, limit: Int = Files.limit, item: @escaping @Sendable ([UInt8]?) -> Void,
    end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    do throws(IOError) { try access.checkRead(path) } catch {
      stream.fail(error)
      return stream
    }
    FileValue(access, path, limit: limit, stream).begin()
    return stream
  }
}

private final class FileValue: Sendable {
  private struct State {
    var observer: FileObserver?
    var isLooking = false
    /// What came while a worker looked.
    var next: FileObserver.Reason?
    /// What was read while the listener paused.
    var waiting: [UInt8]?
    var settles: IOTimer?
  }

  /// What tells one content from another without reading it.
  private struct Stamp: Equatable {
    var identity: FileIdentity
    var size: Int
    var seconds: Int
    var nanoseconds: Int

    init(_ status: stat) {
      identity = status.identity
      (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct Seen {
    var isFirst = true
    var stamp: Stamp?
    var bytes: [UInt8]?
  }

  private enum Found: Sendable {
    case same
    case content([UInt8]?)
    /// Somebody may still be writing.
    case unsettled
    case failed(IOError)
  }

  private static let quiet = 50_000_000

  private let access: Access
  private let path: String
  private let limit: Int
  private let stream: Stream<[UInt8]?>
  private let state = LoopLocal(State())
  private let seen = Handed(Seen())

  init(_ access: Access, _ path: String, limit: Int, _ stream: Stream<[UInt8]?>) {
    (self.access, self.path, self.limit, self.stream) = (access, path, limit, stream)
  }

  func begin() {
    stream.onChange(.init(resume: { self.flush() }, cancel: { self.stop() }))
    IOLoop.shared.run {
      if !self.stream.isOpen { return }
      let name = (try? PathName(self.path))?.names.last ?? []
      self.state.with { $0.observer = FileObserver(name: name) { self.look($0) } }
      self.look(.changed)
    }
  }

  private func stop() {
    state.with { state in
      state.observer?.stop()
      state.settles?.cancel()
      (state.observer, state.settles) = (nil, nil)
    }
  }

  private func look(_ reason: FileObserver.Reason) {
    if !stream.isOpen { return }
    let isBusy = state.with { state in
      if state.isLooking { state.next = reason == .replaced ? reason : state.next ?? reason }
      defer { state.isLooking = true }
      return state.isLooking
    }
    if isBusy { return }
    Workers.reading.run {
      let watched = try? self.access.watched(self.path)
      let found = self.find(reason)
      IOLoop.shared.run {
        let observer = self.state.with { $0.observer }
        // What happened before it was watched is looked for again.
        if observer?.watch(directory: watched?.directory, file: watched?.file) == true {
          self.state.with { $0.next = $0.next ?? .changed }
        }
        self.take(found)
      }
    }
  }

  private func take(_ found: Found) {
    let next = state.with { state in
      state.isLooking = false
      defer { state.next = nil }
      return state.next
    }
    switch found {
    case .same: break
    case .content(let bytes):
      if stream.isWanted { stream.give(bytes) } else { state.with { $0.waiting = bytes } }
    case .unsettled:
      state.with { state in
        state.settles?.cancel()
        state.settles = IOLoop.shared.after(Self.quiet) { self.look(.changed) }
      }
    case .failed(let error):
      stream.fail(error)
      stop()
    }
    if let next { look(next) }
  }

  private func flush() {
    let bytes = state.with { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    if let bytes, stream.isOpen { stream.give(bytes) }
  }

  /// On a worker.
  private func find(_ reason: FileObserver.Reason) -> Found {
    seen.with { seen in
      defer { seen.isFirst = false }
      do throws(IOError) {
        try access.checkStands(path)
        let file = try access.open(path, .read, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        guard let status = file.status else { throw IOError(errno, path) }
        if Stamp(status) == seen.stamp { return .same }
        if !seen.isFirst, reason != .replaced, !isQuiet(status) { return .unsettled }
        let bytes = try contents(of: file, path, limit: limit)
        // A later write may come with the same time, while that is the present one.
        seen.stamp = isQuiet(status) ? Stamp(status) : nil
        defer { seen.bytes = bytes }
        return bytes == seen.bytes ? .same : .content(bytes)
      } catch {
        if error.isOne(of: ENOENT, ENOTDIR, about: path) { return seen.isFirst ? .content(nil) : .same }
        // Who replaces it may make the new one first, and give it away then.
        if !seen.isFirst, error.isOne(of: EACCES, about: path) { return .same }
        return .failed(error)
      }
    }
  }

  private func isQuiet(_ status: stat) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = (now.tv_sec - status.st_mtim.tv_sec) * 1_000_000_000 + now.tv_nsec - status.st_mtim.tv_nsec
    return !(0..<Self.quiet ~= age)
  }
}
