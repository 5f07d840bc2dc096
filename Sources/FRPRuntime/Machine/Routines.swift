// Library routines: what the machine does not do by itself. A routine gets its arguments as consecutive words and the
// types at which it is called, and gives one word. It may allocate (nothing moves meanwhile) and call functions with
// `machine.apply` (then things move, but not what its variables point to: see Collecting.swift); it must be pure. Long loops count their steps with `machine.step`.
//
// `RoutineTable.all` is the sum of the lists in Library/*; a `Prim` without instruction or routine faults when called.

import FRPBase
import FRPCore
import FRPGraph

public typealias Routine = @Sendable (Machine, Arguments) throws(Fault) -> Word

/// What a routine is called with: consecutive words, and the call with the types at which it is made.
public struct Arguments {
  let words: UnsafePointer<Word>
  let place: UnsafePointer<PrimCall>

  public init(_ words: UnsafePointer<Word>, of place: UnsafePointer<PrimCall>) {
    self.words = words
    self.place = place
  }

  @inline(__always)
  subscript(index: Int) -> Word { words[index] }

  @inline(__always)
  var call: PrimCall { place.pointee }
}

public enum RoutineTable {
  /// By `Prim.rawValue`.
  static let routines: [Routine?] = {
    let width = Int(Prim.allCases.map(\.rawValue).max() ?? 0) + 1
    var result = [Routine?](repeating: nil, count: width)
    for (prim, routine) in all { result[Int(prim.rawValue)] = routine }
    return result
  }()

  static let all: [(Prim, Routine)] = basics + library
}

// The operators that are not instructions at every type.
extension RoutineTable {
  static let basics: [(Prim, Routine)] = [
    (.append, append), (.range, range),
    (.equal, comparison { $0 == 0 }), (.notEqual, comparison { $0 != 0 }), (.less, comparison { $0 < 0 }),
    (.lessEqual, comparison { $0 <= 0 }), (.greater, comparison { $0 > 0 }), (.greaterEqual, comparison { $0 >= 0 }),
  ]

  /// `a ++ b`, strings or lists.
  static let append: Routine = { (machine, arguments) throws(Fault) -> Word in
    let heap = machine.heap
    let result = arguments.call.result
    if heap.shapes[result].kind == .string { return try machine.concatenate(arguments.words, 2) }
    let element = heap.shapes[result].first
    return try machine.append(arguments[0], list: arguments[1], references: heap.shapes.isReference(element))
  }

  /// Comparisons at types whose number does not fit into an instruction.
  static func comparison(_ holds: @escaping @Sendable (Int) -> Bool) -> Routine {
    { (machine, arguments) throws(Fault) -> Word in
      Word(bool: holds(machine.heap.compare(arguments[0], arguments[1], type: arguments.call.a0)))
    }
  }

  /// `a..b`.
  static let range: Routine = { (machine, arguments) throws(Fault) -> Word in
    let low = arguments[0].int
    let high = arguments[1].int
    if low > high { return machine.heap.emptyList }
    let (difference, overflow) = high.subtractingReportingOverflow(low)
    if overflow || difference >= Int.max / 16 { throw Fault.memory }
    var builder = try ListBuilder(machine.heap, references: false, capacity: difference + 1)
    for offset in 0...difference {
      try machine.step()
      try builder.append(Word(int: low + offset))
    }
    return try builder.finish()
  }
}

extension Machine {
  /// `list ++ [element]`; a step for eight words that are copied, unless they are paid for.
  @inline(__always)
  func append(_ list: Word, _ element: Word, references: Bool) throws(Fault) -> Word {
    try heap.append(list, element, references: references) { (words) throws(Fault) in try pause(words / 8) }
  }

  /// `first ++ second`; a step for eight words that are copied, unless they are paid for.
  func append(_ first: Word, list second: Word, references: Bool) throws(Fault) -> Word {
    try heap.append(first, list: second, references: references) { (words) throws(Fault) in try pause(words / 8) }
  }

  /// The strings of consecutive words, joined; a step for 64 bytes.
  func concatenate(_ strings: UnsafePointer<Word>, _ count: Int) throws(Fault) -> Word {
    let wasNewest = heap.isNewest(text: strings[0])
    let text = try heap.concatenate(strings, count) { (bytes) throws(Fault) in
      try bytes > 0 && bytes < 64 ? () : pause(bytes / 64)
    }
    if Heap.isGrown(text), !heap.isASCII(text) { try passCharacters(of: strings[0], wasNewest, to: text) }
    return text
  }
}
