// The reference of the built-ins, from the one table of them: `docs/reference.md`, `frp doc NAME`.

import FRP
import FRPWorld
import FRPBase
import FRPCore

enum Reference {
  /// Chapters in order: containers of the table with a title.
  private static let chapters: [(title: String, containers: [String], text: String)] = [
    ("Time", ["Time"], "Time itself is a behavior."),
    ("Events", ["Event"], "An event happens at moments. `e |> f(x)` reads best: the event comes first."),
    ("Behaviors", ["Behavior"], "A behavior always has a value. It is used wherever its value could be."),
    ("Tasks", ["Task"], "A task is a description of something that takes time and may fail; `perform` does it."),
    (
      "Sources", ["Source"],
      "A source is a description of what brings many values; `input … from` and `listen` open it. `frp help world` says more."
    ),
    ("Numbers", ["Math", "Int", "Float"], "Nothing is converted by itself; no Float is ever infinite."),
    ("Lists", ["List"], "Indices count from 0."),
    (
      "Texts", ["String"],
      "Sizes count Characters, what people see as one, and what is searched for is found as whole Characters; a line feed also after a carriage return."
    ),
    ("Maps", ["Map"], "Kept in the order of their keys."),
    ("Sets", ["Set"], "Kept in the order of their elements; in JSON an array."),
    ("Options and results", ["Option", "Result"], "What may be missing, and what may have failed."),
    (
      "JSON", ["Json"],
      "`Json` is data of any form: `Json.Null`, `Json.Bool(b)`, `Json.Int(n)`, `Json.Float(x)`, `Json.String(s)`, `Json.List(list)` or `Json.Object(map)`. Inputs, outputs and traces hold it as what it is."
    ),
    ("Secrets", ["Secret"], "A secret is a text that nobody is shown."),
    ("Dates", ["Date"], "Moments are seconds since 1970 in UTC, as Floats."),
  ]

  /// The whole reference as Markdown, with what a host adds and what programs reach in the world.
  static func markdown(_ modules: [HostModule]) -> String {
    var text = """
      # Reference

      Every built-in, with its type, what it does, and an example that is run by a test. This page is made from the
      table of built-ins (`frp doc > docs/reference.md`); a test holds it up to date. The modules behind them, from `Http` on,
      reach the world; how that works says [world.md](world.md).

      In types, `Behavior<a>` marks what stays alive; `=` marks what must be known once (plain). Before `=>` stands what a
      type must allow: `Num` numbers, `Ord` an order, `Eq` equality; `Open` lets it also be an event, or hold events.
      A name that several kinds of values share is chosen by its first argument; `List.map` names one outright.

      """
    var done: Set<String> = []
    for chapter in chapters {
      done.formUnion(chapter.containers)
      let rows = Builtins.documented.filter { chapter.containers.contains($0.container) }
      if !rows.isEmpty { text += section(chapter.title, chapter.text, rows) }
    }
    var others: [String] = []
    for row in Builtins.documented where !done.contains(row.container) && !others.contains(row.container) {
      others.append(row.container)
    }
    for container in others { text += section(container, "", Builtins.documented.filter { $0.container == container }) }
    for module in modules { text += "\n" + host(Surroundings(host: [module]), module.name) }
    return text
  }

  private static func section(_ title: String, _ introduction: String, _ rows: [Builtin]) -> String {
    "\n## \(title)\n" + (introduction.isEmpty ? "" : "\n\(introduction)\n") + rows.map(entry).joined()
  }

  /// One built-in.
  static func entry(_ row: Builtin) -> String {
    let name = row.isBare ? row.name : "\(row.container).\(row.name)"
    let parameters = row.parameters.isEmpty ? "" : "(\(row.parameters.joined(separator: ", ")))"
    var text = "\n### `\(name)\(parameters)`\n\n    \(name): \(row.signature)\n\n\(row.summary)\n"
    if let equation = row.equation { text += "\n    \(equation)\n" }
    if let example = TimedExample.find(row) { text += "\n```frp\n\(example.shown)\n```\n" }
    if !row.examples.isEmpty {
      text += "\n```frp\n" + row.examples.map { "\($0.source)   // \($0.result)\n" }.joined() + "```\n"
    }
    return text
  }
}

