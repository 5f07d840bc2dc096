// Serve: a server on every port that was granted.

import FRP
import FRPIO
import Glibc
import Synchronization

/// The one server of a world, which listens once something is served.
final class WorldServer: Sendable {
  private enum State {
    case idle
    case listening(HTTPServer)
    case failed(FrpError)
  }

  private let grants: Grants
  private let state = Mutex(State.idle)
  private let isHeld = Atomic(false)
  private let past = Mutex(ServerPast())

  init(_ grants: Grants) { self.grants = grants }

  /// Whoever connects waits until `open`.
  func hold() { isHeld.store(true, ordering: .relaxed) }

  /// What earlier processes of the run have numbered; before anything is served.
  func goOn(after past: ServerPast) {
    state.withLock { state in
      if case .listening(let server) = state { server.goOn(after: past) } else { self.past.withLock { $0 = past } }
    }
  }

  func open() {
    isHeld.store(false, ordering: .relaxed)
    state.withLock { state in if case .listening(let server) = state { server.accept() } }
  }

  func leave() { state.withLock { state in if case .listening(let server) = state { server.leave() } } }

  func end() { state.withLock { state in if case .listening(let server) = state { server.end() } } }

  func turnAway() { state.withLock { state in if case .listening(let server) = state { server.turnAway() } } }

  /// The server, listening. Throws a sentence where nothing is granted, or a port is taken.
  func server() throws(FrpError) -> HTTPServer {
    let result = state.withLock { state -> Result<HTTPServer, FrpError> in
      if case .idle = state { state = listening() }
      switch state {
      case .listening(let server): return .success(server)
      case .failed(let error): return .failure(error)
      case .idle: return .failure(FrpError("not granted: listen"))
      }
    }
    return try result.get()
  }

  private func listening() -> State {
    if grants.listen.isEmpty { return .failed(FrpError("not granted: listen")) }
    let server = HTTPServer(isShort: Self.tell)
    server.goOn(after: past.withLock { $0 })
    let accepts = !isHeld.load(ordering: .relaxed)
    for place in grants.listen {
      do throws(IOError) {
        try server.listen(on: place.address, port: place.port, grants, accepts: accepts)
      } catch {
        server.close()
        return .failed(FrpError(error.message))
      }
    }
    return .listening(server)
  }

  /// On standard error, once: whoever is turned away cannot tell.
  private static let tell: @Sendable (ServerShortage) -> Void = { shortage in
    let sentence =
      switch shortage {
      case .connections(let most):
        "frp: the server has \(most) connections, and answers 503 to who comes beyond these\n"
      case .descriptors: "frp: the system allows no more open files (ulimit -n); who connects to the server waits\n"
      }
    _ = sentence.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
  }
}

extension World {
  var serve: HostModule {
    HostModule("Serve", help: "A server for HTTP and WebSockets, on each port that --allow-listen names.") { module in
      module.type("Socket<a> = Joined(Int) | Said(Int, a) | Left(Int)")
      module.operation(
        "posts(path: String): Source<a>", decodes: true,
        help: "What is posted to a path: answered with 202 once it is taken, with 400 if it does not fit."
      ) { call throws(FrpError) in self.posts(try self.server.server(), call.text(0)) }
      module.operation(
        "requests(path: String): Source<{id: Int, method: String, path: String, query: Map<String, String>, body: a}>",
        help:
          "Requests to a path, or to all below it (`/x/*`, which is not `/x` itself); each waits for its `Serve.reply`."
      ) { call throws(FrpError) in self.requests(try self.server.server(), call.text(0)) }
      module.operation(
        "reply(id: Int, status: Int, body: b): Task<()>", help: "Answers a request, with text as it is, else with JSON."
      ) { call throws(FrpError) in
        let server = try self.server.server()
        let (type, bytes) = call.encoded(2)
        return calling({ server.reply(call.integer(0), status: call.integer(1), body: bytes, type: type, $0) }) {
          .success(.value(.unit))
        }
      }
      module.operation(
        "value(path: String, value: a): Task<()>", curried: true,
        help: "What GET gives at a path, as JSON; an event stream or a WebSocket there follows it."
      ) { call throws(FrpError) in
        let server = try self.server.server()
        let json = Array(call.arguments[1].json.utf8)
        return calling({ server.serve(call.text(0), json: json, $0) }) { .success(.value(.unit)) }
      }
      module.operation(
        "sockets(path: String): Source<Socket<a>>", help: "WebSockets of a path: who joins, what is said, who leaves."
      ) { call throws(FrpError) in
        let server = try self.server.server()
        return streaming({ server.sockets(call.text(0), item: $0, end: $1) }) { (event: ServerSocketEvent) in
          [.value(event.value)]
        }
      }
      module.operation(
        "say(id: Int, message: b): Task<()>", help: "Says something to a WebSocket; whoever has left is not missed."
      ) { call throws(FrpError) in
        let server = try self.server.server()
        let id = call.integer(0)
        return saying(call.bodyBytes(1), atOnce: { server.sayAtOnce(id, $0) }) { server.say(id, $0, $1) }
      }
    }
  }

  private func posts(_ server: HTTPServer, _ path: String) -> HostBegin {
    { report in
      Underway(
        server.posts(
          path,
          item: { request in
            report(
              .item(HostAnswer(request.body)) { refusal in
                if let refusal { answer(server, request.id, refusal) } else { server.accept(request.id) }
              })
          }, end: ending(report)))
    }
  }

  private func requests(_ server: HTTPServer, _ path: String) -> HostBegin {
    { report in
      Underway(
        server.requests(
          path,
          item: { request in
            report(.item(.value(request.value)) { if let refusal = $0 { answer(server, request.id, refusal) } })
          }, end: ending(report)))
    }
  }
}

/// Tells whoever sent what does not fit.
private func answer(_ server: HTTPServer, _ id: Int, _ refusal: String) {
  server.reply(id, status: 400, body: Array((refusal + "\n").utf8), type: "text/plain; charset=utf-8") { _ in }
}

extension ServerRequest {
  fileprivate var value: FrpValue {
    .record([
      "id": .integer(id), "method": .text(method), "path": .text(path),
      "query": .map(query.map { FrpValue.Entry(.text($0.key), .text($0.value)) }),
      "body": .body(String(decoding: body, as: UTF8.self)),
    ])
  }
}

extension ServerSocketEvent {
  fileprivate var value: FrpValue {
    switch self {
    case .joined(let id): .tagged("Joined", [.integer(id)])
    case .said(let id, let text): .tagged("Said", [.integer(id), .body(String(decoding: text, as: UTF8.self))])
    case .left(let id): .tagged("Left", [.integer(id)])
    }
  }
}
