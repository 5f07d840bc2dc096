// The architecture on one page: text -> tree -> types -> core -> plan.
//
// In:  a source and what reads the modules it imports. Out: a `Program`: diagnostics, and a plan if there are no errors.
// Nothing here throws: what is wrong with a program is data. A `Program` is immutable and can be shared by any number of
// simulations on any threads.

import FRPBase
import FRPCore
import FRPGraph
import FRPPasses
import FRPRuntime
import FRPSema
import FRPSyntax

/// A program's text and the name it is known by in messages.
public struct Source: Sendable {
  /// What messages call it: a path, or anything.
  public var name: String
  /// The text, in UTF-8.
  public var bytes: [UInt8]

  /// A source from the bytes of a file.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// A source from a string.
  public init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }
}

/// A compiled program, or what is wrong with it.
public struct Program: Sendable, Identifiable {
  /// A hash of its text and of the modules it imports: programs of the same text have the same.
  public let id: UInt64
  /// Errors and warnings, in the order of their places.
  public let diagnostics: [Diagnostic]
  /// The texts that the places in `diagnostics` lie in.
  public let sources: SourceMap
  /// What a simulation runs; nil if there are errors.
  package let plan: Plan?
  /// What the host adds to the language.
  let host: HostTable

  /// Compiles a source and the modules it imports, which `modules` reads, with what the host adds. Cost: about linear
  /// in the text and what its functions with memory put in, at most what `limits` allow (E0411); nothing is run.
  public init(
    _ source: Source, modules: ModuleFiles = .none, host: [HostModule] = [], limits: CheckLimits = CheckLimits()
  ) {
    self.init(source, modules: modules, host: host, limits: limits, shows: { _, _ in })
  }

  /// The same for a test: `answers` are the program's own definitions that answer calls of the host, by operation.
  /// `sampled` names the outputs that are only looked at now and then.
  init(
    _ source: Source, modules: ModuleFiles, host: [HostModule], limits: CheckLimits, answers: [String: String],
    sampled: Set<String>
  ) {
    self.init(
      source, modules: modules, host: host, limits: limits, answers: answers, sampled: sampled, shows: { _, _ in })
  }

  /// The same; `shows` sees the core after evaluation and after each pass (`passes`), every time it is run, and `learns` what
  /// the checker knows, also where there are errors.
  package init(
    _ source: Source, modules: ModuleFiles, host: [HostModule], limits: CheckLimits, answers: [String: String] = [:],
    sampled: Set<String> = [], optimisations: Optimisations = .all, learns: (ProgramFacts) -> Void = { _ in },
    shows: (_ pass: String, CoreProgram) -> Void
  ) {
    let table = HostTable(host, answers: answers)
    self.host = table
    // Whatever thread the host calls on: the compiler's own limits are met before the end of the stack.
    let made = onLargeStack {
      let loader = ModuleLoader(read: modules.read, list: modules.list, refusal: modules.refusal, hosts: table.texts)
      let text = loader.load(path: source.name, bytes: source.bytes)
      var diagnostics = text.diagnostics
      var plan = Self.compile(
        text.tree, text.sources, limits: limits, sampled: sampled, optimisations, learns: learns, shows: shows,
        diagnostics: &diagnostics)
      if let plan { diagnostics += Self.faultyLiterals(plan, table) }
      if !host.isEmpty { table.attribute(&diagnostics, text.sources) }
      if diagnostics.contains(where: { $0.severity == .error }) { plan = nil }
      return (sources: text.sources, plan: plan, diagnostics: sortedDiagnostics(diagnostics, in: text.sources))
    }
    sources = made.sources
    id = made.sources.hash
    var plan = made.plan
    plan?.hostSignatures = table.functions.map(\.identity)
    self.plan = plan
    diagnostics = made.diagnostics
  }

  /// The same program with another plan.
  private init(_ other: Program, plan: Plan?) {
    (id, diagnostics, sources, host) = (other.id, other.diagnostics, other.sources, other.host)
    self.plan = plan
  }

  /// The same program for who looks at the values of its outputs when the run has ended, but for one: what nobody looks at
  /// before is computed then, if that makes no difference.
  package func showingLast(except name: String?) -> Program {
    guard let plan else { return self }
    return Program(self, plan: plan.deferring(plan.outputs.indices.filter { plan.outputs[$0].name != name }))
  }

  /// Whether there are errors: then it has no ports and cannot be run.
  public var hasErrors: Bool { plan == nil }

  /// What the core can be shown after, in order.
  package static var passes: [String] { Passes.names }

  /// What the checker knows of a source, without its outputs: for prompts. Nil if it has errors.
  package static func typed(_ source: Source, modules: ModuleFiles, host: [HostModule]) -> TypedProgram? {
    let loader = ModuleLoader(
      read: modules.read, list: modules.list, refusal: modules.refusal, hosts: HostTable(host).texts)
    let text = loader.load(path: source.name, bytes: source.bytes)
    if text.diagnostics.contains(where: { $0.severity == .error }) { return nil }
    return checkTypes(text.tree, sources: text.sources).program
  }

  private static func compile(
    _ tree: Tree, _ sources: SourceMap, limits: CheckLimits, sampled: Set<String>, _ optimisations: Optimisations,
    learns: (ProgramFacts) -> Void,
    shows: (_ pass: String, CoreProgram) -> Void, diagnostics: inout [Diagnostic]
  ) -> Plan? {
    let budget = CheckBudget(limits, bytes: sources.byteCount)
    let isReadable = !diagnostics.contains { $0.severity == .error }
    let facts = checkFacts(tree, sources: sources, syntaxErrors: diagnostics, budget: budget)
    learns(facts)
    diagnostics += facts.diagnostics
    guard isReadable, facts.isClean, var program = facts.program else { return nil }
    for index in program.outputs.indices where sampled.contains(program.outputs[index].name) {
      program.outputs[index].isSampled = true
    }
    let elaborated = elaborate(program, budget: budget, shows: shows)
    diagnostics += elaborated.diagnostics
    guard let core = elaborated.core else { return nil }
    return plan(core, budget, optimisations, &diagnostics)
  }

