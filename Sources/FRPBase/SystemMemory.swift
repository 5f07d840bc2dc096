// How much memory this process may have: what the machine has, what its control group allows, what its limits allow.

import Glibc

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

  private static func limit(_ resource: __rlimit_resource) -> Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limits) == 0 else { return Int.max }
    return Int(clamping: limits.rlim_cur)
  }

  /// The least `memory.max` of the control group of this process and those around it; the older hierarchy has one file.
  private static func controlGroupLimit() -> Int {
    var least = number("/sys/fs/cgroup/memory/memory.limit_in_bytes") ?? Int.max
    guard let groups = text("/proc/self/cgroup") else { return least }
    for line in groups.split(separator: "\n") where line.hasPrefix("0::/") {
      var parts = line.dropFirst(4).split(separator: "/")
      while true {
        let folder = parts.map { "/" + $0 }.joined()
        if let bytes = number("/sys/fs/cgroup\(folder)/memory.max") { least = min(least, bytes) }
        if parts.popLast() == nil { break }
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
