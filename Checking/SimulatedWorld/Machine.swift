// A machine of one process: its disk, its clocks, its pipe from outside, and chance, which decides what goes wrong and when.
//
// Rules
// - One number makes all that happens: the same is the same run, call by call.
// - A process that is killed goes on without a world: each of its calls fails, and nothing that it does is there. So all that it holds is given
//   back by the code that does so anyway.
// - Time passes with each call, and where somebody waits. Nothing is waited for.

import CSystemCalls
import FRPDifferential
import Glibc

final class Machine {
  private struct Open {
    var node: Node
    var offset = 0
    var isAppending = false
  }

  private let seed: UInt64
  var random: Random
  var disk = Disk()
  var faults = Faults.none
  /// Calls until the process ends as this says.
  private var fate: (calls: Int, ending: Ending)?
  /// Whether the process was killed.
  private(set) var isDead = false
  /// How many calls this process has made.
  private(set) var calls = 0
  /// Why the process is no good: it waits for what never comes, or goes on for ever.
  private(set) var problem: String?
  /// What happened, in sentences.
  private(set) var story: [String] = []
  var tally = Tally()
  /// Whether each call is told, too.
  let tellsAll: Bool

  /// Nanoseconds since the machine was built; the wall clock is so much before that.
  private var time = 1_000_000_000
  private var wall = 1_767_225_600 * 1_000_000_000
  private var opened: [Int32: Open] = [:]
  /// What the copy of the process has open.
  private var openedByCopy: [Int32: Open] = [:]
  private var isCopyAtWork = false
  private var table: UnsafeMutablePointer<simulated_system>?
  /// What comes through the pipe, and when; the next one last.
  var arrivals: [(time: Int, bytes: [UInt8])] = []
  private(set) var pipe: Node
  /// The standard output of the present process, or of the last one.
  private var output: Node
  /// Who else there is.
  private(set) lazy var outside = Outside(self)
  private var bytesRead = 0

  private static let mostCalls = 400_000

  init(seed: UInt64, tellsAll: Bool) {
    random = Random(seed: seed)
    (self.seed, self.tellsAll) = (seed, tellsAll)
    pipe = disk.make(.pipe)
    output = disk.make(.pipe)
  }

  deinit { table?.deallocate() }

  // MARK: Processes

  /// Runs a process of this machine. `ending` says after how many calls it ends so.
  func process<Result>(ending: (Int, Ending)?, _ body: () -> Result) -> Result {
    (isDead, calls, opened, isCopyAtWork) = (false, 0, [:], false)
    outside.forget()
    tally.processes += 1
    fate = ending.map { ($0.0, $0.1) }
    // What the process before has listened to, this one does not yet.
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    let table = self.table ?? systemTable()
    self.table = table
    simulated_enter(table)
    let result = body()
    simulated_leave()
    if !opened.isEmpty, problem == nil { problem = "\(opened.count) descriptors are left open" }
    return result
  }

  /// Lets another thread of the process do something while this one waits: its calls are the process's, too.
  func meanwhile<Result>(_ body: () -> Result) -> Result {
    guard let table else { preconditionFailure("nothing waits") }
    simulated_enter(table)
    defer { simulated_leave() }
    return body()
  }

  /// Looks at the files between two processes, and leaves them as they are.
  func look<Result>(_ body: () -> Result) -> Result {
    let (kept, before) = (disk, (isDead, calls, faults, fate, tally, time, story))
    disk = kept.copy()
    (isDead, calls, faults, fate) = (false, 0, .none, nil)
    defer { (disk, (isDead, calls, faults, fate, tally, time, story)) = (kept, before) }
    return meanwhile(body)
  }

  /// Before the next process.
  func restart(afterCrash: Bool) { disk.restart(afterCrash: &random, isCrash: afterCrash) }

  func tell(_ sentence: String) { story.append(sentence) }

  /// A descriptor of a new pipe, for the standard input.
  func openPipe() -> Int32 {
    pipe = disk.make(.pipe)
    let descriptor = simulated_reserve()
    opened[descriptor] = Open(node: pipe)
    return descriptor
  }

  /// A descriptor of the other end of a new pipe, for the standard output, whose reader is always there.
  func openOutput() -> Int32 {
    output = disk.make(.pipe)
    let descriptor = simulated_reserve()
    opened[descriptor] = Open(node: output, isAppending: true)
    return descriptor
  }

  /// What the process before has handed over to its standard output.
  var shown: [UInt8] { output.bytes }

  /// Of lines of so many bytes, how many the process before has read, whole or in part.
  func linesRead(_ sizes: [Int]) -> Int {
    var rest = bytesRead
    bytesRead = 0
    return sizes.prefix { size in
      defer { rest -= size }
      return rest > 0
    }.count
  }

