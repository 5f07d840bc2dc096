// Problems with types, in words: everything but mismatches, which have a file of their own.

import FRPBase
import FRPCore
import FRPSyntax

extension Rendering {
  func diagnostic(_ problem: TypeProblem) -> Diagnostic {
    switch problem {
    case .mismatch(let fact): return mismatch(fact)
    case .unknownName(let unknown, let fitting, let modules, let isField, let isOfEvent):
      let diagnostic = unknownName(unknown, fitting, modules: modules, isOfEvent: isOfEvent)
      return isField ? namingField(diagnostic, unknown.name) : diagnostic
    case .appendedEvents(let expr, let left, let right): return appendedEvents(expr, left, right)
    case .arity(let call, let callee, let expected, let arguments, let subject, let isCurried):
      var diagnostic = arity(call, callee, expected: expected, arguments: arguments)
      let other = otherBuiltin(call, callee, arguments, subject: subject)
      if let meant = isCurried ? oneByOne(call, arguments, taken: expected[0]) : other { diagnostic.helps = [meant] }
      return subject.map { openingSource(diagnostic, arguments.first, $0) } ?? diagnostic
    case .constructorPatternArity(let span, let callee, let expected, let actual):
      return Diagnostic(
        .wrongPattern, "`\(callee.name)` holds \(count(expected, "value")), the pattern has \(actual)", at: span,
        label: "here", labels: declared(callee))
    case .patternLabel(let name, let callee, let known): return label(name, callee, known: known)
    case .notAFunction(let expr, let type, let arguments, let isVarying):
      return notAFunction(expr, type, arguments: arguments, isVarying: isVarying)
    case .lambdaArity(let expr, let expected, let actual, let reason):
      return lambdaArity(expr, expected, actual: actual, reason: reason)
    case .unknownField(let name, let record, let expr): return unknownField(name, record, expr: expr)
    case .recordFields(let expr, let extra, let missing, let expected, let reason):
      return recordFields(expr, extra, missing: missing, expected: expected, reason: reason)
    case .undecided(let expr, let isAnswer):
      let help = isAnswer ? answersHelp : Help("say what it contains", code: "name: Result<Int, Error> = …")
      return undecided(expr, .ambiguousType, "I cannot tell what this is to be decoded to", help)
    case .unreadAnswer(let expr):
      return undecided(expr, .unreadAnswer, "what this brings is not looked at, and shown as ()", answersHelp)
    case .noRow(let expr, let name, let containers, let type, let others, let looksVarying, let declaration):
      if looksVarying, containers.contains("Event"), listsOfIt(expr, type, containers).isEmpty {
        let applied = name == "map" ? others.first.flatMap { applying($0, to: expr) } : nil
        return behaviorAsEvent(expr, "`\(name)`", declaration: declaration, before: applied.map { [$0] } ?? [])
      }
      return noRow(expr, name, containers: containers, type: type, others: others, declaration: declaration)
    case .subjectNotFirst(let call, let name, let subject, let others, let kind):
      return subjectNotFirst(call, name, subject: subject, others: others, kind: kind)
    case .noRowInside(let expr, let name, let containers, let type):
      return Diagnostic(
        .typeMismatch, "\(quoted(expr)) cannot be used with \(named(type)) here", at: tree.span(expr),
        label: "it uses `\(name)`, which works on \(list(containers, "and"))",
        helps: type.head == .event ? eventHelps("e", start: type.startValue) : [])
    case .ambiguous(let expr, let name, let containers): return ambiguous(expr, name, containers)
    case .tooBig(let span, let name):
      return Diagnostic(
        .largeType, "the type of \(name.map { "`\($0)`" } ?? "this") grows too big", at: span,
        label: "it has thousands of parts", notes: ["Types that double at every step are usually a pair of a pair of …"]
      )
    case .tooDeep(let span): return tooDeep(span)
    case .badOutput(let name, let type, let part): return notPortable("output", name, of: type, part: part)
    case .badInput(let name, let type, let part): return notPortable("input", name, of: type, part: part)
    case .inputNotFound(let name, let known):
      return Diagnostic(
        .unknownName, "there is no input `\(name.text)`", at: name.span, label: "`given` feeds an input",
        helps: nearestNames(name.text, among: known).map { Help("did you mean", code: $0, edit: .init(name.span, $0)) })
    }
  }

