// Swift types that cross the border by conformance.
//
// Int, Double, Bool, String, FrpUnit, arrays, optionals, dictionaries and `Result`s do; structs and enums do with three lines,
// or inside `Coded` if they are Codable.

import FRPCore
import FRPRuntime

/// A Swift type with a counterpart in the language.
///
///     struct Point: FrpConvertible {
///       var x, y: Double
///       static var frpType: FrpType { .record(["x": .number, "y": .number]) }
///       var frpValue: FrpValue { .record(["x": .number(x), "y": .number(y)]) }
///       init(frpValue: FrpValue) throws(ConversionFailure) {
///         x = try frpValue.field("x")
///         y = try frpValue.field("y")
///       }
///     }
public protocol FrpConvertible: Sendable {
  /// Its counterpart: looked at once, when a handle is made.
  static var frpType: FrpType { get }
  /// Throws where the value is of another shape.
  init(frpValue: FrpValue) throws(ConversionFailure)
  /// The value as the language has it.
  var frpValue: FrpValue { get }

  /// The way past `FrpValue` of types that are one word of the machine; others need not know of it.
  func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64
  /// The way back.
  static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure)
    -> Self
}

extension FrpConvertible {
  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    try bridge.word(frpValue, type.id)
  }

  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> Self
  {
    try Self(frpValue: try bridge.value(word, type.id))
  }
}

extension FrpValue {
  /// A field of a record, as a Swift type.
  public func field<Value: FrpConvertible>(_ name: String, as type: Value.Type = Value.self) throws(ConversionFailure)
    -> Value
  {
    guard case .record(let fields) = self else { throw mismatch("a record") }
    guard let value = fields[name] else {
      throw ConversionFailure(path: ".\(name)", expected: Value.frpType.text, found: "no such field")
    }
    do throws(ConversionFailure) { return try Value(frpValue: value) } catch { throw error.inside(".\(name)") }
  }

  /// An element of a tuple or list, as a Swift type.
  public func element<Value: FrpConvertible>(_ index: Int, as type: Value.Type = Value.self) throws(ConversionFailure)
    -> Value
  {
    guard case .list(let list) = self else { throw mismatch("a list") }
    guard list.indices.contains(index) else {
      throw ConversionFailure(path: "[\(index)]", expected: Value.frpType.text, found: "\(list.count) elements")
    }
    do throws(ConversionFailure) { return try Value(frpValue: list[index]) } catch { throw error.inside("[\(index)]") }
  }

  func mismatch(_ expected: String) -> ConversionFailure { ConversionFailure(expected: expected, found: kind) }
}

/// The one value of `Unit`, written `()` in the language.
public struct FrpUnit: FrpConvertible, Hashable {
  /// The value.
  public init() {}
  public static var frpType: FrpType { .unit }
  public var frpValue: FrpValue { .unit }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    guard case .unit = frpValue else { throw frpValue.mismatch("()") }
  }
}

extension FrpValue: FrpConvertible {
  public static var frpType: FrpType { .any }
  public var frpValue: FrpValue { self }
  public init(frpValue: FrpValue) throws(ConversionFailure) { self = frpValue }
}

extension Int: FrpConvertible {
  public static var frpType: FrpType { .integer }
  public var frpValue: FrpValue { .integer(self) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    guard case .integer(let value) = frpValue else { throw frpValue.mismatch("Int") }
    self = value
  }
  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    UInt64(bitPattern: Int64(self))
  }
  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> Int
  {
    Int(Int64(bitPattern: word))
  }
}

extension Double: FrpConvertible {
  public static var frpType: FrpType { .number }
  public var frpValue: FrpValue { .number(self) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    switch frpValue {
    case .number(let value): self = value
    case .integer(let value): self = Double(value)
    default: throw frpValue.mismatch("Float")
    }
  }
  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    if !isFinite { throw ConversionFailure(expected: "Float", found: "\(self)") }
    return bitPattern
  }
  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> Double
  {
    Double(bitPattern: word)
  }
}

extension Bool: FrpConvertible {
  public static var frpType: FrpType { .bool }
  public var frpValue: FrpValue { .bool(self) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    guard case .bool(let value) = frpValue else { throw frpValue.mismatch("Bool") }
    self = value
  }
  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    self ? 1 : 0
  }
  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> Bool
  {
    word & 1 != 0
  }
}

