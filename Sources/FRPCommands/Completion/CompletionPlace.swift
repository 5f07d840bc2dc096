// What may come at the cursor.
//
// A name that nothing defines takes the place of the word at the cursor, and the text is checked: what could be seen from
// there, the type that is needed, and the type of what is piped into it are what the checker knows of that name.
// Rules: after `Module.` its members; after another dot the fields of the record; where a type is written, types; in a
// pattern, constructors; behind `|>` functions, first those that take what is piped; behind `import` the files that can be;
// behind `output` definitions, behind `given` inputs; elsewhere names, first those whose type is the one that is needed; in texts and
// comments nothing.

import FRP
import FRPBase
import FRPCore
import FRPSema
import FRPSyntax

/// Something that may come.
struct CompletionCandidate {
  /// The numbers are those of editors (LSP).
  enum Kind: Int {
    case function = 3
    case constructor = 4
    case field = 5
    case variable = 6
    case module = 9
    case keyword = 14
    case constant = 21
    case type = 22
    case event = 23

    /// Where there is no type to tell.
    var word: String {
      switch self {
      case .module: "module"
      case .keyword: "word"
      case .type: "type"
      default: ""
      }
    }
  }

  var name: String
  var kind: Kind
  var type = ""
  var words = ""
  /// What fits has less.
  var rank = 5
  /// Where a type is needed, whether it is known to be another.
  var isMisfit = false
}

/// The place of a cursor.
struct CompletionPlace {
  /// No program has this name.
  private static let hole = "completionPlaceOfTheCursor"

  private let document: Document
  private let surroundings: Surroundings
  /// The text with the hole in place of the word.
  private let probe: SourceFile
  /// Where the word begins.
  private let start: Int
  /// What follows the word.
  private let rest: [UInt8]
  /// The tokens before it.
  private let tokens: [GrammarToken]
  /// The token that the hole is, or is part of the start of.
  private let here: GrammarToken?

  init(_ document: Document, at offset: Int, _ surroundings: Surroundings) {
    self.document = document
    self.surroundings = surroundings
    let word = document.file.word(at: offset)
    let begin = word.map { Int($0.start) } ?? offset
    start = begin
    let bytes = document.file.bytes
    let end = word.map { Int($0.end) } ?? offset
    let before = Array(bytes[..<begin])
    rest = Array(bytes[end...])
    probe = SourceFile(name: document.path, bytes: before + Array(Self.hole.utf8) + rest)
    let all = Parser.grammarTokens(probe).filter { $0.end > $0.start }
    tokens = all.filter { $0.start < begin }
    here = all.first { $0.start == begin }
  }

  func candidates() -> [CompletionCandidate] {
    // Else in a text, a comment or a number.
    guard let here, here.name == "LOWER", here.text == Self.hole, !isNumber else { return [] }
    let isMember = tokens.last?.text == "." && tokens.last?.end == start
    if isMember, tokens.count > 1, tokens[tokens.count - 2].name == "UPPER" {
      return members(of: tokens[tokens.count - 2].text)
    }
    if let words { return words }
    if let ports { return ports }
    if !isMember, isType { return types() }
    let analysis = Analysis(probe, surroundings)
    if isMember { return isFieldFunction ? fieldsOfArgument() : fields(analysis) }
    let found = names(analysis)
    // In a branch that is not written yet.
    return found.isEmpty ? constructorsOfPattern(Analysis(probe(replacing: start, "", " => ()"), surroundings)) : found
  }

  /// Whether the word begins with a digit.
  private var isNumber: Bool {
    start < document.file.bytes.count && (0x30...0x39).contains(document.file.bytes[start])
  }

  /// The text with the hole, and more behind it, in place of all from an offset to the end of the word.
  private func probe(replacing offset: Int, _ head: String, _ tail: String) -> SourceFile {
    let before = Array(document.file.bytes[..<offset])
    return SourceFile(name: document.path, bytes: before + Array((head + Self.hole + tail).utf8) + rest)
  }

  // MARK: Words

  /// At the margin, what an item begins with.
  private var words: [CompletionCandidate]? {
    let line = probe.lineIndex(at: start)
    guard start == Int(probe.lineStarts[line]) else { return nil }
    return ["input", "output", "type", "alias", "import", "test"].map { CompletionCandidate(name: $0, kind: .keyword) }
  }

