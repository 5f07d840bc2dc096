// Where the values of JSON end, while it is read: the elements of a list, each of them; else a value ends with its line.
// The list may be that of a key, whatever stands around it: `{"type": "FeatureCollection", "features": [{…}, {…}]}`.
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
  /// What finds the list; nil where values count that stand in none.
  private var search: ListSearch?

  /// With keys, values are the elements of the list that they lead to, each in the object of the one before.
  public init(at keys: [String] = []) {
    search = keys.isEmpty ? nil : ListSearch(keys.map { Array($0.utf8) })
  }

  /// Whether the bytes up to the next answer are no value, since they stand around the list of the keys.
  public var isAround: Bool { search != nil && !isInList }
  /// Whether the list of the keys was not there so far.
  public var lacksList: Bool { search?.hasFound == false }

  /// The offset of the byte behind the first value of `text`, which belongs to none; nil if it is not here yet. To be
  /// asked again with the same bytes and more behind them, or, after an answer, with what follows that byte.
  public mutating func next(in text: Bytes) -> Int? {
    while searched < text.count {
      let byte = text[searched]
      if isEnd(byte) {
        let end = searched
        giveUp()
        return end
      }
      searched += 1
    }
    return nil
  }

  /// Gives up the present value.
  public mutating func giveUp() {
    let old = self
    self = JSONBreaks()
    (isInList, search) = (old.isInList, old.search)
  }

  /// The first key of an object whose value is a list, as it is written; nil where there is none.
  public static func keyOfList(in text: Bytes) -> String? {
    var depth = 0
    var textStart: Int?
    var last = 0..<0
    var key: Range<Int>?
    var isEscaped = false
    for (place, byte) in text.enumerated() {
      if let start = textStart {
        if byte == 0x22, !isEscaped { (last, textStart) = (start..<place, nil) }
        isEscaped = byte == 0x5C && !isEscaped
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0D, 0x0A: continue
      case 0x22: textStart = place + 1
      case 0x3A where depth == 1:
        key = last
        continue
      case 0x5B where depth == 1:
        if let key { return String(decoding: text[key], as: UTF8.self) }
        depth += 1
      case 0x5B, 0x7B: depth += 1
      case 0x5D, 0x7D: depth -= 1
      default: break
      }
      key = nil
    }
    return nil
  }

  /// Goes over a byte; whether the value ends before it.
  private mutating func isEnd(_ byte: UInt8) -> Bool {
    if isAround {
      isInList = search?.finds(byte) == true
      return isInList || byte == 0x0A
    }
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

/// Finds the list that keys lead to, byte by byte, over any number of documents.
private struct ListSearch {
  private let keys: [[UInt8]]
  /// Brackets that are open, and how many of them, from outside, are the objects on the way.
  private var depth = 0
  private var followed = 0
  /// The text that is open, as it is written, or nil; and whether its next sign is escaped.
  private var text: [UInt8]?
  private var isEscaped = false
  /// Whether the last text of the last object on the way is the next key, and whether its value comes.
  private var isKey = false
  private var isWanted = false
  private(set) var hasFound = false

  init(_ keys: [[UInt8]]) { self.keys = keys }

  /// Goes over a byte; whether it opens the list. Then what follows the list is to be gone over next.
  mutating func finds(_ byte: UInt8) -> Bool {
    if text != nil {
      goOn(byte)
      return false
    }
    switch byte {
    case 0x20, 0x09, 0x0D, 0x0A: return false
    case 0x22: text = []
    case 0x3A:
      isWanted = isKey
      isKey = false
      return false
    case 0x7B:
      if depth == followed, depth == 0 || (isWanted && followed < keys.count) { followed += 1 }
      depth += 1
    case 0x5B:
      if isWanted, followed == keys.count {
        isWanted = false
        hasFound = true
        return true
      }
      depth += 1
    case 0x7D, 0x5D:
      if depth == followed { followed = max(0, followed - 1) }
      depth = max(0, depth - 1)
    default: break
    }
    isKey = false
    isWanted = false
    return false
  }

  private mutating func goOn(_ byte: UInt8) {
    // Keys of other objects do not count.
    let key = depth == followed && followed > 0 ? keys[followed - 1] : nil
    if isEscaped {
      isEscaped = false
    } else if byte == 0x5C {
      isEscaped = true
    } else if byte == 0x22 || byte == 0x0A {
      isKey = key != nil && text == key
      text = nil
      return
    }
    // Of a text that is no key no more is kept than shows it.
    if let key, text?.count ?? 0 <= key.count { text?.append(byte) }
  }
}
