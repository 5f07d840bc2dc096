// The world of a command: its standard streams and its environment, replaceable in tests.

import Glibc

package struct Console {
  /// The descriptor programs and inputs are read from.
  package var input: Int32
  package var out: Writer
  package var err: Writer
  package var inputIsTerminal: Bool
  package var outputIsTerminal: Bool
  package var errorIsTerminal: Bool
  package var environment: (String) -> String?
  /// What an executable that was built from a program was started as; nil for `frp` itself.
  var program: String?

  package init(
    input: Int32, out: Writer, err: Writer, inputIsTerminal: Bool = false, outputIsTerminal: Bool = false,
    errorIsTerminal: Bool = false, environment: @escaping (String) -> String? = { _ in nil }
  ) {
    self.input = input
    self.out = out
    self.err = err
    self.inputIsTerminal = inputIsTerminal
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.environment = environment
  }

  /// The process's own streams.
  package static func standard() -> Console {
    Console(
      input: 0, out: Writer(descriptor: 1, isTerminal: isatty(1) == 1),
      err: Writer(descriptor: 2, isTerminal: isatty(2) == 1), inputIsTerminal: isatty(0) == 1,
      outputIsTerminal: isatty(1) == 1, errorIsTerminal: isatty(2) == 1,
      environment: { name in getenv(name).map { String(cString: $0) } })
  }

  /// Whether what is said to a person may be coloured: only on a terminal, and never against NO_COLOR or TERM=dumb.
  func wantsColor(_ choice: String?) -> Bool {
    switch choice {
    case "always": return true
    case "never": return false
    default:
      if let no = environment("NO_COLOR"), !no.isEmpty { return false }
      return errorIsTerminal && environment("TERM") != "dumb"
    }
  }

  /// The columns of the terminal that messages go to; 80 where there is none.
  func width(_ choice: String?) -> Int {
    if let choice, let width = Int(choice) { return max(20, width) }
    var size = winsize()
    if errorIsTerminal, ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 { return Int(size.ws_col) }
    return 80
  }
}
