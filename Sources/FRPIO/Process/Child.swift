// A child process and its group, from its start to its end.
//
// Rules
// - It is started by one thread, which stays: the kernel kills a child whose starter ends, so that nothing outlives this
//   process, however it ends.
// - A group is signalled before its leader is reaped, never after: its number may then be another's.
// - When the leader has ended, what is left of its group is killed.

import CLinux
import Glibc
import Synchronization

final class Child: Sendable {
  let name: String
  private let pid: Int32
  private let pidfd: Descriptor
  /// The parent's ends.
  let output: Descriptor
  let errors: Descriptor
  /// When what has not heard SIGTERM is killed.
  private let deadline = LoopLocal<IOTimer?>(nil)

  /// Groups whose leaders are not reaped.
  private static let living = Mutex<Set<Int32>>([])
  /// How long a group has after SIGTERM.
  private static let grace = 2_000_000_000

  private init(_ name: String, pid: Int32, pidfd: Descriptor, output: Descriptor, errors: Descriptor) {
    (self.name, self.pid, self.pidfd, self.output, self.errors) = (name, pid, pidfd, output, errors)
  }

  /// Starts a granted program. On the thread for starting.
  static func start(_ program: GrantedProgram, _ word: String, _ arguments: [String]) throws(IOError) -> Child {
    if arguments.contains(where: { $0.utf8.contains(0) }) { throw IOError("an argument contains a NUL: \(word)") }
    let (file, path) = try open(program, word)
    let (output, errors) = (try PipeEnds(), try PipeEnds())
    let input = try Descriptor.open(PathName("/dev/null"), O_RDONLY)
    var (pid, pidfd): (Int32, Int32) = (-1, -1)
    let words = ([word] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let error = input.with { input in
      output.writable.with { output in
        errors.writable.with { errors in
          path.withUnsafeBufferPointer { path in
            words.withUnsafeBufferPointer { words in
              spawn(file, path, words, (input, output, errors), &pid, &pidfd)
            }
          }
        }
      }
    }
    if error != 0 { throw IOError(error, word) }
    living.withLock { living in
      if living.isEmpty { _ = atExit }
      living.insert(pid)
    }
    return Child(
      word, pid: pid, pidfd: Descriptor(pidfd), output: output.readable, errors: errors.readable)
  }

  private static func spawn(
    _ file: Descriptor?, _ path: UnsafeBufferPointer<CChar>, _ words: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>,
    _ standard: (Int32, Int32, Int32), _ pid: inout Int32, _ pidfd: inout Int32
  ) -> Int32 {
    guard let arguments = words.baseAddress else { return EINVAL }
    func start(_ number: Int32) -> Int32 {
      var child = clinux_child(
        program: number, path: path.baseAddress, arguments: arguments, input: standard.0, output: standard.1,
        errors: standard.2)
      return clinux_spawn(&child, &pid, &pidfd)
    }
    return file?.with { start($0) } ?? start(-1)
  }

  /// The program, held; nil for a script, whose interpreter opens it by its path: that leads to the same file still.
  private static func open(_ program: GrantedProgram, _ word: String) throws(IOError) -> (Descriptor?, [CChar]) {
    let path = program.path.systemPath
    let file = try Descriptor.open(program.path, clinux_o_path, called: word)
    guard let status = file.status, status.isRegular else { throw IOError(EACCES, word) }
    guard let text = try? Descriptor.open(program.path, O_RDONLY | O_NONBLOCK) else { return (file, path) }
    var start: [UInt8] = [0, 0]
    let isScript = text.with { read($0, &start, 2) } == 2 && start == Array("#!".utf8)
    if !isScript { return (file, path) }
    if text.status?.identity != status.identity { throw IOError(EAGAIN, word) }
    return (nil, path)
  }

  /// Calls `body` on the loop once it has ended, with its exit code or 128 and the signal.
  func onEnd(_ body: @escaping (Int) -> Void) throws(IOError) {
    let watch = LoopLocal<IOWatch?>(nil)
    let made = try pidfd.with { number throws(IOError) in
      try IOLoop.shared.watch(number, .reading) { [self] _ in
        watch.with { $0 }?.cancel()
        body(reap())
      }
    }
    watch.with { $0 = made }
  }

  private func reap() -> Int {
    deadline.with { $0 }?.cancel()
    return Self.living.withLock { living in
      kill(-pid, SIGKILL)
      living.remove(pid)
      return Int(pidfd.with(clinux_reap))
    }
  }

  private func signal(_ number: Int32) {
    Self.living.withLock { living in
      if living.contains(pid) { kill(-pid, number) }
    }
  }

  /// Ends the group: SIGTERM, and SIGKILL for what is there two seconds later. On the loop.
  func end() {
    if !Self.living.withLock({ $0.contains(pid) }) { return }
    signal(SIGTERM)
    // One that was stopped hears nothing.
    signal(SIGCONT)
    let timer = IOLoop.shared.after(Self.grace) { [self] in signal(SIGKILL) }
    deadline.with { $0 = timer }
  }

  /// Kills the group and forgets it, where its end cannot be waited for.
  func abandon() {
    signal(SIGKILL)
    _ = reap()
  }

  /// When this process ends by itself: groups, not only their leaders.
  private static let atExit: Void = { atexit { Child.endAll() } }()

  /// Kills every group.
  static func endAll() {
    living.withLock { living in for pid in living { kill(-pid, SIGKILL) } }
  }
}

/// A pipe whose readable end does not block.
private struct PipeEnds {
  let readable: Descriptor
  let writable: Descriptor

  init() throws(IOError) {
    let ends = try Descriptors.pipe()
    Descriptors.setNonBlocking(ends.readable)
    (readable, writable) = (Descriptor(ends.readable), Descriptor(Self.aboveStandard(ends.writable)))
  }

  /// Where 0, 1 or 2 was closed, an end may have their number, which the child would cover too soon.
  private static func aboveStandard(_ number: Int32) -> Int32 {
    if number > 2 { return number }
    defer { close(number) }
    return fcntl(number, F_DUPFD_CLOEXEC, 3)
  }
}
