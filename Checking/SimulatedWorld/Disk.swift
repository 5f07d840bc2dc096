// Files that outlive processes, and what a crash of the machine leaves of them.
//
// Rules
// - What is written is seen by all who read at once. It is on the disk for certain once the file is synchronized, and so are then the file's
//   length, and its name in its directory (as ext4, xfs and btrfs do). The name of a directory is once the one around it is synchronized.
// - A crash takes of everything else what it likes: each write since then has happened whole, in some of its sectors, or not at all, whatever
//   the others have. Names that were made or removed since come back or go likewise.

import FRPDifferential

/// A file, a directory or a pipe.
final class Node {
  enum Kind { case file, directory, pipe }

  private struct Change {
    enum Kind {
      case write(offset: Int, bytes: [UInt8])
      case length(Int)
    }
    let kind: Kind
    /// What it has overwritten or cut off, and how long the file was.
    let former: (offset: Int, bytes: [UInt8], length: Int)
  }

  let kind: Kind
  /// As stat(2) says; another after each restart of the machine.
  var number: UInt
  private(set) var bytes: [UInt8] = []
  /// Since the file was last on the disk for certain.
  private var changes: [Change] = []
  var entries: [String: Node] = [:]
  private var durableEntries: [String: Node] = [:]
  weak var parent: Node?
  /// Of a pipe: whether somebody may still write to it.
  var isOpen = true

  init(_ kind: Kind, number: UInt, in parent: Node? = nil) {
    (self.kind, self.number, self.parent) = (kind, number, parent)
  }

  func copy(in parent: Node?) -> Node {
    let copy = Node(kind, number: number, in: parent)
    copy.bytes = bytes
    for (name, child) in entries { copy.entries[name] = child.copy(in: copy) }
    return copy
  }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int) {
    note(.write(offset: offset, bytes: Array(new)), of: offset..<offset + new.count)
    Self.put(new, at: offset, in: &bytes)
  }

  func setLength(_ length: Int) {
    note(.length(length), of: length..<max(length, bytes.count))
    Self.setLength(length, of: &bytes)
  }

  private func note(_ change: Change.Kind, of range: Range<Int>) {
    if kind != .file { return }
    let former = Array(bytes[range.clamped(to: bytes.indices)])
    changes.append(Change(kind: change, former: (range.lowerBound, former, bytes.count)))
  }

  /// Of a pipe: its first bytes are read.
  func drop(_ count: Int) { bytes.removeFirst(count) }

  func synchronize() {
    changes = []
    durableEntries = entries
    guard kind == .file, let parent else { return }
    for (name, node) in parent.entries where node === self { parent.durableEntries[name] = self }
  }

  private static let sector = 512

  /// The machine has stopped, and starts again.
  func crash(_ random: inout Random) {
    for name in Set(entries.keys).union(durableEntries.keys).sorted() where entries[name] !== durableEntries[name] {
      if random.oneIn(2) { entries[name] = durableEntries[name] }
    }
    durableEntries = entries
    for change in changes.reversed() {
      let (offset, former, length) = change.former
      if !former.isEmpty { former.withUnsafeBytes { Self.put($0, at: offset, in: &bytes) } }
      Self.setLength(length, of: &bytes)
    }
    for change in changes {
      switch (change.kind, random.below(3)) {
      case (_, 0): break
      case (.length(let length), _): Self.setLength(length, of: &bytes)
      case (.write(let offset, let new), 1): new.withUnsafeBytes { Self.put($0, at: offset, in: &bytes) }
      case (.write(let offset, let new), _):
        new.withUnsafeBytes { new in
          for start in stride(from: 0, to: new.count, by: Self.sector) where random.oneIn(2) {
            let part = new[start..<min(start + Self.sector, new.count)]
            Self.put(UnsafeRawBufferPointer(rebasing: part), at: offset + start, in: &bytes)
          }
        }
      }
    }
    changes = []
  }

  private static func put(_ new: UnsafeRawBufferPointer, at offset: Int, in bytes: inout [UInt8]) {
    setLength(max(bytes.count, offset + new.count), of: &bytes)
    bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: new) }
  }

  private static func setLength(_ length: Int, of bytes: inout [UInt8]) {
    if length < bytes.count { bytes.removeLast(bytes.count - length) }
    if length > bytes.count { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
  }
}

/// All files of a machine, below `/world`.
final class Disk {
  private var lastNumber: UInt = 1
  private(set) var root: Node

  init() { root = Node(.directory, number: 1) }

  func make(_ kind: Node.Kind, _ name: String = "", in directory: Node? = nil) -> Node {
    lastNumber += 1
    let node = Node(kind, number: lastNumber, in: directory)
    directory?.entries[name] = node
    return node
  }

  /// What stands at a path: its directory, the last name, and the node there, as far as there is something.
  func find(_ path: String, from start: Node?) -> (directory: Node?, name: String, node: Node?) {
    var parts = path.split(separator: "/").map(String.init)
    if start == nil { parts.removeFirst() }
    guard let name = parts.popLast() else { return (nil, "", start ?? root) }
    var directory: Node? = start ?? root
    for part in parts { directory = directory?.entries[part] }
    if name == ".." { return (directory, name, directory?.parent ?? directory) }
    return (directory, name, directory?.entries[name])
  }

  /// The same files, as they are now.
  func copy() -> Disk {
    let copy = Disk()
    copy.lastNumber = lastNumber
    copy.root = root.copy(in: nil)
    return copy
  }

  /// Puts a file there that is on the disk for certain.
  func put(_ text: String, _ name: String) {
    let file = root.entries[name] ?? make(.file, name, in: root)
    file.setLength(0)
    var text = text
    text.withUTF8 { file.write(UnsafeRawBufferPointer($0), at: 0) }
    file.synchronize()
  }

  func text(_ name: String) -> String? { root.entries[name].map { String(decoding: $0.bytes, as: UTF8.self) } }

  /// The process or the machine starts again: nobody takes a file for one that another has had open.
  func restart(afterCrash random: inout Random, isCrash: Bool) {
    func visit(_ node: Node) {
      if isCrash { node.crash(&random) }
      lastNumber += 1
      node.number = lastNumber
      for (_, child) in node.entries.sorted(by: { $0.key < $1.key }) { visit(child) }
    }
    visit(root)
  }
}
