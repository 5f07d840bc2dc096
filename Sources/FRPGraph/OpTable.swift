// The table of the machine's operations: how an instruction of each uses its fields, where it can run, and which other forms it
// has. What an operation computes stands in FRPRuntime (Machine/Loop.swift, Machine/QuickLoop.swift, Native/NativeInstructions.swift);
// all else about it stands here.

/// What is known of an operation without its meaning.
public struct OpShape: Sendable {
  /// The registers that an instruction reads, by the fields that name them.
  public enum Reads: Sendable {
    case nothing, a, b
    case bAndC
    case aAndB
    /// As many as d says, from b on.
    case row
    /// Others; operations of the big loop alone.
    case others
  }

  /// Which codes may contain it.
  public enum Codes: Sendable {
    /// All.
    case all
    /// Those that the big loop runs.
    case slow
    /// Those that were made for the quick loop.
    case quick
  }

  public var reads: Reads
  public var codes = Codes.all
  /// Whether its last field, or a, says how far to go on from here.
  public var isJump = false

  /// What makes r[a] of r[b], with a constant or a number besides.
  static let unary = OpShape(reads: .b)
  /// What makes r[a] of r[b] and r[c].
  static let binary = OpShape(reads: .bAndC)
  /// What makes r[a] of no register.
  static let load = OpShape(reads: .nothing)
  static let slow = OpShape(reads: .others, codes: .slow)
  static func jump(_ reads: Reads) -> OpShape { OpShape(reads: reads, isJump: true) }
  static func quick(_ reads: Reads) -> OpShape { OpShape(reads: reads, codes: .quick) }
}

extension Op {
  public var shape: OpShape {
    switch self {
    case .small, .constant, .slot, .pull, .skip: .load
    case .move, .field, .hasTag, .not, .toFloat, .negateInt, .absInt, .negateFloat, .absFloat, .squareRoot, .sine,
      .cosine, .exponential, .logarithm, .addIntK, .subtractIntK, .multiplyIntK, .divideIntK, .remainderIntK,
      .reverseSubtractIntK, .addFloatK, .subtractFloatK, .multiplyFloatK, .divideFloatK, .reverseSubtractFloatK,
      .reverseDivideFloatK, .equalIntK, .notEqualIntK, .lessIntK, .lessEqualIntK, .greaterIntK, .greaterEqualIntK,
      .lessFloatK, .lessEqualFloatK, .greaterFloatK, .greaterEqualFloatK:
      .unary
    case .addInt, .subtractInt, .multiplyInt, .divideInt, .remainderInt, .minInt, .maxInt, .addFloat, .subtractFloat,
      .multiplyFloat, .divideFloat, .minFloat, .maxFloat, .equalInt, .notEqualInt, .lessInt, .lessEqualInt,
      .equalFloat, .notEqualFloat, .lessFloat, .lessEqualFloat, .equalString, .notEqualString:
      .binary
    case .construct: OpShape(reads: .row)
    case .result, .resultPulled: OpShape(reads: .a)
    case .jump: .jump(.nothing)
    case .jumpIf, .jumpUnless, .unlessTag, .unlessEqualIntK, .unlessNotEqualIntK, .unlessLessIntK,
      .unlessLessEqualIntK, .unlessGreaterIntK, .unlessGreaterEqualIntK, .unlessLessFloatK, .unlessLessEqualFloatK,
      .unlessGreaterFloatK, .unlessGreaterEqualFloatK:
      .jump(.a)
    case .unlessEqualInt, .unlessNotEqualInt, .unlessLessInt, .unlessLessEqualInt, .unlessEqualFloat,
      .unlessNotEqualFloat, .unlessLessFloat, .unlessLessEqualFloat, .unlessEqualString:
      .jump(.aAndB)
    case .addIntSlots, .addFloatSlots, .multiplyFloatSlots, .addIntSlotK, .multiplyIntSlotK, .multiplyFloatSlotK,
      .giveAddIntSlots, .giveAddFloatSlots, .giveAddIntSlotK, .giveMultiplyIntSlotK, .giveAddThreeFloatSlots:
      .quick(.nothing)
    case .addIntSlot, .addFloatSlot, .maskIntK, .giveAddIntSlot, .giveAddFloatSlot, .giveAddIntK, .giveMultiplyIntK:
      .quick(.b)
    case .giveAddInt, .giveAddFloat, .giveMultiplyFloat: .quick(.bAndC)
    case .giveConstruct: .quick(.row)
    case .outer, .slotFrom, .capture, .remainderFloat, .multiplyAddFloat, .equal, .notEqual, .less, .lessEqual,
      .switchTag, .constructWide, .copyObject, .setField, .makeList, .appendElement, .appendList, .concatStrings,
      .closure, .suspend, .suspended, .cell, .pulledCell, .forceThunk, .call, .tailCall, .apply, .tailApply,
      .routine, .resultThunk, .clear, .force, .forced, .iterate, .next, .build, .push, .built, .unreachable:
      .slow
    }
  }
}

/// The other operations that an operation becomes where its operands, or the use of its result, are of a kind.
struct OpForms {
  /// The second operand is a number, or a constant; the first one is.
  var number: Op?
  var numberFirst: Op?
  /// Both operands are slots; the second one, or the only one beside a number, is.
  var slots: Op?
  var slot: Op?
  /// It is a comparison, and a jump is taken unless it holds.
  var unless: Op?
  /// Its result is that of the code.
  var giving: Op?
}

