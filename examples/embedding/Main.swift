// Seven small applications that embed frp, in one executable: `swift run EmbeddingExamples`, or with names of examples.
// Each says what it expects and ends with exit code 1 where that is not so; CI runs them all.

import FRP

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main struct Examples {
  static let all: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("login-form", loginForm), ("nearby-list", nearbyList), ("game-loop", gameLoop),
    ("thousand-sessions", thousandSessions), ("hot-reload", hotReload), ("virtual-clock", virtualClock),
    ("sandbox", sandbox),
  ]

  static func main() async throws {
    let wanted = CommandLine.arguments.dropFirst()
    for (name, run) in all where wanted.isEmpty || wanted.contains(name) {
      print("\(name):")
      try await run()
    }
  }
}

/// A program, or the end with its errors.
func compiled(_ text: String) -> Program {
  let program = Program(Source(name: "example.frp", text: text))
  if program.hasErrors {
    print(program.report)
    exit(1)
  }
  return program
}

/// Prints what was seen; ends where it is not what was wanted.
func expect<Value: Equatable>(_ what: String, _ seen: Value, _ wanted: Value) {
  print("  \(what): \(seen)")
  if seen == wanted { return }
  print("  wanted: \(wanted)")
  exit(1)
}
