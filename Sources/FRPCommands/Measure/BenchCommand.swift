// `frp bench FILE`: how fast a program runs, and how it compares with another.
//
// Rules
// - Rounds of two programs take turns, the first of each pair by turns as well, so that what the machine does meanwhile
//   meets both. The ratio is the median of the pairs' ratios, with bounds that assume nothing of how times are distributed.

import FRP
import FRPBase
import FRPIO

enum BenchCommand {
  private static let leastRounds = 11
  private static let mostRounds = 1_001
  /// Nanoseconds after which no more rounds begin, for one program.
  private static let budget = 1e9

  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    do {
      let rounds = try rounds(invocation, console)
      let counter = InstructionCounter()
      var invocation = invocation
      if let other = invocation.value("--compare") { invocation.operands.append(other) }
      var subjects: [BenchSubject] = []
      for operand in invocation.operands.indices {
        subjects.append(try BenchSubject(invocation, console, operand: operand, counter: counter))
        if let code = subjects.last?.code, code == .wrongUsage || code.isSignal { return code }
      }
      repeat {
        let number = subjects[0].times.count
        for place in subjects.indices {
          let place = number % 2 == 0 ? place : subjects.count - 1 - place
          subjects[place].round()
        }
      } while goesOn(subjects, rounds)
      let report = BenchReport(subjects, hasCounter: counter != nil)
      console.out.write(invocation.has("--json") ? report.json : report.text)
      return subjects.map(\.code).max() ?? .success
    } catch {
      return error.code
    }
  }

  private static func goesOn(_ subjects: [BenchSubject], _ rounds: Int?) -> Bool {
    let count = subjects[0].times.count
    if let rounds { return count < rounds }
    let used = subjects.reduce(0) { $0 + $1.times.reduce(0, +) }
    return count < leastRounds || count < mostRounds && used < budget * Double(subjects.count)
  }

  private static func rounds(_ invocation: Invocation, _ console: Console) throws(NoPicture) -> Int? {
    guard let text = invocation.value("--rounds") else { return nil }
    if let rounds = Int(text), (1...1_000_000).contains(rounds) { return rounds }
    throw NoPicture(
      code: Usage.report(
        UsageProblem(message: "`--rounds` is a number of runs, not `\(text)`", command: "bench"), console))
  }
}

struct BenchReport {
  let subjects: [BenchSubject]
  let hasCounter: Bool

  init(_ subjects: [BenchSubject], hasCounter: Bool) {
    self.subjects = subjects
    self.hasCounter = hasCounter
  }

  var text: String {
    var out = subjects.map(text).joined(separator: "\n")
    if !hasCounter { out += "instructions are not counted: this kernel lets no program count them\n" }
    if subjects.count == 2 { out += comparison }
    return out
  }

  private func text(_ subject: BenchSubject) -> String {
    let times = Spread(subject.times)
    let rounds = "\(times.count) round\(times.count == 1 ? "" : "s")"
    var rows: [[String]] = []
    var head = "\(subject.title): \(rounds)"
    if subject.instants > 0 {
      head += " of \(Amount.grouped(subject.occurrences)) occurrences in \(Amount.grouped(subject.instants)) instants"
    }
    rows.append([
      "a run", Amount.time(times.median),
      "least \(Amount.time(times.least)), quartiles \(Amount.time(times.lowerQuartile)) and \(Amount.time(times.upperQuartile))",
    ])
    for (count, one, many) in [
      (subject.occurrences, "an occurrence", "occurrences"), (subject.instants, "an instant", "instants"),
    ] where count > 0 {
      let each = times.median / Double(count)
      rows.append([one, Amount.time(each), "\(Amount.grouped(Int(1e9 / max(each, 1e-3)))) \(many) a second"])
    }
    if subject.mostBytes > 0 {
      rows.append(["memory", Amount.bytes(subject.mostBytes), "at most, of values and scopes"])
    }
    if !subject.instructions.isEmpty {
      let median = Spread(subject.instructions).median
      let each = subject.occurrences > 0 ? ", \(Amount.digits(median / Double(subject.occurrences))) an occurrence" : ""
      rows.append(["instructions", Amount.grouped(Int(median)), "a run\(each)"])
    }
    return head + "\n" + Amount.table(rows.map { ["", $0[0], $0[1], $0[2]] }, leftAligned: [1, 3])
  }

  private var ratios: Spread { Spread(zip(subjects[0].times, subjects[1].times).map { $1 / max($0, 1) }) }

  private var comparison: String {
    let (a, b) = (subjects[0], subjects[1])
    var out = "\n"
    if a.instants != b.instants || a.occurrences != b.occurrences {
      out +=
        "they do not do the same: \(a.occurrences) and \(b.occurrences) occurrences, "
        + "\(a.instants) and \(b.instants) instants\n"
    }
    let ratio = "\(b.title) takes \(Amount.digits(ratios.median)) times as long as \(a.title)"
    guard let interval = ratios.interval else {
      return out + "\(ratio), by \(ratios.count) pairs: too few to say how sure that is\n"
    }
    let bounds = "\(Amount.digits(interval.lowerBound)) to \(Amount.digits(interval.upperBound))"
    if interval.contains(1) {
      return out + "no difference can be told: \(ratio), and with 95 % it is \(bounds) (\(ratios.count) pairs)\n"
    }
    return out + "\(ratio); with 95 % it is \(bounds) (\(ratios.count) pairs)\n"
  }

  var json: String {
    let list = subjects.map(json).joined(separator: ",\n")
    var out = "{\n  \"programs\": [\n\(list)\n  ]"
    if subjects.count == 2 {
      let bounds = ratios.interval.map { "[\($0.lowerBound), \($0.upperBound)]" } ?? "null"
      out += ",\n  \"ratio\": {\"median\": \(ratios.median), \"interval\": \(bounds), \"pairs\": \(ratios.count)}"
    }
    return out + "\n}\n"
  }

  private func json(_ subject: BenchSubject) -> String {
    let times = Spread(subject.times)
    let instructions = subject.instructions.isEmpty ? "null" : "\(Int(Spread(subject.instructions).median))"
    return "    {\"file\": \(jsonString(subject.title)), \"rounds\": \(times.count), "
      + "\"occurrences\": \(subject.occurrences), \"instants\": \(subject.instants), "
      + "\"nanoseconds\": {\"median\": \(times.median), \"least\": \(times.least), "
      + "\"lowerQuartile\": \(times.lowerQuartile), \"upperQuartile\": \(times.upperQuartile)}, "
      + "\"mostBytes\": \(subject.mostBytes), \"instructions\": \(instructions)}"
  }
}
