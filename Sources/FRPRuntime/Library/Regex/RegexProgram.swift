// Regular expressions: a pattern's text -> a program for the matcher, in one pass over the text (recursive descent that
// emits code). Perl's syntax without what needs backtracking: no back-references, no look-around.
//
//   alternatives = sequence { "|" sequence }
//   sequence     = { atom [ "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}" ] [ "?" ] }
//   atom         = "(" … ")" | "[" … "]" | "." | "^" | "$" | "\" escape | character

/// Why a pattern is malformed.
struct RegexProblem: Error {
  var message: String
  /// From 1, in Unicode scalars.
  var column: Int
}

/// One instruction of the matcher.
enum RegexInstr {
  case scalar(Unicode.Scalar)
  case set(Int)
  case anything
  /// Goes on at both; the first is preferred.
  case split(Int, Int)
  case jump(Int)
  /// Keeps the place in a slot.
  case save(Int)
  case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
  case match
}

/// A compiled pattern.
struct RegexProgram {
  var code: [RegexInstr] = []
  var sets: [RegexSet] = []
  /// Groups that catch; group 0, the whole match, is not counted.
  var groupCount = 0

  static let longest = 20_000
  static let deepest = 250
  static let mostRepeats = 1000

  init(_ pattern: String) throws(RegexProblem) {
    var compiler = RegexCompiler(pattern)
    code = try compiler.compile()
    sets = compiler.sets
    groupCount = compiler.groupCount
  }
}

private struct RegexCompiler {
  let text: [Unicode.Scalar]
  var at = 0
  var sets: [RegexSet] = []
  var groupCount = 0
  private var depth = 0
  private var ignoresCase = false
  private var dotIsAnything = false
  private var isMultiline = false

  /// Code with targets relative to its own start, so that it can be moved and repeated.
  typealias Code = [RegexInstr]

  init(_ pattern: String) { text = Array(pattern.unicodeScalars) }

  mutating func compile() throws(RegexProblem) -> Code {
    let body = try alternatives()
    if at < text.count { throw problem("this ) closes nothing") }
    return [.save(0)] + shifted(body, 1) + [.save(1), .match]
  }

  private func problem(_ message: String, at place: Int? = nil) -> RegexProblem {
    RegexProblem(message: message, column: (place ?? at) + 1)
  }

  private func peek() -> Unicode.Scalar? { at < text.count ? text[at] : nil }

  private mutating func passes(_ scalar: Unicode.Scalar) -> Bool {
    if peek() != scalar { return false }
    at += 1
    return true
  }

  private func shifted(_ code: Code, _ by: Int) -> Code {
    code.map { instr in
      switch instr {
      case .split(let a, let b): .split(a + by, b + by)
      case .jump(let a): .jump(a + by)
      default: instr
      }
    }
  }

  private func joined(_ a: Code, _ b: Code) throws(RegexProblem) -> Code {
    if a.count + b.count > RegexProgram.longest { throw problem("this pattern is too large") }
    return a + shifted(b, a.count)
  }

  // MARK: Alternatives and sequences

  private mutating func alternatives() throws(RegexProblem) -> Code {
    depth += 1
    defer { depth -= 1 }
    if depth > RegexProgram.deepest { throw problem("groups are nested too deeply") }
    var branches = [try sequence()]
    while passes("|") { branches.append(try sequence()) }
    // From the last: each split prefers its own branch.
    var code = branches.removeLast()
    while let branch = branches.popLast() {
      let head = try joined([.split(1, branch.count + 2)], [])
      code = try joined(head + shifted(branch, 1) + [.jump(branch.count + 2 + code.count)], code)
    }
    return code
  }

  private mutating func sequence() throws(RegexProblem) -> Code {
    var code: Code = []
    while let next = peek(), next != "|", next != ")" {
      let start = at
      let atom = try atom()
      code = try joined(code, try repeated(atom, start))
    }
    return code
  }

  // MARK: Repetition

  private mutating func repeated(_ atom: Code, _ start: Int) throws(RegexProblem) -> Code {
    guard let (least, most) = try quantifier() else { return atom }
    let isLazy = passes("?")
    if let next = peek(), next == "*" || next == "+" || next == "?" {
      throw problem("there is nothing to repeat")
    }
    var code: Code = []
    for _ in 0..<least { code = try joined(code, atom) }
    guard let most else {
      // split(body, end); body; jump back.
      let loop = [choice(1, atom.count + 2, isLazy: isLazy)] + shifted(atom, 1) + [.jump(0)]
      return try joined(code, loop)
    }
    var optional: Code = []
    for _ in 0..<max(0, most - least) {
      // split(body, end); body; what may follow it.
      let inner = try joined(atom, optional)
      optional = [choice(1, inner.count + 1, isLazy: isLazy)] + shifted(inner, 1)
    }
    return try joined(code, optional)
  }

