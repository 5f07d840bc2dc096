// The objects of an image, checked: first what the collector relies on, then that each is a value of the type at which
// a frame or another object mentions it. An image comes from outside, so nothing of it is believed.
//
// In:  the words of an image, the types and closures of its program. Out: whether they are values, and what can only be
// checked once they are in a heap (the order of maps).
// Rules
// - No recursion: values may be deep. Cost: linear in the image, for each type at which an object is mentioned.
// - Functions and suspended computations may refer to themselves; nothing else may, or comparing it would not end.
// - What is a key is hashed and compared in full. A value that shares its parts may be far larger than the image, so
//   that the whole size of all keys is bounded.

import FRPCore
import FRPGraph

/// Where the objects of an image begin, and whether each is well formed by itself.
struct ObjectLayout {
  let words: [Word]
  /// By number: the place of the header.
  private(set) var starts: [Int] = []

  /// Nil if the words are no list of `count` objects.
  init?(_ words: [Word], count: Int, faults: Int) {
    self.words = words
    var at = 0
    while at < words.count {
      let header = Header(bits: words[at])
      let payload = header.payloadCount
      guard !header.isForwarded, header.bits & Header.permanent == 0, payload >= 0, payload < words.count - at,
        starts.count < count
      else { return nil }
      starts.append(at)
      at += payload + 1
    }
    if starts.count != count { return nil }
    for number in starts.indices where !isWellFormed(number, faults) { return nil }
  }

  /// The number of the object that a word mentions; nil if it mentions none.
  @inline(__always)
  func number(_ word: Word) -> Int? {
    guard word != 0, word & 7 == 0, word / 8 <= UInt64(starts.count) else { return nil }
    return Int(word / 8) - 1
  }

  @inline(__always) func header(_ number: Int) -> Header { Header(bits: words[starts[number]]) }
  @inline(__always) func field(_ number: Int, _ index: Int) -> Word { words[starts[number] + 1 + index] }
  @inline(__always) func kind(_ number: Int) -> UInt64 { header(number).kind }

  func isFaultCell(_ number: Int) -> Bool {
    header(number).kind == ObjectKind.fields.rawValue && header(number).bits & Header.faultCell != 0
  }

  private func isReference(_ word: Word) -> Bool { word & 1 != 0 || word == 0 || number(word) != nil }

  private func isWellFormed(_ number: Int, _ faults: Int) -> Bool {
    let header = header(number)
    let payload = header.payloadCount
    switch header.kind {
    case ObjectKind.fields.rawValue:
      if isFaultCell(number) {
        return payload == 2 && header.mask == 0 && field(number, 0) == CellState.faults
          && field(number, 1) < UInt64(faults)
      }
      var mask = header.mask
      while mask != 0 {
        let index = mask.trailingZeroBitCount
        if index >= payload || !isReference(field(number, index)) { return false }
        mask &= mask &- 1
      }
      return true
    case ObjectKind.wideFields.rawValue:
      let count = header.fieldCount
      return count > Header.widestMask
        && (0..<count).allSatisfy {
          field(number, count + $0 >> 6) >> UInt64($0 & 63) & 1 == 0 || isReference(field(number, $0))
        }
    case ObjectKind.string.rawValue: return isString(number, payload)
    case ObjectKind.list.rawValue: return payload == 3 && isView(number)
    case ObjectKind.words.rawValue: return isBuffer(number, payload)
    case ObjectKind.references.rawValue:
      return isBuffer(number, payload) && (1..<payload).allSatisfy { isReference(field(number, $0)) }
    case ObjectKind.mapNode.rawValue:
      return payload == 5 && isReference(field(number, 2)) && isReference(field(number, 3))
        && (header.bits & Header.flagA == 0 || isReference(field(number, 0)))
        && (header.bits & Header.flagB == 0 || isReference(field(number, 1)))
    default: return false
    }
  }

