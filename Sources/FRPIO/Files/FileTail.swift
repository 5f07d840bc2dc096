// The lines that are added to a file, whatever becomes of its name: `tail -F -n 0`, with whole lines.
//
// Rules
// - It begins at the end. A line that ends after the beginning is given whole; where there is no file yet, the one that
//   comes is read from its start.
// - Where the name leads to another file (rotation by renaming, a link that is swapped, deletion and creation anew), the old
//   one is read to its end, and read on for five seconds, since its writer may not have noticed; then the new one from its
//   start. A file that has become shorter (copytruncate) is read from its start. Lines that were added and cut off between
//   two looks cannot be known.
// - Where the folder that was granted has gone, or another has taken its place, it ends with that.
// - What an old file ends with, without a line break, is a line: it is given before anything of a newer file, since whoever writes there has
//   done with the old one, and else after those five seconds.

import CLinux
import Glibc

extension Files {
  /// The lines that are added to a file from now on. It does not end by itself.
  public func tail(
    _ path: String, item: @escaping @Sendable (LineBatch) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    do throws(IOError) { try access.checkRead(path) } catch {
      stream.fail(error)
      return stream
    }
    FileTail(access, path, stream).begin()
    return stream
  }
}

/// When to look, and whom to give what was found.
private final class FileTail: Sendable {
  private struct State {
    var observer: FileObserver?
    var isLooking = false
    /// Whether something came while a worker looked, or it has not seen the end of what is there.
    var hasMore = false
    /// What was read while the listener paused.
    var waiting: [LineBatch] = []
  }

  private let access: Access
  private let path: String
  private let stream: Stream<LineBatch>
  private let state = LoopLocal(State())
  private let followed: Handed<FollowedFile>

  init(_ access: Access, _ path: String, _ stream: Stream<LineBatch>) {
    (self.access, self.path, self.stream) = (access, path, stream)
    followed = Handed(FollowedFile(access, path))
  }

  func begin() {
    stream.onChange(.init(resume: { self.resume() }, cancel: { self.stop() }))
    IOLoop.shared.run {
      if !self.stream.isOpen { return }
      let name = (try? PathName(self.path))?.names.last ?? []
      self.state.with { $0.observer = FileObserver(name: name) { _ in self.look() } }
      self.look()
    }
  }

  private func stop() {
    state.with { state in
      state.observer?.stop()
      state.observer = nil
    }
  }

  private func look() {
    let isBusy = state.with { state in
      if state.isLooking || !stream.isWanted {
        state.hasMore = true
        return true
      }
      (state.isLooking, state.hasMore) = (true, false)
      return false
    }
    if isBusy { return }
    Workers.reading.run {
      let found = self.followed.with { followed in Result { () throws(IOError) in try followed.read() } }
      let watched = found.isNews ? try? self.access.watched(self.path) : nil
      IOLoop.shared.run { self.take(found, watched) }
    }
  }

  private func take(_ found: Result<FollowedFile.Found, IOError>, _ watched: (Descriptor?, Descriptor?)?) {
    let observer = state.with { state in
      state.isLooking = false
      return state.observer
    }
    // What happened before it was watched is looked for again.
    let isNew = watched.map { observer?.watch(directory: $0, file: $1) ?? false } ?? false
    switch found {
    case .success(let found):
      state.with { state in
        state.hasMore = state.hasMore || found.hasMore || isNew
        state.waiting += found.batches
      }
      give()
    case .failure(let error):
      stream.fail(error)
      stop()
    }
  }

  /// Gives what waits, and looks on if there is reason to.
  private func give() {
    while stream.isWanted {
      let batch = state.with { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
      guard let batch else { break }
      stream.give(batch)
    }
    if stream.isWanted, state.with({ $0.hasMore }) { look() }
  }

  private func resume() { give() }
}

extension Result<FollowedFile.Found, IOError> {
  fileprivate var isNews: Bool { (try? get().isNews) ?? false }
}

/// The file that a name leads to, and those it led to before. On a worker.
struct FollowedFile {
  struct Found: Sendable {
    var batches: [LineBatch] = []
    /// Whether it may be read on at once.
    var hasMore = false
    /// Whether the name leads somewhere else than before.
    var isNews = false
  }

  private struct Open {
    let file: Descriptor
    let identity: FileIdentity
    var position: off_t
    var cutter = LineCutter()
    /// Until when it is read on, of one whose name leads elsewhere.
    var ends = Int.max

    init(_ file: Descriptor, _ status: stat) {
      (self.file, identity, position) = (file, status.identity, 0)
    }
  }