  private func choice(_ body: Int, _ end: Int, isLazy: Bool) -> RegexInstr {
    isLazy ? .split(end, body) : .split(body, end)
  }

  private mutating func quantifier() throws(RegexProblem) -> (Int, Int?)? {
    switch peek() {
    case "*":
      at += 1
      return (0, nil)
    case "+":
      at += 1
      return (1, nil)
    case "?":
      at += 1
      return (0, 1)
    case "{": return try braces()
    default: return nil
    }
  }

  /// `{n}`, `{n,}` or `{n,m}`; anything else in braces is text.
  private mutating func braces() throws(RegexProblem) -> (Int, Int?)? {
    let start = at
    at += 1
    guard let least = number() else {
      at = start
      return nil
    }
    var most: Int? = least
    if passes(",") { most = peek() == "}" ? nil : number() ?? -1 }
    if !passes("}") || most == -1 {
      at = start
      return nil
    }
    if least > RegexProgram.mostRepeats || (most ?? 0) > RegexProgram.mostRepeats {
      throw problem("repeats are limited to \(RegexProgram.mostRepeats)", at: start)
    }
    if let most, most < least { throw problem("the most repeats are below the least", at: start) }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let digit = peek(), digit >= "0", digit <= "9" {
      value = min((value ?? 0) * 10 + Int(digit.value - 48), 1_000_000)
      at += 1
    }
    return value
  }

  // MARK: Atoms

  private mutating func atom() throws(RegexProblem) -> Code {
    let start = at
    guard let scalar = peek() else { return [] }
    at += 1
    switch scalar {
    case "(": return try group(start)
    case "[": return set(try bracket(start))
    case ".": return dotIsAnything ? [.anything] : set(RegexSet.newlines.negated())
    case "^": return [isMultiline ? .lineStart : .textStart]
    case "$": return [isMultiline ? .lineEnd : .textEnd]
    case "\\": return try escape(start)
    case "*", "+", "?": throw problem("there is nothing to repeat", at: start)
    default:
      if scalar == "{" {
        at = start
        if try braces() != nil { throw problem("there is nothing to repeat", at: start) }
        at = start + 1
      }
      return literal(scalar)
    }
  }

  private mutating func literal(_ scalar: Unicode.Scalar) -> Code {
    if !ignoresCase { return [.scalar(scalar)] }
    var folded = RegexSet()
    folded.insertFolded(scalar)
    return set(folded)
  }

  private mutating func set(_ set: RegexSet) -> Code {
    sets.append(ignoresCase ? set.folded() : set)
    return [.set(sets.count - 1)]
  }

  private mutating func group(_ start: Int) throws(RegexProblem) -> Code {
    let flags = (ignoresCase, dotIsAnything, isMultiline)
    var number: Int?
    if passes("?") {
      if try !opensPlainGroup(start, &number) { return [] }
    } else {
      groupCount += 1
      number = groupCount
    }
    let body = try alternatives()
    if !passes(")") { throw problem("this ( is never closed", at: start) }
    (ignoresCase, dotIsAnything, isMultiline) = flags
    guard let number else { return body }
    return try joined([.save(2 * number)], try joined(body, [.save(2 * number + 1)]))
  }

  /// What follows `(?`; false for flags that stand alone, as in `(?i)`.
  private mutating func opensPlainGroup(_ start: Int, _ number: inout Int?) throws(RegexProblem) -> Bool {
    if passes(":") { return true }
    if passes("=") || passes("!") {
      throw problem("look-ahead is not supported: matching takes linear time", at: start)
    }
    let isNamed = passes("P")
    if passes("<") {
      if !isNamed, peek() == "=" || peek() == "!" {
        throw problem("look-behind is not supported: matching takes linear time", at: start)
      }
      while let next = peek(), next != ">" { at += next == ")" ? text.count : 1 }
      if !passes(">") { throw problem("this group's name is never closed", at: start) }
      groupCount += 1
      number = groupCount
      return true
    }
    return try flags(start)
  }

  private mutating func flags(_ start: Int) throws(RegexProblem) -> Bool {
    var value = true
    while let flag = peek() {
      at += 1
      switch flag {
      case "i": ignoresCase = value
      case "s": dotIsAnything = value
      case "m": isMultiline = value
      case "-": value = false
      case ":": return true
      case ")": return false
      default: throw problem("this group is unknown", at: start)
      }
    }
    throw problem("this ( is never closed", at: start)
  }

