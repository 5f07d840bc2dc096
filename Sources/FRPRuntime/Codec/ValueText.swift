// A value as a program would write it: `[1, 2]`, `Some("a")`, `{x: 1.0}`, `Map.fromList([("a", 1)])`. What has no source
// shows as `<function>` or `<task>`. Depth is limited by memory, not by the stack: what is still to be written waits
// in an array.

import FRPBase
import FRPCore

/// What is still to be written of one value.
struct TextItem {
  /// The value; for `.text` up to eight bytes, the first lowest.
  var word: Word
  var type: TypeID
  var index: Int
  var mode: Mode

  enum Mode: UInt8 {
    case value, text
    /// Elements, fields or entries from `index` on.
    case list, fields, map
  }

  static func text(_ bytes: StaticString) -> TextItem {
    var word: Word = 0
    bytes.withUTF8Buffer { for byte in $0.reversed() { word = word << 8 | Word(byte) } }
    return TextItem(word: word, type: .unit, index: 0, mode: .text)
  }

  static func value(_ word: Word, _ type: TypeID) -> TextItem {
    TextItem(word: word, type: type, index: 0, mode: .value)
  }
}

extension StringBuilder {
  /// Bytes packed into a word, the first lowest, up to the first zero.
  @inline(__always)
  mutating func append(packed word: Word) {
    var rest = word
    while rest != 0 {
      append(byte: UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}

/// Writes values as source.
struct SourceWriter {
  let heap: Heap
  let names: TypeNames
  /// Whose steps the parts take.
  private unowned(unsafe) let machine: Machine?
  /// The most bytes of one text, where somebody wants less than the heap allows.
  var limit = Int.max
  private var pending: [TextItem] = []
  private static let comma = TextItem.text(", ").word

  init(_ heap: Heap, _ names: TypeNames, _ machine: Machine?) {
    self.heap = heap
    self.machine = machine
    self.names = names
  }

  /// Appends the source of a value.
  mutating func write(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    pending.removeAll(keepingCapacity: true)
    try open(.value(value, type), &out)
    while let item = pending.popLast() {
      try machine?.step()
      if out.count > min(limit, heap.textLimit) { throw Fault.memory }
      switch item.mode {
      case .value: try open(item, &out)
      case .text: out.append(packed: item.word)
      case .list: elements(item, &out)
      case .fields: fields(item, &out)
      case .map: entries(item, &out)
      }
    }
  }

  private mutating func open(_ item: TextItem, _ out: inout StringBuilder) throws(Fault) {
    let shape = heap.shapes[item.type]
    if item.word == 0, shape.isReference {
      // Only the slot of a run that ended in a fault at its start holds no value.
      out.append("<none>")
      return
    }
    switch shape.kind {
    case .unit: out.append("()")
    case .bool: out.append(item.word.bool ? "true" : "false")
    case .int: out.append(int: item.word.int)
    case .float: out.append(float: item.word.float)
    case .string where names.isSecret(item.type): out.append("•••")
    case .string:
      let text = heap.bytes(item.word)
      out.append(sourceOf: Bytes(rebasing: text.prefix(limit)))
      if text.count > limit { throw Fault.memory }
    case .function: out.append("<function>")
    case .task: out.append("<task>")
    case .list:
      out.append(byte: 0x5B)
      pending.append(.text("]"))
      pending.append(TextItem(word: item.word, type: item.type, index: 0, mode: .list))
    case .map:
      out.append(names.isSet(item.type) ? "Set.fromList([" : "Map.fromList([")
      pending.append(.text("])"))
      pending.append(TextItem(word: item.word, type: item.type, index: 0, mode: .map))
    case .product, .variant: openFields(item, isVariant: shape.kind == .variant, out: &out)
    }
  }

  private mutating func openFields(_ item: TextItem, isVariant: Bool, out: inout StringBuilder) {
    let constructor = names.constructor(item.type, isVariant ? item.word.tag : 0)
    out.append(names.text(constructor.name))
    if isVariant, constructor.fieldCount == 0 { return }
    let isRecord = !isVariant && constructor.labels >= 0
    out.append(byte: isRecord ? 0x7B : 0x28)
    pending.append(isRecord ? .text("}") : .text(")"))
    if constructor.fieldCount > 0 {
      pending.append(TextItem(word: item.word, type: item.type, index: 0, mode: .fields))
    }
  }

  private mutating func elements(_ item: TextItem, _ out: inout StringBuilder) {
    let list = ListView(item.word)
    if item.index == list.count { return }
    if item.index > 0 { out.append(packed: SourceWriter.comma) }
    next(item)
    pending.append(.value(list[item.index], heap.shapes[item.type].first))
  }

  private mutating func fields(_ item: TextItem, _ out: inout StringBuilder) {
    let isVariant = heap.shapes[item.type].kind == .variant
    let tag = isVariant ? item.word.tag : 0
    let constructor = names.constructor(item.type, tag)
    if item.index > 0 { out.append(packed: SourceWriter.comma) }
    if constructor.labels >= 0 {
      out.append(field: names.text(names.label(constructor, item.index)))
      out.append(byte: 0x3A)
      out.append(byte: 0x20)
    }
    if item.index + 1 < Int(constructor.fieldCount) { next(item) }
    pending.append(.value(item.word.field(item.index), heap.shapes.fieldType(item.type, tag: tag, item.index)))
  }

  private mutating func entries(_ item: TextItem, _ out: inout StringBuilder) {
    if item.index == heap.mapCount(item.word) { return }
    let shape = heap.shapes[item.type]
    let node = heap.mapNode(item.word, at: item.index)
    if item.index > 0 { out.append(packed: SourceWriter.comma) }
    if names.isSet(item.type) {
      next(item)
      return pending.append(.value(node.field(0), shape.first))
    }
    out.append(byte: 0x28)
    next(item)
    pending.append(.text(")"))
    pending.append(.value(node.field(1), shape.second))
    pending.append(.text(", "))
    pending.append(.value(node.field(0), shape.first))
  }

  private mutating func next(_ item: TextItem) {
    pending.append(TextItem(word: item.word, type: item.type, index: item.index + 1, mode: item.mode))
  }
}

extension Heap {
  /// The most bytes one text may take: a small value that shares its parts can have a text without end. While it is written
  /// there may be three times as many, with what it has grown out of.
  var textLimit: Int { max(0, min(limitBytes / 4, (limitBytes - usedBytes) / 3, 1 << 30)) }
}

extension StringBuilder {
  /// A field's name as a program writes it.
  mutating func append(field name: Bytes) {
    if isPlainFieldName(name) { return append(name) }
    append(byte: 0x60)
    append(name)
    append(byte: 0x60)
  }

  /// A string literal.
  mutating func append(sourceOf text: Bytes) {
    append(byte: 0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C, 0x7B:
        append(byte: 0x5C)
        append(byte: byte)
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      case 0x00: append("\\0")
      case 0x01..<0x20, 0x7F:
        append("\\u{")
        append(String(byte, radix: 16))
        append(byte: 0x7D)
      default: append(byte: byte)
      }
    }
    append(byte: 0x22)
  }
}
