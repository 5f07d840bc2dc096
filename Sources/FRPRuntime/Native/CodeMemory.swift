// Memory for machine code. What can be written is never executable at the same address; where the system refuses executable
// memory, there is no native code, and regions are interpreted.

import CStack

/// Machine code that can be called, and does not change.
final class CodeMemory {
  private let start: UnsafeRawPointer
  private let count: Int

  /// Nil where the system refuses executable memory.
  init?(_ code: [UInt8]) {
    let mapped = code.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { cs_map_code($0, bytes.count) } }
    guard let memory = mapped else { return nil }
    (start, count) = (memory, code.count)
  }

  /// The function that is entered at a byte.
  func function(at entry: Int) -> NativeFunction { unsafeBitCast(start + entry, to: NativeFunction.self) }

  deinit { cs_unmap_code(start, count) }

  /// Whether code can run here.
  static var isAllowed: Bool { CodeMemory([0xC3]) != nil }
}
