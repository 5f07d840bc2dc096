import CLinux
import Glibc

/// Counts the instructions of this thread, where the kernel lets it.
public final class InstructionCounter {
  private let descriptor: Int32

  /// Nil where the kernel does not.
  public init?() {
    descriptor = clinux_instruction_counter()
    if descriptor < 0 || clinux_instructions(descriptor) < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Those so far.
  public var count: Int64 { clinux_instructions(descriptor) }
}
