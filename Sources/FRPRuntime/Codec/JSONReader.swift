// JSON to values, straight from bytes into words of the heap, led by the type (section 9 of the language; JSONWriter.swift
// has the forms). Fields that the type does not name are checked and skipped without being made. A record's missing
// field is an error unless it is an Option; of a field or key that comes twice the last counts, and `repeated` says where.
// Nesting is limited to `JSONCursor.deepest`.

import FRPCore

/// Reads JSON by type.
struct JSONReader: ~Copyable {
  let heap: Heap
  let names: TypeNames
  /// Whose steps the parts take.
  private unowned(unsafe) let machine: Machine?
  var cursor: JSONCursor
  /// Set when memory ran out.
  var fault: Fault?
  /// Behind the first key of the text that its object had before.
  private(set) var repeated: UnsafePointer<UInt8>?
  /// For the text of strings with escapes.
  var scratch = StringBuilder()
  private let keys: KeyMemory

  init(_ heap: Heap, _ names: TypeNames, _ machine: Machine?) {
    self.heap = heap
    self.machine = machine
    self.names = names
    keys = KeyMemory(constructors: names.allConstructors)
    cursor = JSONCursor(UnsafePointer(scratch.bytes), 0)
  }

  /// The value of a text, nil if it does not fit (see `cursor`). The text must stay in place meanwhile.
  mutating func read(_ text: Bytes, _ type: TypeID) throws(Fault) -> Word? {
    begin(text)
    do throws(JSONStop) {
      let word = try value(type, 0)
      try finish()
      return word
    } catch {
      if let fault { throw fault }
      return nil
    }
  }

  mutating func begin(_ text: Bytes) {
    fault = nil
    repeated = nil
    cursor = JSONCursor(text.baseAddress ?? UnsafePointer(scratch.bytes), text.count)
  }

  /// Demands that nothing follows.
  mutating func finish() throws(JSONStop) {
    cursor.skipSpace()
    if !cursor.isAtEnd { throw cursor.stop(.expected("nothing more")) }
  }

  @inline(never)
  private mutating func stop(_ fault: Fault) -> JSONStop {
    self.fault = fault
    return JSONStop()
  }

  @inline(never)
  private mutating func mismatch(_ type: TypeID) -> JSONStop {
    cursor.stop(.expected(heap.shapes.types.describe(type)))
  }

  /// The key that has just been passed was there before.
  @inline(never)
  private mutating func noteRepetition() { repeated = repeated ?? cursor.at }

  // MARK: Values

  mutating func value(_ type: TypeID, _ depth: Int) throws(JSONStop) -> Word {
    if let machine { do throws(Fault) { try machine.step() } catch { throw stop(error) } }
    let shape = heap.shapes[type]
    switch shape.kind {
    case .int: return Word(int: try cursor.int())
    case .float: return Word(float: try cursor.float())
    case .string: return try string()
    case .bool:
      if cursor.passes("true") { return Word(bool: true) }
      if cursor.passes("false") { return Word(bool: false) }
      throw mismatch(type)
    case .unit:
      if cursor.passes("null") { return .unit }
      throw mismatch(type)
    case .list, .map, .product, .variant:
      if depth >= JSONCursor.deepest {
        throw cursor.stop(.message("this is nested more than \(JSONCursor.deepest) deep"))
      }
      return try composite(type, shape, depth: depth + 1)
    case .function, .task: throw cursor.stop(.message("\(heap.shapes.types.describe(type)) has no JSON"))
    }
  }

  private mutating func composite(_ type: TypeID, _ shape: Shape, depth: Int) throws(JSONStop) -> Word {
    switch shape.kind {
    case .list: return try list(type, shape.first, depth: depth)
    case .map:
      if names.isSet(type) { return try set(type, shape, depth: depth) }
      return shape.first == .string ? try object(type, shape, depth) : try pairs(type, shape, depth: depth)
    case .variant:
      if names.isOption(type) { return try option(type, depth) }
      return names.isJson(type) ? try json(type, depth) : try variant(type, depth)
    default:
      let constructor = names.constructor(type, 0)
      return constructor.labels >= 0
        ? try fields(type, 0, constructor: constructor, depth: depth)
        : try positions(type, 0, constructor: constructor, depth: depth)
    }
  }

  private mutating func string() throws(JSONStop) -> Word {
    if cursor.peek() != 0x22 { throw mismatch(.string) }
    let (text, isEscaped) = try cursor.string()
    if isEscaped { try cursor.unescape(text, into: &scratch) }
    do throws(Fault) { return try heap.string(isEscaped ? scratch.view : text) } catch { throw stop(error) }
  }

