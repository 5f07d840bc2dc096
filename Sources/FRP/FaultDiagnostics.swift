// Faults of a running program -> diagnostics: R0101 wrong numbers, R0102 endless instants, R0103 host functions,
// R0104 limits, R0105 anything else.

import FRPBase
import FRPGraph
import FRPRuntime

extension Program {
  /// A fault with its definition, place, and moment, in words.
  package func diagnostic(of fault: ReactorFault) -> Diagnostic {
    let place = fault.definition.isEmpty ? "" : " in `\(fault.definition)`"
    let moment = "at \(secondsText(fault.moment.seconds)) s"
    var diagnostic = Diagnostic(
      Self.code(of: fault.fault.kind), "\(fault.fault.text)\(place), \(moment)", at: fault.fault.span,
      label: Self.label(of: fault.fault.kind))
    if case .hostFailed(let number) = fault.fault.kind { addHost(number, to: &diagnostic) }
    diagnostic.helps += Self.waysOut(of: fault.fault)
    diagnostic.notes.append(
      fault.isAtStart ? "a fault at the start ends the run" : "the instant was undone, the program goes on")
    return diagnostic
  }

  private static func code(of kind: Fault.Kind) -> String {
    switch kind {
    case .divisionByZero, .overflow, .notFinite, .indexOutOfRange: "R0101"
    case .limit(.microsteps): "R0102"
    case .hostFailed: "R0103"
    case .limit: "R0104"
    case .message: "R0105"
    }
  }

  /// What can be done about an instant without end, or an input without a value.
  private static func waysOut(of fault: Fault) -> [Help] {
    if case .limit(.microsteps) = fault.kind {
      return [
        Help(
          "two limits with a gap between them (hysteresis)",
          code: "on = merge(when(x < 18.0) |> map(_ => true), when(x > 20.0) |> map(_ => false)) |> hold(false)"),
        Help("let time pass on the way round", code: "e |> delay(10ms)"),
      ]
    }
    guard fault.text.hasPrefix("the input '"), let name = fault.text.split(separator: "'").dropFirst().first,
      fault.text.contains("has no value yet")
    else { return [] }
    return [
      Help("give it a value on the command line", code: "--set \(name)=VALUE"),
      Help("or a start value in the program", code: "input \(name): Behavior<…> = …"),
    ]
  }

  private static func label(of kind: Fault.Kind) -> String {
    switch kind {
    case .divisionByZero: "the divisor is 0 here"
    case .overflow: "too large for an Int"
    case .notFinite: "infinite, or not a number"
    case .indexOutOfRange: "there is no such element"
    case .hostFailed: "called here"
    case .limit, .message: ""
    }
  }

  /// The other place of a fault in the host: where the function is declared, and registered.
  private func addHost(_ number: Int, to diagnostic: inout Diagnostic) {
    guard host.functions.indices.contains(number) else { return }
    let function = host.functions[number]
    if let span = host.declaration(number, in: sources) {
      if span.file == diagnostic.span.file {
        // A name without parameters is computed where it is declared, and not where it is used.
        diagnostic.span = span
        diagnostic.label = "this value of the host"
      } else {
        diagnostic.labels.append(Label(span, "this function of the host"))
      }
    }
    if !function.place.isEmpty { diagnostic.notes.append("the host registered it at \(function.place)") }
  }

  /// Seconds as people read them: `2`, `0.35`.
  private func secondsText(_ seconds: Double) -> String {
    let text = String(seconds)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