  /// Valid UTF-8, padded with zeros, with the flag and the count that it would get.
  private func isString(_ number: Int, _ payload: Int) -> Bool {
    guard payload >= 2, field(number, 0) <= UInt64(payload - 2) * 8 else { return false }
    let count = Int(field(number, 0))
    guard payload == 2 + (count + 7) / 8 else { return false }
    let start = starts[number] + 3
    let (isText, isPlain) = words.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes[start * 8..<start * 8 + count])
      let padding = bytes[start * 8 + count..<(starts[number] + 1 + payload) * 8]
      let isPlain = text.allSatisfy { $0 < 0x80 && $0 != 0x0D }
      return (padding.allSatisfy { $0 == 0 } && (isPlain || String(validating: text, as: UTF8.self) != nil), isPlain)
    }
    guard isText, isPlain == (header(number).bits & Header.flagA != 0), header(number).bits & Header.flagB == 0 else {
      return false
    }
    return field(number, 1) == (isPlain ? UInt64(count) : Heap.unknownCount)
  }

  /// All of it in use, with room on no side.
  private func isBuffer(_ number: Int, _ payload: Int) -> Bool {
    payload >= 1 && field(number, 0) == UInt64(payload - 1) && header(number).bits & Header.flagB == 0
  }

  private func isView(_ number: Int) -> Bool {
    guard let buffer = self.number(field(number, 0)) else { return false }
    let kind = kind(buffer)
    guard kind == ObjectKind.words.rawValue || kind == ObjectKind.references.rawValue else { return false }
    let (offset, count) = (field(number, 1), field(number, 2))
    // Behind the header and `used`: what the buffer holds, which was not necessarily checked before this.
    let used = UInt64(max(0, header(buffer).payloadCount - 1))
    return offset <= used && count <= used - offset
  }
}

/// A task of the host that an image may hold: what it is called there, and in the run that takes it over.
struct HostTaskImage {
  /// As the restored run calls it.
  var number: Int
  var argument: TypeID
  var result: TypeID
  var isSource: Bool
}

/// Checks that what is mentioned at a type is of that type.
struct ObjectCheck {
  /// As what an object is mentioned.
  private enum Role: UInt64 {
    /// A value of the type.
    case value
    /// A suspended computation of such a value.
    case cell
    /// A buffer of such elements.
    case elements
    /// A task that gives such a value, a list of such tasks, and its buffer.
    case task, tasks, taskElements
    /// The record `{message: String}`.
    case error
    /// A source that brings such values.
    case source
  }

  let layout: ObjectLayout
  let shapes: TypeShapes
  private let hostTasks: [Int: HostTaskImage]
  /// The type of the list of a source that is one, by that of what it brings.
  private var lanes: [TypeID: TypeID] = [:]
  /// What events show that are awaited, by their nodes.
  private var awaitedNodes: [Word: TypeID] = [:]
  /// By code: the function or suspended computation that it is of.
  private var closures: [Int: ClosureInfo] = [:]
  private var pending: [UInt64] = []
  /// By object: the first way in which it was mentioned, plus one; others stand in `otherRoles`.
  private var roles: [UInt64]
  private var otherRoles: Set<UInt64> = []
  /// By object: whether it is mentioned as something that structural operations go through.
  private var isData: [Bool]
  /// What is hashed or compared.
  private var keys: [Word] = []
  /// Nodes of maps, whose order is checked in the heap.
  private(set) var mapNodes: [(number: Int, type: TypeID)] = []
  /// Tasks of the host that have another number in the restored run.
  private(set) var renumbered: [(number: Int, host: Int)] = []

  init(_ layout: ObjectLayout, _ plan: Plan, shapes: TypeShapes, hostTasks: [Int: HostTaskImage]) {
    self.layout = layout
    self.shapes = shapes
    self.hostTasks = hostTasks
    for closure in plan.code.closures { closures[closure.code.index] = closure }
    for (index, node) in plan.core.nodes.enumerated() {
      if case .awaited = node.op, case .task(let payload) = plan.core.types[node.type] {
        awaitedNodes[Word(int: index)] = payload
      }
    }
    for (index, type) in plan.core.types.types.enumerated() {
      guard case .list(let pair) = type, case .tuple(let parts) = plan.core.types[pair], parts.count == 2,
        parts[0] == .float
      else { continue }
      lanes[parts[1]] = TypeID(index)
    }
    roles = [UInt64](repeating: 0, count: layout.starts.count)
    isData = [Bool](repeating: false, count: layout.starts.count)
  }

  // MARK: Mentions

