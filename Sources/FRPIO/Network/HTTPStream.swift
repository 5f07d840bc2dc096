// A body as a stream of items. On the loop's thread only.
//
// Rules
// - While its listener is paused nothing is read; what was read waits.
// - Events go on after a connection that ends or breaks, from the last id, after the wait that the server names (3 s where
//   it names none). A connection that does not come about, or that answers otherwise, is the end.

import Glibc

final class HTTPStream<Splitter: StreamSplitter>: TransferReader, @unchecked Sendable {
  private let stream: Stream<Splitter.Item>
  private let request: HTTPRequest
  private let grants: Grants
  private var splitter: Splitter
  /// Goes on after an end, with these headers, after so many milliseconds; nil: an end is the end.
  private let goesOn: ((inout Splitter) -> (headers: [(name: String, value: String)], milliseconds: Int)?)?
  /// The type that the answer must have; empty for any.
  private let type: String
  private var transfer: Transfer?
  private var wait: IOTimer?
  private var bytes: [UInt8] = []
  private var start = 0
  private var isHeld = false
  private var hasBegun = false
  private var hasFailed = false
  /// How it ends, once all items are given.
  private var ending: Result<Void, IOError>?

  init(
    _ stream: Stream<Splitter.Item>, _ request: HTTPRequest, _ grants: Grants, _ splitter: Splitter, type: String = "",
    goesOn: ((inout Splitter) -> (headers: [(name: String, value: String)], milliseconds: Int)?)? = nil
  ) {
    (self.stream, self.request, self.grants, self.splitter) = (stream, request, grants, splitter)
    (self.type, self.goesOn) = (type, goesOn)
  }

  func begin() {
    // The listener's words keep it until its end.
    stream.onChange(.init(resume: { self.resume() }, cancel: { self.cancel() }))
    if stream.isOpen { send(request) }
  }

  private func send(_ request: HTTPRequest) {
    hasBegun = false
    let made = Transfer(request, grants, .stream(self))
    transfer = made
    made.begin()
  }

  private func cancel() {
    wait?.cancel()
    transfer?.cancel()
    transfer = nil
  }

  // MARK: The transfer

  func began(status: Int, type: String) {
    if 200...299 ~= status {
      let given = HTTPText.lower(String(type.prefix { $0 != ";" && $0 != " " }))
      if !self.type.isEmpty && status != 204 && given != self.type {
        return fail(IOError("the answer is \(given.isEmpty ? "of no type" : given), and not \(self.type)"))
      }
      hasBegun = true
    } else {
      fail(IOError("\(status) \(HTTPResponse.words(status))"))
    }
  }

  func take(_ more: UnsafeRawBufferPointer) -> Bool {
    if ending != nil { return true }
    if start < bytes.count && !stream.isWanted || isHeld {
      isHeld = true
      return false
    }
    bytes += more
    giveItems()
    return true
  }

  func ended(_ result: Result<HTTPAnswer, IOError>) {
    transfer = nil
    if ending != nil { return giveItems() }
    if goesOn != nil, hasBegun {
      if case .success(let answer) = result, answer.status == 204 { ending = .success(()) } else { return again() }
    } else {
      ending = result.map { _ in }
    }
    giveItems()
  }

  private func again() {
    bytes = []
    start = 0
    guard let next = goesOn?(&splitter) else { return }
    wait = IOLoop.shared.after(next.milliseconds * 1_000_000) { [self] in
      var request = request
      request.headers.removeAll { header in next.headers.contains { $0.name == header.name } }
      request.headers += next.headers
      send(request)
    }
  }

  // MARK: Items

  /// Gives what is there, and then the end, if it has come. A body that was cut short has no last line.
  private func giveItems() {
    var isWhole = false
    if case .success = ending { isWhole = true }
    do throws(IOError) {
      while !hasFailed {
        if !stream.isWanted { return }
        guard let item = try splitter.next(bytes, &start, isLast: isWhole) else { break }
        stream.give(item)
      }
    } catch {
      return fail(error)
    }
    if start == bytes.count {
      // Lines are parts of it, so it is not used again.
      (bytes, start) = ([], 0)
    } else if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    if let ending, stream.isWanted { stream.finish(ending) }
  }

  private func resume() {
    giveItems()
    if isHeld && stream.isWanted {
      isHeld = false
      transfer?.setPaused(false)
    }
  }

  private func fail(_ error: IOError) {
    ending = .failure(error)
    hasFailed = true
    (bytes, start) = ([], 0)
    transfer?.cancel()
    transfer = nil
    giveItems()
  }
}

extension HTTP {
  /// The longest line, and the largest event.
  static let itemLimit = 1 << 20

  /// Lines of a body while it comes, UTF-8: as many at a time as have come.
  public static func lines(
    _ url: String, _ grants: Grants, item: @escaping @Sendable (LineBatch) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    IOLoop.shared.run { HTTPStream(stream, streaming(url), grants, BodyLines(limit: itemLimit)).begin() }
    return stream
  }

  /// Events of a server, which go on after a break. `after` is the id of the last one that was seen before.
  public static func events(
    _ url: String, after id: String = "", _ grants: Grants, item: @escaping @Sendable (StreamedEvent) -> Void,
    end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    IOLoop.shared.run {
      var request = streaming(url)
      let headers: [(name: String, value: String)] = [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
      request.headers = headers + lastEventID(id)
      let splitter = EventSplitter(limit: itemLimit, lastID: id)
      HTTPStream(stream, request, grants, splitter, type: "text/event-stream") { splitter in
        splitter.begin()
        return (lastEventID(splitter.lastID), min(max(splitter.retryMilliseconds ?? 3000, 10), 60_000))
      }.begin()
    }
    return stream
  }

  /// Silence is no end of a stream.
  private static func streaming(_ url: String) -> HTTPRequest {
    var request = HTTPRequest("GET", url)
    request.silenceSeconds = 0
    return request
  }

  /// What cannot stand in a header is left out.
  private static func lastEventID(_ id: String) -> [(name: String, value: String)] {
    id.isEmpty || id.utf8.contains(where: HTTPText.isForbidden) ? [] : [("Last-Event-ID", id)]
  }
}
