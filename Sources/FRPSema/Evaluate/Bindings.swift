// The sources of inputs and the sinks of outputs: what listens and performs beside what the program itself says.
//
//   input x from S     is listen(start, All, _ => S).items
//   output y = e to f  is e |> perform(Queue, f); of a behavior, its first value and each change, where a newer one takes the
//                      place of one that waits
//
// What they come to is no value of the program: the host is told.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

extension Elaborator {
  mutating func bindSource(_ input: InputPort, port: Int) {
    guard let expr = input.source else { return }
    let span = program.tree.span(expr)
    context = Context(scope: .program, definition: input.name)
    guard let source = plain(evaluate(expr, top), "source", of: input.name, at: span) else { return }
    let start = addNode(.start, core.types.event(.unit), at: span)
    bind(.source(port), start, policy: .all, task: CoreLambda([core.addLocal("", .unit)], source), at: span)
  }

  mutating func bindSink(_ output: OutputPort, to event: NodeID) {
    guard let expr = output.sink else { return }
    let span = program.tree.span(expr)
    context = Context(scope: .program, definition: output.name)
    let isEvent = core.outputs.last?.isEvent == true
    guard let task = entered(evaluate(expr, top), [payload(event)], at: span) else { return }
    bind(.sink(output.name), event, policy: isEvent ? .queue : .newest, task: task, at: span)
  }

  private mutating func bind(
    _ kind: CoreBinding.Kind, _ event: NodeID, policy: PolicyCase, task: CoreLambda, at span: Span
  ) {
    let given: TypeID
    switch core.types[core.type(task.body)] {
    case .task(let value): given = value
    case .source: given = .unit
    default: return
    }
    let result = core.types.intern(.variant(.result, [given, core.types.error()]))
    let type = core.types.intern(.variant(.policy, []))
    let rule = add(.construct(tag: policy.rawValue, []), type, span)
    let node = addNode(.perform(event, policy: rule, task), core.types.event(result), at: span)
    core.bindings.append(CoreBinding(kind, node, span: span))
  }
}
