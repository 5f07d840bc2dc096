import FRPIO
import Glibc
import Synchronization
import Testing

/// Grants of the network, as on the command line.
func granting(_ hosts: String...) -> Grants {
  var grants = Grants()
  for host in hosts {
    do { try grants.add(.net, host) } catch { Issue.record(error) }
  }
  return grants
}

/// The server of a test.
let loopback = granting("127.0.0.1", "localhost")

/// The end of an operation, waited for.
final class Outcome<Value: Sendable>: Sendable {
  private let log = Log<Result<Value, IOError>>()

  var completion: Completion<Value> { { self.log.add($0) } }

  /// Nil: it has not ended after so many seconds.
  func wait(seconds: Int = 60) -> Result<Value, IOError>? { log.wait(seconds: seconds) { !$0.isEmpty }.first }

  var ends: Int { log.all.count }
}

/// Asks and waits.
func ask(_ request: HTTPRequest, _ grants: Grants = loopback) -> Result<HTTPAnswer, IOError>? {
  let outcome = Outcome<HTTPAnswer>()
  HTTP.send(request, grants, outcome.completion)
  return outcome.wait()
}

/// The sentence of what failed; or what came, where something did.
func problem<Value>(_ result: Result<Value, IOError>?) -> String {
  switch result {
  case nil: "it does not end"
  case .failure(let error): error.message
  case .success(let value): "it succeeds: \(value)"
  }
}

/// Descriptors that this process has open.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}

/// Bytes of memory that this process has at present.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return -1 }
  defer { fclose(file) }
  var (size, resident) = (0, 0)
  return withUnsafeMutablePointer(to: &size) { size in
    withUnsafeMutablePointer(to: &resident) { resident in
      withVaList([size, resident]) { vfscanf(file, "%ld %ld", $0) } == 2 ? resident.pointee * 4096 : -1
    }
  }
}

/// Whether libfrp-net.so was built (scripts/net; it says where its packages are missing). One that does not load is a failure.
let hasNetwork = getenv("FRP_LIB").map { access(String(cString: $0) + "/libfrp-net.so", F_OK) == 0 } ?? false

let noNetwork: Comment = "there is no libfrp-net.so in FRP_LIB, which scripts/checked sets"

/// Whether a test takes the time to show that nothing grows.
let isSoaking = getenv("FRP_LEAKS").map { String(cString: $0) == "full" } ?? false
