// JSON: a parser of its own (the model shares nothing with the engine), values by type, and traces.
//
// A trace is a text of JSON lines `{"at": seconds, name: value, …}`. The model takes well-formed traces only: what a
// person may get wrong in one is the business of the command line.

import FRPCore

/// A JSON text, taken apart.
package enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number as it was written.
  case number(String)
  case string(String)
  case array([JSON])
  /// In the order of the text.
  case object([Member])

  package struct Member: Sendable, Equatable {
    package var name: String
    package var value: JSON
  }

  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package init?(_ text: some StringProtocol) {
    var parser = JSONParser(Array(text.unicodeScalars))
    guard let value = parser.value(depth: 0) else { return nil }
    parser.space()
    guard parser.place == parser.scalars.count else { return nil }
    self = value
  }

  /// Whether two texts say the same, numbers to within `tolerance` (relative and absolute); an Int and a Float differ.
  package func isNear(_ other: JSON, tolerance: Double = 1e-6) -> Bool {
    switch (self, other) {
    case (.number(let a), .number(let b)):
      if a == b { return true }
      guard let x = Double(a), let y = Double(b), isFloat(a) == isFloat(b) else { return false }
      if tolerance == 0 || !isFloat(a) { return x == y }
      return (x - y).magnitude <= tolerance * max(1, x.magnitude, y.magnitude)
    case (.array(let a), .array(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { $0.isNear($1, tolerance: tolerance) }
    case (.object(let a), .object(let b)):
      return a.count == b.count
        && a.allSatisfy { member in
          b.first { $0.name == member.name }?.value.isNear(member.value, tolerance: tolerance) ?? false
        }
    default: return self == other
    }
  }

  private func isFloat(_ text: String) -> Bool { text.contains { ".eE".contains($0) } }
}

struct JSONParser {
  let scalars: [Unicode.Scalar]
  var place = 0

  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  mutating func space() {
    while let c = next, c == " " || c == "\n" || c == "\t" || c == "\r" { place += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    space()
    guard next == scalar else { return false }
    place += 1
    return true
  }

  private mutating func word(_ text: String, _ value: JSON) -> JSON? {
    for scalar in text.unicodeScalars {
      guard next == scalar else { return nil }
      place += 1
    }
    return value
  }

  mutating func value(depth: Int) -> JSON? {
    if depth > 200 { return nil }
    space()
    switch next {
    case "n": return word("null", .null)
    case "t": return word("true", .bool(true))
    case "f": return word("false", .bool(false))
    case "\"": return string().map(JSON.string)
    case "[":
      place += 1
      var items: [JSON] = []
      if take("]") { return .array(items) }
      repeat {
        guard let item = value(depth: depth + 1) else { return nil }
        items.append(item)
      } while take(",")
      return take("]") ? .array(items) : nil
    case "{":
      place += 1
      var members: [JSON.Member] = []
      if take("}") { return .object(members) }
      repeat {
        space()
        guard let name = string(), take(":"), let item = value(depth: depth + 1) else { return nil }
        members.append(JSON.Member(name: name, value: item))
      } while take(",")
      return take("}") ? .object(members) : nil
    default: return number()
    }
  }

  private mutating func number() -> JSON? {
    var text = ""
    while let c = next, "+-.eE0123456789".unicodeScalars.contains(c) {
      text.unicodeScalars.append(c)
      place += 1
    }
    return JSONParser.isNumber(text) ? .number(text) : nil
  }

  /// RFC 8259: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
  private static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text)
    func digits() -> Substring {
      let digits = rest.prefix(while: \.isNumber)
      rest = rest.dropFirst(digits.count)
      return digits
    }
    if rest.first == "-" { rest.removeFirst() }
    let whole = digits()
    if whole.isEmpty || whole.count > 1 && whole.first == "0" { return false }
    if rest.first == "." {
      rest.removeFirst()
      if digits().isEmpty { return false }
    }
    if rest.first == "e" || rest.first == "E" {
      rest.removeFirst()
      if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
      if digits().isEmpty { return false }
    }
    return rest.isEmpty
  }

  private mutating func string() -> String? {
    guard next == "\"" else { return nil }
    place += 1
    var units: [UInt16] = []
    while let c = next {
      place += 1
      if c == "\"" { return String(decoding: units, as: UTF16.self) }
      guard c == "\\" else {
        units += Array(String(c).utf16)
        continue
      }
      guard let escaped = next else { return nil }
      place += 1
      switch escaped {
      case "n": units.append(10)
      case "r": units.append(13)
      case "t": units.append(9)
      case "b": units.append(8)
      case "f": units.append(12)
      case "u":
        guard place + 4 <= scalars.count else { return nil }
        let digits = String(String.UnicodeScalarView(scalars[place..<place + 4]))
        guard let unit = UInt16(digits, radix: 16) else { return nil }
        place += 4
        units.append(unit)
      default: units += Array(String(escaped).utf16)
      }
    }
    return nil
  }
}

