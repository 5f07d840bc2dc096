// Programs about one thing: what remembers, or has a start value, in the body of what makes scopes, when the instant
// that makes the scope also changes what the body reads.
//
// The number of a program says which operator stands in the body of which scope; the rest follows from it by chance: what
// both read is an input or a definition outside, seldom another operator or scope. Values and times are few, so that in
// most instants most inputs occur at once.

package struct Nestings {
  private let tables: NestingTables
  private var random: Random
  /// What only the bodies of the scopes at work know: plain Ints, events, and behaviors.
  private var plains: [String] = []
  private var groups: [String] = []
  private var members: [String] = []
  /// How many operators are around this one.
  private var depth = 0
  /// For fresh names.
  private var names = 0
  /// Whether what is read may fault.
  private let isRisky: Bool

  /// What programs are about.
  package enum Subject: Sendable {
    /// Ints that change in steps.
    case steps
    /// Floats that move in continuous time.
    case motions

    fileprivate var tables: NestingTables { self == .steps ? .steps : .motions }
  }

  /// How many pairs of a scope and an operator there are.
  package static func count(_ subject: Subject) -> Int { Scope.allCases.count * subject.tables.all.count }

  /// The program of a number, with a trace.
  package static func program(_ number: UInt64, about subject: Subject = .steps) -> GeneratedProgram {
    var nestings = Nestings(Random(seed: number), subject.tables)
    return nestings.make(number)
  }

  /// A program for any bytes: each is a choice.
  package static func program(choices: [UInt8]) -> GeneratedProgram {
    var random = Random(choices: choices)
    let tables = NestingTables.steps
    let scopes = Scope.allCases.count
    let number = UInt64(random.below(scopes) + scopes * random.below(tables.all.count))
    var nestings = Nestings(random, tables)
    return nestings.make(number)
  }

  private init(_ random: Random, _ tables: NestingTables) {
    self.tables = tables
    var random = random
    isRisky = random.oneIn(6)
    self.random = random
  }

  private mutating func make(_ number: UInt64) -> GeneratedProgram {
    let place = Int(number % UInt64(Scope.allCases.count * tables.all.count))
    let scope = Scope.allCases[place % Scope.allCases.count]
    let (template, isEvent) = tables.all[place / Scope.allCases.count]
    var texts: [(name: String, text: String)] = []
    for index in 0..<4 {
      let whole = made(scope) { Body(text: $0.fill(template), isEvent: isEvent) }
      texts.append(("d\(index)", whole.text))
    }
    while let next = tables.outer.first(where: { name, _ in
      !texts.contains { $0.name == name } && texts.contains { $0.text.contains(name) }
    }) {
      texts.append(next)
    }
    let definitions = texts.map {
      GeneratedProgram.Definition(binder: $0.name, annotation: "", body: term(.fixed, $0.text), names: [])
    }
    return GeneratedProgram(
      seed: number, header: tables.header, definitions: definitions, outputs: (0..<4).map { "d\($0)" },
      trace: trace())
  }

  private mutating func trace() -> [(milliseconds: Int, values: [String])] {
    let times = (0..<random.within(3...9)).map { _ in random.below(9) * 100 }
    var result: [(milliseconds: Int, values: [String])] = []
    for time in times.sorted() {
      var values: [String] = []
      for name in ["e0", "e1", "b0", "b1"] where !random.oneIn(3) {
        values.append("\"\(name)\": \(random.pick(tables.numbers))")
      }
      if random.oneIn(2) { values.append("\"c0\": \(random.oneIn(2))") }
      result.append((time, values))
    }
    if let end = tables.end { result.append((end, [])) }
    return result
  }

  // MARK: What stands in holes

  private struct Body {
    var text: String
    var isEvent: Bool
  }

  private mutating func asEvent(_ body: Body) -> String {
    body.isEvent ? body.text : fill(random.pick(tables.asEvents), body.text)
  }

  private mutating func asBehavior(_ body: Body) -> String {
    body.isEvent ? "(\(body.text) |> hold(\(plain())))" : body.text
  }

  /// An operator or a scope in a hole.
  private mutating func anything() -> Body {
    if random.oneIn(3) {
      return made(random.pick(Scope.allCases)) { nestings in
        let isEvent = nestings.random.oneIn(2)
        return Body(text: isEvent ? nestings.event() : nestings.behavior(), isEvent: isEvent)
      }
    }
    let (template, isEvent) = random.pick(tables.all)
    return Body(text: fill(template), isEvent: isEvent)
  }

  private mutating func event() -> String { Self.hole("e", anyEvent()) }
  private mutating func behavior() -> String { Self.hole("b", anyBehavior()) }
  private mutating func condition() -> String { Self.hole("c", anyCondition()) }

  private mutating func anyEvent() -> String {
    if depth < 3, random.oneIn(8) { return asEvent(anything()) }
    if !groups.isEmpty, random.oneIn(2) { return random.pick(groups) }
    return random.pick(random.oneIn(3) ? tables.events : tables.commonEvents)
  }

  private mutating func anyBehavior() -> String {
    if depth < 3, random.oneIn(8) { return asBehavior(anything()) }
    if !members.isEmpty, random.oneIn(3) { return random.pick(members) }
    if !plains.isEmpty, random.oneIn(8) { return random.pick(plains) }
    if isRisky, random.oneIn(6) { return random.pick(tables.risks) }
    return random.pick(random.oneIn(3) ? tables.behaviors : tables.commonBehaviors)
  }

  private mutating func anyCondition() -> String {
    random.pick([
      "c0", "(\(behavior()) > \(tables.numbers[0]))", "(\(behavior()) \(tables.equality) \(behavior()))", "!c0",
    ])
  }

  private mutating func plain() -> String {
    plains.isEmpty || random.oneIn(3) ? random.pick(tables.numbers) : random.pick(plains)
  }

  /// A text with its holes filled: E is an event, B a behavior, C a condition, P a plain number, T a duration, N a fresh
  /// name, X what is given; each is a word of its own.
  private mutating func fill(_ template: String, _ given: String = "") -> String {
    depth += 1
    names += 1
    defer { depth -= 1 }
    let fresh = "n\(names)"
    var result = ""
    var word = ""
    func isWord(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "."
    }
    for character in template + " " {
      if isWord(character) {
        word.append(character)
        continue
      }
      switch word {
      case "E": result += event()
      case "B": result += behavior()
      case "C": result += condition()
      case "P": result += plain()
      case "T": result += random.pick(tables.durations)
      case "X": result += given
      default: result += word.hasPrefix("N.") || word == "N" ? fresh + word.dropFirst() : word
      }
      word = ""
      result.append(character)
    }
    return String(result.dropLast())
  }

  /// What stands in a hole, in brackets that no program has.
  private static func hole(_ sort: String, _ text: String) -> String { "⟦\(sort)\(text)⟧" }

  /// A text with its holes as terms, for whoever makes it small.
  private func term(_ sort: Sort, _ text: String) -> Term {
    var open: [Term] = [Term(sort)]
    var piece = ""
    var rest = text[...]
    func close() {
      open[open.count - 1].parts.append(.text(piece))
      piece = ""
    }
    while let character = rest.popFirst() {
      switch character {
      case "⟦":
        close()
        let sorts: [Character: Sort] = ["e": .event(tables.type), "b": .behavior(tables.type), "c": .behavior(.bool)]
        open.append(Term(rest.popFirst().flatMap { sorts[$0] } ?? .fixed))
      case "⟧":
        close()
        let inner = open.removeLast()
        open[open.count - 1].parts.append(.term(inner))
      default: piece.append(character)
      }
    }
    close()
    return open[0]
  }

  // MARK: Scopes

  private enum Scope: CaseIterable {
    case keyed, keyedByBehavior, groups, flatMap, flatMapLatest, turn, open, members, keyedInKeyed, turnInKeyed
    case keyedInTurn
  }

  /// A body in a scope.
  private mutating func made(_ scope: Scope, _ body: (inout Nestings) -> Body) -> Body {
    depth += 1
    names += 1
    defer { depth -= 1 }
    let (x, k, g, s) = ("x\(names)", "k\(names)", "g\(names)", "s\(names)")
    let source = event()
    switch scope {
    case .keyed, .keyedByBehavior:
      let key = scope == .keyedByBehavior ? "_ => \(fill(tables.behaviorKey))" : random.pick(tables.keys)
      let result = inside(k, g) { $0.asEvent(body(&$0)) }
      return Body(text: "(\(source) |> keyed(\(key), (\(k), \(g)) => \(result)))", isEvent: true)
    case .groups:
      let key = random.pick([tables.keys[0], tables.keys[tables.keys.count - 1]])
      let result = inside(k, g) { $0.asBehavior(body(&$0)) }
      return Body(
        text: "sum(Map.values(\(source) |> groupBy(\(key), (\(k), \(g)) => \(result))))", isEvent: false)
    case .flatMap, .flatMapLatest:
      let name = scope == .flatMap ? "flatMap" : "flatMapLatest"
      let result = inside(x) { $0.asEvent(body(&$0)) }
      return Body(text: "(\(source) |> \(name)(\(x) => \(result)))", isEvent: true)
    case .turn:
      let first = behavior()
      let result = inside(x) { $0.asBehavior(body(&$0)) }
      return Body(text: "(\(source) |> switch(\(first), \(x) => \(result)))", isEvent: false)
    case .open:
      let first = "{b: \(behavior()), e: \(event())}"
      let result = inside(x) { nestings in
        let made = body(&nestings)
        return made.isEvent
          ? "{b: \(nestings.behavior()), e: \(made.text)}" : "{b: \(made.text), e: \(nestings.event())}"
      }
      let use =
        tables.hasChanges && random.oneIn(2)
        ? "merge(changes(\(s).b), \(s).e)" : "sample(\(s).b, merge(\(s).e, \(event())))"
      return Body(text: "{ \(s) = \(source) |> switch(\(first), \(x) => \(result)); \(use) }", isEvent: true)
    case .members:
      let list = fill(random.pick(tables.lists))
      members.append(x)
      let result = inside { $0.asBehavior(body(&$0)) }
      members.removeLast()
      return Body(text: "sum(each(\(list), y => y, \(x) => \(result)))", isEvent: false)
    case .keyedInKeyed: return made(.keyed) { $0.made(.keyed, body) }
    case .turnInKeyed: return made(.keyed) { $0.made(.turn, body) }
    case .keyedInTurn: return made(.turn) { $0.made(.keyed, body) }
    }
  }

  /// Something in a scope that knows a plain number and an event.
  private mutating func inside(
    _ plain: String? = nil, _ group: String? = nil, _ body: (inout Nestings) -> String
  ) -> String {
    let known = (plains, groups)
    if let plain { plains.append(plain) }
    if let group { groups.append(group) }
    defer { (plains, groups) = known }
    return body(&self)
  }
}
