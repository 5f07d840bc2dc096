// What a body that comes piece by piece is made of: lines, or events (server-sent, as HTML defines them). What is too
// long, or no UTF-8, is an error.

import FRPBase

/// Takes items from the front of what has come.
package protocol StreamSplitter: SendableMetatype {
  associatedtype Item: Sendable
  /// The next item that begins at `start`, which is moved past it; nil where more is needed. `isLast`: nothing more comes.
  mutating func next(_ bytes: [UInt8], _ start: inout Int, isLast: Bool) throws(IOError) -> Item?
}

/// The lines of a body, many at a time. One that is too long is an error here: who sends is told so.
package struct BodyLines: StreamSplitter {
  private let limit: Int
  private var cutter: LineCutter
  private var count = 0
  private var problem: IOError?

  package init(limit: Int) { (self.limit, cutter) = (limit, LineCutter(longest: limit)) }

  package mutating func next(_ bytes: [UInt8], _ start: inout Int, isLast: Bool) throws(IOError) -> LineBatch? {
    if let problem { throw problem }
    var batch = LineBatch()
    if start < bytes.count {
      batch = cutter.add(start == 0 ? bytes : Array(bytes[start...]))
      start = bytes.count
    }
    if isLast, batch.isEmpty { batch = cutter.end() }
    check(&batch)
    if !batch.ranges.isEmpty { return batch }
    if let problem { throw problem }
    return nil
  }

  /// Keeps the lines before the first that is wrong.
  private mutating func check(_ batch: inout LineBatch) {
    let wrong = batch.ranges.firstIndex { !isUTF8(batch.bytes[$0]) } ?? Int.max
    if batch.beforeDropped <= wrong, batch.dropped > 0 {
      problem = IOError("line \(count + batch.beforeDropped + 1) is longer than \(limit) bytes")
      batch.keep(batch.beforeDropped)
    } else if wrong < Int.max {
      problem = IOError("line \(count + wrong + 1) is not UTF-8")
      batch.keep(wrong)
    }
    count += batch.ranges.count
  }
}

/// An event as a server has sent it.
public struct StreamedEvent: Sendable, Equatable {
  /// `message` where the server names none.
  public var type: String
  /// UTF-8; its lines are joined by line breaks.
  public var data: [UInt8]
  /// The last that the server has named, with this event or one before.
  public var id: String
}

package struct EventSplitter: StreamSplitter {
  private let limit: Int
  private var scanned = 0
  private var isFirst = true
  private var data: [UInt8] = []
  private var hasData = false
  private var type = ""
  private var pendingID: String
  private let place: EventPlace
  private var retryMilliseconds: Int?
  /// How long to wait before another connection: as the server has said, within bounds.
  var waitMilliseconds: Int { min(max(retryMilliseconds ?? 3000, 10), 60_000) }

  package init(limit: Int, from place: EventPlace) { (self.limit, self.place, pendingID) = (limit, place, place.id) }

  package mutating func next(_ bytes: [UInt8], _ start: inout Int, isLast: Bool) throws(IOError) -> StreamedEvent? {
    while let line = try line(bytes, &start, isLast) {
      if line.isEmpty {
        if let event = take() { return event }
      } else {
        try add(line)
      }
    }
    return nil
  }

  /// Lines end with LF, CR LF or CR; what follows the last end is no line.
  private mutating func line(_ bytes: [UInt8], _ start: inout Int, _ isLast: Bool) throws(IOError) -> ArraySlice<UInt8>?
  {
    let end = bytes[(start + scanned)...].firstIndex { $0 == 0x0A || $0 == 0x0D }
    if (end ?? bytes.count) - start + data.count > limit { throw IOError("an event is longer than \(limit) bytes") }
    guard let end, bytes[end] == 0x0A || end + 1 < bytes.count || isLast else {
      scanned = (end ?? bytes.count) - start
      return nil
    }
    scanned = 0
    var line = bytes[start..<end]
    start = end + 1
    if bytes[end] == 0x0D, end + 1 < bytes.count, bytes[end + 1] == 0x0A { start += 1 }
    if isFirst && line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    isFirst = false
    return line
  }

  private mutating func add(_ line: ArraySlice<UInt8>) throws(IOError) {
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == 0x20 { value.removeFirst() }
    if !isUTF8(Array(value)) { throw IOError("an event is not UTF-8") }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data":
      if hasData { data.append(0x0A) }
      data += value
      hasData = true
    case "event": type = String(decoding: value, as: UTF8.self)
    case "id": if !value.contains(0) { pendingID = String(decoding: value, as: UTF8.self) }
    case "retry": retryMilliseconds = Int(String(decoding: value, as: UTF8.self)) ?? retryMilliseconds
    default: break
    }
  }

  /// The event that an empty line ends.
  private mutating func take() -> StreamedEvent? {
    defer { (data, hasData, type) = ([], false, "") }
    place.id = pendingID
    return hasData ? StreamedEvent(type: type.isEmpty ? "message" : type, data: data, id: pendingID) : nil
  }

  /// For another connection: what was under way is given up, as its server will send it again.
  mutating func begin() {
    (data, hasData, type, scanned, isFirst) = ([], false, "", 0, true)
    pendingID = place.id
  }
}
