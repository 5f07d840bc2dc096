// A body as a stream of items. On the loop's thread only.
//
// Rules
// - While its listener is paused nothing is read; what was read waits.
// - It ends with its connection, well or not, unless it is events that go on by themselves: then another follows, behind the last
//   event (`EventPlace`), after the wait that the server names (3 s where it names none). A connection that does not come about at
//   the very first, or that answers otherwise, is the end, and so is a 204.

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
  private var request: HTTPRequest
  private let grants: Grants
  private var splitter: Splitter
  /// The type that the answer must have; empty for any.
  private let type: String
  /// Hears of each answer that is as it should be.
  private let opened: () -> Void
  /// Hears why a connection has ended, and says what is asked next, after so many milliseconds; nil: its end is the end.
  private let goesOn: ((inout Splitter, _ why: String) -> (request: HTTPRequest, milliseconds: Int))?
  private var transfer: Transfer?
  private var wait: IOTimer?
  private var bytes: [UInt8] = []
  private var start = 0
  private var isHeld = false
  /// Whether the server has answered with something that goes on.
  private var hasBegun = false
  private var hasFailed = false
  /// How it ends, once all items are given.
  private var ending: Result<Void, IOError>?

  init(
    _ stream: Stream<Splitter.Item>, _ request: HTTPRequest, _ grants: Grants, _ splitter: Splitter, type: String = "",
    opened: @escaping () -> Void = {},
    goesOn: ((inout Splitter, _ why: String) -> (request: HTTPRequest, milliseconds: Int))? = nil
  ) {
    (self.stream, self.request, self.grants, self.splitter) = (stream, request, grants, splitter)
    (self.type, self.opened, self.goesOn) = (type, opened, goesOn)
  }

  func begin() {
    // The listener's words keep it until its end.
    stream.onChange(.init(resume: { self.resume() }, cancel: { self.cancel() }))
    if stream.isOpen { send() }
  }

  private func send() {
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
      // With 204 a server says that no more is to be asked.
      hasBegun = status != 204
      if hasBegun { opened() }
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
    guard let ending, stream.isWanted else { return }
    if let goesOn, hasBegun, !hasFailed { again(ending, goesOn) } else { stream.finish(ending) }
  }

  /// Waits, and asks for what comes behind.
  private func again(
    _ ended: Result<Void, IOError>,
    _ goesOn: (inout Splitter, _ why: String) -> (request: HTTPRequest, milliseconds: Int)
  ) {
    (bytes, start, ending) = ([], 0, nil)
    var why = "it ended"
    if case .failure(let error) = ended { why = error.message }
    let next = goesOn(&splitter, why)
    request = next.request
    wait = IOLoop.shared.after(next.milliseconds * 1_000_000) { [self] in send() }
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

  /// Events of a server behind a place that moves with them. `opened`: it may bring some. `lost` hears why a connection has ended,
  /// and the stream goes on by itself; without it that is the end.
  public static func events(
    _ url: String, from place: EventPlace = EventPlace(), _ grants: Grants,
    opened: @escaping @Sendable () -> Void = {}, lost: (@Sendable (String) -> Void)? = nil,
    item: @escaping @Sendable (StreamedEvent) -> Void, end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    IOLoop.shared.run {
      HTTPStream(
        stream, eventRequest(url, place), grants, EventSplitter(limit: itemLimit, from: place),
        type: "text/event-stream", opened: opened,
        goesOn: lost.map { lost in
          { splitter, why in
            lost(why)
            splitter.begin()
            return (eventRequest(url, place), splitter.waitMilliseconds)
          }
        }
      ).begin()
    }
    return stream
  }

  private static func eventRequest(_ url: String, _ place: EventPlace) -> HTTPRequest {
    var request = streaming(url)
    let headers: [(name: String, value: String)] = [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
    request.headers = headers + lastEventID(place.id)
    return request
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
