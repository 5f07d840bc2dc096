// Text in, words out and back: the one entrance to JSON, CSV and the source form of values for a heap. One thread.

import FRPCore

/// Reads and writes the values of one heap.
public final class Codec {
  public let heap: Heap
  let names: TypeNames
  /// Behind a pointer: as a field, each access would be checked for exclusivity.
  private let reader: UnsafeMutablePointer<JSONReader>
  private var jsonWriter: JSONWriter
  private var sourceWriter: SourceWriter
  /// Why the last `decode…` gave nil.
  public internal(set) var problem: DecodeProblem?

  public init(_ heap: Heap) {
    self.heap = heap
    names = TypeNames(heap.shapes.types)
    reader = .allocate(capacity: 1)
    reader.initialize(to: JSONReader(heap, names))
    jsonWriter = JSONWriter(heap, names)
    sourceWriter = SourceWriter(heap, names)
  }

  deinit {
    reader.deinitialize(count: 1)
    reader.deallocate()
  }

  /// The value of a JSON text, nil if it does not fit its type (then see `problem`). Throws when memory runs out.
  public func decodeJSON(_ text: Bytes, as type: TypeID) throws(Fault) -> Word? {
    if let word = try reader.pointee.read(text, type) { return word }
    problem = DecodeProblem(reader.pointee.cursor)
    return nil
  }

  /// Appends a value's JSON. Throws for functions, tasks, and text beyond all bounds.
  public func encodeJSON(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    try jsonWriter.write(value, type, to: &out)
  }

  /// Appends a value as source.
  public func appendSource(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    try sourceWriter.write(value, type, to: &out)
  }

  /// Appends a value as `"{x}"` shows it: a String as itself, everything else as source.
  public func appendText(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    if type == .string { out.append(heap.bytes(value)) } else { try sourceWriter.write(value, type, to: &out) }
  }

  /// A value as source, for messages; `…` where it has no text.
  public func source(_ value: Word, _ type: TypeID) -> String {
    var out = StringBuilder()
    do throws(Fault) { try appendSource(value, type, to: &out) } catch { return "…" }
    return String(decoding: out.view, as: UTF8.self)
  }

  // MARK: Traces

  /// The names and payload types that lines of a trace may mention.
  public struct Ports: Sendable {
    var names: [[UInt8]]
    var types: [TypeID]
    public init(_ ports: [(name: String, type: TypeID)]) {
      names = ports.map { Array($0.name.utf8) }
      types = ports.map(\.type)
    }
  }

  /// One line of a trace.
  public struct TraceLine: Sendable {
    /// Clock time in seconds; nil where the line has none.
    public var time: Double?
    /// What occurs or is set, by place in `Ports`, in the order of the line.
    public var entries: [(port: Int, value: Word)] = []
    public init() {}
  }

  /// Reads `{"at": 1.5, "clicks": null}` into `line`; false if the text does not fit (see `problem`). A key that is no
  /// port, a key that comes twice, and (if `needsTime`) a missing or negative `at` do not fit.
  public func decodeTrace(_ text: Bytes, _ ports: Ports, needsTime: Bool = true, into line: inout TraceLine)
    throws(Fault) -> Bool
  {
    line.time = nil
    line.entries.removeAll(keepingCapacity: true)
    reader.pointee.begin(text)
    do throws(JSONStop) {
      try reader.pointee.trace(ports, needsTime, &line)
      return true
    } catch {
      if let fault = reader.pointee.fault { throw fault }
      problem = DecodeProblem(reader.pointee.cursor)
      return false
    }
  }
}

extension JSONReader {
  fileprivate mutating func trace(
    _ ports: Codec.Ports, _ needsTime: Bool, _ line: inout Codec.TraceLine
  ) throws(JSONStop) {
    if !cursor.passes(0x7B) { throw cursor.stop(.expected("an object")) }
    let open = cursor.at - 1
    if !cursor.passes(0x7D) {
      repeat { try traceEntry(ports, &line) } while cursor.passes(0x2C)
      try cursor.pass(0x7D)
    }
    if needsTime, line.time == nil { throw cursor.stop(.message("\"at\" is missing"), at: open) }
    try finish()
  }

  private mutating func traceEntry(_ ports: Codec.Ports, _ line: inout Codec.TraceLine) throws(JSONStop) {
    cursor.skipSpace()
    let begin = cursor.at
    let (raw, isEscaped) = try cursor.string()
    if isEscaped { try cursor.unescape(raw, into: &scratch) }
    let key = isEscaped ? scratch.view : raw
    if key.elementsEqual("at".utf8) {
      try cursor.pass(0x3A)
      cursor.skipSpace()
      let place = cursor.at
      if line.time != nil { throw cursor.stop(.message("\"at\" comes twice"), at: begin) }
      let time = try cursor.float()
      if time < 0 { throw cursor.stop(.message("\"at\" must not be negative"), at: place) }
      line.time = time
      return
    }
    guard let port = ports.names.firstIndex(where: { $0.elementsEqual(key) }) else {
      let name = String(decoding: key, as: UTF8.self)
      throw cursor.stop(.message("there is no input called \(name)"), at: begin)
    }
    if line.entries.contains(where: { $0.port == port }) {
      throw cursor.stop(.message("this input comes twice"), at: begin)
    }
    try cursor.pass(0x3A)
    line.entries.append((port, try value(ports.types[port], 0)))
  }
}
