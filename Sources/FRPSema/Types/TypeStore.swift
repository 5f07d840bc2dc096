// All types of a check while it runs: a flat array of nodes, some of them variables. A type is the place of its node;
// a variable that was decided, and a type found equal to another, is a link.
//
// Invariants: a link leads, without cycles, to a node that is none; no type contains itself; the fields of a record
// are in alphabetical order; a record's tail is a variable, a generic, a record or the error type.
//
// Levels (Rémy): a variable's level is that of the outermost definition group that can see it. What has a level above
// the group's own when the group is done belongs to nobody else and is quantified.

import FRPBase
import FRPCore

typealias RecordFieldType = (name: String, type: Ty)

/// Where a type lies in a bigger one, for messages.
enum PathStep: Hashable {
  case field(String)
  case element(Int)
  case parameter(Int)
  case result
  case content(of: String)
}

/// What stands in the way of two types being one: the smallest parts that differ. `expected` is what the place needs.
enum Mismatch: Hashable {
  case different(expected: Ty, actual: Ty)
  case parameterCount(expected: Int, actual: Int)
  /// A record has no such field.
  case noField(String, in: Ty, isExpectedSide: Bool)
  case infinite(Ty, in: Ty)
  case noClass(ClassSet, Ty)
  /// A type variable of an annotation stands for any type, so for no certain one.
  case notAnyType(String, Ty)
  case tooBig
}

struct TypeFailure {
  var mismatch: Mismatch
  /// From the leaf outwards.
  var path: [PathStep] = []
}

final class TypeStore {
  enum Node {
    /// The place of the variable in `variables`.
    case variable(Int)
    case link(Ty)
    case error, unit, bool, int, float, string
    case list(Ty)
    case map(Ty, Ty)
    case event(Ty)
    case task(Ty)
    case tuple([Ty])
    case record([RecordFieldType], tail: Ty?)
    case nominal(NominalID, [Ty])
    case function([Ty], Ty)
    case generic(GenericID)
  }

  struct Variable {
    var level: Int
    var classes: ClassSet = []
    /// The name of a type variable in an annotation: unifies with itself and with undecided variables only.
    var rigid: String?
    /// Overloaded uses that wait for this variable.
    var watchers: [Int] = []
  }

  static let error = Ty(0)
  static let unit = Ty(1)
  static let bool = Ty(2)
  static let int = Ty(3)
  static let float = Ty(4)
  static let string = Ty(5)

  var nodes: [Node] = [.error, .unit, .bool, .int, .float, .string]
  var variables: [Variable] = []
  /// Classes and source name of each generic.
  var generics: [(classes: ClassSet, name: String?)] = []
  /// Visited marks, so that walks over shared types see each node once.
  var marks: [UInt32] = Array(repeating: 0, count: 6)
  var epoch: UInt32 = 0
  /// The level of the definition group under work.
  var level = 0
  /// Overloaded uses whose variable was decided; drained by the checker.
  var ready: [Int] = []
  /// Declared types that hold functions, events or tasks.
  var opaqueNominals: Set<NominalID> = []
  /// Unification steps of the definition under work.
  var steps = 0
  /// How often the error type was found to fit.
  var errorsMet = 0

  /// Deeper types than this are refused: nobody writes them, and walks over types are recursive.
  static let maximalDepth = 400
  /// Bigger types (counted as written out) are refused: Hindley-Milner types can grow exponentially.
  /// A program may write out bigger ones itself: half of its bytes come on top.
  let maximalSize: Int
  /// Steps in one definition group.
  static let maximalSteps = 3_000_000

  /// The work that is left.
  let budget: CheckBudget

  /// The types of a program of so many bytes.
  init(_ budget: CheckBudget, bytes: Int) {
    self.budget = budget
    maximalSize = 4_000 + bytes / 2
  }

  func add(_ node: Node) -> Ty {
    _ = budget.spend(bytes: 100)
    nodes.append(node)
    marks.append(0)
    return Ty(nodes.count - 1)
  }

