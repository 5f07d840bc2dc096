// The machine's code: a flat register bytecode. `CodeCompiler` makes it, `Machine` (FRPRuntime) runs it.
//
// Registers are words of the running call's stack window, numbered from 0: first the parameters, then (in the code of
// a lambda value) the closure itself, then temporaries. `base` is the frame of the scope that the code was compiled in
// (see Layout.swift). A call's window starts `Layout.callHeader` words above `b`; its arguments are already there.

import FRPBase
import FRPCore

/// One code of a `CodeTable`.
public struct CodeID: Hashable, Sendable {
  public var raw: Int32
  public init(_ raw: Int) { self.raw = Int32(raw) }
  public var index: Int { Int(raw) }
}

/// Operations. In comments, a, b, c, d are the fields of the instruction; `r` reads a register; K is `c` as a number;
/// targets of jumps are relative to the instruction itself.
public enum Op: UInt16, Sendable, CaseIterable {
  // MARK: Values
  /// r[a] = r[b]
  case move
  /// r[a] = b, as an Int
  case small
  /// r[a] = constants[b]
  case constant
  /// r[a] = base[b]
  case slot
  /// r[a] = the base b levels up
  case outer
  /// r[a] = (base in r[c])[b]
  case slotFrom
  /// r[a] = slot b, a pulled behavior (node c) of own base if d is 0, else of the base in r[d - 1].
  /// r[a] is the top of the window: a miss calls the node's code there, then does this again.
  case pull
  /// r[a] = capture b of the closure in r[c]
  case capture

  // MARK: Int, checked
  case addInt, subtractInt, multiplyInt, divideInt, remainderInt
  case addIntK, subtractIntK, multiplyIntK, divideIntK, remainderIntK
  /// r[a] = K - r[b]
  case reverseSubtractIntK
  case negateInt, absInt, minInt, maxInt

  // MARK: Float, checked; K is constants[c]
  case addFloat, subtractFloat, multiplyFloat, divideFloat, remainderFloat
  case addFloatK, subtractFloatK, multiplyFloatK, divideFloatK
  /// r[a] = K - r[b], K / r[b]
  case reverseSubtractFloatK, reverseDivideFloatK
  case negateFloat, absFloat, minFloat, maxFloat, squareRoot
  case sine, cosine, exponential, logarithm
  /// r[a] = r[b] as a Float
  case toFloat
  /// r[a] = r[b] * r[c] + r[d]
  case multiplyAddFloat

  // MARK: Comparisons; the rest by swapping operands
  case equalInt, notEqualInt, lessInt, lessEqualInt
  case equalIntK, notEqualIntK, lessIntK, lessEqualIntK, greaterIntK, greaterEqualIntK
  case equalFloat, notEqualFloat, lessFloat, lessEqualFloat
  case lessFloatK, lessEqualFloatK, greaterFloatK, greaterEqualFloatK
  case equalString, notEqualString
  /// Any type, which is d.
  case equal, notEqual, less, lessEqual
  case not

  // MARK: Jumps
  /// to a
  case jump
  /// to c if r[a], unless r[a]
  case jumpIf, jumpUnless
  /// to c unless r[a] op r[b]
  case unlessEqualInt, unlessNotEqualInt, unlessLessInt, unlessLessEqualInt
  /// to c unless r[a] op b
  case unlessEqualIntK, unlessNotEqualIntK, unlessLessIntK, unlessLessEqualIntK
  case unlessGreaterIntK, unlessGreaterEqualIntK
  /// to c unless r[a] op r[b]
  case unlessEqualFloat, unlessNotEqualFloat, unlessLessFloat, unlessLessEqualFloat
  /// to c unless r[a] op constants[b]
  case unlessLessFloatK, unlessLessEqualFloatK, unlessGreaterFloatK, unlessGreaterEqualFloatK
  case unlessEqualString
  /// to c unless r[a] has tag b
  case unlessTag
  /// to a + the jump table's entry for r[b]'s tag: d entries follow as `jump`s
  case switchTag

