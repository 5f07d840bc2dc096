// `frp flink FILE --key INPUT.FIELD …`: a program as a job for Apache Flink, which runs it in parts on many machines.
//
// In: the flags of a run over files whose lines have times. Out: one file with all that the job needs (`Sources/Flink`). What
// would show something else there than `frp run` is refused.

import FRP
import FRPBase
import FRPCore
import FRPGraph

enum FlinkCommand {
  /// The flags of a run that mean the same there.
  static let flags: Set<String> = [
    "--in", "--time", "--from", "--late", "--for", "--seed", "--error-format", "--deny", "--limit",
  ]

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    guard let source = ProgramFile.read(invocation.operands[0], reporter) else { return .wrongUsage }
    let program = invocation.surroundings.compile(source)
    reporter.report(program.diagnostics, program.sources)
    guard let core = program.plan?.core else { return .programHasErrors }
    do throws(PortProblem) {
      var inputs: [Input] = []
      for port in core.inputs.indices {
        if let input = try input(port, core, options, invocation.values("--key")) { inputs.append(input) }
      }
      if inputs.isEmpty { throw PortProblem(message: "the program has no input event whose lines have a key") }
      if program.sources.files.dropFirst().contains(where: { !$0.isHost }) {
        throw PortProblem(message: "a job is one text: put what is imported into it")
      }
      var parting = Parting(core, keys: Dictionary(uniqueKeysWithValues: inputs.map { ($0.port, $0.field) }))
      do throws(Parting.Refusal) { try parting.check() } catch {
        throw PortProblem(message: sentence(error, core))
      }
      let job = try text(inputs, options, source)
      if let path = invocation.value("--output"), path != "-" {
        do throws(SystemError) { try Files.write(job, to: path) } catch {
          throw PortProblem(message: "cannot write `\(path)`: \(error.message)")
        }
        reporter.note("flink run -d -p 2 frp-flink.jar \(path) FOLDER runs it")
      } else {
        console.out.write(job)
        console.out.flush()
      }
    } catch {
      reporter.failure(error.message)
      return .wrongUsage
    }
    return .success
  }

  private static func sentence(_ refusal: Parting.Refusal, _ core: CoreProgram) -> String {
    let node = core[refusal.node]
    if node.span.isNone { return "`\(node.definition)`\(refusal.message)" }
    let file = core.sources[node.span.file]
    let line = file.lineIndex(at: Int(node.span.start)) + 1
    return "\(file.name):\(line): `\(node.definition)`\(refusal.message)"
  }

  // MARK: What is written

  /// An input and its lines of the job.
  private struct Input {
    var port: Int
    /// The index of the key's field.
    var field: Int
    var lines: String
  }

  /// Nil for a behavior, which keeps its start value.
  private static func input(
    _ port: Int, _ core: CoreProgram, _ options: RunOptions, _ keys: [String]
  ) throws(PortProblem) -> Input? {
    let input = core.inputs[port]
    let name = input.name
    if !input.isEvent { return nil }
    guard let key = keys.last(where: { $0.hasPrefix(name + ".") })?.dropFirst(name.utf8.count + 1) else {
      throw PortProblem(message: "which field is the key of `\(name)`? `--key \(name).FIELD` says it")
    }
    guard case .record(let fields) = core.types[input.type], let field = fields.firstIndex(where: { $0.name == key })
    else { throw PortProblem(message: "the lines of `\(name)` have no field `\(key)`") }
    let type = core.types.describe(fields[field].type)
    if !["String", "Int", "Bool"].contains(type) {
      throw PortProblem(message: "a key is a String, an Int or a Bool; `\(name).\(key)` is \(type)")
    }
    let files = options.inputs.filter { $0.name == name }
    guard let file = files.first, files.count == 1, file.format == .jsonl, file.path != "-" else {
      throw PortProblem(message: "the lines of `\(name)` come from one file of JSON: write `--in \(name)=jsonl:FILE`")
    }
    guard let written = options.times.first(where: { $0.name == name })?.field else {
      throw PortProblem(message: "when do the lines of `\(name)` happen? `--time \(name)=FIELD` says it")
    }
    let fraction = EventTime.fractions.first { written.hasSuffix("/\($0)") }
    let time = fraction.map { String(written.dropLast("/\($0)".utf8.count)) } ?? written
    if time.utf8.contains(where: { [0x28, 0x5B, 0x7B].contains($0) }) {
      throw PortProblem(
        message: "`--time \(name)=\(written)`: a job reads one field, as seconds or 2026-01-02T03:04:05Z")
    }
    return Input(
      port: port, field: field,
      lines: """
        input \(name)
        file \(file.path)
        key \(key)
        type \(type)
        time \(time)
        fraction \(fraction ?? 1)

        """)
  }

  private static func text(
    _ inputs: [Input], _ options: RunOptions, _ source: Source
  ) throws(PortProblem) -> String {
    guard case .moment(let from)? = options.from else {
      throw PortProblem(message: "which moment is time 0? No worker sees all lines; `--from T` says it")
    }
    let end = options.end.map { "end \($0)\n" } ?? ""
    return """
      frp-flink 1
      name \(source.name.dropFirst(Files.directory(of: source.name).count))
      from \(from.seconds) \(from.nanoseconds)
      late \(options.late)
      \(end)seed \(options.seed)
      \(inputs.map(\.lines).joined())text
      \(String(decoding: source.bytes, as: UTF8.self))
      """
  }
}
