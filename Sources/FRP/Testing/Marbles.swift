// Marbles: a lane of characters, each a moment.
//
//   "--x-[ab]--"  every 100ms    x at 200ms, a and b together at 400ms
//
// `-` is a moment without occurrences, a blank is nothing at all (it only aligns), every other character names a value.

import FRPBase

/// A lane, read from its text.
package struct MarbleLane {
  /// What stands for values at a moment, in order; moments without are left out.
  var moments: [(column: Int, letters: [Character])] = []
  /// How many moments the lane has.
  var length = 0

  /// Reads a lane; nil where a bracket is not closed or opened twice.
  init?(_ text: String) {
    var group: [Character]?
    for character in text {
      switch character {
      case " ": break
      case "[":
        if group != nil { return nil }
        group = []
      case "]":
        guard let letters = group else { return nil }
        add(letters)
        group = nil
      case "-" where group == nil: length += 1
      default:
        if group != nil { group?.append(character) } else { add([character]) }
      }
    }
    if group != nil { return nil }
  }

  private mutating func add(_ letters: [Character]) {
    if !letters.isEmpty { moments.append((length, letters)) }
    length += 1
  }

  /// The text of a lane.
  package static func text(_ moments: [(column: Int, letters: [Character])], length: Int) -> String {
    var text = ""
    var column = 0
    for moment in moments where moment.column >= column {
      text += String(repeating: "-", count: moment.column - column)
      text += moment.letters.count == 1 ? String(moment.letters) : "[" + String(moment.letters) + "]"
      column = moment.column + 1
    }
    return text + String(repeating: "-", count: max(0, length - column))
  }
}

/// Letters for values: those the test names, those that are their own names, fresh ones for the others.
package struct MarbleAlphabet {
  /// JSON of a value by its letter.
  package private(set) var values: [Character: String] = [:]
  private var letters: [String: Character] = [:]
  /// Where in `supply` the next letter to be made up is looked for.
  private var range = 0
  private var next: UInt32 = 0
  /// Letters that had to be made up, in order.
  package private(set) var made: [(letter: Character, json: String)] = []
  /// The JSON of the value that a letter stands for where nobody says it; nil if it stands for none.
  private let meaning: ((Character) -> String?)?

  package init(_ named: [(letter: Character, json: String)], meaning: ((Character) -> String?)? = nil) {
    self.meaning = meaning
    for (letter, json) in named {
      values[letter] = json
      if letters[json] == nil { letters[json] = letter }
    }
  }

  /// The letter of a value.
  package mutating func letter(of json: String) -> Character {
    if let letter = letters[json] { return letter }
    let selfNamed = own(json)
    let letter = selfNamed ?? fresh()
    letters[json] = letter
    values[letter] = json
    if selfNamed == nil { made.append((letter, json)) }
    return letter
  }

  /// A value that one character shows: a digit, a text of one character, `()`.
  private func own(_ json: String) -> Character? {
    let text = json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
    let isShort = meaning != nil || text.count == 1
    let candidate: Character? = json == "null" ? "x" : isShort ? text.first : nil
    guard let candidate, !"- []{}\"\\".contains(candidate), values[candidate] == nil else { return nil }
    if let meaning, meaning(candidate) != json { return nil }
    return candidate
  }

  /// What a letter stands for where nobody says it.
  package static func json(_ letter: Character, _ type: String) -> String? {
    switch type {
    case "()": return "null"
    case "String": return jsonString(String(letter))
    case "Int" where letter.isWholeNumber: return String(letter)
    case "Float" where letter.isWholeNumber: return "\(letter).0"
    case "Bool" where letter == "t" || letter == "f": return letter == "t" ? "true" : "false"
    default: return nil
    }
  }

  /// Letters to be made up: first those that anybody can type. Each is one character however letters are normalised.
  private static let supply: [ClosedRange<UInt32>] = [
    0x41...0x5A, 0x61...0x7A, 0x3B1...0x3C9, 0x430...0x44F, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x20000...0x2A6D6,
  ]

  private mutating func fresh() -> Character {
    while range < Self.supply.count {
      let code = Self.supply[range].lowerBound + next
      if code > Self.supply[range].upperBound {
        (range, next) = (range + 1, 0)
        continue
      }
      next += 1
      if let letter = Unicode.Scalar(code).map(Character.init), values[letter] == nil { return letter }
    }
    // More than 75,000 different values.
    return "?"
  }

  /// What a lane with these letters writes behind `with`; nothing if there are none.
  package static func with(_ letters: [(letter: Character, value: String)]) -> String {
    let fields = letters.map { "\(field($0.letter)): \($0.value)" }
    return fields.isEmpty ? "" : " with {\(fields.joined(separator: ", "))}"
  }

  /// A letter as the name of a field.
  private static func field(_ letter: Character) -> String {
    letter.isASCII && (letter.isLetter || letter.isNumber) ? String(letter) : "\"\(escaped(String(letter)))\""
  }

  /// A text as it stands between the quotes of a literal.
  package static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("{", with: "\\{")
  }
}
