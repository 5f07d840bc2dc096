import FRPBase
import Glibc
import Testing

@testable import FRPCommands

/// Commands as a user types them: what they print, where, and their exit codes.
@Suite final class CommandTests {
  private var folders: [TemporaryFolder] = []

  /// A file in a folder of its own.
  private func file(_ text: String, _ name: String = "program.frp") throws -> String {
    folders.append(TemporaryFolder())
    return try folders[folders.count - 1].file(text, name)
  }

  @Test func aLineIsAnOccurrence() throws {
    let path = try file("input n: Event<Int>\noutput sum = n |> fold(0, (+))\n")
    #expect(frp("run", path, "--virtual", input: "1\n2\n").out == "0\n1\n3\n")
    #expect(frp(path, input: "1\n2").out == "0\n1\n3\n")
    #expect(
      frp("run", path, "--virtual", "--format", "jsonl", input: "4\n").out
        == "{\"at\":0.0,\"sum\":0}\n{\"at\":0.0,\"sum\":4}\n")
  }

  @Test func checkSaysEverythingOnStandardError() throws {
    let path = try file("output a = nope\noutput b = 1 + \"x\"\n")
    let result = frp("check", path)
    #expect(result.code == 1)
    #expect(result.out.isEmpty)
    #expect(result.err.contains("E0201"))
    #expect(result.err.contains("2 errors"))
    let json = frp("check", path, "--format", "json")
    #expect(json.err.split(separator: "\n").count == 2)
    #expect(json.err.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"code\":\"E0") && $0.hasSuffix("}") })
  }

  @Test func theCoreCanBeSeenAfterEachPass() throws {
    let path = try file("a = b\nb = time * 2.0\noutput big = b > 1.0\noutput a\n")
    func core(_ what: String) -> String { frp("check", path, "--print", what).out }
    #expect(core("core:evaluation").contains("output a = n1"), "\(core("core:evaluation"))")
    #expect(core("core:aliases").contains("= lift(new: multiply(n0, 2.0))"), "\(core("core:aliases"))")
    #expect(!core("core:aliases").contains(" continuous = "))
    #expect(core("core:kinds").contains(" continuous = "))
    #expect(!core("core:causality").contains("crossing"))
    #expect(core("core:crossings").contains("crossing"))
    #expect(core("core") == core("core:bounds"))
    let unknown = frp("check", path, "--print", "core:nothing")
    #expect(unknown.code == 2 && unknown.out.isEmpty)
    #expect(unknown.err.contains("core:evaluation, core:derivatives, core:aliases, core:kinds, core:calls"))
    let wrong = frp("check", try file("output a = nope\n"), "--print", "core")
    #expect(wrong.code == 1 && wrong.out.isEmpty)
  }

  @Test func checkKnowsWhatAHostDeclares() throws {
    let host = try file(
      "/// At today's rate.\nconvert(amount: Float): Float\nask(item: String): Task<Float>\n", "Prices.host")
    let right = try file(
      "input a: Event<Float>\noutput p = a |> map(x => Prices.convert(x))\n"
        + "output q = (a |> perform(Latest, _ => Prices.ask(\"tea\"))).busy\n")
    let wrong = try file("input a: Event<Float>\noutput p = a |> map(x => Prices.convert(\"x\"))\n")
    let unknown = frp("check", right)
    #expect(unknown.code == 1)
    #expect(unknown.err.contains("--host Prices.host"))
    #expect(frp("check", right, "--host", host).code == 0, "\(frp("check", right, "--host", host).err)")
    let result = frp("check", wrong, "--host", host)
    #expect(result.code == 1 && result.err.contains("`Prices.convert` (`amount`) needs a Float"), "\(result.err)")
    #expect(frp("check", right, "--host", "/none/Prices.host").code == 2)
  }

  @Test func warningsAloneAreNoErrors() throws {
    let path = try file("unused = 1\noutput x = 2\n")
    #expect(frp("check", path).code == 0)
    #expect(frp("check", path).err.contains("W0201"))
    #expect(frp("check", path, "--deny", "warnings").code == 1)
    #expect(frp("run", path, "--virtual").out == "2\n")
  }

  @Test func formattingIsCheckedAndDone() throws {
    let path = try file("output   x=1+2\n")
    #expect(frp("fmt", "--check", path).code == 1)
    #expect(frp("fmt", path).code == 0)
    #expect(String(decoding: try Files.contents(of: path), as: UTF8.self) == "output x = 1 + 2\n")
    #expect(frp("fmt", "--check", path).code == 0)
    #expect(frp("fmt", "-", input: "a=1\noutput a\n").out == "a = 1\noutput a\n")
    #expect(frp("fmt", "-", input: "a = (1\n").code == 1)
  }

  @Test func testsAreRun() throws {
    let path = try file(
      """
      input clicks: Event<Unit>
      n = clicks |> count
      test "good" {
        given clicks = "-x-x" every 1s
        expect n at 3s == 2
      }
      test "bad" {
        given clicks = "-x-x" every 1s
        expect n == "0--1" every 1s
      }

      """)
    let result = frp("test", path)
    #expect(result.code == 1)
    #expect(result.out.contains("ok    good"))
    #expect(result.out.contains("    actual    \"01-2\" every 1s\n                ^"), "\(result.out)")
    #expect(result.out.hasSuffix("1 passed, 1 failed\n"))
    #expect(frp("test", path, "--filter", "good").code == 0)
    #expect(frp("test", path, "--filter", "good", "--format", "json").out.contains("\"passed\":true"))
    let suite = "<testsuite name=\"frp\" tests=\"2\" failures=\"1\" errors=\"0\">"
    #expect(frp("test", path, "--format", "junit").out.contains(suite))
  }

  @Test func modulesStandBesideTheProgram() throws {
    let path = try file("import Shapes\noutput a = Shapes.area(2.0)\n")
    try Files.write("area(r) = 3.0 * r * r\n", to: Files.directory(of: path) + "Shapes.frp")
    #expect(frp("run", path, "--virtual").out == "12.0\n")
    let lost = try file("import Shape\noutput a = Shape.area(2.0)\n")
    #expect(frp("check", lost).err.contains("E0702"))
  }

  @Test func expressions() {
    #expect(frp("-e", "1 + 2").out == "3\n")
    #expect(frp("-e", "\"a\" ++ \"b\"").out == "ab\n")
    #expect(frp("-e", "time", "--virtual", "--for", "200ms").out == "0.0\n0.1\n0.2\n")
    #expect(frp("-e", "lines |> map(size)", "--virtual", input: "a\nbcd\n").out == "1\n3\n")
    #expect(frp("-e", "lines(\"a\\nb\")", "--virtual").out == "[\"a\", \"b\"]\n")
    #expect(frp("-e", "x = 1\noutput y = x + 1", "--virtual").out == "2\n")
    #expect(frp("-e", "1 +").code == 1)
    #expect(frp("eval", "2 * 3").out == "6\n")
  }

  @Test func completionsAndManualAreMadeFromTheTable() {
    for command in CommandTable.commands {
      #expect(frp("man").out.contains(".SH \(command.name.uppercased())\n"))
      for shell in ["bash", "zsh", "fish"] {
        let text = frp("completions", shell).out
        #expect(text.contains(command.name), "\(shell)")
        for flag in command.allFlags { #expect(text.contains(flag.name.dropFirst(2)), "\(shell): \(flag.name)") }
      }
    }
    #expect(frp("completions", "csh").code == 2)
  }

  @Test func portsThatDoNotExistAreNamed() throws {
    let path = try file("input clicks: Event<Int>\noutput n = clicks |> count\n")
    let input = frp("run", path, "--in", "click=jsonl:-")
    #expect(input.code == 2)
    #expect(input.err.contains("did you mean `clicks`?"))
    #expect(frp("run", path, "--out", "m=jsonl:-").code == 2)
    #expect(frp("run", path, "--until", "m").code == 2)
    #expect(frp("run", path, "--set", "clicks=1").code == 2)
  }

  @Test func everyTraceLineThatDoesNotFitIsSkippedWhole() throws {
    let path = try file("input a: Event<Int>\ninput b: Event<{x: Int}>\noutput both = merge(a, b |> map(.x))\n")
    let trace = """
      {"at": 1, "a": 1}
      {"at": 2, "a": 2, "b": {"x": "no"}}
      {"at": 2, "a": 2, "c": 1}
      {"at": 0.5, "a": 3}
      {"a": 4}
      {"at": 3, "a": 5
      nonsense

      {"at": 4, "b": {"x": 6}}
      """
    let result = frp("run", path, "--trace", "-", input: trace)
    #expect(result.out == "1\n6\n")
    #expect(result.code == 0)
    #expect(result.err.contains("line 2, column 30, at .b.x") || result.err.contains("at .b.x"), "\(result.err)")
    #expect(result.err.contains("line 4"))
    #expect(result.err.contains("6 lines were skipped"))
    let json = frp("run", path, "--trace", "-", "--error-format", "json", input: trace)
    #expect(json.err.split(separator: "\n").count == 6)
    #expect(json.err.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"code\":\"R0201\"") })
    let strict = frp("run", path, "--trace", "-", "--strict", input: trace)
    #expect(strict.out == "1\n")
    #expect(strict.code == 3)
  }

  @Test func faultsAreSaidAFewTimesAndCounted() throws {
    let path = try file("input n: Event<Int>\noutput x = n |> map(k => div(1, k))\n")
    let result = frp("run", path, "--virtual", input: String(repeating: "0\n", count: 50) + "1\n")
    #expect(result.code == 3)
    #expect(result.out == "1\n")
    #expect(result.err.components(of: "error[R0101]") == 3)
    #expect(result.err.contains("50 faults in all"))
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func components(of text: String) -> Int { self.ranges(of: text).count }
}
