// The prompt and the command line as a library: for applications that give the language functions of their own.
//
// In:  what the host adds; the process's standard streams. Out: an exit code.
// Rules
// - Everything happens on a thread of its own, so the caller's executor, the main actor too, stays free for the host's tasks.
// - A prompt owns the terminal while it runs, and ^C is its own: one at a time in a process.

import FRP
import FRPCommands
import Glibc

/// The prompt of `frp`, over what a host adds: completion, documentation, types and messages know its functions, and
/// calling one runs its closure.
///
///     let geo = HostModule("Geo") { … }
///     await Prompt(host: [geo]).run()
///
/// On a terminal it is the prompt with all its keys; from a pipe every line is an entry. There a task of the host that an
/// entry has begun is waited for before the next line is read.
public struct Prompt: Sendable {
  /// What is added to the language.
  public var host: [HostModule]
  /// The path of a program whose definitions are there from the beginning.
  public var file: String?

  /// A prompt with what a host adds, and with the definitions of a program.
  public init(host: [HostModule] = [], file: String? = nil) {
    self.host = host
    self.file = file
  }

  /// Reads and answers entries until the end. Gives the process's exit code: 0, or 1 if an entry from a pipe was wrong.
  @discardableResult
  public func run() async -> Int32 {
    await CommandLineTool(host: host).run(["repl"] + (file.map { [$0] } ?? []))
  }
}

/// The whole command line of `frp`, over what a host adds: `run`, `test`, `check`, `doc`, `repl` and the others.
///
///     exit(await CommandLineTool(host: [geo]).run())
public struct CommandLineTool: Sendable {
  /// What is added to the language.
  public var host: [HostModule]

  /// The tool with what a host adds.
  public init(host: [HostModule]) { self.host = host }

  /// Carries out one command line, the process's own without an argument. Gives the exit code; `frp help exit-codes`
  /// explains them.
  @discardableResult
  public func run(_ words: [String] = Array(CommandLine.arguments.dropFirst())) async -> Int32 {
    let host = host
    return await withCheckedContinuation { continuation in
      onThread { continuation.resume(returning: CommandLineInterface.main(words, host: host)) }
    }
  }
}

private final class Job: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Does something that waits for keys and lines, away from the executors of Swift's tasks; here if there is no thread.
private func onThread(_ body: @escaping @Sendable () -> Void) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Job(body))
  let failure = pthread_create(
    &thread, &attributes,
    { pointer in
      if let pointer { Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().run() }
      return nil
    }, context.toOpaque())
  if failure != 0 {
    context.release()
    body()
  }
}