  /// Whether a word may be a value of a type; the object it mentions is examined by `finish`.
  mutating func isValue(_ word: Word, _ type: TypeID) -> Bool {
    let shape = shapes[type]
    switch shape.kind {
    case .unit, .int: return true
    case .bool: return word <= 1
    case .float: return word.float.isFinite
    case .string:
      guard let number = layout.number(word) else { return false }
      return layout.kind(number) == ObjectKind.string.rawValue
    case .list, .function: return mention(word, .value, type: type)
    case .map: return word == .emptyMap || mention(word, .value, type: type)
    case .task:
      if case .source(let item) = shapes.types[type] { return isSource(word, of: item) }
      guard case .task(let result) = shapes.types[type] else { return false }
      return isTask(word, of: result)
    case .product:
      if shapes.constructor(type, 0).fieldCount == 0 { return word == .emptyRecord }
      return mention(word, .value, type: type)
    case .variant:
      if word & 1 == 0 { return mention(word, .value, type: type) }
      return word >> 1 < UInt64(shape.constructorCount) && shapes.constructor(type, Int(word >> 1)).fieldCount == 0
    }
  }

  /// Whether a word may be a task that gives values of a type.
  mutating func isTask(_ word: Word, of result: TypeID) -> Bool { mention(word, .task, type: result) }

  /// Whether a word may be a source that brings values of a type.
  mutating func isSource(_ word: Word, of item: TypeID) -> Bool { mention(word, .source, type: item) }

  /// The same as `isValue` for what is hashed and compared.
  mutating func isKey(_ word: Word, _ type: TypeID) -> Bool {
    if shapes.isReference(type) { keys.append(word) }
    return isValue(word, type)
  }

  private mutating func mention(_ word: Word, _ role: Role, type: TypeID) -> Bool {
    guard let number = layout.number(word) else { return false }
    let mentioned = UInt64(type.index + 1) << 3 | role.rawValue
    if roles[number] == mentioned { return true }
    let item = UInt64(number) << 32 | mentioned
    if roles[number] == 0 { roles[number] = mentioned } else if !otherRoles.insert(item).inserted { return true }
    pending.append(item)
    return true
  }

  /// Examines everything that was mentioned, and what that mentions.
  mutating func finish() -> Bool {
    while let item = pending.popLast() {
      let type = TypeID(Int(item >> 3 & 0x1FFF_FFFF) - 1)
      guard let role = Role(rawValue: item & 7), examine(Int(item >> 32), role, type: type) else { return false }
    }
    return keysAreBounded()
  }

  private mutating func examine(_ number: Int, _ role: Role, type: TypeID) -> Bool {
    let isCode = role == .cell || role == .value && shapes[type].kind == .function
    if !isCode { isData[number] = true }
    switch role {
    case .value: return isObject(number, type)
    case .cell: return isCell(number, type)
    case .elements:
      return (1..<layout.header(number).payloadCount).allSatisfy { isValue(layout.field(number, $0), type) }
    case .task: return isTask(number, type)
    case .tasks: return isList(number, isReference: true, role: .taskElements, element: type)
    case .taskElements:
      return (1..<layout.header(number).payloadCount).allSatisfy { isTask(layout.field(number, $0), of: type) }
    case .error: return isError(number)
    case .source: return isSource(number, type)
    }
  }

  // MARK: Data

  private mutating func isObject(_ number: Int, _ type: TypeID) -> Bool {
    let shape = shapes[type]
    switch shape.kind {
    case .list:
      return isList(number, isReference: shapes.isReference(shape.first), role: .elements, element: shape.first)
    case .map: return isMapNode(number, shape, type: type)
    case .product: return hasFields(number, type, tag: 0)
    case .variant: return hasFields(number, type, tag: layout.header(number).tag)
    case .function: return isClosure(number, type)
    default: return false
    }
  }

  private mutating func isList(_ number: Int, isReference: Bool, role: Role, element: TypeID) -> Bool {
    guard layout.kind(number) == ObjectKind.list.rawValue, let buffer = layout.number(layout.field(number, 0)) else {
      return false
    }
    // The empty list is the same for all types.
    if layout.field(number, 2) == 0, layout.header(buffer).payloadCount == 1 { return true }
    let kind: ObjectKind = isReference ? .references : .words
    return layout.kind(buffer) == kind.rawValue && mention(layout.field(number, 0), role, type: element)
  }