  /// What can be named by its bare name alone: modules to import, definitions to put out, inputs to give something to.
  private var ports: [CompletionCandidate]? {
    let line = probe.lineIndex(at: start)
    let before = tokens.drop { $0.start < Int(probe.lineStarts[line]) }
    switch before.first?.text {
    case "import" where before.count == 1: return modulesBeside
    case "output" where before.allSatisfy({ ["output", ","].contains($0.text) || $0.name == "LOWER" }):
      return topLevel { known, target in !known.isFunction(target) }
    case "given" where before.count == 1 && item.first?.text == "test":
      return topLevel { known, target in known.typed?.inputs.contains { .item($0.item) == target } == true }
    default: return nil
    }
  }

  /// The files beside this one that can be modules.
  private var modulesBeside: [CompletionCandidate] {
    let folder = Files.directory(of: document.path)
    let names = surroundings.modules.list(folder.isEmpty ? "." : folder).filter { $0.hasSuffix(".frp") }
    return names.map { String($0.dropLast(4)) }.filter { $0.first?.isUppercase == true }.map {
      CompletionCandidate(name: $0, kind: .module)
    }
  }

  private func topLevel(where isWanted: (Analysis, NameTarget) -> Bool) -> [CompletionCandidate] {
    let known = known
    return (known.typed?.tree.modules.first?.items ?? []).flatMap { known.declared(by: $0) }.filter {
      isWanted(known, $0.target)
    }.map { name, target in
      CompletionCandidate(
        name: name.text, kind: Self.kind(target, known), type: known.type(of: target) ?? "",
        words: known.documentation(of: target) ?? "")
    }
  }

  /// The tokens of the item up to the cursor.
  private var item: ArraySlice<GrammarToken> {
    let all = Parser.grammarTokens(probe)
    guard let line = all.last(where: { $0.name == "NEWLINE" && $0.start <= start && isAtMargin($0.start) }) else {
      return tokens[...]
    }
    return tokens.drop { $0.start < line.start }
  }

  private func isAtMargin(_ offset: Int) -> Bool { Int(probe.lineStarts[probe.lineIndex(at: offset)]) == offset }

  /// Whether a type is written here.
  private var isType: Bool {
    let item = item
    guard let first = item.first?.text, let last = item.last?.text else { return false }
    let equal = item.contains { $0.text == "=" }
    switch first {
    case "input": return !equal && item.count > 1 && item.contains { $0.text == ":" }
    case "alias": return equal
    case "type": return equal && ["(", "<", ":", ","].contains(last)
    case "output": return !equal && last == ":"
    default: return !equal && (last == ":" || last == "<" && item.contains { $0.text == ":" })
    }
  }

  private func types() -> [CompletionCandidate] {
    let own = known.facts?.declared.types ?? []
    let all = own + builtinTypeNames.filter { !own.contains($0) }
    return all.map { CompletionCandidate(name: $0, kind: .type) }
  }

  /// What is known of the text, or of the last one without errors where it is damaged.
  private var known: Analysis { document.good ?? document.analysis(surroundings) }

  // MARK: Members

  private func members(of module: String) -> [CompletionCandidate] {
    var found: [CompletionCandidate] = []
    for row in Builtins.documented where row.container == module && !found.contains(where: { $0.name == row.name }) {
      found.append(Self.candidate(row, name: row.name))
    }
    if module == "Json" {
      found += JsonCase.names.map { CompletionCandidate(name: String($0.dropFirst("Json.".count)), kind: .constructor) }
    }
    for function in surroundings.allModules.flatMap(\.functions) where function.module == module {
      found.append(
        CompletionCandidate(
          name: function.name, kind: function.shownArguments.isEmpty ? .variable : .function, type: function.type,
          words: function.help))
    }
    for host in surroundings.allModules where host.name == module {
      for defined in host.defined where !found.contains(where: { $0.name == defined.name }) {
        found.append(
          CompletionCandidate(name: defined.name, kind: .function, type: defined.declaration, words: defined.help))
      }
    }
    let analysis = document.analysis(surroundings)
    if found.isEmpty {
      for name in analysis.facts?.members(of: module) ?? [] { found.append(imported(name, of: module, analysis)) }
    }
    return found
  }

  /// Something of a module that the text imports.
  private func imported(_ name: String, of module: String, _ analysis: Analysis) -> CompletionCandidate {
    let isConstructor = name.first?.isUppercase == true
    let place = analysis.allNames.first { occurrence in
      occurrence.isDefinition && analysis.module(of: occurrence.span.file)?.name == module
        && analysis.sources.text(occurrence.span) == name
    }
    return CompletionCandidate(
      name: name, kind: isConstructor ? .constructor : Self.kind(place?.target, analysis),
      type: place.flatMap { analysis.type(of: $0.target) } ?? "",
      words: place.flatMap { analysis.documentation(of: $0.target) } ?? "")
  }

