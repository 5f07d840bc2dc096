// `--limit memory=2GiB,steps=1e9,instant=5s`: what a program may take, while it is checked and while it runs.

import FRP

struct GrantedLimits: Sendable {
  var run = Limits()
  var check = CheckLimits()

  init() {}

  /// The last value given for a limit counts.
  init(_ texts: [String], command: String) throws(UsageProblem) {
    for text in texts {
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        if part.isEmpty { throw Self.problem(text, command) }
        try set(String(part), command)
      }
    }
  }

  private mutating func set(_ text: String, _ command: String) throws(UsageProblem) {
    let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
    let value = halves.count == 2 ? halves[1] : ""
    switch halves.first {
    case "memory":
      guard let bytes = Self.bytes(value) else { break }
      run.heapBytes = bytes
      check.memoryBytes = bytes
      return
    case "steps":
      guard let steps = Self.count(value, times: 1) else { break }
      run.stepsPerInstant = steps
      check.steps = steps
      return
    case "instant":
      guard let nanoseconds = DurationText.nanoseconds(value), nanoseconds > 0 else { break }
      run.secondsPerInstant = Double(nanoseconds) * 1e-9
      check.seconds = run.secondsPerInstant
      return
    default: break
    }
    throw Self.problem(text, command)
  }

  private static func problem(_ text: String, _ command: String) -> UsageProblem {
    UsageProblem(
      message: "`--limit \(text)` is no limit: write `--limit memory=2GiB,steps=1e9,instant=5s`",
      command: command.isEmpty ? nil : command)
  }

  private static let units: [(name: String, bytes: Double)] = [
    ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("B", 1),
  ]

  private static func bytes(_ text: String) -> Int? {
    let unit = units.first { text.hasSuffix($0.name) }
    return count(String(text.dropLast(unit?.name.count ?? 0)), times: unit?.bytes ?? 1)
  }

  /// A whole number of at least 1, which may be written as `1e9`.
  private static func count(_ text: String, times factor: Double) -> Int? {
    guard let number = Double(text), number * factor >= 1, number * factor < 9e18 else { return nil }
    return Int(number * factor)
  }
}
