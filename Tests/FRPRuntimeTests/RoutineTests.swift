import FRPBase
import FRPCore
import FRPGraph
import Testing

@testable import FRPRuntime

/// Routines without closures, called as the machine calls them; those with closures are tested by the table's examples.
final class RoutineFixture {
  var types = TypeTable()
  let strings, ints, floats, optionInt, optionString, optionFloat, match, matches, optionMatch, pairs, map,
    people: TypeID
  let peopleResult: TypeID
  let machine: Machine

  init() {
    strings = types.list(.string)
    ints = types.list(.int)
    floats = types.list(.float)
    optionInt = types.option(.int)
    optionString = types.option(.string)
    optionFloat = types.option(.float)
    let groups = types.list(optionString)
    match = types.intern(.record([FieldType("groups", groups), FieldType("index", .int), FieldType("text", .string)]))
    matches = types.list(match)
    optionMatch = types.option(match)
    pairs = types.list(types.intern(.tuple([.string, .int])))
    map = types.intern(.map(.string, .int))
    people = types.list(
      types.intern(.record([FieldType("age", optionInt), FieldType("name", .string), FieldType("tags", strings)])))
    peopleResult = types.intern(.variant(.result, [people, types.error()]))
    machine = Machine(code: CodeTable(), types: types)
    machine.stepsLeft = 100_000_000
  }

