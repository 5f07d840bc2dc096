// Workloads of whole processes: W10 sums over a million JSON lines, W11 a program that prints one line, a log of 1 GB.

import FRPBase
import Glibc

/// A process that was timed.
struct ProcessMeasurement {
  var name: String
  var title: String
  var unit: String
  var times: Spread
  var must: Double?
  var goal: Double?
  var resident: Int
  var isRight: Bool
}

struct Processes {
  /// The release build of `frp`.
  let frp: String
  /// Takes programs, inputs and outputs.
  let folder: String
  let isQuick: Bool

  static let sums = """
    alias Tweet = {brand: String, followers: Int}
    input tweets: Event<Tweet>
    sums = tweets |> groupBy(.brand, (_, own) => own |> fold(0.0, (sum, t) => sum + 1.0 + 1.01 * toFloat(t.followers)))
    output totals = sample(sums, end)

    """

  private func path(_ name: String) -> String { "\(folder)/bench-\(name)" }

  // MARK: W10

  /// A file of tweets, made if it is not there, and the sums of its lines.
  func tweets(_ count: Int) throws(BenchFailure) -> (path: String, expected: String, sums: [String: Double]) {
    let file = path("tweets-\(count).jsonl")
    var tweets = Tweets()
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw BenchFailure(message: "cannot write \(file)") }
    _ = tweets.write(count, to: descriptor)
    close(descriptor)
    return (file, tweets.expected, tweets.sumsByBrand)
  }

  func lines() throws(BenchFailure) -> ProcessMeasurement {
    let count = isQuick ? 100_000 : 1_000_000
    let input = try tweets(count)
    defer { unlink(input.path) }
    try FRPBench.write(Processes.sums, to: path("sums.frp"))
    defer { unlink(path("sums.frp")) }
    var runs: [Child] = []
    var isRight = true
    for _ in 0..<(isQuick ? 3 : 7) {
      runs.append(
        try Child.run(
          [frp, "run", path("sums.frp"), "--format", "jsonl"], input: .file(input.path), output: .file(path("out"))))
      let text = contents(of: path("out")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      isRight =
        isRight && runs[runs.count - 1].exitCode == 0
        && Processes.withoutTime(text) == Processes.withoutTime(input.expected)
    }
    unlink(path("out"))
    let scale = 1_000_000 / Double(count)
    return ProcessMeasurement(
      name: "W10", title: "\(grouped(Double(count), decimals: 0)) JSON lines to sums by brand", unit: "s",
      times: Spread(runs.map { $0.processorTime * scale }), must: 0.9, goal: 0.45,
      resident: runs.map(\.resident).max() ?? 0, isRight: isRight)
  }

  /// The last instant is at whatever time the run took.
  private static func withoutTime(_ line: String) -> Substring { line.drop { $0 != "," } }

  // MARK: W11

  func hello() throws(BenchFailure) -> ProcessMeasurement {
    try FRPBench.write("output hello = \"hello\"\n", to: path("hello.frp"))
    defer { unlink(path("hello.frp")) }
    var runs: [Child] = []
    var isRight = true
    for _ in 0..<(isQuick ? 15 : 40) {
      runs.append(try Child.run([frp, "run", path("hello.frp")], output: .file(path("out"))))
      isRight = isRight && contents(of: path("out")) == Array("hello\n".utf8)
    }
    unlink(path("out"))
    return ProcessMeasurement(
      name: "W11", title: "hello, by the clock on the wall", unit: "ms", times: Spread(runs.map { $0.wallTime * 1000 }),
      must: 8, goal: 5, resident: runs.map(\.resident).max() ?? 0, isRight: isRight)
  }

  // MARK: A log

  /// Lines through a pipe until it is 1 GB: how much memory the reader takes.
  func log() throws(BenchFailure) -> [Size] {
    let goal = isQuick ? 50_000_000 : 1_000_000_000
    try FRPBench.write(Processes.sums, to: path("sums.frp"))
    defer { unlink(path("sums.frp")) }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw BenchFailure(message: "no pipe") }
    // Else the child would hold the end that is written to, and wait for itself.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let child = try RunningChild(
      [frp, "run", path("sums.frp"), "--format", "jsonl"], input: .descriptor(ends[0]), output: .file(path("out")))
    close(ends[0])
    signal(SIGPIPE, SIG_IGN)
    var tweets = Tweets()
    var bytes = 0
    while bytes < goal {
      let more = tweets.write(10_000, to: ends[1])
      if more == 0 { break }
      bytes += more
    }
    close(ends[1])
    let end = child.wait()
    let text = contents(of: path("out")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    unlink(path("out"))
    let isRight = end.exitCode == 0 && Processes.withoutTime(text) == Processes.withoutTime(tweets.expected)
    let name = "log of \(grouped(Double(bytes) / 1e6, decimals: 0)) MB through a pipe"
    return [
      Size(
        title: name + ": memory", value: Double(end.resident) / 1e6, unit: "MB", must: 64,
        problem: isRight ? nil : "exit \(end.exitCode), \(text)"),
      Size(title: name + ": processor time", value: end.processorTime, unit: "s"),
    ]
  }
}

extension Table {
  mutating func add(_ measured: ProcessMeasurement) {
    add(
      [
        measured.name, measured.title, measured.unit, shown(measured.times.median), shown(measured.times.least),
        shown(measured.times.most), measured.must.map(shown) ?? "", measured.goal.map(shown) ?? "",
        shown(Double(measured.resident) / 1e6), measured.isRight ? "right" : "WRONG",
      ],
      json: [
        ("name", quoted(measured.name)), ("title", quoted(measured.title)), ("unit", quoted(measured.unit)),
        ("median", plain(measured.times.median)), ("least", plain(measured.times.least)),
        ("most", plain(measured.times.most)), ("resident", "\(measured.resident)"), ("right", "\(measured.isRight)"),
      ])
  }
}
