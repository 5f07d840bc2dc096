// Operations on constants, for evaluation and for calls that are written out: what cannot fault, and decides structure.

import FRPCore

extension CoreExpr {
  /// What an operation gives on known operands; nil where it is not known, would fault or leave the numbers there are.
  package static func folded(_ prim: Prim, _ operands: [CoreExpr]) -> CoreExpr? {
    switch (prim, operands.first, operands.count > 1 ? operands[1] : nil) {
    case (.not, .bool(let a)?, _): .bool(!a)
    case (.negate, .int(let a)?, _): a == Int.min ? nil : .int(-a)
    case (.negate, .float(let a)?, _): .float(-a)
    case (.toFloat, .int(let a)?, _): .float(Double(a))
    case (_, .int(let a)?, .int(let b)?): folded(prim, a, b) ?? compared(prim, a, b)
    case (_, .float(let a)?, .float(let b)?): folded(prim, a, b) ?? compared(prim, a, b)
    case (.and, .bool(let a)?, .bool(let b)?): .bool(a && b)
    case (.or, .bool(let a)?, .bool(let b)?): .bool(a || b)
    case (.equal, .bool(let a)?, .bool(let b)?): .bool(a == b)
    case (.notEqual, .bool(let a)?, .bool(let b)?): .bool(a != b)
    case (.equal, .string(let a)?, .string(let b)?): .bool(a.isSame(as: b))
    case (.notEqual, .string(let a)?, .string(let b)?): .bool(!a.isSame(as: b))
    default: nil
    }
  }

  private static func folded(_ prim: Prim, _ a: Int, _ b: Int) -> CoreExpr? {
    func checked(_ result: (partialValue: Int, overflow: Bool)) -> CoreExpr? {
      result.overflow ? nil : .int(result.partialValue)
    }
    return switch prim {
    case .add: checked(a.addingReportingOverflow(b))
    case .subtract: checked(a.subtractingReportingOverflow(b))
    case .multiply: checked(a.multipliedReportingOverflow(by: b))
    case .min: .int(min(a, b))
    case .max: .int(max(a, b))
    case .remainder where b > 0: .int(a % b < 0 ? a % b + b : a % b)
    case .div where b > 0: .int(a >= 0 ? a / b : (a + 1) / b - 1)
    default: nil
    }
  }

  private static func folded(_ prim: Prim, _ a: Double, _ b: Double) -> CoreExpr? {
    let result: Double
    switch prim {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    default: return nil
    }
    return result.isFinite ? .float(result) : nil
  }

  private static func compared<T: Comparable>(_ prim: Prim, _ a: T, _ b: T) -> CoreExpr? {
    switch prim {
    case .equal: .bool(a == b)
    case .notEqual: .bool(a != b)
    case .less: .bool(a < b)
    case .lessEqual: .bool(a <= b)
    case .greater: .bool(a > b)
    case .greaterEqual: .bool(a >= b)
    default: nil
    }
  }
}

extension String {
  /// Strings of the language are the same where their bytes are; Swift's `==` would take `\u{e9}` for `e\u{301}`.
  package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