  private mutating func isMapNode(_ number: Int, _ shape: Shape, type: TypeID) -> Bool {
    let header = layout.header(number)
    guard header.kind == ObjectKind.mapNode.rawValue,
      (header.bits & Header.flagA != 0) == shapes.isReference(shape.first),
      (header.bits & Header.flagB != 0) == shapes.isReference(shape.second)
    else { return false }
    var sizes: [Int] = []
    for index in 2...3 {
      let part = layout.field(number, index)
      if part == .emptyMap {
        sizes.append(0)
        continue
      }
      guard let child = layout.number(part), layout.kind(child) == ObjectKind.mapNode.rawValue,
        layout.field(child, 4) <= UInt64(layout.starts.count), mention(part, .value, type: type)
      else { return false }
      sizes.append(Int(layout.field(child, 4)))
    }
    let (l, r) = (sizes[0] + 1, sizes[1] + 1)
    mapNodes.append((number, type))
    return layout.field(number, 4) == UInt64(l + r - 1) && (l + r <= 3 || (r <= 3 * l && l <= 3 * r))
      && isKey(layout.field(number, 0), shape.first) && isValue(layout.field(number, 1), shape.second)
  }

  private mutating func hasFields(_ number: Int, _ type: TypeID, tag: Int) -> Bool {
    guard tag < Int(shapes[type].constructorCount) else { return false }
    let constructor = shapes.constructor(type, tag)
    let count = Int(constructor.fieldCount)
    guard count > 0, layout.header(number).bits == constructor.header else { return false }
    if count > Header.widestMask {
      let references = (0..<count).map { shapes.isReference(shapes.fieldType(constructor, $0)) }
      guard hasMask(number, count, mask: ObjectHeader.wideMask(references: references)) else { return false }
    }
    return (0..<count).allSatisfy { isValue(layout.field(number, $0), shapes.fieldType(constructor, $0)) }
  }

  private func hasMask(_ number: Int, _ count: Int, mask: [UInt64]) -> Bool {
    mask.indices.allSatisfy { layout.field(number, count + $0) == mask[$0] }
  }

  // MARK: Functions

  /// The function that a word mentions.
  private func function(_ word: Word) -> ClosureInfo? {
    guard let number = layout.number(word), layout.header(number).fieldCount > 0,
      layout.field(number, 0) < UInt64(Int32.max), let info = closures[Int(layout.field(number, 0))],
      !info.isSuspended
    else { return nil }
    return info
  }

  private mutating func isClosure(_ number: Int, _ type: TypeID) -> Bool {
    guard let info = function(UInt64(number + 1) * 8), info.type == type else { return false }
    return isMade(number, info, words: 1)
  }

  /// Whether an object is what a function or a suspended computation is made as, behind its own words.
  private mutating func isMade(_ number: Int, _ info: ClosureInfo, words: Int) -> Bool {
    guard layout.header(number).bits == info.header,
      hasMask(number, words + info.captured.count, mask: info.wideMask)
    else { return false }
    for (place, captured) in info.captured.enumerated() {
      let word = layout.field(number, words + place)
      guard captured.isCell ? mention(word, .cell, type: captured.type) : isValue(word, captured.type) else {
        return false
      }
    }
    return true
  }

  private mutating func isCell(_ number: Int, _ type: TypeID) -> Bool {
    let header = layout.header(number)
    let isNarrow = header.kind == ObjectKind.fields.rawValue
    guard isNarrow || header.kind == ObjectKind.wideFields.rawValue, header.fieldCount >= 2, header.tag == 0 else {
      return false
    }
    if layout.isFaultCell(number) { return true }
    let code = layout.field(number, 0)
    if code == 0 {
      let isReference = isNarrow ? header.mask >> 1 & 1 : layout.field(number, header.fieldCount) >> 1 & 1
      // What it was computed from is forgotten.
      return (isReference != 0) == shapes.isReference(type) && isValue(layout.field(number, 1), type)
        && (2..<header.fieldCount).allSatisfy { layout.field(number, $0) == 0 }
    }
    guard code <= UInt64(Int32.max), let info = closures[Int(code) - 1], info.isSuspended, info.type == type else {
      return false
    }
    return layout.field(number, 1) == 0 && isMade(number, info, words: 2)
  }

  // MARK: Tasks

  private func hasHeader(_ number: Int, _ tag: Int, count: Int, mask: UInt64) -> Bool {
    layout.header(number).bits == Header.fields(tag: tag, count: count, mask: mask).bits
  }

  private func isError(_ number: Int) -> Bool {
    guard hasHeader(number, 0, count: 1, mask: 1), let text = layout.number(layout.field(number, 0)) else {
      return false
    }
    return layout.kind(text) == ObjectKind.string.rawValue
  }

