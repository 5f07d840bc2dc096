// Faults of a running program -> diagnostics: R0101 wrong numbers, R0102 endless instants, R0103 host functions,
// R0104 limits, R0105 anything else.

import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// What becomes of a run behind a fault that came after its start.
package enum FaultSequel {
  case goesOn
  /// Whoever runs it wants no more of it: `--strict`.
  case isStopped
  /// It came as the run ended.
  case isOver
  /// It happened in an earlier process, and happens again as what that did is made again.
  case isPast
}

extension Program {
  /// A fault with its definition, place, and moment, in words.
  package func diagnostic(of fault: ReactorFault, _ sequel: FaultSequel = .goesOn) -> Diagnostic {
    var diagnostic = Diagnostic(
      Self.code(of: fault.fault.kind), fault.fault.text, at: fault.fault.span, label: Self.label(of: fault.fault))
    if !fault.definition.isEmpty { diagnostic.definition = fault.definition }
    diagnostic.moment = secondsText(fault.moment.seconds)
    if case .hostFailed(let number) = fault.fault.kind { addHost(number, to: &diagnostic) }
    diagnostic.helps += waysOut(of: fault.fault.kind)
    diagnostic.notes.append(Self.outcome(of: fault, sequel))
    if fault.isBetweenInstants, fault.fault.kind == .limit(.steps) {
      diagnostic.notes.append("on the command line --limit steps=1e10 allows more")
    }
    return diagnostic
  }

  private static func outcome(of fault: ReactorFault, _ sequel: FaultSequel) -> String {
    if fault.isAtStart { return "a fault at the start ends the run" }
    if fault.isBetweenInstants, sequel == .goesOn {
      return "it stays as it is until an instant touches what it reads; the program goes on"
    }
    let what =
      fault.isOfLook
      ? "the output has no value at this moment"
      : fault.isBetweenInstants ? "it stands still" : "the instant was undone"
    switch sequel {
    case .goesOn: return "\(what), the program goes on"
    case .isStopped: return "\(what), and --strict ends the run"
    case .isPast: return "\(what); that was in an earlier process, and the journal has it still"
    case .isOver: return what
    }
  }

  private static func code(of kind: Fault.Kind) -> DiagnosticCode {
    switch kind {
    case .divisionByZero, .overflow, .notFinite, .indexOutOfRange: .undefinedValue
    case .limit(.microsteps): .endlessInstant
    case .hostFailed: .hostFailure
    case .limit: .limitReached
    case .unsetInput, .message: .otherFault
    }
  }

  /// What can be done about an instant without end, or an input without a value.
  private func waysOut(of kind: Fault.Kind) -> [Help] {
    switch kind {
    case .limit(.microsteps):
      [
        Help(
          "two limits with a gap between them (hysteresis)",
          code: "on = merge(when(x < 18.0) |> map(_ => true), when(x > 20.0) |> map(_ => false)) |> hold(false)"),
        Help("let time pass on the way round", code: "e |> delay(10ms)"),
        Help("let a task that tries again wait meanwhile", code: "task |> retryWith(n => Some(1s))"),
      ]
    case .unsetInput(let number) where inputs.indices.contains(number):
      [
        Help("give it a value on the command line", code: "--set \(inputs[number].name)=VALUE"),
        Help("or a start value in the program", code: "input \(inputs[number].name): Behavior<…> = …"),
      ]
    default: []
    }
  }

  /// Warnings for input behaviors that have no start value and that nothing sets, of those that the program uses.
  package func unsetInputs(except isSet: (String) -> Bool) -> [Diagnostic] {
    guard let plan else { return [] }
    return plan.inputs.indices.compactMap { index in
      let input = plan.inputs[index]
      let core = plan.core.inputs[index]
      guard !input.isEvent, input.entry >= 0, !isSet(input.name),
        case .inputBehavior(port: _, start: .none) = plan.core[core.node].op
      else { return nil }
      return Diagnostic(
        .unsetInput, "nothing sets `\(input.name)`, and it has no start value", at: core.span,
        label: "what reads it is a fault", helps: waysOut(of: .unsetInput(index)))
    }
  }

  private static func label(of fault: Fault) -> String {
    switch fault.kind {
    case .divisionByZero: "the divisor is 0 here"
    case .overflow: "too large for an Int"
    case .notFinite: fault.text == Fault.notFinite.text ? "infinite, or not a number" : ""
    case .indexOutOfRange: "there is no such element"
    case .hostFailed: "called here"
    case .limit, .unsetInput, .message: ""
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