  // MARK: Fields

  /// An object with the fields of a record or a labelled constructor.
  private mutating func fields(
    _ type: TypeID, _ tag: Int, constructor: ConstructorNames, depth: Int
  ) throws(JSONStop) -> Word {
    if !cursor.passes(0x7B) { throw mismatch(type) }
    let open = cursor.at
    let count = Int(constructor.fieldCount)
    let target = try object(type, tag, count)
    var seen: UInt64 = 0
    // By field, for the few records that have more than fit into a word.
    let wide: UnsafeMutablePointer<Bool>? = count > 64 ? .allocate(capacity: count) : nil
    wide?.initialize(repeating: false, count: count)
    defer { wide?.deallocate() }
    if !cursor.passes(0x7D) {
      let rows = keys.rows(of: names.place(type, tag))
      var place = 0
      repeat {
        let index = try fieldIndex(constructor, rows, place: place)
        place += 1
        if index < 0 {
          try cursor.skipValue(depth, &scratch)
        } else {
          if wide?[index] ?? (seen >> UInt64(index) & 1 == 1) { noteRepetition() }
          target[index] = try value(heap.shapes.fieldType(type, tag: tag, index), depth)
          if let wide { wide[index] = true } else { seen |= 1 << UInt64(index) }
        }
      } while cursor.passes(0x2C)
      try cursor.pass(0x7D)
    }
    if wide != nil || seen.nonzeroBitCount != count {
      for index in 0..<count where !(wide?[index] ?? (seen >> UInt64(index) & 1 == 1)) {
        target[index] = try absent(type, tag, constructor: constructor, index: index, from: open)
      }
    }
    return count == 0 ? Word(tag: tag) : Word(target - 1)
  }

  /// The field whose name comes next, with its colon; -1 if the type has none of that name. `place`: how many keys the
  /// object had before it.
  @inline(__always)
  private mutating func fieldIndex(
    _ constructor: ConstructorNames, _ rows: UnsafeMutablePointer<UInt64>, place: Int
  ) throws(JSONStop) -> Int {
    cursor.skipSpace()
    if let index = KeyMemory.pass(rows, place, cursor: &cursor) { return index }
    return try newField(constructor, rows, place: place)
  }

  @inline(never)
  private mutating func newField(
    _ constructor: ConstructorNames, _ rows: UnsafeMutablePointer<UInt64>, place: Int
  ) throws(JSONStop) -> Int {
    if cursor.peek() != 0x22 { throw cursor.stop(.expected("a field's name")) }
    let begin = cursor.at
    let (key, isEscaped) = try cursor.string()
    if isEscaped { try cursor.unescape(key, into: &scratch) }
    let index = names.field(constructor, isEscaped ? scratch.view : key, hint: place) ?? -1
    try cursor.pass(0x3A)
    KeyMemory.learn(rows, place, begin: begin, end: cursor.at, field: index)
    return index
  }

  private mutating func absent(
    _ type: TypeID, _ tag: Int, constructor: ConstructorNames, index: Int, from open: UnsafePointer<UInt8>
  ) throws(JSONStop) -> Word {
    if names.isOption(heap.shapes.fieldType(type, tag: tag, index)) { return .none }
    let name = names.string(names.label(constructor, index))
    throw cursor.stop(.missing(name, others: others(constructor, from: open)), at: cursor.at - 1)
  }

  /// The first keys of an object that was read and begins before `open` that are no fields of its type.
  private mutating func others(_ constructor: ConstructorNames, from open: UnsafePointer<UInt8>) -> [String] {
    var scan = cursor
    scan.at = open
    var keys: [String] = []
    do throws(JSONStop) {
      repeat {
        if scan.peek() != 0x22 { break }
        let (raw, isEscaped) = try scan.string()
        if isEscaped { try scan.unescape(raw, into: &scratch) }
        let key = isEscaped ? scratch.view : raw
        let isField = names.field(constructor, key, hint: 0) != nil
        if !isField { keys.append(String(decoding: key.prefix(40), as: UTF8.self)) }
        try scan.pass(0x3A)
        try scan.skipValue(0, &scratch)
      } while keys.count < 6 && scan.passes(0x2C)
    } catch { return keys }
    return keys
  }