  private func ambiguous(_ expr: ExprID, _ name: String, _ containers: [String]) -> Diagnostic {
    Diagnostic(
      .ambiguousType, "I cannot tell which `\(name)` is meant", at: tree.span(expr),
      label: "nothing says what its first argument is",
      notes: ["There is one for \(list(containers, "and"))."],
      helps: containers.prefix(2).map { Help("name it outright", code: "\($0).\(name)") })
  }

  private func subjectNotFirst(_ call: ExprID, _ name: String, subject: ExprID, others: [ExprID], kind: String)
    -> Diagnostic
  {
    let rest = others.compactMap { source($0) }
    let code =
      rest.count == others.count ? source(subject).map { "\($0) |> \(name)(\(rest.joined(separator: ", ")))" } : nil
    return Diagnostic(
      .typeMismatch, "in `\(name)` the \(kind) comes first", at: tree.span(call), label: "arguments in another order",
      labels: [Label(tree.span(subject), "this is the \(kind)")], helps: [Help("write", code: code)])
  }

  private func undecided(_ expr: ExprID, _ code: DiagnosticCode, _ title: String, _ help: Help) -> Diagnostic {
    Diagnostic(code, title, at: tree.span(expr), label: "nothing says what is in it", helps: [help])
  }

  /// Lambdas have no place for a type, and what performs has another: where the answer is shown there is one.
  private var answersHelp: Help {
    Help("say what it contains where it is shown", code: "output name: Event<Result<Int, Error>> = …")
  }

  private func notPortable(_ port: String, _ name: Name, of type: ShownType, part: ShownType) -> Diagnostic {
    Diagnostic(
      .notPortable, "the \(port) `\(name.text)` holds \(kind(part))", at: name.span, label: "this is \(type.text)",
      notes: ["An \(port) is an event or a behavior of data: no functions, events or tasks inside."],
      helps: port == "output" ? outputHelps(name, of: type, part: part) : [])
  }

  private func outputHelps(_ name: Name, of type: ShownType, part: ShownType) -> [Help] {
    switch part.head {
    case .event: return resultsOnly(name, type) + outputsOfEvents(name, type)
    case .task: return [Help("perform it when an event occurs", code: "(clicks |> perform(Latest, _ => task)).results")]
    case .nominal(.source):
      return waysToOpen(type.head == part.head ? body(of: name).flatMap { source($0) } ?? name.text : "SOURCE", part)
    default: return []
    }
  }

  /// `an Int`, `a function`, `an event`.
  func kind(_ type: ShownType) -> String {
    switch type.head {
    case .function: return "a function"
    case .event: return "an event"
    case .task: return "a task"
    case .unit: return "`()`"
    case .nominal(.source): return "a source"
    case .nominal: return "a function, event or task inside `\(type.text)`"
    default: return named(type)
    }
  }

  /// The type with an article: `an Int`, `a List<String>`.
  func named(_ type: ShownType) -> String {
    if case .function = type.head { return "a function \(type.text)" }
    if type.isRigid { return "`\(type.text)`" }
    if case .open(let classes) = type.head {
      return classes.contains(.num) ? "a number" : classes.contains(.append) ? "a String or a List" : "anything"
    }
    guard let first = type.text.first, first.isLetter else { return type.text }
    return "AEIOUaeiou".contains(first) ? "an \(type.text)" : "a \(type.text)"
  }

  func declared(_ callee: CalleeFact) -> [Label] {
    guard let span = callee.declaration, !span.isNone else { return [] }
    return [Label(span, "`\(callee.name)` is declared here")]
  }

