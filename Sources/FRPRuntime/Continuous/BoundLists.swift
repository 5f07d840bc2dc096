// Functions over lists, options and maps of what varies: where it is known which elements there are, as it is between
// instants, each is followed by itself.
//
// In: the operands, as far as they are understood. Out: what the function makes of them, or nil.

import FRPCore
import FRPGraph

extension BoundReader {
  /// One of `Prim.followable`.
  mutating func follow(_ prim: Prim, _ operands: [Value?], level: Int) -> Value? {
    guard let first = operands[0] else { return nil }
    switch prim {
    case .tupleFirst, .tupleSecond:
      guard let parts = parts(of: first)?.parts, parts.count == 2 else { return nil }
      return parts[prim == .tupleFirst ? 0 : 1]
    case .optionWithDefault, .optionMap, .optionIsSome, .optionIsNone:
      return option(prim, first, operands: operands, level: level)
    case .mapValues, .mapGet, .mapGetOr, .mapSize, .mapIsEmpty: return map(prim, first, operands: operands)
    default:
      guard let elements = elements(of: first) else { return nil }
      budget += BoundReader.mostOfElement * elements.count
      return list(prim, elements, operands: operands, level: level)
    }
  }

  // MARK: Options

  private static let some = 1

  private func optional(_ value: Value??) -> Value {
    value.map { .made(tag: BoundReader.some, [$0]) } ?? .made(tag: 0, [])
  }

  private mutating func option(_ prim: Prim, _ option: Value, operands: [Value?], level: Int) -> Value? {
    guard let (tag, parts) = parts(of: option) else { return nil }
    let content = tag == BoundReader.some ? parts.first : nil
    switch prim {
    case .optionIsSome: return .truth(content != nil)
    case .optionIsNone: return .truth(content == nil)
    case .optionWithDefault: return content ?? operands[1]
    default: return optional(content.map { inner in operands[1].flatMap { call($0, [inner], level: level) } })
    }
  }

  // MARK: Maps

  private func map(_ prim: Prim, _ map: Value, operands: [Value?]) -> Value? {
    guard case .map(let entries, let type) = map else { return nil }
    switch prim {
    case .mapValues: return .list(entries.map(\.value))
    case .mapSize: return .whole(entries.count)
    case .mapIsEmpty: return .truth(entries.isEmpty)
    default:
      guard let key = operands[1] else { return nil }
      var found: Value??
      for entry in entries {
        guard let isSame = isSame(entry.key, key, type: type) else { return nil }
        if isSame { found = .some(entry.value) }
      }
      return prim == .mapGet ? optional(found) : found ?? operands[2]
    }
  }

  private func isSame(_ key: Word, _ value: Value, type: TypeID) -> Bool? {
    switch value {
    case .constant(let x): key.float == x
    case .whole(let n): key.int == n
    case .truth(let holds): key.bool == holds
    case .text(let text): machine.heap.swiftString(key) == text
    case .object(let word, type): machine.heap.equal(key, word, type: type)
    default: nil
    }
  }

  // MARK: Lists

  /// A list display.
  mutating func list(_ items: [CoreExprID], _ spreads: [Bool], at site: Site, level: Int) -> Value? {
    var all: [Value?] = []
    for (item, isSpread) in zip(items, spreads) {
      let value = value(item, site, level: level + 1)
      if !isSpread {
        all.append(value)
      } else if let elements = value.flatMap({ elements(of: $0) }) {
        all += elements
      } else {
        return nil
      }
    }
    return .list(all)
  }

  private func elements(of value: Value) -> [Value?]? {
    switch value {
    case .list(let elements): return elements
    case .object(let list, let type):
      guard case .list(let element) = core.types[type], list.isObject else { return nil }
      return ListView(list).map { word($0, element) }
    default: return nil
    }
  }

  private mutating func list(_ prim: Prim, _ elements: [Value?], operands: [Value?], level: Int) -> Value? {
    switch prim {
    case .listSize: return .whole(elements.count)
    case .listIsEmpty: return .truth(elements.isEmpty)
    case .listHead: return optional(elements.first)
    case .listLast: return optional(elements.last)
    case .listTail: return .list(Array(elements.dropFirst()))
    case .listReverse: return .list(elements.reversed())
    case .listIndexed: return .list(elements.enumerated().map { .made(tag: 0, [.whole($0.offset), $0.element]) })
    case .listGet:
      guard case .whole(let index)? = operands[1] else { return nil }
      return optional(elements.indices.contains(index) ? .some(elements[index]) : nil)
    case .append, .listZip:
      guard let others = operands[1].flatMap({ self.elements(of: $0) }) else { return nil }
      return .list(prim == .append ? elements + others : zip(elements, others).map { .made(tag: 0, [$0, $1]) })
    case .listMap: return operands[1].map { function in .list(elements.map { call(function, [$0], level: level) }) }
    case .listFold:
      guard let function = operands[2] else { return nil }
      return elements.reduce(operands[1]) { call(function, [$0, $1], level: level) }
    default: return summary(prim, elements, operands: operands, level: level)
    }
  }

  /// One value of all elements.
  private mutating func summary(_ prim: Prim, _ elements: [Value?], operands: [Value?], level: Int) -> Value? {
    switch prim {
    case .listSum: return all(.add, elements, from: .whole(0))
    case .listProduct: return all(.multiply, elements, from: .whole(1))
    case .listMinimum, .listMaximum:
      let isLeast = prim == .listMinimum
      if elements.isEmpty { return optional(nil) }
      return all(isLeast ? .min : .max, Array(elements.dropFirst()), from: elements[0]).map { optional($0) }
    case .listAverage:
      if elements.isEmpty { return optional(nil) }
      guard let sum = all(.add, elements, from: .constant(0)) else { return nil }
      return combine(.divide, sum, .constant(Double(elements.count))).map { optional($0) }
    case .listAny, .listAll, .listCount:
      guard let function = operands[1] else { return nil }
      let tests = elements.map { call(function, [$0], level: level) }
      if prim == .listAny { return all(.or, tests, from: .truth(false)) }
      if prim == .listAll { return all(.and, tests, from: .truth(true)) }
      return all(.add, tests.map { $0.flatMap { count($0) } }, from: .whole(0))
    default: return nil
    }
  }

  private mutating func count(_ test: Value) -> Value? {
    switch test {
    case .truth(let holds): .whole(holds ? 1 : 0)
    case .open(let choice): choose(choice, .whole(1), .whole(0))
    default: nil
    }
  }

  private mutating func all(_ prim: Prim, _ elements: [Value?], from start: Value?) -> Value? {
    elements.reduce(start) { result, element in
      guard let result, let element else { return nil }
      // The first of a sum is taken as it is: an empty sum of Floats is 0 as well.
      if case .whole(0) = result, prim == .add { return element }
      if case .whole(1) = result, prim == .multiply { return element }
      return combine(prim, result, element)
    }
  }
}
