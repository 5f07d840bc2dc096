// Programs with what they print: NAME.frp beside NAME.expect (JSON lines), and if needed NAME.trace, NAME.args, NAME.exit
// and NAME.faults (the first line of each, in order); NAME.args may name files beside it from the root (`csv:examples/…`). Examples and golden programs have this form. `FRP_ACCEPT=1 swift
// test` writes the expectations anew; a person reads the difference.

import FRPBase
import Glibc
import Testing

@testable import FRPCommands

struct ProgramCase {
  let folder: String
  let name: String

  private var base: String { "\(root)/\(folder)/\(name)" }
  private func text(_ ending: String) -> String? {
    (try? Files.contents(of: "\(base).\(ending)")).map { String(decoding: $0, as: UTF8.self) }
  }

  static func all(in folder: String) -> [String] {
    Files.names(in: "\(root)/\(folder)").filter { $0.hasSuffix(".frp") }.map { String($0.dropLast(4)) }
  }

  /// Runs the program as its files say.
  func run() -> CommandResult {
    var words = ["run", "\(base).frp", "--format", "jsonl"]
    words += Files.exists("\(base).trace") ? ["--trace", "\(base).trace"] : ["--virtual"]
    // Files beside the program, as somebody names them who stands in the root.
    words += (text("args") ?? "").split(whereSeparator: \.isWhitespace).map {
      String($0).replacing(":\(folder)/", with: ":\(root)/\(folder)/")
    }
    return frp(words)
  }

  /// Compares what it prints with what it should, line by line, numbers to within 1e-6.
  func check() throws {
    let result = run()
    let wanted = Int32((text("exit") ?? "0").filter(\.isNumber)) ?? 0
    #expect(result.code == wanted, "\(name): exit code, \(result.err)")
    if let faults = text("faults") {
      let told = result.err.split(separator: "\n").filter { $0.hasPrefix("error[") }
      #expect(told == faults.split(separator: "\n"), "\(name): faults")
    }
    if getenv("FRP_ACCEPT") != nil { return try Files.write(result.out, to: "\(base).expect") }
    let expected = try #require(text("expect"), "\(name) has no .expect")
    if let difference = Self.difference(result.out, expected) { Issue.record("\(name): \(difference)\n\(result.err)") }
  }

  static func difference(_ out: String, _ expected: String) -> String? {
    let got = out.split(separator: "\n")
    let want = expected.split(separator: "\n")
    for index in 0..<max(got.count, want.count) {
      let ours = index < got.count ? got[index] : "(nothing)"
      let theirs = index < want.count ? want[index] : "(nothing)"
      if !isNear(ours, theirs) { return "line \(index + 1): wants \(theirs), got \(ours)" }
    }
    return nil
  }

  /// Whether two texts are the same but for numbers with a point or an exponent, which may differ by 1e-6.
  static func isNear(_ a: Substring, _ b: Substring) -> Bool {
    if a == b { return true }
    let (x, y) = (pieces(a), pieces(b))
    guard x.count == y.count else { return false }
    return zip(x, y).allSatisfy { left, right in
      if left == right { return true }
      guard left.contains("."), right.contains("."), let p = Double(left), let q = Double(right) else { return false }
      return abs(p - q) <= 1e-6 * max(1, abs(p), abs(q))
    }
  }

  /// A text cut into numbers and what lies between them, blanks left out.
  private static func pieces(_ text: Substring) -> [String] {
    var result: [String] = []
    var isNumber = false
    for character in text where character != " " {
      let belongs =
        character.isNumber || character == "." || character == "-"
        || (isNumber && (character == "e" || character == "+"))
      if belongs, isNumber {
        result[result.count - 1].append(character)
      } else {
        result.append(String(character))
      }
      isNumber = belongs
    }
    return result
  }
}

@Suite struct ExampleTests {
  @Test(arguments: ProgramCase.all(in: "examples"))
  func exampleIsTrue(_ name: String) throws { try ProgramCase(folder: "examples", name: name).check() }

  @Test(arguments: ProgramCase.all(in: "examples"))
  func exampleIsFormatted(_ name: String) {
    let result = frp("fmt", "--check", "\(root)/examples/\(name).frp")
    #expect(result.code == 0, "\(result.err)")
  }

  @Test func thereAreManyExamplesAndEachSaysWhatItShows() throws {
    let names = ProgramCase.all(in: "examples")
    #expect(names.count >= 40)
    for name in names {
      let text = String(decoding: try Files.contents(of: "\(root)/examples/\(name).frp"), as: UTF8.self)
      #expect(text.hasPrefix("// "), "\(name) has no header")
    }
  }
}

@Suite struct GoldenTests {
  @Test(arguments: ProgramCase.all(in: "Tests/Golden/run"))
  func goldenProgram(_ name: String) throws { try ProgramCase(folder: "Tests/Golden/run", name: name).check() }

  @Test func numbersAreComparedLoosely() {
    #expect(ProgramCase.isNear("{\"at\":1.0,\"x\":0.30000000000000004}", "{\"at\": 1.0, \"x\": 0.3}"))
    #expect(!ProgramCase.isNear("{\"x\":1.0}", "{\"x\":1}"))
    #expect(!ProgramCase.isNear("{\"x\":1.0}", "{\"x\":1.1}"))
    #expect(!ProgramCase.isNear("{\"x\":\"a\"}", "{\"x\":\"b\"}"))
  }
}