  // MARK: Data
  /// r[a] = whether r[b] has tag c
  case hasTag
  /// r[a] = field c of r[b]
  case field
  /// r[a] = an object with header constants[c] of the d words from r[b]
  case construct
  /// The same with more than 32 fields: the mask's words are constants[c + 1...]
  case constructWide
  /// r[a] = a copy of the object r[b]; field c of the object r[a], which nobody else has, = r[b]
  case copyObject, setField
  /// r[a] = a list of the c words from r[b], references if d
  case makeList
  /// r[a] = r[b] ++ [r[c]], references if d
  case appendElement
  /// r[a] = r[b] ++ r[c], lists, references if d
  case appendList
  /// r[a] = the c strings from r[b], joined
  case concatStrings
  /// r[a] = a closure of closures[c] with the captures from r[b]
  case closure
  /// r[a] = a suspended computation of closures[c] with the captures from r[b]
  case suspend
  /// r[a] = a suspended computation that is done, with value r[b], a reference if d
  case suspended
  /// r[a] = a suspended computation that is done, with the value of slot b of the frame r[c - 1] (of the own one if c is
  /// 0), a reference if d; where the slot faults, so does looking at it
  case cell
  /// r[a] = the same of slot b, a pulled behavior (node c) of own base if d / 2 is 0, else of the base in r[d / 2 - 1];
  /// d is odd if it is a reference
  case pulledCell
  /// r[a] = the value of the suspended computation r[b]; window c
  case forceThunk

  // MARK: Calls. Results go to r[a].
  /// code c, window b
  case call
  /// code c, arguments from r[b], d of them; reuses the window
  case tailCall
  /// closure r[c], window b, d arguments
  case apply
  /// closure r[c], arguments from r[b], d of them; reuses the window
  case tailApply
  /// library routine c (of `calls`), arguments from r[b]
  case routine
  /// gives r[a]
  case result
  /// gives nothing: what came in is not let through (entries only)
  case skip
  /// gives r[a], keeping it in slot b of base for this epoch
  case resultPulled
  /// gives r[a], keeping it in the suspended computation r[0]
  case resultThunk

  // MARK: Values computed at most once in a call
  /// r[a...] = 0, b of them
  case clear
  /// unless flag r[a]: continue at c, with r[b] the way back
  case force
  /// sets flag r[a] and goes back by r[b]
  case forced

  // MARK: Loops over lists in place
  /// r[a] = the list r[b]'s elements as a cursor: r[a] next element's place, r[a+1] its end
  case iterate
  /// r[a] = the element at cursor r[b], which moves on; to c at the end. Counts a step.
  case next
  /// r[a] = a list being built, references if d, with room for the elements of cursor r[b]
  case build
  /// appends r[b] to the list being built in r[a], references if d
  case push
  /// r[a] = the list built in r[b], references if d
  case built

  // MARK: In the quick loop only. Slots are those of `base`.
  /// r[a] = base[b] op base[c]
  case addIntSlots, addFloatSlots, multiplyFloatSlots
  /// r[a] = r[b] + base[c]
  case addIntSlot, addFloatSlot
  /// r[a] = base[b] op K
  case addIntSlotK, multiplyIntSlotK, multiplyFloatSlotK
  /// r[a] = r[b] & K: the remainder by a power of two
  case maskIntK
  /// The same operations, whose result is that of the code.
  case giveAddInt, giveAddIntK, giveMultiplyIntK, giveAddFloat, giveMultiplyFloat
  case giveAddIntSlots, giveAddFloatSlots, giveAddIntSlot, giveAddFloatSlot, giveAddIntSlotK, giveMultiplyIntSlotK
  case giveConstruct
  /// gives base[a] + base[b] + base[c]
  case giveAddThreeFloatSlots

  case unreachable
}

/// One instruction: 16 bytes.
public struct Instr: Sendable {
  public var op: Op
  public var d: UInt16
  public var a: Int32
  public var b: Int32
  public var c: Int32

  @inlinable
  public init(_ op: Op, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, d: Int = 0) {
    self.op = op
    self.d = UInt16(truncatingIfNeeded: d)
    self.a = Int32(truncatingIfNeeded: a)
    self.b = Int32(truncatingIfNeeded: b)
    self.c = Int32(truncatingIfNeeded: c)
  }
}

/// Where one code is.
public struct CodeEntry: Sendable {
  /// First instruction in the table.
  public var start: Int32
  public var count: Int32
  /// Words of its window, call header of its own calls included.
  public var registers: Int32
  public var parameters: Int32
}

