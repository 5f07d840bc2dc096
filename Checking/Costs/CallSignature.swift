// Calls of built-ins with arguments of any size, made from the signatures of their table.

/// A type as the table writes it.
struct TypeText {
  /// `List`, `Int`, a variable, `->` with the result last, `()` with the parts of a tuple.
  var name: String
  var parts: [TypeText] = []
}

/// A signature of the table, and a call of it with arguments of size `n`.
struct CallSignature {
  var parameters: [TypeText] = []
  var result = TypeText(name: "()")
  private var text: Substring

  init(_ signature: String) {
    text = (signature.split(separator: " => ").last ?? "")[...]
    let type = parse()
    if type.name == "->" {
      parameters = Array(type.parts.dropLast())
      result = type.parts[type.parts.count - 1]
    } else {
      result = type
    }
  }

  private mutating func passes(_ sign: String) -> Bool {
    while text.first == " " { text.removeFirst() }
    guard text.hasPrefix(sign) else { return false }
    text.removeFirst(sign.count)
    return true
  }

  private mutating func parse() -> TypeText {
    _ = passes("=")
    if passes("(") {
      var parts: [TypeText] = []
      while !passes(")") {
        parts.append(parse())
        if passes("...") {}
        _ = passes(",")
        if text.isEmpty { break }
      }
      if passes("->") { return TypeText(name: "->", parts: parts + [parse()]) }
      return parts.count == 1 ? parts[0] : TypeText(name: "()", parts: parts)
    }
    while text.first == " " { text.removeFirst() }
    let name = String(text.prefix { $0.isLetter })
    text.removeFirst(min(max(1, name.count), text.count))
    var parts: [TypeText] = []
    if passes("<") {
      while !passes(">") {
        parts.append(parse())
        _ = passes(",")
        if text.isEmpty { break }
      }
    }
    return TypeText(name: name, parts: parts)
  }

  /// Whether its cost can depend on how much there is in what it takes or gives.
  var takesCollections: Bool {
    (parameters + [result]).contains { ["List", "Map", "Set", "String", "Json"].contains($0.name) }
  }

  /// A call by its full name; nil where there is no value of a type.
  func call(_ name: String, isReactive: Bool) -> String? {
    var texts: [String] = []
    for parameter in parameters {
      let isPattern = parameter.name == "String" && !texts.isEmpty
      guard let text = isReactive ? live(parameter) : isPattern ? #""b""# : large(parameter) else { return nil }
      texts.append(text)
    }
    return "\(name)(\(texts.joined(separator: ", ")))"
  }

  /// A value of which there is much.
  private func large(_ type: TypeText) -> String? {
    switch type.name {
    case "Int": return "div(n, 2)"
    case "Float": return "toFloat(n)"
    case "String": return #"String.repeat("ab ", n)"#
    case "Bool": return "(n > 0)"
    case "List": return small(type.parts[0], "i").map { "List.map(1..n, i => \($0))" }
    case "Set": return "Set.fromList(1..n)"
    case "Map":
      guard let key = small(type.parts[0], "i"), let value = small(type.parts[1], "i") else { return nil }
      return "Map.fromList(List.map(1..n, i => (\(key), \(value))))"
    case "->": return function(type)
    case let name where name.first?.isLowercase == true: return "n"
    case "Option": return large(type.parts[0]).map { "Some(\($0))" }
    case "Result": return large(type.parts[0]).map { "Ok(\($0))" }
    default: return nil
    }
  }

  /// A small value, made of an Int.
  private func small(_ type: TypeText, _ name: String) -> String? {
    switch type.name {
    case "Int": return name
    case "Float": return "toFloat(\(name))"
    case "String": return "toString(\(name))"
    case "Bool": return "(\(name) >= 0)"
    case "List": return small(type.parts[0], name).map { "[\($0)]" }
    case "Option": return small(type.parts[0], name).map { "Some(\($0))" }
    case "Result": return small(type.parts[0], name).map { "Ok(\($0))" }
    case "()":
      let parts = type.parts.compactMap { small($0, name) }
      return parts.count == type.parts.count ? "(\(parts.joined(separator: ", ")))" : nil
    case "Event": return "e"
    case "Behavior": return "(e |> hold(0))"
    case let variable where variable.first?.isLowercase == true: return name
    default: return nil
    }
  }

  /// A function that gives something small of its first parameter that is a number.
  private func function(_ type: TypeText) -> String? {
    let parameters = type.parts.dropLast()
    let names = parameters.indices.map { "p\($0)" }
    let result = type.parts[type.parts.count - 1]
    let list = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    if result.name == "Option", parameters.first?.name == "Option" { return "\(list) => \(names[0])" }
    if result.name == "Bool", names.count == 2, parameters.first?.name == parameters.last?.name {
      return "\(list) => p0 < p1"
    }
    let number = parameters.firstIndex { $0.name == "Int" || $0.name.first?.isLowercase == true }
    if number == nil, result.name == "String" { return #"\#(list) => "x""# }
    return small(result, number.map { names[$0] } ?? "1").map { "\(list) => \($0)" }
  }

  /// What an operator takes.
  private func live(_ type: TypeText) -> String? {
    switch type.name {
    case "Event":
      guard let element = type.parts.first, let value = small(element, "x") else { return "e" }
      return value == "x" ? "e" : "(e |> map(x => \(value)))"
    case "Behavior":
      guard let element = type.parts.first, let value = small(element, "(e |> hold(0))") else { return nil }
      return value
    case "Float": return "1h"
    case "Int": return "1000"
    case "->": return function(type)
    case let name where name.first?.isLowercase == true: return "0"
    default: return nil
    }
  }
}