  private func unknownName(
    _ unknown: UnknownName, _ fitting: [String], modules: [String], isOfEvent: Bool
  ) -> Diagnostic {
    let name = unknown.name
    var helps = fitting.map { Help("did you mean", code: $0, edit: .init(name.span, $0)) }
    var notes = foreignLetters(name.text)
    // A name that looks the same was meant, whatever else is near.
    let latin = inLatinLetters(name.text)
    if let twin = (unknown.candidates.map(\.name) + fitting).first(where: { inLatinLetters($0) == latin }) {
      helps = [Help("did you mean", code: twin, edit: .init(name.span, twin))]
      notes += foreignLetters(twin)
    }
    if let help = commentHelp(name) { helps.insert(help, at: 0) }
    // A foreign name, also one that is misspelt, unless it is nearer to one that is here.
    let isUnlikeAny = helps.isEmpty && modules.isEmpty && unknown.ended == nil && unknown.isSearched
    let ofEvents = isOfEvent ? otherNamesOfEvents[name.text] : nil
    if let other = ofEvents ?? otherNames[name.text] ?? (isUnlikeAny ? nearestOtherName(name.text) : nil) {
      if other.name == nil, !isUnlikeAny {
        // A built-in that is spelt nearly so does something else.
        let own = Set(unknown.candidates.map(\.name))
        helps.removeAll { help in help.edit.map { !own.contains($0.text) } ?? false }
      }
      if let here = other.name {
        let isMiswritten = fitting.first?.lowercased() == name.text.lowercased()
        helps.insert(
          Help("it is called `\(here)` here", code: here, edit: .init(name.span, here)), at: isMiswritten ? 1 : 0)
      }
      if let advice = other.advice { notes.append("There is no `\(name.text)`: \(advice).") }
    }
    if !modules.isEmpty {
      return Diagnostic(
        .moduleNotImported, "`\(name.text)` is in \(list(modules.map { "`\($0)`" }, "and"))", at: name.span,
        label: "needs the module's name", notes: notes,
        helps: (ofEvents ?? otherNames[name.text] == nil ? [] : helps)
          + modules.map { module in
            let isOther = ofEvents ?? otherNames[name.text] != nil
            let code = "\(module).\(name.text)"
            return Help(isOther ? "or, if that is meant" : "write", code: code, edit: .init(name.span, code))
          })
    }
    if let ended = unknown.ended {
      return Diagnostic(
        .nameOutOfScope, "`\(name.text)` exists only inside another block or branch", at: name.span,
        label: "not visible here",
        labels: [Label(ended, "it is bound here")], notes: notes, helps: helps)
    }
    return Diagnostic(
      .unknownName, "nothing is called `\(name.text)`", at: name.span, label: "unknown name", notes: notes, helps: helps
    )
  }

  /// `сount` begins with a letter that only looks like a c.
  private func foreignLetters(_ name: String) -> [String] {
    let isMixed = name.unicodeScalars.contains { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }
    guard isMixed, let found = lookAlikes(in: name).first, let scalar = found.letter.unicodeScalars.first else {
      return []
    }
    let number = String(scalar.value, radix: 16, uppercase: true)
    return [
      "The `\(found.letter)` in `\(name)` is U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number), a letter of another alphabet that looks like `\(found.latin)`."
    ]
  }

  /// The built-in that takes one argument more.
  private func forMore(_ callee: CalleeFact, _ arguments: [ExprID]) -> [Help?] {
    guard callee.kind == .builtin, arguments.count == 2, let first = source(arguments[0]),
      let second = source(arguments[1])
    else { return [] }
    return switch callee.name {
    case "round": [Help("a text with so many decimals", code: "toFixed(\(first), \(second))")]
    case "integral": [Help("to begin at another value", code: "integralFrom(\(first), \(second), never)")]
    default: []
    }
  }

