// Comparing what outputs showed. Where a program is continuous, outputs are compared one by one, each in its own order,
// and times and numbers to within a tolerance: the model follows integrals with fixed steps (good to about 1e-8), and a
// crossing is as exact as what crosses. A step program's lines are compared as they stand, in their order.

import FRPModel

package enum Expectations {
  /// Lines as `{"at":…,"name":…}` read back.
  package static func parse(_ text: String) -> [ModelLine]? {
    var lines: [ModelLine] = []
    for line in text.split(separator: "\n") {
      guard let json = JSON(line), case .object(let members) = json, case .number(let at)? = json["at"],
        let seconds = Double(at), let member = members.first(where: { $0.name != "at" })
      else { return nil }
      lines.append(ModelLine(seconds: seconds, name: member.name, json: member.value.text))
    }
    return lines
  }

  /// The first difference between two runs; nil if there is none.
  package static func difference(
    _ wanted: [ModelLine], _ got: [ModelLine], tolerance: Double = 0, ordered: Bool = true
  ) -> String? {
    let a = ordered ? wanted : byName(wanted)
    let b = ordered ? got : byName(got)
    for index in 0..<max(a.count, b.count) {
      guard index < a.count else { return "line \(index + 1): got \(describe(b[index])), wants nothing" }
      guard index < b.count else { return "line \(index + 1): wants \(describe(a[index])), got nothing" }
      if !isSame(a[index], b[index], tolerance) {
        return "line \(index + 1): wants \(describe(a[index])), got \(describe(b[index]))"
      }
    }
    return nil
  }

  /// Without those lines of some outputs that repeat the one before but for rounding: whether such a value has changed is
  /// as exact as the moment at which it was located.
  static func withoutRepeats(_ lines: [ModelLine], of names: Set<String>) -> [ModelLine] {
    var last: [String: JSON] = [:]
    return lines.filter { line in
      guard names.contains(line.name), let value = JSON(line.json) else { return true }
      defer { last[line.name] = value }
      return last[line.name].map { !$0.isNear(value, tolerance: 1e-9) } ?? true
    }
  }

  package static func describe(_ line: ModelLine) -> String { "{\"at\":\(line.seconds),\"\(line.name)\":\(line.json)}" }

  private static func isSame(_ a: ModelLine, _ b: ModelLine, _ tolerance: Double) -> Bool {
    guard a.name == b.name, (a.seconds - b.seconds).magnitude <= max(tolerance, 1e-9) else { return false }
    if a.json == b.json { return true }
    guard let x = JSON(a.json), let y = JSON(b.json) else { return false }
    return x.isNear(y, tolerance: tolerance)
  }

  /// By name; those of one name stay in their order, which is that of time. Which output came first at two times that
  /// rounding alone tells apart is not compared: a located crossing is where root finding puts it, to within 1e-14 or so.
  private static func byName(_ lines: [ModelLine]) -> [ModelLine] {
    lines.enumerated().sorted { x, y in
      x.element.name == y.element.name ? x.offset < y.offset : x.element.name < y.element.name
    }.map(\.element)
  }
}

extension JSON {
  /// The text of a JSON value.
  package var text: String {
    switch self {
    case .null: return "null"
    case .bool(let x): return "\(x)"
    case .number(let x): return x
    case .string(let x): return JSON.quoted(x)
    case .array(let all): return "[\(all.map(\.text).joined(separator: ","))]"
    case .object(let members):
      return "{\(members.map { "\(JSON.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }
}
