// Whether a program checks, and which types it has, does not depend on the order of its definitions.

import FRPBase
import FRPSema

extension Law {
  /// Groups of recursive definitions with functions as data, in several orders.
  static let ordered = Law("order never matters to the checker", section: 3) { seed in
    var generator = GroupGenerator(seed: seed)
    var lines = generator.definitions()
    var random = Random(seed: seed ^ 0x0D0E)
    let first = Checked(lines)
    for _ in 0..<4 {
      random.shuffle(&lines)
      let next = Checked(lines)
      if next != first {
        return .broken("\(first.text)\n\(first.verdict)\n---\n\(next.text)\n\(next.verdict)")
      }
    }
    return first.types == nil ? .skipped : .holds
  }

  /// What the checker says about a program: the types of its definitions, or that it has none.
  private struct Checked: Equatable {
    let text: String
    let verdict: String
    let types: [String: String]?
    let isComplete: Bool

    init(_ definitions: [String]) {
      text = "input e: Event<Int>\n" + definitions.map { $0 + "\n" }.joined()
      let compiled = Compiled(text)
      isComplete = compiled.core != nil
      types = compiled.typed.map {
        Dictionary($0.definitions().map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
      }
      verdict = types.map { $0.sorted { $0.key < $1.key }.description } ?? compiled.problems
    }

    static func == (a: Checked, b: Checked) -> Bool { a.types == b.types && a.isComplete == b.isComplete }
  }
}
