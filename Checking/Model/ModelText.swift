// Values as JSON (section 9 of the language) and as source (section 5), by type.

import FRPBase
import FRPCore

extension TypeTable {
  /// A value as JSON, as outputs print it.
  func json(_ value: ModelValue, _ type: TypeID) -> String {
    switch (value, self[type]) {
    case (.unit, _): return "null"
    case (.bool(let x), _): return "\(x)"
    case (.int(let x), _): return "\(x)"
    case (.float(let x), _): return "\(x)"
    case (.string(let x), _): return ModelText.quoted(x)
    case (.list(let all), .list(let element)): return "[\(all.map { json($0, element) }.joined(separator: ","))]"
    case (.map(let all), .map(let key, let element)) where key == .string:
      return "{\(all.map { "\(json($0.key, key)):\(json($0.value, element))" }.joined(separator: ","))}"
    case (.map(let all), .map(let key, let element)):
      return "[\(all.map { "[\(json($0.key, key)),\(json($0.value, element))]" }.joined(separator: ","))]"
    case (.data(_, let all), .tuple(let types)):
      return "[\(zip(all, types).map { json($0, $1) }.joined(separator: ","))]"
    case (.data(_, let all), .record(let fields)):
      return "{\(zip(all, fields).map { "\(ModelText.quoted($1.name)):\(json($0, $1.type))" }.joined(separator: ","))}"
    case (.map(let all), .variant(.set, let element)):
      return "[\(all.map { json($0.key, element[0]) }.joined(separator: ","))]"
    case (.data(let tag, let all), .variant(.json, _)):
      return all.first.flatMap { part in constructors[type].map { json(part, $0[tag].fields[0]) } } ?? "null"
    case (.data(let tag, let all), .variant(let nominal, _)): return json(tag, all, type, nominal)
    default: return "\"<function>\""
    }
  }

  private func json(_ tag: Int, _ all: [ModelValue], _ type: TypeID, _ nominal: NominalID) -> String {
    guard let constructors = constructors[type], tag < constructors.count else { return "null" }
    let constructor = constructors[tag]
    if nominal == .option {
      if tag == 0 { return "null" }
      let inner = constructor.fields[0]
      return isNullable(inner) ? "{\"Some\":\(json(all[0], inner))}" : json(all[0], inner)
    }
    let name = ModelText.quoted(constructor.name)
    if all.isEmpty { return name }
    let parts = zip(all, constructor.fields).map { json($0, $1) }
    if let labels = constructor.labels {
      return "{\(name):{\(zip(labels, parts).map { "\(ModelText.quoted($0)):\($1)" }.joined(separator: ","))}}"
    }
    return parts.count == 1 ? "{\(name):\(parts[0])}" : "{\(name):[\(parts.joined(separator: ","))]}"
  }

  /// Whether a type's JSON may be `null`, so that an Option around it must say `Some`.
  func isNullable(_ type: TypeID) -> Bool {
    switch self[type] {
    case .unit, .variant(.option, _): return true
    default: return false
    }
  }

  /// A value as a program would write it.
  func source(_ value: ModelValue, _ type: TypeID) -> String {
    switch (value, self[type]) {
    case (.unit, _): return "()"
    case (.bool(let x), _): return "\(x)"
    case (.int(let x), _): return "\(x)"
    case (.float(let x), _): return "\(x)"
    case (.string(let x), _): return ModelText.literal(x)
    case (.list(let all), .list(let element)): return "[\(all.map { source($0, element) }.joined(separator: ", "))]"
    case (.map(let all), .map(let key, let element)):
      let pairs = all.map { "(\(source($0.key, key)), \(source($0.value, element)))" }
      return "Map.fromList([\(pairs.joined(separator: ", "))])"
    case (.map(let all), .variant(.set, let element)):
      return "Set.fromList([\(all.map { source($0.key, element[0]) }.joined(separator: ", "))])"
    case (.data(_, let all), .tuple(let types)):
      return "(\(zip(all, types).map { source($0, $1) }.joined(separator: ", ")))"
    case (.data(_, let all), .record(let fields)):
      return "{\(zip(all, fields).map { "\(fieldText($1.name)): \(source($0, $1.type))" }.joined(separator: ", "))}"
    case (.data(let tag, let all), .variant):
      guard let constructors = constructors[type], tag < constructors.count else { return "" }
      let constructor = constructors[tag]
      if all.isEmpty { return constructor.name }
      var parts = zip(all, constructor.fields).map { source($0, $1) }
      if let labels = constructor.labels { parts = zip(labels, parts).map { "\(fieldText($0)): \($1)" } }
      return "\(constructor.name)(\(parts.joined(separator: ", ")))"
    case (.task, _): return "<task>"
    default: return "<function>"
    }
  }

  /// The text of `"{x}"`: a String as itself, everything else as source.
  func shown(_ value: ModelValue, _ type: TypeID) -> String {
    if case .string(let text) = value { return text }
    return source(value, type)
  }
}

enum ModelText {
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A string literal of the language.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\", "{":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0": result += "\\0"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
