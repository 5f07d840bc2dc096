import Testing

@testable import FRPCommands

/// The command line: what it accepts, what it says to what it does not, and the exit codes of `frp help exit-codes`.
@Suite struct ArgumentTests {
  private func invocation(_ words: String...) -> Invocation? {
    guard case .command(_, let invocation)? = try? ArgumentParser.parse(words) else { return nil }
    return invocation
  }

  private func problem(_ words: String...) -> UsageProblem? { problem(of: words) }

  private func problem(of words: [String]) -> UsageProblem? {
    do {
      _ = try ArgumentParser.parse(words)
      return nil
    } catch { return error }
  }

  @Test func flagsStandBeforeOrAfterTheCommand() {
    let before = invocation("--for", "3s", "run", "a.frp")
    let after = invocation("run", "a.frp", "--for=3s")
    #expect(before?.value("--for") == "3s")
    #expect(after?.value("--for") == "3s")
    #expect(before?.operands == ["a.frp"])
    #expect(after?.operands == ["a.frp"])
  }

  @Test func twoDashesEndFlags() {
    #expect(invocation("check", "--", "--odd.frp")?.operands == ["--odd.frp"])
    #expect(invocation("check", "-")?.operands == ["-"])
  }

  @Test func everyCommandHasItsVersion() {
    for words in [["run", "-V"], ["-V", "check"], ["run", "-V", "a.frp"], ["-e", "1", "--version"]] {
      guard case .version? = try? ArgumentParser.parse(words) else {
        Issue.record("\(words) does not show the version")
        continue
      }
    }
  }

  @Test func aWidthIsANumberOfColumns() {
    #expect(invocation("check", "a.frp", "--width", "100")?.value("--width") == "100")
    for width in ["x", "", "0", "-5", "99999999999999999999"] {
      #expect(problem("check", "a.frp", "--width=\(width)") != nil, "\(width)")
    }
  }

  @Test func aFileAloneIsRun() {
    #expect(invocation("a.frp")?.command == "run")
    #expect(invocation("-")?.command == "run")
    #expect(invocation("-e", "1 + 1")?.command == "eval")
    #expect(invocation("-qe", "1 + 1")?.value("--eval") == "1 + 1")
  }

  @Test func typosGetTheNearestName() {
    #expect(problem("chekc", "a.frp")?.suggestion == "check")
    #expect(problem("run", "a.frp", "--untill", "x")?.suggestion == "--until")
    #expect(problem("run", "a.frp", "--format", "jsnol")?.suggestion == "--format jsonl")
    #expect(problem("help", "run", "--smple")?.suggestion == "--sample")
  }

  /// Of each command, each flag there is, with a slip: what is proposed is one that the command has.
  @Test func aProposedFlagIsOneThatTheCommandHas() {
    let all = Set(CommandTable.commands.flatMap(\.allFlags).map(\.name))
    var proposed = 0
    for command in CommandTable.commands {
      let own = Set(command.allFlags.map(\.name))
      for flag in all {
        let slips = [String(flag.dropLast()), flag + "x", String(flag.dropLast(2)) + "us"]
        for slip in slips where !all.contains(slip) && slip.count > 3 {
          for words in [[command.name, slip, "a.frp"], [command.name, "a.frp", slip], [slip, command.name, "a.frp"]] {
            let found = problem(of: words)
            #expect(found != nil, "\(words) are understood")
            guard let suggestion = found?.suggestion else { continue }
            #expect(own.contains(suggestion), "\(words): \(suggestion)")
            proposed += 1
          }
        }
      }
    }
    #expect(proposed > 1000)
    #expect(problem("run", "--bogus", "x.frp")?.suggestion == nil)
    #expect(problem("--fomat", "x.frp")?.suggestion == "--format")
    #expect(problem("x.frp", "--foucs")?.suggestion == nil)
    #expect(problem("graph", "x.frp", "--foucs")?.suggestion == "--focus")
  }

  @Test func wrongUseNamesWhatIsWrong() {
    #expect(problem("run")?.message.contains("needs a FILE") == true)
    #expect(problem("diff", "a.jsonl")?.message.contains("needs an AFTER") == true)
    #expect(problem("run", "a.frp", "b.frp")?.message.contains("b.frp") == true)
    #expect(problem("run", "a.frp", "--for")?.message.contains("needs a value") == true)
    #expect(problem("check", "a.frp", "--trace", "t")?.message.contains("flag of `frp run`") == true)
    #expect(problem("run", "a.frp", "--strict=yes")?.message.contains("takes no value") == true)
    #expect(problem("run", "a.frp", "--for", "1s", "--for", "2s")?.message.contains("twice") == true)
  }

  @Test func exitCodesOfWrongUse() {
    #expect(frp("chekc", "a.frp").code == 2)
    #expect(frp("run", "a.frp", "--for", "10").code == 2)
    #expect(frp("run", "/nowhere/at-all.frp").code == 2)
    #expect(frp("repl", "/nowhere/at-all.frp").code == 2)
    #expect(frp("repl", root + "/Tests/Golden/errors/E0201_case.frp").code == 1)
    #expect(frp("run", "a.frp", "--in", "x").code == 2)
    #expect(frp("run", "a.frp", "--in", "x=xml:f").code == 2)
    #expect(frp("explain", "E9999").code == 2)
    #expect(frp("help", "nothing").code == 2)
    #expect(frp("--help").code == 0)
    #expect(frp("version", "--json").code == 0)
    #expect(frp("version", "--verbose").out.contains("\nmachine code: "))
  }

  @Test func whatIsSaidToPeopleGoesToStandardError() {
    let wrong = frp("chekc", "a.frp")
    #expect(wrong.out.isEmpty)
    #expect(wrong.err.contains("did you mean `check`?"))
    let help = frp("help", "run")
    #expect(help.err.isEmpty)
    #expect(help.out.contains("--trace"))
  }

  /// One name, one meaning: the parser must know whether a flag takes a value before it knows the command.
  @Test func aFlagIsTheSameInEveryCommand() {
    var seen: [String: (value: Bool, short: Character?)] = [:]
    for flag in CommandTable.commands.flatMap(\.allFlags) {
      if let other = seen[flag.name] {
        #expect(other.value == (flag.value != nil), "\(flag.name)")
        #expect(other.short == flag.short, "\(flag.name)")
      }
      seen[flag.name] = (flag.value != nil, flag.short)
    }
    for command in CommandTable.commands {
      #expect(!command.examples.isEmpty, "\(command.name) has no example")
      #expect(Set(command.allFlags.map(\.name)).count == command.allFlags.count, "\(command.name)")
    }
  }

  @Test(arguments: [
    ("10s", 10_000_000_000), ("250ms", 250_000_000), ("1.5s", 1_500_000_000), ("5min", 300_000_000_000),
    ("1h", 3_600_000_000_000), ("0s", 0), ("1ns", 1), ("2us", 2_000), ("0.1s", 100_000_000),
  ])
  func durations(_ text: String, _ nanoseconds: Int) {
    #expect(DurationText.nanoseconds(text) == nanoseconds)
  }

  @Test(arguments: ["10", "s", "-1s", "1 s", "1.2.3s", "ten s", ".5s", "99999999999h", "1d", ""])
  func noDurations(_ text: String) {
    #expect(DurationText.nanoseconds(text) == nil)
  }
}