extension String: FrpConvertible {
  public static var frpType: FrpType { .text }
  public var frpValue: FrpValue { .text(self) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    guard case .text(let value) = frpValue else { throw frpValue.mismatch("String") }
    self = value
  }
}

extension Array: FrpConvertible where Element: FrpConvertible {
  public static var frpType: FrpType { .list(Element.frpType) }
  public var frpValue: FrpValue { .list(map(\.frpValue)) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    guard case .list(let list) = frpValue else { throw frpValue.mismatch(Self.frpType.text) }
    self = []
    reserveCapacity(list.count)
    for index in list.indices { append(try frpValue.element(index)) }
  }

  public func _word(_ bridge: ValueBridge, _ type: ValueBridge.ValueType) throws(ConversionFailure) -> UInt64 {
    guard let element = bridge.element(of: type) else { return try bridge.word(frpValue, type.id) }
    var words: [UInt64] = []
    words.reserveCapacity(count)
    for (index, item) in enumerated() {
      do throws(ConversionFailure) {
        words.append(try item._word(bridge, element))
      } catch { throw error.inside("[\(index)]") }
    }
    return try bridge.list(of: words, element.id)
  }

  public static func _value(_ word: UInt64, _ bridge: ValueBridge, _ type: ValueBridge.ValueType)
    throws(ConversionFailure) -> [Element]
  {
    guard let element = bridge.element(of: type) else { return try Self(frpValue: try bridge.value(word, type.id)) }
    var list: [Element] = []
    for (index, item) in ListView(word).enumerated() {
      do throws(ConversionFailure) {
        list.append(try Element._value(item, bridge, element))
      } catch { throw error.inside("[\(index)]") }
    }
    return list
  }
}

extension Optional: FrpConvertible where Wrapped: FrpConvertible {
  public static var frpType: FrpType { .option(Wrapped.frpType) }
  public var frpValue: FrpValue { map { .tagged("Some", [$0.frpValue]) } ?? .tagged("None", []) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    switch frpValue {
    case .tagged("None", _): self = nil
    case .tagged("Some", let fields) where fields.count == 1: self = try Wrapped(frpValue: fields[0])
    default: throw frpValue.mismatch(Self.frpType.text)
    }
  }
}

extension Dictionary: FrpConvertible where Key: FrpConvertible, Value: FrpConvertible {
  public static var frpType: FrpType { .map(Key.frpType, Value.frpType) }
  public var frpValue: FrpValue { .map(map { FrpValue.Entry($0.key.frpValue, $0.value.frpValue) }) }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    guard case .map(let entries) = frpValue else { throw frpValue.mismatch(Self.frpType.text) }
    self = [:]
    for entry in entries { self[try Key(frpValue: entry.key)] = try Value(frpValue: entry.value) }
  }
}

/// An `Error` of the language: the record `{message: String}`.
public struct FrpError: Error, FrpConvertible, Hashable, CustomStringConvertible {
  /// What went wrong, in words.
  public var message: String
  /// An error with words.
  public init(_ message: String) { self.message = message }
  /// The same words.
  public var description: String { message }
  public static var frpType: FrpType { .record(["message": .text]) }
  public var frpValue: FrpValue { .record(["message": .text(message)]) }
  public init(frpValue: FrpValue) throws(ConversionFailure) { message = try frpValue.field("message") }
}

extension Result: FrpConvertible where Success: FrpConvertible, Failure: FrpConvertible {
  public static var frpType: FrpType { .result(Success.frpType, Failure.frpType) }
  public var frpValue: FrpValue {
    switch self {
    case .success(let value): .tagged("Ok", [value.frpValue])
    case .failure(let error): .tagged("Err", [error.frpValue])
    }
  }
  public init(frpValue: FrpValue) throws(ConversionFailure) {
    switch frpValue {
    case .tagged("Ok", let fields) where fields.count == 1: self = .success(try Success(frpValue: fields[0]))
    case .tagged("Err", let fields) where fields.count == 1: self = .failure(try Failure(frpValue: fields[0]))
    default: throw frpValue.mismatch(Self.frpType.text)
    }
  }
}