  private func arity(_ call: ExprID, _ callee: CalleeFact, expected: [Int], arguments: [ExprID]) -> Diagnostic {
    let most = expected.max() ?? 0
    let least = expected.min() ?? 0
    let distinct = Set(expected).sorted()
    let need = "\(list(distinct.map(String.init))) argument\(distinct == [1] ? "" : "s")"
    let given = arguments.count
    var notes: [String] = []
    let shown = callee.parameters.allSatisfy { !$0.isEmpty } ? callee.parameters.joined(separator: ", ") : ""
    if callee.kind == .builtin, !shown.isEmpty {
      notes.append("It is `\(callee.name)(\(shown))`; `x |> \(callee.name)(…)` passes x first.")
      if ["fold", "scan", "hold"].contains(callee.name), given == least - 1 {
        notes.append("What is it before the first occurrence? That is `start`.")
      }
    } else if given < least, callee.parameters.count > given {
      let missing = callee.parameters.dropFirst(given).filter { !$0.isEmpty }.map { "`\($0)`" }
      if !missing.isEmpty { notes.append("Missing: \(list(missing, "and")).") }
    }
    if given < least, beginsRightOfPipe(call) { notes.append(Self.pipeReach) }
    let code: DiagnosticCode = given > most ? .surplusArguments : .missingArguments
    let title =
      "`\(callee.name)` takes \(need), \(given == 0 ? "none are" : given == 1 ? "1 is" : "\(given) are") given"
    let helps =
      given < least
      ? [partial(call, callee, missing: least - given), spread(call, callee, arguments)]
      : forMore(callee, arguments) + [parameterList(arguments, given - most)]
    return Diagnostic(
      code, title, at: tree.span(call), label: given > most ? "too many" : "too few", labels: declared(callee),
      notes: notes,
      helps: helps.compactMap { $0 })
  }

  /// `map(a, b => …)` where a function of two parameters was meant.
  private func parameterList(_ arguments: [ExprID], _ surplus: Int) -> Help? {
    guard let last = arguments.last, case .lambda(let own, let body) = tree[last], own.count == 1,
      let parameter = source(tree.span(own[0])), let text = source(body), surplus < arguments.count
    else { return nil }
    let before = arguments.dropLast().suffix(surplus)
    let names = before.compactMap { id in if case .name = tree[id] { source(id) } else { nil } }
    guard names.count == surplus, let first = before.first, tree.span(first).end < tree.span(last).start else {
      return nil
    }
    let between = Span(file: tree.span(last).file, start: Int(tree.span(first).end), end: Int(tree.span(last).start))
    // What a pipe hands over is no parameter.
    if sources.text(between).contains("|>") { return nil }
    let code = "(\((names + [parameter]).joined(separator: ", "))) => \(text)"
    let place = Span(file: tree.span(last).file, start: Int(tree.span(first).start), end: Int(tree.span(last).end))
    return Help("several parameters stand in parentheses", code: code, edit: Help.Edit(place, code))
  }

  /// `add(1)` where a function is to be handed over: `x => add(1, x)`.
  private func partial(_ call: ExprID, _ callee: CalleeFact, missing: Int) -> Help? {
    guard case .call(let function, let arguments) = tree[call], (1...2).contains(missing), !arguments.isEmpty,
      let name = source(function), tree.exprs.contains(where: { isHanded(call, in: $0) })
    else { return nil }
    let texts = arguments.compactMap(source)
    if texts.count != arguments.count { return nil }
    let new = missing == 1 ? ["x"] : ["x", "y"]
    let parameters = missing == 1 ? "x" : "(x, y)"
    // The subject of a built-in is what is missing.
    let all = callee.kind == .builtin ? new + texts : texts + new
    let code = "\(parameters) => \(name)(\(all.joined(separator: ", ")))"
    return Help("a function of what is missing", code: code, edit: Help.Edit(tree.span(call), code))
  }

  private func isHanded(_ argument: ExprID, in expr: Expr) -> Bool {
    if case .call(_, let arguments) = expr { arguments.contains(argument) } else { false }
  }

  private func label(_ name: Name, _ callee: CalleeFact, known: [String]) -> Diagnostic {
    Diagnostic(
      .wrongPattern, "`\(callee.name)` has no field `\(name.text)`", at: name.span,
      label: known.isEmpty ? "its fields have no names" : "it has \(list(known.map { "`\($0)`" }, "and"))",
      labels: declared(callee),
      helps: nearestNames(name.text, among: known).map { Help("did you mean", code: $0, edit: .init(name.span, $0)) })
  }

