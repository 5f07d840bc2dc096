// Words of a heap -> FrpValue, and back, by type. One simulation's; between instants or inside its callbacks.

import FRPCore
import FRPRuntime

/// Converts the values of one simulation. Opaque: it appears only in what `FrpConvertible` types do for one another.
public final class ValueBridge {
  /// The type of a port in one program.
  public struct ValueType: Sendable, Hashable {
    let id: TypeID
  }

  let heap: Heap
  private lazy var codec = Codec(heap)
  private var coders: UnsafeMutablePointer<DirectCoders>?
  private var types: TypeTable { heap.shapes.types }

  init(_ heap: Heap) { self.heap = heap }

  deinit {
    coders?.pointee.deallocate()
    coders?.deallocate()
  }

  /// What records and lists are coded with; made when the first of them is.
  var directCoders: UnsafeMutablePointer<DirectCoders> {
    if let coders { return coders }
    let made = DirectCoders.make(self)
    coders = made
    return made
  }

  /// Values that nest deeper do not cross: Swift's own values would overflow the stack when they are released.
  static let deepest = 500

  // MARK: Out

  func value(_ word: Word, _ type: TypeID, depth: Int = 0) throws(ConversionFailure) -> FrpValue {
    if depth > ValueBridge.deepest { throw ConversionFailure(expected: "less depth", found: "a very deep value") }
    switch types[type] {
    case .unit: return .unit
    case .bool: return .bool(word.bool)
    case .int: return .integer(word.int)
    case .float: return .number(word.float)
    case .string: return .text(heap.swiftString(word))
    case .list(let element):
      var list: [FrpValue] = []
      for item in ListView(word) { list.append(try value(item, element, depth: depth + 1)) }
      return .list(list)
    case .map(let key, let content):
      var entries: [FrpValue.Entry] = []
      for index in 0..<heap.mapCount(word) {
        let node = heap.mapNode(word, at: index)
        entries.append(
          FrpValue.Entry(
            try value(node.field(0), key, depth: depth + 1), try value(node.field(1), content, depth: depth + 1)))
      }
      return .map(entries)
    case .tuple(let elements): return .list(try fields(word, elements, depth))
    case .record(let list):
      let values = try fields(word, list.map(\.type), depth)
      return .record(Dictionary(zip(list.map(\.name), values)) { first, _ in first })
    case .variant(.set, let arguments):
      var list: [FrpValue] = []
      for index in 0..<heap.mapCount(word) {
        list.append(try value(heap.mapNode(word, at: index).field(0), arguments[0], depth: depth + 1))
      }
      return .list(list)
    case .variant(.json, _): return try json(word, type, depth)
    case .variant(.secret, _): return .secret(heap.swiftString(word))
    case .variant:
      guard let all = types.constructors[type], all.indices.contains(word.tag) else { throw unfit(type) }
      return .tagged(all[word.tag].name, try fields(word, all[word.tag].fields, depth))
    case .function, .task, .source, .event: throw unfit(type)
    }
  }

  /// What Json holds, by itself.
  private func json(_ word: Word, _ type: TypeID, _ depth: Int) throws(ConversionFailure) -> FrpValue {
    guard word.isObject, let all = types.constructors[type], all.indices.contains(word.tag) else { return .unit }
    return try value(word.field(0), all[word.tag].fields[0], depth: depth + 1)
  }

  private func fields(_ word: Word, _ types: [TypeID], _ depth: Int) throws(ConversionFailure) -> [FrpValue] {
    var values: [FrpValue] = []
    for (index, type) in types.enumerated() { values.append(try value(word.field(index), type, depth: depth + 1)) }
    return values
  }

  private func unfit(_ type: TypeID) -> ConversionFailure {
    ConversionFailure(expected: "data", found: types.describe(type))
  }

  // MARK: In