  func fresh(_ classes: ClassSet = [], rigid: String? = nil) -> Ty {
    variables.append(Variable(level: level, classes: classes, rigid: rigid))
    return add(.variable(variables.count - 1))
  }

  func list(_ element: Ty) -> Ty { add(.list(element)) }
  func event(_ element: Ty) -> Ty { add(.event(element)) }
  func function(_ parameters: [Ty], _ result: Ty) -> Ty { add(.function(parameters, result)) }
  func option(_ element: Ty) -> Ty { add(.nominal(.option, [element])) }

  /// A field whose name the parser missed is none, and the record may have any others.
  func record(_ fields: [RecordFieldType], tail: Ty? = nil) -> Ty {
    let named = fields.filter { !$0.name.isEmpty }
    return add(.record(named.sorted { $0.name < $1.name }, tail: named.count < fields.count ? Self.error : tail))
  }

  /// The node that stands for a type, links followed and shortened.
  func find(_ type: Ty) -> Ty {
    var root = type
    while case .link(let next) = nodes[root.index] { root = next }
    var current = type
    while case .link(let next) = nodes[current.index], next != root {
      nodes[current.index] = .link(root)
      current = next
    }
    return root
  }

  subscript(type: Ty) -> Node { nodes[find(type).index] }

  func variable(_ type: Ty) -> Variable? {
    if case .variable(let index) = self[type] { return variables[index] }
    return nil
  }

  func isError(_ type: Ty) -> Bool {
    if case .error = self[type] { return true }
    return false
  }

  /// Whether nothing is known about a type, not even that it stands for any.
  func isOpen(_ type: Ty) -> Bool {
    if let variable = variable(type) { return variable.rigid == nil }
    return false
  }

  /// All fields of a record, those of its bound tails included, in alphabetical order; the open tail, if there is one.
  func row(_ fields: [RecordFieldType], _ tail: Ty?) -> (fields: [RecordFieldType], tail: Ty?) {
    var all = fields
    var rest = tail
    while let current = rest, case .record(let more, let next) = self[current] {
      all += more
      rest = next
    }
    if all.count > fields.count { all.sort { $0.name < $1.name } }
    return (all, rest.map(find))
  }

  /// The field of a name among fields in alphabetical order. Cost: O(log fields).
  static func field(_ name: String, in fields: [RecordFieldType]) -> RecordFieldType? {
    var low = 0
    var high = fields.count
    while low < high {
      let middle = (low + high) / 2
      if fields[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low < fields.count && fields[low].name == name ? fields[low] : nil
  }

  /// The parts of a type, for walks.
  func parts(_ type: Ty) -> [Ty] {
    switch self[type] {
    case .variable, .link, .error, .unit, .bool, .int, .float, .string, .generic: return []
    case .list(let a), .event(let a), .task(let a): return [a]
    case .map(let a, let b): return [a, b]
    case .tuple(let list), .nominal(_, let list): return list
    case .record(let fields, let tail): return fields.map(\.type) + (tail.map { [$0] } ?? [])
    case .function(let parameters, let result): return parameters + [result]
    }
  }

  /// How big a type is when written out, and how deep; both saturate, so that depth beyond all limits, or a type that is a
  /// part of itself, is only told to be too much. Cost: O(nodes).
  func measure(_ type: Ty) -> (size: Int, depth: Int) {
    let tooMuch = (size: 1_000_000, depth: TypeStore.maximalDepth + 1)
    var known: [Int32: (size: Int, depth: Int)] = [:]
    func visit(_ type: Ty, _ level: Int) -> (size: Int, depth: Int) {
      let root = find(type)
      let list = parts(root)
      if list.isEmpty { return (1, 1) }
      if let result = known[root.raw] { return result }
      if level > TypeStore.maximalDepth { return tooMuch }
      known[root.raw] = tooMuch
      var size = 1
      var depth = 0
      for part in list {
        let inner = visit(part, level + 1)
        size = min(size + inner.size, tooMuch.size)
        depth = max(depth, inner.depth)
      }
      known[root.raw] = (size, depth + 1)
      return (size, depth + 1)
    }
    return visit(type, 1)
  }
}
