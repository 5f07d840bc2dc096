// `frp build FILE -o OUT …`: one file that runs a program, for machines that have no frp.
//
// In: the flags of a run. Out: a copy of the running executable with the program behind it (`BuiltProgram`). What would not
// begin is refused here.

import FRP
import FRPBase
import FRPWorld
import Glibc

import enum FRPIO.Network

enum BuildCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let reporter = Reporter(invocation, console)
    let path = invocation.operands[0]
    guard let out = invocation.value("--output") else {
      return Usage.report(UsageProblem(message: "where to? `-o FILE` says it", command: "build"), console)
    }
    if out == "-" {
      return Usage.report(
        UsageProblem(
          message: "an executable is a file: `-o FILE` names it, and `-o ./-` one called `-`", command: "build"),
        console)
    }
    let options: RunOptions
    do { options = try RunOptions(invocation) } catch { return Usage.report(error, console) }
    if Files.areSame(path, out) {
      return Usage.report(
        UsageProblem(message: "`\(out)` is the program itself: `-o` names another file", command: "build"), console)
    }
    guard let source = ProgramFile.read(path, reporter) else { return .wrongUsage }
    var connected = source
    do { try RunCommand.connect(options, in: &connected) } catch { return Usage.report(error, console) }
    let program = invocation.surroundings.compile(connected)
    reporter.report(program.diagnostics, program.sources)
    if program.hasErrors { return .programHasErrors }
    do throws(SystemError) {
      try write(built(source, program, invocation).bytes, to: out)
      try bringNetwork(of: program, beside: out, reporter)
    } catch {
      reporter.failure("cannot write `\(out)`: \(error.message)")
      return .wrongUsage
    }
    let missing = invocation.world?.missing(program) ?? []
    if !missing.isEmpty {
      reporter.note("it is run with \(missing.map(\.flag).joined(separator: " ")), which can be built in")
    }
    return .success
  }

  private static func built(_ source: Source, _ program: Program, _ invocation: Invocation) -> BuiltProgram {
    func name(_ path: String) -> String { String(path.dropFirst(Files.directory(of: path).count)) }
    let imported = program.sources.files.dropFirst().filter { !$0.isHost }
    let texts = [(name(source.name), source.bytes)] + imported.map { (name($0.name), $0.bytes) }
    return BuiltProgram(
      name: name(source.name), texts: texts.map { ($0, String(decoding: $1, as: UTF8.self)) },
      flags: flags(of: invocation))
  }

  /// The flags of a command line but those of `build` itself. What `--grants` reads is granted from now on.
  private static func flags(of invocation: Invocation) -> [String] {
    let own = CommandTable.build.flags.filter { !["--output", "--grants"].contains($0.name) }
    let given = own.flatMap { flag in
      invocation.values(flag.name).map { flag.value == nil && $0.isEmpty ? flag.name : "\(flag.name)=\($0)" }
    }
    return given + GrantedWorld.lines(of: invocation.values("--grants")).map { "--allow-" + $0 }
  }

  /// Writes the executable that is running and what stands behind it, under another name until it is whole.
  private static func write(_ end: [UInt8], to path: String) throws(SystemError) {
    let executable = try BuiltProgram.openExecutable()
    defer { close(executable) }
    try write(to: path) { out throws(SystemError) in
      try copy(executable, to: out)
      try Self.write(end, to: out)
      if let sign = BuiltProgram.sign(of: executable) {
        var byte = sign.byte
        if pwrite(out, &byte, 1, sign.place) != 1 { throw SystemError(code: errno) }
      }
    }
  }

  /// The library that carries the network is loaded from beside the program.
  private static func bringNetwork(
    of program: Program, beside path: String, _ reporter: Reporter
  ) throws(SystemError) {
    guard WorldNeed.all(of: program).contains(where: { $0.kind == .net || $0.kind == .listen }) else { return }
    guard let library = Network.libraryPath else {
      return reporter.note("the network needs \(Network.libraryName) beside it, which is not here")
    }
    let place = Files.directory(of: path) + Network.libraryName
    let from = try Files.open(library, O_RDONLY)
    defer { close(from) }
    try write(to: place) { out throws(SystemError) in try copy(from, to: out) }
    reporter.note("\(place) belongs beside it: it carries the network")
  }

  private static func write(to path: String, _ fill: (Int32) throws(SystemError) -> Void) throws(SystemError) {
    let unfinished = "\(path).\(getpid())"
    let out = try Files.open(unfinished, O_WRONLY | O_CREAT | O_EXCL)
    defer { close(out) }
    do throws(SystemError) {
      try fill(out)
      // Who may read it may run it.
      var status = stat()
      guard fstat(out, &status) == 0, fchmod(out, status.st_mode | (status.st_mode & 0o444) >> 2) == 0,
        rename(unfinished, path) == 0
      else { throw SystemError(code: errno) }
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  private static func copy(_ from: Int32, to out: Int32) throws(SystemError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(from, &buffer, buffer.count)
      if count == 0 { return }
      if count < 0, errno != EINTR { throw SystemError(code: errno) }
      if count > 0 { try write(Array(buffer[..<count]), to: out) }
    }
  }

  private static func write(_ bytes: [UInt8], to out: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(out, UnsafeRawBufferPointer(rebasing: $0[written...]).baseAddress, $0.count - written)
      }
      if count < 0, errno != EINTR { throw SystemError(code: errno) }
      written += max(count, 0)
    }
  }
}
