// Which instruction a prim is at which types. What is not here is a call of a library routine.

import FRPCore

enum CodeOperators {
  /// Whether a prim is one instruction at some types; for estimates of cost.
  static func isInstruction(_ prim: Prim) -> Bool {
    switch prim {
    case .add, .subtract, .multiply, .divide, .remainder, .negate, .equal, .notEqual, .less, .lessEqual, .greater,
      .greaterEqual, .not, .and, .or, .div, .toFloat, .abs, .min, .max, .sqrt, .mod:
      return true
    default: return false
    }
  }

  /// Arithmetic of two registers.
  static func binary(_ prim: Prim, _ type: TypeID) -> Op? {
    switch (prim, type) {
    case (.add, .int): return .addInt
    case (.subtract, .int): return .subtractInt
    case (.multiply, .int): return .multiplyInt
    case (.div, .int): return .divideInt
    case (.remainder, .int), (.mod, .int): return .remainderInt
    case (.min, .int): return .minInt
    case (.max, .int): return .maxInt
    case (.add, .float): return .addFloat
    case (.subtract, .float): return .subtractFloat
    case (.multiply, .float): return .multiplyFloat
    case (.divide, .float): return .divideFloat
    case (.remainder, .float), (.mod, .float): return .remainderFloat
    case (.min, .float): return .minFloat
    case (.max, .float): return .maxFloat
    default: return nil
    }
  }

  static func unary(_ prim: Prim, _ type: TypeID) -> Op? {
    switch (prim, type) {
    case (.negate, .int): return .negateInt
    case (.negate, .float): return .negateFloat
    case (.abs, .int): return .absInt
    case (.abs, .float): return .absFloat
    case (.toFloat, .int): return .toFloat
    case (.sqrt, .float): return .squareRoot
    case (.sin, .float): return .sine
    case (.cos, .float): return .cosine
    case (.exp, .float): return .exponential
    case (.log, .float): return .logarithm
    case (.not, _): return .not
    default: return nil
    }
  }
}

extension Prim {
  /// Whether the library keeps something between calls: of a list that slides, of a map that changes a little.
  var slides: Bool {
    switch self {
    case .listMap, .listFilter, .listGroupBy, .listCountBy, .mapMap, .mapMapValues, .mapFilter, .mapFilterValues: true
    default: takesEntries
    }
  }

  /// Whether its routine may be given a map in the place of the list of its pairs or values.
  var takesEntries: Bool {
    switch self {
    case .listTopBy, .listMinimum, .listMaximum, .listMinimumBy, .listMaximumBy, .listSum, .listAverage, .listVariance,
      .listMedian, .listQuantile, .listAny, .listAll, .listCount:
      true
    default: false
    }
  }

  /// What it lists of a map.
  var listsEntries: MapEntries? {
    switch self {
    case .mapToList: .pairs
    case .mapValues: .values
    default: nil
    }
  }
}

/// A comparison, so that it can be turned around.
enum Comparison {
  case equal, notEqual, less, lessEqual, greater, greaterEqual

  init?(_ prim: Prim) {
    switch prim {
    case .equal: self = .equal
    case .notEqual: self = .notEqual
    case .less: self = .less
    case .lessEqual: self = .lessEqual
    case .greater: self = .greater
    case .greaterEqual: self = .greaterEqual
    default: return nil
    }
  }

  var isEquality: Bool { self == .equal || self == .notEqual }

  /// The one that holds when this one does not; all data are totally ordered.
  var inverse: Comparison {
    switch self {
    case .equal: return .notEqual
    case .notEqual: return .equal
    case .less: return .greaterEqual
    case .lessEqual: return .greater
    case .greater: return .lessEqual
    case .greaterEqual: return .less
    }
  }

  /// The one that holds of the operands exchanged.
  var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: return self
    case .less: return .greater
    case .lessEqual: return .greaterEqual
    case .greater: return .less
    case .greaterEqual: return .lessEqual
    }
  }

  /// Registers; `greater` forms by exchange.
  var int: Op? {
    switch self {
    case .equal: return .equalInt
    case .notEqual: return .notEqualInt
    case .less: return .lessInt
    case .lessEqual: return .lessEqualInt
    default: return nil
    }
  }

  var intConstant: Op {
    switch self {
    case .equal: return .equalIntK
    case .notEqual: return .notEqualIntK
    case .less: return .lessIntK
    case .lessEqual: return .lessEqualIntK
    case .greater: return .greaterIntK
    case .greaterEqual: return .greaterEqualIntK
    }
  }

  var float: Op? {
    switch self {
    case .equal: return .equalFloat
    case .notEqual: return .notEqualFloat
    case .less: return .lessFloat
    case .lessEqual: return .lessEqualFloat
    default: return nil
    }
  }

  var floatConstant: Op? {
    switch self {
    case .less: return .lessFloatK
    case .lessEqual: return .lessEqualFloatK
    case .greater: return .greaterFloatK
    case .greaterEqual: return .greaterEqualFloatK
    default: return nil
    }
  }

  /// Any type; `greater` forms by exchange.
  var structural: Op? {
    switch self {
    case .equal: return .equal
    case .notEqual: return .notEqual
    case .less: return .less
    case .lessEqual: return .lessEqual
    default: return nil
    }
  }
}
