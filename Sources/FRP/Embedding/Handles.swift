// Ports by name and Swift type, looked up and checked once.
//
// In:  a program, a name, a Swift type. Out: a handle: a place and a type, Sendable, good for every simulation of the
// program. A simulation that runs another program (after `replaceProgram`) looks a handle up again by its name.

import FRPBase
import FRPCore
import FRPGraph

/// Why there is no handle.
public enum BindingFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// A program with errors has no ports: see `Program.diagnostics`.
  case programHasErrors
  /// There is no such port; `near` is one that may be meant.
  case unknownPort(name: String, near: String?)
  /// A behavior was asked for and the port is an event, or the other way round.
  case otherKind(name: String, isEvent: Bool)
  /// The port's type is not what the Swift type is in the language.
  case otherType(name: String, path: String, expected: String, found: String)

  static let missing = "no such field"

  /// The same in words.
  public var description: String { message }

  /// The same in words, without a full stop.
  public var message: String {
    switch self {
    case .programHasErrors: return "the program has errors"
    case .unknownPort(let name, let near):
      return near.map { "there is no port `\(name)`, did you mean `\($0)`?" } ?? "there is no port `\(name)`"
    case .otherKind(let name, let isEvent): return isEvent ? "`\(name)` is an event" : "`\(name)` is a behavior"
    case .otherType(let name, let path, let expected, let found):
      let place = path.isEmpty ? "" : " at \(path)"
      if expected == BindingFailure.missing {
        return "`\(name)`\(place) is \(found), and the Swift type has no such field"
      }
      return "`\(name)`\(place) is \(found), not \(expected)"
    }
  }
}

/// Where a port is in one program.
struct PortHandle: Sendable, Hashable {
  var name: String
  var index: Int
  var type: ValueBridge.ValueType
  var program: UInt64
}

/// An input event that takes Swift values of one type.
public struct EventInput<Value: FrpConvertible>: Sendable, Hashable {
  let port: PortHandle
  /// As the program calls it.
  public var name: String { port.name }
}

/// An input behavior that takes Swift values of one type.
public struct BehaviorInput<Value: FrpConvertible>: Sendable, Hashable {
  let port: PortHandle
  /// As the program calls it.
  public var name: String { port.name }
}

/// A value on its way to an input: what `send(together:)` takes. Nothing happens before that.
public struct SentValue: Sendable {
  let port: PortHandle
  let isEvent: Bool
  let type: FrpType
  let word: @Sendable (ValueBridge, ValueBridge.ValueType) throws(ConversionFailure) -> UInt64

  init<Value: FrpConvertible>(_ value: Value, _ port: PortHandle, isEvent: Bool) {
    self.port = port
    self.isEvent = isEvent
    type = Value.frpType
    word = { (bridge, type) throws(ConversionFailure) in try value._word(bridge, type) }
  }
}

extension EventInput {
  /// An occurrence, to be sent together with others.
  public func sending(_ value: Value) -> SentValue { SentValue(value, port, isEvent: true) }
}

extension BehaviorInput {
  /// A new value, to be sent together with others.
  public func setting(to value: Value) -> SentValue { SentValue(value, port, isEvent: false) }
}

/// An output event whose occurrences are Swift values of one type.
public struct EventOutput<Value: FrpConvertible>: Sendable, Hashable {
  let port: PortHandle
  /// As the program calls it.
  public var name: String { port.name }
}

/// An output behavior whose values are Swift values of one type.
public struct BehaviorOutput<Value: FrpConvertible>: Sendable, Hashable {
  let port: PortHandle
  /// As the program calls it.
  public var name: String { port.name }
}

extension Program {
  /// An input event. Throws `BindingFailure` if there is none of this name and type.
  public func eventInput<Value: FrpConvertible>(_ name: String, of type: Value.Type = Value.self)
    throws(BindingFailure) -> EventInput<Value>
  {
    EventInput(port: try bind(name, inputPorts, isEvent: true, isSent: true, Value.frpType))
  }

  /// An input behavior. Throws `BindingFailure` if there is none of this name and type.
  public func behaviorInput<Value: FrpConvertible>(_ name: String, of type: Value.Type = Value.self)
    throws(BindingFailure) -> BehaviorInput<Value>
  {
    BehaviorInput(port: try bind(name, inputPorts, isEvent: false, isSent: true, Value.frpType))
  }

  /// An output event. Throws `BindingFailure` if there is none of this name and type.
  public func events<Value: FrpConvertible>(_ name: String, of type: Value.Type = Value.self)
    throws(BindingFailure) -> EventOutput<Value>
  {
    EventOutput(port: try bind(name, outputPorts, isEvent: true, isSent: false, Value.frpType))
  }

