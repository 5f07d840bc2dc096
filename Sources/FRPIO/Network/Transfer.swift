// One exchange with an HTTP server, redirects included. On the loop's thread only.
//
// Rules
// - A redirect is a request of its own: its host must be granted as the first one's. At most ten are followed, and of a
//   stream, too, only before its body begins. Another scheme, host or port is another server: it is told nothing of the headers that the program
//   has given, any of which may be a secret.

import CNet
import Glibc

final class Transfer: @unchecked Sendable {
  /// What becomes of it: the whole answer, or its body as it comes.
  enum Sink {
    case answer((Result<HTTPAnswer, IOError>) -> Void)
    case stream(any TransferReader)
  }

  private var request: HTTPRequest
  private let sink: Sink
  private var library: NetLibrary?
  private var handle: OpaquePointer?
  private var url: NetURL?
  private var redirects = 0
  private var addresses: AddressCheck
  private var isRedirect = false
  private(set) var isCancelled = false
  /// The place whose turn it holds.
  private var place: String?

  private static let redirectLimit = 10

  init(_ request: HTTPRequest, _ grants: Grants, _ sink: Sink) {
    (self.request, self.sink, addresses) = (request, sink, AddressCheck(grants))
  }

  func begin() {
    if isCancelled { return }
    do throws(IOError) {
      try request.check()
      try send(NetLibrary.onLoop())
    } catch {
      end(.failure(error))
    }
  }

  func cancel() {
    isCancelled = true
    if let handle {
      library?.functions.http_cancel(handle)
      release()
    }
  }

  /// The server waits, or goes on.
  func setPaused(_ isPaused: Bool) {
    if let handle { library?.functions.http_pause(handle, isPaused ? 1 : 0) }
  }

  private func send(_ library: NetLibrary) throws(IOError) {
    self.library = library
    let url = try NetURL(request.url, schemes: ["http", "https"], library)
    try addresses.grants.check(host: url.host, port: url.port)
    self.url = url
    guard case .answer = sink else { return start() }
    // Streams may last for ever, so they hold nobody up.
    let place = url.place
    if library.enter(place, self) { start() }
  }

  /// Its turn has come.
  func start() {
    guard let library, let url else { return }
    if case .answer = sink { place = url.place }
    handle = withRequest { library.functions.http_begin(library.net, $0) }
    if handle == nil {
      leave()
      return end(.failure(IOError("\(url.place): no memory")))
    }
    // Until `release`.
    _ = Unmanaged.passRetained(self)
  }

  private func release() {
    handle = nil
    leave()
    Unmanaged.passUnretained(self).release()
  }

  private func leave() {
    guard let place else { return }
    self.place = nil
    library?.leave(place)
  }

  private func end(_ result: Result<HTTPAnswer, IOError>) {
    if isCancelled { return }
    switch sink {
    case .answer(let done): done(result)
    case .stream(let reader): reader.ended(result)
    }
  }
}

/// Takes a body while it comes.
protocol TransferReader: AnyObject {
  /// An answer that is no redirect begins.
  func began(status: Int, type: String)
  /// Whether the bytes were taken; if not they come again after `setPaused(false)`.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Its body is what came beside `take`: nothing, or that of a redirect.
  func ended(_ result: Result<HTTPAnswer, IOError>)
}

// MARK: What the library calls

extension Transfer {
  private static func from(_ user: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged.fromOpaque(user).takeUnretainedValue()
  }

  private func withRequest<Result>(_ body: (UnsafePointer<frp_http_request>) -> Result) -> Result {
    var made = frp_http_request()
    made.body_limit = request.bodyLimit
    made.header_limit = HTTPRequest.headerLimit
    made.connect_milliseconds = Int64(request.connectSeconds) * 1000
    made.silence_seconds = Int64(request.silenceSeconds)
    made.user = Unmanaged.passUnretained(self).toOpaque()
    made.permits = {
      let transfer = Transfer.from($0)
      guard let url = transfer.url else { return 0 }
      return transfer.addresses.permits($1, of: url) ? 1 : 0
    }
    made.done = { Transfer.from($0).done($1.pointee) }
    if case .stream = sink {
      made.began = { Transfer.from($0).began(Int($1), $2.map { String(cString: $0) } ?? "") }
      made.chunk = { Transfer.from($0).chunk(UnsafeRawBufferPointer(start: $1, count: $2)) ? 0 : 1 }
    }
    return request.method.withCString { method in
      request.url.withCString { url in
        (made.method, made.url) = (method, url)
        guard let authorities = request.authorities else { return withHeaders(&made, body) }
        return authorities.withCString {
          made.authorities = $0
          return withHeaders(&made, body)
        }
      }
    }
  }

  private func withHeaders<Result>(
    _ made: inout frp_http_request, _ body: (UnsafePointer<frp_http_request>) -> Result
  ) -> Result {
    // An empty value has to be told from a header that is taken out.
    let lines = (request.own + request.headers).map {
      strdup($0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)")
    }
    defer { for line in lines { free(line) } }
    return lines.map { UnsafePointer($0) }.withUnsafeBufferPointer { headers in
      (made.headers, made.headers_count) = (headers.baseAddress, headers.count)
      guard let sent = request.body else { return body(&made) }
      return sent.withUnsafeBufferPointer { bytes in
        (made.body, made.body_count, made.has_body) = (bytes.baseAddress, bytes.count, 1)
        return body(&made)
      }
    }
  }

  private static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  private func began(_ status: Int, _ type: String) {
    isRedirect = Self.isRedirect(status)
    if case .stream(let reader) = sink, !isRedirect { reader.began(status: status, type: type) }
  }

  private func chunk(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard case .stream(let reader) = sink, !isRedirect else { return true }
    return reader.take(bytes)
  }

  private func done(_ answer: frp_http_answer) {
    release()
    if isCancelled { return }
    if let error = answer.error {
      let refusal = answer.is_refused != 0 ? addresses.refusal : nil
      return end(.failure(refusal ?? IOError(String(cString: error))))
    }
    if Self.isRedirect(Int(answer.status)), let redirect = answer.redirect {
      return follow(String(cString: redirect), status: Int(answer.status))
    }
    let head = UnsafeRawBufferPointer(start: answer.headers, count: answer.headers_count)
    let body = Array(UnsafeBufferPointer(start: answer.body, count: answer.body_count))
    end(.success(HTTPAnswer(status: Int(answer.status), head: head, body: body)))
  }

  private func follow(_ target: String, status: Int) {
    guard let library, let from = url else { return }
    redirects += 1
    do throws(IOError) {
      if redirects > Self.redirectLimit {
        throw IOError("\(from.place) redirects more than \(Self.redirectLimit) times")
      }
      let to = try NetURL(target, schemes: ["http", "https"], library)
      let isElsewhere = (to.scheme, to.host, to.port) != (from.scheme, from.host, from.port)
      request = request.redirected(to: target, status: status, isElsewhere: isElsewhere)
      try send(library)
    } catch {
      end(.failure(error))
    }
  }
}
