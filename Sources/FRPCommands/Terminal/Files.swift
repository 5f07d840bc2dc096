// Files and the system's words for what went wrong with them, without Foundation.

import FRP
import FRPIO
import Glibc

struct SystemError: Error {
  var code: Int32
  /// "No such file or directory".
  var message: String { String(cString: strerror(code)) }
}

extension stat {
  /// Whether there is never anything to wait for.
  var isFile: Bool { st_mode & S_IFMT == S_IFREG }
}

enum Files {
  /// The whole of a file, or of standard input for `-`.
  static func contents(of path: String, standardInput: Int32 = 0) throws(SystemError) -> [UInt8] {
    if path == "-" { return try contents(of: standardInput) }
    let descriptor = try open(path, O_RDONLY)
    defer { close(descriptor) }
    return try contents(of: descriptor)
  }

  /// All that is left to read.
  static func contents(of descriptor: Int32) throws(SystemError) -> [UInt8] {
    guard let bytes = Source.bytes(of: descriptor) else { throw SystemError(code: errno) }
    return bytes
  }

  static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    while true {
      let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw SystemError(code: errno) }
    }
  }

  static func write(_ text: String, to path: String) throws(SystemError) {
    let descriptor = try open(path, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(descriptor) }
    let writer = Writer(descriptor: descriptor)
    writer.write(text)
    writer.flush()
    if writer.isBroken { throw SystemError(code: writer.failure) }
  }

  /// The same so that nobody ever sees half of it, and what was there stays where the disk is full: written beside the
  /// file, then put in its place, with its mode. A link leads to what is replaced; devices and pipes are written through.
  static func replace(_ path: String, with text: String) throws(SystemError) {
    var former = stat()
    let exists = stat(path, &former) == 0
    guard exists, former.isFile, let whole = realpath(path, nil) else { return try write(text, to: path) }
    defer { free(whole) }
    let place = String(cString: whole)
    let unfinished = place + ".\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
    do throws(SystemError) {
      try write(text, to: unfinished)
      if former.st_uid != geteuid() || former.st_gid != getegid() {
        _ = chown(unfinished, former.st_uid, former.st_gid)
      }
      if chmod(unfinished, former.st_mode & 0o7777) != 0 || rename(unfinished, place) != 0 {
        throw SystemError(code: errno)
      }
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The names in a directory, sorted; empty if it cannot be read.
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// What is opened there.
  static func status(of descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw SystemError(code: errno) }
    return status
  }

  /// The bytes that a file has next, which has no more where these are fewer; they are still to be read.
  static func beginning(of descriptor: Int32, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    let start = lseek(descriptor, 0, SEEK_CUR)
    while filled < count {
      let taken = bytes.withUnsafeMutableBytes { space in
        space.baseAddress.map { pread(descriptor, $0 + filled, count - filled, start + filled) } ?? 0
      }
      if taken == 0 { break }
      if taken > 0 { filled += taken } else if errno != EINTR { throw SystemError(code: errno) }
    }
    return Array(bytes[..<filled])
  }

  /// How a file is compressed, by its first bytes, and what reads it; nil for what is not.
  static func compression(of descriptor: Int32) throws(SystemError) -> (name: String, command: String)? {
    let first = try beginning(of: descriptor, count: 4)
    if first.starts(with: [0x1F, 0x8B]) { return ("gzip", "zcat") }
    if first == [0x28, 0xB5, 0x2F, 0xFD] { return ("zstd", "zstdcat") }
    if first == [0xFD, 0x37, 0x7A, 0x58] { return ("xz", "xzcat") }
    if first.starts(with: Array("BZh".utf8)) { return ("bzip2", "bzcat") }
    return nil
  }

  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isFile
  }

  /// What changes when a file does; nil if there is none.
  static func stamp(_ path: String) -> [Int]? {
    var status = stat()
    if stat(path, &status) != 0 { return nil }
    return [Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Whether there is no file, or an empty one.
  static func isNothing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 ? errno == ENOENT : status.isFile && status.st_size == 0
  }

  /// Whether both are one file.
  static func areSame(_ a: String, _ b: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.isFile
      && (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
  }

  /// Whether what is written to both comes to one file, which need not be there yet.
  static func leadToOne(_ a: String, _ b: String) -> Bool {
    if exists(a) || exists(b) { return areSame(a, b) }
    guard let first = place(a), let second = place(b) else { return false }
    return first == second
  }

  /// Whether a file has the bytes of one of these texts.
  static func holds(_ path: String, oneOf texts: [[UInt8]]) -> Bool {
    guard let descriptor = try? open(path, O_RDONLY | O_NONBLOCK) else { return false }
    defer { close(descriptor) }
    guard let status = try? status(of: descriptor), status.isFile,
      let text = texts.first(where: { $0.count == status.st_size }), !text.isEmpty,
      let bytes = try? contents(of: descriptor)
    else { return false }
    return texts.contains(bytes)
  }

  /// The file of a journal that a path leads to, if it leads to one. The directory need not be there yet.
  static func ofJournal(_ journal: String, _ path: String) -> String? {
    JournalStore.files(of: journal).first { $0 == path || leadToOne($0, path) }
  }

  /// The whole name of a file that is not there yet, with all links followed; nil where it cannot be made.
  private static func place(_ path: String) -> String? {
    var path = path
    // A link may lead to what is not there; after so many the system gives up, too.
    for _ in 0..<40 {
      guard let linked = link(path) else { break }
      path = linked.hasPrefix("/") ? linked : directory(of: path) + linked
    }
    let directory = directory(of: path)
    guard let whole = realpath(directory.isEmpty ? "." : directory, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole) + "/" + path.dropFirst(directory.count)
  }

  /// What a link says; nil for anything else.
  private static func link(_ path: String) -> String? {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &text, text.count)
    return count < 0 ? nil : String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The part before the last slash, with it; empty for a bare name.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }
}
