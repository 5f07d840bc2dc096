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
  /// What is odd about a text that fits.
  var oddity: DecodeProblem?
  /// For keys and texts with escapes.
  var scalarText = StringBuilder()

  /// With a machine, whose steps the parts of values then take; it must outlive the codec.
  public init(_ heap: Heap, stepsOf machine: Machine? = nil) {
    self.heap = heap
    names = TypeNames(heap.shapes.types)
    reader = .allocate(capacity: 1)
    reader.initialize(to: JSONReader(heap, names, machine))
    jsonWriter = JSONWriter(heap, names, machine)
    sourceWriter = SourceWriter(heap, names, machine)
  }

  deinit {
    reader.deinitialize(count: 1)
    reader.deallocate()
  }

  /// The value of a JSON text, nil if it does not fit its type (then see `problem`). Throws when memory runs out.
  public func decodeJSON(_ text: Bytes, as type: TypeID) throws(Fault) -> Word? {
    oddity = nil
    if let word = try reader.pointee.read(text, type) {
      noteRepetition(text)
      return word
    }
    problem = DecodeProblem(reader.pointee.cursor)
    return nil
  }

  /// A text from the world as a type: a String is the text itself, `()` whatever it is, an Option without content None, anything
  /// else JSON. Nil where it does not fit: see `problem`.
  public func decodeBody(_ text: Bytes, as type: TypeID) throws(Fault) -> Word? {
    switch heap.shapes[type].kind {
    case .string: try heap.string(text)
    case .unit: Word.unit
    case .variant where names.isOption(type) && Self.isBlank(text): Word.none
    default: try decodeJSON(text, as: type)
    }
  }

  /// Whether a text is nothing but the space of JSON.
  private static func isBlank(_ text: Bytes) -> Bool {
    text.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  @inline(__always)
  private func noteRepetition(_ text: Bytes) {
    if let place = reader.pointee.repeated { oddity = DecodeProblem(repeatedAt: place, in: text) }
  }

  /// What is odd about the text that was just decoded: an object had a key twice, a word stands where there may be no value
  /// (`DecodeProblem.absence`), or a first line of CSV has no column for a field that may be None. Nil when asked again.
  public func takeOddity() -> DecodeProblem? {
    if oddity == nil { return nil }
    defer { oddity = nil }
    return oddity
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

  /// The beginning of a value as source, of about so many bytes, and whether that is all of it.
  public func source(_ value: Word, _ type: TypeID, atMost limit: Int) -> (text: String, isWhole: Bool) {
    sourceWriter.limit = limit
    defer { sourceWriter.limit = .max }
    return Self.beginning { (out: inout StringBuilder) throws(Fault) in try appendSource(value, type, to: &out) }
  }

  /// The same of its JSON.
  public func json(_ value: Word, _ type: TypeID, atMost limit: Int) -> (text: String, isWhole: Bool) {
    jsonWriter.limit = limit
    defer { jsonWriter.limit = .max }
    return Self.beginning { (out: inout StringBuilder) throws(Fault) in try encodeJSON(value, type, to: &out) }
  }

  private static func beginning(
    _ write: (inout StringBuilder) throws(Fault) -> Void
  ) -> (text: String, isWhole: Bool) {
    var out = StringBuilder()
    do throws(Fault) {
      try write(&out)
      return (String(decoding: out.view, as: UTF8.self), true)
    } catch {
      var text = String(decoding: out.view, as: UTF8.self)
      // A character that was cut in two.
      while text.unicodeScalars.last == "\u{FFFD}" { text.unicodeScalars.removeLast() }
      return (text, false)
    }
  }

  /// How many elements a list or map has, or bytes a String; nil of anything else.
  public func size(_ value: Word, _ type: TypeID) -> Int? {
    if value == 0 { return nil }
    switch heap.shapes[type].kind {
    case .list: return ListView(value).count
    case .map: return heap.mapCount(value)
    case .string: return heap.bytes(value).count
    default: return nil
    }
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

  /// One line of a trace. Its values stay valid until the next line is read into it, so they can wait for their moment.
  public final class TraceLine {
    /// Clock time in seconds; nil where the line has none.
    public internal(set) var time: Double?
    /// What occurs or is set, by place in `Ports`, in the order of the line.
    public internal(set) var ports: [Int] = []
    public let values: RootSet

    public init(_ heap: Heap) { values = RootSet(heap) }

    func clear() {
      time = nil
      ports.removeAll(keepingCapacity: true)
      values.removeAll()
    }
  }

  /// Reads `{"at": 1.5, "clicks": null}` into `line`; false if the text does not fit (see `problem`). A key that is no
  /// port, a key that comes twice, and (if `needsTime`) a missing or negative `at` do not fit.
  public func decodeTrace(_ text: Bytes, _ ports: Ports, needsTime: Bool = true, into line: TraceLine)
    throws(Fault) -> Bool
  {
    line.clear()
    oddity = nil
    reader.pointee.begin(text)
    do throws(JSONStop) {
      try reader.pointee.trace(ports, needsTime, line: line)
      noteRepetition(text)
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
    _ ports: Codec.Ports, _ needsTime: Bool, line: Codec.TraceLine
  ) throws(JSONStop) {
    if !cursor.passes(0x7B) { throw cursor.stop(.expected("an object")) }
    let open = cursor.at - 1
    if !cursor.passes(0x7D) {
      repeat { try traceEntry(ports, line) } while cursor.passes(0x2C)
      try cursor.pass(0x7D)
    }
    if needsTime, line.time == nil { throw cursor.stop(.message("\"at\" is missing"), at: open) }
    try finish()
  }

  private mutating func traceEntry(_ ports: Codec.Ports, _ line: Codec.TraceLine) throws(JSONStop) {
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
    if line.ports.contains(port) {
      throw cursor.stop(.message("this input comes twice"), at: begin)
    }
    try cursor.pass(0x3A)
    let type = ports.types[port]
    line.values.append(try value(type, 0), isReference: line.values.heap.shapes.isReference(type))
    line.ports.append(port)
  }
}