  // MARK: Escapes

  private mutating func escape(_ start: Int) throws(RegexProblem) -> Code {
    switch peek() {
    case "b":
      at += 1
      return [.wordBoundary]
    case "B":
      at += 1
      return [.noWordBoundary]
    case "A":
      at += 1
      return [.textStart]
    case "z", "Z":
      at += 1
      return [.textEnd]
    default:
      if let set = try classEscape(start) { return self.set(set) }
      return literal(try scalarEscape(start))
    }
  }

  /// `\d`, `\W`, `\p{L}` …; nil for others, at which nothing is passed.
  private mutating func classEscape(_ start: Int) throws(RegexProblem) -> RegexSet? {
    guard let letter = peek() else { throw problem("a pattern must not end with \\", at: start) }
    switch letter {
    case "d", "D", "w", "W", "s", "S":
      at += 1
      let isNegated = letter == "D" || letter == "W" || letter == "S"
      let set = letter == "d" || letter == "D" ? RegexSet.digits : (letter == "w" || letter == "W" ? .words : .spaces)
      return isNegated ? set.negated() : set
    case "p", "P":
      at += 1
      var name = ""
      if passes("{") {
        while let next = peek(), next != "}" {
          name.unicodeScalars.append(next)
          at += 1
        }
        if !passes("}") { throw problem("this category's name is never closed", at: start) }
      } else if let next = peek() {
        name.unicodeScalars.append(next)
        at += 1
      }
      if !RegexSet.knownCategories.contains(name) { throw problem("the category \(name) is unknown", at: start) }
      var set = RegexSet()
      set.insert(category: name, isNegated: letter == "P")
      return set
    default: return nil
    }
  }

  private mutating func scalarEscape(_ start: Int) throws(RegexProblem) -> Unicode.Scalar {
    guard let letter = peek() else { throw problem("a pattern must not end with \\", at: start) }
    at += 1
    switch letter {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "f": return "\u{C}"
    case "v": return "\u{B}"
    case "0": return "\0"
    case "x", "u": return try hexadecimal(letter == "x" ? 2 : 4, start)
    case "1"..."9": throw problem("back-references are not supported: matching takes linear time", at: start)
    case "a"..."z", "A"..."Z": throw problem("the escape \\\(letter) is unknown", at: start)
    default: return letter
    }
  }

  private mutating func hexadecimal(_ digits: Int, _ start: Int) throws(RegexProblem) -> Unicode.Scalar {
    let isBraced = passes("{")
    var value: UInt32 = 0
    var count = 0
    while count < (isBraced ? 6 : digits), let next = peek(), let digit = Character(next).hexDigitValue, next.isASCII {
      value = value << 4 | UInt32(digit)
      count += 1
      at += 1
    }
    if isBraced ? count == 0 || !passes("}") : count < digits {
      throw problem("hexadecimal digits are missing", at: start)
    }
    guard let scalar = Unicode.Scalar(value) else { throw problem("there is no such character", at: start) }
    return scalar
  }

  // MARK: Sets

  private mutating func bracket(_ start: Int) throws(RegexProblem) -> RegexSet {
    let isNegated = passes("^")
    var set = RegexSet()
    var isFirst = true
    while let next = peek(), next != "]" || isFirst {
      isFirst = false
      guard let low = try member(start, &set) else { continue }
      guard peek() == "-", at + 1 < text.count, text[at + 1] != "]" else {
        set.insert(low.value...low.value)
        continue
      }
      let dash = at
      at += 1
      guard let high = try member(start, &set) else { throw problem("a range must end with a character", at: dash) }
      if high.value < low.value { throw problem("this range is turned around", at: dash) }
      set.insert(low.value...high.value)
    }
    if !passes("]") { throw problem("this [ is never closed", at: start) }
    // Both cases first: complements of folded sets, not folds of complements.
    if ignoresCase { set = set.folded() }
    set.isNegated = isNegated
    return set
  }

  /// One character of a set; nil if it was a class, which is put in at once.
  private mutating func member(_ start: Int, _ set: inout RegexSet) throws(RegexProblem) -> Unicode.Scalar? {
    guard let scalar = peek() else { throw problem("this [ is never closed", at: start) }
    let place = at
    at += 1
    if scalar != "\\" { return scalar }
    if peek() == "b" {
      at += 1
      return "\u{8}"
    }
    if let inner = try classEscape(place) {
      set.insert(inner)
      return nil
    }
    return try scalarEscape(place)
  }
}
