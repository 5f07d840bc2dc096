// What a host does for a task or a source of a program, without Swift's concurrency: begun by one call, it reports what it
// comes to from any thread, and is paused and cancelled by calls.
//
// Rules
// - A task reports one end. A source reports values, in order, and perhaps an end; `opened` before that is optional, and between
//   them stands `retrying` where it is not there for a while.
// - A *body* is text from the world that becomes the type that the program uses: a String is the text itself, `()` is
//   whatever the text is, and everything else is JSON. What does not fit is the `Err` of a task. Of a source it is told
//   and left out, or, where values are `Result<a, Error>`, an `Err`.

import FRPCore
import FRPRuntime

/// What an operation gives.
public enum HostAnswer: Sendable, Hashable {
  /// A value of the declared type.
  case value(FrpValue)
  /// Text that is decoded to the type that the program uses.
  case body(String)
  /// The same as bytes. Those that are no UTF-8 become marks.
  case bytes(ArraySlice<UInt8>)
  /// The same, where anything but a String is read as CSV with a header: a list of records.
  case csv(String)
  /// JSON of the type that the program uses.
  case json(String)
  /// What came can be no value, for this reason: of a source it is told and left out, of a task it is the `Err`.
  case unfit(String)
}

extension FrpValue {
  /// A part of a value that is text from the world, decoded to the type that the program uses there.
  public static func body(_ text: String) -> FrpValue { .tagged(bodyTag, [.text(text)]) }

  /// A Secret: a text that is shown as `•••`.
  public static func secret(_ text: String) -> FrpValue { .tagged(secretTag, [.text(text)]) }

  /// No constructors of a program are called so.
  static let bodyTag = "(body)"
  static let secretTag = "(secret)"
}

/// Many bodies in the memory that they came in: lines of a file, say.
public struct HostBodies: Sendable {
  /// What came.
  public let bytes: [UInt8]
  /// Each body, in order.
  public let ranges: [Range<Int>]

  /// Bodies that are parts of `bytes`.
  public init(_ bytes: [UInt8], _ ranges: [Range<Int>]) { (self.bytes, self.ranges) = (bytes, ranges) }

  /// Each as a report of its own.
  public var items: some Sequence<HostReport> { ranges.lazy.map { .item(.bytes(bytes[$0])) } }
}

/// What an operation reports while it is under way.
public enum HostReport: Sendable {
  /// A source is there, and has brought nothing yet; or it is there again.
  case opened
  /// A source has lost what it comes over, for this reason, and goes on by itself.
  case retrying(String)
  /// A source brings a value. `taken` hears when the program has it: nil, or why it does not fit.
  case item(HostAnswer, taken: (@Sendable (String?) -> Void)? = nil)
  /// A source brings many values at once, each of which is one: for many small ones.
  case items(HostBodies)
  /// It has ended. Of a source that ends well the answer does not matter.
  case ended(Result<HostAnswer, FrpError>)
}

/// What is under way. Called from any thread.
public protocol HostUnderway: AnyObject, Sendable {
  /// Nobody wants it any more: nothing is reported after that.
  func cancel()
  /// A source stops bringing values, so that whoever sends them has to wait.
  func pause()
  /// It goes on after `pause`.
  func resume()
}

extension HostUnderway {
  /// A task brings nothing.
  public func pause() {}
  /// A task brings nothing.
  public func resume() {}
}

/// What names a call where it may begin again, in another process: who keeps it knows that the call has been made.
public struct HostCallKey: Sendable, Hashable, CustomStringConvertible {
  /// The run: `Simulation.name`.
  public let run: String
  /// `HostTask.id`.
  public let number: Int
  /// Calls of the run up to this number never begin again.
  public let settled: Int

  /// The run, `-`, and the number.
  public var description: String { "\(run)-\(number)" }
}

/// A call of an operation, made by the program.
public struct HostCall: Sendable {
  /// What the program passed, in order.
  public let arguments: [FrpValue]
  /// The same when the call begins again; nil in runs that do not outlive their process.
  public let key: HostCallKey?
  /// Whether the program says if and when a source is opened again (`reconnect`), so that this has to end where it is gone.
  public let isReconnected: Bool

  /// What the program passed, in order.
  public init(_ arguments: [FrpValue], key: HostCallKey? = nil, isReconnected: Bool = false) {
    (self.arguments, self.key, self.isReconnected) = (arguments, key, isReconnected)
  }

  /// A text that the declaration promises.
  public func text(_ place: Int) -> String {
    if case .text(let text) = arguments[place] { text } else { "" }
  }