  private func notAFunction(_ expr: ExprID, _ type: ShownType, arguments: Int, isVarying: Bool) -> Diagnostic {
    Diagnostic(
      .surplusArguments, "\(quoted(expr)) is not a function, so it takes no arguments", at: tree.span(expr),
      label: "this is \(named(type))", helps: arguments == 0 ? [withoutCall(expr)].compactMap { $0 } : [])
  }

  private func lambdaArity(_ expr: ExprID, _ expected: [ShownType], actual: Int, reason: Reason) -> Diagnostic {
    var labels: [Label] = []
    var place = "here"
    if case .argument(let index, let callee, _) = reason {
      place = "as the \(ordinal(index + 1)) argument of `\(callee.name)`"
      labels = declared(callee)
    }
    return Diagnostic(
      .missingArguments, "a function of \(count(expected.count, "parameter")) is needed \(place)", at: tree.span(expr),
      label: "this one has \(actual)", labels: labels,
      notes: expected.isEmpty ? [] : ["It is given \(list(expected.map(named), "and"))."],
      helps: actual == 0 ? ignoring(expr, expected.count) : [folding(expr, reason)].compactMap { $0 })
  }

  /// `() => 1` for `_ => 1`.
  private func ignoring(_ expr: ExprID, _ count: Int) -> [Help] {
    guard case .lambda(_, let body) = tree[expr], let text = source(body), count > 0 else { return [] }
    let parameters = count == 1 ? "_" : "(\(Array(repeating: "_", count: count).joined(separator: ", ")))"
    let code = "\(parameters) => \(text)"
    return [Help("one that ignores what it is given", code: code, edit: Help.Edit(tree.span(expr), code))]
  }

  /// `text.size`, as elsewhere, is `size(text)` here.
  private func methodHelp(_ name: Name, _ record: ShownType, expr: ExprID?) -> [Help] {
    guard let expr, let text = source(expr) else { return [] }
    if record.head == .tuple { return partHelp(name, record, text: text, expr: expr) }
    if record.head == .nominal(.json) {
      return [Help("what stands at a key, if anything does", code: "Json.at(\(text), [\"\(name.text)\"])")]
    }
    if name.text != "get" || [.list, .map].contains(record.head), Builtins.byBareName[name.text] != nil {
      let arguments = methodArguments(name, of: expr)
      return [Help("functions are applied to their subject", code: "\(text) |> \(name.text)\(arguments)")]
    }
    if ["length", "count", "len"].contains(name.text), [.list, .map, .string].contains(record.head) {
      return [Help("it is called `size` here", code: "size(\(text))")]
    }
    if ["value", "get", "current", "now"].contains(name.text) {
      return [Help("a behavior stands for its value", code: text)]
    }
    if let other = otherNames[name.text], other.advice == nil, let here = other.name, record.head.container != nil {
      return [Help("it is called `\(here)` here", code: "\(text) |> \(here)\(methodArguments(name, of: expr))")]
    }
    let each = "\(text) |> map(.\(fieldText(name.text)))"
    if record.text.hasPrefix("Option<") { return [Help("of what is in it", code: each)] }
    if record.text.hasPrefix("List<") { return [Help("of each element", code: each)] }
    return []
  }

  /// What a method is called with: `(x => x)` of `xs.map(x => x)`.
  private func methodArguments(_ name: Name, of subject: ExprID) -> String {
    // A call comes after its parts, and there are few of these.
    for index in tree.exprs.indices.dropFirst(subject.index).prefix(200) {
      guard case .call(let callee, let arguments) = tree.exprs[index], case .field(_, let field) = tree[callee],
        field.span == name.span
      else { continue }
      let texts = arguments.compactMap { source($0) }
      return texts.isEmpty || texts.count < arguments.count ? "" : "(\(texts.joined(separator: ", ")))"
    }
    return ""
  }

