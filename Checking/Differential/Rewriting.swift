// Changes of a generated program that must not change what it shows.

extension Term {
  /// This term with every use of a name for which `replacement` gives a text (it is asked once a use, in order).
  func replacing(_ name: String, inScope: Bool, _ replacement: (_ inScope: Bool) -> String?) -> Term {
    var copy = self
    let inner = inScope || opensScope
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let text): copy.parts[index] = .text(text.replacing(name) { replacement(inner) })
      case .term(let term): copy.parts[index] = .term(term.replacing(name, inScope: inner, replacement))
      }
    }
    return copy
  }

  /// This term with some of its parts, and theirs, put through `change`.
  func changing(_ change: (Term) -> Term?) -> Term {
    var copy = self
    for (index, part) in parts.enumerated() {
      if case .term(let term) = part { copy.parts[index] = .term(term.changing(change)) }
    }
    return change(copy) ?? copy
  }
}

extension String {
  /// The text with uses of a name replaced; a field of that name is none.
  func replacing(_ name: String, _ replacement: () -> String?) -> String {
    var result = ""
    var word = ""
    var before: Character = " "
    func isName(_ c: Character) -> Bool { c == "_" || c.isLetter || c.isNumber }
    for c in self + " " {
      if isName(c) {
        word.append(c)
        continue
      }
      // `...name` is a use, `.name` a field.
      result += word == name && (before != "." || result.hasSuffix("...")) ? replacement() ?? word : word
      result.append(c)
      before = c
      word = ""
    }
    return String(result.dropLast())
  }

  /// Its parts between separators that stand in no bracket.
  func splitAtTop(_ separator: Character) -> [String] {
    var parts = [""]
    var depth = 0
    for c in self {
      if "([{<".contains(c) { depth += 1 }
      if ")]}>".contains(c) { depth -= 1 }
      if c == separator, depth == 0 { parts.append("") } else { parts[parts.count - 1].append(c) }
    }
    return parts
  }
}

extension GeneratedProgram.Definition {
  /// The name of a function and its parameters with their types; nil for a value.
  var function: (name: String, parameters: [(name: String, type: String)])? {
    guard !binder.hasPrefix("("), binder.hasSuffix(")"), let open = binder.firstIndex(of: "(") else { return nil }
    let list = String(binder[binder.index(after: open)...].dropLast()).splitAtTop(",")
    let parameters = list.map { text -> (name: String, type: String) in
      let parts = text.split(separator: ":", maxSplits: 1).map { $0.trimmed }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
    return (String(binder[..<open]), parameters)
  }

  /// Whether it is one name and its value.
  var isValue: Bool { !binder.contains("(") }

  /// Whether a part of it may remember; names of functions with memory begin with m.
  var mayRemember: Bool {
    let plain: Set<String> = ["map", "filter", "filterMap", "merge", "spill", "coalesce", "gate", "sample"]
    var remembers = false
    for name in Self.remembering.subtracting(plain) {
      _ = body.text.replacing(name) {
        remembers = true
        return nil
      }
    }
    return remembers
  }

  private static let remembering: Set<String> = [
    "hold", "fold", "scan", "count", "window", "delay", "debounce", "throttle", "audit", "take", "drop", "takeWhile",
    "takeThrough", "dropWhile", "takeUntil", "dropUntil", "once", "distinct", "unique", "indexed", "pairwise", "zip",
    "buffer", "batch", "bufferUntil", "mapAccum", "updates", "summary", "countBy", "sumBy", "partition", "every",
    "after", "start", "end", "when", "changes", "switch", "flatMap", "flatMapLatest", "keyed", "keyedUntil", "groupBy",
    "groupUntil", "each",
    "perform", "m0",
  ]
}

extension GeneratedProgram {
  /// A definition put in for its name at some of its uses. What remembers is one thing of its scope: it is put in only
  /// where its own scope is; functions are scopes of their callers.
  func inlined(_ random: inout Random) -> GeneratedProgram? {
    let candidates = definitions.indices.filter { definitions[$0].isValue }
    guard !candidates.isEmpty else { return nil }
    let definition = definitions[random.pick(candidates)]
    let remembers = definition.mayRemember
    var copy = self
    var count = 0
    for index in definitions.indices {
      let isFunction = definitions[index].function != nil
      copy.definitions[index].body = definitions[index].body.replacing(definition.binder, inScope: isFunction) {
        inScope in
        if remembers && inScope || count > 0 && random.oneIn(2) { return nil }
        count += 1
        return "(\(definition.body.text))"
      }
    }
    return count > 0 ? copy : nil
  }

