// What patterns cover.
//
// In:  patterns of the tree.
// Out: `Shape`s, in which names, aliases and labels are gone; and the constructors a type's values are made of.

import FRPCore
import FRPSyntax

/// A pattern without names.
indirect enum Shape: Hashable {
  case anything
  case constructor(Form, [Shape])
  /// A list of exactly these elements, or with a suffix, of any length from both together on.
  case list([Shape], suffix: [Shape]?)
  case either([Shape])
}

/// The outermost constructor of a value.
enum Form: Hashable {
  case variant(NominalID, Int)
  case tuple, unit
  /// Of fields of these names.
  case record([String])
  case bool(Bool)
  case int(Int)
  case float(Double)
  case string(String)
  /// Lists of one length.
  case length(Int)
  /// Lists of that length and longer; `prefix` of their known elements are counted from the front.
  case atLeast(Int, prefix: Int)
}

/// A type of the program under what its generics stand for.
struct TypeAt {
  final class Scope {
    let map: [GenericID: TypeAt]
    init(_ map: [GenericID: TypeAt]) { self.map = map }
  }
  var type: Ty
  var scope: Scope?
}

/// Where patterns meet types.
struct Space {
  let program: TypedProgram

  /// The node of a type, generics replaced as far as they are known.
  func node(_ type: TypeAt) -> (node: TyNode, scope: TypeAt.Scope?) {
    var current = type
    while case .generic(let id) = program[current.type], let next = current.scope?.map[id] { current = next }
    return (program[current.type], current.scope)
  }

  /// All forms of a type's values, and the types of their parts; nil where there are too many to list.
  func forms(_ type: TypeAt, lengths: (count: Int, prefix: Int)) -> [(form: Form, parts: [TypeAt])]? {
    let (node, scope) = node(type)
    func here(_ types: [Ty]) -> [TypeAt] { types.map { TypeAt(type: $0, scope: scope) } }
    switch node {
    case .unit: return [(.unit, [])]
    case .bool: return [(.bool(false), []), (.bool(true), [])]
    case .tuple(let types): return [(.tuple, here(types))]
    case .record(let fields, _): return [(.record(fields.map(\.name)), here(fields.map(\.type)))]
    case .list(let element):
      let part = TypeAt(type: element, scope: scope)
      let fixed = (0..<lengths.count).map { (Form.length($0), Array(repeating: part, count: $0)) }
      return fixed + [(.atLeast(lengths.count, prefix: lengths.prefix), Array(repeating: part, count: lengths.count))]
    case .nominal(.set, _), .nominal(.source, _), .nominal(.secret, _): return nil
    case .nominal(let id, let arguments):
      let nominal = program.nominals[id.index]
      let map = Dictionary(zip(nominal.generics, here(arguments)), uniquingKeysWith: { first, _ in first })
      let inner = TypeAt.Scope(map)
      return nominal.cases.enumerated().map { tag, form in
        (.variant(id, tag), form.fields.map { TypeAt(type: $0, scope: inner) })
      }
    case .error, .int, .float, .string, .map, .event, .task, .function, .generic: return nil
    }
  }

  /// The types of the parts of a value of one form; nil where the type's forms cannot be listed.
  func parts(_ type: TypeAt, _ form: Form) -> [TypeAt]? {
    let (node, scope) = node(type)
    guard case .variant(let owner, let tag) = form else {
      return forms(type, lengths: (0, 0))?.first { $0.form == form }?.parts
    }
    guard case .nominal(let id, let arguments) = node, id == owner else { return nil }
    let nominal = program.nominals[id.index]
    let types = arguments.map { TypeAt(type: $0, scope: scope) }
    let inner = TypeAt.Scope(Dictionary(zip(nominal.generics, types), uniquingKeysWith: { first, _ in first }))
    return nominal.cases[tag].fields.map { TypeAt(type: $0, scope: inner) }
  }

  /// Whether a pattern is one of the type's; where it is not, that is reported elsewhere.
  func fits(_ shape: Shape, _ type: TypeAt) -> Bool {
    switch shape {
    case .anything, .constructor(.int, _), .constructor(.float, _), .constructor(.string, _): return true
    case .either(let shapes): return shapes.allSatisfy { fits($0, type) }
    case .constructor(let form, let shapes):
      guard let types = parts(type, form), types.count == shapes.count else { return false }
      return zip(shapes, types).allSatisfy { fits($0, $1) }
    case .list(let shapes, let suffix):
      let (node, scope) = node(type)
      guard case .list(let element) = node else { return false }
      return (shapes + (suffix ?? [])).allSatisfy { fits($0, TypeAt(type: element, scope: scope)) }
    }
  }

  /// A pattern as a shape; nil where it has a mistake that is reported elsewhere.
  func shape(_ id: PatternID) -> Shape? {
    let tree = program.tree
    func all(_ list: [PatternID]) -> [Shape]? {
      let shapes = list.compactMap(shape)
      return shapes.count == list.count ? shapes : nil
    }
    if case .error = program[program.patternTypes[id.index]] { return nil }
    switch tree[id] {
    case .missing: return nil
    case .wildcard, .name: return .anything
    case .int(let value):
      if case .float = program[program.patternTypes[id.index]] { return .constructor(.float(Double(value)), []) }
      return .constructor(.int(value), [])
    case .float(let value): return .constructor(.float(value), [])
    case .bool(let value): return .constructor(.bool(value), [])
    case .unit: return .constructor(.unit, [])
    case .string(let text): return .constructor(.string(text), [])
    case .tuple(let list): return all(list).map { .constructor(.tuple, $0) }
    case .alternatives(let list): return all(list).map { .either($0) }
    case .alias(let inner, _): return shape(inner)
    case .record(let fields): return record(id, fields)
    case .list(let list, let rest, let restIndex):
      guard let shapes = all(list) else { return nil }
      if case .none = rest { return .list(shapes, suffix: nil) }
      let split = min(max(restIndex, 0), shapes.count)
      return .list(Array(shapes[..<split]), suffix: Array(shapes[split...]))
    case .constructor:
      guard let found = program.constructorPatterns[id] else { return nil }
      var parts: [Shape] = []
      for field in found.fieldPatterns {
        guard let field else {
          parts.append(.anything)
          continue
        }
        guard let part = shape(field) else { return nil }
        parts.append(part)
      }
      return .constructor(.variant(found.nominal, found.tag), parts)
    }
  }

  private func record(_ id: PatternID, _ fields: [(name: Name, pattern: PatternID)]) -> Shape? {
    guard case .record(let known, _) = program[program.patternTypes[id.index]] else { return nil }
    var parts: [Shape] = Array(repeating: .anything, count: known.count)
    for field in fields {
      guard let place = known.firstIndex(where: { $0.name == field.name.text }), let part = shape(field.pattern) else {
        return nil
      }
      parts[place] = part
    }
    return .constructor(.record(known.map(\.name)), parts)
  }
}
