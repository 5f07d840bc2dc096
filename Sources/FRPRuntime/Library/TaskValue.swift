// Tasks as values: trees of objects in the heap that say what is to be done. Routines make them, the reactor interprets
// them; nothing happens here. A task is an object with fields (Word.swift) whose tag is its `TaskKind`.
//
//   succeed value            fail error              after delay, value
//   all list, references     race list               `references`: whether the values are references, for the result
//   map task, function       andThen task, function  recover task, function
//   retry task, count        retryWith task, function (Int -> Option<Float>)
//   timeout task, seconds    host number, argument   the number is for the host to understand
//   awaited number, node, function (a -> Bool), or without it: of the event's entry (Reactor/Awaits.swift)
//
// Sources are tasks, too (Reactor/Sources.swift):
//
//   lane list of (seconds, value), whether it ends behind the last
//   sourceMap source, function      sourceFilterMap source, function (a -> Option)
//   reconnect source, function (Int -> Option<Float>)
//   standIn call, answer: a task or source of the host, and what answers it in a test
//
// An error is the record {message: String}.

import FRPCore
import FRPGraph

/// What a task does.
public enum TaskKind: Int, Sendable, CaseIterable {
  case succeed, fail, after, all, race, map, andThen, recover, retry, retryWith, timeout
  /// What the host does: field 0 says which of its functions, field 1 is the argument.
  case host
  case awaited
  case lane, sourceMap, sourceFilterMap, reconnect
  case standIn
}

/// A task, for reading.
public struct TaskValue {
  public let word: Word
  public init(_ word: Word) { self.word = word }

  public var kind: TaskKind { TaskKind(rawValue: word.tag) ?? .fail }
  /// The value of `succeed`.
  public var value: Word { word.field(0) }
  /// The error of `fail`.
  public var error: Word { word.field(0) }
  /// Seconds that `after` waits, and its value.
  public var delay: Double { word.field(0).float }
  public var delayedValue: Word { word.field(1) }
  /// The tasks of `all` and `race`.
  public var tasks: ListView { ListView(word.field(0)) }
  /// Whether the values of `all` are references.
  public var hasReferences: Bool { word.field(1).bool }
  /// The inner task of the others.
  public var inner: TaskValue { TaskValue(word.field(0)) }
  /// The function of `map`, `andThen`, `recover` and `retryWith`.
  public var function: Word { word.field(1) }
  /// How often `retry` tries again at most.
  public var count: Int { word.field(1).int }
  /// Seconds that `timeout` allows.
  public var limit: Double { word.field(1).float }
  /// Which host function, and its argument.
  public var hostFunction: Int { word.field(0).int }
  public var hostArgument: Word { word.field(1) }
  /// The pairs of seconds and values of `lane`.
  public var lane: ListView { ListView(word.field(0)) }
  public var endsLane: Bool { word.field(1).bool }
  /// What answers a call of the host.
  public var answer: TaskValue { TaskValue(word.field(1)) }
  /// By which number the event of `awaited` is known.
  public var awaitNumber: UInt64 { word.field(0) }
  /// The event's node.
  public var awaitNode: NodeID { NodeID(word.field(1).int) }
  /// What must hold of the occurrence, if that was said.
  public var awaitCondition: Word? { Header(bits: word.address[0]).fieldCount == 3 ? word.field(2) : nil }
}

extension Heap {
  /// A task with one field; `reference` says whether that is one.
  public func task(_ kind: TaskKind, _ first: Word, reference: Bool) throws(Fault) -> Word {
    let address = try allocate(2)
    address[0] = Header.fields(tag: kind.rawValue, count: 1, mask: reference ? 1 : 0).bits
    address[1] = first
    return Word(address)
  }

  /// A task with two fields; bits 0 and 1 of `references` say which are references.
  public func task(_ kind: TaskKind, _ first: Word, second: Word, references: UInt64) throws(Fault) -> Word {
    let address = try allocate(3)
    address[0] = Header.fields(tag: kind.rawValue, count: 2, mask: references).bits
    address[1] = first
    address[2] = second
    return Word(address)
  }

