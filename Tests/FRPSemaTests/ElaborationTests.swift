// Golden tests of elaboration: a program and the core it becomes (`Golden/core`), or what is said of it
// (`Golden/modes`). `FRP_ACCEPT=1 swift test` writes the expectations; a person reads the difference.

import FRPBase
import FRPCore
import FRPSyntax
import FRPTestFiles
import Testing

@testable import FRPSema

private let golden = TestFiles.tests + "/Golden"

private func programs(_ folder: String) -> [String] { TestFiles.names(in: "\(golden)/\(folder)", ending: ".frp") }

/// Runs the front end on a file's text: the core, or the diagnostics.
private func compile(_ name: String, _ text: String) -> (core: CoreProgram?, diagnostics: [Diagnostic], SourceMap) {
  onLargeStack { compileHere(name, text) }
}

private func compileHere(_ name: String, _ text: String) -> (core: CoreProgram?, diagnostics: [Diagnostic], SourceMap) {
  var sources = SourceMap()
  let file = sources.add(SourceFile(name: name, text: text))
  var tree = Tree()
  let parsed = Parser.parse(file, name: "main", in: sources, into: &tree)
  if !parsed.1.isEmpty { return (nil, parsed.1, sources) }
  let typed = checkTypes(tree, sources: sources)
  guard let program = typed.program else { return (nil, typed.diagnostics, sources) }
  let result = elaborate(program)
  return (result.core, result.diagnostics, sources)
}

@Test(arguments: programs("core"))
func elaboratesToCore(_ name: String) throws {
  let base = "\(golden)/core/\(name)"
  let result = compile(name + ".frp", try #require(TestFiles.read(base + ".frp")))
  let core = try #require(result.core, "\(result.diagnostics.map(\.title))")
  let difference = TestFiles.difference(core.describe(), from: base + ".core")
  #expect(difference == nil)
}

@Test(arguments: programs("modes"))
func refusesWhatCannotLive(_ name: String) throws {
  let base = "\(golden)/modes/\(name)"
  let result = compile(name + ".frp", try #require(TestFiles.read(base + ".frp")))
  let isRefused = result.core == nil
  #expect(isRefused)
  let difference = TestFiles.difference(renderText(result.diagnostics, sources: result.2), from: base + ".txt")
  #expect(difference == nil)
}

@Test func thePlacesOfACycleAreTheShortestWay() {
  let core = compile("c.frp", "input k: Behavior<Int> = 1\nx = y + k\ny = z * 2\nz = x + w\nw = z + 1\noutput x\n")
  #expect(core.diagnostics.count == 1)
  #expect(core.diagnostics[0].code == .circularDefinition)
  #expect(core.diagnostics[0].notes[0].contains("z -> w -> z") || core.diagnostics[0].notes[0].contains("w -> z -> w"))
}

@Test func manyDefinitionsElaborateInLinearTime() {
  var text = "input e: Event<Int>\nd0 = e |> fold(0, (+))\n"
  for index in 1...3000 { text += "d\(index) = d\(index - 1) + 1\n" }
  text += "output d3000\n"
  let result = compile("many.frp", text)
  #expect(result.core != nil)
  #expect((result.core?.nodes.count ?? 0) < 3100)
}

/// A function that calls another twice would double at every level if every call were put in.
@Test func callsThatDoubleStayCalls() throws {
  var text = "f0(x) = x + 1\n"
  for level in 1..<40 { text += "f\(level)(x) = f\(level - 1)(x) + f\(level - 1)(x * \(level))\n" }
  text += "input e: Event<Int>\noutput o = e |> map(f39)\noutput p = f39(e |> hold(0))\n"
  let core = try #require(compile("doubling.frp", text).core)
  #expect(core.exprs.count < 20_000)
  #expect(core.functions.count >= 20)
}

/// Which of some definitions is asked for first is an accident: it decides nothing about what is accepted.
@Test(arguments: [
  (["(a, b) = (p, 1)", "p = \"t{b}\"", "output a", "output b"], true),
  (["r = {a: p, b: 2}", "p = \"t{r.b}\"", "output r"], true),
  (["r = {a: \"{r.b}\", b: 2}", "output r"], true),
  (["xs = [1, n]", "n = size(xs)", "output xs", "output n"], true),
  (["x = one(1, y)", "y = x + 1", "one(a, b) = a", "output h = e |> hold(y)"], true),
  (["(a, b) = (e |> hold(q), 1)", "(q, r) = (2, b)", "output a", "output r"], true),
  (["(a, b) = pick(Some(1), p)", "pick(o, t) = (t, o)", "p = match b { Some(n) => n; None => 0 }", "output a"], true),
  (["(a, t) = (if t == \"x\" then [e] else [e, e, f], \"x\")", "f = e |> map(n => n + size(a))", "output f"], true),
  (["all = [e, f]", "f = e |> map(n => n + size(all))", "output f"], true),
  (["(a, b) = (p, q)", "p = \"t{b}\"", "q = \"{a}\"", "output a"], false),
  (["(a, b) = if yes then (p, 1) else (2, p)", "p = b + 1", "yes = size(xs) > 1", "xs = [a, 1]", "output a"], true),
  (["(a, b) = if yes then (p, 1) else (2, p)", "p = b + 1", "yes = isEmpty(\"\")", "output a"], false),
  (["a = b + 1", "b = a", "output h = e |> hold(a)"], false),
  (["xs = if n > 1 then [e] else [e, e]", "n = size(xs)", "output n"], false),
  (["x = e |> hold(y)", "y = size([x, x])", "output x"], true),
])
func theOrderOfDefinitionsDoesNotDecide(_ lines: [String], _ isAccepted: Bool) {
  for order in orders(of: lines) {
    let result = compile("order.frp", "input e: Event<Int>\n" + order.joined(separator: "\n") + "\n")
    #expect((result.core != nil) == isAccepted, "\(order): \(result.diagnostics.map(\.title))")
  }
}

private func orders(of lines: [String]) -> [[String]] {
  guard lines.count > 1 else { return [lines] }
  return lines.indices.flatMap { index in
    var rest = lines
    let first = rest.remove(at: index)
    return orders(of: rest).map { [first] + $0 }
  }
}

/// What a message proposes in place of a comparison that cannot be followed can be followed.
@Test(arguments: [
  ("unlocated_jumps", ""), ("unlocated_members", "list = items |> each(.id, place)\n"),
  ("unlocated_list", "input list: Behavior<List<Float>> = [1.0]\n"),
])
func whatIsProposedCanBeLocated(_ name: String, _ list: String) throws {
  let text = try #require(TestFiles.read("\(golden)/modes/\(name).frp"))
  let surroundings =
    "input items: Behavior<List<{id: Int, x: Float, v: Float}>> = []\nplace(item) = item.x + integral(item.v)\n"
    + "limit = 10.0\nx = time\n" + list
  let proposals = compile(name, text).diagnostics.flatMap(\.helps).compactMap(\.code)
  #expect(!proposals.isEmpty)
  for proposal in Set(proposals) {
    for watcher in ["when", "changes"] {
      let result = compile("proposed.frp", surroundings + "output o = \(watcher)(\(proposal))\n")
      #expect(result.core != nil, "\(proposal): \(result.diagnostics.map(\.title))")
    }
  }
}