  private func unknownField(_ name: Name, _ record: ShownType, expr: ExprID?) -> Diagnostic {
    guard case .record = record.head else {
      return Diagnostic(
        .unknownField, "\(named(record)) has no fields", at: name.span, label: "`.\(name.text)` needs a record",
        labels: expr.map { [Label(tree.span($0), "this is \(named(record))")] } ?? [],
        helps: methodHelp(name, record, expr: expr))
    }
    let fields = record.fields.map(\.name)
    let near = nearestNames(name.text, among: fields)
    let owner = record.text.hasPrefix("{") ? "this record" : "`\(record.text)`"
    let update = near.isEmpty ? newRecord(name, fields) : nil
    return Diagnostic(
      .unknownField, "\(owner) has no field `\(name.text)`", at: name.span,
      label: fields.isEmpty ? "the record is empty" : "it has \(fieldList(fields))",
      labels: expr.map { [Label(tree.span($0), "this is \(record.text)")] } ?? [],
      notes: update == nil ? [] : [Self.updateKeeps],
      helps: [update].compactMap { $0 }
        + near.map { Help("did you mean", code: ".\(fieldText($0))", edit: .init(name.span, fieldText($0))) })
  }

  static var updateKeeps: String { "An update `{...x, a: 1}` keeps the fields of a record and their types." }

  /// `{...p, z: 3}` with a field that p does not have, as a record of its own.
  private func newRecord(_ name: Name, _ fields: [String]) -> Help? {
    for case .update(let base, let updates) in tree.exprs where updates.contains(where: { $0.path == [name] }) {
      guard case .name = tree[base], let text = source(base), fields.count <= 8 else { return nil }
      let kept = fields.filter { field in !updates.contains { $0.path.first?.text == field } }
      let parts =
        kept.map { "\(fieldText($0)): \(text).\(fieldText($0))" }
        + updates.compactMap { update in source(update.value).map { "\(fieldText(update.path[0].text)): \($0)" } }
      return Help("a new record", code: "{\(parts.joined(separator: ", "))}")
    }
    return nil
  }

  /// The names of fields; of many, the first ones and how many more there are.
  func fieldList(_ names: [String]) -> String {
    let shown = names.count <= 9 ? names : Array(names.prefix(8))
    let more = names.count - shown.count
    return list(shown.map { "`\($0)`" } + (more == 0 ? [] : ["\(more) more"]), "and")
  }

  /// E0502: a literal with other fields than are needed. Slips are looked for among the missing ones only.
  private func recordFields(
    _ expr: ExprID, _ extra: [Name], missing: [(name: String, text: String)], expected: ShownType, reason: Reason
  ) -> Diagnostic {
    let (outer, path) = reason.unwrapped
    let inside = path.isEmpty || pathText(path).isEmpty ? "" : " of `\(pathText(path))`"
    let lacking = missing.map { "`\(fieldText($0.name)): \($0.text)`" }
    let needed = expected.fields.map { "`\($0.name)`" }
    if let field = extra.first {
      let near = nearestNames(field.text, among: missing.map(\.name))
      return Diagnostic(
        .wrongFields, "`\(field.text)` is not a field\(inside) here", at: field.span,
        label: needed.isEmpty ? "no fields are needed" : "needed: \(list(needed, "and"))", labels: reasonLabels(outer),
        notes: lacking.isEmpty || !near.isEmpty ? [] : ["Missing: \(list(lacking, "and"))."],
        helps: near.map { Help("did you mean", code: fieldText($0), edit: .init(field.span, fieldText($0))) })
    }
    let what = missing.count == 1 ? "the field \(lacking[0]) is" : "the fields \(list(lacking, "and")) are"
    return Diagnostic(
      .wrongFields, "\(what) missing\(inside)", at: tree.span(expr), label: "in this record",
      labels: reasonLabels(outer))
  }

