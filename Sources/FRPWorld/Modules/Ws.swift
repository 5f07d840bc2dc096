// Ws: WebSockets to servers.

import FRP
import FRPIO
import Synchronization

/// The open WebSockets of a world, by url: what is sent goes to the connection that the newest `messages` of its url has.
final class WorldSockets: Sendable {
  private let open = Mutex<[String: [WebSocket]]>([:])

  subscript(url: String) -> WebSocket? { open.withLock { $0[url]?.last } }

  fileprivate func add(_ socket: WebSocket, _ url: String) { open.withLock { $0[url, default: []].append(socket) } }

  fileprivate func remove(_ socket: WebSocket, _ url: String) {
    open.withLock { sockets in
      sockets[url]?.removeAll { $0 === socket }
      if sockets[url]?.isEmpty == true { sockets[url] = nil }
    }
  }
}

/// A WebSocket that `send` finds as long as it is open.
private final class ListedSocket: HostUnderway {
  private enum State { case idle, open(WebSocket), over }
  private let state = Mutex(State.idle)
  private let url: String
  private let sockets: WorldSockets

  init(_ url: String, _ sockets: WorldSockets) { (self.url, self.sockets) = (url, sockets) }

  func begin(_ grants: Grants, _ report: @escaping @Sendable (HostReport) -> Void) {
    let made = WebSocket.connect(
      url, grants, opened: { report(.opened) }, item: { report(.item(HostAnswer($0))) },
      end: { [self] end in
        leave()
        ending(report)(end)
      })
    // It may have ended on the loop's thread by now.
    state.withLock { state in
      guard case .idle = state else { return }
      state = .open(made)
      sockets.add(made, url)
    }
  }

  private var socket: WebSocket? { state.withLock { if case .open(let socket) = $0 { socket } else { nil } } }

  /// Lets go of it; gives what it was.
  @discardableResult
  private func leave() -> WebSocket? {
    state.withLock { state in
      defer { state = .over }
      guard case .open(let former) = state else { return nil }
      sockets.remove(former, url)
      return former
    }
  }

  func cancel() { leave()?.cancel() }
  func pause() { socket?.pause() }
  func resume() { socket?.resume() }
}

extension World {
  var ws: HostModule {
    HostModule("Ws", help: "WebSockets.") { module in
      module.operation(
        "messages(url: String): Source<a>", decodes: true, help: "Opens a WebSocket; its messages, until it is closed."
      ) { call in
        { report in
          let socket = ListedSocket(call.text(0), self.sockets)
          socket.begin(self.grants, report)
          return socket
        }
      }
      module.operation(
        "send(url: String, message: a): Task<()>",
        help: "Sends a message over the WebSocket that `Ws.messages` of the same url has open."
      ) { call throws(FrpError) in
        { report in
          guard let socket = self.sockets[call.text(0)] else {
            return AtOnce { report(.ended(.failure(FrpError("no WebSocket is open: \(call.text(0))")))) }
          }
          return saying(call.bodyBytes(1), atOnce: socket.sendAtOnce, socket.send)(report)
        }
      }
    }
  }
}
