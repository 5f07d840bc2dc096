// Signals: what `kill` sends.

import FRP
import FRPIO

extension World {
  var signals: HostModule {
    HostModule("Signals", help: "Signals of the system.") { module in
      module.operation(
        "on(name: String): Source<()>", help: "Each time that a signal comes: HUP, USR1, USR2, WINCH, CONT.",
        refusal: { $0.first?.whole.flatMap(Signals.refusal) }
      ) { call in
        streaming({ item, end in Signals.on(call.text(0), item: { item(()) }, end: end) }) { (_: Void) in
          [.value(.unit)]
        }
      }
    }
  }
}
