// Where libFuzzer comes in: bytes -> a target of FRPFuzzing, named by FRP_FUZZ_TARGET. What a target finds ends the
// process, and libFuzzer keeps the bytes. Built by scripts/fuzz only.

import FRPBase
import FRPFuzzing
import Glibc

/// libFuzzer's own entrance (FuzzerInterface.h).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private let name = getenv("FRP_FUZZ_TARGET").map { String(cString: $0) } ?? ""
guard let target = FuzzTarget(rawValue: name) else {
  print("FRP_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
  exit(2)
}
let chosen = target

/// The descriptor that the next file would get.
private func firstFree() -> CInt {
  let descriptor = dup(2)
  close(descriptor)
  return descriptor
}

@_cdecl("LLVMFuzzerTestOneInput")
package func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let free = firstFree()
  var problem = chosen.problem(Array(UnsafeBufferPointer(start: bytes, count: count)))
  // Nobody else opens files here, as other tests do beside the corpus.
  if problem == nil, firstFree() != free { problem = "a file was left open" }
  if let problem {
    print("FOUND by \(chosen.rawValue): \(problem)")
    fflush(nil)
    abort()
  }
  return 0
}

nonisolated(unsafe) private var count = CommandLine.argc
nonisolated(unsafe) private var words = CommandLine.unsafeArgv

/// libFuzzer sees that a run takes too long only where its alarm rings in the thread that it runs in.
private func alarms(_ change: CInt) {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGALRM)
  pthread_sigmask(change, &signals, nil)
}

alarms(SIG_BLOCK)
exit(
  onLargeStack {
    alarms(SIG_UNBLOCK)
    return runDriver(&count, &words, test)
  })