  /// Room for the fields of an object, all zero.
  private mutating func object(_ type: TypeID, _ tag: Int, _ count: Int) throws(JSONStop) -> Address {
    do throws(Fault) {
      // Never written to.
      if count == 0 { return heap.emptyString.address + 1 }
      let shape = heap.shapes.constructor(type, tag)
      let address = try heap.object(Header(bits: shape.header))
      (address + 1).update(repeating: 0, count: count)
      if count > Header.widestMask { heap.shapes.writeWideMask(shape, at: address + 1 + count) }
      return address + 1
    } catch {
      throw stop(error)
    }
  }

  /// An array with the fields of a tuple or a constructor.
  private mutating func positions(
    _ type: TypeID, _ tag: Int, constructor: ConstructorNames, depth: Int
  ) throws(JSONStop) -> Word {
    if !cursor.passes(0x5B) { throw mismatch(type) }
    let count = Int(constructor.fieldCount)
    let target = try object(type, tag, count)
    for index in 0..<count {
      if index > 0, !cursor.passes(0x2C) { throw cursor.stop(.expected("\(count) values, not \(index)")) }
      target[index] = try value(heap.shapes.fieldType(type, tag: tag, index), depth)
    }
    if !cursor.passes(0x5D) { throw cursor.stop(.expected("']' after \(count) values")) }
    return count == 0 ? Word(tag: tag) : Word(target - 1)
  }

  // MARK: Variants

  private mutating func option(_ type: TypeID, _ depth: Int) throws(JSONStop) -> Word {
    if cursor.passes("null") { return .none }
    let content = heap.shapes.fieldType(type, tag: 1, 0)
    if names.mayBeNull(content) { return try variant(type, depth) }
    return try construct(type, 1, field: try value(content, depth))
  }

  private mutating func construct(_ type: TypeID, _ tag: Int, field: Word) throws(JSONStop) -> Word {
    do throws(Fault) { return try heap.construct(type, tag: tag, field: field) } catch { throw stop(error) }
  }

  private mutating func variant(_ type: TypeID, _ depth: Int) throws(JSONStop) -> Word {
    let first = cursor.peek()
    guard first == 0x22 || first == 0x7B else { throw mismatch(type) }
    let isBare = !cursor.passes(0x7B)
    let begin = cursor.at
    if cursor.peek() != 0x22 {
      throw cursor.stop(.expected("the name of a case of \(heap.shapes.types.describe(type))"))
    }
    let (text, isEscaped) = try cursor.string()
    if isEscaped { try cursor.unescape(text, into: &scratch) }
    guard let tag = names.tag(type, isEscaped ? scratch.view : text) else {
      throw cursor.stop(.expected("a case of \(heap.shapes.types.describe(type))\(cases(type))"), at: begin)
    }
    let constructor = names.constructor(type, tag)
    if isBare || constructor.fieldCount == 0 {
      return try plainCase(constructor, tag, isBare: isBare, begin: begin)
    }
    try cursor.pass(0x3A)
    let result: Word
    if constructor.labels >= 0 {
      result = try fields(type, tag, constructor: constructor, depth: depth)
    } else if constructor.fieldCount == 1 {
      result = try construct(type, tag, field: try value(heap.shapes.fieldType(type, tag: tag, 0), depth))
    } else {
      result = try positions(type, tag, constructor: constructor, depth: depth)
    }
    try cursor.pass(0x7D)
    return result
  }

  private mutating func plainCase(
    _ constructor: ConstructorNames, _ tag: Int, isBare: Bool, begin: UnsafePointer<UInt8>
  ) throws(JSONStop) -> Word {
    let name = names.string(constructor.name)
    if isBare, constructor.fieldCount == 0 { return Word(tag: tag) }
    if isBare { throw cursor.stop(.message("\(name) has content: write {\"\(name)\": …}"), at: begin) }
    throw cursor.stop(.message("\(name) has no content: write \"\(name)\""), at: begin)
  }

  /// The names of a type's cases, if they are few.
  private func cases(_ type: TypeID) -> String {
    let count = names.constructorCount(type)
    if count > 6 { return "" }
    return " (\((0..<count).map { names.string(names.constructor(type, $0).name) }.joined(separator: ", ")))"
  }

  // MARK: Json