  /// A part that is text from the world.
  private func body(_ parts: [FrpValue], _ type: TypeID) throws(ConversionFailure) -> Word {
    guard case .text(var text)? = parts.first else { throw ConversionFailure(expected: "a body", found: "nothing") }
    let result: Result<Word?, Fault> = text.withUTF8 { bytes in
      do throws(Fault) { return .success(try codec.decodeBody(bytes, as: type)) } catch { return .failure(error) }
    }
    if case .success(let word?) = result { return word }
    throw ConversionFailure(problem: codec.problem)
  }

  func word(_ value: FrpValue, _ type: TypeID, depth: Int = 0) throws(ConversionFailure) -> Word {
    if depth > ValueBridge.deepest { throw ConversionFailure(expected: "less depth", found: "a very deep value") }
    switch (types[type], value) {
    case (_, .tagged(FrpValue.bodyTag, let parts)): return try body(parts, type)
    case (.variant(.secret, _), .tagged(_, let parts)) where parts.count == 1: return try word(parts[0], .string)
    case (.variant(.secret, _), .text): return try word(value, .string)
    case (.unit, .unit): return Word.unit
    case (.bool, .bool(let flag)): return Word(bool: flag)
    case (.int, .integer(let number)): return Word(int: number)
    case (.float, .number(let number)):
      if !number.isFinite { throw ConversionFailure(expected: "Float", found: "\(number)") }
      return Word(float: number)
    case (.float, .integer(let number)): return Word(float: Double(number))
    case (.string, .text(let text)): return try made { () throws(Fault) in try self.heap.string(text) }
    case (.list(let element), .list(let list)): return try word(list, element, depth)
    case (.map(let key, let content), .map(let entries)): return try word(entries, key, content, depth)
    case (.tuple(let elements), .list(let list)) where list.count == elements.count:
      return try object(list, elements, type, tag: 0, depth) { "[\($0)]" }
    case (.record(let fields), .record(let values)):
      let list = try ordered(values, fields.map { ($0.name, $0.type) })
      return try object(list, fields.map(\.type), type, tag: 0, depth) { ".\(fields[$0].name)" }
    case (.variant(.set, let arguments), .list(let list)):
      return try word(list.map { FrpValue.Entry($0, .unit) }, arguments[0], .unit, depth)
    case (.variant(.json, _), _) where !value.isCase(of: type, types): return try json(value, type, depth)
    case (.variant, .tagged(let name, let list)): return try variant(name, list, type, depth)
    default: return try coded(value, type, depth)
    }
  }

  private func json(_ value: FrpValue, _ type: TypeID, _ depth: Int) throws(ConversionFailure) -> Word {
    let found: JsonCase
    switch value {
    case .unit, .tagged("None", []): return Word(tag: JsonCase.null.rawValue)
    case .bool: found = .bool
    case .integer: found = .int
    case .number: found = .float
    case .text: found = .string
    case .list: found = .list
    case .map, .record: found = .object
    case .tagged("Some", let fields) where fields.count == 1: return try json(fields[0], type, depth + 1)
    case .tagged(let name, _): throw ConversionFailure(expected: "Json", found: name)
    }
    let content = heap.shapes.fieldType(type, tag: found.rawValue, 0)
    return try object([value], [content], type, tag: found.rawValue, depth) { _ in "" }
  }

  /// What Codable types have in other forms: an Option's content by itself, a map as a record, an enum as a record of
  /// its case, or as its name.
  private func coded(_ value: FrpValue, _ type: TypeID, _ depth: Int) throws(ConversionFailure) -> Word {
    switch (types[type], value) {
    case (.variant(.option, _), _): return try word(.tagged("Some", [value]), type, depth: depth + 1)
    case (.map(TypeID.string, let content), .record(let fields)):
      let entries = fields.sorted { $0.key < $1.key }.map { FrpValue.Entry(.text($0.key), $0.value) }
      return try word(entries, TypeID.string, content, depth)
    case (.variant, .text(let name)): return try variant(name.withLargeFirst, [], type, depth)
    case (.variant, .record(let fields)) where fields.count == 1:
      guard let (name, payload) = fields.first, case .record(let parts) = payload else { break }
      let places = (0..<parts.count).compactMap { parts["_\($0)"] }
      let list = places.count == parts.count ? places : [payload]
      return try variant(name.withLargeFirst, list, type, depth)
    default: break
    }
    throw ConversionFailure(expected: types.describe(type), found: value.kind)
  }

