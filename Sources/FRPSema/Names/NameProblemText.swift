// Problems with names, in words.

import FRPBase
import FRPSyntax

extension Rendering {
  func diagnostic(_ problem: NameProblem) -> Diagnostic {
    switch problem {
    case .duplicate(let name, let first, let isParameter): return duplicate(name, first, isParameter: isParameter)
    case .fieldTwice(let name, let first):
      return Diagnostic(
        .duplicateName, "the field `\(name.text)` is given twice", at: name.span, label: "given again here",
        labels: [Label(first, "first given here")])
    case .notInModule(let name, let module, let has): return notInModule(name, module, has: has)
    case .unknownModule(let module, let name, let known, let isType):
      return isType ? constructorOfType(module, name) : unknownModule(module, name, known: known)
    case .unknownConstructor(let name, let known, let modules, let isType):
      return unknownConstructor(name, known, modules: modules, isType: isType)
    case .unknownType(let name, let known): return unknownType(name, known)
    case .typeArguments(let name, let expected, let actual): return typeArguments(name, expected, actual: actual)
    case .unknownTypeVariable(let name):
      return Diagnostic(
        .unknownType, "the type variable `\(name.text)` is not declared here", at: name.span,
        label: "types start with a capital; a small letter stands for any type",
        notes: ["A declaration lists its variables: `type Box<\(name.text)> = …`; an input's type has none."])
    case .missingVariables(let name, let missing): return missingVariables(name, missing)
    case .aliasOfItself(let name):
      return Diagnostic(
        .circularAlias, "the alias `\(name.text)` stands for itself", at: name.span,
        label: "needs its own meaning here",
        notes: ["An alias is only another name. A type that contains itself is declared with `type`."])
    case .growingType(let name): return growingType(name)
    case .inputTwice(let name, let first): return inputTwice(name, first)
    case .notInAllAlternatives(let name, let missing):
      return Diagnostic(
        .unequalAlternatives, "`\(name.text)` is not bound by every alternative of this pattern", at: name.span,
        label: "bound here", labels: [Label(missing, "but not here")])
    case .barBeforeRest(let span, let first, let rest): return barBeforeRest(span, first: first, rest: rest)
    case .tooDeep(let span): return tooDeep(span)
    case .outputUnknown(let name, let known): return outputUnknown(name, known)
    case .outputTwice(let name, let first):
      return Diagnostic(
        .duplicateName, "`\(name.text)` is an output twice", at: name.span, label: "again here",
        labels: [Label(first, "an output already")])
    case .outputFunction(let name):
      return Diagnostic(
        .notPortable, "the output `\(name.text)` is a function", at: name.span, label: "a function cannot be shown",
        notes: ["An output is an event or a behavior of data."])
    case .inputKind(let name, let type): return inputKind(name, type)
    case .portName(let name, let kind): return portName(name, kind)
    case .hides(let name, let outer):
      return Diagnostic(
        .hiddenName, "`\(name.text)` hides a name around it", at: name.span,
        label: "in the whole block it is this one", labels: [Label(outer, "the hidden one")],
        notes: ["A definition sees itself: `\(name.text)` on its right side means itself, not the hidden one."])
    case .unusedImport(let name):
      return Diagnostic(
        .unusedDefinition, "the module `\(name.text)` is never used", at: name.span,
        label: "nothing of it is named here")
    case .unused(let name, let isLocal):
      return Diagnostic(
        .unusedDefinition, "`\(name.text)` is never used", at: name.span,
        label: isLocal ? "nothing in this block uses it" : "no output depends on it",
        helps: [Help("keep it without a warning", code: "_\(name.text)")])
    }
  }

  /// `[x | xs]`.
  private func barBeforeRest(_ span: Span, first: Span, rest: Name) -> Diagnostic {
    let code = "\(sources.text(first)), ...\(rest.text)"
    return Diagnostic(
      .unequalAlternatives, "the rest of a list is written with three dots before its name", at: span,
      label: "this is one element, either of two", helps: [Help("write", code: "[\(code)]", edit: .init(span, code))])
  }

