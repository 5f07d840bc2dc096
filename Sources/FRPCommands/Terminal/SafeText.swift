// Text for a terminal, which must not obey what data or a program's text says.

import FRPBase

/// Text for a terminal: what would move the cursor, change the terminal or reorder the line is shown as its escape; line
/// breaks and tabs stay. With `keepsColours`, so do sequences that only choose colours: for text that has been coloured
/// here. Costs a look at each byte where there is nothing to escape.
func safeForTerminal(_ text: String, keepsColours: Bool = false) -> String {
  if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A }) { return text }
  var result = ""
  var rest = Substring(text).unicodeScalars
  while let scalar = rest.first {
    if keepsColours, scalar == "\u{1B}", let length = colourLength(rest) {
      result.unicodeScalars.append(contentsOf: rest.prefix(length))
      rest = rest.dropFirst(length)
      continue
    }
    rest.removeFirst()
    if scalar == "\n" || scalar == "\t" {
      result.unicodeScalars.append(scalar)
    } else {
      result += printable(String(scalar))
    }
  }
  return result
}

/// How many scalars `ESC [ 1 ; 3 1 m` takes at the start of a text; nil where there is no such thing.
private func colourLength(_ text: Substring.UnicodeScalarView) -> Int? {
  var count = 0
  for scalar in text.prefix(20) {
    count += 1
    switch (count, scalar) {
    case (1, _): continue
    case (2, "["): continue
    case (3..., "0"..."9"), (3..., ";"): continue
    case (3..., "m"): return count
    default: return nil
    }
  }
  return nil
}
