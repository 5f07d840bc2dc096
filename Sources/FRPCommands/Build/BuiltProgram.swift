// A program behind the executable that runs it.
//
// The file is the executable, then the program as a JSON object (its name, its texts, the flags it was built with), then 24 bytes:
// `frp app\n`, the length of the object, and its FNV-1a hash (Fowler, Noll, Vo), both as 64 bits, the lowest byte first. A loader
// of executables reads what its own headers name, and nothing behind that. The copied executable says in a byte of its own data
// that there is a program: where the end of the file was cut off, changed or added to, it does not take itself for frp.

import CLinux
import FRP
import FRPBase
import FRPWorld
import Glibc

import enum FRPIO.StartedAs
import struct FRPIO.Grants

struct BuiltProgram {
  /// What the main file was called, without its folder.
  var name: String
  /// The texts of the main file and of those it imports, by their names.
  var texts: [(name: String, text: String)]
  /// What stands before the flags of whoever runs it.
  var flags: [String]

  enum Reading {
    /// The executable runs no program of its own.
    case none
    case program(BuiltProgram)
    /// There was one, and it is not whole.
    case damaged
    /// There is one, in a file that cannot be opened.
    case hidden
  }

  private static let mark = Array("frp app\n".utf8)
  private static let footer = 24

  /// Where an executable says whether a program stands behind it, and what it says then; nil where that is not to be found.
  static func sign(of executable: Int32) -> (place: Int, byte: UInt8)? {
    let place = clinux_sign_place(executable)
    return place < 0 ? nil : (place, UInt8(clinux_sign_set))
  }

  // MARK: Writing

  /// What stands behind the executable.
  var bytes: [UInt8] {
    let fields: JSONTree = [
      "name": .text(name), "flags": .array(flags.map { .text($0) }),
      "texts": .object(texts.map { ($0.name, .text($0.text)) }),
    ]
    let body = Array(fields.json.utf8)
    return body + Self.mark + Self.bytes(UInt64(body.count)) + Self.bytes(Self.hash(body))
  }

  private static func bytes(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }

  // MARK: Reading

  /// The running executable, opened; where there is no /proc, by the name that it was started under.
  static func openExecutable() throws(SystemError) -> Int32 {
    do throws(SystemError) { return try Files.open("/proc/self/exe", O_RDONLY) } catch {
      guard let path = StartedAs.arguments.first, path.utf8.contains(UInt8(ascii: "/")) else { throw error }
      return try Files.open(path, O_RDONLY)
    }
  }

  /// What the running executable is to run. Cost: where that is nothing, three calls of the system.
  static func ofThisProcess() -> Reading {
    guard let file = try? openExecutable() else { return clinux_sign_is_set() ? .hidden : .none }
    defer { close(file) }
    let end = lseek(file, 0, SEEK_END)
    guard end > footer, let tail = bytes(of: file, at: end - footer, footer), tail.starts(with: mark) else {
      return clinux_sign_is_set() ? .damaged : .none
    }
    let length = Int(exactly: word(tail[8..<16])) ?? Int.max
    guard length <= end - footer, let body = bytes(of: file, at: end - footer - length, length),
      hash(body) == word(tail[16..<24]), let program = BuiltProgram(json: String(decoding: body, as: UTF8.self))
    else { return .damaged }
    return .program(program)
  }

  private static func bytes(of file: Int32, at place: Int, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes {
        pread(file, UnsafeMutableRawBufferPointer(rebasing: $0[filled...]).baseAddress, count - filled, place + filled)
      }
      if read < 0, errno == EINTR { continue }
      if read <= 0 { return nil }
      filled += read
    }
    return bytes
  }

  private init?(json: String) {
    let fields = JSONObject(json)
    guard let name = fields.string("name"), let texts = fields["texts"].flatMap(JSONParts.object) else { return nil }
    self.init(
      name: name, texts: texts.compactMap { file in JSONParts.string(file.json).map { (file.name, $0) } },
      flags: fields.array("flags").compactMap(JSONParts.string))
  }

  init(name: String, texts: [(name: String, text: String)], flags: [String]) {
    (self.name, self.texts, self.flags) = (name, texts, flags)
  }

  // MARK: Running

  var source: Source? { text(name).map { Source(name: name, bytes: $0) } }

  /// What it imports; nothing is read from disk.
  var modules: ModuleFiles { ModuleFiles(read: text) }

  private func text(_ name: String) -> [UInt8]? { texts.first { $0.name == name }.map { Array($0.text.utf8) } }

  /// The words of a command line that runs it; the operand stands for the program. A flag that is given takes the place of the
  /// one that is built in, or stands beside it where there may be several. Of those that are about an input or an output, it takes the
  /// place of the ones about the same.
  func words(_ given: [String]) -> [String] {
    var names: Set<String> = []
    var ports: Set<String> = []
    for (index, word) in given.enumerated() {
      names.insert(Self.flagName(word))
      let next = index + 1 < given.count ? given[index + 1] : ""
      if let port = Self.port(word.contains("=") ? word : "\(word)=\(next)") { ports.insert(port) }
    }
    let replaced = Set(CommandTable.run.flags.filter { !$0.repeats && names.contains($0.name) }.map(\.name))
    return ["run", "program"]
      + flags.filter { flag in !replaced.contains(Self.flagName(flag)) && Self.port(flag).map(ports.contains) != true }
      + given
  }

  private static func flagName(_ word: String) -> String { String(word.prefix { $0 != "=" }) }

  /// `--in=n` of `--in=n=jsonl:-`; nil where a flag is about no input or output.
  private static func port(_ flag: String) -> String? {
    let parts = flag.split(separator: "=", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, ["--in", "--out", "--set", "--time"].contains(parts[0]) else { return nil }
    return "\(parts[0])=\(parts[1])"
  }

  /// `app --help`: what goes in and comes out, and the flags that are built in.
  func help(_ program: String) -> String {
    var text = "\(program): \(name), built with frp \(VersionCommand.version)\n\nUsage: \(program) [flags]\n"
    let compiled = source.map { Surroundings(modules: modules, world: try? World(Grants())).compile($0) }
    for (title, ports) in [("Inputs", compiled?.inputs ?? []), ("Outputs", compiled?.outputs ?? [])]
    where !ports.isEmpty {
      text +=
        "\n\(title):\n"
        + HelpText.table(
          ports.map { port in
            ("\(port.name) : " + (port.isEvent ? "Event<\(port.type)>" : port.type), port.documentation)
          })
    }
    if !flags.isEmpty { text += "\nBuilt in:\n" + flags.map { "  \($0)\n" }.joined() }
    return text + HelpText.flags(of: CommandTable.run)
  }
}