  private func growingType(_ name: Name) -> Diagnostic {
    Diagnostic(
      .infiniteType, "the type `\(name.text)` contains itself with ever larger types", at: name.span,
      label: "it has no end", notes: ["Where T<a> contains T<List<a>>, that contains T<List<List<a>>>, and so on."])
  }

  private func inputTwice(_ name: Name, _ first: Span) -> Diagnostic {
    Diagnostic(
      .duplicateName, "two modules have an input `\(name.text)`", at: name.span, label: "in this one, too",
      labels: [Label(first, "an input already")],
      notes: ["Whoever feeds an input names it, whichever module it is in."])
  }

  private func typeArguments(_ name: Name, _ expected: Int, actual: Int) -> Diagnostic {
    let need = expected == 0 ? "no type arguments" : count(expected, "type argument")
    let letters = "abcdefgh".prefix(expected).map(String.init).joined(separator: ", ")
    return Diagnostic(
      .unknownType, "`\(name.text)` takes \(need), this has \(actual)", at: name.span, label: "here",
      helps: actual == 0 ? [Help("say of what, or of anything", code: "\(name.text)<\(letters)>")] : [])
  }

  private func missingVariables(_ name: Name, _ missing: [Name]) -> Diagnostic {
    let written = "\(name.text)<\(missing.map(\.text).joined(separator: ", "))>"
    let what = missing.count == 1 ? "its variable" : "its variables"
    return Diagnostic(
      .unknownType, "the type `\(name.text)` must list \(what) \(list(missing.map { "`\($0.text)`" }, "and"))",
      at: name.span,
      label: "it stands for any type", labels: missing.map { Label($0.span, "used here") },
      helps: [Help("write", code: "type \(written) = …", edit: Help.Edit(name.span, written))])
  }

  private func inputKind(_ name: Name, _ type: Span) -> Diagnostic {
    let written = source(type) ?? "Int"
    if let meant = misspeltKind(written) {
      let code = "\(meant)\(written.drop { $0 != "<" })"
      return Diagnostic(
        .inputWithoutKind, "the input `\(name.text)` must say whether it is an event or a behavior", at: type,
        label: "neither `Event<…>` nor `Behavior<…>`",
        helps: [Help("did you mean", code: "input \(name.text): \(code)", edit: .init(type, code))])
    }
    let text = ["Event", "Behavior"].contains(written) ? "Int" : withoutForeignKind(written)
    return Diagnostic(
      .inputWithoutKind, "the input `\(name.text)` must say whether it is an event or a behavior", at: type,
      label: "neither `Event<…>` nor `Behavior<…>`",
      helps: [
        Help("something that happens", code: "input \(name.text): Event<\(text)>"),
        Help("something that always has a value", code: "input \(name.text): Behavior<\(text)>"),
      ])
  }

  /// `Behaviour<Int>`, `Evnt<Int>`: what is nearly a kind.
  private func misspeltKind(_ type: String) -> String? {
    guard type.last == ">", let open = type.firstIndex(of: "<") else { return nil }
    let kind = String(type[..<open])
    let isDeclared = tree.items.contains { item in
      switch item {
      case .type(let name, _, _), .alias(let name, _, _): name.text == kind
      default: false
      }
    }
    return isDeclared ? nil : nearestNames(kind, among: ["Event", "Behavior"]).first
  }

  /// The type of what varies, where it is written as other systems do: `Signal<Float>`.
  private func withoutForeignKind(_ type: String) -> String {
    let kinds = [
      "Signal", "Stream", "EventStream", "Observable", "Property", "Var", "Cell", "Dynamic", "Subject", "Flow",
    ]
    guard let open = type.firstIndex(of: "<"), type.last == ">", kinds.contains(String(type[..<open])) else {
      return type
    }
    return String(type[type.index(after: open)...].dropLast())
  }

