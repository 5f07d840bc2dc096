// What FRPIO has under way, as a host sees it.

import FRP
import FRPIO
import Synchronization

/// A call or stream of FRPIO.
final class Underway: HostUnderway {
  private let operation: any FRPIO.Operation

  init(_ operation: any FRPIO.Operation) { self.operation = operation }

  func cancel() { operation.cancel() }
  func pause() { (operation as? any Flow)?.pause() }
  func resume() { (operation as? any Flow)?.resume() }
}

/// What is over as soon as it has begun: it reports on the loop, as everything does.
final class AtOnce: HostUnderway {
  private let isWanted = Atomic(true)

  init(_ body: @escaping @Sendable () -> Void) {
    IOLoop.shared.run { if self.isWanted.load(ordering: .relaxed) { body() } }
  }

  func cancel() { isWanted.store(false, ordering: .relaxed) }
}

/// What was over when it began.
private final class Over: HostUnderway {
  static let instance = Over()
  func cancel() {}
}

/// A task that says a text to somebody: over when it begins where there is room, else once there is.
func saying(
  _ text: [UInt8], atOnce: @escaping @Sendable ([UInt8]) -> Result<Void, IOError>?,
  _ begin: @escaping @Sendable ([UInt8], @escaping Completion<Void>) -> any FRPIO.Operation
) -> HostBegin {
  { report in
    guard let result = atOnce(text) else { return calling({ begin(text, $0) }) { .success(.value(.unit)) }(report) }
    ending(report)(result)
    return Over.instance
  }
}

/// How a stream, or a call that gives nothing, ends for a program.
func ending(_ report: @escaping @Sendable (HostReport) -> Void) -> Completion<Void> {
  { report(.ended($0.map { .value(.unit) }.mapError { FrpError($0.message) })) }
}

/// An operation that is a call of FRPIO; `answer` makes what the program gets, or what is wrong.
func calling<Value: Sendable>(
  _ begin: @escaping @Sendable (@escaping Completion<Value>) -> any FRPIO.Operation,
  _ answer: @escaping @Sendable (Value) -> Result<HostAnswer, FrpError>
) -> HostBegin {
  { report in Underway(begin { report(.ended($0.mapError { FrpError($0.message) }.flatMap(answer))) }) }
}

/// A source that is a stream of FRPIO; `answers` are what an item of that is for the program.
func streaming<Item: Sendable>(
  _ begin: @escaping @Sendable (@escaping @Sendable (Item) -> Void, @escaping Completion<Void>) -> any Flow,
  _ answers: @escaping @Sendable (Item) -> [HostAnswer]
) -> HostBegin {
  { report in
    Underway(begin({ item in for answer in answers(item) { report(.item(answer)) } }, ending(report)))
  }
}

/// A source that brings lines.
func bringing(
  _ begin: @escaping @Sendable (@escaping @Sendable (LineBatch) -> Void, @escaping Completion<Void>) -> any Flow
) -> HostBegin {
  { report in
    let bring: @Sendable (LineBatch) -> Void = { batch in
      report(.items(HostBodies(batch.bytes, batch.ranges)))
      for _ in 0..<batch.dropped { report(.item(.unfit("a line is longer than 64 MiB"))) }
    }
    return Underway(begin(bring, ending(report)))
  }
}

extension HostAnswer {
  /// Text as it came.
  init(_ bytes: [UInt8]) { self = .bytes(bytes[...]) }
}

extension HostCall {
  /// A text argument as bytes.
  func bytes(_ place: Int) -> [UInt8] { Array(text(place).utf8) }

  /// An argument as the body of a message, as bytes.
  func bodyBytes(_ place: Int) -> [UInt8] { Array(body(place).utf8) }

  /// The texts of a list.
  func texts(_ place: Int) -> [String] {
    guard case .list(let list) = arguments[place] else { return [] }
    return list.map { if case .text(let text) = $0 { text } else { "" } }
  }
}