  // MARK: Chance

  private func happens(_ chance: Int) -> Bool { chance > 0 && random.oneIn(chance) }

  /// At the beginning of each call: what it fails with, if it does. `fails` are the errors that may come of it.
  private func begin(_ name: String, isWriting: Bool = false, canBeInterrupted: Bool = true) -> Int? {
    calls += 1
    time += random.within(1_000...40_000)
    if tellsAll { tell("  \(calls) \(name)\(isCopyAtWork ? " of the copy" : "")") }
    if isDead {
      // Whoever waits for time to pass has not to wait.
      time += 1_000_000_000
      return stopIfEndless() ?? -Int(EIO)
    }
    if let stop = stopIfEndless() { return stop }
    if let fate, calls >= fate.calls { meet(fate.ending, name) }
    if isDead { return -Int(EIO) }
    if happens(faults.jump) { jump() }
    tally.calls += 1
    if !isCopyAtWork { serveCopy() }
    if canBeInterrupted, happens(faults.interruption) { return fail(name, EINTR) }
    if happens(faults.error) { return fail(name, EIO) }
    if isWriting, calls >= faults.fullAfter, calls < faults.fullAfter + faults.fullFor { return fail(name, ENOSPC) }
    return nil
  }

  private func fail(_ name: String, _ error: Int32) -> Int {
    tally.failedCalls += 1
    if error != EINTR { tell("call \(calls): \(name) fails: \(String(cString: strerror(error)))") }
    return -Int(error)
  }

  private func stopIfEndless() -> Int? {
    if calls < Self.mostCalls { return nil }
    problem = problem ?? "\(calls) calls, and no end"
    isDead = true
    if calls >= 2 * Self.mostCalls { endAtOnce() }
    return -Int(EIO)
  }

  /// What does not even end without a world ends the process with its story.
  private func endAtOnce() -> Never {
    print("seed \(seed)")
    print(story.suffix(60).joined(separator: "\n"))
    print(problem ?? "")
    fflush(nil)
    _exit(4)
  }