  /// A record's values in the order of its fields; what is missing is None.
  private func ordered(_ values: [String: FrpValue], _ fields: [(String, TypeID)]) throws(ConversionFailure)
    -> [FrpValue]
  {
    var list: [FrpValue] = []
    for (name, type) in fields {
      if let value = values[name] {
        list.append(value)
      } else if case .variant(.option, _) = types[type] {
        list.append(.tagged("None", []))
      } else {
        throw ConversionFailure(path: ".\(name)", expected: types.describe(type), found: "no such field")
      }
    }
    return list
  }

  private func variant(_ name: String, _ list: [FrpValue], _ type: TypeID, _ depth: Int) throws(ConversionFailure)
    -> Word
  {
    let all = types.constructors[type] ?? []
    guard let tag = all.firstIndex(where: { $0.name == name }) else {
      throw ConversionFailure(expected: types.describe(type), found: name)
    }
    var fields = list
    if let labels = all[tag].labels, list.count == 1, case .record(let values) = list[0] {
      fields = try ordered(values, Array(zip(labels, all[tag].fields)))
    }
    if fields.count != all[tag].fields.count {
      let found = "\(name) with \(fields.count)"
      throw ConversionFailure(expected: "\(name) with \(all[tag].fields.count) fields", found: found)
    }
    return try object(fields, all[tag].fields, type, tag: tag, depth) { ".\(name)[\($0)]" }
  }

  private func object(
    _ values: [FrpValue], _ fields: [TypeID], _ type: TypeID, tag: Int, _ depth: Int, _ step: (Int) -> String
  ) throws(ConversionFailure) -> Word {
    var words: [Word] = []
    for (index, value) in values.enumerated() {
      do throws(ConversionFailure) {
        words.append(try word(value, fields[index], depth: depth + 1))
      } catch {
        throw error.inside(step(index))
      }
    }
    let memory = Address.allocate(capacity: max(1, words.count))
    defer { memory.deallocate() }
    memory.initialize(from: words, count: words.count)
    return try made { () throws(Fault) in
      try self.heap.construct(type, tag: tag, UnsafePointer(memory), words.count)
    }
  }

  private func word(_ list: [FrpValue], _ element: TypeID, _ depth: Int) throws(ConversionFailure) -> Word {
    var words: [Word] = []
    words.reserveCapacity(list.count)
    for (index, value) in list.enumerated() {
      do throws(ConversionFailure) {
        words.append(try word(value, element, depth: depth + 1))
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    return try made { () throws(Fault) in
      var builder = try ListBuilder(
        self.heap, references: self.heap.shapes.isReference(element), capacity: words.count)
      for word in words { try builder.append(word) }
      return try builder.finish()
    }
  }

  private func word(_ entries: [FrpValue.Entry], _ key: TypeID, _ content: TypeID, _ depth: Int)
    throws(ConversionFailure) -> Word
  {
    let shape = MapShape(heap.shapes, key: key, value: content)
    var map = Word.emptyMap
    for entry in entries {
      let first = try word(entry.key, key, depth: depth + 1)
      let second = try word(entry.value, content, depth: depth + 1)
      let before = map
      map = try made { () throws(Fault) in try self.heap.mapSet(before, first, value: second, shape: shape) }
    }
    return map
  }

  func made(_ body: () throws(Fault) -> Word) throws(ConversionFailure) -> Word {
    do throws(Fault) {
      return try body()
    } catch {
      throw ConversionFailure(expected: "a value within the memory limit", found: "a larger one")
    }
  }
}

extension FrpValue {
  /// Whether it names a constructor of a type.
  fileprivate func isCase(of type: TypeID, _ types: TypeTable) -> Bool {
    guard case .tagged(let name, _) = self else { return false }
    return types.constructors[type]?.contains { $0.name == name } ?? false
  }
}