  private func portName(_ name: Name, _ kind: String) -> Diagnostic {
    Diagnostic(
      .reservedPortName, "no \(kind) is called `\(name.text)`", at: name.span,
      label: name.text == "at" ? "`at` is the time of a line" : "keys with `@` are those of a recording",
      notes: [
        "Lines of traces and outputs are JSON objects: `{\"at\": 1.5, \"clicks\": 3}`. A definition may have the name."
      ])
  }

  private func duplicate(_ name: Name, _ first: Span, isParameter: Bool) -> Diagnostic {
    Diagnostic(
      .duplicateName, "`\(name.text)` is defined twice", at: name.span, label: "defined again here",
      labels: [Label(first, "first defined here")],
      notes: name.text.first?.isUppercase == true || isParameter
        ? [] : ["Nothing is assigned a second time. Different cases of one function are one definition with `match`."])
  }

  private func notInModule(_ name: Name, _ module: String, has all: [String]) -> Diagnostic {
    // Several rows may share a name.
    var seen: Set<String> = []
    let has = all.filter { seen.insert($0).inserted }
    var near = nearestNames(name.text, among: has)
    // `String.length` is `String.size`, and so is `String.lenght`.
    if near.isEmpty, let other = (otherNames[name.text] ?? nearestOtherName(name.text))?.name, has.contains(other) {
      near = [other]
    }
    if let meant = otherMembers["\(module).\(name.text)"] {
      return Diagnostic(
        .unknownMember, "`\(module)` has no `\(name.text)`", at: name.span, label: "not there",
        helps: [Help("it is called `\(meant)` here", code: meant)])
    }
    return Diagnostic(
      .unknownMember, "`\(module)` has no `\(name.text)`", at: name.span, label: "not there",
      notes: has.isEmpty || has.count > 12 ? [] : ["It has \(list(has.map { "`\($0)`" }, "and"))."],
      helps: module == "Date" && ["now", "today"].contains(name.text)
        ? [Help("the moment that is now", code: "Date.epoch + time")]
        : near.map { Help("did you mean", code: "\(module).\($0)", edit: .init(name.span, $0)) })
  }

  /// Whether a constructor of that name is called there: a pattern of one is something else.
  private func isCalled(_ name: Name) -> Bool {
    tree.exprs.contains { expr in
      if case .call(let callee, _) = expr { tree.span(callee) == name.span } else { false }
    }
  }

  /// `Color.Red`
  private func constructorOfType(_ type: Name, _ name: Name) -> Diagnostic {
    if type.text == "Policy", let helps = policyHidden(name.text) {
      return Diagnostic(
        .moduleNotImported, "the policy `\(name.text)` is hidden by a constructor of that name",
        at: type.span.union(name.span), label: "constructors stand without the name of their type", helps: helps)
    }
    return Diagnostic(
      .moduleNotImported, "constructors stand without the name of their type", at: type.span.union(name.span),
      helps: [Help("write", code: name.text, edit: .init(type.span.union(name.span), name.text))])
  }

  private func unknownModule(_ module: Name, _ name: Name, known: [String]) -> Diagnostic {
    let near = nearestNames(module.text, among: known)
    if let meant = otherMembers["\(module.text).\(name.text)"] {
      let place = module.span.union(name.span)
      return Diagnostic(
        .moduleNotImported, "there is no module `\(module.text)` here", at: module.span,
        label: "not imported, not built in",
        helps: [Help("it is called `\(meant)` here", code: meant, edit: .init(place, meant))])
    }
    return Diagnostic(
      .moduleNotImported, "there is no module `\(module.text)` here", at: module.span,
      label: "not imported, not built in",
      helps: near.map { Help("did you mean", code: "\($0).\(name.text)", edit: .init(module.span, $0)) } + [
        Help("read it from \(module.text).frp beside this file", code: "import \(module.text)")
      ] + (near.isEmpty ? hostHelps(module.text) : []))
  }

