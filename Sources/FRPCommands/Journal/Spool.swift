// Text that is written now and read later: the first of it in memory, what is longer in a file that has no name and that is gone with the process.

import FRPIO
import Glibc

final class Spool {
  private var buffer: [UInt8] = []
  private var file: (descriptor: Int32, writer: Writer)?
  /// Bytes that are kept in memory.
  private static let inMemory = 4 << 20
  private static let piece = 1 << 20

  deinit { if let file { close(file.descriptor) } }

  func write(_ bytes: some Collection<UInt8>) throws(IOError) {
    buffer += bytes
    if buffer.count < Self.inMemory { return }
    if file == nil { file = try Self.makeFile() }
    guard let writer = file?.writer else { return }
    writer.write(buffer)
    writer.flush()
    if writer.isBroken { throw Self.problem(writer.failure) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// All that was written, in pieces.
  func copy(to out: Writer) throws(SystemError) {
    if let file {
      var offset: off_t = 0
      while !out.isBroken {
        var piece = [UInt8](repeating: 0, count: Self.piece)
        let count = pread(file.descriptor, &piece, piece.count, offset)
        if count < 0, errno == EINTR { continue }
        if count < 0 { throw SystemError(code: errno) }
        if count == 0 { break }
        out.write(Array(piece[..<count]))
        offset += off_t(count)
      }
    }
    out.write(buffer)
    out.flush()
  }

  private static var directory: String {
    getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  private static func problem(_ code: Int32) -> IOError {
    let reason = String(cString: strerror(code))
    return IOError("there is no room in `\(directory)` for what is shown (\(reason)); name another directory by TMPDIR")
  }

  private static func makeFile() throws(IOError) -> (descriptor: Int32, writer: Writer) {
    var name = Array("\(directory)/frp-XXXXXX".utf8CString)
    let opened = mkstemp(&name)
    if opened < 0 { throw problem(errno) }
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return (opened, Writer(descriptor: opened))
  }
}
