// `--set customers=csv:FILE`, `--set x=json:FILE`: start values that stand in files.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime

/// A start value of an input behavior, from a file.
struct SettingFile {
  private let name: String
  private let path: String
  /// How the text is written, of CSV; nil for JSON.
  private let form: CSVForm?

  /// nil where the value stands on the command line. A String's text may begin as these do, so it never stands in a file.
  init?(_ name: String, _ value: String, _ program: Program) throws(PortProblem) {
    if program.plan?.inputs.first(where: { $0.name == name })?.type == .string { return nil }
    self.name = name
    if value.hasPrefix("json:") {
      path = String(value.dropFirst(5))
      form = nil
    } else if value.hasPrefix("csv:") {
      var form = CSVForm()
      let (path, options) = CSVForm.split(String(value.dropFirst(4)))
      if path.hasSuffix(".tsv") { form.separator = 0x09 }
      try form.set(options)
      self.path = path
      self.form = form
    } else {
      return nil
    }
  }

  /// Makes the value the start value. All of the file must fit; what is odd about it is told once.
  func set(in simulation: Simulation, _ complaints: Complaints) throws(PortProblem) {
    let plan = simulation.reactor.plan
    guard let port = plan.inputs.firstIndex(where: { $0.name == name }) else {
      throw PortProblem(unknown: "input", name, among: plan.inputs.map(\.name))
    }
    if plan.inputs[port].isEvent {
      throw PortProblem(
        message:
          "`\(name)` is an event: --set gives start values of behaviors; `--in \(name)=\(form == nil ? "json" : "csv"):FILE` connects a file"
      )
    }
    let bytes: [UInt8]
    do { bytes = try Files.contents(of: path) } catch {
      throw PortProblem(message: "cannot read `\(path)`: \(error.message)")
    }
    let codec = simulation.codec
    let type = plan.inputs[port].type
    let result: Result<Word?, Fault> = bytes.withUnsafeBufferPointer { text in
      do throws(Fault) {
        guard let form else { return .success(try codec.decodeJSON(text, as: type)) }
        return .success(try codec.decodeCSVList(text, as: type, form: form))
      } catch { return .failure(error) }
    }
    switch result {
    case .success(let word?):
      simulation.reactor.startValues[port] = word
      if let oddity = codec.takeOddity() { complaints.add(oddity, of: path, line: oddity.line) }
    case .success(nil): throw unfit(codec.problem)
    case .failure(let fault): throw PortProblem(message: "--set \(name): \(fault.text)")
    }
  }

  private func unfit(_ problem: DecodeProblem?) -> PortProblem {
    PortProblem(message: "--set: the start value of `\(name)` does not fit: \(path), \(problem?.text ?? "unreadable")")
  }
}