  /// An Int that the declaration promises.
  public func integer(_ place: Int) -> Int {
    if case .integer(let number) = arguments[place] { number } else { 0 }
  }

  /// An argument as the body of a message: a String as it is, anything else as JSON.
  public func body(_ place: Int) -> String {
    if case .text(let text) = arguments[place] { text } else { arguments[place].json }
  }
}

/// How an operation begins.
public typealias HostBegin =
  @Sendable (_ report: @escaping @Sendable (HostReport) -> Void) -> any HostUnderway

extension HostModule {
  /// Adds a task or source by its declaration, as a program would write it: `get(url: String): Task<a>`,
  /// `messages(url: String): Source<a>`. A type variable stands for what the program uses; where `decodes`, what the operation
  /// gives are bodies of that type. Where `isThere`, what a source brings first is there before a run starts, and is the start
  /// value of an input behavior; one that reports `.opened` before has none. Where `curried`, the last parameter is given by a second call: `Serve.value(path)` is a
  /// function, as sinks are. `call` says how a call begins; what it throws is the end of the task. `refusal` says why a call with
  /// arguments that stand in the text can never do anything: the program is told before it runs.
  public mutating func operation(
    _ declaration: String, decodes: Bool = false, curried: Bool = false, isThere: Bool = false, help: String = "",
    refusal: (@Sendable ([OperationUse.Text]) -> String?)? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ call: @escaping @Sendable (HostCall) throws(FrpError) -> HostBegin
  ) {
    var function = HostFunction(
      module: name, declaration: declaration, decodes: decodes, help: help, place: "\(fileID):\(line)"
    ) { arguments, _ in
      .operation(
        try call(HostCall(try arguments.values(), key: arguments.key, isReconnected: arguments.isReconnected)))
    }
    function.isCurried = curried
    function.isThere = isThere
    function.refusal = refusal
    add(function)
  }

  /// Adds a type: `Socket<a> = Joined(Int) | Said(Int, a) | Left(Int)`. Its constructors need no module's name where no other
  /// module has them.
  public mutating func type(_ declaration: String) { types.append(declaration) }

  /// Adds types and functions that are written in the language itself, with their documentation, as a file would have them.
  public mutating func define(_ text: String) { definitions += text + "\n" }
}

/// An operation that cannot begin. It says so by itself, without a Swift task: those run on threads that look at what a confined
/// process may not read, and end it.
final class HostRefusal: HostUnderway {
  init(_ error: any Error, _ report: @Sendable (HostReport) -> Void) {
    report(.ended(.failure(error as? FrpError ?? FrpError("\(error)"))))
  }

  func cancel() {}
}

/// A Swift task that is under way for an operation.
final class HostWorkUnderway: HostUnderway {
  private let task: Task<Void, Never>

  init(
    _ work: @escaping @Sendable () async throws -> FrpValue, _ report: @escaping @Sendable (HostReport) -> Void
  ) {
    task = Task.detached {
      do {
        report(.ended(.success(.value(try await work()))))
      } catch let error as FrpError {
        report(.ended(.failure(error)))
      } catch {
        report(.ended(.failure(FrpError("\(error)"))))
      }
    }
  }

  func cancel() { task.cancel() }
}

/// A task of the host that a program performs, or a source that it listens to.
public struct HostTask: Sendable, Identifiable {
  /// Its number in its run, by the order in which they begin, from 1.
  public let id: Int
  /// `Geo.locate`.
  public let name: String
  /// What the program gave it.
  public let arguments: [FrpValue]
  /// Whether it brings many values.
  public let isSource: Bool
  /// The input or output of which it is the source or a sink's; nil where the program performs it.
  public let port: String?
  /// Whether somebody else answers it: in simulated time nothing of the world is done, and recordings say what it gave.
  public let isAnsweredElsewhere: Bool
  /// Whether what it brings first is there before a run starts.
  let isThere: Bool
  let start: HostBegin

  /// Begins it.
  public func begin(_ report: @escaping @Sendable (HostReport) -> Void) -> any HostUnderway { start(report) }

  /// Does a task from its beginning to its end; what the closure throws is the error's message. A source is not run like
  /// this: it fails. Cancelling the Swift task cancels it.
  public func run() async -> Result<HostAnswer, FrpError> {
    if isSource { return .failure(FrpError("`\(name)` is a source")) }
    let wait = HostWait()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wait.set(continuation)
        wait.set(start { report in if case .ended(let result) = report { wait.end(result) } })
      }
    } onCancel: {
      wait.cancel()
    }
  }
}
