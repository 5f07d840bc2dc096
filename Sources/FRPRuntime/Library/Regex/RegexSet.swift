// Sets of Unicode scalars, as `[a-z]`, `\d` and `\p{L}` name them.

/// A set of scalars: ranges and Unicode categories, or all but those.
struct RegexSet {
  /// Members below 128, by bit.
  private var low: (UInt64, UInt64) = (0, 0)
  private var ranges: [ClosedRange<UInt32>] = []
  private var categories: [(letters: String, isNegated: Bool)] = []
  /// Whether all others are meant.
  var isNegated = false

  init() {}

  init(_ ranges: ClosedRange<Unicode.Scalar>..., isNegated: Bool = false) {
    for range in ranges { insert(range.lowerBound.value...range.upperBound.value) }
    self.isNegated = isNegated
  }

  static let digits = RegexSet("0"..."9")
  static let words = RegexSet("a"..."z", "A"..."Z", "0"..."9", "_"..."_")
  static let spaces = RegexSet(
    "\t"..."\r", " "..." ", "\u{85}"..."\u{85}", "\u{A0}"..."\u{A0}", "\u{2028}"..."\u{2029}")
  static let newlines = RegexSet("\n"..."\n")

  func negated() -> RegexSet {
    var result = self
    result.isNegated.toggle()
    return result
  }

  mutating func insert(_ range: ClosedRange<UInt32>) {
    ranges.append(range)
    var scalar = range.lowerBound
    while scalar <= min(range.upperBound, 127) {
      if scalar < 64 { low.0 |= 1 << UInt64(scalar) } else { low.1 |= 1 << UInt64(scalar - 64) }
      scalar += 1
    }
  }

  /// Adds a set; a negated one by its complement's ranges.
  mutating func insert(_ other: RegexSet) {
    if !other.isNegated {
      for range in other.ranges { insert(range) }
      categories += other.categories
      return
    }
    var next: UInt32 = 0
    for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > next { insert(next...(range.lowerBound - 1)) }
      next = max(next, range.upperBound + 1)
    }
    insert(next...0x10FFFF)
  }

  /// Adds a scalar in both cases.
  mutating func insertFolded(_ scalar: Unicode.Scalar) {
    insert(scalar.value...scalar.value)
    for text in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
      let scalars = text.unicodeScalars
      if scalars.count == 1, let other = scalars.first { insert(other.value...other.value) }
    }
  }

  /// The set with both cases of all its letters.
  func folded() -> RegexSet {
    var result = self
    for range in ranges where range.count <= 4096 {
      for value in range {
        if let scalar = Unicode.Scalar(value) { result.insertFolded(scalar) }
      }
    }
    return result
  }

  /// Adds the scalars of a general category: `Lu`, or `L` for all letters.
  mutating func insert(category: String, isNegated: Bool) { categories.append((category, isNegated)) }

  static let knownCategories: Set<String> = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "Nl", "No", "P", "S", "Sm", "Sc", "Z", "Zs", "C",
  ]

  /// Which ASCII scalars are in the set, by bit.
  var asciiBits: (UInt64, UInt64) {
    var bits: (UInt64, UInt64) = (0, 0)
    for value: UInt8 in 0..<128 where contains(Unicode.Scalar(value)) {
      if value < 64 { bits.0 |= 1 << UInt64(value) } else { bits.1 |= 1 << UInt64(value - 64) }
    }
    return bits
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool { isMember(scalar) != isNegated }

  private func isMember(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 128 {
      if (value < 64 ? low.0 >> UInt64(value) : low.1 >> UInt64(value - 64)) & 1 == 1 { return true }
    } else {
      for range in ranges where range.contains(value) { return true }
    }
    for category in categories {
      let name = RegexSet.category(scalar)
      if name.hasPrefix(category.letters) != category.isNegated { return true }
    }
    return false
  }

  private static func category(_ scalar: Unicode.Scalar) -> String {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter: "Lu"
    case .lowercaseLetter: "Ll"
    case .titlecaseLetter: "Lt"
    case .modifierLetter: "Lm"
    case .otherLetter: "Lo"
    case .nonspacingMark, .spacingMark, .enclosingMark: "M"
    case .decimalNumber: "Nd"
    case .letterNumber: "Nl"
    case .otherNumber: "No"
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation:
      "P"
    case .mathSymbol: "Sm"
    case .currencySymbol: "Sc"
    case .modifierSymbol, .otherSymbol: "S"
    case .spaceSeparator: "Zs"
    case .lineSeparator, .paragraphSeparator: "Z"
    default: "C"
    }
  }
}
