// Which numbers the requests and WebSockets of a run have had, so that the next process gives none of them again, and tells who has left.
//
// In: what `Serve.requests` and `Serve.sockets` have brought, as it happens or happens again. Out: what the server of a process begins with.
// Rule: only what the program has seen counts, so that it is the same whenever the journal is read.

import FRP
import FRPBase
import FRPIO

struct ServedNumbers {
  /// The numbers of a source that are not over yet.
  private struct Joined {
    var task: HostTask.ID
    var sockets: Set<Int>
  }

  private(set) var past = ServerPast()
  /// By path.
  private var joined: [String: Joined] = [:] {
    didSet { past.joined = joined.mapValues { $0.sockets.sorted() } }
  }

  init() {}

  /// As a journal has it; its sockets belong to those of these tasks that listen at their paths.
  init(_ json: String, _ tasks: [HostTask]) {
    for (name, json) in JSONParts.object(json) ?? [] {
      switch name {
      case "requests": past.requests = Int(json) ?? 0
      case "sockets": past.sockets = Int(json) ?? 0
      default:
        for (path, list) in JSONParts.object(json) ?? [] {
          guard let task = tasks.last(where: { $0.serves(path) }) else { continue }
          joined[path] = Joined(task: task.id, sockets: Set(JSONParts.array(list)?.compactMap { Int($0) } ?? []))
        }
      }
    }
  }

  mutating func note(_ report: HostReport, _ task: HostTask) {
    guard case .item(.value(let value), _) = report else { return }
    switch (task.name, value) {
    case ("Serve.requests", .record(let fields)):
      if case .integer(let id)? = fields["id"] { past.requests = max(past.requests, id) }
    case ("Serve.sockets", .tagged("Joined", let parts)):
      guard case .integer(let id)? = parts.first, let path = task.path else { return }
      past.sockets = max(past.sockets, id)
      // Another listener at the path: the one before has ended.
      if joined[path]?.task != task.id { joined[path] = Joined(task: task.id, sockets: []) }
      joined[path]?.sockets.insert(id)
    case ("Serve.sockets", .tagged("Left", let parts)):
      if case .integer(let id)? = parts.first, let path = task.path { joined[path]?.sockets.remove(id) }
    default: break
    }
  }

  /// Sockets whose source has ended are nobody's any more.
  mutating func forgetEnded(_ tasks: [HostTask]) {
    if joined.isEmpty { return }
    let open = Set(tasks.map(\.id))
    joined = joined.filter { open.contains($0.value.task) }
  }

  /// Of those whose paths these tasks listen at.
  func json(_ tasks: [HostTask]) -> String {
    let open = past.joined.filter { path, sockets in !sockets.isEmpty && tasks.contains { $0.serves(path) } }
    let lists = open.sorted { $0.key < $1.key }.map { path, sockets in
      "\(jsonString(path)):[\(sockets.map(String.init).joined(separator: ","))]"
    }
    return "{\"requests\":\(past.requests),\"sockets\":\(past.sockets),\"joined\":{\(lists.joined(separator: ","))}}"
  }
}

extension HostTask {
  fileprivate var path: String? { if case .text(let path)? = arguments.first { path } else { nil } }
  fileprivate func serves(_ path: String) -> Bool { name == "Serve.sockets" && self.path == path }
}
