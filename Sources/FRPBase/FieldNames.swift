// How the name of a field is written: as it is, or in backticks where the language would read something else.

/// A field's name as a program writes it: `x`, `` `Order ID` ``. Cost: O(name).
public func fieldText(_ name: String) -> String {
  var name = name
  return name.withUTF8 { isPlainFieldName($0) } ? name : "`\(name)`"
}

/// Whether a name needs no backticks: a small letter or `_`, then letters, digits and `_`. Words of the language need none.
/// Cost: O(name).
public func isPlainFieldName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let first = name.first else { return false }
  if name.allSatisfy({ $0 < 0x80 }) {
    let isSmall = 0x61...0x7A ~= first || (first == 0x5F && name.count > 1)
    return isSmall
      && name.allSatisfy { 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F }
  }
  let text = String(decoding: name, as: UTF8.self).unicodeScalars
  guard let start = text.first, mayBegin(start) else { return false }
  return text.dropFirst().allSatisfy { scalar in
    scalar.isASCII ? scalar.properties.isXIDContinue : scalar.properties.isXIDContinue && !isLookAlike(scalar)
  }
}

private func mayBegin(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return 0x61...0x7A ~= scalar.value || scalar == "_" }
  let properties = scalar.properties
  return (properties.isAlphabetic || properties.isXIDStart) && !isLookAlike(scalar) && !properties.isUppercase
    && properties.generalCategory != .titlecaseLetter
}

/// Letters that the lexer takes for those of ASCII: the wide forms of East Asia.
private func isLookAlike(_ scalar: Unicode.Scalar) -> Bool { 0xFF01...0xFF5E ~= scalar.value }
