// A body as a stream of items. On the loop's thread only.
//
// Rules
// - While its listener is paused nothing is read; what was read waits.
// - It ends with its connection, well or not. Whoever opens events again says from which place (`EventPlace`): when that is done is
//   no matter of this file.

import Glibc
import Synchronization

/// How far a stream of events has come: what the server goes on behind where it is opened again.
public final class EventPlace: Sendable {
  private let last: Mutex<String>

  /// Behind the event of an id; from the beginning where that is empty.
  public init(after id: String = "") { last = Mutex(id) }

  /// The last that the server has named.
  public internal(set) var id: String {
    get { last.withLock { $0 } }
    set { last.withLock { $0 = newValue } }
  }
}

final class HTTPStream<Splitter: StreamSplitter>: TransferReader, @unchecked Sendable {
  private let stream: Stream<Splitter.Item>
  private let request: HTTPRequest
  private let grants: Grants
  private var splitter: Splitter
  /// The type that the answer must have; empty for any.
  private let type: String
  private var transfer: Transfer?
  private var bytes: [UInt8] = []
  private var start = 0
  private var isHeld = false
  private var hasFailed = false
  /// How it ends, once all items are given.
  private var ending: Result<Void, IOError>?

  init(
    _ stream: Stream<Splitter.Item>, _ request: HTTPRequest, _ grants: Grants, _ splitter: Splitter, type: String = ""
  ) {
    (self.stream, self.request, self.grants, self.splitter) = (stream, request, grants, splitter)
    self.type = type
  }

  func begin() {
    // The listener's words keep it until its end.
    stream.onChange(.init(resume: { self.resume() }, cancel: { self.cancel() }))
    if !stream.isOpen { return }
    let made = Transfer(request, grants, .stream(self))
    transfer = made
    made.begin()
  }

  private func cancel() {
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
    if ending == nil { ending = result.map { _ in } }
    giveItems()
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

  /// Events of a server, until its connection ends, behind a place that moves with them.
  public static func events(
    _ url: String, from place: EventPlace = EventPlace(), _ grants: Grants,
    item: @escaping @Sendable (StreamedEvent) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    IOLoop.shared.run {
      var request = streaming(url)
      let headers: [(name: String, value: String)] = [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
      request.headers = headers + lastEventID(place.id)
      let splitter = EventSplitter(limit: itemLimit, from: place)
      HTTPStream(stream, request, grants, splitter, type: "text/event-stream").begin()
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
