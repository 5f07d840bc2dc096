// Calls of built-ins of data, from the table itself: a row whose result fits what is wanted, with arguments of the types
// that its signature then asks for. So a row that is added to the table is tested from that day on.

import FRPCore
import FRPSema

/// A row of the table that makes data.
struct DataRow: Sendable {
  let name: String
  let isBare: Bool
  let container: String
  let signature: Signature

  var qualified: String { "\(container).\(name)" }

  /// Containers the model does not know. They are functions of text and numbers alone, each with tests of its own.
  static let unmodelled: Set<String> = ["Regex", "Random", "Format", "Csv", "Date"]

  /// What a generated program may call. Tasks are made by hand, where their durations fit the trace.
  static let all: [DataRow] = Builtins.all.indices.compactMap { row in
    let builtin = Builtins.all[row]
    guard case .data(let prim) = builtin.operation, !unmodelled.contains(builtin.container),
      !["Task", "Source", "Secret"].contains(builtin.container), prim != .jsonDecode, prim != .jsonAs, prim != .attempt
    else { return nil }
    return DataRow(
      name: builtin.name, isBare: builtin.isBare, container: builtin.container, signature: Signature.all[row])
  }

  /// Floats whose last digit depends on the library that computes them: three decimals of them are used, where they are not large.
  static let approximate: Set<String> = [
    "Math.sin", "Math.cos", "Math.tan", "Math.asin", "Math.acos", "Math.atan", "Math.atan2", "Math.exp", "Math.log",
    "Math.log2", "Math.log10", "Math.pow", "Math.cbrt", "Math.hypot", "Math.toRadians", "Math.toDegrees", "Math.lerp",
  ]

  /// Ints that say how much to make.
  static let small: Set<String> = [
    "List.repeat", "List.range", "List.generate", "String.repeat", "String.padStart", "String.padEnd",
  ]
}

/// What the variables of a signature stand for.
struct Bindings {
  var sorts: [String: DataSort] = [:]

  /// Whether a type can be `wanted`, with what is known of its variables.
  mutating func match(_ type: SignatureType, _ wanted: DataSort) -> Bool {
    switch (type, wanted) {
    case (.variable(let name), _):
      if let known = sorts[name] { return known == wanted }
      sorts[name] = wanted
      return true
    case (.unit, .unit), (.bool, .bool), (.int, .int), (.float, .float), (.string, .string): return true
    case (.list(let a), .list(let b)): return match(a, b)
    case (.map(let k, let a), .map(let b)): return match(k, .int) && match(a, b)
    case (.tuple(let all), .pair(let a, let b)): return all.count == 2 && match(all[0], a) && match(all[1], b)
    case (.nominal(.option, let all), .option(let a)): return match(all[0], a)
    case (.nominal(.result, let all), .result(let a, let e)): return match(all[0], a) && match(all[1], e)
    case (.nominal(.set, let all), .set(let a)): return match(all[0], a)
    case (.nominal(.json, _), .json): return true
    case (.record(let fields, _), .record):
      return fields.map(\.name) == ["a", "b"] && match(fields[0].type, .int) && match(fields[1].type, .string)
    default: return false
    }
  }

  /// The type with its variables replaced; nil for what no generated program has.
  func sort(_ type: SignatureType) -> DataSort? {
    switch type {
    case .variable(let name): return sorts[name]
    case .unit: return .unit
    case .bool: return .bool
    case .int: return .int
    case .float: return .float
    case .string: return .string
    case .list(let a): return sort(a).map(DataSort.list)
    case .map(let k, let a): return sort(k) == .int ? sort(a).map(DataSort.map) : nil
    case .nominal(.option, let all): return sort(all[0]).map(DataSort.option)
    case .nominal(.result, let all):
      guard let a = sort(all[0]), let e = sort(all[1]) else { return nil }
      return .result(a, e)
    case .nominal(.set, let all): return sort(all[0]).map(DataSort.set)
    case .nominal(.json, _): return .json
    case .tuple(let all):
      guard all.count == 2, let a = sort(all[0]), let b = sort(all[1]) else { return nil }
      return .pair(a, b)
    default: return nil
    }
  }

  /// Keys of maps are Ints.
  mutating func fixKeys(_ type: SignatureType) {
    switch type {
    case .map(.variable(let key), let a):
      if sorts[key] == nil { sorts[key] = .int }
      fixKeys(a)
    case .list(let a): fixKeys(a)
    case .function(let all, let result): (all + [result]).forEach { fixKeys($0) }
    case .nominal(_, let all), .tuple(let all): all.forEach { fixKeys($0) }
    default: break
    }
  }
}

extension SignatureType {
  /// Its variables, in order.
  fileprivate var variables: [String] {
    switch self {
    case .variable(let name): return [name]
    case .list(let a), .event(let a), .task(let a): return a.variables
    case .map(let a, let b): return a.variables + b.variables
    case .tuple(let all), .nominal(_, let all): return all.flatMap(\.variables)
    case .function(let all, let result): return all.flatMap(\.variables) + result.variables
    default: return []
    }
  }
}

extension Term {
  /// Whether more than a name, or a choice between names, says what its type is.
  fileprivate var isDecided: Bool {
    guard case .text(let first) = parts.first else { return parts.count > 1 }
    return parts.count > 1 && !["(match", "(if"].contains { first.hasPrefix($0) }
  }