  private let access: Access
  private let path: String
  private var present: Open?
  private var former: [Open] = []
  private var isFirst = true

  private static let grace = 5_000_000_000
  /// More are dropped: a name that leads elsewhere so often is not rotated.
  private static let mostFormer = 8

  init(_ access: Access, _ path: String) { (self.access, self.path) = (access, path) }

  /// Reads a block of what was added.
  mutating func read() throws(IOError) -> Found {
    var found = Found()
    defer { isFirst = false }
    try readFormer(&found)
    if var open = present {
      // It is held once only: a line of many blocks is not copied at each.
      present = nil
      let read = Result { () throws(IOError) in try Self.read(&open, path) }
      present = open
      let (lines, count) = try read.get()
      if count > 0 { endFormer(former.count, &found) }
      add(lines, count, &found)
      if count != 0 { return found }
    }
    try follow(&found)
    return found
  }

  /// The oldest first.
  private mutating func readFormer(_ found: inout Found) throws(IOError) {
    var index = 0
    while index < former.count {
      let (lines, count) = try Self.read(&former[index], path)
      if count > 0 { endFormer(index, &found) }
      add(lines, count, &found)
      if count != 0 || former[index].ends > IOLoop.now {
        index += 1
      } else {
        add(former[index].cutter.end(), &found)
        former.remove(at: index)
      }
    }
  }

  /// What the oldest of the former files end with is whole: there is something in a newer one.
  private mutating func endFormer(_ count: Int, _ found: inout Found) {
    for index in 0..<count { add(former[index].cutter.end(), &found) }
  }

  private func add(_ lines: [LineBatch], _ count: Int, _ found: inout Found) {
    for batch in lines { add(batch, &found) }
    // Once more after anything was read, so that the end is seen.
    if count != 0 { found.hasMore = true }
  }

  /// The lines that a block ends, and how many bytes it has; -1 where it is to be read again.
  private static func read(_ open: inout Open, _ path: String) throws(IOError) -> (lines: [LineBatch], count: Int) {
    var lines: [LineBatch] = []
    if let size = open.file.status?.st_size, size < open.position {
      lines.append(open.cutter.end())
      open.position = 0
    }
    var error: Int32 = 0
    let (batch, count) = open.cutter.read(Files.block) { buffer in
      open.file.with { number in
        let count = pread(number, buffer.baseAddress, buffer.count, open.position)
        error = count < 0 ? errno : 0
        return count
      }
    }
    if count < 0, error != EINTR { throw IOError(error, path) }
    open.position += off_t(max(0, count))
    lines.append(batch)
    return (lines, count)
  }

  private func add(_ batch: LineBatch, _ found: inout Found) { if !batch.isEmpty { found.batches.append(batch) } }

  /// Looks whether the name leads elsewhere.
  private mutating func follow(_ found: inout Found) throws(IOError) {
    found.isNews = isFirst
    try access.checkStands(path)
    let file: Descriptor
    do throws(IOError) { file = try access.open(path, .read, O_RDONLY | O_NONBLOCK | O_NOCTTY) } catch {
      // It may come back; what is open is read on. Who rotates makes the new file first, and gives it away then.
      if error.isOne(of: ENOENT, ENOTDIR, about: path) || (!isFirst && error.isOne(of: EACCES, about: path)) { return }
      throw error
    }
    guard let status = file.status, status.identity != present?.identity else { return }
    if !status.isRegular { throw IOError("not a regular file: \(path)") }
    retire(&found)
    var open = Open(file, status)
    if isFirst { open.position = lastLineStart(file, status.st_size) }
    present = open
    (found.isNews, found.hasMore) = (true, true)
  }

  private mutating func retire(_ found: inout Found) {
    guard var open = present else { return }
    open.ends = IOLoop.now + Self.grace
    former.append(open)
    if former.count <= Self.mostFormer { return }
    add(former[0].cutter.end(), &found)
    former.removeFirst()
  }

  /// Behind the last line break: a line that is half written is given when it is whole.
  private func lastLineStart(_ file: Descriptor, _ size: off_t) -> off_t {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var end = size
    while end > 0, size - end < off_t(LineCutter.longest) {
      let start = max(0, end - off_t(buffer.count))
      let count = file.with { pread($0, &buffer, Int(end - start), start) }
      if count <= 0 { break }
      if let newline = buffer[..<count].lastIndex(of: 0x0A) { return start + off_t(newline) + 1 }
      end = start
    }
    return end > 0 ? size : 0
  }
}