  private func meet(_ ending: Ending, _ name: String) {
    switch ending {
    case .killed, .crashed:
      fate = nil
      isDead = true
      if ending == .killed { tally.killed += 1 } else { tally.crashes += 1 }
      tell("call \(calls), \(name): \(ending == .killed ? "the process is killed" : "the machine loses its power")")
    case .terminated:
      // Once somebody listens; twice would end this process.
      var action = sigaction()
      sigaction(SIGTERM, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0 { return }
      fate = nil
      tally.terminated += 1
      tell("call \(calls), \(name): SIGTERM")
      raise(SIGTERM)
    }
  }

  private func jump() {
    let seconds = random.within(-20...20)
    wall += seconds * 1_000_000_000
    tell("call \(calls): the clock is set by \(seconds) s")
  }

  // MARK: The copy

  private func serveCopy() {
    guard let table, !openedByCopy.isEmpty, random.oneIn(3) else { return }
    isCopyAtWork = true
    if !simulated_serve(table) { openedByCopy = [:] }
    isCopyAtWork = false
  }

  fileprivate func fork() -> Int {
    if let failure = begin("fork", canBeInterrupted: false) { return failure }
    if happens(faults.shortage) { return fail("fork", EAGAIN) }
    tell("call \(calls): a copy of the process is made")
    openedByCopy = opened
    tally.copies += 1
    return 0
  }

  private func open(of descriptor: Int32) -> Open? { isCopyAtWork ? openedByCopy[descriptor] : opened[descriptor] }

  private func set(_ open: Open, _ descriptor: Int32) {
    if isCopyAtWork { openedByCopy[descriptor] = open } else { opened[descriptor] = open }
  }

  // MARK: Names

  private func find(_ directory: Int32, _ path: String) -> (directory: Node?, name: String, node: Node?) {
    disk.find(path, from: opened[directory]?.node)
  }

  fileprivate func open(_ directory: Int32, _ path: String, _ flags: Int32) -> Int {
    let creates = flags & O_CREAT != 0
    var found = find(directory, path)
    if let failure = begin("open \(path)", isWriting: creates && found.node == nil) { return failure }
    if happens(faults.shortage) { return fail("open \(path)", EMFILE) }
    if found.node != nil, creates, flags & O_EXCL != 0 { return -Int(EEXIST) }
    if found.node == nil, creates, let place = found.directory { found.node = disk.make(.file, found.name, in: place) }
    guard let node = found.node else { return -Int(ENOENT) }
    if flags & O_DIRECTORY != 0, node.kind != .directory { return -Int(ENOTDIR) }
    if flags & O_TRUNC != 0 { node.setLength(0) }
    let descriptor = simulated_reserve()
    if descriptor < 0 { return -Int(errno) }
    opened[descriptor] = Open(node: node, isAppending: flags & O_APPEND != 0)
    return Int(descriptor)
  }

  fileprivate func close(_ descriptor: Int32) -> Int {
    opened[descriptor] = nil
    return begin("close", canBeInterrupted: false) ?? 0
  }

  fileprivate func status(_ node: Node?, _ name: String, _ status: UnsafeMutablePointer<stat>) -> Int {
    if let failure = begin("stat \(name)", canBeInterrupted: false) { return failure }
    guard let node else { return -Int(ENOENT) }
    status.pointee = stat()
    status.pointee.st_ino = node.number
    status.pointee.st_dev = 77
    status.pointee.st_nlink = 1
    status.pointee.st_uid = geteuid()
    status.pointee.st_gid = getegid()
    status.pointee.st_size = node.bytes.count
    status.pointee.st_blksize = 4096
    let kinds: [Node.Kind: mode_t] = [.file: S_IFREG, .directory: S_IFDIR, .pipe: S_IFIFO]
    status.pointee.st_mode = (kinds[node.kind] ?? 0) | 0o700
    return 0
  }

  fileprivate func status(_ directory: Int32, _ path: String, _ status: UnsafeMutablePointer<stat>) -> Int {
    self.status(find(directory, path).node, path, status)
  }

  fileprivate func status(of descriptor: Int32, _ status: UnsafeMutablePointer<stat>) -> Int {
    self.status(opened[descriptor]?.node, "of a descriptor", status)
  }

  fileprivate func unlink(_ directory: Int32, _ path: String) -> Int {
    if let failure = begin("unlink \(path)", canBeInterrupted: false) { return failure }
    let found = find(directory, path)
    guard found.node != nil else { return -Int(ENOENT) }
    found.directory?.entries[found.name] = nil
    return 0
  }

  fileprivate func makeDirectory(_ directory: Int32, _ path: String) -> Int {
    let found = find(directory, path)
    if found.node != nil { return begin("mkdir \(path)", canBeInterrupted: false) ?? -Int(EEXIST) }
    if let failure = begin("mkdir \(path)", isWriting: true, canBeInterrupted: false) { return failure }
    guard let place = found.directory else { return -Int(ENOENT) }
    _ = disk.make(.directory, found.name, in: place)
    return 0
  }

  // MARK: Bytes

  fileprivate func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: Int) -> Int {
    if let failure = begin("read \(count)") { return failure }
    guard var open = open(of: descriptor) else { return -Int(EBADF) }
    let node = open.node
    if node.kind == .pipe {
      arrive()
      if node.bytes.isEmpty { return node.isOpen ? -Int(EAGAIN) : 0 }
    }
    let start = node.kind == .pipe ? 0 : offset >= 0 ? offset : open.offset
    var taken = max(0, min(count, node.bytes.count - start))
    if taken > 1, happens(faults.short) { taken = random.within(1...taken) }
    node.bytes.withUnsafeBytes { from in
      if taken > 0, let base = from.baseAddress { bytes.copyMemory(from: base + start, byteCount: taken) }
    }
    if node.kind == .pipe {
      node.drop(taken)
      bytesRead += taken
    }
    if offset < 0, node.kind == .file {
      open.offset += taken
      set(open, descriptor)
    }
    return taken
  }