  /// The kind of a task or source whose object has the header of that.
  private func kind(_ number: Int, _ result: TypeID) -> TaskKind? {
    let header = layout.header(number)
    guard header.kind == ObjectKind.fields.rawValue, let kind = TaskKind(rawValue: header.tag), header.fieldCount > 0
    else { return nil }
    let isReference: UInt64 = shapes.isReference(result) ? 1 : 0
    let mask: UInt64 =
      switch kind {
      case .succeed: isReference
      case .fail, .race, .all, .retry, .timeout, .lane: 0b01
      case .after: isReference << 1
      case .map, .andThen, .recover, .retryWith, .sourceMap, .sourceFilterMap, .reconnect, .standIn: 0b11
      case .host: header.mask & 0b10
      case .awaited: header.mask & 0b100
      }
    let count =
      switch kind {
      case .succeed, .fail, .race: 1
      case .after, .all, .map, .andThen, .recover, .retry, .retryWith, .timeout, .host, .lane, .sourceMap,
        .sourceFilterMap, .reconnect, .standIn:
        2
      case .awaited: mask == 0 ? 2 : 3
      }
    return hasHeader(number, kind.rawValue, count: count, mask: mask) ? kind : nil
  }

  private mutating func isHost(_ number: Int, _ result: TypeID, isSource: Bool) -> Bool {
    let key = layout.field(number, 0).int
    guard let host = hostTasks[key], host.result == result, host.isSource == isSource,
      (layout.header(number).mask != 0) == shapes.isReference(host.argument)
    else { return false }
    if host.number != key { renumbered.append((number, host.number)) }
    return isValue(layout.field(number, 1), host.argument)
  }

  private mutating func isSource(_ number: Int, _ item: TypeID) -> Bool {
    guard let kind = kind(number, item) else { return false }
    let (first, second) = (layout.field(number, 0), kind == .fail ? 0 : layout.field(number, 1))
    switch kind {
    case .fail: return mention(first, .error, type: .unit)
    case .host: return isHost(number, item, isSource: true)
    case .lane: return second <= 1 && lanes[item].map { isValue(first, $0) } ?? false
    case .standIn: return isSource(first, of: item) && isSource(second, of: item)
    case .sourceMap, .sourceFilterMap, .reconnect:
      guard let info = function(second), case .function(let parameters, let output) = shapes.types[info.type],
        parameters.count == 1, mention(second, .value, type: info.type)
      else { return false }
      if kind == .reconnect {
        return shapes[parameters[0]].kind == .int && isOptionOfFloat(output) && isSource(first, of: item)
      }
      let given = kind == .sourceMap ? output : optionContent(output)
      return given == item && isSource(first, of: parameters[0])
    case .succeed, .after, .all, .race, .map, .andThen, .recover, .retry, .retryWith, .timeout, .awaited: return false
    }
  }

  private func optionContent(_ type: TypeID) -> TypeID? {
    if case .variant(.option, let arguments) = shapes.types[type] { arguments.first } else { nil }
  }

  private mutating func isTask(_ number: Int, _ result: TypeID) -> Bool {
    guard let kind = kind(number, result) else { return false }
    let mask = layout.header(number).mask
    let first = layout.field(number, 0)
    switch kind {
    case .lane, .sourceMap, .sourceFilterMap, .reconnect: return false
    case .standIn: return isTask(first, of: result) && isTask(layout.field(number, 1), of: result)
    case .succeed: return isValue(first, result)
    case .fail: return mention(first, .error, type: .unit)
    case .after: return first.float.isFinite && isValue(layout.field(number, 1), result)
    case .race: return mention(first, .tasks, type: result)
    case .all:
      guard case .list(let element) = shapes.types[result] else { return false }
      return layout.field(number, 1) == (shapes.isReference(element) ? 1 : 0) && mention(first, .tasks, type: element)
    case .retry: return isTask(first, of: result)
    case .timeout: return layout.field(number, 1).float.isFinite && isTask(first, of: result)
    case .map, .andThen, .recover, .retryWith: return isContinued(number, kind, result: result)
    case .host: return isHost(number, result, isSource: false)
    case .awaited: return awaitedNodes[layout.field(number, 1)] == result && (mask == 0 || isCondition(number, result))
    }
  }