extension Op {
  private var forms: OpForms {
    switch self {
    case .addInt:
      OpForms(number: .addIntK, numberFirst: .addIntK, slots: .addIntSlots, slot: .addIntSlot, giving: .giveAddInt)
    case .subtractInt: OpForms(number: .subtractIntK, numberFirst: .reverseSubtractIntK)
    case .multiplyInt: OpForms(number: .multiplyIntK, numberFirst: .multiplyIntK)
    case .divideInt: OpForms(number: .divideIntK)
    case .remainderInt: OpForms(number: .remainderIntK)
    case .addFloat:
      OpForms(
        number: .addFloatK, numberFirst: .addFloatK, slots: .addFloatSlots, slot: .addFloatSlot, giving: .giveAddFloat)
    case .subtractFloat: OpForms(number: .subtractFloatK, numberFirst: .reverseSubtractFloatK)
    case .multiplyFloat:
      OpForms(
        number: .multiplyFloatK, numberFirst: .multiplyFloatK, slots: .multiplyFloatSlots, giving: .giveMultiplyFloat)
    case .divideFloat: OpForms(number: .divideFloatK, numberFirst: .reverseDivideFloatK)
    case .addIntK: OpForms(slot: .addIntSlotK, giving: .giveAddIntK)
    case .multiplyIntK: OpForms(slot: .multiplyIntSlotK, giving: .giveMultiplyIntK)
    case .multiplyFloatK: OpForms(slot: .multiplyFloatSlotK)
    case .addIntSlots: OpForms(giving: .giveAddIntSlots)
    case .addIntSlot: OpForms(giving: .giveAddIntSlot)
    case .addIntSlotK: OpForms(giving: .giveAddIntSlotK)
    case .multiplyIntSlotK: OpForms(giving: .giveMultiplyIntSlotK)
    case .addFloatSlots: OpForms(giving: .giveAddFloatSlots)
    case .addFloatSlot: OpForms(giving: .giveAddFloatSlot)
    case .construct: OpForms(giving: .giveConstruct)
    case .equalInt: OpForms(unless: .unlessEqualInt)
    case .notEqualInt: OpForms(unless: .unlessNotEqualInt)
    case .lessInt: OpForms(unless: .unlessLessInt)
    case .lessEqualInt: OpForms(unless: .unlessLessEqualInt)
    case .equalIntK: OpForms(unless: .unlessEqualIntK)
    case .notEqualIntK: OpForms(unless: .unlessNotEqualIntK)
    case .lessIntK: OpForms(unless: .unlessLessIntK)
    case .lessEqualIntK: OpForms(unless: .unlessLessEqualIntK)
    case .greaterIntK: OpForms(unless: .unlessGreaterIntK)
    case .greaterEqualIntK: OpForms(unless: .unlessGreaterEqualIntK)
    case .equalFloat: OpForms(unless: .unlessEqualFloat)
    case .notEqualFloat: OpForms(unless: .unlessNotEqualFloat)
    case .lessFloat: OpForms(unless: .unlessLessFloat)
    case .lessEqualFloat: OpForms(unless: .unlessLessEqualFloat)
    case .lessFloatK: OpForms(unless: .unlessLessFloatK)
    case .lessEqualFloatK: OpForms(unless: .unlessLessEqualFloatK)
    case .greaterFloatK: OpForms(unless: .unlessGreaterFloatK)
    case .greaterEqualFloatK: OpForms(unless: .unlessGreaterEqualFloatK)
    case .equalString: OpForms(unless: .unlessEqualString)
    default: OpForms()
    }
  }

  /// The same with a number or a constant as the second operand, which is field c then.
  public var withNumber: Op? { forms.number }
  /// The same with a number or a constant, field c, as the first operand; the other one is field b.
  public var withNumberFirst: Op? { forms.numberFirst }
  /// The same of two slots.
  public var ofSlots: Op? { forms.slots }
  /// The same whose second operand, or whose only one beside a number, is a slot.
  public var ofSlot: Op? { forms.slot }
  /// The jump that is taken unless a comparison holds. The operands of the comparison, b and c, are a and b of the jump.
  public var unless: Op? { forms.unless }
  /// The same, whose result is that of the code.
  public var giving: Op? { forms.giving }

  private static let comparisons = inverse { $0.unless }
  private static let given = inverse { $0.giving }
  private static let registers = inverse { $0.number }
  private static let registersReversed = inverse { $0.numberFirst }

  /// By operation: the one of which it is such a form. Of several the first.
  private static func inverse(_ form: (OpForms) -> Op?) -> [Op?] {
    var result = [Op?](repeating: nil, count: allCases.count)
    for op in allCases {
      if let other = form(op.forms), result[Int(other.rawValue)] == nil { result[Int(other.rawValue)] = op }
    }
    return result
  }

  /// The comparison that a jump is taken unless it holds.
  public var comparison: Op? { Op.comparisons[Int(rawValue)] }
  /// What an operation does that gives its result as that of the code.
  public var plain: Op? { self == .giveAddThreeFloatSlots || self == .giveConstruct ? self : Op.given[Int(rawValue)] }
  /// The same with a register in the place of the number, and whether the number is the first operand.
  public var withRegister: (op: Op, isReversed: Bool)? {
    if let op = Op.registers[Int(rawValue)] { return (op, false) }
    return Op.registersReversed[Int(rawValue)].map { ($0, true) }
  }
}
