// Where the values of JSON end, while it is read: the elements of a list, each of them; else a value ends with its line.
//
// Only brackets, commas and texts are looked at. What is malformed ends somewhere, and whoever decodes it tells; a line
// break ends a text, so that a quote that is missing spoils no more than the element that lacks it.

/// Cuts JSON into values.
public struct JSONBreaks {
  /// How much of the present value was looked at.
  private var searched = 0
  /// Brackets that are open, without that of the list whose elements are values.
  private var depth = 0
  private var isInList = false
  private var isInText = false
  private var isEscaped = false
  /// Whether the present value has more than blanks.
  private var hasBegun = false

  public init() {}

  /// The offset of the byte behind the first value of `text`, which belongs to none; nil if it is not here yet. To be
  /// asked again with the same bytes and more behind them, or, after an answer, with what follows that byte.
  public mutating func next(in text: Bytes) -> Int? {
    while searched < text.count {
      let byte = text[searched]
      if isEnd(byte) {
        let end = searched
        self = JSONBreaks(isInList: isInList)
        return end
      }
      searched += 1
    }
    return nil
  }

  /// Gives up the present value.
  public mutating func giveUp() { self = JSONBreaks(isInList: isInList) }

  private init(isInList: Bool) { self.isInList = isInList }

  /// Goes over a byte; whether the value ends before it.
  private mutating func isEnd(_ byte: UInt8) -> Bool {
    if isInText, byte != 0x0A {
      if isEscaped { isEscaped = false } else if byte == 0x5C { isEscaped = true } else { isInText = byte != 0x22 }
      return false
    }
    let isOutside = depth == 0
    switch byte {
    case 0x0A: return isInText || (hasBegun && isOutside && !isInList)
    case 0x20, 0x09, 0x0D, 0xEF, 0xBB, 0xBF: return false
    case 0x2C where isOutside && isInList: return true
    case 0x5B where isOutside && !isInList && !hasBegun: isInList = true; return true
    case 0x5D where isOutside && isInList: isInList = false; return true
    case 0x22: isInText = true
    case 0x5B, 0x7B: depth += 1
    case 0x5D, 0x7D: depth = max(0, depth - 1)
    default: break
    }
    hasBegun = true
    return false
  }
}
