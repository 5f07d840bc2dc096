// What strangers send, into what reads it: heads and bodies of requests, frames of WebSockets, lines and events.
//
// The first byte says in which pieces the rest comes. Whatever the pieces: the same values, and the same refusal. What is
// kept stays within its limit, and texts are UTF-8.

import FRPBase
import FRPIO

enum NetworkFuzz {
  private static let limit = 64

  /// What was read, one after the other, and what ended it.
  private struct Outcome<Value> {
    var values: [Value] = []
    var refusal: String?
  }

  private enum Part: Equatable {
    case head(RequestHead)
    case body([UInt8])
  }

  private static func compare<Value: Equatable>(
    _ bytes: [UInt8], _ read: ([UInt8], Int) -> Outcome<Value>
  ) -> String? {
    let (size, rest) = (1 + Int(bytes.first ?? 0) % 23, Array(bytes.dropFirst()))
    let (whole, pieces) = (read(rest, max(1, rest.count)), read(rest, size))
    return whole.values == pieces.values && whole.refusal == pieces.refusal
      ? nil : "in pieces of \(size): \(pieces), at once: \(whole)"
  }

  /// Calls `body` with what has come so far, and whether that is all; it says how much of it is done with.
  private static func feed(_ bytes: [UInt8], _ size: Int, _ body: ([UInt8], Bool) throws -> Int) rethrows {
    var (have, end) = ([UInt8](), 0)
    repeat {
      let next = min(bytes.count, end + size)
      have += bytes[end..<next]
      end = next
      have.removeFirst(try body(have, end == bytes.count))
    } while end < bytes.count
  }

  // MARK: Requests

  static func request(_ bytes: [UInt8]) -> String? { compare(bytes, requests) }

  private static func requests(_ bytes: [UInt8], _ size: Int) -> Outcome<Part> {
    var outcome = Outcome<Part>()
    var (scanner, body): (HeadScanner, RequestBody?) = (HeadScanner(), nil)
    do {
      try feed(bytes, size) { have, _ in
        var start = 0
        while true {
          if var taking = body {
            start = try taking.take(have, from: start)
            body = taking
            if taking.bytes.count > limit { outcome.refusal = "a body of \(taking.bytes.count) bytes" }
            if !taking.isWhole { return start }
            outcome.values.append(.body(taking.bytes))
            body = nil
          }
          guard let head = try scanner.next(have, from: start) else { return start }
          outcome.values.append(.head(head))
          start += head.count
          body = try RequestBody(head.body, limit: limit)
        }
      }
    } catch {
      outcome.refusal = (error as? Refusal)?.sentence ?? "\(error)"
    }
    return outcome
  }

  // MARK: Frames

  static func frames(_ bytes: [UInt8]) -> String? {
    compare(bytes) { messages($0, $1, isServer: true) } ?? compare(bytes) { messages($0, $1, isServer: false) }
  }

  private static func messages(_ bytes: [UInt8], _ size: Int, isServer: Bool) -> Outcome<SocketInput> {
    var outcome = Outcome<SocketInput>()
    var decoder = SocketDecoder(isServer: isServer, limit: limit)
    do {
      try feed(bytes, size) { have, _ in
        var start = 0
        while let input = try decoder.next(have, at: &start) {
          if case .text(let text) = input, text.count > limit || !isUTF8(text) { outcome.refusal = "a text of \(text)" }
          outcome.values.append(input)
        }
        return start
      }
    } catch {
      outcome.refusal = (error as? SocketFault)?.sentence ?? "\(error)"
    }
    return outcome
  }

  // MARK: Lines and events

  static func stream(_ bytes: [UInt8]) -> String? {
    compare(bytes) { lines($0, $1) }
      ?? compare(bytes) { items(EventSplitter(limit: limit, from: EventPlace(after: "1")), $0, $1) }
  }

  private static func lines(_ bytes: [UInt8], _ size: Int) -> Outcome<[UInt8]> {
    let outcome = items(BodyLines(limit: limit), bytes, size)
    return Outcome(values: outcome.values.flatMap(\.lines), refusal: outcome.refusal)
  }

  private static func items<Splitter: StreamSplitter>(
    _ splitter: Splitter, _ bytes: [UInt8], _ size: Int
  ) -> Outcome<Splitter.Item> {
    var (outcome, splitter) = (Outcome<Splitter.Item>(), splitter)
    do {
      try feed(bytes, size) { have, isLast in
        var start = 0
        while let item = try splitter.next(have, &start, isLast: isLast) { outcome.values.append(item) }
        return start
      }
    } catch {
      outcome.refusal = "\(error)"
    }
    return outcome
  }
}
