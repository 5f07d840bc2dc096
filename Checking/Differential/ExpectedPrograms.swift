// Programs with what they must show: NAME.frp with NAME.trace (and NAME.args) must print NAME.expect. The acceptance
// programs are the contract; the corpus holds every program on which engine, model or elaboration once failed.

import FRPBase
import FRPCore
import FRPModel
import FRPTestFiles

package struct ExpectedPrograms: Sendable {
  let folder: String
  package let names: [String]

  package static let acceptance = ExpectedPrograms("/Acceptance/")
  package static let corpus = ExpectedPrograms("/Corpus/")

  init(_ folder: String) {
    self.folder = TestFiles.tests + folder
    names = TestFiles.names(in: self.folder, ending: ".frp")
  }

  private func part(_ name: String, _ ending: String) -> String { TestFiles.read(folder + name + ending) ?? "" }

  /// What is wrong with the model's or the engine's run of a program; nil if nothing is.
  package func problem(_ name: String, engine: Bool) -> String? {
    let compiled = Compiled(part(name, ".frp"), name: name + ".frp")
    guard let core = compiled.core else { return compiled.problems }
    guard let trace = TraceLine.parse(part(name, ".trace")), let wanted = Expectations.parse(part(name, ".expect"))
    else {
      return "unreadable trace or expectation"
    }
    let options = Self.arguments(part(name, ".args"))
    let (until, sample) = (options["--for"], options["--sample"] ?? 0.1)
    let run = onLargeStack {
      engine
        ? Engine.run(core, trace, until: until, sample: sample) : Model(core).run(trace, until: until, sample: sample)
    }
    guard let run else { return "no plan" }
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
