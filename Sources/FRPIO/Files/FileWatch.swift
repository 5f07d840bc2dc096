// What changes in a directory, or of one file.
//
// Rules
// - Each change is told once it is whole: a file when its writer closes it, or has not written for 100 ms; what is moved
//   there, or taken away, at once. Several changes of one name that nobody has taken yet are one.
// - A directory that goes away ends with `Err`; a file that goes away may come again.

import CLinux
import Glibc

/// A name that changed.
public struct FileChange: Hashable, Sendable {
  /// As it would be opened: below the path that is watched.
  public let path: String
  /// Whether nothing is there any more.
  public let gone: Bool
}

extension Files {
  /// Each change of a file, or of the names in a directory.
  public func watch(
    _ path: String, item: @escaping @Sendable (FileChange) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    Workers.reading.run { [access] in
      do throws(IOError) {
        try access.checkRead(path)
        let target = try? access.open(path, .read, clinux_o_path)
        if target?.status?.isDirectory == true, let target {
          IOLoop.shared.run { FileWatch(access, path, only: nil, stream).begin(target) }
        } else {
          let name = try PathName(path).names.last
          guard let holder = try access.watched(path).directory else { throw IOError(ENOENT, path) }
          IOLoop.shared.run { FileWatch(access, path, only: name, stream).begin(holder) }
        }
      } catch { stream.fail(error) }
    }
    return stream
  }
}

private final class FileWatch: Sendable {
  private struct State {
    var watch: Inotify.Watch?
    /// Names that somebody writes to, and when they are taken to be whole.
    var unsettled: [[UInt8]: IOTimer] = [:]
    /// What is told once the listener goes on: the newest of each name, in their order.
    var waiting: [[UInt8]] = []
    var gone: [[UInt8]: Bool] = [:]
    /// What is known to be there, so that what is lost can be told.
    var known: Set<[UInt8]> = []
  }

  private static let quiet = 100_000_000

  private let access: Access
  private let path: String
  /// The name of the file, if it is one.
  private let only: [UInt8]?
  private let stream: Stream<FileChange>
  private let state = LoopLocal(State())

  init(_ access: Access, _ path: String, only: [UInt8]?, _ stream: Stream<FileChange>) {
    (self.access, self.path, self.only, self.stream) = (access, path, only, stream)
  }

  func begin(_ directory: Descriptor) {
    guard stream.isOpen else { return }
    guard let watch = Inotify.shared.with({ $0 }).add(directory, { event in self.tell(event) }) else {
      return stream.fail(IOError("the system has no watch left for: \(path)"))
    }
    state.with { $0.watch = watch }
    stream.onChange(.init(resume: { self.flush() }, cancel: { self.stop() }))
    rescan { present in self.state.with { $0.known.formUnion(present) } }
  }

  private func stop() {
    state.with { state in
      state.watch?.cancel()
      state.watch = nil
      for timer in state.unsettled.values { timer.cancel() }
      state.unsettled = [:]
    }
  }

  private func tell(_ event: Inotify.Event) {
    if event.has(IN_Q_OVERFLOW) { return findLost() }
    if event.name.isEmpty {
      if event.has(IN_DELETE_SELF, IN_MOVE_SELF, IN_IGNORED) {
        stream.fail(IOError("it is gone: \(path)"))
        stop()
      }
      return
    }
    if let only, event.name != only { return }
    if event.has(IN_DELETE, IN_MOVED_FROM) {
      add(event.name, gone: true)
    } else if event.has(IN_CLOSE_WRITE, IN_MOVED_TO, IN_ISDIR) {
      add(event.name, gone: false)
    } else if event.has(IN_CREATE, IN_MODIFY) {
      settle(event.name)
    }
  }

  private func settle(_ name: [UInt8]) {
    state.with { state in
      state.unsettled[name]?.cancel()
      state.unsettled[name] = IOLoop.shared.after(Self.quiet) { self.add(name, gone: false) }
    }
  }

  private func add(_ name: [UInt8], gone: Bool) {
    state.with { state in
      state.unsettled.removeValue(forKey: name)?.cancel()
      if gone { state.known.remove(name) } else { state.known.insert(name) }
      if state.gone.updateValue(gone, forKey: name) == nil { state.waiting.append(name) }
    }
    flush()
  }

  private func flush() {
    while stream.isWanted {
      let next = state.with { state -> (name: [UInt8], gone: Bool)? in
        if state.waiting.isEmpty { return nil }
        let name = state.waiting.removeFirst()
        return (name, state.gone.removeValue(forKey: name) ?? false)
      }
      guard let next else { return }
      stream.give(FileChange(path: path(of: next.name), gone: next.gone))
    }
  }

  private func path(of name: [UInt8]) -> String {
    if only != nil { return path }
    return (path.hasSuffix("/") ? path : path + "/") + String(decoding: name, as: UTF8.self)
  }

  /// The kernel has dropped events: everything that is there may have changed, and what is not there is gone.
  private func findLost() {
    rescan { present in
      let known = self.state.with { $0.known }
      for name in known.subtracting(present).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        self.add(name, gone: true)
      }
      for name in present.sorted(by: { $0.lexicographicallyPrecedes($1) }) { self.add(name, gone: false) }
    }
  }

  private func rescan(_ body: @escaping @Sendable (Set<[UInt8]>) -> Void) {
    let (access, path, only) = (access, path, only)
    Workers.reading.run {
      var present: Set<[UInt8]> = []
      if let only {
        if (try? access.open(path, .read, clinux_o_path)) != nil { present = [only] }
      } else if let directory = try? access.open(path, .read, O_RDONLY | O_DIRECTORY) {
        present = Set(((try? names(in: directory, path)) ?? []).map { Array($0.utf8) })
      }
      IOLoop.shared.run { [present] in if self.stream.isOpen { body(present) } }
    }
  }
}
