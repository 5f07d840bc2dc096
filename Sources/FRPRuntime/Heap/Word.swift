// The one representation of values: an untyped 64-bit word, and objects of words.
//
//   Int       its bits                    Float   its bits, always finite
//   Bool      0 or 1                      Unit    0
//   variant   a constructor without fields: (tag << 1) | 1; else an object whose header has the tag
//   {}        1                           others  an object
//
// A slot of a reference type holds 0, an odd immediate, or the 8-aligned address of an object. While an instant runs,
// objects move at calls and turns of loops only (Collecting.swift). An object is a header word and a payload; payload
// word i is `address[i + 1]`.
//
// Header, from bit 0:   1 | kind 4 | permanent 1 | flag A 1 | flag B 1 | …
//   fields              … | tag 16 | count 8 | mask 32          mask bit i: word i is a reference
//   wideFields          … | tag 16 | count 40                   the mask follows the fields, 64 a word
//   others              … | payload words 56
// A header is odd, so that the collector can put an even forwarding address in its place.
//
// Payloads
//   string     byte count, Character count (or `unknownCount`), UTF-8 bytes padded with zeros. Flag A: ASCII.
//              Flag B: in the place of the bytes who holds them: a list, in whose words they are (GrownText.swift); or of a
//              part a list or a text, where in it the part begins, and a byte of it that is not ASCII (TextParts.swift)
//   list       buffer, offset, count
//   words      used, elements…       a list's buffer of scalars
//   references used, elements…       a list's buffer of references. Flag B, of both: it grows at its start (HeapList.swift)
//   mapNode    key, value, left, right, size      Flag A: keys are references. Flag B: values are.
//   bytes      anything without references

public typealias Word = UInt64
public typealias Address = UnsafeMutablePointer<Word>

public enum ObjectKind: UInt64, Sendable {
  case fields = 0
  case wideFields, string, list, words, references, mapNode, bytes
}

extension Word {
  // MARK: Scalars

  @inline(__always) public init(int: Int) { self = UInt64(bitPattern: Int64(int)) }
  @inline(__always) public init(float: Double) { self = float.bitPattern }
  @inline(__always) public init(bool: Bool) { self = bool ? 1 : 0 }
  @inline(__always) public var int: Int { Int(Int64(bitPattern: self)) }
  @inline(__always) public var float: Double { Double(bitPattern: self) }
  @inline(__always) public var bool: Bool { self & 1 != 0 }
  public static let unit: Word = 0

  // MARK: Immediates of reference types

  /// A variant's constructor without fields.
  @inline(__always) public init(tag: Int) { self = UInt64(truncatingIfNeeded: tag) << 1 | 1 }
  public static let none: Word = 1
  public static let emptyRecord: Word = 1
  public static let emptyMap: Word = 1

  // MARK: Objects

  /// Whether a word of a reference type is the address of an object.
  @inline(__always) public var isObject: Bool { self & 1 == 0 && self != 0 }
  @inline(__always) public init(_ address: Address) { self = UInt64(UInt(bitPattern: address)) }
  /// The object of a word that is one.
  @inline(__always) public var address: Address {
    Address(bitPattern: UInt(self)).unsafelyUnwrapped
  }
  /// Payload word `index` of the object.
  @inline(__always) public func field(_ index: Int) -> Word { address[index + 1] }
  /// The tag of a variant's value.
  @inline(__always) public var tag: Int {
    self & 1 != 0 ? Int(self >> 1) : Int(address[0] >> 8 & 0xFFFF)
  }
}

/// The header word of an object.
public struct Header {
  public var bits: UInt64
  @inline(__always) public init(bits: UInt64) { self.bits = bits }

  static let permanent: UInt64 = 1 << 5
  static let flagA: UInt64 = 1 << 6
  static let flagB: UInt64 = 1 << 7
  /// Of a `fields` object: it is a cell that keeps a fault, by its place (see `FaultCells`).
  static let faultCell = flagA
  public static let widestMask = 32

  @inline(__always) var kind: UInt64 { bits >> 1 & 0xF }
  @inline(__always) var isForwarded: Bool { bits & 1 == 0 }
  /// Of a large object after a collection: whether it is live and has stayed where it is.
  @inline(__always) var isKept: Bool { bits & 1 != 0 && bits & Header.permanent != 0 }
  @inline(__always) public var tag: Int { Int(bits >> 8 & 0xFFFF) }
  /// Fields of a `fields` or `wideFields` object.
  @inline(__always) public var fieldCount: Int {
    kind == ObjectKind.fields.rawValue ? Int(bits >> 24 & 0xFF) : Int(bits >> 24)
  }
  @inline(__always) var mask: UInt64 { bits >> 32 }

  /// Words after the header.
  @inline(__always) public var payloadCount: Int {
    switch kind {
    case ObjectKind.fields.rawValue: return Int(bits >> 24 & 0xFF)
    case ObjectKind.wideFields.rawValue:
      let count = Int(bits >> 24)
      return count + (count + 63) / 64
    default: return Int(bits >> 8)
    }
  }

  /// An object of up to 32 fields.
  @inline(__always) public static func fields(tag: Int, count: Int, mask: UInt64) -> Header {
    Header(bits: 1 | UInt64(tag) << 8 | UInt64(count) << 24 | mask << 32)
  }
  /// Any other object.
  @inline(__always) static func other(_ kind: ObjectKind, payload: Int, flags: UInt64 = 0) -> Header {
    Header(bits: 1 | kind.rawValue << 1 | flags | UInt64(payload) << 8)
  }
}
