// Memory for machine code. What can be written is never executable at the same address; where the system refuses executable
// memory, there is no native code, and regions are interpreted.

import CStack

/// Machine code that can be called, and does not change.
final class CodeMemory {
  let start: UnsafeRawPointer
  private let bytes: Int
  private let entry: Int

  /// `entry` is where it is entered. Nil where the system refuses executable memory.
  init?(_ code: UnsafeMutablePointer<UInt8>, count: Int, entry: Int = 0) {
    guard let memory = cs_map_code(code, count) else { return nil }
    (start, bytes, self.entry) = (memory, count, entry)
  }

  /// The function that the code is.
  var function: NativeFunction { unsafeBitCast(start + entry, to: NativeFunction.self) }

  deinit { cs_unmap_code(start, bytes) }

  /// Whether code can run here.
  static var isAllowed: Bool {
    var nothing: [UInt8] = [0xC3]
    return CodeMemory(&nothing, count: 1) != nil
  }
}