  /// An output behavior. Throws `BindingFailure` if there is none of this name and type.
  public func behavior<Value: FrpConvertible>(_ name: String, of type: Value.Type = Value.self)
    throws(BindingFailure) -> BehaviorOutput<Value>
  {
    BehaviorOutput(port: try bind(name, outputPorts, isEvent: false, isSent: false, Value.frpType))
  }

  private var inputPorts: [(name: String, type: TypeID, isEvent: Bool)] {
    plan?.inputs.map { ($0.name, $0.type, $0.isEvent) } ?? []
  }

  private var outputPorts: [(name: String, type: TypeID, isEvent: Bool)] {
    plan?.outputs.map { ($0.name, $0.type, $0.isEvent) } ?? []
  }

  private func bind(
    _ name: String, _ ports: [(name: String, type: TypeID, isEvent: Bool)], isEvent: Bool, isSent: Bool,
    _ type: FrpType
  ) throws(BindingFailure) -> PortHandle {
    guard let plan else { throw .programHasErrors }
    guard let index = ports.firstIndex(where: { $0.name == name }) else {
      throw .unknownPort(name: name, near: nearestNames(name, among: ports.map(\.name)).first)
    }
    if ports[index].isEvent != isEvent { throw .otherKind(name: name, isEvent: ports[index].isEvent) }
    if let difference = type.difference(plan.core.types, ports[index].type, isSent: isSent) {
      throw .otherType(name: name, path: difference.path, expected: difference.expected, found: difference.found)
    }
    return PortHandle(name: name, index: index, type: ValueBridge.ValueType(id: ports[index].type), program: id)
  }
}

extension FrpType {
  /// The first place at which a type of a program is another; nil if there is none. A record that is sent must have all
  /// fields of the program's, one that is read may leave some out; what is an Option may be missing.
  func difference(_ types: TypeTable, _ id: TypeID, isSent: Bool) -> ConversionFailure? {
    Comparison(types: types, isSent: isSent).difference(self, id, "")
  }
}

/// Compares the types of Swift with those of one program.
private struct Comparison {
  let types: TypeTable
  let isSent: Bool

  func difference(_ wanted: FrpType, _ id: TypeID, _ path: String) -> ConversionFailure? {
    switch (wanted, types[id]) {
    case (.unit, .unit), (.bool, .bool), (.integer, .int), (.number, .float), (.text, .string): return nil
    case (.list(let element), .list(let found)): return difference(element, found, path + "[]")
    case (.map(let key, let value), .map(let foundKey, let foundValue)):
      return difference(key, foundKey, path + ".key") ?? difference(value, foundValue, path + ".value")
    case (.tuple(let elements), .tuple(let found)) where elements.count == found.count:
      for (index, element) in elements.enumerated() {
        if let difference = difference(element, found[index], "\(path)[\(index)]") { return difference }
      }
      return nil
    case (.record(let fields), .record(let found)): return records(fields, found, isWhole: true, path)
    case (.partial(let fields), .record(let found)): return records(fields, found, isWhole: false, path)
    case (.option(let value), .variant(.option, let arguments)) where arguments.count == 1:
      return difference(value, arguments[0], path + "?")
    case (.result(let value, let error), .variant(.result, let arguments)) where arguments.count == 2:
      return difference(value, arguments[0], path + ".Ok") ?? difference(error, arguments[1], path + ".Err")
    case (.any, .function), (.any, .task), (.any, .source), (.any, .event), (.coded, .function), (.coded, .task),
      (.coded, .source), (.coded, .event):
      break
    case (.coded(let cases), .variant(let nominal, _)) where nominal != .option && nominal != .result:
      return cases.difference(types, id, isSent: isSent, path)
    case (.any, _), (.coded, .variant): return nil
    case (.coded(let cases), _): return cases.differenceToData(types, id, path)
    default: break
    }
    return ConversionFailure(path: path, expected: wanted.text, found: types.describe(id))
  }

  private func records(_ fields: [String: FrpType], _ found: [FieldType], isWhole: Bool, _ path: String)
    -> ConversionFailure?
  {
    for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
      let place = "\(path).\(name)"
      guard let match = found.first(where: { $0.name == name }) else {
        if case .option = field { continue }
        return ConversionFailure(path: place, expected: field.text, found: "no such field")
      }
      if let difference = difference(field, match.type, place) { return difference }
    }
    guard isSent, isWhole else { return nil }
    for field in found where fields[field.name] == nil {
      if case .variant(.option, _) = types[field.type] { continue }
      return ConversionFailure(
        path: "\(path).\(field.name)", expected: BindingFailure.missing, found: types.describe(field.type))
    }
    return nil
  }
}
