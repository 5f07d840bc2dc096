// Files: what is done once. Streams of them are in the files beside.
//
// Rules
// - Each path is held against the grants where it is opened (Access).
// - Everything here blocks, so it is done by workers: reading by two, writing by one, in the order of the calls.
// - Nothing is read without a limit, which holds while it is read.

import CLinux
import Glibc

/// Files of a run, within its grants.
public struct Files: Sendable {
  /// 64 MiB: what is read whole is a value of the program.
  public static let limit = 64 << 20

  let access: Access

  public init(_ access: Access) { self.access = access }

  /// The whole of a file. A pipe is read to its end.
  public func read(
    _ path: String, limit: Int = Files.limit, completion: @escaping Completion<[UInt8]>
  ) -> any Operation {
    perform(Workers.reading, completion) { call throws(IOError) in
      let file = try access.open(path, .read, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      if isPipe(file) {
        IOLoop.shared.run { PipeCollector.collect(file, name: path, limit: limit, call) }
      } else {
        call.succeed(try contents(of: file, path, limit: limit))
      }
    }
  }

  /// Puts a file in the place of another at once: readers see the old one or the new one, whole, also after a crash.
  /// It keeps the permissions, and the owner where that is allowed. A link stays, and what it leads to is written.
  public func write(
    _ path: String, _ bytes: [UInt8], completion: @escaping Completion<Void>
  ) -> any Operation {
    perform(Workers.writing, completion) { call throws(IOError) in
      if !call.isPending { return }
      call.succeed(try Replacement.write(bytes, to: access.spot(path, .write), path))
    }
  }

  /// Adds to the end of a file, which is made if it is not there: all of it in one piece, or nothing.
  public func append(
    _ path: String, _ bytes: [UInt8], completion: @escaping Completion<Void>
  ) -> any Operation {
    perform(Workers.writing, completion) { call throws(IOError) in
      if !call.isPending { return }
      let file = try access.open(path, .write, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY)
      call.succeed(try appendWhole(bytes, to: file, path))
    }
  }

  /// The names in a directory, sorted, without `.` and `..`.
  public func list(_ path: String, completion: @escaping Completion<[String]>) -> any Operation {
    perform(Workers.reading, completion) { call throws(IOError) in
      call.succeed(try names(in: access.open(path, .read, O_RDONLY | O_DIRECTORY), path))
    }
  }

  private func perform<Value: Sendable>(
    _ workers: Workers, _ completion: @escaping Completion<Value>,
    _ body: @escaping @Sendable (Call<Value>) throws(IOError) -> Void
  ) -> any Operation {
    let call = Call(completion)
    workers.run {
      if !call.isPending { return }
      do throws(IOError) { try body(call) } catch { call.fail(error) }
    }
    return call
  }
}

/// Whether it has an end only when somebody says so, and epoll waits for it.
func isPipe(_ file: Descriptor) -> Bool {
  guard let mode = file.status?.st_mode else { return false }
  return [S_IFIFO, S_IFSOCK].contains(mode & S_IFMT) || file.with(isatty) == 1
}

/// Reads to the end. What has a size is read into memory of that size; /proc has none, and devices have no end.
func contents(of file: Descriptor, _ path: String, limit: Int) throws(IOError) -> [UInt8] {
  guard let status = file.status else { throw IOError(errno, path) }
  if status.isDirectory { throw IOError(EISDIR, path) }
  var bytes: [UInt8] = []
  // One byte more: its absence is the end.
  var room = max(1 << 16, min(Int(status.st_size), limit) + 1)
  while true {
    var count = 0
    let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
      count = readAll(file, UnsafeMutableRawBufferPointer(buffer))
      filled = max(0, count)
    }
    if count < 0 { throw IOError(errno, path) }
    if bytes.count + count > limit { throw IOError(tooLarge: path, limit) }
    bytes = bytes.isEmpty ? part : bytes + part
    if count < room { return bytes }
    room = max(room, bytes.count)
  }
}

extension IOError {
  /// "larger than 64 MiB: a.txt".
  init(tooLarge thing: String, _ limit: Int) {
    let size = limit % (1 << 20) == 0 ? "\(limit >> 20) MiB" : "\(limit) bytes"
    message = "larger than \(size): \(thing)"
  }
}

/// read(2) until the memory is full or there is no more; -1 and errno.
private func readAll(_ file: Descriptor, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  file.with { number in
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = Glibc.read(number, base + filled, buffer.count - filled)
      if count > 0 { filled += count }
      if count == 0 { return filled }
      if count < 0, errno != EINTR { return -1 }
    }
    return filled
  }
}

/// write(2) until all is written; what is wrong otherwise, and how much was written.
func writeAll(_ file: Descriptor, _ bytes: [UInt8]) -> (written: Int, error: Int32) {
  bytes.withUnsafeBytes { buffer in
    file.with { number in
      var written = 0
      while written < buffer.count, let base = buffer.baseAddress {
        let count = Glibc.write(number, base + written, buffer.count - written)
        if count >= 0 { written += count } else if errno != EINTR { return (written, errno) }
      }
      return (written, 0)
    }
  }
}

/// One write(2) to a file opened with O_APPEND is one piece. Where the device is full in the middle, the piece is taken back
/// unless others have added theirs behind it.
private func appendWhole(_ bytes: [UInt8], to file: Descriptor, _ path: String) throws(IOError) {
  let before = file.status?.st_size ?? 0
  let (written, error) = writeAll(file, bytes)
  if error == 0 { return }
  if let status = file.status, status.isRegular, written > 0, status.st_size == before + off_t(written) {
    _ = file.with { ftruncate($0, before) }
  }
  throw IOError(error, path)
}

func names(in directory: Descriptor, _ path: String) throws(IOError) -> [String] {
  // The stream closes what it is given.
  guard let stream = directory.with({ fdopendir(fcntl($0, F_DUPFD_CLOEXEC, 0)) }) else { throw IOError(errno, path) }
  defer { closedir(stream) }
  var names: [String] = []
  var size = 0
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name == "." || name == ".." { continue }
    size += name.utf8.count
    if size > Files.limit { throw IOError(tooLarge: path, Files.limit) }
    names.append(name)
  }
  return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
