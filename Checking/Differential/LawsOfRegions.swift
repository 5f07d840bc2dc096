// The law of what runs straight through (`Optimisations.regions`): programs of which all that follows from an input is numbers,
// comparisons and small records show what the model shows, whatever faults in the middle of them.

import FRPGraph

extension Law {
  static let regions = Law("what runs straight through", section: 2) { seed in
    let (source, trace) = Regions.program(seed)
    guard Compiled(source).core != nil else {
      return .broken("does not compile: \(Compiled(source).problems)\n\(source)")
    }
    let settings: [Optimisations] = [
      .all, .none, .regions, .all.subtracting(.directInputs), .all.subtracting(.regions), .all.subtracting(.native),
      [.regions, .quickCodes, .native],
    ]
    guard let difference = Differential.difference(source, trace, settings: settings) else { return .holds }
    return .broken("\(difference)\n\(source)\(trace)")
  }
}

package enum Regions {
  /// A random program whose inputs have regions, and a trace.
  package static func program(_ seed: UInt64) -> (source: String, trace: String) {
    var random = Random(seed: seed ^ 0x4E61_0B5D)
    var source =
      "input e0: Event<Int>\ninput e1: Event<Int>\ninput b0: Behavior<Int> = 3\ninput f0: Behavior<Float> = 0.5\n"
    var events = ["e0", "e1"]
    var numbers = ["b0"]
    var floats = ["f0"]
    var records: [String] = []
    let count = 4 + random.below(random.below(4) == 0 ? 60 : 16)
    for place in 0..<count {
      let name = "d\(place)"
      let (k, b, c) = (random.below(9), random.pick(numbers), random.pick(numbers))
      var text: String
      switch random.below(12) {
      case 0, 1, 2:
        text =
          random.pick(events) + " |> "
          + random.pick([
            "map(n => n + \(k))", "map(n => n * \(k))", "filter(n => n % 3 != \(k % 3))", "map(n => n + \(b))",
            "filterMap(n => if n > \(k) then Some(n - \(b)) else None)", "filter(n => n > \(b))",
            "scan(\(k), (s, n) => s + n)", "scan(0, (s, n) => max(s, n)) |> map(n => n * 3)",
            "map(n => if n > \(b) then n else \(c))", "merge(\(random.pick(events)))",
          ])
        events.append(name)
      case 3, 4:
        text =
          random.pick(events) + " |> "
          + random.pick([
            "hold(\(k))", "fold(0, (s, n) => s + n)", "fold(1, (s, n) => max(s, n - \(b)))",
            "map(n => n % \(k + 1)) |> hold(0)",
            "filter(n => n < \(k)) |> fold(0, (s, _) => s + 1)", "count",
          ])
        numbers.append(name)
      case 5:
        text = "{low: min(\(b), \(c)), isOver: \(b) > \(c)}"
        records.append(name)
      case 6 where !records.isEmpty:
        text = "if \(random.pick(records)).isOver then \(random.pick(records)).low else \(b)"
        numbers.append(name)
      case 7:
        let (f, g) = (random.pick(floats), random.pick(floats))
        text = random.pick([
          "\(f) + \(g)", "\(f) + \(g) + \(random.pick(floats))", "\(f) * \(g)", "\(f) - \(g)", "toFloat(\(b)) * -0.5",
          "\(f) / \(g)",
          "\(f) * 1e150", "if \(f) < \(g) then \(f) else -\(g)",
        ])
        floats.append(name)
      default:
        text = random.pick([
          "\(b) + \(c)", "\(b) - \(c)", "\(b) * \(c)", "max(\(b), \(c))", "div(\(b), \(c))", "\(b) % \(k + 1)",
          "\(b) + \(k)", "\(b) * \(k)",
          "div(\(b), 10)", "if \(b) > \(c) then \(b) else \(k)", "abs(\(b) - \(c))", "\(b) * 4611686018427387",
        ])
        numbers.append(name)
      }
      source += "\(place == count - 1 || random.below(2) == 0 ? "output " : "")\(name) = \(text)\n"
    }
    if seed % 3 == 0 { source += sums(of: numbers, seed) }
    return (source, trace(&random))
  }

  /// Sums of neighbours, which are kept up to date by what has changed.
  private static func sums(of numbers: [String], _ seed: UInt64) -> String {
    var random = Random(seed: seed ^ 0x5357_4D53)
    var source = ""
    for sum in 0..<1 + random.below(2) {
      let terms = (0..<8 + random.below(16)).map { "t\(sum)_\($0)" }
      // No two are the same, so that each has a place of its own.
      for (k, term) in terms.enumerated() {
        let b = random.pick(numbers)
        let value = random.pick([
          "\(b) + \(k)", "\(b) - \(k)", "max(\(b), \(k))", "abs(\(b) - \(k))", "\(k) - \(b)",
          "\(b) % \(k % 6 + 2) * 1152921504606846976",
        ])
        source += "\(term) = \(value)\n"
      }
      let isList = random.below(3) > 0
      source += "output s\(sum) = "
      source += isList ? "sum([\(terms.joined(separator: ", "))])\n" : terms.joined(separator: " + ") + "\n"
      source += "output u\(sum) = s\(sum) * 2 - \(random.pick(numbers))\n"
    }
    return source
  }

  private static func trace(_ random: inout Random) -> String {
    var trace = ""
    for place in 0..<16 {
      var values: [String] = []
      for port in ["e0", "e1", "b0", "f0"] where random.below(3) == 0 {
        let value = random.below(8) == 0 ? 4_611_686_018_427_387_904 : random.below(random.below(2) == 0 ? 4 : 60) - 10
        values.append(",\"\(port)\":\(port == "f0" ? "\(Double(value) * 0.25)" : "\(value)")")
      }
      if !values.isEmpty {
        trace += "{\"at\":\(Double(place) * 0.5)\(random.below(4) == 0 ? values.joined() : values[0])}\n"
      }
    }
    return trace
  }
}
