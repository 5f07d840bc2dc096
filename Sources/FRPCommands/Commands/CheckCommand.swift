// `frp check FILES`: every error and warning, nothing is run.

import FRP
import FRPBase
import FRPCore
import FRPWorld

enum CheckCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    var worst = ExitCode.success
    var counts = (errors: 0, warnings: 0)
    var files = 0
    let shown: String?
    do { shown = try passToShow(invocation, reporter) } catch { return error }
    for path in invocation.operands {
      guard let source = ProgramFile.read(path, reporter) else {
        worst = max(worst, .wrongUsage)
        continue
      }
      var core: CoreProgram?
      let program = invocation.surroundings.compile(source) { if $0 == shown { core = $1 } }
      if let core { console.out.write(core.describe()) }
      files += 1
      let diagnostics =
        program.diagnostics + (program.hasErrors ? [] : invocation.surroundings.mistakesOfTests(in: source))
      reporter.report(diagnostics, program.sources)
      worst = max(worst, reporter.exitCode(diagnostics))
      counts.errors += diagnostics.count { $0.severity == .error }
      counts.warnings += diagnostics.count { $0.severity == .warning }
    }
    if files > 0 { reporter.note(summary(counts, files: files)) }
    return worst
  }

  /// The pass that `--print core:PASS` names; `core` alone is the last.
  private static func passToShow(_ invocation: Invocation, _ reporter: Reporter) throws(ExitCode) -> String? {
    guard let wanted = invocation.value("--print") else { return nil }
    if wanted == "core" { return Program.passes.last }
    if let pass = Program.passes.first(where: { wanted == "core:\($0)" }) { return pass }
    reporter.failure("there is no `\(wanted)` to print")
    reporter.failure("  what can be printed: core, \(Program.passes.map { "core:\($0)" }.joined(separator: ", "))")
    throw .wrongUsage
  }

  private static func summary(_ counts: (errors: Int, warnings: Int), files: Int) -> String {
    let checked = files == 1 ? "1 file checked" : "\(files) files checked"
    if counts.errors == 0, counts.warnings == 0 { return "\(checked), nothing to complain about" }
    return "\(checked), \(counted(counts.errors, "error")), \(counted(counts.warnings, "warning"))"
  }

  private static func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}

/// Program files, and what to say when there is none.
enum ProgramFile {
  /// Compiles a file with the modules beside it; nil (with a message) if it cannot be read.
  static func compile(_ path: String, _ reporter: Reporter, surroundings: Surroundings) -> Program? {
    read(path, reporter).map(surroundings.compile)
  }

  /// `Kafka=./frp-kafka`
  private static func plugIn(_ text: String) -> (name: String, program: String)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let first = parts[0].utf8.first, 0x41...0x5A ~= first,
      parts[0].utf8.allSatisfy({ UnicodeScalar($0).properties.isAlphabetic || 0x30...0x39 ~= $0 || $0 == 0x5F })
    else { return nil }
    return (parts[0], parts[1])
  }

  /// The modules of a host, each a program that is a plug-in, or from a file of its declarations; a message and the exit code if one cannot be used.
  static func host(_ paths: [String], _ reporter: Reporter) throws(ExitCode) -> [HostModule] {
    var modules: [HostModule] = []
    for path in paths {
      if let plugIn = plugIn(path) {
        do throws(FrpError) { modules.append(try PlugIn.module(plugIn.name, program: plugIn.program)) } catch {
          reporter.failure(error.message)
          throw .wrongUsage
        }
        continue
      }
      guard let source = read(path, reporter) else { throw .wrongUsage }
      let file = String(path.split(separator: "/").last ?? "")
      let name = String(file.prefix { $0 != "." })
      let module = HostModule(name, interface: String(decoding: source.bytes, as: UTF8.self), file: path)
      if let mistake = module.mistake {
        reporter.failure("\(mistake.declaration.place): \(mistake.reason)")
        reporter.failure("  a line declares a function, name(a: Int, b: Int): Int, or a value, name: Int")
        throw .programHasErrors
      }
      modules.append(module)
    }
    return modules
  }

  static func read(_ path: String, _ reporter: Reporter) -> Source? {
    do {
      if Files.isDirectory(path) { throw SystemError(code: 21) }
      return Source(
        name: path == "-" ? "standard input" : path,
        bytes: try Files.contents(of: path, standardInput: reporter.console.input))
    } catch {
      reporter.failure("cannot read `\(path)`: \((error as? SystemError)?.message ?? "")")
      let directory = Files.directory(of: path)
      let name = String(path.dropFirst(directory.count))
      let candidates = Files.names(in: directory.isEmpty ? "." : directory).filter { $0.hasSuffix(".frp") }
      if let near = nearestNames(name, among: candidates).first {
        reporter.failure("  did you mean `\(directory)\(near)`?")
      }
      return nil
    }
  }
}