  fileprivate func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int) -> Int {
    if let failure = begin("write \(count)", isWriting: true) { return failure }
    guard var open = open(of: descriptor) else { return -Int(EBADF) }
    let taken = count > 1 && happens(faults.short) ? random.within(1...count) : count
    let start = offset >= 0 ? offset : open.isAppending ? open.node.bytes.count : open.offset
    open.node.write(UnsafeRawBufferPointer(start: bytes, count: taken), at: start)
    if offset < 0 {
      open.offset = start + taken
      set(open, descriptor)
    }
    return taken
  }

  fileprivate func seek(_ descriptor: Int32, _ offset: Int, _ whence: Int32) -> Int {
    guard var open = opened[descriptor] else { return -Int(EBADF) }
    open.offset = (whence == SEEK_END ? open.node.bytes.count : whence == SEEK_CUR ? open.offset : 0) + offset
    opened[descriptor] = open
    return open.offset
  }

  fileprivate func truncate(_ descriptor: Int32, _ length: Int) -> Int {
    if let failure = begin("ftruncate \(length)") { return failure }
    opened[descriptor]?.node.setLength(length)
    return 0
  }

  fileprivate func synchronize(_ descriptor: Int32) -> Int {
    if let failure = begin("fsync", canBeInterrupted: false) { return failure }
    if happens(faults.failedSync) { return fail("fsync", EIO) }
    open(of: descriptor)?.node.synchronize()
    return 0
  }

  /// Nobody waits for a lock here, so none is interrupted.
  fileprivate func lock(_ descriptor: Int32) -> Int { begin("lock", canBeInterrupted: false) ?? 0 }

  fileprivate func map(_ descriptor: Int32) -> Int { begin("mmap", canBeInterrupted: false) ?? 0 }

  // MARK: Time

  fileprivate func now(isWall: Bool) -> Int {
    calls += isDead ? 1 : 0
    time += isDead ? 1_000_000_000 : random.within(20...2_000)
    _ = isDead ? stopIfEndless() : nil
    return isWall ? wall + time : time
  }

  fileprivate func sleep(_ nanoseconds: Int) {
    _ = begin("sleep", canBeInterrupted: false)
    time += nanoseconds
  }

  /// What is due to come through the pipe comes.
  private func arrive() {
    while let next = arrivals.last, next.time <= time {
      arrivals.removeLast()
      next.bytes.withUnsafeBytes { pipe.write($0, at: pipe.bytes.count) }
    }
    if arrivals.isEmpty { pipe.isOpen = false }
  }

  /// When something may be sent first.
  var present: Int { time }

  fileprivate func poll(_ entries: UnsafeMutableBufferPointer<pollfd>, _ milliseconds: Int) -> Int {
    if let failure = begin("poll \(milliseconds)") {
      // Whoever waits for answers without a world is not kept.
      if isDead { outside.happen(until: .max) }
      return failure
    }
    let end = milliseconds < 0 ? Int.max : time + milliseconds * 1_000_000
    while true {
      arrive()
      outside.happen(until: time)
      if isDead { return -Int(EIO) }
      let ready = entries.indices.count { look(at: &entries[$0]) }
      if ready > 0 { return ready }
      if time >= end { return 0 }
      guard let next = [arrivals.last?.time ?? .max, outside.nextTime ?? .max, end].min(), next < Int.max else {
        problem = "it waits for what never comes"
        isDead = true
        return -Int(EIO)
      }
      // Whoever is woken is so a little late.
      time = next + (random.oneIn(8) ? random.below(30_000_000) : random.below(60_000))
      if happens(faults.interruption) { return -Int(EINTR) }
    }
  }

  private func look(at entry: inout pollfd) -> Bool {
    if let open = opened[entry.fd] {
      let isReadable = open.node.kind != .pipe || !open.node.bytes.isEmpty || !open.node.isOpen
      entry.revents = isReadable ? entry.events & Int16(POLLIN) : 0
    } else {
      entry.revents = 0
      _ = Glibc.poll(&entry, 1, 0)
    }
    return entry.revents != 0
  }

  fileprivate func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
  }
}

// MARK: What the kernel is asked

private func machine(_ context: UnsafeMutableRawPointer?) -> Machine {
  guard let context else { preconditionFailure("a call without its machine") }
  return Unmanaged<Machine>.fromOpaque(context).takeUnretainedValue()
}

extension Machine {
  fileprivate func systemTable() -> UnsafeMutablePointer<simulated_system> {
    let table = UnsafeMutablePointer<simulated_system>.allocate(capacity: 1)
    table.initialize(
      to: simulated_system(
        context: Unmanaged.passUnretained(self).toOpaque(),
        open: { machine($0).open($1, String(cString: $2), $3) },
        close: { machine($0).close($1) },
        status: { machine($0).status($1, String(cString: $2), $3) },
        status_of: { machine($0).status(of: $1, $2) },
        unlink: { machine($0).unlink($1, String(cString: $2)) },
        make_directory: { machine($0).makeDirectory($1, String(cString: $2)) },
        read: { machine($0).read($1, $2, $3, Int($4)) },
        write: { machine($0).write($1, $2, $3, Int($4)) },
        seek: { machine($0).seek($1, Int($2), $3) },
        truncate: { machine($0).truncate($1, Int($2)) },
        sync: { machine($0).synchronize($1) },
        lock: { machine($0).lock($1) },
        map: { machine($0).map($1) },
        poll: { machine($0).poll(UnsafeMutableBufferPointer(start: $1, count: $2), Int($3)) },
        now: { Int64(machine($0).now(isWall: $1)) },
        sleep: { machine($0).sleep(Int($1)) },
        random: { machine($0).fill(UnsafeMutableRawBufferPointer(start: $1, count: $2)) },
        fork: { machine($0).fork() }))
    return table
  }
}
