// Other programs as processes: started, fed, waited for, with what they cost.

import Glibc

/// A finished process.
struct Child {
  var exitCode: Int32
  /// User and system, in seconds.
  var processorTime: Double
  var wallTime: Double
  /// The most memory it ever held, in bytes.
  var resident: Int
}

/// Where a child reads or writes.
enum ChildStream {
  case null
  case file(String)
  /// An open descriptor of ours.
  case descriptor(Int32)
}

/// A running process.
struct RunningChild {
  let id: pid_t
  private let started: Double

  /// Starts a program, looked up in PATH. `settings` are added to the environment, as `NAME=value`.
  init(
    _ words: [String], settings: [String] = [], input: ChildStream = .null, output: ChildStream = .null,
    errors: ChildStream = .descriptor(2)
  ) throws(BenchFailure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    input.connect(0, O_RDONLY, &actions)
    output.connect(1, O_WRONLY | O_CREAT | O_TRUNC, &actions)
    errors.connect(2, O_WRONLY | O_CREAT | O_TRUNC, &actions)
    var id: pid_t = 0
    started = FRPBench.wallTime()
    let arguments = words.map { strdup($0) } + [nil]
    let variables = (RunningChild.environment + settings).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    let error = posix_spawnp(&id, words[0], &actions, nil, arguments, variables)
    if error != 0 { throw BenchFailure(message: "cannot start \(words[0]): \(String(cString: strerror(error)))") }
    self.id = id
  }

  private static var environment: [String] {
    var list: [String] = []
    var place = environ
    while let text = place.pointee {
      list.append(String(cString: text))
      place += 1
    }
    return list
  }

  /// Waits for its end.
  func wait() -> Child {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return Child(
      exitCode: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
      processorTime: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      wallTime: FRPBench.wallTime() - started, resident: usage.ru_maxrss * 1024)
  }
}

extension ChildStream {
  fileprivate func connect(_ target: Int32, _ flags: Int32, _ actions: inout posix_spawn_file_actions_t) {
    switch self {
    case .null: posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
    case .file(let path): posix_spawn_file_actions_addopen(&actions, target, path, flags, 0o644)
    case .descriptor(let own):
      if own != target { posix_spawn_file_actions_adddup2(&actions, own, target) }
    }
  }
}

extension Child {
  /// Runs a program to its end.
  static func run(
    _ words: [String], settings: [String] = [], input: ChildStream = .null, output: ChildStream = .null,
    errors: ChildStream = .descriptor(2)
  ) throws(BenchFailure) -> Child {
    try RunningChild(words, settings: settings, input: input, output: output, errors: errors).wait()
  }

  /// Whether PATH has a program of this name.
  static func isInstalled(_ name: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }
}

/// The whole of a file; nil if it cannot be read.
func contents(of path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&block, 1, block.count, file)
    if count == 0 { return bytes }
    bytes.append(contentsOf: block[..<count])
  }
}

/// Replaces a file.
func write(_ text: String, to path: String) throws(BenchFailure) {
  guard let file = fopen(path, "w") else { throw BenchFailure(message: "cannot write \(path)") }
  fputs(text, file)
  fclose(file)
}
