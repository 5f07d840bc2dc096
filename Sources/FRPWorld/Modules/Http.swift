// Http: requests to servers.

import FRP
import FRPBase
import FRPIO
import Synchronization

/// How far streams of events had come that are over: the next of the same address goes on there. Those that are open have places
/// of their own, also where several are of one address.
final class EventPlaces: Sendable {
  private let left = Mutex<[String: [EventPlace]]>([:])

  /// The place that was left first; the beginning where there is none.
  func take(_ url: String) -> EventPlace {
    left.withLock { left in
      guard var places = left[url], !places.isEmpty else { return EventPlace() }
      defer { left[url] = places }
      return places.removeFirst()
    }
  }

  func leave(_ place: EventPlace, of url: String) { left.withLock { $0[url, default: []].append(place) } }
}

/// The place of a stream that is open: it is left when that ends, or else when nothing knows the stream any more.
private final class OpenPlace: Sendable {
  let place: EventPlace
  private let url: String
  private let places: EventPlaces
  private let isLeft = Atomic(false)

  init(_ url: String, _ places: EventPlaces) { (self.url, self.places, place) = (url, places, places.take(url)) }

  deinit { leave() }

  func leave() {
    if isLeft.exchange(true, ordering: .relaxed) { return }
    places.leave(place, of: url)
  }
}

extension World {
  var http: HostModule {
    HostModule(
      "Http", help: "Requests to servers. Bodies are decoded to the type that the program uses; String takes the text."
    ) {
      module in
      module.operation("get(url: String): Task<a>", decodes: true, help: "The body that the server answers with.") {
        self.request("GET", $0)
      }
      for (name, method) in [("post", "POST"), ("put", "PUT"), ("patch", "PATCH")] {
        module.operation(
          "\(name)(url: String, body: b): Task<a>", decodes: true,
          help: "Sends a body, text as it is and anything else as JSON, and gives that of the answer."
        ) { call in self.request(method, call, body: call.encoded(1)) }
      }
      module.operation("delete(url: String): Task<()>", help: "Asks the server to delete.") {
        self.request("DELETE", $0)
      }
      module.operation(
        "send(request: {method: String, url: String, headers: Map<String, Secret>, body: String}): "
          + "Task<{status: Int, headers: Map<String, String>, body: String}>",
        help: "A request with everything said, and its answer, whatever the status is."
      ) { call in self.send(call) }
      module.operation(
        "lines(url: String): Source<a>", decodes: true, help: "The lines of an answer, as they come."
      ) { call in bringing { HTTP.lines(call.text(0), self.grants, item: $0, end: $1) } }
      module.operation(
        "events(url: String): Source<a>", decodes: true,
        help:
          "Server-sent events: the data of each. After a break it goes on behind the last by itself, or as `reconnect` says."
      ) { call in self.events(call.text(0), isReconnected: call.isReconnected) }
      module.function("escape", "text", help: "Text as a part of a URL: `a b&c` is `a%20b%26c`.") { (text: String) in
        escaped(text)
      }
    }
  }

  /// A request whose answer is a body; a status that is not 2xx is an error.
  private func request(_ method: String, _ call: HostCall, body: (type: String, bytes: [UInt8])? = nil) -> HostBegin {
    var request = HTTPRequest(method, call.text(0), body: body?.bytes)
    if let body { request.own = [(name: "Content-Type", value: body.type)] }
    let complete = request.named(call.key)
    return calling({ HTTP.send(complete, self.grants, $0) }) { (answer: HTTPAnswer) in
      if 200..<300 ~= answer.status { return answer.text.map(HostAnswer.body) }
      return .failure(FrpError(statusText(answer.status)))
    }
  }

  /// Where the program has no `reconnect` it goes on by itself.
  private func events(_ url: String, isReconnected: Bool) -> HostBegin {
    { report in
      let open = OpenPlace(url, self.eventPlaces)
      let lost: @Sendable (String) -> Void = { report(.retrying($0)) }
      return Underway(
        HTTP.events(
          url, from: open.place, self.grants, opened: { report(.opened) },
          lost: isReconnected ? nil : lost,
          item: { event in withExtendedLifetime(open) { report(.item(HostAnswer(event.data))) } },
          end: { result in
            // Before anybody hears of the end, who may open it again at once.
            open.leave()
            ending(report)(result)
          }))
    }
  }

  private func send(_ call: HostCall) -> HostBegin {
    guard case .record(let fields) = call.arguments[0] else {
      preconditionFailure("the declaration says that it is a record")
    }
    var request = HTTPRequest(fields.text("method"), fields.text("url"), body: Array(fields.text("body").utf8))
    if case .map(let headers)? = fields["headers"] {
      request.headers = headers.map { (name: $0.key.plainText, value: $0.value.plainText) }
    }
    if request.body?.isEmpty == true { request.body = nil }
    if request.body != nil, !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      request.own = [(name: "Content-Type", value: HTTPRequest.type(of: fields.text("body")))]
    }
    let complete = request.named(call.key)
    return calling({ HTTP.send(complete, self.grants, $0) }) { (answer: HTTPAnswer) in
      let headers = Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
      return answer.text.map { text in
        .value(
          .record([
            "status": .integer(answer.status), "body": .text(text),
            "headers": .map(headers.map { FrpValue.Entry(.text($0.key), .text($0.value)) }),
          ]))
      }
    }
  }
}

extension HTTPRequest {
  /// What a text is sent as where the program does not say: JSON if it is an object or an array, as `Http.post` would make it.
  fileprivate static func type(of text: String) -> String {
    JSONParts.object(text) != nil || JSONParts.array(text) != nil ? "application/json" : "text/plain; charset=utf-8"
  }

  /// With the key of a call that may begin again, so that a server which knows it does what is asked once (draft-ietf-httpapi-idempotency-key).
  /// Who only asks has none, and what the program itself says stays.
  fileprivate func named(_ key: HostCallKey?) -> HTTPRequest {
    let asks = ["GET", "HEAD", "OPTIONS"].contains(method)
    guard let key, !asks, !headers.contains(where: { $0.name.lowercased() == "idempotency-key" }) else { return self }
    var named = self
    named.own.append((name: "Idempotency-Key", value: "\(key)"))
    return named
  }
}

extension HTTPAnswer {
  /// Its body, which is a text or nothing that the language has.
  fileprivate var text: Result<String, FrpError> {
    String(validating: body, as: UTF8.self).map { .success($0) } ?? .failure(FrpError("the answer is not UTF-8"))
  }
}

extension HostCall {
  /// An argument as the body of a request: a String as text, anything else as JSON.
  func encoded(_ place: Int) -> (type: String, bytes: [UInt8]) {
    if case .text(let text) = arguments[place] { return ("text/plain; charset=utf-8", Array(text.utf8)) }
    return ("application/json", Array(arguments[place].json.utf8))
  }
}

extension [String: FrpValue] {
  /// The text of a field that the declaration promises.
  func text(_ name: String) -> String { self[name]?.plainText ?? "" }
}

extension FrpValue {
  /// The text of a String or a Secret.
  var plainText: String {
    switch self {
    case .text(let text): text
    case .tagged(_, let parts): parts.first?.plainText ?? ""
    default: ""
    }
  }
}

/// Everything but letters, digits, `-`, `.`, `_` and `~` as `%XX` of its UTF-8 (RFC 3986, 2.3).
private func escaped(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
    default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// `404 Not Found`: the status with its words.
private func statusText(_ status: Int) -> String {
  HTTPStatus.words(status).map { "\(status) \($0)" } ?? "\(status)"
}