  private func unknownConstructor(
    _ name: Name, _ known: [String], modules: [String], isType: Bool
  ) -> Diagnostic {
    if !modules.isEmpty {
      return Diagnostic(
        .moduleNotImported, "`\(name.text)` is in \(list(modules.map { "`\($0)`" }, "and"))", at: name.span,
        label: "needs the module's name",
        helps: modules.map { Help("write", code: "\($0).\(name.text)", edit: .init(name.span, "\($0).\(name.text)")) })
    }
    let isOfJson = NameTable.qualifiedConstructors["Json.\(name.text)"] != nil
    let conversions = ["Int": "toInt", "Float": "toFloat", "String": "toString", "Set": "Set.fromList"]
    if let conversion = conversions[name.text], isCalled(name) {
      return Diagnostic(
        .unknownType, "`\(name.text)` is a type, not a value", at: name.span, label: "a type makes no values",
        helps: [Help("the function that does", code: conversion, edit: .init(name.span, conversion))]
          + (isOfJson ? [Help("or, of Json", code: "Json.\(name.text)")] : []))
    }
    if isOfJson {
      let json = "Json.\(name.text)"
      let others = name.text == "Null" ? [Help("or, of an Option", code: "None", edit: .init(name.span, "None"))] : []
      return Diagnostic(
        .unknownType, "there is no constructor `\(name.text)`", at: name.span, label: "not declared",
        helps: [Help("did you mean", code: json, edit: .init(name.span, json))] + others)
    }
    if isType {
      return Diagnostic(
        .unknownType, "`\(name.text)` is a type, not a value", at: name.span,
        label: "a constructor or value is needed here",
        helps: name.text == "Error" ? [Help("an Error is a record with a message", code: "{message: \"…\"}")] : [])
    }
    // What other languages write with a capital.
    let others = ["True": "true", "False": "false", "Null": "None", "Nil": "None", "Nothing": "None", "Just": "Some"]
    if let policy = otherPolicies[name.text], !known.contains(where: { editDistance($0, name.text, limit: 1) != nil }) {
      return Diagnostic(
        .unknownType, "there is no constructor `\(name.text)`", at: name.span, label: "not declared",
        notes: [
          "What `perform` does with a task while another is under way is `Latest`, `All`, `Queue`, `Limit(n)` or `Ignore`."
        ],
        helps: [Help("did you mean", code: policy, edit: .init(name.span, policy))])
    }
    let near = others[name.text].map { [$0] } ?? nearestNames(name.text, among: known)
    return Diagnostic(
      .unknownType, "there is no constructor `\(name.text)`", at: name.span, label: "not declared",
      notes: near.isEmpty ? ["Names that start with a capital are constructors: `type Shape = Circle(Float)`."] : [],
      helps: near.map { Help("did you mean", code: $0, edit: .init(name.span, $0)) })
  }

  private func unknownType(_ name: Name, _ known: [String]) -> Diagnostic {
    let other = [
      "Text": "String", "Str": "String", "Number": "Float", "Double": "Float", "Integer": "Int",
      "Boolean": "Bool", "Array": "List", "Signal": "Behavior", "Stream": "Event", "Maybe": "Option", "Dict": "Map",
      "HashMap": "Map", "HashSet": "Set", "JSON": "Json", "Any": "Json", "Object": "Json",
    ]
    let near = nearestNames(name.text, among: known)
    let all = (other[name.text].map { [$0] } ?? []) + near.filter { $0 != other[name.text] }
    return Diagnostic(
      .unknownType, "there is no type `\(name.text)`", at: name.span, label: "not declared",
      helps: all.map { Help("did you mean", code: $0, edit: .init(name.span, $0)) })
  }

  private func outputUnknown(_ name: Name, _ known: [String]) -> Diagnostic {
    Diagnostic(
      .unknownName, "nothing is called `\(name.text)`", at: name.span, label: "an output names a definition",
      helps: nearestNames(name.text, among: known).map { Help("did you mean", code: $0, edit: .init(name.span, $0)) })
  }

  func tooDeep(_ span: Span) -> Diagnostic {
    Diagnostic(
      .deepExpression, "this is nested too deeply", at: span, label: "the limit is about \(DepthGuard.limit) levels",
      helps: [Help("give parts of it names of their own")])
  }
}
