// When to look at a path again: as soon as the kernel tells of it, and once a second besides, as `tail -F` does where it
// has nobody to tell it (network file systems, directories that come and go, links that are swapped above).

import CLinux
import Glibc

/// Calls `look` on the loop, again and again; the caller looks, and says what to watch.
final class FileObserver {
  enum Reason {
    /// Something was moved there: it is whole.
    case replaced
    /// Anything else; somebody may be writing, and even who has closed it may begin again.
    case changed
    /// Nothing was told.
    case timer
  }

  private let name: [UInt8]
  private let look: (Reason) -> Void
  private var directory: (identity: FileIdentity, watch: Inotify.Watch)?
  private var file: (identity: FileIdentity, watch: Inotify.Watch)?
  private var timer: IOTimer?
  private var isStopped = false

  private static let interval = 1_000_000_000

  /// `name` is the last one of the path.
  init(name: [UInt8], _ look: @escaping (Reason) -> Void) {
    (self.name, self.look) = (name, look)
    setTimer()
  }

  private func setTimer() {
    timer = IOLoop.shared.after(Self.interval) { [weak self] in
      guard let self, !isStopped else { return }
      setTimer()
      look(.timer)
    }
  }

  func stop() {
    isStopped = true
    timer?.cancel()
    directory?.watch.cancel()
    file?.watch.cancel()
    (timer, directory, file) = (nil, nil, nil)
  }

  /// Watches the directory that holds the name, and the file that is there now: what stood there before no more. Gives
  /// whether one of them is new.
  func watch(directory: Descriptor?, file: Descriptor?) -> Bool {
    if isStopped { return false }
    let isNewDirectory = Self.renew(&self.directory, directory) { [weak self] event in self?.tell(event) }
    let isNewFile = Self.renew(&self.file, file) { [weak self] _ in self?.look(.changed) }
    return isNewDirectory || isNewFile
  }

  private static func renew(
    _ present: inout (identity: FileIdentity, watch: Inotify.Watch)?, _ target: Descriptor?,
    _ handler: @escaping (Inotify.Event) -> Void
  ) -> Bool {
    let identity = target?.status?.identity
    if identity == present?.identity { return false }
    present?.watch.cancel()
    present = nil
    guard let target, let identity else { return false }
    guard let watch = Inotify.shared.with({ $0 }).add(target, handler) else { return false }
    present = (identity, watch)
    return true
  }

  private func tell(_ event: Inotify.Event) {
    if event.has(IN_IGNORED) { directory = nil }
    // Of the directory itself, or of anything where events were lost: look.
    if !event.name.isEmpty, event.name != name { return }
    look(event.has(IN_MOVED_TO) ? .replaced : .changed)
  }
}

extension Access {
  /// What is to be watched for a path: the directory that holds its last name, and what stands there; nil for what is not
  /// there now.
  func watched(_ path: String) throws(IOError) -> (directory: Descriptor?, file: Descriptor?) {
    let name = try PathName(path, in: directory)
    guard let parent = name.split?.parent, let spot = try? spot(path, .read) else { return (nil, nil) }
    // Where the last name is a link, its own directory is the one in which it is swapped.
    let holder = (try? open(parent.text, .read, clinux_o_path | O_DIRECTORY)) ?? spot.directory
    return (holder, try? open(path, .read, clinux_o_path))
  }

  /// Whether a path is granted, though nothing may be there.
  func checkRead(_ path: String) throws(IOError) {
    if !covers(.read(path)) { throw IOError(notGranted: .read(path)) }
  }
}
