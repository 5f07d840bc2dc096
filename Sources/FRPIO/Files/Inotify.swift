// What the kernel tells of changes to files: one descriptor for all of this process, of which the system gives few.
//
// In: directories and files that are held open. Out: calls on the loop.
// Rules
// - It tells promptly, and not always: network file systems, a limit of watches, directories above. Whoever must not miss
//   anything looks now and then besides (`FileObserver`).

import Glibc

/// On the loop's thread only.
final class Inotify {
  /// What happened to a name in a directory (empty for what is watched itself).
  struct Event {
    let mask: UInt32
    let name: [UInt8]

    func has(_ flags: Int32...) -> Bool { flags.contains { mask & UInt32(bitPattern: $0) != 0 } }
  }

  /// A subscription, which ends when it is dropped or cancelled.
  final class Watch {
    fileprivate let number: Int32
    fileprivate let handler: (Event) -> Void
    private weak var inotify: Inotify?

    fileprivate init(_ inotify: Inotify, _ number: Int32, _ handler: @escaping (Event) -> Void) {
      (self.inotify, self.number, self.handler) = (inotify, number, handler)
    }

    func cancel() { inotify?.remove(self) }
  }

  static let shared = LoopLocal(Inotify())

  private var file: Descriptor?
  private var watch: IOWatch?
  /// By the kernel's number, which is one for each inode, however many watch it.
  private var watches: [Int32: [Watch]] = [:]

  private static let mask = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF)

  /// Watches what is held; nil where the system has no watch left.
  func add(_ target: Descriptor, _ handler: @escaping (Event) -> Void) -> Watch? {
    guard let file = open() else { return nil }
    // The descriptor's own name leads to what it holds, whatever it is called by now.
    let number = file.with { file in target.with { inotify_add_watch(file, "/proc/self/fd/\($0)", Self.mask) } }
    if number < 0 { return nil }
    let made = Watch(self, number, handler)
    watches[number, default: []].append(made)
    return made
  }

  private func open() -> Descriptor? {
    if let file { return file }
    let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if number < 0 { return nil }
    let opened = Descriptor(number)
    watch = try? IOLoop.shared.watch(number, .reading) { [unowned self] _ in read() }
    file = watch == nil ? nil : opened
    return file
  }

  private func remove(_ watch: Watch) {
    guard var all = watches[watch.number] else { return }
    all.removeAll { $0 === watch }
    watches[watch.number] = all.isEmpty ? nil : all
    if all.isEmpty { _ = file?.with { inotify_rm_watch($0, watch.number) } }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    guard let count = file?.with({ Glibc.read($0, &buffer, buffer.count) }), count > 0 else { return }
    var at = 0
    let header = MemoryLayout<inotify_event>.size
    while at + header <= count {
      let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: inotify_event.self) }
      let name = buffer[(at + header)..<(at + header + Int(event.len))].prefix { $0 != 0 }
      tell(event.wd, Event(mask: event.mask, name: Array(name)))
      at += header + Int(event.len)
    }
  }

  private func tell(_ number: Int32, _ event: Event) {
    if event.has(IN_Q_OVERFLOW) {
      for watch in watches.values.joined() { watch.handler(event) }
      return
    }
    let all = watches[number] ?? []
    // The kernel has dropped it, with what it watched.
    if event.has(IN_IGNORED) { watches[number] = nil }
    for watch in all { watch.handler(event) }
  }
}