  /// A checked program has a plan within the budget; else, where it has none, that is our mistake, and we say so instead of
  /// ending.
  private static func plan(
    _ core: CoreProgram, _ budget: CheckBudget, _ optimisations: Optimisations, _ diagnostics: inout [Diagnostic]
  ) -> Plan? {
    do throws(PlanProblem) {
      return try Plan(core, optimisations, budget: budget)
    } catch {
      switch error {
      case .tooMuchWork(let limit, let node):
        let (name, span) = node.map { (core[$0].definition, core[$0].span) } ?? ("", .none)
        diagnostics.append(tooMuchWork(limit, name, at: span))
      case .cycle:
        diagnostics.append(
          Diagnostic(
            .unordered, "this program cannot be put in order: please report it, it is a mistake of frp", at: .none))
      }
      return nil
    }
  }
}

/// What reads the files of imported modules, by path.
public struct ModuleFiles {
  /// The bytes of a file; nil where there is none.
  public var read: (String) -> [UInt8]?
  /// The names of the files in a folder, for suggestions.
  public var list: (String) -> [String]
  /// Why a file that is there is not read; nil where there is none, or it is read.
  public var refusal: (String) -> String?

  /// Reads files with `read`; `list` gives the names in a folder, `refusal` why one is not read.
  public init(
    read: @escaping (String) -> [UInt8]?, list: @escaping (String) -> [String] = { _ in [] },
    refusal: @escaping (String) -> String? = { _ in nil }
  ) {
    self.read = read
    self.list = list
    self.refusal = refusal
  }

  /// There are no other files.
  public static var none: ModuleFiles { ModuleFiles(read: { _ in nil }) }
}

/// An input or output of a program.
public struct Port: Sendable, Hashable {
  /// As the program calls it.
  public var name: String
  /// The payload's type, as a program writes it: `List<Int>`.
  public var type: String
  /// Whether it is an event; else a behavior.
  public var isEvent: Bool
  /// What the `///` lines above its definition say; empty if there are none.
  public var documentation: String

  /// A port, as programs list them.
  public init(name: String, type: String, isEvent: Bool, documentation: String = "") {
    self.name = name
    self.type = type
    self.isEvent = isEvent
    self.documentation = documentation
  }
}

extension Program {
  /// In order of declaration; empty if there are errors.
  public var inputs: [Port] { ports(plan?.inputs.map { ($0.name, $0.type, $0.isEvent) }) }

  /// In order of declaration; empty if there are errors.
  public var outputs: [Port] { ports(plan?.outputs.map { ($0.name, $0.type, $0.isEvent) }) }

  private func ports(_ list: [(String, TypeID, Bool)]?) -> [Port] {
    let documentation = documentation
    return (list ?? []).map { name, type, isEvent in
      Port(
        name: name, type: plan?.core.types.describe(type) ?? "", isEvent: isEvent,
        documentation: documentation[name] ?? "")
    }
  }

  /// By name, the `///` lines above the definitions, inputs and outputs of the main file. Cost: of reading it once.
  private var documentation: [String: String] {
    guard let file = sources.files.first else { return [:] }
    var found: [String: String] = [:]
    var lines: [String] = []
    for index in file.lineStarts.indices {
      let bytes = file.lineBytes(index)
      if bytes.starts(with: "///".utf8) {
        lines.append(String(decoding: bytes.dropFirst(3).drop { $0 == 0x20 }, as: UTF8.self))
        continue
      }
      if lines.isEmpty { continue }
      let name = Self.definedName(String(decoding: bytes, as: UTF8.self))
      if found[name] == nil { found[name] = lines.joined(separator: "\n") }
      lines = []
    }
    return found
  }

  /// The name that a line begins with, after `input` or `output`.
  private static func definedName(_ line: String) -> String {
    var rest = line[...]
    for word in ["input ", "output "] where rest.hasPrefix(word) {
      rest = rest.dropFirst(word.count).drop { $0 == " " }
    }
    return String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }

  /// Whether an output shows one value for ever: it reads no input, no event, and not the time.
  package func isConstant(output name: String) -> Bool {
    guard let core = plan?.core, let output = core.outputs.first(where: { $0.name == name }), !output.isEvent,
      case .lift(let expr) = core[output.node].op
    else { return false }
    return core.reads(expr).allSatisfy { node in
      if case .lift(let inner) = core[node].op { core.reads(inner).isEmpty } else { false }
    }
  }

  /// Whether a run may remember what no other program goes on with (see `ReloadReport`): functions, tasks, the past of what is continuous.
  package var remembersCode: Bool { plan?.remembersCode ?? false }

  /// Whether a definition is a function of what there is at each moment.
  package func isMemoryless(_ name: String) -> Bool { plan?.isMemoryless(name) ?? false }

  /// Whether an output behavior varies between instants.
  package func isContinuous(output name: String) -> Bool {
    plan?.outputs.first { $0.name == name }?.isContinuous ?? false
  }

  /// A start value as JSON: as it stands, or in quotes for an input of Strings that is given bare text.
  package func settingJSON(_ name: String, _ value: String) -> String {
    guard plan?.inputs.first(where: { $0.name == name })?.type == .string, !value.hasPrefix("\"") else { return value }
    return jsonString(value)
  }
}
