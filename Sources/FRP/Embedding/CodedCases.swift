// Whether the cases of a Codable enum are those of a variant of the program: looked at when a handle is made.
//
// In:  the enum's type, a variant's constructors. Out: the first difference. Of each constructor a value is made and
// decoded: the enum says by itself whether it knows the case, and whether its payload fits.
//
//   what is read   every case of the program must be known
//   what is sent   one of them at least, with the same payload; if the enum is CaseIterable, all cases of the enum
//   no variant     an example of the program's type must be one of the enum's (a String of an enum of Strings)
//
// What `init(from:)` refuses for its value (0, "") says nothing about the shape, and passes.

import FRPCore

/// A Codable type whose shape only values show; see `Coded`.
public struct CodedCases: Hashable, @unchecked Sendable {
  // Unchecked: the type itself is all there is, and it never changes.
  private let type: any Decodable.Type

  init(_ type: any Decodable.Type) { self.type = type }

  public static func == (a: Self, b: Self) -> Bool { ObjectIdentifier(a.type) == ObjectIdentifier(b.type) }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }

  private enum Answer {
    case fits
    case unknownCase
    case otherPayload(ConversionFailure)
  }

  /// The first difference to a variant of a program.
  func difference(_ types: TypeTable, _ id: TypeID, isSent: Bool, _ path: String) -> ConversionFailure? {
    let constructors = types.constructors[id] ?? []
    var anyFits = constructors.isEmpty
    for constructor in constructors {
      guard let fields = fields(of: constructor, types, depth: 0) else {
        anyFits = true
        continue
      }
      switch answer(.tagged(constructor.name, fields), constructor.labels, isCase: true) {
      case .fits: anyFits = true
      case .unknownCase where isSent: break
      case .unknownCase:
        return ConversionFailure(path: path, expected: "a case of \(type)", found: constructor.name)
      case .otherPayload(let failure): return failure.withoutCase.inside("\(path).\(constructor.name)")
      }
    }
    if !isSent { return nil }
    if !anyFits {
      return ConversionFailure(path: path, expected: "a type with a case of \(type)", found: types.describe(id))
    }
    for name in caseNames where !constructors.contains(where: { $0.name == name }) {
      return ConversionFailure(path: path, expected: "a type with the case \(name)", found: types.describe(id))
    }
    return nil
  }

  /// The first difference to a type of a program that is no variant.
  func differenceToData(_ types: TypeTable, _ id: TypeID, _ path: String) -> ConversionFailure? {
    guard let example = example(types, id, depth: 0) else { return nil }
    switch answer(example, nil, isCase: false) {
    case .fits: return nil
    case .unknownCase: return ConversionFailure(path: path, expected: "\(type)", found: types.describe(id))
    case .otherPayload(let failure): return failure.inside(path)
    }
  }

  // MARK: Asking

  private func answer(_ value: FrpValue, _ names: [String]?, isCase: Bool) -> Answer {
    let labels = Labels(names)
    do {
      try type.decode(FrpDecoder(source: .value(value), labels: labels))
    } catch let failure as ConversionFailure {
      return failure.path.isEmpty ? .unknownCase : .otherPayload(failure)
    } catch DecodingError.dataCorrupted(let context) {
      // An enum of Strings that does not have this one; else a value that does not please.
      let isNoCase = isCase && context.codingPath.isEmpty && type is any RawRepresentable.Type
      return isNoCase ? .unknownCase : .fits
    } catch let error as DecodingError {
      let failure = ConversionFailure(error, value)
      return failure.path.isEmpty ? .unknownCase : .otherPayload(failure)
    } catch {
      return .fits
    }
    guard let names, !labels.asked.isEmpty, labels.asked != names else { return .fits }
    return .otherPayload(
      ConversionFailure(expected: labels.asked.joined(separator: ", "), found: names.joined(separator: ", ")))
  }

  /// Of an enum that lists its cases; else none.
  private var caseNames: [String] {
    guard let type = type as? any CaseIterable.Type else { return [] }
    return names(type)
  }

  private func names<Cases: CaseIterable>(_ type: Cases.Type) -> [String] {
    type.allCases.compactMap { value in
      guard let value = value as? any Encodable, let encoded = try? FrpEncoder.encode(value) else { return nil }
      switch encoded {
      case .text(let name): return name.withLargeFirst
      case .record(let fields) where fields.count == 1: return fields.first?.key.withLargeFirst
      default: return nil
      }
    }
  }

  // MARK: Examples

  /// A type that needs more depth than this has no example: its values are looked at.
  private static let deepest = 6

  private func fields(of constructor: Constructor, _ types: TypeTable, depth: Int) -> [FrpValue]? {
    var fields: [FrpValue] = []
    for field in constructor.fields {
      guard let example = example(types, field, depth: depth + 1) else { return nil }
      fields.append(example)
    }
    return fields
  }

  private func example(_ types: TypeTable, _ id: TypeID, depth: Int) -> FrpValue? {
    if depth > CodedCases.deepest { return nil }
    func inner(_ id: TypeID) -> FrpValue? { example(types, id, depth: depth + 1) }
    switch types[id] {
    case .unit: return .unit
    case .bool: return .bool(false)
    case .int: return .integer(0)
    case .float: return .number(0)
    case .string: return .text("")
    case .list(let element): return .list(inner(element).map { [$0] } ?? [])
    case .map(let key, let value):
      guard let key = inner(key), let value = inner(value) else { return .map([]) }
      return .map([FrpValue.Entry(key, value)])
    case .tuple(let elements):
      let values = elements.compactMap(inner)
      return values.count == elements.count ? .list(values) : nil
    case .record(let list):
      var record: [String: FrpValue] = [:]
      for field in list {
        guard let value = inner(field.type) else { return nil }
        record[field.name] = value
      }
      return .record(record)
    case .variant(.option, let arguments):
      return arguments.first.flatMap(inner).map { .tagged("Some", [$0]) } ?? .tagged("None", [])
    case .variant(.set, let arguments): return .list(arguments.first.flatMap(inner).map { [$0] } ?? [])
    case .variant:
      for constructor in types.constructors[id] ?? [] {
        if let fields = fields(of: constructor, types, depth: depth) { return .tagged(constructor.name, fields) }
      }
      return nil
    case .function, .task, .source, .event: return nil
    }
  }
}

extension Decodable {
  fileprivate static func decode(_ decoder: FrpDecoder) throws { _ = try Self(from: decoder) }
}

extension ConversionFailure {
  /// The path without the name of the case in Swift: `.circle._0` is `[0]` of `Circle`.
  fileprivate var withoutCase: ConversionFailure {
    var steps = path.split(separator: ".", omittingEmptySubsequences: true).dropFirst()[...]
    var text = ""
    if let first = steps.first, first.hasPrefix("_") {
      let digits = first.dropFirst().prefix { $0.isNumber }
      text = "[\(digits)]" + first.dropFirst(1 + digits.count)
      steps = steps.dropFirst()
    }
    return ConversionFailure(path: text + steps.map { ".\($0)" }.joined(), expected: expected, found: found)
  }
}