  /// Any value: a number is an Int where it is written as one and fits, else a Float.
  private mutating func json(_ type: TypeID, _ depth: Int) throws(JSONStop) -> Word {
    func part(_ place: JsonCase) -> TypeID { heap.shapes.fieldType(type, tag: place.rawValue, 0) }
    switch cursor.peek() {
    case 0x22: return try construct(type, JsonCase.string.rawValue, field: try string())
    case 0x5B:
      return try construct(type, JsonCase.list.rawValue, field: try list(part(.list), type, depth: depth))
    case 0x7B:
      let map = part(.object)
      return try construct(type, JsonCase.object.rawValue, field: try object(map, heap.shapes[map], depth))
    case 0x2D, 0x30...0x39: return try number(type)
    default:
      if cursor.passes("null") { return Word(tag: JsonCase.null.rawValue) }
      if cursor.passes("true") { return try construct(type, JsonCase.bool.rawValue, field: Word(bool: true)) }
      if cursor.passes("false") { return try construct(type, JsonCase.bool.rawValue, field: Word(bool: false)) }
      throw cursor.stop(.expected("a value"))
    }
  }

  private mutating func number(_ type: TypeID) throws(JSONStop) -> Word {
    let begin = cursor.at
    let value = try cursor.float()
    let text = Bytes(start: begin, count: cursor.at - begin)
    if !text.contains(where: { $0 == 0x2E || $0 | 0x20 == 0x65 }), let whole = NumberText.int(text) {
      return try construct(type, JsonCase.int.rawValue, field: Word(int: whole))
    }
    return try construct(type, JsonCase.float.rawValue, field: Word(float: value))
  }

  // MARK: Lists and maps

  private mutating func list(_ type: TypeID, _ element: TypeID, depth: Int) throws(JSONStop) -> Word {
    if !cursor.passes(0x5B) { throw mismatch(type) }
    if cursor.passes(0x5D) { return heap.emptyList }
    var builder: ListBuilder
    do throws(Fault) {
      builder = try ListBuilder(heap, references: heap.shapes.isReference(element))
    } catch { throw stop(error) }
    repeat {
      let word = try value(element, depth)
      do throws(Fault) { try builder.append(word) } catch { throw stop(error) }
    } while cursor.passes(0x2C)
    if !cursor.passes(0x5D) { throw cursor.stop(.expected("',' or ']'")) }
    do throws(Fault) { return try builder.finish() } catch { throw stop(error) }
  }

  private mutating func object(_ type: TypeID, _ shape: Shape, _ depth: Int) throws(JSONStop) -> Word {
    if !cursor.passes(0x7B) { throw mismatch(type) }
    let mapShape = MapShape(heap.shapes, type)
    var map = Word.emptyMap
    if cursor.passes(0x7D) { return map }
    repeat {
      if cursor.peek() != 0x22 { throw cursor.stop(.expected("a key")) }
      let key = try string()
      try cursor.pass(0x3A)
      let behind = cursor.at
      let word = try value(shape.second, depth)
      let count = heap.mapCount(map)
      do throws(Fault) { map = try heap.mapSet(map, key, value: word, shape: mapShape) } catch { throw stop(error) }
      if heap.mapCount(map) == count { repeated = repeated ?? behind }
    } while cursor.passes(0x2C)
    if !cursor.passes(0x7D) { throw cursor.stop(.expected("',' or '}'")) }
    return map
  }

  private mutating func set(_ type: TypeID, _ shape: Shape, depth: Int) throws(JSONStop) -> Word {
    if !cursor.passes(0x5B) { throw mismatch(type) }
    let mapShape = MapShape(heap.shapes, type)
    var set = Word.emptyMap
    if cursor.passes(0x5D) { return set }
    repeat {
      let word = try value(shape.first, depth)
      do throws(Fault) { set = try heap.mapSet(set, word, value: .unit, shape: mapShape) } catch { throw stop(error) }
    } while cursor.passes(0x2C)
    if !cursor.passes(0x5D) { throw cursor.stop(.expected("',' or ']'")) }
    return set
  }

  private mutating func pairs(_ type: TypeID, _ shape: Shape, depth: Int) throws(JSONStop) -> Word {
    if !cursor.passes(0x5B) { throw mismatch(type) }
    let mapShape = MapShape(heap.shapes, type)
    var map = Word.emptyMap
    if cursor.passes(0x5D) { return map }
    repeat {
      if !cursor.passes(0x5B) { throw cursor.stop(.expected("a pair [key, value]")) }
      let key = try value(shape.first, depth)
      try cursor.pass(0x2C)
      let word = try value(shape.second, depth)
      try cursor.pass(0x5D)
      do throws(Fault) { map = try heap.mapSet(map, key, value: word, shape: mapShape) } catch { throw stop(error) }
    } while cursor.passes(0x2C)
    if !cursor.passes(0x5D) { throw cursor.stop(.expected("',' or ']'")) }
    return map
  }
}
