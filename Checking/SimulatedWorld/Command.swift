// The command line as a process of a simulated machine.

import CSystemCalls
import FRP
import FRPCommands
import FRPDifferential
import Glibc

extension Machine {
  /// Runs a command: how it ends, and what it says. Its standard input is the pipe; see `shown` for its standard output.
  func run(_ words: [String], ending: (Int, Ending)? = nil) -> (code: ExitCode, said: String) {
    let (err, host) = (Writer(), [outside.module])
    let code = process(ending: ending) {
      let (input, output) = (openPipe(), openOutput())
      defer {
        outside.closeShelf()
        close(input)
        close(output)
      }
      return CommandLineInterface.run(
        words, Console(input: input, out: Writer(descriptor: output), err: err), host: host)
    }
    tell("\(isDead ? "it is gone" : "it ends with \(code.rawValue)") after \(calls) calls: \(err.text)")
    return (code, err.text)
  }
}

extension ExitCode {
  /// Whether a process that ended so, with these words, has written down how much it has shown.
  func isWrittenDown(_ said: String) -> Bool {
    self != .fault && !said.contains("cannot be written")
  }
}

extension Ending {
  /// How a process ends that makes about so many calls, and after how many of them; nil where nobody ends it.
  static func any(within calls: Int, _ random: inout Random) -> (Int, Ending)? {
    switch random.below(8) {
    case 0: nil
    case 1, 2: (1 + random.below(calls), .terminated)
    case 3, 4: (1 + random.below(calls), .crashed)
    default: (1 + random.below(calls), .killed)
    }
  }
}