  // MARK: Fields

  private func fields(_ analysis: Analysis) -> [CompletionCandidate] {
    guard let typed = analysis.typed else { return [] }
    for case .field(let base, let name) in typed.tree.exprs where name.text == Self.hole {
      return fields(of: typed.exprTypes[base.index], typed)
    }
    return []
  }

  /// Whether the dot begins an operand: `map(.name)`.
  private var isFieldFunction: Bool {
    guard tokens.count > 1 else { return true }
    let before = tokens[tokens.count - 2]
    return !(["LOWER", "UPPER", "QUOTED", "TEXT_END"].contains(before.name) || [")", "]", "}"].contains(before.text))
  }

  /// The fields of what a function is given there: as if it were written out.
  private func fieldsOfArgument() -> [CompletionCandidate] {
    guard let dot = tokens.last else { return [] }
    return fields(Analysis(probe(replacing: dot.start, "x => x.", ""), surroundings))
  }

  private func fields(of type: Ty, _ typed: TypedProgram) -> [CompletionCandidate] {
    guard case .record(let fields, _) = typed[type] else { return [] }
    return fields.filter { $0.name != Self.hole }.map {
      CompletionCandidate(name: fieldText($0.name), kind: .field, type: typed.describe($0.type))
    }
  }

  // MARK: Names

  private func names(_ analysis: Analysis) -> [CompletionCandidate] {
    guard let hole = analysis.facts?.unresolved.first(where: { Int($0.span.start) == start }) else {
      return constructorsOfPattern(analysis)
    }
    let needs = Needs(hole.expr, analysis)
    var found: [CompletionCandidate] = []
    for (name, target) in hole.visible where name != Self.hole {
      let type = analysis.type(of: target) ?? ""
      found.append(
        CompletionCandidate(
          name: name, kind: Self.kind(target, analysis), type: type, words: analysis.documentation(of: target) ?? "",
          rank: needs.rank(type, isNear: analysis.isParameter(target)), isMisfit: needs.excludes(type)))
    }
    var seen = Set(found.map(\.name))
    for row in Builtins.documented where row.isBare || needs.subject == nil {
      let name = row.isBare ? row.name : row.container
      if row.isBare {
        var candidate = Self.candidate(row, name: name)
        candidate.rank = needs.rank(row.signature, isNear: false) + 1
        candidate.isMisfit = needs.excludes(row.signature)
        if needs.subject != nil, candidate.rank > Needs.fitting + 1 { continue }
        if seen.insert(name).inserted { found.append(candidate) }
      } else if seen.insert(name).inserted {
        found.append(CompletionCandidate(name: name, kind: .module, rank: 8))
      }
    }
    if needs.subject != nil { return found.filter { $0.type.contains("->") || $0.kind == .module } }
    return found + modules(seen) + constructors(analysis, needs) + Self.expressionWords
  }

  private static let expressionWords = ["if", "match", "true", "false"].map {
    CompletionCandidate(name: $0, kind: .keyword, rank: 8)
  }

  private func modules(_ seen: Set<String>) -> [CompletionCandidate] {
    let all = (known.facts?.imports ?? []) + surroundings.allModules.map(\.name)
    return Set(all).subtracting(seen).sorted().map { CompletionCandidate(name: $0, kind: .module, rank: 8) }
  }

  private func constructors(_ analysis: Analysis, _ needs: Needs) -> [CompletionCandidate] {
    guard let typed = analysis.typed else { return [] }
    var own = Set(analysis.facts?.declared.constructors ?? []).union(["Some", "None", "Ok", "Err"])
    if needs.isNominal("Policy") { own.formUnion(PolicyCase.names.dropLast()) }
    return typed.nominals.flatMap { nominal in
      nominal.cases.filter { own.contains($0.name) }.map { made in
        CompletionCandidate(
          name: made.name, kind: .constructor, type: "of \(nominal.name)",
          rank: needs.isNominal(nominal.name) ? 0 : 6)
      }
    }
  }

