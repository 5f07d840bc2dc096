// The committed numbers of machine instructions an event, and what holds the present ones against them.
//
// A file of lines `W1 612.4 0 0 0.5`: instructions, allocations and retains an event, and the loop's instructions; lines with #
// are kept, and the last of them say what changed when.

/// The committed numbers.
struct Baseline {
  private var comments: [String] = []
  private var costs: [EventCost] = []

  /// How far a number may be from the committed one.
  static let tolerance = 0.03

  init(_ path: String) throws(BenchFailure) {
    guard let bytes = contents(of: path) else { throw BenchFailure(message: "cannot read \(path)") }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#") { comments.append(String(line)) }
      let cells = line.split(separator: " ")
      guard cells.count == 5, !line.hasPrefix("#") else { continue }
      let numbers = cells.dropFirst().compactMap { Double($0) }
      if numbers.count != 4 { throw BenchFailure(message: "\(path) has a line that cannot be read: \(line)") }
      costs.append(
        EventCost(
          name: String(cells[0]), instructions: numbers[0], loop: numbers[3], allocations: numbers[1],
          retains: numbers[2]
        ))
    }
  }

  /// What is wrong with a count; nil if it is within the tolerance.
  func problem(_ cost: EventCost) -> String? {
    guard let before = costs.first(where: { $0.name == cost.name }) else { return "has no baseline" }
    // The loop itself is the same code; where it differs, the compiler or the library of the machine does.
    let change = cost.instructions / before.instructions - 1
    if change.magnitude > Baseline.tolerance {
      let percent = shown((change * 1000).rounded() / 10)
      return "\(shown(before.instructions)) instructions before, \(shown(cost.instructions)) now (\(percent) %)"
    }
    if cost.allocations > before.allocations + 0.01 {
      return "\(shown(before.allocations)) allocations before, \(shown(cost.allocations)) now"
    }
    if cost.retains > before.retains * (1 + Baseline.tolerance) + 0.01 {
      return "\(shown(before.retains)) retains before, \(shown(cost.retains)) now"
    }
    return nil
  }

  /// Takes new numbers, with a line that says why.
  mutating func accept(_ new: [EventCost], _ message: String) {
    var differences: [String] = []
    for cost in new {
      if let place = costs.firstIndex(where: { $0.name == cost.name }) {
        if problem(cost) != nil {
          differences.append("\(cost.name) \(shown(costs[place].instructions)) -> \(shown(cost.instructions))")
        }
        costs[place] = cost
      } else {
        differences.append("\(cost.name) \(shown(cost.instructions))")
        costs.append(cost)
      }
    }
    comments.append("# \(message): \(differences.isEmpty ? "no change" : differences.joined(separator: ", "))")
  }

  var text: String {
    let lines = costs.map { cost in
      let numbers = [cost.instructions, cost.allocations, cost.retains, cost.loop].map {
        plain(($0 * 1000).rounded() / 1000)
      }
      return "\(cost.name) \(numbers.joined(separator: " "))"
    }
    return (comments + lines).joined(separator: "\n") + "\n"
  }
}
