// Which entries follow from an input, and where a region's list can be passed over.
//
// An entry is a *gate* if it may show nothing although it runs: what lets some occurrences through, and behaviors that may keep
// their value. Gates form a tree: above an entry lies the last gate that everything it reads lies behind. Neighbours in the
// list with the same gate above them are a stretch, which that gate opens.

import FRPCore
import FRPGraph

struct RegionBuilder {
  /// An entry of the region.
  private struct Member {
    var entry: Int32
    /// The gate above it.
    var gate = 0
    /// How many gates lie above those behind it.
    var depth = 0
    var isGate = false
    /// The member that shows something whenever this one does: an event that lets everything through shows what feeds it.
    var exact = 0
    var sources: [Int] = []
  }

  private static let mostItems = 1 << 13
  /// Gates below one another; further ones are none, so that the way up is short.
  private static let deepest = 64

  private let template: UnsafeMutablePointer<TemplateRecord>
  private let table: RegionTable
  private var members: [Member] = []

  /// The region of an input; nil where something must be run the long way, or it would be too large.
  static func region(_ plan: Plan, input: Int32, _ template: UnsafeMutablePointer<TemplateRecord>, _ table: RegionTable)
    -> Region?
  {
    var builder = RegionBuilder(template: template, table: table)
    guard builder.gather(plan.templates[0], input) else { return nil }
    var outputs: [RegionOutput] = []
    for (index, output) in plan.outputs.enumerated() where output.entry >= 0 && builder.place(output.entry) != nil {
      if output.isContinuous { return nil }
      outputs.append(RegionOutput(entry: output.entry, output: Int32(index)))
    }
    return builder.placeGates() ? builder.list(outputs) : nil
  }

  private init(template: UnsafeMutablePointer<TemplateRecord>, table: RegionTable) {
    (self.template, self.table) = (template, table)
  }

  /// Where an entry is among the members.
  private func place(_ entry: Int32) -> Int? {
    let place = Int(table.places[Int(entry)])
    return place < members.count && members[place].entry == entry ? place : nil
  }

  private mutating func add(_ entry: Int32) {
    table.places[Int(entry)] = Int32(members.count)
    members.append(Member(entry: entry))
  }

  /// Finds what follows from an input, in order; false where that is nothing, too much, or not for a region.
  private mutating func gather(_ plan: Template, _ input: Int32) -> Bool {
    let most = min(RegionBuilder.mostItems, table.itemsLeft)
    add(input)
    var next = 0
    while next < members.count {
      let index = Int(members[next].entry)
      let entry = plan.entries[index]
      if entry.isContinuous || (next > 0 && !isPlain(entry, index)) { return false }
      for place in entry.dependentsStart..<entry.dependentsEnd where self.place(plan.dependents[Int(place)]) == nil {
        add(plan.dependents[Int(place)])
      }
      if members.count > most { return false }
      next += 1
    }
    members.sort { $0.entry < $1.entry }
    for place in members.indices { table.places[Int(members[place].entry)] = Int32(place) }
    return members.count > 1 && members[0].entry == input
  }

  /// Whether an entry has a quick code and is fed at one place, is a sum of Ints, or a `merge` of different events of its scope.
  private func isPlain(_ entry: Entry, _ index: Int) -> Bool {
    if entry.kind != .merge { return template.pointee.rows[index].work != .other }
    return entry.count == table.space.sourceStarts[index + 1] - table.space.sourceStarts[index]
  }

  /// Finds what each member reads, and the gate above it; false where one takes what no member shows.
  private mutating func placeGates() -> Bool {
    members[0].isGate = true
    for place in members.indices.dropFirst() {
      let index = Int(members[place].entry)
      let row = template.pointee.rows[index]
      var sources: [Int] = []
      var above: Int?
      for start in table.space.sourceStarts[index]..<table.space.sourceStarts[index + 1] {
        guard let source = self.place(table.space.sources[Int(start)]) else { continue }
        sources.append(source)
        let gate = members[source].isGate ? source : members[source].gate
        above = above.map { last(above: $0, gate) } ?? gate
      }
      guard let gate = above, row.isLift || !row.hasQuickCode || sources == [self.place(row.source)] else {
        return false
      }
      let isExact = (row.isMap || row.work == .scan) && !template.pointee.entries[index].hasStages
      members[place].sources = sources
      members[place].gate = gate
      members[place].depth = members[gate].depth + 1
      members[place].exact = isExact ? members[sources[0]].exact : place
      members[place].isGate = !isExact && row.work != .liftOnce && members[place].depth < RegionBuilder.deepest
    }
    return true
  }

  /// The last gate that two gates lie behind, or are.
  private func last(above a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while a != b { if members[a].depth < members[b].depth { b = members[b].gate } else { a = members[a].gate } }
    return a
  }

  private func list(_ outputs: [RegionOutput]) -> Region {
    var items: [Int32] = []
    var stretches: [RegionStretch] = []
    var start = 1
    while start < members.count {
      var end = start + 1
      while end < members.count, members[end].gate == members[start].gate { end += 1 }
      // For one entry alone it is as quick to look at what it reads.
      let gate = end - start > 1 ? members[start].gate : 0
      if gate == 0, let last = stretches.last, last.gate < 0 {
        stretches[stretches.count - 1].count += Int32(end - start)
      } else {
        stretches.append(RegionStretch(gate: gate == 0 ? -1 : members[gate].entry, count: Int32(end - start)))
      }
      for member in members[start..<end] { items.append(member.entry << 1 | (isDue(member, behind: gate) ? 0 : 1)) }
      start = end
    }
    let slots = members.map { Int(template.pointee.rows[Int($0.entry)].slot) }.filter { $0 >= 0 }
    let first = slots.min() ?? 0
    return Region(
      input: members[0].entry, items: .copy(items), itemCount: items.count, stretches: .copy(stretches),
      stretchCount: stretches.count,
      outputs: .copy(outputs), outputCount: outputs.count, firstSlot: first,
      slotCount: slots.isEmpty ? 0 : (slots.max() ?? 0) - first + 1, space: table.space)
  }

  /// Whether a member must, or may as well, run whenever its stretch does.
  private func isDue(_ member: Member, behind gate: Int) -> Bool {
    let work = template.pointee.rows[Int(member.entry)].work
    // Of a sum only what has changed is looked at.
    if work == .other || work == .sum || (work == .liftOnce && member.gate == gate) { return true }
    guard member.sources.count == 1 else { return false }
    let exact = members[member.sources[0]].exact
    return exact == 0 || exact == gate
  }
}
