// Routines of options (None has tag 0, Some tag 1) and results (Ok has tag 0, Err tag 1).

import FRPCore
import FRPGraph

extension RoutineTable {
  static let options: [(Prim, Routine)] = [
    (.optionWithDefault, optionWithDefault), (.optionMap, optionMap), (.optionMap2, optionMap2),
    (.optionFlatMap, optionFlatMap), (.optionFilter, optionFilter), (.optionOrElse, optionOrElse),
    (.optionIsSome, optionIsSome), (.optionIsNone, optionIsNone), (.optionToResult, optionToResult),
    (.optionToList, optionToList), (.optionAll, optionAll),
  ]

  static let results: [(Prim, Routine)] = [
    (.resultWithDefault, resultWithDefault), (.resultMap, resultMap), (.resultMap2, resultMap2),
    (.resultFlatMap, resultFlatMap), (.resultMapError, resultMapError), (.resultRecover, resultRecover),
    (.attempt, attempt),
    (.resultIsOk, resultIsOk), (.resultIsErr, resultIsErr), (.resultOk, resultOk), (.resultErr, resultErr),
    (.resultAll, resultAll),
  ]

  // MARK: Options

  private static func optionWithDefault(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    a[0] == .none ? a[1] : a[0].field(0)
  }

  private static func optionMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    a[0] == .none ? .none : try m.heap.some(try m.apply(a[1], a[0].field(0)), a.call.result)
  }

  private static func optionMap2(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[0] == .none || a[1] == .none { return .none }
    return try m.heap.some(try m.apply(a[2], a[0].field(0), second: a[1].field(0)), a.call.result)
  }

  private static func optionFlatMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    a[0] == .none ? .none : try m.apply(a[1], a[0].field(0))
  }

  private static func optionFilter(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[0] == .none { return .none }
    return try m.apply(a[1], a[0].field(0)).bool ? a[0] : .none
  }

  private static func optionOrElse(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    a[0] == .none ? a[1] : a[0]
  }

  private static func optionIsSome(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: a[0] != .none)
  }

  private static func optionIsNone(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: a[0] == .none)
  }

  private static func optionToResult(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if a[0] == .none { return try m.heap.construct(a.call.result, tag: 1, field: a[1]) }
    return try m.heap.construct(a.call.result, tag: 0, field: a[0].field(0))
  }

  private static func optionToList(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    a[0] == .none
      ? m.heap.emptyList : try m.heap.list([a[0].field(0)], references: m.heap.hasReferences(a.call.result))
  }

  private static func optionAll(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    var result = try builder(m, m.heap.shapes.fieldType(a.call.result, tag: 1, 0), capacity: list.count)
    for option in list {
      try m.step()
      if option == .none { return .none }
      try result.append(option.field(0))
    }
    return try m.heap.some(try result.finish(), a.call.result)
  }

  // MARK: Results

  @inline(__always)
  private static func isOk(_ result: Word) -> Bool { result.tag == 0 }

  @inline(__always)
  private static func ok(_ m: Machine, _ value: Word, type: TypeID) throws(Fault) -> Word {
    try m.heap.construct(type, tag: 0, field: value)
  }

  @inline(__always)
  private static func err(_ m: Machine, _ error: Word, type: TypeID) throws(Fault) -> Word {
    try m.heap.construct(type, tag: 1, field: error)
  }

  /// Calls the function of nothing that computes the argument.
  private static func attempt(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let result = try m.attempt(a[0], Word.unit)
    return try m.heap.construct(a.call.result, tag: result.isOk ? 0 : 1, field: result.value)
  }

  private static func resultWithDefault(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    isOk(a[0]) ? a[0].field(0) : a[1]
  }

  private static func resultMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    // An error is made again: the header of its object follows the type.
    if !isOk(a[0]) { return try err(m, a[0].field(0), type: a.call.result) }
    return try ok(m, try m.apply(a[1], a[0].field(0)), type: a.call.result)
  }

  private static func resultMap2(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if !isOk(a[0]) { return try err(m, a[0].field(0), type: a.call.result) }
    if !isOk(a[1]) { return try err(m, a[1].field(0), type: a.call.result) }
    return try ok(m, try m.apply(a[2], a[0].field(0), second: a[1].field(0)), type: a.call.result)
  }

  private static func resultFlatMap(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if !isOk(a[0]) { return try err(m, a[0].field(0), type: a.call.result) }
    return try m.apply(a[1], a[0].field(0))
  }

  private static func resultMapError(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if isOk(a[0]) { return try ok(m, a[0].field(0), type: a.call.result) }
    return try err(m, try m.apply(a[1], a[0].field(0)), type: a.call.result)
  }

  private static func resultRecover(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    if isOk(a[0]) { return try ok(m, a[0].field(0), type: a.call.result) }
    return try m.apply(a[1], a[0].field(0))
  }

  private static func resultIsOk(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: isOk(a[0]))
  }

  private static func resultIsErr(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    Word(bool: !isOk(a[0]))
  }

  private static func resultOk(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    isOk(a[0]) ? try m.heap.some(a[0].field(0), a.call.result) : .none
  }

  private static func resultErr(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    isOk(a[0]) ? .none : try m.heap.some(a[0].field(0), a.call.result)
  }

  private static func resultAll(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let list = ListView(a[0])
    var values = try builder(m, m.heap.shapes.fieldType(a.call.result, tag: 0, 0), capacity: list.count)
    for result in list {
      try m.step()
      if !isOk(result) { return try err(m, result.field(0), type: a.call.result) }
      try values.append(result.field(0))
    }
    return try ok(m, try values.finish(), type: a.call.result)
  }
}

extension Machine {
  /// What a function gives or, if it faults, an error with the fault's message. Limits are not to be caught: who meets one
  /// is stopped.
  func attempt(_ function: Word, _ argument: Word) throws(Fault) -> (isOk: Bool, value: Word) {
    let message: String
    do throws(Fault) {
      return (true, try apply(function, argument))
    } catch {
      if case .limit = error.kind { throw error }
      message = error.text
    }
    return (false, try heap.error(message))
  }
}
