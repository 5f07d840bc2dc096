// The acceptance programs, on the model alone: their expectations are the contract.

import FRPCore
import FRPDifferential
import FRPModel
import Testing

@Suite struct AcceptanceTests {
  static let folder = TestFiles.tests + "/Conformance/run/"

  @Test(arguments: TestFiles.names(in: folder, ending: ".frp"))
  func model(name: String) throws {
    let source = try #require(TestFiles.read(Self.folder + name + ".frp"))
    let compiled = Compiled(source, name: name + ".frp")
    let core = try #require(compiled.core, "\(compiled.problems)")
    let trace = try #require(TraceLine.parse(TestFiles.read(Self.folder + name + ".trace") ?? ""))
    let wanted = try #require(Expectations.parse(TestFiles.read(Self.folder + name + ".expect") ?? ""))
    let options = arguments(TestFiles.read(Self.folder + name + ".args") ?? "")
    let run = onLargeStack {
      Model(core).run(trace, until: options["--for"], sample: options["--sample"] ?? 0.1)
    }
    let difference = Expectations.difference(wanted, run.lines, tolerance: 1e-6, ordered: false)
    #expect(difference == nil, "\(run.faults)")
  }

  /// `--for 5s --sample 500ms`, in seconds.
  private func arguments(_ text: String) -> [String: Double] {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var result: [String: Double] = [:]
    for (name, value) in zip(words, words.dropFirst()) where name.hasPrefix("--") {
      let isMilliseconds = value.hasSuffix("ms")
      let number = Double(value.filter { $0.isNumber || $0 == "." }) ?? 0
      result[name] = isMilliseconds ? number / 1000 : number
    }
    return result
  }
}