  /// Whether a parameter that `pointwise` made stands somewhere in it: of what type that is, its own function may be the first to say.
  fileprivate var mentionsParameter: Bool {
    let bytes = text.utf8
    return zip(bytes, bytes.dropFirst()).contains {
      $0 == UInt8(ascii: "c") && UInt8(ascii: "0")...UInt8(ascii: "9") ~= $1
    }
  }
}

extension Generator {
  /// A call of some row of the table that makes `type`.
  mutating func tableCall(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term? {
    let fitting = DataRow.all.filter { row in
      var bindings = Bindings()
      return bindings.match(row.signature.result, type) && isAllowed(row, bindings)
    }
    guard !fitting.isEmpty else { return nil }
    let row = random.pick(fitting)
    var bindings = Bindings()
    _ = bindings.match(row.signature.result, type)
    chooseOthers(row, &bindings)
    guard let parameters = row.signature.parameters else { return Term(.data(type), row.qualified) }
    guard let arguments = arguments(row, parameters, bindings, names, reads) else { return nil }
    let call = called(row, type, arguments)
    guard DataRow.approximate.contains(row.qualified), type == .float else { return call }
    return Term(.data(type), "toFloat(round(1000.0 * Math.clamp(", call, ", -1000000.0, 1000000.0)))")
  }

  /// Whether the classes of the row's variables hold for what they stand for.
  private func isAllowed(_ row: DataRow, _ bindings: Bindings) -> Bool {
    row.signature.classes.allSatisfy { name, classes in
      guard let sort = bindings.sorts[name] else { return true }
      if classes.contains(.num) { return sort == .int || sort == .float }
      if classes.contains(.ord) { return [.int, .float, .string].contains(sort) }
      return true
    }
  }

  /// What the variables stand for that the result leaves open.
  private mutating func chooseOthers(_ row: DataRow, _ bindings: inout Bindings) {
    for parameter in row.signature.parameters ?? [] { bindings.fixKeys(parameter.type) }
    for name in (row.signature.parameters ?? []).flatMap(\.type.variables) where bindings.sorts[name] == nil {
      let classes = row.signature.classes[name] ?? []
      if classes.contains(.num) {
        bindings.sorts[name] = random.oneIn(3) ? .float : .int
      } else if classes.contains(.ord) {
        bindings.sorts[name] = random.pick([.int, .float, .string])
      } else {
        bindings.sorts[name] = random.pick(pool + [.int, .string, .json])
      }
    }
  }

  private mutating func arguments(
    _ row: DataRow, _ parameters: [SignatureParameter], _ bindings: Bindings, _ names: Names, _ reads: Reads
  ) -> [Term]? {
    var result: [Term] = []
    for parameter in parameters {
      if case .function(let inputs, let output) = parameter.type {
        if row.qualified == "List.sortWith" {
          // Only of an order is it known what sorting by it gives.
          result.append(Term(.fixed, "((c, d) => compare(c, d) \(random.pick(["<", ">"])) 0)"))
          continue
        }
        guard let function = pointwise(inputs, output, bindings, names, reads) else { return nil }
        result.append(function)
      } else {
        guard let sort = bindings.sort(parameter.type) else { return nil }
        let argument = data(sort, names, reads)
        let isCount = sort == .int && DataRow.small.contains(row.qualified)
        result.append(isCount ? Term(.data(.int), "(", argument, " % 5)") : argument)
      }
    }
    return result
  }

  /// `(c1, c2) => …`.
  private mutating func pointwise(
    _ inputs: [SignatureType], _ output: SignatureType, _ bindings: Bindings, _ names: Names, _ reads: Reads
  ) -> Term? {
    depth += 1
    defer { depth -= 1 }
    var inner = names.pointwise
    var list: [String] = []
    for (index, input) in inputs.enumerated() {
      guard let sort = bindings.sort(input) else { return nil }
      list.append("c\(depth)\(["", "b", "c"][min(index, 2)])")
      inner = inner.adding(list[index], .data(sort))
    }
    guard let result = bindings.sort(output) else { return nil }
    let head = list.count == 1 ? list[0] : "(\(list.joined(separator: ", ")))"
    return Term(.fixed, "(\(head) => ", data(result, inner, reads), ")")
  }

  /// By its full name, or where the bare one works, by that, or as a step of a pipe.
  private mutating func called(_ row: DataRow, _ type: DataSort, _ arguments: [Term]) -> Term {
    let isPipe = random.oneIn(3)
    // An overloaded name needs to know its first argument's type, which a parameter may leave open.
    let isOverloaded = (Builtins.byBareName[row.name]?.count ?? 0) > 1
    let isDecided = !isOverloaded || arguments.first?.isDecided == true
    let isBare = row.isBare && isDecided && random.oneIn(2)
    let name = isBare && !(isOverloaded && arguments[0].mentionsParameter) ? row.name : row.qualified
    var term = Term(.data(type), isPipe ? "(" : "\(name)(")
    for (index, argument) in arguments.enumerated() {
      term.parts.append(.term(argument))
      if index == 0, isPipe {
        term.parts.append(.text(" |> \(name)("))
      } else if index < arguments.count - 1 {
        term.parts.append(.text(", "))
      }
    }
    term.parts.append(.text(isPipe ? "))" : ")"))
    return term
  }
}
