import FRP
import FRPBase
import Foundation
import Testing

@testable import FRPCommands

/// The README is true: its programs are written to files, and its console blocks are executed as they stand.
@Suite struct ReadmeTests {
  private struct Block {
    var language: String
    var lines: [String]
  }

  private func blocks() throws -> [Block] {
    let text = String(decoding: try Files.contents(of: root + "/README.md"), as: UTF8.self)
    var blocks: [Block] = []
    var current: Block?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      guard line.hasPrefix("```") else {
        current?.lines.append(line)
        continue
      }
      if let block = current {
        blocks.append(block)
        current = nil
      } else {
        current = Block(language: String(line.dropFirst(3)), lines: [])
      }
    }
    return blocks
  }

  @Test func everyProgramChecks() throws {
    let programs = try blocks().filter { $0.language.hasPrefix("frp") && $0.language != "frp file=wrong.frp" }
    #expect(programs.count >= 7)
    for block in programs {
      let source = Source(name: "readme.frp", text: block.lines.joined(separator: "\n") + "\n")
      let found = onLargeStack { Program(source).diagnostics.filter { $0.severity == .error }.map(\.title) }
      #expect(found == [], "\(block.lines)")
    }
  }

  /// The module that shows how one is made is the one that is there.
  @Test func theSmallestModuleIsItsFile() throws {
    let page = String(decoding: try Files.contents(of: root + "/CONTRIBUTING.md"), as: UTF8.self)
    let file = String(decoding: try Files.contents(of: root + "/Sources/FRPWorld/Modules/Signals.swift"), as: UTF8.self)
    let shown = page.components(separatedBy: "```swift\n").last?.components(separatedBy: "\n```").first ?? ""
    #expect(shown.hasPrefix("import FRP") && file.hasSuffix("\n\n" + shown + "\n"))
  }

  @Test func everyCommandPrintsWhatItSays() throws {
    let folder = TemporaryFolder()
    var ran = 0
    for block in try blocks() {
      if let name = block.language.split(separator: "=").last, block.language.hasPrefix("frp file=") {
        _ = try folder.file(block.lines.joined(separator: "\n") + "\n", String(name))
      } else if block.language == "console" {
        ran += try run(block.lines, folder.path)
      }
    }
    #expect(ran >= 10)
  }

  /// Runs the `$` lines of a block; each is `frp …`, or `printf '…' | frp …`, or `echo '…' | frp …`.
  private func run(_ lines: [String], _ folder: String) throws -> Int {
    var commands: [(line: String, output: [String])] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        commands.append((String(line.dropFirst(2)), []))
      } else {
        commands[commands.count - 1].output.append(line)
      }
    }
    for command in commands {
      let (words, input) = try split(command.line)
      let located = words.map { $0.hasSuffix(".frp") ? "\(folder)/\($0)" : $0 }
      let result = frp(located, input: input)
      let shown = (result.out + result.err).replacing(folder + "/", with: "").split(separator: "\n").map(String.init)
      let wanted = command.output
      #expect(shown.filter { !$0.hasPrefix("frp: ") } == wanted, "\(command.line)")
    }
    return commands.count
  }

  /// The words of the last command of a pipe, and what is piped into it.
  private func split(_ line: String) throws -> (words: [String], input: String) {
    var words: [String] = []
    var commands: [[String]] = []
    var word = ""
    var isQuoted = false
    var hasWord = false
    for character in line {
      switch character {
      case "'":
        isQuoted.toggle()
        hasWord = true
      case " " where !isQuoted:
        if hasWord || !word.isEmpty { words.append(word) }
        word = ""
        hasWord = false
      case "|" where !isQuoted:
        commands.append(words)
        words = []
      default: word.append(character)
      }
    }
    if hasWord || !word.isEmpty { words.append(word) }
    commands.append(words)
    let last = try #require(commands.last)
    #expect(last.first == "frp", "\(line)")
    guard commands.count == 2, let source = commands.first, source.count == 2 else {
      return (Array(last.dropFirst()), "")
    }
    let text = source[0] == "printf" ? source[1].replacing("\\n", with: "\n") : source[1] + "\n"
    return (Array(last.dropFirst()), text)
  }
}
