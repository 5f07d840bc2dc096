// The equations of list functions, in the plainest domain: values. They give what Swift's own functions give.

import FRPBase
import FRPCore
import FRPPasses
import Testing

/// A value that is known altogether.
private indirect enum Value: Equatable, CustomStringConvertible {
  case int(Int)
  case bool(Bool)
  case pair(Value, Value)
  case list([Value])
  case option(Value?)
  case function(Function)

  enum Function { case isEven, double, half, twice, add, plus }

  var description: String {
    switch self {
    case .int(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .pair(let a, let b): "(\(a), \(b))"
    case .list(let all): "\(all)"
    case .option(let content): content.map { "Some(\($0))" } ?? "None"
    case .function: "f"
    }
  }

  var int: Int { if case .int(let value) = self { value } else { 0 } }

  static func ints(_ all: some Sequence<Int>) -> Value { .list(all.map { .int($0) }) }
}

private struct Values: ListDomain {
  var types = TypeTable()
  lazy var ints = types.list(.int)
  lazy var pairs = types.list(types.intern(.tuple([.int, .int])))
  lazy var parted = types.intern(.tuple([ints, ints]))

  func constant(_ known: CoreExpr, _ type: TypeID, _ span: Span) -> Value {
    switch known {
    case .int(let value): .int(value)
    case .bool(let value): .bool(value)
    default: .option(nil)
    }
  }
  func pair(_ a: Value, _ b: Value, type: TypeID, at span: Span) -> Value { .pair(a, b) }
  func list(_ items: [Value], _ type: TypeID, at span: Span) -> Value { .list(items) }
  func option(_ content: Value?, _ type: TypeID, at span: Span) -> Value { .option(content) }
  func operation(_ prim: Prim, _ operands: [Value], type: TypeID, at span: Span) -> Value {
    let known: [CoreExpr] = operands.map { if case .bool(let value) = $0 { .bool(value) } else { .int($0.int) } }
    return CoreExpr.folded(prim, known).map { constant($0, type, span) } ?? .option(nil)
  }
  func conditional(_ test: Value, _ a: Value, _ b: Value, _ type: TypeID, _ span: Span) -> Value? {
    if case .bool(let holds) = test { holds ? a : b } else { nil }
  }
  func opened(_ option: Value, _ content: TypeID, at span: Span) -> (isThere: Value, content: Value)? {
    if case .option(let content) = option { (.bool(content != nil), content ?? .int(0)) } else { nil }
  }
  func applied(_ function: Value, _ arguments: [Value], at span: Span) -> Value? {
    guard case .function(let function) = function else { return nil }
    let x = arguments[0].int
    switch function {
    case .isEven: return .bool(x % 2 == 0)
    case .double: return .int(x * 2)
    case .half: return .option(x % 2 == 0 ? .int(x / 2) : nil)
    case .twice: return .ints([x, x])
    case .add: return .int(x * 10 + arguments[1].int)
    case .plus: return .int(x * 100 + arguments[1].int)
    }
  }
  func elements(of list: Value) -> [Value]? { if case .list(let all) = list { all } else { nil } }
  func int(of item: Value) -> Int? { if case .int(let value) = item { value } else { nil } }
  func piece(_ list: Value) -> [Value]? { elements(of: list) }
  func piece(of item: Value) -> [Value] { [item] }
  func joined(_ pieces: [[Value]], _ type: TypeID, at span: Span) -> Value { .list(Array(pieces.joined())) }
}

@Suite struct ListEquationTests {
  private let samples = [[], [1], [2], [4, 2, 7], [1, 2, 3, 4, 5], [2, 2], [3, 1]]

  /// What an equation gives for a list.
  private func given(_ prim: Prim, _ list: [Int], _ rest: Value...) -> Value? {
    var domain = Values()
    let type =
      prim == .listPartition ? domain.parted : [.listIndexed, .listZip].contains(prim) ? domain.pairs : domain.ints
    let items = list.map { Value.int($0) }
    if case .function? = rest.last { return domain.mapped(prim, items, arguments: rest, type: type, at: .none) }
    return domain.moved(prim, items, rest: rest, type: type, at: .none)
  }

  @Test func elementsAreMovedAbout() {
    for list in samples {
      #expect(given(.listSize, list) == .int(list.count))
      #expect(given(.listIsEmpty, list) == .bool(list.isEmpty))
      #expect(given(.listReverse, list) == .ints(list.reversed()))
      #expect(given(.listHead, list) == .option(list.first.map { .int($0) }))
      #expect(given(.listLast, list) == .option(list.last.map { .int($0) }))
      #expect(given(.append, list, .ints([8, 9])) == .ints(list + [8, 9]))
      #expect(given(.listIndexed, list) == .list(list.enumerated().map { .pair(.int($0), .int($1)) }))
      #expect(given(.listZip, list, .ints([8, 9])) == .list(zip(list, [8, 9]).map { .pair(.int($0), .int($1)) }))
      for count in -1...4 {
        let some = max(0, count)
        #expect(given(.listTake, list, .int(count)) == .ints(list.prefix(some)))
        #expect(given(.listDrop, list, .int(count)) == .ints(list.dropFirst(some)))
        #expect(given(.listTakeLast, list, .int(count)) == .ints(list.suffix(some)))
        #expect(given(.listDropLast, list, .int(count)) == .ints(list.dropLast(some)))
        let element = list.indices.contains(count) ? Value.int(list[count]) : nil
        #expect(given(.listGet, list, .int(count)) == .option(element))
        var changed = list
        if list.indices.contains(count) { changed[count] = 9 }
        #expect(given(.listSet, list, .int(count), .int(9)) == (element == nil ? nil : .ints(changed)))
        let starts = count < 1 ? [] : Array(stride(from: 0, to: list.count, by: count))
        let chunks = Value.list(starts.map { .ints(list[$0...].prefix(count)) })
        #expect(given(.listChunk, list, .int(count)) == (count < 1 ? nil : chunks))
      }
    }
  }

  @Test func functionsAreAppliedToEach() {
    for list in samples {
      #expect(given(.listMap, list, .function(.double)) == .ints(list.map { $0 * 2 }))
      #expect(given(.listMapIndexed, list, .function(.plus)) == .ints(list.enumerated().map { $0 * 100 + $1 }))
      #expect(given(.listFold, list, .int(0), .function(.add)) == .int(list.reduce(0) { $0 * 10 + $1 }))
      #expect(given(.listFoldRight, list, .int(0), .function(.add)) == .int(list.reversed().reduce(0) { $0 * 10 + $1 }))
      let pairs = zip(list, [8, 9]).map { $0 * 10 + $1 }
      #expect(given(.listZipWith, list, .ints([8, 9]), .function(.add)) == .ints(pairs))
      #expect(given(.listFlatMap, list, .function(.twice)) == .ints(list.flatMap { [$0, $0] }))
      let halves = list.filter { $0 % 2 == 0 }.map { $0 / 2 }
      #expect(given(.listFilterMap, list, .function(.half)) == .ints(halves))
    }
  }

  @Test func testsDecide() {
    let isEven = Value.function(.isEven)
    for list in samples {
      let evens = list.filter { $0 % 2 == 0 }
      let place = list.firstIndex { $0 % 2 == 0 }
      #expect(given(.listFilter, list, isEven) == .ints(evens))
      #expect(given(.listAny, list, isEven) == .bool(!evens.isEmpty))
      #expect(given(.listAll, list, isEven) == .bool(evens.count == list.count))
      #expect(given(.listCount, list, isEven) == .int(evens.count))
      #expect(given(.listFind, list, isEven) == .option(evens.first.map { .int($0) }))
      #expect(given(.listFindIndex, list, isEven) == .option(place.map { .int($0) }))
      #expect(given(.listTakeWhile, list, isEven) == .ints(list.prefix { $0 % 2 == 0 }))
      #expect(given(.listDropWhile, list, isEven) == .ints(list.drop { $0 % 2 == 0 }))
      let others = Value.ints(list.filter { $0 % 2 != 0 })
      #expect(given(.listPartition, list, isEven) == .pair(.ints(evens), others))
    }
  }

  @Test func whatIsNotKnownIsNotDecided() {
    #expect(given(.listFilter, [1], .function(.double)) == nil)
    #expect(given(.listFlatMap, [1], .function(.double)) == nil)
    #expect(given(.listTake, [1], .bool(true)) == nil)
    #expect(given(.listSort, [1]) == nil)
  }
}

@Suite struct ConstantTests {
  @Test(arguments: [
    (Prim.add, 1, 2, 3), (.subtract, 1, 2, -1), (.multiply, 3, -2, -6), (.remainder, -7, 3, 2), (.remainder, 7, 3, 1),
    (.div, -7, 2, -4), (.div, 7, 2, 3), (.min, 3, 2, 2), (.max, 3, 2, 3),
  ])
  func numbersAreFolded(_ prim: Prim, _ a: Int, _ b: Int, _ result: Int) {
    guard case .int(result)? = CoreExpr.folded(prim, [.int(a), .int(b)]) else {
      Issue.record("\(prim) \(a) \(b)")
      return
    }
  }

  /// What would fault stays, so that it faults when the program runs.
  @Test func whatWouldFaultIsLeft() {
    #expect(isLeft(.add, [.int(.max), .int(1)]))
    #expect(isLeft(.negate, [.int(.min)]))
    #expect(isLeft(.div, [.int(1), .int(0)]))
    #expect(isLeft(.remainder, [.int(1), .int(0)]))
    #expect(isLeft(.multiply, [.float(1e300), .float(1e300)]))
    #expect(isLeft(.divide, [.float(1), .float(2)]))
  }

  private func isLeft(_ prim: Prim, _ operands: [CoreExpr]) -> Bool {
    if case nil = CoreExpr.folded(prim, operands) { true } else { false }
  }

  @Test func stringsAreComparedByTheirBytes() {
    guard case .bool(false)? = CoreExpr.folded(.equal, [.string("\u{e9}"), .string("e\u{301}")]) else {
      Issue.record("they are not the same")
      return
    }
  }
}