  private func noRow(
    _ expr: ExprID, _ name: String, containers: [String], type: ShownType, others: [ExprID], declaration: Span?
  ) -> Diagnostic {
    if case .event = type.head {
      return eventAsSubject(expr, name, type: type, others: others, declaration: declaration)
    }
    let diagnostic = Diagnostic(
      .typeMismatch, "`\(name)` does not work on \(named(type))", at: tree.span(expr), label: "this is \(named(type))",
      notes: ["There is one for \(list(containers, "and"))."],
      helps: [resultsOf(expr, type)].compactMap { $0 } + listsOfIt(expr, type, containers)
        + (valueOfOption(expr, type).map { [$0] } ?? []))
    return openingSource(diagnostic, expr, type)
  }

  /// The lists that a map or set has, for what works on lists.
  private func listsOfIt(_ expr: ExprID, _ type: ShownType, _ containers: [String]) -> [Help] {
    guard containers.contains("List"), let text = source(expr) else { return [] }
    switch type.head {
    case .map: return Help.lists(ofMap: text)
    case .nominal(.set): return [Help("the list of a set", code: "toList(\(text))")]
    default: return []
    }
  }

  /// What makes a value of an event, or of each occurrence.
  func eventHelps(_ name: String, start: String?) -> [Help] {
    [
      Help("keep an event's last occurrence", code: "\(name) |> hold(\(start ?? Help.blank))"),
      Help("or work on its occurrences", code: "\(name) |> map(x => …)"),
    ]
  }

  /// E0403: an event where one of several built-ins of data needs its subject.
  private func eventAsSubject(
    _ expr: ExprID, _ name: String, type: ShownType, others: [ExprID], declaration: Span?
  ) -> Diagnostic {
    let text = source(expr) ?? "e"
    var helps = [
      Help("keep the last one", code: "\(text) |> hold(\(type.startValue ?? Help.blank))"),
      Help("or work on each occurrence", code: "\(text) |> map(x => x |> \(name)\(arguments(others)))"),
    ]
    if isOfNoCollection(type), ["get", "contains", "isEmpty", "reverse"].contains(name) {
      helps = occurrencesAsList(text, for: name, type)
    } else if name == "size" {
      helps.insert(Help("how many so far", code: "count(\(text))"), at: 0)
    }
    return Diagnostic(
      .eventAsValue, "\(quoted(expr)) is an event, but a value is needed by `\(name)`", at: tree.span(expr),
      label: "an event has no value between its occurrences",
      labels: declaration.map { [Label($0, "\(quoted(expr)) is declared as an event here")] } ?? [],
      helps: helps)
  }

  /// The arguments behind a subject, as they are written; nothing if there are none.
  private func arguments(_ others: [ExprID]) -> String {
    let texts = others.map { source($0) ?? Help.blank }
    return texts.isEmpty ? "" : "(\(texts.joined(separator: ", ")))"
  }

  /// E0401: a behavior stands where something happens.
  func behaviorAsEvent(
    _ expr: ExprID, _ place: String, declaration: Span?, before: [Help] = []
  ) -> Diagnostic {
    let text = source(expr) ?? "b"
    return Diagnostic(
      .behaviorAsEvent, "\(place) needs an event, but \(quoted(expr)) is a behavior", at: tree.span(expr),
      label: "a behavior always has a value",
      labels: declaration.map { [Label($0, "\(quoted(expr)) is declared here")] } ?? [],
      helps: before + [
        Help("react when it changes", code: "changes(\(text))"),
        Help("look at it on each tick", code: "sample(\(text), every(20ms))"),
      ])
  }

  /// For who would `map` a behavior: the same without it.
  private func applying(_ function: ExprID, to behavior: ExprID) -> Help? {
    guard let subject = source(behavior), let text = source(function) else { return nil }
    let code: String
    switch tree[function] {
    case .lambda(let parameters, let body):
      guard parameters.count == 1, let parameter = source(tree.span(parameters[0])), let value = source(body) else {
        return nil
      }
      code = parameter == "_" ? value : "{ \(parameter) = \(subject); \(value) }"
    default: code = "\(subject) |> \(text)"
    }
    return Help("functions take behaviors as they are", code: code)
  }
}
