// Values to JSON, by type (section 9 of the language): compact, one line, the same bytes for equal values.
//
//   Unit null            Option null or the value; of an Option or Unit: {"Some": x}
//   records objects      variants "Name", {"Name": x}, {"Name": [x, y]}, {"Name": {…}} with labels
//   tuples arrays        Map with String keys an object, else an array of pairs
//   Set array            Json what it holds
//
// Depth is limited by memory, not by the stack: what is still to be written waits in an array.

import FRPCore

/// Writes values as JSON.
struct JSONWriter {
  let heap: Heap
  let names: TypeNames
  /// Whose steps the parts take.
  private unowned(unsafe) let machine: Machine?
  /// The most bytes of one text, where somebody wants less than the heap allows.
  var limit = Int.max
  private var pending: [TextItem] = []

  init(_ heap: Heap, _ names: TypeNames, _ machine: Machine?) {
    self.heap = heap
    self.machine = machine
    self.names = names
  }

  /// Appends the JSON of a value. Functions and tasks have none: a fault.
  mutating func write(_ value: Word, _ type: TypeID, to out: inout StringBuilder) throws(Fault) {
    pending.removeAll(keepingCapacity: true)
    try open(value, type, out: &out)
    let most = min(limit, heap.textLimit)
    while let item = pending.popLast() {
      try machine?.step()
      if out.count > most { throw Fault.memory }
      switch item.mode {
      case .value: try open(item.word, item.type, out: &out)
      case .text: out.append(packed: item.word)
      case .list: try elements(item, &out)
      case .fields: try fields(item, &out)
      case .map: try entries(item, &out)
      }
    }
  }

  private mutating func open(_ word: Word, _ type: TypeID, out: inout StringBuilder) throws(Fault) {
    let shape = heap.shapes[type]
    if word == 0, shape.isReference {
      // Only the slot of a run that ended in a fault at its start holds no value.
      out.append("null")
      return
    }
    switch shape.kind {
    case .unit: out.append("null")
    case .bool: out.append(word.bool ? "true" : "false")
    case .int: out.append(int: word.int)
    case .float: out.append(float: word.float)
    case .string where names.isSecret(type): out.append("\"•••\"")
    case .string:
      let text = heap.bytes(word)
      out.append(jsonOf: Bytes(rebasing: text.prefix(limit)))
      if text.count > limit { throw Fault.memory }
    case .function, .task: throw Fault(.message, "a \(shape.kind == .task ? "task" : "function") has no JSON")
    case .list:
      out.append(byte: 0x5B)
      pending.append(.text("]"))
      pending.append(TextItem(word: word, type: type, index: 0, mode: .list))
    case .map:
      let isObject = shape.first == .string && !names.isSet(type)
      out.append(byte: isObject ? 0x7B : 0x5B)
      pending.append(isObject ? .text("}") : .text("]"))
      pending.append(TextItem(word: word, type: type, index: 0, mode: .map))
    case .product:
      openFields(word, type, constructor: names.constructor(type, 0), out: &out)
    case .variant:
      try openVariant(word, type, out: &out)
    }
  }

  private mutating func openVariant(_ word: Word, _ type: TypeID, out: inout StringBuilder) throws(Fault) {
    let constructor = names.constructor(type, word.tag)
    if names.isJson(type) {
      if word.tag == 0 { return out.append("null") }
      return pending.append(.value(word.field(0), heap.shapes.fieldType(type, tag: word.tag, 0)))
    }
    if names.isOption(type) {
      if word == .none {
        out.append("null")
        return
      }
      let content = heap.shapes.fieldType(type, tag: 1, 0)
      if !names.mayBeNull(content) {
        pending.append(.value(word.field(0), content))
        return
      }
    }
    if constructor.fieldCount == 0 {
      appendName(constructor.name, &out)
      return
    }
    out.append(byte: 0x7B)
    appendName(constructor.name, &out)
    out.append(byte: 0x3A)
    pending.append(.text("}"))
    if constructor.fieldCount == 1, constructor.labels < 0 {
      pending.append(.value(word.field(0), heap.shapes.fieldType(type, tag: word.tag, 0)))
    } else {
      openFields(word, type, constructor: constructor, out: &out)
    }
  }