  /// A value as source.
  func run(_ prim: Prim, _ arguments: [(any Sendable, TypeID)], _ result: TypeID) throws -> String {
    var words: [Word] = []
    for (value, type) in arguments {
      switch value {
      case let value as Int: words.append(Word(int: value))
      case let value as Double: words.append(Word(float: value))
      case let value as String where type == .string: words.append(try machine.heap.string(value))
      case let value as String:
        let word = try Array(value.utf8).withUnsafeBufferPointer { (bytes) throws(Fault) in
          try machine.library.codec.decodeJSON(bytes, as: type)
        }
        words.append(try #require(word))
      default: words.append(0)
      }
    }
    let call = PrimCall(prim, arguments.map(\.1), result: result, span: .none)
    let routine = try #require(RoutineTable.routines[Int(prim.rawValue)])
    let word = try withUnsafePointer(to: call) { call in
      try words.withUnsafeBufferPointer { words in
        try routine(machine, Arguments(#require(words.baseAddress), of: call))
      }
    }
    return machine.library.codec.source(word, result)
  }

  func text(_ prim: Prim, _ arguments: any Sendable..., result: TypeID = .string) throws -> String {
    try run(prim, arguments.map { ($0, $0 is Int ? .int : ($0 is Double ? .float : .string)) }, result)
  }
}

struct RoutineTests {
  let f = RoutineFixture()

  @Test func everyPrimOfTheTableHasARoutine() {
    for builtin in Builtins.documented {
      guard case .data(let prim) = builtin.operation else { continue }
      #expect(RoutineTable.routines[Int(prim.rawValue)] != nil, "\(builtin.container).\(builtin.name)")
    }
  }

  @Test func numbers() throws {
    #expect(try f.text(.div, -7, 2, result: .int) == "-4")
    #expect(throws: Fault.divisionByZero) { try f.text(.div, 1, 0, result: .int) }
    #expect(throws: Fault.overflow) { try f.text(.div, Int.min, -1, result: .int) }
    #expect(throws: Fault.overflow) { try f.text(.abs, Int.min, result: .int) }
    #expect(throws: Fault.logarithm(of: 0)) { try f.text(.log, 0.0, result: .float) }
    #expect(throws: Fault.logarithm(of: -1)) { try f.text(.log2, -1.0, result: .float) }
    #expect(throws: Fault.squareRootOfNegative) { try f.text(.sqrt, -1.0, result: .float) }
    #expect(throws: Fault.self) { try f.text(.round, 1e19, result: .int) }
    #expect(throws: Fault.self) { try f.text(.pow, 10, 19, result: .int) }
    #expect(try f.text(.pow, -2, 63, result: .int) == "-9223372036854775808")
    #expect(try f.text(.round, -2.5, result: .int) == "-3")
    #expect(try f.text(.mod, -5.5, 2.0, result: .float) == "0.5")
    #expect(try f.text(.gcd, -12, 18, result: .int) == "6")
    #expect(throws: Fault.self) { try f.text(.clamp, 1, 3, 2, result: .int) }
  }

  @Test func lists() throws {
    #expect(try f.run(.listSort, [("[3,1,2]", f.ints)], f.ints) == "[1, 2, 3]")
    let many = (0..<1000).map { ($0 * 7919) % 1000 }
    #expect(try f.run(.listSort, [("\(many)", f.ints)], f.ints) == "\(Array(0..<1000))")
    #expect(try f.run(.listDistinct, [("\(many + many)", f.ints)], f.ints) == "\(many)")
    #expect(try f.run(.listSum, [("[0.1, 0.2]", f.floats)], .float) == "0.30000000000000004")
    #expect(throws: Fault.overflow) { try f.run(.listSum, [("[9223372036854775807, 1]", f.ints)], .int) }
    #expect(throws: Fault.self) { try f.run(.listSet, [("[1]", f.ints), (1, .int), (2, .int)], f.ints) }
    #expect(try f.run(.listInsert, [("[1]", f.ints), (1, .int), (2, .int)], f.ints) == "[1, 2]")
    #expect(try f.run(.listTakeLast, [("[1,2,3]", f.ints), (-5, .int)], f.ints) == "[]")
    #expect(try f.run(.listTake, [("[1,2,3]", f.ints), (Int.max, .int)], f.ints) == "[1, 2, 3]")
    #expect(
      try f.run(.mapFromList, [(#"[["b",1],["a",2],["b",3]]"#, f.pairs)], f.map)
        == #"Map.fromList([("a", 2), ("b", 3)])"#)
    // Of equal keys the last counts, however many there are: sorting is stable.
    let repeated = (0..<40).map { #"["k\#($0 % 3)",\#($0)]"# }.joined(separator: ",")
    #expect(
      try f.run(.mapFromList, [("[\(repeated)]", f.pairs)], f.map)
        == #"Map.fromList([("k0", 39), ("k1", 37), ("k2", 38)])"#)
    #expect(
      try f.run(.mapUnion, [(#"{"a":1,"c":3}"#, f.map), (#"{"a":9,"b":2,"d":4}"#, f.map)], f.map)
        == #"Map.fromList([("a", 1), ("b", 2), ("c", 3), ("d", 4)])"#)
  }

  @Test func strings() throws {
    #expect(try f.text(.stringSize, "héllo", result: .int) == "5")
    #expect(try f.text(.stringSize, "e\u{301}👨‍👩‍👧🇩🇪", result: .int) == "3")
    #expect(try f.text(.stringTake, "👨‍👩‍👧ab", 2) == #""👨‍👩‍👧a""#)
    #expect(try f.text(.stringDrop, "hello", 9) == #""""#)
    #expect(try f.text(.stringTakeLast, "añb", 2) == #""ñb""#)
    #expect(try f.text(.stringSlice, "hello", 3, 1) == #""""#)
    #expect(try f.text(.stringUpper, "straße") == #""STRASSE""#)
    #expect(try f.text(.stringTrim, "\u{A0} a \n") == #""a""#)
    #expect(try f.text(.stringSplit, ",a,,b", ",", result: f.strings) == #"["", "a", "", "b"]"#)
    #expect(try f.text(.stringLines, "a\r\nb\n\nc", result: f.strings) == #"["a", "b", "", "c"]"#)
    #expect(try f.text(.stringWords, " to\tbe ", result: f.strings) == #"["to", "be"]"#)
    #expect(try f.text(.stringReplace, "aaa", "aa", "b") == #""ba""#)
    #expect(try f.text(.stringIndexOf, "ñandú", "d", result: f.optionInt) == "Some(3)")
    #expect(try f.text(.stringPadStart, "7", 4, "ab") == #""aba7""#)
    #expect(try f.text(.stringPadEnd, "7", Int.min, "ab") == #""7""#)
    #expect(throws: Fault.memory) { try f.text(.stringRepeat, "ab", Int.max) }
    #expect(throws: Fault.memory) { try f.text(.stringPadEnd, "7", Int.max, "ab") }
    #expect(try f.text(.stringToInt, "-9223372036854775808", result: f.optionInt) == "Some(-9223372036854775808)")
    #expect(try f.text(.stringToInt, "9223372036854775808", result: f.optionInt) == "None")
    for text in ["", "+", "1e", "nan", "inf", "0x10", "1e999", " 1", "--1", "."] {
      #expect(try f.text(.stringToFloat, text, result: f.optionFloat) == "None", "\(text)")
    }
    #expect(try f.text(.stringFromCode, 0xD800, result: f.optionString) == "None")
    let long = String(repeating: "ab", count: 20_000) + "c"
    #expect(
      try f.text(.stringIndexOf, long, String(repeating: "ab", count: 1000) + "c", result: f.optionInt) == "Some(38000)"
    )
  }

  @Test func formats() throws {
    #expect(try f.text(.formatFixed, 3.14159, 2) == #""3.14""#)
    #expect(try f.text(.formatFixed, 0.125, 2) == #""0.13""#)
    #expect(try f.text(.formatFixed, 999.995, 0) == #""1000""#)
    #expect(try f.text(.formatFixed, -0.001, 2) == #""0.00""#)
    #expect(try f.text(.formatFixed, 1e22, 1) == #""10000000000000000000000.0""#)
    #expect(try f.text(.formatFixed, 0.1, 20) == #""0.10000000000000000555""#)
    #expect(try f.text(.formatFixed, Double.leastNonzeroMagnitude, 3) == #""0.000""#)
    #expect(try f.text(.formatScientific, 12345.0, 2) == #""1.23e4""#)
    #expect(try f.text(.formatScientific, 9.996, 2) == #""1.00e1""#)
    #expect(try f.text(.formatScientific, 0.00012, 1) == #""1.2e-4""#)
    #expect(try f.text(.formatScientific, 0.0, 1) == #""0.0e0""#)
    #expect(try f.text(.formatPercent, 0.125, 1) == #""12.5%""#)
    #expect(try f.text(.formatThousands, -1234567, ",") == #""-1,234,567""#)
    #expect(try f.text(.formatPadded, -7, 3) == #""-007""#)
    #expect(try f.text(.formatRadix, -255, 16) == #""-ff""#)
    #expect(try f.text(.parseRadix, "zz", 36, result: f.optionInt) == "Some(1295)")
    #expect(throws: Fault.self) { try f.text(.formatRadix, 1, 99) }
  }

  @Test func random() throws {
    #expect(try f.text(.randomInts, 7, 5, 1, 6, result: f.ints) == f.text(.randomInts, 7, 5, 1, 6, result: f.ints))
    // SplitMix64 of seed 0 begins with 0xE220A8397B1DCDAF.
    #expect(try f.text(.randomNext, 0, result: .int) == "\(Int(truncatingIfNeeded: 0xE220_A839_7B1D_CDAF as UInt64))")
    #expect(try f.text(.randomInts, 3, 2, Int.min, Int.max, result: f.ints) != "[]")
    #expect(throws: Fault.self) { try f.text(.randomInts, 3, 2, 2, 1, result: f.ints) }
    var counts = [Int](repeating: 0, count: 6)
    var generator = SplitMix(seed: 1)
    for _ in 0..<60_000 { counts[generator.int(0, 5)] += 1 }
    #expect(counts.allSatisfy { $0 > 9_500 && $0 < 10_500 }, "\(counts)")
  }

  @Test func csv() throws {
    func decode(_ text: String) throws -> String { try f.text(.csvDecode, text, result: f.peopleResult) }
    let text = "name,extra,age,tags\r\n\"Ann \"\"A\"\"\",x,30,\"[\"\"a\"\"]\"\n\nBob,,,[]\n"
    let people = #"[{age: Some(30), name: "Ann \"A\"", tags: ["a"]}, {age: None, name: "Bob", tags: []}]"#
    #expect(try decode(text) == "Ok(\(people))")
    #expect(
      try decode("name\nx\n")
        == #"Err({message: "line 1, column 1: the first line has no column tags: it has name"})"#)
    #expect(
      try decode("name,age,tags\nx,1,[]\ny,old,[]\n")
        == #"Err({message: "line 3, column 3, at .age: expected Int, found 'old'"})"#)
    #expect(
      try decode("name,age,tags\n\"x,1,[]\n")
        == #"Err({message: "line 2, column 1: this quoted cell does not end well"})"#)
    let json = #"[{"age":30,"name":"Ann, A","tags":["a"]},{"age":null,"name":" b","tags":[]}]"#
    #expect(
      try f.run(.csvEncode, [(json, f.people)], .string)
        == #""age,name,tags\n30,\"Ann, A\",\"[\"\"a\"\"]\"\n,\" b\",[]\n""#)
  }
}

struct RegexTests {
  let f = RoutineFixture()

  func all(_ text: String, _ pattern: String) throws -> String {
    var out: [String] = []
    let matcher = RegexMatcher(try RegexProgram(pattern))
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var start = 0
      var scan = try RegexScan(matcher, bytes, f.machine)
      while try scan.next(from: start) {
        let slots = scan.slots
        var parts: [String] = []
        for index in 0..<(slots.count / 2) {
          let isCaught = slots[2 * index] >= 0 && slots[2 * index + 1] >= 0
          parts.append(isCaught ? String(decoding: bytes[slots[2 * index]..<slots[2 * index + 1]], as: UTF8.self) : "-")
        }
        out.append(parts.joined(separator: ":"))
        start = slots[1] > slots[0] ? slots[1] : slots[1] + Swift.max(1, RegexMatcher.decode(bytes, slots[1]).1)
      }
    }
    return out.joined(separator: " ")
  }

  @Test func matching() throws {
    let cases: [(String, String, String)] = [
      ("xabcabcy", "(a)(b)?c?", "abc:a:b abc:a:b"), ("aaa", "a*?", "   "), ("aaa", "a+?", "a a a"),
      ("ab", "(a|ab)(c|bcd)?", "a:a:-"), ("foobar foo", "\\bfoo\\b", "foo"), ("a.b", "\\.", "."),
      ("2024-01-15", "(\\d{4})-(\\d\\d)-(\\d{2,})", "2024-01-15:2024:01:15"), ("aXbxc", "(?i)x", "X x"),
      ("aXbxc", "(?i:[w-y])", "X x"), ("l1\nl2", "(?m)^l\\d$", "l1 l2"), ("a\nb", "a.b", ""),
      ("a\nb", "(?s)a.b", "a\nb"),
      ("añ🙂b", "[^a-z]", "ñ 🙂"), ("Éa", "\\p{Lu}", "É"), ("Éa1", "\\P{L}", "1"), ("aab", "(a*)*b", "aab:aa"),
      ("x]y", "[]x]", "x ]"), ("a-b", "[a-]+", "a-"), ("{a}", "\\{a\\}", "{a}"), ("a{b", "a{b", "a{b"),
      ("tel 555", "(?<n>5)+", "555:5"), ("\u{e9}\u{1F600}", "\\x{e9}\\u{1F600}", "\u{e9}\u{1F600}"),
      ("aaaa", "a{2}", "aa aa"), ("aaaa", "a{3,}", "aaaa"), ("aaaa", "(?:aa|aaa)$", "aaa"), ("", "^$", ""),
      ("ab12", "[^\\d]+", "ab"), ("ab12", "[\\D]+", "ab"), ("abcd", "a(?:b(c)|x)d", "abcd:c"),
      ("ab b", "\\Bb", "b"), ("ab ab", "\\Aab", "ab"), ("Éa1", "\\pL", "É a"), ("a\u{8}]", "[\\b\\]]", "\u{8} ]"),
      ("aa{2,b", "a{2,b", "a{2,b"), ("a{2,3", "a{2,3", "a{2,3"), ("a{,2}", "a{,2}", "a{,2}"),
    ]
    for (text, pattern, expected) in cases {
      #expect(try all(text, pattern) == expected, "\(pattern) in \(text)")
      // Yes and no come from an automaton of their own: both must agree.
      let matcher = RegexMatcher(try RegexProgram(pattern))
      let whole = RegexMatcher(try RegexProgram("(?:" + pattern + ")\\z"))
      Array(text.utf8).withUnsafeBufferPointer { bytes in
        var search = RegexSearch(matcher.program)
        let isPart = matcher.fits(bytes, isWhole: false) { _ in }
        #expect(isPart == search.first(in: bytes) { _ in }, "\(pattern) in \(text)")
        let isWhole = whole.search(bytes) { _ in } && whole.slots[0] == 0 && whole.slots[1] == bytes.count
        #expect(matcher.fits(bytes, isWhole: true) { _ in } == isWhole, "\(pattern) is \(text)")
      }
    }
  }

  @Test func malformed() {
    let patterns = [
      "(", ")", "[", "a**", "*", "a{2,1}", "a{1001}", "\\", "\\q", "(?=a)", "(?<!a)", "(a)\\1", "[z-a]", "\\p{Xx}",
      "(?q)", "(?i", "\\p{L", "[\\q]",
      "\\x{110000}", "(?<n", "((a{1000}){1000}){1000}", String(repeating: "(", count: 100_000), "[a-\\d]", "\\u12",
    ]
    for pattern in patterns {
      #expect(throws: RegexProblem.self, "\(pattern.prefix(20))") { try RegexProgram(pattern) }
    }
  }

  @Test func routines() throws {
    #expect(try f.text(.regexMatches, "2024", "[0-9]+", result: .bool) == "true")
    #expect(try f.text(.regexMatches, "2024x", "[0-9]+", result: .bool) == "false")
    #expect(try f.text(.regexMatches, "ab", "a|ab", result: .bool) == "true")
    #expect(try f.text(.regexContains, "room 101", "[0-9]+", result: .bool) == "true")
    #expect(
      try f.text(.regexFind, "zimmér 101", "([0-9])([0-9]+)(x)?", result: f.optionMatch)
        == #"Some({groups: [Some("1"), Some("01"), None], index: 7, text: "101"})"#)
    #expect(try f.text(.regexReplace, "a1b22", "([0-9])+", "<$0$$$1$7>") == #""a<1$1>b<22$2>""#)
    #expect(try f.text(.regexReplace, "abc", "", "-") == #""-a-b-c-""#)
    #expect(try f.text(.regexSplit, "a1b22c", "[0-9]+", result: f.strings) == #"["a", "b", "c"]"#)
    #expect(try f.text(.regexSplit, "abc", "", result: f.strings) == #"["a", "b", "c"]"#)
    #expect(throws: Fault.self) { try f.text(.regexContains, "a", "(", result: .bool) }
  }

  /// Random patterns over few letters: the automaton and the matcher agree.
  @Test func agreement() throws {
    var random = SplitMix(seed: 5)
    let pieces = [
      "a", "b", "é", ".", "\\b", "^", "$", "(?m)^", "[^a]", "\\w", "\n", "(a|b)", "(?:ab)*", "a?", "b+", "|",
    ]
    let letters: [Character] = ["a", "b", "é", " ", "\n"]
    for _ in 0..<2000 {
      var pattern = ""
      for _ in 0..<random.int(1, 5) { pattern += pieces[random.int(0, pieces.count - 1)] }
      let program = try RegexProgram(pattern)
      var search = RegexSearch(program)
      var automaton = RegexAutomaton(program, isWhole: false)
      for _ in 0..<4 {
        var text = ""
        for _ in 0..<random.int(0, 6) { text.append(letters[random.int(0, letters.count - 1)]) }
        Array(text.utf8).withUnsafeBufferPointer { bytes in
          var place = 0
          while place <= bytes.count {
            #expect(
              automaton.fits(bytes, from: place) { _ in } == search.first(in: bytes, from: place) { _ in },
              "\(pattern) in \(text) from \(place)")
            place += Swift.max(1, RegexMatcher.decode(bytes, place).1)
          }
        }
      }
    }
  }

  /// Random patterns and texts, some longer than a block: a scan finds what plain backtracking finds, one match after
  /// the other.
  @Test func scansAgreeWithBacktracking() throws {
    var random = SplitMix(seed: 11)
    let pieces = [
      "a", "b", "é", ".", "\\b", "^", "$", "(?m)^", "(?m)$", "[^a]", "\\w", "\n", "(a|b)", "(?:ab)*", "a?", "b+", "|",
      "(a*)",
      "(a|ab)(b|)", "a*?", "(?:a|b?)+?", "((a)|b)*", "(a?)*", "\\B", "\\A", "b{2}", "(?:a*)*?b",
    ]
    let letters: [Character] = ["a", "b", "a", "é", " ", "\n", "🙂"]
    for round in 0..<1500 {
      var pattern = ""
      for _ in 0..<random.int(1, 5) { pattern += pieces[random.int(0, pieces.count - 1)] }
      let matcher = RegexMatcher(try RegexProgram(pattern))
      for _ in 0..<2 {
        var text = ""
        let length = round % 30 == 0 ? random.int(500, 1200) : random.int(0, 9)
        for _ in 0..<length { text.append(letters[random.int(0, letters.count - 1)]) }
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
          var scan = try RegexScan(matcher, bytes, f.machine)
          var start = 0
          while true {
            let expected = Backtracking(matcher.program, bytes).first(from: start)
            let isFound = try scan.next(from: start)
            #expect(isFound == (expected != nil), "\(pattern) in \(text) from \(start)")
            guard isFound, let expected else { break }
            #expect(scan.slots == expected, "\(pattern) in \(text) from \(start)")
            let width = max(1, RegexMatcher.decode(bytes, expected[1]).1)
            start = expected[1] > expected[0] ? expected[1] : expected[1] + width
          }
          scan.end(matcher)
        }
      }
    }
  }

  /// All matches of a text take time linear in it, where each search alone would look at all that is left; each
  /// counts steps.
  @Test func allMatchesAreLinear() throws {
    for pattern in ["a*b|a", "a*?b|a", "(a*)b|a", "a.*b|a", "(?:a|aa)*b|a"] {
      var steps: [Int] = []
      for count in [4_000, 40_000] {
        let text = Array(String(repeating: "a", count: count).utf8)
        let matcher = RegexMatcher(try RegexProgram(pattern))
        f.machine.grant(steps: 1_000_000_000, seconds: .infinity)
        let before = f.machine.state.pointee.stepsLeft
        try text.withUnsafeBufferPointer { bytes in
          var scan = try RegexScan(matcher, bytes, f.machine)
          var found = 0
          while try scan.next(from: found) { found += 1 }
          #expect(found == count)
        }
        steps.append(before - f.machine.state.pointee.stepsLeft)
      }
      #expect(steps[1] > 40_000 / 16 && steps[1] < 12 * steps[0], "\(pattern): \(steps)")
    }
  }

  /// An automaton of more states than are kept forgets them, and goes on.
  @Test func manyStates() throws {
    var random = SplitMix(seed: 7)
    let program = try RegexProgram("a[ab]{11}c")
    var search = RegexSearch(program)
    var automaton = RegexAutomaton(program, isWhole: false)
    var found = 0
    for _ in 0..<40 {
      let text = (0..<2000).map { _ in random.int(0, 1999) == 0 ? UInt8(ascii: "c") : UInt8(97 + random.int(0, 1)) }
      for end in [400, 900, 2000] {
        text[..<end].withUnsafeBufferPointer { bytes in
          let isFound = automaton.fits(bytes) { _ in }
          #expect(isFound == search.first(in: bytes) { _ in })
          if isFound { found += 1 }
        }
      }
    }
    #expect(found > 0 && found < 120)
  }

  /// Patterns that blow up in backtracking engines take time linear in the text.
  @Test func linear() throws {
    let text = Array(String(repeating: "a", count: 20_000).utf8) + [0x21]
    for pattern in ["(a+)+$", "(.*)*x", "(a|aa)+$", "(a?){50}a{50}b"] {
      let matcher = RegexMatcher(try RegexProgram(pattern))
      var search = RegexSearch(matcher.program)
      #expect(!text.withUnsafeBufferPointer { search.first(in: $0) { _ in } })
      #expect(!text.withUnsafeBufferPointer { matcher.fits($0, isWhole: false) { _ in } })
      #expect(search.work < 20_010 * 120, "\(pattern): \(search.work)")
    }
  }
}

/// The plainest search there is: each alternative in turn, no instruction twice at one place on one way.
private struct Backtracking {
  let program: RegexProgram
  let text: Bytes
  private var dead: Set<[Int]> = []

  init(_ program: RegexProgram, _ text: Bytes) {
    self.program = program
    self.text = text
  }

  func first(from start: Int) -> [Int]? {
    var search = self
    var place = start
    while place <= text.count {
      let slots = [Int](repeating: -1, count: 2 * (program.groupCount + 1))
      if let found = search.go(0, place, slots) { return found }
      place += max(1, RegexMatcher.decode(text, place).1)
    }
    return nil
  }

  /// The slots of the first way from an instruction to a match. What has failed at a place fails there again: an
  /// instruction is tried once, in order of preference.
  private mutating func go(_ pc: Int, _ place: Int, _ slots: [Int]) -> [Int]? {
    if !dead.insert([pc, place]).inserted { return nil }
    func isWord(_ place: Int) -> Bool {
      guard place >= 0, place < text.count else { return false }
      let scalar = Unicode.Scalar(text[place])
      return scalar.isASCII && (scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
    let (scalar, width) = RegexMatcher.decode(text, place)
    let isEdge = isWord(place - 1) != isWord(place)
    switch program.code[pc] {
    case .scalar(let wanted): return scalar == wanted ? go(pc + 1, place + width, slots) : nil
    case .set(let set):
      guard let scalar, program.sets[set].contains(scalar) else { return nil }
      return go(pc + 1, place + width, slots)
    case .anything: return scalar != nil ? go(pc + 1, place + width, slots) : nil
    case .jump(let target): return go(target, place, slots)
    case .split(let a, let b): return go(a, place, slots) ?? go(b, place, slots)
    case .save(let slot):
      var kept = slots
      kept[slot] = place
      return go(pc + 1, place, kept)
    case .match: return slots
    case .textStart: return place == 0 ? go(pc + 1, place, slots) : nil
    case .textEnd: return place == text.count ? go(pc + 1, place, slots) : nil
    case .lineStart: return place == 0 || text[place - 1] == 0x0A ? go(pc + 1, place, slots) : nil
    case .lineEnd: return place == text.count || text[place] == 0x0A ? go(pc + 1, place, slots) : nil
    case .wordBoundary: return isEdge ? go(pc + 1, place, slots) : nil
    case .noWordBoundary: return isEdge ? nil : go(pc + 1, place, slots)
    }
  }
}
