// Operators.
//
//   + - *       Num t   => (t, t) -> t          ==  !=      Eq t  => (t, t) -> Bool
//   /           (Float, Float) -> Float         < <= > >=   Ord t => (t, t) -> Bool
//   %  ..       (Int, Int) -> Int, List<Int>    &&  ||      (Bool, Bool) -> Bool
//   ++          Append t => (t, t) -> t         -  !        Num t => (t) -> t, (Bool) -> Bool

import FRPBase
import FRPCore
import FRPSyntax

extension Checker {
  /// Chains of operators and pipes lean to the left and can be long: a loop.
  func inferSpine(_ id: ExprID) -> Ty {
    var chain: [ExprID] = []
    var current = id
    loop: while true {
      switch tree[current] {
      case .binary(_, let left, _, _), .pipe(let left, _):
        chain.append(current)
        current = left
      default: break loop
      }
    }
    var type = infer(current)
    for step in chain.reversed() {
      switch tree[step] {
      case .binary(let op, let left, let right, _):
        type = inferBinary(step, op, left: left, leftType: type, right: right)
      case .pipe(let left, let right): type = inferPipe(step, left, leftType: type, right: right)
      default: break
      }
      exprTypes[step.index] = type
    }
    return type
  }

  private func inferBinary(_ id: ExprID, _ op: BinaryOp, left: ExprID, leftType: Ty, right: ExprID) -> Ty {
    let onLeft = Reason.operand(op, id, isLeft: true)
    let onRight = Reason.operand(op, id, isLeft: false)
    var isFine = true
    func both(_ type: Ty) {
      isFine = require(left, leftType, is: type, onLeft)
      check(right, type, onRight)
    }
    switch op {
    case .and, .or:
      both(TypeStore.bool)
      return isFine ? TypeStore.bool : TypeStore.error
    case .divide:
      both(TypeStore.float)
      return isFine ? TypeStore.float : TypeStore.error
    case .remainder:
      both(TypeStore.int)
      return isFine ? TypeStore.int : TypeStore.error
    case .range:
      both(TypeStore.int)
      return store.list(TypeStore.int)
    case .add, .subtract, .multiply:
      return sameType(id, op, classes: .num, left: left, leftType: leftType, right: right)
    case .append: return sameType(id, op, classes: .append, left: left, leftType: leftType, right: right)
    case .equal, .notEqual:
      _ = sameType(id, op, classes: .eq, left: left, leftType: leftType, right: right)
      return TypeStore.bool
    case .less, .lessEqual, .greater, .greaterEqual:
      _ = sameType(id, op, classes: .ord, left: left, leftType: leftType, right: right)
      return TypeStore.bool
    }
  }

  /// Both operands have one type, of a class; that type, or the error type.
  private func sameType(
    _ id: ExprID, _ op: BinaryOp, classes: ClassSet, left: ExprID, leftType: Ty, right: ExprID
  ) -> Ty {
    let rightType = names.unknowns[right] == nil ? infer(right) : unknown(right, needed: leftType)
    if store.isError(leftType) || store.isError(rightType) { return TypeStore.error }
    if op == .append, head(leftType) == .event, head(rightType) == .event, show(leftType).text == show(rightType).text {
      report(.appendedEvents(id, left, right), at: tree.span(id))
      return TypeStore.error
    }
    guard demand(classes, left, type: leftType, reason: .operand(op, id, isLeft: true)),
      demand(classes, right, type: rightType, reason: .operand(op, id, isLeft: false))
    else { return TypeStore.error }
    return require(right, rightType, is: leftType, .operand(op, id, isLeft: false)) ? leftType : TypeStore.error
  }

  private func unknown(_ id: ExprID, needed: Ty) -> Ty {
    reportUnknown(id, needed: needed)
    return TypeStore.error
  }

  func inferUnary(_ id: ExprID, _ op: UnaryOp, operand: ExprID) -> Ty {
    switch op {
    case .not:
      check(operand, TypeStore.bool, .unaryOperand(op, id))
      return TypeStore.bool
    case .negate:
      let type = infer(operand)
      return demand(.num, operand, type: type, reason: .unaryOperand(op, id)) ? type : TypeStore.error
    }
  }

  func inferOperatorFunction(_ op: BinaryOp) -> Ty {
    switch op {
    case .and, .or: return store.function([TypeStore.bool, TypeStore.bool], TypeStore.bool)
    case .divide: return store.function([TypeStore.float, TypeStore.float], TypeStore.float)
    case .remainder: return store.function([TypeStore.int, TypeStore.int], TypeStore.int)
    case .range: return store.function([TypeStore.int, TypeStore.int], store.list(TypeStore.int))
    case .add, .subtract, .multiply:
      let type = store.fresh(.num)
      return store.function([type, type], type)
    case .append:
      let type = store.fresh(.append)
      return store.function([type, type], type)
    case .equal, .notEqual:
      let type = store.fresh(.eq)
      return store.function([type, type], TypeStore.bool)
    case .less, .lessEqual, .greater, .greaterEqual:
      let type = store.fresh(.ord)
      return store.function([type, type], TypeStore.bool)
    }
  }
}