extension Reference {
  /// What a host adds under a name; empty if nothing.
  static func host(_ surroundings: Surroundings, _ name: String) -> String {
    var text = ""
    for module in surroundings.host where module.name == name {
      text += "## \(module.name)\n\n" + (module.help.isEmpty ? "" : module.help + "\n\n")
    }
    text += surroundings.functions(named: name).map(entry).joined()
    return text + surroundings.definitions(named: name).map { entry($0.definition, of: $0.module) }.joined()
  }

  private static func entry(_ definition: HostDefinition, of module: String) -> String {
    let lines = definition.declaration.split(separator: "\n").map { "    \($0)\n" }.joined()
    return "### `\(module).\(definition.name)`\n\n\(lines)\n"
      + (definition.help.isEmpty ? "" : definition.help + "\n\n")
  }

  private static func entry(_ function: HostFunction) -> String {
    return "### `\(function.qualifiedName)\(function.shownCalls)`\n\n"
      + "    \(function.qualifiedName): \(function.type)\n\n" + (function.help.isEmpty ? "" : function.help + "\n\n")
      + (input(from: function).map { "```frp\n\($0)\n```\n\n" } ?? "")
  }

  /// The input that opens a source, since its type alone says that to nobody; nil for what is none.
  private static func input(from function: HostFunction) -> String? {
    guard function.isSource else { return nil }
    let item = String(function.result.dropFirst("Source<".count).dropLast())
    let arguments = function.parameters.map { parameter in
      switch parameter.type {
      case "String": "\"…\""
      case "List<String>": "[\"…\"]"
      default: parameter.name
      }
    }
    let call = function.qualifiedName + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
    // What decodes gives whatever type is asked for.
    let asked = item == "a" ? "Json" : item.replacing("body: a", with: "body: Json").replacing("<a>", with: "<Json>")
    // A type of the module's own has its name before it.
    let isOwn = item.hasSuffix("<a>")
    let type = isOwn ? "\(function.module).\(asked)" : asked
    if function.isThere { return "input x: Behavior<\(type)> = \(type == "Json" ? "Json.Null" : "\"\"") from \(call)" }
    return "input x: Event<\(type)> from \(call)"
  }
}

enum DocumentationCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    if invocation.has("--manual") || invocation.operands.contains(where: SiteCommand.isFile) {
      var site = SiteCommand(invocation, console)
      return site.run()
    }
    let ofPrograms = ["--output", "--json"] + SiteCommand.runFlags
    if let flag = ofPrograms.first(where: { invocation.has($0) }) {
      let message = "`\(flag)` is for programs and texts: `frp doc shop.frp -o site`, or `frp doc --manual -o site`"
      return Usage.report(UsageProblem(message: message, command: "doc"), console)
    }
    if invocation.operands.count > 1 {
      return Usage.report(UsageProblem(message: "one name at a time", command: "doc"), console)
    }
    // What a host adds, and what programs reach in the world.
    let modules = invocation.host + (invocation.world?.modules() ?? [])
    guard let name = invocation.operands.first else {
      console.out.write(Reference.markdown(modules))
      return .success
    }
    let rows = Builtins.documented.filter {
      $0.name == name || "\($0.container).\($0.name)" == name || $0.container == name
    }
    let surroundings = Surroundings(host: modules)
    let host = Reference.host(surroundings, name)
    let constructor = ConstructorEntry.all.first { $0.name == name }
    let keyword = KeywordEntry.find(name)
    if rows.isEmpty, host.isEmpty, constructor == nil, keyword == nil {
      let names =
        Builtins.documented.map(\.name) + Builtins.documented.map(\.container) + surroundings.names
        + ConstructorEntry.all.map(\.name) + KeywordEntry.all.map(\.name)
      return Usage.report(
        UsageProblem(
          message: "there is no built-in `\(name)`", command: "doc",
          suggestion: nearestNames(name, among: names).first), console)
    }
    console.out.write(host)
    if let text = constructor?.text ?? keyword?.text { console.out.write(String(text.dropFirst())) }
    for row in rows { console.out.write(String(Reference.entry(row).dropFirst())) }
    return .success
  }
}
