// The passes, in order. Each takes the draft that the one before has left, and stands in a file of its own whose header says
// what it expects, what it leaves and by what rules. One that is added is listed here, takes steps of the budget for what it
// looks at (decision 0008) and has programs in `Tests/Golden/passes`; `frp check --print core:PASS` shows what it leaves.
//
// | pass        | what it does                                                                        | file                    |
// |-------------|-------------------------------------------------------------------------------------|-------------------------|
// | derivatives | nodes that wait for a derivative get its expression                                 | `Derivative`            |
// | aliases     | nodes that only repeat another disappear                                            | `Aliases`               |
// | kinds       | every behavior is a step or continuous                                              | `Kinds`                 |
// | calls       | calls that are steps when they are written out are written out; then kinds are anew | `PartialEvaluation`     |
// | parts       | what a scope shows is taken apart where a part is a step; then kinds are anew       | `StepParts`             |
// | watched     | what `changes` and `when` look at is a step, or a problem                           | `Watched`               |
// | causality   | no node needs its own value of the same instant, or it is a problem                 | `Causality`             |
// | roundings   | outputs that change by what is rounded alone change at moments that are located      | `Roundings`             |
// | crossings   | comparisons that are pushed become nodes that the solver locates                    | `Crossings`             |
// | jumps       | what a rate rounds is a step, between moments that are located                      | `Jumps`                 |
// | kinks       | what slides may follow is smooth piece by piece, between moments that are located   | `Kinks`                 |
// | bounds      | those that cannot be bounded over a stretch of time are noted                       | `UnboundedComparisons`  |

import FRPBase

/// One step from a draft to the next.
package struct Pass: Sendable {
  package let name: String
  /// True if the passes of its group must run again.
  let run: @Sendable (inout Draft) -> Bool

  init(_ name: String, again run: @escaping @Sendable (inout Draft) -> Bool) {
    self.name = name
    self.run = run
  }

  init(_ name: String, _ run: @escaping @Sendable (inout Draft) -> Void) {
    self.init(name) { draft in
      run(&draft)
      return false
    }
  }
}

package enum Passes {
  /// The passes of a group run by turns until none has changed what the others found out.
  private struct Group: Sendable {
    var passes: [Pass]
    /// Whether it is for drafts without problems only. Others say what they find as well.
    var isForSound = false
  }

  private static let groups = [
    Group(passes: [Pass("derivatives") { $0.resolveDerivatives() }]),
    Group(passes: [Pass("aliases") { $0.resolveAliases() }]),
    Group(passes: [
      Pass("kinds") { $0.inferKinds() },
      Pass("calls", again: { $0.writeOutSteps() }),
      Pass("parts", again: { $0.openSwitches() }),
    ]),
    Group(passes: [Pass("watched") { $0.checkWatched() }]),
    Group(passes: [Pass("causality") { $0.findCycles() }]),
    Group(passes: [Pass("roundings") { $0.roundOutputs() }], isForSound: true),
    Group(passes: [Pass("crossings") { $0.locateCrossings() }], isForSound: true),
    Group(passes: [Pass("jumps") { $0.locateJumps() }], isForSound: true),
    Group(passes: [Pass("kinks") { $0.locateKinks() }], isForSound: true),
    Group(passes: [Pass("bounds") { $0.findUnbounded() }], isForSound: true),
  ]

  /// The name of what evaluation leaves, before the first pass.
  package static let evaluation = "evaluation"

  /// What can be shown, in order.
  package static var names: [String] { [evaluation] + groups.flatMap(\.passes).map(\.name) }

  /// Runs all passes on what evaluation has left, until the budget is spent. `shows` sees the draft after each.
  package static func run(_ draft: inout Draft, shows: (String, Draft) -> Void = { _, _ in }) {
    shows(evaluation, draft)
    for group in groups where !group.isForSound || draft.problems.isEmpty {
      var isAgain = true
      while isAgain {
        isAgain = false
        for pass in group.passes where draft.budget.exceeded == nil {
          isAgain = pass.run(&draft) || isAgain
          shows(pass.name, draft)
        }
      }
    }
  }
}