extension TypeTable {
  /// The value a JSON text holds; nil where it does not fit the type.
  func value(_ json: JSON, _ type: TypeID) -> ModelValue? {
    switch (self[type], json) {
    case (.unit, .null): return .unit
    case (.bool, .bool(let x)): return .bool(x)
    case (.int, .number(let text)): return Int(text).map(ModelValue.int)
    case (.float, .number(let text)): return Double(text).map(ModelValue.float)
    case (.string, .string(let x)): return .string(x)
    case (.list(let element), .array(let all)): return values(all, all.map { _ in element }).map(ModelValue.list)
    case (.tuple(let types), .array(let all)) where all.count == types.count:
      return values(all, types).map { .data(0, $0) }
    case (.map(let key, let element), .object(let members)) where key == .string:
      guard let all = values(members.map(\.value), members.map { _ in element }) else { return nil }
      return .map(of: zip(members, all).map { ModelEntry(key: .string($0.name), value: $1) })
    case (.map(let key, let element), .array(let all)):
      var entries: [ModelEntry] = []
      for case .array(let pair) in all {
        guard pair.count == 2, let parts = values(pair, [key, element]) else { return nil }
        entries.append(ModelEntry(key: parts[0], value: parts[1]))
      }
      return entries.count == all.count ? .map(of: entries) : nil
    case (.record(let fields), .object):
      return record(json, fields.map(\.name), fields.map(\.type)).map { .data(0, $0) }
    case (.variant(.option, let inner), _): return optional(json, inner[0])
    case (.variant(.set, let element), .array(let all)):
      return values(all, all.map { _ in element[0] }).map { .set(of: $0) }
    case (.variant(.json, _), _): return anything(json, type)
    case (.variant, _): return variant(json, type)
    default: return nil
    }
  }

  /// JSON as Json: a number is an Int where it is written as one and fits.
  private func anything(_ json: JSON, _ type: TypeID) -> ModelValue? {
    func made(_ place: JsonCase) -> ModelValue? {
      constructors[type]?[place.rawValue].fields.first.flatMap { value(json, $0) }.map { .data(place.rawValue, [$0]) }
    }
    switch json {
    case .null: return .data(JsonCase.null.rawValue, [])
    case .bool: return made(.bool)
    case .number(let text):
      return text.contains { ".eE".contains($0) } || Int(text) == nil ? made(.float) : made(.int)
    case .string: return made(.string)
    case .array: return made(.list)
    case .object: return made(.object)
    }
  }

  private func values(_ all: [JSON], _ types: [TypeID]) -> [ModelValue]? {
    var result: [ModelValue] = []
    for (json, type) in zip(all, types) {
      guard let value = value(json, type) else { return nil }
      result.append(value)
    }
    return result
  }

  private func record(_ json: JSON, _ names: [String], _ types: [TypeID]) -> [ModelValue]? {
    var result: [ModelValue] = []
    for (name, type) in zip(names, types) {
      if let part = json[name] {
        guard let value = value(part, type) else { return nil }
        result.append(value)
      } else if case .variant(.option, _) = self[type] {
        result.append(.none)
      } else {
        return nil
      }
    }
    return result
  }

  private func optional(_ json: JSON, _ inner: TypeID) -> ModelValue? {
    if json == .null { return ModelValue.none }
    if !isNullable(inner) { return value(json, inner).map(ModelValue.some) }
    return json["Some"].flatMap { value($0, inner) }.map(ModelValue.some)
  }

  private func variant(_ json: JSON, _ type: TypeID) -> ModelValue? {
    guard let all = constructors[type] else { return nil }
    if case .string(let name) = json {
      return all.firstIndex { $0.name == name && $0.fields.isEmpty }.map { .data($0, []) }
    }
    guard case .object(let members) = json, let member = members.first,
      let tag = all.firstIndex(where: { $0.name == member.name })
    else { return nil }
    let fields = all[tag].fields
    if let labels = all[tag].labels { return record(member.value, labels, fields).map { .data(tag, $0) } }
    if fields.count == 1 { return value(member.value, fields[0]).map { .data(tag, [$0]) } }
    guard case .array(let parts) = member.value, parts.count == fields.count else { return nil }
    return values(parts, fields).map { .data(tag, $0) }
  }
}

extension JSON {
  /// A string as JSON.
  package static func quoted(_ text: String) -> String { ModelText.quoted(text) }
}
