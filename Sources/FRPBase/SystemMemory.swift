// How much memory this process may have: what the machine has, what its control group allows, what its limits allow.

import FRPLibc

public enum SystemMemory {
  /// Bytes that this process can use before the system refuses or ends it. Looked up once.
  public static let available: Int = {
    let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return min(physical > 0 ? physical : 4 << 30, controlGroupLimit(), dataLimit(), addressSpace)
  }()

  /// Bytes of address space that this process may have (`ulimit -v`); `Int.max` without such a limit.
  public static let addressSpace = limit(RLIMIT_AS)

  private static func dataLimit() -> Int { limit(RLIMIT_DATA) }

  /// Whether more than a little is left of limited address space; where it is not limited, always. Whoever can be refused
  /// memory asks this first, since others cannot be. Cost: two calls of the system where there is a limit.
  public static var hasRoom: Bool { least == .max || grants(max(4 << 20, least / 32)) }

  private static let least = min(addressSpace, dataLimit())

  /// Whether the system would grant so many bytes now; few are not asked for. Cost: two calls of the system.
  public static func grants(_ bytes: Int) -> Bool {
    if bytes < 1 << 20 { return true }
    let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { return false }
    munmap(memory, bytes)
    return true
  }

  #if canImport(Glibc)
    private static func limit(_ resource: __rlimit_resource) -> Int {
      var limits = rlimit()
      guard getrlimit(__rlimit_resource_t(resource.rawValue), &limits) == 0 else { return Int.max }
      return Int(clamping: limits.rlim_cur)
    }
  #else
    private static func limit(_ resource: Int32) -> Int {
      var limits = rlimit()
      guard getrlimit(resource, &limits) == 0 else { return Int.max }
      return Int(clamping: limits.rlim_cur)
    }
  #endif

  /// The least limit of the control groups of this process and those around them: `memory.max`, or in the older hierarchy,
  /// which may be there as well, `memory.limit_in_bytes`.
  private static func controlGroupLimit() -> Int {
    var least = Int.max
    for line in (text("/proc/self/cgroup") ?? "").split(separator: "\n") {
      // A number, controllers, and the path; the newer hierarchy names no controllers.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isOlder = parts[1].split(separator: ",").contains("memory")
      guard isOlder || parts[1].isEmpty else { continue }
      let root = isOlder ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup"
      var path = parts[2].split(separator: "/")
      while true {
        let folder = root + path.map { "/" + $0 }.joined()
        let file = isOlder ? "memory.limit_in_bytes" : "memory.max"
        if let bytes = number("\(folder)/\(file)") { least = min(least, bytes) }
        if path.popLast() == nil { break }
      }
    }
    return least
  }

  /// The number that a file holds; nil for `max`, and where there is none.
  private static func number(_ path: String) -> Int? {
    text(path).flatMap { $0.split(separator: "\n").first }.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  private static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