public enum CodeConstant: Sendable {
  case word(UInt64)
  case string(String)
  /// The closure of `closures[n]`, which captures nothing.
  case closure(Int)
}

/// How a closure is made, or a suspended computation. Words of a closure: the code, the captures. Of a suspended
/// computation: the code + 1 (0 once it is done), the value, the captures.
public struct ClosureInfo: Sendable {
  public var code: CodeID
  /// Captures, without the code's own word.
  public var captures: Int32
  /// The header of the object.
  public var header: UInt64
  /// With more than 32 words: the mask's.
  public var wideMask: [UInt64]
  /// The type of the function; of a suspended computation that of its value.
  public var type: TypeID
  public var isSuspended: Bool
  /// By capture: what its word is.
  public var captured: [CapturedWord]
}

/// A word that a closure or a suspended computation has captured.
public struct CapturedWord: Sendable {
  public var type: TypeID
  /// Whether it is a suspended computation of such a value, not the value itself.
  public var isCell: Bool
}

/// A call of a library routine: which, at which types, and where it was written. Trivial, so it costs nothing to pass.
public struct PrimCall: Sendable {
  public var prim: Prim
  public var argumentCount: Int32
  /// Where it stands among the calls that may keep something of a list that slides; 0 where it does not.
  public var site: Int32 = 0
  /// What the first argument, which is a map, is given for: the list of its entries or values, or nothing but itself.
  public var entries = MapEntries.none
  /// The type of that map.
  public var map = TypeID.unit
  /// Of the largest: whether the least are meant.
  public var isReversed = false
  /// The types of the first four arguments.
  public var a0 = TypeID.unit
  public var a1 = TypeID.unit
  public var a2 = TypeID.unit
  public var a3 = TypeID.unit
  public var result: TypeID
  public var span: Span

  public init(_ prim: Prim, _ arguments: [TypeID], result: TypeID, span: Span) {
    self.prim = prim
    argumentCount = Int32(arguments.count)
    if arguments.count > 0 { a0 = arguments[0] }
    if arguments.count > 1 { a1 = arguments[1] }
    if arguments.count > 2 { a2 = arguments[2] }
    if arguments.count > 3 { a3 = arguments[3] }
    self.result = result
    self.span = span
  }
}

/// The lists that a routine may make of a map itself.
public enum MapEntries: Sendable { case none, values, pairs }

/// All code of a program.
public struct CodeTable: Sendable {
  public var instructions: [Instr] = []
  /// By instruction: the expression it computes, for faults.
  public var spans: [Span] = []
  public var entries: [CodeEntry] = []
  public var constants: [CodeConstant] = []
  public var calls: [PrimCall] = []
  public var closures: [ClosureInfo] = []
  /// By `NodeID`: the code that computes a pulled behavior, -1 where there is none (yet).
  public var pullCode: [Int32] = []
  /// By `CodeID`: what the code belongs to, for traces of calls.
  public var names: [String] = []

  public init() {}
}

extension TypeTable {
  /// Whether words of a type are references (see FRPRuntime/Heap/Word.swift).
  public func isReference(_ type: TypeID) -> Bool {
    switch self[type] {
    case .unit, .bool, .int, .float, .event: return false
    default: return true
    }
  }

  /// The header word of an object with these fields (see FRPRuntime/Heap/Word.swift for its bits).
  public func header(fields: [TypeID], tag: Int) -> UInt64 {
    ObjectHeader.make(tag: tag, references: fields.map(isReference))
  }
}

/// The header words of objects with fields; FRPRuntime/Heap/Word.swift says what the bits mean.
public enum ObjectHeader {
  public static let widestMask = 32

  public static func make(tag: Int, references: [Bool]) -> UInt64 {
    let head = 1 | UInt64(tag & 0xFFFF) << 8 | UInt64(references.count) << 24
    if references.count > widestMask { return head | 1 << 1 }
    var mask: UInt64 = 0
    for (index, isReference) in references.enumerated() where isReference { mask |= 1 << UInt64(index) }
    return head | mask << 32
  }

  /// The words behind the fields of an object with more than 32.
  public static func wideMask(references: [Bool]) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: (references.count + 63) / 64)
    for (index, isReference) in references.enumerated() where isReference {
      words[index >> 6] |= 1 << UInt64(index & 63)
    }
    return words
  }
}