  private mutating func openFields(
    _ word: Word, _ type: TypeID, constructor: ConstructorNames, out: inout StringBuilder
  ) {
    let isObject = constructor.labels >= 0
    out.append(byte: isObject ? 0x7B : 0x5B)
    pending.append(isObject ? .text("}") : .text("]"))
    if constructor.fieldCount > 0 { pending.append(TextItem(word: word, type: type, index: 0, mode: .fields)) }
  }

  @inline(__always)
  private func appendName(_ name: NameRange, _ out: inout StringBuilder) {
    out.append(byte: 0x22)
    out.append(names.text(name))
    out.append(byte: 0x22)
  }

  /// Writes a part at once if it is a scalar; otherwise leaves it and what follows it pending.
  @inline(__always)
  private mutating func part(
    _ word: Word, _ type: TypeID, after item: TextItem, _ index: Int, _ out: inout StringBuilder
  ) throws(Fault) -> Bool {
    switch heap.shapes[type].kind {
    case .unit, .bool, .int, .float, .string:
      try open(word, type, out: &out)
      return true
    default:
      pending.append(TextItem(word: item.word, type: item.type, index: index + 1, mode: item.mode))
      pending.append(.value(word, type))
      return false
    }
  }

  private mutating func elements(_ item: TextItem, _ out: inout StringBuilder) throws(Fault) {
    let list = ListView(item.word)
    let element = heap.shapes[item.type].first
    var index = item.index
    let most = min(limit, heap.textLimit)
    while index < list.count, out.count <= most {
      try machine?.step()
      if index > 0 { out.append(byte: 0x2C) }
      if !(try part(list[index], element, after: item, index, &out)) { return }
      index += 1
    }
  }

  private mutating func fields(_ item: TextItem, _ out: inout StringBuilder) throws(Fault) {
    let tag = heap.shapes[item.type].kind == .variant ? item.word.tag : 0
    let constructor = names.constructor(item.type, tag)
    var index = item.index
    while index < Int(constructor.fieldCount) {
      if index > 0 { out.append(byte: 0x2C) }
      if constructor.labels >= 0 {
        let label = names.label(constructor, index)
        if names.hasOddLabels { out.append(jsonOf: names.text(label)) } else { appendName(label, &out) }
        out.append(byte: 0x3A)
      }
      let type = heap.shapes.fieldType(item.type, tag: tag, index)
      if !(try part(item.word.field(index), type, after: item, index, &out)) { return }
      index += 1
    }
  }

  private mutating func entries(_ item: TextItem, _ out: inout StringBuilder) throws(Fault) {
    if item.index == heap.mapCount(item.word) { return }
    let shape = heap.shapes[item.type]
    let node = heap.mapNode(item.word, at: item.index)
    if item.index > 0 { out.append(byte: 0x2C) }
    pending.append(TextItem(word: item.word, type: item.type, index: item.index + 1, mode: .map))
    if names.isSet(item.type) {
      pending.append(.value(node.field(0), shape.first))
    } else if shape.first == .string {
      out.append(jsonOf: heap.bytes(node.field(0)))
      out.append(byte: 0x3A)
      pending.append(.value(node.field(1), shape.second))
    } else {
      out.append(byte: 0x5B)
      pending.append(.text("]"))
      pending.append(.value(node.field(1), shape.second))
      pending.append(.text(","))
      pending.append(.value(node.field(0), shape.first))
    }
  }
}

extension StringBuilder {
  /// A JSON string; everything but quotes, backslashes and control characters stands for itself.
  mutating func append(jsonOf text: Bytes) {
    append(byte: 0x22)
    var start = 0
    for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
      append(Bytes(rebasing: text[start..<index]))
      appendEscape(byte)
      start = index + 1
    }
    append(Bytes(rebasing: text[start...]))
    append(byte: 0x22)
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case 0x22: append("\\\"")
    case 0x5C: append("\\\\")
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    case 0x08: append("\\b")
    case 0x0C: append("\\f")
    default:
      append("\\u00")
      append(byte: byte < 0x10 ? 0x30 : 0x31)
      let low = byte & 0xF
      append(byte: low < 10 ? 0x30 + low : 0x57 + low)
    }
  }
}
