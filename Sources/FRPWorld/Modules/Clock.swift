// Clock: the wall clock. What programs measure is `time`; this is for moments that people name.

import FRP
import FRPBase
import FRPIO

extension World {
  var clock: HostModule {
    HostModule("Clock", help: "The wall clock, in UTC.") { module in
      module.operation(
        "cron(pattern: String): Source<String>",
        help: "The moments of a line of crontab, `30 2 * * 1-5`, in UTC, each as `2026-01-02T02:30`.",
        refusal: { $0.first?.whole.flatMap(Clock.refusal) }
      ) { call in
        streaming({ Clock.cron(call.text(0), item: $0, end: $1) }) { (moment: CivilMoment) in
          [.value(.text(moment.minuteText))]
        }
      }
      module.operation("now: Task<String>", help: "The moment, as `2026-01-02T03:04:05.678Z`.") { _ in
        { report in
          let answer = HostAnswer.value(.text(CivilMoment.present.formatted("yyyy-MM-ddTHH:mm:ss.SSSZ")))
          return AtOnce { report(.ended(.success(answer))) }
        }
      }
    }
  }
}

extension CivilMoment {
  /// To the minute, as cron has it.
  fileprivate var minuteText: String { formatted("yyyy-MM-ddTHH:mm") }

  fileprivate func formatted(_ pattern: String) -> String {
    var bytes: [UInt8] = []
    CivilTime(self).formatted(pattern.utf8) { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
