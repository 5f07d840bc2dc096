// What programs are compiled with, besides their own text: the files they import, and what a host adds.

import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPSema
import FRPWorld

struct Surroundings {
  var modules = ModuleFiles.onDisk
  var host: [HostModule] = []
  var world: World?
  var limits = CheckLimits()

  func compile(_ source: Source) -> Program { compile(source) { _, _ in } }

  /// With a plan that is fast in these ways only.
  func compile(_ source: Source, optimisations: Optimisations) -> Program {
    Program(
      source, modules: modules, host: modules(for: source), limits: limits, optimisations: optimisations,
      shows: { _, _ in })
  }

  /// `shows` sees the core after each pass of the compiler.
  func compile(_ source: Source, shows: (_ pass: String, CoreProgram) -> Void) -> Program {
    Program(source, modules: modules, host: modules(for: source), limits: limits, shows: shows)
  }

  /// `learns` sees what the checker knows, also where there are errors.
  func compile(_ source: Source, learns: (ProgramFacts) -> Void) -> Program {
    Program(
      source, modules: modules, host: modules(for: source), limits: limits, learns: learns, shows: { _, _ in })
  }

  /// What is wrong with the tests of a program that has no errors itself.
  func mistakesOfTests(in source: Source) -> [Diagnostic] {
    TestBlock.mistakes(in: source, modules: modules, host: modules(for: source), limits: limits)
  }

  /// The modules that a source is compiled with: the host's, and those of the world that it may name.
  func modules(for source: Source) -> [HostModule] { host + worldModules(for: source) }

  /// The modules of the world that a source may name: making all of them takes a good part of what a small program takes.
  private func worldModules(for source: Source) -> [HostModule] {
    guard let world else { return [] }
    let text = String(decoding: source.bytes, as: UTF8.self)
    // What it imports may name any.
    if text.contains("import ") { return world.modules() }
    let named = World.names.filter { text.contains($0 + ".") }
    return named.isEmpty ? [] : world.modules(Set(named))
  }

  /// The host's modules, and those of the world.
  var allModules: [HostModule] { host + (world?.modules() ?? []) }

  /// The host's functions that a name means: `distance`, `Geo.distance`, or all of `Geo`.
  func functions(named name: String) -> [HostFunction] {
    allModules.flatMap(\.functions).filter { $0.name == name || $0.qualifiedName == name || $0.module == name }
  }

  /// What a name means of that which the host defines in the language: `circle`, `Page.circle`, or all of `Page`.
  func definitions(named name: String) -> [(module: String, definition: HostDefinition)] {
    host.flatMap { module in module.defined.map { (module.name, $0) } }
      .filter { [$1.name, "\($0).\($1.name)", $0].contains(name) }
  }

  /// What the host is called by: `Geo`, `Geo.distance`, `distance`.
  var names: [String] {
    let modules = allModules
    let functions = modules.flatMap(\.functions)
    let defined = host.flatMap { module in module.defined.flatMap { [$0.name, "\(module.name).\($0.name)"] } }
    return modules.map(\.name) + functions.map(\.qualifiedName) + functions.map(\.name) + defined
  }
}
