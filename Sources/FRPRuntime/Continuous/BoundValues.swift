// What is known of values where bounds are made: their parts, one of two of them, and functions of numbers.
//
// In: values of BoundReader.swift. Out: others, or nil where nothing is known.

import FRPCore
import FRPGraph

extension BoundReader {
  /// One of two, while it is open which.
  mutating func choose(_ test: Int32, _ a: Value, _ b: Value) -> Value? {
    if let x = truth(a), let y = truth(b) { return append(.choose(test, x, y)).map { .open($0) } }
    if let x = number(a), let y = number(b) { return append(.choose(test, x, y)).map { .number($0) } }
    if case .list(let one) = a, case .list(let other) = b, one.count == other.count {
      return .list(zip(one, other).map { both(test, $0, $1) })
    }
    guard let (tag, one) = parts(of: a), let (otherTag, other) = parts(of: b), tag == otherTag,
      one.count == other.count
    else { return nil }
    return .made(tag: tag, zip(one, other).map { both(test, $0, $1) })
  }

  private mutating func both(_ test: Int32, _ a: Value?, _ b: Value?) -> Value? {
    guard let a, let b else { return nil }
    return choose(test, a, b)
  }

  // MARK: Structure

  /// The tag and the parts of a variant, record or tuple.
  func parts(of value: Value) -> (tag: Int, parts: [Value?])? {
    switch value {
    case .made(let tag, let parts): return (tag, parts)
    case .object(let object, let type):
      guard let tag = tag(of: value) else { return nil }
      let shape = machine.heap.shapes.constructor(type, tag)
      if !object.isObject { return (tag, []) }
      return (
        tag,
        (0..<Int(shape.fieldCount)).map { word(object.field($0), machine.heap.shapes.fieldType(shape, $0)) }
      )
    default: return nil
    }
  }

  func tag(of value: Value) -> Int? {
    switch value {
    case .made(let tag, _): return tag
    case .object(let word, let type):
      switch core.types[type] {
      case .variant: return word == 0 ? nil : word.tag
      case .record, .tuple: return 0
      default: return nil
      }
    default: return nil
    }
  }

  // MARK: Numbers

  /// A function of numbers or truths.
  mutating func combine(_ prim: Prim, _ a: Value, _ b: Value, _ c: Value? = nil) -> Value? {
    if let constant = BoundReader.constant(prim, a, b) ?? same(prim, a, b) { return constant }
    if let x = truth(a) {
      guard prim == .and || prim == .or || prim == .not || prim == .equal || prim == .notEqual, let y = truth(b) else {
        return nil
      }
      return append(.prim(prim, x, y, x)).map { .open($0) }
    }
    guard let x = number(a), let y = number(b), let z = number(c ?? a), let result = append(.prim(prim, x, y, z)) else {
      return nil
    }
    switch prim {
    case .less, .lessEqual, .greater, .greaterEqual, .equal, .notEqual: return .open(result)
    default: return .number(result)
    }
  }

  /// Whether two steps of any type are equal.
  private func same(_ prim: Prim, _ a: Value, _ b: Value) -> Value? {
    guard prim == .equal || prim == .notEqual else { return nil }
    let isSame: Bool
    switch (a, b) {
    case (.text(let x), .text(let y)): isSame = x == y
    case (.text(let text), .object(let word, _)), (.object(let word, _), .text(let text)):
      isSame = machine.heap.swiftString(word) == text
    case (.object(let x, let type), .object(let y, _)): isSame = machine.heap.equal(x, y, type: type)
    default: return nil
    }
    return .truth(isSame == (prim == .equal))
  }

  /// Of steps, as the machine would compute it; nil where that takes more than a line.
  private static func constant(_ prim: Prim, _ a: Value, _ b: Value) -> Value? {
    switch (a, b) {
    case (.constant(let x), .constant(let y)):
      switch prim {
      case .add: return .constant(x + y)
      case .subtract: return .constant(x - y)
      case .multiply: return .constant(x * y)
      case .negate: return .constant(-x)
      case .divide: return y == 0 ? nil : .constant(x / y)
      default: return prim.compares(x, y).map { .truth($0) }
      }
    case (.whole(let x), .whole(let y)):
      switch prim {
      case .add: return .whole(x &+ y)
      case .subtract: return .whole(x &- y)
      case .toFloat: return .constant(Double(x))
      default: return prim.compares(x, y).map { .truth($0) }
      }
    case (.truth(let x), .truth(let y)):
      switch prim {
      case .not: return .truth(!x)
      case .equal: return .truth(x == y)
      case .notEqual: return .truth(x != y)
      default: return nil
      }
    default: return nil
    }
  }
}