  /// Whether the third field is a function from what an event shows to Bool.
  private mutating func isCondition(_ number: Int, _ payload: TypeID) -> Bool {
    let word = layout.field(number, 2)
    guard let info = function(word), case .function(let parameters, .bool) = shapes.types[info.type],
      parameters == [payload]
    else { return false }
    return mention(word, .value, type: info.type)
  }

  /// A task and the function that goes on with what it gives.
  private mutating func isContinued(_ number: Int, _ kind: TaskKind, result: TypeID) -> Bool {
    let (first, second) = (layout.field(number, 0), layout.field(number, 1))
    guard let info = function(second), case .function(let parameters, let output) = shapes.types[info.type],
      parameters.count == 1, mention(second, .value, type: info.type),
      isTask(first, of: innerResult(number, kind, result: result))
    else { return false }
    switch kind {
    case .map: return output == result
    case .andThen: return shapes.types[output] == .task(result)
    case .recover: return shapes.types[output] == .task(result) && isError(type: parameters[0])
    default: return shapes[parameters[0]].kind == .int && isOptionOfFloat(output)
    }
  }

  private func isError(type: TypeID) -> Bool {
    shapes[type].kind == .product && shapes.constructor(type, 0).fieldCount == 1
      && shapes[shapes.fieldType(type, 0)].kind == .string
  }

  private func isOptionOfFloat(_ type: TypeID) -> Bool {
    shapes[type].kind == .variant && shapes[type].constructorCount == 2
      && shapes.constructor(type, 0).fieldCount == 0 && shapes.constructor(type, 1).fieldCount == 1
      && shapes[shapes.fieldType(type, tag: 1, 0)].kind == .float
  }

  /// What the first part of a task gives, of which the whole gives `result`.
  func innerResult(_ number: Int, _ kind: TaskKind, result: TypeID) -> TypeID {
    guard [.map, .andThen, .sourceMap, .sourceFilterMap].contains(kind), let info = function(layout.field(number, 1)),
      case .function(let parameters, _) = shapes.types[info.type], let first = parameters.first
    else { return result }
    return first
  }

  // MARK: Sharing

  /// The most words that all keys may have together, beside some for each word of the image.
  private static let mostKeyWords = 1 << 26

  /// Whether no data contains itself, and all keys can be gone through.
  private func keysAreBounded() -> Bool {
    var sizes = [Int](repeating: -1, count: layout.starts.count)
    for number in layout.starts.indices where isData[number] && sizes[number] < 0 {
      guard measure(number, &sizes) else { return false }
    }
    var total = 0
    for key in keys {
      guard let number = layout.number(key) else { continue }
      total += max(0, sizes[number])
      if total > ObjectCheck.mostKeyWords + 16 * layout.words.count { return false }
    }
    return true
  }

  /// The size of a value as if nothing in it were shared; false if it contains itself.
  private func measure(_ root: Int, _ sizes: inout [Int]) -> Bool {
    let (isOpen, most) = (-2, 1 << 40)
    var stack: [(number: Int, next: Int, size: Int)] = [(root, 0, 1)]
    sizes[root] = isOpen
    while let top = stack.last {
      var index = top.next
      var size = top.size
      let end = layout.header(top.number).payloadCount
      var descends = false
      while index < end {
        if isPart(top.number, index), let part = layout.number(layout.field(top.number, index)), isData[part] {
          if sizes[part] == isOpen { return false }
          if sizes[part] == -1 {
            sizes[part] = isOpen
            stack[stack.count - 1] = (top.number, index, size)
            stack.append((part, 0, 1))
            descends = true
            break
          }
          size = min(most, size + sizes[part])
        }
        index += 1
      }
      if descends { continue }
      sizes[top.number] = min(most, size + end)
      stack.removeLast()
    }
    return true
  }

  /// Whether a payload word of an object is a reference.
  private func isPart(_ number: Int, _ index: Int) -> Bool {
    let header = layout.header(number)
    switch header.kind {
    case ObjectKind.fields.rawValue: return header.mask >> UInt64(index) & 1 != 0
    case ObjectKind.wideFields.rawValue:
      let count = header.fieldCount
      return index < count && layout.field(number, count + index >> 6) >> UInt64(index & 63) & 1 != 0
    case ObjectKind.references.rawValue: return index > 0
    case ObjectKind.list.rawValue: return index == 0
    case ObjectKind.mapNode.rawValue:
      return index == 0 ? header.bits & Header.flagA != 0 : index == 1 ? header.bits & Header.flagB != 0 : index < 4
    default: return false
    }
  }
}
