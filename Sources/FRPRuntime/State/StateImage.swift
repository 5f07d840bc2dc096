// All that a reactor remembers between two instants, free of addresses: what snapshots keep and new programs take over.
//
// Shape: frames, each with one `NodeImage` for every entry of its template that remembers something
// (`EntryKind.remembers`), in the order of the template; and the objects that their words refer to.
// Rules
// - A word of a reference type is 0, an odd immediate, or 8 * (number of an object + 1).
// - Objects stand in the order in which the frames' words, and then objects, first mention them. So equal states have
//   equal images.
// - An image belongs to one program text (`program`): its entries and codes are numbered as that program's plan does.

import FRPBase
import FRPCore
import FRPGraph

/// A timer: when it is due, and its place among those that are due at the same time.
struct TimerImage: Hashable, Sendable {
  var due: Int64
  var order: UInt64
}

/// A part of a task under way.
struct StepImage: Hashable, Sendable {
  var task: Word
  /// The step it is part of, by its place in `RunImage.steps`; -1 for the whole task.
  var parent: Int
  var place: Int32
  var count: Int
  /// Of `all`: the values so far.
  var values: [Word]
  var hasValues: Bool
  var timer: TimerImage?
  /// Of a task of the host that has begun: its number in the run; 0 for none.
  var number = 0
  var origin = StepOrigin()
}

/// Which of the host's tasks a step is in the run that was written: for a run that takes its place in the same process.
/// No part of the state: equal states have other origins, and bytes have none.
struct StepOrigin: Hashable, Sendable {
  var token: TaskToken?
  static func == (a: Self, b: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

/// How a source under way stands.
struct LinkImage: Hashable, Sendable {
  /// Not `idle`.
  var link: LinkCase
  /// Why it is opened again, of `retrying`; else 0.
  var text: Word = 0
}

/// A task under way.
struct RunImage: Hashable, Sendable {
  /// A step comes after the one it is part of, and after older parts of that.
  var steps: [StepImage]
  /// Nil of what is no source, and in images of old, which did not say.
  var link: LinkImage?
}

/// What one entry remembers.
struct NodeImage: Hashable, Sendable {
  /// The value of a behavior that keeps it.
  var value: Word = 0
  /// Whether the behavior has no value: then it begins anew.
  var isPoisoned = false
  /// Its private words; those of timers, queues and lists of scopes are 0 here.
  var words: [Word] = []
  var timer: TimerImage?
  var queues: [[Word]] = []
  /// Its scopes, oldest first.
  var children: [FrameImage] = []
  /// The one that counts, of `switch`, `flatMapLatest`, `choose`; -1 for none.
  var current = -1
  var runs: [RunImage] = []
}

/// An instance of a scope.
struct FrameImage: Hashable, Sendable {
  var template: Int32
  var key: Word = 0
  var parameters: [Word] = []
  var nodes: [NodeImage] = []
}

/// What a reactor remembers.
public struct StateImage: Hashable, Sendable {
  /// The hash of the program's text.
  public internal(set) var program: UInt64
  /// The clock.
  public internal(set) var nanoseconds: Int64
  var seconds: Double
  var step: Int
  var hasStepped: Bool
  var isOver: Bool
  var root: FrameImage
  /// The objects: headers and payloads, one after the other.
  var objects: [Word]
  var objectCount: Int
  /// The faults that cells among the objects keep.
  var faults: [Fault]
  /// What the numbers of the host's tasks among the objects stand for: all that the program can perform.
  var hostTasks: [HostTaskName] = []
  /// How many tasks of the host have begun.
  public internal(set) var begunTasks = 0
  /// What `Date.epoch` gives; nil in images of old, which did not say.
  public internal(set) var epoch: Double?
}

extension FrameImage {
  /// Whether a source is under way whose link is known, here or in a scope within.
  var hasLinks: Bool {
    nodes.contains { node in
      node.runs.contains { $0.link != nil } || node.children.contains { $0.hasLinks }
    }
  }
}

extension Entry {
  /// Whether its slot keeps a value that nothing works out anew.
  var keepsValue: Bool {
    switch kind.state.value {
    case .none: false
    case .always: slot >= 0
    case .ofSteps: slot >= 0 && !isContinuous
    }
  }

  /// The type of a value among its private words.
  func type(of content: StateContent, _ shapes: TypeShapes) -> TypeID {
    switch content {
    case .own: type
    case .fed: inputType
    case .key: keyType
    case .field(let index): shapes.fieldType(type, index)
    case .task: .string
    }
  }
}

extension SourceMap {
  /// A hash of all texts: equal texts have equal plans.
  public var hash: UInt64 { textHash { _ in true }.value }

  /// A fault as images keep it: its file by its number among those of the program, and no number of the host's, since what
  /// else a host has gives both other numbers.
  func withoutHost(_ fault: Fault) -> Fault {
    var fault = fault
    if case .hostFailed = fault.kind { fault.kind = .hostFailed(-1) }
    if fault.span.isNone { return fault }
    let place = Int(fault.span.file.raw)
    let isKept = files.indices.contains(place) && !files[place].isHost
    fault.span = isKept ? fault.span.moved(to: files[..<place].count { !$0.isHost }) : .none
    return fault
  }

  /// The same fault in this program. What lies outside of its text has no place: an image is not believed.
  func withHost(_ fault: Fault) -> Fault {
    var fault = fault
    if fault.span.isNone { return fault }
    let own = files.indices.filter { !files[$0].isHost }
    let number = Int(fault.span.file.raw)
    let span = own.indices.contains(number) ? fault.span.moved(to: own[number]) : .none
    let fits =
      !span.isNone && 0 <= span.start && span.start <= span.end
      && Int(span.end) <= files[Int(span.file.raw)].bytes.count
    fault.span = fits ? span : .none
    return fault
  }

  fileprivate func textHash(of isMeant: (SourceFile) -> Bool) -> TextHash {
    var hash = TextHash()
    for file in files where isMeant(file) {
      hash.mix(UInt64(file.bytes.count))
      for byte in file.bytes { hash.mix(byte) }
    }
    return hash
  }
}

extension Span {
  fileprivate func moved(to file: Int) -> Span { Span(file: FileID(file), start: Int(start), end: Int(end)) }
}

extension Plan {
  /// A hash of the program's text, and of what it uses of its host: what else a host has is no matter of its.
  public var textHash: UInt64 {
    var hash = core.sources.textHash { !$0.isHost }
    for signature in Set(hostCalls.map { hostSignature($0.function) }).sorted() { hash.mix(signature) }
    return hash.value
  }
}

/// FNV-1a: the same in every process.
struct TextHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  mutating func mix(_ word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }
  mutating func mix(_ text: String) {
    mix(UInt64(text.utf8.count))
    for byte in text.utf8 { mix(byte) }
  }
}
