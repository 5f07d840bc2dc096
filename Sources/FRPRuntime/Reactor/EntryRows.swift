// What an instant needs of an entry when it runs or has changed: one row of 40 bytes, so that the loop over a frame's
// entries touches few lines of the cache.

import FRPCore
import FRPGraph

/// Entries to be marked, of one word of a frame's marks.
struct MarkRow {
  var bits: UInt64
  /// Which word.
  var word: Int32
}

/// An entry of a template.
struct EntryRow {
  /// What the loop of QuickEntries.swift does with an entry that has a quick code; `other` entries and sums go through `execute`.
  /// `liftOnce` and `mapOnce` have a code of one instruction: a lift of slots, a map that reads none. `sum` is one of Ints.
  enum Work: UInt8 {
    case other, sum, lift, map, scan, fold, liftOnce, mapOnce, filter, filterMap, hold
  }

  var work = Work.other
  var isOutput: Bool
  var isResult: Bool
  var hasTail: Bool
  var equality: ValueEquality
  /// Whether entries of the early part, or of the late part, are among those to be marked.
  var marksEarly = false
  var marksLate = false
  var slot: Int32
  var state: Int32
  /// Of all but lifts: the entry of the same frame that feeds it.
  var source: Int32
  var markCount: Int32 = 0
  /// What depends on it.
  var marks: UnsafeMutablePointer<MarkRow>
  /// Its quick code, unless it is `other`, or a `hold` of what occurs.
  var code: UnsafePointer<Instr>?
}

extension EntryRow {
  var hasQuickCode: Bool { work.rawValue > Work.sum.rawValue }
  var isMap: Bool { work == .map || work == .mapOnce }
  var isLift: Bool { work == .lift || work == .liftOnce }

  init(_ entry: Entry, _ marks: UnsafeMutablePointer<MarkRow>, quickCode: UnsafePointer<Instr>?) {
    isOutput = entry.isOutput
    isResult = entry.isResult
    hasTail = entry.hasTail
    equality = entry.equality
    slot = entry.slot
    state = entry.state
    source = entry.first.entry
    self.marks = marks
    let isFedHere = entry.first.up == 0 && entry.first.entry >= 0
    if entry.kind == .hold, !entry.hasStages, isFedHere { work = .hold }
    if entry.kind == .sum, entry.equality == .word { work = .sum }
    guard let quickCode else { return }
    switch entry.kind {
    case .lift: work = .lift
    case .map: if isFedHere { work = .map }
    case .scan: if isFedHere { work = .scan }
    case .fold: if isFedHere { work = .fold }
    case .filter: if isFedHere { work = .filter }
    case .filterMap: if isFedHere { work = .filterMap }
    case .hold: if isFedHere, entry.hasStages { work = .hold }
    default: break
    }
    if work != .other, entry.kind != .hold || entry.hasStages { code = quickCode }
    if work == .lift, QuickCode.isOfSlots(quickCode.pointee) { work = .liftOnce }
    if work == .map, QuickCode.isOfOccurrence(quickCode.pointee) { work = .mapOnce }
  }

  /// The rows of a template, and all their marks in one block.
  static func rows(_ template: Template, quickCode: (Entry) -> UnsafePointer<Instr>?)
    -> (UnsafeMutablePointer<EntryRow>, UnsafeMutablePointer<MarkRow>)
  {
    var all: [MarkRow] = []
    var starts: [Int] = []
    for entry in template.entries {
      starts.append(all.count)
      // They are sorted, so those of one word stand together.
      for place in entry.dependentsStart..<entry.dependentsEnd {
        let dependent = template.dependents[Int(place)]
        if all.count == starts[starts.count - 1] || all[all.count - 1].word != dependent >> 6 {
          all.append(MarkRow(bits: 0, word: dependent >> 6))
        }
        all[all.count - 1].bits |= 1 << UInt64(dependent & 63)
      }
    }
    let marks = UnsafeMutablePointer<MarkRow>.copy(all)
    let rows = template.entries.enumerated().map { index, entry in
      var row = EntryRow(entry, marks + starts[index], quickCode: quickCode(entry))
      row.markCount = Int32((index + 1 < starts.count ? starts[index + 1] : all.count) - starts[index])
      for place in entry.dependentsStart..<entry.dependentsEnd {
        if template.dependents[Int(place)] < template.earlyCount { row.marksEarly = true } else { row.marksLate = true }
      }
      return row
    }
    return (.copy(rows), marks)
  }

  /// The only entry that runs when an occurrence is handed to a scope, if that entry has a quick code, is what the scope
  /// shows, and marks nothing; -1 if there is more to it.
  static func sole(_ template: Template, _ rows: UnsafeMutablePointer<EntryRow>, inlet: Int) -> Int32 {
    guard inlet >= 0, template.results.count == 1, template.results[0].up == 0, template.earlyCaptures.isEmpty else {
      return -1
    }
    let index = Int(template.results[0].entry)
    guard index >= 0, index != inlet, rows[index].isMap || rows[index].work == .scan,
      Int(rows[index].source) == inlet, rows[index].markCount == 0
    else { return -1 }
    let entry = template.entries[inlet]
    let fed = template.dependents[Int(entry.dependentsStart)..<Int(entry.dependentsEnd)]
    return fed.count == 1 && fed.first == Int32(index) ? Int32(index) : -1
  }
}
