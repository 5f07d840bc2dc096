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
  private let input: Mutex<Descriptor?>
  let output: Descriptor
  let errors: Descriptor
  /// When what has not heard SIGTERM is killed.
  private let deadline = LoopLocal<IOTimer?>(nil)

  /// Groups whose leaders are not reaped.
  private static let living = Mutex<Set<Int32>>([])
  /// How long a group has after SIGTERM.
  private static let grace = 2_000_000_000

  private init(
    _ name: String, pid: Int32, pidfd: Descriptor, input: Descriptor?, output: Descriptor, errors: Descriptor
  ) {
    (self.name, self.pid, self.pidfd) = (name, pid, pidfd)
    self.input = Mutex(input)
    (self.output, self.errors) = (output, errors)
  }

  /// Starts a program that may be run, which sees these variables. On the thread for starting. With `listens`, something may be
  /// said to it.
  static func start(
    _ program: GrantedProgram, _ word: String, _ arguments: [String], _ environment: ChildEnvironment,
    listens: Bool = false
  ) throws(IOError) -> Child {
    if arguments.contains(where: { $0.utf8.contains(0) }) { throw IOError("an argument contains a NUL: \(word)") }
    let (output, errors) = (try PipeEnds(blocking: .writable), try PipeEnds(blocking: .writable))
    let input = listens ? try PipeEnds(blocking: .readable) : nil
    let source = if let input { input.readable } else { try Descriptor.open(PathName("/dev/null"), O_RDONLY) }
    let (pid, pidfd) = try spawn(
      program, [word] + arguments, environment.entries, [source, output.writable, errors.writable])
    living.withLock { living in
      if living.isEmpty { _ = atExit }
      living.insert(pid)
    }
    return Child(
      word, pid: pid, pidfd: pidfd, input: input?.writable, output: output.readable, errors: errors.readable)
  }

  private static func spawn(
    _ program: GrantedProgram, _ words: [String], _ variables: [[CChar]], _ standard: [Descriptor]
  ) throws(IOError) -> (Int32, Descriptor) {
    let (file, path) = try open(program, words[0])
    let (arguments, environment) = (CStrings(words.map { Array($0.utf8CString) }), CStrings(variables))
    let numbers = standard.map { $0.with { $0 } }
    var (pid, pidfd): (Int32, Int32) = (-1, -1)
    let error = path.withUnsafeBufferPointer { path in
      func start(_ number: Int32) -> Int32 {
        var child = clinux_child(
          program: number, path: path.baseAddress, arguments: arguments.start, environment: environment.start,
          input: numbers[0], output: numbers[1], errors: numbers[2])
        return clinux_spawn(&child, &pid, &pidfd)
      }
      return file?.with { start($0) } ?? start(-1)
    }
    withExtendedLifetime((arguments, environment)) {}
    withExtendedLifetime(standard) {}
    if error != 0 { throw IOError(error, words[0]) }
    return (pid, Descriptor(pidfd))
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

  /// What is said to the child goes there; closed by whoever takes it. Nil where nothing is said.
  func takeInput() -> Descriptor? {
    input.withLock { input in
      defer { input = nil }
      return input
    }
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

  /// Kills every group where that can be done at once: a signal's handler waits for no lock.
  static func endAllAtOnce() {
    _ = living.withLockIfAvailable { living in for pid in living { kill(-pid, SIGKILL) } }
  }

  /// Kills every group.
  static func endAll() {
    living.withLock { living in for pid in living { kill(-pid, SIGKILL) } }
  }
}

/// The processes that this one has begun.
public enum ChildProcesses {
  /// Kills them and their groups, from a signal's handler, before the process ends without its usual end.
  public static func killAtOnce() { Child.endAllAtOnce() }
}

/// Texts as C has them, NULL behind the last.
private final class CStrings {
  private let texts: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>
  let start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  init(_ texts: [[CChar]]) {
    start = .allocate(capacity: texts.count + 1)
    self.texts = UnsafeMutableBufferPointer(start: start, count: texts.count + 1)
    _ = self.texts.initialize(from: texts.map { strdup($0) } + [nil])
  }

  deinit {
    for text in texts { free(text) }
    start.deallocate()
  }
}

/// A pipe of which the child's end blocks, and ours does not.
private struct PipeEnds {
  let readable: Descriptor
  let writable: Descriptor

  enum End { case readable, writable }

  init(blocking end: End) throws(IOError) {
    let ends = try Descriptors.pipe()
    Descriptors.setNonBlocking(end == .writable ? ends.readable : ends.writable)
    readable = Descriptor(Self.aboveStandard(ends.readable))
    writable = Descriptor(Self.aboveStandard(ends.writable))
  }

  /// Where 0, 1 or 2 was closed, an end may have their number, which the child would cover too soon.
  private static func aboveStandard(_ number: Int32) -> Int32 {
    if number > 2 { return number }
    defer { close(number) }
    return fcntl(number, F_DUPFD_CLOEXEC, 3)
  }
}
