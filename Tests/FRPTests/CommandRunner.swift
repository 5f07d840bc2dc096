// Runs command lines in this process: words and standard input in, exit code and both outputs out.

import FRP
import FRPBase
import FRPTestFiles
import Glibc

@testable import FRPCommands

struct CommandResult {
  var code: Int32
  var out: String
  var err: String
}

/// Runs one command line on a large stack, as the executable does, with `input` as a pipe on standard input.
func frp(_ words: String..., input: String = "") -> CommandResult { frp(words, input: input) }

func frp(_ words: [String], input: String = "", host: [HostModule] = []) -> CommandResult {
  let path = "/tmp/frp-test-input-\(getpid())-\(UInt64.random(in: 0 ... .max))"
  let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
  let writer = Writer(descriptor: file)
  writer.write(input)
  writer.flush()
  lseek(file, 0, SEEK_SET)
  defer {
    close(file)
    unlink(path)
  }
  let out = Writer()
  let err = Writer()
  let code = onLargeStack {
    CommandLineInterface.run(words, Console(input: file, out: out, err: err), host: host).rawValue
  }
  return CommandResult(code: code, out: out.text, err: err.text)
}

/// The root of the package.
let root = TestFiles.root

/// A folder that is there as long as somebody holds it.
final class TemporaryFolder {
  let path: String

  init() {
    path = "/tmp/frp-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    mkdir(path, 0o700)
  }

  deinit {
    for name in Files.names(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// Writes a file and gives its path.
  func file(_ text: String, _ name: String) throws -> String {
    try Files.write(text, to: "\(path)/\(name)")
    return "\(path)/\(name)"
  }
}

func unlinkFile(_ path: String) { unlink(path) }
func removeFolder(_ path: String) { rmdir(path) }
