// The program that a session has grown so far: its definitions as they were typed, and what they compile to.
//
// Every definition that can be observed is an output, so that it is alive and can be looked at. Compiling is whole:
// an entry is checked together with everything that depends on it, and is taken only if all of it checks.

import FRP
import FRPBase
import FRPSema

/// One definition, input, type, alias or import of a session.
struct ReplItem: Equatable {
  /// What it binds or declares; an import has its module's name.
  var names: [String]
  var text: String
  var isInput = false
  /// Of an import: where its module lies, with a slash at the end; empty where the session's files do.
  var folder: String?
  /// Comments above it and behind it in its last line, as `:save` writes them.
  var comments = ReplComments()

  static func == (a: ReplItem, b: ReplItem) -> Bool { (a.names, a.text) == (b.names, b.text) && a.isInput == b.isInput }

  /// Whether it says where it goes: `output x = … to sink`. Of others the word `output` is left out, since everything is shown.
  var hasSink: Bool { text.hasPrefix("output ") }

  /// With its comments, as it was written; `head` stands before the definition itself.
  func whole(_ head: String = "") -> String {
    comments.above.map { $0 + "\n" }.joined() + head + text + (comments.behind.map { "  " + $0 } ?? "")
      + comments.below.map { "\n" + $0 }.joined()
  }
}

/// The comments around a definition.
struct ReplComments {
  var above: [String] = []
  var behind: String?
  /// After the last definition of a text.
  var below: [String] = []
}

/// What the checker knows of a name.
struct ReplName {
  var name: String
  /// `Behavior<Int>`, `Event<String>`, `(Int) -> Int`.
  var type: String
  enum Kind { case constant, behavior, event, function, hidden }
  var kind: Kind
  var isInput: Bool
}

/// Items with their compiled program, or with what is wrong with them.
struct ReplProgram {
  var items: [ReplItem]
  var program: Program
  var names: [ReplName]
  /// The text's parts, one a line break from the next.
  private(set) var texts: [String]
  /// Names by the definitions that mention them, for "rewired".
  var users: [String: [String]]

  /// ^C came before it was compiled.
  private(set) var isStopped = false

  /// What it imports.
  let modules: ReplModules
  /// What it was compiled with, and what it imports as it was read.
  let surroundings: Surroundings

  /// Compiles items; `first` is put first, so that its lines count from 1 in messages. ^C stops that. Of what is imported that
  /// is read which is not in `modules`.
  init(
    items: [ReplItem], first: [String] = [], modules: ReplModules = ReplModules(), in surroundings: Surroundings
  ) {
    var surroundings = surroundings
    surroundings.modules = modules.files(of: items, in: surroundings.modules)
    guard let made = ReplInterrupt.abandonable({ ReplProgram(compiling: items, first, surroundings) }) else {
      self.init(compiling: [], [], surroundings)
      isStopped = true
      return
    }
    self = made
  }

  private init(compiling items: [ReplItem], _ first: [String], _ surroundings: Surroundings) {
    self.items = items
    self.surroundings = surroundings
    texts = first + items.map(\.text).filter { !first.contains($0) }
    let body = texts.joined(separator: "\n") + "\n"
    let found = Self.check(body, surroundings)
    names = found.names
    users = found.users
    let observed = found.names.filter { $0.kind == .constant || $0.kind == .behavior || $0.kind == .event }
    let outputs = observed.map { Self.output($0.name, of: items) }.joined()
    program = surroundings.compile(Source(name: "prompt", text: body + outputs))
    modules = ReplModules(of: program)
    refineKinds()
  }

  /// The same definitions with this one alone alive, and what it needs.
  func alone(_ name: String) -> Program {
    let body = texts.joined(separator: "\n") + "\n"
    return surroundings.compile(Source(name: "prompt", text: body + Self.output(name, of: items)))
  }

  /// The line that makes a definition an output, if it is none.
  private static func output(_ name: String, of items: [ReplItem]) -> String {
    items.contains { $0.hasSink && $0.names.contains(name) } ? "" : "output \(name)\n"
  }

  /// The items in the order of the text that was compiled, which a snapshot knows its program by.
  var itemsAsCompiled: [ReplItem] {
    let places = Dictionary(texts.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return items.sorted { places[$0.text, default: 0] < places[$1.text, default: 0] }
  }

  var errors: [Diagnostic] {
    if isStopped { return [Diagnostic(.limitReached, "stopped; nothing has changed", at: .none)] }
    return program.diagnostics.filter { $0.severity == .error }
  }

  /// Whether some errors lie in what is imported, or in that it is not there.
  var isOfModules: Bool {
    errors.contains { error in
      error.code == .moduleNotFound || !error.span.isNone && program.sources[error.span.file].name != "prompt"
    }
  }

  /// `3 definitions`, without the last expression.
  var size: String {
    let count = items.count { $0.names != ["it"] }
    return "\(count) definition\(count == 1 ? "" : "s")"
  }

  func name(_ name: String) -> ReplName? { names.first { $0.name == name } }

  /// The definitions that use `name`, directly or not, in the order they were made.
  func dependents(of name: String) -> [String] {
    var found: Set<String> = []
    var pending = [name]
    while let next = pending.popLast() {
      for user in users[next] ?? [] where user != name && found.insert(user).inserted { pending.append(user) }
    }
    return names.map(\.name).filter(found.contains)
  }

  /// A behavior that is known once is a constant; the compiled graph tells.
  private mutating func refineKinds() {
    let ports = Dictionary(program.outputs.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for index in names.indices {
      // The compiled type has its numbers decided.
      guard let port = ports[names[index].name], names[index].kind != .function else { continue }
      names[index].type = port.isEvent ? "Event<\(port.type)>" : port.type
    }
    for index in names.indices where names[index].kind == .behavior {
      if program.isConstant(output: names[index].name) {
        names[index].kind = .constant
      } else {
        names[index].type = "Behavior<\(names[index].type)>"
      }
    }
  }

  private static func check(
    _ text: String, _ surroundings: Surroundings
  ) -> (names: [ReplName], users: [String: [String]]) {
    let source = Source(name: "prompt", text: text)
    guard let typed = Program.typed(source, modules: surroundings.modules, host: surroundings.modules(for: source))
    else {
      return ([], [:])
    }
    var names: [ReplName] = []
    for input in typed.inputs {
      let payload = typed.describe(input.type)
      names.append(
        ReplName(
          name: input.name, type: input.isEvent ? "Event<\(payload)>" : payload,
          kind: input.isEvent ? .event : .behavior, isInput: true))
    }
    for (name, type, kind) in typed.definitions() {
      // `at` is the time of a line of outputs: a definition may have the name, an output may not.
      let kind = name == "at" ? ReplName.Kind.hidden : ReplName.Kind(kind)
      names.append(ReplName(name: name, type: type, kind: kind, isInput: false))
    }
    return (names, typed.uses())
  }
}

extension ReplName.Kind {
  init(_ kind: DefinitionKind) {
    switch kind {
    case .function: self = .function
    case .event: self = .event
    case .data: self = .behavior
    case .hidden: self = .hidden
    }
  }
}