  /// In a pattern: the constructors of the type that is matched.
  private func constructorsOfPattern(_ analysis: Analysis) -> [CompletionCandidate] {
    guard let typed = analysis.typed,
      let pattern = typed.tree.patternSpans.firstIndex(where: { $0.file == FileID(0) && Int($0.start) == start })
    else { return [] }
    if case .nominal(let id, _) = typed[typed.patternTypes[pattern]] {
      let nominal = typed.nominals[id.index]
      return nominal.cases.map { CompletionCandidate(name: $0.name, kind: .constructor, type: "of \(nominal.name)") }
    }
    return []
  }

  private static func candidate(_ row: Builtin, name: String) -> CompletionCandidate {
    let kind: CompletionCandidate.Kind =
      row.signature.contains("->") ? .function : row.signature.hasPrefix("Event<") ? .event : .variable
    return CompletionCandidate(name: name, kind: kind, type: row.signature, words: row.summary)
  }

  private static func kind(_ target: NameTarget?, _ analysis: Analysis) -> CompletionCandidate.Kind {
    guard let target else { return .variable }
    if analysis.isEvent(target) { return .event }
    if analysis.isFunction(target) { return .function }
    return analysis.time(of: target) == .constant ? .constant : .variable
  }
}

/// What the place of a name wants.
private struct Needs {
  static let fitting = 1
  private static let misfit = 5
  /// The type of what is piped into it.
  private(set) var subject: String?
  /// The type that is needed, where it is known.
  private var wanted: String?

  init(_ hole: ExprID, _ analysis: Analysis) {
    guard let typed = analysis.typed else { return }
    for expr in typed.tree.exprs {
      switch expr {
      case .pipe(let left, let right):
        var callee = right
        if case .call(let inner, _) = typed.tree[right] { callee = inner }
        if callee == hole { subject = typed.describe(typed.exprTypes[left.index]) }
      case .binary(let op, let left, let right, _) where (left == hole || right == hole) && op != .and && op != .or:
        let other = typed[typed.exprTypes[(left == hole ? right : left).index]]
        if case .float = other { wanted = "Float" }
        if case .string = other { wanted = "String" }
      default: break
      }
    }
    switch typed[typed.exprTypes[hole.index]] {
    // What is open is handed over as these.
    case .error, .unit, .generic: wanted = wanted ?? Self.parameter(hole, typed, analysis)
    default: wanted = typed.describe(typed.exprTypes[hole.index])
    }
  }

  /// The type of the parameter that an argument of an unfinished call stands for, where the function says it without variables.
  private static func parameter(_ hole: ExprID, _ typed: TypedProgram, _ analysis: Analysis) -> String? {
    let piped = typed.tree.exprs.compactMap { expr in if case .pipe(_, let right) = expr { right } else { nil } }
    for (index, expr) in typed.tree.exprs.enumerated() {
      guard case .call(let callee, let arguments) = expr, let place = arguments.firstIndex(of: hole),
        let target = analysis.names.first(where: { $0.expr == callee })?.target
      else { continue }
      var signature = analysis.type(of: target) ?? ""
      if case .builtin(let rows) = target { signature = rows.count == 1 ? Builtins.all[rows[0]].signature : "" }
      let parameters = SignatureText.parameters(of: signature)?.parameters ?? []
      let number = place + (piped.contains(ExprID(index)) ? 1 : 0)
      guard parameters.indices.contains(number) else { continue }
      // `=Policy` is one that does not change.
      let type = String(parameters[number].drop { $0 == "=" })
      return type.split { !$0.isLetter && !$0.isNumber }.allSatisfy { $0.first?.isUppercase == true } ? type : nil
    }
    return nil
  }

  func rank(_ type: String, isNear: Bool) -> Int {
    if let subject { return SignatureText.takes(type, subject) ? Self.fitting : 6 }
    guard let wanted else { return isNear ? 1 : 3 }
    var plain = type
    if plain.hasPrefix("Behavior<"), plain.hasSuffix(">") { plain = String(plain.dropFirst(9).dropLast()) }
    if plain == wanted { return isNear ? 0 : 1 }
    return SignatureText.parameters(of: type)?.result == wanted ? 2 : Self.misfit
  }

  /// Whether another type is needed than this, and than what a function of this type gives; or a function is needed
  /// that takes what is piped.
  func excludes(_ type: String) -> Bool {
    if let subject { return !SignatureText.takes(type, subject) }
    // What is as general as a variable may be anything.
    let result = SignatureText.parameters(of: type)?.result ?? type
    let isOpen = result.first?.isLowercase == true
    return wanted != nil && !isOpen && rank(type, isNear: false) == Self.misfit
  }

  func isNominal(_ name: String) -> Bool { wanted == name || wanted?.hasPrefix(name + "<") == true }
}