  /// The task that waits for an event; without a condition for any occurrence of it.
  func awaitTask(_ number: UInt64, _ node: NodeID, condition: Word? = nil) throws(Fault) -> Word {
    let count = condition == nil ? 2 : 3
    let address = try allocate(1 + count)
    address[0] = Header.fields(tag: TaskKind.awaited.rawValue, count: count, mask: condition == nil ? 0 : 0b100).bits
    address[1] = number
    address[2] = Word(int: node.index)
    if let condition { address[3] = condition }
    return Word(address)
  }

  /// The record `{message: String}`.
  public func error(_ message: String) throws(Fault) -> Word {
    let text = try string(message)
    return try error(text)
  }

  /// The record `{message: String}` of a string of the heap.
  public func error(_ message: Word) throws(Fault) -> Word {
    let address = try allocate(2)
    address[0] = Header.fields(tag: 0, count: 1, mask: 1).bits
    address[1] = message
    return Word(address)
  }
}

extension RoutineTable {
  static let tasks: [(Prim, Routine)] = [
    (.taskSucceed, taskSucceed), (.taskFail, taskFail), (.taskFromResult, taskFromResult), (.taskAfter, taskAfter),
    (.taskAll, taskAll), (.taskRace, taskRace), (.taskMap, step(.map)), (.taskAndThen, step(.andThen)),
    (.taskRecover, step(.recover)), (.taskRetry, number(.retry)), (.taskRetryWith, step(.retryWith)),
    (.taskTimeout, number(.timeout)), (.taskAwaitWhere, taskAwaitWhere), (.hostCall, hostCall),
    (.sourceFromList, lane(ends: true)), (.sourceLane, lane(ends: false)), (.sourceFail, taskFail),
    (.sourceMap, step(.sourceMap)), (.sourceFilterMap, step(.sourceFilterMap)), (.sourceReconnect, step(.reconnect)),
    (.standIn, step(.standIn)),
  ]

  private static func hostCall(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let host = m.hostCall else { throw Fault(.hostFailed(-1), "nobody provides this function of the host") }
    try m.step(8)
    let result = try host(a[0].int, a[1], a.call)
    try m.checkEnd()
    return result
  }

  private static func taskSucceed(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.task(.succeed, a[0], reference: m.heap.shapes.isReference(a.call.a0))
  }

  private static func taskFail(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.task(.fail, try m.heap.error(a[0]), reference: true)
  }

  private static func taskFromResult(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[0].tag == 1 { return try m.heap.task(.fail, a[0].field(0), reference: true) }
    let value = m.heap.shapes.fieldType(a.call.a0, tag: 0, 0)
    return try m.heap.task(.succeed, a[0].field(0), reference: m.heap.shapes.isReference(value))
  }

  private static func taskAfter(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.task(.after, a[0], second: a[1], references: m.heap.shapes.isReference(a.call.a1) ? 0b10 : 0)
  }

  private static func taskAll(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    // The elements of `List<Task<a>>` give a.
    var references = false
    if case .task(let value) = m.heap.shapes.types[m.heap.element(a.call.a0)] {
      references = m.heap.shapes.isReference(value)
    }
    return try m.heap.task(.all, a[0], second: Word(bool: references), references: 0b01)
  }

  private static func taskRace(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.task(.race, a[0], reference: true)
  }

  private static func taskAwaitWhere(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let task = TaskValue(a[0])
    // A program awaits events only; what a changed snapshot holds need not.
    if task.kind != .awaited { throw Fault(.message, "only an event can be awaited") }
    return try m.heap.awaitTask(task.awaitNumber, task.awaitNode, condition: a[1])
  }

  /// A task and a function.
  private static func step(_ kind: TaskKind) -> Routine {
    { (m, a) throws(Fault) -> Word in try m.heap.task(kind, a[0], second: a[1], references: 0b11) }
  }

  private static func lane(ends: Bool) -> Routine {
    { (m, a) throws(Fault) -> Word in try m.heap.task(.lane, a[0], second: Word(bool: ends), references: 0b01) }
  }

  /// A task and a number.
  private static func number(_ kind: TaskKind) -> Routine {
    { (m, a) throws(Fault) -> Word in try m.heap.task(kind, a[0], second: a[1], references: 0b01) }
  }
}