  /// A call of a function replaced by its body, with the arguments bound to fresh names.
  func unfolded(_ random: inout Random) -> GeneratedProgram? {
    let functions = definitions.filter { $0.function != nil }
    guard !functions.isEmpty, let function = random.pick(functions).function,
      let body = definitions.first(where: { $0.function?.name == function.name })?.body.text
    else { return nil }
    var copy = self
    var count = 0
    for index in definitions.indices where definitions[index].function?.name != function.name {
      copy.definitions[index].body = definitions[index].body.changing { term in
        guard case .text(let head)? = term.parts.first, head.hasPrefix("\(function.name)("), !random.oneIn(3) else {
          return nil
        }
        let arguments = String(term.text.dropFirst(function.name.count + 1).dropLast()).splitArguments()
        guard arguments.count == function.parameters.count else { return nil }
        count += 1
        var text = body
        var bindings = ""
        for (place, argument) in arguments.enumerated() {
          let fresh = "z\(count)\(["a", "b", "c", "d"][min(place, 3)])"
          bindings += "\(fresh) = \(argument); "
          text = text.replacing(function.parameters[place].name) { fresh }
        }
        return Term(term.sort, "{ \(bindings)\(text) }")
      }
    }
    return count > 0 ? copy : nil
  }

  /// Parts put into other forms that mean the same: through a record, a block, a function, a match, both branches.
  func recast(_ random: inout Random) -> GeneratedProgram? {
    var copy = self
    var count = 0
    for index in definitions.indices {
      copy.definitions[index].body = definitions[index].body.changing { term in
        guard term.sort != .fixed, random.oneIn(12) else { return nil }
        count += 1
        return Term(term.sort, Self.form(of: term, &random))
      }
    }
    return count > 0 ? copy : nil
  }

  private static func form(of term: Term, _ random: inout Random) -> String {
    let text = term.text
    var forms = ["({v: \(text)}).v", "(z => z)(\(text))", "{ z = \(text); z }"]
    if case .event = term.sort {
      forms += ["merge(\(text), never)", "(\(text) |> map(z => z))", "(\(text) |> filter(_ => true))"]
    } else {
      forms += ["identity(\(text))", "(match \(text) { z => z })", "(if true then \(text) else \(text))"]
      forms += ["Tuple.first((\(text), 0))", "({...{v: \(text), w: 1}, w: 2}).v"]
    }
    return random.pick(forms)
  }

  /// The same definitions in another order.
  func shuffled(_ random: inout Random) -> GeneratedProgram? {
    var copy = self
    random.shuffle(&copy.definitions)
    return copy
  }

  /// The same with more definitions, and other outputs.
  public func adding(_ texts: [(name: String, text: String)], outputs: Set<String>) -> GeneratedProgram {
    var copy = self
    copy.outputs = outputs.sorted()
    copy.definitions += texts.map { .init(binder: $0.name, annotation: "", body: Term(.fixed, $0.text), names: []) }
    return copy
  }

  /// Names that its definitions and inputs bring, of events or of behaviors.
  public func names(events: Bool) -> [String] {
    var result = definitions.filter { $0.function == nil }.flatMap(\.names).filter { name in
      if case .event = name.sort { return events }
      return !events
    }.map(\.name)
    if events { result.append("e0") }
    return result
  }
}

extension String {
  /// Arguments of a call: strings may hold brackets and commas.
  fileprivate func splitArguments() -> [String] {
    var parts = [""]
    var depth = 0
    var isString = false
    var braces: [Int] = []
    for c in self {
      if isString {
        if c == "\"" { isString = false }
        if c == "{" {
          braces.append(depth)
          isString = false
          depth += 1
        }
        parts[parts.count - 1].append(c)
        continue
      }
      if c == "\"" { isString = true }
      if "([{".contains(c) { depth += 1 }
      if ")]}".contains(c) { depth -= 1 }
      if c == "}", braces.last == depth {
        braces.removeLast()
        isString = true
      }
      if c == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(c) }
    }
    return parts.map { Substring($0).trimmed }
  }
}
