// Which `when`s fire at a located crossing: those whose condition becomes true if, of all it reads, only the crossings
// of this instant have happened.

import FRPCore
import FRPGraph

/// A `when` above located comparisons.
struct WhenRow {
  var frame: FrameRef
  var entry: Int
  /// The condition's slot in `new`.
  var condition: Address
  /// Lifts between the comparisons and the condition, with their slots, in order.
  var lifts: [(code: CodeID, base: Address, slot: Int)]
  var comparisons: [RowOwner]
}

struct WhenTable {
  private var rows: [RowOwner: WhenRow] = [:]
  /// By comparison: the `when`s above it, oldest first.
  private var above: [RowOwner: [RowOwner]] = [:]

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ frame: FrameRef, _ solver: ContinuousSolver) {
    let template = frame.pointee.template
    for index in 0..<template.pointee.count where template.pointee.entries[index].kind == .when {
      guard case .when(let condition) = solver.core[template.pointee.entries[index].node].op,
        let plan = solver.reads.condition(condition), let place = solver.place(of: condition, from: frame)
      else { continue }
      let owner = RowOwner(frame: UInt(bitPattern: frame), entry: Int32(index))
      var lifts: [(code: CodeID, base: Address, slot: Int)] = []
      for lift in plan.lifts {
        guard let at = solver.place(of: lift, from: frame) else { continue }
        let entry = at.frame.pointee.template.pointee.entries[Int(at.owner.entry)]
        lifts.append((solver.reactor.code(entry.code), at.frame.pointee.new, Int(entry.slot)))
      }
      let comparisons = plan.comparisons.compactMap { solver.place(of: $0, from: frame)?.owner }
      rows[owner] = WhenRow(
        frame: frame, entry: index, condition: place.frame.pointee.new + solver.layout.slot(condition), lifts: lifts,
        comparisons: comparisons)
      for comparison in comparisons { above[comparison, default: []].append(owner) }
    }
  }

  mutating func remove(_ frame: FrameRef) {
    if rows.isEmpty { return }
    let address = UInt(bitPattern: frame)
    let template = frame.pointee.template
    var comparisons: Set<RowOwner> = []
    for index in 0..<template.pointee.count {
      let owner = RowOwner(frame: address, entry: Int32(index))
      above[owner] = nil
      if let row = rows.removeValue(forKey: owner) { comparisons.formUnion(row.comparisons) }
    }
    for comparison in comparisons { above[comparison]?.removeAll { $0.frame == address } }
  }

  /// The `when`s above any of these comparisons, each once, in the order of the comparisons.
  func rows(above comparisons: [RowOwner]) -> [WhenRow] {
    var seen: Set<RowOwner> = []
    var result: [WhenRow] = []
    for comparison in comparisons {
      for owner in above[comparison] ?? [] where seen.insert(owner).inserted {
        if let row = rows[owner] { result.append(row) }
      }
    }
    return result
  }
}
