// The acceptance programs: NAME.frp with NAME.trace and NAME.args must print NAME.expect.

import FRPCore
import FRPModel

public enum Acceptance {
  static let folder = TestFiles.tests + "/Conformance/run/"
  public static let names = TestFiles.names(in: folder, ending: ".frp")

  private static func part(_ name: String, _ ending: String) -> String { TestFiles.read(folder + name + ending) ?? "" }

  /// What is wrong with the model's run of a program; nil if nothing is.
  public static func model(_ name: String) -> String? {
    let compiled = Compiled(part(name, ".frp"), name: name + ".frp")
    guard let core = compiled.core else { return compiled.problems }
    guard let trace = TraceLine.parse(part(name, ".trace")), let wanted = Expectations.parse(part(name, ".expect")) else {
      return "unreadable trace or expectation"
    }
    let options = arguments(part(name, ".args"))
    let run = onLargeStack { Model(core).run(trace, until: options["--for"], sample: options["--sample"] ?? 0.1) }
    return Expectations.difference(wanted, run.lines, tolerance: 1e-6, ordered: false)
      .map { "\($0) \(run.faults.first.map { "(fault at \($0.seconds): \($0.message))" } ?? "")" }
  }

  /// `--for 5s --sample 500ms`, in seconds.
  static func arguments(_ text: String) -> [String: Double] {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var result: [String: Double] = [:]
    for (name, value) in zip(words, words.dropFirst()) where name.hasPrefix("--") {
      let number = Double(value.filter { $0.isNumber || $0 == "." }) ?? 0
      result[name] = value.hasSuffix("ms") ? number / 1000 : number
    }
    return result
  }
}
