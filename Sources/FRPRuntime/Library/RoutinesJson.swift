// Routines of Json: data of any form. Other data becomes Json, and Json becomes other data, through its text, so that
// there is one meaning of both.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let jsons: [(Prim, Routine)] = [
    (.jsonAt, jsonAt), (.jsonContent, jsonContent), (.jsonOf, jsonOf), (.jsonAs, jsonAs),
  ]

  private static func jsonCase(_ json: Word) -> JsonCase? { JsonCase(rawValue: json.tag) }

  private static func jsonAt(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let type = a.call.a0
    let object = MapShape(m.heap.shapes, m.heap.shapes.fieldType(type, tag: JsonCase.object.rawValue, 0))
    var json = a[0]
    for step in ListView(a[1]) {
      try stepBytes(m, m.heap.byteCount(step))
      switch jsonCase(json) {
      case .object:
        guard let next = m.heap.mapValue(json.field(0), step, shape: object) else { return .none }
        json = next
      case .list:
        let list = ListView(json.field(0))
        guard let index = NumberText.int(m.heap.bytes(step)), 0..<list.count ~= index else { return .none }
        json = list[index]
      default: return .none
      }
    }
    return try m.heap.some(json, a.call.result)
  }

  /// What Json holds, if that is of the type of the result's content.
  private static func jsonContent(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let wanted = m.heap.shapes.fieldType(a.call.result, tag: 1, 0)
    let found = jsonCase(a[0])
    if found == .int, wanted == .float { return try m.heap.some(Word(float: Double(a[0].field(0).int)), a.call.result) }
    guard let found, found != .null, m.heap.shapes.fieldType(a.call.a0, tag: found.rawValue, 0) == wanted else {
      return .none
    }
    return try m.heap.some(a[0].field(0), a.call.result)
  }

  private static func jsonOf(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    guard let word = try throughText(m, a[0], type: a.call.a0, as: a.call.result) else {
      throw Fault(.message, m.library.codec.problem?.message ?? "this has no JSON")
    }
    return word
  }

  private static func jsonAs(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let value = try throughText(m, a[0], type: a.call.a0, as: m.heap.shapes.fieldType(a.call.result, tag: 0, 0))
    let problem = m.library.codec.problem.map { $0.path.isEmpty ? $0.message : "at \($0.path): \($0.message)" }
    return try decoded(m, value, result: a.call.result, problem: problem)
  }

  /// What a value's JSON reads as at another type; nil if it does not fit (see the codec's problem).
  private static func throughText(
    _ m: Machine, _ value: Word, type: TypeID, as other: TypeID
  ) throws(Fault) -> Word? {
    var out = StringBuilder()
    try m.library.codec.encodeJSON(value, type, to: &out)
    try stepBytes(m, out.count)
    return try m.library.codec.decodeJSON(out.view, as: other)
  }
}
